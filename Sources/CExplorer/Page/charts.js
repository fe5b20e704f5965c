// Charts as SVG, at the width they have, each with its numbers as a table.

import {bytes, compact, h, icon, noun, number, s} from './dom.js';

/** A card: a title, a line of text that follows the pointer, a chart, its numbers as a table. */
export function card(title, {note = '', table = null, tools = null, wide = ''} = {}, ...body) {
	const readout = h('p.readout.num.muted', {text: note});
	const holder = h('div.table-holder', {hidden: true});
	const toggle = table &&
		h('button.ghost', {
			type: 'button',
			'aria-expanded': 'false',
			title: 'Table',
			'aria-label': `${title} as a table`,
			onclick: () => {
				holder.hidden = !holder.hidden;
				toggle.setAttribute('aria-expanded', String(!holder.hidden));
				if (!holder.hidden) holder.replaceChildren(rows(title, ...table()));
			}
		},
			icon('table'));
	const element = h('section', {class: `card chart ${wide}`, 'aria-label': title},
		h('div.card-head', {}, h('div', {}, h('h2', {text: title}), readout), h('div.card-tools', {}, tools, toggle)),
		...body, holder);
	return {
		element,
		read: (text) => {
			readout.textContent = text ?? note;
		},
		note: (text) => {
			note = readout.textContent = text;
		},
		title: (text) => {
			element.querySelector('h2').textContent = text;
			element.setAttribute('aria-label', text);
		}
	};
}

function rows(caption, heads, data) {
	const isNumber = (cell) => typeof cell === 'number' || typeof cell === 'bigint';
	const cell = (value) => h('td.num', {}, isNumber(value) ? number(value) : h('bdi', {text: String(value)}));
	const head = h('thead', {}, h('tr', {}, ...heads.map((text) => h('th', {scope: 'col', text}))));
	const body = h('tbody', {}, ...data.map((line) => h('tr', {}, ...line.map(cell))));
	return h('div.table-scroll', {tabindex: 0, role: 'group', 'aria-label': caption},
		h('table', {}, h('caption.hidden', {text: caption}), head, body));
}

/** Draws again when the width changes. `draw(width, height)` returns the children. */
export function picture(label, height, draw) {
	const svg = s('svg.picture', {role: 'img', 'aria-label': label, height});
	let width = 0;
	const again = () => {
		width = svg.clientWidth;
		if (!width) return;
		svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
		svg.replaceChildren(...draw(width, height).filter(Boolean));
	};
	new ResizeObserver(() => {
		if (svg.clientWidth !== width) again();
	}).observe(svg);
	return {svg, again};
}

const text = (x, y, words, anchor = 'middle', kind = 'tick') =>
	s('text', {x, y, class: kind, 'text-anchor': anchor}, words);

/** Points on two logarithmic axes, without zeros. `series`: [{kind, name, points: [[x, y], …]}]. */
export function logarithmic(label, series, words, say) {
	const LEFT = 46, BOTTOM = 34, TOP = 8, RIGHT = 10;
	const visible = series.map((one) => ({...one, points: one.points.filter(([x, y]) => x > 0 && y > 0)}));
	const all = visible.flatMap((one) => one.points);
	const topX = Math.log10(Math.max(10, ...all.map(([x]) => x))),
				topY = Math.log10(Math.max(10, ...all.map(([, y]) => y)));
	const chart = picture(label, 300, (width, height) => {
		const px = (x) => LEFT + Math.log10(x) / topX * (width - LEFT - RIGHT);
		const py = (y) => height - BOTTOM - Math.log10(y) / topY * (height - BOTTOM - TOP);
		const grid = [];
		for (let power = 0; power <= topX; power += 1) {
			grid.push(s('line.grid', {x1: px(10 ** power), x2: px(10 ** power), y1: TOP, y2: height - BOTTOM}),
				text(px(10 ** power), height - BOTTOM + 17, compact(10 ** power)));
		}
		for (let power = 0; power <= topY; power += 1) {
			grid.push(s('line.grid', {x1: LEFT, x2: width - RIGHT, y1: py(10 ** power), y2: py(10 ** power)}),
				text(LEFT - 8, py(10 ** power) + 4, compact(10 ** power), 'end'));
		}
		const dot = ([x, y]) => s('circle', {cx: px(x), cy: py(y), r: 2.6});
		const dots = visible.map((one) => s('g', {class: one.kind}, ...one.points.map(dot)));
		chart.nearest = (mouseX, mouseY) => {
			let best = null, least = 400;
			for (const {name, points} of visible)
				for (const [x, y] of points) {
					const far = (px(x) - mouseX) ** 2 + (py(y) - mouseY) ** 2;
					if (far < least) {
						least = far;
						best = [name, x, y];
					}
				}
			return best;
		};
		return [
			...grid, ...dots, text((width + LEFT) / 2, height - 2, words.x, 'middle', 'axis'),
			text(LEFT + 6, TOP + 10, words.y, 'start', 'axis')
		];
	});
	chart.svg.addEventListener('pointermove', (event) => {
		const hit = chart.nearest?.(event.offsetX, event.offsetY);
		const [name, count, people] = hit ?? [];
		say(hit ? `${compact(people)} ${people === 1 ? 'person has' : 'people have'} ${compact(count)} ${noun(count, name)}`
						: null);
	});
	chart.svg.addEventListener('pointerleave', () => say(null));
	return chart.svg;
}

