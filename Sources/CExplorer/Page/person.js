// One person (counts, lists, what they have in common with another, their surroundings), and one post with its likers.

import { ask, follow, listen, store, write } from './api.js';
import { avatar, empty, exact, h, icon, missing, named, number, plural, replaceAddress, segments } from './dom.js';
import { miniature } from './map.js';
import { picker, questionList, tiles, userHash, userRow } from './rows.js';

const TABS = [
  ['timeline', 'Timeline'], ['posts', 'Posts'], ['followers', 'Followers'], ['following', 'Following'],
    ['likes', 'Likes'],
  ['suggestions', 'Suggestions'], ['common', 'In common'], ['blocked', 'Blocked'], ['muted', 'Muted'],
];
const ASIDE = 5;

export function personView(place, scope) {
  const id = place.id;
  if (id === null) return { element: missing({ message: 'This address names no person.' }) };
  const head = h('header.person-head', {});
  const counts = tiles([['followerCount', 'followers', `#/user/${id}/followers`],
    ['followeeCount', 'following', `#/user/${id}/following`], ['postCount', 'posts', `#/user/${id}/posts`]]);
  const body = h('div.tab-body', {}), picture = h('div.aside-map', {});
  const suggested = h('div.aside-list', {});
  const buttons = TABS.map(([name, text]) => h('button', { type: 'button', role: 'tab', id: `tab-${name}`, text,
    'aria-controls': 'tab-body', onclick: () => open(name) }));
  const tabs = h('div.tabs', { role: 'tablist', 'aria-label': 'Lists' }, ...buttons);
  body.id = 'tab-body';
  body.setAttribute('role', 'tabpanel');
  let list = null, stop = null, user = null;

  tabs.addEventListener('keydown', (event) => {
    const at = buttons.indexOf(document.activeElement), step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (at < 0 || !step) return;
    const next = (at + step + buttons.length) % buttons.length;
    buttons[next].focus();
    open(TABS[next][0]);
    event.preventDefault();
  });

  function lists(name) {
    const by = { kind: 'posts' };
    return {
      timeline: () => questionList({ op: 'timeline', user: id },
        { ...by, label: 'Timeline', empty: 'Nothing in this timeline yet.' }),
      posts: () => questionList({ op: 'posts', user: id },
        { ...by, by: false, label: 'Posts', empty: 'No posts yet.' }),
      followers: () => questionList({ op: 'followers', user: id }, { label: 'Followers', empty: 'No followers yet.' }),
      following: () => questionList({ op: 'followees', user: id },
        { label: 'Following', empty: 'Follows no one yet.' }),
      likes: () => questionList({ op: 'likes', user: id }, { ...by, label: 'Likes', empty: 'No likes yet.' }),
      suggestions: () => questionList({ op: 'suggestions', user: id }, { label: 'Suggestions', empty: 'No suggestions.',
        note: (one) => reason(one) }),
      blocked: () => questionList({ op: 'blocked', user: id }, { label: 'Blocked', empty: 'Blocks no one.' }),
      muted: () => questionList({ op: 'muted', user: id }, { label: 'Muted', empty: 'Mutes no one.' }),
    }[name]?.();
  }

  function open(name) {
    const chosen = TABS.some(([tab]) => tab === name) ? name : 'timeline';
    buttons.forEach((button, index) => {
      button.setAttribute('aria-selected', String(TABS[index][0] === chosen));
      button.tabIndex = TABS[index][0] === chosen ? 0 : -1;
    });
    if (scope.shown) replaceAddress(`#/user/${id}${chosen === 'timeline' ? '' : `/${chosen}`}`);
    body.setAttribute('aria-labelledby', `tab-${chosen}`);
    stop?.();
    stop = null;
    list = lists(chosen) ?? null;
    body.replaceChildren(list ? list.element : common(id, scope));
    if (scope.shown) stop = run();
  }

  function run() {
    if (!list) return null;
    const stopList = list.start(), mine = list;
    const close = follow(`/api/live?question=${encodeURIComponent(write(mine.question))}`, {
      answer: (answer) => { if (answer.ok) mine.head({ items: answer[mine.kind], next: answer.next ?? null }); },
    }, { live: true });
    return () => { stopList(); close(); };
  }

  async function refresh() {
    try {
      user = (await ask({ op: 'user', user: id })).user;
    } catch (error) {
      element.replaceChildren(missing(error));
      return;
    }
    counts.set(user);
    if (head.dataset.name === user.username) return;
    head.dataset.name = user.username;
    scope.title(user.username);
    head.replaceChildren(avatar(user, 'huge'),
      h('div.person-name', {},
        h('h1', {}, named(user.username)),
        h('p.muted.num', { text: `#${user.id}` })),
      h('div.actions', {},
        h('a.button', { href: `#/map/${id}` }, icon('map'), 'Map'),
        h('a.button', { href: `#/path?from=${id}` }, icon('path'), 'Path'),
        h('a.button', { href: `#/past?user=${id}` }, icon('clock'), 'Past')));
  }

  async function aside() {
    try {
      const answer = await ask({ op: 'suggestions', user: id, limit: ASIDE });
      if (answer.users.length === 0) return;
      suggested.replaceChildren(h('h2.overline', { text: 'Might follow' }),
        ...answer.users.map((one) => userRow(one, { note: reason(one) })));
    } catch { /* the tab of suggestions says why */ }
  }

  const element = h('div.person', {}, head, h('div.person-main', {}, counts.element, tabs, body),
    h('aside.person-aside', { 'aria-label': 'Surroundings' },
      h('div.card.map-card', {}, picture), suggested));
  scope.title(`#${id}`);
  open(place.tab);
  refresh();
  aside();
  let current = true;
  miniature(picture, id, () => current, 90).catch(() => picture.closest('.card').remove());
  scope.use(() => {
    current = true;
    stop = run();
    let timer = 0;
    const touched = ({ detail }) => {
      if (detail.op && ![detail.user, detail.target].some((one) => String(one) === String(id))
        && detail.op !== 'batch') return;
      timer ||= setTimeout(() => { timer = 0; refresh(); }, 250);
    };
    const forget = listen(store, 'change', touched);
    refresh();
    return () => { current = false; clearTimeout(timer); forget(); stop?.(); stop = null; };
  });
  return { element };
}

