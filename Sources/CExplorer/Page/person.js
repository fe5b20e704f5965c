// One person (counts, lists, surroundings, what they share with another), and one post with its likers.

import {ask, follow, listen, store, write} from './api.js';
import {avatar, empty, exact, h, icon, missing, named, number, plural, replaceAddress, segments} from './dom.js';
import {miniature} from './map.js';
import {Picker, questionList, tiles, userHash, userRow} from './rows.js';

const TABS = [
	['timeline', 'Timeline'],
	['posts', 'Posts'],
	['followers', 'Followers'],
	['following', 'Following'],
	['likes', 'Likes'],
	['suggestions', 'Suggestions'],
	['common', 'In common'],
	['blocked', 'Blocked'],
	['muted', 'Muted'],
];
const ASIDE = 5;

export function personView(place, scope) {
	const id = place.id;
	if (id === null) return {element: missing({message: 'This address names no person.'})};
	const head = h('header.person-head', {});
	const count = (field, name, list) => [field, name, `#/user/${id}/${list}`];
	const counts = tiles([
		count('followerCount', 'followers', 'followers'), count('followeeCount', 'following', 'following'),
		count('postCount', 'posts', 'posts')
	]);
	const tabs = tabBar(open), picture = h('div.aside-map', {}), suggested = h('div.aside-list', {});
	const body = h('div.tab-body', {id: 'tab-body', role: 'tabpanel'});
	let list = null, stop = null, current = true;

	function open(name) {
		const chosen = tabs.choose(name);
		if (scope.shown) replaceAddress(`#/user/${id}${chosen === 'timeline' ? '' : `/${chosen}`}`);
		body.setAttribute('aria-labelledby', `tab-${chosen}`);
		stop?.();
		stop = null;
		list = listOf(id, chosen);
		body.replaceChildren(list ? list.element : common(id, scope));
		if (scope.shown) stop = run(list);
	}

	async function refresh() {
		let user;
		try {
			user = (await ask({op: 'user', user: id})).user;
		} catch (error) {
			element.replaceChildren(missing(error));
			return;
		}
		counts.set(user);
		if (head.dataset.name === user.username) return;
		head.dataset.name = user.username;
		scope.title(user.username);
		head.replaceChildren(...heading(user));
	}

	const element = h('div.person', {}, head, h('div.person-main', {}, counts.element, tabs.element, body),
		h('aside.person-aside', {'aria-label': 'Surroundings'}, h('div.card.map-card', {}, picture), suggested));
	scope.title(`#${id}`);
	open(place.tab);
	refresh();
	suggest(id, suggested);
	miniature(picture, id, () => current, 90).catch(() => picture.closest('.card').remove());
	scope.use(() => {
		current = true;
		stop = run(list);
		const forget = whenTouched(id, refresh);
		refresh();
		return () => {
			current = false;
			forget();
			stop?.();
			stop = null;
		};
	});
	return {element};
}

/** The tabs of a person; `choose` selects one, or the first for a name that none has. */
function tabBar(open) {
	const panel = {type: 'button', role: 'tab', 'aria-controls': 'tab-body'};
	const buttons =
		TABS.map(([name, text]) => h('button', {...panel, id: `tab-${name}`, text, onclick: () => open(name)}));
	const element = h('div.tabs', {role: 'tablist', 'aria-label': 'Lists'}, ...buttons);
	element.addEventListener('keydown', (event) => {
		const at = buttons.indexOf(document.activeElement), step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
		if (at < 0 || !step) return;
		const next = (at + step + buttons.length) % buttons.length;
		buttons[next].focus();
		open(TABS[next][0]);
		event.preventDefault();
	});
	const choose = (name) => {
		const chosen = TABS.some(([tab]) => tab === name) ? name : 'timeline';
		buttons.forEach((button, index) => {
			button.setAttribute('aria-selected', String(TABS[index][0] === chosen));
			button.tabIndex = TABS[index][0] === chosen ? 0 : -1;
		});
		return chosen;
	};
	return {element, choose};
}

const POSTS = {
	kind: 'posts'
};
const LISTS = {
	timeline: ['timeline', {...POSTS, label: 'Timeline', empty: 'Nothing in this timeline yet.'}],
	posts: ['posts', {...POSTS, by: false, label: 'Posts', empty: 'No posts yet.'}],
	followers: ['followers', {label: 'Followers', empty: 'No followers yet.'}],
	following: ['followees', {label: 'Following', empty: 'Follows no one yet.'}],
	likes: ['likes', {...POSTS, label: 'Likes', empty: 'No likes yet.'}],
	suggestions: ['suggestions', {label: 'Suggestions', empty: 'No suggestions.', note: (one) => reason(one)}],
	blocked: ['blocked', {label: 'Blocked', empty: 'Blocks no one.'}],
	muted: ['muted', {label: 'Muted', empty: 'Mutes no one.'}],
};

