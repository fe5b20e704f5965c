// The neighbourhood of a person, and a shortest path between two.

import {ask, identifier, read} from './api.js';
import {GraphCanvas} from './canvas.js';
import {
	avatar,
	compact,
	empty,
	failure,
	h,
	icon,
	named,
	noun,
	plural,
	replaceAddress,
	say,
	segments
} from './dom.js';
import {List} from './list.js';
import {Picker, userFacts, userHash} from './rows.js';

const NODES = 300;
const MINIATURE_NODES = 48;

export function mapView(place, scope) {
	let id = place.id, user = null, hops = place.query.get('hops') === '2' ? 2 : 1, controller = null, shown = null;
	const note = h('p.muted.num.map-note', {text: ' '}), {graph, stage} = drawing();
	const field = new Picker('Whose neighbourhood', (chosen) => {
		id = chosen.id;
		user = chosen;
		load();
	});
	const people = h('div.map-people', {tabindex: 0, role: 'group', 'aria-label': 'People shown'});
	const list = listOf(people, graph, () => shown?.nodes ?? []);

	async function load() {
		controller?.abort();
		controller = new AbortController();
		const {signal} = controller, options = {signal};
		try {
			if (id === null) id = (await ask({op: 'users', order: 'popular', limit: 1}, options)).users[0]?.id ?? null;
			if (id === null) {
				note.textContent = 'This graph has no people yet.';
				return;
			}
			if (user?.id !== id) user = (await ask({op: 'user', user: id}, options)).user;
			field.set(user);
			const query = new URLSearchParams({...(hops === 2 && {hops})});
			if (scope.shown) replaceAddress(`#/map/${id}?${query}`.replace(/\?$/, ''));
			scope.title(`Map of ${user.username}`);
			shown = await read(`/api/neighbourhood?user=${id}&hops=${hops}&limit=${NODES}`, options);
			note.textContent =
				`${shown.truncated ? 'The nearest and most followed ' : ''}${plural(shown.nodes.length, 'people')}, ` +
				plural(shown.edges.length, 'follows');
			graph.show(shown);
			list.reload();
		} catch (error) {
			if (error.name !== 'AbortError') note.replaceChildren(failure(error));
		}
	}

	const hopsChoice = segments('Hops', [['1', 'One hop'], ['2', 'Two hops']], String(hops), (value) => {
		hops = Number(value);
		load();
	});
	const colours = [['distance', 'Distance'], ['component', 'Component']];
	const colourChoice = segments('Colour by', colours, 'distance', (value) => {
		graph.by = value;
		graph.draw();
	});
	const element = h('div.map', {}, h('h1.hidden', {text: 'Map'}),
		h('div.map-bar.toolbar', {}, field.element, hopsChoice, colourChoice, note), stage, people);
	scope.title('Map');
	scope.use(() => {
		const stops = [graph.start(), list.start()];
		if (!shown) load();
		return () => {
			controller?.abort();
			stops.forEach((stop) => stop());
		};
	});
	return {element};
}

/** The canvas with the words for a person and its tools. */
function drawing() {
	const words = 'Neighbourhood. Arrows move, Enter opens, plus and minus zoom.';
	const canvas = h('canvas.map-canvas', {tabindex: 0, role: 'application', 'aria-label': words});
	const label = h('p.map-label.num', {hidden: true});
	const open = (node) => {
		location.hash = userHash(node.id);
	};
	const point = (node, index) => {
		label.hidden = !node;
		if (!node) return;
		const {username, followerCount, distance} = node, near = graph.near[index].size;
		const text = `${compact(followerCount)} ${noun(followerCount, 'followers')} · ${near} of these`;
		label.replaceChildren(named(username), h('span.muted', {text}));
		say(`${username}, ${plural(followerCount, 'followers')}, distance ${distance}`);
	};
	const graph = new GraphCanvas(canvas, {open, point});
	const button = (name, title, onclick) =>
		h('button.ghost', {type: 'button', 'aria-label': title, title, onclick}, icon(name));
	const tools = h('div.map-tools', {}, button('plus', 'Zoom in', () => graph.scale(1.25)),
		button('minus', 'Zoom out', () => graph.scale(0.8)), button('fit', 'Fit', () => graph.refit()));
	return {graph, stage: h('div.map-stage', {}, canvas, label, tools)};
}

