"""Columns of an import: arrays are handed to the library as they are."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._kith import ffi
from ._memory import Memory, array_over
from ._text import to_time

#: Texts as a list of str, or as an array of offsets (one more than texts) and the UTF-8 bytes of all of them.
Texts = Union[Sequence[str], tuple[ArrayLike, Union[bytes, memoryview]]]


@dataclass(frozen=True)
class ImportCount:
    """The outcome of one column."""

    added: int
    #: Rows that were there already, and equal.
    duplicates: int
    #: Rows that break a rule of the graph, and were left out.
    refused: int
    #: The index and the error code of the first of them.
    first_refused: tuple[int, str] | None


@dataclass(frozen=True)
class ImportReport:
    """The outcome of an import."""

    users: ImportCount
    follows: ImportCount
    posts: ImportCount
    likes: ImportCount
    blocks: ImportCount
    mutes: ImportCount


def as_integers(values: ArrayLike) -> NDArray[np.int64]:
    """A column of 64-bit integers, without a loss. An array of that type that is contiguous is not copied."""
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError("a column has one dimension")
    if array.dtype.kind == "O":
        array = _objects(array)
    if array.dtype.kind not in "iu" and array.size:
        raise TypeError(
            f"a column holds integers, not {array.dtype}; a table makes floats of integers beside missing ones"
        )
    if array.dtype.kind == "u" and array.size and int(array.max()) > _MOST:
        raise OverflowError(f"{int(array.max())} does not fit in a signed integer of 64 bits")
    column: NDArray[np.int64] = np.ascontiguousarray(array, np.int64)
    return column


def _objects(array: NDArray[Any]) -> NDArray[Any]:
    """An array of Python's integers as one of numpy's."""
    for row, value in enumerate(array):
        if isinstance(value, (bool, np.bool_)) or not hasattr(value, "__index__"):
            raise TypeError(f"a column holds integers, not {value!r} (row {row})")
    return np.array([int(value) for value in array], np.int64)


def as_times(values: ArrayLike) -> NDArray[np.int64]:
    """A column of milliseconds since 1970: of integers, datetimes (UTC unless they have a zone), or datetime64."""
    array = np.asarray(values)
    if array.dtype.kind == "O" and array.ndim == 1:
        return np.array([_time(row, value) for row, value in enumerate(array)], np.int64)
    if array.dtype.kind != "M":
        return _checked(as_integers(array))
    if np.isnat(array).any():
        raise ValueError(_NO_TIME.format(int(np.isnat(array).argmax())))
    milliseconds = array.astype("datetime64[ms]")
    # A unit that is coarser than milliseconds may have overflowed.
    unit, _ = np.datetime_data(array.dtype)
    if unit in _COARSE and (milliseconds.astype(array.dtype) != array).any():
        raise OverflowError("a time does not fit in 64 bits of milliseconds since 1970")
    return as_integers(milliseconds.view(np.int64))


#: 1980 in milliseconds.
_EARLY = 315_532_800_000


def _checked(column: NDArray[np.int64]) -> NDArray[np.int64]:
    """A column of times as numbers, with a warning about those before 1980: they are seconds, most likely."""
    early = column < _EARLY
    if count := int(np.count_nonzero(early)):
        row = int(early.argmax())
        date = np.datetime64(int(column[row]), "ms")
        warnings.warn(
            f"{count} of {len(column)} times are before 1980, as row {row}: {date}; times are milliseconds, "
            "so seconds need a factor of 1,000",
            UserWarning,
            stacklevel=_caller_level(),
        )
    return column


def _caller_level() -> int:
    """The stacklevel, for the function that calls this, of the first caller outside the package."""
    level, frame = 1, inspect.currentframe()
    frame = frame and frame.f_back
    while frame and frame.f_globals.get("__package__") == __package__:
        level, frame = level + 1, frame.f_back
    return level


_MOST = 2**63 - 1
_COARSE = ("Y", "M", "W", "D", "h", "m", "s")
_NO_TIME = "row {} has no time; leave the column out for the time of the import, or fill it in"


def _time(row: int, value: Any) -> int:
    # NaT and NaN are not equal to themselves.
    if value is None or value != value:
        raise ValueError(_NO_TIME.format(row))
    if isinstance(value, (float, str, bool)):
        raise TypeError(f"a time is an integer or a datetime, not {value!r} (row {row})")
    return to_time(value)


def integers(values: ArrayLike, kept: list[Any]) -> tuple[Any, int]:
    """A column of integers for C."""
    return _memory(as_integers(values), kept)


def times(values: ArrayLike, kept: list[Any]) -> tuple[Any, int]:
    """A column of times for C."""
    return _memory(as_times(values), kept)


def _memory(column: NDArray[np.int64], kept: list[Any]) -> tuple[Any, int]:
    kept.append(column)
    return ffi.from_buffer("int64_t[]", column), len(column)


def texts(values: Texts, kept: list[Any]) -> tuple[Any, Any, int, int]:
    """A column of texts: offsets, bytes, their size, and the number of texts."""
    if isinstance(values, tuple) and len(values) == 2 and isinstance(values[1], (bytes, bytearray, memoryview)):
        offsets, count = integers(values[0], kept)
        area = values[1]
        count -= 1
        if count < 0:
            raise ValueError("offsets are one more than the texts")
    else:
        if isinstance(values, (str, bytes)):
            raise TypeError("a column of texts is a sequence of str, not one of them")
        encoded = [_encoded(row, text) for row, text in enumerate(values)]
        area, count = b"".join(encoded), len(encoded)
        ends = np.zeros(count + 1, np.int64)
        np.cumsum(np.fromiter(map(len, encoded), np.int64, count), out=ends[1:])
        offsets, _ = integers(ends, kept)
    memory = ffi.from_buffer("char[]", area)
    kept += [area, memory]
    return offsets, memory, len(area), count


def _encoded(row: int, text: Any) -> bytes:
    # A missing value of a table (None, NaN) would be imported as a name.
    if not isinstance(text, str):
        raise TypeError(f"a text is a str, not {text!r} (row {row})")
    return text.encode("utf-8", "surrogatepass")


def same(count: int, *others: int) -> int:
    """The length that all columns have."""
    if any(other != count for other in others):
        raise ValueError("the columns of an import differ in length")
    return count


def fill_edges(raw: Any, values: Sequence[ArrayLike | None], kept: list[Any]) -> None:
    """Fills a kith_edges_column from (users, targets) or (users, targets, times)."""
    users, count = integers(_some(values[0]), kept)
    targets, target_count = integers(_some(values[1]), kept)
    raw.count = same(count, target_count)
    raw.users, raw.targets = users, targets
    if len(values) > 2 and values[2] is not None:
        raw.times, time_count = times(values[2], kept)
        same(count, time_count)


def fill_users(raw: Any, ids: ArrayLike, names: Texts, kept: list[Any]) -> None:
    """Fills a kith_users_column."""
    raw.ids, count = integers(ids, kept)
    raw.offsets, raw.usernames, raw.usernames_size, text_count = texts(names, kept)
    raw.count = same(count, text_count)


def fill_posts(
    raw: Any, ids: ArrayLike, authors: ArrayLike, contents: Texts, created: ArrayLike | None, kept: list[Any]
) -> None:
    """Fills a kith_posts_column."""
    raw.ids, count = integers(ids, kept)
    raw.authors, author_count = integers(authors, kept)
    raw.offsets, raw.texts, raw.texts_size, text_count = texts(contents, kept)
    raw.count = same(count, author_count, text_count)
    if created is not None:
        raw.times, time_count = times(created, kept)
        same(count, time_count)


def _some(values: ArrayLike | None) -> ArrayLike:
    if values is None:
        raise TypeError("a column is missing")
    return values


def read_columns(raw: Any, parts: Sequence[str]) -> dict[str, tuple[Any, ...]]:
    """The columns of a kith_exported, in the shapes that import_columns takes."""
    memory, columns, read = Memory(raw.owner), raw.columns, dict[str, tuple[Any, ...]]()

    def integers_of(pointer: Any, count: int) -> NDArray[np.int64]:
        return array_over(memory, pointer, count, np.int64)

    def texts_of(offsets: Any, area: Any, size: int, count: int) -> tuple[NDArray[np.int64], memoryview]:
        return integers_of(offsets, count + 1), array_over(memory, area, size, np.uint8).data

    for part in parts:
        column = getattr(columns, part)
        count = int(column.count)
        if part == "users":
            names = texts_of(column.offsets, column.usernames, column.usernames_size, count)
            read[part] = (integers_of(column.ids, count), names)
        elif part == "posts":
            contents = texts_of(column.offsets, column.texts, column.texts_size, count)
            read[part] = (
                integers_of(column.ids, count),
                integers_of(column.authors, count),
                contents,
                integers_of(column.times, count),
            )
        else:
            arrays = [column.users, column.targets] + ([column.times] if column.times else [])
            read[part] = tuple(integers_of(pointer, count) for pointer in arrays)
    return read
