"""Queries: what a graph, a pin and a batch have in common."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import index
from typing import Any, Literal, SupportsIndex, TypeVar

import numpy as np
from numpy.typing import NDArray

from ._columns import read_columns
from ._errors import ClosedError, check, error_of, local
from ._kith import ffi, lib
from ._passes import Adjacency, Components, Control, Degrees, Ranks, control_handle
from ._rows import Memory, Page, Post, RowT, Suggestion, User, same
from ._text import Time, from_text, release, to_id, to_text, to_time

Match = Literal["substring", "prefix", "exact", "fuzzy", "regex"]
Folding = Literal["loose", "strict"]
UserOrder = Literal["name", "prefixFirst", "followedFirst", "popular"]
ListOrder = Literal["newest", "name"]
Direction = Literal["older", "newer"]
Part = Literal["users", "follows", "posts", "likes", "blocks", "mutes"]

_MATCHES = {"substring": 0, "prefix": 1, "exact": 2, "fuzzy": 3, "regex": 4}
_FOLDINGS = {"loose": 0, "strict": 1}
_ORDERS = {"name": 0, "prefixFirst": 1, "followedFirst": 2, "popular": 3}
_LIST_ORDERS = {"newest": 0, "name": 1}
_DIRECTIONS = {"older": 0, "newer": 1}
_PARTS = {"users": 1, "follows": 2, "posts": 4, "likes": 8, "blocks": 16, "mutes": 32}

ResultT = TypeVar("ResultT")

# Looked up once: a page of a timeline is a few microseconds.
_new, _gc, _QUERY = ffi.new, ffi.gc, ffi.typeof("kith_query *")
_run, _free_page, _is_following = lib.kith_py_run, lib.kith_py_free_page, lib.kith_py_is_following


def _word(words: dict[str, int], word: str) -> int:
    try:
        return words[word]
    except KeyError:
        raise ValueError(f"{word!r} is none of {', '.join(words)}") from None


@dataclass(frozen=True, slots=True)
class Counts:
    """The numbers of users, posts and edges, and the number of the last change."""

    users: int
    posts: int
    follows: int
    likes: int
    blocks: int
    mutes: int
    sequence: int
    is_post_search_indexed: bool


@dataclass(frozen=True, slots=True)
class Relations:
    """The relations between two users, from the first user's view."""

    is_following: bool
    is_followed_by: bool
    is_blocking: bool
    is_blocked_by: bool
    is_muting: bool


@dataclass(frozen=True, slots=True)
class Violation:
    """A violated invariant, or a damaged file."""

    code: str
    place: str
    message: str


@dataclass(frozen=True, slots=True)
class MemoryEntry:
    """The memory of one structure, or of all users, posts, follows or likes."""

    name: str
    bytes: int
    count: int | None


@dataclass(frozen=True, slots=True)
class Path:
    """A shortest path. ``users`` is None without one; ``is_complete`` is False if the search gave up at its limit."""

    users: list[int] | None
    is_complete: bool

    @property
    def hops(self) -> int | None:
        """The number of follows on the path."""
        return None if self.users is None else len(self.users) - 1


class Query:
    """The arguments of a query that answers with a page, and the memory that they point to: text or ids, and cursor."""

    __slots__ = ("raw", "kept", "cursor")

    def __init__(self, kind: int, limit: int = 20, cursor: str | None = None, viewer: SupportsIndex | None = None) -> None:
        if not 1 <= limit <= 1000:
            raise error_for_limit(limit)
        self.raw = raw = _new(_QUERY)
        self.kept: Any = None
        raw.kind = kind
        raw.limit = limit
        if viewer is not None:
            raw.viewer = self.some_id(viewer)
        if cursor is not None:
            raw.cursor, self.cursor = to_text(cursor)

    def at(self, cursor: str) -> Query:
        """The same query at a cursor: a copy, because other threads may be paging too. Text and ids are shared."""
        made = Query.__new__(Query)
        made.raw = _new(_QUERY, self.raw[0])
        made.kept = self.kept
        made.raw.cursor, made.cursor = to_text(cursor)
        return made

    @staticmethod
    def some_id(value: SupportsIndex) -> int:
        """The id of a user who is meant; 0, which would mean none, becomes an id that no user has."""
        return to_id(value) or -1

    def set_text(self, text: str) -> None:
        """Sets the text of a search."""
        self.raw.text, self.kept = to_text(text)

    def set_times(self, before: Time | None, after: Time | None) -> None:
        """Sets the bounds of time."""
        if before is not None:
            self.raw.before = to_time(before)
            self.raw.flags |= lib.KITH_HAS_BEFORE
        if after is not None:
            self.raw.after = to_time(after)
            self.raw.flags |= lib.KITH_HAS_AFTER

    def set_ids(self, ids: Iterable[SupportsIndex]) -> list[int]:
        """Sets the ids of a lookup."""
        wanted = [to_id(id) for id in ids]
        self.raw.ids = self.kept = ffi.new("int64_t[]", wanted)
        self.raw.id_count = len(wanted)
        return wanted


