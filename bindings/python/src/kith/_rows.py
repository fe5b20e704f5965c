"""Rows of pages. A row reads the memory of its page; a text is decoded when it is read."""

from __future__ import annotations

import base64
import datetime
import json
from typing import TYPE_CHECKING, Any, ClassVar

from ._kept import State, state_of_row
from ._kith import ffi, lib
from ._query import AUDIENCE_NAMES, Audience
from ._text import Unpickled, from_time

if TYPE_CHECKING:
    from ._page import Page


def plain(value: Any) -> Any:
    """A value as JSON has it."""
    if isinstance(value, datetime.datetime):
        return value.isoformat()
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    raise TypeError(f"{type(value).__name__} is no value of JSON")


#: How many characters of a text are shown.
_SHOWN_CHARACTERS = 60


def shown(text: str) -> str:
    """The beginning of a text, if it is long."""
    return text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 1] + "…"


def _row_of(type: type[Row], state: State) -> Row:
    """The row that was pickled."""
    from ._page import page_of

    page = page_of(type, state)
    raw = page._raw
    return type(page, (raw.users if issubclass(type, User) else raw.posts)[0], 0)


class Row(Unpickled):
    """Two rows are equal if all that they show is, but for highlights. The hash is that of the id.

    A row is pickled with what it shows, not with its page.
    """

    __slots__ = ("_page", "_row", "_index")
    #: What to_dict has, in this order.
    _names: ClassVar[tuple[str, ...]] = ()

    def __init__(self, page: Page[Any], row: Any, index: int) -> None:
        self._page = page
        self._row = row
        self._index = index

    @property
    def id(self) -> int:
        """The id."""
        id: int = self._row.id
        return id

    def __index__(self) -> int:
        return self.id

    def __hash__(self) -> int:
        return hash(self.id)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _row_of, (type(self), state_of_row(self._page, self._index))

    def to_dict(self) -> dict[str, Any]:
        """What the row shows, by the names of its properties, without those that are None.

        Times are datetimes, rows in it are dicts, too. ``pandas.DataFrame(row.to_dict() for row in page)`` is a table.
        """
        values = ((name, getattr(self, name)) for name in self._names)
        return {name: _as_dicts(value) for name, value in values if value is not None}

    def to_json(self) -> str:
        """to_dict as a JSON object; times as in ISO 8601, a payload as base64."""
        return json.dumps(self.to_dict(), default=plain, ensure_ascii=False)

    @property
    def highlights(self) -> list[tuple[int, int]] | None:
        """The matches of the query as ranges of UTF-8 bytes, in the username or the post's text; None unless requested."""
        raw = self._page._raw
        return _ranges(raw.range_ends, raw.ranges, self._index)


def _ranges(ends: Any, ranges: Any, index: int) -> list[tuple[int, int]] | None:
    if not ends:
        return None
    start = ends[index - 1] if index else 0
    return [(ranges[i].start, ranges[i].end) for i in range(start, ends[index])]


def _payload(payloads: Any, area: Any, index: int) -> bytes | None:
    if not payloads:
        return None
    place = payloads[index]
    return bytes(ffi.buffer(area + place.start, place.size))


def _as_dicts(value: Any) -> Any:
    if isinstance(value, Row):
        return value.to_dict()
    if isinstance(value, list):
        return [_as_dicts(item) for item in value]
    return value


class User(Row):
    """A user, as of one query."""

    __slots__ = ()
    _names: ClassVar[tuple[str, ...]] = (
        "id",
        "username",
        "display_name",
        "follower_count",
        "followee_count",
        "post_count",
        "is_followed_by_viewer",
        "followed_at",
        "liked_at",
        "added_at",
        "flags",
        "is_private",
        "payload",
        "highlights",
        "display_name_highlights",
    )

    @property
    def username(self) -> str:
        """The name, exactly as given."""
        row = self._row
        name: str = ffi.unpack(self._page._raw.text + row.name_start, row.name_size).decode()
        return name

    @property
    def display_name(self) -> str | None:
        """The name that the host shows, exactly as given; None for none."""
        row = self._row
        if not row.display_name_size:
            return None
        start = self._page._raw.display_names + row.display_name_start
        name: str = ffi.unpack(start, row.display_name_size).decode()
        return name

    @property
    def display_name_highlights(self) -> list[tuple[int, int]] | None:
        """The same in the display name; None unless requested."""
        raw = self._page._raw
        return _ranges(raw.display_name_range_ends, raw.display_name_ranges, self._index)

    @property
    def follower_count(self) -> int:
        """The number of followers."""
        count: int = self._row.follower_count
        return count

    @property
    def followee_count(self) -> int:
        """The number of followees."""
        count: int = self._row.followee_count
        return count

    @property
    def post_count(self) -> int:
        """The number of posts."""
        count: int = self._row.post_count
        return count

    @property
    def is_followed_by_viewer(self) -> bool | None:
        """Whether the viewer follows the user; None without a viewer."""
        value = self._row.followed_by_viewer
        return None if value == lib.KITH_NO_VIEWER else bool(value)

    @property
    def flags(self) -> int:
        """The flags that the host keeps with the user."""
        return int(self._row.flags)

    @property
    def is_private(self) -> bool:
        """Whether only followers see the user's posts."""
        return bool(self._row.is_private)

    @property
    def payload(self) -> bytes | None:
        """The payload, empty for none; None unless requested (includes_payloads)."""
        raw = self._page._raw
        if raw.posts:
            return _payload(raw.author_payloads, raw.author_payload_bytes, self._index)
        return _payload(raw.payloads, raw.payload_bytes, self._index)

    def _event(self, event: int) -> datetime.datetime | None:
        return from_time(1000 * self._row.second) if self._row.event == event else None

    @property
    def followed_at(self) -> datetime.datetime | None:
        """The time of the follow, in a list of followers or followees."""
        return self._event(lib.KITH_FOLLOWED_AT)

    @property
    def liked_at(self) -> datetime.datetime | None:
        """The time of the like, in a list of likers."""
        return self._event(lib.KITH_LIKED_AT)

    @property
    def added_at(self) -> datetime.datetime | None:
        """The time of the edge, in a list of edges."""
        return self._event(lib.KITH_ADDED_AT)

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, User) else NotImplemented

    __hash__ = Row.__hash__

    def _key(self) -> tuple[Any, ...]:
        row = self._row
        return (
            row.id,
            self.username,
            self.display_name,
            row.follower_count,
            row.followee_count,
            row.post_count,
            row.second,
            row.followed_by_viewer,
            row.event,
            row.flags,
            row.is_private,
            self.payload,
        )

    def __repr__(self) -> str:
        return f"User(id={self.id}, username={self.username!r})"


