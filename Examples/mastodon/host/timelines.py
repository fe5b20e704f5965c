"""Timelines, and the lists of statuses that a user keeps."""

from __future__ import annotations

from typing import Any

import kith

from . import paging, shapes
from .lists import find_list
from .store import HAS_MEDIA, TAG, read_payload
from .web import Call


def page_of(call: Call, keep: Any = lambda row: True, **query: Any) -> Any:
    """A page of a timeline."""

    def read(**at: Any) -> kith.Page[kith.Post]:
        return call.graph.timeline(call.reader, includes_authors=True, includes_payloads=True, **query, **at)

    found = paging.timeline(call, read, keep)
    return call.page(shapes.statuses(call, found), *paging.links(call, [paging.id_of(row) for row in found]))


#: What the home timeline shows: the users and hashtags that are followed, and replies to users who are.
HOME: dict[str, Any] = {"targets": ["follow", "follow_tag"], "replies": "toFollowed", "mentions": "ofVisible"}
#: What the public timeline shows: no replies, but those of authors to themselves.
PUBLIC: dict[str, Any] = {"everyone": True, "replies": "toAuthor", "reposts": "none", "audiences": ["everyone"]}


def home(call: Call) -> Any:
    """GET /api/v1/timelines/home"""
    call.need_user()
    return page_of(call, **HOME)


def public(call: Call) -> Any:
    """GET /api/v1/timelines/public. No status is of another server."""
    if call.flag("remote"):
        return call.page([], None, None)
    return page_of(call, **PUBLIC, flags_all=HAS_MEDIA if call.flag("only_media") else 0)


def of_tag(call: Call) -> Any:
    """GET /api/v1/timelines/tag/:name"""
    ids = [_tag(call, name) for name in [call.request.path_params["name"], *call.values.get("any", [])]]
    given = [id for id in ids if id is not None]
    if not given or call.flag("remote"):
        return call.page([], None, None)
    every, none = ({str(name).lower() for name in call.values.get(word, [])} for word in ("all", "none"))

    def keep(row: kith.Post) -> bool:
        names = {name.lower() for name in read_payload(row).get("tags", [])} if every or none else set()
        return every <= names and not none & names

    return page_of(
        call,
        keep,
        users=given,
        includes_own_posts=False,
        reposts="none",
        audiences=["everyone"],
        flags_all=HAS_MEDIA if call.flag("only_media") else 0,
    )


def _tag(call: Call, name: Any) -> int | None:
    name = str(name)
    return call.graph.find_user(name, "hashtag") if shapes.HASHTAG.fullmatch(TAG + name) and len(name) <= 100 else None


def of_list(call: Call) -> Any:
    """GET /api/v1/timelines/list/:id"""
    row = find_list(call)
    policy = read_payload(row).get("replies_policy", "list")
    replies = {"followed": "toFollowed", "list": "toSources", "none": "toAuthor"}[policy]
    return page_of(call, members="member", of=row, includes_own_posts=False, replies=replies, mentions="ofVisible")


def _kept(call: Call, read: Any) -> Any:
    rows, older, newer = paging.edges(call, read, default=20, maximum=40)
    return call.page(shapes.statuses(call, rows), older, newer)


def favourites(call: Call) -> Any:
    """GET /api/v1/favourites"""
    me = call.user
    details = {"viewer": me, "includes_authors": True, "includes_payloads": True}
    return _kept(call, lambda **at: call.graph.likes(me, **details, **at))


def bookmarks(call: Call) -> Any:
    """GET /api/v1/bookmarks"""
    me = call.user
    details = {"viewer": me, "includes_authors": True, "includes_payloads": True}
    return _kept(call, lambda **at: call.graph.targets("bookmark", me, **details, **at))
