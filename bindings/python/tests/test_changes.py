"""Verbs, batches, imports, files, observers."""

import asyncio
import datetime
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import kith
import numpy as np
import pytest


def test_verbs_say_whether_anything_changed(graph: kith.Graph) -> None:
    assert graph.like(1, 1) and not graph.like(1, 1) and graph.unlike(1, 1)
    assert graph.mute(1, 2) and graph.unmute(1, 2) and graph.block(1, 2) and graph.unblock(1, 2)
    assert not graph.unfollow(1, 2)
    assert graph.rename_user(3, "dan") and graph.find_user("dan") == 3
    graph.remove_post(1)
    graph.remove_user(3)
    assert graph.counts().users == 2 and graph.counts().posts == 0


def test_a_batch_is_all_or_none(graph: kith.Graph) -> None:
    kept: list[kith.Batch] = []

    def add(batch: kith.Batch) -> int:
        kept.append(batch)
        user = batch.add_user("dan")
        assert batch.find_user("dan") == user
        return user

    assert graph.batch(add) == 4

    def fail(batch: kith.Batch) -> None:
        batch.add_user("eve")
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        graph.batch(fail)
    with pytest.raises(kith.UnknownUserError) as caught:
        graph.batch(lambda batch: (batch.add_user("eve"), batch.follow(1, 99)))
    assert caught.value.index == 1 and graph.find_user("eve") is None
    with pytest.raises(kith.InvalidRequestError, match="inside"):
        graph.batch(lambda batch: graph.follow(1, 3))
    with pytest.raises(kith.ClosedError):
        kept[0].add_user("fay")
    results = graph.apply([kith.Change("addUser", text="fay"), kith.Change("follow", user=5, target=1, time=9000)])
    assert [(each.id, each.changed) for each in results] == [(5, True), (None, True)]
    with pytest.raises(kith.UnknownUserError) as caught:
        graph.apply([kith.Change("addUser", text="gus"), kith.Change("follow", user=5, target=99)])
    assert caught.value.index == 1 and graph.find_user("gus") is None


def test_imports_count_what_they_leave_out(graph: kith.Graph) -> None:
    report = graph.import_columns(
        users=(np.array([10, 11, 1]), ["x", "ann", "ann"]),
        follows=([10, 10, 10], [1, 10, 99], [1000, 1000, 1000]),
        posts=([5], [10], ["text"]),
        likes=([1], [5]),
        blocks=([3], [10]),
    )
    assert (report.users.added, report.users.duplicates, report.users.refused) == (1, 1, 1)
    assert report.users.first_refused == (1, "usernameTaken")
    assert report.follows.added == 1 and report.follows.first_refused == (1, "cannotFollowSelf")
    assert (report.posts.added, report.likes.added, report.blocks.added) == (1, 1, 1) and graph.verify() == []
    offsets, area = np.array([0, 1, 3]), b"\xffyz"
    assert graph.import_users([20, 21], (offsets, area)).first_refused == (0, "invalidRequest")
    assert graph.user(21).username == "yz"
    when = np.array(["2020-01-01"], "datetime64[s]")
    assert graph.import_follows([21], [1], when).added == 1
    assert graph.followers(1, limit=1)[0].followed_at.year == 2020  # type: ignore[union-attr]
    for wrong in (lambda: graph.import_follows([1], [2, 3]), lambda: graph.import_follows([[1]], [[2]])):
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(TypeError):
        graph.import_follows([1.5], [2])
    for missing in (None, float("nan")):
        with pytest.raises(TypeError, match="str"):
            graph.import_users([30], [missing])  # type: ignore[list-item]
    assert graph.import_users([31], np.array(["numpy"])).added == 1  # type: ignore[arg-type]
    with pytest.raises(kith.InvalidRequestError):
        graph.import_users([30], (np.array([0, 9]), b"short"))


