"""Texts, ids and times on their way to C and back."""

from __future__ import annotations

import datetime
import operator
import os
from typing import Any, SupportsIndex, Union

from ._kith import ffi, lib

Time = Union[int, datetime.datetime]
NOW: int = lib.KITH_NOW
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def to_text(text: str) -> tuple[Any, Any]:
    """A ``kith_text`` by value, and the memory that it points to, which the caller keeps during the call.

    A lone surrogate reaches the library as invalid UTF-8, which it refuses.
    """
    if not isinstance(text, str):
        raise TypeError(f"a text is a str, not {text!r}")
    memory = ffi.from_buffer(text.encode("utf-8", "surrogatepass"))
    return (memory, len(memory)), memory


def from_text(text: Any) -> str:
    """The text of a ``kith_text``."""
    decoded: str = ffi.unpack(text.data, text.size).decode() if text.size else ""
    return decoded


def to_path(path: str | bytes | os.PathLike[str] | os.PathLike[bytes]) -> tuple[Any, Any]:
    """The path of a file as a ``kith_text``, byte for byte, and its memory."""
    memory = ffi.from_buffer(os.fsencode(path))
    return (memory, len(memory)), memory


def from_message(text: Any) -> str:
    """A ``kith_text`` that may name a file: bytes that are not UTF-8 as ``os.fsdecode`` has them."""
    return os.fsdecode(ffi.unpack(text.data, text.size)) if text.size else ""


def to_id(value: SupportsIndex | None) -> int:
    """An id; 0 for None."""
    try:
        return 0 if value is None else operator.index(value)
    except TypeError:
        raise TypeError(f"a user or a post is given by its id, an int, or by a row, not as {value!r}") from None


def to_time(value: Time | None) -> int:
    """Milliseconds since 1970; KITH_NOW for None. A time without a zone is UTC."""
    if value is None:
        return NOW
    if isinstance(value, datetime.datetime):
        if value.tzinfo is None:
            value = value.replace(tzinfo=datetime.timezone.utc)
        return (value - EPOCH) // datetime.timedelta(milliseconds=1)
    try:
        milliseconds = operator.index(value)
    except TypeError:
        raise TypeError(f"a time is a datetime, or milliseconds since 1970 as an int, not {value!r}") from None
    if milliseconds == NOW:
        raise OverflowError("no time is 2**63 milliseconds before 1970")
    return milliseconds


def from_time(milliseconds: int) -> datetime.datetime | None:
    """A time in UTC; None outside the years 1 to 9999, which datetime has."""
    try:
        return EPOCH + datetime.timedelta(milliseconds=milliseconds)
    except OverflowError:
        return None


def release(handle: Any, free: Any = lib.kith_py_free) -> None:
    """Frees a handle. When the interpreter ends, names of modules are gone, so what it needs is bound here."""
    free(handle)


def owned(handle: Any, *kept: Any) -> Any:
    """A handle that is freed with the last reference to it, such as that of a call. Keeps what it needs until then."""

    def free(handle: Any, kept: Any = kept, free: Any = lib.kith_py_free) -> None:
        free(handle)

    return ffi.gc(handle, free)


class Unshared:
    """The base of objects that own something of the library."""

    __slots__ = ()
    #: What to do instead of a copy.
    _instead = "make another one"

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(f"a {type(self).__name__} is neither copied nor pickled: {self._instead}")


class Unpickled(Unshared):
    """The base of what cannot change: a copy is the object itself. What is pickled says how."""

    __slots__ = ()

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, _: Any) -> Any:
        return self
