// The whole graph in pictures.

import { follow, listen, read, store } from './api.js';
import { DAYS, area, card, heat, logarithmic, treemap } from './charts.js';
import { avatar, bytes, compact, date, empty, failure, h, named, number, segments } from './dom.js';
import { tiles, userHash } from './rows.js';

const BUCKETS = 96;
const RANKED = 25;
const SERIES = ['users', 'follows', 'posts', 'likes'];

export function graphView(place, scope) {
  const counts = tiles([['users', 'people'], ['follows', 'follows'], ['posts', 'posts'], ['likes', 'likes'],
    ['blocks', 'blocks'],
    ['mutes', 'mutes']]);
  const show = () => { if (store.info) counts.set(store.info); };
  const element = h('div.graph', {},
    h('header.page-head', {}, h('h1', { text: 'Graph' }),
      h('p.muted', { text: 'The whole graph in pictures.' })),
    counts.element,
    h('div.charts', {}, growth(), degrees(), ranks(scope), activity(), memory()));
  scope.title('Graph');
  show();
  scope.use(() => listen(store, 'counts', show));
  return { element };
}

/** A place of fixed height that a chart takes when its numbers are here. */
function later(height, path, draw) {
  const holder = h('div.chart-holder', { vars: { '--height': `${height}px` } });
  read(path).then((data) => holder.replaceChildren(draw(data)))
    .catch((error) => holder.replaceChildren(failure(error)));
  return holder;
}

function degrees() {
  let data = { followers: [], followees: [] };
  const chart = card('Degrees', {
    note: 'People by how many follow them, and how many they follow',
    table: () => [['degree', 'people followed by so many', 'people who follow so many'], merged(data)],
  });
  const legend = h('p.legend', {}, h('span', {}, h('i.swatch.strong', {}), 'followers'),
    h('span', {}, h('i.swatch.pale', {}), 'followees'));
  chart.element.insertBefore(later(300, '/api/degrees', (found) => {
    data = found;
    return logarithmic('Degree distribution on logarithmic axes', [
      { kind: 'dots pale', name: 'followees', points: data.followees },
        { kind: 'dots strong', name: 'followers', points: data.followers },
    ], { x: 'degree' }, chart.read);
  }), chart.element.lastChild);
  chart.element.insertBefore(legend, chart.element.lastChild);
  return chart.element;
}

function merged({ followers, followees }) {
  const lines = new Map();
  for (const [degree, count] of followers) lines.set(degree, [degree, count, 0]);
  for (const [degree, count] of followees) {
    const line = lines.get(degree) ?? [degree, 0, 0];
    line[2] = count;
    lines.set(degree, line);
  }
  return [...lines.values()].sort((a, b) => a[0] - b[0]);
}

function growth() {
  let data = { from: 0, step: 1, series: {} };
  const names = () => SERIES.filter((name) => data.series[name]);
  const when = (index) => date(data.from + index * data.step);
  const chart = card('Growth', {
    note: 'In all, by the times that the graph holds', wide: 'wide',
    table: () => [['from', ...names()],
      data.series[names()[0]].map((_, index) => [when(index), ...names().map((name) => data.series[name][index])])],
  });
  let sum = true;
  const holder = later(150, `/api/growth?buckets=${BUCKETS}`, (found) => { data = found; return draw(); });
  const draw = () => h('div.multiples', {}, ...names().map((name) => {
    let total = 0;
    const values = sum ? data.series[name].map((value) => (total += value)) : data.series[name];
    const last = data.from + data.step * (values.length - 1);
    const value = h('b.num', { text: compact(sum ? values[values.length - 1] : Math.max(...values)) });
    return h('figure', {}, h('figcaption', {}, value,
      h('span.muted', { text: sum ? name : `${name} at most in a step` })),
      area(`${name} over time`, values, { when, say: (text) => chart.read(text === null ? null : `${name} · ${text}`),
        ticks: [[0, date(data.from)], [1, date(last)]] }));
  }));
  chart.element.querySelector('.card-tools').prepend(segments('Growth', [['sum', 'In all'], ['step', 'Per step']],
    'sum', (value) => {
    sum = value === 'sum';
    chart.note(sum ? 'In all, by the times that the graph holds' : `New in each of ${BUCKETS} steps of time`);
    holder.replaceChildren(draw());
  }));
  chart.element.insertBefore(holder, chart.element.lastChild);
  return chart.element;
}