def test_exports_are_imports(graph: kith.Graph) -> None:
    graph.mute(1, 2)
    columns = graph.export_columns()
    copy = kith.Graph()
    report = copy.import_columns(**columns)
    assert report.users.added == len(columns["users"][0]) == graph.counts().users and report.mutes.added == 1
    again = copy.export_columns()
    for part, arrays in columns.items():
        for one, other in zip(arrays, again[part]):
            if isinstance(one, tuple):
                assert one[0].tolist() == other[0].tolist() and bytes(one[1]) == bytes(other[1])
            else:
                assert one.tolist() == other.tolist()
    posts = copy.pin().export_columns("posts")
    assert list(posts) == ["posts"] and posts["posts"][2][0][0] == 0
    with pytest.raises(ValueError):
        graph.export_columns("people")  # type: ignore[arg-type]
    control = kith.Control()
    control.cancel()
    with pytest.raises(kith.CancelledError):
        graph.export_columns(control=control)


def test_stores(tmp_path: Path) -> None:
    events: list[kith.StoreEvent] = []
    with kith.open(tmp_path / "s", options=kith.Options(on_event=events.append)) as graph:
        graph.add_user("ann")
        graph.add_user("bob")
        with pytest.raises(kith.StoreInUseError):
            kith.open(tmp_path / "s")
        steps: list[int] = []
        info = graph.snapshot(steps.append)
        assert info.sequence == 2 and steps[-1] == -1
        for _ in range(6000):  # the event comes from another thread
            if any(event.kind == "snapshotWritten" for event in events):
                break
            time.sleep(0.01)
        else:
            pytest.fail("no event for the snapshot")
        graph.follow(1, 2, at=1000)
        assert [event.change.kind for event in graph.journaled_changes(3, 3)] == ["follow"]
        assert graph.import_follows([2], [1]).added == 1
        with open(tmp_path / "f", "wb") as file:
            assert graph.write_snapshot(file.fileno()) == 4
    copy = kith.Graph.from_snapshot((tmp_path / "f").read_bytes())
    assert copy.counts().follows == 2
    descriptor = os.open(tmp_path / "f", os.O_RDONLY)
    assert kith.Graph.from_snapshot(descriptor).counts().users == 2
    os.close(descriptor)
    with kith.open(tmp_path / "s", read_only=True) as graph, pytest.raises(kith.ReadOnlyError):
        graph.add_user("cem")
    assert kith.restore(tmp_path / "s", tmp_path / "r", sequence=2).sequence == 2
    assert kith.verify(tmp_path / "r") == []
    now = datetime.datetime.now(datetime.timezone.utc)
    late = kith.restore(tmp_path / "s", tmp_path / "late", time=now)
    assert late.sequence == 4 and any("later than the newest change, 4" in remark for remark in late.remarks)
    with pytest.raises(kith.InvalidRequestError, match="later than now"):
        kith.restore(tmp_path / "s", tmp_path / "r2", time=now + datetime.timedelta(hours=1))
    with pytest.raises(kith.NotAStoreError):
        kith.restore(tmp_path / "s", tmp_path / "r")
    with pytest.raises(kith.CorruptError):
        damaged = bytearray((tmp_path / "f").read_bytes())
        damaged[len(damaged) // 2] ^= 1
        kith.Graph.from_snapshot(bytes(damaged))


def test_the_journal_is_read_in_slices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kith._graph._SLICE", 2)
    with kith.open(tmp_path / "s") as graph:
        for name in ("ann", "bob", "cem", "dan", "eve"):
            graph.add_user(name)
        for last in range(1, 6):
            assert [event.sequence for event in graph.journaled_changes(1, last)] == list(range(1, last + 1))
        events = graph.journaled_changes(2, 9)
        assert [next(events).sequence for _ in range(4)] == [2, 3, 4, 5]
        with pytest.raises(kith.InvalidRequestError, match="no change 6"):
            next(events)
        with pytest.raises(kith.InvalidRequestError, match="empty"):
            next(graph.journaled_changes(2, 1))
        events = graph.journaled_changes(1, 5)
        next(events)
        graph.close()
        assert next(events).sequence == 2  # of the slice that was read
        with pytest.raises(kith.ClosedError):
            next(events)


def test_the_change_feed(graph: kith.Graph) -> None:
    with graph.changes() as changes:
        assert changes.poll() == []
        graph.add_post(1, "hi", created_at=5)
        graph.like(2, 2, at=6000)
        assert changes.poll() == [
            kith.ChangeEvent(6, kith.Change("addPost", 1, 2, "hi", 5)),
            kith.ChangeEvent(7, kith.Change("like", 2, 2, None, 6000)),
        ]
        for _ in range(3000):
            graph.unlike(2, 2)
            graph.like(2, 2)
        first = changes.poll()[0]
        assert first == kith.Missed(8, 6007 - 4096)
        while changes.poll():
            pass
        thread = threading.Timer(0.05, lambda: (graph.follow(3, 1), graph.close()))
        thread.start()
        assert [event.change.kind for event in changes] == ["follow"]  # type: ignore[union-attr]
        thread.join()


def test_live_queries(graph: kith.Graph) -> None:
    live = graph.live(kith.Graph.post, 1)
    assert [post.like_count for post in live.poll()] == [0]
    graph.like(1, 1)
    graph.like(2, 1)
    assert [post.like_count for post in live.poll()] == [2] and live.poll() == []
    graph.remove_post(1)
    with pytest.raises(kith.UnknownPostError):
        live.poll()
    with pytest.raises(TypeError):
        graph.live(kith.Graph.counts)
    quiet = graph.live(kith.Graph.timeline, 1)
    quiet.wait(10)
    quiet.poll()
    with pytest.raises(kith.TimedOutError):
        quiet.wait(0.01)


def test_asyncio(graph: kith.Graph) -> None:
    async def run() -> tuple[list[int], list[str]]:
        counts: list[int] = []
        kinds: list[str] = []

        async def watch() -> None:
            async for post in graph.live(kith.Graph.post, 1):
                counts.append(post.like_count)
                if post.like_count == 3:
                    return

        async def follow_changes() -> None:
            async for event in graph.changes():
                assert isinstance(event, kith.ChangeEvent)
                kinds.append(event.change.kind)

        tasks = [asyncio.create_task(watch()), asyncio.create_task(follow_changes())]
        await asyncio.sleep(0.01)
        for user in (1, 2, 3):
            await asyncio.to_thread(graph.like, user, 1)
        await asyncio.wait_for(tasks[0], 60)
        graph.close()
        await asyncio.wait_for(tasks[1], 60)
        return counts, kinds

    counts, kinds = asyncio.run(run())
    assert counts[0] == 0 and counts[-1] == 3 and counts == sorted(counts) and kinds == ["like"] * 3


@pytest.mark.parametrize("end", [kith.Changes.close, kith.Changes.interrupt])
def test_the_loop_of_a_task_can_be_ended(graph: kith.Graph, end: Callable[[kith.Changes], None]) -> None:
    async def run() -> None:
        changes = graph.changes()

        async def follow() -> None:
            async for _ in changes:
                pass

        task = asyncio.create_task(follow())
        await asyncio.sleep(0.05)  # the loop waits
        end(changes)
        await asyncio.wait_for(task, 5)

    asyncio.run(run())


def test_threads_wait_without_the_gil(graph: kith.Graph) -> None:
    def body(batch: kith.Batch) -> None:
        other = threading.Thread(target=graph.like, args=(1, 1))
        other.start()
        other.join(0.05)  # waits for the batch, and does not keep this thread from running
        assert other.is_alive()
        batch.add_user("dan")

    graph.batch(body)
    assert graph.find_user("dan") == 4


def test_many_threads(graph: kith.Graph) -> None:
    def work() -> None:
        for _ in range(200):
            assert graph.timeline(1)[0].text == "Hello, world"
            graph.like(1, 1)
            graph.unlike(1, 1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert graph.verify() == []
