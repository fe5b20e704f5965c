// The graph as it was at an instant, side by side with now.

import {ask, identifier, read, store} from './api.js';
import {empty, exact, failure, h, isDated, number, pastTime, replaceAddress} from './dom.js';
import {job} from './graph.js';
import {postRow, tiles, userRow} from './rows.js';
import {range} from './store.js';

const ROWS = 30;
const STEPS = 1000;
const COUNTS = [['users', 'people'], ['follows', 'follows'], ['posts', 'posts'], ['likes', 'likes']];
const TABS =
	[['timeline', 'Timeline', 'posts'], ['followers', 'Followers', 'users'], ['followees', 'Following', 'users']];

export function pastView(place, scope) {
	const past = new Past(place, scope);
	scope.title('Past');
	past.load();
	return {element: past.element};
}

const local = (ms) => new Date(ms - new Date(ms).getTimezoneOffset() * 60000).toISOString().slice(0, 19);

class Past {
	/** The instant that is shown, the range of instants, and the user and the list of a user that both panes show. */
	at = null;
	span = null;
	tab = TABS[0];

	constructor(place, scope) {
		this.scope = scope;
		this.wanted = pastTime(place.query);
		this.user = identifier(place.query.get('user'));
		this.query = place.query.get('q') ?? '';
		this.slider =
			h('input', {type: 'range', min: 0, max: STEPS, value: STEPS, 'aria-label': 'Instant', disabled: true});
		this.moment = h('input', {type: 'datetime-local', step: 1, 'aria-label': 'Date and time', disabled: true});
		const look = () => this.open(this.chosen());
		this.go = h('button.button.primary', {type: 'button', text: 'Look', disabled: true, onclick: look});
		this.state = h('div.past-state', {});
		this.links = h('p.toolbar', {});
		this.panes = [pane('Then', () => this.at), pane('Now', () => null)];
		this.both = h('div.panes', {hidden: true}, ...this.panes.map((one) => one.element));
		this.run = job(scope, this.state, (result) => this.show(result));
		this.slider.addEventListener('input', () => {
			const {span, slider} = this;
			this.moment.value = local(span[0] + slider.value / STEPS * (span[1] - span[0]));
		});
		this.slider.addEventListener('change', look);
		this.moment.addEventListener('change', () => this.slide(this.chosen()));
		const tools = h('div.toolbar', {}, this.moment, this.go, h('div.instant-search', {}, this.search()));
		const note = h('p.muted', {text: 'The graph as of an instant, beside the graph now.'});
		this.element = h('div.past', {}, h('header.page-head', {}, h('h1', {text: 'Past'}), note),
			h('div.card.instant', {}, tools, this.slider, this.state), this.both);
	}

	search() {
		const label = 'Search people in both';
		const oninput = (event) => {
			this.query = event.target.value;
			this.choose(null);
		};
		const words = {placeholder: label, 'aria-label': label, spellcheck: 'false', autocomplete: 'off'};
		return h('input', {type: 'text', value: this.query, oninput, ...words});
	}

	open(ms) {
		this.run('/api/past', {body: {at: ms}});
	}

	slide(ms) {
		this.slider.value = (ms - this.span[0]) / Math.max(1, this.span[1] - this.span[0]) * STEPS;
	}

	chosen() {
		const {span, moment} = this;
		// A whole second.
		const typed = moment.value ? new Date(moment.value).getTime() + 999 : span[0];
		return Math.round(Math.max(span[0], Math.min(span[1], typed)));
	}

	choose(user) {
		this.user = user;
		this.fill();
	}

	async load() {
		const {state, wanted} = this;
		try {
			// Files of a clock that was ahead are later.
			this.span = range(await read('/api/store'))?.map((ms) => Math.min(ms, Date.now()));
		} catch (error) {
			state.replaceChildren(failure(error));
			return;
		}
		if (!this.span) {
			state.replaceChildren(empty('This graph has no files that lead to an earlier instant.'));
			return;
		}
		const [from, to] = this.span, first = Math.max(from, Math.min(to, isDated(wanted) ? wanted : from));
		this.moment.value = local(first);
		this.slide(first);
		for (const field of [this.slider, this.moment, this.go]) field.disabled = false;
		if (wanted || this.user !== null) this.open(wanted ?? first);
		else state.replaceChildren(empty(`From ${exact(from)} to ${exact(to)}. Choose an instant and look.`));
	}

	show(then) {
		const now = store.info ?? {}, [before, after] = this.panes;
		this.at = then.at;
		this.state.replaceChildren(
			h('p.muted.num', {text: `As of ${exact(this.at)}, after change ${number(then.sequence)}`}),
			...then.notes.map((text) => h('p.muted', {text})), this.links);
		this.both.hidden = false;
		before.counts.set(then);
		after.counts.set(now, Object.fromEntries(COUNTS.map(([key]) => [key, (now[key] ?? 0) - then[key]])));
		before.when.textContent = exact(this.at);
		after.when.textContent = 'with what is new';
		this.fill();
	}

	async fill() {
		const {at, user, query} = this;
		if (at === null) return;
		const hash = new URLSearchParams({at, ...(user === null ? {} : {user}), ...(query ? {q: query} : {})});
		if (this.scope.shown) replaceAddress(`#/past?${hash}`);
		const path = `#/path?${user === null ? '' : `from=${user}&`}`;
		const links = [['Graph then', '#/graph?'], ['Map then', `#/map/${user ?? ''}?`], ['Path then', path]];
		this.links.replaceChildren(...links.map(([text, place]) => h('a.button', {href: `${place}at=${at}`, text})));
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
		const {users} = await ask(asked, {at: one.at()});
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
		const {user, tab} = this, [op, , kind] = tab, options = {at: one.at()};
		const found = (await ask({op: 'user', user}, options)).user;
		const answer = await ask({op, user, limit: ROWS}, options);
		const onchange = (event) => {
			this.tab = TABS[event.target.selectedIndex];
			this.fill();
		};
		const lists = TABS.map((each) => h('option', {text: each[1], selected: each === tab}));
		const all = h('button.button', {type: 'button', text: 'All people', onclick: () => this.choose(null)});
		const tabs =
			h('div.toolbar', {}, all, h('label', {}, h('span.hidden', {text: 'List'}), h('select', {onchange}, ...lists)));
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
