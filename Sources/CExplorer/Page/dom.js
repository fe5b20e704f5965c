// Elements, text and numbers. Whatever a store holds enters the page here, by textContent alone.

import {identifier, moment, timed} from './api.js';

/**
 * Makes an HTML element, `tag.class`: `text`, `on…` handlers, everything else an attribute. A link within the page
 * keeps the instant that is shown.
 */
export const h = (tag, props, ...children) => make('http://www.w3.org/1999/xhtml', tag, props, children);

/** Makes an SVG element. */
export const s = (tag, props, ...children) => make('http://www.w3.org/2000/svg', tag, props, children);

function make(space, tag, props = {}, children) {
	const [name, ...classes] = tag.split('.'), element = document.createElementNS(space, name);
	if (classes.length) element.setAttribute('class', classes.join(' '));
	for (const [key, value] of Object.entries(props)) {
		if (value == null || value === false) continue;
		if (key === 'text') element.textContent = value;
		else if (key === 'vars')
			for (const name in value) element.style.setProperty(name, value[name]);
		else if (key === 'href' && value.startsWith('#/')) element.setAttribute(key, timed(value));
		else if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
		else element.setAttribute(key, value === true ? '' : value);
	}
	element.append(...children.flat().filter((child) => child != null && child !== false));
	return element;
}

export function icon(name) {
	return s('svg.icon', {'aria-hidden': 'true'}, s('use', {href: `#i-${name}`}));
}

const whole = new Intl.NumberFormat('en');
const short = new Intl.NumberFormat('en', {notation: 'compact', maximumFractionDigits: 1});
export const number = (value) => whole.format(value);
export const compact = (value) => (value < 10000 ? whole.format(value) : short.format(value));
const singular = (many) => (many === 'people' ? 'person' : many.replace(/s$/, ''));
export const noun = (value, many) => (Number(value) === 1 ? singular(many) : many);
export const plural = (value, many) => `${number(value)} ${noun(value, many)}`;

export function bytes(value) {
	const units = ['B', 'KB', 'MB', 'GB', 'TB'];
	let unit = 0;
	while (value >= 1000 && unit < 4) {
		value /= 1024;
		unit += 1;
	}
	return `${unit ? value.toFixed(1) : value} ${units[unit]}`;
}

export function milliseconds(value) {
	if (value < 0.1) return `${Math.max(1, Math.round(value * 1000))} µs`;
	return `${value < 10 ? value.toFixed(2) : Math.round(value)} ms`;
}

