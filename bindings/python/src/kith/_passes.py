"""Results of passes over the whole graph, as numpy arrays over the library's memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._errors import check, local
from ._kith import ffi, lib
from ._memory import Memory, array_over, dtype_of
from ._text import Unshared, owned

#: A degree and the number of its users.
BUCKET_DTYPE = dtype_of("kith_bucket")
#: A component: its first member, and the number of its members.
COMPONENT_DTYPE = dtype_of("kith_component")


class Control(Unshared):
    """Progress and cancellation of a pass, from any thread."""

    __slots__ = ("_handle",)
    _instead = "every thread may use the same one"

    def __init__(self, task_limit: int = 0) -> None:
        made = ffi.new("kith_control **")
        check(lib.kith_make_control(task_limit, made, local.error), local.error)
        self._handle = owned(made[0])

    def cancel(self) -> None:
        """Cancels the pass, which raises CancelledError."""
        check(lib.kith_cancel(self._handle))

    @property
    def fraction(self) -> float:
        """The share that is done, 0 to 1."""
        fraction = ffi.new("double *")
        check(lib.kith_fraction(self._handle, fraction))
        return float(fraction[0])


def run_pass(graph: Any, control: Control | None, call: Callable[[Any], int]) -> None:
    """Runs a pass, which Ctrl-C cancels. The call gets the handle of a control, and returns a status."""
    made = Control() if control is None else control
    graph._run_long(lambda: check(call(made._handle), local.error), made.cancel)


def number(value: float) -> float:
    """A parameter whose 0 would mean a default of the library."""
    return lib.KITH_ZERO if value == 0 else value


class Ranks:
    """PageRank by row: ``scores[i]`` is that of the user ``ids[i]``; 0 in ``ids`` is a user who was removed."""

    ids: NDArray[np.int64]
    scores: NDArray[np.float64]
    rounds: int
    has_converged: bool

    @classmethod
    def _run(cls, graph: Any, damping: float, tolerance: float, rounds: int, control: Control | None) -> Ranks:
        raw = ffi.new("kith_ranks *")
        handle = graph._live_handle()
        run_pass(
            graph,
            control,
            lambda made: lib.kith_page_rank(
                handle, number(damping), number(tolerance), number(rounds), made, raw, local.error
            ),
        )
        memory, self = Memory(raw.owner), cls()
        self.ids = array_over(memory, raw.ids, raw.count, np.int64)
        self.scores = array_over(memory, raw.scores, raw.count, np.float64)
        (self.rounds, self.has_converged) = (raw.rounds, bool(raw.has_converged))
        return self

    def __repr__(self) -> str:
        state = "converged" if self.has_converged else "not converged"
        return f"<Ranks of {len(self.ids):,} rows, {state} after {self.rounds} rounds>"

    def top(self, count: int) -> list[tuple[int, float]]:
        """The users with the highest scores, then the lowest ids."""
        live = np.flatnonzero(self.ids)
        order = live[np.lexsort((self.ids[live], -self.scores[live]))][:count]
        return [(int(self.ids[row]), float(self.scores[row])) for row in order]


class Components:
    """Weakly connected components: ``firsts[i]`` is the first member of the component of ``ids[i]``."""

    ids: NDArray[np.int64]
    firsts: NDArray[np.int64]
    components: NDArray[Any]

    @classmethod
    def _run(cls, graph: Any, control: Control | None) -> Components:
        raw = ffi.new("kith_components *")
        handle = graph._live_handle()
        run_pass(graph, control, lambda made: lib.kith_connected_components(handle, made, raw, local.error))
        memory, self = Memory(raw.owner), cls()
        self.ids = array_over(memory, raw.ids, raw.count, np.int64)
        self.firsts = array_over(memory, raw.firsts, raw.count, np.int64)
        self.components = array_over(memory, raw.components, raw.component_count, COMPONENT_DTYPE)
        return self

    def __repr__(self) -> str:
        return f"<Components of {len(self.ids):,} rows: {len(self.components):,}>"


class Degrees:
    """The distributions of followers and followees: degrees ascending, each with its number of users."""

    followers: NDArray[Any]
    followees: NDArray[Any]

    @classmethod
    def _run(cls, graph: Any, control: Control | None) -> Degrees:
        raw = ffi.new("kith_degrees *")
        handle = graph._live_handle()
        run_pass(graph, control, lambda made: lib.kith_degree_distribution(handle, made, raw, local.error))
        memory, self = Memory(raw.owner), cls()
        self.followers = array_over(memory, raw.followers, raw.follower_bucket_count, BUCKET_DTYPE)
        self.followees = array_over(memory, raw.followees, raw.followee_bucket_count, BUCKET_DTYPE)
        return self

    def __repr__(self) -> str:
        return f"<Degrees: {len(self.followers):,} of followers, {len(self.followees):,} of followees>"


class Adjacency:
    """The follow graph by rows: the user ``ids[i]`` follows ``ids[targets[offsets[i]:offsets[i + 1]]]``."""

    ids: NDArray[np.int64]
    offsets: NDArray[np.int64]
    targets: NDArray[np.uint32]
    seconds: NDArray[np.uint32]

    @classmethod
    def _run(cls, graph: Any, control: Control | None) -> Adjacency:
        raw = ffi.new("kith_adjacency *")
        handle = graph._live_handle()
        run_pass(graph, control, lambda made: lib.kith_get_adjacency(handle, made, raw, local.error))
        memory, self = Memory(raw.owner), cls()
        self.ids = array_over(memory, raw.ids, raw.count, np.int64)
        self.offsets = array_over(memory, raw.offsets, raw.count + 1, np.int64)
        edge_count = int(self.offsets[-1])
        self.targets = array_over(memory, raw.targets, edge_count, np.uint32)
        self.seconds = array_over(memory, raw.seconds, edge_count, np.uint32)
        return self

    def __repr__(self) -> str:
        return f"<Adjacency of {len(self.ids):,} rows and {len(self.targets):,} follows>"
