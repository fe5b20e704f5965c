// What changed between two instants, as lists, and both states side by side.

import {ask, identifier, moment} from './api.js';
import {avatar, empty, exact, failure, h, named, number, replaceAddress, segments, time, words} from './dom.js';
import {job} from './graph.js';
import {postRow, tiles, userHash, userRow} from './rows.js';
import {Tabs} from './tabs.js';
import {files} from './time.js';

const ROWS = 30;
const SHOWN = 100;  // items of a list of differences
const DAY = 86400000;
const COUNTS = [['users', 'people'], ['follows', 'follows'], ['posts', 'posts'], ['likes', 'likes']];
const TABS =
	[['timeline', 'Timeline', 'posts'], ['followers', 'Followers', 'users'], ['followees', 'Following', 'users']];
const SPANS =
	[['day', 'A day', DAY], ['week', 'A week', 7 * DAY], ['month', 'Four weeks', 28 * DAY], ['all', 'All', Infinity]];

export function pastView(place, scope) {
	const at = moment.at, changes = differences(place, scope);
	const note = at === null
		? 'What changed lately. Move the bar of time above to look from an earlier instant.'
		: `From ${exact(at)}, or until then; below it both states side by side.`;
	const element =
		h('div.past', {}, h('header.page-head', {}, h('h1', {text: 'What changed'}), h('p.muted', {text: note})), changes);
	if (at !== null) element.append(new Sides(place, scope).element);
	scope.title('Changes');
	return {element};
}

// MARK: Differences

/** The instants that are compared: [from, to], null for now. */
function instants(way, span) {
	const [first, last] = files.span, at = moment.at === null ? null : Number(moment.at);
	const length = SPANS.find(([name]) => name === span)[2];
	if (at === null) return [Math.max(first, last - length), null];
	if (way === 'since') return [at, length === Infinity || at + length >= last ? null : at + length];
	return [Math.max(first, at - length), at];
}

function differences(place, scope) {
	let span = SPANS.some(([name]) => name === place.query.get('span')) ? place.query.get('span') : 'week';
	let way = place.query.get('way') === 'until' ? 'until' : 'since';
	const holder = h('div.differences', {}), line = h('p.muted.num.readout', {text: ' '});
	const run = job(scope, holder, (found) => {
		const [from, to] = [exact(found.from), found.to === null ? 'now' : exact(found.to)];
		line.textContent = `${from} to ${to}: ${number(found.changes)} changes`;
		holder.replaceChildren(...lists(found));
	});
	const compare = async () => {
		try {
			if (!files.span) await files.load();
		} catch (error) {
			holder.replaceChildren(failure(error));
			return;
		}
		if (!files.span) {
			holder.replaceChildren(empty('This graph has no files that lead to an earlier instant.'));
			return;
		}
		const [from, to] = instants(way, span), query = new URLSearchParams({from, limit: SHOWN});
		if (to !== null) query.set('to', to);
		if (scope.shown)
			replaceAddress(`#/past?${new URLSearchParams({...(span !== 'week' && {span}), ...(way !== 'since' && {way})})}`);
		run(`/api/difference?${query}`, {at: null});
	};
	const ways = segments('Direction', [['since', 'From then on'], ['until', 'Until then']], way, (value) => {
		way = value;
		compare();
	});
	ways.hidden = moment.at === null;
	const spans = segments('Length of time', SPANS.map(([name, text]) => [name, text]), span, (value) => {
		span = value;
		compare();
	});
	scope.use(() => {
		if (!holder.firstChild) compare();
	});
	return h('section.card.difference', {'aria-label': 'Differences'}, h('div.toolbar', {}, spans, ways, line), holder);
}

/** Tabs of lists of what differs. */
function lists(found) {
	const user = (item) =>
		h('li', {}, h('a.change-row', {href: userHash(item.id)}, avatar(item, 'tiny'), named(item.username), id(item)));
	const gone = (item) => h('li', {}, h('span.change-row', {}, avatar(item, 'tiny'), named(item.username), id(item)));
	const renamed = (item) => h('li', {},
		h('a.change-row', {href: userHash(item.id)}, avatar(item, 'tiny'), named(item.before),
			h('span.muted', {text: 'is now'}), named(item.username), id(item)));
	const post = (item) => h('li', {}, postRow({...item, likeCount: 0}));
	const parts = [
		['Joined', found.joined, user], ['Left', found.left, gone], ['Renamed', found.renamed, renamed],
		['New posts', found.posted, post], ['Removed posts', found.removedPosts, post],
		...found.edges.flatMap(({relation,
			added,
			ended}) => [[`New: ${words(relation)}`, added, edge], [`Ended: ${words(relation)}`, ended, edge]])
	].filter(([, list]) => Number(list.count) > 0);
	if (parts.length === 0) return [empty('Nothing differs between these two instants.')];
	const body = h('div.difference-list', {id: 'tab-body', role: 'tabpanel', tabindex: 0});
	const open = (name) => {
		const [, list, row] = parts.find(([one]) => one === tabs.choose(name)),
									 more = Number(list.count) - list.items.length;
		body.setAttribute('aria-labelledby', `tab-${tabs.choose(name)}`);
		body.replaceChildren(
			h('ul', {}, ...list.items.map(row)), more > 0 ? empty(`and ${number(more)} more: kith diff lists them`) : '');
	};
	const tabs = new Tabs('Differences', open);
	tabs.set(parts.map(([text, {count}]) => ({name: text, text, count})));
	open(parts[0][0]);
	return [tabs.element, body];
}

