// The frame of the page: addresses, views, keys, colour scheme, counts.

import {connect, identifier, listen, moment, read, store, timed} from './api.js';
import {compact, h, missing, noun, number, say} from './dom.js';
import {graphView} from './graph.js';
import {mapView} from './map.js';
import {pastView} from './past.js';
import {pathView} from './path.js';
import {personView, postView} from './person.js';
import {queryView} from './query.js';
import {searchView} from './search.js';
import {storeView} from './store.js';
import {enter, TimeBar} from './time.js';

const VIEWS = {
	'': searchView,
	user: personView,
	post: postView,
	map: mapView,
	path: pathView,
	graph: graphView,
	store: storeView,
	past: pastView,
	query: queryView,
};
const NAMES = {
	'': 'search',
	user: 'search',
	post: 'search'
};
const KEPT_VIEWS = 8;  // views that "back" finds as they were

const main = document.getElementById('main');
const kept = new Map();
let current = null, count = 0, bar = null;

/** What a view starts while it is shown, and stops when it is not. */
class Scope {
	constructor() {
		this.effects = [];
		this.stops = [];
		this.shown = false;
	}

	/** `effect` runs whenever the view is shown; what it returns runs when it is hidden. */
	use(effect) {
		this.effects.push(effect);
		if (this.shown) this.stops.push(effect());
	}

	show() {
		this.shown = true;
		this.stops = this.effects.map((effect) => effect());
	}

	hide() {
		this.shown = false;
		for (const stop of this.stops) stop?.();
		this.stops = [];
	}
}

