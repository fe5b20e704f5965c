// People and posts found as one types.

import {ask, identifier, KEPT_TRIPS, latency, listen, moment, store, timed, write} from './api.js';
import {avatar, h, icon, milliseconds, named, plural, replaceAddress, s, say, segments} from './dom.js';
import {List} from './list.js';
import {miniature} from './map.js';
import {postRow, tiles, userHash, userRow} from './rows.js';

const PAGE = 40;
const MATCHES = [['substring', 'Substring'], ['prefix', 'Prefix'], ['fuzzy', 'Fuzzy'], ['regex', 'Regex']];
const ORDERS = [['name', 'By name'], ['prefixFirst', 'Prefix first'], ['popular', 'Most followed']];
const PREVIEW_WIDTH = 1180;

export function searchView(place, scope) {
	const search = new Search(place.query, scope);
	scope.title('Search');
	search.build();
	scope.use(() => {
		search.stop = search.list.start();
		const forget = live(search);
		return () => {
			search.stop();
			forget();
		};
	});
	return {element: search.element, focus: () => search.input.focus({preventScroll: true})};
}

const oneOf = (list, name, other) => (list.some(([known]) => known === name) ? name : other);

class Search {
	stop = null;
	previewed = null;
	/** The text that the rows answer, and whether Enter was pressed before they did. */
	answered = null;
	enters = false;

	constructor(wanted, scope) {
		this.scope = scope;
		this.text = wanted.get('q') ?? '';
		this.kind = wanted.get('in') === 'posts' ? 'posts' : 'users';
		this.match = oneOf(MATCHES, wanted.get('match'), 'substring');
		this.order = oneOf(ORDERS, wanted.get('order'), 'popular');
		this.speed = speedometer();
		this.found = h('span.found.num.muted', {});
		this.preview = h('aside.preview', {'aria-label': 'Preview'});
		this.holder = h('div.results', {});
		this.field();
		const kinds = segments('What to search', [['users', 'People'], ['posts', 'Posts']], this.kind, (kind) => {
			this.kind = kind;
			this.build();
		});
		this.matches = segments('Match', MATCHES, this.match, (match) => {
			this.match = match;
			this.refresh();
			this.input.focus();
		});
		const onchange = () => {
			this.order = this.orders.value;
			this.refresh();
		};
		const orders = ORDERS.map(([value, text]) => h('option', {value, text, selected: value === this.order}));
		this.orders = h('select', {'aria-label': 'Order', onchange}, ...orders);
		const field = h('div.search-field', {}, icon('search'), this.input, h('kbd', {'aria-hidden': 'true', text: '/'}));
		const tools = h('div.toolbar', {}, kinds, this.matches, this.orders, this.found, this.speed.element);
		this.element = h('div.search', {}, h('div.search-head', {}, h('h1.hidden', {text: 'Search'}), field, tools),
			h('div.search-body', {}, this.holder, this.preview));
	}

	field() {
		this.input = h('input', {
			type: 'search',
			value: this.text,
			autocomplete: 'off',
			autocapitalize: 'none',
			spellcheck: 'false',
			role: 'combobox',
			'aria-controls': 'results',
			'aria-expanded': 'true',
			'aria-autocomplete': 'list'
		});
		this.input.addEventListener('input', () => {
			this.text = this.input.value;
			this.refresh();
		});
		this.input.addEventListener('keydown', (event) => this.key(event));
	}

	question() {
		const {text: query, kind, match, order} = this, words = {query, limit: PAGE, highlights: query !== ''};
		if (kind === 'posts') return {op: 'posts', ...words};
		if (query === '') return {op: 'users', ...words, order};
		return {op: 'users', ...words, match, ...(match === 'fuzzy' ? {} : {order})};
	}

	async page(cursor, signal) {
		const asked = this.question(), {text, kind} = this;
		if (cursor) asked.cursor = cursor;
		try {
			const answer = await ask(asked, {signal});
			if (cursor) return {items: answer[kind], next: answer.next};
			this.speed.show();
			this.answered = text;
			const named = await this.byNumber(signal), rest = answer[kind].filter((one) => one.id !== named?.id);
			this.count(signal, named && rest.length === answer[kind].length ? 1 : 0);
			return {items: named ? [named, ...rest] : rest, next: answer.next};
		} catch (error) {
			if (error.name !== 'AbortError' && !cursor) this.found.textContent = '';
			throw error;
		}
	}

