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

/** Makes the bar; `travel(at)` shows an instant, null for now. */
export function timeBar(holder, travel) {
	const label = h('output.time-label.num', {}), plot = s('svg.time-plot', {'aria-hidden': 'true'});
	const slider = h('input.time-slider', {type: 'range', min: 0, max: STEPS, value: STEPS, 'aria-label': 'Instant'});
	const field = h('input.time-field.num', {
		type: 'text',
		size: 19,
		spellcheck: 'false',
		autocomplete: 'off',
		'aria-label': 'Date and time in UTC',
		placeholder: 'Date and time, UTC'
	});
	const now = h('button.button.time-now', {type: 'button', text: 'Now', onclick: () => travel(null)});
	const changes = h('a.button.time-changes', {href: '#/past'}, 'What changed');
	const bar = h('progress', {max: 1, value: 0, 'aria-label': 'Opening that instant', hidden: true});
	holder.replaceChildren(label, h('div.time-track', {}, plot, slider, bar), field, changes, now);

	const end = () => Math.max(Date.now(), (files.span?.[1] ?? 0) + 1);
	const place = (ms) => (ms - files.span[0]) / Math.max(1, end() - files.span[0]);
	const instant = () => {
		if (Number(slider.value) >= STEPS) return null;
		return Math.min(files.span[1], Math.round(files.span[0] + slider.value / STEPS * (end() - files.span[0])));
	};
	const utc = (ms) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');

	function show(ms) {
		label.textContent = ms === null ? 'Now' : minute(ms);
		label.title = both(ms ?? Date.now());
		slider.setAttribute('aria-valuetext', ms === null ? 'now' : exact(ms));
	}

	function draw() {
		const {found, span} = files;
		holder.hidden = store.info?.kind === 'snapshot';
		const has = span !== null && found.journals.length + found.snapshots.length > 0;
		slider.disabled = field.disabled = !has;
		if (!has) return;
		const width = plot.clientWidth || 600, height = 34, px = (ms) => Math.max(0, Math.min(1, place(ms))) * width;
		const buckets = Math.max(24, Math.floor(width / 4)), sums = Array.from({length: buckets}, () => 0);
		for (const [start, count] of found.activity?.counts ?? []) {
			sums[Math.max(0, Math.min(buckets - 1, Math.floor(place(start) * buckets)))] += count;
		}
		const top = Math.max(1, ...sums), wide = width / buckets;
		plot.setAttribute('viewBox', `0 0 ${width} ${height}`);
		plot.replaceChildren(...sums.map((count, index) => {
			const tall = count ? Math.max(2, (height - 8) * Math.sqrt(count / top)) : 0;
			return s(
				'rect.time-bucket', {x: index * wide, y: height - tall, width: Math.max(1, wide - 1), height: tall, rx: 1});
		}),
			...found.snapshots.filter((one) => one.time !== null)
				.map((one) => s('path.time-pin', {d: `M${px(one.time) - 4} 0h8l-4 6Z`})),
			moment.at === null
				? null
				: s('rect.time-later', {x: px(Number(moment.at)), y: 0, width: width - px(Number(moment.at)), height}));
	}

	const update = () => {
		holder.classList.toggle('past', moment.at !== null);
		show(moment.at);
		now.disabled = moment.at === null;
		now.setAttribute('aria-pressed', String(moment.at === null));
		changes.setAttribute('href', timed('#/past'));
		if (!files.span) return;
		const at = moment.at === null ? null : Number(moment.at);
		slider.value = at === null ? STEPS : Math.max(0, Math.min(STEPS - 1, place(at) * STEPS));
		field.value = at === null ? '' : utc(Math.max(-8.64e15, Math.min(8.64e15, at)));
		draw();
	};
	slider.addEventListener('input', () => show(instant()));
	slider.addEventListener('change', () => travel(instant()));
	slider.addEventListener('keydown', (event) => {
		const step = {PageUp: -DAY, PageDown: DAY}[event.key];
		if (!step || !files.span) return;
		event.preventDefault();
		const to = Number(moment.at ?? files.span[1]) + step;
		travel(to > files.span[1] ? null : Math.max(files.span[0], to));
	});
	field.addEventListener('change', () => {
		// A day is its start, a second its end.
		const parts = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d)(:\d\d)?)?Z?$/.exec(field.value.trim());
		const ms = parts
			? new Date(`${parts[1]}T${parts[2] ?? '00:00'}${parts[3] ?? ':00'}Z`).getTime() + (parts[2] ? 999 : 0)
			: NaN;
		field.setAttribute('aria-invalid', String(!Number.isFinite(ms)));
		if (files.span && Number.isFinite(ms)) travel(ms >= Date.now() ? null : Math.max(files.span[0], ms));
	});
	store.addEventListener('files', update);
	store.addEventListener('opening', ({detail}) => {
		if (String(detail.at) !== String(moment.at)) return;
		bar.hidden = detail.done === null;
		bar.value = detail.done ?? 0;
	});
	let timer = 0;
	store.addEventListener('change', () => {
		timer ||= setTimeout(() => {
			timer = 0;
			files.load().catch(() => {});
		}, EVERY);
	});
	new ResizeObserver(() => files.span && draw()).observe(plot);
	files.load().catch(() => {});
	update();
	return {update};
}

/** Opens the state of an instant and tells its counts. */
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
