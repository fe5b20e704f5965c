// The whole graph in pictures, as it is or as of the instant that is shown.

import {follow, listen, moment, open, read, store} from './api.js';
import {area, card, DAYS, heat, logarithmic, treemap} from './charts.js';
import {avatar, bytes, compact, date, empty, exact, failure, h, named, number, segments} from './dom.js';
import {tiles, userHash} from './rows.js';

const BUCKETS = 96;
const RANKED = 25;
const SERIES = ['follows', 'posts', 'likes'];
const DAY = 86400000;
const QUICK = 400;  // milliseconds: a computation that takes no longer is repeated after changes
const EVERY = 2000;

export function graphView(place, scope) {
	const counts = tiles([
		['users', 'people'], ['follows', 'follows'], ['posts', 'posts'], ['likes', 'likes'], ['blocks', 'blocks'],
		['mutes', 'mutes']
	]);
	const charts = h('div.charts', {}), stale = h('p.stale', {'aria-live': 'polite'});
	const [growth, activity] = times(scope), all = [growth, degrees(scope), ranks(scope), activity, memory()];
	charts.append(...all.map((one) => one.element));
	const element = h('div.graph', {},
		h('header.page-head', {}, h('h1', {text: 'Graph'}), h('p.muted', {text: 'The whole graph in pictures.'})),
		counts.element, stale, charts);
	scope.title('Graph');
	if (moment.at !== null) {
		open(moment.at).then(counts.set).catch((error) => counts.element.replaceWith(failure(error)));
		return {element};
	}
	const show = () => {
		if (store.info) counts.set(store.info);
	};
	show();
	scope.use(() => listen(store, 'counts', show));
	scope.use(() => renewing(all, stale));
	return {element};
}

/** Repeats quick computations after changes, and offers to repeat slow ones. */
function renewing(all, stale) {
	let seen = store.info?.sequence, timer = 0;
	const renew = (which) => {
		seen = store.info.sequence;
		stale.replaceChildren();
		for (const one of which) one.again();
	};
	const stop = listen(store, 'counts', () => {
		if (store.info.sequence === seen || timer) return;
		timer = setTimeout(() => {
			timer = 0;
			const slow = all.filter((one) => one.took() > QUICK), before = seen;
			renew(all.filter((one) => one.took() <= QUICK));
			if (slow.length === 0) return;
			seen = before;
			stale.replaceChildren(`Some pictures are as of change ${number(before ?? 0)}. `,
				h('button.button', {type: 'button', text: 'Draw again', onclick: () => renew(all)}));
		}, EVERY);
	});
	return () => {
		clearTimeout(timer);
		stop();
	};
}

const holder = (height) => h('div.chart-holder', {vars: {'--height': `${height}px`}});

/**
 * Shows the progress of a long computation in `place`, with a button to cancel, and gives its result to `done`. It runs
 * while the view is shown. Returns what starts another; `again` repeats the last one without showing that.
 */
export function job(scope, place, done, path = null, options = {}) {
	let stop = null, last = path, took = 0;
	const end = () => {
		stop?.();
		stop = null;
	};
	const run = (wanted = path, how = options, isQuiet = false) => {
		end();
		[path, options] = [wanted, how];
		if (!path) return;
		last = path;
		const began = performance.now();
		const finish = (...shown) => {
			stop = path = null;
			took = performance.now() - began;
			place.replaceChildren(...shown);
		};
		const bar = progress('Computing', () => {
			end();
			finish(empty('Cancelled.'));
		});
		if (!isQuiet) place.replaceChildren(bar.element);
		stop = follow(path, {
			progress: bar.set,
			result: (found) => {
				finish(...(isQuiet ? place.childNodes : []));
				done(found);
			},
			failure: (error) => finish(failure(error)),
		},
			options);
	};
	run.again = () => run(last, options, true);
	run.took = () => took;
	scope.use(() => {
		run();
		return end;
	});
	return run;
}

