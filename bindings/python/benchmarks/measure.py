"""Measures the Python package and writes a page: measure.py --bench BENCH --driver DRIVER [--page PERFORMANCE.md]

    Scripts/measure bindings        builds what this needs, and calls it

BENCH is Tests/CLibrary/bench.c, built; DRIVER is the kith-driver of Benchmarks.
"""

from __future__ import annotations

import argparse
import gc
import os
import platform
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Callable

import kith
import numpy as np

HERE = Path(__file__).resolve().parent


def table(header: list[str], rows: list[list[Any]]) -> str:
    lines = [header, ["---"] + ["---:"] * (len(header) - 1), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines) + "\n"


def seconds(call: Callable[[], Any]) -> tuple[float, Any]:
    gc.collect()
    began = time.perf_counter()
    result = call()
    return time.perf_counter() - began, result


def best(call: Callable[[], Any], count: int = 3) -> float:
    return min(seconds(call)[0] for _ in range(count))


# The border: Swift, C and Python on one file


def border(options: argparse.Namespace, users: int, path: str) -> str:
    """Runs the three programs in turn, and compares their medians."""
    subprocess.run([options.bench, "make", path, str(users), str(options.follows)], check=True)
    commands = {
        "Swift": [options.driver, path, "border"],
        "C": [options.bench, path],
        "Python": [sys.executable, HERE / "calls.py", path],
    }
    found: dict[str, dict[str, list[float]]] = {name: {} for name in commands}
    for _ in range(options.rounds):
        for name, command in commands.items():
            printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            for line in printed.splitlines():
                what, number = line.split("\t")
                found[name].setdefault(what, []).append(float(number))
    assert found["Swift"]["sum"] == found["C"]["sum"], "C and Swift answered differently"
    middle = {name: {what: statistics.median(each) for what, each in lines.items()} for name, lines in found.items()}
    rows = []
    for what in found["Swift"]:
        if what != "sum":
            swift, c, python = (middle[name][what] for name in commands)
            numbers = (f"{each:,.0f}" for each in (python, python - c))
            rows.append([what, f"{swift:,.0f}", f"{c:,.0f}", f"{c / swift:.2f}", *numbers])
    text = table(["ns", "Swift", "C", "C to Swift", "Python", "Python above C"], rows)
    more = [[what, f"{number:,.0f}"] for what, number in middle["Python"].items() if what not in found["Swift"]]
    return (
        f"{users:,} users, {users * options.follows:,} follows, {users * 5:,} posts; each call in the "
        f"best of three runs, and the median of {options.rounds} runs of each program in turn. An empty call from "
        f"C is {middle['C']['an empty call']:.1f} ns.\n\n{text}\nMore from Python:\n\n" + table(["", "ns"], more)
    )


# Imports and PageRank


def random_graph(users: int, follows: int) -> tuple[Any, Any]:
    """Endpoints of follows; those who are followed are skewed."""
    random = np.random.default_rng(1)
    source = random.integers(1, users + 1, follows)
    target = 1 + (users * random.random(follows) ** 3).astype(np.int64)
    return source, target


def imported(users: int, source: Any, target: Any) -> tuple[kith.Graph, float, float]:
    """A graph, and the seconds and the CPU seconds of importing its follows."""
    graph = kith.Graph()
    graph.import_users(np.arange(1, users + 1), [f"user{number}" for number in range(users)])
    began, cpu = time.perf_counter(), time.process_time()
    graph.import_follows(source, target)
    return graph, time.perf_counter() - began, time.process_time() - cpu


def imports(options: argparse.Namespace) -> tuple[str, kith.Graph]:
    source, target = random_graph(options.large_users, options.large_follows)
    rates = []
    for _ in range(3):
        graph, wall, cpu = imported(options.large_users, source, target)
        rates.append((wall, cpu))
    (wall, cpu), count = min(rates), options.large_follows
    text = (
        f"`graph.import_follows(source, target)` of {count:,} follows among {options.large_users:,} users, from arrays "
        f"of 64-bit integers: {wall:.2f} s, {count / wall / 1e6:.1f} M/s (the best of 3; {cpu:.2f} s of CPU on "
        f"{os.cpu_count()} cores). {graph.counts().follows:,} are kept: duplicates and follows of oneself are not.\n"
    )
    return text, graph


