"""Streams, as server-sent events: what the change feed brings, read again as the user who listens may see it."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import kith
from starlette.responses import PlainTextResponse, StreamingResponse

from . import notifications, paging, shapes, timelines
from .lists import find_list
from .store import HAS_MEDIA, TAG
from .web import Call, invalid, not_found

#: How often a silent stream sends a comment, so that a lost connection is noticed, in seconds.
HEARTBEAT = 15
#: Times of reposts and notifications are whole seconds: so far back is read again, in milliseconds.
OVERLAP = 3000
#: The changes after which there may be something new.
_BRINGING = {"addPost", "addEdge", "follow", "like"}


def health(call: Call) -> Any:
    """GET /api/v1/streaming/health"""
    return PlainTextResponse("OK")


def stream(call: Call) -> Any:
    """GET /api/v1/streaming/user, public, hashtag, list and direct"""
    kind = call.request.path_params["kind"].removesuffix("/local").removesuffix("/media")
    query: dict[str, Any] | None = None
    call.graph = call.store.graph  # which goes on, unlike the pin of an answer
    if kind == "user":
        call.need_user()
        query = timelines.HOME
    elif kind == "public":
        only_media = call.flag("only_media") or call.request.url.path.endswith("/media")
        query = {**timelines.PUBLIC, "flags_all": HAS_MEDIA if only_media else 0}
    elif kind == "hashtag":
        call.need_user()
        name = call.text("tag")
        if not shapes.HASHTAG.fullmatch(TAG + name) or len(name) > 100:
            raise invalid("tag is no hashtag")
        id = call.graph.find_user(name, "hashtag") or call.graph.add_user(name, kind="hashtag")
        query = {"users": [id], "includes_own_posts": False, "reposts": "none", "audiences": ["everyone"]}
    elif kind == "list":
        call.request.path_params["id"] = call.text("list")
        query = {"members": "member", "of": find_list(call), "includes_own_posts": False, "replies": "toSources"}
    elif kind not in ("user/notification", "direct"):
        raise not_found()
    feed = News(call, query, kind in ("user", "user/notification"))
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(_events(call, feed), media_type="text/event-stream", headers=headers)


class News:
    """What a stream has sent, and what there is to send."""

    def __init__(self, call: Call, query: dict[str, Any] | None, notifies: bool) -> None:
        self.call, self.query, self.notifies = call, query, notifies
        self.start = int(time.time() * 1000) - OVERLAP
        self.seen: set[Any] = set()
        # What is there is not new.
        for _ in self.news():
            pass

    def _page(self, **times: Any) -> kith.Page[kith.Post]:
        details = {"includes_authors": True, "includes_payloads": True}
        return self.call.graph.timeline(self.call.reader, **details, **(self.query or {}), **times)

    def news(self) -> Iterator[tuple[str, Any]]:
        """What has come since the last time: events with their data."""
        call, latest = self.call, self.start
        if self.query is not None:
            page = self._page(direction="newer", after=self.start, limit=40)
            rows = [row for row in page if paging.key_of(row) not in self.seen]
            for row in reversed(rows):
                self.seen.add(paging.key_of(row))
                latest = max(latest, paging.key_of(row)[0])
                yield "update", shapes.statuses(call, [row])[0]
        if self.notifies:
            rows = notifications.rows_after(call, self.start)
            for row in reversed([row for row in rows if notifications.id_of(row) not in self.seen]):
                self.seen.add(notifications.id_of(row))
                latest = max(latest, paging.seconds_of(row.added_at) * 1000)
                yield "notification", notifications.entities(call, [row])[0]
        self.start = max(self.start, latest - OVERLAP)

    def edited(self, post: int) -> Iterator[tuple[str, Any]]:
        """An edited status, if the stream shows it."""
        if self.query is None:
            return
        moment = post >> 16
        for row in self._page(before=moment + 1, after=moment - 1):
            if row.id == post and not row.reposted_by:
                yield "status.update", shapes.statuses(self.call, [row])[0]

    def after(self, change: kith.Change) -> Iterator[tuple[str, Any]]:
        """What a change brings."""
        if change.kind in _BRINGING:
            yield from self.news()
        elif change.kind == "editPost" and change.target:
            yield from self.edited(change.target)
        elif change.kind == "removePost" and change.target:
            yield "delete", change.target


async def _events(call: Call, feed: News) -> AsyncIterator[str]:
    silent = 0
    yield ":)\n\n"
    with call.graph.changes() as changes:
        items = changes.__aiter__()
        waiting = asyncio.ensure_future(items.__anext__())
        found = feed.news()  # what came before the feed was opened
        try:
            while not call.store.is_closing:
                for name, data in found:
                    silent = 0
                    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
                    yield f"event: {name}\ndata: {text}\n\n"
                done, _ = await asyncio.wait({waiting}, timeout=1)
                silent, found = silent + 1, iter(())
                if done:
                    event = waiting.result()
                    waiting = asyncio.ensure_future(items.__anext__())
                    found = feed.news() if isinstance(event, kith.Missed) else feed.after(event.change)
                elif silent >= HEARTBEAT:
                    silent = 0
                    yield ":thump\n\n"
        except (StopAsyncIteration, kith.KithError):
            pass
        finally:
            waiting.cancel()