function listOf(id, name) {
	if (!LISTS[name]) return null;
	const [op, options] = LISTS[name];
	return questionList({op, user: id}, options);
}

/** Starts a list, and puts what changes at its head. */
function run(list) {
	if (!list) return null;
	const stop = list.start();
	const answer = (found) => {
		if (found.ok) list.head({items: found[list.kind], next: found.next ?? null});
	};
	const close = follow(`/api/live?question=${encodeURIComponent(write(list.question))}`, {answer}, {live: true});
	return () => {
		stop();
		close();
	};
}

/** Calls `refresh` soon after a change of a person; returns what ends that. */
function whenTouched(id, refresh) {
	let timer = 0;
	const forget = listen(store, 'change', ({detail}) => {
		const isOther = ![detail.user, detail.target].some((one) => String(one) === String(id));
		if (detail.op && isOther && detail.op !== 'batch') return;
		timer ||= setTimeout(() => {
			timer = 0;
			refresh();
		}, 250);
	});
	return () => {
		clearTimeout(timer);
		forget();
	};
}

function heading(user) {
	const {id, username} = user;
	const link = (href, name, text) => h('a.button', {href}, icon(name), text);
	return [
		avatar(user, 'huge'),
		h('div.person-name', {}, h('h1', {}, named(username)), h('p.muted.num', {text: `#${id}`})),
		h('div.actions', {}, link(`#/map/${id}`, 'map', 'Map'), link(`#/path?from=${id}`, 'path', 'Path'),
			link(`#/past?user=${id}`, 'clock', 'Past')),
	];
}

async function suggest(id, holder) {
	try {
		const {users} = await ask({op: 'suggestions', user: id, limit: ASIDE});
		if (users.length === 0) return;
		const rows = users.map((one) => userRow(one, {note: reason(one)}));
		holder.replaceChildren(h('h2.overline', {text: 'Might follow'}), ...rows);
	} catch {
		// The tab of suggestions says why.
	}
}

const reason = (one) => (one.mutualCount ? `via ${plural(one.mutualCount, 'followees')}` : null);

/** Whom two people both follow, or who follows both. */
function common(id, scope) {
	let other = null, of = 'followees', list = null, stop = null;
	const holder = h('div.results', {});
	const show = () => {
		if (!other) return;
		stop?.();
		list =
			questionList({op: 'mutuals', user: id, target: other.id, of}, {label: 'In common', empty: 'No one in common.'});
		holder.replaceChildren(list.element);
		stop = list.start();
	};
	scope.use(() => {
		stop = list?.start();
		return () => stop?.();
	});
	const field = new Picker('The other person', (user) => {
		other = user;
		show();
	});
	const words = empty('Choose a second person to see what both have in common.');
	holder.append(words);
	return h('div', {},
		h('div.toolbar', {}, field.element,
			segments('In common', [['followees', 'Both follow'], ['followers', 'Follow both']], of,
				(value) => {
					of = value;
					show();
				})),
		holder);
}

/** One post and who likes it. */
export function postView(place, scope) {
	const id = place.id;
	if (id === null) return {element: missing({message: 'This address names no post.'})};
	const card = h('article.card.post-card', {});
	const list = questionList({op: 'likers', post: id}, {label: 'Likers', empty: 'No likes yet.'});
	const title = h('h2.overline', {text: 'Liked by'});
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
				h('div', {}, h('h1', {}, h('a', {href: userHash(post.author.id)}, named(post.author.username))),
					h('p.muted.num', {text: exact(post.createdAt)})),
				h('span.id.num', {text: `post #${post.id}`})),
			h('p.post-large', {}, h('bdi.post-text', {text: post.text})),
			h('p.post-likes', {}, icon('heart'), likes, h('span.muted', {text: 'likes'})));
	}

	scope.title(`Post #${id}`);
	ask({op: 'post', post: id}).then(({post}) => show(post)).catch((error) => element.replaceChildren(missing(error)));
	scope.use(() => {
		const stop = list.start();
		const close = follow(`/api/live?question=${encodeURIComponent(write({op: 'post', post: id}))}`, {
			answer: (answer) => {
				if (!answer.ok) {
					element.replaceChildren(missing(answer.error));
					return;
				}
				const changed = likes.textContent !== '' && likes.textContent !== number(answer.post.likeCount);
				show(answer.post);
				if (changed) ask(list.question).then((page) => list.head({items: page.users, next: page.next})).catch(() => {});
			},
		},
			{live: true});
		return () => {
			stop();
			close();
		};
	});
	return {element};
}
