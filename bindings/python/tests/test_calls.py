"""The end of the interpreter, Ctrl-C, calls inside callbacks, copies."""

from __future__ import annotations

import copy
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import kith
import pytest

# The seconds before Ctrl-C, and those within which it is seen on a busy machine.
BEFORE, WITHIN = 0.2, 2.0

ENDS = {
    "live": "live = graph.live(kith.Graph.timeline, 1); live.poll()",
    "changes": "feed = graph.changes(); feed.poll()",
    "change, then end": "feed = graph.changes(); time.sleep(0.1); graph.add_post(1, 'hi')",
    "event": "store = new_store(on_event=events.append); store.snapshot()",
    "event that raises": "store = new_store(on_event=lambda event: 1 / 0); store.snapshot()",
    "event whose error is shown": "store = new_store(on_event=lambda event: 1 / 0); store.snapshot(); shown.wait(30)",
    "event that stays": "store = new_store(on_event=lambda event: time.sleep(60)); store.snapshot(); time.sleep(0.1)",
    "thread that iterates": "run(lambda: list(graph.changes())); time.sleep(0.1); graph.add_post(1, 'hi')",
    "thread that waits": "feed = graph.changes(); run(lambda: [feed.wait() or feed.poll() for _ in range(9)])",
    "thread in a batch": "live = graph.live(kith.Graph.timeline, 1); run(lambda: graph.batch(stay)); began.wait()",
    "thread in a snapshot": "store = new_store(); run(lambda: store.snapshot(stay)); began.wait()",
    "thread in the journal": "store = new_store(); run(lambda: [list(store.journaled_changes(1, 1)) for _ in ever()])",
    "threads that change": "feeds = [graph.changes() for _ in range(9)]; run(lambda: [graph.like(1, 1) or "
    "graph.unlike(1, 1) for _ in ever()]); time.sleep(0.2)",
    "asyncio": "asyncio.run(follow())",
    "what is never freed": "builtins.kept = [graph, graph.changes(), graph.pin(), graph.search_users()]",
    "exit in a thread": "feed = graph.changes(); run(sys.exit); graph.add_post(1, 'hi')",
}
PRELUDE = """
import asyncio, atexit, builtins, sys, tempfile, threading, time

def last():
    assert graph.counts().users >= 1 and graph.verify() == []
    graph.close()
    print("last")

if late: atexit.register(last)  # runs after what kith has registered
import kith
graph, events, began, shown = kith.Graph(), [], threading.Event(), threading.Event()
graph.add_user("ann")
graph.add_post(1, "first")

def show(error):
    sys.__unraisablehook__(error)
    shown.set()

sys.unraisablehook = show

def new_store(**options):
    store = kith.open(tempfile.mkdtemp(dir=sys.argv[1]) + "/store", options=kith.Options(**options))
    store.add_user("ann")
    return store

def run(body):
    threading.Thread(target=body, daemon=True).start()

def stay(_):
    began.set()
    while True:
        time.sleep(0.01)

def ever():
    while True:
        yield 0

async def watch():
    async for _ in graph.changes():
        pass

async def follow():
    task = asyncio.create_task(watch())
    await asyncio.sleep(0.1)
    graph.add_post(1, "hi")
"""


@pytest.mark.parametrize("name", ENDS)
def test_a_script_can_end_at_any_time(name: str, tmp_path: Path) -> None:
    # What runs after the end of kith must not wait for a batch that never ends.
    late = name != "thread in a batch"
    ended = subprocess.run(
        [sys.executable, "-c", f"late = {late}\n{PRELUDE}\n{ENDS[name]}", str(tmp_path)],
        timeout=60,
        capture_output=True,
        text=True,
    )
    assert (ended.returncode, ended.stdout) == (0, "last\n" if late else ""), ended.stderr
    # Without the wait, the end may come before the event.
    if name != "event that raises":
        assert ("ZeroDivisionError" in ended.stderr) == (name == "event whose error is shown")


# Ctrl-C


@contextmanager
def interrupted() -> Iterator[object]:
    """The body is interrupted, soon after Ctrl-C."""
    timer = threading.Timer(BEFORE, os.kill, (os.getpid(), signal.SIGINT))
    began = time.monotonic()
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt) as caught:
            yield caught
            time.sleep(WITHIN)  # a body that returned was not interrupted
            pytest.fail("the body returned")
        assert BEFORE <= time.monotonic() - began < BEFORE + WITHIN
    finally:
        timer.join()


