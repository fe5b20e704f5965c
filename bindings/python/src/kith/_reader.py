"""Queries: what a graph, a pin and a batch have in common."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import index
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from ._columns import read_columns
from ._errors import check, error_of, local
from ._kith import ffi, lib
from ._page import Page, RowT
from ._pages import Pages
from ._parameters import described
from ._passes import Adjacency, Components, Control, Degrees, Ranks, run_pass
from ._query import PARTS, Named, Part, Query, name_of, word
from ._relations import ENDS, EdgeCounts, End
from ._results import Counts, MemoryEntry, Path, Relations, Violation, read_table
from ._rows import Post, User
from ._text import to_id, to_text

_is_following = lib.kith_py_is_following
# The bit of each member of Relations.
RELATIONS: dict[str, int] = {
    "is_following": lib.KITH_FOLLOWS,
    "is_followed_by": lib.KITH_FOLLOWED_BY,
    "is_blocking": lib.KITH_BLOCKS,
    "is_blocked_by": lib.KITH_BLOCKED_BY,
    "is_muting": lib.KITH_MUTES,
}


@described
class Reader(Pages):
    """Queries. Users and posts are given by id, or by a row of a page."""

    __slots__ = ()

    # Lookups

    def user(
        self,
        user: SupportsIndex,
        *,
        viewer: SupportsIndex | None = None,
        includes_blocked: bool = False,
        includes_payloads: bool = False,
    ) -> User:
        """One user; with includes_blocked, also one whom the viewer blocks."""
        query = Query(lib.KITH_USER, viewer=viewer)
        query.raw.user = to_id(user)
        query.raw.flags = lib.KITH_INCLUDES_BLOCKED * includes_blocked | lib.KITH_INCLUDES_PAYLOADS * includes_payloads
        found: User = self._page(query, _first, User)
        return found

    def post(
        self,
        post: SupportsIndex,
        *,
        viewer: SupportsIndex | None = None,
        includes_authors: bool = False,
        includes_payloads: bool = False,
    ) -> Post:
        """One post; with includes_authors, with its author's counts."""
        query = Query(lib.KITH_POST, viewer=viewer)
        query.raw.target = to_id(post)
        query.raw.flags = lib.KITH_INCLUDES_AUTHORS * includes_authors | lib.KITH_INCLUDES_PAYLOADS * includes_payloads
        found: Post = self._page(query, _first, Post)
        return found

    def users(
        self,
        ids: Iterable[SupportsIndex],
        *,
        viewer: SupportsIndex | None = None,
        includes_blocked: bool = False,
        includes_payloads: bool = False,
    ) -> list[User | None]:
        """Up to 1,000 users in the order of the ids; None for those that do not exist, or are hidden by a block.

        With includes_blocked, those whom the viewer blocks are there.
        """
        query = Query(lib.KITH_USERS, viewer=viewer)
        query.raw.flags = lib.KITH_INCLUDES_BLOCKED * includes_blocked | lib.KITH_INCLUDES_PAYLOADS * includes_payloads
        wanted = query.set_ids(ids)
        return self._page(query, lambda page: _places(wanted, page), User)

    def posts(
        self,
        ids: Iterable[SupportsIndex],
        *,
        viewer: SupportsIndex | None = None,
        includes_authors: bool = False,
        includes_payloads: bool = False,
    ) -> list[Post | None]:
        """Up to 1,000 posts in the order of the ids; None for those that do not exist."""
        query = Query(lib.KITH_POSTS, viewer=viewer)
        query.raw.flags = lib.KITH_INCLUDES_AUTHORS * includes_authors | lib.KITH_INCLUDES_PAYLOADS * includes_payloads
        wanted = query.set_ids(ids)
        return self._page(query, lambda page: _places(wanted, page), Post)

    def find_user(self, username: str, kind: str = "user") -> int | None:
        """The id of the user with exactly this name; with unique_names="loose", whose name has the same loose key."""
        (value, memory), found = to_text(username), ffi.new("int64_t *")
        handle = self._live_handle()
        if kind == "user":
            check(lib.kith_find_user(handle, value, found, local.error), local.error)
        else:
            word, kept = to_text(kind)
            check(lib.kith_find_user_of_kind(handle, value, word, found, local.error), local.error)
            del kept
        del memory
        return found[0] or None

    def is_following(self, user: SupportsIndex, target: SupportsIndex) -> bool:
        """Whether the first user follows the second."""
        error = local.error
        answer = _is_following(self._handle or ffi.NULL, index(user), index(target), error)
        if answer < 0:
            raise error_of(error.status, error)
        return bool(answer)

    def relations(self, user: SupportsIndex, targets: Sequence[SupportsIndex]) -> list[Relations]:
        """The relations between a user and up to 1,000 others."""
        ids = [to_id(target) for target in targets]
        found = ffi.new("uint8_t[]", max(1, len(ids)))
        check(
            lib.kith_relations(
                self._live_handle(), to_id(user), ffi.new("int64_t[]", ids), len(ids), found, local.error
            ),
            local.error,
        )
        return [Relations(**{name: bool(found[i] & bit) for name, bit in RELATIONS.items()}) for i in range(len(ids))]

    def has_edge(self, relation: Named, source: SupportsIndex, target: SupportsIndex) -> bool:
        """Whether there is an edge of a relation."""
        (value, memory), found = to_text(name_of(relation)), ffi.new("bool *")
        check(
            lib.kith_has_edge(self._live_handle(), value, to_id(source), to_id(target), found, local.error),
            local.error,
        )
        del memory
        return bool(found[0])

    def edge_counts(
        self,
        end: End,
        ids: Sequence[SupportsIndex],
        relations: Sequence[Named],
        *,
        viewer: SupportsIndex | None = None,
    ) -> list[EdgeCounts]:
        """How many edges of some relations users or posts have, and which lead from the viewer: up to 1,000."""
        wanted, names = [to_id(id) for id in ids], [name_of(relation) for relation in relations]
        kept = [to_text(name) for name in names]
        size = max(1, len(wanted) * len(names))
        counts, marks = ffi.new("uint32_t[]", size), ffi.new("uint8_t[]", size)
        check(
            lib.kith_edge_counts(
                self._live_handle(),
                word(ENDS, end),
                ffi.new("int64_t[]", wanted),
                len(wanted),
                ffi.new("kith_text[]", [value for value, _ in kept]),
                len(names),
                0 if viewer is None else Query.some_id(viewer),
                counts,
                ffi.NULL if viewer is None else marks,
                local.error,
            ),
            local.error,
        )
        return [
            EdgeCounts(
                {name: counts[row * len(names) + place] for place, name in enumerate(names)},
                frozenset(name for place, name in enumerate(names) if marks[row * len(names) + place]),
            )
            for row in range(len(wanted))
        ]

    def mutual_followee_count(self, user: SupportsIndex, other: SupportsIndex) -> int:
        """The number of users whom both users follow."""
        count = ffi.new("int64_t *")
        check(
            lib.kith_mutual_followee_count(self._live_handle(), to_id(user), to_id(other), count, local.error),
            local.error,
        )
        return int(count[0])

    def shortest_path(
        self, user: SupportsIndex, target: SupportsIndex, *, maximum_hops: int = 6, follow_limit: int = 1_000_000
    ) -> Path:
        """A shortest path along follows."""
        path, count, outcome, capacity = ffi.NULL, ffi.new("size_t *"), ffi.new("int32_t *"), 64
        while True:
            path = ffi.new("int64_t[]", capacity)
            check(
                lib.kith_shortest_path(
                    self._live_handle(),
                    to_id(user),
                    to_id(target),
                    maximum_hops,
                    follow_limit or -1,
                    path,
                    capacity,
                    count,
                    outcome,
                    local.error,
                ),
                local.error,
            )
            if count[0] <= capacity:
                break
            capacity = count[0]
        found = outcome[0] == lib.KITH_PATH_FOUND
        return Path(ffi.unpack(path, count[0]) if found else None, outcome[0] != lib.KITH_GAVE_UP)

    def counts(self) -> Counts:
        """The numbers of users, posts and edges."""
        raw = ffi.new("kith_counts *")
        check(lib.kith_get_counts(self._live_handle(), raw, local.error), local.error)
        return Counts(
            raw.users,
            raw.posts,
            raw.follows,
            raw.likes,
            raw.blocks,
            raw.mutes,
            raw.sequence,
            bool(raw.is_post_search_indexed),
        )

    def verify(self) -> list[Violation]:
        """Checks every invariant of the graph. After Ctrl-C, the check goes on in the background."""
        handle = self._live_handle()

        def run() -> list[Violation]:
            table = ffi.new("kith_table *")
            check(lib.kith_verify(handle, table, local.error), local.error)
            return [Violation(*row[:3]) for row in read_table(table)]

        return self._run_long(run)

    def memory_report(self) -> list[MemoryEntry]:
        """The memory by structure, then by kind of thing (those have a count)."""
        table = ffi.new("kith_table *")
        check(lib.kith_memory_report(self._live_handle(), table, local.error), local.error)
        return [
            MemoryEntry(name, bytes, count if place else None) for name, place, _, count, bytes in read_table(table)
        ]

    def timeline_ids(self, user: SupportsIndex, *, limit: int = 20, cursor: str | None = None) -> NDArray[np.int64]:
        """The ids of a page of a timeline: the fastest form."""
        query = Query(lib.KITH_TIMELINE, limit, cursor)
        query.raw.user = to_id(user)
        ids, count = np.empty(limit, np.int64), ffi.new("size_t *")
        memory = ffi.from_buffer("int64_t[]", ids)
        check(lib.kith_timeline_ids(self._live_handle(), query.raw, memory, count, local.error), local.error)
        return ids[: count[0]]

    # Passes over the whole graph

    def page_rank(
        self,
        *,
        damping: float = 0.85,
        tolerance: float = 1e-6,
        maximum_rounds: int = 100,
        control: Control | None = None,
    ) -> Ranks:
        """The PageRank of every user, on all cores."""
        return Ranks._run(self, damping, tolerance, maximum_rounds, control)

    def connected_components(self, *, control: Control | None = None) -> Components:
        """The weakly connected components of the follow graph."""
        return Components._run(self, control)

    def degree_distribution(self, *, control: Control | None = None) -> Degrees:
        """The distributions of followers and followees."""
        return Degrees._run(self, control)

    def adjacency(self, *, control: Control | None = None) -> Adjacency:
        """The follow graph as a sparse matrix by rows."""
        return Adjacency._run(self, control)

    def export_columns(self, *parts: Part, control: Control | None = None) -> dict[str, tuple[Any, ...]]:
        """The rows of the graph as numpy columns over the library's memory; all parts, if none is named.

        Users and posts are ordered by id, edges by user, then target. Times are milliseconds, texts are offsets and one
        area of UTF-8, as import_columns takes them: ``other.import_columns(**graph.export_columns())`` copies a graph.
        """
        named: tuple[str, ...] = parts or tuple(PARTS)
        bits = 0
        for part in named:
            bits |= word(PARTS, part)
        raw = ffi.new("kith_exported *")
        handle = self._live_handle()
        run_pass(self, control, lambda made: lib.kith_export(handle, bits, made, raw, local.error))
        return read_columns(raw, named)


def _first(page: Page[Any]) -> Any:
    return page[0]


def _places(ids: list[int], page: Page[RowT]) -> list[Any]:
    """The rows at the places of their ids: they are in the order of the ids, without those that do not exist."""
    rows = iter(page)
    row = next(rows, None)
    found: list[Any] = []
    for id in ids:
        if row is not None and row.id == id:
            found.append(row)
            row = next(rows, None)
        else:
            found.append(None)
    return found


class Pin(Reader):
    """An MVCC snapshot: a graph that does not change, and that any thread reads without a lock."""

    __slots__ = ()

    def close(self) -> None:
        """Frees the pin. Results of it stay."""
        self._handle = None

    def __enter__(self) -> Pin:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