	/** The person or post that `#17` or `17` names, or null. */
	async byNumber(signal) {
		const number = /^#?(\d{1,19})$/.exec(this.text.trim()), [op,
			field] = this.kind === 'users' ? ['user', 'user'] : ['post', 'post'];
		if (!number) return null;
		try {
			return (await ask({op, [field]: identifier(number[1])}, {signal, quiet: true}))[op];
		} catch { return null; }
	}

	/** How many there are in all: counted after the page, which need not wait for it. */
	async count(signal, more = 0) {
		const {text, kind} = this;
		if (kind !== 'users') {
			this.found.textContent = '';
			return;
		}
		try {
			const {count} = await ask({...this.question(), limit: 1, highlights: false, count: true}, {signal, quiet: true});
			if (text !== this.text || kind !== this.kind) return;
			this.found.textContent = plural(count + more, 'people');
			say(plural(count + more, 'people'));
		} catch {
			// The page says what is wrong.
		}
	}

	build() {
		this.stop?.();
		const options = this.kind === 'users', page = (cursor, signal) => this.page(cursor, signal);
		const person = (user) => {
			const row = userRow(user, {option: true});
			row.addEventListener('pointerenter', () => this.look(user));
			return row;
		};
		const post = (found) => h('div.post-item', {}, postRow(found));
		const kind = options
			? {label: 'People', estimate: 68, empty: () => this.nothing('No name matches.'), row: person}
			: {label: 'Posts', estimate: 96, empty: () => this.nothing('No post has these words.'), row: post};
		this.list = new List({page, options, ...kind});
		this.list.body.id = 'results';
		this.holder.replaceChildren(this.list.element);
		this.input.placeholder = options ? 'Search people' : 'Search posts by their words';
		this.input.setAttribute('aria-label', this.input.placeholder);
		this.matches.hidden = !options;
		this.preview.hidden = !options;
		if (this.scope.shown) this.stop = this.list.start();
		this.refresh();
	}

	/** What is said in place of results, with what to try next. */
	nothing(words) {
		const counts = moment.at === null ? store.info : moment.counts;
		if (counts?.users === 0)
			return h('p.empty', {}, 'This graph has no people yet. Fill a store with ',
				h('code', {text: 'kith import STORE --users FILE'}), ' or ',
				h('code', {text: 'kith seed STORE --users 1500 --history 6'}), '.');
		if (this.kind === 'posts' || this.match === 'fuzzy' || !this.text) return h('p.empty', {text: words});
		const onclick = () => {
			this.match = 'fuzzy';
			this.matches.querySelector('[data-value=fuzzy]').click();
		};
		return h('p.empty', {}, words, ' ', h('button.button', {type: 'button', text: 'Try fuzzy', onclick}));
	}

	async refresh() {
		const {text, kind, match, order, scope: {shown}} = this, hash = new URLSearchParams();
		if (text) hash.set('q', text);
		if (kind === 'posts') hash.set('in', 'posts');
		if (match !== 'substring') hash.set('match', match);
		if (order !== 'popular') hash.set('order', order);
		if (shown) replaceAddress(`#/${hash.size ? `?${hash}` : ''}`);
		if (window.scrollY > 0 && shown) window.scrollTo(0, 0);
		this.orders.hidden = kind === 'posts' || (match === 'fuzzy' && text !== '');
		const began = performance.now(), slow = setTimeout(() => this.holder.classList.add('waiting'), SLOW);
		await this.list.reload();
		clearTimeout(slow);
		if (text !== this.text) return;
		this.holder.classList.remove('waiting');
		this.input.dataset.took = (performance.now() - began).toFixed(1);
		this.point();
		if (this.enters) this.enter();
	}

	/** Opens the chosen result; of rows that answer an older text, none: it waits. */
	enter() {
		const row = this.list.items[this.list.active];
		this.enters = this.answered !== this.text;
		if (!this.enters && row) location.hash = timed(userHash(row.id));
	}

	point() {
		const {list, input} = this, item = list.items[list.active];
		if (item && list.options) input.setAttribute('aria-activedescendant', `option-${item.id}`);
		else input.removeAttribute('aria-activedescendant');
		if (this.kind === 'users') this.look(item ?? null);
	}

	look(user) {
		if (window.innerWidth < PREVIEW_WIDTH || this.previewed?.id === user?.id) return;
		this.previewed = user;
		card(this.preview, user, () => this.previewed === user);
	}

	/** After changes: the rows, their number, and the person at a glance. */
	async renew() {
		const asked = this.question(), {text, kind, match, order} = this;
		const answer = await ask(asked, {quiet: true});
		if (text !== this.text || kind !== this.kind || match !== this.match || order !== this.order) return;
		const named = await this.byNumber(), rest = answer[kind].filter((one) => one.id !== named?.id);
		this.list.head({items: named ? [named, ...rest] : rest, next: answer.next});
		this.count(undefined, named && rest.length === answer[kind].length ? 1 : 0);
		if (kind !== 'users') return;
		const shown = this.previewed, fresh = this.list.items.find((one) => one.id === shown?.id) ?? this.list.items[0];
		if (!fresh || window.innerWidth < PREVIEW_WIDTH || write(fresh) === write(shown)) return;
		this.previewed = fresh;
		card(this.preview, fresh, () => this.previewed === fresh);
	}

	key(event) {
		const {list, input} = this;
		if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
			if (list.options) list.select(list.active + (event.key === 'ArrowDown' ? 1 : -1));
			else if (event.key === 'ArrowDown') list.reveal(0)?.querySelector('a')?.focus();
			this.point();
		} else if (event.key === 'Enter' && list.options) this.enter();
		else if (event.key === 'Escape' && input.value) {
			input.value = this.text = '';
			this.refresh();
		} else return;
		event.preventDefault();
	}
}

