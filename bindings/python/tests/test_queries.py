"""Pages, rows, cursors, lookups."""
import datetime
import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import kith

UTC = datetime.timezone.utc


def test_rows_have_all_properties(graph: kith.Graph) -> None:
    graph.like(1, 1, at=7000)
    (post,) = graph.timeline(1)
    assert (post.id, post.author, post.author_id, post.text) == (1, "bob", 2, "Hello, world")
    assert (post.like_count, post.is_liked_by_viewer, post.liked_at) == (1, True, None)
    assert post.created_at == datetime.datetime(1970, 1, 1, 0, 0, 1, 234000, UTC) and post.created_ms == 1234
    (follower,) = graph.followers(2, viewer=3)
    assert (follower.id, follower.username, follower.followee_count) == (1, "ann", 1)
    assert follower.is_followed_by_viewer is False and follower.followed_at == datetime.datetime(1970, 1, 1, 0, 0, 5, 0, UTC)
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
        graph.before = lambda: first._at(second.next or "")
        assert list(first._at(first.next or "")) == list(second)
        graph.before = lambda: first._at(first.next or "")
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
    assert suggestion.id == 3 and suggestion.mutual_count == 1 and [each.username for each in suggestion.mutuals] == ["bob"]
    graph.block(3, 1)
    assert graph.relations(1, [2, 3]) == [
        kith.Relations(True, False, False, False, False), kith.Relations(False, False, False, True, False)]
    assert graph.find_user("bob") == 2 and graph.find_user("nix") is None
    assert graph.is_following(1, 2) and not graph.is_following(2, 1)
    assert list(graph.timeline_ids(1)) == [1]


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
