"""The page on performance: the measurements of kith-benchmarks beside their baseline, with the reasons of reasons.py.

performance.py BINARY [--from FILE] [--results FILE] [--remark TEXT] [arguments of kith-benchmarks]
"""

import argparse
import datetime
import json
import os
import subprocess
import sys
import textwrap

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "comparison"))
import readme
from reasons import GROUPS, NOT_BASELINES, NOTES, REASONS
from results import machine, text

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# The page that README.md takes its figures from.
PAGE = os.path.join(ROOT, "Benchmarks", "PERFORMANCE.md")

# A row with a greater ratio falls short of its baseline.
LIMIT = 1.5


def main():
    parser = argparse.ArgumentParser(prog="Scripts/measure performance", description=__doc__.splitlines()[0])
    parser.add_argument("binary", help=argparse.SUPPRESS)
    parser.add_argument("--from", dest="source", help="what `kith-benchmarks --json` printed, instead of a run")
    parser.add_argument("--remark", action="append", default=[], help="a remark on this run")
    parser.add_argument("--results", help="the file to write; standard output without it")
    options, rest = parser.parse_known_args()
    if options.source:
        with open(options.source, encoding="utf-8") as file:
            printed = file.read()
    else:
        command = [options.binary, *rest, "--json"]
        printed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    lines = printed.strip().splitlines()
    page = markdown(json.loads(lines[-1]), [line for line in lines if line.startswith("bytes ")], rest, options.remark)
    if options.results:
        with open(options.results, "w", encoding="utf-8") as file:
            file.write(page)
        if os.path.samefile(options.results, PAGE):
            readme.update(PAGE, os.path.join(ROOT, "README.md"))
    else:
        print(page)


class Row:
    def __init__(self, name, kith, baseline, ratio):
        self.name, self.kith, self.baseline, self.ratio = name, kith, baseline, ratio

    @property
    def is_beside_baseline(self):
        return self.ratio is not None and not any(self.name.startswith(name) for name in NOT_BASELINES)

    @property
    def falls_short(self):
        return self.is_beside_baseline and self.ratio > LIMIT

    @property
    def reason(self):
        return found(REASONS, self.name) if self.ratio is not None else ""

    @property
    def group(self):
        return found(GROUPS, self.name) or "Others"

    def markdown(self):
        ratio = "" if self.ratio is None else f"{self.ratio:.2f}"
        return f"| {self.name} | {self.kith} | {self.baseline} | {ratio} | {self.reason} |"


def found(words, name):
    """The value of the longest key that is a prefix of the name."""
    beginnings = [beginning for beginning in words if name.startswith(beginning)]
    return words[max(beginnings, key=len)] if beginnings else ""


def rows(report):
    found, heading = [], ""
    for each in report["measurements"]:
        name = each["name"]
        # Indented names continue the one before.
        if name.startswith(" "):
            name = f"{heading}, {name.strip()}"
        else:
            heading = name
        baseline = each.get("baseline")
        found.append(Row(name, times(each["kith"]), times(baseline) if baseline else "–", each.get("ratio")))
    for each in report["rates"]:
        kith, baseline = each["kithPerSecond"], each["baselinePerSecond"]
        found.append(Row(each["name"], f"{kith:,.0f} a second", f"{baseline:,.0f} a second", baseline / kith))
    return found


def times(percentiles):
    return f"{text(percentiles['p50'])}, {text(percentiles['p99'])}"


def markdown(report, memory, arguments, remarks):
    measured = rows(report)
    short = sorted((row for row in measured if row.falls_short), key=lambda row: -row.ratio)
    others = [row for row in measured if not row.falls_short]
    beside = [row for row in measured if row.is_beside_baseline]
    lines = [
        "# Performance beside the baseline",
        "",
        f"Created by `{' '.join(['Scripts/measure performance', *arguments])}` on {datetime.date.today()}.",
        "",
        f"{machine()}.",
        "",
        filled(
            f"{report['users']:,} users, {report['follows']:,} follows, {report['posts']:,} posts, "
            f"{report['likes']:,} likes. p50 and p99 of one thread, medians over {report['runs']} runs; the clock's "
            f"own {report['clockNanoseconds']} ns are in every figure. The baseline does the same work on bare arrays "
            "in C, in the same process and run: no ids, no lock, no changes, no versions. `x` is the engine's median "
            "divided by the baseline's; for rates, the baseline's rate divided by the engine's. "
            f"{len(beside) - len(short)} of {len(beside)} rows are within {LIMIT} times their baseline."
        ),
        "",
        f"## Beyond {LIMIT} times the baseline",
        "",
    ]
    lines += table(short) if short else ["None in this run."]
    lines += ["", *(filled(f"- [{name}] {note}", "  ") for name, note in NOTES.items())]
    for group in dict.fromkeys(row.group for row in others):
        lines += ["", f"## {group}", "", *table([row for row in others if row.group == group])]
    if memory:
        lines += ["", "## Memory", "", *(filled(f"- {line[0].upper()}{line[1:]}", "  ") for line in memory)]
    if remarks:
        lines += ["", "## Remarks", "", *(filled(f"- {remark}", "  ") for remark in remarks)]
    return "\n".join([*lines, ""])


def filled(words, indent=""):
    """In lines of at most 120 columns."""
    return textwrap.fill(words, 120, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def table(rows):
    return [
        "| operation | Kith | baseline | x | reason for the gap |",
        "|---|---:|---:|---:|---|",
        *(row.markdown() for row in rows),
    ]


if __name__ == "__main__":
    main()