function address() {
	const [path, query = ''] = location.hash.replace(/^#\/?/, '').split('?');
	const [name, id, tab] = path.split('/').map(decodeURIComponent), fields = new URLSearchParams(query);
	return {name, id: identifier(id), tab, query: fields, at: identifier(fields.get('at'))};
}

function route() {
	if (!history.state?.key) history.replaceState({key: ++count}, '', location.hash || '#/');
	count = Math.max(count, history.state.key);
	const key = `${history.state.key}`;
	if (current?.key === key) return;
	if (current) {
		current.scroll = window.scrollY;
		current.scope.hide();
	}
	const {name, ...place} = address();
	enter(place.at, counts);
	for (const link of document.querySelectorAll('a[data-place]')) link.setAttribute('href', timed(link.dataset.place));
	counts();
	alive();
	bar?.update();
	const back = kept.get(key);
	current = back ?? make(key, VIEWS[name] ? name : '', place);
	kept.delete(key);
	kept.set(key, current);
	if (kept.size > KEPT_VIEWS) kept.delete(kept.keys().next().value);
	main.replaceChildren(current.element);
	for (const link of document.querySelectorAll('#nav a')) {
		if (link.dataset.view === (NAMES[current.name] ?? current.name)) link.setAttribute('aria-current', 'page');
		else link.removeAttribute('aria-current');
	}
	title(current.title);
	window.scrollTo(0, back ? current.scroll : 0);
	current.scope.show();
	if (back) window.scrollTo(0, current.scroll);
	else if (current.focus) current.focus();
	else if (count > 1) main.focus({preventScroll: true});
}

/** Shows another instant in the same view; null for now. */
function travel(at) {
	if (String(at) === String(moment.at)) return;
	const [path, query = ''] = (location.hash || '#/').split('?'), fields = new URLSearchParams(query);
	fields.delete('at');
	const hash = timed(fields.size ? `${path}?${fields}` : path, at);
	// One entry of the history for all instants that are tried one after the other.
	if (moment.at !== null && at !== null) {
		kept.delete(current.key);
		history.replaceState({key: ++count}, '', hash);
		route();
	} else location.hash = hash;
}

function make(key, name, place) {
	const scope = new Scope(), view = {key, name, scope, scroll: 0, title: ''};
	scope.title = (text) => {
		view.title = text;
		if (current === view) title(text);
	};
	try {
		Object.assign(view, VIEWS[name](place, scope));
	} catch (error) { view.element = missing(error); }
	view.element.classList.add('view');
	return view;
}

function title(text) {
	document.title = text ? `${text} · Kith` : 'Kith Explorer';
}

function go(hash) {
	if (location.hash !== timed(hash)) location.hash = timed(hash);
}

const TYPING = 'input:not([type=range]), select, textarea';
const PLACES = ['#/', '#/map', '#/path', '#/graph', '#/store', '#/past', '#/query'];
const help = document.getElementById('help');

document.addEventListener('keydown', (event) => {
	if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
	if (help.open) {
		if (event.key === '?') help.close();
		return;
	}
	if (event.key === 'Escape') {
		if (event.target.matches(TYPING)) event.target.blur();
		else if (history.state?.key > 1) history.back();
		return;
	}
	if (event.target.matches(TYPING)) return;
	if (event.key === '/') {
		event.preventDefault();
		const field = main.querySelector('.search-field input');
		if (field) field.focus();
		else go('#/');
	} else if (event.key === '?') {
		help.showModal();
	} else if (event.key === 't') {
		nextScheme();
	} else if (event.key >= '1' && event.key <= '7' && !event.target.closest('canvas')) {
		go(PLACES[event.key - 1]);
	}
});

document.getElementById('help-button').addEventListener('click', () => help.showModal());
document.getElementById('help-close').addEventListener('click', () => help.close());
help.addEventListener('click', (event) => {
	if (event.target === help) help.close();
});
document.getElementById('theme').addEventListener('click', nextScheme);
document.querySelector('.skip').addEventListener('click', (event) => {
	event.preventDefault();
	main.focus();
});

const SCHEMES = ['system', 'light', 'dark'];

function scheme(name) {
	document.documentElement.dataset.scheme = name;
	window.dispatchEvent(new Event('scheme'));
}

function nextScheme() {
	const next = SCHEMES[(SCHEMES.indexOf(document.documentElement.dataset.scheme) + 1) % SCHEMES.length];
	try {
		localStorage.setItem('scheme', next);
	} catch {
		// Storage may be off.
	}
	scheme(next);
	say(next === 'system' ? 'Colours as the system' : `Colours: ${next}`);
}

function counts() {
	const list = document.getElementById('counts'), info = moment.at === null ? store.info : moment.counts;
	if (!info) return;
	const rows = [
		['people', info.users], ['follows', info.follows], ['posts', info.posts], ['likes', info.likes],
		['change', info.sequence]
	];
	if (list.children.length === 0) { list.append(...rows.map(() => h('div', {}, h('dt', {}), h('dd.num', {})))); }
	rows.forEach(([name, value], index) => {
		const [term, cell] = list.children[index].children, text = index === 4 ? number(value) : compact(value);
		if (cell.textContent !== text) cell.textContent = text;
		term.textContent = index === 4 ? name : noun(value, name);
		cell.title = number(value);
	});
}

let connected = null;

/** Says whether the server answers, and which state is shown. */
function alive() {
	const isLive = moment.at === null && store.info?.live, word = document.getElementById('live-word');
	document.getElementById('live-dot').classList.toggle('on', connected === true && isLive);
	const online = moment.at === null ? (store.info?.live === false ? 'Read-only file' : 'Live') : 'Past';
	word.textContent = connected === null ? 'Connecting' : connected ? online : 'Offline';
	document.getElementById('banner').hidden = connected !== false;
}

function state({detail}) {
	const before = connected;
	connected = detail;
	alive();
	if (before !== false || !connected) return;
	// What could not be read is read again.
	kept.clear();
	history.replaceState({key: ++count}, '', location.hash || '#/');
	route();
}

async function begin() {
	let remembered = null;
	try {
		remembered = localStorage.getItem('scheme');
	} catch {
		// Storage may be off.
	}
	scheme(SCHEMES.includes(remembered) ? remembered : 'system');
	listen(store, 'counts', () => {
		counts();
		alive();
	});
	listen(store, 'state', state);
	listen(store, 'ended', () => {
		document.getElementById('banner-words').textContent =
			'This run of kith explore has ended. Open the address that the new one printed.';
		state({detail: false});
	});
	document.getElementById('retry').addEventListener('click', () => location.reload());
	window.addEventListener('popstate', route);
	try {
		store.info = await read('/api/info', {at: null});
		document.getElementById('store-name').textContent = store.info.name;
		document.getElementById('store-name').title = store.info.path ?? '';
	} catch (error) { say(error.message); }
	route();
	bar = new TimeBar(document.getElementById('time'), travel);
	if (store.info) store.dispatchEvent(new CustomEvent('counts', {detail: store.info}));
	connect();
}

begin();
