"""Graphs: opening, closing, batches, imports, files."""
from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar

from numpy.typing import ArrayLike

from . import _columns
from ._changes import Batch, Change, ChangeEvent, Writer
from ._columns import ImportCount, ImportReport, Texts
from ._errors import check, error_of, local
from ._kith import ffi, lib
from ._live import Changes, Live
from ._reader import Pin, Reader, Violation, read_table
from ._text import Time, from_text, release, to_text, to_time

P = ParamSpec("P")
R = TypeVar("R")

Durability = Literal["synced", "flushed", "memory"]
PostIndexing = Literal["textsAndAuthors", "texts", "off"]
UniqueNames = Literal["exact", "loose"]
EdgeColumns = Sequence[ArrayLike | None]


@dataclass(frozen=True, slots=True)
class SnapshotInfo:
    """A snapshot that was written."""

    path: str
    sequence: int


@dataclass(frozen=True, slots=True)
class StoreEvent:
    """An event of a store: snapshotBegan, snapshotWritten, snapshotFailed, journalFailed, journalRecovered, diskLow."""

    kind: str
    sequence: int
    free_bytes: int
    code: str | None
    message: str


_EVENTS = ["snapshotBegan", "snapshotWritten", "snapshotFailed", "journalFailed", "journalRecovered", "diskLow"]
# The most changes of a journal in memory.
_SLICE = 10_000
# Exceptions pass through C as this value of a callback.
_RAISED = -1


