"""Compares what Benchmarks/guard counted with thresholds.txt; exit status 1 where something became slower.

A line of thresholds.txt is a kind, two numbers and a name:
  count  INSTRUCTIONS  ALLOCATIONS  an operation of CountedWorkload, for each time it is done
  ratio  COMMITTED     LIMIT        a measurement beside its floor: p50 of the engine by p50 of the floor
"""

import json
import pathlib
import re
import sys

# Counts differ by one in a hundred between runs, and by some between minor versions of the compiler.
INSTRUCTION_MARGIN = 1.08
ALLOCATION_MARGIN = 0.05
# The clock's ratios differ by half on a busy machine.
RATIO_MARGIN = 2.0

ALLOCATORS = {"malloc", "calloc", "posix_memalign", "aligned_alloc", "realloc"}


def counted(path, times):
    """Instructions and allocations of one operation, each time it is done."""
    instructions, names, allocations, callee = 0, {}, 0, None
    for line in path.read_text().splitlines():
        if line.startswith(("summary:", "totals:")):
            instructions = int(line.split()[1])
        elif match := re.match(r"c?fn=\((\d+)\)(?: (.*))?$", line):
            number, name = match.groups()
            if name:
                names[number] = re.sub(r"'\d+$", "", name)
            if line.startswith("cfn"):
                callee = names.get(number)
        elif line.startswith("calls=") and callee in ALLOCATORS:
            allocations += int(line[6:].split()[0])
    return instructions / times, allocations / times


def measured(place):
    """(kind, name) of everything, with its two numbers."""
    found = {}
    for index, line in enumerate((place / "operations.txt").read_text().splitlines()):
        name, times = line.split("\t")
        found["count", name] = counted(place / f"counts.{index + 1}", int(times))
    for measurement in json.loads((place / "clock.json").read_text().splitlines()[-1])["measurements"]:
        if "ratio" in measurement:
            name, number = measurement["name"].strip(), 0
            while ("ratio", name) in found:
                name = f"{measurement['name'].strip()} ({(number := number + 1) + 1})"
            found["ratio", name] = (measurement["ratio"], measurement["ratio"] * RATIO_MARGIN)
    return found


def faults(found, committed):
    """A line for everything that is slower than it may be, or not measured any more."""
    for (kind, name), (first, second) in committed.items():
        if (kind, name) not in found:
            yield f"{name}: not measured any more"
            continue
        now, allocations = found[kind, name]
        if kind == "ratio":
            if now > second:
                yield f"{name}: {now:.2f} times its floor, at most {second:.2f}"
            continue
        if now > first * INSTRUCTION_MARGIN:
            yield f"{name}: {now:.0f} instructions, at most {first * INSTRUCTION_MARGIN:.0f}"
        if allocations > second + ALLOCATION_MARGIN:
            yield f"{name}: {allocations:.2f} allocations, at most {second + ALLOCATION_MARGIN:.2f}"


def main():
    place, thresholds = map(pathlib.Path, sys.argv[1:3])
    found = measured(place)
    if "--renew" in sys.argv:
        lines = [f"{kind}\t{one:.2f}\t{two:.2f}\t{name}" for (kind, name), (one, two) in found.items()]
        thresholds.write_text("\n".join(lines) + "\n")
        return
    committed = {}
    for line in thresholds.read_text().splitlines():
        kind, one, two, name = line.split("\t")
        committed[kind, name] = (float(one), float(two))
    for (kind, name), (one, two) in found.items():
        limits = committed.get((kind, name))
        was = f"{limits[0]:.2f}, {limits[1]:.2f}" if limits else "new"
        print(f"{kind}  {one:10.2f} {two:7.2f}  ({was})  {name}")
    slower = list(faults(found, committed))
    for fault in slower:
        print(f"SLOWER  {fault}")
    sys.exit(1 if slower else 0)


main()
