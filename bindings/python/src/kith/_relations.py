"""Relations that a host declares, and edges that are given with a post."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, SupportsIndex

from ._kith import ffi, lib
from ._query import Named, name_of, word
from ._text import Time, to_id, to_text, to_time

End = Literal["user", "post"]
Visibility = Literal["everyone", "ends", "source"]
Hidden = Literal["timeline", "reposts", "incoming"]

# The numbers are the library's.
ENDS: dict[str, int] = {"user": lib.KITH_END_USER, "post": lib.KITH_END_POST}
VISIBILITIES: dict[str, int] = {
    "everyone": lib.KITH_SEEN_BY_EVERYONE,
    "ends": lib.KITH_SEEN_BY_ENDS,
    "source": lib.KITH_SEEN_BY_SOURCE,
}
HIDDEN: dict[str, int] = {
    "timeline": lib.KITH_HIDES_TIMELINE,
    "reposts": lib.KITH_HIDES_REPOSTS,
    "incoming": lib.KITH_HIDES_INCOMING,
}


@dataclass(frozen=True)
class Relation:
    """A relation: edges of one kind, with the facts that say what an edge means. In calls the name alone counts.

    >>> Relation("bookmark", "user", "post", visibility="source").name
    'bookmark'
    """

    name: str
    source: End
    target: End
    #: Who may see an edge: everyone, its ends, or its source.
    visibility: Visibility = "everyone"
    #: Whether an edge of a post has a time of its own.
    is_timed: bool = False
    #: The names of relations whose edges end one of this.
    is_ended_by: tuple[str, ...] = ()
    #: The name of a relation without whose edge one of this cannot be.
    ends_with: str | None = None
    #: Whether an edge leads from a reply to the post that it replies to.
    is_thread: bool = False
    #: What an edge hides of its target from its source: "timeline", "reposts", "incoming".
    hides: tuple[Hidden, ...] = ()
    #: Whether an edge brings a post into timelines: a repost, or a tag.
    enters_timelines: bool = False
    #: Whether the user whom an edge leads to is meant by its post: a mention.
    grants_access: bool = False


@dataclass(frozen=True)
class Schema:
    """What a graph declares: relations, and kinds of users beside ``user``."""

    relations: Sequence[Relation] = ()
    user_kinds: Sequence[str] = ()


def set_schema(raw: Any, schema: Schema | Iterable[Relation], kept: list[Any]) -> None:
    """Sets the relations and the kinds of a kith_options."""
    if isinstance(schema, Schema):
        raw.user_kinds, memory = to_text(" ".join(schema.user_kinds))
        kept.append(memory)
        schema = schema.relations
    relations = list(schema)
    raw.has_schema = 1
    raw.relations = made = ffi.new("kith_relation[]", max(1, len(relations)))
    raw.relation_count = len(relations)
    kept.append(made)
    for each, relation in zip(made, relations):
        each.source, each.target = word(ENDS, relation.source), word(ENDS, relation.target)
        each.visibility = word(VISIBILITIES, relation.visibility)
        each.is_timed, each.is_thread = relation.is_timed, relation.is_thread
        each.hides = sum(word(HIDDEN, hidden) for hidden in set(relation.hides))
        each.enters_timelines, each.grants_access = relation.enters_timelines, relation.grants_access
        for member, text in (
            ("name", relation.name),
            ("is_ended_by", " ".join(relation.is_ended_by)),
            ("ends_with", relation.ends_with or ""),
        ):
            value, memory = to_text(text)
            setattr(each, member, value)
            kept.append(memory)


@dataclass(frozen=True)
class PostEdge:
    """An edge that is given with a new post."""

    relation: Named
    target: SupportsIndex
    #: When it is made, where its relation has times of its own; None: the time of the post.
    at: Time | None = None

    def _write(self, raw: Any, kept: list[Any]) -> None:
        raw.relation, memory = to_text(name_of(self.relation))
        kept.append(memory)
        raw.target = to_id(self.target)
        if self.at is not None:
            raw.has_time, raw.time = 1, to_time(self.at)


@dataclass(frozen=True)
class EdgeCounts:
    """The numbers of edges of a user or a post by the names of relations, and those that lead from the viewer."""

    counts: dict[str, int]
    marks: frozenset[str]
