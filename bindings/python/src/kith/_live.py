"""Live queries and the change feed, for loops and for asyncio."""
from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, Generic, TypeVar

from ._changes import Change, ChangeEvent, Missed
from ._errors import CancelledError, ClosedError, check, local
from ._kith import ffi, lib
from ._reader import Query, Reader
from ._rows import Memory, Page
from ._text import release

ItemT = TypeVar("ItemT", covariant=True)


@ffi.def_extern()  # type: ignore[untyped-decorator, unused-ignore]
def kith_py_notify(context: Any) -> None:
    ffi.from_handle(context)._notify()


class _Waker:
    """What a notification wakes: the tasks of an event loop."""

    def __init__(self) -> None:
        self.loop: asyncio.AbstractEventLoop | None = None
        self.event: asyncio.Event | None = None

    def _notify(self) -> None:
        loop, event = self.loop, self.event
        if loop is not None and event is not None:
            try:
                loop.call_soon_threadsafe(event.set)
            except RuntimeError:
                pass  # the loop was closed


class Observer(Generic[ItemT]):
    """Items as they come, for one reader. Iterate with ``for`` (which waits without the GIL) or ``async for``."""

    def __init__(self, graph: Reader, open: Callable[[Any, Any, Any, Any], int]) -> None:
        self._graph = graph
        self._waker = _Waker()
        self._context = ffi.new_handle(self._waker)
        made = ffi.new("kith_observer **")
        check(open(graph._live_handle(), self._context, made, local.error), local.error)
        self._handle: Any = made[0]
        self._has_ended = False
        self._is_interrupted = False

    def _poll(self) -> list[ItemT]:
        raise NotImplementedError

    def poll(self) -> list[ItemT]:
        """What there is to read by now, without waiting."""
        if self._handle is None:
            raise ClosedError("the observer was closed")
        return self._poll()

    def wait(self, seconds: float | None = None) -> None:
        """Waits until there may be something to read. Raises TimedOutError after the time."""
        if self._handle is None:
            raise ClosedError("the observer was closed")
        milliseconds = -1 if seconds is None else max(0, int(seconds * 1000))
        check(lib.kith_wait(self._handle, milliseconds, local.error), local.error)

    def interrupt(self) -> None:
        """Ends the loop of another thread or task that iterates."""
        self._is_interrupted = True
        if self._handle is not None:
            check(lib.kith_interrupt(self._handle))
        self._waker._notify()

    def close(self) -> None:
        """Ends the observer, and the loop of a task. Not beside a loop of another thread: interrupt that first."""
        self._is_interrupted = True
        handle, self._handle = self._handle, None
        if handle is not None:
            release(handle)
            self._waker._notify()

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is not None:
            self.close()

    def __enter__(self) -> Observer[ItemT]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[ItemT]:
        while self._handle is not None and not self._is_interrupted:
            try:
                items = self.poll()
                if not items:
                    if self._has_ended:
                        return
                    # In steps, so that a signal such as Ctrl-C is seen.
                    status = lib.kith_wait(self._handle, 200, local.error)
                    if status != lib.KITH_TIMED_OUT:
                        check(status, local.error)
            except (CancelledError, ClosedError):
                return
            yield from items

    async def __aiter__(self) -> AsyncIterator[ItemT]:
        event = self._waker.event = asyncio.Event()
        self._waker.loop = asyncio.get_running_loop()
        while self._handle is not None and not self._is_interrupted:
            try:
                items = self.poll()
            except ClosedError:
                return
            for item in items:
                yield item
            if not items:
                if self._has_ended:
                    return
                await event.wait()
            event.clear()


class Changes(Observer["ChangeEvent | Missed"]):
    """The change feed of a graph."""

    def __init__(self, graph: Reader, start: int | None, limit: int = 1_000) -> None:
        self._limit = limit
        super().__init__(
            graph, lambda handle, context, made, error: lib.kith_observe_changes(
                handle, start or 0, lib.kith_py_notify, context, made, error))

    def _poll(self) -> list[ChangeEvent | Missed]:
        raw = ffi.new("kith_events *")
        check(lib.kith_poll_changes(self._handle, self._limit, raw, local.error), local.error)
        memory = Memory(raw.owner)
        self._has_ended = bool(raw.has_ended)
        events: list[ChangeEvent | Missed] = []
        for index in range(raw.count):
            event = raw.events[index]
            if event.last_missed:
                events.append(Missed(event.sequence, event.last_missed))
            else:
                events.append(ChangeEvent(event.sequence, Change._from(event.change)))
        del memory
        return events


class Recorded(Exception):
    """Carries the arguments of a query out of the method that made them."""

    def __init__(self, query: Query, convert: Callable[[Page[Any]], Any], type: type[Any]) -> None:
        super().__init__()
        self.query, self.convert, self.type = query, convert, type


class Recorder(Reader):
    """A reader whose queries are not run but recorded."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(None)

    def _page(self, query: Query, convert: Callable[[Page[Any]], Any], type: type[Any]) -> Any:
        raise Recorded(query, convert, type)

    def _live_handle(self) -> Any:
        raise TypeError("only queries that answer with users or posts can be live")


class Live(Observer[ItemT]):
    """The results of a query: the current one, then each that differs."""

    def __init__(self, graph: Reader, query: Callable[[Reader], ItemT]) -> None:
        try:
            query(Recorder())
        except Recorded as recorded:
            self._query, self._convert, self._type = recorded.query, recorded.convert, recorded.type
        else:
            raise TypeError("a live query is a method of Reader")
        raw = self._query.raw
        super().__init__(
            graph, lambda handle, context, made, error: lib.kith_observe_query(
                handle, raw, lib.kith_py_notify, context, made, error))

    def _poll(self) -> list[ItemT]:
        error = local.error
        page = lib.kith_py_poll(self._handle, error)
        if page:
            page = ffi.gc(page, lib.kith_py_free_page)
            return [self._convert(Page(page, self._type, self._graph, self._query))]
        check(error.status, error)
        return []
