// The neighbourhood of a person.

import {ask, listen, moment, read, relations, store, timed} from './api.js';
import {GraphCanvas} from './canvas.js';
import {
	avatar,
	compact,
	failure,
	h,
	icon,
	named,
	noun,
	number,
	plural,
	replaceAddress,
	say,
	segments,
	words
} from './dom.js';
import {List} from './list.js';
import {Picker, userHash} from './rows.js';
import {savePNG, saveSVG} from './save.js';

const NODES = 300;
const MOST_NODES = 600;  // with those that were added in place
const EXPANDED = 40;     // people that are added around one
const MINIATURE_NODES = 48;
const TIES = ['not with each other', 'followed by them', 'follow them', 'both follow'];

/** Where the people of the last map were, so that another instant moves none of them. */
let last = {id: null, places: new Map()};

export function mapView(place, scope) {
	return {element: new Neighbourhood(place, scope).element};
}

class Neighbourhood {
	shown = null;
	user = null;
	controller = null;

	constructor(place, scope) {
		this.scope = scope;
		this.id = place.id;
		this.hops = place.query.get('hops') === '2' ? 2 : 1;
		this.along = (place.query.get('along') ?? 'follow').split(',').filter((one) => one);
		this.note = h('p.muted.num.map-note', {text: 'Loading'});
		this.legend = h('div.map-legend', {});
		this.card = h('div.map-card-of', {hidden: true});
		const {graph, stage} = drawing(this);
		this.graph = graph;
		stage.append(this.legend, this.card);
		this.field = new Picker('Whose neighbourhood', (chosen) => this.centre(chosen));
		this.people = h('div.map-people', {tabindex: 0, role: 'group', 'aria-label': 'People shown'});
		this.list = this.listOf();
		const hopsChoice = segments('Hops', [['1', 'One hop'], ['2', 'Two hops']], String(this.hops), (value) => {
			this.hops = Number(value);
			this.load();
		});
		const colours = [['direction', 'Direction'], ['distance', 'Distance'], ['community', 'Communities']];
		const colourChoice = segments('Colour by', colours, 'direction', (value) => {
			graph.by = value;
			graph.draw();
			this.explain();
			this.list.reload();
		});
		this.element = h('div.map', {}, h('h1.hidden', {text: 'Map'}),
			h('div.map-bar.toolbar', {}, this.field.element, hopsChoice, colourChoice, this.relationChoice(), this.note),
			stage, this.people);
		scope.title('Map');
		scope.use(() => {
			const stops = [graph.start(), this.list.start(), this.following()];
			if (!this.shown) this.load();
			return () => {
				this.controller?.abort();
				stops.forEach((stop) => stop());
			};
		});
	}

	centre(user) {
		this.id = user.id;
		this.user = user.postCount === undefined ? null : user;
		this.load();
	}

	/** Boxes for the relations between users that the schema declares. */
	relationChoice() {
		const known = relations().filter((one) => one.from === 'user' && one.to === 'user');
		if (known.length === 0) return null;
		return h('fieldset.checks', {}, h('legend.hidden', {text: 'Relations'}),
			...['follow', ...known.map((one) => one.name)].map((name) => {
				const onchange = (event) => {
					const others = this.along.filter((one) => one !== name);
					this.along = event.target.checked ? [...others, name] : others;
					if (this.along.length === 0) this.along = ['follow'];
					this.along.sort((a, b) => (b === 'follow') - (a === 'follow'));
					this.load();
				};
				return h(
					'label', {}, h('input', {type: 'checkbox', checked: this.along.includes(name), onchange}), words(name));
			}));
	}

	address() {
		const query = new URLSearchParams();
		if (this.hops === 2) query.set('hops', 2);
		if (this.along.join() !== 'follow') query.set('along', this.along.join());
		return `#/map/${this.id}${query.size ? `?${query}` : ''}`;
	}

	ask(id, hops, limit, options) {
		return read(`/api/neighbourhood?${new URLSearchParams({user: id, hops, limit, relations: this.along})}`, options);
	}

