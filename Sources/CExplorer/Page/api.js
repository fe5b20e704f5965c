// What the page asks of the server: the query protocol, documents, event streams.

/** JSON whose integers beyond 2^53 stay whole, as BigInt: ids have 64 bits. */
export function parse(text) {
	if (!/\d{16}/.test(text)) return JSON.parse(text);
	return JSON.parse(text,
		(_, value, context) =>
			typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? '')
			? BigInt(context.source)
			: value);
}

export function write(value) {
	return JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? JSON.rawJSON(String(item)) : item));
}

/** An id or a time of an address, or null. */
export function identifier(text) {
	if (!/^-?\d{1,19}$/.test(text ?? '')) return null;
	const value = Number(text);
	return Number.isSafeInteger(value) ? value : BigInt(text);
}

/** An answer whose `ok` is false, or a status that is not 200. */
export class Refusal extends Error {
	constructor(code, message) {
		super(message);
		this.code = code;
	}
}

/** The instant that the page shows: the time of a past state and its counts, or null for now. */
export const moment = {
	at: null,
	counts: null
};

/** An address that keeps the instant. */
export function timed(hash, at = moment.at) {
	const [path, query = ''] = hash.split('?'), fields = new URLSearchParams(query);
	if (fields.has('at')) return hash;
	if (at !== null) fields.set('at', at);
	return fields.size ? `${path}?${fields}` : path;
}

/** Round trips and engine times of the last questions, for the latency display. */
export const latency = {
	engine: 0,
	trip: 0,
	trips: []
};
export const KEPT_TRIPS = 48;

const openings = new Map();

/** Opens a past state once for all that ask for it; answers its counts. */
export function open(at) {
	const known = openings.get(at);
	if (known) return known;
	const progress = (detail) => store.dispatchEvent(new CustomEvent('opening', {detail: {at, ...detail}}));
	const opened = new Promise((result, failure) => {
		progress({done: 0});
		follow('/api/past', {result, failure, progress}, {body: {at}, at: null});
	}).finally(() => {
		openings.delete(at);
		progress({done: null});
	});
	openings.set(at, opened);
	return opened;
}

/** Fetches from now or, with `at`, from a past state, which is opened again if the server closed it. */
async function send(path, at, options) {
	const url = at === null ? path : `${path}${path.includes('?') ? '&' : '?'}at=${at}`;
	if (at !== null && openings.has(at)) await openings.get(at);
	const response = await reach(url, options);
	if (response.status !== 404 || at === null) return response;
	const refusal = await response.clone().json().catch(() => ({}));
	if (refusal.error?.code !== 'notOpen') return response;
	await open(at);
	return reach(url, options);
}

/** A fetch whose failure to connect is in words; an unknown token leads to the page that says so. */
async function reach(url, options) {
	let response;
	try {
		response = await fetch(url, options);
	} catch (error) {
		if (error.name === 'AbortError') throw error;
		store.dispatchEvent(new CustomEvent('state', {detail: false}));
		throw new Refusal('offline', 'kith explore does not answer.');
	}
	if (response.status === 401) store.dispatchEvent(new CustomEvent('ended'));
	return response;
}

const posted = (body) => ({method: 'POST', headers: {'Content-Type': 'application/json'}, body: write(body)});

/** Asks one question of docs/PROTOCOL.md; a quiet one is not in the latency display. */
export async function ask(question, {signal, at = moment.at, quiet = false} = {}) {
	const began = performance.now();
	const response = await send('/api/query', at, {signal, ...posted(question)});
	const answer = parse(await response.text());
	if (!quiet) note(response, performance.now() - began);
	if (!answer.ok) throw new Refusal(answer.error?.code, answer.error?.message ?? 'no answer');
	return answer;
}

/** Keeps what a question took. */
function note(response, trip) {
	const engine = /engine;dur=([\d.]+)/.exec(response.headers.get('Server-Timing') ?? '');
	latency.trip = trip;
	latency.engine = engine ? Number(engine[1]) : null;
	latency.trips.push(trip);
	if (latency.trips.length > KEPT_TRIPS) latency.trips.shift();
}

/** Reads a document of the server. */
export async function read(path, {signal, at = moment.at} = {}) {
	const response = await send(path, at, {signal});
	const text = await response.text();
	let answer = {};
	try {
		answer = parse(text);
	} catch {
		// The page of a refusal.
	}
	if (!response.ok) throw new Refusal(answer.error?.code, answer.error?.message ?? `status ${response.status}`);
	return answer;
}

const RETRY = 1500;

/**
 * Follows an event stream; `on` has a function per event name. With `live` it begins again after a lost connection, and
 * rests while the page is hidden: a browser opens six connections. Returns what closes it.
 */
export function follow(path, on, {body, at = moment.at, live = false} = {}) {
	// A past state does not change.
	if (live && at !== null) return () => {};
	let controller = null, closed = false, timer = 0;
	const run = async () => {
		if (closed || controller || (live && document.hidden)) return;
		const mine = controller = new AbortController();
		let ended = false;
		try {
			const response = await send(path, at, {signal: mine.signal, ...(body && posted(body))});
			if (!response.ok) {
				const answer = await response.json().catch(() => ({}));
				throw new Refusal(answer.error?.code, answer.error?.message ?? `status ${response.status}`);
			}
			on.open?.();
			for await (const [name, data] of events(response.body)) {
				if (name === 'result' || name === 'failure') ended = true;
				on[name]?.(data);
			}
			if (!live && !ended) on.failure?.({code: 'closed', message: 'The connection ended before the answer.'});
		} catch (error) {
			if (!live && error.name !== 'AbortError') on.failure?.(error);
		}
		if (controller === mine) controller = null;
		if (!live || closed) return;
		on.lost?.();
		if (!document.hidden) timer = setTimeout(run, RETRY);
	};
	const visibility = () => {
		if (!live) return;
		clearTimeout(timer);
		if (document.hidden) controller?.abort();
		else run();
	};
	document.addEventListener('visibilitychange', visibility);
	run();
	return () => {
		closed = true;
		clearTimeout(timer);
		controller?.abort();
		document.removeEventListener('visibilitychange', visibility);
	};
}

/** The events of a stream as [name, data]. */
async function* events(stream) {
	const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
	let rest = '';
	for (;;) {
		const {done, value} = await reader.read();
		if (done) return;
		rest += value;
		const blocks = rest.split('\n\n');
		rest = blocks.pop();
		for (const block of blocks) {
			let name = 'message', data = '';
			for (const line of block.split('\n')) {
				if (line.startsWith('event:')) name = line.slice(6).trim();
				else if (line.startsWith('data:')) data += line.slice(5);
			}
			if (data) yield [name, parse(data)];
		}
	}
}

/** What happens to the store: `change` (a request, or the `count` of skipped ones), `counts`, `state` (connected). */
export const store = new EventTarget();
store.info = null;

/** The relations that the schema of the shown state declares. */
export const relations = () => (moment.at === null ? store.info : moment.counts)?.relations ?? [];

export function listen(target, name, action) {
	target.addEventListener(name, action);
	return () => target.removeEventListener(name, action);
}

export function connect() {
	const tell = (name) => (detail) => store.dispatchEvent(new CustomEvent(name, {detail}));
	const counts = tell('counts'), state = tell('state'), change = tell('change');
	const events = {
		open: () => state(true),
		lost: () => state(false),
		change,
		skipped: change,
		counts: (detail) => {
			store.info = {...store.info, ...detail};
			counts(store.info);
		},
	};
	follow('/api/events', events, {live: true, at: null});
}
