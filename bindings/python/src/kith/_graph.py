"""Graphs: opening, closing, batches, imports, files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Optional, TypeVar, Union

from numpy.typing import ArrayLike

from . import _columns
from ._async import AsyncGraph
from ._calls import Call, call_batch, call_change, call_progress, interruptible
from ._changes import Batch, Change, ChangeEvent, Writer
from ._columns import ImportCount, ImportReport, Texts
from ._errors import KithError, check, error_of, local, refused
from ._kith import ffi, lib
from ._live import Changes, Live
from ._options import Options, raw_options
from ._reader import Pin, Reader
from ._relations import Relation, Schema
from ._results import Violation, read_table
from ._text import Time, owned, to_path, to_time

if TYPE_CHECKING:
    # Every type checker has this module; the module typing of Python 3.9 has not these names.
    from typing_extensions import Concatenate, ParamSpec

    P = ParamSpec("P")
R = TypeVar("R")

EdgeColumns = Sequence[Optional[ArrayLike]]
FilePath = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]


@dataclass(frozen=True)
class SnapshotInfo:
    """A snapshot that was written."""

    path: str
    sequence: int
    remarks: tuple[str, ...] = ()


# The most changes of a journal in memory.
_SLICE = 10_000


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

    __slots__ = ()

    def __init__(self, *, options: Options | None = None, schema: Schema | Iterable[Relation] | None = None) -> None:
        raw, kept = raw_options(options, schema=schema)
        super().__init__(_opened(lambda made: lib.kith_open_memory(raw, made, local.error), kept))

    @classmethod
    def _with(cls, open: Callable[[Any], int], kept: Any) -> Graph:
        def run() -> Graph:
            graph = cls.__new__(cls)
            Reader.__init__(graph, _opened(open, kept))
            return graph

        return interruptible(run)

    @classmethod
    def from_snapshot(cls, snapshot: bytes | int, *, options: Options | None = None) -> Graph:
        """A mutable graph in memory from the bytes of a snapshot, or from a descriptor that has them."""
        raw, kept = raw_options(options)
        if isinstance(snapshot, int):
            own = _Descriptor(snapshot)

            def open(made: Any) -> int:
                try:
                    return int(lib.kith_open_descriptor(own.number, raw, made, local.error))
                finally:
                    own.close()

            return cls._with(open, kept)
        memory = ffi.from_buffer(snapshot)
        return cls._with(lambda made: lib.kith_open_snapshot(memory, len(memory), raw, made, local.error), kept)

    def close(self) -> None:
        """Waits for acknowledged changes, syncs, and releases the store.

        Later changes, queries and passes raise ClosedError; counts, find_user, pin, verify and memory_report do not.
        """
        handle = self._live_handle()
        self._run_long(lambda: check(lib.kith_close(handle, local.error), local.error))

    def __repr__(self) -> str:
        if self._handle is None:
            return "<Graph, freed>"
        counts = self.counts()
        return f"<Graph of {counts.users:,} users, {counts.follows:,} follows, {counts.posts:,} posts>"

    @property
    def asynchronous(self) -> AsyncGraph:
        """The same graph for asyncio: verbs and queries as coroutines.

        >>> import asyncio
        >>> graph = Graph()
        >>> asyncio.run(graph.asynchronous.add_user("ann"))
        1
        """
        return AsyncGraph(self)

    def __enter__(self) -> Graph:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def pin(self) -> Pin:
        """An MVCC snapshot."""
        made = ffi.new("kith_graph **")
        check(lib.kith_pin(self._live_handle(), made, local.error), local.error)
        return Pin(owned(made[0]))

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

        call = Call(run)
        context = ffi.new_handle(call)
        call.check(lib.kith_batch(self._live_handle(), call_batch, context, local.error))
        result: R = call.result
        return result

    # Imports

    def import_columns(
        self,
        *,
        users: tuple[ArrayLike, Texts] | None = None,
        follows: EdgeColumns | None = None,
        posts: tuple[ArrayLike, ArrayLike, Texts] | tuple[ArrayLike, ArrayLike, Texts, ArrayLike | None] | None = None,
        likes: EdgeColumns | None = None,
        blocks: EdgeColumns | None = None,
        mutes: EdgeColumns | None = None,
    ) -> ImportReport:
        """Adds many rows at once, in the order of the parameters; a store then writes a snapshot.

        users: (ids, names). follows, likes: (users, targets) or (users, targets, times). posts: (ids, authors, texts)
        or with times. blocks, mutes: (users, targets). Times are milliseconds. Arrays of 64-bit integers are not
        copied. Rows that break a rule are counted and left out. After Ctrl-C, the import goes on in the background.

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
            (columns.follows, follows),
            (columns.likes, likes),
            (columns.blocks, blocks),
            (columns.mutes, mutes),
        ):
            if edges is not None:
                _columns.fill_edges(raw, edges, kept)
        handle = self._live_handle()

        def run(_: Any = kept) -> ImportReport:
            check(lib.kith_import(handle, columns, report, local.error), local.error)
            return ImportReport(
                *(
                    _count(raw)
                    for raw in (report.users, report.follows, report.posts, report.likes, report.blocks, report.mutes)
                )
            )

        return self._run_long(run)

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
        for start in range(first, max(first, last) + 1, _SLICE):
            events, error = self._journaled_slice(start, min(last, start + _SLICE - 1))
            yield from events  # also those before a gap
            if error is not None:
                raise error

    def _journaled_slice(self, first: int, last: int) -> tuple[list[ChangeEvent], KithError | None]:
        events: list[ChangeEvent] = []
        call = Call(lambda change, sequence: events.append(ChangeEvent(sequence, Change._from(change))))
        context = ffi.new_handle(call)
        status = lib.kith_journaled_changes(self._live_handle(), first, last, call_change, context, local.error)
        if call.error is not None:
            raise call.error
        return events, error_of(status, local.error) if status else None

    # Files

    def snapshot(self, progress: Callable[[int], None] | None = None) -> SnapshotInfo:
        """Writes a snapshot of a store. ``progress`` gets the bytes written, then -1 while they are verified.

        It is called on another thread if this is the main thread. After Ctrl-C, the snapshot is written in the
        background, or ended by close.
        """
        handle = self._live_handle()

        def run() -> SnapshotInfo:
            info = ffi.new("kith_snapshot_info *")
            call = Call(progress or (lambda _: None))
            context = ffi.new_handle(call)
            call.check(lib.kith_snapshot(handle, call_progress if progress else ffi.NULL, context, info, local.error))
            return _snapshot_info(info)

        return self._run_long(run)

    def write_snapshot(self, descriptor: int) -> int:
        """Writes a snapshot to a descriptor. Returns the number of its last change."""
        handle, own = self._live_handle(), _Descriptor(descriptor)

        def run() -> int:
            sequence = ffi.new("uint64_t *")
            try:
                check(lib.kith_write_snapshot(handle, own.number, sequence, local.error), local.error)
            finally:
                own.close()
            return int(sequence[0])

        return self._run_long(run)

    def recovery_remarks(self) -> list[str]:
        """What opening the files found."""
        table = ffi.new("kith_table *")
        check(lib.kith_recovery_remarks(self._live_handle(), table, local.error), local.error)
        return [row[2] for row in read_table(table)]


