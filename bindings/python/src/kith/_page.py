"""Pages: sequences of rows."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Generic, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from ._errors import check
from ._kept import Kept, State, state_of
from ._kith import ffi, lib
from ._memory import POST_DTYPE, USER_DTYPE, array_over
from ._row import Row, plain, shown
from ._text import Unpickled, from_text

#: How many rows are shown.
_SHOWN_ROWS, _SHOWN_HTML_ROWS = 3, 20
RowT = TypeVar("RowT", bound=Row, covariant=True)


def page_of(type: type[Row], state: State) -> Page[Any]:
    """The page that was pickled."""
    return Page(Kept(state), type, None, None)


def same(page: Page[Any]) -> Any:
    """A page as it is: what most queries answer."""
    return page


class Page(Unpickled, Sequence[RowT], Generic[RowT]):
    """One page of a list: a sequence of rows, with the cursor of the next page. Two are equal if their rows are.

    A page that was pickled has everything but the graph that it is of: walk and pages end with it.
    """

    __slots__ = ("_raw", "_type", "_reader", "_query")

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
            raise IndexError(f"no row {index}: the page has {count}")
        return self._type(self, self._rows[index], index)

    def __iter__(self) -> Iterator[RowT]:
        rows, type = self._rows, self._type
        for index in range(len(self)):
            yield type(self, rows[index], index)

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, Page) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __reduce_ex__(self, protocol: Any) -> Any:
        return page_of, (self._type, state_of(self))

    @property
    def _title(self) -> str:
        noun = "post" if self._raw.posts else "user"
        return f"{len(self):,} {noun}{'' if len(self) == 1 else 's'}"

    def __repr__(self) -> str:
        shown = [repr(row) for row in islice(self, _SHOWN_ROWS)] + ["…"] * (len(self) > _SHOWN_ROWS)
        return f"<Page of {self._title}{': ' * bool(shown)}{', '.join(shown)}>"

    def _repr_html_(self) -> str:
        """A table of the first rows, for notebooks."""
        rows = [row.to_dict() for row in islice(self, _SHOWN_HTML_ROWS)]
        columns = list(dict.fromkeys(name for row in rows for name in row))
        head = "".join(f"<th>{name}</th>" for name in columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(shown(str(row.get(name, ''))))}</td>" for name in columns) + "</tr>"
            for row in rows
        )
        more = f", the first {len(rows)} of them" if len(rows) < len(self) else ""
        return f"<table><caption>{self._title}{more}</caption><tr>{head}</tr>{body}</table>"

    def to_dict(self) -> dict[str, Any]:
        """The rows as dicts (``items``), the cursors, and ``total`` where it was requested."""
        made: dict[str, Any] = {"items": [row.to_dict() for row in self], "next": self.next}
        if self._raw.has_previous:
            made["previous"] = self.previous
        if self.total is not None:
            made["total"] = self.total
        if self.is_truncated:
            made["is_truncated"] = True
        return made

    def to_json(self) -> str:
        """to_dict as a JSON object; times as in ISO 8601."""
        return json.dumps(self.to_dict(), default=plain, ensure_ascii=False)

    def _cursor(self, read: Any) -> str | None:
        text = ffi.new("kith_text *")
        check(read(self._raw, text))
        return from_text(text) or None

    @property
    def next(self) -> str | None:
        """The cursor of the next page; None at the end."""
        if isinstance(self._raw, Kept):
            return self._raw.next
        return self._cursor(lib.kith_next) if self._raw.has_next else None

    @property
    def previous(self) -> str | None:
        """In a timeline, the cursor towards newer posts."""
        if isinstance(self._raw, Kept):
            return self._raw.previous
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
            if (cursor := page.next) is None or page._reader is None:
                return
            page = page._at(cursor)

    def walk(self) -> Iterator[RowT]:
        """The rows of this page, then those of every later one."""
        for page in self.pages():
            yield from page
