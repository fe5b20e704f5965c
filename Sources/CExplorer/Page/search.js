// People and posts found as one types.

import { KEPT_TRIPS, ask, latency, listen, store } from './api.js';
import { avatar, h, icon, milliseconds, named, plural, replaceAddress, s, say, segments } from './dom.js';
import { List } from './list.js';
import { miniature } from './map.js';
import { postRow, tiles, userHash, userRow } from './rows.js';

const PAGE = 40;
const MATCHES = [['substring', 'Substring'], ['prefix', 'Prefix'], ['fuzzy', 'Fuzzy'], ['regex', 'Regex']];
const ORDERS = [['name', 'By name'], ['prefixFirst', 'Prefix first'], ['popular', 'Most followed']];
const PREVIEW_WIDTH = 1180;

export function searchView(place, scope) {
  const wanted = place.query;
  const now = {
    q: wanted.get('q') ?? '', kind: wanted.get('in') === 'posts' ? 'posts' : 'users',
    match: MATCHES.some(([name]) => name === wanted.get('match')) ? wanted.get('match') : 'substring',
    order: ORDERS.some(([name]) => name === wanted.get('order')) ? wanted.get('order') : 'popular',
  };
  const input = h('input', { type: 'search', value: now.q, autocomplete: 'off', autocapitalize: 'none',
    spellcheck: 'false',
    role: 'combobox', 'aria-controls': 'results', 'aria-expanded': 'true', 'aria-autocomplete': 'list' });
  const speed = speedometer(), found = h('span.found.num.muted', {});
  const preview = h('aside.preview', { 'aria-label': 'Preview' });
  const holder = h('div.results', {});
  let list = null, stop = null, previewing = null;

  function question() {
    const text = { query: now.q, limit: PAGE, highlights: now.q !== '' };
    if (now.kind === 'posts') return { op: 'posts', ...text };
    if (now.q === '') return { op: 'users', ...text, order: now.order };
    return { op: 'users', ...text, match: now.match, ...(now.match === 'fuzzy' ? {} : { order: now.order }) };
  }

  async function page(cursor, signal) {
    const asked = question();
    if (cursor) asked.cursor = cursor;
    const counting = !cursor && now.kind === 'users';
    if (counting) asked.count = true;
    const answer = await ask(asked, { signal });
    if (!cursor) {
      const total = answer.count ?? null;
      found.textContent = counting && total !== null ? plural(total, 'people') : '';
      say(counting && total !== null ? plural(total, 'people') : plural(answer.posts?.length ?? 0, 'posts'));
      speed.show();
    }
    return { items: answer[now.kind], next: answer.next };
  }

  function build() {
    stop?.();
    const users = now.kind === 'users';
    list = new List({
      page, options: users, label: users ? 'People' : 'Posts', estimate: users ? 68 : 118,
      empty: users ? 'No name matches.' : 'No post has these words.',
      row: users ? (user) => {
        const row = userRow(user, { option: true });
        row.addEventListener('pointerenter', () => look(user));
        return row;
      } : (post) => h('div.post-item', {}, postRow(post)),
    });
    list.body.id = 'results';
    holder.replaceChildren(list.element);
    input.placeholder = users ? 'Search people' : 'Search posts by their words';
    input.setAttribute('aria-label', input.placeholder);
    matches.hidden = !users;
    preview.hidden = !users;
    if (scope.shown) stop = list.start();
    refresh();
  }

  async function refresh() {
    const hash = new URLSearchParams();
    if (now.q) hash.set('q', now.q);
    if (now.kind === 'posts') hash.set('in', 'posts');
    if (now.match !== 'substring') hash.set('match', now.match);
    if (now.order !== 'popular') hash.set('order', now.order);
    if (scope.shown) replaceAddress(`#/${hash.size ? `?${hash}` : ''}`);
    if (window.scrollY > 0 && scope.shown) window.scrollTo(0, 0);
    orders.hidden = now.kind === 'posts' || (now.match === 'fuzzy' && now.q !== '');
    const began = performance.now();
    await list.reload();
    input.dataset.took = (performance.now() - began).toFixed(1);
    point();
  }

  function point() {
    const item = list.items[list.active];
    if (item && list.options) input.setAttribute('aria-activedescendant', `option-${item.id}`);
    else input.removeAttribute('aria-activedescendant');
    if (now.kind === 'users') look(item ?? null);
  }

  function look(user) {
    if (window.innerWidth < PREVIEW_WIDTH || previewing?.id === user?.id) return;
    previewing = user;
    card(preview, user, () => previewing === user);
  }

  input.addEventListener('input', () => { now.q = input.value; refresh(); });
  input.addEventListener('keydown', (event) => {
    const row = list.items[list.active];
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      if (list.options) list.select(list.active + (event.key === 'ArrowDown' ? 1 : -1));
      else if (event.key === 'ArrowDown') list.reveal(0)?.querySelector('a')?.focus();
      point();
    } else if (event.key === 'Enter' && list.options && row) location.hash = userHash(row.id);
    else if (event.key === 'Escape' && input.value) { input.value = now.q = ''; refresh(); }
    else return;
    event.preventDefault();
  });

  const kinds = segments('What to search', [['users', 'People'], ['posts', 'Posts']], now.kind,
    (kind) => { now.kind = kind; build(); });
  const matches = segments('Match', MATCHES, now.match, (match) => { now.match = match; refresh(); input.focus(); });
  const orders = h('select', { 'aria-label': 'Order', onchange: () => { now.order = orders.value; refresh(); } },
    ...ORDERS.map(([value, text]) => h('option', { value, text, selected: value === now.order })));

  const element = h('div.search', {},
    h('div.search-head', {},
      h('h1.hidden', { text: 'Search' }),
      h('div.search-field', {}, icon('search'), input, h('kbd', { 'aria-hidden': 'true', text: '/' })),
      h('div.toolbar', {}, kinds, matches, orders, found, speed.element)),
    h('div.search-body', {}, holder, preview));
  scope.title('Search');
  build();
  scope.use(() => {
    stop = list.start();
    const forget = live(() => list, question);
    return () => { stop(); forget(); };
  });
  return { element, focus: () => input.focus({ preventScroll: true }) };
}