class _Call:
    """A function that C calls, and the exception that it has raised."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.error: BaseException | None = None
        self.result: Any = None

    def run(self, *arguments: Any) -> int:
        try:
            self.result = self.function(*arguments)
            return 0
        except BaseException as error:
            self.error = error
            return _RAISED

    def check(self, status: int) -> None:
        if self.error is not None:
            raise self.error
        check(status, local.error)


@ffi.def_extern()  # type: ignore[untyped-decorator, unused-ignore]
def kith_py_batch(handle: Any, context: Any) -> int:
    return ffi.from_handle(context).run(handle)  # type: ignore[no-any-return]


@ffi.def_extern()  # type: ignore[untyped-decorator, unused-ignore]
def kith_py_change(context: Any, change: Any, sequence: int) -> int:
    return ffi.from_handle(context).run(change, sequence)  # type: ignore[no-any-return]


@ffi.def_extern()  # type: ignore[untyped-decorator, unused-ignore]
def kith_py_progress(context: Any, bytes: int) -> None:
    ffi.from_handle(context).run(bytes)


@ffi.def_extern()  # type: ignore[untyped-decorator, unused-ignore]
def kith_py_store_event(context: Any, event: Any) -> None:
    code = ffi.string(lib.kith_status_name(event.status)).decode() if event.status else None
    made = StoreEvent(_EVENTS[event.kind], event.sequence, event.free_bytes, code, from_text(event.message))
    call = ffi.from_handle(context)
    if call.run(made):
        print(f"{call.function!r} has raised:", file=sys.stderr)
        traceback.print_exception(call.error, file=sys.stderr)


class Graph(Writer):
    """A graph in memory. ``kith.open`` opens one on disk.

    >>> graph = Graph()
    >>> ann, bob = graph.add_user("ann"), graph.add_user("bob")
    >>> graph.follow(ann, bob)
    True
    >>> graph.add_post(bob, "hello")
    1
    >>> [post.text for post in graph.timeline(ann)]
    ['hello']
    """

    __slots__ = ("_kept",)

    def __init__(self, *, options: Options | None = None) -> None:
        raw, self._kept = _raw(options)
        super().__init__(_opened(lambda made: lib.kith_open_memory(raw, made, local.error)))

    @classmethod
    def _with(cls, handle: Any, kept: Any) -> Graph:
        graph = cls.__new__(cls)
        Reader.__init__(graph, handle)
        graph._kept = kept
        return graph

    @classmethod
    def from_snapshot(cls, snapshot: bytes | int, *, options: Options | None = None) -> Graph:
        """A mutable graph in memory from the bytes of a snapshot, or from a descriptor that has them."""
        raw, kept = _raw(options)
        if isinstance(snapshot, int):
            return cls._with(
                _opened(lambda made: lib.kith_open_descriptor(snapshot, raw, made, local.error)), kept)
        memory = ffi.from_buffer(snapshot)
        return cls._with(
            _opened(lambda made: lib.kith_open_snapshot(memory, len(memory), raw, made, local.error)), kept)

    def close(self) -> None:
        """Waits for acknowledged changes, syncs, and releases the store.

        Later changes, queries and passes raise ClosedError; counts, find_user, pin, verify and memory_report do not.
        """
        if self._handle is not None:
            check(lib.kith_close(self._handle, local.error), local.error)

    def __enter__(self) -> Graph:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is not None:
            release(self._handle)

    def pin(self) -> Pin:
        """An MVCC snapshot."""
        made = ffi.new("kith_graph **")
        check(lib.kith_pin(self._live_handle(), made, local.error), local.error)
        return Pin(made[0])

    def batch(self, body: Callable[[Batch], R]) -> R:
        """Calls a function with a batch. Its changes take effect together, or not at all if it raises.

        >>> graph = Graph()
        >>> def add(batch):
        ...     ann = batch.add_user("ann")
        ...     return [batch.add_post(ann, text) for text in ("one", "two")]
        >>> graph.batch(add)
        [1, 2]
        """

        def run(handle: Any) -> R:
            batch = Batch(handle)
            try:
                return body(batch)
            finally:
                batch._handle = None

        call = _Call(run)
        context = ffi.new_handle(call)
        call.check(lib.kith_batch(self._live_handle(), lib.kith_py_batch, context, local.error))
        result: R = call.result
        return result

    # Imports

    def import_columns(
        self, *, users: tuple[ArrayLike, Texts] | None = None, follows: EdgeColumns | None = None,
        posts: tuple[ArrayLike, ArrayLike, Texts] | tuple[ArrayLike, ArrayLike, Texts, ArrayLike | None] | None = None,
        likes: EdgeColumns | None = None, blocks: EdgeColumns | None = None, mutes: EdgeColumns | None = None,
    ) -> ImportReport:
        """Adds many rows at once, in the order of the parameters; a store then writes a snapshot.

        users: (ids, names). follows, likes: (users, targets) or (users, targets, times). posts: (ids, authors, texts)
        or with times. blocks, mutes: (users, targets). Times are milliseconds. Arrays of 64-bit integers are not
        copied. Rows that break a rule are counted and left out.

        >>> graph = Graph()
        >>> graph.import_columns(users=([1, 2], ["ann", "bob"]), follows=([1, 1], [2, 2])).follows
        ImportCount(added=1, duplicates=1, refused=0, first_refused=None)
        """
        columns, report, kept = ffi.new("kith_import_columns *"), ffi.new("kith_import_report *"), list[Any]()
        if users is not None:
            _columns.fill_users(columns.users, users[0], users[1], kept)
        if posts is not None:
            times = posts[3] if len(posts) > 3 else None
            _columns.fill_posts(columns.posts, posts[0], posts[1], posts[2], times, kept)
        for raw, edges in (
            (columns.follows, follows), (columns.likes, likes), (columns.blocks, blocks), (columns.mutes, mutes)
        ):
            if edges is not None:
                _columns.fill_edges(raw, edges, kept)
        check(lib.kith_import(self._live_handle(), columns, report, local.error), local.error)
        return ImportReport(*(
            _count(raw) for raw in (
                report.users, report.follows, report.posts, report.likes, report.blocks, report.mutes)))

    def import_users(self, ids: ArrayLike, names: Texts) -> ImportCount:
        """Adds users: see import_columns."""
        return self.import_columns(users=(ids, names)).users

    def import_follows(self, users: ArrayLike, targets: ArrayLike, at: ArrayLike | None = None) -> ImportCount:
        """Adds follows: see import_columns."""
        return self.import_columns(follows=(users, targets, at)).follows

    def import_posts(
        self, ids: ArrayLike, authors: ArrayLike, texts: Texts, at: ArrayLike | None = None
    ) -> ImportCount:
        """Adds posts: see import_columns."""
        return self.import_columns(posts=(ids, authors, texts, at)).posts

    def import_likes(self, users: ArrayLike, posts: ArrayLike, at: ArrayLike | None = None) -> ImportCount:
        """Adds likes: see import_columns."""
        return self.import_columns(likes=(users, posts, at)).likes

    # Observing

    def changes(self, start: int | None = None) -> Changes:
        """All changes from a number on, or from the next one: ``for`` waits, ``async for`` lets the loop run."""
        return Changes(self, start)

    def live(self, query: Callable[Concatenate[Any, P], R], *args: P.args, **kwargs: P.kwargs) -> Live[R]:
        """A query whose result is read again whenever it has changed.

        >>> graph = Graph()
        >>> ann = graph.add_user("ann")
        >>> posts = graph.live(Graph.timeline, ann, limit=5)
        >>> [len(page) for page in posts.poll()]
        [0]
        >>> graph.add_post(ann, "hello")
        1
        >>> [len(page) for page in posts.poll()]
        [1]
        """
        return Live(self, lambda reader: query(reader, *args, **kwargs))

    def journaled_changes(self, first: int, last: int) -> Iterator[ChangeEvent]:
        """Past changes from the store's journal, read as they are iterated; so are errors raised."""
        start = first
        while True:
            events: list[ChangeEvent] = []
            call = _Call(lambda change, sequence: events.append(ChangeEvent(sequence, Change._from(change))))
            context = ffi.new_handle(call)
            end = min(last, start + _SLICE - 1)
            status = lib.kith_journaled_changes(
                self._live_handle(), start, end, lib.kith_py_change, context, local.error)
            error = call.error or (error_of(status, local.error) if status else None)
            yield from events  # also those before a gap
            if error is not None:
                raise error
            if end >= last:
                return
            start = end + 1

    # Files

    def snapshot(self, progress: Callable[[int], None] | None = None) -> SnapshotInfo:
        """Writes a snapshot of a store. ``progress`` gets the bytes written, then -1 while they are verified."""
        info = ffi.new("kith_snapshot_info *")
        call = _Call(progress or (lambda _: None))
        context = ffi.new_handle(call)
        call.check(
            lib.kith_snapshot(
                self._live_handle(), lib.kith_py_progress if progress else ffi.NULL, context, info, local.error))
        return SnapshotInfo(ffi.string(info.path).decode(), info.sequence)

    def write_snapshot(self, descriptor: int) -> int:
        """Writes a snapshot to a descriptor. Returns the number of its last change."""
        sequence = ffi.new("uint64_t *")
        check(lib.kith_write_snapshot(self._live_handle(), descriptor, sequence, local.error), local.error)
        return int(sequence[0])

    def recovery_remarks(self) -> list[str]:
        """What opening the files found."""
        table = ffi.new("kith_table *")
        check(lib.kith_recovery_remarks(self._live_handle(), table, local.error), local.error)
        return [row[2] for row in read_table(table)]


