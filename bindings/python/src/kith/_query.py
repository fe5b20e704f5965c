"""The arguments of a query, as C takes them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, SupportsIndex

from ._errors import refused
from ._kith import ffi, lib
from ._text import Time, to_id, to_text, to_time

Match = Literal["substring", "prefix", "exact", "fuzzy", "regex"]
Folding = Literal["loose", "strict"]
UserOrder = Literal["name", "prefixFirst", "followedFirst", "popular"]
ListOrder = Literal["newest", "name"]
EdgeOrder = Literal["newest", "oldest", "name"]
ThreadOrder = Literal["oldest", "newest"]
Direction = Literal["older", "newer"]
Part = Literal["users", "follows", "posts", "likes", "blocks", "mutes"]

# The numbers are the library's.
MATCHES: dict[str, int] = {
    "substring": lib.KITH_SUBSTRING,
    "prefix": lib.KITH_PREFIX,
    "exact": lib.KITH_EXACT,
    "fuzzy": lib.KITH_FUZZY,
    "regex": lib.KITH_REGEX,
}
FOLDINGS: dict[str, int] = {"loose": lib.KITH_LOOSE, "strict": lib.KITH_STRICT}
ORDERS: dict[str, int] = {
    "name": lib.KITH_BY_NAME,
    "prefixFirst": lib.KITH_PREFIX_FIRST,
    "followedFirst": lib.KITH_FOLLOWED_FIRST,
    "popular": lib.KITH_POPULAR,
}
LIST_ORDERS: dict[str, int] = {"newest": lib.KITH_LIST_NEWEST, "name": lib.KITH_LIST_BY_NAME}
EDGE_ORDERS: dict[str, int] = {
    "newest": lib.KITH_EDGES_NEWEST,
    "oldest": lib.KITH_EDGES_OLDEST,
    "name": lib.KITH_EDGES_BY_NAME,
}
THREAD_ORDERS: dict[str, int] = {"oldest": lib.KITH_THREAD_OLDEST, "newest": lib.KITH_THREAD_NEWEST}
DIRECTIONS: dict[str, int] = {"older": lib.KITH_OLDER, "newer": lib.KITH_NEWER}
PARTS: dict[str, int] = {
    "users": lib.KITH_EXPORT_USERS,
    "follows": lib.KITH_EXPORT_FOLLOWS,
    "posts": lib.KITH_EXPORT_POSTS,
    "likes": lib.KITH_EXPORT_LIKES,
    "blocks": lib.KITH_EXPORT_BLOCKS,
    "mutes": lib.KITH_EXPORT_MUTES,
}

# Looked up once: a page of a timeline is a few microseconds.
_new, _QUERY = ffi.new, ffi.typeof("kith_query *")


def word(words: dict[str, int], word: str) -> int:
    try:
        return words[word]
    except KeyError:
        raise ValueError(f"{word!r} is none of {', '.join(words)}") from None


class Query:
    """The arguments of a query that answers with a page, and the memory that they point to: text or ids, and cursor."""

    __slots__ = ("raw", "kept", "cursor")

    def __init__(
        self, kind: int, limit: int = 20, cursor: str | None = None, viewer: SupportsIndex | None = None
    ) -> None:
        if not 1 <= limit <= 1000:
            raise refused(f"limit is 1 to 1000, not {limit}")
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
