"""Accounts, and what they have to do with each other."""

from __future__ import annotations

import re
import time
from typing import Any

import kith

from . import paging, shapes
from .media import keep_file
from .store import BOT, DISCOVERABLE, HAS_MEDIA, LOCKED, TAG, Store, is_account, read_payload, to_payload
from .tokens import hash_password
from .web import Call, invalid, not_found

#: The longest display name, biography, and name or value of a field, as Mastodon has them.
MAXIMUM_NAME, MAXIMUM_NOTE, MAXIMUM_FIELD = 30, 500, 255


def add_account(store: Store, username: str, password: str, **values: Any) -> int:
    """Adds an account."""
    if not re.fullmatch(r"[A-Za-z0-9_]{1,30}", username):
        raise invalid("Username must contain only letters, numbers and underscores")
    if not 8 <= len(password) <= 128:
        raise invalid("Password is too short or too long")
    payload = {"password": hash_password(password), "created": int(time.time()), **values}
    return store.graph.add_user(username, payload=to_payload(payload), flags=DISCOVERABLE)


def find(call: Call, id: int | None = None) -> kith.User:
    """The account of the path. Mastodon shows it also to those whom it blocks; lists and statuses it hides."""
    row = call.graph.user(id or call.id(), includes_payloads=True)
    if not is_account(row):
        raise not_found()
    return row


def is_across(call: Call, row: kith.User) -> bool:
    """Whether the account and the user who asks are across a block."""
    found = call.graph.relations(call.reader, [row])[0]
    return found.is_blocking or found.is_blocked_by


def show(call: Call) -> Any:
    """GET /api/v1/accounts/:id"""
    return shapes.account(call, find(call))


def verify(call: Call) -> Any:
    """GET /api/v1/accounts/verify_credentials"""
    return shapes.account(call, find(call, call.user), own=True)


def named(call: Call, name: str) -> kith.User:
    """The account with a name, ``ann``, ``@ann`` or ``ann@this.host``."""
    name, _, host = name.lstrip("@").partition("@")
    if not re.fullmatch(r"[A-Za-z0-9_]{1,30}", name) or host not in ("", call.request.url.netloc):
        raise not_found()
    id = call.graph.find_user(name)
    if id is None:
        raise not_found()
    return find(call, id)


def lookup(call: Call) -> Any:
    """GET /api/v1/accounts/lookup"""
    return shapes.account(call, named(call, call.text("acct")))


def several(call: Call) -> Any:
    """GET /api/v1/accounts"""
    rows = call.graph.users(call.ids("id"))
    return shapes.accounts(call, [row for row in rows if row is not None])


def search_rows(call: Call, text: str, limit: int, offset: int = 0) -> list[kith.User]:
    """Accounts whose username begins with a text, or else whose username or display name contains it."""
    name = text.strip().lstrip("@").partition("@")[0]
    if not name:
        return []
    blocked = call.me is not None  # toot finds by a search whom to unblock
    page = call.graph.search_users(name, order="prefixFirst", viewer=call.viewer, includes_blocked=blocked, limit=100)
    found = []
    for row in page.walk():
        if not call.flag("following") or row.is_followed_by_viewer:
            found.append(row)
        if len(found) >= offset + limit:
            break
    return found[offset:]


def search(call: Call) -> Any:
    """GET /api/v1/accounts/search"""
    call.need_user()
    return shapes.accounts(call, search_rows(call, call.text("q"), call.limit(40, 80)))


def update(call: Call) -> Any:
    """PATCH /api/v1/accounts/update_credentials"""
    me, flags = call.user, {"locked": LOCKED, "bot": BOT, "discoverable": DISCOVERABLE}
    values: dict[str, Any] = {}
    for name, length in (("display_name", MAXIMUM_NAME), ("note", MAXIMUM_NOTE)):
        if name in call.values:
            values[name] = call.text(name)
            if len(values[name]) > length:
                raise invalid(f"{name} is too long (maximum is {length} characters)")
    for name in ("avatar", "header"):
        file = call.file(name)
        if file is not None:
            values[name], kind = keep_file(call.store, file)
            if kind != "image":
                raise invalid(f"{name} is no image")
    for name in ("privacy", "language"):
        if f"source[{name}]" in call.values:
            values[name] = call.text(f"source[{name}]")
    if values.get("privacy", "public") not in shapes.VISIBILITIES:
        raise invalid("privacy is not a visibility")
    if "source[sensitive]" in call.values:
        values["sensitive"] = call.flag("source[sensitive]")
    places = sorted({match[1] for name in call.values if (match := re.match(r"fields_attributes\[(\d)\]\[", name))})
    if places:
        read = [
            [call.text(f"fields_attributes[{i}][{part}]")[:MAXIMUM_FIELD] for part in ("name", "value")] for i in places
        ]
        values["fields"] = [{"name": name, "value": value} for name, value in read[:4] if name or value]

    def edit(batch: kith.Batch) -> None:
        display_name = values.pop("display_name", None)
        call.store.edit_payload(batch, me, **values)
        kept = batch.user(me).flags
        for name, bit in flags.items():
            if name in call.values:
                kept = kept | bit if call.flag(name) else kept & ~bit
        # A display name of Kith has no line breaks.
        batch.edit_user(me, flags=kept, display_name=display_name and " ".join(display_name.split()))

    call.graph.batch(edit)
    return verify(call)


