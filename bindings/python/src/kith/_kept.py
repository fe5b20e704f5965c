"""Pages that own their memory: copies that outlive the process, as pickle makes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ._kith import ffi
from ._memory import POST_DTYPE, USER_DTYPE, array_over

if TYPE_CHECKING:
    from ._page import Page

#: What a page is made of, by name: arrays of its rows, bytes of their texts, numbers.
State = dict[str, Any]

#: Where the payloads of rows and of authors are, and their bytes.
_PAYLOADS = (("payloads", "payload_bytes"), ("author_payloads", "author_payload_bytes"))
_ARRAYS = (("mutual_counts", np.uint32), ("mutual_ends", np.uint32))
#: Where the ranges of rows end, and the ranges.
_RANGES = (("range_ends", "ranges"), ("display_name_range_ends", "display_name_ranges"))
_PAIR = np.dtype((np.uint32, 2))


class Kept:
    """The members of a kith_page over memory of Python."""

    __slots__ = (
        "users",
        "posts",
        "count",
        "text",
        "display_names",
        "total",
        "has_next",
        "has_previous",
        "is_truncated",
        "range_ends",
        "ranges",
        "display_name_range_ends",
        "display_name_ranges",
        "mutual_counts",
        "mutual_ends",
        "payloads",
        "payload_bytes",
        "author_payloads",
        "author_payload_bytes",
        "next",
        "previous",
        "_arrays",
    )

    def __init__(self, state: State) -> None:
        self._arrays: list[Any] = []
        self.users = self._pointer("kith_user *", _as_rows(state["users"], USER_DTYPE))
        self.posts = self._pointer("kith_post *", _as_rows(state["posts"], POST_DTYPE))
        # A pointer to no byte is none.
        self.text = self._pointer("char *", np.frombuffer(state["text"] or b"\0", np.uint8))
        self.display_names = self._pointer("char *", np.frombuffer(state.get("display_names") or b"\0", np.uint8))
        for ends, ranges in _RANGES:
            setattr(self, ends, self._pointer("uint32_t *", state.get(ends)))
            setattr(self, ranges, self._pointer("kith_range *", state.get(ranges)))
        for name, _ in _ARRAYS:
            setattr(self, name, self._pointer("uint32_t *", state[name]))
        for name, area in _PAYLOADS:
            payloads: list[bytes] | None = state.get(name) or None
            sizes = np.array([len(payload) for payload in payloads or ()], np.uint32)
            places = np.column_stack([np.cumsum(sizes, dtype=np.uint32) - sizes, sizes])
            setattr(self, name, self._pointer("kith_payload *", places if payloads else None))
            content = np.frombuffer(b"".join(payloads or ()) or b"\0", np.uint8)
            setattr(self, area, self._pointer("uint8_t *", content if payloads else None))
        self.count: int = state["count"]
        self.total: int = state["total"]
        self.is_truncated: bool = state["is_truncated"]
        self.next: str | None = state["next"]
        self.previous: str | None = state["previous"]
        self.has_next, self.has_previous = self.next is not None, self.previous is not None

    def _pointer(self, type: str, array: NDArray[Any] | None) -> Any:
        if array is None:
            return ffi.NULL
        array = np.ascontiguousarray(array)
        memory = ffi.from_buffer(array)
        self._arrays += [array, memory]
        return ffi.cast(type, memory)


def _as_rows(array: NDArray[Any] | None, dtype: np.dtype[Any]) -> NDArray[Any] | None:
    """Rows of another version of the library as those of this one: what they do not have is zero."""
    if array is None or array.dtype == dtype:
        return array
    rows = np.zeros(len(array), dtype)
    for name in set(dtype.names or ()) & set(array.dtype.names or ()):
        rows[name] = array[name]
    return rows


def state_of(page: Page[Any]) -> State:
    """All of a page."""
    raw, count = page._raw, len(page)
    state: State = {
        "count": count,
        "users": _copied(raw, raw.users, _user_count(raw, count), USER_DTYPE),
        "posts": _copied(raw, raw.posts, count, POST_DTYPE),
        "total": raw.total,
        "is_truncated": bool(raw.is_truncated),
        "next": page.next,
        "previous": page.previous,
    }
    for name, dtype in _ARRAYS:
        state[name] = _copied(raw, getattr(raw, name), count, dtype)
    for name, area in _PAYLOADS:
        state[name] = _payloads(raw, name, area, range(count))
    for ends, ranges in _RANGES:
        places = getattr(raw, ends)
        state[ends] = _copied(raw, places, count, np.uint32)
        state[ranges] = _copied(raw, getattr(raw, ranges), places[count - 1] if places and count else 0, _PAIR)
    state["text"] = _texts(state, raw.text)
    state["display_names"] = _display_names(state, raw.display_names)
    return state


def state_of_row(page: Page[Any], index: int) -> State:
    """A page of one row, with what the row shows."""
    raw, count = page._raw, len(page)
    one = slice(index, index + 1)
    users = _copied(raw, raw.users, _user_count(raw, count), USER_DTYPE)
    posts = _copied(raw, raw.posts, count, POST_DTYPE)
    # Those after the rows of suggestions have nothing but themselves.
    is_row = index < count
    state: State = {"count": 1, "total": -1, "is_truncated": False, "next": None, "previous": None}
    state.update(mutual_counts=None, mutual_ends=None)
    state["posts"] = None if posts is None else posts[one]
    for name, area in _PAYLOADS:
        state[name] = _payloads(raw, name, area, range(index, index + 1)) if is_row else None
    if users is not None and is_row and raw.mutual_ends:
        start, end = raw.mutual_ends[index - 1] if index else count, raw.mutual_ends[index]
        users = np.concatenate([users[one], users[start:end]])
        state["mutual_counts"] = np.array([raw.mutual_counts[index]], np.uint32)
        state["mutual_ends"] = np.array([len(users)], np.uint32)
    elif users is not None:
        users = users[one]
    state["users"] = users
    for ends, ranges in _RANGES:
        places = getattr(raw, ends)
        if is_row and places:
            start, end = places[index - 1] if index else 0, places[index]
            found = _copied(raw, getattr(raw, ranges), end, _PAIR)
            state[ends] = np.array([end - start], np.uint32)
            state[ranges] = None if found is None else found[start:end]
    state["text"] = _texts(state, raw.text)
    state["display_names"] = _display_names(state, raw.display_names)
    return state


def _payloads(raw: Any, name: str, area: str, rows: range) -> list[bytes] | None:
    """The payloads of some rows; None if they were not asked for."""
    places, content = getattr(raw, name), getattr(raw, area)
    if not places:
        return None
    return [bytes(ffi.buffer(content + places[row].start, places[row].size)) for row in rows]


def _user_count(raw: Any, count: int) -> int:
    """The users of a page: suggestions have those who are named after its rows."""
    last: int = raw.mutual_ends[count - 1] if raw.mutual_ends and count else count
    return last


def _copied(raw: Any, pointer: Any, count: int, dtype: Any) -> NDArray[Any] | None:
    return array_over(raw, pointer, count, dtype).copy() if pointer else None


def _texts(state: State, text: Any) -> bytes:
    """The bytes of all texts that rows have, one after another. The rows then begin where theirs are."""
    pieces, size = list[bytes](), 0
    for rows in (state["users"], state["posts"]):
        for row in () if rows is None else rows:
            start, length = int(row["name_start"]), int(row["name_size"])
            if rows is state["posts"]:
                length += int(row["text_size"])
            pieces.append(bytes(ffi.buffer(text + start, length)) if length else b"")
            row["name_start"] = size
            size += length
    return b"".join(pieces)


def _display_names(state: State, names: Any) -> bytes:
    """The same of the display names of users, and of their kinds."""
    pieces, size = list[bytes](), 0
    users = state["users"]
    for row in () if users is None else users:
        start, length = int(row["display_name_start"]), int(row["display_name_size"]) + int(row["kind_size"])
        pieces.append(bytes(ffi.buffer(names + start, length)) if length else b"")
        row["display_name_start"] = size
        size += length
    return b"".join(pieces)
