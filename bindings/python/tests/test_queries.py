"""Pages, rows, cursors, lookups."""

from __future__ import annotations

import datetime
import gc
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import kith
import numpy as np
import pytest

UTC = datetime.timezone.utc


def test_rows_have_all_properties(graph: kith.Graph) -> None:
    graph.like(1, 1, at=7000)
    (post,) = graph.timeline(1)
    assert (post.id, post.author, post.author_id, post.text) == (1, "bob", 2, "Hello, world")
    assert (post.like_count, post.is_liked_by_viewer, post.liked_at) == (1, True, None)
    assert post.created_at == datetime.datetime(1970, 1, 1, 0, 0, 1, 234000, UTC) and post.created_ms == 1234
    (follower,) = graph.followers(2, viewer=3)
    assert (follower.id, follower.username, follower.followee_count) == (1, "ann", 1)
    assert follower.is_followed_by_viewer is False and follower.followed_at == datetime.datetime(
        1970, 1, 1, 0, 0, 5, 0, UTC
    )
    assert graph.likes(1)[0].liked_at == graph.likers(1)[0].liked_at
    assert graph.user(1).is_followed_by_viewer is None


def test_pages_walk_to_the_end(graph: kith.Graph) -> None:
    graph.import_users(np.arange(10, 210), [f"user{n}" for n in range(10, 210)])
    page = graph.search_users("SER", limit=30, counts_matches=True)
    assert len(page) == 30 and page.total == 200
    assert sorted(user.id for user in page.walk()) == list(range(10, 210))
    assert [len(each) for each in page.pages()] == [30] * 6 + [20]
    with pytest.raises(kith.InvalidCursorError):
        graph.followers(1, cursor=page.next)


def test_threads_page_from_one_page() -> None:
    class Paused(kith.Graph):
        """A graph that does something before the next query, like another thread."""

        before: Callable[[], object] | None = None

        def _page(self, *arguments: Any) -> Any:
            before, self.before = self.before, None
            if before is not None:
                before()
            return super()._page(*arguments)

    graph = Paused()
    for name in ("ann", "bob", "cem"):
        graph.add_user(name)
    live = graph.live(kith.Graph.search_users, limit=1)
    for first in (graph.search_users(limit=1), live.poll()[0]):
        _, second, third = first.pages()
        graph.before = partial(first._at, second.next or "")
        assert list(first._at(first.next or "")) == list(second)
        graph.before = partial(first._at, first.next or "")
        assert list(second._at(second.next or "")) == list(third)


def test_a_page_is_a_sequence(graph: kith.Graph) -> None:
    page = graph.search_users()
    assert [user.username for user in page[1:]] == ["bob", "cem"]
    assert page[-1].id == 3 and page == graph.search_users() and page != graph.search_users("a")
    with pytest.raises(IndexError):
        page[3]
    assert graph.users([page[1], 99, page[0]]) == [page[1], None, page[0]]


def test_arrays_share_the_memory_of_the_page_and_keep_it(graph: kith.Graph) -> None:
    page = graph.search_users()
    array, user = page.array, page[0]
    assert np.shares_memory(array, page.array) and list(page.ids) == [1, 2, 3]
    assert list(array["followee_count"]) == [1, 0, 0] and not array.flags.writeable
    ids = page.ids
    del page, array
    gc.collect()
    for _ in range(100):
        graph.search_users()
    assert list(ids) == [1, 2, 3] and user.username == "ann"


def test_highlights_are_byte_ranges(graph: kith.Graph) -> None:
    assert [user.highlights for user in graph.search_users("b", includes_highlights=True)] == [[(0, 1), (2, 3)]]
    assert graph.search_posts("world", includes_highlights=True)[0].highlights == [(7, 12)]
    assert graph.search_users("b")[0].highlights is None


