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


class Results:
    def __init__(self, heading):
        self.heading = heading
        # kind: [(system, how, times)]; Kith first.
        self.kinds = {}
        self.remarks = []

    def add(self, kind, system, how, times):
        self.kinds.setdefault(kind, []).append((system, how, times))

    def ratio(self, kind, times):
        return percentile(times, 0.5) / percentile(self.kinds[kind][0][2], 0.5)

    def markdown(self):
        lines = ["# Kith beside what one would use instead", "", *self.heading, ""]
        behind = [
            f"- {kind}: {system}{', ' + how if how else ''} takes {self.ratio(kind, times):.2f} times Kith's median"
            for kind, rows in self.kinds.items() for system, how, times in rows[1:] if self.ratio(kind, times) < 1
        ]
        lines += ["## Where a rival is ahead", "", *(behind or ["Nowhere in this run."]), "", "## All rows", ""]
        lines += ["| question | system | p50 | p99 | asked | times Kith's p50 |", "|---|---|---:|---:|---:|---:|"]
        for kind, rows in self.kinds.items():
            for place, (system, how, times) in enumerate(rows):
                label = system + (f": {how}" if how else "")
                lines.append(
                    f"| {kind if place == 0 else ''} | {label} | {text(percentile(times, 0.5))} "
                    f"| {text(percentile(times, 0.99))} | {len(times):,} | {self.ratio(kind, times):.1f} |")
        return "\n".join([*lines, "", "## Remarks", "", *(f"- {remark}" for remark in self.remarks), ""])
