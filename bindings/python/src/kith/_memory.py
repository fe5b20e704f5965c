"""Memory of the library as numpy sees it, and the values that keep it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._kith import ffi
from ._text import release


def _format(type: Any) -> Any:
    """A type of C as numpy names it: an integer, or an array of them."""
    if type.kind == "array":
        return (_format(type.item), type.length)
    return f"{'u' if type.cname.startswith('u') else 'i'}{ffi.sizeof(type)}"


def dtype_of(name: str) -> np.dtype[Any]:
    """A structure of kith.h as numpy sees it: its members, where they are and their sizes are the library's."""
    members = dict(ffi.typeof(name).fields)
    return np.dtype(
        {
            "names": list(members),
            "formats": [_format(member.type) for member in members.values()],
            "offsets": [member.offset for member in members.values()],
            "itemsize": ffi.sizeof(name),
        }
    )


#: The rows of a page of users as numpy sees them.
USER_DTYPE = dtype_of("kith_user")
#: The rows of a page of posts as numpy sees them.
POST_DTYPE = dtype_of("kith_post")


class Memory:
    """A result of the library, freed with the last value that needs it."""

    __slots__ = ("owner",)

    def __init__(self, owner: Any) -> None:
        self.owner = owner

    def __del__(self, release: Any = release) -> None:
        release(self.owner)


def array_over(owner: Any, pointer: Any, count: int, dtype: Any) -> NDArray[Any]:
    """Memory of a result as an array that cannot be written and that keeps its owner. Nothing is copied."""
    if count == 0:
        return np.empty(0, dtype)
    dtype = np.dtype(dtype)
    # The destructor does nothing but hold the owner.
    kept = ffi.gc(pointer, lambda _, owner=owner: None)
    array = np.frombuffer(ffi.buffer(kept, count * dtype.itemsize), dtype)
    array.flags.writeable = False
    return array
