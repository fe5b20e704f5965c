"""Statuses: writing and editing them, conversations, and what users do with them."""

from __future__ import annotations

import datetime
import hashlib
import time
from typing import Any

import kith

from . import paging, shapes
from .media import own_media
from .store import HAS_MEDIA, is_account, read_payload, status_id, to_payload
from .web import Call, invalid, not_found

MAXIMUM_CHARACTERS, MAXIMUM_MEDIA, MAXIMUM_EDGES = 500, 4, 100
#: How many earlier texts a status keeps, in its payload.
MAXIMUM_VERSIONS = 10
#: How long a key of Idempotency-Key is known, in seconds.
KEY_SECONDS = 3600


def find(call: Call, id: int | None = None) -> kith.Post:
    """The status of the path, as the user who asks may see it. The id of a repost means what was reposted."""
    id = call.id() if id is None else id
    if id & 1:
        repost = paging.find_repost(call.graph, call.reader, id)
        if repost is None:
            raise not_found()
        id = repost.id
    row = call.graph.post(id, viewer=call.viewer, includes_authors=True, includes_payloads=True)
    if row.author_id == call.store.keeper:
        raise not_found()
    return row


def own(call: Call) -> kith.Post:
    """The status of the path, which the user who asks has written."""
    me, row = call.user, find(call)
    if row.author_id != me:
        raise not_found()
    return row


def one(call: Call, id: int) -> dict[str, Any]:
    """A status by id."""
    return shapes.statuses(call, [find(call, id)])[0]


def show(call: Call) -> Any:
    """GET /api/v1/statuses/:id"""
    row, id = find(call), call.id()
    if id & 1:
        found = paging.find_repost(call.graph, call.reader, id)
        return shapes.statuses(call, [found] if found is not None else [row])[0]
    return shapes.statuses(call, [row])[0]


def several(call: Call) -> Any:
    """GET /api/v1/statuses"""
    found = call.graph.posts(call.ids("id")[:40], viewer=call.viewer, includes_authors=True, includes_payloads=True)
    return shapes.statuses(call, [row for row in found if row is not None and row.author_id != call.store.keeper])


# Writing


class Draft:
    """What a request says of a status: its text, whom and what it names, and its payload."""

    def __init__(self, call: Call, batch: kith.Batch, old: dict[str, Any], author: kith.User) -> None:
        self.text, warning = call.text("status"), call.text("spoiler_text")
        files = call.ids("media_ids")
        if any(name.startswith("poll[") for name in call.values) or call.text("scheduled_at"):
            raise invalid("Polls and scheduled statuses are off")
        if len(files) > MAXIMUM_MEDIA:
            raise invalid(f"Cannot attach more than {MAXIMUM_MEDIA} files")
        if not self.text.strip() and not files:
            raise invalid("Text can't be blank")
        if len(self.text) + len(warning) > MAXIMUM_CHARACTERS:
            raise invalid(f"Text character limit of {MAXIMUM_CHARACTERS} exceeded")
        self.media = [{"id": id, **own_media(call, batch, id)} for id in files]
        names = {match[1] for match in shapes.MENTION.finditer(self.text)}
        found = (batch.find_user(name) for name in sorted(names))
        self.mentions = [id for id in found if id is not None and is_account(batch.user(id))]
        self.tags = list({match[1].lower(): match[1] for match in shapes.HASHTAG.finditer(self.text)}.values())
        if len(self.mentions) + len(self.tags) > MAXIMUM_EDGES or any(len(tag.encode()) > 250 for tag in self.tags):
            raise invalid("Too many mentions and hashtags")
        defaults = read_payload(author)
        self.payload = {
            "spoiler": warning,
            "sensitive": call.flag("sensitive", defaults.get("sensitive", False)) or bool(warning),
            "language": call.text("language", old.get("language") or defaults.get("language") or "en")[:8],
            "media": [{key: value for key, value in each.items() if key != "owner"} for each in self.media],
            "mentions": self.mentions,
            "tags": self.tags,
        }
        self.flags = HAS_MEDIA * bool(self.media)

    def edges(self, batch: kith.Batch) -> set[tuple[str, int]]:
        """The edges that lead from the status. A hashtag that is new is added."""
        tags = [batch.find_user(tag, "hashtag") or batch.add_user(tag, kind="hashtag") for tag in self.tags]
        return {("mention", id) for id in self.mentions} | {("tag", id) for id in tags}


