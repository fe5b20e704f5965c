"""scipy, networkx and pandas, in and out."""

from __future__ import annotations

import datetime
from typing import Any

import kith
import numpy as np
import pytest
from kith import convert


def test_scipy(graph: kith.Graph) -> None:
    pytest.importorskip("scipy")
    graph.follow(3, 1)
    matrix, ids = convert.to_scipy(graph)
    assert matrix.shape == (3, 3) and matrix.toarray().tolist() == [[0, 1, 0], [0, 0, 0], [1, 0, 0]]
    other = kith.Graph()
    other.import_users(ids, ["a", "b", "c"])
    assert convert.import_scipy(other, matrix, ids, at=5000).follows.added == 2
    assert other.is_following(1, 2) and other.is_following(3, 1)


def test_networkx(graph: kith.Graph) -> None:
    networkx = pytest.importorskip("networkx")
    made = convert.to_networkx(graph)
    assert sorted(made.nodes) == [1, 2, 3] and list(made.edges(data=True)) == [(1, 2, {"second": 5})]
    karate = networkx.karate_club_graph()
    ids = convert.import_networkx(graph, karate)
    assert ids[0] == 4 and graph.counts().users == 37 and graph.counts().follows == 1 + 2 * 78
    assert {user.username for user in graph.followees(ids[11])} == {"0"} and graph.verify() == []


def test_pandas(graph: kith.Graph) -> None:
    pandas = pytest.importorskip("pandas")
    table = convert.to_pandas(graph.timeline(1))
    assert (
        table["text"].tolist() == ["Hello, world"] and str(table["created_at"][0]) == "1970-01-01 00:00:01.234000+00:00"
    )
    assert convert.to_pandas(graph.search_users())["username"].tolist() == ["ann", "bob", "cem"]
    when = pandas.to_datetime(["2020-01-01", "2021-01-01"], utc=True)
    report = convert.import_pandas(
        graph,
        users=pandas.DataFrame({"id": [7, 8], "username": ["x", "y"]}),
        follows=pandas.DataFrame({"user": [7, 8], "target": [8, 7], "at": when}),
        posts=pandas.DataFrame({"id": [9], "author": [7], "text": ["z"]}),
        likes=pandas.DataFrame({"user": [8], "post": [9]}),
    )
    assert (report.users.added, report.follows.added, report.posts.added, report.likes.added) == (2, 2, 1, 1)
    assert graph.followers(7)[0].followed_at.year == 2021  # type: ignore[union-attr]


def test_networkx_adds_all_or_nothing(graph: kith.Graph) -> None:
    networkx = pytest.importorskip("networkx")
    loose = kith.Graph(options=kith.Options(unique_names="loose"))
    loose.add_user("Zo\u00eb")
    many = networkx.empty_graph(10_500)
    twice = networkx.empty_graph(10_500)
    twice.add_nodes_from([("a", {}), ("b", {}), (10_001, {})])
    networkx.set_node_attributes(twice, {node: f"n{node}" for node in twice}, "label")
    twice.nodes[10_499]["label"] = "n0"

    def made(edges: Any, kind: Any = networkx.DiGraph, **labels: Any) -> Any:
        source = kind(edges)
        source.add_nodes_from((node, {"label": label}) for node, label in labels.items())
        return source

    for target, source, name, match in (
        (graph, made([], a="Sam", b="Sam"), "label", "'b' with the name 'Sam'"),
        (graph, made([], a="ann"), "label", "'a' with the name 'ann'"),
        (graph, made([], a=""), "label", "'a' with the name ''"),
        (graph, made([], a="\ud800"), "label", "the node 'a'"),
        (graph, made([], a="x" * 300), "label", "the node 'a'"),
        (graph, made([], a=7), "label", "'a' is no str: 7"),
        (graph, made([], a=None), "label", "'a' is no str: None"),
        (graph, made([("x", "y")]), "label", "'x' is no str: None"),
        (graph, made([(1, 2), (2, 2)]), None, "the node 2 has an edge to itself"),
        (graph, made([(1, 2), (1, 2)], networkx.MultiDiGraph), None, "2 edges from 1 to 2"),
        (graph, made([(1, 2), (2, 1)], networkx.MultiGraph), None, "2 edges from 1 to 2"),
        (graph, made([("1", 1)]), None, "the node 1 with the name '1'"),
        (graph, twice, "label", "the node 10499 with the name 'n0'"),
        (loose, made([], a="zoe"), "label", "'a' with the name 'zoe'"),
        (loose, made([], a="Ren\u00e9", b="rene"), "label", "'b' with the name 'rene'"),
    ):
        before = target.export_columns("users", "follows")
        with pytest.raises(ValueError, match=match):
            convert.import_networkx(target, source, name)
        after = target.export_columns("users", "follows")
        assert before["users"][0].tolist() == after["users"][0].tolist() and target.verify() == []
        assert before["follows"][0].tolist() == after["follows"][0].tolist()

    assert convert.import_networkx(graph, networkx.DiGraph()) == {}
    ids = convert.import_networkx(graph, many)
    assert len(ids) == graph.counts().users - 3 == 10_500
    assert [user.username for user in graph.users([ids[0], ids[10_499]]) if user] == ["0", "10499"]
    both = made([("p", "q"), ("q", "p")], networkx.MultiDiGraph)
    ids = convert.import_networkx(graph, both)
    assert graph.is_following(ids["p"], ids["q"]) and graph.is_following(ids["q"], ids["p"])
    probed = kith.Graph(options=kith.Options(unique_names="loose"))
    probed.add_user("Probe")
    assert convert.import_networkx(probed, networkx.path_graph(3)) == {0: 2, 1: 3, 2: 4}
    limited = kith.Graph(options=kith.Options(maximum_users=12_000))
    with pytest.raises(kith.LimitExceededError):
        convert.import_networkx(limited, networkx.empty_graph(12_001))
    assert limited.counts().users == 0


