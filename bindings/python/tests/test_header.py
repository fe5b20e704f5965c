"""The package says nothing about the library that the library does not say itself."""

from __future__ import annotations

import dataclasses
import inspect
import re
from pathlib import Path
from typing import Any

import kith
import pytest
from kith import _changes, _errors, _options, _query, _reader
from kith._kith import ffi, lib
from kith._memory import dtype_of

ROOT = Path(__file__).resolve().parents[3]
HEADER = (ROOT / "Sources/CKith/include/kith.h").read_text()
SOURCES = "\n".join(path.read_text() for path in Path(kith.__file__).parent.glob("*.py"))
NAMED = set(re.findall(r"\b_?lib\.(\w+)", SOURCES))

# What the package needs no name for: 0 and 1 of a member that is true or false, the outcome besides two others, the
# sources of a timeline that names none, and what the C of build_kith.py calls.
UNNAMED = {"KITH_OK", "KITH_NOT_FOLLOWED", "KITH_IS_FOLLOWED", "KITH_NO_EVENT", "KITH_UNREACHABLE", "KITH_OF_FOLLOWEES"}
# Of lists of edges, which only a host in Swift asks for.
UNNAMED |= {"KITH_ADDED_AT"}
UNNAMED |= {"KITH_VERSION_MAJOR", "kith_version_number"}
CALLED_IN_C = {"kith_free", "kith_is_following", "kith_poll_query", "kith_run", "kith_restore"}
CALLED_IN_C |= {name for name in dir(lib) if name.startswith("kith_call_")}


def snake(name: str) -> str:
    """KITH_ADD_USER of addUser, KITH_ID_TAKEN of idTaken."""
    return "KITH_" + re.sub(r"([A-Z])", r"_\1", name).upper()


def test_every_constant_and_function_of_the_library_is_used() -> None:
    kinds = {snake(kind) for kind in _changes._KINDS}
    python = {"kith_py_notify", "kith_py_store_event", "kith_py_progress", "kith_py_batch", "kith_py_change"}
    assert set(dir(lib)) - NAMED - kinds - UNNAMED - CALLED_IN_C - python == set()
    assert set(dir(lib)) >= NAMED


@pytest.mark.parametrize(
    ("words", "numbers", "prefix"),
    [
        (_query.Match, _query.MATCHES, ""),
        (_query.Folding, _query.FOLDINGS, ""),
        (_query.UserOrder, _query.ORDERS, ""),
        (_query.ListOrder, _query.LIST_ORDERS, "LIST_"),
        (_query.Direction, _query.DIRECTIONS, ""),
        (_query.Part, _query.PARTS, "EXPORT_"),
        (_changes.Kind, _changes._KINDS, ""),
        (_options.Durability, _options.DURABILITIES, ""),
        (_options.PostIndexing, _options.POST_INDEXINGS, "INDEX_"),
        (_options.UniqueNames, _options.UNIQUE_NAMES, "UNIQUE_"),
    ],
)
def test_a_word_has_the_number_of_its_name(words: Any, numbers: dict[str, int], prefix: str) -> None:
    assert set(words.__args__) == set(numbers)
    for word, number in numbers.items():
        name = "BY_NAME" if word == "name" else snake(word)[len("KITH_") :]
        assert number == getattr(lib, f"KITH_{prefix}{name}"), word


def test_an_event_of_the_store_has_the_name_of_its_number() -> None:
    for number, name in _options.EVENTS.items():
        assert number == getattr(lib, snake(name))
    for kind in _options.EVENTS.values():
        assert kind in (inspect.getdoc(kith.StoreEvent) or "")


def test_each_relation_is_one_bit() -> None:
    assert list(_reader.RELATIONS) == [field.name for field in dataclasses.fields(kith.Relations)]
    assert sorted(_reader.RELATIONS.values()) == [1 << bit for bit in range(len(_reader.RELATIONS))]


