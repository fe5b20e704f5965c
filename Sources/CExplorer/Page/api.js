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

/** Round trips and engine times of the last questions, for the latency display. */
export const latency = {
	engine: 0,
	trip: 0,
	trips: []
};
export const KEPT_TRIPS = 48;

/** Fetches from now or, with `at`, from a past state, which is opened again if the server closed it. */
async function send(path, at, options) {
	const url = at ? `${path}${path.includes('?') ? '&' : '?'}at=${at}` : path, response = await fetch(url, options);
	if (response.status !== 404 || !at) return response;
	await new Promise((result, failure) => follow('/api/past', {result, failure}, {body: {at}}));
	return fetch(url, options);
}

const posted = (body) => ({method: 'POST', headers: {'Content-Type': 'application/json'}, body: write(body)});

/** Asks one question of docs/PROTOCOL.md. */
export async function ask(question, {signal, at} = {}) {
	const began = performance.now();
	const response = await send('/api/query', at, {signal, ...posted(question)});
	const answer = parse(await response.text());
	const engine = /engine;dur=([\d.]+)/.exec(response.headers.get('Server-Timing') ?? '');
	latency.trip = performance.now() - began;
	latency.engine = engine ? Number(engine[1]) : null;
	latency.trips.push(latency.trip);
	if (latency.trips.length > KEPT_TRIPS) latency.trips.shift();
	if (!answer.ok) throw new Refusal(answer.error?.code, answer.error?.message ?? 'no answer');
	return answer;
}

/** Reads a document of the server. */
export async function read(path, {signal, at} = {}) {
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
export function follow(path, on, {body, at, live = false} = {}) {
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

export function listen(target, name, action) {
	target.addEventListener(name, action);
	return () => target.removeEventListener(name, action);
}

export function connect() {
	const tell = (name) => (detail) => store.dispatchEvent(new CustomEvent(name, {detail}));
	const counts = tell('counts'), state = tell('state'), change = tell('change');
	follow('/api/events', {
		open: () => state(true),
		lost: () => state(false),
		change,
		skipped: change,
		counts: (detail) => {
			store.info = {...store.info, ...detail};
			counts(store.info);
		},
	},
		{live: true});
}
