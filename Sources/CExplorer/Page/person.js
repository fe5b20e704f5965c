// One person (counts, lists, surroundings, what they share with another), and one post with its likers.

import {ask, follow, listen, moment, relations, store, write} from './api.js';
import {avatar, both, empty, h, icon, missing, named, number, plural, replaceAddress, segments, time} from './dom.js';
import {miniature} from './map.js';
import {payloadCard} from './payload.js';
import {Picker, postRow, questionList, shownName, tiles, userHash, userRow} from './rows.js';
import {relationList, relationLists, Tabs} from './tabs.js';

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
].map(([name, text]) => ({name, text}));
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
	const kept = h('div', {}), picture = h('div.aside-map', {}), suggested = h('div.aside-list', {});
	let current = true;
	const lists = new TabbedLists(scope, {
		kind: 'user',
		id,
		tabs: TABS,
		wanted: place.tab,
		list: (name) => listOf(id, name),
		other: () => common(id, scope)
	});

	async function refresh() {
		let user;
		try {
			user = (await ask({op: 'user', user: id, payloads: true})).user;
		} catch (error) {
			element.replaceChildren(missing(error));
			return;
		}
		counts.set(user);
		lists.recount();
		const shown = JSON.stringify([user.username, user.displayName, user.payload, user.flags]);
		if (head.dataset.shown === shown) return;
		head.dataset.shown = shown;
		kept.replaceChildren(...[payloadCard(user.payload, user.flags)].filter((one) => one));
		scope.title(user.username);
		head.replaceChildren(...heading(user));
	}

	const main = h('div.person-main', {}, counts.element, kept, lists.tabs.element, lists.body);
	const element = h('div.person', {}, head, main,
		h('aside.person-aside', {'aria-label': 'Surroundings'}, h('div.card.map-card', {}, picture), suggested));
	scope.title(`#${id}`);
	suggest(id, suggested);
	miniature(picture, id, () => current, 90).catch(() => picture.closest('.card').remove());
	scope.use(() => {
		current = true;
		const forget = whenTouched(id, refresh);
		refresh();
		return () => {
			current = false;
			forget();
		};
	});
	return {element};
}

/** Tabs and the list of the chosen one; those of declared relations come when their counts are known. */
class TabbedLists {
	stop = null;
	found = new Map();

	constructor(scope, {kind, id, tabs, wanted, list, other = () => h('div', {})}) {
		Object.assign(this, {scope, kind, id, wanted, list, other});
		this.base = `#/${kind}/${id}`;
		this.first = tabs[0].name;
		this.tabs = new Tabs('Lists', (name) => this.open(name));
		this.tabs.set(tabs);
		this.body = h('div.tab-body', {id: 'tab-body', role: 'tabpanel'});
		this.open(this.tabs.buttons.has(wanted) ? wanted : this.first);
		this.recount();
		scope.use(() => {
			this.stop = run(this.shown);
			return () => this.end();
		});
	}

	end() {
		this.stop?.();
		this.stop = null;
	}

	open(name) {
		const chosen = this.tabs.choose(name), {scope, base, first} = this;
		if (scope.shown) replaceAddress(`${base}${chosen === first ? '' : `/${chosen}`}`);
		this.body.setAttribute('aria-labelledby', `tab-${chosen}`);
		this.end();
		this.wanted = null;
		this.shown = this.found.has(chosen) ? relationList(this.found.get(chosen)) : this.list(chosen);
		this.body.replaceChildren(this.shown ? this.shown.element : this.other(chosen));
		if (scope.shown) this.stop = run(this.shown);
	}

	/** Counts the edges of declared relations. */
	async recount() {
		const {wanted} = this;
		try {
			const lists = (await relationLists(this.kind, this.id)).filter((one) => !this.hides?.(one));
			for (const one of lists) this.found.set(one.name, one);
			this.tabs.set(lists);
		} catch {
			// A node that is not there is missing in the view.
		}
		if (this.found.has(wanted)) this.open(wanted);
	}
}

const POSTS = {
	kind: 'posts'
};
const LISTS = {
	timeline: ['timeline', {...POSTS, label: 'Timeline', empty: 'Nothing in this timeline yet.'}],
	posts: ['posts', {...POSTS, by: false, label: 'Posts', empty: 'No posts yet.'}],
	followers: ['followers', {label: 'Followers', empty: 'No followers yet.', note: (one) => since(one.followedAt)}],
	following: ['followees', {label: 'Following', empty: 'Follows no one yet.', note: (one) => since(one.followedAt)}],
	likes: ['likes', {...POSTS, label: 'Likes', empty: 'No likes yet.'}],
	suggestions: ['suggestions', {label: 'Suggestions', empty: 'No suggestions.', note: (one) => reason(one)}],
	blocked: ['blocked', {label: 'Blocked', empty: 'Blocks no one.'}],
	muted: ['muted', {label: 'Muted', empty: 'Mutes no one.'}],
};

