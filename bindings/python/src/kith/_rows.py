"""Users and posts, as of one query."""

from __future__ import annotations

import datetime
from typing import Any, ClassVar

from ._kith import ffi, lib
from ._query import AUDIENCE_NAMES, Audience
from ._row import Row, payload_of, ranges_of, shown
from ._text import from_time


class User(Row):
    """A user, as of one query."""

    __slots__ = ()
    _names: ClassVar[tuple[str, ...]] = (
        "id",
        "username",
        "kind",
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
    def kind(self) -> str:
        """The kind: "user", or one of Schema.user_kinds."""
        row = self._row
        start = row.display_name_start + row.display_name_size
        if not row.kind_size:
            return "user"
        name: str = ffi.unpack(self._page._raw.display_names + start, row.kind_size).decode()
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
        return ranges_of(raw.display_name_range_ends, raw.display_name_ranges, self._index)

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
            return payload_of(raw.author_payloads, raw.author_payload_bytes, self._index)
        return payload_of(raw.payloads, raw.payload_bytes, self._index)

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
            self.kind,
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
        return payload_of(raw.payloads, raw.payload_bytes, self._index)

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
