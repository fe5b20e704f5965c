// A force-directed layout of some hundred nodes. Repulsion between all pairs of 300 takes 0.3 ms, less than the
// building of a Barnes–Hut tree.

const REPULSION = 900;    // at 300 nodes; fewer repel more
const REACH = 260 * 260;  // beyond this distance (squared) nodes do not repel each other
const RING = 170;         // pixels between the rings of the distances
const RING_PULL = 0.34;
const COOLING = 0.978;
const SETTLED = 0.012;
const FRICTION = 0.58;
const MOST_LINKS = 4000;  // follows that pull; of more, the first

export class Layout {
	/** `nodes` have `distance` and `radius`; `edges` are pairs of indices. The same input gives the same picture. */
	constructor(nodes, edges) {
		const n = this.count = nodes.length;
		for (const name of ['x', 'y', 'vx', 'vy', 'radius', 'ring']) this[name] = new Float32Array(n);
		this.degree = new Uint16Array(n);
		this.links = edges.slice(0, MOST_LINKS);
		for (const [a, b] of this.links) {
			this.degree[a] += 1;
			this.degree[b] += 1;
		}
		nodes.forEach((node, index) => {
			const angle = index * 2.39996, ring = node.distance * RING;
			this.radius[index] = node.radius;
			this.ring[index] = ring;
			const spread = node.distance === 0 ? 0 : ring * 0.6 + 12 * Math.sqrt(index);
			this.x[index] = Math.cos(angle) * spread;
			this.y[index] = Math.sin(angle) * spread;
		});
		this.heat = 1;
		this.held = -1;
	}

	get settled() {
		return this.heat < SETTLED;
	}

	warm(heat = 0.4) {
		this.heat = Math.max(this.heat, heat);
	}

	tick() {
		this.repel();
		this.pull();
		const {x, y, vx, vy, ring, heat, held, count} = this;
		for (let i = 0; i < count; i += 1) {
			const far = Math.hypot(x[i], y[i]) || 1, pull = (ring[i] - far) / far * RING_PULL * heat;
			vx[i] = (vx[i] + x[i] * pull) * FRICTION;
			vy[i] = (vy[i] + y[i] * pull) * FRICTION;
			if (i === held || i === 0) {
				vx[i] = vy[i] = 0;
				continue;
			}
			x[i] += Math.max(-30, Math.min(30, vx[i]));
			y[i] += Math.max(-30, Math.min(30, vy[i]));
		}
		this.heat *= COOLING;
	}

	repel() {
		const {x, y, vx, vy, radius, heat, count} = this;
		const strength = -REPULSION * heat * Math.min(5, Math.sqrt(300 / count));
		for (let i = 0; i < count; i += 1) {
			for (let j = i + 1; j < count; j += 1) {
				let dx = x[j] - x[i], dy = y[j] - y[i], square = dx * dx + dy * dy;
				if (square > REACH) continue;
				if (square < 1) {
					dx = (j % 7) - 3.1;
					dy = (i % 5) - 2.2;
					square = dx * dx + dy * dy;
				}
				let force = strength / (square + 60);
				const touch = radius[i] + radius[j] + 3;
				if (square < touch * touch) force -= (touch - Math.sqrt(square)) * 0.28;
				force /= Math.sqrt(square);
				vx[i] += dx * force;
				vy[i] += dy * force;
				vx[j] -= dx * force;
				vy[j] -= dy * force;
			}
		}
	}

	pull() {
		const {x, y, vx, vy, degree, radius, heat} = this;
		for (const [a, b] of this.links) {
			const dx = x[b] - x[a], dy = y[b] - y[a], far = Math.sqrt(dx * dx + dy * dy) || 1;
			const rest = 60 + radius[a] + radius[b];
			const force = (far - rest) / far * heat * 0.1 / Math.min(degree[a], degree[b]);
			const share = degree[a] / (degree[a] + degree[b]);
			vx[a] += dx * force * (1 - share);
			vy[a] += dy * force * (1 - share);
			vx[b] -= dx * force * share;
			vy[b] -= dy * force * share;
		}
	}
}

/** The connected component of each node without the first: numbers from 0, by size. */
export function components(count, edges) {
	const root = Int32Array.from({length: count}, (_, index) => index);
	const find = (i) => {
		while (root[i] !== i) {
			root[i] = root[root[i]];
			i = root[i];
		}
		return i;
	};
	for (const [a, b] of edges)
		if (a !== 0 && b !== 0) root[find(a)] = find(b);
	const sizes = new Map();
	for (let i = 1; i < count; i += 1) sizes.set(find(i), (sizes.get(find(i)) ?? 0) + 1);
	const order = [...sizes].sort((a, b) => b[1] - a[1]).map(([one]) => one);
	return Array.from({length: count}, (_, index) => (index === 0 ? 0 : order.indexOf(find(index))));
}
