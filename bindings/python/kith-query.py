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
from typing import Any, Callable, Iterator

import numpy

import kith

INTEGERS = range(-(2**63), 2**63)
LINE_LIMIT, LEVEL_LIMIT, VALUE_LIMIT = 8 << 20, 64, 262_144
WATCH_LIMIT = 10_000

OPERATIONS = """
users limit=20 cursor? as? query="" match=substring|prefix|exact|fuzzy|regex fold=loose|strict
  order=name|prefixFirst|followedFirst|popular excluding? count=false highlights=false -> users next count
user user as? -> user
post post as? -> post
lookup as? users? posts? -> users posts
timeline user limit=20 cursor? direction=older|newer before? after? includeSelf=true -> posts next previous
posts limit=20 cursor? as? query="" user? following=false fold=loose|strict before? after? highlights=false -> posts next
followees user limit=20 cursor? as? order=newest|name -> users next
followers user limit=20 cursor? as? order=newest|name -> users next
isFollowing user target -> value
relations user targets -> relations
likers post limit=20 cursor? as? -> users next
likes user limit=20 cursor? as? -> posts next
mutuals user target limit=20 cursor? of=followees|followers -> users next
suggestions user limit=20 -> users truncated
distance user target max=6 -> value complete
blocked user limit=20 cursor? -> users next
muted user limit=20 cursor? -> users next
addUser username id? -> user sequence
renameUser user username -> changed sequence
removeUser user -> changed sequence
follow user target at? -> changed sequence
unfollow user target -> changed sequence
addPost user text id? createdAt? -> post sequence
removePost post -> changed sequence
like user post at? -> changed sequence
unlike user post -> changed sequence
block user target -> changed sequence
unblock user target -> changed sequence
mute user target -> changed sequence
unmute user target -> changed sequence
batch changes -> results sequence
snapshot -> path sequence
stats -> users follows posts likes blocks mutes sequence bytes
verify -> problems
watch question -> watch
unwatch watch -> changed
help about? -> ops
"""
TYPES = {
    "user": "user", "target": "user", "as": "user", "excluding": "user", "users": "users", "targets": "users",
    "posts": "integers", "changes": "changes", "question": "question", "username": "string", "text": "string",
    "query": "string", "cursor": "string", "about": "string",
}
CHANGES = {"addUser", "renameUser", "removeUser", "addPost", "removePost", "follow", "unfollow", "like", "unlike",
           "block", "unblock", "mute", "unmute"}


def read_table() -> dict[str, Any]:
    """The operations: what `help` answers for each."""
    table: dict[str, Any] = {}
    for line in OPERATIONS.replace("\n  ", " ").strip().splitlines():
        left, right = line.split("->")
        op, *words = left.split()
        table[op] = {"op": op, "fields": [field(word, op) for word in words], "answer": right.split()}
    for word in table["help"]["fields"]:
        word["values"] = list(table)
    return table


def field(word: str, op: str) -> dict[str, Any]:
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


def user_value(user: kith.User, viewer: Any = None) -> dict[str, Any]:
    made: dict[str, Any] = {
        "id": user.id, "username": user.username, "followerCount": user.follower_count,
        "followeeCount": user.followee_count, "postCount": user.post_count}
    if (following := user.is_followed_by_viewer) is not None:
        made["following"] = following
    for name, at in (("followedAt", user.followed_at), ("likedAt", user.liked_at)):
        if at is not None:
            made[name] = int(at.timestamp()) * 1000
    if isinstance(user, kith.Suggestion):
        made["mutualCount"] = user.mutual_count
    if (ranges := user.highlights) is not None:
        made["ranges"] = ranges
    return made


def post_value(post: kith.Post) -> dict[str, Any]:
    made: dict[str, Any] = {
        "id": post.id, "author": {"id": post.author_id, "username": post.author}, "createdAt": post.created_ms,
        "text": post.text, "likeCount": post.like_count}
    if (liked := post.is_liked_by_viewer) is not None:
        made["liked"] = liked
    if post.liked_at is not None:
        made["likedAt"] = int(post.liked_at.timestamp()) * 1000
    if (ranges := post.highlights) is not None:
        made["ranges"] = ranges
    return made


def users_of(page: Any) -> dict[str, Any]:
    made = {"users": [user_value(user) for user in page], "next": page.next}
    return made if page.total is None else {**made, "count": page.total}


def posts_of(page: Any) -> dict[str, Any]:
    return {"posts": [post_value(post) for post in page], "next": page.next}


