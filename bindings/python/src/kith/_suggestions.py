"""Users whom a user may want to follow."""

from __future__ import annotations

from typing import Any, ClassVar

from ._rows import User


class Suggestion(User):
    """A user whom the user may want to follow."""

    __slots__ = ()
    _names: ClassVar[tuple[str, ...]] = (*User._names, "mutual_count", "mutuals")

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
