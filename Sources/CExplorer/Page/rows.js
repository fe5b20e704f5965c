// Rows that several views show: people, posts, and the field that picks a person.

import { ask } from './api.js';
import { avatar, compact, h, icon, marked, named, noun, number, plural, time } from './dom.js';
import { List } from './list.js';

export const userHash = (id) => `#/user/${id}`;

export function userFacts(user) {
  const { followerCount, followeeCount, postCount } = user;
  return `${compact(followerCount)} ${noun(followerCount, 'followers')} · ${compact(followeeCount)} following · ` +
    plural(postCount, 'posts');
}

/** A person as a link. `note` is a second text at the right. */
export function userRow(user, { option = false, note = null } = {}) {
  const content = [
    avatar(user),
    h('span.row-text', {},
      h('span.row-name', {}, marked(user.username, user.ranges),
        h('span.id.num', { text: `#${user.id}` })),
      h('span.row-facts.num', { text: userFacts(user) })),
    note && h('span.row-note.num', {}, note),
  ];
  if (option) return h('a.user-row', { role: 'option', href: userHash(user.id), tabindex: -1 }, ...content);
  return h('div.user-row-item', {}, h('a.user-row', { href: userHash(user.id) }, ...content));
}

export function postRow(post, { by = true } = {}) {
  const likes = h('a.likes.num', { href: `#/post/${post.id}`,
    'aria-label': `Post ${post.id}, ${plural(post.likeCount, 'likes')}` }, icon('heart'), number(post.likeCount));
  const text = marked(post.text, post.ranges);
  text.className = 'post-text';
  text.removeAttribute('title');
  return h('article.post-row', {},
    by ? avatar(post.author, 'small') : null,
    h('div.post-body', {},
      h('p.post-head', {},
        by && h('a.author', { href: userHash(post.author.id) }, named(post.author.username)),
        time(post.createdAt)),
      h('p.post-words', {}, text),
      likes));
}

const PAGE = 40;

/** An endless list of people or posts for a question without cursor and limit. */
export function questionList(question, { kind = 'users', label, empty, note, by, scroller }) {
  const list = new List({
    label, empty, scroller,
    estimate: kind === 'users' ? 68 : 118,
    row: kind === 'users' ? (user) => userRow(user, { note: note?.(user) }) : (post) => {
      const row = postRow(post, { by });
      return h('div.post-item', {}, row);
    },
    page: async (cursor, signal) => {
      const answer = await ask({ ...question, ...(question.op === 'suggestions' ? { limit: 100 } : { limit: PAGE }),
        ...(cursor ? { cursor } : {}) }, { signal });
      return { items: answer[kind], next: answer.next ?? null };
    },
  });
  list.question = { ...question, limit: question.op === 'suggestions' ? 100 : PAGE };
  list.kind = kind;
  return list;
}

const PICKED = 8;
let pickers = 0;

/** A field that picks a person: a combo box over the search of the engine. */
export function picker(label, chosen, pick) {
  const id = `picker-${++pickers}`;
  const input = h('input', { type: 'text', role: 'combobox', autocomplete: 'off', spellcheck: 'false',
    placeholder: 'Name or #id',
    'aria-expanded': 'false', 'aria-controls': id, 'aria-autocomplete': 'list', 'aria-label': label });
  const options = h('div.picker-options', { role: 'listbox', id, 'aria-label': label, hidden: true });
  const face = h('span.picker-face', {});
  let users = [], active = -1, controller = null;
  const show = (user) => {
    face.replaceChildren(user ? avatar(user, 'tiny') : icon('user'));
    input.value = user ? user.username : '';
  };
  const close = () => {
    options.hidden = true;
    input.setAttribute('aria-expanded', 'false');
    input.removeAttribute('aria-activedescendant');
  };
  const take = (user) => { chosen = user; show(user); close(); pick(user); };
  const mark = (index) => {
    active = index;
    [...options.children].forEach((option, at) => option.setAttribute('aria-selected', String(at === index)));
    if (index >= 0) input.setAttribute('aria-activedescendant', `${id}-${index}`);
  };
  const look = async () => {
    controller?.abort();
    controller = new AbortController();
    const text = input.value.trim(), number = /^#(\d+)$/.exec(text);
    try {
      const found = number
        ? [(await ask({ op: 'user', user: Number(number[1]) }, controller)).user]
        : (await ask({ op: 'users', query: text, order: text ? 'prefixFirst' : 'popular', limit: PICKED,
          highlights: text !== '' },
          controller)).users;
      users = found;
    } catch (error) {
      if (error.name === 'AbortError') return;
      users = [];
    }
    options.replaceChildren(...users.map((user, index) => h('div',
      { role: 'option', id: `${id}-${index}`, class: 'picker-option',
      onmousedown: (event) => { event.preventDefault(); take(user); } },
    avatar(user, 'tiny'), marked(user.username, user.ranges),
      h('span.num.muted', { text: compact(user.followerCount) }))));
    options.hidden = users.length === 0 || document.activeElement !== input;
    input.setAttribute('aria-expanded', String(!options.hidden));
    mark(users.length ? 0 : -1);
  };
  input.addEventListener('input', look);
  input.addEventListener('focus', () => { input.select(); });
  input.addEventListener('click', look);
  input.addEventListener('blur', () => { close(); show(chosen); });
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' && options.hidden) look();
    else if (event.key === 'ArrowDown') mark(Math.min(users.length - 1, active + 1));
    else if (event.key === 'ArrowUp') mark(Math.max(0, active - 1));
    else if (event.key === 'Enter' && !options.hidden && users[active]) take(users[active]);
    else if (event.key === 'Escape' && !options.hidden) { close(); show(chosen); }
    else return;
    event.preventDefault();
  });
  show(chosen);
  const element = h('div.picker', {}, face, input, options);
  return { element, set: (user) => { chosen = user; show(user); }, focus: () => input.focus() };
}

/** A row of tiles with counts; `set` changes them. */
export function tiles(names) {
  const element = h('dl.tiles', {});
  const cells = names.map(([, name, href]) => {
    const value = h('dd.num', { text: '–' });
    element.append(h('div.tile', {}, h('dt', {}, href ? h('a', { href, text: name }) : name), value));
    return value;
  });
  const set = (values, deltas = {}) => names.forEach(([key, name], index) => {
    const value = values[key], text = value == null ? '–' : compact(Number(value));
    const term = cells[index].previousSibling;
    if (cells[index].textContent !== text) cells[index].textContent = text;
    if (value != null) cells[index].title = number(value);
    (term.firstElementChild ?? term).textContent = noun(value, name);
    const delta = deltas[key];
    if (delta) cells[index].append(h('span',
      { class: `delta ${delta < 0 ? 'down' : ''}`, text: `${delta < 0 ? '−' : '+'}${compact(Math.abs(delta))}` }));
  });
  return { element, set };
}
