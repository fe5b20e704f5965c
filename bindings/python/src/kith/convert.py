"""Graphs to and from scipy.sparse, networkx and pandas. Each is imported when it is used.

No row is left out in silence: an import counts what it leaves out in its report, or raises and changes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ._changes import Batch, Change
from ._columns import ImportReport, as_integers
from ._errors import KithError
from ._graph import Graph
from ._page import Page
from ._reader import Reader
from ._rows import Post, User
from ._text import NOW, Time, to_time

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


def import_scipy(graph: Graph, matrix: Any, ids: Any, at: Time | None = None) -> ImportReport:
    """Adds a follow for each element of a sparse matrix that is not zero, between the users of its rows and columns.

    The report counts the follows that break a rule, such as those on the diagonal, and are left out.
    """
    import scipy.sparse

    elements = scipy.sparse.coo_array(matrix)
    ids = as_integers(ids)
    if elements.shape != (len(ids), len(ids)):
        raise ValueError(f"a matrix of {len(ids)} users has as many rows and columns, not {elements.shape}")
    wanted = elements.data != 0
    rows, columns = elements.row[wanted], elements.col[wanted]
    times = None if at is None else np.full(len(rows), to_time(at), np.int64)
    return graph.import_columns(follows=(ids[rows], ids[columns], times))


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
        for source, target, second in zip(sources, targets, adjacency.seconds.tolist())
    )
    return made


def import_networkx(graph: Graph, source: networkx.Graph[Any], name: str | None = None) -> dict[Any, int]:
    """Adds the nodes as users and the edges as follows; both ways, if the source is not directed.

    The name of a user is the node's attribute ``name``, or the node as text. Returns the id of each node. Attributes of
    edges are not read. If a name is taken, invalid, or equal to another one by the rule of the graph, or if an edge
    leads to its own node or is there twice, an error says which one, and nothing is added. No other thread adds users
    meanwhile.
    """
    nodes = list(source.nodes(data=True))
    if not nodes:
        return {}
    names = [_name(node, attributes, name) for node, attributes in nodes]
    _check_edges(source)
    first = _check_names(graph, nodes, names)
    ids = {node: first + place for place, (node, _) in enumerate(nodes)}
    edges: NDArray[np.int64] = np.array([(ids[a], ids[b]) for a, b in source.edges()], np.int64).reshape(-1, 2)
    if not source.is_directed():
        edges = np.concatenate([edges, edges[:, ::-1]])
    numbers = np.arange(first, first + len(nodes))
    try:
        report = graph.import_columns(users=(numbers, names), follows=(edges[:, 0], edges[:, 1]))
    except KithError:
        _take_back(graph, numbers, names)
        raise
    for part in (report.users, report.follows):
        if part.refused or part.duplicates:
            _take_back(graph, numbers, names)
            row, code = part.first_refused or (0, "a row that was there")
            what = f"the node {nodes[row][0]!r} with the name {names[row]!r}" if part is report.users else "an edge"
            raise ValueError(f"{what} cannot be added: {code}")
    return ids


def _name(node: Any, attributes: dict[str, Any], name: str | None) -> str:
    if name is None:
        return str(node)
    if not isinstance(attributes.get(name), str):
        raise ValueError(f"the attribute {name!r} of the node {node!r} is no str: {attributes.get(name)!r}")
    text: str = attributes[name]
    return text


def _check_edges(source: networkx.Graph[Any]) -> None:
    for a, b in source.edges():
        if a == b:
            raise ValueError(
                f"the node {a!r} has an edge to itself, and no user follows themselves: "
                "source.remove_edges_from(list(networkx.selfloop_edges(source))) drops such edges"
            )
        if source.is_multigraph() and source.number_of_edges(a, b) > 1:
            raise ValueError(
                f"there are {source.number_of_edges(a, b)} edges from {a!r} to {b!r}, and a user follows another once: "
                "networkx.DiGraph(source) or networkx.Graph(source) merges them"
            )


def _check_names(graph: Graph, nodes: list[Any], names: list[str]) -> int:
    """Adds as many users as a batch can hold, and takes them back. Returns the id of the first."""
    found: list[int] = []

    def probe(batch: Batch) -> None:
        for (node, _), name in zip(nodes[:_BATCH], names):
            try:
                found.append(batch.add_user(name))
            except KithError as error:
                error.args = (f"the node {node!r} with the name {name!r} cannot be added: {error}",)
                raise
        raise _TakenBack

    try:
        graph.batch(probe)
    except _TakenBack:
        pass
    return found[0]


def _take_back(graph: Graph, ids: Any, names: list[str]) -> None:
    """Removes the users that were added."""
    for start in range(0, len(names), _LOOKUP):
        users = graph.users(ids[start : start + _LOOKUP].tolist())
        added = [user.id for user, name in zip(users, names[start:]) if user is not None and user.username == name]
        graph.apply(Change("removeUser", user=id) for id in added)


# The most changes of a batch, and ids of a lookup.
_BATCH = 10_000
_LOOKUP = 1_000


class _TakenBack(Exception):
    pass


def to_pandas(page: Page[User] | Page[Post]) -> pandas.DataFrame:
    """A page as a table, with texts and times.

    ``created_at`` is NaT outside the years 1 to 9999; ``created_ms`` has the milliseconds since 1970 of every post.
    """
    import pandas

    array = page.array
    if "author" in (array.dtype.names or ()):
        posts: list[Any] = list(page)
        return pandas.DataFrame(
            {
                "id": array["id"],
                "author_id": array["author"],
                "author": [post.author for post in posts],
                "created_at": pandas.Series(_datetimes(array["created_at"])).dt.tz_localize("UTC"),
                "created_ms": array["created_at"],
                "text": [post.text for post in posts],
                "like_count": array["like_count"],
            }
        )
    users: list[Any] = list(page)
    return pandas.DataFrame(
        {
            "id": array["id"],
            "username": [user.username for user in users],
            "follower_count": array["follower_count"],
            "followee_count": array["followee_count"],
            "post_count": array["post_count"],
        }
    )


def _datetimes(milliseconds: Any) -> Any:
    """Times as datetime64, NaT where datetime has no such year."""
    is_datetime = (milliseconds >= _FIRST) & (milliseconds < _END)
    return np.where(is_datetime, milliseconds, NOW).astype("datetime64[ms]")


# The first milliseconds of the year 1, and of the year 10,000.
_FIRST, _END = -62_135_596_800_000, 253_402_300_800_000


def import_pandas(
    graph: Graph,
    *,
    users: pandas.DataFrame | None = None,
    follows: pandas.DataFrame | None = None,
    posts: pandas.DataFrame | None = None,
    likes: pandas.DataFrame | None = None,
) -> ImportReport:
    """Adds the rows of tables: users (id, username); follows (user, target, optionally at); posts (id, author, text,
    optionally at); likes (user, post, optionally at). Times are datetimes or milliseconds; none is missing.

    The report counts the rows that break a rule, and are left out.
    """

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
        posts=None
        if posts is None
        else (posts["id"].to_numpy(), posts["author"].to_numpy(), posts["text"].tolist(), times(posts)),
        likes=edges(likes, "post"),
    )
