#!/usr/bin/env python3
"""Creates networks of several sizes, and measures growth: queries, memory, snapshots, restores."""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "comparison"))
from picture import picture
from results import machine, text

# Follows, posts and likes for each user.
PROPORTIONS = (20, 3, 6)
# The most memory of a process for each user of such a network: sizes beyond the memory are left out.
BYTES_EACH = 1_150


def note(message):
    if sys.stderr.isatty():
        print(f"\r{message}\x1b[K", end="", file=sys.stderr, flush=True)


def main():
    parser = argparse.ArgumentParser(prog="Scripts/measure growth", description=__doc__)
    parser.add_argument("--kith", required=True, help=argparse.SUPPRESS)
    parser.add_argument(
        "--users",
        default="10000,100000,1000000,10000000",
        help="the sizes, with 20 follows, 3 posts and 6 likes each, ascending (10000,100000,1000000,10000000)",
    )
    parser.add_argument(
        "--memory",
        type=float,
        default=available() * 0.9,
        help="sizes that need more GB are left out (nine tenths of what is free)",
    )
    parser.add_argument("--samples", type=int, default=100_000, help="at most so many queries of each kind (100,000)")
    parser.add_argument("--directory", help="for temporary stores: a GB for a million users")
    parser.add_argument("--remark", action="append", default=[], help="a remark on this run")
    parser.add_argument("--results", help="the file to write; standard output without it")
    parser.add_argument("--picture", help="an SVG of the curves")
    options = parser.parse_args()
    began, sizes, left_out = time.time(), [], []
    for users in map(int, options.users.split(",")):
        if users * BYTES_EACH > options.memory * 1e9:
            left_out.append(f"{users:,} users would take {users * BYTES_EACH / 1e9:.0f} GB and were left out.")
            continue
        with tempfile.TemporaryDirectory(prefix="kith-growth-", dir=options.directory) as directory:
            sizes.append(Size(options.kith, users, directory, options.samples).measure())
    note("")
    if not sizes:
        sys.exit("\n".join(left_out))
    name = options.picture and os.path.relpath(options.picture, os.path.dirname(options.results or "") or ".")
    report = markdown(sizes, options.remark + left_out, name, (time.time() - began) / 60)
    if options.picture:
        with open(options.picture, "w", encoding="utf-8") as file:
            file.write(picture(sizes))
    if options.results:
        with open(options.results, "w", encoding="utf-8") as file:
            file.write(report)
    else:
        print(report)


def available():
    """The available memory in GB."""
    with open("/proc/meminfo", encoding="utf-8") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("MemAvailable")) * 1024 / 1e9