def create(call: Call) -> Any:
    """POST /api/v1/statuses"""
    me, key = call.user, call.request.headers.get("idempotency-key", "")
    key = key and hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()[:32]
    parent = find(call, _given_id(call, "in_reply_to_id")) if call.text("in_reply_to_id") else None

    app = _app_name(call)

    def add(batch: kith.Batch) -> int:
        known = key and _with_key(batch, me, key)
        if known:
            return int(known)
        author = batch.user(me, includes_payloads=True)
        draft, preferred = Draft(call, batch, {}, author), read_payload(author).get("privacy", "public")
        visibility = call.text("visibility") or preferred
        if visibility not in shapes.VISIBILITIES:
            raise invalid("Visibility is not included in the list")
        edges = [kith.PostEdge(name, id) for name, id in sorted(draft.edges(batch))]
        if parent is not None:
            edges.append(kith.PostEdge("reply", parent))
        moment = call.store.next_millisecond()
        return batch.add_post(
            me,
            draft.text,
            id=status_id(moment),
            created_at=moment,
            edges=edges,
            payload=to_payload({**draft.payload, "key": key, "app": app}),
            flags=draft.flags,
            audience=shapes.VISIBILITIES[visibility],
        )

    return one(call, call.graph.batch(add))


def _given_id(call: Call, name: str) -> int:
    text = call.text(name)
    if not text.isascii() or not text.isdigit() or len(text) > 19:
        raise not_found()
    return int(text)


def _app_name(call: Call) -> str:
    app = call.graph.find_user(str(call.grant.get("app", "")), "application")
    return "" if app is None else str(read_payload(call.graph.user(app, includes_payloads=True)).get("name", ""))


def _with_key(batch: kith.Batch, me: int, key: str) -> int | None:
    """The status that an earlier request with the same key has made."""
    since = int((time.time() - KEY_SECONDS) * 1000)
    recent = batch.timeline(me, author=me, reposts="none", after=since, includes_payloads=True, limit=100)
    return next((row.id for row in recent if read_payload(row).get("key") == key), None)


def edit(call: Call) -> Any:
    """PUT /api/v1/statuses/:id"""
    row = own(call)

    def change(batch: kith.Batch) -> None:
        now = batch.post(row, includes_payloads=True)
        old = read_payload(now)
        draft = Draft(call, batch, old, batch.user(row.author_id, includes_payloads=True))
        for pair in [pair for pair in call.values if pair.startswith("media_attributes[")]:
            raise invalid(f"{pair} is off: describe media with PUT /api/v1/media/:id")
        before = {("mention", id) for id in old.get("mentions", [])}
        before |= {("tag", each.id) for each in batch.targets("tag", row, limit=1000)}
        after = draft.edges(batch)
        for name, id in before - after:
            batch.remove_edge(name, row, id)
        for name, id in after - before:
            batch.add_edge(name, row, id)
        history = [*old.get("history", []), _version(now, old)][-MAXIMUM_VERSIONS:]
        payload = {**draft.payload, "history": history, "key": old.get("key"), "app": old.get("app")}
        batch.edit_post(row, text=draft.text, payload=to_payload(payload), flags=draft.flags)

    call.graph.batch(change)
    return one(call, row.id)


def _version(row: kith.Post, payload: dict[str, Any]) -> dict[str, Any]:
    """An earlier version of a status, as its payload keeps it."""
    return {
        "text": row.text,
        "spoiler": payload.get("spoiler", ""),
        "sensitive": payload.get("sensitive", False),
        "at": row.edited_ms or row.created_ms,
    }


def history(call: Call) -> Any:
    """GET /api/v1/statuses/:id/history"""
    row = find(call)
    shown, payload = one(call, row.id), read_payload(row)
    return [
        {
            "content": shapes.to_html(call, each["text"], [mention["username"] for mention in shown["mentions"]]),
            "spoiler_text": each["spoiler"],
            "sensitive": each["sensitive"],
            "created_at": shapes.time_text(datetime.datetime.fromtimestamp(each["at"] / 1000, datetime.timezone.utc)),
            "account": shown["account"],
            "media_attachments": shown["media_attachments"],
            "emojis": [],
        }
        for each in [*payload.get("history", []), _version(row, payload)]
    ]


def source(call: Call) -> Any:
    """GET /api/v1/statuses/:id/source"""
    row = own(call)
    return {"id": str(row.id), "text": row.text, "spoiler_text": read_payload(row).get("spoiler", "")}


