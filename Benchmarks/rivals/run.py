#!/usr/bin/env python3
"""Asks Kith and what one would use instead the same questions about the same seeded network."""

import argparse
import contextlib
import datetime
import itertools
import os
import platform
import subprocess
import sys
import tempfile
import typing

import servers
import systems
import writes
from network import Network, questions
from results import Results, machine

# Follows, posts and likes for each user.
PROPORTIONS = (40, 10, 20)


def note(message):
    if sys.stderr.isatty():
        print(f"\r{message}\x1b[K", end="", file=sys.stderr, flush=True)


def main():
    parser = argparse.ArgumentParser(prog="Benchmarks/run", description=__doc__)
    parser.add_argument("--kith", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--driver", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--short", action="store_true", help="20,000 users, 200 questions of each kind: some minutes")
    parser.add_argument("--users", type=int, help="with 40 follows, 10 posts and 20 likes each (100,000)")
    parser.add_argument("--questions", type=int, help="of each kind (400)")
    parser.add_argument("--seed", type=int, default=1, help="another network and other questions for every number (1)")
    parser.add_argument("--only", default="sqlite,postgresql,redis,tantivy", help="the rivals to ask, with commas")
    parser.add_argument("--remark", action="append", default=[], help="what readers of this run should know")
    parser.add_argument("--results", help="the file to write; standard output without it")
    options = parser.parse_args()
    options.users = options.users or (20_000 if options.short else 100_000)
    options.questions = options.questions or (200 if options.short else 400)
    with tempfile.TemporaryDirectory(prefix="kith-rivals-") as directory:
        # Servers run as a user of their own and must get in.
        os.chmod(directory, 0o755)
        results = run(options, directory)
    text = results.markdown()
    note("")
    if options.results:
        with open(options.results, "w", encoding="utf-8") as file:
            file.write(text)
    else:
        print(text)


def run(options, directory):
    size = (options.users, *(options.users * each for each in PROPORTIONS))
    words = [w for pair in zip(("--users", "--follows", "--posts", "--likes"), map(str, size)) for w in pair]
    note("making the network")
    subprocess.run(
        [options.kith, "seed", f"{directory}/store", *words, "--seed", str(options.seed), "--tsv", f"{directory}/tsv"],
        check=True, stdout=subprocess.DEVNULL)
    network = Network(f"{directory}/tsv")
    asked = questions(network, options.questions, options.seed)
    kith = systems.Kith(options.kith, options.driver, directory)
    note("asking Kith")
    expected = {kind: answers for kind, _, answers in kith.ask(network, asked)}
    hidden = {"--kith", options.kith, "--driver", options.driver, "--remark", *options.remark}
    command = " ".join(["Benchmarks/run", *(word for word in sys.argv[1:] if word not in hidden)])
    results = Results([])
    for kind, found in expected.items():
        results.add(kind, "Kith", "", [time for time, _ in found])
    changed = writes.changes(network, options.questions, options.seed)
    note("having Kith make changes")
    outcomes = kith_changes(kith, network, changed, results)
    results.saved += [("Kith", *row) for row in kith.saved()]
    work = Work(network, asked, expected, changed, outcomes)
    versions = [kith.version] + ask_rivals(options, directory, work, results)
    results.heading = heading(command, size, options, versions)
    results.remarks += options.remark + REMARKS
    return results


class Work(typing.NamedTuple):
    """What everybody is asked and has to change, and what Kith answered."""

    network: Network
    asked: list
    # kind: [(nanoseconds, rows)]
    expected: dict
    changed: list
    # The same for each time that the changes were played twice.
    outcomes: list


def kith_changes(kith, network, changed, results):
    """Of every durability the times; how everything is afterwards, for as many repeats as a rival plays."""
    outcomes = []
    for depth, mode in itertools.product((1, writes.DEPTH), kith.modes):
        found = kith.change(network, changed, mode, depth, 1 if outcomes else 6)
        outcomes = outcomes or found
        for kind in writes.CHECKS:
            check(kith, kind, f"after changes, {mode}", found[0][kind], outcomes[0][kind])
        add_changes(results, "Kith", "", mode, depth, found[0])
    return outcomes