const EVERY = 400;

/** Asks the first page again after changes, at most every 0.4 s. */
function live(list, question) {
  let waiting = 0;
  const changed = () => {
    waiting ||= setTimeout(async () => {
      waiting = 0;
      const asked = question(), key = asked.op;
      try {
        const answer = await ask(asked);
        if (key === question().op && asked.query === question().query) list().head({ items: answer[key],
          next: answer.next });
      } catch { /* the next change asks again */ }
    }, EVERY);
  };
  const stop = listen(store, 'change', changed);
  return () => { clearTimeout(waiting); stop(); };
}

/** What the last question took, in the engine and in all, and the last round trips as bars. */
function speedometer() {
  const engine = h('b.num', { text: '–' }), trip = h('span.num', { text: '–' });
  const bars = s('svg.spark', { viewBox: '0 0 96 20', 'aria-hidden': 'true' });
  const element = h('p.speed', { title: 'Time in the engine, and the whole round trip' },
    bars, h('span', {}, engine, ' engine'), h('span.muted', {}, trip, ' round trip'));
  const show = () => {
    engine.textContent = latency.engine === null ? '–' : milliseconds(latency.engine);
    trip.textContent = milliseconds(latency.trip);
    const top = Math.max(5, ...latency.trips);
    bars.replaceChildren(...latency.trips.map((value, index) => {
      const height = Math.max(1.5, 20 * value / top);
      return s('rect', { x: (KEPT_TRIPS - latency.trips.length + index) * 2, y: 20 - height, width: 1.4, height,
        rx: 0.7 });
    }));
  };
  return { element, show };
}

/** A person at a glance: counts, surroundings, newest posts. */
async function card(holder, user, current) {
  if (!user) { holder.replaceChildren(); return; }
  const counts = tiles([['followerCount', 'followers'], ['followeeCount', 'following'], ['postCount', 'posts']]);
  counts.set(user);
  const picture = h('div.preview-map', {}), posts = h('div.preview-posts', {});
  holder.replaceChildren(
    h('div.preview-head', {}, avatar(user, 'large'),
      h('div', {}, h('h2', {}, named(user.username)),
        h('p.muted.num', { text: `#${user.id}` })),
      h('a.button', { href: userHash(user.id) }, 'Open', icon('arrow'))),
    counts.element, picture, posts);
  try {
    const newest = await ask({ op: 'posts', user: user.id, limit: 3 });
    if (!current()) return;
    posts.replaceChildren(...newest.posts.map((post) => postRow(post, { by: false })));
    await miniature(picture, user.id, current);
  } catch { /* a preview that cannot be shown leaves its place empty */ }
}

