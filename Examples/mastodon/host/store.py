"""The store: its relations, the ids of statuses, and the payloads that hold what Kith does not read.

Accounts are users. So is all else that has a name, as users of other kinds: hashtags, and the applications that have
registered. Lists and uploaded media are posts without a text of a hidden account.
"""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from typing import Any

import kith
from kith import Relation

#: What a hashtag begins with in texts.
TAG = "#"

RELATIONS = [
    Relation("reply", "post", "post", is_thread=True),
    Relation("mention", "post", "user", grants_access=True),
    Relation("tag", "post", "user", enters_timelines=True),
    Relation("repost", "user", "post", enters_timelines=True),
    Relation("bookmark", "user", "post", visibility="source"),
    Relation("pin", "user", "post"),
    Relation("request", "user", "user", visibility="ends", is_ended_by=("follow", "block")),
    Relation("follow_tag", "user", "user", visibility="source"),
    # A mute that lets notifications through; the mute of Kith hides both.
    Relation("quiet", "user", "user", visibility="source", hides=("timeline",)),
    Relation("no_reposts", "user", "user", visibility="source", hides=("reposts",), ends_with="follow"),
    Relation("notify", "user", "user", visibility="source", ends_with="follow"),
    Relation("endorse", "user", "user", ends_with="follow"),
    # Suggestions that are not wanted.
    Relation("pass_over", "user", "user", visibility="source"),
    Relation("list", "user", "post", visibility="source"),
    Relation("member", "post", "user", is_timed=True),
]
#: Accounts are of the kind "user".
SCHEMA = kith.Schema(RELATIONS, user_kinds=("hashtag", "application", "hidden"))

#: Flags of posts, which masks of timelines read, and of users.
HAS_MEDIA = 1
LOCKED, BOT, DISCOVERABLE = 1, 2, 4


def read_payload(row: kith.User | kith.Post) -> dict[str, Any]:
    """The payload of a row as a dict."""
    made: dict[str, Any] = json.loads(row.payload or b"{}")
    return made


def to_payload(values: dict[str, Any]) -> bytes:
    """A dict as a payload, without what is empty."""
    kept = {name: value for name, value in values.items() if value not in (None, "", [], {}, False)}
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def is_account(row: kith.User) -> bool:
    """Whether a user is an account, not a hashtag or an application."""
    return row.kind == "user"


def status_id(milliseconds: int) -> int:
    """The id of the status of a millisecond, as Mastodon makes them: ids are in the order of times.

    No two posts have the same millisecond, so the id alone says where a status is in a timeline.
    """
    return milliseconds << 16


def repost_id(second: int, reposter: int) -> int:
    """The id of a repost, which Mastodon shows as a status of its own, but which is an edge here.

    A user makes one repost a second at most, so the two name it. It is odd; ids of posts are even.
    """
    return (second * 1000 << 16) + 2 * reposter + 1


def milliseconds_of(status: int) -> int:
    """The time in the id of a status; of a repost, of its second."""
    moment = status >> 16
    return moment - moment % 1000 if status & 1 else moment


def repost_of(status: int) -> tuple[int, int]:
    """The second and the reposter in the id of a repost."""
    second = milliseconds_of(status) // 1000
    return second, (status - (second * 1000 << 16)) // 2


class Store:
    """The graph, the folder of media beside it, and the clock that gives statuses their ids."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.media = folder / "media"
        self.media.mkdir(exist_ok=True)
        options = kith.Options(post_index="texts", unique_names="loose")
        self.graph = kith.open(folder / "graph", options=options, schema=SCHEMA)
        #: The author of lists and media, and the user as whom visitors read timelines.
        self.keeper = self._hidden("keeper")
        self.visitor = self._hidden("visitor")
        newest = self.graph.search_posts(limit=1)
        self._last = newest[0].created_ms if newest else 0
        self._lock = threading.Lock()
        #: Set when the process ends, for streams.
        self.is_closing = False

    def _hidden(self, name: str) -> int:
        return self.graph.find_user(name, "hidden") or self.graph.add_user(name, kind="hidden")

    def next_millisecond(self) -> int:
        """Now, or the millisecond after that of the newest post."""
        with self._lock:
            self._last = max(self._last + 1, time.time_ns() // 1_000_000)
            return self._last

    def add_kept(self, batch: kith.Batch, values: dict[str, Any]) -> int:
        """Adds a post that no timeline shows: a list, or the description of a file."""
        moment = self.next_millisecond()
        return batch.add_post(
            self.keeper,
            "",
            id=status_id(moment),
            created_at=moment,
            payload=to_payload(values),
            audience="unlisted",
        )

    def edit_payload(self, batch: kith.Batch, user: int, **values: Any) -> dict[str, Any]:
        """Sets members of the payload of a user, inside a batch: no other change comes between reading and writing."""
        made = read_payload(batch.user(user, includes_payloads=True))
        made.update(values)
        batch.edit_user(user, payload=to_payload(made))
        return made

    def close(self) -> None:
        """Syncs and releases the store."""
        self.is_closing = True
        self.graph.close()