/** The people of a graph, one of whom the pointer chooses in its picture. */
function listOf(people, graph, nodes) {
	const row = (node) => {
		const choose = () => graph.heat(node.index), swatch = h('span', {class: `swatch distance-${node.distance}`});
		const count = h('span.num.muted', {text: compact(node.followerCount)});
		return h('div', {onpointerenter: choose, onfocusin: choose},
			h('a.map-person', {href: userHash(node.id)}, swatch, named(node.username), count));
	};
	const page = async () => ({items: nodes().map((node, index) => ({...node, index})), next: null});
	const list = new List({label: 'People shown', estimate: 44, scroller: people, row, page, empty: ''});
	people.append(list.element);
	return list;
}

/** A small picture of a neighbourhood, which leads to the large one. */
export async function miniature(holder, id, current, nodes = MINIATURE_NODES) {
	const found = await read(`/api/neighbourhood?user=${id}&hops=1&limit=${nodes}`);
	if (!current()) return;
	const canvas = h('canvas.mini-canvas', {role: 'img', 'aria-label': `The nearest ${found.nodes.length} people`});
	holder.replaceChildren(h('a.mini-link', {href: `#/map/${id}`, 'aria-label': 'Open the map'}, canvas));
	const graph = new GraphCanvas(canvas, {still: true});
	graph.start();
	graph.show(found);
}

/** A shortest path, drawn as a chain. */
export function pathView(place, scope) {
	const ends = {from: identifier(place.query.get('from')), to: identifier(place.query.get('to'))};
	const result = h('div.path-result', {'aria-live': 'polite'});
	let controller = null;
	const choose = (end) => (user) => {
		ends[end] = user.id;
		find();
		if (end === 'from' && ends.to === null) fields.to.focus();
	};
	const fields = {from: new Picker('From', choose('from')), to: new Picker('To', choose('to'))};

	async function find() {
		controller?.abort();
		controller = new AbortController();
		const options = {signal: controller.signal}, {from, to} = ends;
		const query = new URLSearchParams(Object.entries(ends).filter(([, id]) => id !== null));
		if (scope.shown) replaceAddress(`#/path?${query}`);
		try {
			for (const end of ['from', 'to']) {
				if (ends[end] !== null) fields[end].set((await ask({op: 'user', user: ends[end]}, options)).user);
			}
			if (from === null || to === null) return;
			const began = performance.now();
			const path = await read(`/api/path?from=${from}&to=${to}`, options);
			result.replaceChildren(...found(path, performance.now() - began));
		} catch (error) {
			if (error.name !== 'AbortError') result.replaceChildren(failure(error));
		}
	}

	const onclick = () => {
		[ends.from, ends.to] = [ends.to, ends.from];
		fields.from.set(null);
		fields.to.set(null);
		find();
	};
	const swap =
		h('button.ghost', {type: 'button', 'aria-label': 'Swap the two ends', title: 'Swap', onclick}, icon('swap'));
	const element = h('div.path', {},
		h('header.page-head', {}, h('h1', {text: 'Path'}),
			h('p.muted', {text: 'A shortest way from one person to another along follows.'})),
		h('div.toolbar.path-ends', {}, fields.from.element, swap, fields.to.element), result);
	scope.title('Path');
	find();
	return {element, focus: () => (ends.from === null ? fields.from : fields.to).focus()};
}

/** A path as a chain, or the words that there is none. */
function found({users, complete}, took) {
	if (!users) return [empty(complete ? 'No path along follows joins them.' : 'The search gave up at its limit.')];
	const hops = users.length - 1, time = h('span.muted.num', {text: ` · found in ${took.toFixed(1)} ms`});
	say(`A path of ${plural(hops, 'hops')}`);
	const links = users.map((user, index) => {
		const facts = user.followerCount === undefined ? `#${user.id}` : userFacts(user).split(' · ')[0];
		const person = h('a.chain-user', {href: userHash(user.id)}, avatar(user, 'huge'), named(user.username),
			h('span.muted.num', {text: facts}));
		const next = index < hops && h('span.chain-link', {}, h('span', {text: 'follows'}), icon('arrow'));
		return h('li', {vars: {'--step': index}}, person, next);
	});
	const head = [h('b.num.path-hops', {text: String(hops)}), h('span', {}, hops === 1 ? 'hop' : 'hops', time)];
	return [h('p.path-head', {}, ...head), h('ol.chain', {}, ...links)];
}
