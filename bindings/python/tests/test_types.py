"""What a type checker says of the package, with the Python and the numpy that are installed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mypy")

SCRIPT = """
import asyncio
import kith

graph = kith.Graph()
reveal_type(graph.live(kith.Graph.timeline, 1, limit=5))
graph.live(kith.Graph.timeline, 1, limit="5")
reveal_type(graph.batch(lambda batch: batch.add_user("ann")))
reveal_type([user.username for user in graph.search_users().walk()])


async def watch() -> None:
    async for event in graph.changes():
        reveal_type(event)
"""


def checked(*arguments: str, directory: Path) -> str:
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir=/dev/null", *arguments]
    return subprocess.run(command, cwd=directory, capture_output=True, text=True).stdout


def test_a_script_is_checked(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    lines = checked("script.py", directory=tmp_path).splitlines()
    assert 'Revealed type is "kith._live.Live[kith._page.Page[kith._rows.Post]]"' in lines[0]
    assert lines[1].startswith("script.py:7: error: ") and "[arg-type]" in lines[1]
    assert "int" in lines[2] and "list[" in lines[3] and "str]" in lines[3]
    assert "ChangeEvent" in lines[4] and "Missed" in lines[4] and len(lines) == 6


def test_the_package_has_no_errors(tmp_path: Path) -> None:
    parts = ("networkx", "pandas", "scipy", "cffi")
    settings = "".join(f"[mypy-{part}.*]\nignore_missing_imports = True\n" for part in parts)
    (tmp_path / "mypy.ini").write_text(f"[mypy]\n{settings}")
    assert checked("--package", "kith", directory=tmp_path).startswith("Success")