def _count(raw: Any) -> ImportCount:
    first = (raw.first_refused, ffi.string(lib.kith_status_name(raw.first_status)).decode()) if raw.refused else None
    return ImportCount(raw.added, raw.duplicates, raw.refused, first)


@dataclass(frozen=True, slots=True)
class Options:
    """Options of a graph and its store. None means never, or no limit."""

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


def _raw(options: Options | None, read_only: bool = False) -> tuple[Any, list[Any]]:
    """A kith_options, and what must live as long as the graph."""
    options = options or Options()
    raw = ffi.new("kith_options *")
    raw.durability = ("synced", "flushed", "memory").index(options.durability)
    raw.post_index = ("textsAndAuthors", "texts", "off").index(options.post_index)
    raw.unique_names = ("exact", "loose").index(options.unique_names)
    raw.read_only = read_only
    raw.compact_lists, raw.compress_texts = options.compact_lists, options.compress_texts
    for name in ("snapshot_after_changes", "snapshot_after_bytes", "snapshot_after_seconds", "heal_after_seconds"):
        value = getattr(options, name)
        setattr(raw, name, -1 if value is None else value)
    for name in (
        "snapshot_bytes_per_second", "snapshot_cores", "low_disk_bytes", "retained_snapshots", "retained_seconds",
        "retained_bytes", "maximum_users", "maximum_posts", "maximum_bytes",
    ):
        setattr(raw, name, getattr(options, name) or 0)
    kept: list[Any] = [raw]
    if options.on_event is not None:
        context = ffi.new_handle(_Call(options.on_event))
        raw.on_event, raw.context = lib.kith_py_store_event, context
        kept.append(context)
    return raw, kept


def _opened(open: Callable[[Any], int]) -> Any:
    made = ffi.new("kith_graph **")
    check(open(made), local.error)
    return made[0]


def open(
    path: str | os.PathLike[str], *, read_only: bool = False, options: Options | None = None
) -> Graph:
    """Opens a store directory, which is created if absent, or a snapshot file, which is read-only."""
    raw, kept = _raw(options, read_only)
    value, memory = to_text(os.fspath(path))
    graph = Graph._with(_opened(lambda made: lib.kith_open(value, raw, made, local.error)), kept)
    del memory
    return graph


def restore(
    source: str | os.PathLike[str], target: str | os.PathLike[str], *, sequence: int | None = None,
    time: Time | None = None, maximum_bytes: int | None = None,
) -> SnapshotInfo:
    """Makes a new store from a store or a snapshot file, as of now, of a change, or of a time."""
    point = ffi.new("kith_restore_point *")
    point.sequence, point.maximum_bytes = sequence or 0, maximum_bytes or 0
    if time is not None:
        point.has_time, point.time = 1, to_time(time)
    info = ffi.new("kith_snapshot_info *")
    (source_text, source_memory), (target_text, target_memory) = to_text(os.fspath(source)), to_text(os.fspath(target))
    check(lib.kith_restore(source_text, target_text, point, info, local.error), local.error)
    del source_memory, target_memory
    return SnapshotInfo(ffi.string(info.path).decode(), info.sequence)


def verify(path: str | os.PathLike[str]) -> list[Violation]:
    """Reads and checks all files of a store, or a snapshot."""
    table = ffi.new("kith_table *")
    value, memory = to_text(os.fspath(path))
    check(lib.kith_verify_files(value, table, local.error), local.error)
    del memory
    return [Violation(*row[:3]) for row in read_table(table)]
