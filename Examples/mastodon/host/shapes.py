"""The JSON of accounts, statuses and media, as the API documents them.

Each function takes all rows of a page, and asks the graph once for what all of them need.
"""

from __future__ import annotations

import datetime
import html
import re
from collections.abc import Iterable
from typing import Any

import kith

from .paging import id_of
from .store import BOT, DISCOVERABLE, LOCKED, is_account, read_payload
from .web import Call

VISIBILITIES: dict[str, Any] = {
    "public": "everyone",
    "unlisted": "unlisted",
    "private": "followers",
    "direct": "mentioned",
}
AUDIENCES = {audience: name for name, audience in VISIBILITIES.items()}

MENTION = re.compile(r"(?<![\w/@])@([A-Za-z0-9_]{1,30})(?:@([\w.:-]*\w))?")
HASHTAG = re.compile(r"(?<![\w/&#])#(\w*[^\W\d_]\w*)")
ADDRESS = re.compile(r"https?://[^\s<>\"]+")
_MARKUP = re.compile(f"{ADDRESS.pattern}|{MENTION.pattern}|{HASHTAG.pattern}")


def time_text(time: datetime.datetime | None) -> str | None:
    """A time as the API has it."""
    return None if time is None else time.strftime("%Y-%m-%dT%H:%M:%S.") + f"{time.microsecond // 1000:03d}Z"


def to_html(call: Call, text: str, mentioned: Iterable[str] = ()) -> str:
    """A text as HTML, with links for addresses, mentions and hashtags."""
    names = {name.lower(): name for name in mentioned}

    def link(match: re.Match[str]) -> str:
        whole, (name, _, tag) = match.group(), match.groups()
        if tag:
            return f'<a href="{call.base}/tags/{tag}" class="mention hashtag" rel="tag">#<span>{tag}</span></a>'
        if name and name.lower() in names:
            name = names[name.lower()]
            address = f"{call.base}/@{name}"
            return f'<span class="h-card"><a href="{address}" class="u-url mention">@<span>{name}</span></a></span>'
        return html.escape(whole) if name else f'<a href="{html.escape(whole)}" rel="nofollow">{html.escape(whole)}</a>'

    made, end = "", 0
    for match in _MARKUP.finditer(text):
        made += html.escape(text[end : match.start()]) + link(match)
        end = match.end()
    made += html.escape(text[end:])
    return "".join(f"<p>{part}</p>" for part in made.replace("\n", "<br />").split("<br /><br />") if part)


# Accounts


def account(call: Call, row: kith.User, own: bool = False) -> dict[str, Any]:
    """An account. The row has its payload."""
    payload, name = read_payload(row), row.username
    picture = f"{call.base}/avatars/{row.id}.png"
    avatar = f"{call.base}/media/{payload['avatar']}" if payload.get("avatar") else picture
    header = f"{call.base}/media/{payload['header']}" if payload.get("header") else f"{call.base}/avatars/0.png"
    fields = [
        {"name": each["name"], "value": to_html(call, each["value"])[3:-4], "verified_at": None}
        for each in payload.get("fields", [])
    ]
    made = {
        "id": str(row.id),
        "username": name,
        "acct": name,
        "display_name": row.display_name or "",
        "locked": bool(row.flags & LOCKED),
        "bot": bool(row.flags & BOT),
        "group": False,
        "discoverable": bool(row.flags & DISCOVERABLE),
        "indexable": False,
        "noindex": False,
        "created_at": time_text(datetime.datetime.fromtimestamp(payload.get("created", 0), datetime.timezone.utc)),
        "note": to_html(call, payload.get("note", "")),
        "url": f"{call.base}/@{name}",
        "uri": f"{call.base}/users/{name}",
        "avatar": avatar,
        "avatar_static": avatar,
        "header": header,
        "header_static": header,
        "followers_count": row.follower_count,
        "following_count": row.followee_count,
        "statuses_count": row.post_count,
        "last_status_at": None,
        "hide_collections": False,
        "emojis": [],
        "roles": [],
        "fields": fields,
    }
    if own:
        made["source"] = {
            "privacy": payload.get("privacy", "public"),
            "sensitive": payload.get("sensitive", False),
            "language": payload.get("language"),
            "note": payload.get("note", ""),
            "fields": [{**each, "verified_at": None} for each in payload.get("fields", [])],
            "follow_requests_count": call.graph.edge_counts("user", [row.id], ["request"])[0].counts["request"],
        }
        made["role"] = {"id": "-99", "name": "", "permissions": "0", "color": "", "highlighted": False}
    return made


def accounts_by_id(call: Call, ids: Iterable[int]) -> dict[int, dict[str, Any]]:
    """Accounts with payloads, which most lists of users do not have."""
    wanted, found = list(dict.fromkeys(ids)), {}
    for start in range(0, len(wanted), 1000):
        for row in call.graph.users(wanted[start : start + 1000], includes_payloads=True):
            if row is not None and is_account(row):
                found[row.id] = account(call, row)
    return found


def accounts(call: Call, rows: Iterable[kith.User]) -> list[dict[str, Any]]:
    """The accounts of rows, in their order."""
    ids = [row.id for row in rows]
    found = accounts_by_id(call, ids)
    return [found[id] for id in ids if id in found]


