// A list without end: pages by cursor, and only the rows near the viewport in the document.

import {write} from './api.js';
import {empty, failure, h, say} from './dom.js';

const MARGIN = 600;  // pixels above and below the viewport whose rows are in the document
const AHEAD = 1200;  // pixels before the end: the next page
const GHOSTS = 3;    // rows while nothing is known

export class List {
	/**
	 * `page(cursor, signal)` answers `{items, next}`; `row(item)` makes a row, about `estimate` high; `options` makes it
	 * a list box, whose focus stays in a search field; `scroller` scrolls, or the window.
	 */
	constructor({page, row, label, estimate = 68, empty = 'Nothing here.', options = false, scroller = null, key}) {
		Object.assign(this, {page, row, estimate, empty, options, scroller});
		this.key = key ?? ((item) => item.id);
		this.body = h('div.rows', {role: options ? 'listbox' : 'list', 'aria-label': label});
		this.note = h('div.list-note', {});
		this.element = h('div.list', {}, this.body, this.note);
		this.body.addEventListener('keydown', (event) => this.keys(event));
		this.repaint = () => this.paint();
		this.observer = new ResizeObserver(() => {
			if (this.body.clientWidth !== this.width) this.reflow();
		});
		this.clear();
	}

	/** Begins to follow scrolling; returns what stops it. */
	start() {
		const target = this.scroller ?? window;
		target.addEventListener('scroll', this.repaint, {passive: true});
		window.addEventListener('resize', this.repaint);
		this.observer.observe(this.body);
		if (!this.begun) this.more();
		return () => {
			target.removeEventListener('scroll', this.repaint);
			window.removeEventListener('resize', this.repaint);
			this.observer.disconnect();
		};
	}

	clear() {
		this.controller?.abort();
		Object.assign(this, {items: [], tops: [0], heights: [], next: undefined, begun: false, loading: false, active: -1});
		this.shown = new Map();
	}

	/** Asks again; rows stay until the answer is here, so that nothing flickers. */
	async reload() {
		this.controller?.abort();
		this.loading = false;
		this.next = undefined;
		await this.more(true);
	}

	async more(afresh = false) {
		if (this.loading || (this.begun && !afresh && this.next === null)) return;
		this.loading = this.begun = true;
		const controller = this.controller = new AbortController();
		if (this.items.length === 0 && !afresh) this.skeleton();
		try {
			const {items, next} = await this.page(afresh ? undefined : this.next ?? undefined, controller.signal);
			if (controller.signal.aborted) return;
			this.loading = false;
			this.next = next ?? null;
			if (afresh) {
				this.replace(items);
				this.active = this.options && items.length ? 0 : -1;
			} else this.append(items);
		} catch (error) {
			if (error.name === 'AbortError') return;
			this.loading = false;
			this.next = null;
			if (afresh) this.replace([]);
			this.note.replaceChildren(failure(error));
			return;
		}
		this.settle();
	}

	settle() {
		const nothing = () => (typeof this.empty === 'function' ? this.empty() : empty(this.empty));
		this.note.replaceChildren(...(this.items.length ? [] : [nothing()]));
		this.paint();
	}

	skeleton() {
		this.note.replaceChildren(...Array.from({length: GHOSTS}, () => h('div.ghost-row', {'aria-hidden': 'true'})));
	}

	replace(items) {
		const heights = new Map(this.items.map((item, index) => [this.key(item), this.heights[index]]));
		this.items = items;
		this.heights = items.map((item) => heights.get(this.key(item)) ?? 0);
		this.measure(0);
		this.paint();
	}

	append(items) {
		const from = this.items.length;
		this.items.push(...items);
		this.heights.push(...items.map(() => 0));
		this.measure(from);
	}

	/** Replaces the first page. Rows below it stay, and what is being read does not move. */
	head({items, next}) {
		if (!this.begun || this.loading) return;
		const last = items.length ? this.key(items[items.length - 1]) : null;
		const end = last === null ? -1 : this.items.findIndex((item) => this.key(item) === last);
		const rest = end < 0 ? [] : this.items.slice(end + 1);
		const known = new Set(this.items.map(this.key));
		const anchor = this.anchor();
		if (end < 0) this.next = next ?? null;
		this.fresh = new Set(known.size ? items.map(this.key).filter((key) => !known.has(key)) : []);
		this.replace([...items, ...rest]);
		this.settle();
		this.keep(anchor);
	}

	/** The first visible row and its place, once scrolled. */
	anchor() {
		const top = this.viewport().top - this.body.getBoundingClientRect().top;
		if (top < 60) return null;
		const index = this.at(top);
		return index < this.items.length ? {key: this.key(this.items[index]), offset: this.tops[index] - top} : null;
	}

	keep(anchor) {
		if (!anchor) return;
		const index = this.items.findIndex((item) => this.key(item) === anchor.key);
		if (index < 0) return;
		const top = this.viewport().top - this.body.getBoundingClientRect().top;
		(this.scroller ?? window).scrollBy(0, this.tops[index] - anchor.offset - top);
	}

