#!/usr/bin/env python3
"""Runs the same queries and changes on Kith and on other systems, for the same seeded network."""

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
import threads
import writes
from microblog import run as microblog
from network import Network, questions
from results import Results, filled, machine

# Follows, posts and likes for each user.
PROPORTIONS = (40, 10, 20)


def note(message):
    if sys.stderr.isatty():
        print(f"\r{message}\x1b[K", end="", file=sys.stderr, flush=True)


def main():
    parser = argparse.ArgumentParser(prog="Scripts/measure comparison", description=__doc__)
    parser.add_argument("--kith", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--driver", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--short", action="store_true", help="20,000 users, 200 queries of each kind: some minutes")
    parser.add_argument(
        "--microblog",
        action="store_true",
        help="the timelines, conversations and notifications of a microblog instead, as a section of the results; "
        "30,000 users, with --short 5,000",
    )
    parser.add_argument("--users", type=int, help="with 40 follows, 10 posts and 20 likes each (100,000)")
    parser.add_argument("--questions", type=int, help="of each kind (400); of the microblog (300)")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the network and the queries (1)")
    parser.add_argument(
        "--only", default="sqlite,postgresql,redis,tantivy", help="the other systems, separated by commas"
    )
    parser.add_argument("--remark", action="append", default=[], help="a remark on this run")
    parser.add_argument("--results", help="the file to write; standard output without it")
    options = parser.parse_args()
    short, usual = (5_000, 30_000) if options.microblog else (20_000, 100_000)
    options.users = options.users or (short if options.short else usual)
    few, many = (100, 300) if options.microblog else (200, 400)
    options.questions = options.questions or (few if options.short else many)
    with tempfile.TemporaryDirectory(prefix="kith-comparison-") as directory:
        # Servers run as another user and need access.
        os.chmod(directory, 0o755)
        if options.microblog:
            text = microblog.run(options, directory, note).text(command(options), options.seed)
        else:
            text = run(options, directory).markdown()
    note("")
    if options.results:
        write(options, text)
    else:
        print(text)


def write(options, text):
    """The section on the microblog, and the rest of the page, are written by different runs."""
    old = ""
    if os.path.exists(options.results):
        with open(options.results, encoding="utf-8") as file:
            old = file.read()
    with open(options.results, "w", encoding="utf-8") as file:
        file.write(microblog.put(old, text) if options.microblog else text + microblog.kept(old))


def command(options):
    hidden = {"--kith", options.kith, "--driver", options.driver, "--remark", *options.remark}
    return " ".join(["Scripts/measure comparison", *(word for word in sys.argv[1:] if word not in hidden)])


