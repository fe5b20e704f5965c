"""Changes as values, and the verbs that a graph and a batch have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, SupportsIndex, TypeVar

from ._errors import check, local
from ._kith import ffi, lib
from ._parameters import described
from ._query import AUDIENCE_NAMES, AUDIENCES, Audience, Named, name_of, word
from ._reader import Reader
from ._relations import PostEdge
from ._text import NOW, Time, from_text, to_id, to_text, to_time

R = TypeVar("R")

Kind = Literal[
    "addUser",
    "renameUser",
    "editUser",
    "removeUser",
    "addPost",
    "editPost",
    "removePost",
    "follow",
    "unfollow",
    "like",
    "unlike",
    "block",
    "unblock",
    "mute",
    "unmute",
    "addEdge",
    "removeEdge",
    "declare",
]

_KINDS: dict[str, int] = {
    kind: getattr(lib, "KITH_" + "".join("_" + c if c.isupper() else c.upper() for c in kind))
    for kind in Kind.__args__  # type: ignore[attr-defined]
}
_NAMES: dict[int, Any] = {number: kind for kind, number in _KINDS.items()}
#: Read, not applied: Writer.add_edge and remove_edge make edges.
_READ_KINDS = {"addEdge", "removeEdge", "declare"}
_POST_KINDS = {"addPost", "editPost", "removePost", "like", "unlike"}


@dataclass(frozen=True)
class Change:
    """One change. ``user`` acts: the author of a post, the one who follows. ``target`` is a user or a post.

    >>> Change("follow", user=1, target=2)
    Change(kind='follow', user=1, target=2, text=None, time=None, payload=None, flags=None, edited_at=None, \
audience=None, is_private=None, display_name=None, of_kind=None)
    """

    kind: Kind
    user: int | None = None
    target: int | None = None
    text: str | None = None
    #: Milliseconds since 1970, of posts, follows and likes; None: now.
    time: int | None = None
    #: What the host keeps with a user or a post that is added or edited; None: none, and in an edit what is there.
    payload: bytes | None = None
    flags: int | None = None
    #: When a text or a payload was edited, in milliseconds since 1970; None: now, of an edit.
    edited_at: int | None = None
    #: Who may see a post; None: everyone, and in an edit who may see it.
    audience: Audience | None = None
    #: Whether only followers see the posts of a user; None: no, and in an edit what is there.
    is_private: bool | None = None
    #: The second name of a user; None: none, and in an edit what is there. Empty: none.
    display_name: str | None = None
    #: The kind of a new user; None: "user".
    of_kind: str | None = None

    @classmethod
    def _from(cls, raw: Any) -> Change:
        kind = _NAMES[raw.kind]
        has_text = kind in ("addUser", "renameUser", "addPost", "addEdge", "removeEdge")
        has_text = has_text or kind == "editPost" and bool(raw.text.data)
        fields = raw.fields
        return cls(
            kind,
            raw.user or None,
            raw.target or None,
            from_text(raw.text) if has_text else None,
            raw.time if raw.has_time else None,
            bytes(ffi.buffer(fields.payload, fields.payload_size)) if fields.payload else None,
            fields.flags if fields.has_flags else None,
            fields.edited_at if fields.has_edited_at else None,
            AUDIENCE_NAMES[fields.audience] if fields.has_audience else None,
            bool(fields.is_private) if fields.has_privacy else None,
            from_text(fields.display_name) if fields.display_name.data else None,
            from_text(fields.kind) if fields.kind.data else None,
        )

    def _write(self, raw: Any, kept: list[Any]) -> None:
        raw.kind = _KINDS[self.kind]
        raw.user, raw.target = to_id(self.user), to_id(self.target)
        # There, 0 would mean an id that is assigned.
        if self.kind == "addUser" and self.user is not None:
            raw.user = raw.user or -1
        if self.kind == "addPost" and self.target is not None:
            raw.target = raw.target or -1
        if self.time is not None:
            raw.has_time, raw.time = 1, to_time(self.time)
        if self.text is not None:
            raw.text, memory = to_text(self.text)
            kept.append(memory)
        _write_access(raw.fields, self.audience, self.is_private)
        if self.display_name is not None:
            raw.fields.display_name, memory = to_text(self.display_name)
            kept.append(memory)
        if self.of_kind is not None:
            raw.fields.kind, memory = to_text(self.of_kind)
            kept.append(memory)
        kept.append(_write_fields(raw.fields, self.payload, self.flags, self.edited_at))


def _write_access(raw: Any, audience: Audience | None, is_private: bool | None = None) -> None:
    """Writes who may see a post, or the posts of a user."""
    if audience is not None:
        raw.has_audience, raw.audience = 1, word(AUDIENCES, audience)
    if is_private is not None:
        raw.has_privacy, raw.is_private = 1, is_private


def _write_fields(raw: Any, payload: bytes | None, flags: int | None, edited_at: Time | None) -> Any:
    """Writes what a host keeps. Returns the memory that it refers to."""
    memory = None
    if payload is not None:
        # Not null, also for no bytes: that would mean that none is given.
        memory = ffi.from_buffer("uint8_t[]", bytes(payload) or b"\0")
        raw.payload, raw.payload_size = memory, len(payload)
    if flags is not None:
        raw.has_flags, raw.flags = 1, flags
    if edited_at is not None:
        raw.has_edited_at, raw.edited_at = 1, to_time(edited_at)
    return memory


def _fields(payload: bytes | None, flags: int | None, edited_at: Time | None = None) -> tuple[Any, Any]:
    """What a host keeps, for C, and the memory that it refers to."""
    raw = ffi.new("kith_fields *")
    return raw, _write_fields(raw, payload, flags, edited_at)


@dataclass(frozen=True)
class ChangeResult:
    """The result of a change: its number, whether it had an effect, and the id that was given or assigned."""

    sequence: int
    changed: bool
    id: int | None


@dataclass(frozen=True)
class ChangeEvent:
    """A committed change with its number."""

    sequence: int
    change: Change


@dataclass(frozen=True)
class Missed:
    """Changes that are no longer in memory. Graph.journaled_changes reads them from the store's journal."""

    first: int
    last: int