const id = (item) => h('span.id.num', {text: `#${item.id}`});

/** An edge as its two ends. */
function edge({from, to, at}) {
	const end = (one) => (one.username === undefined
			? h('a.change-end', {href: `#/post/${one.id}`},
					h('bdi.name', {text: one.text || `post #${one.id}`, title: `post #${one.id} of ${one.author.username}`}))
			: h('a.change-end', {href: userHash(one.id)}, avatar(one, 'tiny'), named(one.username)));
	return h('li', {},
		h('span.change-row', {}, end(from), h('span.muted', {text: '→'}), end(to), at === undefined ? null : time(at)));
}

// MARK: Side by side

class Sides {
	tab = TABS[0];

	constructor(place, scope) {
		this.scope = scope;
		this.user = identifier(place.query.get('user'));
		this.query = place.query.get('q') ?? '';
		this.panes = [pane('Then', moment.at), pane('Now', null)];
		const label = 'Search people in both';
		const oninput = (event) => {
			this.query = event.target.value;
			this.choose(null);
		};
		const field = h('input', {
			type: 'text',
			value: this.query,
			oninput,
			placeholder: label,
			'aria-label': label,
			spellcheck: 'false',
			autocomplete: 'off'
		});
		this.element = h('section.sides', {'aria-label': 'Side by side'},
			h('div.toolbar', {}, h('h2', {text: 'Side by side'}), h('div.instant-search', {}, field)),
			h('div.panes', {}, ...this.panes.map((one) => one.element)));
		this.fill();
		this.count();
	}

	choose(user) {
		this.user = user;
		this.fill();
	}

	async count() {
		const [before, after] = this.panes;
		try {
			const then = await ask({op: 'stats'}, {at: before.at}), now = await ask({op: 'stats'}, {at: null});
			before.counts.set(then);
			after.counts.set(now, Object.fromEntries(COUNTS.map(([key]) => [key, Number(now[key]) - Number(then[key])])));
			before.when.textContent = exact(before.at);
			after.when.textContent = 'and what is new';
		} catch (error) { before.body.replaceChildren(failure(error)); }
	}

	async fill() {
		const {user, query} = this;
		const hash = new URLSearchParams({...(user === null ? {} : {user}), ...(query ? {q: query} : {})});
		if (this.scope.shown) replaceAddress(`#/past?${hash}`);
		await Promise.all(this.panes.map(async (one) => {
			const turn = one.turn = Symbol('turn');
			let content;
			try {
				content = this.user === null ? await this.people(one) : await this.person(one);
			} catch (error) { content = [empty(error.code === 'unknownUser' ? 'Not in the graph.' : error.message)]; }
			if (one.turn === turn) one.body.replaceChildren(...content);
		}));
	}

	async people(one) {
		const {query} = this, asked = {op: 'users', query, order: 'popular', limit: ROWS, highlights: query !== ''};
		const {users} = await ask(asked, {at: one.at});
		if (users.length === 0) return [empty('No name matches.')];
		return users.map((found) => {
			const row = userRow(found);
			row.querySelector('a').addEventListener('click', (event) => {
				event.preventDefault();
				this.choose(found.id);
			});
			return row;
		});
	}

	async person(one) {
		const {user, tab} = this, [op, , kind] = tab, options = {at: one.at};
		const found = (await ask({op: 'user', user}, options)).user;
		const answer = await ask({op, user, limit: ROWS}, options);
		const onchange = (event) => {
			this.tab = TABS[event.target.selectedIndex];
			this.fill();
		};
		const choices = TABS.map((each) => h('option', {text: each[1], selected: each === tab}));
		const all = h('button.button', {type: 'button', text: 'All people', onclick: () => this.choose(null)});
		const tabs =
			h('div.toolbar', {}, all, h('label', {}, h('span.hidden', {text: 'List'}), h('select', {onchange}, ...choices)));
		const row = kind === 'users' ? (item) => userRow(item) : (item) => h('div.post-item', {}, postRow(item));
		const rows = answer[kind].length ? answer[kind].map(row) : [empty('Nothing here.')];
		return [tabs, userRow(found), h('div.pane-rows', {}, ...rows)];
	}
}

function pane(title, at) {
	const counts = tiles(COUNTS), when = h('p.muted.num.readout', {}), body = h('div.pane-body', {});
	const head = h('div.card-head', {}, h('h2', {text: title}), when);
	return {element: h('section.card.pane', {'aria-label': title}, head, counts.element, body), counts, when, body, at};
}