class Size:
    """One network: created, measured, saved and restored."""

    def __init__(self, kith, users, directory, samples):
        self.kith, self.users, self.directory, self.samples = kith, users, directory, samples
        self.store, self.snapshot = f"{directory}/store", f"{directory}/snapshot.kith.zst"
        # For each step: seconds, and the greatest memory of its process.
        self.steps = {}

    def measure(self):
        counts = zip(("--users", "--follows", "--posts", "--likes"), (1, *PROPORTIONS))
        size = (word for name, each in counts for word in (name, self.users * each))
        self.step("created and saved", "seed", self.store, *size)
        found = self.step("opened and measured", "bench", self.store, "--json", "--samples", self.samples)
        self.bench = json.loads(found)
        self.step("opened and saved to a file", "snapshot", self.store, "--to", self.snapshot)
        self.file_bytes = os.path.getsize(self.snapshot)
        self.step("restored into a new store", "restore", self.snapshot, f"{self.directory}/restored")
        questions = self.questions()
        wanted = self.step("the store: 300 answers", "query", self.store, "--read-only", input=questions)
        shutil.rmtree(self.store)
        found = self.step(
            "the restored store: 300 answers", "query", f"{self.directory}/restored", "--read-only", input=questions
        )
        if wanted != found:
            sys.exit(f"{self.users:,} users: the restored store gives other answers")
        return self

    def questions(self):
        asked = []
        for place in range(100):
            user = 1 + place * 7_919 % self.users
            letters = "abdefgiklmnoprst"
            query = letters[place % 16] + letters[place * 7 // 16 % 16] + letters[place * 5 // 3 % 16]
            asked += [
                {"op": "timeline", "user": user},
                {"op": "followers", "user": user},
                {"op": "users", "query": query, "as": user},
            ]
        return "".join(json.dumps(question) + "\n" for question in asked)

    def step(self, what, *words, input=""):
        """Runs kith, and records its time and greatest memory."""
        note(f"{self.users:,} users: {what}")
        asked, answered = f"{self.directory}/in", f"{self.directory}/out"
        with open(asked, "w", encoding="utf-8") as file:
            file.write(input)
        began = time.perf_counter()
        with open(asked, "rb") as source, open(answered, "wb") as target:
            process = subprocess.Popen([self.kith, *map(str, words)], stdin=source, stdout=target)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit(f"kith {' '.join(map(str, words))} ended with {process.returncode}")
        self.steps[what] = (time.perf_counter() - began, usage.ru_maxrss * 1024)
        with open(answered, encoding="utf-8") as file:
            return file.read()

    def rows(self):
        """Latencies by group and name."""
        rows = {(row["group"], row["name"]): row for row in self.bench["latencies"]}
        for row in self.bench["timelinesByFollowees"]:
            # The classes of the bench begin at every power of four.
            least = 4 ** ((row["followees"].bit_length() - 1) // 2)
            rows["Timelines", f"first page, {least:,} to {4 * least - 1:,} followed"] = row
        return rows


def markdown(sizes, remarks, picture_name, minutes):
    names = [f"{size.users:,} users" for size in sizes]
    lines = [
        "# Growth of latency and memory",
        "",
        f"Created by `Scripts/measure growth` on {sizes[-1].bench['machine']['measuredAt'][:10]} in {minutes:.0f} "
        "minutes.",
        "",
        f"{machine()}; {caches()}.",
        f"kith {sizes[-1].bench['version']}.",
        "",
        "Each user has 20 follows, 3 posts and 6 likes; only the size differs. One thread, pages of 20: p50, p99.",
        "Growth is the median of the largest network divided by that of the smallest.",
        "",
    ]
    if picture_name:
        lines += [f"![The medians by users]({picture_name})", ""]
    lines += where_caches_end(sizes)
    all_rows = [size.rows() for size in sizes]
    for group in dict.fromkeys(group for rows in all_rows for group, _ in rows):
        lines += ["", f"## {group}", "", head("", names, "growth"), rule(len(sizes) + 1)]
        for key in dict.fromkeys(key for rows in all_rows for key in rows if key[0] == group):
            found = [rows.get(key) for rows in all_rows]
            present = [row["p50"] for row in found if row]
            growth = f"{present[-1] / present[0]:.1f}" if None not in found and present[0] else ""
            lines.append(head(key[1], [cell(row) for row in found], growth))
    lines += ["", "## Passes over the whole graph", "", head("", names), rule(len(sizes))]
    for place, item in enumerate(sizes[0].bench["passes"]):
        lines.append(head(item["name"], [text(size.bench["passes"][place]["ns"]) for size in sizes]))
    return "\n".join(
        [
            *lines,
            *storage(sizes, names),
            *(["", "## Remarks", ""] if remarks else []),
            *(f"- {remark}" for remark in remarks),
            "",
        ]
    )


def storage(sizes, names):
    """Memory and files."""
    lines = [
        "",
        "## Creating, saving, restoring",
        "",
        "Each is a process of its own: its time and its greatest memory. The restored store gave the same 300 "
        "answers as the store.",
        "",
        head("", names),
        rule(len(sizes)),
    ]
    for what in sizes[0].steps:
        lines.append(head(what, [f"{size.steps[what][0]:.1f} s, {gigabytes(size.steps[what][1])}" for size in sizes]))
    lines.append(head("snapshot, bytes", [f"{size.file_bytes:,}" for size in sizes]))
    lines.append(head("snapshot, bytes a user", [f"{size.file_bytes / size.users:.0f}" for size in sizes]))
    lines += ["", "## Memory by structure, bytes a user", "", head("", names), rule(len(sizes))]
    memory = [size.bench["memory"] for size in sizes]
    for name in sorted(memory[-1]["structures"], key=lambda name: -memory[-1]["structures"][name]):
        cells = [each["structures"].get(name, 0) / size.users for each, size in zip(memory, sizes)]
        if any(cell >= 0.05 for cell in cells):
            lines.append(head(name, [f"{cell:.1f}" for cell in cells]))
    lines.append(head("all", [f"{each['bytes'] / size.users:.1f}" for each, size in zip(memory, sizes)]))
    return lines


def head(*cells):
    return "| " + " | ".join(c for cell in cells for c in ([cell] if isinstance(cell, str) else cell)) + " |"


def rule(count):
    return "|---|" + "---:|" * count


def cell(row):
    """The median and the 99th percentile; a dash without enough samples."""
    if not row:
        return "–"
    return f"{text(row['p50'])}, {'–' if row['p99'] is None else text(row['p99'])}"


def gigabytes(count):
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"


# MARK: - Caches


def cache_sizes():
    """(level, bytes) of the caches of the first core; none if the system does not list them."""
    sizes = {}
    place = "/sys/devices/system/cpu/cpu0/cache"
    for entry in sorted(os.listdir(place)) if os.path.isdir(place) else []:

        def read(name, entry=entry):
            with open(f"{place}/{entry}/{name}", encoding="utf-8") as file:
                return file.read().strip()

        if entry.startswith("index") and read("type") in ("Unified", "Data"):
            sizes[int(read("level"))] = int(read("size").rstrip("K")) * 1024
    return sorted(sizes.items())


def caches():
    return "caches: " + ", ".join(f"level {level} {size >> 10:,} KB" for level, size in cache_sizes())


def where_caches_end(sizes):
    """Which graphs fit a cache."""
    lines = []
    for level, size in cache_sizes():
        within = [each.users for each in sizes if each.bench["memory"]["bytes"] <= size]
        beyond = [each.users for each in sizes if each.bench["memory"]["bytes"] > size]
        if within and beyond:
            lines.append(f"- The level {level} cache holds the graph of {within[-1]:,} users, not of {beyond[0]:,}.")
        elif beyond:
            share = size / sizes[0].bench["memory"]["bytes"]
            lines.append(f"- The level {level} cache holds {share:.0%} of the graph of {beyond[0]:,} users.")
    return lines


if __name__ == "__main__":
    main()
