// Rows that several views show: people, posts, and the field that picks a person.

import {ask, identifier, relations} from './api.js';
import {avatar, compact, h, icon, marked, named, noun, number, plural, time} from './dom.js';
import {List} from './list.js';
import {queryHash} from './query.js';

export const userHash = (id) => `#/user/${id}`;

export function userFacts(user) {
	const {followerCount, followeeCount, postCount} = user;
	return `${compact(followerCount)} ${noun(followerCount, 'followers')} · ${compact(followeeCount)} following · ` +
		plural(postCount, 'posts') + (user.isPrivate ? ' · private' : '');
}

/** The display name, or null for none. */
export const shownName = ({displayName, displayNameRanges}) =>
	displayName === undefined ? null : h('span.shown-name.muted', {}, marked(displayName, displayNameRanges));

/** A person as a link. `note` is a second text at the right. */
export function userRow(user, {option = false, note = null} = {}) {
	const content = [
		avatar(user),
		h('span.row-text', {},
			h('span.row-name', {}, marked(user.username, user.ranges), shownName(user),
				h('span.id.num', {text: `#${user.id}`})),
			h('span.row-facts.num', {text: userFacts(user)})),
		note && h('span.row-note.num', {}, note),
	];
	if (option) return h('a.user-row', {role: 'option', href: userHash(user.id), tabindex: -1}, ...content);
	return h('div.user-row-item', {}, h('a.user-row', {href: userHash(user.id)}, ...content));
}

/** Who may see a post, where that is not everyone. */
const AUDIENCES = {
	unlisted: 'unlisted',
	followers: 'for followers',
	mentioned: 'for those it mentions'
};

const FOLDED = 480;  // letters of a post from which its row is folded

/** A post: all of its text is a link to it. */
export function postRow(post, {by = true, note = null} = {}) {
	const href = `#/post/${post.id}`, text = marked(post.text, post.ranges);
	text.className = 'post-text';
	text.removeAttribute('title');
	const isLong = post.text.length > FOLDED || post.text.split('\n').length > 9;
	const thread = relations().find((one) => one.isThread)?.name, replies = post.counts?.[thread] ?? 0;
	return h('article.post-row', {}, by ? avatar(post.author, 'small') : null,
		h('div.post-body', {},
			h('p.post-head', {}, by && h('a.author', {href: userHash(post.author.id)}, named(post.author.username)),
				time(post.createdAt), post.parent !== undefined && h('a.text-link', {href: `#/post/${post.parent}`}, 'reply'),
				post.repost !== undefined &&
					h('span.muted', {}, 'reposted by ',
						h('a.author', {href: userHash(post.repost.id)}, named(post.repost.username))),
				post.audience !== undefined && h('span.muted', {text: AUDIENCES[post.audience]}), note),
			h(isLong ? 'a.post-words.folded' : 'a.post-words', {href},
				post.text === '' ? h('span.muted', {text: '(no text)'}) : text),
			post.likeCount || replies
				? h('p.post-foot.num.muted', {},
						post.likeCount ? h('span.likes', {title: plural(post.likeCount, 'likes')}, icon('heart'),
															 h('span.hidden', {text: 'Likes: '}), number(post.likeCount))
													 : null,
						replies ? h('span.likes', {title: `${number(replies)} ${replies === 1 ? 'reply' : 'replies'}`},
												icon('reply'), h('span.hidden', {text: 'Replies: '}), number(replies))
										: null)
				: null));
}

const PAGE = 40;

/** An endless list of people or posts for a question without cursor and limit. */
export function questionList(question, {kind = 'users', label, empty, note, by, scroller}) {
	const limit = question.op === 'suggestions' ? 100 : PAGE;
	const userItem = (user) => userRow(user, {note: note?.(user)});
	const postItem = (post) => h('div.post-item', {}, postRow(post, {by, note: note?.(post)}));
	const thread = relations().find((one) => one.isThread)?.name;
	if (kind === 'posts' && thread) question = {...question, counts: [thread]};
	const page = async (cursor, signal) => {
		const answer = await ask({...question, limit, ...(cursor ? {cursor} : {})}, {signal});
		return {items: answer[kind], next: answer.next ?? null};
	};
	const [estimate, row] = kind === 'users' ? [68, userItem] : [96, postItem];
	const list = new List({label, empty, scroller, estimate, row, page});
	list.element.append(h('p.as-query', {}, h('a.text-link', {href: queryHash({...question, limit})}, 'As a query')));
	list.question = {...question, limit};
	list.kind = kind;
	return list;
}

const PICKED = 8;
let pickers = 0;