def test_networkx_there_and_back(graph: kith.Graph) -> None:
    networkx = pytest.importorskip("networkx")
    graph.follow(3, 1)
    graph.remove_user(2)
    made = convert.to_networkx(graph)
    made.add_node("alone")
    other = kith.Graph()
    ids = convert.import_networkx(other, made)
    assert other.counts().users == 3 and other.is_following(ids[3], ids[1]) and other.counts().follows == 1
    assert networkx.is_isomorphic(made, convert.to_networkx(other))


def test_scipy_says_what_it_cannot_add(graph: kith.Graph) -> None:
    sparse = pytest.importorskip("scipy.sparse")
    matrix = sparse.coo_array(([1, 1, 0, 1, 1], ([0, 0, 0, 1, 2], [1, 1, 2, 1, 0])), shape=(3, 3))
    follows = convert.import_scipy(graph, matrix, [1, 2, 3], at=datetime.datetime(2020, 1, 1)).follows
    # 1 follows 2 already, the zero is none, and 2 does not follow themselves.
    assert (follows.added, follows.duplicates, follows.refused) == (1, 2, 1)
    assert follows.first_refused is not None and follows.first_refused[1] == "cannotFollowSelf"
    assert graph.is_following(3, 1) and not graph.is_following(1, 3)
    for ids, error in (([1, 2], ValueError), ([1, 2, 3, 4], ValueError), ([1.0, 2.0, 3.0], TypeError)):
        with pytest.raises(error):
            convert.import_scipy(graph, matrix, ids)
    empty = sparse.csr_array((0, 0))
    assert convert.import_scipy(graph, empty, []).follows.added == 0


def test_pandas_tables_lose_nothing(graph: kith.Graph) -> None:
    pandas = pytest.importorskip("pandas")
    times = [0, 1_234, 253_402_300_799_999, 253_402_300_800_000, 2**63 - 1]
    for place, time in enumerate(times):
        graph.add_post(3, "x", id=100 + place, created_at=time)
    table = convert.to_pandas(graph.timeline(3, limit=5))
    assert table["created_ms"].tolist() == times[::-1]
    assert table["created_at"].isna().tolist() == [True, True, False, False, False]
    assert str(table["created_at"][2]).startswith("9999-12-31 23:59:59.999")
    follows = {"user": [2, 3], "target": [3, 2]}
    for column in (
        pandas.to_datetime(["2020-01-01", None]),
        pandas.to_datetime(["2020-01-01", None], utc=True),
        np.array([5.0, np.nan]),
        pandas.array([5, None], dtype="Int64"),
        [5, None],
        [datetime.datetime(2020, 1, 1), pandas.NaT],
        ["2020-01-01", "2020-01-02"],
    ):
        with pytest.raises((TypeError, ValueError)):
            convert.import_pandas(graph, follows=pandas.DataFrame({**follows, "at": column}))
    for name, column in (
        ("user", [2, None]),
        ("user", pandas.array([2, None], dtype="Int64")),
        ("user", ["2", "3"]),
        ("target", [3.5, 2]),
        ("target", np.array([3, 2**63], np.uint64)),
        ("user", [True, False]),
    ):
        with pytest.raises((TypeError, ValueError, OverflowError)):
            convert.import_pandas(graph, follows=pandas.DataFrame({**follows, name: column}))
    assert graph.counts().follows == 1
    for names in (["x", None], ["x", np.nan], ["x", 5]):
        with pytest.raises(TypeError, match="row 1"):
            convert.import_pandas(graph, users=pandas.DataFrame({"id": [7, 8], "username": names}))
    nullable = pandas.DataFrame({name: pandas.array(ids, dtype="Int64") for name, ids in follows.items()})
    nullable["at"] = [datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc)] * 2
    assert convert.import_pandas(graph, follows=nullable).follows.added == 2
    assert graph.followers(2, limit=1)[0].followed_at == datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc)
    # Duplicates, and what breaks a rule, are counted.
    report = convert.import_pandas(
        graph,
        users=pandas.DataFrame({"id": [7, 7, 8], "username": ["x", "y", "x"]}),
        follows=pandas.DataFrame({"user": [7, 7, 7, 7], "target": [1, 1, 7, 99]}),
    )
    assert (report.users.added, report.users.refused) == (1, 2)
    assert report.users.first_refused[0] == 1  # type: ignore[index]
    assert (report.follows.added, report.follows.duplicates, report.follows.refused) == (1, 1, 2)
