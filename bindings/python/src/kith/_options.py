"""Options of a graph, and the events of its store."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from operator import index
from typing import Any, Literal

from ._calls import Call, call_store_event
from ._errors import refused
from ._kith import ffi, lib
from ._query import word
from ._relations import Relation, Schema, set_schema
from ._text import from_message

Durability = Literal["synced", "flushed", "memory"]
PostIndexing = Literal["textsAndAuthors", "texts", "off"]
UniqueNames = Literal["exact", "loose"]


@dataclass(frozen=True)
class StoreEvent:
    """An event of a store: snapshotBegan, snapshotWritten, snapshotFailed, journalFailed, journalRecovered, diskLow."""

    kind: str
    sequence: int
    free_bytes: int
    code: str | None
    message: str


# The numbers are the library's.
EVENTS: dict[int, str] = {
    lib.KITH_SNAPSHOT_BEGAN: "snapshotBegan",
    lib.KITH_SNAPSHOT_WRITTEN: "snapshotWritten",
    lib.KITH_SNAPSHOT_FAILED: "snapshotFailed",
    lib.KITH_JOURNAL_FAILED: "journalFailed",
    lib.KITH_JOURNAL_RECOVERED: "journalRecovered",
    lib.KITH_DISK_LOW: "diskLow",
}
DURABILITIES: dict[str, int] = {
    "synced": lib.KITH_SYNCED,
    "flushed": lib.KITH_FLUSHED,
    "memory": lib.KITH_MEMORY,
}
POST_INDEXINGS: dict[str, int] = {
    "textsAndAuthors": lib.KITH_INDEX_TEXTS_AND_AUTHORS,
    "texts": lib.KITH_INDEX_TEXTS,
    "off": lib.KITH_INDEX_OFF,
}
UNIQUE_NAMES: dict[str, int] = {"exact": lib.KITH_UNIQUE_EXACT, "loose": lib.KITH_UNIQUE_LOOSE}


@ffi.def_extern()  # type: ignore[untyped-decorator, unused-ignore]
def kith_py_store_event(context: Any, event: Any) -> None:
    code = ffi.string(lib.kith_status_name(event.status)).decode() if event.status else None
    made = StoreEvent(EVENTS[event.kind], event.sequence, event.free_bytes, code, from_message(event.message))
    call = ffi.from_handle(context)
    if call.run(made):
        print(f"{call.function!r} has raised:", file=sys.stderr)
        traceback.print_exception(None, call.error, call.error.__traceback__, file=sys.stderr)
        call.error = None


@dataclass(frozen=True)
class Options:
    """Options of a graph and its store. None means never, or no limit; 0 is the number."""

    durability: Durability = "synced"
    post_index: PostIndexing = "textsAndAuthors"
    unique_names: UniqueNames = "exact"
    #: Follows, likes, blocks and mutes in as few bits as they need: less memory, slower to read and to change.
    compact_lists: bool = False
    #: The texts of posts compressed in memory.
    compress_texts: bool = False
    snapshot_after_changes: int | None = 10_000_000
    snapshot_after_bytes: int | None = 1 << 30
    snapshot_after_seconds: int | None = 3_600
    snapshot_bytes_per_second: int | None = None
    snapshot_cores: int | None = None
    heal_after_seconds: int | None = 5
    low_disk_bytes: int = 1 << 30
    retained_snapshots: int = 2
    retained_seconds: int | None = None
    retained_bytes: int | None = None
    maximum_users: int | None = None
    maximum_posts: int | None = None
    maximum_bytes: int | None = None
    #: Called with the events of the store, one at a time, on a thread of the library.
    on_event: Callable[[StoreEvent], None] | None = None


def raw_options(
    options: Options | None, read_only: bool = False, schema: Schema | Iterable[Relation] | None = None
) -> tuple[Any, list[Any]]:
    """A kith_options, and what must live as long as the graph."""
    options = options or Options()
    raw = ffi.new("kith_options *")
    raw.durability = word(DURABILITIES, options.durability)
    raw.post_index = word(POST_INDEXINGS, options.post_index)
    raw.unique_names = word(UNIQUE_NAMES, options.unique_names)
    raw.read_only = read_only
    raw.compact_lists, raw.compress_texts = options.compact_lists, options.compress_texts
    for name in ("snapshot_after_changes", "snapshot_after_bytes", "snapshot_after_seconds", "heal_after_seconds"):
        setattr(raw, name, _number(options, name, -1))
    for name in (
        "snapshot_bytes_per_second",
        "snapshot_cores",
        "low_disk_bytes",
        "retained_snapshots",
        "retained_seconds",
        "retained_bytes",
        "maximum_users",
        "maximum_posts",
        "maximum_bytes",
    ):
        setattr(raw, name, _number(options, name, 0))
    kept: list[Any] = [raw]
    if schema is not None:
        set_schema(raw, schema, kept)
    if options.on_event is not None:
        context = ffi.new_handle(Call(options.on_event))
        raw.on_event, raw.context = call_store_event, context
        kept.append(context)
    return raw, kept


def _number(options: Options, name: str, none: int) -> int:
    """An option for C, where ``none`` is what None means."""
    value = getattr(options, name)
    if value is None:
        return none
    if index(value) < 0:
        raise refused(f"{name} is 0 or more, or None; not {value}")
    number: int = value or lib.KITH_ZERO
    return number