def test_graph_queries(graph: kith.Graph) -> None:
    graph.follow(2, 3)
    path = graph.shortest_path(1, 3)
    assert path.users == [1, 2, 3] and path.hops == 2 and path.is_complete
    assert graph.shortest_path(3, 1).users is None
    (suggestion,) = graph.suggestions(1, named_count=3)
    assert (
        suggestion.id == 3
        and suggestion.mutual_count == 1
        and [each.username for each in suggestion.mutuals] == ["bob"]
    )
    graph.block(3, 1)
    assert graph.relations(1, [2, 3]) == [
        kith.Relations(True, False, False, False, False),
        kith.Relations(False, False, False, True, False),
    ]
    assert graph.find_user("bob") == 2 and graph.find_user("nix") is None
    assert graph.is_following(1, 2) and not graph.is_following(2, 1)
    assert list(graph.timeline_ids(1)) == [1]


def test_the_followers_whom_the_viewer_knows(graph: kith.Graph) -> None:
    graph.follow(3, 2)
    graph.follow(1, 3)
    page = graph.familiar_followers(2, 1, counts_matches=True)
    assert [each.username for each in page] == ["cem"] and page.total == 1 and page[0].is_followed_by_viewer
    assert list(graph.familiar_followers(2, 3)) == [] and graph.familiar_followers(2, 1).total is None
    graph.block(1, 2)
    with pytest.raises(kith.UnknownUserError):
        graph.familiar_followers(2, 1)
    with pytest.raises(kith.UnknownUserError):
        graph.familiar_followers(2, 0)


def test_whom_one_blocks_is_shown_on_request(graph: kith.Graph) -> None:
    graph.block(1, 3)
    with pytest.raises(kith.UnknownUserError):
        graph.user(3, viewer=1)
    assert graph.user(3, viewer=1, includes_blocked=True).username == "cem"
    assert [each and each.id for each in graph.users([2, 3], viewer=1)] == [2, None]
    assert [each and each.id for each in graph.users([2, 3], viewer=1, includes_blocked=True)] == [2, 3]
    assert [each.id for each in graph.search_users("cem", viewer=1)] == []
    assert [each.id for each in graph.search_users("cem", viewer=1, includes_blocked=True)] == [3]
    with pytest.raises(kith.UnknownUserError):
        graph.user(1, viewer=3, includes_blocked=True)


def test_posts_have_their_authors_on_request(graph: kith.Graph) -> None:
    graph.like(1, 1, at=0)
    for page in (
        graph.timeline(1, includes_authors=True),
        graph.two_hop_timeline(1, includes_authors=True),
        graph.search_posts("hello", viewer=1, includes_authors=True, includes_highlights=True),
        graph.likes(1, viewer=1, includes_authors=True),
        [graph.post(1, viewer=1, includes_authors=True)],
        graph.posts([1], viewer=1, includes_authors=True),
    ):
        (post,) = page
        assert post is not None and post.author == "bob" and post.text == "Hello, world"
        assert post.author_user == graph.user(2, viewer=1) and post.author_user.is_followed_by_viewer
        assert post.author_user.highlights is None and post.author_user.follower_count == 1
    page = graph.search_posts(includes_authors=True)
    assert page.array["id"].tolist() == [1] and page[0].author_user == graph.user(2)
    assert graph.timeline(1)[0].author_user is None and graph.timeline(1) != graph.timeline(1, includes_authors=True)
    assert graph.posts([99, 1], includes_authors=True)[1] == page[0]
    live = graph.live(kith.Graph.timeline, 1, includes_authors=True)
    live.poll()
    graph.follow(3, 2)
    ((newer,),) = live.poll()
    assert newer.author_user.follower_count == 2


def test_whom_one_mutes_is_not_suggested(graph: kith.Graph) -> None:
    graph.follow(2, 3)
    graph.mute(1, 3)
    assert list(graph.suggestions(1)) == []
    graph.unmute(1, 3)
    assert [each.id for each in graph.suggestions(1)] == [3]


def test_names_unique_by_loose_key_are_found_by_it() -> None:
    with kith.Graph(options=kith.Options(unique_names="loose")) as graph:
        user = graph.add_user("Bonnie O’Neil")
        assert graph.find_user("BONNIE O'NEIL") == user and graph.find_user("bonnie oneil") is None
        with pytest.raises(kith.UsernameTakenError):
            graph.add_user("bonnie o'neil")
    with kith.Graph() as graph:
        assert graph.add_user("Ann") == 1 and graph.find_user("ann") is None


