// A graph drawn on canvas: it moves until it is settled, then changes alone draw it.

import {hue, initials} from './dom.js';
import {components, Layout} from './force.js';

const MOST_LINES = 6000;  // follows drawn while nothing is chosen
const LABELS = 16;        // names drawn at most while nothing is chosen
const LABEL_LENGTH = 22;
const SLICE = 6;  // milliseconds of layout in one frame while nothing is drawn

/** A name that cannot change the direction of what is around it. */
const isolated = (name) =>
	`\u2068${[...name].length > LABEL_LENGTH ? `${[...name].slice(0, LABEL_LENGTH).join('')}…` : name}\u2069`;

const recolour = () => document.querySelectorAll('canvas').forEach((canvas) => canvas.graph?.resize());
window.addEventListener('scheme', recolour);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', recolour);

export class GraphCanvas {
	/** `open(node)` is called for a click or Enter, `point(node)` when another node is under the pointer. */
	constructor(canvas, {open = () => {}, point = () => {}, still = false} = {}) {
		Object.assign(
			this, {canvas, open, point, still, zoom: 1, panX: 0, panY: 0, hot: -1, nodes: [], edges: [], by: 'distance'});
		this.context = canvas.getContext('2d');
		this.frame = () => this.step();
		this.observer = new ResizeObserver(() => this.resize());
		canvas.graph = this;
		if (!still) this.control();
	}

	start() {
		this.observer.observe(this.canvas);
		this.resize();
		this.run();
		return () => {
			cancelAnimationFrame(this.request);
			this.request = 0;
			this.observer.disconnect();
		};
	}

	show({nodes, edges}) {
		const most = Math.log1p(Math.max(1, ...nodes.map((node) => node.followerCount)));
		const largest = this.still ? 11 : 19;
		this.nodes = nodes.map((node) => ({
			...node,
			letters: initials(node.username),
			radius: 3.5 + (largest - 3.5) * (Math.log1p(node.followerCount) / most) ** 3
		}));
		if (nodes.length) this.nodes[0].radius = Math.max(this.nodes[0].radius, this.still ? 11 : 17);
		this.edges = edges;
		this.part = components(nodes.length, edges);
		this.near = this.nodes.map(() => new Set());
		for (const [a, b] of edges) {
			this.near[a].add(b);
			this.near[b].add(a);
		}
		this.order = [...this.nodes.keys()].sort((a, b) => this.nodes[b].radius - this.nodes[a].radius);
		this.layout = new Layout(this.nodes, edges);
		this.hot = -1;
		this.touched = false;
		this.times = [];
		this.run();
	}

	run() {
		if (!this.layout || this.request) return;
		this.canvas.dataset.state = 'moving';
		this.request = requestAnimationFrame(this.frame);
	}

	step() {
		this.request = 0;
		const began = performance.now();
		const quiet = this.still || matchMedia('(prefers-reduced-motion: reduce)').matches;
		if (quiet)
			while (!this.layout.settled && performance.now() - began < SLICE) this.layout.tick();
		else if (!this.layout.settled) this.layout.tick();
		if (!quiet || this.layout.settled) {
			if (!this.touched) this.fit();
			this.draw();
		}
		this.times.push(performance.now() - began);
		if (!this.layout.settled || this.held) this.request = requestAnimationFrame(this.frame);
		else this.finish();
	}

	finish() {
		const sorted = this.times.sort((a, b) => a - b);
		this.canvas.dataset.state = 'settled';
		this.canvas.dataset.median = sorted[sorted.length >> 1].toFixed(2);
		this.canvas.dataset.slowest = sorted[Math.floor(sorted.length * 0.95)].toFixed(2);
		this.times = [];
	}

	resize() {
		const {clientWidth: width, clientHeight: height} = this.canvas, ratio = window.devicePixelRatio || 1;
		if (!width || !height) return;
		Object.assign(this, {width, height, ratio});
		this.canvas.width = Math.round(width * ratio);
		this.canvas.height = Math.round(height * ratio);
		this.colours = null;
		if (!this.touched) this.fit();
		this.draw();
	}