# What an account shows


def statuses(call: Call) -> Any:
    """GET /api/v1/accounts/:id/statuses"""
    row, graph = find(call), call.graph
    if is_across(call, row):
        return []
    if call.flag("pinned"):
        pinned = graph.targets("pin", row, viewer=call.viewer, includes_authors=True, includes_payloads=True)
        return shapes.statuses(call, pinned)
    wanted = call.text("tagged").lower()

    def read(**times: Any) -> kith.Page[kith.Post]:
        return graph.timeline(
            call.reader,
            author=row,
            reposts="none" if call.flag("exclude_reblogs") or call.flag("only_media") else "all",
            replies="toAuthor" if call.flag("exclude_replies") else "all",
            flags_all=HAS_MEDIA if call.flag("only_media") else 0,
            includes_authors=True,
            includes_payloads=True,
            **times,
        )

    def keep(each: kith.Post) -> bool:
        return not wanted or wanted in [name.lower() for name in read_payload(each).get("tags", [])]

    found = paging.timeline(call, read, keep)
    return call.page(shapes.statuses(call, found), *paging.links(call, [paging.id_of(each) for each in found]))


def _users(call: Call, read: Any) -> Any:
    """A page of accounts."""
    rows, older, newer = paging.edges(call, read, is_account)
    return call.page(shapes.accounts(call, rows), older, newer)


def followers(call: Call) -> Any:
    """GET /api/v1/accounts/:id/followers"""
    row = find(call)
    if is_across(call, row):
        return []
    hides = call.me not in (None, row.id)
    return _users(call, lambda **at: call.graph.followers(row, viewer=call.viewer, leaves_out_muted=hides, **at))


def following(call: Call) -> Any:
    """GET /api/v1/accounts/:id/following"""
    row = find(call)
    if is_across(call, row):
        return []
    hides = call.me not in (None, row.id)
    return _users(call, lambda **at: call.graph.followees(row, viewer=call.viewer, leaves_out_muted=hides, **at))


def blocks(call: Call) -> Any:
    """GET /api/v1/blocks"""
    me = call.user
    return _users(call, lambda **at: call.graph.blocked(me, **at))


def mutes(call: Call) -> Any:
    """GET /api/v1/mutes: those without notifications on the first page, before the others."""
    me = call.user
    rows, older, _ = paging.edges(call, lambda **at: call.graph.muted(me, **at))
    if not call.text("max_id"):
        rows = [*call.graph.targets("quiet", me, limit=80), *rows]
    return call.page(shapes.accounts(call, rows), older, None)


def requests(call: Call) -> Any:
    """GET /api/v1/follow_requests"""
    me = call.user
    return _users(call, lambda **at: call.graph.sources("request", me, viewer=me, **at))


def relationships(call: Call) -> Any:
    """GET /api/v1/accounts/relationships"""
    return shapes.relationships(call, call.ids("id"))


def familiar_followers(call: Call) -> Any:
    """GET /api/v1/accounts/familiar_followers"""
    made = []
    for id in call.ids("id")[:40]:
        across = is_across(call, call.graph.user(id))
        rows = [] if across else call.graph.familiar_followers(id, call.user, limit=40)
        made.append({"id": str(id), "accounts": shapes.accounts(call, rows)})
    return made


def suggestions(call: Call) -> Any:
    """GET /api/v1/suggestions and /api/v2/suggestions"""
    me = call.user
    rows = list(call.graph.suggestions(me, limit=200))
    marks = call.graph.edge_counts("user", rows, ["pass_over", "request"], viewer=me)
    rows = [row for row, mark in zip(rows, marks) if not mark.marks][: call.limit(40, 80)]
    found = shapes.accounts(call, rows)
    if call.request.url.path.startswith("/api/v1"):
        return found
    return [{"source": "past_interactions", "sources": ["friends_of_friends"], "account": each} for each in found]


def pass_over(call: Call) -> Any:
    """DELETE /api/v1/suggestions/:id"""
    call.graph.add_edge("pass_over", call.user, call.id())
    return {}


def endorsements(call: Call) -> Any:
    """GET /api/v1/endorsements, and those of another account"""
    of = call.user if "id" not in call.request.path_params else find(call).id
    if is_across(call, call.graph.user(of)):
        return []
    return _users(call, lambda **at: call.graph.targets("endorse", of, viewer=call.viewer, **at))


def lists(call: Call) -> Any:
    """GET /api/v1/accounts/:id/lists"""
    from .lists import entity

    me, member = call.user, find(call)
    mine = call.graph.targets("list", me, viewer=me, includes_payloads=True, limit=1000)
    return [entity(each) for each in mine if call.graph.has_edge("member", each, member)]