@described
class Writer(Reader):
    """The verbs. Times are milliseconds since 1970 or datetime; the time of a change is now unless given."""

    __slots__ = ()

    def apply(self, changes: Change | Iterable[Change]) -> list[ChangeResult]:
        """Makes up to 10,000 changes, all or none, that are seen together."""
        listed = [changes] if isinstance(changes, Change) else list(changes)
        kept: list[Any] = []
        raw = ffi.new("kith_change[]", max(1, len(listed)))
        for index, change in enumerate(listed):
            change._write(raw[index], kept)
        results = ffi.new("kith_change_result[]", max(1, len(listed)))
        check(lib.kith_apply(self._live_handle(), raw, len(listed), results, local.error), local.error)
        return [
            ChangeResult(results[i].sequence, bool(results[i].changed), results[i].id or None)
            for i in range(len(listed))
        ]

    def add_user(
        self,
        username: str,
        id: SupportsIndex | None = None,
        *,
        kind: str | None = None,
        display_name: str | None = None,
        payload: bytes | None = None,
        flags: int | None = None,
        is_private: bool | None = None,
    ) -> int:
        """Adds a user. The id is assigned unless given. What the host keeps with the user needs a schema."""
        change = Change(
            "addUser",
            user=None if id is None else to_id(id),
            text=username,
            payload=payload,
            flags=flags,
            is_private=is_private,
            display_name=display_name,
            of_kind=kind,
        )
        if change != Change("addUser", user=change.user, text=username):
            return self.apply(change)[0].id or 0
        (value, memory), made = to_text(username), ffi.new("int64_t *")
        wanted = 0 if id is None else to_id(id) or -1
        check(lib.kith_add_user(self._live_handle(), value, wanted, made, local.error), local.error)
        del memory
        return int(made[0])

    def rename_user(self, user: SupportsIndex, username: str) -> bool:
        """Renames a user. Returns whether the name changed."""
        (value, memory), changed = to_text(username), ffi.new("bool *")
        check(lib.kith_rename_user(self._live_handle(), to_id(user), value, changed, local.error), local.error)
        del memory
        return bool(changed[0])

    def edit_user(
        self,
        user: SupportsIndex,
        *,
        display_name: str | None = None,
        payload: bytes | None = None,
        flags: int | None = None,
        is_private: bool | None = None,
    ) -> bool:
        """Sets what the host keeps with a user, as far as it is given. Returns whether anything changed."""
        (raw, memory), changed = _fields(payload, flags), ffi.new("bool *")
        _write_access(raw, None, is_private)
        if display_name is not None:
            raw.display_name, name = to_text(display_name)
            memory = (memory, name)
        check(lib.kith_edit_user(self._live_handle(), to_id(user), raw, changed, local.error), local.error)
        del memory
        return bool(changed[0])

    def remove_user(self, user: SupportsIndex) -> None:
        """Removes a user with posts, follows, likes, blocks and mutes."""
        check(lib.kith_remove_user(self._live_handle(), to_id(user), local.error), local.error)

    def add_post(
        self,
        author: SupportsIndex,
        text: str,
        *,
        id: SupportsIndex | None = None,
        created_at: Time | None = None,
        edges: Iterable[PostEdge] = (),
        payload: bytes | None = None,
        flags: int | None = None,
        audience: Audience | None = None,
    ) -> int:
        """Adds a post with edges of declared relations, all or none. The id is assigned unless given."""
        raw_fields, bytes_memory = _fields(payload, flags)
        _write_access(raw_fields, audience)
        (value, memory), made = to_text(text), ffi.new("int64_t *")
        wanted = 0 if id is None else to_id(id) or -1
        listed, kept = list(edges), [memory]
        raw = ffi.new("kith_post_edge[]", max(1, len(listed)))
        for each, edge in zip(raw, listed):
            edge._write(each, kept)
        arguments = (self._live_handle(), to_id(author), value, wanted, to_time(created_at))
        check(
            lib.kith_add_post_with_edges(*arguments, raw, len(listed), raw_fields, made, local.error)
            if listed or payload is not None or flags is not None or audience is not None
            else lib.kith_add_post(*arguments, made, local.error),
            local.error,
        )
        del kept, bytes_memory
        return int(made[0])

    def edit_post(
        self,
        post: SupportsIndex,
        *,
        text: str | None = None,
        payload: bytes | None = None,
        flags: int | None = None,
        audience: Audience | None = None,
        at: Time | None = None,
    ) -> bool:
        """Replaces the text of a post, or sets what the host keeps with it: what is given. An edit of the text or the
        payload has a time. Returns whether anything changed."""
        (raw, memory), changed = _fields(payload, flags, at), ffi.new("bool *")
        _write_access(raw, audience)
        value, text_memory = ((ffi.NULL, 0), None) if text is None else to_text(text)
        check(
            lib.kith_edit_post(self._live_handle(), to_id(post), value, raw, changed, local.error),
            local.error,
        )
        del memory, text_memory
        return bool(changed[0])

    def remove_post(self, post: SupportsIndex) -> None:
        """Removes a post with its likes."""
        check(lib.kith_remove_post(self._live_handle(), to_id(post), local.error), local.error)

    def _edge(self, function: Any, user: SupportsIndex, target: SupportsIndex, *time: int) -> bool:
        changed = ffi.new("bool *")
        check(function(self._live_handle(), to_id(user), to_id(target), *time, changed, local.error), local.error)
        return bool(changed[0])

    def add_edge(
        self, relation: Named, source: SupportsIndex, target: SupportsIndex, *, at: Time | None = None
    ) -> bool:
        """Adds an edge of a relation, whose facts say which ends are users. Returns whether it is new."""
        (value, memory), changed = to_text(name_of(relation)), ffi.new("bool *")
        time = NOW if at is None else to_time(at)
        check(
            lib.kith_add_edge(self._live_handle(), value, to_id(source), to_id(target), time, changed, local.error),
            local.error,
        )
        del memory
        return bool(changed[0])

    def remove_edge(self, relation: Named, source: SupportsIndex, target: SupportsIndex) -> bool:
        """Removes an edge of a relation. Returns whether there was one."""
        (value, memory), changed = to_text(name_of(relation)), ffi.new("bool *")
        check(
            lib.kith_remove_edge(self._live_handle(), value, to_id(source), to_id(target), changed, local.error),
            local.error,
        )
        del memory
        return bool(changed[0])

    def follow(self, user: SupportsIndex, target: SupportsIndex, *, at: Time | None = None) -> bool:
        """Makes the first user follow the second. Returns whether the follow is new."""
        return self._edge(lib.kith_follow, user, target, NOW if at is None else to_time(at))

    def unfollow(self, user: SupportsIndex, target: SupportsIndex) -> bool:
        """Ends a follow. Returns whether there was one."""
        return self._edge(lib.kith_unfollow, user, target)

    def like(self, user: SupportsIndex, post: SupportsIndex, *, at: Time | None = None) -> bool:
        """Makes a user like a post. Returns whether the like is new."""
        return self._edge(lib.kith_like, user, post, NOW if at is None else to_time(at))

    def unlike(self, user: SupportsIndex, post: SupportsIndex) -> bool:
        """Removes a like. Returns whether there was one."""
        return self._edge(lib.kith_unlike, user, post)

    def block(self, user: SupportsIndex, target: SupportsIndex) -> bool:
        """Makes the first user block the second, which ends the follows between them."""
        return self._edge(lib.kith_block, user, target)

    def unblock(self, user: SupportsIndex, target: SupportsIndex) -> bool:
        """Removes a block."""
        return self._edge(lib.kith_unblock, user, target)

    def mute(self, user: SupportsIndex, target: SupportsIndex) -> bool:
        """Hides the second user's posts from the first user's timelines, and the second user from suggestions."""
        return self._edge(lib.kith_mute, user, target)

    def unmute(self, user: SupportsIndex, target: SupportsIndex) -> bool:
        """Removes a mute."""
        return self._edge(lib.kith_unmute, user, target)


class Batch(Writer):
    """A batch, valid inside the function that Graph.batch has called. Queries see the changes made so far."""

    __slots__ = ()
    _instead = "it belongs to the function that Graph.batch has called"

    def _run_long(self, call: Callable[[], R], cancel: Callable[[], None] | None = None) -> R:
        # It is valid on this thread only.
        return call()
