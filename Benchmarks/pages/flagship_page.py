"""The page of the flagship: times, memory by structure, size of the file."""

import math


def gigabytes(count):
    return f"{count / 1e9:,.2f} GB" if count >= 1e8 else f"{count / 1e6:,.1f} MB"


def duration(seconds):
    return f"{seconds:,.1f} s" if seconds < 600 else f"{seconds / 60:,.1f} min"


def latency(nanoseconds):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if nanoseconds >= size:
            return f"{nanoseconds / size:.3g} {unit}"
    return f"{nanoseconds} ns"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    return lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows] + [""]


def steps(results):
    """What was done: seconds, the most resident bytes."""
    opened, changed, imported = results["open"], results.get("change"), results.get("import")
    return [
        ("made and saved", results["make"]["seconds"], results["make"]["peak"]),
        ("opened, to the first timeline", opened["firstTimeline"], opened["opened"]["peak"]),
        ("opened, to the first search", opened["firstSearch"], None),
        ("asked (all rows below)", opened["stageSeconds"] - opened["firstSearch"], opened["asked"]["peak"]),
        ("opened and PageRank", results["rank"]["seconds"], results["rank"]["peak"]),
        *(
            [("opened after kill -9, three changes recovered", changed["recovered"], changed["peak"])]
            if changed
            else []
        ),
        *(
            [("exported to .tsv.zst", results["export"]["seconds"], results["export"]["peak"])]
            if "export" in results
            else []
        ),
        *([("imported", imported["seconds"], imported["peak"])] if imported else []),
    ]


def structures(results):
    """The bytes of each structure, the largest first."""
    taken = {name: count for name, count in results["open"]["bytes"].items() if name != "total" and count}
    return sorted(taken.items(), key=lambda item: -item[1])


def whole(results, is_compact):
    """The bytes of each structure at full size: in proportion, and a bit more for each end of an edge of compact lists
    whenever the rows double."""
    ratio = results["whole"]["users"] / results["counts"]["users"]
    bits = 2 * math.log2(ratio) if is_compact else 0
    return {name: count * ratio + results["whole"].get(name, 0) * bits / 8 for name, count in structures(results)}


def of_memory(results, words):
    users, follows = results["counts"]["users"], results["counts"]["follows"]
    total = results["open"]["bytes"]["total"]
    lines = ["## Memory", ""]
    full = whole(results, "--compact-lists" in words) if users < results["whole"]["users"] else None
    lines += table(
        ["structure", "bytes", "each user", "share", *(["at full size, calculated"] if full else [])],
        [
            (
                name,
                gigabytes(count),
                f"{count / users:.1f}",
                f"{100 * count / total:.1f} %",
                *([gigabytes(full[name])] if full else []),
            )
            for name, count in structures(results)
        ],
    )
    lines += [
        f"Total {gigabytes(total)}, {total / users:.0f} bytes a user; a follow takes "
        f"{dict(structures(results))['follows'] / follows:.2f} bytes."
    ]
    if full and "--compact-lists" in words:
        # What a step takes beside the graph: most while it is made or opened.
        peak = max(peak for _, _, peak in steps(results) if peak)
        ratio = results["whole"]["users"] / users
        lines += [
            "",
            f"At full size the graph takes {gigabytes(sum(full.values()))} by calculation. The step that "
            f"took most memory took {gigabytes(peak - total)} beside the graph here; in proportion, "
            f"{gigabytes(sum(full.values()) + (peak - total) * ratio)} would be resident.",
        ]
    return lines


def of_file(results):
    made, check, follows = results["make"], results["check"], results["counts"]["follows"]
    sections = {section["name"]: section for section in made["sections"]}
    bits = 8 * (sections["follows.target"]["fileBytes"] + sections["follows.degree"]["fileBytes"]) / follows
    timed = bits + 8 * sections["follows.second"]["fileBytes"] / follows
    lines = ["", "## The file", ""]
    lines += table(
        ["", "bits a follow"],
        [
            ("targets and degrees", f"{bits:.2f}"),
            ("with times", f"{timed:.2f}"),
            ("least, given how many each user follows", f"{check['ascendingBits']:.2f}"),
            ("least, given also by how many each is followed", f"{check['entropyBits']:.2f}"),
        ],
    )
    lines += [
        "The last lines are logarithms of numbers of graphs, divided by the follows: of those with these lengths of "
        "lists, which is the least for gaps between ascending rows, as the file has them; and of those with these "
        "degrees both ways. "
        f"The file has {gigabytes(made['fileBytes'])}."
    ]
    return lines


def markdown(results, scale, words, remarks):
    counts, made = results["counts"], results["make"]
    users, follows = counts["users"], counts["follows"]
    check = results["check"]
    lines = [
        f"# A network like Twitter in 2010, at {'full' if scale == '1' else scale + ' of its'} size",
        "",
        f"Created by `Scripts/measure flagship {words}`. {results['machine']}.",
        "",
        f"{users:,} users, {follows:,} follows, {counts['posts']:,} posts, {counts['likes']:,} likes; power laws both "
        f"ways: the most followed user has {check['mostFollowers']:,} followers. Posts are not indexed.",
        "",
        *[line for remark in remarks for line in (remark, "")],
    ]
    lines += table(
        ["step", "time", "most resident"],
        [(name, duration(seconds), gigabytes(peak) if peak else "") for name, seconds, peak in steps(results)],
    )
    bounds = results["bounds"]
    lines += [
        f"Beside it, in C on one core: decompressing the file {duration(bounds['decompress'])}, touching as many new "
        f"bytes as the graph takes {duration(bounds['touch'])}, touching them again {duration(bounds['again'])}.",
        "",
        f"{follows / made['seconds'] / 1e6:.2f} million follows a second were made, with users, posts and the snapshot."
        f" Resident after opening {gigabytes(results['open']['opened']['resident'])}, after all queries "
        f"{gigabytes(results['open']['asked']['resident'])}.",
        "",
        "## Queries",
        "",
    ]
    lines += table(
        ["one process, one client", "p50", "p99"],
        [(name, latency(half), latency(most)) for name, (half, most) in results["open"]["latencies"].items()],
    )
    lines += [
        f"The timelines, suggestions and counts of {check['samples']} users and the twenty highest PageRanks equal "
        "those that a C program computes from the exported rows.",
        "",
    ]
    if changed := results.get("change"):
        lines += [
            "One follow, one like and one rename took "
            + ", ".join(latency(time) for time in changed["nanoseconds"])
            + ", and were there after kill -9.",
            "",
        ]
    lines += [*of_memory(results, words), *of_file(results)]
    return "\n".join(lines) + "\n"