def test_errors_are_classes_by_code(graph: kith.Graph) -> None:
    for error, code, call in [
        (kith.UnknownUserError, "unknownUser", lambda: graph.user(99)),
        (kith.UnknownPostError, "unknownPost", lambda: graph.post(99)),
        (kith.UsernameTakenError, "usernameTaken", lambda: graph.add_user("ann")),
        (kith.IDTakenError, "idTaken", lambda: graph.add_user("eve", id=1)),
        (kith.CannotFollowSelfError, "cannotFollowSelf", lambda: graph.follow(1, 1)),
        (kith.InvalidRequestError, "invalidRequest", lambda: graph.timeline(1, limit=0)),
        (kith.InvalidRequestError, "invalidRequest", lambda: graph.add_user("\ud800")),
        (kith.InvalidRequestError, "invalidRequest", lambda: graph.add_user("eve", id=0)),
        (kith.TextTooLongError, "textTooLong", lambda: graph.add_post(1, "x" * 65536)),
        (kith.QueryTooLongError, "queryTooLong", lambda: graph.search_users("x" * 257)),
        (kith.NoStoreError, "noStore", lambda: graph.snapshot()),
    ]:
        with pytest.raises(error) as caught:
            call()  # type: ignore[no-untyped-call]
        assert caught.value.code == code
    with pytest.raises(LookupError, match="no user 99"):
        graph.user(99)
    with pytest.raises(OverflowError):
        graph.user(2**64)
    with pytest.raises(TypeError):
        graph.user("ann")  # type: ignore[arg-type]
    with pytest.raises(ValueError):
        graph.search_users("a", match="glob")  # type: ignore[arg-type]


def test_a_pin_does_not_change(graph: kith.Graph) -> None:
    with graph.pin() as pin:
        graph.add_user("dan")
        assert pin.counts().users == 3 and graph.counts().users == 4
        page = pin.timeline(1)
    assert page[0].text == "Hello, world"
    with pytest.raises(kith.ClosedError):
        pin.timeline(1)
    graph.close()
    with pytest.raises(kith.ClosedError):
        graph.timeline(1)


def test_passes_are_arrays(graph: kith.Graph) -> None:
    ranks = graph.page_rank()
    assert list(ranks.ids) == [1, 2, 3] and abs(ranks.scores.sum() - 1) < 1e-9 and ranks.top(1)[0][0] == 2
    components = graph.connected_components()
    assert [tuple(each) for each in components.components] == [(1, 2), (3, 1)] and list(components.firsts) == [1, 1, 3]
    assert [tuple(each) for each in graph.degree_distribution().followers] == [(0, 2), (1, 1)]
    adjacency = graph.adjacency()
    assert list(adjacency.offsets) == [0, 1, 1, 1] and list(adjacency.targets) == [1] and list(adjacency.seconds) == [5]
    control = kith.Control()
    control.cancel()
    with pytest.raises(kith.CancelledError):
        graph.page_rank(control=control)


def test_verify_and_memory(graph: kith.Graph) -> None:
    assert graph.verify() == []
    report = {entry.name: entry for entry in graph.memory_report()}
    assert report["user"].count == 3 and report["userIDs"].count is None and report["userIDs"].bytes > 0