const EVERY = 400;
const SLOW = 250;  // milliseconds after which rows of an older text are dimmed

/** Asks again after changes, at most every 0.4 s. */
function live(search) {
	let waiting = 0;
	const changed = () => {
		if (moment.at !== null) return;
		waiting ||= setTimeout(() => {
			waiting = 0;
			// If it fails, the next change asks again.
			search.renew().catch(() => {});
		}, EVERY);
	};
	const stop = listen(store, 'change', changed);
	return () => {
		clearTimeout(waiting);
		stop();
	};
}

/** What the last question took, in the engine and in all, and the last round trips as bars. */
function speedometer() {
	const engine = h('b.num', {text: '–'}), trip = h('span.num', {text: '–'});
	const bars = s('svg.spark', {viewBox: '0 0 96 20', 'aria-hidden': 'true'});
	const element = h('p.speed', {title: 'Time in the engine, and the whole round trip'}, bars,
		h('span', {}, engine, ' engine'), h('span.muted', {}, trip, ' round trip'));
	const show = () => {
		engine.textContent = latency.engine === null ? '–' : milliseconds(latency.engine);
		trip.textContent = milliseconds(latency.trip);
		const top = Math.max(5, ...latency.trips);
		bars.replaceChildren(...latency.trips.map((value, index) => {
			const height = Math.max(1.5, 20 * value / top);
			return s(
				'rect', {x: (KEPT_TRIPS - latency.trips.length + index) * 2, y: 20 - height, width: 1.4, height, rx: 0.7});
		}));
	};
	return {element, show};
}

/** A person at a glance: counts, surroundings, newest posts. */
async function card(holder, user, current) {
	if (!user) {
		holder.replaceChildren();
		return;
	}
	const counts = tiles([['followerCount', 'followers'], ['followeeCount', 'following'], ['postCount', 'posts']]);
	counts.set(user);
	const picture = h('div.preview-map', {}), posts = h('div.preview-posts', {});
	holder.replaceChildren(
		h('div.preview-head', {}, avatar(user, 'large'),
			h('div', {}, h('h2', {}, named(user.username)), h('p.muted.num', {text: `#${user.id}`})),
			h('a.button', {href: userHash(user.id)}, 'Open', icon('arrow'))),
		counts.element, picture, posts);
	try {
		const newest = await ask({op: 'posts', user: user.id, limit: 3}, {quiet: true});
		if (!current()) return;
		posts.replaceChildren(...newest.posts.map((post) => postRow(post, {by: false})));
		await miniature(picture, user.id, current);
	} catch {
		// A preview that cannot be shown leaves its place empty.
	}
}
