"""Queries that answer with pages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, SupportsIndex

from ._errors import check, local, refused
from ._incoming import IncomingPage
from ._kith import ffi, lib
from ._page import Page, same
from ._parameters import described
from ._query import (
    EDGE_ORDERS,
    LIST_ORDERS,
    THREAD_ORDERS,
    EdgeOrder,
    ListOrder,
    Named,
    Query,
    ThreadOrder,
    name_of,
    word,
)
from ._rows import Post, User
from ._searches import Searches
from ._suggestions import Suggestion
from ._text import Time, to_id


def _typed(page: Page[Any]) -> Page[Any]:
    """A page of edges: the relation says whether users or posts are at the other end."""
    if page._raw.posts:
        page._type = Post
    return page


@described
class Pages(Searches):
    """Searches, timelines and lists, which answer with pages."""

    __slots__ = ()

    # Lists

    def _list(
        self,
        kind: int,
        user: SupportsIndex,
        order: ListOrder,
        viewer: SupportsIndex | None,
        limit: int,
        cursor: str | None,
        includes_payloads: bool = False,
        leaves_out_muted: bool = False,
    ) -> Page[User]:
        query = Query(kind, limit, cursor, viewer)
        query.raw.flags = lib.KITH_INCLUDES_PAYLOADS * includes_payloads | lib.KITH_LEAVES_OUT_MUTED * leaves_out_muted
        query.raw.user = to_id(user)
        query.raw.order = word(LIST_ORDERS, order)
        return self._users(query)

    def followers(
        self,
        user: SupportsIndex,
        *,
        order: ListOrder = "newest",
        includes_payloads: bool = False,
        leaves_out_muted: bool = False,
        viewer: SupportsIndex | None = None,
        limit: int = 20,
        cursor: str | None = None,
    ) -> Page[User]:
        """The users who follow a user."""
        return self._list(lib.KITH_FOLLOWERS, user, order, viewer, limit, cursor, includes_payloads, leaves_out_muted)

    def followees(
        self,
        user: SupportsIndex,
        *,
        order: ListOrder = "newest",
        includes_payloads: bool = False,
        leaves_out_muted: bool = False,
        viewer: SupportsIndex | None = None,
        limit: int = 20,
        cursor: str | None = None,
    ) -> Page[User]:
        """The users whom a user follows."""
        return self._list(lib.KITH_FOLLOWEES, user, order, viewer, limit, cursor, includes_payloads, leaves_out_muted)

    def blocked(self, user: SupportsIndex, *, limit: int = 20, cursor: str | None = None) -> Page[User]:
        """The users whom a user blocks, by id."""
        return self._list(lib.KITH_BLOCKED_USERS, user, "newest", None, limit, cursor)

    def muted(self, user: SupportsIndex, *, limit: int = 20, cursor: str | None = None) -> Page[User]:
        """The users whom a user mutes, by id."""
        return self._list(lib.KITH_MUTED_USERS, user, "newest", None, limit, cursor)

    def likers(
        self,
        post: SupportsIndex,
        *,
        leaves_out_muted: bool = False,
        viewer: SupportsIndex | None = None,
        limit: int = 20,
        cursor: str | None = None,
    ) -> Page[User]:
        """The users who like a post, oldest like first."""
        query = Query(lib.KITH_LIKERS, limit, cursor, viewer)
        query.raw.target = to_id(post)
        query.raw.flags = lib.KITH_LEAVES_OUT_MUTED * leaves_out_muted
        return self._users(query)

    def likes(
        self,
        user: SupportsIndex,
        *,
        includes_authors: bool = False,
        includes_payloads: bool = False,
        leaves_out_muted: bool = False,
        viewer: SupportsIndex | None = None,
        limit: int = 20,
        cursor: str | None = None,
    ) -> Page[Post]:
        """The posts that a user likes, newest like first."""
        query = Query(lib.KITH_LIKES, limit, cursor, viewer)
        query.raw.user = to_id(user)
        query.raw.flags = (
            lib.KITH_INCLUDES_AUTHORS * includes_authors
            | lib.KITH_INCLUDES_PAYLOADS * includes_payloads
            | lib.KITH_LEAVES_OUT_MUTED * leaves_out_muted
        )
        return self._posts(query)

    def _edges(
        self,
        relation: Named,
        id: SupportsIndex,
        order: EdgeOrder,
        counts_edges: bool,
        includes_authors: bool,
        includes_payloads: bool,
        leaves_out_muted: bool,
        query: Query,
    ) -> Page[Any]:
        query.set_text(name_of(relation))
        query.raw.target = to_id(id)
        query.raw.order = word(EDGE_ORDERS, order)
        query.raw.flags = (
            lib.KITH_COUNTS_MATCHES * counts_edges
            | lib.KITH_LEAVES_OUT_MUTED * leaves_out_muted
            | lib.KITH_INCLUDES_AUTHORS * includes_authors
            | lib.KITH_INCLUDES_PAYLOADS * includes_payloads
        )
        return self._page(query, _typed, User)

    def targets(
        self,
        relation: Named,
        source: SupportsIndex,
        *,
        order: EdgeOrder = "newest",
        counts_edges: bool = False,
        includes_authors: bool = False,
        includes_payloads: bool = False,
        leaves_out_muted: bool = False,
        viewer: SupportsIndex | None = None,
        limit: int = 20,
        cursor: str | None = None,
    ) -> Page[Any]:
        """The users or posts that the edges of a user or a post lead to. Page.total is the number of all edges."""
        query = Query(lib.KITH_TARGETS, limit, cursor, viewer)
        asked = (order, counts_edges, includes_authors, includes_payloads, leaves_out_muted)
        return self._edges(relation, source, *asked, query)

    def sources(
        self,
        relation: Named,
        target: SupportsIndex,
        *,
        order: EdgeOrder = "newest",
        counts_edges: bool = False,
        includes_authors: bool = False,
        includes_payloads: bool = False,
        leaves_out_muted: bool = False,
        viewer: SupportsIndex | None = None,
        limit: int = 20,
        cursor: str | None = None,
    ) -> Page[Any]:
        """The users or posts whose edges lead to a user or a post. Page.total is the number of all edges."""
        query = Query(lib.KITH_SOURCES, limit, cursor, viewer)
        asked = (order, counts_edges, includes_authors, includes_payloads, leaves_out_muted)
        return self._edges(relation, target, *asked, query)

    def thread(
        self,
        post: SupportsIndex,
        *,
        order: ThreadOrder = "oldest",
        includes_authors: bool = False,
        includes_payloads: bool = False,
        leaves_out_muted: bool = False,
        viewer: SupportsIndex | None = None,
        limit: int = 20,
        cursor: str | None = None,
    ) -> Page[Post]:
        """The posts of a conversation: those with the same root as a post."""
        query = Query(lib.KITH_THREAD, limit, cursor, viewer)
        query.raw.target = to_id(post)
        query.raw.order = word(THREAD_ORDERS, order)
        query.raw.flags = (
            lib.KITH_INCLUDES_AUTHORS * includes_authors
            | lib.KITH_INCLUDES_PAYLOADS * includes_payloads
            | lib.KITH_LEAVES_OUT_MUTED * leaves_out_muted
        )
        return self._posts(query)

    def ancestors(
        self,
        post: SupportsIndex,
        *,
        includes_authors: bool = False,
        includes_payloads: bool = False,
        viewer: SupportsIndex | None = None,
        limit: int = 20,
    ) -> Page[Post]:
        """The posts that a post replies to, nearest first. Page.is_truncated says whether there are more."""
        query = Query(lib.KITH_ANCESTORS, limit, None, viewer)
        query.raw.target = to_id(post)
        query.raw.flags = lib.KITH_INCLUDES_AUTHORS * includes_authors | lib.KITH_INCLUDES_PAYLOADS * includes_payloads
        return self._posts(query)

    def _incoming(
        self,
        user: SupportsIndex,
        relations: Iterable[Named] | None,
        followed_only: bool,
        before: Time | None,
        after: Time | None,
        limit: int = 20,
        cursor: str | None = None,
    ) -> Query:
        query = Query(lib.KITH_INCOMING, limit, cursor)
        query.raw.user = to_id(user)
        if relations is not None:
            names = [name_of(relation) for relation in relations]
            if not names:
                raise refused("incoming takes relations, or None for all")
            query.set_text(" ".join(names))
        query.raw.flags = lib.KITH_FOLLOWED_ONLY * followed_only
        query.set_times(before, after)
        return query

    def incoming(
        self,
        user: SupportsIndex,
        *,
        relations: Iterable[Named] | None = None,
        followed_only: bool = False,
        before: Time | None = None,
        after: Time | None = None,
        includes_authors: bool = False,
        limit: int = 20,
        cursor: str | None = None,
    ) -> IncomingPage:
        """What leads to a user, newest first: the edges of some relations, or of all but those that their source alone
        sees, to the user and to their posts."""
        query = self._incoming(user, relations, followed_only, before, after, limit, cursor)
        query.raw.flags |= lib.KITH_INCLUDES_AUTHORS * includes_authors
        page = ffi.new("kith_incoming_page *")
        check(lib.kith_incoming(self._live_handle(), query.raw, page, local.error), local.error)
        return IncomingPage(page, self)

    def incoming_count(
        self,
        user: SupportsIndex,
        *,
        relations: Iterable[Named] | None = None,
        followed_only: bool = False,
        before: Time | None = None,
        after: Time | None = None,
    ) -> tuple[int, bool]:
        """How many there are, at most 1,000, and whether there are more."""
        query = self._incoming(user, relations, followed_only, before, after)
        count, is_truncated = ffi.new("int64_t *"), ffi.new("bool *")
        handle = self._live_handle()
        check(lib.kith_incoming_count(handle, query.raw, count, is_truncated, local.error), local.error)
        return int(count[0]), bool(is_truncated[0])

    def _mutuals(self, kind: int, user: SupportsIndex, other: SupportsIndex, query: Query) -> Page[User]:
        query.raw.kind = kind
        (query.raw.user, query.raw.target) = (to_id(user), to_id(other))
        return self._users(query)

    def mutual_followees(
        self,
        user: SupportsIndex,
        other: SupportsIndex,
        *,
        counts_matches: bool = False,
        viewer: SupportsIndex | None = None,
        limit: int = 20,
        cursor: str | None = None,
    ) -> Page[User]:
        """The users whom both users follow, by id."""
        query = Query(lib.KITH_MUTUAL_FOLLOWEES, limit, cursor, viewer)
        query.raw.flags = lib.KITH_COUNTS_MATCHES * counts_matches
        return self._mutuals(lib.KITH_MUTUAL_FOLLOWEES, user, other, query)

    def mutual_followers(
        self,
        user: SupportsIndex,
        other: SupportsIndex,
        *,
        counts_matches: bool = False,
        viewer: SupportsIndex | None = None,
        limit: int = 20,
        cursor: str | None = None,
    ) -> Page[User]:
        """The users who follow both users, by id."""
        query = Query(lib.KITH_MUTUAL_FOLLOWERS, limit, cursor, viewer)
        query.raw.flags = lib.KITH_COUNTS_MATCHES * counts_matches
        return self._mutuals(lib.KITH_MUTUAL_FOLLOWERS, user, other, query)

    def familiar_followers(
        self,
        user: SupportsIndex,
        viewer: SupportsIndex,
        *,
        counts_matches: bool = False,
        limit: int = 20,
        cursor: str | None = None,
    ) -> Page[User]:
        """The followers of a user whom the viewer follows, by id."""
        query = Query(lib.KITH_FAMILIAR_FOLLOWERS, limit, cursor, viewer)
        query.raw.user = to_id(user)
        query.raw.flags = lib.KITH_COUNTS_MATCHES * counts_matches
        return self._users(query)

    def suggestions(
        self,
        user: SupportsIndex,
        *,
        named_count: int = 0,
        follow_limit: int = 1_000_000,
        kind: str | None = None,
        flags_all: int = 0,
        flags_any: int = 0,
        flags_none: int = 0,
        limit: int = 20,
    ) -> Page[Suggestion]:
        """Users whom a user's followees follow, by their number."""
        query = Query(lib.KITH_SUGGESTIONS, limit)
        query.set_masks(flags_all, flags_any, flags_none)
        query.set_user_kind(kind)
        query.raw.user = to_id(user)
        (query.raw.named_count, query.raw.follow_limit) = (named_count, follow_limit or -1)
        return self._page(query, same, Suggestion)
