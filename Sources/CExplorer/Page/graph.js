// The whole graph in pictures, as it is or as of a time.

import {follow, listen, read, store} from './api.js';
import {area, card, DAYS, heat, logarithmic, treemap} from './charts.js';
import {asOf, avatar, bytes, compact, date, empty, failure, h, named, number, pastTime, segments} from './dom.js';
import {tiles, userHash} from './rows.js';

const BUCKETS = 96;
const RANKED = 25;
const SERIES = ['users', 'follows', 'posts', 'likes'];

export function graphView(place, scope) {
	const counts = tiles([
		['users', 'people'], ['follows', 'follows'], ['posts', 'posts'], ['likes', 'likes'], ['blocks', 'blocks'],
		['mutes', 'mutes']
	]);
	const at = pastTime(place.query), charts = h('div.charts', {}), opening = h('div', {});
	const draw = () => {
		const [growth, activity] = times(scope, at);
		charts.append(growth, degrees(scope, at), ranks(scope, at), activity, memory(at));
	};
	const element = h('div.graph', {},
		h('header.page-head', {}, h('h1', {text: 'Graph'}),
			asOf(at, '#/graph') ?? h('p.muted', {text: 'The whole graph in pictures.'})),
		counts.element, opening, charts);
	scope.title('Graph');
	if (at) {
		job(scope, opening, (found) => {
			opening.remove();
			counts.set(found);
			draw();
		}, '/api/past', {body: {at}});
	} else {
		const show = () => {
			if (store.info) counts.set(store.info);
		};
		show();
		scope.use(() => listen(store, 'counts', show));
		draw();
	}
	return {element};
}

const holder = (height) => h('div.chart-holder', {vars: {'--height': `${height}px`}});

/**
 * Shows the progress of a long computation in `place`, with a button to cancel, and gives its result to `done`. It runs
 * while the view is shown. Returns what starts another.
 */
export function job(scope, place, done, path = null, options = {}) {
	let stop = null;
	const end = () => {
		stop?.();
		stop = null;
	};
	const run = (wanted = path, how = options) => {
		end();
		[path, options] = [wanted, how];
		if (!path) return;
		const finish = (...shown) => {
			stop = path = null;
			place.replaceChildren(...shown);
		};
		const bar = progress('Computing', () => {
			end();
			finish(empty('Cancelled.'));
		});
		place.replaceChildren(bar.element);
		stop = follow(path, {
			progress: bar.set,
			result: (found) => {
				finish();
				done(found);
			},
			failure: (error) => finish(failure(error)),
		},
			options);
	};
	scope.use(() => {
		run();
		return end;
	});
	return run;
}

function degrees(scope, at) {
	const place = holder(300);
	let data = {followers: [], followees: []};
	const chart = card('Degrees', {
		note: 'People by how many follow them, and how many they follow',
		table: () => [['degree', 'people followed by so many', 'people who follow so many'], merged(data)],
	});
	const legend = h('p.legend', {}, h('span', {}, h('i.swatch.strong', {}), 'followers'),
		h('span', {}, h('i.swatch.pale', {}), 'followees'));
	job(scope, place, (found) => {
		data = found;
		place.replaceChildren(logarithmic('Degree distribution on logarithmic axes',
			[
				{kind: 'dots pale', name: 'followees', points: data.followees},
				{kind: 'dots strong', name: 'followers', points: data.followers},
			],
			{x: 'degree'}, chart.read));
	}, '/api/degrees', {at});
	chart.element.lastChild.before(place, legend);
	return chart.element;
}

function merged({followers, followees}) {
	const lines = new Map();
	for (const [degree, count] of followers) lines.set(degree, [degree, count, 0]);
	for (const [degree, count] of followees) {
		const line = lines.get(degree) ?? [degree, 0, 0];
		line[2] = count;
		lines.set(degree, line);
	}
	return [...lines.values()].sort((a, b) => a[0] - b[0]);
}

/** Growth and activity, which are counted together. */
function times(scope, at) {
	let data = {from: 0, step: 1, series: {}, hours: {}};
	const growth = growthCard(() => data), activity = activityCard(() => data);
	job(scope, growth.place, (found) => {
		data = found;
		growth.draw();
		activity.draw();
	}, `/api/growth?buckets=${BUCKETS}`, {at});
	return [growth.element, activity.element];
}

