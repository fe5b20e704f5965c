// Pictures as files.

import {h, s} from './dom.js';

function download(blob, name) {
	const href = URL.createObjectURL(blob), link = h('a', {href, download: name});
	link.click();
	setTimeout(() => URL.revokeObjectURL(href), 10000);
}

/** Saves a map as a picture of its pixels, on the colour of its background. */
export function savePNG(graph, name) {
	const {canvas} = graph, copy = h('canvas', {width: canvas.width, height: canvas.height});
	const context = copy.getContext('2d');
	context.fillStyle = graph.palette().back;
	context.fillRect(0, 0, copy.width, copy.height);
	context.drawImage(canvas, 0, 0);
	copy.toBlob((blob) => download(blob, `${name}.png`));
}

/** A map as SVG: lines, circles and names as text. */
export function mapSVG(graph) {
	const {width, height, zoom, panX, panY, layout: {x, y}, nodes, links} = graph, colours = graph.palette();
	graph.colours ??= colours;
	const [left, top] = [width / 2 + panX, height / 2 + panY], px = (i) => (x[i] * zoom + left).toFixed(1),
							 py = (i) => (y[i] * zoom + top).toFixed(1);
	const line = ([a, b, direction]) => s('line', {
		x1: px(a),
		y1: py(a),
		x2: px(b),
		y2: py(b),
		stroke: a === 0 ? colours.ties[direction] : colours.line,
		'stroke-width': 0.8,
		'stroke-opacity': a === 0 ? 0.7 : 0.3
	});
	const radius = (i) => nodes[i].radius * Math.sqrt(zoom);
	const circle = (_, i) =>
		s('circle', {cx: px(i), cy: py(i), r: radius(i).toFixed(1), fill: graph.colour(i), stroke: colours.back});
	const text = (i) =>
		s('text', {x: px(i), y: (Number(py(i)) + radius(i) + 14).toFixed(1), 'text-anchor': 'middle'}, nodes[i].username);
	return s('svg', {
		xmlns: 'http://www.w3.org/2000/svg',
		viewBox: `0 0 ${width} ${height}`,
		'font-family': 'Inter, system-ui, sans-serif',
		'font-size': 12,
		fill: colours.ink
	},
		s('rect', {width, height, fill: colours.back}), ...links.map(line), ...nodes.map(circle),
		...graph.order.slice(0, 40).map(text));
}

/** Saves a map as SVG. */
export function saveSVG(graph, name) {
	const text = new XMLSerializer().serializeToString(mapSVG(graph));
	download(new Blob([text], {type: 'image/svg+xml'}), `${name}.svg`);
}
