#!/usr/bin/env python3
"""The protocol of `kith query` (docs/PROTOCOL.md) spoken through the Python package and the C library.

    kith-query.py query STORE|SNAPSHOT|--memory [--timings] [--read-only]
    kith-query.py import STORE --users FILE … [--at MS]

Tests of the protocol can so be run on this interface. Other commands are those of `kith` (KITH_COMMAND, or in PATH).
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import re
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any, Callable

import kith
import numpy
from query_answers import Asker, post_value, user_value
from query_requests import CHANGES, LINE_LIMIT, WATCH_LIMIT, Refused, Request, parse


class Session:
    """Answers one line at a time."""

    def __init__(self, graph: kith.Graph, timings: bool, read_only: bool) -> None:
        self.graph, self.timings, self.read_only = graph, timings, read_only
        self.watches: dict[int, Watch] = {}
        self.numbers = itertools.count(1)

    def answer(self, line: bytes) -> dict[str, Any]:
        began, request, value = time.perf_counter_ns(), None, None
        try:
            value = parse(line)
            request = Request(value)
            answer = {"ok": True, **self.run(request)}
        except (kith.KithError, Refused) as error:
            answer = {"ok": False, "error": error_value(error)}
        if isinstance(value, dict) and "tag" in value:
            answer["tag"] = value["tag"]
        if self.timings:
            answer["ns"] = time.perf_counter_ns() - began
        return answer

    def run(self, r: Request) -> dict[str, Any]:
        if self.read_only and (r.op in CHANGES or r.op == "batch"):
            raise Refused("the graph was opened for reading only", "readOnly")
        if r.op == "batch":
            return self.batch(r)
        if r.op in CHANGES:
            return self.change(self.graph, r)
        if r.op == "snapshot":
            info = self.graph.snapshot()
            return {"path": info.path, "sequence": info.sequence}
        if r.op == "watch":
            if len(self.watches) >= WATCH_LIMIT:
                raise Refused(f"at most {WATCH_LIMIT} queries are watched", "limitExceeded")
            watch = Watch(self.graph, r["question"])
            number = next(self.numbers)
            self.watches[number] = watch
            return {"watch": number}
        if r.op == "unwatch":
            return {"changed": self.watches.pop(r["watch"], None) is not None}
        return Asker(self.graph).answer(r)

    def change(self, writer: kith.Writer, r: Request) -> dict[str, Any]:
        find = Asker(writer).find
        kind: Any = r.op
        user, target, text, at = r["user"], r["target"], r["text"], r["at"]
        user = None if user is None else find(user)
        if r.op in ("addUser", "renameUser"):
            text = r["username"]
        if r.op == "addUser":
            user = None if r["id"] is None else r["id"] or -1
        if r.op in ("addPost", "removePost", "like", "unlike"):
            target = r["id"] if r.op == "addPost" else r["post"]
            target = target if target is None else target or -1
        elif target is not None:
            target = find(target)
        if r.op == "addPost":
            at = r["createdAt"]
        (result,) = writer.apply(kith.Change(kind, user, target, text, at))
        if r.op == "addUser":
            return {"user": user_value(writer.user(result.id)), "sequence": result.sequence}  # type: ignore[arg-type]
        if r.op == "addPost":
            return {"post": post_value(writer.post(result.id)), "sequence": result.sequence}  # type: ignore[arg-type]
        return {"changed": result.changed, "sequence": result.sequence}

    def batch(self, r: Request) -> dict[str, Any]:
        index = 0

        def body(batch: kith.Batch) -> list[dict[str, Any]]:
            nonlocal index
            results = []
            for index, each in enumerate(r["changes"]):
                result = {"ok": True, **self.change(batch, each)}
                results.append({**result, "tag": each.tag} if each.has_tag else result)
            return results

        try:
            results = self.graph.batch(body)
        except Refused as error:
            raise Refused(str(error), error.code, index) from None
        sequence = results[-1]["sequence"] if results else self.graph.counts().sequence
        return {"results": results, "sequence": sequence}

    def changed_answers(self) -> Iterator[dict[str, Any]]:
        for number, watch in list(self.watches.items()):
            try:
                if (answer := watch.poll()) is None:
                    continue
                yield {"watch": number, "sequence": self.graph.counts().sequence, "ok": True, **answer}
            except (kith.KithError, Refused) as error:
                del self.watches[number]
                sequence = self.graph.counts().sequence
                yield {"watch": number, "sequence": sequence, "ok": False, "error": error_value(error)}


class Watch:
    """A question that is answered again when its answer changes: by a live query of the library where there is one."""

    def __init__(self, graph: kith.Graph, request: Request) -> None:
        self.graph = graph
        self.request = request
        for name in ("user", "target", "as", "excluding"):
            if request[name] is not None:
                request.values[name] = Asker(graph).find(request[name])
        if request["targets"] is not None:
            request.values["targets"] = [Asker(graph).find(each) for each in request["targets"]]
        self.live: kith.Live[Any] | None = None
        self.convert: Callable[[Any], Any] | None = None
        self.sequence: int | None = None
        self.last: Any = None
        self.open_live()

    def open_live(self) -> None:
        recorder = _Recorder()
        try:
            Asker(recorder).answer(self.request)  # type: ignore[arg-type]
        except _Called as called:
            self.live = self.graph.live(called.method, *called.arguments, **called.options)
        except Exception:
            return

    def poll(self) -> dict[str, Any] | None:
        if self.live is not None:
            if not self.live.poll():
                return None
        else:
            sequence = self.graph.counts().sequence
            if sequence == self.sequence:
                return None
            self.sequence = sequence
        answer = Asker(self.graph).answer(self.request)
        if answer == self.last:
            return None
        self.last = answer
        return answer


class _Called(Exception):
    def __init__(self, method: Any, arguments: Any, options: Any) -> None:
        super().__init__()
        self.method, self.arguments, self.options = method, arguments, options


class _Recorder:
    """Carries out which query a request calls."""

    LIVE = {
        "search_users",
        "search_posts",
        "timeline",
        "followers",
        "followees",
        "blocked",
        "muted",
        "likers",
        "likes",
        "mutual_followees",
        "mutual_followers",
        "suggestions",
        "user",
        "post",
    }

    def __getattr__(self, name: str) -> Any:
        if name not in self.LIVE:
            raise AttributeError(name)

        def call(*arguments: Any, **options: Any) -> Any:
            raise _Called(getattr(kith.Graph, name), arguments, options)

        return call


def error_value(error: Any) -> dict[str, Any]:
    made = {"code": error.code, "message": str(error)}
    return made if error.index is None else {**made, "index": error.index}


# The loop


def lines() -> Iterator[bytes]:
    """Lines of standard input; flushes the answers whenever the next read would wait."""
    buffer, skipping = b"", False
    while True:
        if not select.select([0], [], [], 0)[0]:
            sys.stdout.flush()
        chunk = os.read(0, 1 << 18)
        if not chunk:
            if buffer:
                yield buffer
            return
        *whole, buffer = (buffer + chunk).split(b"\n")
        for line in whole:
            if not skipping:
                yield line
            skipping = False
        if len(buffer) > LINE_LIMIT + 1:
            if not skipping:
                yield buffer
            buffer, skipping = b"", True


def query(arguments: list[str]) -> int:
    options = [each for each in arguments if each.startswith("--")]
    paths = [each for each in arguments if not each.startswith("--")]
    if len(paths) + ("--memory" in options) != 1 or set(options) - {"--memory", "--timings", "--read-only"}:
        print(__doc__, file=sys.stderr)
        return 2
    read_only = "--read-only" in options
    try:
        graph = kith.open(paths[0], read_only=read_only) if paths else kith.Graph()
    except kith.KithError as error:
        print(f"kith: {error}", file=sys.stderr)
        return 2
    session = Session(graph, "--timings" in options, read_only)
    try:
        for line in lines():
            if not line.strip(b" \t\r\n"):
                continue
            for answer in itertools.chain([session.answer(line)], session.changed_answers()):
                sys.stdout.write(json.dumps(answer, ensure_ascii=False, separators=(",", ":")) + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    graph.close()
    return 0


# Files of rows (tsv, plain or zstd)


NUMBER_COUNTS = {"users": 1, "follows": 3, "posts": 3, "likes": 3, "blocks": 2, "mutes": 2}
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "\\": "\\"}


def unescape(match: re.Match[str]) -> str:
    if match[1] not in ESCAPES:
        raise ValueError(f"{match[0]} is no escape")
    return ESCAPES[match[1]]


def read_columns(part: str, path: str, at: int) -> tuple[Any, ...]:
    """The columns of a file: those of numbers, then the texts of users and posts."""
    with open(path, "rb") as opened:
        file = opened.read()
    # Not for other files: zstd fails on one without a byte.
    if file.startswith(ZSTD_MAGIC):
        file = subprocess.run(["zstd", "-dcq"], input=file, capture_output=True, check=True).stdout
    count, has_text = NUMBER_COUNTS[part], part in ("users", "posts")
    numbers: list[list[int]] = [[] for _ in range(count)]
    texts: list[str] = []
    for place, line in enumerate(file.decode().removesuffix("\n").split("\n") if file else [], 1):
        fields: list[Any] = line.split("\t")
        if len(fields) == 2 and count == 3 and not has_text:
            fields.append(at)
        try:
            if len(fields) < count:
                raise ValueError("too few fields")
            for column, field in zip(numbers, fields):
                column.append(int(field))
            if has_text:
                (text,) = fields[count:]
                texts.append(re.sub(r"\\(.?)", unescape, text))
            elif len(fields) > count:
                raise ValueError("too many fields")
        except ValueError as error:
            raise ValueError(f"{path}, line {place}: {error}") from None
    columns = [numpy.array(column, numpy.int64) for column in numbers]
    if part == "posts":
        return (columns[0], columns[1], texts, columns[2])
    return (*columns, texts) if has_text else tuple(columns)


def import_files(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="kith-query.py import")
    parser.add_argument("store")
    parser.add_argument("--at", type=int, default=time.time_ns() // 1_000_000)
    for part in NUMBER_COUNTS:
        parser.add_argument("--" + part)
    given = vars(parser.parse_args(arguments))
    try:
        columns: Any = {part: read_columns(part, given[part], given["at"]) for part in NUMBER_COUNTS if given[part]}
        with kith.open(given["store"]) as graph:
            report = graph.import_columns(**columns)
    except (kith.KithError, subprocess.CalledProcessError, OSError, ValueError) as error:
        print(f"kith-query.py: {error}", file=sys.stderr)
        return 1
    counts = [getattr(report, part) for part in NUMBER_COUNTS]
    if any(count.added or count.duplicates for count in counts):
        return 0
    print("kith-query.py: nothing was imported: no row could be added, and none existed already", file=sys.stderr)
    return 1


def main() -> int:
    if len(sys.argv) > 2 and sys.argv[1] == "query":
        return query(sys.argv[2:])
    if len(sys.argv) > 2 and sys.argv[1] == "import":
        return import_files(sys.argv[2:])
    return subprocess.run([os.environ.get("KITH_COMMAND", "kith"), *sys.argv[1:]]).returncode


if __name__ == "__main__":
    sys.exit(main())