# What an account does


def act(call: Call) -> Any:
    """POST /api/v1/accounts/:id/follow and the like"""
    me, verb = call.user, call.request.path_params["verb"]
    if verb not in _VERBS:
        raise not_found()
    row = find(call)
    call.graph.batch(lambda batch: _VERBS[verb](call, batch, me, row))
    return shapes.relationships(call, [row.id])[0]


def _follow(call: Call, batch: kith.Batch, me: int, row: kith.User) -> None:
    if row.flags & LOCKED and not batch.is_following(me, row):
        batch.add_edge("request", me, row)
        return
    batch.follow(me, row)
    if "reblogs" in call.values:
        change = batch.remove_edge if call.flag("reblogs") else batch.add_edge
        change("no_reposts", me, row)
    if "notify" in call.values:
        change = batch.add_edge if call.flag("notify") else batch.remove_edge
        change("notify", me, row)


def _unfollow(call: Call, batch: kith.Batch, me: int, row: kith.User) -> None:
    batch.remove_edge("request", me, row)
    batch.unfollow(me, row)
    _leave_lists(batch, me, row.id)


def _leave_lists(batch: kith.Batch, owner: int, member: int) -> None:
    """Ends what ends with a follow: a list has only accounts that its owner follows."""
    for each in batch.targets("list", owner, limit=1000):
        batch.remove_edge("member", each, member)


def _remove_follower(call: Call, batch: kith.Batch, me: int, row: kith.User) -> None:
    batch.unfollow(row, me)
    _leave_lists(batch, row.id, me)


def _block(call: Call, batch: kith.Batch, me: int, row: kith.User) -> None:
    batch.block(me, row)
    _leave_lists(batch, me, row.id)
    _leave_lists(batch, row.id, me)


def _mute(call: Call, batch: kith.Batch, me: int, row: kith.User) -> None:
    _unmute(call, batch, me, row)
    if call.flag("notifications", True):
        batch.mute(me, row)
    elif me != row.id:
        batch.add_edge("quiet", me, row)


def _unmute(call: Call, batch: kith.Batch, me: int, row: kith.User) -> None:
    batch.unmute(me, row)
    if me != row.id:
        batch.remove_edge("quiet", me, row)


def _endorse(call: Call, batch: kith.Batch, me: int, row: kith.User) -> None:
    if not batch.is_following(me, row):
        raise invalid("You must be already following the account you want to endorse")
    batch.add_edge("endorse", me, row)


def _unendorse(call: Call, batch: kith.Batch, me: int, row: kith.User) -> None:
    if me != row.id:
        batch.remove_edge("endorse", me, row)


def _note(call: Call, batch: kith.Batch, me: int, row: kith.User) -> None:
    notes = read_payload(batch.user(me, includes_payloads=True)).get("notes", {})
    notes[str(row.id)] = call.text("comment")[:2000]
    call.store.edit_payload(batch, me, notes={id: note for id, note in notes.items() if note})


def _grant(call: Call, batch: kith.Batch, me: int, row: kith.User) -> None:
    if not batch.has_edge("request", row, me):
        raise not_found()
    batch.follow(row, me)


_VERBS = {
    "follow": _follow,
    "unfollow": _unfollow,
    "remove_from_followers": _remove_follower,
    "block": _block,
    "unblock": lambda call, batch, me, row: batch.unblock(me, row),
    "mute": _mute,
    "unmute": _unmute,
    "pin": _endorse,
    "unpin": _unendorse,
    "endorse": _endorse,
    "unendorse": _unendorse,
    "note": _note,
    "authorize": _grant,
    "reject": lambda call, batch, me, row: batch.remove_edge("request", row, me),
}


def followed_tags(call: Call) -> Any:
    """GET /api/v1/followed_tags"""
    me = call.user
    rows, older, newer = paging.edges(
        call, lambda **at: call.graph.targets("follow_tag", me, **at), default=100, maximum=200
    )
    return call.page([{**shapes.tag(call, shapes.tag_name(row)), "following": True} for row in rows], older, newer)


def show_tag(call: Call) -> Any:
    """GET /api/v1/tags/:name, POST …/follow and …/unfollow"""
    name, verb = call.request.path_params["name"], call.request.path_params.get("verb")
    if not shapes.HASHTAG.fullmatch(TAG + name) or len(name.encode()) > 250:
        raise not_found()
    id = call.graph.find_user(name, "hashtag")
    if verb == "follow":
        id = id or call.graph.add_user(name, kind="hashtag")
        call.graph.add_edge("follow_tag", call.user, id)
    elif verb == "unfollow" and id is not None:
        call.graph.remove_edge("follow_tag", call.user, id)
    elif verb is not None and verb != "unfollow":
        raise not_found()
    follows = call.me is not None and id is not None and call.graph.has_edge("follow_tag", call.me, id)
    return {**shapes.tag(call, name), "id": str(id or 0), "following": follows}
