// The files of the store on a time line, their health, and changes as they happen.

import {ask, listen, read, store} from './api.js';
import {card, picture} from './charts.js';
import {
	bytes,
	date,
	empty,
	exact,
	failure,
	h,
	icon,
	isDated,
	named,
	number,
	plural,
	s,
	say,
	time,
	words as relationWords
} from './dom.js';
import {job} from './graph.js';
import {userHash} from './rows.js';
import {range} from './time.js';

const KEPT_CHANGES = 200;
const EVERY = 1000;  // milliseconds between readings of the files while changes come in

export function storeView(place, scope) {
	const line = h('div.chart-holder', {vars: {'--height': '130px'}}), files = h('div.files', {});
	let found = {snapshots: [], journals: []};
	const chart = card('Snapshots and journals', {
		note: 'Every instant on the line can be looked at: choose one',
		wide: 'wide',
	},
		line, files);

	async function load() {
		try {
			found = await read('/api/store', {at: null});
		} catch (error) {
			line.replaceChildren(failure(error));
			return;
		}
		line.replaceChildren(timeline(found, chart.read));
		files.replaceChildren(h('p.muted', {text: found.clock ?? ''}), table(found));
	}

	const path = h('p.muted.path-name', {});
	const name = () => {
		path.textContent = store.info ? `${store.info.path} · version ${store.info.version}` : '';
	};
	name();
	const element = h('div.store', {}, h('header.page-head', {}, h('h1', {text: 'Store'}), path),
		h('div.charts', {}, chart.element, health(scope), feed(scope)));
	scope.title('Store');
	scope.use(() => {
		load();
		let timer = 0;
		const again = () => {
			timer ||= setTimeout(() => {
				timer = 0;
				load();
			}, EVERY);
		};
		const stops = [listen(store, 'change', again), listen(store, 'counts', name)];
		return () => {
			clearTimeout(timer);
			stops.forEach((stop) => stop());
		};
	});
	return {element};
}

function timeline(found, tell) {
	const span = range(found);
	if (!span) return empty('No file of this graph has a time.');
	const [from, last] = span, to = Math.max(last, Date.now()), room = Math.max(1, to - from);
	const chart = picture('Snapshots and journals over time', 130, (width, height) => {
		const px = (ms) => 14 + (ms - from) / room * (width - 28), axis = height - 34;
		chart.when = (x) => Math.min(last, Date.now(), from + Math.max(0, Math.min(1, (x - 14) / (width - 28))) * room);
		const bars = found.journals.filter((one) => isDated(one.fromTime) && isDated(one.toTime)).map((one) => {
			const x = px(Math.min(one.fromTime, one.toTime)), wide = Math.max(6, px(one.toTime) - x);
			return s('rect.journal', {x: Math.min(x, width - 20), y: axis - 14, width: wide, height: 14, rx: 4});
		});
		const pins = found.snapshots.filter((one) => isDated(one.time)).map((one) => {
			const cx = px(one.time), line = s('line', {x1: cx, x2: cx, y1: 34, y2: axis});
			return s('g.pin', {}, line, s('circle', {cx, cy: 27, r: 7}), s('circle.hole', {cx, cy: 27, r: 2.6}));
		});
		const cross = s('line.cross-line', {y1: 12, y2: axis + 6, visibility: 'hidden'});
		chart.cross = (x) => {
			cross.setAttribute('visibility', x === null ? 'hidden' : 'visible');
			if (x !== null) {
				cross.setAttribute('x1', x);
				cross.setAttribute('x2', x);
			}
		};
		const words = room > 3 * 86400000 ? date : exact;
		return [
			s('line.grid', {x1: 0, x2: width, y1: axis, y2: axis}), ...bars, ...pins, cross,
			s('text.tick', {x: 0, y: height - 10}, words(from)),
			s('text.tick', {x: width, y: height - 10, 'text-anchor': 'end'}, 'now')
		];
	});
	chart.svg.classList.add('picks');
	chart.svg.addEventListener('pointermove', (event) => {
		chart.cross?.(event.offsetX);
		tell(`The graph as of ${exact(chart.when(event.offsetX))}`);
	});
	chart.svg.addEventListener('pointerleave', () => {
		chart.cross?.(null);
		tell(null);
	});
	chart.svg.addEventListener('click', (event) => {
		location.hash = `#/?at=${Math.round(chart.when(event.offsetX))}`;
	});
	return chart.svg;
}