const since = (ms) => (ms === undefined ? null : time(ms));

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
		h('div.person-name', {}, h('h1', {}, named(username)), h('p.muted.num', {}, shownName(user), ` #${id}`)),
		h('div.actions', {}, link(`#/map/${id}`, 'map', 'Map'), link(`#/path?from=${id}`, 'path', 'Path'),
			moment.at === null ? null : link(`#/past?user=${id}`, 'clock', 'Then and now')),
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

/** One post: what it replies to, who likes it, what replies to it, and its edges of declared relations. */
export function postView(place, scope) {
	const id = place.id;
	if (id === null) return {element: missing({message: 'This address names no post.'})};
	const card = h('article.card.post-card', {}), above = h('div.ancestors', {});
	const thread = relations().find((one) => one.isThread)?.name;
	const likers = {name: 'likers', text: 'Liked by'}, whole = {name: 'thread', text: 'Conversation'};
	const lists = new TabbedLists(scope, {
		kind: 'post',
		id,
		tabs: thread ? [likers, whole] : [likers],
		wanted: place.tab,
		list: (name) => (name === 'thread'
				? questionList({op: 'thread', post: id}, {...POSTS, label: 'Conversation', empty: 'Only this post.'})
				: questionList(
						{op: 'likers', post: id}, {label: 'Likers', empty: 'No likes yet.', note: (one) => since(one.likedAt)}))
	});
	// What it replies to is shown above it.
	lists.hides = (one) => one.thread && one.name.endsWith('.targets');
	const element = h('div.post-view', {}, above, card, kept, lists.tabs.element, lists.body);
	const likes = h('b.num', {}), kept = h('div', {}), noun = h('span.muted', {});

	function show(post) {
		likes.textContent = number(post.likeCount);
		noun.textContent = post.likeCount === 1 ? 'like' : 'likes';
		lists.tabs.set([{...likers, count: post.likeCount}]);
		lists.recount();
		const shown = JSON.stringify([String(post.id), post.text, post.payload, post.flags, post.editedAt]);
		if (card.dataset.shown === shown) return;
		card.dataset.shown = shown;
		kept.replaceChildren(...[payloadCard(post.payload, post.flags)].filter((one) => one));
		scope.title(`Post of ${post.author.username}`);
		card.replaceChildren(
			h('header.post-card-head', {}, avatar(post.author),
				h('div', {}, h('h1', {}, h('a', {href: userHash(post.author.id)}, named(post.author.username))),
					h('p.muted.num', {text: both(post.createdAt)}),
					post.editedAt !== undefined && h('p.muted.num', {text: `edited ${both(post.editedAt)}`})),
				h('span.id.num', {text: `post #${post.id}`})),
			h('p.post-large', {},
				post.text === '' ? h('span.muted', {text: '(no text)'}) : h('bdi.post-text', {text: post.text})),
			h('p.post-likes', {}, icon('heart'), likes, noun));
		if (post.parent !== undefined) ancestors(post, above);
	}

	scope.title(`Post #${id}`);
	const question = {op: 'post', post: id, payloads: true};
	ask(question).then(({post}) => show(post)).catch((error) => element.replaceChildren(missing(error)));
	scope.use(() => follow(`/api/live?question=${encodeURIComponent(write(question))}`, {
		answer: (answer) => {
			if (!answer.ok) {
				element.replaceChildren(missing(answer.error));
				return;
			}
			show(answer.post);
		},
	},
							{live: true}));
	return {element};
}

const ANCESTORS = 5;

/** The posts that a post replies to, the first at the top. */
async function ancestors(post, holder) {
	try {
		const {posts, truncated} = await ask({op: 'ancestors', post: post.id, limit: ANCESTORS});
		const words = truncated ? 'The beginning of the conversation is further up.' : 'In reply to';
		holder.replaceChildren(
			h('h2.overline', {text: posts.length ? words : `In reply to post #${post.parent}, which was removed`}),
			...posts.reverse().map((one) => postRow(one)));
	} catch {
		// The post itself is shown.
	}
}
