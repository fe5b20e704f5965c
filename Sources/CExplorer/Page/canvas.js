// A graph drawn on canvas: it moves until it is settled, then changes alone draw it.

import {initials} from './dom.js';
import {GraphDrawing} from './drawing.js';
import {Layout} from './force.js';
import {communities, pairs} from './parts.js';

const SLICE = 6;  // milliseconds of layout in one frame while nothing is drawn

const recolour = () => document.querySelectorAll('canvas').forEach((canvas) => canvas.graph?.resize());
window.addEventListener('scheme', recolour);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', recolour);

export class GraphCanvas extends GraphDrawing {
	/**
	 * `open(node)` is called for Enter, `choose(node)` for a click, `expand(node)` for a double click, `point(node)` when
	 * another node is under the pointer.
	 */
	constructor(canvas, {open, choose, expand, point = () => {}, still = false} = {}) {
		super();
		Object.assign(this, {canvas, open, choose, expand, point, still, zoom: 1, panX: 0, panY: 0});
		Object.assign(this, {hot: -1, chosen: -1, nodes: [], links: [], others: [], by: 'direction'});
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

	/** Shows a graph; nodes that were shown before keep their places. */
	show({nodes, edges}, places = this.places()) {
		const most = Math.log1p(Math.max(1, ...nodes.map((node) => node.followerCount)));
		const largest = this.still ? 11 : 19;
		this.links = pairs(edges.filter(([, , relation = 0]) => relation === 0));
		this.others = edges.filter(([, , relation = 0]) => relation > 0);
		this.part = communities(nodes.length, edges);
		this.nodes = nodes.map((node, index) => ({
			...node,
			part: this.part[index],
			letters: initials(node.username),
			radius: 3.5 + (largest - 3.5) * (Math.log1p(node.followerCount) / most) ** 3
		}));
		if (nodes.length) this.nodes[0].radius = Math.max(this.nodes[0].radius, this.still ? 11 : 17);
		this.near = this.nodes.map(() => new Set());
		this.ties = new Uint8Array(nodes.length);
		for (const [a, b, direction] of [...this.links, ...this.others.map(([from, to]) => [from, to, 0])]) {
			this.near[a].add(b);
			this.near[b].add(a);
			if (a === 0) this.ties[b] |= direction;
		}
		this.order = [...this.nodes.keys()].sort((a, b) => this.nodes[b].radius - this.nodes[a].radius);
		this.layout = new Layout(this.nodes, edges, places);
		if (places.size) this.layout.cool();
		this.hot = -1;
		this.chosen = -1;
		this.touched = false;
		this.times = [];
		this.run();
	}

	/** Where nodes are, by id. */
	places() {
		const {layout, nodes} = this;
		return new Map(nodes.map(({id}, index) => [id, [layout.x[index], layout.y[index]]]));
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

	/** Chooses a node; -1 for none. */
	select(index) {
		this.chosen = index;
		this.draw();
		this.choose(index >= 0 ? this.nodes[index] : null, index);
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
				if (moved <= 4 && event.type === 'pointerup') this.select(this.nodes.indexOf(node));
			} else if (last && moved <= 4) this.select(-1);
			last = null;
		};
		canvas.addEventListener('dblclick', (event) => {
			const node = this.at(event.offsetX, event.offsetY);
			if (node >= 0) this.expand(this.nodes[node]);
		});
		canvas.addEventListener('pointerup', up);
		canvas.addEventListener('pointercancel', up);
		canvas.addEventListener('keydown', (event) => this.key(event));
	}

	key(event) {
		const {key} = event, step = {ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[key];
		if (step) this.heat(this.hot < 0 ? 0 : this.towards(...step));
		else if (key === 'Enter' && this.hot >= 0) this.open(this.nodes[this.hot]);
		else if (key === ' ' && this.hot >= 0) this.select(this.hot);
		else if (key === 'e' && this.hot >= 0) this.expand(this.nodes[this.hot]);
		else if (key === '+' || key === '=') this.scale(1.25);
		else if (key === '-') this.scale(0.8);
		else if (key === '0') this.refit();
		else if (key === 'Escape' && (this.hot >= 0 || this.chosen >= 0)) {
			this.heat(-1);
			this.select(-1);
		} else return;
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