/** A filled line of one value per step. `when(index)` names a step. */
export function area(label, values, {height = 120, when, say, ticks}) {
	const top = Math.max(1, ...values), BOTTOM = 20, TOP = 18;
	const chart = picture(label, height, (width, tall) => {
		const px = (index) => index / Math.max(1, values.length - 1) * width;
		const py = (value) => tall - BOTTOM - value / top * (tall - BOTTOM - TOP);
		const line =
			values.map((value, index) => `${index ? 'L' : 'M'}${px(index).toFixed(1)} ${py(value).toFixed(1)}`).join('');
		const cross =
			s('g.cross', {visibility: 'hidden'}, s('line', {y1: TOP - 6, y2: tall - BOTTOM}), s('circle', {r: 3.5}));
		chart.move = (x) => {
			const index = Math.max(0, Math.min(values.length - 1, Math.round(x / width * (values.length - 1))));
			cross.setAttribute('visibility', 'visible');
			cross.firstChild.setAttribute('x1', px(index));
			cross.firstChild.setAttribute('x2', px(index));
			cross.lastChild.setAttribute('cx', px(index));
			cross.lastChild.setAttribute('cy', py(values[index]));
			say(`${when(index)}: ${number(values[index])}`);
		};
		chart.leave = () => {
			cross.setAttribute('visibility', 'hidden');
			say(null);
		};
		const anchor = (index) => (index === 0 ? 'start' : index === ticks.length - 1 ? 'end' : 'middle');
		return [
			s('line.grid', {x1: 0, x2: width, y1: tall - BOTTOM, y2: tall - BOTTOM}),
			s('line.grid', {x1: 0, x2: width, y1: py(top), y2: py(top)}),
			text(0, py(top) - 5, compact(top), 'start'),
			s('line.grid', {x1: 0, x2: width, y1: py(top / 2), y2: py(top / 2)}),
			s('path.area', {d: `${line}L${width} ${tall - BOTTOM}L0 ${tall - BOTTOM}Z`}),
			s('path.line', {d: line}),
			...ticks.map(([at, words], index) => text(at * width, tall - 4, words, anchor(index))),
			cross,
		];
	});
	chart.svg.addEventListener('pointermove', (event) => chart.move?.(event.offsetX));
	chart.svg.addEventListener('pointerleave', () => chart.leave?.());
	return chart.svg;
}

