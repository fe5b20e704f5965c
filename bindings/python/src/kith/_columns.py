"""Columns of an import: arrays are handed to the library as they are."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._kith import ffi
from ._rows import Memory, array_over

#: Texts as a list of str, or as an array of offsets (one more than texts) and the UTF-8 bytes of all of them.
Texts = Union[Sequence[str], tuple[ArrayLike, Union[bytes, memoryview]]]


@dataclass(frozen=True, slots=True)
class ImportCount:
    """The outcome of one column."""

    added: int
    #: Rows that were there already, and equal.
    duplicates: int
    #: Rows that break a rule of the graph, and were left out.
    refused: int
    #: The index and the error code of the first of them.
    first_refused: tuple[int, str] | None


@dataclass(frozen=True, slots=True)
class ImportReport:
    """The outcome of an import."""

    users: ImportCount
    follows: ImportCount
    posts: ImportCount
    likes: ImportCount
    blocks: ImportCount
    mutes: ImportCount


def integers(values: ArrayLike, kept: list[Any]) -> tuple[Any, int]:
    """A column of 64-bit integers. An array of that type that is contiguous is not copied."""
    array = np.asarray(values)
    if array.dtype.kind == "M":
        array = array.astype("datetime64[ms]").view(np.int64)
    if array.dtype.kind not in "iu" and array.size:
        raise TypeError(f"a column holds integers, not {array.dtype}")
    column: NDArray[np.int64] = np.ascontiguousarray(array, np.int64)
    if column.ndim != 1:
        raise ValueError("a column has one dimension")
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
        encoded = [_encoded(text) for text in values]
        area, count = b"".join(encoded), len(encoded)
        ends = np.zeros(count + 1, np.int64)
        np.cumsum(np.fromiter(map(len, encoded), np.int64, count), out=ends[1:])
        offsets, _ = integers(ends, kept)
    memory = ffi.from_buffer("char[]", area)
    kept += [area, memory]
    return offsets, memory, len(area), count


def _encoded(text: Any) -> bytes:
    # A missing value of a table (None, NaN) would be imported as a name.
    if not isinstance(text, str):
        raise TypeError(f"a text is a str, not {text!r}")
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
        raw.times, time_count = integers(values[2], kept)
        same(count, time_count)


def fill_users(raw: Any, ids: ArrayLike, names: Texts, kept: list[Any]) -> None:
    """Fills a kith_users_column."""
    raw.ids, count = integers(ids, kept)
    raw.offsets, raw.usernames, raw.usernames_size, text_count = texts(names, kept)
    raw.count = same(count, text_count)


def fill_posts(
    raw: Any, ids: ArrayLike, authors: ArrayLike, contents: Texts, times: ArrayLike | None, kept: list[Any]
) -> None:
    """Fills a kith_posts_column."""
    raw.ids, count = integers(ids, kept)
    raw.authors, author_count = integers(authors, kept)
    raw.offsets, raw.texts, raw.texts_size, text_count = texts(contents, kept)
    raw.count = same(count, author_count, text_count)
    if times is not None:
        raw.times, time_count = integers(times, kept)
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
                integers_of(column.ids, count), integers_of(column.authors, count), contents,
                integers_of(column.times, count))
        else:
            arrays = [column.users, column.targets] + ([column.times] if column.times else [])
            read[part] = tuple(integers_of(pointer, count) for pointer in arrays)
    return read
