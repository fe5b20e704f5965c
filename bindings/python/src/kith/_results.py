"""Results that are not pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ._kith import ffi
from ._memory import Memory
from ._text import from_message


@dataclass(frozen=True)
class Counts:
    """The numbers of users, posts and edges, and the number of the last change."""

    users: int
    posts: int
    follows: int
    likes: int
    blocks: int
    mutes: int
    sequence: int
    is_post_search_indexed: bool


@dataclass(frozen=True)
class Relations:
    """The relations between two users, from the first user's view."""

    is_following: bool
    is_followed_by: bool
    is_blocking: bool
    is_blocked_by: bool
    is_muting: bool


@dataclass(frozen=True)
class Violation:
    """A violated invariant, or a damaged file."""

    code: str
    place: str
    message: str


@dataclass(frozen=True)
class MemoryEntry:
    """The memory of one structure, or of all users, posts, follows or likes."""

    name: str
    bytes: int
    count: int | None


@dataclass(frozen=True)
class Path:
    """A shortest path. ``users`` is None without one; ``is_complete`` is False if the search gave up at its limit."""

    users: list[int] | None
    is_complete: bool

    @property
    def hops(self) -> int | None:
        """The number of follows on the path."""
        return None if self.users is None else len(self.users) - 1


def read_table(table: Any) -> list[Any]:
    """The rows of a kith_table as tuples (name, place, message, count, bytes)."""
    memory = Memory(table.owner)
    rows = (
        [
            (from_message(row.name), from_message(row.place), from_message(row.message), row.count, row.bytes)
            for row in ffi.unpack(table.rows, table.count)
        ]
        if table.count
        else []
    )
    del memory
    return rows