def error_for_limit(limit: int) -> Exception:
    """The error of a limit that is out of range."""
    error = ffi.new("kith_error *")
    error.index = -1
    error.message = f"limit is 1 to 1000, not {limit}".encode()
    return error_of(lib.KITH_INVALID_REQUEST, error)


def read_table(table: Any) -> list[Any]:
    """The rows of a kith_table as tuples (name, place, message, count, bytes)."""
    memory = Memory(table.owner)
    rows = [
        (from_text(row.name), from_text(row.place), from_text(row.message), row.count, row.bytes)
        for row in ffi.unpack(table.rows, table.count)
    ] if table.count else []
    del memory
    return rows


class Reader:
    """Queries. Users and posts are given by id, or by a row of a page."""

    __slots__ = ("_handle", "__weakref__")

    def __init__(self, handle: Any) -> None:
        self._handle = handle

    def _live_handle(self) -> Any:
        if self._handle is None:
            raise ClosedError("it was freed")
        return self._handle

    def _page(self, query: Query, convert: Callable[[Page[Any]], ResultT], type: type[Any]) -> ResultT:
        """Runs a query and converts its page."""
        error = local.error
        page = _run(self._handle or ffi.NULL, query.raw, error)
        if not page:
            raise error_of(error.status, error)
        return convert(Page(_gc(page, _free_page), type, self, query))

    def _users(self, query: Query) -> Page[User]:
        return self._page(query, same, User)

    def _posts(self, query: Query) -> Page[Post]:
        return self._page(query, same, Post)

    # Searches

    def search_users(
        self, text: str = "", *, match: Match = "substring", folding: Folding = "loose", order: UserOrder = "name",
        excluded: SupportsIndex | None = None, counts_matches: bool = False, includes_highlights: bool = False,
        viewer: SupportsIndex | None = None, limit: int = 20, cursor: str | None = None,
    ) -> Page[User]:
        """Users whose name matches a text."""
        query = Query(lib.KITH_SEARCH_USERS, limit, cursor, viewer)
        query.set_text(text)
        raw = query.raw
        raw.match = _word(_MATCHES, match)
        raw.folding = _word(_FOLDINGS, folding)
        raw.order = _word(_ORDERS, order)
        if excluded is not None:
            raw.excluded = query.some_id(excluded)
        raw.flags = lib.KITH_COUNTS_MATCHES * counts_matches | lib.KITH_INCLUDES_HIGHLIGHTS * includes_highlights
        return self._users(query)

    def search_posts(
        self, text: str = "", *, author: SupportsIndex | None = None, followed_only: bool = False,
        folding: Folding = "loose", before: Time | None = None, after: Time | None = None,
        includes_highlights: bool = False, viewer: SupportsIndex | None = None, limit: int = 20,
        cursor: str | None = None,
    ) -> Page[Post]:
        """Posts that contain every word of a text, newest first."""
        query = Query(lib.KITH_SEARCH_POSTS, limit, cursor, viewer)
        query.set_text(text)
        query.raw.folding = _word(_FOLDINGS, folding)
        if author is not None:
            query.raw.target = query.some_id(author)
        query.raw.flags = lib.KITH_FOLLOWED_ONLY * followed_only | lib.KITH_INCLUDES_HIGHLIGHTS * includes_highlights
        query.set_times(before, after)
        return self._posts(query)

    # Timelines

    def timeline(
        self, user: SupportsIndex, *, direction: Direction = "older", before: Time | None = None,
        after: Time | None = None, includes_own_posts: bool = True, limit: int = 20, cursor: str | None = None,
    ) -> Page[Post]:
        """The posts of a user and of the user's followees, newest first."""
        query = Query(lib.KITH_TIMELINE, limit, cursor)
        raw = query.raw
        raw.user = to_id(user)
        if direction != "older":
            raw.direction = _word(_DIRECTIONS, direction)
        if not includes_own_posts:
            raw.flags = lib.KITH_EXCLUDES_OWN_POSTS
        if before is not None or after is not None:
            query.set_times(before, after)
        return self._page(query, same, Post)

    def two_hop_timeline(
        self, user: SupportsIndex, *, direction: Direction = "older", before: Time | None = None,
        after: Time | None = None, includes_own_posts: bool = True, follow_limit: int = 1_000_000, limit: int = 20,
        cursor: str | None = None,
    ) -> Page[Post]:
        """The posts of a user's followees and of their followees, newest first."""
        query = Query(lib.KITH_TWO_HOP_TIMELINE, limit, cursor)
        query.raw.user = to_id(user)
        query.raw.direction = _word(_DIRECTIONS, direction)
        query.raw.follow_limit = follow_limit or -1
        query.raw.flags = lib.KITH_EXCLUDES_OWN_POSTS * (not includes_own_posts)
        query.set_times(before, after)
        return self._posts(query)

    # Lists

    def _list(
        self, kind: int, user: SupportsIndex, order: ListOrder, viewer: SupportsIndex | None, limit: int,
        cursor: str | None,
    ) -> Page[User]:
        query = Query(kind, limit, cursor, viewer)
        query.raw.user = to_id(user)
        query.raw.order = _word(_LIST_ORDERS, order)
        return self._users(query)

    def followers(
        self, user: SupportsIndex, *, order: ListOrder = "newest", viewer: SupportsIndex | None = None,
        limit: int = 20, cursor: str | None = None,
    ) -> Page[User]:
        """The users who follow a user."""
        return self._list(lib.KITH_FOLLOWERS, user, order, viewer, limit, cursor)

    def followees(
        self, user: SupportsIndex, *, order: ListOrder = "newest", viewer: SupportsIndex | None = None,
        limit: int = 20, cursor: str | None = None,
    ) -> Page[User]:
        """The users whom a user follows."""
        return self._list(lib.KITH_FOLLOWEES, user, order, viewer, limit, cursor)

    def blocked(self, user: SupportsIndex, *, limit: int = 20, cursor: str | None = None) -> Page[User]:
        """The users whom a user blocks, by id."""
        return self._list(lib.KITH_BLOCKED_USERS, user, "newest", None, limit, cursor)

    def muted(self, user: SupportsIndex, *, limit: int = 20, cursor: str | None = None) -> Page[User]:
        """The users whom a user mutes, by id."""
        return self._list(lib.KITH_MUTED_USERS, user, "newest", None, limit, cursor)

    def likers(
        self, post: SupportsIndex, *, viewer: SupportsIndex | None = None, limit: int = 20, cursor: str | None = None
    ) -> Page[User]:
        """The users who like a post, oldest like first."""
        query = Query(lib.KITH_LIKERS, limit, cursor, viewer)
        query.raw.target = to_id(post)
        return self._users(query)

    def likes(
        self, user: SupportsIndex, *, viewer: SupportsIndex | None = None, limit: int = 20, cursor: str | None = None
    ) -> Page[Post]:
        """The posts that a user likes, newest like first."""
        query = Query(lib.KITH_LIKES, limit, cursor, viewer)
        query.raw.user = to_id(user)
        return self._posts(query)

    def _mutuals(self, kind: int, user: SupportsIndex, other: SupportsIndex, query: Query) -> Page[User]:
        query.raw.kind = kind
        (query.raw.user, query.raw.target) = (to_id(user), to_id(other))
        return self._users(query)

    def mutual_followees(
        self, user: SupportsIndex, other: SupportsIndex, *, counts_matches: bool = False,
        viewer: SupportsIndex | None = None, limit: int = 20, cursor: str | None = None,
    ) -> Page[User]:
        """The users whom both users follow, by id."""
        query = Query(lib.KITH_MUTUAL_FOLLOWEES, limit, cursor, viewer)
        query.raw.flags = lib.KITH_COUNTS_MATCHES * counts_matches
        return self._mutuals(lib.KITH_MUTUAL_FOLLOWEES, user, other, query)

    def mutual_followers(
        self, user: SupportsIndex, other: SupportsIndex, *, counts_matches: bool = False,
        viewer: SupportsIndex | None = None, limit: int = 20, cursor: str | None = None,
    ) -> Page[User]:
        """The users who follow both users, by id."""
        query = Query(lib.KITH_MUTUAL_FOLLOWERS, limit, cursor, viewer)
        query.raw.flags = lib.KITH_COUNTS_MATCHES * counts_matches
        return self._mutuals(lib.KITH_MUTUAL_FOLLOWERS, user, other, query)

    def suggestions(
        self, user: SupportsIndex, *, named_count: int = 0, follow_limit: int = 1_000_000, limit: int = 20
    ) -> Page[Suggestion]:
        """Users whom a user's followees follow, by their number."""
        query = Query(lib.KITH_SUGGESTIONS, limit)
        query.raw.user = to_id(user)
        (query.raw.named_count, query.raw.follow_limit) = (named_count, follow_limit or -1)
        return self._page(query, same, Suggestion)

    # Lookups

    def user(self, user: SupportsIndex, *, viewer: SupportsIndex | None = None) -> User:
        """One user."""
        query = Query(lib.KITH_USER, viewer=viewer)
        query.raw.user = to_id(user)
        found: User = self._page(query, _first, User)
        return found

    def post(self, post: SupportsIndex, *, viewer: SupportsIndex | None = None) -> Post:
        """One post."""
        query = Query(lib.KITH_POST, viewer=viewer)
        query.raw.target = to_id(post)
        found: Post = self._page(query, _first, Post)
        return found

    def users(self, ids: Iterable[SupportsIndex], *, viewer: SupportsIndex | None = None) -> list[User | None]:
        """Up to 1,000 users in the order of the ids; None for those that do not exist."""
        query = Query(lib.KITH_USERS, viewer=viewer)
        wanted = query.set_ids(ids)
        return self._page(query, lambda page: _places(wanted, page), User)

    def posts(self, ids: Iterable[SupportsIndex], *, viewer: SupportsIndex | None = None) -> list[Post | None]:
        """Up to 1,000 posts in the order of the ids; None for those that do not exist."""
        query = Query(lib.KITH_POSTS, viewer=viewer)
        wanted = query.set_ids(ids)
        return self._page(query, lambda page: _places(wanted, page), Post)

    def find_user(self, username: str) -> int | None:
        """The id of the user with exactly this name."""
        (value, memory), found = to_text(username), ffi.new("int64_t *")
        check(lib.kith_find_user(self._live_handle(), value, found, local.error), local.error)
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
                self._live_handle(), to_id(user), ffi.new("int64_t[]", ids), len(ids), found, local.error),
            local.error)
        return [Relations(*(bool(found[i] & 1 << bit) for bit in range(5))) for i in range(len(ids))]

    def mutual_followee_count(self, user: SupportsIndex, other: SupportsIndex) -> int:
        """The number of users whom both users follow."""
        count = ffi.new("int64_t *")
        check(
            lib.kith_mutual_followee_count(self._live_handle(), to_id(user), to_id(other), count, local.error),
            local.error)
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
                    self._live_handle(), to_id(user), to_id(target), maximum_hops, follow_limit or -1, path, capacity,
                    count, outcome, local.error),
                local.error)
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
            raw.users, raw.posts, raw.follows, raw.likes, raw.blocks, raw.mutes, raw.sequence,
            bool(raw.is_post_search_indexed))

    def verify(self) -> list[Violation]:
        """Checks every invariant of the graph."""
        table = ffi.new("kith_table *")
        check(lib.kith_verify(self._live_handle(), table, local.error), local.error)
        return [Violation(*row[:3]) for row in read_table(table)]

    def memory_report(self) -> list[MemoryEntry]:
        """The memory by structure, then by kind of thing (those have a count)."""
        table = ffi.new("kith_table *")
        check(lib.kith_memory_report(self._live_handle(), table, local.error), local.error)
        return [
            MemoryEntry(name, bytes, count if place else None) for name, place, _, count, bytes in read_table(table)]

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
        self, *, damping: float = 0.85, tolerance: float = 1e-6, maximum_rounds: int = 100,
        control: Control | None = None,
    ) -> Ranks:
        """The PageRank of every user, on all cores."""
        return Ranks._run(self._live_handle(), damping, tolerance, maximum_rounds, control)

    def connected_components(self, *, control: Control | None = None) -> Components:
        """The weakly connected components of the follow graph."""
        return Components._run(self._live_handle(), control)

    def degree_distribution(self, *, control: Control | None = None) -> Degrees:
        """The distributions of followers and followees."""
        return Degrees._run(self._live_handle(), control)

    def adjacency(self, *, control: Control | None = None) -> Adjacency:
        """The follow graph as a sparse matrix by rows."""
        return Adjacency._run(self._live_handle(), control)

    def export_columns(self, *parts: Part, control: Control | None = None) -> dict[str, tuple[Any, ...]]:
        """The rows of the graph as numpy columns over the library's memory; all parts, if none is named.

        Users and posts are ordered by id, edges by user, then target. Times are milliseconds, texts are offsets and one
        area of UTF-8, as import_columns takes them: ``other.import_columns(**graph.export_columns())`` copies a graph.
        """
        named: tuple[str, ...] = parts or tuple(_PARTS)
        bits = 0
        for part in named:
            bits |= _word(_PARTS, part)
        raw = ffi.new("kith_exported *")
        check(lib.kith_export(self._live_handle(), bits, control_handle(control), raw, local.error), local.error)
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
        handle, self._handle = self._handle, None
        if handle is not None:
            release(handle)

    def __enter__(self) -> Pin:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()