function table({snapshots, journals}) {
	const link = (ms) => (ms == null || ms > Date.now() ? '' : h('a.text-link', {href: `#/?at=${ms}`}, 'as of then'));
	const rows =
		[
			...snapshots.map(
				(one) => [one.sequence,
					[
						'Snapshot', one.name, `the graph at change ${number(one.sequence)}`, one.time, one.bytes, one.state,
						one.time
					]]),
			...journals.map(
				(one) => [one.from,
					[
						'Journal', one.name,
						one.to < one.from ? 'no change yet' : `changes ${number(one.from)} to ${number(one.to)}`, one.toTime,
						one.bytes, '', one.toTime
					]]),
		].sort(([a], [b]) => Number(b > a) - Number(b < a))
			.map(([, cells]) => cells);
	return h('div.table-scroll', {tabindex: 0, role: 'group', 'aria-label': 'Files'},
		h('table.file-table', {},
			h('thead', {},
				h('tr', {},
					...['File', 'Restores', 'Written', 'Size', 'State', 'Past'].map((text) => h('th', {scope: 'col', text})))),
			h('tbody', {},
				...rows.map(
					([kind, name, restores, ms, size, state, at]) => h('tr', {},
						h('td', {}, h('span', {class: `file-kind ${kind.toLowerCase()}`, text: kind}),
							h('code.file-name', {text: name, title: name})),
						h('td.num', {text: restores}), h('td', {}, ms == null ? '' : time(ms)), h('td.num', {text: bytes(size)}),
						h('td', {}, h('span.muted', {text: state ?? ''})), h('td', {}, link(at)))))));
}

function health(scope) {
	const place = h('div', {});
	const run = job(scope, place, ({problems}) => {
		say(problems.length ? plural(problems.length, 'problems') : 'Sound');
		place.replaceChildren(problems.length === 0
				? h('p.sound', {}, icon('shield'), 'Sound: no problem found')
				: h('ul.problems', {},
						...problems.map((one) => h('li', {}, h('b', {text: one.code}), ` ${one.where}: ${one.message}`))));
	});
	const button = h('button.button.primary',
		{type: 'button', id: 'verify', onclick: () => run('/api/verify', {at: null})}, icon('shield'), 'Verify');
	return card(
		'Health', {note: 'Reads every file and checks every rule of the graph'}, h('div.health', {}, place, button))
		.element;
}

const VERBS = {
	follow: 'followed',
	unfollow: 'unfollowed',
	like: 'liked',
	unlike: 'took back a like of',
	block: 'blocked',
	unblock: 'unblocked',
	mute: 'muted',
	unmute: 'unmuted',
};
const names = new Map();

/** Changes as they happen, newest first. */
function feed(scope) {
	const list = h('ol.feed', {tabindex: 0, 'aria-label': 'Changes, newest first'});
	const rest = empty('Changes appear here as they happen.');
	const chart = card('Changes', {note: 'As they are written'}, rest, list);
	let waiting = [], timer = 0, seen = 0;
	const flush = async () => {
		timer = 0;
		const batch = waiting.splice(0).slice(-KEPT_CHANGES);
		const ids = [...new Set(batch.flatMap((one) => [one.user, one.target, one.from, one.to])
				.filter((id) => id !== undefined && !names.has(id)))];
		if (names.size > 20000) names.clear();
		try {
			if (ids.length)
				(await ask({op: 'lookup', users: ids.slice(0, 1000)}, {at: null})).users.forEach((user) => {
					if (user) names.set(user.id, user.username);
				});
		} catch {
			// Ids are shown for names.
		}
		rest.hidden = true;
		list.prepend(...batch.map(entry).reverse());
		while (list.children.length > KEPT_CHANGES) list.lastChild.remove();
		chart.note(`${plural(seen, 'changes')} since this view was opened`);
	};
	const add = ({detail}) => {
		seen += detail.count ?? 1;
		waiting.push(detail);
		timer ||= setTimeout(flush, 150);
	};
	scope.use(() => {
		const stop = listen(store, 'change', add);
		return () => {
			clearTimeout(timer);
			timer = 0;
			stop();
		};
	});
	return chart.element;
}

function entry(change) {
	const who = (id) => h('a.text-link', {href: userHash(id)}, h('bdi.name', {text: names.get(id) ?? `#${id}`}));
	const post = (id) => h('a.text-link', {href: `#/post/${id}`, text: `post #${id}`});
	const {op, user, target} = change;
	let words;
	if (change.count !== undefined) words = [plural(change.count, 'changes'), ' more'];
	else if (change.missed) words = ['changes that no journal holds any more'];
	else if (VERBS[op])
		words = [who(user), ` ${VERBS[op]} `, change.post === undefined ? who(target) : post(change.post)];
	else if (op === 'addPost')
		words = [
			who(user), ' wrote ', change.id === undefined ? 'a post' : post(change.id), ': ',
			h('bdi.muted', {text: change.text})
		];
	else if (op === 'addUser')
		words = [
			change.id === undefined
				? h('bdi', {text: change.username})
				: h('a.text-link', {href: userHash(change.id)}, named(change.username)),
			' joined'
		];
	else if (op === 'renameUser') words = [who(user), ' is now called ', named(change.username)];
	else if (change.relation)
		words = [
			change.from === undefined ? post(change.fromPost) : who(change.from), op === 'addEdge' ? ' → ' : ' no longer → ',
			h('b', {text: relationWords(change.relation)}), ' → ',
			change.to === undefined ? post(change.toPost) : who(change.to)
		];
	else if (op === 'removeUser') words = [`person #${user} was removed`];
	else if (op === 'removePost') words = [`post #${change.post} was removed`];
	else words = [op ?? 'change'];
	return h('li', {}, h('span.num.id', {text: change.sequence === undefined ? '' : number(change.sequence)}),
		h('p', {}, ...words));
}
