// What the host keeps with a person or a post: shown by what its bytes are.

import {h, plural} from './dom.js';

/** The first bytes of the pictures that browsers show, and their types. */
const PICTURES = [
	['89504e47', 'image/png'], ['ffd8ff', 'image/jpeg'], ['47494638', 'image/gif'], ['52494646', 'image/webp'],
	['0000001c66747970', 'image/avif'], ['0000002066747970', 'image/avif']
];
const SHOWN = 256;  // bytes of a payload that is neither a picture nor a text

/** A card with a payload in base64, or null for none. */
export function payloadCard(base64, flags) {
	const facts = flags ? `flags ${flags} (0x${flags.toString(16)})` : null;
	if (!base64) return facts && h('section.card.payload', {}, h('p.muted.num', {text: facts}));
	const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
	const [kind, content] = show(bytes, base64);
	const words = [`payload: ${kind}, ${plural(bytes.length, 'bytes')}`, facts].filter((one) => one).join(' · ');
	return h('section.card.payload', {'aria-label': 'Payload'}, h('p.muted.num', {text: words}), content);
}

function show(bytes, base64) {
	const start = hex(bytes.subarray(0, 12));
	const picture =
		PICTURES.find(([first, type]) => start.startsWith(first) && (type !== 'image/webp' || start.endsWith('57454250')));
	if (picture) {
		const source = `data:${picture[1]};base64,${base64}`;
		return [picture[1], h('img.payload-picture', {src: source, alt: 'The picture in the payload'})];
	}
	try {
		const text = new TextDecoder('utf-8', {fatal: true}).decode(bytes);
		if (!/\p{Cc}/u.test(text.replace(/\s/g, ''))) return shownText(text);
	} catch {
		// Not a text.
	}
	const more = bytes.length > SHOWN ? ' …' : '';
	return ['bytes', pre(hex(bytes.subarray(0, SHOWN)).replace(/..(?!$)/g, '$& ') + more)];
}

function shownText(text) {
	if (/^\s*[{[]/.test(text)) {
		try {
			return ['JSON', pre(JSON.stringify(JSON.parse(text), null, 2))];
		} catch {
			// A text that only begins like JSON.
		}
	}
	return ['text', pre(text)];
}

const pre = (text) => h('pre.query-json', {text, tabindex: 0});
const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
