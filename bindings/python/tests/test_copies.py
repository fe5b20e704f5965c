"""Rows and pages as values: pickled, as dicts and JSON, as they are shown; the graph for asyncio."""

from __future__ import annotations

import asyncio
import datetime
import inspect
import json
import pickle
from pathlib import Path
from typing import Any

import kith
import numpy as np
import pytest
from kith._parameters import PARAMETERS

UTC = datetime.timezone.utc


@pytest.fixture
def graph() -> kith.Graph:
    graph = kith.Graph()
    for name in ("ann", "böb", "cid", "dora"):
        graph.add_user(name)
    for user, target in ((1, 2), (1, 3), (2, 4), (3, 4)):
        graph.follow(user, target, at=datetime.datetime(2020, 1, 1))
    for number, author in enumerate((2, 3, 2, 4), 1):
        graph.add_post(author, f"post {number} ✓", created_at=datetime.datetime(2020, 1, number))
    graph.like(1, 1, at=datetime.datetime(2021, 1, 1))
    return graph


def pages(graph: kith.Graph) -> list[kith.Page[Any]]:
    return [
        graph.timeline(1, limit=2),
        graph.timeline(1, limit=2, includes_authors=True),
        graph.search_users("", viewer=1, counts_matches=True, limit=3),
        graph.search_users("b", includes_highlights=True),
        graph.search_posts("post", includes_highlights=True),
        graph.followees(1),
        graph.likers(1),
        graph.likes(1),
        graph.suggestions(1, named_count=2),
        graph.muted(1),
    ]


PROPERTIES = (*kith.User._names, *kith.Post._names, *kith.Suggestion._names)


def values(row: Any) -> dict[str, Any]:
    return {name: getattr(row, name) for name in PROPERTIES if hasattr(row, name)}


def test_pages_are_pickled_with_all_that_they_show(graph: kith.Graph) -> None:
    for page in pages(graph):
        made = pickle.loads(pickle.dumps(page))
        assert made == page and len(made) == len(page) and type(made) is type(page)
        assert [values(row) for row in made] == [values(row) for row in page]
        assert [type(row) for row in made] == [type(row) for row in page]
        assert (made.next, made.previous, made.total) == (page.next, page.previous, page.total)
        assert made.is_truncated == page.is_truncated and made.ids.tolist() == page.ids.tolist()
        assert pickle.loads(pickle.dumps(made)) == page, "a copy is pickled, too"
        assert list(made.walk()) == list(page), "it ends where it has no graph"
    timeline = pickle.loads(pickle.dumps(graph.timeline(1, limit=2)))
    assert [post.id for post in graph.timeline(1, limit=2, cursor=timeline.next)] == [1]


def test_rows_are_pickled_without_their_page(graph: kith.Graph) -> None:
    graph.add_post(2, "x" * 60_000)
    for page in pages(graph):
        for row in page:
            made = pickle.loads(pickle.dumps(row))
            assert made == row and type(made) is type(row) and values(made) == values(row)
            for name in ("author_user", "mutuals"):
                for nested in np.atleast_1d(np.array(getattr(row, name, None) or [], dtype=object)):
                    assert pickle.loads(pickle.dumps(nested)) == nested
    short = next(post for post in graph.search_posts("post") if post.id == 1)
    assert len(pickle.dumps(short)) < 4_000


def test_rows_of_another_version_are_read_by_the_names_of_their_members(graph: kith.Graph) -> None:
    function, (type, state) = graph.user(2).__reduce_ex__(4)
    names = [name for name in state["users"].dtype.names if name != "post_count"]
    state["users"] = state["users"][names].astype([(name, state["users"].dtype[name]) for name in names])
    made = function(type, state)
    assert (made.id, made.username, made.follower_count, made.post_count) == (2, "böb", 1, 0)


def test_rows_and_pages_become_dicts_and_json(graph: kith.Graph) -> None:
    post = graph.likes(1, viewer=1)[0]
    assert post.to_dict() == {
        "id": 1,
        "author_id": 2,
        "author": "böb",
        "text": "post 1 ✓",
        "created_at": datetime.datetime(2020, 1, 1, tzinfo=UTC),
        "like_count": 1,
        "is_liked_by_viewer": True,
        "liked_at": datetime.datetime(2021, 1, 1, tzinfo=UTC),
        "flags": 0,
        "audience": "everyone",
    }
    assert json.loads(post.to_json())["created_at"] == "2020-01-01T00:00:00+00:00"
    assert graph.user(1).to_dict() == {
        "id": 1,
        "username": "ann",
        "kind": "user",
        "follower_count": 0,
        "followee_count": 2,
        "post_count": 0,
        "flags": 0,
        "is_private": False,
    }
    page = graph.timeline(1, limit=2, includes_authors=True)
    made = json.loads(page.to_json())
    assert made["next"] == page.next and made["previous"] == page.previous
    assert [(item["id"], item["author_user"]["username"]) for item in made["items"]] == [(3, "böb"), (2, "cid")]
    suggestion = json.loads(graph.suggestions(1, named_count=2).to_json())["items"][0]
    assert [user["username"] for user in suggestion["mutuals"]] == ["böb", "cid"]
    counted = graph.search_users("", counts_matches=True, limit=1).to_dict()
    assert counted["total"] == 4 and "previous" not in counted