@contextmanager
def locked(graph: kith.Graph) -> Iterator[None]:
    """Another thread has a batch that does not end meanwhile."""
    begun, end = threading.Event(), threading.Event()
    thread = threading.Thread(target=graph.batch, args=(lambda _: (begun.set(), end.wait()),))
    thread.start()
    begun.wait()
    try:
        yield
    finally:
        end.set()
        thread.join()


LONG: dict[str, Callable[[kith.Graph], object]] = {
    "snapshot": lambda graph: graph.snapshot(),
    "import_columns": lambda graph: graph.import_users([9], ["eve"]),
    "write_snapshot": lambda graph: graph.write_snapshot(1),
    "verify": lambda graph: graph.verify(),
    "page_rank": lambda graph: graph.page_rank(),
    "connected_components": lambda graph: graph.connected_components(),
    "degree_distribution": lambda graph: graph.degree_distribution(),
    "adjacency": lambda graph: graph.adjacency(),
    "export_columns": lambda graph: graph.export_columns(),
    "close": lambda graph: graph.close(),
}


@pytest.mark.parametrize("name", LONG)
def test_a_long_call_can_be_interrupted(name: str, tmp_path: Path) -> None:
    with kith.open(tmp_path / "store") as graph:
        graph.add_user("ann")
        with locked(graph), interrupted():
            LONG[name](graph)
    with kith.open(tmp_path / "store") as graph:
        assert graph.verify() == []


def test_waiting_and_iterating_can_be_interrupted(graph: kith.Graph) -> None:
    feed = graph.changes()
    feed.wait(10)  # the first returns at once
    with interrupted():
        feed.wait()
    with interrupted():
        feed.wait(60)
    with interrupted():
        list(feed)
    with interrupted():
        list(graph.live(kith.Graph.timeline, 1))


def test_streams_can_be_interrupted_and_keep_their_descriptor(graph: kith.Graph) -> None:
    source, target = os.pipe()
    with interrupted():
        kith.Graph.from_snapshot(source)
    os.close(source)  # what still reads has a descriptor of its own
    os.close(target)
    graph.import_columns(posts=(range(2, 3000), [1] * 2998, [os.urandom(100).hex() for _ in range(2998)]))
    source, target = os.pipe()
    with interrupted() as caught:
        graph.write_snapshot(target)
    os.close(target)
    # The pipe ends with the call, though the traceback refers to what the call has used.
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(open(source, "rb").read()), daemon=True)
    reader.start()
    reader.join(60)
    assert read and caught, "the pipe has no end"
    assert kith.Graph.from_snapshot(read[0]).counts().posts == graph.counts().posts == 2999


def test_a_snapshot_can_be_interrupted_in_its_progress(tmp_path: Path) -> None:
    with kith.open(tmp_path / "store") as graph:
        graph.add_user("ann")
        end = threading.Event()
        with interrupted():
            graph.snapshot(lambda _: end.wait() and None)
        end.set()


def test_an_interrupted_pass_is_cancelled(graph: kith.Graph) -> None:
    control = kith.Control()
    with locked(graph), interrupted():
        graph.page_rank(control=control)
    with pytest.raises(kith.CancelledError):
        graph.page_rank(control=control)


def test_a_pin_can_be_closed_beside_its_queries(graph: kith.Graph) -> None:
    graph.import_users(range(10, 5000), [f"user{number}" for number in range(10, 5000)])
    pins: list[kith.Pin] = []

    def work() -> None:
        for pin in iter(lambda: pins[-1], None):
            try:
                assert pin.verify() == []
            except kith.ClosedError:
                if ended:
                    return

    ended: list[bool] = []
    pins.append(graph.pin())
    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(100):
        pins.append(graph.pin())
        pins[-2].close()
        time.sleep(0.002)
    ended.append(True)
    pins[-1].close()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()


def test_an_observer_can_be_closed_beside_a_loop(graph: kith.Graph) -> None:
    for _ in range(20):
        feed = graph.changes()
        thread = threading.Thread(target=list, args=(feed,))
        thread.start()
        time.sleep(0.005)
        feed.close()
        thread.join(10)
        assert not thread.is_alive()