def test_every_status_is_one_class_with_its_name() -> None:
    listed = re.search(r"typedef int32_t kith_status;\nenum \{(.*?)\};", HEADER, re.S)
    assert listed
    statuses = set(re.findall(r"KITH_\w+", listed[1])) - {"KITH_OK"}
    assert {getattr(lib, name) for name in statuses} == set(_errors._CLASSES)
    for name in statuses - {"KITH_INVALID_HANDLE"}:
        made = _errors._CLASSES[getattr(lib, name)]
        assert snake(made.code) == name
        assert made.__name__ in kith.__all__
        if made not in (_errors.IDTakenError, _errors.SystemCallError):
            assert made.__name__ == made.code[0].upper() + made.code[1:] + "Error"


@pytest.mark.parametrize("name", ["kith_user", "kith_post", "kith_bucket", "kith_component"])
def test_arrays_lie_as_the_library_says(name: str) -> None:
    dtype = dtype_of(name)
    assert dtype.itemsize == ffi.sizeof(name)
    assert dtype.names == tuple(member for member, _ in ffi.typeof(name).fields)
    for member in dtype.names:
        offset = dtype.fields[member][1]  # type: ignore[index]
        assert offset == ffi.offsetof(name, member), member


def test_an_array_reads_what_the_rows_read(graph: kith.Graph) -> None:
    graph.like(1, 1, at=7000)
    for rows in (graph.search_users(viewer=1), graph.followers(2, viewer=1), graph.likers(1, viewer=2)):
        assert rows.array.dtype == kith.USER_DTYPE
        for row, user in zip(rows.array, rows):
            for member in set(kith.USER_DTYPE.names or ()) - {"reserved", "reserved2"}:
                assert row[member] == getattr(user._row, member)
    for posts in (graph.search_posts(viewer=1), graph.likes(1, viewer=1)):
        assert posts.array.dtype == kith.POST_DTYPE
        for row, post in zip(posts.array, posts):
            for member in set(kith.POST_DTYPE.names or ()) - {"reserved", "reserved2"}:
                assert row[member] == getattr(post._row, member)


def test_the_options_are_those_of_the_header_with_its_defaults() -> None:
    members = {name for name, _ in ffi.typeof("kith_options").fields}
    options = kith.Options()
    own = {field.name for field in dataclasses.fields(options)}
    schema = {"relations", "relation_count", "has_schema", "user_kinds"}
    assert members - schema - {"read_only", "context", "reserved"} == own
    listed = re.search(r"struct kith_options \{.*?\} kith_options;", HEADER, re.S)
    assert listed
    defaults = dict(re.findall(r"int64_t (\w+); +// (?:0: ([^;\n]+)|likewise)", listed[0]))
    assert set(defaults) == {name for name, field in ffi.typeof("kith_options").fields if field.type.cname == "int64_t"}
    for name, text in defaults.items():
        assert getattr(options, name) == default(text), name
    for name in ("durability", "post_index", "unique_names", "compact_lists", "compress_texts"):
        raw, _ = _options.raw_options(options)
        assert getattr(raw, name) == 0, name


def default(text: str) -> int | None:
    """What a comment of the header says that 0 means."""
    if text == "1 GiB":
        return 1 << 30
    return int(text.replace(",", "")) if text[:1].isdigit() else None


def test_what_is_public_is_listed() -> None:
    listed = set(kith.__all__)
    for name, value in vars(kith).items():
        if inspect.isclass(value) and value.__module__.startswith("kith.") and not name.startswith("_"):
            assert name in listed
    assert all(hasattr(kith, name) for name in listed)
    parameters = inspect.signature(kith.Graph.import_columns).parameters
    assert set(parameters) - {"self"} == set(_query.PARTS)
    assert set(_query.PARTS) == {name for name, _ in ffi.typeof("kith_import_columns").fields}
    assert set(_query.PARTS) == {name for name, _ in ffi.typeof("kith_import_report").fields}
    assert set(_query.PARTS) == {field.name for field in dataclasses.fields(kith.ImportReport)}