	measure(from) {
		for (let index = from; index < this.items.length; index += 1) {
			this.tops[index + 1] = this.tops[index] + (this.heights[index] || this.estimate);
		}
		this.tops.length = this.items.length + 1;
		this.body.style.height = `${this.tops[this.items.length]}px`;
	}

	reflow() {
		this.width = this.body.clientWidth;
		this.heights.fill(0);
		for (const entry of this.shown.values()) entry.measured = false;
		this.measure(0);
		this.paint();
	}

	viewport() {
		return this.scroller ? this.scroller.getBoundingClientRect() : {top: 0, bottom: window.innerHeight};
	}

	/** The row at a distance from the top, by binary search. */
	at(y) {
		let low = 0, high = this.items.length;
		while (low < high) {
			const middle = (low + high) >> 1;
			if (this.tops[middle + 1] <= y) low = middle + 1;
			else high = middle;
		}
		return low;
	}

	paint() {
		if (!this.body.isConnected) return;
		const view = this.viewport(), top = this.body.getBoundingClientRect().top;
		const first = this.at(view.top - top - MARGIN), wanted = new Map();
		const bottom = view.bottom - top + MARGIN;
		for (let index = first; index < this.items.length && this.tops[index] < bottom; index += 1) {
			wanted.set(this.key(this.items[index]), index);
		}
		for (const [key, entry] of this.shown) {
			if (wanted.has(key) || entry.element.contains(document.activeElement)) continue;
			entry.element.remove();
			this.shown.delete(key);
		}
		let before = null, changed = -1;
		for (const [key, index] of wanted) {
			const entry = this.place(key, index);
			const sibling = before ? before.nextSibling : this.body.firstChild;
			if (entry.element !== sibling && !entry.element.contains(document.activeElement)) {
				this.body.insertBefore(entry.element, sibling);
			}
			before = entry.element;
			if (!entry.measured) {
				entry.measured = true;
				const height = entry.element.offsetHeight;
				if (height && height !== this.heights[index]) {
					this.heights[index] = height;
					changed = changed < 0 ? index : Math.min(changed, index);
				}
			}
		}
		if (changed >= 0) this.measure(changed);
		for (const [key, index] of wanted) {
			this.shown.get(key).element.style.transform = `translateY(${this.tops[index]}px)`;
		}
		this.fresh = null;
		if (view.bottom - top + AHEAD > this.tops[this.items.length] && this.next !== null && this.items.length)
			this.more();
	}

	place(key, index) {
		const item = this.items[index], text = write(item);
		let entry = this.shown.get(key);
		if (!entry || entry.text !== text) {
			const element = this.made(item);
			element.classList.add('row');
			if (!this.options) element.setAttribute('role', 'listitem');
			if (this.fresh?.has(key)) element.classList.add('fresh');
			const focused = entry?.element.contains(document.activeElement);
			if (entry) entry.element.replaceWith(element);
			else this.body.append(element);
			if (focused) (element.querySelector('a') ?? element).focus({preventScroll: true});
			entry = {element, text, measured: false};
			this.shown.set(key, entry);
		}
		entry.element.setAttribute('aria-posinset', index + 1);
		entry.element.setAttribute('aria-setsize', this.next === null ? this.items.length : -1);
		if (this.options) {
			entry.element.id = `option-${key}`;
			entry.element.setAttribute('aria-selected', String(index === this.active));
		}
		return entry;
	}

	/** A row that cannot be shown says so. */
	made(item) {
		try {
			return this.row(item);
		} catch (error) { return h('div', {}, failure(error)); }
	}

	/** Scrolls to a row and returns its element. */
	reveal(index) {
		const view = this.viewport(), top = this.body.getBoundingClientRect().top;
		const above = this.options && window.innerWidth > 640 ? 170 : 90, below = 90;
		const target = this.scroller ?? window;
		if (top + this.tops[index] < view.top + above) target.scrollBy(0, top + this.tops[index] - view.top - above);
		else if (top + this.tops[index + 1] > view.bottom - below)
			target.scrollBy(0, top + this.tops[index + 1] - view.bottom + below);
		this.paint();
		return this.shown.get(this.key(this.items[index]))?.element;
	}

	/** Makes a row of a list box the chosen one. */
	select(index) {
		if (this.items.length === 0) return null;
		this.active = Math.max(0, Math.min(this.items.length - 1, index));
		const element = this.reveal(this.active);
		this.paint();
		return element;
	}

	keys(event) {
		const row = event.target.closest('.row');
		if (!row || this.options || event.target.closest('input, select')) return;
		const index = Number(row.getAttribute('aria-posinset')) - 1;
		const moves =
			{ArrowDown: index + 1, j: index + 1, ArrowUp: index - 1, k: index - 1, Home: 0, End: this.items.length - 1};
		const to = moves[event.key];
		if (to === undefined || to < 0 || to >= this.items.length) return;
		event.preventDefault();
		this.reveal(to)?.querySelector('a')?.focus({preventScroll: true});
		if (to === this.items.length - 1 && this.next === null) say('End of the list');
	}
}