# Calls inside callbacks


def test_a_callback_is_refused_what_would_never_end(tmp_path: Path) -> None:
    done = threading.Event()
    seen: list[object] = []

    def hear(event: kith.StoreEvent) -> None:
        if event.kind == "snapshotWritten":
            seen.append((graph.verify(), graph.counts().users))
            done.set()

    graph = kith.open(tmp_path / "store", options=kith.Options(on_event=hear))
    graph.add_user("ann")
    feed = graph.changes()

    def progress(_: int) -> None:
        for call in (graph.snapshot, lambda: graph.import_users([9], ["eve"])):
            with pytest.raises(kith.InvalidRequestError, match="inside the progress callback"):
                call()
        assert graph.verify() == [] and len(graph.page_rank().ids) == 1
        graph.batch(lambda batch: batch.rename_user(1, "anna"))

    graph.snapshot(progress)
    assert done.wait(60) and seen[0] == ([], 1)

    def body(batch: kith.Batch) -> None:
        for call in (
            graph.snapshot,
            graph.verify,
            graph.page_rank,
            graph.close,
            graph.counts,
            feed.wait,
            lambda: graph.import_users([9], ["eve"]),
            lambda: graph.batch(lambda _: None),
        ):
            with pytest.raises(kith.InvalidRequestError):
                call()  # type: ignore[operator]
        assert batch.verify() == []

    graph.batch(body)
    assert [event.sequence for event in graph.journaled_changes(1, 1)] == [1]
    with pytest.raises(kith.ClosedError):
        graph.snapshot(lambda _: graph.close())


# Copies


def test_owners_are_neither_copied_nor_pickled(graph: kith.Graph) -> None:
    page = graph.timeline(1)
    kept: list[Any] = []
    graph.batch(kept.append)
    for owner in (graph, graph.pin(), graph.changes(), graph.live(kith.Graph.timeline, 1), kith.Control(), kept[0]):
        for duplicate in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match="neither copied nor pickled: "):
                duplicate(owner)
    suggestions = graph.suggestions(1)
    for value in (page, page[0], graph.user(1), suggestions):
        assert copy.copy(value) is value and copy.deepcopy([value])[0] is value
    assert graph.counts().users == 3


def test_values_are_copied_and_pickled(graph: kith.Graph) -> None:
    graph.follow(2, 3)
    change = kith.Change("follow", user=1, target=2)
    for value in (
        graph.counts(),
        graph.relations(1, [2]),
        graph.shortest_path(1, 3),
        change,
        graph.apply(change)[0],
        kith.ChangeEvent(1, change),
        kith.Missed(1, 2),
        kith.Options(maximum_users=0),
        graph.import_users([9], ["i"]),
        graph.memory_report()[0],
        kith.Violation("a", "b", "c"),
        kith.SnapshotInfo("a", 1),
    ):
        for made in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
            assert made == value and type(made) is type(value)
    assert hash(change) == hash(copy.copy(change)) and change != kith.Change("follow", user=1, target=3)
    for result in (graph.page_rank(), graph.connected_components(), graph.degree_distribution(), graph.adjacency()):
        made = pickle.loads(pickle.dumps(result))
        for name, array in vars(result).items():
            assert (
                (getattr(made, name) == array)
                if isinstance(array, (int, bool))
                else (getattr(made, name).tolist() == array.tolist())
            )
    with pytest.raises(kith.UnknownUserError) as caught:
        graph.apply([change, kith.Change("follow", user=1, target=99)])
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.code, again.index) == (str(caught.value), "unknownUser", 1)


def test_equality_and_hashes_of_rows(graph: kith.Graph) -> None:
    graph.follow(2, 3)
    ann, again = graph.user(1), graph.user(1)
    assert ann == again and hash(ann) == hash(again) and len({ann, again}) == 1 and ann != graph.user(2)
    assert graph.post(1) != ann and ann != 1 and graph.timeline(1) != [ann]
    named, bare = graph.suggestions(1, named_count=1)[0], graph.suggestions(1)[0]
    assert named != bare and bare == graph.suggestions(1)[0] and bare != graph.user(bare)
    before = graph.post(1)
    graph.like(1, 1)
    assert graph.post(1) != before and graph.post(1, viewer=1) != graph.post(1)
    with pytest.raises(TypeError):
        hash(graph.timeline(1))
