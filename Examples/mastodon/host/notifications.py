"""Notifications: the edges that lead to a user. Nothing is kept for one, so its id is made of the edge."""

from __future__ import annotations

from typing import Any

import kith

from . import paging, shapes
from .store import read_payload
from .web import Call, invalid, not_found

#: The relations, in the order of their numbers, and the types that their edges become.
TYPES = {"follow": "follow", "like": "favourite", "mention": "mention", "repost": "reblog", "request": "follow_request"}
_NUMBERS = {"follow": 1, "like": 2, "mention": 3, "repost": 4, "request": 5}
_NAMES = {number: name for name, number in _NUMBERS.items()}
#: The most dismissed notifications that are remembered.
MAXIMUM_DISMISSED = 200


def id_of(row: Any) -> int:
    """The id of a notification: second, relation, source and target, as digits, in the order of the list."""
    source, target = row.user or row.post, row.target.id if row.target is not None else 0
    second, number = paging.seconds_of(row.added_at), _NUMBERS[row.relation]
    return ((second * 10 + number) * 10**19 + source.id) * 10**19 + target


def _bound(call: Call, name: str) -> int | None:
    text = call.text(name)
    if not text:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > 50:
        raise invalid(f"{name} is no id")
    return int(text)


def _second(id: int) -> int:
    return min(id // 10**39, (1 << 32) - 1)


def entity(call: Call, row: Any, people: dict[int, Any], posts: dict[int, Any]) -> dict[str, Any]:
    """A notification."""
    source, about = row.user, row.post or row.target
    made = {
        "id": str(id_of(row)),
        "type": TYPES[row.relation],
        "created_at": shapes.time_text(row.added_at),
        "group_key": f"ungrouped-{id_of(row)}",
        "account": people[source.id if source is not None else row.post.author_id],
    }
    if about is not None:
        made["status"] = posts[about.id]
    return made


def entities(call: Call, rows: list[Any]) -> list[dict[str, Any]]:
    """The notifications of rows."""
    people = shapes.accounts_by_id(call, [row.user.id if row.user is not None else row.post.author_id for row in rows])
    ids = {(row.post or row.target).id for row in rows if row.post or row.target}
    found = call.graph.posts(ids, viewer=call.user, includes_authors=True, includes_payloads=True) if ids else []
    posts = {int(each["id"]): each for each in shapes.statuses(call, [row for row in found if row is not None])}
    return [entity(call, row, people, posts) for row in rows]


def rows_of(call: Call, limit: int, below: int | None = None, above: int | None = None, nearest: bool = False) -> Any:
    """The rows between two ids; with ``nearest``, those next to the lower one."""
    state = read_payload(call.graph.user(call.user, includes_payloads=True))
    cleared, dismissed = state.get("cleared", 0), set(state.get("dismissed", []))
    kinds, without = call.values.get("types", []), call.values.get("exclude_types", [])
    names = [name for name, kind in TYPES.items() if (not kinds or kind in kinds) and kind not in without]
    lowest = max(above or 0, cleared)
    if not names:
        return []
    times: dict[str, int] = {}
    if below is not None:
        times["before"] = _second(below) * 1000 + 1000
    if lowest:
        times["after"] = max(0, _second(lowest) * 1000 - 1000)
    account, found, cursor = call.text("account_id"), [], None
    while True:
        page = call.graph.incoming(call.user, relations=names, limit=limit, cursor=cursor, **times)
        found += [
            row
            for row in page
            if (below is None or id_of(row) < below)
            and id_of(row) > lowest
            and str(id_of(row)) not in dismissed
            and account in ("", str(row.user.id if row.user is not None else row.post.author_id))
        ]
        cursor = page.next
        if cursor is None or (len(found) >= limit and not nearest):
            return found[-limit:] if nearest else found[:limit]


def rows_after(call: Call, milliseconds: int) -> Any:
    """The rows since a time, at most 40."""
    second = max(0, milliseconds // 1000)
    return rows_of(call, 40, None, second * 10**39)


def every(call: Call) -> Any:
    """GET /api/v1/notifications"""
    call.need_user()
    limit = call.limit(40, 80)
    nearest = _bound(call, "min_id")
    above = max((each for each in (nearest, _bound(call, "since_id")) if each is not None), default=None)
    rows = rows_of(call, limit, _bound(call, "max_id"), above, nearest is not None)
    older = str(id_of(rows[-1])) if len(rows) >= limit else None
    return call.page(entities(call, rows), older, str(id_of(rows[0])) if rows else None)


def _find(call: Call) -> Any:
    text = str(call.request.path_params["id"])
    if not text.isascii() or not text.isdigit() or len(text) > 50:
        raise not_found()
    rows = rows_of(call, 1, int(text) + 1, int(text) - 1)
    if not rows:
        raise not_found()
    return rows[0]


def one(call: Call) -> Any:
    """GET /api/v1/notifications/:id"""
    call.need_user()
    return entities(call, [_find(call)])[0]


def clear(call: Call) -> Any:
    """POST /api/v1/notifications/clear: what is there now is not shown any more.

    Another one may come within the second of the newest, so those of that second are remembered one by one.
    """
    me, rows = call.user, rows_of(call, MAXIMUM_DISMISSED)
    if rows:
        start = _second(id_of(rows[0])) * 10**39
        gone = [str(id_of(row)) for row in rows if id_of(row) > start]

        def change(batch: kith.Batch) -> None:
            kept = read_payload(batch.user(me, includes_payloads=True)).get("dismissed", [])
            kept = [id for id in kept if int(id) > start]
            call.store.edit_payload(batch, me, cleared=start, dismissed=kept + gone)

        call.graph.batch(change)
    return {}


def dismiss(call: Call) -> Any:
    """POST /api/v1/notifications/:id/dismiss"""
    me, id = call.user, str(id_of(_find(call)))

    def add(batch: kith.Batch) -> None:
        kept = read_payload(batch.user(me, includes_payloads=True)).get("dismissed", [])
        call.store.edit_payload(batch, me, dismissed=[*kept[-MAXIMUM_DISMISSED:], id])

    call.graph.batch(add)
    return {}


def unread_count(call: Call) -> Any:
    """GET /api/v1/notifications/unread_count"""
    marker = (
        read_payload(call.graph.user(call.user, includes_payloads=True)).get("markers", {}).get("notifications", {})
    )
    text = str(marker.get("last_read_id", ""))
    above = int(text) if text.isascii() and text.isdigit() and len(text) <= 50 else None
    return {"count": len(rows_of(call, call.limit(100, 1000), None, above))}
