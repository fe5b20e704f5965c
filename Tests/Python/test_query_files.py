"""What `kith-query.py import` reads: files without a row are files, too."""

import pathlib
import subprocess
import sys

import kith
import pytest

SCRIPT = pathlib.Path(__file__).parent / "kith-query.py"


def import_files(store: pathlib.Path, **files: pathlib.Path) -> int:
    options = [word for part, path in files.items() for word in (f"--{part}", str(path))]
    return subprocess.run([sys.executable, str(SCRIPT), "import", str(store), *options]).returncode


@pytest.mark.parametrize("is_compressed", [False, True])
@pytest.mark.parametrize("part", ["follows", "posts", "likes", "blocks", "mutes"])
def test_empty_file(tmp_path: pathlib.Path, part: str, is_compressed: bool) -> None:
    users, empty = tmp_path / "users.tsv", tmp_path / "empty"
    users.write_text("1\tann\n")
    empty.write_bytes(subprocess.run(["zstd", "-q"], input=b"", capture_output=True).stdout if is_compressed else b"")
    assert import_files(tmp_path / "store", users=users, **{part: empty}) == 0
    with kith.open(tmp_path / "store", read_only=True) as graph:
        assert graph.counts().users == 1


def test_nothing(tmp_path: pathlib.Path) -> None:
    empty = tmp_path / "empty.tsv"
    empty.write_bytes(b"")
    assert import_files(tmp_path / "store", users=empty) == 1
    assert import_files(tmp_path / "store", users=tmp_path / "absent.tsv") == 1


def test_a_line_has_all_its_fields(tmp_path: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    users, posts = tmp_path / "users.tsv", tmp_path / "posts.tsv"
    users.write_text("1\tann\n")
    posts.write_text("1\t1\t0\tfirst\n2\t1\n")
    assert import_files(tmp_path / "store", users=users, posts=posts) == 1
    assert "line 2: too few fields" in capfd.readouterr().err