	async load() {
		this.controller?.abort();
		this.controller = new AbortController();
		const options = {signal: this.controller.signal}, {graph} = this;
		try {
			this.id ??= (await ask({op: 'users', order: 'popular', limit: 1}, options)).users[0]?.id ?? null;
			if (this.id === null) {
				this.note.textContent = 'This graph has no people yet.';
				return;
			}
			if (this.user?.id !== this.id) this.user = (await ask({op: 'user', user: this.id}, options)).user;
			this.field.set(this.user);
			if (this.scope.shown) replaceAddress(this.address());
			this.scope.title(`Map of ${this.user.username}`);
			this.shown = await this.ask(this.id, this.hops, NODES, options);
			graph.show(this.shown, last.id === this.id ? last.places : new Map());
			last = {
				id: this.id,
				get places() {
					return graph.places();
				}
			};
			this.told();
		} catch (error) {
			if (error.name === 'AbortError') return;
			this.note.replaceChildren(failure(error));
			graph.show({nodes: [], edges: []});
			this.legend.replaceChildren();
		}
	}

	/** What is shown in words, the legend and the list. */
	told() {
		const {nodes, edges, found, cut} = this.shown, all = `${number(found)}${cut ? ' or more' : ''}`;
		const count =
			nodes.length < found || cut ? `${number(nodes.length)} of ${all} people` : plural(nodes.length, 'people');
		this.note.replaceChildren(
			`${count}, ${plural(edges.length, this.along.length > 1 ? 'edges' : `${words(this.along[0])}s`)}`);
		this.note.title = nodes.length < found ? 'The nearest and most followed are shown' : '';
		this.card.hidden = true;
		this.explain();
		this.list.reload();
	}

	/** The legend of the colours and lines, with numbers. */
	explain() {
		const {graph, shown} = this, entries = [], part = (test) => graph.nodes.filter((_, i) => i > 0 && test(i)).length;
		const entry = (colour, text, count) => {
			if (count > 0)
				entries.push(
					h('li', {}, h('i.swatch', {vars: {background: colour}}), text, h('span.num.muted', {text: number(count)})));
		};
		if (graph.by === 'direction')
			for (const tie of [3, 1, 2, 0])
				entry(`var(${['--node-far', '--tie-out', '--tie-in', '--tie-both'][tie]})`, TIES[tie],
					part((i) => graph.ties[i] === tie));
		else if (graph.by === 'distance')
			for (const distance of [1, 2])
				entry(`var(${distance === 1 ? '--node-near' : '--node-far'})`, plural(distance, 'hops'),
					part((i) => graph.nodes[i].distance === distance));
		else
			for (let at = 0; at < 6; at += 1) {
				const one = graph.order.find((i) => graph.part[i] === at), size = part((i) => graph.part[i] === at);
				if (one !== undefined && size > 2)
					entry(`oklch(0.62 0.13 ${GraphCanvas.hueOf(at)})`, ['around ', named(graph.nodes[one].username)], size);
			}
		shown.relations.forEach((name, relation) => {
			const count = shown.edges.filter(([, , one]) => one === relation).length;
			if (relation > 0)
				entries.push(h('li', {},
					h('i.dash', {vars: {'border-color': `oklch(0.62 0.17 ${GraphCanvas.relationHue(relation)})`}}), words(name),
					h('span.num.muted', {text: number(count)})));
		});
		this.legend.replaceChildren(h('ul', {}, ...entries), h('p.muted', {text: 'Larger: more followers'}));
	}

	/** Adds the people around one. */
	async expand(node) {
		const {graph, shown} = this;
		try {
			const more = await this.ask(node.id, 1, EXPANDED);
			const at = new Map(shown.nodes.map((one, index) => [String(one.id), index])), before = shown.nodes.length;
			for (const one of more.nodes) {
				if (at.has(String(one.id)) || shown.nodes.length >= MOST_NODES) continue;
				at.set(String(one.id), shown.nodes.length);
				shown.nodes.push({...one, distance: Math.min(2, node.distance + one.distance)});
			}
			const known = new Set(shown.edges.map(String));
			for (const [a, b, relation] of more.edges) {
				const edge = [at.get(String(more.nodes[a].id)), at.get(String(more.nodes[b].id)), relation];
				if (edge[0] !== undefined && edge[1] !== undefined && !known.has(String(edge))) shown.edges.push(edge);
			}
			const added = shown.nodes.length - before;
			say(added ? `${plural(added, 'people')} around ${node.username}` : `All around ${node.username} are shown`);
			shown.found = Math.max(shown.found, shown.nodes.length);
			graph.show(shown);
			this.told();
			graph.select(graph.nodes.findIndex((one) => one.id === node.id));
		} catch (error) { this.note.replaceChildren(failure(error)); }
	}