class Asker:
    """Answers reads from one version of the graph."""

    def __init__(self, reader: kith.Reader) -> None:
        self.reader = reader

    def find(self, reference: Any) -> int:
        if reference is None or isinstance(reference, int):
            # 0 and less are ids that no user has, not the absence of a user.
            return -1 if reference == 0 else reference  # type: ignore[return-value]
        found = self.reader.find_user(reference["username"])
        if found is None:
            raise Refused(f"no user named {reference['username'][:64]}", "unknownUser")
        return found

    def answer(self, r: Request) -> dict[str, Any]:
        reader, find = self.reader, self.find
        page = {"limit": r["limit"], "cursor": r["cursor"]}
        listed = {**page, "viewer": find(r["as"])}
        if r.op == "users":
            return users_of(reader.search_users(
                r["query"], match=r["match"], folding=r["fold"], order=r["order"], excluded=find(r["excluding"]),
                counts_matches=r["count"], includes_highlights=r["highlights"], **listed))
        if r.op == "posts":
            return posts_of(reader.search_posts(
                r["query"], author=find(r["user"]), followed_only=r["following"], folding=r["fold"],
                before=r["before"], after=r["after"], includes_highlights=r["highlights"], **listed))
        if r.op == "timeline":
            timeline = reader.timeline(
                find(r["user"]), direction=r["direction"], before=r["before"], after=r["after"],
                includes_own_posts=r["includeSelf"], **page)
            return {**posts_of(timeline), "previous": timeline.previous}
        if r.op in ("followees", "followers"):
            return users_of(getattr(reader, r.op)(find(r["user"]), order=r["order"], **listed))
        if r.op in ("blocked", "muted"):
            return users_of(getattr(reader, r.op)(find(r["user"]), **page))
        if r.op == "likers":
            return users_of(reader.likers(r["post"], **listed))
        if r.op == "likes":
            return posts_of(reader.likes(find(r["user"]), **listed))
        if r.op == "mutuals":
            query = reader.mutual_followers if r["of"] == "followers" else reader.mutual_followees
            return users_of(query(find(r["user"]), find(r["target"]), **page))
        return self.single(r)

    def single(self, r: Request) -> dict[str, Any]:
        reader, find = self.reader, self.find
        if r.op == "user":
            return {"user": user_value(reader.user(find(r["user"]), viewer=find(r["as"])))}
        if r.op == "post":
            return {"post": post_value(reader.post(r["post"], viewer=find(r["as"])))}
        if r.op == "lookup":
            viewer = find(r["as"])
            users = reader.users([self.found(each) for each in r["users"] or []], viewer=viewer)
            posts = reader.posts(r["posts"] or [], viewer=viewer)
            return {"users": [user and user_value(user) for user in users],
                    "posts": [post and post_value(post) for post in posts]}
        if r.op == "isFollowing":
            return {"value": reader.is_following(find(r["user"]), find(r["target"]))}
        if r.op == "relations":
            found = reader.relations(find(r["user"]), [find(each) for each in r["targets"]])
            return {"relations": [
                {"following": each.is_following, "followedBy": each.is_followed_by, "blocking": each.is_blocking,
                 "blockedBy": each.is_blocked_by, "muting": each.is_muting} for each in found]}
        if r.op == "suggestions":
            page = reader.suggestions(find(r["user"]), limit=r["limit"])
            return {"users": [user_value(user) for user in page], "truncated": page.is_truncated}
        if r.op == "distance":
            path = reader.shortest_path(find(r["user"]), find(r["target"]), maximum_hops=r["max"])
            return {"value": path.hops, "complete": path.is_complete}
        if r.op == "stats":
            c = reader.counts()
            sizes = {entry.name: entry.bytes for entry in reader.memory_report() if entry.count is None}
            return {"users": c.users, "follows": c.follows, "posts": c.posts, "likes": c.likes, "blocks": c.blocks,
                    "mutes": c.mutes, "sequence": c.sequence, "bytes": {**sizes, "total": sum(sizes.values())}}
        if r.op == "verify":
            return {"problems": [
                {"code": each.code, "where": each.place, "message": each.message} for each in reader.verify()]}
        return {"ops": [TABLE[r["about"]]] if r["about"] else list(TABLE.values())}

    def found(self, reference: Any) -> int:
        try:
            return self.find(reference)
        except Refused:
            return -1


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

    LIVE = {"search_users", "search_posts", "timeline", "followers", "followees", "blocked", "muted", "likers", "likes",
            "mutual_followees", "mutual_followers", "suggestions", "user", "post"}

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
ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "\\": "\\"}


def unescape(match: re.Match[str]) -> str:
    if match[1] not in ESCAPES:
        raise ValueError(f"{match[0]} is no escape")
    return ESCAPES[match[1]]


def read_columns(part: str, path: str, at: int) -> tuple[Any, ...]:
    """The columns of a file: those of numbers, then the texts of users and posts."""
    file = subprocess.run(["zstd", "-dcfq", "--", path], capture_output=True, check=True).stdout
    count, has_text = NUMBER_COUNTS[part], part in ("users", "posts")
    numbers: list[list[int]] = [[] for _ in range(count)]
    texts: list[str] = []
    for place, line in enumerate(file.decode().removesuffix("\n").split("\n") if file else [], 1):
        fields: list[Any] = line.split("\t")
        if len(fields) == 2 and count == 3 and not has_text:
            fields.append(at)
        try:
            for column, field in zip(numbers, fields[:count], strict=True):
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
            graph.import_columns(**columns)
    except (kith.KithError, subprocess.CalledProcessError, ValueError) as error:
        print(f"kith-query.py: {error}", file=sys.stderr)
        return 1
    return 0


def main() -> int:
    if len(sys.argv) > 2 and sys.argv[1] == "query":
        return query(sys.argv[2:])
    if len(sys.argv) > 2 and sys.argv[1] == "import":
        return import_files(sys.argv[2:])
    return subprocess.run([os.environ.get("KITH_COMMAND", "kith"), *sys.argv[1:]]).returncode


if __name__ == "__main__":
    sys.exit(main())
