"""What the server says of itself, searches, markers and preferences, and answers for what is off."""

from __future__ import annotations

import re
from typing import Any

import kith

from . import accounts, media, shapes, statuses
from .store import TAG, read_payload
from .web import MAXIMUM_FILE, Call, not_found

VERSION = "4.3.0 (compatible; Kith)"
TITLE, ABOUT = "Kith", "Mastodon's client API on Kith, an embedded social-graph engine."


def _configuration() -> dict[str, Any]:
    return {
        "accounts": {"max_featured_tags": 0, "max_pinned_statuses": 5},
        "statuses": {
            "max_characters": statuses.MAXIMUM_CHARACTERS,
            "max_media_attachments": statuses.MAXIMUM_MEDIA,
            "characters_reserved_per_url": 23,
        },
        "media_attachments": {
            "supported_mime_types": media.TYPES,
            "description_limit": media.MAXIMUM_DESCRIPTION,
            "image_size_limit": MAXIMUM_FILE,
            "image_matrix_limit": 1 << 26,
            "video_size_limit": MAXIMUM_FILE,
            "video_frame_rate_limit": 120,
            "video_matrix_limit": 1 << 26,
        },
        "polls": {"max_options": 0, "max_characters_per_option": 0, "min_expiration": 0, "max_expiration": 0},
        "translation": {"enabled": False},
    }


def version_1(call: Call) -> Any:
    """GET /api/v1/instance"""
    counts = call.graph.counts()
    return {
        "uri": call.request.url.netloc,
        "title": TITLE,
        "short_description": ABOUT,
        "description": ABOUT,
        "email": "",
        "version": VERSION,
        "urls": {"streaming_api": call.base.replace("http", "ws", 1)},
        "stats": {"user_count": counts.users, "status_count": counts.posts, "domain_count": 1},
        "thumbnail": f"{call.base}/avatars/0.png",
        "languages": ["en"],
        "registrations": True,
        "approval_required": False,
        "invites_enabled": False,
        "configuration": _configuration(),
        "contact_account": None,
        "rules": [],
    }


def version_2(call: Call) -> Any:
    """GET /api/v2/instance"""
    urls = {"streaming": call.base.replace("http", "ws", 1)}
    return {
        "domain": call.request.url.netloc,
        "title": TITLE,
        "version": VERSION,
        "source_url": "",
        "description": ABOUT,
        "usage": {"users": {"active_month": call.graph.counts().users}},
        "thumbnail": {"url": f"{call.base}/avatars/0.png"},
        "icon": [],
        "languages": ["en"],
        "configuration": {**_configuration(), "urls": urls, "vapid": {"public_key": ""}},
        "registrations": {"enabled": True, "approval_required": False, "message": None, "url": None},
        "api_versions": {"mastodon": 1},
        "contact": {"email": "", "account": None},
        "rules": [],
    }


def nodeinfo(call: Call) -> Any:
    """GET /.well-known/nodeinfo, and what it leads to"""
    schema = "http://nodeinfo.diaspora.software/ns/schema/2.0"
    if call.request.url.path.startswith("/.well-known"):
        return {"links": [{"rel": schema, "href": f"{call.base}/nodeinfo/2.0"}]}
    counts = call.graph.counts()
    return {
        "version": "2.0",
        "software": {"name": "mastodon", "version": VERSION},
        "protocols": [],
        "services": {"outbound": [], "inbound": []},
        "usage": {"users": {"total": counts.users}, "localPosts": counts.posts},
        "openRegistrations": True,
        "metadata": {},
    }


