"""RESULTS.md: the measurements, the machine and the method; rows on which another system is ahead come first."""

import os
import platform
import textwrap

from network import NAMES
from threads import SECONDS


def percentile(times, share):
    times = sorted(times)
    return times[max(0, -(-int(len(times) * share * 1000) // 1000) - 1)]


def text(nanoseconds):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if nanoseconds >= size:
            value = nanoseconds / size
            return f"{value:.{0 if value >= 100 else 1 if value >= 10 else 2}f} {unit}"
    return f"{nanoseconds:.0f} ns"


def field(path, name):
    try:
        with open(path, encoding="utf-8") as file:
            line = next((line for line in file if line.startswith(name)), None)
            return line and line.split(":" if ":" in line else "=", 1)[1].strip(' "\n')
    except OSError:
        return None


def machine():
    processor = field("/proc/cpuinfo", "model name") or platform.processor() or platform.machine()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    system = field("/etc/os-release", "PRETTY_NAME") or platform.platform()
    return f"{processor}, {os.cpu_count()} cores, {memory:.1f} GB, {system}"


def of_threads(shared, seconds):
    lines = [
        "| threads | system | reads/s | p50 | p99.9 | longest | changes/s | p50 | p99.9 | longest | saved |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    scenes = list(dict.fromkeys(scene for _, scene, *_ in shared))
    for system, scene, reads, writes, saves in sorted(shared, key=lambda row: scenes.index(row[1])):
        cells = []
        for count, *times in (reads, writes):
            cells += [f"{count / seconds:,.0f}", *map(text, times)] if count else ["", "", "", ""]
        lines.append(f"| {scene} | {system} | {' | '.join(cells)} | {saves or ''} |")
    return lines


# Why Kith is not ten times faster than the best other system, by prefix of the kind's name.
REASONS = {
    "search, 1–2": "most of it is a page of twenty names, each with a check whether it is followed, in both; SQLite "
    "reads rows stored in the order of names, into which none can be inserted",
    "search, 3": "the grams of the query are looked up, and the page is copied, in both",
    "search, 4": "few names match, and both find them with few comparisons; the rest is the page and its Strings",
    "search, no": "a lookup of grams, most of which no name has",
    "popular": "the most followed of all matches",
    "followed": "those whom the viewer follows are read first, in both",
    "prefix": "a scan of the names in order, and the same page, in both",
    "is following": "one lookup in both, inside the process; most of Kith's time is a lock, the clock and a cache miss",
    "likers": "users copied from different cache lines, in both; the list itself is in one or two",
    "newest followers": "twenty users copied from different cache lines, in both",
    "mutual": "short lists: copying the users is most of it",
    "posts with": "texts are scanned in both, and copied",
    "timeline": "the backward scan finds its posts among the newest, which are in its caches",
}
SYNCED = "one wait for the disk in both: no engine acknowledges before it"


class Results:
    def __init__(self, heading):
        self.heading = heading
        # kind: [(system, how, times)]; Kith first.
        self.kinds = {}
        # (system, how, seconds, bytes, seconds to restore)
        self.saved = []
        # (system, scene, reads, writes, saves): see threads.py.
        self.shared = []
        self.remarks = []

    def add(self, kind, system, how, times):
        self.kinds.setdefault(kind, []).append((system, how, times))

    def ratio(self, kind, times):
        return percentile(times, 0.5) / percentile(self.kinds[kind][0][2], 0.5)

    def shown(self, kind):
        return kind + (": cards" if kind + NAMES in self.kinds else "")

    def nearest(self, kind):
        """The fastest other system, and its median divided by Kith's."""
        ratio, system, how = min(
            ((self.ratio(kind, times), system, how) for system, how, times in self.kinds[kind][1:]),
            default=(float("inf"), "", ""),
        )
        return ratio, labelled(system, how)

    def markdown(self):
        lines = ["# Comparison with other systems", "", *self.heading, ""]
        nearest = sorted((*self.nearest(kind), kind) for kind in self.kinds)
        behind = [
            filled(f"- {self.shown(kind)}: {other} takes {ratio:.2f} times Kith's median{reason(kind)}", "  ")
            for ratio, other, kind in nearest
            if ratio < 1
        ]
        near = [
            filled(f"- {self.shown(kind)}: {other}, {ratio:.1f} times{reason(kind)}", "  ")
            for ratio, other, kind in nearest
            if 1 <= ratio < 10
        ]
        lines += ["## Where another system is ahead", "", *(behind or ["Nowhere in this run."]), ""]
        lines += ["## Where the best other system takes less than ten times as long", "", *(near or ["Nowhere."]), ""]
        lines += [*self.queries_and_changes(), *self.beside_queries()]
        return "\n".join([*lines, "", "## Remarks", "", *(filled(f"- {remark}", "  ") for remark in self.remarks), ""])

    def queries_and_changes(self):
        modes = (", in memory", ", flushed", ", synced")
        changes = [kind for kind in self.kinds if any(mode in kind for mode in modes)]
        lines = [
            "## Queries",
            "",
            filled(
                "Where there are two rows of a kind, one answers ids and names, the other cards: the counts of "
                "followers, followees and posts too, and in searches whether the viewer follows each. Posts come with "
                "their author's name, text, time, likes, and in timelines whether the viewer likes them."
            ),
            "",
            *self.table(kind for kind in self.kinds if kind not in changes),
        ]
        if changes:
            lines += [
                "",
                "## Changes",
                "",
                filled(
                    "In memory: nothing is written. Flushed: written to the operating system when the call returns, "
                    "so that it survives the process. Synced: on the disk. Existing edges are removed and added again; "
                    "a post is added to its author, the newest posts and the index of words."
                ),
                "",
                *self.table(changes),
            ]
        return lines

    def beside_queries(self):
        lines = []
        if self.shared:
            lines += [
                "",
                "## Several threads",
                "",
                filled(
                    "Readers ask whether random users follow each other. The writer follows and unfollows, each "
                    "change flushed; all without a pause. Saving is a snapshot of Kith, the backup of SQLite, one "
                    "after another."
                ),
                "",
                *of_threads(self.shared, SECONDS),
            ]
        if self.saved:
            lines += [
                "",
                "## Saved and restored",
                "",
                "| system | how | saved in | bytes | available again after |",
                "|---|---|---:|---:|---:|",
            ]
            lines += [
                f"| {system} | {how} | {text(save * 1e9)} | {size:,} | {text(back * 1e9)} |"
                for system, how, save, size, back in self.saved
            ]
        return lines

    def table(self, kinds):
        lines = ["| query | system | p50 | p99 | samples | times Kith's p50 |", "|---|---|---:|---:|---:|---:|"]
        for kind in kinds:
            for place, (system, how, times) in enumerate(self.kinds[kind]):
                median, high = (text(percentile(times, share)) for share in (0.5, 0.99))
                lines.append(
                    f"| {self.shown(kind) if place == 0 else ''} | {labelled(system, how)} | {median} | {high} "
                    f"| {len(times):,} | {self.ratio(kind, times):.1f} |"
                )
        return lines


def filled(words, indent=""):
    """In lines of at most 120 columns."""
    return textwrap.fill(words, 120, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def labelled(system, how):
    return system + (f": {how}" if how else "")


def reason(kind):
    if ", synced" in kind:
        return f" – {SYNCED}"
    if ", flushed" in kind:
        return " – one call of the operating system in both"
    return next((f" – {why}" for name, why in REASONS.items() if kind.startswith(name)), "")
