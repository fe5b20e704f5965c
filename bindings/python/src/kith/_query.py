"""The arguments of a query, as C takes them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, Protocol, SupportsIndex, Union, cast

from ._errors import refused
from ._kith import ffi, lib
from ._text import Time, to_id, to_text, to_time

Match = Literal["substring", "prefix", "exact", "fuzzy", "regex"]
Names = Literal["either", "username"]
Folding = Literal["loose", "strict"]
UserOrder = Literal["name", "prefixFirst", "followedFirst", "popular"]
ListOrder = Literal["newest", "name"]
EdgeOrder = Literal["newest", "oldest", "name"]
ThreadOrder = Literal["oldest", "newest"]
Direction = Literal["older", "newer"]
Replies = Literal["all", "none", "toFollowed", "toSources", "toAuthor"]
Reposts = Literal["once", "all", "none"]
Mentions = Literal["all", "ofVisible"]
Audience = Literal["everyone", "unlisted", "followers", "mentioned"]
Part = Literal["users", "follows", "posts", "likes", "blocks", "mutes"]

# The numbers are the library's.
MATCHES: dict[str, int] = {
    "substring": lib.KITH_SUBSTRING,
    "prefix": lib.KITH_PREFIX,
    "exact": lib.KITH_EXACT,
    "fuzzy": lib.KITH_FUZZY,
    "regex": lib.KITH_REGEX,
}
#: Whether usernames alone are searched.
NAMES: dict[str, int] = {"either": 0, "username": 1}
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
REPLIES: dict[str, int] = {
    "all": lib.KITH_ALL_REPLIES,
    "none": lib.KITH_NO_REPLIES,
    "toFollowed": lib.KITH_REPLIES_TO_FOLLOWED,
    "toSources": lib.KITH_REPLIES_TO_SOURCES,
    "toAuthor": lib.KITH_REPLIES_TO_AUTHOR,
}
REPOSTS: dict[str, int] = {
    "once": lib.KITH_REPOSTS_ONCE,
    "all": lib.KITH_ALL_REPOSTS,
    "none": lib.KITH_NO_REPOSTS,
}
AUDIENCES: dict[str, int] = {
    "everyone": lib.KITH_AUDIENCE_EVERYONE,
    "unlisted": lib.KITH_AUDIENCE_UNLISTED,
    "followers": lib.KITH_AUDIENCE_FOLLOWERS,
    "mentioned": lib.KITH_AUDIENCE_MENTIONED,
}
AUDIENCE_NAMES: dict[int, Audience] = {number: cast(Audience, word) for word, number in AUDIENCES.items()}
PARTS: dict[str, int] = {
    "users": lib.KITH_EXPORT_USERS,
    "follows": lib.KITH_EXPORT_FOLLOWS,
    "posts": lib.KITH_EXPORT_POSTS,
    "likes": lib.KITH_EXPORT_LIKES,
    "blocks": lib.KITH_EXPORT_BLOCKS,
    "mutes": lib.KITH_EXPORT_MUTES,
}

# The flag of each.
MENTIONS: dict[str, int] = {"all": 0, "ofVisible": lib.KITH_MENTIONS_VISIBLE}

# Looked up once: a page of a timeline is a few microseconds.
_new, _QUERY = ffi.new, ffi.typeof("kith_query *")


class Relation(Protocol):
    """What has the name of a relation."""

    @property
    def name(self) -> str:
        """The name, which alone counts in a call."""


#: A relation, or its name.
Named = Union[Relation, str]


def name_of(relation: Named) -> str:
    """The name of a relation."""
    return relation if isinstance(relation, str) else relation.name


def word(words: dict[str, int], word: str) -> int:
    try:
        return words[word]
    except KeyError:
        raise ValueError(f"{word!r} is none of {', '.join(words)}") from None


class Query:
    """The arguments of a query that answers with a page, and the memory that they point to: text or ids, and cursor."""

    __slots__ = ("raw", "kept", "kept_kind", "cursor")

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

    def set_sources(
        self,
        targets: Iterable[Named] | None,
        members: Named | None,
        of: SupportsIndex | None,
        users: Iterable[SupportsIndex] | None,
        author: SupportsIndex | None,
        everyone: bool,
    ) -> None:
        """Sets whose posts a timeline has."""
        given = [targets, members, users, author, everyone or None]
        if sum(each is not None for each in given) != 1 or (members is None) != (of is None):
            raise refused("a timeline takes one of targets, members with of, users, author and everyone")
        raw = self.raw
        if targets is not None:
            raw.sources = lib.KITH_OF_TARGETS
            self.set_text(" ".join(name_of(relation) for relation in targets))
        elif members is not None and of is not None:
            raw.sources, raw.target = lib.KITH_OF_MEMBERS, to_id(of)
            self.set_text(name_of(members))
        elif users is not None:
            raw.sources = lib.KITH_OF_USERS
            self.set_ids(users)
        elif author is not None:
            raw.sources, raw.target = lib.KITH_OF_AUTHOR, to_id(author)
        else:
            raw.sources = lib.KITH_OF_EVERYONE

    def set_user_kind(self, kind: str | None) -> None:
        """Sets the kind of the users who are found or suggested."""
        if kind is not None:
            self.raw.user_kind, self.kept_kind = to_text(kind)

    def set_masks(self, all: int, any: int, none: int) -> None:
        """Sets the flags that posts must have, have one of, and must not have."""
        for mask in (all, any, none):
            if not 0 <= mask <= 0xFFFF:
                raise refused(f"a mask of flags is 0 to 65535, not {mask}")
        self.raw.flags_all, self.raw.flags_any, self.raw.flags_none = all, any, none

    def set_audiences(self, audiences: Iterable[Audience]) -> None:
        """Sets the audiences that posts may have."""
        for audience in audiences:
            self.raw.audiences |= 1 << word(AUDIENCES, audience)

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