class _Descriptor:
    """A copy of a descriptor, for a call that may go on after the caller has closed it.

    The call closes it: the traceback of a Ctrl-C may refer to it for long, and who reads a pipe waits for its end.
    """

    def __init__(self, descriptor: int) -> None:
        self.number = os.dup(descriptor)

    def close(self, close: Any = os.close) -> None:
        number, self.number = getattr(self, "number", -1), -1
        if number >= 0:
            close(number)

    def __del__(self) -> None:
        self.close()


def _snapshot_info(raw: Any) -> SnapshotInfo:
    return SnapshotInfo(os.fsdecode(ffi.string(raw.path)), raw.sequence)


def _count(raw: Any) -> ImportCount:
    first = (raw.first_refused, ffi.string(lib.kith_status_name(raw.first_status)).decode()) if raw.refused else None
    return ImportCount(raw.added, raw.duplicates, raw.refused, first)


def _opened(open: Callable[[Any], int], kept: list[Any]) -> Any:
    made = ffi.new("kith_graph **")
    check(open(made), local.error)
    return owned(made[0], kept)


def open(
    path: FilePath,
    *,
    read_only: bool = False,
    options: Options | None = None,
    schema: Schema | Iterable[Relation] | None = None,
) -> Graph:
    """Opens a store directory, which is created if absent, or a snapshot file, which is read-only.

    What the graph lacks of a schema is declared, as one change.
    """
    raw, kept = raw_options(options, read_only, schema)
    value, _ = to_path(path)
    return Graph._with(lambda made: lib.kith_open(value, raw, made, local.error), kept)


def restore(
    source: FilePath,
    target: FilePath,
    *,
    sequence: int | None = None,
    time: Time | None = None,
    maximum_bytes: int | None = None,
) -> SnapshotInfo:
    """Makes a new store from a store or a snapshot file, as of now, of a change, or of a time.

    A time means the last change that was not written later; one later than now is refused. The remarks of the result
    say where the clock of the writing machine went back, and which change is the newest if the time is later.
    """
    for name, number in (("sequence", sequence), ("maximum_bytes", maximum_bytes)):
        if number is not None and number < 1:
            raise refused(f"{name} is 1 or more, or None; not {number}")
    point = ffi.new("kith_restore_point *")
    point.sequence, point.maximum_bytes = sequence or 0, maximum_bytes or 0
    if time is not None:
        point.has_time, point.time = 1, to_time(time)
    (source_text, _), (target_text, _) = to_path(source), to_path(target)

    def run() -> SnapshotInfo:
        info = ffi.new("kith_snapshot_info *")
        table = ffi.new("kith_table *")
        check(lib.kith_restore_noting(source_text, target_text, point, info, table, local.error), local.error)
        return replace(_snapshot_info(info), remarks=tuple(row[2] for row in read_table(table)))

    return interruptible(run)


def verify(path: FilePath) -> list[Violation]:
    """Reads and checks all files of a store, or a snapshot."""
    value, _ = to_path(path)

    def run() -> list[Violation]:
        table = ffi.new("kith_table *")
        check(lib.kith_verify_files(value, table, local.error), local.error)
        return [Violation(*row[:3]) for row in read_table(table)]

    return interruptible(run)
