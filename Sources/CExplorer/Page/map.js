// The neighbourhood of a person, and a shortest path between two.

import { ask, identifier, read } from './api.js';
import { GraphCanvas } from './canvas.js';
import { asOf, avatar, compact, empty, failure, h, icon, named, noun, pastTime, plural, replaceAddress,
  say, segments } from './dom.js';
import { List } from './list.js';
import { picker, userFacts, userHash } from './rows.js';

const NODES = 300;
const MINIATURE_NODES = 48;

export function mapView(place, scope) {
  let id = place.id, user = null, hops = place.query.get('hops') === '2' ? 2 : 1, controller = null, shown = null;
  const at = pastTime(place.query);
  const canvas = h('canvas.map-canvas', { tabindex: 0, role: 'application',
    'aria-label': 'Neighbourhood. Arrows move, Enter opens, plus and minus zoom.' });
  const label = h('p.map-label.num', { hidden: true }),
    note = h('p.muted.num.map-note', { text: ' ' });
  const graph = new GraphCanvas(canvas, {
    open: (node) => { location.hash = userHash(node.id); },
    point: (node, index) => {
      label.hidden = !node;
      if (!node) return;
      label.replaceChildren(named(node.username),
        h('span.muted', { text: `${compact(node.followerCount)} ${noun(node.followerCount, 'followers')} · ` +
          `${graph.near[index].size} of these` }));
      say(`${node.username}, ${plural(node.followerCount, 'followers')}, distance ${node.distance}`);
    },
  });
  const field = picker('Whose neighbourhood', null, (chosen) => { id = chosen.id; user = chosen; load(); });
  const people = h('div.map-people', { tabindex: 0, role: 'group', 'aria-label': 'People shown' });
  const list = new List({
    label: 'People shown', estimate: 44, scroller: people, options: false,
    row: (node) => h('div', { onpointerenter: () => graph.heat(node.index), onfocusin: () => graph.heat(node.index) },
      h('a.map-person', { href: userHash(node.id) }, h('span', { class: `swatch distance-${node.distance}` }),
        named(node.username),
          h('span.num.muted', { text: compact(node.followerCount) }))),
    page: async () => ({ items: shown ? shown.nodes.map((node, index) => ({ ...node, index })) : [], next: null }),
    empty: '',
  });
  people.append(list.element);

  async function load() {
    controller?.abort();
    controller = new AbortController();
    const { signal } = controller, options = { signal, at };
    try {
      if (id === null) id = (await ask({ op: 'users', order: 'popular', limit: 1 }, options)).users[0]?.id ?? null;
      if (id === null) { note.textContent = 'This graph has no people yet.'; return; }
      if (user?.id !== id) user = (await ask({ op: 'user', user: id }, options)).user;
      field.set(user);
      const query = new URLSearchParams({ ...(hops === 2 && { hops }), ...(at && { at }) });
      if (scope.shown) replaceAddress(`#/map/${id}?${query}`.replace(/\?$/, ''));
      scope.title(`Map of ${user.username}`);
      shown = await read(`/api/neighbourhood?user=${id}&hops=${hops}&limit=${NODES}`, options);
      note.textContent = `${shown.truncated
        ? 'The nearest and most followed ' : ''}${plural(shown.nodes.length, 'people')}, ` +
        plural(shown.edges.length, 'follows');
      graph.show(shown);
      list.reload();
    } catch (error) {
      if (error.name !== 'AbortError') note.replaceChildren(failure(error));
    }
  }

  const button = (name, label, action) => h('button.ghost',
    { type: 'button', 'aria-label': label, title: label, onclick: action }, icon(name));
  const element = h('div.map', {},
    h('h1.hidden', { text: 'Map' }), asOf(at, '#/map'),
    h('div.map-bar.toolbar', {}, field.element,
      segments('Hops', [['1', 'One hop'], ['2', 'Two hops']], String(hops),
        (value) => { hops = Number(value); load(); }),
      segments('Colour by', [['distance', 'Distance'], ['component', 'Component']], 'distance',
        (value) => { graph.by = value; graph.draw(); }),
      note),
    h('div.map-stage', {}, canvas, label,
      h('div.map-tools', {}, button('plus', 'Zoom in', () => graph.scale(1.25)),
        button('minus', 'Zoom out', () => graph.scale(0.8)),
        button('fit', 'Fit', () => graph.refit()))),
    people);
  scope.title('Map');
  scope.use(() => {
    const stops = [graph.start(), list.start()];
    if (!shown) load();
    return () => { controller?.abort(); stops.forEach((stop) => stop()); };
  });
  return { element };
}

