"""What leads to a user: the rows of notifications."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

from ._kept import Kept, state_of
from ._kith import ffi
from ._page import Page
from ._rows import Post, User
from ._text import from_text, from_time, release


@dataclass(frozen=True)
class Incoming:
    """An edge that leads to a user, or to one of their posts."""

    #: The name of the relation.
    relation: str
    #: When it was made, in whole seconds.
    added_at: datetime.datetime | None
    #: The user that it leads from; None if it leads from a post.
    user: User | None
    #: The post that it leads from, a reply or a mention; None if it leads from a user.
    post: Post | None
    #: The post that it leads to; None if it leads to the user.
    target: Post | None


class IncomingPage(Sequence[Incoming]):
    """A page of what leads to a user, newest first, and the cursor of the next page. Its rows are copies."""

    __slots__ = ("_edges", "next")

    def __init__(self, raw: Any, reader: Any) -> None:
        try:
            users: Page[User] = _copied(raw, "users", User, reader)
            posts: Page[Post] = _copied(raw, "posts", Post, reader)
            self._edges = [_edge(raw.edges[place], users, posts) for place in range(raw.count)]
            #: The cursor of the next page; None at the end.
            self.next: str | None = from_text(raw.next) or None
        finally:
            release(raw.owner)

    @overload
    def __getitem__(self, index: int) -> Incoming: ...

    @overload
    def __getitem__(self, index: slice) -> list[Incoming]: ...

    def __getitem__(self, index: int | slice) -> Incoming | list[Incoming]:
        return self._edges[index]

    def __len__(self) -> int:
        return len(self._edges)

    def __iter__(self) -> Iterator[Incoming]:
        return iter(self._edges)

    def __repr__(self) -> str:
        return f"<IncomingPage of {len(self)}>"


def _copied(raw: Any, part: str, type: type[Any], reader: Any) -> Page[Any]:
    """The users, or the posts, in memory of their own."""
    return Page(Kept(state_of(Page(ffi.addressof(raw, part), type, None, None))), type, reader, None)


def _edge(edge: Any, users: Page[User], posts: Page[Post]) -> Incoming:
    return Incoming(
        from_text(edge.relation),
        from_time(1000 * edge.second),
        None if edge.is_from_post else users[edge.source],
        posts[edge.source] if edge.is_from_post else None,
        posts[edge.target] if edge.has_target else None,
    )
