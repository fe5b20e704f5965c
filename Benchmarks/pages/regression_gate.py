"""Compares the counts of Scripts/measure gate with thresholds.txt; exit status 1 if an operation became slower.

A line of thresholds.txt is a kind, the committed value, the greatest allowed value, and a name:
  count  instructions of an operation of CountedWorkload, for each execution
  ratio  p50 of the engine divided by p50 of the baseline
"""

import json
import pathlib
import sys

# Counts differ by one in a hundred between runs, and by some between minor versions of the compiler.
COUNT_MARGIN = 1.08
# These depend on the progress of background compaction.
MERGED = {"search", "search of posts", "search of posts, 2 words", "pin", "post"}
MERGED_MARGIN = 1.35
# Time ratios differ by half on a busy machine, and between machines: these limits find only great regressions.
RATIO_MARGIN = 3.0


def counted(path, times):
    """Instructions of one execution of an operation."""
    for line in path.read_text().splitlines():
        if line.startswith(("summary:", "totals:")):
            return int(line.split()[1]) / times
    sys.exit(f"{path} holds no total")


def measured(place):
    """(kind, name) of every measurement, with its value and its limit."""
    found = {}
    for index, line in enumerate((place / "operations.txt").read_text().splitlines()):
        name, times = line.split("\t")
        count = counted(place / f"counts.{index + 1}", int(times))
        found["count", name] = (count, count * (MERGED_MARGIN if name in MERGED else COUNT_MARGIN))
    heading = ""
    for measurement in json.loads((place / "clock.json").read_text().splitlines()[-1])["measurements"]:
        name = measurement["name"]
        if name.startswith(" "):
            name = f"{heading}, {name.strip()}"
        else:
            heading = name
        if "ratio" in measurement:
            found["ratio", name] = (measurement["ratio"], measurement["ratio"] * RATIO_MARGIN)
    return found


def main():
    place, thresholds = map(pathlib.Path, sys.argv[1:3])
    found = measured(place)
    if "--renew" in sys.argv:
        lines = [f"{kind}\t{now:.2f}\t{most:.2f}\t{name}" for (kind, name), (now, most) in found.items()]
        thresholds.write_text("\n".join(lines) + "\n")
        return
    slower = []
    for line in thresholds.read_text().splitlines():
        kind, was, most, name = line.split("\t")
        if (kind, name) not in found:
            slower.append(f"{name}: not measured any more")
            continue
        now = found[kind, name][0]
        print(f"{kind}  {now:10.2f}  (was {was}, at most {most})  {name}")
        if now > float(most):
            slower.append(f"{name}: {now:.2f}, at most {most}")
    for fault in slower:
        print(f"SLOWER  {fault}")
    sys.exit(1 if slower else 0)


main()