class _Author(User):
    """The author of a post. The highlights of the page are those of the texts."""

    __slots__ = ()

    @property
    def highlights(self) -> None:
        return None

    @property
    def display_name_highlights(self) -> None:
        return None


class Post(Row):
    """A post, as of one query."""

    __slots__ = ()
    _names: ClassVar[tuple[str, ...]] = (
        "id",
        "author_id",
        "author",
        "author_user",
        "text",
        "created_at",
        "like_count",
        "is_liked_by_viewer",
        "liked_at",
        "added_at",
        "parent",
        "flags",
        "audience",
        "edited_at",
        "payload",
        "highlights",
        "reposted_by",
        "reposter",
        "reposted_at",
    )

    @property
    def author_id(self) -> int:
        """The id of the author."""
        id: int = self._row.author
        return id

    @property
    def author(self) -> str:
        """The name of the author."""
        row = self._row
        name: str = ffi.unpack(self._page._raw.text + row.name_start, row.name_size).decode()
        return name

    @property
    def author_user(self) -> User | None:
        """The author with counts, and whether the viewer follows them; None unless requested (includes_authors)."""
        users = self._page._raw.users
        return _Author(self._page, users[self._index], self._index) if users else None

    @property
    def text(self) -> str:
        """The text, exactly as given."""
        row = self._row
        start = row.name_start + row.name_size
        text: str = ffi.unpack(self._page._raw.text + start, row.text_size).decode() if row.text_size else ""
        return text

    @property
    def created_at(self) -> datetime.datetime | None:
        """The creation time, in UTC; None outside the years 1 to 9999, which datetime has. See created_ms."""
        return from_time(self._row.created_at)

    @property
    def created_ms(self) -> int:
        """The creation time in milliseconds since 1970, of every post."""
        milliseconds: int = self._row.created_at
        return milliseconds

    @property
    def like_count(self) -> int:
        """The number of likes."""
        count: int = self._row.like_count
        return count

    @property
    def is_liked_by_viewer(self) -> bool | None:
        """Whether the viewer likes the post; None without a viewer."""
        return bool(self._row.liked_by_viewer) if self._row.has_viewer else None

    @property
    def liked_at(self) -> datetime.datetime | None:
        """The time of the like, in a list of likes."""
        return from_time(1000 * self._row.liked_second) if self._row.has_liked_at == 1 else None

    @property
    def added_at(self) -> datetime.datetime | None:
        """The time of the edge, in a list of edges."""
        return from_time(1000 * self._row.liked_second) if self._row.has_liked_at == 2 else None

    @property
    def flags(self) -> int:
        """The flags that the host keeps with the post."""
        return int(self._row.flags)

    @property
    def audience(self) -> Audience:
        """Who may see it, while its author is not private."""
        return AUDIENCE_NAMES[self._row.audience]

    @property
    def edited_ms(self) -> int | None:
        """When the text or the payload was last edited, in milliseconds since 1970; None if neither was."""
        return self._row.edited_at if self._row.is_edited else None

    @property
    def edited_at(self) -> datetime.datetime | None:
        """The same as a time in UTC; None also outside the years that datetime has."""
        return from_time(self._row.edited_at) if self._row.is_edited else None

    @property
    def payload(self) -> bytes | None:
        """The payload, empty for none; None unless requested (includes_payloads)."""
        raw = self._page._raw
        return _payload(raw.payloads, raw.payload_bytes, self._index)

    @property
    def reposted_by(self) -> int | None:
        """The id of the user who reposted it; None at its own place. In a timeline alone."""
        return self._row.reposted_by or None

    @property
    def reposter(self) -> str | None:
        """The name of that user."""
        row = self._row
        if not row.reposted_by:
            return None
        name: str = ffi.unpack(self._page._raw.text + row.reposter_start, row.reposter_size).decode()
        return name

    @property
    def reposted_at(self) -> datetime.datetime | None:
        """The time of the repost."""
        return from_time(1000 * self._row.reposted_second) if self._row.reposted_by else None

    @property
    def parent(self) -> int | None:
        """The id of the post that it replies to, which may have been removed since; None if it replies to none."""
        return self._row.parent or None

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Post) else NotImplemented

    __hash__ = Row.__hash__

    def _key(self) -> tuple[Any, ...]:
        row = self._row
        return (
            row.id,
            row.author,
            self.author,
            row.created_at,
            row.parent,
            row.flags,
            row.audience,
            self.edited_ms,
            self.payload,
            row.like_count,
            row.has_viewer,
            row.liked_by_viewer,
            row.has_liked_at,
            row.liked_second,
            row.reposted_by,
            row.reposted_second,
            self.reposter,
            self.text,
            self.author_user,
        )

    def __repr__(self) -> str:
        return f"Post(id={self.id}, author={self.author!r}, text={shown(self.text)!r})"
