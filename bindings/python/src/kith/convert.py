"""Graphs to and from scipy.sparse, networkx and pandas. Each is imported when it is used."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._columns import ImportReport
from ._graph import Graph
from ._reader import Reader
from ._rows import Page, Post, User

if TYPE_CHECKING:
    import networkx
    import pandas
    import scipy.sparse


def to_scipy(graph: Reader) -> tuple[scipy.sparse.csr_array, Any]:
    """The follow graph as a sparse matrix of ones, and the ids of its rows. The indices are not copied.

    A removed user has an empty row, and 0 as id.
    """
    import scipy.sparse

    adjacency = graph.adjacency()
    count = len(adjacency.ids)
    ones = np.ones(len(adjacency.targets), np.int8)
    matrix = scipy.sparse.csr_array((ones, adjacency.targets, adjacency.offsets), shape=(count, count))
    return matrix, adjacency.ids


def import_scipy(graph: Graph, matrix: Any, ids: Any, at: int | None = None) -> ImportReport:
    """Adds a follow for each element of a sparse matrix that is not zero, between the users of its rows and columns."""
    import scipy.sparse

    elements = scipy.sparse.coo_array(matrix)
    ids = np.asarray(ids, np.int64)
    times = None if at is None else np.full(elements.nnz, at, np.int64)
    return graph.import_columns(follows=(ids[elements.row], ids[elements.col], times))


def to_networkx(graph: Reader) -> networkx.DiGraph[int]:
    """The follow graph with ids as nodes, and the time of each follow as ``second``."""
    import networkx

    adjacency = graph.adjacency()
    made: networkx.DiGraph[int] = networkx.DiGraph()
    made.add_nodes_from(adjacency.ids[adjacency.ids != 0].tolist())
    sources = np.repeat(adjacency.ids, np.diff(adjacency.offsets)).tolist()
    targets = adjacency.ids[adjacency.targets].tolist()
    made.add_edges_from(
        (source, target, {"second": second})
        for source, target, second in zip(sources, targets, adjacency.seconds.tolist()))
    return made


def import_networkx(graph: Graph, source: networkx.Graph[Any], name: str | None = None) -> dict[Any, int]:
    """Adds the nodes as users and the edges as follows; both ways, if the source is not directed.

    The name of a user is the node's attribute ``name``, or the node as text. Returns the id of each node.
    """
    nodes = list(source.nodes(data=True))
    first = _next_id(graph)
    ids = {node: first + place for place, (node, _) in enumerate(nodes)}
    names = [attributes[name] if name else str(node) for node, attributes in nodes]
    edges = np.array([(ids[a], ids[b]) for a, b in source.edges()], np.int64).reshape(-1, 2)
    if not source.is_directed():
        edges = np.concatenate([edges, edges[:, ::-1]])
    graph.import_columns(
        users=(np.arange(first, first + len(nodes)), names),
        follows=(np.ascontiguousarray(edges[:, 0]), np.ascontiguousarray(edges[:, 1])))
    return ids


def _next_id(graph: Graph) -> int:
    """An id that was never used: the next that the graph would assign, learnt from a batch that is taken back."""
    found: list[int] = []

    def probe(batch: Any) -> None:
        found.append(batch.add_user("\u2060probe"))
        raise _TakenBack

    try:
        graph.batch(probe)
    except _TakenBack:
        pass
    return found[0]


class _TakenBack(Exception):
    pass


def to_pandas(page: Page[User] | Page[Post]) -> pandas.DataFrame:
    """A page as a table, with texts and times."""
    import pandas

    array = page.array
    if "author" in (array.dtype.names or ()):
        posts: list[Any] = list(page)
        return pandas.DataFrame({
            "id": array["id"], "author_id": array["author"], "author": [post.author for post in posts],
            "created_at": pandas.to_datetime(array["created_at"], unit="ms", utc=True),
            "text": [post.text for post in posts], "like_count": array["like_count"],
        })
    users: list[Any] = list(page)
    return pandas.DataFrame({
        "id": array["id"], "username": [user.username for user in users], "follower_count": array["follower_count"],
        "followee_count": array["followee_count"], "post_count": array["post_count"],
    })


def import_pandas(
    graph: Graph, *, users: pandas.DataFrame | None = None, follows: pandas.DataFrame | None = None,
    posts: pandas.DataFrame | None = None, likes: pandas.DataFrame | None = None,
) -> ImportReport:
    """Adds the rows of tables: users (id, username); follows (user, target, optionally at); posts (id, author, text,
    optionally at); likes (user, post, optionally at). Times are datetimes or milliseconds."""

    def times(table: pandas.DataFrame) -> Any:
        if "at" not in table:
            return None
        at = table["at"]
        if getattr(at.dtype, "tz", None) is not None:
            at = at.dt.tz_convert("UTC").dt.tz_localize(None)
        return at.to_numpy()

    def edges(table: pandas.DataFrame | None, target: str) -> Any:
        return None if table is None else (table["user"].to_numpy(), table[target].to_numpy(), times(table))

    return graph.import_columns(
        users=None if users is None else (users["id"].to_numpy(), users["username"].tolist()),
        follows=edges(follows, "target"),
        posts=None if posts is None else (
            posts["id"].to_numpy(), posts["author"].to_numpy(), posts["text"].tolist(), times(posts)),
        likes=edges(likes, "post"))
