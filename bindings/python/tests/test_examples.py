"""The examples run, and answer what is true of their graph."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import Any

import matplotlib
import pytest

EXAMPLE = Path(__file__).parents[1] / "examples" / "explore_graph.py"
matplotlib.use("Agg")


def explored(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> dict[str, Any]:
    import matplotlib.pyplot as plt

    plt.close("all")
    monkeypatch.setattr(sys, "argv", [str(EXAMPLE), *arguments])
    found = runpy.run_path(str(EXAMPLE))
    assert len(plt.get_fignums()) == 2
    return found


@pytest.mark.filterwarnings("ignore:FigureCanvasAgg")
def test_the_example_explores_a_graph_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    found = explored(monkeypatch)
    counts = found["graph"].counts()
    assert counts.users > 2_000 and counts.follows > 20_000
    assert found["degrees"].followers["user_count"].sum() == counts.users
    assert [user.follower_count for user in found["page"]] == sorted(
        (user.follower_count for user in found["page"]), reverse=True
    )


@pytest.mark.filterwarnings("ignore:FigureCanvasAgg")
def test_the_example_reads_published_graphs_and_stores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    edges = tmp_path / "edges.txt"
    edges.write_text("# follower followed\n0 7\n1 7\n2\t7\n7 0\n2 2\n")
    found = explored(monkeypatch, str(edges))
    assert found["graph"].user(found["center"]).username == "user7"
    assert found["neighbourhood"].number_of_edges() == 4
    for kind in ("store", "snapshot"):
        path = tmp_path / kind
        if kind == "snapshot":
            with path.open("wb") as file:
                found["graph"].write_snapshot(file.fileno())
        else:
            import kith

            with kith.open(path) as store:
                store.import_users([1, 2, 3], ["user1", "user2", "user7"])
                store.import_follows([1, 2, 3], [3, 3, 1])
        assert len(explored(monkeypatch, str(path))["shown"]) >= 3