/** A small settled picture of a neighbourhood, which leads to the large one. */
export async function miniature(holder, id, current, nodes = MINIATURE_NODES) {
  const found = await read(`/api/neighbourhood?user=${id}&hops=1&limit=${nodes}`);
  if (!current()) return;
  const canvas = h('canvas.mini-canvas', { role: 'img',
    'aria-label': `The nearest ${found.nodes.length} people` });
  holder.replaceChildren(h('a.mini-link', { href: `#/map/${id}`, 'aria-label': 'Open the map' }, canvas));
  const graph = new GraphCanvas(canvas, { still: true });
  graph.start();
  graph.show(found);
}

/** A shortest path between two people, drawn as a chain. */
export function pathView(place, scope) {
  const ends = { from: identifier(place.query.get('from')), to: identifier(place.query.get('to')) };
  const result = h('div.path-result', { 'aria-live': 'polite' });
  let controller = null;
  const at = pastTime(place.query);
  const fields = {
    from: picker('From', null, (user) => { ends.from = user.id; find(); if (ends.to === null) fields.to.focus(); }),
    to: picker('To', null, (user) => { ends.to = user.id; find(); }),
  };

  async function find() {
    controller?.abort();
    controller = new AbortController();
    const options = { signal: controller.signal, at }, { from, to } = ends;
    const query = new URLSearchParams(Object.entries({ ...ends, at }).filter(([, id]) => id !== null));
    if (scope.shown) replaceAddress(`#/path?${query}`);
    try {
      for (const end of ['from', 'to']) {
        if (ends[end] !== null) fields[end].set((await ask({ op: 'user', user: ends[end] }, options)).user);
      }
      if (from === null || to === null) return;
      const began = performance.now();
      const path = await read(`/api/path?from=${from}&to=${to}`, options);
      show(path, performance.now() - began);
    } catch (error) {
      if (error.name !== 'AbortError') result.replaceChildren(failure(error));
    }
  }

  function show({ users, complete }, took) {
    if (!users) {
      const text = complete ? 'No path along follows joins them.' : 'The search gave up at its limit.';
      result.replaceChildren(empty(text));
      return;
    }
    const hops = users.length - 1;
    say(`A path of ${plural(hops, 'hops')}`);
    result.replaceChildren(
      h('p.path-head', {}, h('b.num.path-hops', { text: String(hops) }),
        h('span', {}, hops === 1 ? 'hop' : 'hops',
          h('span.muted.num', { text: ` · found in ${took.toFixed(1)} ms` }))),
      h('ol.chain', {}, ...users.map((user, index) => h('li', { vars: { '--step': index } },
        h('a.chain-user', { href: userHash(user.id) }, avatar(user, 'huge'),
          named(user.username),
          h('span.muted.num', { text: user.followerCount === undefined
            ? `#${user.id}` : userFacts(user).split(' · ')[0] })),
        index < hops && h('span.chain-link', {}, h('span', { text: 'follows' }), icon('arrow'))))));
  }

  const swap = h('button.ghost', { type: 'button', 'aria-label': 'Swap the two ends', title: 'Swap',
    onclick: () => { [ends.from, ends.to] = [ends.to,
      ends.from]; fields.from.set(null); fields.to.set(null); find(); } }, icon('arrow'));
  swap.replaceChildren(icon('swap'));
  const element = h('div.path', {},
    h('header.page-head', {}, h('h1', { text: 'Path' }),
      asOf(at, '#/path') ?? h('p.muted', { text: 'A shortest way from one person to another along follows.' })),
    h('div.toolbar.path-ends', {}, fields.from.element, swap, fields.to.element), result);
  scope.title('Path');
  find();
  return { element, focus: () => (ends.from === null ? fields.from : fields.to).focus() };
}
