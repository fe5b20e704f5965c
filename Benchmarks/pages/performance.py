"""The page on performance: what kith-benchmarks measured, beside its floor, with the reasons of reasons.py.

performance.py BINARY [--from FILE] [--results FILE] [--remark TEXT] [arguments of kith-benchmarks]
"""

import argparse
import datetime
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "rivals"))
from reasons import GROUPS, NOTES, NOT_FLOORS, REASONS
from results import machine, text

# A row beyond falls short of its floor.
LIMIT = 1.5


def main():
    parser = argparse.ArgumentParser(prog="Benchmarks/performance", description=__doc__.splitlines()[0])
    parser.add_argument("binary", help=argparse.SUPPRESS)
    parser.add_argument("--from", dest="source", help="what `kith-benchmarks --json` printed, in the place of a run")
    parser.add_argument("--remark", action="append", default=[], help="what readers of this run should know")
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
    else:
        print(page)


class Row:
    def __init__(self, name, kith, floor, ratio):
        self.name, self.kith, self.floor, self.ratio = name, kith, floor, ratio

    @property
    def is_beside_floor(self):
        return self.ratio is not None and not any(self.name.startswith(name) for name in NOT_FLOORS)

    @property
    def falls_short(self):
        return self.is_beside_floor and self.ratio > LIMIT

    @property
    def reason(self):
        return found(REASONS, self.name) if self.ratio is not None else ""

    @property
    def group(self):
        return found(GROUPS, self.name) or "Others"

    def markdown(self):
        ratio = "" if self.ratio is None else f"{self.ratio:.2f}"
        return f"| {self.name} | {self.kith} | {self.floor} | {ratio} | {self.reason} |"


def found(words, name):
    """What stands beside the longest beginning of a name."""
    beginnings = [beginning for beginning in words if name.startswith(beginning)]
    return words[max(beginnings, key=len)] if beginnings else ""


def rows(report):
    found, heading = [], ""
    for each in report["measurements"]:
        name = each["name"]
        # Names that are moved in go on from the one before.
        if name.startswith(" "):
            name = f"{heading}, {name.strip()}"
        else:
            heading = name
        floor = each.get("floor")
        found.append(Row(name, times(each["kith"]), times(floor) if floor else "–", each.get("ratio")))
    for each in report["rates"]:
        kith, floor = each["kithPerSecond"], each["floorPerSecond"]
        found.append(Row(each["name"], f"{kith:,.0f} a second", f"{floor:,.0f} a second", floor / kith))
    return found


def times(percentiles):
    return f"{text(percentiles['p50'])}, {text(percentiles['p99'])}"


def markdown(report, memory, arguments, remarks):
    measured = rows(report)
    short = sorted((row for row in measured if row.falls_short), key=lambda row: -row.ratio)
    others = [row for row in measured if not row.falls_short]
    beside = [row for row in measured if row.is_beside_floor]
    lines = [
        "# What the time is made of", "",
        f"Made by `{' '.join(['Benchmarks/performance', *arguments])}` on {datetime.date.today()}.", "",
        f"{machine()}.", "",
        f"{report['users']:,} users, {report['follows']:,} follows, {report['posts']:,} posts, {report['likes']:,} "
        f"likes. p50 and p99 of one caller, medians over {report['runs']} runs; the clock's own "
        f"{report['clockNanoseconds']} ns are in every figure. The floor does the same work on bare arrays in C, in "
        "the same process and run: no ids, no lock, no changes, nothing to pin. `x` is the engine's median by the "
        f"floor's; of rates, the floor's by the engine's. {len(beside) - len(short)} of {len(beside)} rows are within "
        f"{LIMIT} times their floor.", "",
        f"## Beyond {LIMIT} times the floor", ""]
    lines += table(short) if short else ["None in this run."]
    lines += ["", *(f"- [{name}] {note}" for name, note in NOTES.items())]
    for group in dict.fromkeys(row.group for row in others):
        lines += ["", f"## {group}", "", *table([row for row in others if row.group == group])]
    if memory:
        lines += ["", "## Memory", "", *(f"- {line[0].upper()}{line[1:]}" for line in memory)]
    if remarks:
        lines += ["", "## Remarks", "", *(f"- {remark}" for remark in remarks)]
    return "\n".join([*lines, ""])


def table(rows):
    return ["| operation | Kith | floor | x | what the gap is made of |", "|---|---:|---:|---:|---|",
            *(row.markdown() for row in rows)]


if __name__ == "__main__":
    main()