	/** Zooms so that the picture fills the canvas. */
	fit() {
		if (!this.layout || !this.width) return;
		let left = -40, right = 40, top = -40, bottom = 40;
		const {x, y, radius, count} = this.layout;
		for (let i = 0; i < count; i += 1) {
			left = Math.min(left, x[i] - radius[i]);
			right = Math.max(right, x[i] + radius[i]);
			top = Math.min(top, y[i] - radius[i]);
			bottom = Math.max(bottom, y[i] + radius[i]);
		}
		const margin = this.still ? 14 : 48;
		const free = {width: this.width - 2 * margin, height: this.height - 2 * margin};
		this.zoom =
			Math.max(0.15, Math.min(this.still ? 1.2 : 1.8, free.width / (right - left), free.height / (bottom - top)));
		this.panX = -(left + right) / 2 * this.zoom;
		this.panY = -(top + bottom) / 2 * this.zoom;
	}

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
			line: of('edge')
		};
	}

	colour(index) {
		if (this.by === 'component')
			return index === 0 ? this.colours.accent : `oklch(0.66 0.12 ${hue(this.part[index] * 3 + 1)})`;
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
		const near = this.hot >= 0 ? this.near[this.hot] : null;
		for (let at = this.order.length - 1; at >= 0; at -= 1) {
			const i = this.order[at], radius = nodes[i].radius * Math.sqrt(zoom) * (this.still ? 0.9 : 1);
			context.globalAlpha = near && i !== this.hot && !near.has(i) ? 0.18 : 1;
			context.beginPath();
			context.arc(x[i] * zoom, y[i] * zoom, radius, 0, 6.2832);
			context.fillStyle = this.colour(i);
			context.fill();
			context.lineWidth = i === this.hot ? 2.5 : 1.2;
			context.strokeStyle = i === this.hot ? colours.ink : colours.back;
			context.stroke();
			if (radius > 10.5) {
				context.fillStyle = nodes[i].distance === 2 && this.by === 'distance' ? colours.ink : colours.onAccent;
				context.font = `600 ${Math.round(radius * 0.78)}px Inter, system-ui, sans-serif`;
				context.textAlign = 'center';
				context.textBaseline = 'middle';
				context.fillText(nodes[i].letters, x[i] * zoom, y[i] * zoom + 0.5);
			}
		}
		context.globalAlpha = 1;
		if (!this.still) this.labels(near);
	}

	lines() {
		const {context, layout: {x, y}, zoom, colours, edges, hot} = this;
		const line = (wanted, style, width) => {
			context.beginPath();
			let drawn = 0;
			for (const [a, b] of edges) {
				if (!wanted(a, b)) continue;
				context.moveTo(x[a] * zoom, y[a] * zoom);
				context.lineTo(x[b] * zoom, y[b] * zoom);
				if ((drawn += 1) >= MOST_LINES) break;
			}
			context.strokeStyle = style;
			context.lineWidth = width;
			context.stroke();
		};
		const dense = Math.min(1, 420 / (edges.length || 1));
		context.globalAlpha = (0.045 + 0.5 * dense) * (hot >= 0 ? 0.35 : 1);
		line((a, b) => a !== 0 && b !== 0, colours.line, 0.8);
		context.globalAlpha = hot > 0 ? 0.15 : 0.2 + 0.35 * dense;
		line((a, b) => a === 0 || b === 0, colours.accent, 1);
		context.globalAlpha = 0.75;
		if (hot >= 0) line((a, b) => a === hot || b === hot, colours.accent, 1.4);
		context.globalAlpha = 1;
	}

	labels(near) {
		const {context, layout: {x, y}, zoom, nodes, colours} = this, taken = [];
		const wanted =
			near ? [this.hot, ...[...near].sort((a, b) => nodes[b].radius - nodes[a].radius)] : [0, ...this.order];
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
			context.fillStyle = i === 0 || i === this.hot ? colours.ink : colours.muted;
			context.fillText(text, x[i] * zoom, top);
		}
	}

	/** The node at a point of the canvas, or -1. */
	at(px, py) {
		const {x, y} = this.layout ?? {x: [], y: []};
		const gx = (px - this.width / 2 - this.panX) / this.zoom, gy = (py - this.height / 2 - this.panY) / this.zoom;
		let best = -1, least = Infinity;
		this.nodes.forEach((node, i) => {
			const far = Math.hypot(x[i] - gx, y[i] - gy) * this.zoom - node.radius * Math.sqrt(this.zoom);
			if (far < 7 && far < least) {
				least = far;
				best = i;
			}
		});
		return best;
	}

	heat(index) {
		if (index === this.hot) return;
		this.hot = index;
		this.canvas.style.cursor = index >= 0 ? 'pointer' : 'grab';
		this.draw();
		this.point(index >= 0 ? this.nodes[index] : null, index);
	}

	scale(factor, px = this.width / 2, py = this.height / 2) {
		const zoom = Math.max(0.1, Math.min(8, this.zoom * factor)), real = zoom / this.zoom;
		this.panX = (this.panX + this.width / 2 - px) * real + px - this.width / 2;
		this.panY = (this.panY + this.height / 2 - py) * real + py - this.height / 2;
		this.zoom = zoom;
		this.touched = true;
		this.draw();
	}

	refit() {
		this.touched = false;
		this.fit();
		this.draw();
	}

	control() {
		const {canvas} = this;
		let last = null, moved = 0;
		const fingers = new Map();
		canvas.addEventListener('wheel', (event) => {
			event.preventDefault();
			this.scale(Math.exp(-event.deltaY * 0.0016), event.offsetX, event.offsetY);
		}, {passive: false});
		canvas.addEventListener('pointerdown', (event) => {
			canvas.setPointerCapture(event.pointerId);
			fingers.set(event.pointerId, event);
			last = event;
			moved = 0;
			const node = this.at(event.offsetX, event.offsetY);
			if (node >= 0 && fingers.size === 1) {
				this.layout.held = node;
				this.held = true;
				this.heat(node);
			}
		});
		canvas.addEventListener('pointermove', (event) => {
			if (!this.layout) return;
			if (!fingers.has(event.pointerId)) {
				this.heat(this.at(event.offsetX, event.offsetY));
				return;
			}
			const before = fingers.get(event.pointerId), dx = event.offsetX - before.offsetX,
						dy = event.offsetY - before.offsetY;
			moved += Math.abs(dx) + Math.abs(dy);
			if (fingers.size === 2) {
				const other = [...fingers.values()].find((finger) => finger.pointerId !== event.pointerId);
				const reach = (one) => Math.hypot(one.offsetX - other.offsetX, one.offsetY - other.offsetY);
				this.scale(reach(event) / Math.max(1, reach(before)), other.offsetX, other.offsetY);
			} else if (this.held) {
				this.layout.x[this.layout.held] += dx / this.zoom;
				this.layout.y[this.layout.held] += dy / this.zoom;
				this.touched = true;
				if (moved > 4) {
					this.layout.warm();
					this.run();
				}
			} else {
				this.panX += dx;
				this.panY += dy;
				this.touched = true;
				this.draw();
			}
			fingers.set(event.pointerId, event);
		});
		const up = (event) => {
			fingers.delete(event.pointerId);
			if (this.held) {
				const node = this.nodes[this.layout.held];
				this.layout.held = -1;
				this.held = false;
				if (moved <= 4 && event.type === 'pointerup') this.open(node);
			} else if (last && moved <= 4) this.heat(this.at(event.offsetX, event.offsetY));
			last = null;
		};
		canvas.addEventListener('pointerup', up);
		canvas.addEventListener('pointercancel', up);
		canvas.addEventListener('keydown', (event) => this.key(event));
	}

	key(event) {
		const {key} = event, step = {ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[key];
		if (step) this.heat(this.hot < 0 ? 0 : this.towards(...step));
		else if (key === 'Enter' && this.hot >= 0) this.open(this.nodes[this.hot]);
		else if (key === '+' || key === '=') this.scale(1.25);
		else if (key === '-') this.scale(0.8);
		else if (key === '0') this.refit();
		else if (key === 'Escape' && this.hot >= 0) this.heat(-1);
		else return;
		event.preventDefault();
	}

	/** The nearest node in a direction from the chosen one. */
	towards(dx, dy) {
		const {x, y, count} = this.layout, from = this.hot;
		let best = from, least = Infinity;
		for (let i = 0; i < count; i += 1) {
			const along = (x[i] - x[from]) * dx + (y[i] - y[from]) * dy;
			const across = Math.abs((x[i] - x[from]) * dy) + Math.abs((y[i] - y[from]) * dx);
			if (i === from || along <= 0 || across > along * 1.5) continue;
			if (along + across < least) {
				least = along + across;
				best = i;
			}
		}
		return best;
	}
}