const reason = (one) => (one.mutualCount ? `via ${plural(one.mutualCount, 'followees')}` : null);

/** Whom two people both follow, or who follows both. */
function common(id, scope) {
  let other = null, of = 'followees', list = null, stop = null;
  const holder = h('div.results', {});
  const show = () => {
    if (!other) return;
    stop?.();
    list = questionList({ op: 'mutuals', user: id, target: other.id, of },
      { label: 'In common', empty: 'No one in common.' });
    holder.replaceChildren(list.element);
    stop = list.start();
  };
  scope.use(() => {
    stop = list?.start();
    return () => stop?.();
  });
  const field = picker('The other person', null, (user) => { other = user; show(); });
  const words = empty('Choose a second person to see what both have in common.');
  holder.append(words);
  return h('div', {}, h('div.toolbar', {}, field.element,
    segments('In common', [['followees', 'Both follow'], ['followers', 'Follow both']], of,
      (value) => { of = value; show(); })), holder);
}

/** One post and who likes it. */
export function postView(place, scope) {
  const id = place.id;
  if (id === null) return { element: missing({ message: 'This address names no post.' }) };
  const card = h('article.card.post-card', {});
  const list = questionList({ op: 'likers', post: id }, { label: 'Likers', empty: 'No likes yet.' });
  const title = h('h2.overline', { text: 'Liked by' });
  const element = h('div.post-view', {}, card, title, list.element);
  const likes = h('b.num', {});

  function show(post) {
    likes.textContent = number(post.likeCount);
    title.textContent = `Liked by ${plural(post.likeCount, 'people')}`;
    if (card.dataset.id === String(post.id)) return;
    card.dataset.id = post.id;
    scope.title(`Post of ${post.author.username}`);
    card.replaceChildren(
      h('header.post-card-head', {}, avatar(post.author),
        h('div', {}, h('h1', {}, h('a', { href: userHash(post.author.id) },
          named(post.author.username))),
          h('p.muted.num', { text: exact(post.createdAt) })),
        h('span.id.num', { text: `post #${post.id}` })),
      h('p.post-large', {}, h('bdi.post-text', { text: post.text })),
      h('p.post-likes', {}, icon('heart'), likes, h('span.muted', { text: 'likes' })));
  }

  scope.title(`Post #${id}`);
  ask({ op: 'post', post: id }).then(({ post }) => show(post))
    .catch((error) => element.replaceChildren(missing(error)));
  scope.use(() => {
    const stop = list.start();
    const close = follow(`/api/live?question=${encodeURIComponent(write({ op: 'post', post: id }))}`, {
      answer: (answer) => {
        if (!answer.ok) { element.replaceChildren(missing(answer.error)); return; }
        const changed = likes.textContent !== '' && likes.textContent !== number(answer.post.likeCount);
        show(answer.post);
        if (changed) ask(list.question).then((page) => list.head({ items: page.users,
          next: page.next })).catch(() => {});
      },
    }, { live: true });
    return () => { stop(); close(); };
  });
  return { element };
}