function growthCard(data) {
	const names = () => SERIES.filter((name) => data().series[name]);
	const when = (index) => date(Number(data().from) + index * Number(data().step));
	const chart = card('Growth', {
		note: 'In all, by the times that the graph holds',
		wide: 'wide',
		table: () => [['from', ...names()],
			data().series[names()[0]].map((_, index) => [when(index), ...names().map((name) => data().series[name][index])])],
	});
	let sum = true;
	const place = holder(150);
	const draw = () => place.replaceChildren(h('div.multiples', {}, ...names().map((name) => {
		let total = 0;
		const series = data().series[name], values = sum ? series.map((value) => (total += value)) : series;
		const value = h('b.num', {text: compact(sum ? values[values.length - 1] : Math.max(...values))});
		return h('figure', {},
			h('figcaption', {}, value, h('span.muted', {text: sum ? name : `${name} at most in a step`})),
			area(`${name} over time`, values, {
				when,
				say: (text) => chart.read(text === null ? null : `${name} · ${text}`),
				ticks: [[0, when(0)], [1, when(values.length - 1)]]
			}));
	})));
	chart.element.querySelector('.card-tools')
		.prepend(segments('Growth', [['sum', 'In all'], ['step', 'Per step']], 'sum', (value) => {
			sum = value === 'sum';
			chart.note(sum ? 'In all, by the times that the graph holds' : `New in each of ${BUCKETS} steps of time`);
			if (names().length) draw();
		}));
	chart.element.lastChild.before(place);
	return {element: chart.element, place, draw};
}

function activityCard(data) {
	let kind = 'posts';
	const hours = () => data().hours[kind] ?? [];
	const chart = card('Activity', {
		note: 'By weekday and hour, UTC',
		table: () => [
			['day', ...Array.from({length: 24}, (_, hour) => `${hour}`)], hours().map((day, index) => [DAYS[index], ...day])],
	});
	const place = holder(300);
	const draw = () => {
		const all = hours().flat();
		if (!all.length) return;
		chart.note(`UTC, ${compact(Math.min(...all))} to ${compact(Math.max(...all))} in each`);
		place.replaceChildren(heat(`${kind} by weekday and hour`, hours(), chart.read));
	};
	chart.element.querySelector('.card-tools')
		.prepend(
			segments('Activity of', [['posts', 'Posts'], ['likes', 'Likes'], ['follows', 'Follows']], kind, (value) => {
				kind = value;
				draw();
			}));
	chart.element.lastChild.before(place);
	return {element: chart.element, draw};
}

function memory(at) {
	const place = holder(300);
	let data = {total: 0, structures: []};
	const chart = card('Memory', {
		note: 'By structure',
		wide: 'last',
		table: () => [['structure', 'bytes'], data.structures.map(({name, bytes: size}) => [name, size])],
	});
	chart.element.lastChild.before(place);
	read('/api/memory', {at})
		.then((found) => {
			data = found;
			chart.note(`${bytes(data.total)} in all, by structure`);
			place.replaceChildren(treemap('Memory by structure', data.structures, chart.read));
		})
		.catch((error) => place.replaceChildren(failure(error)));
	return chart.element;
}

/** The bar of a long job, with its button to cancel. */
function progress(label, cancel) {
	const bar = h('progress', {max: 1, value: 0, 'aria-label': label}), words = h('span.muted.num', {text: 'Starting'});
	const element =
		h('div.progress', {}, bar, words, h('button.button', {type: 'button', text: 'Cancel', onclick: cancel}));
	return {
		element,
		set: ({done, phase}) => {
			bar.value = done ?? 0;
			words.textContent =
				`${phase ?? ''} ${done === undefined || done === null ? '' : `${Math.round(done * 100)} %`}`.trim();
		}
	};
}

function ranks(scope, at) {
	let by = 'followers', users = [];
	const body = h('div.ranks', {});
	const chart = card('Most followed', {
		note: 'By followers, or by PageRank',
		table: () => [['user', 'id', 'followers', 'score'],
			users.map((user) => [user.username, user.id, user.followerCount, user.score])],
	},
		body);
	const path = () => `/api/ranks?by=${by}&limit=${RANKED}`;
	const run = job(scope, body, (found) => {
		users = found.users;
		body.replaceChildren(bars(users));
	}, path(), {at});
	chart.element.querySelector('.card-tools')
		.prepend(segments('Rank by', [['followers', 'Followers'], ['pagerank', 'PageRank']], by, (value) => {
			by = value;
			run(path());
		}));
	const bars = (found) => {
		const top = Math.max(...found.map((user) => user.score));
		return h('ol.bars', {tabindex: 0, 'aria-label': 'Ranked people'},
			...found.map(
				(user, index) => h('li', {},
					h('a', {href: userHash(user.id)}, h('span.rank.num', {text: String(index + 1)}), avatar(user, 'tiny'),
						named(user.username), h('span.bar', {'aria-hidden': 'true'}, h('i', {vars: {'--part': user.score / top}})),
						h('span.num.score', {text: by === 'followers' ? number(user.score) : user.score.toPrecision(3)})))));
	};
	return chart.element;
}