def relationships(call: Call, ids: list[int]) -> list[dict[str, Any]]:
    """What the user who asks has to do with some others."""
    graph, me = call.graph, call.user
    ids = [row.id for row in graph.users(ids) if row is not None]
    marks = graph.edge_counts("user", ids, ["request", "quiet", "no_reposts", "notify", "endorse"], viewer=me)
    notes = read_payload(graph.user(me, includes_payloads=True)).get("notes", {})
    return [
        {
            "id": str(id),
            "following": found.is_following,
            "showing_reblogs": found.is_following and "no_reposts" not in mark.marks,
            "notifying": "notify" in mark.marks,
            "languages": [],
            "followed_by": found.is_followed_by,
            "blocking": found.is_blocking,
            "blocked_by": found.is_blocked_by,
            "muting": found.is_muting or "quiet" in mark.marks,
            "muting_notifications": found.is_muting,
            "muting_expires_at": None,
            "requested": "request" in mark.marks,
            "requested_by": graph.has_edge("request", id, me),
            "domain_blocking": False,
            "endorsed": "endorse" in mark.marks,
            "note": notes.get(str(id), ""),
        }
        for id, found, mark in zip(ids, graph.relations(me, ids), marks)
    ]


# Statuses


def attachment(call: Call, id: int, values: dict[str, Any]) -> dict[str, Any]:
    """An attached file, of its description."""
    address = f"{call.base}/media/{values['file']}"
    return {
        "id": str(id),
        "type": values["type"],
        "url": address,
        "preview_url": address,
        "remote_url": None,
        "preview_remote_url": None,
        "text_url": None,
        "meta": {},
        "description": values.get("description"),
        "blurhash": None,
    }


def tag(call: Call, name: str) -> dict[str, Any]:
    """A hashtag."""
    return {"name": name, "url": f"{call.base}/tags/{name}", "history": []}


def statuses(call: Call, rows: Iterable[kith.Post]) -> list[dict[str, Any]]:
    """The statuses of rows that have authors and payloads. A row that was reposted becomes a status around another."""
    listed = list(rows)
    if not listed:
        return []
    graph, ids = call.graph, [row.id for row in listed]
    payloads = [read_payload(row) for row in listed]
    names = ["reply", "repost", "like", "bookmark", "pin"]
    counts = graph.edge_counts("post", ids, names, viewer=call.me)
    parents = {row.id: row.author_id for row in graph.posts({row.parent for row in listed if row.parent}) if row}
    mentioned = {id for payload in payloads for id in payload.get("mentions", [])}
    people = {row.id: row.username for row in graph.users(mentioned) if row}
    reposters = accounts_by_id(call, [row.reposted_by for row in listed if row.reposted_by])
    made = []
    for row, payload, count in zip(listed, payloads, counts):
        status = _status(call, row, payload, count, people)
        parent = parents.get(row.parent or 0)
        status["in_reply_to_account_id"] = str(parent) if parent else None
        made.append(_repost(call, row, status, reposters) if row.reposted_by else status)
    return made


def _status(
    call: Call, row: kith.Post, payload: dict[str, Any], count: kith.EdgeCounts, people: dict[int, str]
) -> dict[str, Any]:
    author = row.author_user
    assert author is not None
    mentions = {id: people[id] for id in payload.get("mentions", []) if id in people}
    address = f"{call.base}/@{row.author}/{row.id}"
    made = {
        "id": str(row.id),
        "created_at": time_text(row.created_at),
        "in_reply_to_id": str(row.parent) if row.parent else None,
        "in_reply_to_account_id": None,
        "sensitive": payload.get("sensitive", False),
        "spoiler_text": payload.get("spoiler", ""),
        "visibility": AUDIENCES[row.audience],
        "language": payload.get("language"),
        "uri": f"{call.base}/users/{row.author}/statuses/{row.id}",
        "url": address,
        "replies_count": count.counts["reply"],
        "reblogs_count": count.counts["repost"],
        "favourites_count": row.like_count,
        "quotes_count": 0,
        "edited_at": time_text(row.edited_at),
        "content": to_html(call, row.text, mentions.values()),
        "reblog": None,
        "application": {"name": payload["app"], "website": None} if payload.get("app") else None,
        "account": account(call, author),
        "media_attachments": [attachment(call, each["id"], each) for each in payload.get("media", [])],
        "mentions": [
            {"id": str(id), "username": name, "url": f"{call.base}/@{name}", "acct": name}
            for id, name in mentions.items()
        ],
        "tags": [{"name": name, "url": f"{call.base}/tags/{name}"} for name in payload.get("tags", [])],
        "emojis": [],
        "card": None,
        "poll": None,
        "quote": None,
    }
    if call.me is not None:
        marks = count.marks
        made.update(
            favourited="like" in marks,
            reblogged="repost" in marks,
            bookmarked="bookmark" in marks,
            muted=False,
            filtered=[],
        )
        if row.author_id == call.me:
            made["pinned"] = "pin" in marks
    return made


def _repost(call: Call, row: kith.Post, status: dict[str, Any], reposters: dict[int, dict[str, Any]]) -> dict[str, Any]:
    """The status of a repost, around the one that was reposted."""
    id, reposter = id_of(row), reposters[row.reposted_by or 0]
    address = f"{call.base}/users/{reposter['username']}/statuses/{id}/activity"
    made = {
        **status,
        "id": str(id),
        "created_at": time_text(row.reposted_at),
        "edited_at": None,
        "account": reposter,
        "uri": address,
        "url": address,
        "in_reply_to_id": None,
        "in_reply_to_account_id": None,
        "media_attachments": [],
        "reblog": status,
    }
    made.pop("pinned", None)
    return made


def tag_name(row: kith.User) -> str:
    """The name of a hashtag, of the user who is one."""
    return row.username


def now() -> datetime.datetime:
    """The time, in UTC."""
    return datetime.datetime.now(datetime.timezone.utc)