	/** The chosen person beside the map. */
	choose(node, index) {
		this.card.hidden = !node;
		if (!node) return;
		const {ties, near} = this.graph,
								 tie = index === 0 ? 'in the middle'
			: ties[index]
			? TIES[ties[index]]
			: `${plural(node.distance, 'hops')} away`;
		const button = (text, onclick) => h('button.button', {type: 'button', text, onclick});
		this.card.replaceChildren(
			h('p.map-card-name', {}, avatar(node, 'small'), named(node.username), h('span.id.num', {text: `#${node.id}`})),
			h('p.muted.num', {text: `${plural(node.followerCount, 'followers')} · ${near[index].size} of these · ${tie}`}),
			h('p.toolbar', {}, h('a.button.primary', {href: userHash(node.id), text: 'Open'}),
				button('Expand', () => this.expand(node)), button('Centre', () => this.centre(node))));
	}

	/** After changes of the people shown, a button draws the map again. */
	following() {
		return listen(store, 'change', ({detail}) => {
			if (moment.at !== null || !this.shown) return;
			const ids = [detail.user, detail.target, detail.from, detail.to].filter((one) => one !== undefined).map(String);
			if (detail.op && detail.op !== 'batch' && !this.shown.nodes.some((node) => ids.includes(String(node.id)))) return;
			if (this.note.querySelector('button')) return;
			this.note.append(
				' ', h('button.button', {type: 'button', text: 'Changed: draw again', onclick: () => this.load()}));
		});
	}

	/** The people of the map, one of whom the pointer chooses in its picture. */
	listOf() {
		const {people, graph} = this;
		const row = (node) => {
			const heat = () => graph.heat(node.index), count = h('span.num.muted', {text: compact(node.followerCount)});
			const swatch = h('span.swatch', {vars: {background: graph.tint(node.index)}});
			return h('div', {onpointerenter: heat, onfocusin: heat},
				h('a.map-person', {href: userHash(node.id)}, swatch, named(node.username), count));
		};
		const page = async () =>
			({items: (this.shown?.nodes ?? []).map((node, index) => ({...node, index, by: graph.by})), next: null});
		const list = new List({label: 'People shown', estimate: 44, scroller: people, row, page, empty: ''});
		people.append(list.element);
		return list;
	}
}

/** The canvas with the words for a person and its tools. */
function drawing(map) {
	const says = 'Neighbourhood. Arrows move, Enter opens, Space chooses, e adds the people around, plus and minus zoom.';
	const canvas = h('canvas.map-canvas', {tabindex: 0, role: 'application', 'aria-label': says});
	const label = h('p.map-label.num', {hidden: true});
	const open = (node) => {
		location.hash = timed(userHash(node.id));
	};
	const point = (node, index) => {
		label.hidden = !node;
		if (!node) return;
		const {username, followerCount, distance} = node, near = graph.near[index].size;
		const text = `${compact(followerCount)} ${noun(followerCount, 'followers')} · ${near} of these`;
		label.replaceChildren(named(username), h('span.muted', {text}));
		say(`${username}, ${plural(followerCount, 'followers')}, distance ${distance}`);
	};
	const graph = new GraphCanvas(
		canvas, {open, point, choose: (node, index) => map.choose(node, index), expand: (node) => map.expand(node)});
	const button = (name, title, onclick) =>
		h('button.ghost', {type: 'button', 'aria-label': title, title, onclick}, icon(name));
	const name = () => `map-${map.id}`;
	const tools = h('div.map-tools', {}, button('plus', 'Zoom in', () => graph.scale(1.25)),
		button('minus', 'Zoom out', () => graph.scale(0.8)), button('fit', 'Fit', () => graph.refit()),
		h('button.ghost.text', {type: 'button', text: 'PNG', title: 'Save as PNG', onclick: () => savePNG(graph, name())}),
		h('button.ghost.text', {type: 'button', text: 'SVG', title: 'Save as SVG', onclick: () => saveSVG(graph, name())}));
	return {graph, stage: h('div.map-stage', {}, canvas, label, tools)};
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