def test_times_and_ids_at_the_ends_of_their_ranges() -> None:
    graph = kith.Graph()
    most = 2**63 - 1
    # One of the two: the next id is assigned.
    user = graph.add_user("last", id=most - 1)
    ends = [0, 1, 253_402_300_799_999, 253_402_300_800_000, 2**53 + 1, most]
    for time in ends:
        graph.add_post(user, "x", created_at=time)
    page = graph.timeline(user)
    assert [post.created_ms for post in page] == sorted(ends, reverse=True)
    times = [post.created_at for post in page]
    assert times[:3] == [None] * 3 and times[-1] == datetime.datetime(1970, 1, 1, tzinfo=UTC)
    assert times[3] == datetime.datetime(9999, 12, 31, 23, 59, 59, 999000, UTC)
    assert [post.created_ms for post in graph.timeline(user, before=most)] == sorted(ends, reverse=True)[1:]
    assert list(page.array["created_at"]) == sorted(ends, reverse=True) and page[0].author_id == most - 1
    assert "x" in repr(page) and hash(page[0]) == hash(page[0].id) and page == graph.timeline(user)
    assert graph.export_columns("posts")["posts"][3].tolist() == ends
    for id in (most + 1, -(2**63) - 1):
        with pytest.raises(OverflowError):
            graph.user(id)
    for id in (0, -1, -(2**63), most):
        with pytest.raises(kith.UnknownUserError):
            graph.user(id)
    for at in (2**63, -(2**63)):
        with pytest.raises(OverflowError):
            graph.add_post(user, "x", created_at=at)
        with pytest.raises(OverflowError):
            graph.apply(kith.Change("addPost", user=user, text="x", time=at))
    with pytest.raises(kith.KithError):
        graph.apply(kith.Change("addUser", user=0, text="nil"))
    with pytest.raises(kith.KithError):
        graph.apply(kith.Change("addPost", user=user, target=0, text="nil"))


def test_an_option_of_0_is_0() -> None:
    for name in ("maximum_users", "maximum_posts", "maximum_bytes"):
        graph = kith.Graph(options=kith.Options(**{name: 0}))  # type: ignore[arg-type]
        with pytest.raises(kith.LimitExceededError):
            graph.add_post(graph.add_user("ann"), "text")
    for name in (
        "low_disk_bytes",
        "heal_after_seconds",
        "retained_seconds",
        "snapshot_after_seconds",
        "retained_bytes",
    ):
        assert kith.Graph(options=kith.Options(**{name: 0})).counts().users == 0  # type: ignore[arg-type]
    for name in ("snapshot_cores", "snapshot_bytes_per_second"):
        with pytest.raises(kith.InvalidRequestError, match="least is 1"):
            kith.Graph(options=kith.Options(**{name: 0}))  # type: ignore[arg-type]
    for name in ("maximum_users", "snapshot_after_changes", "low_disk_bytes"):
        for number in (-1, -2, -5):
            with pytest.raises(kith.InvalidRequestError, match=f"{name} is 0 or more"):
                kith.Graph(options=kith.Options(**{name: number}))  # type: ignore[arg-type]
    graph = kith.Graph()
    for name in ("ann", "bob", "cem"):
        graph.add_user(name)
    graph.follow(1, 2)
    assert graph.page_rank(maximum_rounds=0).rounds == 0
    assert graph.page_rank(damping=0).scores.tolist() == pytest.approx([1 / 3] * 3)
    exact = graph.page_rank(tolerance=0, maximum_rounds=2000)
    assert exact.rounds > graph.page_rank().rounds
    for call in (
        lambda: graph.changes(0),
        lambda: graph.changes(-1),
        lambda: kith.restore("a", "b", sequence=0),
        lambda: kith.restore("a", "b", maximum_bytes=0),
        lambda: graph.timeline(1, limit=0),
        lambda: graph.suggestions(1, follow_limit=0),
        lambda: graph.shortest_path(1, 3, follow_limit=0),
    ):
        with pytest.raises(kith.InvalidRequestError):
            call()


def test_paths_are_bytes(tmp_path: Path) -> None:
    """Bytes that are not UTF-8 name what they name, or are refused; no path becomes another one."""
    path = os.fsencode(tmp_path) + b"/caf\xc3\xa9"
    with kith.open(path) as graph:
        graph.add_user("ann")
        assert graph.snapshot().path.startswith(os.fsdecode(path))
    assert kith.verify(os.fsdecode(path)) == [] and os.listdir(tmp_path) == ["caf\u00e9"]
    wrong = os.fsencode(tmp_path) + b"/caf\xe9"
    try:
        kith.open(wrong).close()
        assert wrong in [os.fsencode(tmp_path / name) for name in os.listdir(tmp_path)]
    except kith.InvalidRequestError:
        assert os.listdir(tmp_path) == ["caf\u00e9"]