const renewable = (element, run) => ({element, again: run.again, took: run.took});

function degrees(scope) {
	const place = holder(300);
	let data = {followers: [], followees: []};
	const chart = card('Degrees', {
		note: 'People by how many follow them, and how many they follow',
		table: () => [['degree', 'people followed by so many', 'people who follow so many'], merged(data)],
	});
	const legend = h('p.legend', {});
	const zero = (series) => Number(series.find(([degree]) => Number(degree) === 0)?.[1] ?? 0);
	const run = job(scope, place, (found) => {
		data = found;
		const [unfollowed, alone] = [zero(data.followers), zero(data.followees)];
		legend.replaceChildren(h('span', {}, h('i.swatch.strong', {}), 'followers'),
			h('span', {}, h('i.swatch.pale', {}), 'followees'),
			h('span.num',
				{text: `Not on the axes: ${number(unfollowed)} followed by no one, ${number(alone)} follow no one`}));
		const points = data.followers.length + data.followees.length - (unfollowed > 0) - (alone > 0);
		if (points < 1) {
			place.replaceChildren(empty('No user follows another yet.'));
			return;
		}
		place.replaceChildren(logarithmic('Degree distribution on logarithmic axes',
			[
				{kind: 'dots pale', name: 'followees', points: data.followees},
				{kind: 'dots strong', name: 'followers', points: data.followers},
			],
			{x: 'degree', y: 'people'}, chart.read));
	}, '/api/degrees');
	chart.element.lastChild.before(place, legend);
	return renewable(chart.element, run);
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
function times(scope) {
	let data = {series: {}, hours: {}};
	const growth = growthCard(() => data), activity = activityCard(() => data);
	const run = job(scope, growth.place, (found) => {
		data = found;
		growth.draw();
		activity.draw();
	}, `/api/growth?buckets=${BUCKETS}`);
	return [renewable(growth.element, run), {element: activity.element, again: () => {}, took: () => 0}];
}

/** A step of time in words. */
function span(ms) {
	const [size, unit] =
		[[DAY, 'days'], [3600000, 'hours'], [60000, 'minutes'], [1000, 'seconds']].find(([one]) => ms >= one) ?? [1, 'ms'];
	return `${(ms / size).toFixed(1).replace(/\.0$/, '')} ${unit}`;
}

function growthCard(data) {
	const total = (name) => data().series[name].counts.reduce((sum, count) => sum + count, 0);
	const names = () => SERIES.filter((name) => data().series[name] && total(name) > 0);
	const start = (one, index) => Number(one.from) + index * Number(one.step);
	const chart = card('Growth', {
		note: 'In all, by the times that the graph holds',
		wide: 'wide',
		table: () => [['series', 'from', 'new', 'in all'], names().flatMap((name) => {
			const one = data().series[name];
			let sum = 0;
			return one.counts.map((count, index) => [name, exact(start(one, index)), count, (sum += count)]);
		})],
	});
	let sum = true;
	const place = holder(170);
	const figure = (name) => {
		const one = data().series[name], from = Number(one.from), to = Number(one.to);
		let running = 0;
		const values = sum ? one.counts.map((count) => (running += count)) : one.counts;
		const head = h('figcaption', {}, h('b.num', {text: compact(sum ? total(name) : Math.max(...values))}),
			h('span.muted', {text: sum ? name : `${name} at most in ${span(Number(one.step))}`}));
		// Rows without a time have that of their import.
		if (to - from < 1000)
			return h('figure', {}, head, empty(`All at ${exact(from)}: without times of their own, that of their import.`));
		return h('figure', {}, head, area(`${name} over time`, values, {
			when: (index) => exact(Math.min(to, start(one, index))),
			say: (text) => chart.read(text === null ? null : `${name} · ${text}`),
			ticks: [[0, date(from)], [1, date(to)]]
		}));
	};
	const draw = () => place.replaceChildren(
		names().length ? h('div.multiples', {}, ...names().map(figure)) : empty('No follows, posts or likes yet.'));
	chart.element.querySelector('.card-tools')
		.prepend(segments('Growth', [['sum', 'In all'], ['step', 'Per step']], 'sum', (value) => {
			sum = value === 'sum';
			chart.note(sum ? 'In all, by the times that the graph holds' : `New in each of ${BUCKETS} steps of its own span`);
			draw();
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
	const place = holder(300), legend = h('p.legend.num', {});
	const draw = () => {
		const all = hours().flat(), most = Math.max(0, ...all);
		if (most === 0) {
			legend.replaceChildren();
			place.replaceChildren(empty(`No ${kind} yet.`));
			return;
		}
		chart.note(`UTC, ${compact(Math.min(...all))} to ${compact(most)} ${kind} in each hour of the week`);
		place.replaceChildren(heat(`${kind} by weekday and hour`, hours(), chart.read));
		legend.replaceChildren('0', h('i.ramp', {'aria-hidden': 'true'}), compact(most));
	};
	chart.element.querySelector('.card-tools')
		.prepend(
			segments('Activity of', [['posts', 'Posts'], ['likes', 'Likes'], ['follows', 'Follows']], kind, (value) => {
				kind = value;
				draw();
			}));
	chart.element.lastChild.before(place, legend);
	return {element: chart.element, draw};
}

function memory() {
	const place = holder(300);
	let data = {total: 0, structures: []}, took = 0;
	const chart = card('Memory', {
		note: 'By structure',
		wide: 'last',
		table: () => [['structure', 'bytes'], data.structures.map(({name, bytes: size}) => [name, size])],
	});
	chart.element.lastChild.before(place);
	const again = async () => {
		const began = performance.now();
		try {
			data = await read('/api/memory');
			chart.note(`${bytes(data.total)} in all, by structure`);
			place.replaceChildren(treemap('Memory by structure', data.structures, chart.read));
		} catch (error) { place.replaceChildren(failure(error)); }
		took = performance.now() - began;
	};
	again();
	return {element: chart.element, again, took: () => took};
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

const RANKINGS = {
	followers: 'Most followed',
	pagerank: 'Highest PageRank'
};

function ranks(scope) {
	let by = 'followers', users = [];
	const body = h('div.ranks', {});
	const chart = card(RANKINGS.followers, {
		note: 'By followers, or by PageRank in millionths',
		table: () => [['user', 'id', 'followers', by === 'followers' ? 'score' : 'per million'],
			users.map((user) => [user.username, user.id, user.followerCount, shown(user.score)])],
	},
		body);
	const shown = (score) => (by === 'followers' ? score : Math.round(score * 1e6));
	const path = () => `/api/ranks?by=${by}&limit=${RANKED}`;
	const run = job(scope, body, (found) => {
		users = found.users;
		body.replaceChildren(users.length ? bars(users) : empty('This graph has no people yet.'));
	}, path());
	chart.element.querySelector('.card-tools')
		.prepend(segments('Rank by', [['followers', 'Followers'], ['pagerank', 'PageRank']], by, (value) => {
			by = value;
			chart.title(RANKINGS[by]);
			run(path());
		}));
	const bars = (found) => {
		const top = Math.max(...found.map((user) => user.score)) || 1;
		return h('ol.bars', {tabindex: 0, 'aria-label': 'Ranked people'},
			...found.map(
				(user, index) => h('li', {},
					h('a', {href: userHash(user.id)}, h('span.rank.num', {text: String(index + 1)}), avatar(user, 'tiny'),
						named(user.username), h('span.bar', {'aria-hidden': 'true'}, h('i', {vars: {'--part': user.score / top}})),
						h('span.num.score', {text: number(shown(user.score))})))));
	};
	return renewable(chart.element, run);
}
