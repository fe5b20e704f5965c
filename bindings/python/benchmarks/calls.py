"""What calls from Python cost, in nanoseconds: the same calls, with the same random numbers and on the same file,
as Tests/CLibrary/bench.c measures from C.

    calls.py SNAPSHOT
"""

from __future__ import annotations

import itertools
import sys
import time
from typing import Any, Callable

import kith

PAIR_COUNT, PAGE_COUNT = 400_000, 40_000


def measure(name: str, arguments: list[Any], call: Callable[..., Any]) -> None:
    """Prints what a call costs, without the loop, in the best of three runs."""
    loop = min(time_of(lambda *_: None, arguments) for _ in range(3))
    calls = min(time_of(call, arguments) for _ in range(3))
    print(f"{name}\t{(calls - loop) / len(arguments):.2f}")


def time_of(call: Callable[..., Any], arguments: list[Any]) -> int:
    began = time.perf_counter_ns()
    for each in arguments:
        call(*each)
    return time.perf_counter_ns() - began


def main() -> None:
    graph = kith.open(sys.argv[1])
    users, state = graph.counts().users, 1

    def user() -> int:
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) & 0xFFFF_FFFF_FFFF_FFFF
        return 1 + (state >> 33) % users

    measure("isFollowing, random pairs", [(user(), user()) for _ in range(PAIR_COUNT)], graph.is_following)
    measure("isFollowing, the same pair", [(1, 2)] * PAIR_COUNT, graph.is_following)
    viewers = [(user(),) for _ in range(PAGE_COUNT)]
    measure("timeline, random users", viewers, graph.timeline)
    measure("timeline, the same user", [viewers[0]] * PAGE_COUNT, graph.timeline)
    texts = list(itertools.islice(itertools.cycle((f"er0000{i}",) for i in range(10)), PAGE_COUNT))
    measure("search of users", texts, graph.search_users)
    small = kith.Graph()
    ann, bob = small.add_user("ann"), small.add_user("bob")
    measure(
        "follow or unfollow, in memory",
        [(small.follow,), (small.unfollow,)] * (PAIR_COUNT // 2),
        lambda verb: verb(ann, bob),
    )
    measure("timeline, random users, with ids as an array", viewers, lambda user: graph.timeline(user).ids)
    measure(
        "timeline, random users, with 20 texts and names",
        viewers,
        lambda user: [(post.author, post.text) for post in graph.timeline(user)],
    )


if __name__ == "__main__":
    main()