function activity() {
  let data = null, kind = 'posts';
  const chart = card('Activity', {
    note: 'By weekday and hour, UTC',
    table: () => [['day', ...Array.from({ length: 24 }, (_, hour) => `${hour}`)],
      data[kind].map((hours, day) => [DAYS[day], ...hours])],
  });
  const draw = () => {
    const all = data[kind].flat();
    chart.note(`UTC, ${compact(Math.min(...all))} to ${compact(Math.max(...all))} in each`);
    return heat(`${kind} by weekday and hour`, data[kind], chart.read);
  };
  const holder = later(300, '/api/activity', (found) => { data = found; return draw(); });
  chart.element.querySelector('.card-tools').prepend(segments('Activity of',
    [['posts', 'Posts'], ['likes', 'Likes'], ['follows', 'Follows']],
    kind, (value) => { kind = value; if (data) holder.replaceChildren(draw()); }));
  chart.element.insertBefore(holder, chart.element.lastChild);
  return chart.element;
}

function memory() {
  let data = { total: 0, structures: [] };
  const chart = card('Memory', {
    note: 'By structure', wide: 'last',
    table: () => [['structure', 'bytes'], data.structures.map(({ name, bytes: size }) => [name, size])],
  });
  chart.element.insertBefore(later(300, '/api/memory', (found) => {
    data = found;
    chart.note(`${bytes(data.total)} in all, by structure`);
    return treemap('Memory by structure', data.structures, chart.read);
  }), chart.element.lastChild);
  return chart.element;
}

/** The bar of a long job, with its button to cancel. */
export function progress(label, cancel) {
  const bar = h('progress', { max: 1, value: 0, 'aria-label': label }),
    words = h('span.muted.num', { text: 'Starting' });
  const element = h('div.progress', {}, bar, words,
    h('button.button', { type: 'button', text: 'Cancel', onclick: cancel }));
  return { element, set: ({ done, phase }) => {
    bar.value = done ?? 0;
    words.textContent = `${phase ?? ''} ${done === undefined || done === null
      ? '' : `${Math.round(done * 100)} %`}`.trim();
  } };
}

function ranks(scope) {
  let by = 'followers', stop = null, users = [];
  const body = h('div.ranks', {});
  const chart = card('Most followed', {
    note: 'By followers, or by PageRank',
    table: () => [['user', 'id', 'followers', 'score'],
      users.map((user) => [user.username, Number(user.id), user.followerCount, user.score])],
  }, body);
  const run = () => {
    stop?.();
    const bar = progress('Ranking', () => { stop?.(); stop = null; body.replaceChildren(empty('Cancelled.')); });
    body.replaceChildren(bar.element);
    stop = follow(`/api/ranks?by=${by}&limit=${RANKED}`, {
      progress: bar.set,
      result: (answer) => { stop = null; users = answer.users; body.replaceChildren(bars(users)); },
      failure: (error) => body.replaceChildren(failure(error)),
    });
  };
  chart.element.querySelector('.card-tools').prepend(segments('Rank by',
    [['followers', 'Followers'], ['pagerank', 'PageRank']], by,
    (value) => { by = value; run(); }));
  const bars = (found) => {
    const top = Math.max(...found.map((user) => user.score));
    return h('ol.bars', { tabindex: 0, 'aria-label': 'Ranked people' },
      ...found.map((user, index) => h('li', {},
      h('a', { href: userHash(user.id) }, h('span.rank.num', { text: String(index + 1) }),
        avatar(user, 'tiny'),
        named(user.username),
        h('span.bar', { 'aria-hidden': 'true' }, h('i', { vars: { '--part': user.score / top } })),
        h('span.num.score', { text: by === 'followers'
          ? number(user.score) : user.score.toPrecision(3) })))));
  };
  scope.use(() => {
    if (users.length === 0) run();
    return () => { stop?.(); stop = null; };
  });
  return chart.element;
}

