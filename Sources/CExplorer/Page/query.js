// Any read of the protocol: its fields, the answer as a table and as JSON, and the same request elsewhere.

import {ask, latency, moment, parse, store, write} from './api.js';
import {empty, exact, failure, h, milliseconds, named, number, replaceAddress, say, segments} from './dom.js';

/** Members of times, and those that have no column. */
const TIMES = new Set(['createdAt', 'followedAt', 'likedAt', 'addedAt']);
const HIDDEN = new Set(['ranges']);
/** What a client of the page may not ask. */
const REFUSED = new Set(['batch', 'snapshot', 'watch', 'unwatch', 'help']);
const FIRST = {
	op: 'users',
	query: '',
	limit: 20
};

/** The address of the view with a request in it. */
export const queryHash = (question) => `#/query?q=${encodeURIComponent(write(question))}`;

let operations = null;

export function queryView(place, scope) {
	const view = new Query(place.query.get('q'));
	scope.title('Query');
	scope.use(() => {
		if (!view.answer) view.begin(scope);
	});
	return {element: view.element};
}

class Query {
	answer = null;
	shape = 'table';

	constructor(text) {
		this.text = text ?? write(FIRST);
		this.operation = h('select', {'aria-label': 'Operation', onchange: () => this.change({op: this.operation.value})});
		this.fields = h('div.query-fields', {});
		this.box = h('textarea.query-box', {rows: 3, spellcheck: 'false', 'aria-label': 'Request as JSON'});
		this.box.value = this.text;
		this.box.addEventListener('input', () => {
			this.text = this.box.value;
			this.fill();
		});
		this.box.addEventListener('keydown', (event) => {
			if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) this.ask();
		});
		this.note = h('p.muted.num.readout', {text: ' '});
		this.result = h('div.query-result', {});
		const button = (text, onclick, kind = '') => h(`button.button${kind}`, {type: 'button', text, onclick});
		const shapes = segments('Answer as', [['table', 'Table'], ['json', 'JSON']], this.shape, (shape) => {
			this.shape = shape;
			this.show();
		});
		this.element = h('div.query', {},
			h('header.page-head', {}, h('h1', {text: 'Query'}),
				h('p.muted', {text: 'Any read of the protocol. Fields that are left out have their defaults.'})),
			h('section.card.query-ask', {'aria-label': 'Request'},
				h('div.toolbar', {}, this.operation, button('Ask', () => this.ask(), '.primary'),
					button('Copy as curl', () => this.copy(curl)), button('Copy as kith', () => this.copy(command))),
				this.fields, this.box),
			h('section.card', {'aria-label': 'Answer'},
				h('div.toolbar', {}, h('h2', {text: 'Answer'}), shapes, this.note, button('CSV', () => this.save('csv')),
					button('JSON', () => this.save('json'))),
				this.result));
	}

	async begin(scope) {
		this.scope = scope;
		try {
			operations ??= (await ask({op: 'help'}, {quiet: true, at: null})).ops.filter(({op,
				answer}) => !REFUSED.has(op) && (op === 'stats' || !answer.includes('sequence')));
		} catch (error) {
			this.result.replaceChildren(failure(error));
			return;
		}
		this.operation.replaceChildren(...operations.map(({op}) => h('option', {value: op, text: op})));
		this.fill();
		this.ask();
	}

	/** The request as an object, or null where the text is none. */
	request() {
		try {
			const request = parse(this.text);
			return request && typeof request === 'object' ? request : null;
		} catch { return null; }
	}

	change(request) {
		this.text = this.box.value = write(request);
		this.fill();
	}

	/** The fields of the operation with the values of the request. */
	fill() {
		const request = this.request(), known = operations?.find(({op}) => op === request?.op);
		this.box.setAttribute('aria-invalid', String(!request));
		this.fields.hidden = !known;
		if (!known) return;
		this.operation.value = known.op;
		if (this.fields.contains(document.activeElement)) return;
		this.fields.replaceChildren(
			...known.fields.filter(({name}) => name !== 'tag').map((field) => this.field(field, request)));
	}

	field(field, request) {
		const {name, type, values, required} = field, value = request[name];
		const put = (chosen) => {
			const next = {...(this.request() ?? {op: this.operation.value})};
			if (chosen === undefined || chosen === '') delete next[name];
			else next[name] = chosen;
			this.text = this.box.value = write(next);
		};
		const text = value === undefined ? '' : typeof value === 'string' ? value : value.username ?? write(value);
		const hint = field.default === undefined ? type : `${field.default === '' ? type : field.default}`;
		let input;
		if (values || type === 'boolean') {
			const words = values ?? ['true', 'false'];
			const onchange = () => put(input.value === '' || values ? input.value : input.value === 'true');
			input = h('select', {onchange}, h('option', {value: '', text: `(${hint})`}),
				...words.map((word) => h('option', {value: word, text: word, selected: word === text})));
		} else {
			const oninput = () => put(valueOf(input.value, type));
			input =
				h('input', {type: 'text', value: text, placeholder: hint, oninput, spellcheck: 'false', autocomplete: 'off'});
		}
		input.addEventListener('keydown', (event) => {
			if (event.key === 'Enter') this.ask();
		});
		return h('label', {}, h('span', {text: required ? `${name} *` : name}), input);
	}

	async ask() {
		const request = this.request();
		if (!request) {
			this.result.replaceChildren(failure({message: 'The request is not a JSON object.'}));
			return;
		}
		if (this.scope.shown) replaceAddress(queryHash(request));
		try {
			this.answer = await ask(request);
			this.note.textContent = `${latency.engine === null ? '' : `${milliseconds(latency.engine)} in the engine, `}${
				milliseconds(latency.trip)} round trip`;
			say('Answered');
			this.show();
		} catch (error) {
			this.note.textContent = error.code ?? '';
			this.result.replaceChildren(failure(error));
		}
	}

	show() {
		if (!this.answer) return;
		const shown = this.shape === 'json'
			? [h('pre.query-json', {tabindex: 0, 'aria-label': 'Answer as JSON', text: pretty(this.answer)})]
			: tables(this.answer);
		this.result.replaceChildren(...shown);
	}

	copy(form) {
		const request = this.request();
		if (!request) return;
		navigator.clipboard.writeText(form(write(request)))
			.then(() => say('Copied'), () => say('The clipboard is not open'));
	}

	/** The first list of the answer as a file. */
	save(kind) {
		if (!this.answer) return;
		const [name, rows] =
			Object.entries(this.answer).find(([, value]) => Array.isArray(value)) ?? ['answer', [this.answer]];
		const text = kind === 'json' ? pretty(this.answer) : csv(rows);
		const href = URL.createObjectURL(new Blob([text], {type: kind === 'json' ? 'application/json' : 'text/csv'}));
		h('a', {href, download: `${name}.${kind}`}).click();
		setTimeout(() => URL.revokeObjectURL(href), 10000);
	}
}

