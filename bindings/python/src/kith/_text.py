"""Texts, ids and times on their way to C and back."""
from __future__ import annotations

import datetime
import operator
from typing import Any, SupportsIndex, Union

from ._kith import ffi, lib

Time = Union[int, datetime.datetime]
NOW: int = -(2**63)
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def to_text(text: str) -> tuple[Any, Any]:
    """A ``kith_text`` by value, and the memory that it points to, which the caller keeps during the call.

    A lone surrogate reaches the library as invalid UTF-8, which it refuses.
    """
    memory = ffi.from_buffer(text.encode("utf-8", "surrogatepass"))
    return (memory, len(memory)), memory


def from_text(text: Any) -> str:
    """The text of a ``kith_text``."""
    decoded: str = ffi.unpack(text.data, text.size).decode() if text.size else ""
    return decoded


def to_id(value: SupportsIndex | None) -> int:
    """An id; 0 for None."""
    return 0 if value is None else operator.index(value)


def to_time(value: Time | None) -> int:
    """Milliseconds since 1970; KITH_NOW for None. A time without a zone is UTC."""
    if value is None:
        return NOW
    if isinstance(value, datetime.datetime):
        if value.tzinfo is None:
            value = value.replace(tzinfo=datetime.timezone.utc)
        return (value - EPOCH) // datetime.timedelta(milliseconds=1)
    return operator.index(value)


def from_time(milliseconds: int) -> datetime.datetime:
    """A time in UTC."""
    return EPOCH + datetime.timedelta(milliseconds=milliseconds)


def release(handle: Any) -> None:
    """Frees a handle."""
    lib.kith_free(handle)