def search(call: Call) -> Any:
    """GET /api/v2/search. Words of statuses are found among all that the user who asks may see."""
    text, kind, limit = call.text("q").strip(), call.text("type"), call.limit(20, 40)
    offset = int(call.text("offset")) if re.fullmatch(r"[0-9]{1,6}", call.text("offset")) else 0
    made: dict[str, Any] = {"accounts": [], "statuses": [], "hashtags": []}
    address = re.fullmatch(re.escape(call.base) + r"/@(\w+)(?:/([0-9]{1,19}))?", text)
    if address and address[2]:
        made["statuses"] = shapes.statuses(call, [statuses.find(call, int(address[2]))])
        return made
    if address:
        text = address[1]
    if not text or len(text.encode()) > 200:
        return made
    if kind in ("", "accounts") and not text.startswith(TAG):
        made["accounts"] = shapes.accounts(call, accounts.search_rows(call, text, limit, offset))
    if kind in ("", "hashtags"):
        page = call.graph.search_users(
            text.lstrip(TAG), match="prefix", kind="hashtag", limit=min(1000, limit + offset)
        )
        made["hashtags"] = [shapes.tag(call, shapes.tag_name(row)) for row in page[offset:]]
    if kind in ("", "statuses") and call.me is not None and text[0] not in (TAG, "@"):
        author = call.ids("account_id")
        page = call.graph.search_posts(
            text,
            author=author[0] if author else None,
            viewer=call.me,
            includes_authors=True,
            includes_payloads=True,
            limit=min(1000, limit + offset),
        )
        rows = [row for row in page[offset:] if row.author_id != call.store.keeper]
        made["statuses"] = shapes.statuses(call, rows)
    return made


def search_1(call: Call) -> Any:
    """GET /api/v1/search"""
    made = search(call)
    return {**made, "hashtags": [each["name"] for each in made["hashtags"]]}


def markers(call: Call) -> Any:
    """GET and POST /api/v1/markers"""
    me = call.user

    def change(batch: kith.Batch) -> dict[str, Any]:
        kept = read_payload(batch.user(me, includes_payloads=True)).get("markers", {})
        changed = {}
        for name in ("home", "notifications"):
            text = call.text(f"{name}[last_read_id]")
            if re.fullmatch(r"[0-9]{1,50}", text):
                moment = shapes.time_text(shapes.now())
                old = kept.get(name, {}).get("version", 0)
                changed[name] = {"last_read_id": text, "version": old + 1, "updated_at": moment}
        if changed:
            call.store.edit_payload(batch, me, markers={**kept, **changed})
        return changed

    if call.request.method == "POST":
        return call.graph.batch(change)
    kept = read_payload(call.graph.user(me, includes_payloads=True)).get("markers", {})
    return {name: kept[name] for name in call.values.get("timeline", []) if name in kept}


def preferences(call: Call) -> Any:
    """GET /api/v1/preferences"""
    payload = read_payload(call.graph.user(call.user, includes_payloads=True))
    return {
        "posting:default:visibility": payload.get("privacy", "public"),
        "posting:default:sensitive": payload.get("sensitive", False),
        "posting:default:language": payload.get("language"),
        "reading:expand:media": "default",
        "reading:expand:spoilers": False,
        "reading:autoplay:gifs": False,
    }


def directory(call: Call) -> Any:
    """GET /api/v1/directory: the accounts with the most followers"""
    offset = int(call.text("offset")) if re.fullmatch(r"[0-9]{1,6}", call.text("offset")) else 0
    limit, found = call.limit(40, 80), []
    for row in call.graph.search_users(order="popular", viewer=call.viewer, limit=100).walk():
        found.append(row)
        if len(found) >= offset + limit:
            break
    return shapes.accounts(call, found[offset:])


def nothing(call: Call) -> Any:
    """What is off answers an empty list."""
    return []


def absent(call: Call) -> Any:
    """What is off, and has no empty answer."""
    raise not_found()


def about(call: Call) -> Any:
    """GET /"""
    return {"title": TITLE, "description": ABOUT, "api": f"{call.base}/api/v2/instance"}


#: Lists of what is off: they are empty.
OFF = (
    "/api/v1/custom_emojis",
    "/api/v1/announcements",
    "/api/v1/filters",
    "/api/v2/filters",
    "/api/v1/trends",
    "/api/v1/trends/tags",
    "/api/v1/trends/statuses",
    "/api/v1/trends/links",
    "/api/v1/conversations",
    "/api/v1/scheduled_statuses",
    "/api/v1/domain_blocks",
    "/api/v1/featured_tags",
    "/api/v1/featured_tags/suggestions",
    "/api/v1/accounts/{id}/featured_tags",
    "/api/v1/accounts/{id}/identity_proofs",
    "/api/v1/instance/peers",
    "/api/v1/instance/activity",
    "/api/v1/instance/rules",
    "/api/v1/instance/domain_blocks",
    "/api/v1/instance/languages",
    "/api/v1/notifications/requests",
)
