"""Live queries and the change feed, for loops and for asyncio."""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, Generic, TypeVar

from ._calls import STEP, call_notify
from ._changes import Change, ChangeEvent, Missed
from ._errors import CancelledError, ClosedError, check, local, refused
from ._kith import ffi, lib
from ._memory import Memory
from ._page import Page
from ._query import Query
from ._reader import Reader
from ._text import Unshared, release

ItemT = TypeVar("ItemT", covariant=True)


@ffi.def_extern()  # type: ignore[untyped-decorator, unused-ignore]
def kith_py_notify(context: Any) -> None:
    ffi.from_handle(context)._notify()


class _Wakeup:
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


class Observer(Unshared, Generic[ItemT]):
    """Items as they come, for one reader. Iterate with ``for`` (which waits without the GIL) or ``async for``."""

    _instead = "observe the graph again"

    def __init__(self, graph: Reader, open: Callable[[Any, Any, Any, Any], int]) -> None:
        self._graph = graph
        self._wakeup = _Wakeup()
        self._context = ffi.new_handle(self._wakeup)
        # Held during calls with the handle: close waits for them.
        self._using = threading.RLock()
        made = ffi.new("kith_observer **")
        check(open(graph._live_handle(), self._context, made, local.error), local.error)
        self._handle: Any = made[0]
        self._has_ended = False
        self._is_interrupted = False

    def _poll(self) -> list[ItemT]:
        raise NotImplementedError

    def poll(self) -> list[ItemT]:
        """What there is to read by now, without waiting."""
        with self._using:
            self._check_open()
            return self._poll()

    def wait(self, seconds: float | None = None) -> None:
        """Waits until there may be something to read. Raises TimedOutError after the time.

        A signal such as Ctrl-C is seen within a tenth of a second.
        """
        limit = math.inf if seconds is None else time.monotonic() + seconds
        while (status := self._wait(limit)) == lib.KITH_TIMED_OUT and time.monotonic() < limit:
            pass
        check(status, local.error)

    def _wait(self, limit: float) -> int:
        """Waits for one step, or until a time. Returns the status."""
        seconds = max(0.0, min(STEP, limit - time.monotonic()))
        with self._using:
            self._check_open()
            status: int = lib.kith_wait(self._handle, math.ceil(seconds * 1000), local.error)
            return status

    def _check_open(self) -> None:
        if self._handle is None:
            raise ClosedError("the observer was closed")

    def interrupt(self) -> None:
        """Ends the loop of another thread or task that iterates."""
        self._is_interrupted = True
        handle = self._handle
        if handle is not None:
            lib.kith_interrupt(handle)
        self._wakeup._notify()

    def close(self) -> None:
        """Ends the observer, and the loop of a thread or a task that iterates."""
        self.interrupt()
        with self._using:
            handle, self._handle = self._handle, None
            if handle is not None:
                release(handle)

    def __del__(self, release: Any = release) -> None:
        if getattr(self, "_handle", None) is not None:
            release(self._handle)

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
                    status = self._wait(math.inf)
                    if status != lib.KITH_TIMED_OUT:
                        check(status, local.error)
            except (CancelledError, ClosedError):
                return
            yield from items

    async def __aiter__(self) -> AsyncIterator[ItemT]:
        event = self._wakeup.event = asyncio.Event()
        self._wakeup.loop = asyncio.get_running_loop()
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
        if start is not None and start < 1:
            raise refused(f"start is 1 or more, not {start}: changes are numbered from 1 on")
        self._limit = limit
        super().__init__(
            graph,
            lambda handle, context, made, error: lib.kith_observe_changes(
                handle, start or 0, call_notify, context, made, error
            ),
        )

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
            graph,
            lambda handle, context, made, error: lib.kith_observe_query(handle, raw, call_notify, context, made, error),
        )

    def _poll(self) -> list[ItemT]:
        error = local.error
        page = lib.kith_py_poll(self._handle, error)
        if page:
            page = ffi.gc(page, lib.kith_py_free_page)
            return [self._convert(Page(page, self._type, self._graph, self._query))]
        check(error.status, error)
        return []
