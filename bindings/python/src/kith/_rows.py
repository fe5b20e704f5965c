"""Pages and their rows. A row reads the memory of its page; a text is decoded when it is read."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from ._errors import check
from ._kith import ffi, lib
from ._memory import POST_DTYPE, USER_DTYPE, array_over
from ._text import Unpickled, from_text, from_time


class _Row(Unpickled):
    """Two rows are equal if all that they show is, but for highlights. The hash is that of the id."""

    __slots__ = ("_page", "_row", "_index")
    _instead = "take its id, or the values that are needed"

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

    @property
    def highlights(self) -> list[tuple[int, int]] | None:
        """The matches of the query as ranges of UTF-8 bytes, in the name or the post's text; None unless requested."""
        raw = self._page._raw
        if not raw.range_ends:
            return None
        start = raw.range_ends[self._index - 1] if self._index else 0
        return [(raw.ranges[i].start, raw.ranges[i].end) for i in range(start, raw.range_ends[self._index])]


def _payload(payloads: Any, area: Any, index: int) -> bytes | None:
    if not payloads:
        return None
    place = payloads[index]
    return bytes(ffi.buffer(area + place.start, place.size))


class User(_Row):
    """A user, as of one query."""

    __slots__ = ()

    @property
    def username(self) -> str:
        """The name, exactly as given."""
        row = self._row
        name: str = ffi.unpack(self._page._raw.text + row.name_start, row.name_size).decode()
        return name

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
        flags: int = self._row.flags
        return flags

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

    __hash__ = _Row.__hash__

    def _key(self) -> tuple[Any, ...]:
        row = self._row
        return (
            row.id,
            self.username,
            row.follower_count,
            row.followee_count,
            row.post_count,
            row.second,
            row.followed_by_viewer,
            row.event,
            row.flags,
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


class Post(_Row):
    """A post, as of one query."""

    __slots__ = ()

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
        flags: int = self._row.flags
        return flags

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
    def parent(self) -> int | None:
        """The id of the post that it replies to, which may have been removed since; None if it replies to none."""
        return self._row.parent or None

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Post) else NotImplemented

    __hash__ = _Row.__hash__

    def _key(self) -> tuple[Any, ...]:
        row = self._row
        return (
            row.id,
            row.author,
            self.author,
            row.created_at,
            row.parent,
            row.flags,
            self.edited_ms,
            self.payload,
            row.like_count,
            row.has_viewer,
            row.liked_by_viewer,
            row.has_liked_at,
            row.liked_second,
            self.text,
            self.author_user,
        )

    def __repr__(self) -> str:
        return f"Post(id={self.id}, author={self.author!r}, text={self.text!r})"


class Suggestion(User):
    """A user whom the user may want to follow."""

    __slots__ = ()

    @property
    def mutual_count(self) -> int:
        """The number of the user's followees who follow the suggested user."""
        count: int = self._page._raw.mutual_counts[self._index]
        return count

    @property
    def mutuals(self) -> list[User]:
        """The first of these followees by id, as many as requested."""
        raw = self._page._raw
        start = raw.mutual_ends[self._index - 1] if self._index else raw.count
        return [User(self._page, raw.users[i], i) for i in range(start, raw.mutual_ends[self._index])]

    def _key(self) -> tuple[Any, ...]:
        return (*super()._key(), self.mutual_count, *self.mutuals)


RowT = TypeVar("RowT", bound=_Row, covariant=True)


def same(page: Page[Any]) -> Any:
    """A page as it is: what most queries answer."""
    return page


class Page(Unpickled, Sequence[RowT], Generic[RowT]):
    """One page of a list: a sequence of rows, with the cursor of the next page. Two are equal if their rows are."""

    __slots__ = ("_raw", "_type", "_reader", "_query")
    _instead = "take its array, or the values of its rows"

    def __init__(self, raw: Any, type: type[RowT], reader: Any, query: Any) -> None:
        self._raw = raw  # frees the result with its last owner
        self._type = type
        self._reader = reader
        self._query = query

    @property
    def _rows(self) -> Any:
        return self._raw.posts or self._raw.users

    def __len__(self) -> int:
        count: int = self._raw.count
        return count

    @overload
    def __getitem__(self, index: int) -> RowT: ...

    @overload
    def __getitem__(self, index: slice) -> list[RowT]: ...

    def __getitem__(self, index: int | slice) -> RowT | list[RowT]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        count = len(self)
        if index < 0:
            index += count
        if not 0 <= index < count:
            raise IndexError(index)
        return self._type(self, self._rows[index], index)

    def __iter__(self) -> Iterator[RowT]:
        rows, type = self._rows, self._type
        for index in range(len(self)):
            yield type(self, rows[index], index)

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, Page) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Page({list(self)!r})"

    def _cursor(self, read: Any) -> str | None:
        text = ffi.new("kith_text *")
        check(read(self._raw, text))
        return from_text(text) or None

    @property
    def next(self) -> str | None:
        """The cursor of the next page; None at the end."""
        return self._cursor(lib.kith_next) if self._raw.has_next else None

    @property
    def previous(self) -> str | None:
        """In a timeline, the cursor towards newer posts."""
        return self._cursor(lib.kith_previous) if self._raw.has_previous else None

    @property
    def total(self) -> int | None:
        """The number of rows of all pages; None unless requested."""
        total: int = self._raw.total
        return None if total < 0 else total

    @property
    def is_truncated(self) -> bool:
        """Whether a limit of the work was reached."""
        return bool(self._raw.is_truncated)

    @property
    def array(self) -> NDArray[Any]:
        """The rows as a structured array (USER_DTYPE or POST_DTYPE), without a copy."""
        dtype = POST_DTYPE if self._raw.posts else USER_DTYPE
        return array_over(self._raw, self._rows, len(self), dtype)

    @property
    def ids(self) -> NDArray[np.int64]:
        """The ids, without a copy."""
        ids: NDArray[np.int64] = self.array["id"]
        return ids

    def _at(self, cursor: str) -> Page[RowT]:
        """The page at a cursor of the same query."""
        page: Page[RowT] = self._reader._page(self._query.at(cursor), same, self._type)
        return page

    def pages(self) -> Iterator[Page[RowT]]:
        """This page, then every later one."""
        page: Page[RowT] = self
        while True:
            yield page
            if (cursor := page.next) is None:
                return
            page = page._at(cursor)

    def walk(self) -> Iterator[RowT]:
        """The rows of this page, then those of every later one."""
        for page in self.pages():
            yield from page