def test_a_page_becomes_a_table(graph: kith.Graph) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(user.to_dict() for user in graph.search_users(""))
    assert frame["username"].tolist() == ["ann", "böb", "cid", "dora"] and frame["post_count"].sum() == 4


def test_what_is_shown_is_short(graph: kith.Graph) -> None:
    graph.import_users(range(10, 1_010), [f"user <{n}>" for n in range(10, 1_010)])
    graph.add_post(1, "y" * 60_000)
    page = graph.search_users("user", limit=1_000)
    assert repr(page) == (
        "<Page of 1,000 users: User(id=1009, username='user <1009>'), User(id=100, username='user <100>'), "
        "User(id=1000, username='user <1000>'), …>"
        if page[0].id == 1009
        else f"<Page of 1,000 users: {page[0]!r}, {page[1]!r}, {page[2]!r}, …>"
    )
    assert len(repr(graph.search_posts("", limit=1)[0])) < 120
    assert repr(graph.muted(1)) == "<Page of 0 users>" and repr(graph.followees(2)).startswith("<Page of 1 user: User(")
    table = page._repr_html_()
    assert table.count("<tr>") == 21 and "user &lt;" in table and "user <" not in table
    assert "1,000 users, the first 20 of them" in table
    assert graph.muted(1)._repr_html_().startswith("<table><caption>0 users<")
    assert repr(graph) == "<Graph of 1,004 users, 4 follows, 5 posts>"
    graph.close()
    assert repr(graph).startswith("<Graph of 1,004 users")
    other = kith.Graph()
    other.import_users([1, 2], ["a", "b"])
    assert repr(other.page_rank()).startswith("<Ranks of 2 rows, converged after ")
    assert repr(other.connected_components()) == "<Components of 2 rows: 2>"
    assert repr(other.degree_distribution()) == "<Degrees: 1 of followers, 1 of followees>"
    assert repr(other.adjacency()) == "<Adjacency of 2 rows and 0 follows>"


def test_wrong_types_are_named(graph: kith.Graph) -> None:
    wrong: Any = 5
    with pytest.raises(TypeError, match="a text is a str, not 5"):
        graph.add_post(1, wrong)
    wrong = "ann"
    with pytest.raises(TypeError, match="a user or a post is given by its id, an int, or by a row, not as 'ann'"):
        graph.timeline(wrong)
    with pytest.raises(TypeError, match="a time is a datetime, or milliseconds since 1970 as an int, not 'ann'"):
        graph.add_post(1, "x", created_at=wrong)
    with pytest.raises(IndexError, match="no row 7: the page has 2"):
        graph.timeline(1, limit=2)[7]


def test_times_before_1980_are_warned_of(graph: kith.Graph) -> None:
    with pytest.warns(UserWarning, match="1 of 2 times are before 1980, as row 1: 1970-01-20T02:20:00.000;") as told:
        graph.import_posts([10, 11], [1, 1], ["a", "b"], [1_650_000_000_000, 1_650_000_000])
    assert told[0].filename == __file__
    assert graph.post(11).created_ms == 1_650_000_000, "they are imported as they are"


def test_help_says_what_each_parameter_means() -> None:
    for cls in (kith.Graph, kith.Pin):
        for name, function in inspect.getmembers(cls, inspect.isfunction):
            if name.startswith("_") or function.__module__ not in ("kith._pages", "kith._reader", "kith._changes"):
                continue
            for parameter in inspect.signature(function).parameters:
                if parameter in PARAMETERS:
                    assert f"\n        {parameter}: {PARAMETERS[parameter]}" in (function.__doc__ or ""), name
    text = kith.Graph.search_users.__doc__ or ""
    assert text.startswith("Users whose username or display name matches") and text.count("\n        ") == 16


def test_a_graph_for_asyncio(tmp_path: Path) -> None:
    async def run() -> None:
        graph = kith.open(tmp_path / "store")
        there = graph.asynchronous
        ids = await asyncio.gather(*(there.add_user(f"user {number}") for number in range(20)))
        assert sorted(ids) == list(range(1, 21))
        assert await there.follow(1, 2) and not await there.follow(1, 2)
        post = await there.add_post(2, "hello")
        page = await there.timeline(1, limit=5)
        assert [row.id for row in page] == [post] and there.graph is graph
        with pytest.raises(kith.UnknownUserError):
            await there.follow(1, 99)
        assert repr(there) == "<AsyncGraph over <Graph of 20 users, 1 follows, 1 posts>>"
        graph.close()

    asyncio.run(run())


def test_asyncio_has_every_verb_and_query() -> None:
    missing = {
        name
        for name, function in inspect.getmembers(kith.Graph, inspect.isfunction)
        if function.__module__ in ("kith._searches", "kith._pages", "kith._changes") and not name.startswith("_")
    } - set(vars(kith.AsyncGraph))
    assert missing == set()


def test_convert_is_there() -> None:
    assert kith.convert.to_scipy.__module__ == "kith.convert"
