// How a graph is drawn on a canvas.

import {hue} from './dom.js';

const MOST_LINES = 6000;  // follows drawn while nothing is chosen
const LABELS = 16;        // names drawn at most while nothing is chosen
const LABEL_LENGTH = 22;
const ARROWS = 160;  // pairs of nodes up to which all directions are drawn

/** A name that cannot change the direction of what is around it. */
const isolated = (name) =>
	`\u2068${[...name].length > LABEL_LENGTH ? `${[...name].slice(0, LABEL_LENGTH).join('')}…` : name}\u2069`;

export class GraphDrawing {
	palette() {
		const of = (name) => {
			this.canvas.style.color = `var(--${name})`;
			return getComputedStyle(this.canvas).color;
		};
		return {
			ink: of('text'),
			muted: of('muted'),
			back: of('surface'),
			accent: of('accent'),
			near: of('node-near'),
			far: of('node-far'),
			onAccent: of('on-accent'),
			line: of('edge'),
			ties: [of('node-far'), of('tie-out'), of('tie-in'), of('tie-both')]
		};
	}

	/** The colour of a community. */
	static hueOf(part) {
		return hue(part * 3 + 1);
	}

	/** The colour of a node outside of a drawing. */
	tint(index) {
		this.colours ??= this.palette();
		return this.colour(index);
	}

	colour(index) {
		if (index === 0) return this.colours.accent;
		if (this.by === 'community') return `oklch(0.62 0.13 ${GraphDrawing.hueOf(this.part[index])})`;
		if (this.by === 'direction') return this.colours.ties[this.ties[index]];
		return [this.colours.accent, this.colours.near, this.colours.far][Math.min(2, this.nodes[index].distance)];
	}

	draw() {
		if (!this.layout || !this.width) return;
		this.colours ??= this.palette();
		const {context, layout: {x, y}, zoom, ratio, colours, nodes} = this;
		context.setTransform(ratio, 0, 0, ratio, 0, 0);
		context.clearRect(0, 0, this.width, this.height);
		context.translate(this.width / 2 + this.panX, this.height / 2 + this.panY);
		this.lines();
		const focus = this.hot >= 0 ? this.hot : this.chosen, near = focus >= 0 ? this.near[focus] : null;
		for (let at = this.order.length - 1; at >= 0; at -= 1) {
			const i = this.order[at], radius = nodes[i].radius * Math.sqrt(zoom) * (this.still ? 0.9 : 1);
			context.globalAlpha = near && i !== focus && !near.has(i) ? 0.18 : 1;
			context.beginPath();
			context.arc(x[i] * zoom, y[i] * zoom, radius, 0, 6.2832);
			context.fillStyle = this.colour(i);
			context.fill();
			context.lineWidth = i === focus ? 2.5 : 1.2;
			context.strokeStyle = i === focus ? colours.ink : colours.back;
			context.stroke();
			if (radius > 10.5) {
				context.fillStyle = colours.onAccent;
				context.font = `600 ${Math.round(radius * 0.78)}px Inter, system-ui, sans-serif`;
				context.textAlign = 'center';
				context.textBaseline = 'middle';
				context.fillText(nodes[i].letters, x[i] * zoom, y[i] * zoom + 0.5);
			}
		}
		context.globalAlpha = 1;
		if (!this.still) this.labels(near, focus);
	}

	lines() {
		const {context, colours, links, others} = this, focus = this.hot >= 0 ? this.hot : this.chosen;
		const dense = Math.min(1, 420 / (links.length || 1));
		context.globalAlpha = (0.06 + 0.5 * dense) * (focus >= 0 ? 0.35 : 1);
		this.strokes(links.filter(([a]) => a !== 0), colours.line, 0.8);
		for (const tie of [1, 2, 3]) {
			context.globalAlpha = focus > 0 ? 0.15 : 0.28 + 0.42 * dense;
			this.strokes(links.filter(([a, , direction]) => a === 0 && direction === tie), colours.ties[tie], 1.1);
		}
		context.globalAlpha = focus >= 0 ? 0.35 : 0.8;
		context.setLineDash([5, 4]);
		for (const relation of new Set(others.map(([, , one]) => one))) {
			this.strokes(
				others.filter(([, , one]) => one === relation), `oklch(0.62 0.17 ${GraphDrawing.relationHue(relation)})`, 1.3);
		}
		context.setLineDash([]);
		context.globalAlpha = 0.85;
		const own = focus < 0 ? [] : links.filter(([a, b]) => a === focus || b === focus);
		for (const tie of [1, 2, 3]) {
			// Seen from the chosen node.
			const seen = ([a, , direction]) => (a === focus || direction === 3 ? direction : 3 - direction);
			this.strokes(own.filter((link) => seen(link) === tie), colours.ties[tie], 1.6);
		}
		if (!this.still) this.arrows(links.length <= ARROWS ? links : own);
		context.globalAlpha = 1;
	}

	/** The hue of the lines of a declared relation. */
	static relationHue(relation) {
		return hue(relation * 5 + 2);
	}

	strokes(links, style, width) {
		const {context, layout: {x, y}, zoom} = this;
		context.beginPath();
		for (const [a, b] of links.slice(0, MOST_LINES)) {
			context.moveTo(x[a] * zoom, y[a] * zoom);
			context.lineTo(x[b] * zoom, y[b] * zoom);
		}
		context.strokeStyle = style;
		context.lineWidth = width;
		context.stroke();
	}

	/** A head at each end that an edge leads to. */
	arrows(links) {
		const {context, layout: {x, y}, zoom, nodes, colours} = this;
		context.beginPath();
		const head = (from, to) => {
			const angle = Math.atan2(y[to] - y[from], x[to] - x[from]), back = nodes[to].radius * Math.sqrt(zoom) + 1.5;
			const [tipX, tipY] = [x[to] * zoom - Math.cos(angle) * back, y[to] * zoom - Math.sin(angle) * back];
			context.moveTo(tipX, tipY);
			for (const side of [0.42, -0.42]) {
				context.lineTo(tipX - Math.cos(angle + side) * 7, tipY - Math.sin(angle + side) * 7);
			}
			context.closePath();
		};
		for (const [a, b, direction] of links.slice(0, MOST_LINES)) {
			if (direction & 1) head(a, b);
			if (direction & 2) head(b, a);
		}
		context.fillStyle = colours.muted;
		context.fill();
	}

	labels(near, focus) {
		const {context, layout: {x, y}, zoom, nodes, colours} = this, taken = [];
		const wanted = near ? [focus, ...[...near].sort((a, b) => nodes[b].radius - nodes[a].radius)] : [0, ...this.order];
		context.font = '500 12px Inter, system-ui, sans-serif';
		context.textAlign = 'center';
		context.textBaseline = 'top';
		context.lineJoin = 'round';
		for (const i of wanted.slice(0, LABELS * 3)) {
			if (taken.length >= LABELS) break;
			const text = isolated(nodes[i].username), width = context.measureText(text).width + 8;
			const left = x[i] * zoom - width / 2, top = y[i] * zoom + nodes[i].radius * Math.sqrt(zoom) + 4;
			if (taken.some(
						(box) => left < box[0] + box[2] && box[0] < left + width && top < box[1] + 17 && box[1] < top + 17))
				continue;
			taken.push([left, top, width]);
			context.lineWidth = 4;
			context.strokeStyle = colours.back;
			context.strokeText(text, x[i] * zoom, top);
			context.fillStyle = i === 0 || i === focus ? colours.ink : colours.muted;
			context.fillText(text, x[i] * zoom, top);
		}
	}
}