export const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** Seven days of 24 hours, the more the stronger. */
export function heat(label, values, say) {
	const top = Math.max(1, ...values.flat()), LEFT = 34, BOTTOM = 20, GAP = 2;
	const chart = picture(label, 300, (width, height) => {
		const wide = (width - LEFT) / 24, tall = (height - BOTTOM) / 7;
		const cells = values.flatMap((hours, day) => hours.map((value, hour) => s('rect', {
			class: 'cell',
			x: LEFT + hour * wide,
			y: day * tall,
			width: Math.max(1, wide - GAP),
			height: tall - GAP,
			rx: 3,
			'fill-opacity': (0.05 + 0.95 * value / top).toFixed(3),
		})));
		chart.find = (x, y) => {
			const hour = Math.floor((x - LEFT) / wide), day = Math.floor(y / tall);
			return hour >= 0 && hour < 24 && day < 7 ? [day, hour] : null;
		};
		return [
			...cells, ...DAYS.map((name, day) => text(0, day * tall + tall / 2 + 3, name, 'start')),
			...[0, 6, 12, 18, 23].map(
				(hour) => text(LEFT + hour * wide + wide / 2, height - 4, String(hour).padStart(2, '0')))
		];
	});
	chart.svg.addEventListener('pointermove', (event) => {
		const hit = chart.find?.(event.offsetX, event.offsetY);
		say(hit ? `${DAYS[hit[0]]} ${String(hit[1]).padStart(2, '0')}:00 UTC: ${number(values[hit[0]][hit[1]])}` : null);
	});
	chart.svg.addEventListener('pointerleave', () => say(null));
	return chart.svg;
}

/** Rectangles of areas that follow values: rows of about squares (Bruls, Huizing, van Wijk). */
export function squares(values, width, height) {
	const total = values.reduce((sum, value) => sum + value, 0), boxes = [];
	let x = 0, y = 0, w = width, tall = height, at = 0;
	const scale = width * height / (total || 1);
	while (at < values.length) {
		const side = Math.min(w, tall);
		let sum = 0, worst = Infinity, end = at;
		for (; end < values.length; end += 1) {
			const next = sum + values[end] * scale;
			const ratio =
				Math.max(side * side * values[at] * scale / (next * next), next * next / (side * side * values[end] * scale));
			if (ratio > worst) break;
			worst = ratio;
			sum = next;
		}
		const thick = sum / side;
		let along = 0;
		for (let i = at; i < end; i += 1) {
			const long = values[i] * scale / thick;
			boxes.push(w < tall ? [x + along, y, long, thick] : [x, y + along, thick, long]);
			along += long;
		}
		if (w < tall) {
			y += thick;
			tall -= thick;
		} else {
			x += thick;
			w -= thick;
		}
		at = end;
	}
	return boxes;
}

const words = (name) => name.replace(/([A-Z]+)/g, ' $1').toLowerCase();

/** Memory by structure. */
export function treemap(label, structures, say) {
	const parts = structures.filter((one) => one.bytes > 0).sort((a, b) => b.bytes - a.bytes);
	const total = parts.reduce((sum, one) => sum + one.bytes, 0);
	const chart = picture(label, 300,
		(width, height) => squares(parts.map((one) => one.bytes), width, height).map(([x, y, w, tall], index) => {
			const part = parts[index], strong = index === 0 ? 'strong' : '', wide = Math.max(0.5, w - 3),
						high = Math.max(0.5, tall - 3);
			const size = `${bytes(part.bytes)} · ${Math.round(part.bytes / total * 100)} %`;
			const fits = (label) => wide > label.length * 7.2 + 18;
			const room = fits(words(part.name)) && high > 24;
			const tile = s('g.tile-part', {}, s('rect', {
				x,
				y,
				width: wide,
				height: high,
				rx: Math.min(5, wide / 3),
				'fill-opacity': (index === 0 ? 1 : 0.42 - 0.3 * Math.sqrt(index / parts.length)).toFixed(3)
			}),
				room && s('text', {x: x + 9, y: y + 19, class: `tile-name ${strong}`}, words(part.name)),
				room && high > 42 && fits(size) && s('text', {x: x + 9, y: y + 36, class: `tile-size ${strong}`}, size));
			tile.addEventListener('pointerenter',
				() => say(`${words(part.name)}: ${bytes(part.bytes)}, ${(part.bytes / total * 100).toFixed(1)} %`));
			return tile;
		}));
	chart.svg.addEventListener('pointerleave', () => say(null));
	return chart.svg;
}