def delete(call: Call) -> Any:
    """DELETE /api/v1/statuses/:id: a status, or a repost"""
    id, me = call.id(), call.user
    if id & 1:
        repost = paging.find_repost(call.graph, call.reader, id)
        if repost is None or repost.reposted_by != me:
            raise not_found()
        made = shapes.statuses(call, [repost])[0]
        call.graph.remove_edge("repost", me, repost)
        return made
    row = own(call)
    made = {**one(call, id), "text": row.text}
    call.graph.remove_post(row)
    return made


# Conversations


def context(call: Call) -> Any:
    """GET /api/v1/statuses/:id/context"""
    row = find(call)
    details = {"viewer": call.viewer, "includes_authors": True, "includes_payloads": True}
    above = list(call.graph.ancestors(row, limit=40 if call.me is None else 1000, **details))
    muted = call.me is not None
    thread = call.graph.thread(row, limit=60 if call.me is None else 1000, leaves_out_muted=muted, **details)
    shown = {each.id: each for each in thread}
    # A reply to what is hidden is shown below what that replies to: the tree is that of all posts, seen or not.
    replies: dict[int, list[int]] = {}
    for each in call.graph.thread(row, limit=1000):
        replies.setdefault(each.parent or 0, []).append(each.id)
    # In the order of a walk through it: each reply right before the replies to it.
    below: list[kith.Post] = []
    waiting = replies.get(row.id, [])[::-1]
    while waiting:
        id = waiting.pop()
        below += [shown[id]] if id in shown else []
        waiting += replies.get(id, [])[::-1]
    return {"ancestors": shapes.statuses(call, above[::-1]), "descendants": shapes.statuses(call, below)}


def favourited_by(call: Call) -> Any:
    """GET /api/v1/statuses/:id/favourited_by"""
    return _users(call, "like")


def reblogged_by(call: Call) -> Any:
    """GET /api/v1/statuses/:id/reblogged_by"""
    return _users(call, "repost")


def _users(call: Call, relation: str) -> Any:
    row, hides = find(call), call.me is not None
    rows, older, newer = paging.edges(
        call, lambda **at: call.graph.sources(relation, row, viewer=call.viewer, leaves_out_muted=hides, **at)
    )
    return call.page(shapes.accounts(call, rows), older, newer)


# What users do with statuses


def act(call: Call) -> Any:
    """POST /api/v1/statuses/:id/favourite and the like"""
    me, verb = call.user, call.request.path_params["verb"]
    if verb not in _VERBS:
        raise not_found()
    row = find(call)
    return _VERBS[verb](call, me, row) or one(call, row.id)


def _like(call: Call, me: int, row: kith.Post) -> None:
    call.graph.like(me, row)


def _unlike(call: Call, me: int, row: kith.Post) -> None:
    call.graph.unlike(me, row)


def _repost(call: Call, me: int, row: kith.Post) -> dict[str, Any]:
    if row.audience == "mentioned" or (row.audience == "followers" and row.author_id != me):
        raise not_found()

    def add(batch: kith.Batch) -> int:
        if batch.has_edge("repost", me, row):
            # The time of one edge is in no answer but a list.
            page = batch.sources("repost", row, limit=1000)
            return next(paging.seconds_of(each.added_at) for each in page.walk() if each.id == me)
        second = int(time.time())
        # One a second: see store.repost_id.
        while paging.find_repost(batch, me, paging.repost_id(second, me)) is not None:
            second += 1
        batch.add_edge("repost", me, row, at=second * 1000)
        return second

    found = paging.find_repost(call.graph, me, paging.repost_id(call.graph.batch(add), me))
    if found is None:
        raise not_found()
    return shapes.statuses(call, [found])[0]


def _unrepost(call: Call, me: int, row: kith.Post) -> None:
    call.graph.remove_edge("repost", me, row)


def _pin(call: Call, me: int, row: kith.Post) -> None:
    if row.author_id != me:
        raise invalid("Someone else's post cannot be pinned")
    if row.audience == "mentioned":
        raise invalid("Posts that are only visible to mentioned users cannot be pinned")
    if len(call.graph.targets("pin", me, limit=6)) >= 5:
        raise invalid("You have already pinned the maximum number of posts")
    call.graph.add_edge("pin", me, row)


_VERBS = {
    "favourite": _like,
    "unfavourite": _unlike,
    "reblog": _repost,
    "unreblog": _unrepost,
    "bookmark": lambda call, me, row: call.graph.add_edge("bookmark", me, row) and None,
    "unbookmark": lambda call, me, row: call.graph.remove_edge("bookmark", me, row) and None,
    "pin": _pin,
    "unpin": lambda call, me, row: call.graph.remove_edge("pin", me, row) and None,
}
