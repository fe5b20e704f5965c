"""A row of a page. It reads the memory of its page; a text is decoded when it is read."""

from __future__ import annotations

import base64
import datetime
import json
from typing import TYPE_CHECKING, Any, ClassVar

from ._kept import State, state_of_row
from ._kith import ffi
from ._text import Unpickled

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
    from ._rows import User

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
        """The matches of the query in the username or the post's text, as ranges of UTF-8 bytes, if requested."""
        raw = self._page._raw
        return ranges_of(raw.range_ends, raw.ranges, self._index)


def ranges_of(ends: Any, ranges: Any, index: int) -> list[tuple[int, int]] | None:
    if not ends:
        return None
    start = ends[index - 1] if index else 0
    return [(ranges[i].start, ranges[i].end) for i in range(start, ends[index])]


def payload_of(payloads: Any, area: Any, index: int) -> bytes | None:
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
