// A force-directed layout of some hundred nodes. Repulsion between all pairs of 300 takes 0.3 ms, less than the
// building of a Barnes–Hut tree.

const REPULSION = 900;    // at 300 nodes; fewer repel more
const REACH = 260 * 260;  // beyond this distance (squared) nodes do not repel each other
const RING = 170;         // pixels between the rings of the distances
const RING_PULL = 0.22;
const GATHER = 0.05;  // how strongly communities gather
const COOLING = 0.978;
const SETTLED = 0.012;
const FRICTION = 0.58;
const MOST_LINKS = 4000;  // follows that pull; of more, the first

export class Layout {
	/**
	 * `nodes` have `distance`, `radius` and the number of their `part`; `edges` are pairs of indices. Parts begin beside
	 * each other. The same input gives the same picture. `places` are those of an earlier one, by id.
	 */
	constructor(nodes, edges, places = new Map()) {
		const n = this.count = nodes.length;
		for (const name of ['x', 'y', 'vx', 'vy', 'radius', 'ring']) this[name] = new Float32Array(n);
		this.degree = new Uint16Array(n);
		this.part = new Uint16Array(n);
		this.links = edges.slice(0, MOST_LINKS);
		for (const [a, b] of this.links) {
			this.degree[a] += 1;
			this.degree[b] += 1;
		}
		const turns = new Float32Array(n);
		[...nodes.keys()].sort((a, b) => nodes[a].part - nodes[b].part || a - b).forEach((index, at) => {
			turns[index] = at / n;
		});
		nodes.forEach((node, index) => {
			const angle = 6.2832 * turns[index], ring = node.distance * RING;
			this.radius[index] = node.radius;
			this.part[index] = Math.max(0, node.part);
			this.ring[index] = ring;
			const spread = node.distance === 0 ? 0 : ring * 0.6 + 12 * Math.sqrt(index);
			this.x[index] = Math.cos(angle) * spread;
			this.y[index] = Math.sin(angle) * spread;
			const place = places.get(node.id);
			if (place) [this.x[index], this.y[index]] = place;
		});
		this.heat = 1;
		this.held = -1;
	}

	get settled() {
		return this.heat < SETTLED;
	}

	/** Most nodes are in their places. */
	cool() {
		this.heat = 0.35;
	}

	warm(heat = 0.4) {
		this.heat = Math.max(this.heat, heat);
	}

	tick() {
		this.repel();
		this.pull();
		this.gather();
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

	/** Draws the nodes of a part towards their middle. */
	gather() {
		const {x, y, vx, vy, part, heat, count} = this, sums = [];
		for (let i = 1; i < count; i += 1) {
			const sum = sums[part[i]] ??= [0, 0, 0];
			sum[0] += x[i];
			sum[1] += y[i];
			sum[2] += 1;
		}
		for (let i = 1; i < count; i += 1) {
			const [sumX, sumY, size] = sums[part[i]];
			if (size < 3) continue;
			vx[i] += (sumX / size - x[i]) * GATHER * heat;
			vy[i] += (sumY / size - y[i]) * GATHER * heat;
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
