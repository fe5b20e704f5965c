"""scipy, networkx and pandas, in and out."""
import pytest

import kith
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
    assert table["text"].tolist() == ["Hello, world"] and str(table["created_at"][0]) == "1970-01-01 00:00:01.234000+00:00"
    assert convert.to_pandas(graph.search_users())["username"].tolist() == ["ann", "bob", "cem"]
    when = pandas.to_datetime(["2020-01-01", "2021-01-01"], utc=True)
    report = convert.import_pandas(
        graph, users=pandas.DataFrame({"id": [7, 8], "username": ["x", "y"]}),
        follows=pandas.DataFrame({"user": [7, 8], "target": [8, 7], "at": when}),
        posts=pandas.DataFrame({"id": [9], "author": [7], "text": ["z"]}),
        likes=pandas.DataFrame({"user": [8], "post": [9]}))
    assert (report.users.added, report.follows.added, report.posts.added, report.likes.added) == (2, 2, 1, 1)
    assert graph.followers(7)[0].followed_at.year == 2021  # type: ignore[union-attr]
