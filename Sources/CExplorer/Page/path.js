// A shortest path between two people.

import {ask, identifier, read} from './api.js';
import {avatar, empty, failure, h, icon, named, plural, replaceAddress, say} from './dom.js';
import {Picker, userFacts, userHash} from './rows.js';

/** A shortest path, drawn as a chain. */
export function pathView(place, scope) {
	const ends = {from: identifier(place.query.get('from')), to: identifier(place.query.get('to'))};
	const result = h('div.path-result', {'aria-live': 'polite'});
	let controller = null;
	const choose = (end) => (user) => {
		ends[end] = user.id;
		find();
		if (end === 'from' && ends.to === null) fields.to.focus();
	};
	const fields = {from: new Picker('From', choose('from')), to: new Picker('To', choose('to'))};

	async function find() {
		controller?.abort();
		controller = new AbortController();
		const options = {signal: controller.signal}, {from, to} = ends;
		const query = new URLSearchParams(Object.entries(ends).filter(([, id]) => id !== null));
		if (scope.shown) replaceAddress(`#/path?${query}`);
		try {
			for (const end of ['from', 'to']) {
				if (ends[end] !== null) fields[end].set((await ask({op: 'user', user: ends[end]}, options)).user);
			}
			if (from === null || to === null) return;
			const began = performance.now();
			const path = await read(`/api/path?from=${from}&to=${to}`, options);
			result.replaceChildren(...found(path, performance.now() - began));
		} catch (error) {
			if (error.name !== 'AbortError') result.replaceChildren(failure(error));
		}
	}

	const onclick = () => {
		[ends.from, ends.to] = [ends.to, ends.from];
		fields.from.set(null);
		fields.to.set(null);
		find();
	};
	const swap =
		h('button.ghost', {type: 'button', 'aria-label': 'Swap the two ends', title: 'Swap', onclick}, icon('swap'));
	const element = h('div.path', {},
		h('header.page-head', {}, h('h1', {text: 'Path'}),
			h('p.muted', {text: 'A shortest way from one person to another along follows.'})),
		h('div.toolbar.path-ends', {}, fields.from.element, swap, fields.to.element), result);
	scope.title('Path');
	find();
	return {element, focus: () => (ends.from === null ? fields.from : fields.to).focus()};
}

/** A path as a chain, or the words that there is none. */
function found({users, complete}, took) {
	if (!users) return [empty(complete ? 'No path along follows joins them.' : 'The search gave up at its limit.')];
	const hops = users.length - 1, time = h('span.muted.num', {text: ` · found in ${took.toFixed(1)} ms`});
	say(`A path of ${plural(hops, 'hops')}`);
	const links = users.map((user, index) => {
		const facts = user.followerCount === undefined ? `#${user.id}` : userFacts(user).split(' · ')[0];
		const person = h('a.chain-user', {href: userHash(user.id)}, avatar(user, 'huge'), named(user.username),
			h('span.muted.num', {text: facts}));
		const next = index < hops && h('span.chain-link', {}, h('span', {text: 'follows'}), icon('arrow'));
		return h('li', {vars: {'--step': index}}, person, next);
	});
	const head = [h('b.num.path-hops', {text: String(hops)}), h('span', {}, hops === 1 ? 'hop' : 'hops', time)];
	return [h('p.path-head', {}, ...head), h('ol.chain', {}, ...links)];
}
