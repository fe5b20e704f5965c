// What belongs together among the people of a map.

const ROUNDS = 12;

/**
 * The communities of the nodes but for the first: each node moves to the community of its neighbours with the greatest
 * gain of modularity (the first phase of Blondel et al., "Fast unfolding of communities", 2008), in the order of the
 * indices. Numbers from 0, by size; the first node has -1.
 */
export function communities(count, edges) {
	const near = Array.from({length: count}, () => []), label = Int32Array.from({length: count}, (_, index) => index);
	let ends = 0;
	for (const [a, b] of edges) {
		if (a === 0 || b === 0) continue;
		near[a].push(b);
		near[b].push(a);
		ends += 2;
	}
	// The ends of edges in each community.
	const total = near.map((list) => list.length);
	for (let round = 0, changed = true; changed && round < ROUNDS; round += 1) {
		changed = false;
		for (let i = 1; i < count; i += 1) {
			const own = label[i], degree = near[i].length;
			total[own] -= degree;
			const best = bestLabel(near[i], label, own, (one, links) => links - degree * total[one] / ends);
			total[best] += degree;
			if (best === own) continue;
			label[i] = best;
			changed = true;
		}
	}
	const sizes = new Map();
	for (let i = 1; i < count; i += 1) sizes.set(label[i], (sizes.get(label[i]) ?? 0) + 1);
	const order = new Map([...sizes].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([one], at) => [one, at]));
	return Array.from(label, (one, index) => (index === 0 ? -1 : order.get(one)));
}

/** The label of neighbours with the greatest gain: of equals the own one, then the first. */
function bestLabel(near, label, own, gain) {
	const links = new Map([[own, 0]]);
	for (const other of near) links.set(label[other], (links.get(label[other]) ?? 0) + 1);
	let best = own, most = gain(own, links.get(own));
	for (const [one, count] of links) {
		const value = gain(one, count);
		if (value > most + 1e-9) [best, most] = [one, value];
	}
	return best;
}

/** Pairs of indices that edges join, each once: `[a, b, direction]`, 1 from a to b, 2 from b to a, 3 both. */
export function pairs(edges) {
	const found = new Map();
	for (const [a, b] of edges) {
		const key = a < b ? `${a} ${b}` : `${b} ${a}`, direction = a < b ? 1 : 2;
		found.set(key, (found.get(key) ?? 0) | direction);
	}
	return [...found].map(([key, direction]) => [...key.split(' ').map(Number), direction]);
}
