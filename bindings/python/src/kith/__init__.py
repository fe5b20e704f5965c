"""Kith: an embedded social-graph engine."""

# After what it needs.
from . import (
    _errors,
    convert,  # noqa: E402
)
from ._async import AsyncGraph
from ._changes import Batch, Change, ChangeEvent, ChangeResult, Missed, Writer
from ._columns import ImportCount, ImportReport
from ._errors import *  # noqa: F403
from ._graph import Graph, SnapshotInfo, open, restore, verify
from ._incoming import Incoming, IncomingPage
from ._kith import ffi as _ffi, lib as _lib
from ._live import Changes, Live, Observer
from ._memory import POST_DTYPE, USER_DTYPE
from ._options import Options, StoreEvent
from ._page import Page
from ._passes import BUCKET_DTYPE, COMPONENT_DTYPE, Adjacency, Components, Control, Degrees, Ranks
from ._reader import Pin, Reader
from ._relations import EdgeCounts, PostEdge, Relation, Schema
from ._results import Counts, MemoryEntry, Path, Relations, Violation
from ._rows import Post, User
from ._suggestions import Suggestion

#: The viewer of a query who is no user: posts for followers, and for those whom they mention, are not shown.
VISITOR: int = _lib.KITH_VISITOR
#: The version of the library.
__version__: str = _ffi.string(_lib.kith_version()).decode()

__all__ = [
    "Adjacency",
    "AsyncGraph",
    "BUCKET_DTYPE",
    "Batch",
    "COMPONENT_DTYPE",
    "Change",
    "ChangeEvent",
    "ChangeResult",
    "Changes",
    "Components",
    "Control",
    "Counts",
    "Degrees",
    "EdgeCounts",
    "Graph",
    "ImportCount",
    "ImportReport",
    "Incoming",
    "IncomingPage",
    "Live",
    "MemoryEntry",
    "Missed",
    "Observer",
    "Options",
    "POST_DTYPE",
    "Page",
    "Path",
    "Pin",
    "Post",
    "PostEdge",
    "Ranks",
    "Reader",
    "Relation",
    "Relations",
    "Schema",
    "SnapshotInfo",
    "StoreEvent",
    "Suggestion",
    "USER_DTYPE",
    "User",
    "VISITOR",
    "Violation",
    "Writer",
    "convert",
    "open",
    "restore",
    "verify",
]
__all__ += [name for name in vars(_errors) if name.endswith("Error")]
