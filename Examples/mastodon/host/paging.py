"""Pages by ``max_id``, ``since_id`` and ``min_id``, over lists that Kith pages by cursors and times.

The ids of statuses have their times, so a place in a timeline is found from an id alone, also if the status is gone.
Lists of edges are in the order of (second, id): their links have the cursor of Kith as ``max_id``, as Mastodon's have
an internal number.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import kith

from .store import milliseconds_of, repost_id, repost_of
from .web import Call, invalid


def seconds_of(time: Any) -> int:
    """Whole seconds since 1970."""
    return int(time.timestamp()) if time is not None else 0


def id_of(row: kith.Post) -> int:
    """The id of a status, which may be a repost."""
    return repost_id(seconds_of(row.reposted_at), row.reposted_by) if row.reposted_by else row.id


def key_of(row: kith.Post) -> tuple[int, int, int]:
    """The place of a row."""
    if row.reposted_by:
        return seconds_of(row.reposted_at) * 1000, row.id, row.reposted_by
    return row.created_ms, row.id, 0


def find_repost(graph: kith.Reader, reader: int, status: int) -> kith.Post | None:
    """The row of a repost with this id, as a user may see it; None if there is none."""
    second, reposter = repost_of(status)
    try:
        page = graph.timeline(
            reader,
            author=reposter,
            reposts="all",
            before=second * 1000 + 1,
            after=max(0, second * 1000 - 1),
            includes_authors=True,
            includes_payloads=True,
        )
    except kith.UnknownUserError:
        return None
    return next((row for row in page if row.reposted_by == reposter), None)


def _bound(call: Call, name: str) -> tuple[int, int, int] | None:
    """The place of the status that a parameter names."""
    text = call.text(name)
    if not text:
        return None
    if not re.fullmatch(r"[0-9]{1,19}", text) or int(text) >= 1 << 63:
        raise invalid(f"{name} is no id")
    status, moment = int(text), milliseconds_of(int(text))
    if status & 1 == 0:
        return moment, status, 0
    row = find_repost(call.graph, call.reader, status)
    return key_of(row) if row is not None else (moment, 0, 0)


def timeline(
    call: Call, read: Callable[..., kith.Page[kith.Post]], keep: Callable[[kith.Post], bool] = lambda row: True
) -> list[kith.Post]:
    """The rows of a timeline between the ids that a request names. Both bounds are exclusive."""
    limit = call.limit()
    below, above, nearest = (_bound(call, name) for name in ("max_id", "since_id", "min_id"))
    is_newer = nearest is not None
    lowest = max((bound for bound in (above, nearest) if bound is not None), default=None)
    # A millisecond more at each end: Kith's bounds are times, those of a request are places.
    times: dict[str, int] = {}
    if below is not None:
        times["before"] = below[0] + 1
    if lowest is not None and lowest[0] > 0:
        times["after"] = lowest[0] - 1
    found: list[kith.Post] = []
    cursor = None
    while True:
        page = read(direction="newer" if is_newer else "older", limit=limit, cursor=cursor, **times)
        rows = [
            row
            for row in page
            if (below is None or key_of(row) < below) and (lowest is None or key_of(row) > lowest) and keep(row)
        ]
        found = rows + found if is_newer else found + rows
        cursor = page.previous if is_newer else page.next
        if len(found) >= limit or len(page) < limit or cursor is None:
            return found[-limit:] if is_newer else found[:limit]


def links(call: Call, ids: list[int]) -> tuple[str | None, str | None]:
    """The ids of the links beside a page: older, newer."""
    if not ids:
        return None, None
    return (str(ids[-1]) if len(ids) >= call.limit() else None), str(ids[0])


def _edge_key(row: kith.User | kith.Post) -> tuple[int, int]:
    """The place of a row in a list of edges."""
    time = row.added_at or row.liked_at or getattr(row, "followed_at", None)
    return seconds_of(time), row.id


def edges(
    call: Call,
    read: Callable[..., kith.Page[Any]],
    keep: Callable[[Any], bool] = lambda row: True,
    default: int = 40,
    maximum: int = 80,
) -> tuple[list[Any], str | None, str | None]:
    """The rows of a list of edges, newest first, and the links beside it.

    Kith pages such a list in one direction. A newer page is therefore read from the newest edge on, until the one that
    ``min_id`` names.
    """
    limit = call.limit(default, maximum)
    cursor = call.text("max_id") or None
    text = call.text("min_id") or call.text("since_id")
    lowest = None
    if text:
        if not re.fullmatch(r"[0-9]{1,10}\.[0-9]{1,19}", text):
            raise invalid("min_id is of no link")
        second, _, id = text.partition(".")
        lowest = int(second), int(id)
    found: list[Any] = []
    while True:
        page = read(limit=limit, cursor=cursor)
        rows = [row for row in page if lowest is None or _edge_key(row) > lowest]
        found += [row for row in rows if keep(row)]
        cursor = page.next
        if cursor is None or len(rows) < len(page) or (found and not call.text("min_id")):
            break
    if call.text("min_id"):
        found = found[-limit:]
    # Blocks and mutes have no times, and are listed by id.
    newer = "{}.{}".format(*_edge_key(found[0])) if found and _edge_key(found[0])[0] else None
    return found, cursor if lowest is None else None, newer
