// Tabs over lists, also those of the relations that a schema declares.

import {read} from './api.js';
import {compact, h, number, time, words} from './dom.js';
import {questionList} from './rows.js';

/** A row of tabs; `open(name)` is called for the chosen one. Tabs are `{name, text, count}`. */
export class Tabs {
	constructor(label, open) {
		this.open = open;
		this.buttons = new Map();
		this.element = h('div.tabs', {role: 'tablist', 'aria-label': label});
		this.element.addEventListener('keydown', (event) => {
			const all = [...this.buttons.keys()], at = all.indexOf(document.activeElement.dataset.name);
			const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
			if (at < 0 || !step) return;
			const next = all[(at + step + all.length) % all.length];
			this.buttons.get(next).focus();
			this.open(next);
			event.preventDefault();
		});
	}

	/** Adds tabs, or changes the counts of those that are there. */
	set(tabs) {
		for (const {name, text, count} of tabs) {
			let button = this.buttons.get(name);
			if (!button) {
				const onclick = () => this.open(name);
				button = h('button', {
					type: 'button',
					role: 'tab',
					id: `tab-${name}`,
					'data-name': name,
					'aria-controls': 'tab-body',
					'aria-selected': 'false',
					tabindex: -1,
					onclick
				},
					text);
				this.buttons.set(name, button);
				this.element.append(button);
			}
			if (count === undefined) continue;
			const shown = h('span.tab-count.num', {text: compact(count), title: number(count)});
			button.replaceChildren(text, ' ', shown);
			button.classList.toggle('none', Number(count) === 0);
		}
	}

	/** Selects a tab, or the first for a name that none has; returns its name. */
	choose(name) {
		const chosen = this.buttons.has(name) ? name : this.buttons.keys().next().value;
		for (const [each, button] of this.buttons) {
			button.setAttribute('aria-selected', String(each === chosen));
			button.tabIndex = each === chosen ? 0 : -1;
		}
		return chosen;
	}
}

/**
 * The lists of declared relations of a user or a post, `kind` says which: `{name, text, count, question, options}`. Of
 * a relation whose ends are of one type there are two.
 */
export async function relationLists(kind, id) {
	const {lists} = await read(`/api/relations?${kind}=${id}`);
	return lists.map(({relation, side, of, thread, count}) => {
		const isBoth = lists.filter((one) => one.relation === relation).length === 2;
		const direction = side === 'targets' ? ' to' : ' from';
		const text = thread ? (side === 'targets' ? 'replies to' : 'replies') : words(relation) + (isBoth ? direction : '');
		const note = (item) => (item.addedAt === undefined ? null : time(item.addedAt));
		const options = {kind: of, label: text, note, empty: `No ${text}.`};
		return {
			name: `${relation}.${side}`,
			text: text[0].toUpperCase() + text.slice(1),
			count,
			thread,
			question: {op: side, relation, [kind]: id},
			options
		};
	});
}

export const relationList = ({question, options}) => questionList(question, options);
