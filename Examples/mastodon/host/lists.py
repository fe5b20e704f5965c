"""Lists of accounts: a post without a text that nothing shows, with edges to its members."""

from __future__ import annotations

from typing import Any

import kith

from . import paging, shapes
from .store import is_account, read_payload, to_payload
from .web import Call, invalid, not_found

POLICIES = ("followed", "list", "none")


def entity(row: kith.Post) -> dict[str, Any]:
    """A list."""
    payload = read_payload(row)
    return {
        "id": str(row.id),
        "title": payload.get("title", ""),
        "replies_policy": payload.get("replies_policy", "list"),
        "exclusive": payload.get("exclusive", False),
    }


def find_list(call: Call) -> kith.Post:
    """The list of the path, which belongs to the user who asks."""
    me, id = call.user, call.id()
    if not call.graph.has_edge("list", me, id):
        raise not_found()
    return call.graph.post(id, includes_payloads=True)


def _values(call: Call, old: dict[str, Any]) -> dict[str, Any]:
    title = call.text("title", old.get("title", ""))
    policy = call.text("replies_policy", old.get("replies_policy", "list"))
    if not title.strip() or len(title) > 255:
        raise invalid("Title can't be blank" if not title.strip() else "Title is too long")
    if policy not in POLICIES:
        raise invalid("replies_policy is not included in the list")
    return {"title": title, "replies_policy": policy, "exclusive": call.flag("exclusive", old.get("exclusive", False))}


def every(call: Call) -> Any:
    """GET and POST /api/v1/lists"""
    me = call.user
    if call.request.method == "GET":
        found = call.graph.targets("list", me, order="oldest", viewer=me, includes_payloads=True, limit=1000)
        return [entity(row) for row in found]
    values = _values(call, {})

    def add(batch: kith.Batch) -> int:
        id = call.store.add_kept(batch, values)
        batch.add_edge("list", me, id)
        return id

    return entity(call.graph.post(call.graph.batch(add), includes_payloads=True))


def one(call: Call) -> Any:
    """GET, PUT and DELETE /api/v1/lists/:id"""
    row = find_list(call)
    if call.request.method == "DELETE":
        call.graph.remove_post(row)
        return {}
    if call.request.method == "PUT":
        call.graph.edit_post(row, payload=to_payload(_values(call, read_payload(row))))
    return entity(find_list(call))


def members(call: Call) -> Any:
    """GET, POST and DELETE /api/v1/lists/:id/accounts"""
    row, graph = find_list(call), call.graph
    if call.request.method == "GET":
        details: dict[str, Any] = {"viewer": call.me}
        found, older, newer = paging.edges(call, lambda **at: graph.targets("member", row, **details, **at), is_account)
        return call.page(shapes.accounts(call, found), older, newer)
    given = call.ids("account_ids")

    def change(batch: kith.Batch) -> None:
        for id in given:
            if call.request.method == "DELETE":
                batch.remove_edge("member", row, id)
            elif id != call.me and not batch.is_following(call.user, id):
                raise not_found()
            elif not batch.add_edge("member", row, id):
                raise invalid("Account has already been taken")

    graph.batch(change)
    return {}
