// The bar of time over all views: the instant that is shown, changes by time, snapshots, and what changed since.

import {moment, open, read, store, timed} from './api.js';
import {both, exact, h, minute, number, s, say} from './dom.js';

const STEPS = 2000;
const DAY = 86400000;
const EVERY = 30000;  // milliseconds between readings of the files while changes come in

/** The range of instants that the files lead to, or null. */
export function range({snapshots, journals, earliest, latest}) {
	const times = [
		...snapshots.map((one) => one.time), ...journals.flatMap((one) => [one.fromTime, one.toTime]), earliest, latest
	].filter((ms) => typeof ms === 'number');
	return times.length ? [Math.min(...times), Math.max(...times)] : null;
}

/** The files of the store, read once for all that need them, and again after changes. */
export const files = {
	found: null,
	span: null,
	async load() {
		files.found = await read('/api/store', {at: null});
		const span = range(files.found);
		files.span = span && [span[0], Math.max(span[0], Math.min(span[1], Date.now()))];
		store.dispatchEvent(new CustomEvent('files'));
		return files.found;
	}
};

/** The last instant that can be chosen, and the place of one on the bar, from 0 to 1. */
const end = () => Math.max(Date.now(), (files.span?.[1] ?? 0) + 1);
const place = (ms) => (ms - files.span[0]) / Math.max(1, end() - files.span[0]);
const utc = (ms) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');

/** The bar; `travel(at)` shows an instant, null for now. */
export class TimeBar {
	constructor(holder, travel) {
		Object.assign(this, {holder, travel});
		this.label = h('output.time-label.num', {});
		this.plot = s('svg.time-plot', {'aria-hidden': 'true'});
		this.slider = h('input.time-slider', {type: 'range', min: 0, max: STEPS, value: STEPS, 'aria-label': 'Instant'});
		this.field = h('input.time-field.num', {
			type: 'text',
			size: 19,
			spellcheck: 'false',
			autocomplete: 'off',
			'aria-label': 'Date and time in UTC',
			placeholder: 'Date and time, UTC'
		});
		this.now = h('button.button.time-now', {type: 'button', text: 'Now', onclick: () => travel(null)});
		this.changes = h('a.button.time-changes', {href: '#/past'}, 'What changed');
		this.progress = h('progress', {max: 1, value: 0, 'aria-label': 'Opening that instant', hidden: true});
		const track = h('div.time-track', {}, this.plot, this.slider, this.progress);
		holder.replaceChildren(this.label, track, this.field, this.changes, this.now);
		this.control();
		this.follow();
		files.load().catch(() => {});
		this.update();
	}

	/** The instant that the slider says, null for now. */
	chosen() {
		const value = Number(this.slider.value), {span} = files;
		if (value >= STEPS) return null;
		return Math.min(span[1], Math.round(span[0] + value / STEPS * (end() - span[0])));
	}

	control() {
		const {slider, field, travel} = this;
		slider.addEventListener('input', () => this.show(this.chosen()));
		slider.addEventListener('change', () => travel(this.chosen()));
		slider.addEventListener('keydown', (event) => {
			const step = {PageUp: -DAY, PageDown: DAY}[event.key];
			if (!step || !files.span) return;
			event.preventDefault();
			const to = Number(moment.at ?? files.span[1]) + step;
			travel(to > files.span[1] ? null : Math.max(files.span[0], to));
		});
		field.addEventListener('change', () => {
			const ms = typed(field.value);
			field.setAttribute('aria-invalid', String(!Number.isFinite(ms)));
			if (files.span && Number.isFinite(ms)) travel(ms >= Date.now() ? null : Math.max(files.span[0], ms));
		});
	}

	/** Follows the files, the opening of past states, and the width. */
	follow() {
		store.addEventListener('files', () => this.update());
		store.addEventListener('opening', ({detail}) => {
			if (String(detail.at) !== String(moment.at)) return;
			this.progress.hidden = detail.done === null;
			this.progress.value = detail.done ?? 0;
		});
		let timer = 0;
		store.addEventListener('change', () => {
			timer ||= setTimeout(() => {
				timer = 0;
				files.load().catch(() => {});
			}, EVERY);
		});
		new ResizeObserver(() => files.span && this.draw()).observe(this.plot);
	}

	show(ms) {
		this.label.textContent = ms === null ? 'Now' : minute(ms);
		this.label.title = both(ms ?? Date.now());
		this.slider.setAttribute('aria-valuetext', ms === null ? 'now' : exact(ms));
	}

	update() {
		const {holder, slider, field, now, changes} = this, at = moment.at === null ? null : Number(moment.at);
		holder.classList.toggle('past', at !== null);
		holder.hidden = store.info?.kind === 'snapshot';
		this.show(moment.at);
		now.disabled = at === null;
		now.setAttribute('aria-pressed', String(at === null));
		changes.setAttribute('href', timed('#/past'));
		slider.disabled = field.disabled = files.span === null;
		field.value = at === null ? '' : utc(Math.max(-8.64e15, Math.min(8.64e15, at)));
		if (!files.span) return;
		slider.value = at === null ? STEPS : Math.max(0, Math.min(STEPS - 1, place(at) * STEPS));
		this.draw();
	}

	/** Changes by time as bars, snapshots as marks. */
	draw() {
		const {plot} = this, {found} = files, width = plot.clientWidth || 600, height = 34;
		const px = (ms) => Math.max(0, Math.min(1, place(ms))) * width, buckets = Math.max(24, Math.floor(width / 4));
		const sums = Array.from({length: buckets}, () => 0);
		for (const [start, count] of found.activity?.counts ?? []) {
			sums[Math.max(0, Math.min(buckets - 1, Math.floor(place(start) * buckets)))] += count;
		}
		const top = Math.max(1, ...sums), wide = width / buckets;
		const bars = sums.map((count, index) => {
			const tall = count ? Math.max(2, (height - 8) * Math.sqrt(count / top)) : 0;
			return s(
				'rect.time-bucket', {x: index * wide, y: height - tall, width: Math.max(1, wide - 1), height: tall, rx: 1});
		});
		const pins = found.snapshots.filter((one) => one.time !== null).map((one) => s('path.time-pin', {
			d: `M${px(one.time) - 4} 0h8l-4 6Z`
		}));
		plot.setAttribute('viewBox', `0 0 ${width} ${height}`);
		plot.replaceChildren(...bars, ...pins);
		if (moment.at === null) return;
		const x = px(Number(moment.at));
		plot.append(s('rect.time-later', {x, y: 0, width: width - x, height}));
	}
}

/** A time as it is typed, in UTC: a day is its start, a second its end. NaN for anything else. */
function typed(text) {
	const parts = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d)(:\d\d)?)?Z?$/.exec(text.trim());
	if (!parts) return NaN;
	return new Date(`${parts[1]}T${parts[2] ?? '00:00'}${parts[3] ?? ':00'}Z`).getTime() + (parts[2] ? 999 : 0);
}

/** Opens the state of an instant and shows its counts. */
export async function enter(at, counts) {
	moment.at = at;
	moment.counts = null;
	if (at === null) return;
	try {
		const found = await open(at);
		if (String(moment.at) !== String(at)) return;
		moment.counts = found;
		say(`As of ${exact(at)}, ${number(found.users)} people`);
		counts();
	} catch {
		// What a view asks for says why.
	}
}
