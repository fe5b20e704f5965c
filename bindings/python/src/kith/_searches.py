"""Searches and timelines, and how a query is run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, SupportsIndex, TypeVar

from ._calls import interruptible
from ._errors import ClosedError, error_of, local
from ._kith import ffi, lib
from ._page import Page, same
from ._parameters import described
from ._query import (
    DIRECTIONS,
    FOLDINGS,
    MATCHES,
    MENTIONS,
    NAMES,
    ORDERS,
    REPLIES,
    REPOSTS,
    Audience,
    Direction,
    Folding,
    Match,
    Mentions,
    Named,
    Names,
    Query,
    Replies,
    Reposts,
    UserOrder,
    word,
)
from ._rows import Post, User
from ._text import Time, Unshared, to_id

ResultT = TypeVar("ResultT")

# Looked up once: a page of a timeline is a few microseconds.
_gc, _run, _free_page = ffi.gc, lib.kith_py_run, lib.kith_py_free_page


@described
class Searches(Unshared):
    """Searches and timelines, which answer with pages."""

    __slots__ = ("_handle", "__weakref__")
    _instead = "every thread may use the same one; export_columns has its rows"

    def __init__(self, handle: Any) -> None:
        self._handle = handle

    def _live_handle(self) -> Any:
        if self._handle is None:
            raise ClosedError("it was freed")
        return self._handle

    def _run_long(self, call: Callable[[], ResultT], cancel: Callable[[], None] | None = None) -> ResultT:
        """Makes a call that may take long, so that Ctrl-C is seen."""
        return interruptible(call, cancel)

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
        self,
        text: str = "",
        *,
        match: Match = "substring",
        names: Names = "either",
        kind: str | None = None,
        folding: Folding = "loose",
        order: UserOrder = "name",
        excluded: SupportsIndex | None = None,
        includes_blocked: bool = False,
        flags_all: int = 0,
        flags_any: int = 0,
        flags_none: int = 0,
        counts_matches: bool = False,
        includes_highlights: bool = False,
        includes_payloads: bool = False,
        viewer: SupportsIndex | None = None,
        limit: int = 20,
        cursor: str | None = None,
    ) -> Page[User]:
        """Users whose username or display name matches; with includes_blocked, also those whom the viewer blocks."""
        query = Query(lib.KITH_SEARCH_USERS, limit, cursor, viewer)
        query.set_text(text)
        raw = query.raw
        raw.match = word(MATCHES, match)
        raw.folding = word(FOLDINGS, folding)
        raw.order = word(ORDERS, order)
        if excluded is not None:
            raw.excluded = query.some_id(excluded)
        raw.flags = (
            lib.KITH_INCLUDES_BLOCKED * includes_blocked
            | lib.KITH_COUNTS_MATCHES * counts_matches
            | lib.KITH_INCLUDES_HIGHLIGHTS * includes_highlights
            | lib.KITH_INCLUDES_PAYLOADS * includes_payloads
            | lib.KITH_USERNAMES_ALONE * word(NAMES, names)
        )
        query.set_masks(flags_all, flags_any, flags_none)
        query.set_user_kind(kind)
        return self._users(query)

    def search_posts(
        self,
        text: str = "",
        *,
        author: SupportsIndex | None = None,
        followed_only: bool = False,
        folding: Folding = "loose",
        before: Time | None = None,
        after: Time | None = None,
        includes_replies: bool = True,
        leaves_out_muted: bool = False,
        flags_all: int = 0,
        flags_any: int = 0,
        flags_none: int = 0,
        audiences: Iterable[Audience] = (),
        includes_highlights: bool = False,
        includes_authors: bool = False,
        includes_payloads: bool = False,
        viewer: SupportsIndex | None = None,
        limit: int = 20,
        cursor: str | None = None,
    ) -> Page[Post]:
        """Posts that contain every word of a text, newest first."""
        query = Query(lib.KITH_SEARCH_POSTS, limit, cursor, viewer)
        query.set_text(text)
        query.raw.folding = word(FOLDINGS, folding)
        if author is not None:
            query.raw.target = query.some_id(author)
        query.raw.flags = (
            lib.KITH_FOLLOWED_ONLY * followed_only
            | lib.KITH_LEAVES_OUT_MUTED * leaves_out_muted
            | lib.KITH_INCLUDES_HIGHLIGHTS * includes_highlights
            | lib.KITH_INCLUDES_AUTHORS * includes_authors
            | lib.KITH_INCLUDES_PAYLOADS * includes_payloads
        )
        query.raw.replies = lib.KITH_ALL_REPLIES if includes_replies else lib.KITH_NO_REPLIES
        query.set_masks(flags_all, flags_any, flags_none)
        query.set_audiences(audiences)
        query.set_times(before, after)
        return self._posts(query)

    # Timelines

    def timeline(
        self,
        user: SupportsIndex,
        *,
        direction: Direction = "older",
        before: Time | None = None,
        after: Time | None = None,
        includes_own_posts: bool = True,
        includes_authors: bool = False,
        includes_payloads: bool = False,
        targets: Iterable[Named] | None = None,
        members: Named | None = None,
        of: SupportsIndex | None = None,
        users: Iterable[SupportsIndex] | None = None,
        author: SupportsIndex | None = None,
        everyone: bool = False,
        replies: Replies = "all",
        reposts: Reposts = "once",
        mentions: Mentions = "all",
        flags_all: int = 0,
        flags_any: int = 0,
        flags_none: int = 0,
        audiences: Iterable[Audience] = (),
        limit: int = 20,
        cursor: str | None = None,
        includes_cursor: bool = False,
    ) -> Page[Post]:
        """The posts of a user and of the user's followees, newest first; or those of other sources: of targets
        (relations whose edges lead to them from the user), members with of, some users, one author, or everyone. Posts
        that were reposted say by whom.
        """
        query = Query(lib.KITH_TIMELINE, limit, cursor)
        plain = targets is None and members is None and of is None and users is None and author is None
        if everyone or not plain:
            query.set_sources(targets, members, of, users, author, everyone)
        if replies != "all" or reposts != "once":
            query.raw.replies, query.raw.reposts = word(REPLIES, replies), word(REPOSTS, reposts)
        if flags_all or flags_any or flags_none:
            query.set_masks(flags_all, flags_any, flags_none)
        if audiences:
            query.set_audiences(audiences)
        raw = query.raw
        raw.user = to_id(user)
        if direction != "older":
            raw.direction = word(DIRECTIONS, direction)
        if not includes_own_posts:
            raw.flags = lib.KITH_EXCLUDES_OWN_POSTS
        if includes_authors:
            raw.flags |= lib.KITH_INCLUDES_AUTHORS
        if includes_payloads:
            raw.flags |= lib.KITH_INCLUDES_PAYLOADS
        if mentions != "all":
            raw.flags |= word(MENTIONS, mentions)
        if includes_cursor:
            raw.flags |= lib.KITH_INCLUDES_CURSOR
        if before is not None or after is not None:
            query.set_times(before, after)
        return self._page(query, same, Post)

    def two_hop_timeline(
        self,
        user: SupportsIndex,
        *,
        direction: Direction = "older",
        before: Time | None = None,
        after: Time | None = None,
        includes_own_posts: bool = True,
        includes_authors: bool = False,
        includes_payloads: bool = False,
        follow_limit: int = 1_000_000,
        limit: int = 20,
        cursor: str | None = None,
    ) -> Page[Post]:
        """The posts of a user's followees and of their followees, newest first."""
        query = Query(lib.KITH_TWO_HOP_TIMELINE, limit, cursor)
        query.raw.user = to_id(user)
        query.raw.direction = word(DIRECTIONS, direction)
        query.raw.follow_limit = follow_limit or -1
        query.raw.flags = (
            lib.KITH_EXCLUDES_OWN_POSTS * (not includes_own_posts)
            | lib.KITH_INCLUDES_AUTHORS * includes_authors
            | lib.KITH_INCLUDES_PAYLOADS * includes_payloads
        )
        query.set_times(before, after)
        return self._posts(query)