def run(options, directory):
    size = (options.users, *(options.users * each for each in PROPORTIONS))
    words = [w for pair in zip(("--users", "--follows", "--posts", "--likes"), map(str, size)) for w in pair]
    note("creating the network")
    subprocess.run(
        [options.kith, "seed", f"{directory}/store", *words, "--seed", str(options.seed), "--tsv", f"{directory}/tsv"],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    network = Network(f"{directory}/tsv")
    asked = questions(network, options.questions, options.seed)
    kith = systems.Kith(options.kith, options.driver, directory)
    note("measuring Kith")
    expected = {kind: answers for kind, _, answers in kith.ask(network, asked)}
    results = Results([])
    for kind, found in expected.items():
        results.add(kind, "Kith", "", [time for time, _ in found])
    changed = writes.changes(network, options.questions, options.seed)
    note("measuring changes of Kith")
    outcomes = kith_changes(kith, network, changed, results)
    results.saved += [("Kith", *row) for row in kith.saved()]
    results.shared += [("Kith", *row) for row in threads.of_kith(kith.driver, kith.store, kith.directory)]
    work = Work(network, asked, expected, changed, outcomes)
    versions = [kith.version] + ask_systems(options, directory, work, results)
    results.heading = heading(command(options), size, options, versions)
    results.remarks += options.remark + REMARKS
    return results


class Work(typing.NamedTuple):
    """The queries and changes of every system, and the answers of Kith."""

    network: Network
    asked: list
    # kind: [(nanoseconds, rows)]
    expected: dict
    changed: list
    # The same for each repetition of the changes.
    outcomes: list


def kith_changes(kith, network, changed, results):
    """The times for every durability mode; the final state after each repetition that another system makes."""
    outcomes = []
    for depth, mode in itertools.product((1, writes.DEPTH), kith.modes):
        found = kith.change(network, changed, mode, depth, 1 if outcomes else 6)
        outcomes = outcomes or found
        for kind in writes.CHECKS:
            check(kith, kind, f"after changes, {mode}", found[0][kind], outcomes[0][kind])
        add_changes(results, "Kith", "", mode, depth, found[0])
    return outcomes


def add_changes(results, system, how, mode, depth, found):
    for kind in writes.KINDS if depth == 1 else writes.REPORTED_AT_ONCE:
        at_once = f", {depth} at once" if depth > 1 else ""
        results.add(f"{kind}, {mode}{at_once}", system, how, [time for time, _ in found[kind]])


def ask_systems(options, directory, work, results):
    network = work.network
    makers = {
        "sqlite": [lambda own, place=place: systems.SQLite(directory, network, place) for place in ("memory", "disk")],
        "postgresql": [lambda own: servers.PostgreSQL(directory, network, own)],
        "redis": [lambda own: servers.Redis(directory, network, own)],
        "tantivy": [lambda own: systems.Tantivy(directory, network)],
    }
    versions = []
    for name in options.only.split(","):
        for make in makers[name]:
            note(f"filling {name}")
            # One server at a time, alone on the machine.
            with contextlib.ExitStack() as own:
                try:
                    other = make(own)
                except systems.Absent as absence:
                    results.remarks.append(f"Not measured: {absence}.")
                    break
                note(f"measuring {other.name}")
                for kind, how, answers in other.ask(network, work.asked):
                    check(other, kind, how, answers, work.expected[kind])
                    results.add(kind, other.name, how, [time for time, _ in answers])
                if hasattr(other, "shared"):
                    results.shared += [(other.name, *row) for row in other.shared()]
                if hasattr(other, "saved"):
                    results.saved += [(other.name, *row) for row in other.saved()]
                if hasattr(other, "change"):
                    change(other, work, results)
                if other.version not in versions:
                    versions.append(other.version)
    return versions


def change(other, work, results):
    """The changes in every mode of the other system, and its answers afterwards."""
    for mode, depth, repeat, how, found in other.change(work.network, work.changed):
        found = {kind: answers for kind, _, answers in found}
        for kind in writes.CHECKS:
            check(other, kind, f"after changes, {mode}", found[kind], work.outcomes[repeat][kind])
        add_changes(results, other.name, how, mode, depth, found)


def check(other, kind, how, answers, expected):
    """Every answer equals Kith's before its time counts; rows with fewer fields are compared in those."""
    if len(answers) != len(expected):
        raise SystemExit(f"{other.name} ({how}) answered {len(answers)} of {len(expected)} questions: {kind}")
    for place, ((_, rows), (_, wanted)) in enumerate(zip(answers, expected)):
        if rows is None:
            continue
        if rows and len(rows[0]) == 1:
            wanted = [row[:1] for row in wanted]
        if rows != wanted:
            raise SystemExit(f"{other.name} ({how}) differs: {kind}, question {place}\n  {rows}\n  Kith: {wanted}")


def heading(command, size, options, versions):
    users, follows, posts, likes = size
    return [
        f"Created by `{command}` on {datetime.datetime.now(datetime.UTC):%Y-%m-%d}.",
        "",
        filled(f"{machine()}. {', '.join(versions)}; {platform.python_implementation()} {platform.python_version()}."),
        "",
        filled(
            f"{users:,} users, {follows:,} follows, {posts:,} posts, {likes:,} likes, seed {options.seed}. One thread, "
            "pages of 20, each query run once before it is measured. Every answer of every system was compared with "
            "Kith's, field by field."
        ),
    ]


REMARKS = [
    "Kith's driver is in Swift and uses the public API, with texts read as Strings. The drivers of SQLite, "
    "PostgreSQL and Redis are in C, with statements prepared once and rows copied. Kith and SQLite run inside the "
    'process, the others over a Unix socket on the same machine. "Server alone" is planning and execution as '
    'PostgreSQL measures them, without the socket. "64 in flight" means that 64 queries are sent before the '
    "first answer is read, and share the time.",
    "Changes are checked by queries of everything that was changed. 64 at once are a batch of Kith, a transaction of "
    "SQLite and PostgreSQL, a pipeline of Redis: one wait for the disk, shared by all of them.",
    "tantivy is queried through its Python package, whose call is included. It returns only ids, without the "
    "viewer's follows.",
    "SQLite's gram table, names and posts are numbered in their order, which makes reading fastest and inserting "
    "slow. The ordered gram table repeats each name's key, id and text beside every gram of it, so that ids and names "
    "are read from one place. The rarest gram of a query is looked up before the clock starts. The merge in the client "
    "reads the newest post of every followee, and then one post after another.",
    "No other system has a search for parts of names within an edit distance: Kith alone answers with typos.",
    "Redis cannot search parts of names, words of posts or friends of friends without another index: these rows are "
    "left out.",
]


if __name__ == "__main__":
    main()