const relative = new Intl.RelativeTimeFormat('en', {numeric: 'auto', style: 'short'});
const UTC = {
	timeZone: 'UTC'
};
const day = new Intl.DateTimeFormat('en-GB', {day: 'numeric', month: 'short', year: 'numeric', ...UTC});
const exactly = new Intl.DateTimeFormat('en-GB', {dateStyle: 'medium', timeStyle: 'medium', ...UTC});
const minutely = new Intl.DateTimeFormat(
	'en-GB', {weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', ...UTC});
const local = new Intl.DateTimeFormat('en-GB', {dateStyle: 'medium', timeStyle: 'medium'});
const STEPS = [[60, 'second'], [3600, 'minute'], [86400, 'hour'], [604800, 'day']];

/** Whether a time has a date; others are shown as numbers. */
export const isDated = (ms) => typeof ms === 'number' && Math.abs(ms) <= 8.64e15;
export const exact = (ms) => (isDated(ms) ? `${exactly.format(ms)} UTC` : `${ms} ms`);
/** The same, with the time of this machine beside it. */
export const both = (ms) =>
	(isDated(ms) && new Date(ms).getTimezoneOffset() !== 0 ? `${exact(ms)} (${local.format(ms)} here)` : exact(ms));
export const minute = (ms) => (isDated(ms) ? `${minutely.format(ms)} UTC` : `${ms} ms`);
export const date = (ms) => (isDated(ms) ? day.format(ms) : `${ms} ms`);

/** A time as seen from the instant that is shown. */
function ago(ms) {
	if (!isDated(ms)) return date(ms);
	const seconds = (ms - Number(moment.at ?? Date.now())) / 1000;
	let unit = 1;
	for (const [limit, name] of STEPS) {
		if (Math.abs(seconds) < limit) return relative.format(Math.trunc(seconds / unit), name);
		unit = limit;
		if (limit === 604800) break;
	}
	return date(ms);
}

/** A time, relative while it is young; its title is exact. */
export function time(ms) {
	const element = h('time.muted.num', {text: ago(ms), title: both(ms), 'data-ms': ms});
	if (isDated(ms)) element.dateTime = new Date(ms).toISOString();
	return element;
}

setInterval(() => {
	for (const element of document.querySelectorAll('time[data-ms]')) {
		const text = ago(identifier(element.dataset.ms));
		if (element.textContent !== text) element.textContent = text;
	}
}, 20000);

/** The letters of an avatar: of the first two words, or the first two letters. */
export function initials(name) {
	const words = name.normalize().match(/[\p{L}\p{N}]+/gu) ?? [];
	const capitals = (words[0] ?? '').match(/\p{Lu}/gu) ?? [];
	const second = words.length > 1 ? words[1] : capitals.length > 1 ? capitals[1] : '';
	return ([...(words[0] ?? '?')][0] + ([...second][0] ?? '')).toUpperCase();
}

/** A hue per id, far apart for neighbours (multiples of the golden angle). */
export const hue = (id) => Math.round((Number(id) * 137.508) % 360);

export function avatar(user, size = '') {
	return h('span',
		{class: `avatar ${size}`, 'aria-hidden': 'true', text: initials(user.username), vars: {'--hue': hue(user.id)}});
}

const encoder = new TextEncoder();

/** Text with marks at `ranges`, which count UTF-8 bytes. */
export function marked(text, ranges) {
	if (isInvisible(text)) return named(text);
	const element = h('bdi.name', {title: text.length > 24 ? text : null});
	if (!ranges || ranges.length === 0) {
		element.textContent = text;
		return element;
	}
	let byte = 0, next = 0, plain = '', inside = '';
	const flush = () => {
		if (plain) element.append(plain);
		if (inside) element.append(h('mark', {text: inside}));
		plain = inside = '';
	};
	for (const letter of text) {
		while (next < ranges.length && byte >= ranges[next][1]) {
			flush();
			next += 1;
		}
		if (next < ranges.length && byte >= ranges[next][0]) {
			if (plain) flush();
			inside += letter;
		} else {
			if (inside) flush();
			plain += letter;
		}
		byte += letter < '\u0080' ? 1 : encoder.encode(letter).length;
	}
	flush();
	return element;
}

/** A row of buttons of which one is pressed. */
export function segments(label, options, value, change) {
	const group = h('div.segments', {role: 'group', 'aria-label': label});
	const press = (chosen) => {
		for (const button of group.children) button.setAttribute('aria-pressed', String(button.dataset.value === chosen));
	};
	for (const [key, text] of options) {
		group.append(h('button', {
			type: 'button',
			'data-value': key,
			text,
			onclick: () => {
				press(key);
				change(key);
			}
		}));
	}
	press(value);
	return group;
}

/** Says a sentence to screen readers. */
export function say(text) {
	document.getElementById('said').textContent = text;
}

/** What is said in place of a list that has nothing. */
export const empty = (text) => h('p.empty', {text});

/** A name without a visible letter as the codes of its letters. */
const codes = (text) => [...text].map((letter) => `\\u{${letter.codePointAt(0).toString(16).toUpperCase()}}`).join('');
const isInvisible = (text) => /^[\p{Cf}\p{Z}\p{Mn}\p{C}]+$/u.test(text);

/** A name, cut where needed; its title is whole. */
export const named = (text) => (isInvisible(text)
		? h('bdi.name.codes', {text: codes(text), title: codes(text)})
		: h('bdi.name', {text, title: text}));

/** The words of a name of a relation: `closeFriend` is "close friend". */
export const words = (name) => name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll('_', ' ').toLowerCase();

/** A problem, in words. */
export function failure(error) {
	return h('p.failure', {role: 'alert', text: error.message ?? String(error)});
}

/** A view that cannot be shown. */
export function missing(error) {
	const unknown = !error.code || error.code.startsWith('unknown');
	const at = moment.at === null ? '' : ` There was none on ${exact(moment.at)}.`;
	return h('div', {}, h('h1', {text: unknown ? 'Not found' : 'Not shown'}),
		h('p.failure', {role: 'alert', text: `${error.message ?? error}${unknown ? at : ''}`}));
}

/** Changes the address without another entry of the history. */
export function replaceAddress(hash) {
	history.replaceState(history.state, '', timed(hash));
}