def rank_with_scipy(adjacency: Any) -> Callable[[], Any]:
    import scipy.sparse

    count = len(adjacency.ids)
    out = np.diff(adjacency.offsets).astype(float)
    weights = np.repeat(1 / np.maximum(out, 1), np.diff(adjacency.offsets))
    matrix = scipy.sparse.csr_matrix((weights, adjacency.targets, adjacency.offsets), (count, count)).T.tocsr()

    def run() -> Any:
        scores = np.full(count, 1 / count)
        for _ in range(100):
            before, loose = scores, scores[out == 0].sum()
            scores = 0.85 * (matrix @ scores + loose / count) + 0.15 / count
            if np.abs(scores - before).sum() < 1e-6:
                break
        return scores

    return run


def rank_with_igraph(adjacency: Any) -> Callable[[], Any]:
    import igraph

    sources = np.repeat(np.arange(len(adjacency.ids)), np.diff(adjacency.offsets))
    graph = igraph.Graph(len(adjacency.ids), np.column_stack([sources, adjacency.targets]), directed=True)
    return lambda: np.array(graph.pagerank(damping=0.85))


def rank_with_networkx(adjacency: Any) -> Callable[[], Any]:
    import networkx

    sources = np.repeat(np.arange(len(adjacency.ids)), np.diff(adjacency.offsets))
    graph = networkx.DiGraph()
    graph.add_nodes_from(range(len(adjacency.ids)))
    graph.add_edges_from(zip(sources.tolist(), adjacency.targets.tolist()))
    return lambda: np.array(list(networkx.pagerank(graph, alpha=0.85, tol=1e-6 / len(adjacency.ids)).values()))


RANKERS = {"scipy.sparse": rank_with_scipy, "igraph": rank_with_igraph, "networkx": rank_with_networkx}


def page_ranks(graph: kith.Graph, without: set[str]) -> str:
    """PageRank of each library, on a graph that it holds already. Scores must agree."""
    own = graph.page_rank()
    time = best(graph.page_rank)
    rows = [["Kith", "", f"{time:.2f}", "1.0", ""]]
    adjacency = graph.adjacency()
    for name, prepare in RANKERS.items():
        if name in without:
            continue
        building, run = seconds(partial(prepare, adjacency))
        scores = run()
        difference = float(np.abs(scores / scores.sum() - own.scores / own.scores.sum()).sum())
        assert difference < 1e-3, f"{name} has other scores: {difference}"
        taken = best(run, 2)
        package = name.split(".")[0]
        numbers = (f"{building:.2f}", f"{taken:.2f}", f"{taken / time:.1f}", f"{difference:.0e}")
        rows.append([f"{name} {version(package)}", *numbers])
        del run
        gc.collect()
    counts = graph.counts()
    return f"{counts.users:,} users, {counts.follows:,} follows:\n\n" + table(
        ["", "its graph made from Kith's, s", "PageRank, s", "to Kith", "sum of differences"], rows
    )


# SQLite


SCHEMA = """
CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT, followers INTEGER, followees INTEGER, posts INTEGER);
CREATE TABLE follows (user INTEGER, target INTEGER, PRIMARY KEY (user, target)) WITHOUT ROWID;
CREATE TABLE posts (id INTEGER PRIMARY KEY, author INTEGER, at INTEGER, likes INTEGER, text TEXT);
CREATE VIRTUAL TABLE names USING fts5(name, tokenize = 'trigram', content = '');
"""
INDEXES = "CREATE INDEX posts_by_author ON posts (author, at DESC, id DESC); ANALYZE;"
TIMELINE = """
SELECT p.id, u.name, p.at, p.likes, p.text FROM (
  SELECT q.id, q.at FROM (SELECT target FROM follows WHERE user = :user UNION ALL SELECT :user) f
  CROSS JOIN posts q ON q.author = f.target ORDER BY q.at DESC, q.id DESC LIMIT 20
) t JOIN posts p ON p.id = t.id JOIN users u ON u.id = p.author ORDER BY t.at DESC, t.id DESC
"""
SEARCH = """
SELECT u.id, u.name, u.followers, u.followees, u.posts FROM names n JOIN users u ON u.id = n.rowid
WHERE names MATCH :text ORDER BY u.name LIMIT 20
"""


