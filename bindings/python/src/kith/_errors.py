"""Errors: one class for each code of the engine."""

from __future__ import annotations

import threading
from typing import Any

from ._kith import ffi, lib


class KithError(Exception):
    """The base of all errors of Kith.

    ``code`` is the stable name of the error, such as ``"unknownUser"``; ``index`` the index of the change of a batch
    that failed; ``system_error`` the errno of a failed system call.
    """

    code = "kith"
    index: int | None = None
    system_error: int | None = None


class UnknownUserError(KithError, LookupError):
    """There is no such user, or a block hides them from the viewer."""


class UnknownPostError(KithError, LookupError):
    """There is no such post, or a block hides it from the viewer."""


class UsernameTakenError(KithError, ValueError):
    """Another user has this name."""


class UsernamesCollideError(KithError, ValueError):
    """Two users of a graph that is opened have names that its options hold for equal."""


class IDTakenError(KithError, ValueError):
    """The id is or was in use."""


class InvalidUsernameError(KithError, ValueError):
    """The name breaks a rule for usernames."""


class TextTooLongError(KithError, ValueError):
    """A post has more than 65,535 bytes."""


class CannotFollowSelfError(KithError, ValueError):
    """A user tried to follow themselves."""


class BlockedError(KithError):
    """One of the two users blocks the other."""


class QueryTooLongError(KithError, ValueError):
    """A query has more than 256 bytes or 32 terms."""


class InvalidPatternError(KithError, ValueError):
    """A regular expression does not compile."""


class BudgetExceededError(KithError):
    """A query exceeds its cost limit."""


class InvalidCursorError(KithError, ValueError):
    """A cursor does not belong to this query."""


class InvalidRequestError(KithError, ValueError):
    """A parameter is invalid."""


class LimitExceededError(KithError):
    """A limit is reached."""


class UnsupportedError(KithError):
    """The feature is not compiled in."""


class CancelledError(KithError):
    """A pass or a wait was cancelled."""


class ClosedError(KithError):
    """The graph is closed."""


class ReadOnlyError(KithError):
    """The graph cannot be changed."""


class NoStoreError(KithError):
    """There is no store."""


class NotAStoreError(KithError):
    """The path is neither a store nor a snapshot."""


class StoreInUseError(KithError):
    """Another process has the store open for writing."""


class CorruptError(KithError):
    """A file is damaged."""


class UnsupportedVersionError(KithError):
    """A file has a format version that this release cannot read."""


class SystemCallError(KithError):
    """A system call failed."""


class IndeterminateError(KithError):
    """The change may or may not be stored."""


class NoSchemaError(KithError):
    """The graph has no schema."""


class SchemaConflictError(KithError):
    """A relation was declared with other facts."""


class UnknownRelationError(KithError):
    """The graph has no relation of this name."""


class MissingEdgeError(KithError):
    """An edge cannot be without one of another relation."""


class TimedOutError(KithError, TimeoutError):
    """Nothing happened in time."""


_CLASSES: dict[int, type[KithError]] = {
    lib.KITH_INVALID_HANDLE: ClosedError,
    lib.KITH_UNKNOWN_USER: UnknownUserError,
    lib.KITH_UNKNOWN_POST: UnknownPostError,
    lib.KITH_USERNAME_TAKEN: UsernameTakenError,
    lib.KITH_USERNAMES_COLLIDE: UsernamesCollideError,
    lib.KITH_ID_TAKEN: IDTakenError,
    lib.KITH_INVALID_USERNAME: InvalidUsernameError,
    lib.KITH_TEXT_TOO_LONG: TextTooLongError,
    lib.KITH_CANNOT_FOLLOW_SELF: CannotFollowSelfError,
    lib.KITH_BLOCKED: BlockedError,
    lib.KITH_QUERY_TOO_LONG: QueryTooLongError,
    lib.KITH_INVALID_PATTERN: InvalidPatternError,
    lib.KITH_BUDGET_EXCEEDED: BudgetExceededError,
    lib.KITH_INVALID_CURSOR: InvalidCursorError,
    lib.KITH_INVALID_REQUEST: InvalidRequestError,
    lib.KITH_LIMIT_EXCEEDED: LimitExceededError,
    lib.KITH_UNSUPPORTED: UnsupportedError,
    lib.KITH_CANCELLED: CancelledError,
    lib.KITH_CLOSED: ClosedError,
    lib.KITH_READ_ONLY: ReadOnlyError,
    lib.KITH_NO_STORE: NoStoreError,
    lib.KITH_NOT_A_STORE: NotAStoreError,
    lib.KITH_STORE_IN_USE: StoreInUseError,
    lib.KITH_CORRUPT: CorruptError,
    lib.KITH_UNSUPPORTED_VERSION: UnsupportedVersionError,
    lib.KITH_SYSTEM: SystemCallError,
    lib.KITH_INDETERMINATE: IndeterminateError,
    lib.KITH_TIMED_OUT: TimedOutError,
    lib.KITH_NO_SCHEMA: NoSchemaError,
    lib.KITH_SCHEMA_CONFLICT: SchemaConflictError,
    lib.KITH_UNKNOWN_RELATION: UnknownRelationError,
    lib.KITH_MISSING_EDGE: MissingEdgeError,
}
for _status, _class in _CLASSES.items():
    _class.code = ffi.string(lib.kith_status_name(_status)).decode()
ClosedError.code = "closed"


class _Local(threading.local):
    """What each thread has of its own."""

    def __init__(self) -> None:
        #: The memory that errors are written to.
        self.error = ffi.new("kith_error *")
        #: The callbacks that run, inside calls of the library by this thread.
        self.depth = 0


local = _Local()


def error_of(status: int, error: Any = None) -> KithError:
    """The exception of a status, with the message that the call has written."""
    message = _CLASSES[status].code if error is None else ffi.string(error.message).decode(errors="backslashreplace")
    made = _CLASSES.get(status, KithError)(message)
    if error is not None:
        made.index = error.index if error.index >= 0 else None
        made.system_error = error.system_error or None
    return made


def refused(message: str) -> KithError:
    """The error of an argument that the library is not asked about."""
    return InvalidRequestError(message)


def check(status: int, error: Any = None) -> None:
    """Raises the exception of a status other than KITH_OK."""
    if status:
        raise error_of(status, error)