/** What was typed as a value of a type. */
function valueOf(text, type) {
	if (text === '') return undefined;
	if (type === 'integer' || (type === 'user' && /^#?\d+$/.test(text))) {
		try {
			return parse(text.replace('#', ''));
		} catch { return text; }
	}
	if (type === 'user') return {username: text};
	if (type === 'string') return text;
	try {
		return parse(text);
	} catch { return text.split(',').map((one) => valueOf(one.trim(), type.replace(/s$/, ''))); }
}

const pretty = (value) =>
	JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? JSON.rawJSON(String(item)) : item), 2);

/** A word of a shell, whatever it holds. */
const quoted = (text) => `'${text.replaceAll('\'', '\'\\\'\'')}'`;
const curl = (request) => `curl -s -H "Authorization: Bearer $TOKEN" -d ${quoted(request)} ${
	quoted(`${location.origin}/api/query${moment.at === null ? '' : `?at=${moment.at}`}`)}`;
const command = (request) => `echo ${quoted(request)} | kith query ${quoted(store.info?.path ?? 'STORE')} --read-only`;

/** A cell as text: an author by name, a list by its values. */
function cell(value, name) {
	if (value === undefined || value === null) return '';
	if (TIMES.has(name)) return exact(value);
	if (typeof value === 'object') return value.username ?? write(value);
	return typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value);
}

const columnsOf =
	(rows) => [...new Set(rows.flatMap((row) => (row && typeof row === 'object' ? Object.keys(row) : ['value'])))].filter(
		(name) => !HIDDEN.has(name));

/** Lists as tables, everything else as names with values. */
function tables(answer) {
	const facts = [], shown = [];
	for (const [name, value] of Object.entries(answer)) {
		if (name === 'ok' || name === 'ns') continue;
		if (Array.isArray(value)) shown.push(value.length ? table(name, value) : empty(`No ${name}.`));
		else if (value && typeof value === 'object') shown.push(table(name, [value]));
		else facts.push([name, value]);
	}
	if (facts.length)
		shown.push(h('dl.query-facts', {}, ...facts.map(([name,
			value]) => h('div', {}, h('dt.muted', {text: name}), h('dd.num', {text: cell(value, name)})))));
	return shown;
}

function table(caption, rows) {
	const columns = columnsOf(rows);
	const one = (row, name) => (row && typeof row === 'object' ? row[name] : row);
	const content = (row, name) => {
		const value = one(row, name), text = cell(value, name);
		const place = {username: '#/user/', text: '#/post/'}[name];
		if (place && row.id !== undefined) return h('a.text-link', {href: `${place}${row.id}`}, named(text));
		return typeof value === 'number' && name !== 'id' && !TIMES.has(name) ? number(value) : h('bdi', {text});
	};
	return h('div.table-scroll', {tabindex: 0, role: 'group', 'aria-label': caption},
		h('table', {}, h('caption.hidden', {text: caption}),
			h('thead', {}, h('tr', {}, ...columns.map((text) => h('th', {scope: 'col', text})))),
			h('tbody', {},
				...rows.map((row) => h('tr', {}, ...columns.map((name) => h('td.num', {}, content(row, name))))))));
}

/** RFC 4180, with a leading apostrophe where a spreadsheet would take a text for a formula. */
function csv(rows) {
	const columns = columnsOf(rows);
	const field = (value, name) => {
		const text = cell(value, name), safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
		return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
	};
	const lines =
		rows.map((row) => columns.map((name) => field(row && typeof row === 'object' ? row[name] : row, name)).join(','));
	return `${[columns.join(','), ...lines].join('\r\n')}\r\n`;
}