def sqlite_of(graph: kith.Graph) -> sqlite3.Connection:
    base = sqlite3.connect(":memory:")
    base.executescript(SCHEMA)
    for page in graph.search_users(limit=1000).pages():
        users = [(u.id, u.username, u.follower_count, u.followee_count, u.post_count) for u in page]
        base.executemany("INSERT INTO users VALUES (?, ?, ?, ?, ?)", users)
        base.executemany("INSERT INTO names (rowid, name) VALUES (?, ?)", [each[:2] for each in users])
    adjacency = graph.adjacency()
    sources = np.repeat(adjacency.ids, np.diff(adjacency.offsets))
    targets = adjacency.ids[adjacency.targets]
    base.executemany("INSERT INTO follows VALUES (?, ?)", zip(sources.tolist(), targets.tolist()))
    for posts in graph.search_posts(limit=1000).pages():
        base.executemany(
            "INSERT INTO posts VALUES (?, ?, ?, ?, ?)",
            [(p.id, p.author_id, p.created_ms, p.like_count, p.text) for p in posts],
        )
    base.executescript(INDEXES)
    return base


def beside_sqlite(path: str) -> str:
    """Search and timeline, every column read, in Kith and in SQLite."""
    graph = kith.Graph.from_snapshot(Path(path).read_bytes())
    while not graph.counts().is_post_search_indexed:
        time.sleep(0.1)
    base = sqlite_of(graph)
    users = np.random.default_rng(2).integers(1, graph.counts().users + 1, 2000).tolist()
    texts = [f"er0000{number % 10}" for number in range(2000)]

    def timeline(user: int) -> list[tuple[Any, ...]]:
        return [(p.id, p.author, p.created_ms, p.like_count, p.text) for p in graph.timeline(user)]

    def search(text: str) -> list[tuple[Any, ...]]:
        return [(u.id, u.username, u.follower_count, u.followee_count, u.post_count) for u in graph.search_users(text)]

    cases: list[tuple[str, list[Any], Callable[[Any], Any], Callable[[Any], Any]]] = [
        ("timeline of a random user", users, timeline, lambda user: base.execute(TIMELINE, {"user": user}).fetchall()),
        (
            "search of users, 7 letters of a name",
            texts,
            search,
            lambda text: base.execute(SEARCH, {"text": f'"{text}"'}).fetchall(),
        ),
    ]
    rows = []
    for name, values, own, other in cases:
        for value in values[:50]:
            assert own(value) == other(value), f"{name}: {value}"
        times: list[list[float]] = [[], []]
        for _ in range(3):  # in turn
            for place, call in enumerate((own, other)):
                began = time.thread_time()
                for value in values:
                    call(value)
                times[place].append((time.thread_time() - began) / len(values) * 1e6)
        mine, theirs = map(statistics.median, times)
        rows.append([name, f"{mine:.1f}", f"{theirs:.1f}", f"{theirs / mine:.1f}"])
    return (
        f"SQLite {sqlite3.sqlite_version} in memory, by Python's own module, with an index on posts by author and an "
        "FTS5 table of trigrams; all columns of the twenty rows are read; answers are compared first.\n\n"
        + table(["µs of CPU", "Kith", "SQLite", "SQLite to Kith"], rows)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bench", required=True)
    parser.add_argument("--driver", required=True)
    parser.add_argument("--page", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--users", type=int, default=100_000)
    parser.add_argument("--follows", type=int, default=40, help="of each user")
    parser.add_argument("--large-users", type=int, default=1_000_000)
    parser.add_argument("--large-follows", type=int, default=10_000_000)
    options = parser.parse_args()
    parts: list[str] = []

    def add(title: str, text: str) -> None:
        parts.append(f"## {title}\n\n{text}")
        print(parts[-1], file=sys.stderr)

    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "graph")
        add("Calls from Swift, C and Python", border(options, options.large_users, path))
        add("The same calls on a smaller graph", border(options, options.users, path))
        add("Beside SQLite", beside_sqlite(path))
    text, graph = imports(options)
    add("Import", text)
    add("PageRank", page_ranks(graph, {"networkx"}))
    small, _, _ = imported(50_000, *random_graph(50_000, 500_000))
    add(
        "PageRank on a smaller graph",
        page_ranks(small, set())
        + ("\nnetworkx takes gigabytes for the graph above. graph-tool is not on PyPI and was not measured.\n"),
    )
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    head = (
        "# Figures of the C library and the Python package\n\nMade by `Scripts/measure bindings` on "
        f"{platform.machine()} Linux, {os.cpu_count()} cores (load {load}), Python {platform.python_version()}, numpy "
        f"{np.__version__}. Compare columns of one run, not times of two.\n"
    )
    page = "\n".join([head, *parts])
    if options.page:
        options.page.write_text(page)
    print(page)


if __name__ == "__main__":
    main()
