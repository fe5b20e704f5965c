"""The curves of growth as one SVG: the medians of each group by the number of users, on logarithmic axes."""

import math
from xml.sax.saxutils import escape

PANEL = {"width": 640, "left": 64, "right": 20, "top": 40, "height": 250}
LINE_HEIGHT = 19
# Distinct for colour-blind readers, with a pattern besides: each colour for light and for dark pages.
COLOURS = [
    ("#0a63b0", "#6cb6ff"),
    ("#c2410c", "#ff9a5c"),
    ("#0b7a55", "#4fd1a1"),
    ("#98238f", "#e99bdf"),
    ("#7a5900", "#dcb54a"),
    ("#4755c9", "#a3adff"),
    ("#8a1c2b", "#ff8d98"),
    ("#3c6e71", "#8fd0d3"),
]
DASHES = ["", "9 4", "2 5", "12 4 2 4"]


def picture(sizes):
    groups = {}
    for size in sizes:
        for (group, name), row in size.rows().items():
            if row["p50"]:
                groups.setdefault(group, {}).setdefault(name, []).append((size.users, max(1, row["p50"])))
        for what, (seconds, _) in size.steps.items():
            groups.setdefault("Made, saved, restored", {}).setdefault(what, []).append((size.users, seconds * 1e9))
    panels = [Panel(group, lines, [size.users for size in sizes]) for group, lines in groups.items()]
    columns = 2
    content, y = [], 0
    for first in range(0, len(panels), columns):
        row = panels[first : first + columns]
        for column, panel in enumerate(row):
            content.append(f'<g transform="translate({column * PANEL["width"]} {y})">{panel.svg()}</g>')
        y += max(panel.height for panel in row)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {columns * PANEL["width"]} {y}" role="img" '
        f'aria-label="Median latencies by users">\n<style>{style()}</style>\n<rect class="paper" width="100%" '
        'height="100%"/>\n' + "\n".join(content) + "\n</svg>\n"
    )


def style():
    light = "".join(f".c{place} {{ stroke: {colour} }} " for place, (colour, _) in enumerate(COLOURS))
    dark = "".join(f".c{place} {{ stroke: {colour} }} " for place, (_, colour) in enumerate(COLOURS))
    return (
        "text { font: 13px system-ui, sans-serif; fill: #3d4650 } .title { font-weight: 600; font-size: 15px } "
        ".paper { fill: #fff } .grid { stroke: #d9dde2; fill: none } .line { fill: none; stroke-width: 2.2 } "
        ".end { text-anchor: end } .middle { text-anchor: middle } " + light + "@media (prefers-color-scheme: dark) { "
        "text { fill: #c3cad2 } .paper { fill: #14181d } .grid { stroke: #363d45 } " + dark + "}"
    )


class Panel:
    """One group of queries."""

    def __init__(self, title, lines, users):
        self.title, self.lines, self.users = title, lines, users
        values = [value for points in lines.values() for _, value in points]
        self.low, self.high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values) + 1))
        self.columns = 2
        self.legend_rows = -(-len(lines) // self.columns)
        self.height = PANEL["top"] + PANEL["height"] + 44 + self.legend_rows * LINE_HEIGHT + 16

    def x(self, users):
        first, last = math.log10(self.users[0]), math.log10(self.users[-1])
        share = (math.log10(users) - first) / (last - first) if last > first else 0.5
        return round(PANEL["left"] + 14 + share * (PANEL["width"] - PANEL["left"] - PANEL["right"] - 28), 1)

    def y(self, nanoseconds):
        share = (math.log10(nanoseconds) - self.low) / (self.high - self.low)
        return round(PANEL["top"] + (1 - share) * PANEL["height"], 1)

    def svg(self):
        bottom = PANEL["top"] + PANEL["height"]
        parts = [f'<text class="title" x="{PANEL["left"]}" y="22">{escape(self.title)}</text>']
        for power in range(self.low, self.high + 1):
            y = self.y(10**power)
            parts.append(
                f'<path class="grid" d="M{PANEL["left"]} {y}H{PANEL["width"] - PANEL["right"]}"/>'
                f'<text class="end" x="{PANEL["left"] - 8}" y="{y + 4}">{latency(power)}</text>'
            )
        for users in self.users:
            x = self.x(users)
            parts.append(
                f'<path class="grid" d="M{x} {PANEL["top"]}V{bottom}"/>'
                f'<text class="middle" x="{x}" y="{bottom + 18}">{short(users)}</text>'
            )
        for place, (name, points) in enumerate(self.lines.items()):
            dashes = DASHES[(place // 2 + place // len(COLOURS)) % len(DASHES)]
            look = f'class="line c{place % len(COLOURS)}" stroke-dasharray="{dashes}"'
            path = "L".join(f"{self.x(users)} {self.y(value)}" for users, value in points)
            parts.append(f'<path {look} d="M{path}"/>')
            width = (PANEL["width"] - PANEL["left"]) / self.columns
            x = PANEL["left"] + place // self.legend_rows * width
            y = bottom + 44 + place % self.legend_rows * LINE_HEIGHT
            parts.append(f'<path {look} d="M{x} {y - 4}h26"/><text x="{x + 32}" y="{y}">{escape(name)}</text>')
        return "\n".join(parts)


def latency(power):
    unit, size = [("ns", 0), ("µs", 3), ("ms", 6), ("s", 9)][min(power // 3, 3)]
    return f"{10 ** (power - size):,} {unit}"


def short(users):
    for unit, size in (("M", 10**6), ("k", 10**3)):
        if users >= size:
            return f"{users / size:g} {unit}"
    return f"{users}"
