"""The rows of figures in README.md, taken from the page on performance, so that they cannot differ from their run.

readme.py PERFORMANCE.md README.md
"""

import sys

ROWS = [
    "search, any part, 1 to 10 letters",
    "timeline, first page, 100 followed",
    "posts, a middling word",
    "suggestions, 40 followed",
    "isFollowing, cold",
    "change, synced",
]
BEGIN, END = "<!-- figures:", "<!-- end of figures -->"


def update(performance, readme):
    with open(performance, encoding="utf-8") as file:
        rows = [[cell.strip() for cell in line.strip("|\n ").split("|")] for line in file if line.startswith("| ")]
    found = {row[0]: row[:4] for row in rows}
    missing = [name for name in ROWS if name not in found]
    if missing:
        sys.exit(f"{performance} has no row {missing[0]!r}: correct ROWS in {__file__}")
    table = ["| operation | Kith p50, p99 | baseline p50, p99 | ratio |", "|---|---:|---:|---:|"]
    table += [f"| {' | '.join(found[name])} |" for name in ROWS]
    with open(readme, encoding="utf-8") as file:
        lines = file.read().split("\n")
    begin = next(index for index, line in enumerate(lines) if line.startswith(BEGIN))
    end = lines.index(END)
    with open(readme, "w", encoding="utf-8") as file:
        file.write("\n".join(lines[: begin + 1] + table + lines[end:]))


if __name__ == "__main__":
    update(*sys.argv[1:3])