/** A field that picks a person: a combo box over the search of the engine. `pick` gets who is picked. */
export class Picker {
	constructor(label, pick) {
		this.pick = pick;
		this.id = `picker-${++pickers}`;
		this.input = h('input', {
			type: 'text',
			role: 'combobox',
			autocomplete: 'off',
			spellcheck: 'false',
			placeholder: 'Name or #id',
			'aria-expanded': 'false',
			'aria-controls': this.id,
			'aria-autocomplete': 'list',
			'aria-label': label
		});
		this.options = h('div.picker-options', {role: 'listbox', id: this.id, 'aria-label': label, hidden: true});
		this.face = h('span.picker-face', {});
		this.element = h('div.picker', {}, this.face, this.input, this.options);
		this.users = [];
		this.active = -1;
		this.controller = null;
		const look = () => this.look();
		const events = {input: look, click: look, focus: () => this.input.select(), blur: () => this.close(true)};
		for (const [name, body] of Object.entries(events)) this.input.addEventListener(name, body);
		this.input.addEventListener('keydown', (event) => this.key(event));
		this.set(null);
	}

	set(user) {
		this.chosen = user;
		this.show();
	}

	focus() {
		this.input.focus();
	}

	show() {
		const {chosen} = this;
		this.face.replaceChildren(chosen ? avatar(chosen, 'tiny') : icon('user'));
		this.input.value = chosen ? chosen.username : '';
	}

	close(shows = false) {
		this.options.hidden = true;
		this.input.setAttribute('aria-expanded', 'false');
		this.input.removeAttribute('aria-activedescendant');
		if (shows) this.show();
	}

	take(user) {
		this.set(user);
		this.close();
		this.pick(user);
	}

	mark(index) {
		this.active = index;
		[...this.options.children].forEach((one, at) => one.setAttribute('aria-selected', String(at === index)));
		if (index >= 0) this.input.setAttribute('aria-activedescendant', `${this.id}-${index}`);
	}

	async find() {
		const text = this.input.value.trim(), id = /^#(\d+)$/.exec(text), order = text ? 'prefixFirst' : 'popular';
		if (id) return [(await ask({op: 'user', user: identifier(id[1])}, this.controller)).user];
		const question = {op: 'users', query: text, order, limit: PICKED, highlights: text !== ''};
		return (await ask(question, this.controller)).users;
	}

	async look() {
		const {input, options} = this;
		this.controller?.abort();
		this.controller = new AbortController();
		try {
			this.users = await this.find();
		} catch (error) {
			if (error.name === 'AbortError') return;
			this.users = [];
		}
		options.replaceChildren(...this.users.map((user, index) => this.option(user, index)));
		options.hidden = this.users.length === 0 || document.activeElement !== input;
		input.setAttribute('aria-expanded', String(!options.hidden));
		this.mark(this.users.length ? 0 : -1);
	}

	option(user, index) {
		const onmousedown = (event) => {
			event.preventDefault();
			this.take(user);
		};
		const count = h('span.num.muted', {text: compact(user.followerCount)});
		return h('div', {role: 'option', id: `${this.id}-${index}`, class: 'picker-option', onmousedown},
			avatar(user, 'tiny'), marked(user.username, user.ranges), shownName(user), count);
	}

	key(event) {
		const {users, active, options: {hidden}} = this;
		if (event.key === 'ArrowDown' && hidden) this.look();
		else if (event.key === 'ArrowDown') this.mark(Math.min(users.length - 1, active + 1));
		else if (event.key === 'ArrowUp') this.mark(Math.max(0, active - 1));
		else if (event.key === 'Enter' && !hidden && users[active]) this.take(users[active]);
		else if (event.key === 'Escape' && !hidden) this.close(true);
		else return;
		event.preventDefault();
	}
}

/** A row of tiles with counts; `set` changes them. */
export function tiles(names) {
	const element = h('dl.tiles', {});
	const cells = names.map(([, name, href]) => {
		const value = h('dd.num', {text: '–'});
		element.append(h('div.tile', {}, h('dt', {}, href ? h('a', {href, text: name}) : name), value));
		return value;
	});
	const set = (values, deltas = {}) => names.forEach(([key, name], index) => {
		const value = values[key], text = value == null ? '–' : compact(Number(value));
		const term = cells[index].previousSibling;
		if (cells[index].textContent !== text) cells[index].textContent = text;
		if (value != null) cells[index].title = number(value);
		(term.firstElementChild ?? term).textContent = noun(value, name);
		const delta = deltas[key];
		if (delta)
			cells[index].append(h('span',
				{class: `delta ${delta < 0 ? 'down' : ''}`, text: `${delta < 0 ? '−' : '+'}${compact(Math.abs(delta))}`}));
	});
	return {element, set};
}
