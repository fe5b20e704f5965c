"""RESULTS.md: what was measured, on what, and how; rows on which a rival is ahead stand first."""

import os
import platform


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


# Why Kith is not ten times faster than the best rival, by what the name of the kind begins with.
REASONS = {
    "search, 1–2": "a page of twenty names, each with a look whether it is followed, is most of it in both; SQLite reads "
    "rows that lie in the order of names, among which none can be inserted",
    "search, 3–8": "few names match, and both find them by some looks; the page and its Strings are the rest",
    "prefix": "a walk along the names in order, and the same page, in both",
    "is following": "one lookup in both, inside the process; a lock, the clock and a cache miss are most of Kith's",
    "likers": "users copied from all over memory, in both; the list itself is in one or two cache lines",
    "newest followers": "twenty users copied from all over memory, in both",
    "mutual": "short lists: to copy the users found is most of it",
    "posts with": "texts are looked through in both, and copied",
    "timeline": "the walk backwards finds its posts among the newest, which its caches hold",
}
SYNCED = "one wait for the disk in both: no engine acknowledges before it"


class Results:
    def __init__(self, heading):
        self.heading = heading
        # kind: [(system, how, times)]; Kith first.
        self.kinds = {}
        # (system, how, seconds, bytes, seconds to come back)
        self.saved = []
        self.remarks = []

    def add(self, kind, system, how, times):
        self.kinds.setdefault(kind, []).append((system, how, times))

    def ratio(self, kind, times):
        return percentile(times, 0.5) / percentile(self.kinds[kind][0][2], 0.5)

    def nearest(self, kind):
        """The rival that is best at it, and how many times Kith's median it takes."""
        ratio, system, how = min(
            ((self.ratio(kind, times), system, how) for system, how, times in self.kinds[kind][1:]),
            default=(float("inf"), "", ""))
        return ratio, labelled(system, how)

    def markdown(self):
        lines = ["# Kith beside what one would use instead", "", *self.heading, ""]
        nearest = sorted((*self.nearest(kind), kind) for kind in self.kinds)
        behind = [f"- {kind}: {rival} takes {ratio:.2f} times Kith's median{reason(kind)}"
                  for ratio, rival, kind in nearest if ratio < 1]
        near = [f"- {kind}: {rival}, {ratio:.1f} times{reason(kind)}"
                for ratio, rival, kind in nearest if 1 <= ratio < 10]
        lines += ["## Where a rival is ahead", "", *(behind or ["Nowhere in this run."]), ""]
        lines += ["## Where the best rival takes less than ten times as long", "", *(near or ["Nowhere."]), ""]
        modes = (", in memory", ", flushed", ", synced")
        changes = [kind for kind in self.kinds if any(mode in kind for mode in modes)]
        lines += ["## Questions", "", *self.table(kind for kind in self.kinds if kind not in changes)]
        if changes:
            lines += [
                "", "## Changes", "",
                "In memory: nothing is written. Flushed: with the operating system when the call returns, so that it "
                "survives the process. Synced: on the disk. Edges that are there are taken away and made anew; a post "
                "is added to its author, the newest posts and the index of words.", "", *self.table(changes)]
        if self.saved:
            lines += ["", "## Saved and restored", "", "| system | how | saved in | bytes | answers again after |",
                      "|---|---|---:|---:|---:|"]
            lines += [f"| {system} | {how} | {text(save * 1e9)} | {size:,} | {text(back * 1e9)} |"
                      for system, how, save, size, back in self.saved]
        return "\n".join([*lines, "", "## Remarks", "", *(f"- {remark}" for remark in self.remarks), ""])

    def table(self, kinds):
        lines = ["| question | system | p50 | p99 | asked | times Kith's p50 |", "|---|---|---:|---:|---:|---:|"]
        for kind in kinds:
            for place, (system, how, times) in enumerate(self.kinds[kind]):
                lines.append(
                    f"| {kind if place == 0 else ''} | {labelled(system, how)} | {text(percentile(times, 0.5))} "
                    f"| {text(percentile(times, 0.99))} | {len(times):,} | {self.ratio(kind, times):.1f} |")
        return lines


def labelled(system, how):
    return system + (f": {how}" if how else "")


def reason(kind):
    if ", synced" in kind:
        return f" – {SYNCED}"
    if ", flushed" in kind:
        return " – one call of the operating system in both"
    return next((f" – {why}" for name, why in REASONS.items() if kind.startswith(name)), "")