def add_changes(results, system, how, mode, depth, found):
    for kind in writes.KINDS if depth == 1 else writes.TOLD_AT_ONCE:
        at_once = f", {depth} at once" if depth > 1 else ""
        results.add(f"{kind}, {mode}{at_once}", system, how, [time for time, _ in found[kind]])


def ask_rivals(options, directory, work, results):
    network = work.network
    makers = {
        "sqlite": [
            lambda own, place=place: systems.SQLite(directory, network, place) for place in ("memory", "disk")
        ],
        "postgresql": [lambda own: servers.PostgreSQL(directory, network, own)],
        "redis": [lambda own: servers.Redis(directory, network, own)],
        "tantivy": [lambda own: systems.Tantivy(directory, network)],
    }
    versions = []
    for name in options.only.split(","):
        for make in makers[name]:
            note(f"filling {name}")
            # One server at a time: nobody shares the machine with what is measured.
            with contextlib.ExitStack() as own:
                try:
                    rival = make(own)
                except systems.Absent as absence:
                    results.remarks.append(f"Not asked: {absence}.")
                    break
                note(f"asking {rival.name}")
                for kind, how, answers in rival.ask(network, work.asked):
                    check(rival, kind, how, answers, work.expected[kind])
                    results.add(kind, rival.name, how, [time for time, _ in answers])
                if hasattr(rival, "saved"):
                    results.saved += [(rival.name, *row) for row in rival.saved()]
                if hasattr(rival, "change"):
                    change(rival, work, results)
                if rival.version not in versions:
                    versions.append(rival.version)
    return versions


def change(rival, work, results):
    """The changes of every way the rival has, and what it answers of them afterwards."""
    for mode, depth, repeat, how, found in rival.change(work.network, work.changed):
        found = {kind: answers for kind, _, answers in found}
        for kind in writes.CHECKS:
            check(rival, kind, f"after changes, {mode}", found[kind], work.outcomes[repeat][kind])
        add_changes(results, rival.name, how, mode, depth, found)


def check(rival, kind, how, answers, expected):
    """Every answer equals Kith's before its time counts; rows that hold fewer fields are compared in those."""
    if len(answers) != len(expected):
        raise SystemExit(f"{rival.name} ({how}) answered {len(answers)} of {len(expected)} questions: {kind}")
    for place, ((_, rows), (_, wanted)) in enumerate(zip(answers, expected)):
        if rows is None:
            continue
        if rows and len(rows[0]) == 1:
            wanted = [row[:1] for row in wanted]
        if rows != wanted:
            raise SystemExit(f"{rival.name} ({how}) differs: {kind}, question {place}\n  {rows}\n  Kith: {wanted}")


def heading(command, size, options, versions):
    users, follows, posts, likes = size
    return [
        f"Made by `{command}` on {datetime.datetime.now(datetime.UTC):%Y-%m-%d}.",
        "",
        f"{machine()}.",
        f"{', '.join(versions)}; {platform.python_implementation()} {platform.python_version()}.",
        "",
        f"{users:,} users, {follows:,} follows, {posts:,} posts, {likes:,} likes, seed {options.seed}. One caller, "
        "pages of 20, each question asked once before it is measured. Every answer of every system was compared with "
        "Kith's, field by field.",
    ]


REMARKS = [
    "Kith is asked by a driver in Swift through its public API, its texts made Strings; SQLite, PostgreSQL and Redis "
    "by drivers in C, statements prepared once, rows copied; Kith and SQLite inside the process, the others over a "
    "Unix socket on the same machine. \"Server alone\" is planning and execution as PostgreSQL itself measures them, "
    "without the socket. \"64 in flight\": so many questions are sent before the first answer is read, and share the "
    "time.",
    "Changes are checked by what everybody answers afterwards about all that was changed. 64 at once are a batch of "
    "Kith, a transaction of SQLite and PostgreSQL, a pipeline of Redis: one wait for the disk, shared by all of them.",
    "tantivy is asked through its Python package, whose call is counted; it answers ids alone, and of names the "
    "viewer's following is not asked.",
    "SQLite's gram table, names and posts are numbered in their order, which makes reading fastest and inserting slow; "
    "the rarest gram of a query is looked up before the clock starts.",
    "Redis finds no part of a name, no words of posts and no friends of friends without another index beside it: "
    "these rows are left out.",
]


if __name__ == "__main__":
    main()
