"""Calls that take long, callbacks, and the end of the interpreter."""

from __future__ import annotations

import atexit
import os
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

from ._errors import check, local
from ._kith import ffi, lib

R = TypeVar("R")

#: The seconds after which a signal such as Ctrl-C is seen where the library waits.
STEP = 0.1
#: The most seconds that the end of the interpreter waits for callbacks that run on other threads.
PATIENCE = 1.0
# Exceptions pass through C as this value of a callback.
_RAISED = -1


class Call:
    """A function that C calls, and the exception that it has raised."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.error: BaseException | None = None
        self.result: Any = None

    def run(self, *arguments: Any) -> int:
        """Calls the function."""
        local.depth += 1
        try:
            self.result = self.function(*arguments)
            return 0
        except BaseException as error:
            self.error = error
            return _RAISED
        finally:
            local.depth -= 1

    def check(self, status: int) -> None:
        """Raises what the function has raised, or the error of the call."""
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


#: What the library is given to call.
call_batch, call_change, call_progress, call_notify, call_store_event = (
    ffi.addressof(lib, name)
    for name in (
        "kith_call_batch",
        "kith_call_change",
        "kith_call_progress",
        "kith_call_notify",
        "kith_call_store_event",
    )
)


def interruptible(call: Callable[[], R], cancel: Callable[[], None] | None = None) -> R:
    """Makes a call that may take long.

    Python sees Ctrl-C on the main thread alone, between two steps of Python. So another thread makes the call for the
    main thread, which can be interrupted while it waits. Then the call is cancelled; one that cannot be cancelled goes
    on without it. What the call uses, it refers to. A callback makes its calls itself: the library knows it by its
    thread.
    """
    if local.depth or threading.current_thread() is not threading.main_thread():
        return call()
    done = threading.Lock()
    outcome: list[Any] = []

    def run() -> None:
        try:
            outcome.append((call(), None))
        except BaseException as error:
            outcome.append((None, error))
        finally:
            done.release()

    done.acquire()
    try:
        try:
            threading.Thread(target=run, name="kith", daemon=True).start()
        except RuntimeError:  # no thread can be made, as when the interpreter ends
            return call()
        # In steps, because another thread may get the signal.
        while not done.acquire(timeout=STEP):
            pass
    except BaseException:
        if cancel is not None:
            cancel()
        raise
    value, error = outcome.pop()
    try:
        if error is not None:
            raise error
    finally:
        del error
    result: R = value
    return result


@atexit.register
def _end() -> None:
    """No callback begins on a thread of the library from now on, and those that run may end."""
    lib.kith_py_end()
    limit = time.monotonic() + PATIENCE
    while lib.kith_py_running() and time.monotonic() < limit:
        time.sleep(0.002)


os.register_at_fork(after_in_child=lib.kith_py_forked)
