"""Requests of the protocol: their lines, and their fields by the table of docs/PROTOCOL.md."""

from __future__ import annotations

import json
import pathlib
import re
from typing import Any

INTEGERS = range(-(2**63), 2**63)
LINE_LIMIT, LEVEL_LIMIT, VALUE_LIMIT = 8 << 20, 64, 262_144
WATCH_LIMIT = 10_000

PROTOCOL = pathlib.Path(__file__).resolve().parents[2] / "docs/PROTOCOL.md"
TYPES = {
    "user": "user",
    "target": "user",
    "as": "user",
    "excluding": "user",
    "users": "users",
    "targets": "users",
    "posts": "integers",
    "changes": "changes",
    "question": "question",
    "username": "string",
    "text": "string",
    "query": "string",
    "cursor": "string",
    "about": "string",
}
CHANGES = {
    "addUser",
    "renameUser",
    "removeUser",
    "addPost",
    "removePost",
    "follow",
    "unfollow",
    "like",
    "unlike",
    "block",
    "unblock",
    "mute",
    "unmute",
}


def read_table() -> dict[str, Any]:
    """The operations of the protocol's page, whose list a test compares with the engine's: what `help` answers."""
    listed = PROTOCOL.read_text().partition("<!-- operations:")[2].partition("<!-- end of operations")[0]
    table: dict[str, Any] = {}
    for op, takes, answers in re.findall(r"- \*\*(\w+)\*\* takes (.+?);\s+answers\s+(.+?)\.\n", listed, re.DOTALL):
        fields = [field(word) for word in re.findall("`(.+?)`", takes)]
        table[op] = {"op": op, "fields": fields, "answer": re.findall("`(.+?)`", answers)}
    for word in table["help"]["fields"]:
        word["values"] = list(table)
    return table


def field(word: str) -> dict[str, Any]:
    name, _, default = word.partition("=")
    made: dict[str, Any] = {"name": name.rstrip("?"), "required": not default and not word.endswith("?")}
    made["type"] = TYPES.get(made["name"], "integer")
    if default in ("true", "false"):
        made["type"], made["default"] = "boolean", default == "true"
    elif "|" in default:
        made["type"], made["values"], made["default"] = "string", default.split("|"), default.split("|")[0]
    elif default:
        made["default"] = json.loads(default)
    if made["name"] == "limit":
        made["minimum"], made["maximum"] = 1, 1000
    if made["name"] == "max":
        made["minimum"], made["maximum"] = 0, 2**63 - 1
    if made["type"] in ("users", "integers"):
        made["maximumCount"] = 1000
    if made["type"] == "changes":
        made["maximumCount"] = 10_000
    return made


TABLE = read_table()


class Refused(Exception):
    """An error that is found before the library is called."""

    def __init__(self, message: str, code: str = "invalidRequest", index: int | None = None) -> None:
        super().__init__(message)
        self.code, self.index = code, index


# Requests


def parse(line: bytes) -> Any:
    if len(line) > LINE_LIMIT:
        raise Refused(f"a line is at most {LINE_LIMIT} bytes long")

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            raise ValueError("a name occurs twice")
        return made

    def refuse(word: str) -> Any:
        raise ValueError(word)

    try:
        value = json.loads(line.decode(), object_pairs_hook=unique, parse_constant=refuse)
        check_limits(value)
    except (ValueError, RecursionError) as error:
        raise Refused(f"the line is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise Refused("a request is a JSON object")
    return value


def check_limits(value: Any) -> None:
    count, level = 0, [value]
    for depth in range(LEVEL_LIMIT + 2):
        below: list[Any] = []
        count += len(level)
        for each in level:
            if isinstance(each, str):
                each.encode()  # a lone surrogate is no text
            elif isinstance(each, dict):
                for name in each:
                    name.encode()
                below += each.values()
            elif isinstance(each, list):
                below += each
        if not level:
            return
        if depth > LEVEL_LIMIT or count > VALUE_LIMIT:
            break
        level = below
    raise ValueError("too deep, or too many values")


class Request:
    """A request of valid shape."""

    def __init__(self, value: Any) -> None:
        if not isinstance(value, dict):
            raise Refused("a request is a JSON object")
        op = value.get("op")
        if not isinstance(op, str):
            raise Refused("op, the name of an operation, is missing")
        if op not in TABLE:
            raise Refused(f"there is no operation {op[:64]}")
        self.op, self.has_tag, self.tag = op, "tag" in value, value.get("tag")
        self.given = {name for name in value if name not in ("op", "tag")}
        fields = {each["name"]: each for each in TABLE[op]["fields"]}
        self.values: dict[str, Any] = {each["name"]: each.get("default") for each in fields.values()}
        for name in value:
            if name in ("op", "tag"):
                continue
            if name not in fields:
                raise Refused(f"{op} has no field {name[:64]}")
            self.values[name] = self.check(value[name], fields[name])
        for name, each in fields.items():
            if each["required"] and name not in value:
                raise Refused(f"{op} needs the field {name}")
        self.check_combinations()

    def check_combinations(self) -> None:
        if self.values.get("following") and "as" not in self.given:
            raise Refused("following needs a viewer (as)")
        if self.op != "users":
            return
        if self["order"] == "followedFirst" and "as" not in self.given:
            raise Refused("order followedFirst needs a viewer (as)")
        if self["match"] == "regex" and "fold" in self.given:
            raise Refused("match regex ignores case by itself and takes no fold")
        if self["match"] == "fuzzy" and self["order"] != "name":
            raise Refused("match fuzzy has an order of its own")

    def __getitem__(self, name: str) -> Any:
        return self.values.get(name)

    @staticmethod
    def check(value: Any, field: dict[str, Any]) -> Any:
        kind, name = field["type"], field["name"]
        if kind == "integer" and type(value) is int and value in INTEGERS:
            if not field.get("minimum", value) <= value <= field.get("maximum", value):
                raise Refused(f"{name} is {field['minimum']} to {field['maximum']}, not {value}")
            return value
        if kind == "string" and isinstance(value, str):
            if value not in field.get("values", [value]):
                raise Refused(f"{name} is one of {', '.join(field['values'])}, not {value[:64]}")
            return value
        if kind == "boolean" and isinstance(value, bool):
            return value
        if kind == "user" and is_reference(value):
            return value
        if kind in ("users", "integers", "changes") and isinstance(value, list):
            if len(value) > field["maximumCount"]:
                raise Refused(f"{name} has at most {field['maximumCount']} elements")
            if kind == "changes":
                return [Request.change(each, index) for index, each in enumerate(value)]
            if all(is_reference(each) if kind == "users" else type(each) is int and each in INTEGERS for each in value):
                return value
        if kind == "question" and isinstance(value, dict):
            question = Request(value)
            if question.op in CHANGES or question.op in ("batch", "snapshot", "watch", "unwatch"):
                raise Refused(f"a question is watched, not {question.op}")
            return question
        raise Refused(f"{name} must be of type {kind}")

    @staticmethod
    def change(value: Any, index: int) -> Request:
        try:
            op = value.get("op") if isinstance(value, dict) else None
            if isinstance(op, str) and op in TABLE and op not in CHANGES:
                raise Refused(f"a batch holds single changes, not {op}")
            return Request(value)
        except Refused as error:
            raise Refused(str(error), error.code, index) from None


def is_reference(value: Any) -> bool:
    if type(value) is int:
        return value in INTEGERS
    return isinstance(value, dict) and list(value) == ["username"] and isinstance(value["username"], str)


# Answers
