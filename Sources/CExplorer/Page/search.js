// People and posts found as one types.

import {ask, KEPT_TRIPS, latency, listen, store} from './api.js';
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
		const forget = live(() => search.list, () => search.question());
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
		const asked = this.question();
		if (cursor) asked.cursor = cursor;
		const counting = !cursor && this.kind === 'users';
		if (counting) asked.count = true;
		const answer = await ask(asked, {signal});
		if (!cursor) {
			const total = answer.count ?? null;
			this.found.textContent = counting && total !== null ? plural(total, 'people') : '';
			say(counting && total !== null ? plural(total, 'people') : plural(answer.posts?.length ?? 0, 'posts'));
			this.speed.show();
		}
		return {items: answer[this.kind], next: answer.next};
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
			? {label: 'People', estimate: 68, empty: 'No name matches.', row: person}
			: {label: 'Posts', estimate: 118, empty: 'No post has these words.', row: post};
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

	async refresh() {
		const {text, kind, match, order, scope: {shown}} = this, hash = new URLSearchParams();
		if (text) hash.set('q', text);
		if (kind === 'posts') hash.set('in', 'posts');
		if (match !== 'substring') hash.set('match', match);
		if (order !== 'popular') hash.set('order', order);
		if (shown) replaceAddress(`#/${hash.size ? `?${hash}` : ''}`);
		if (window.scrollY > 0 && shown) window.scrollTo(0, 0);
		this.orders.hidden = kind === 'posts' || (match === 'fuzzy' && text !== '');
		const began = performance.now();
		await this.list.reload();
		this.input.dataset.took = (performance.now() - began).toFixed(1);
		this.point();
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

	key(event) {
		const {list, input} = this, row = list.items[list.active];
		if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
			if (list.options) list.select(list.active + (event.key === 'ArrowDown' ? 1 : -1));
			else if (event.key === 'ArrowDown') list.reveal(0)?.querySelector('a')?.focus();
			this.point();
		} else if (event.key === 'Enter' && list.options && row) location.hash = userHash(row.id);
		else if (event.key === 'Escape' && input.value) {
			input.value = this.text = '';
			this.refresh();
		} else return;
		event.preventDefault();
	}
}

const EVERY = 400;

/** Asks again after changes, at most every 0.4 s. */
function live(list, question) {
	let waiting = 0;
	const changed = () => {
		waiting ||= setTimeout(async () => {
			waiting = 0;
			const asked = question(), key = asked.op;
			try {
				const answer = await ask(asked);
				if (key === question().op && asked.query === question().query)
					list().head({items: answer[key], next: answer.next});
			} catch {
				// The next change asks again.
			}
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
		const newest = await ask({op: 'posts', user: user.id, limit: 3});
		if (!current()) return;
		posts.replaceChildren(...newest.posts.map((post) => postRow(post, {by: false})));
		await miniature(picture, user.id, current);
	} catch {
		// A preview that cannot be shown leaves its place empty.
	}
}
