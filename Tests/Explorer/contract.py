#!/usr/bin/env python3
"""The HTTP interface of `kith explore` by contract: contract.py KITH [unittest options], with a kith built with the
trait Explorer. It uses only Python's standard library."""

import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from urllib.parse import quote, urlsplit

KITH = ""
HOSTILE = ["<script>alert(1)</script>", "\u202egnirts", "a\u200bb", "é" * 60, '"\\\'&', "tab\there"]
WRITES = [
    {"op": "addUser", "username": "x"}, {"op": "renameUser", "user": 1, "username": "x"}, {"op": "removeUser", "user": 1},
    {"op": "follow", "user": 1, "target": 2}, {"op": "unfollow", "user": 1, "target": 2},
    {"op": "addPost", "user": 1, "text": "x"}, {"op": "removePost", "post": 1}, {"op": "like", "user": 1, "post": 1},
    {"op": "unlike", "user": 1, "post": 1}, {"op": "block", "user": 1, "target": 2},
    {"op": "unblock", "user": 1, "target": 2}, {"op": "mute", "user": 1, "target": 2},
    {"op": "unmute", "user": 1, "target": 2}, {"op": "batch", "changes": []}, {"op": "snapshot"},
    {"op": "watch", "question": {"op": "stats"}}, {"op": "unwatch", "watch": 1},
]  # fmt: skip


class Writer:
    """A process that has the store open and changes it."""

    def __init__(self, store):
        self.process = subprocess.Popen([KITH, "query", store], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __call__(self, **request):
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        assert answer["ok"], answer
        return answer

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


class Explorer:
    """A running `kith explore`."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen(
            [KITH, "explore", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()
        url = urlsplit(self.address)
        self.host, self.port, self.token = url.hostname, url.port, url.query.removeprefix("token=")

    def send(self, method, path, body=None, headers=None, token=True, skip_host=False):
        """Status, headers and body of one request."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=20)
        try:
            connection.putrequest(method, path, skip_host=skip_host, skip_accept_encoding=True)
            headers = dict(headers or {})
            if token:
                headers.setdefault("Authorization", "Bearer " + self.token)
            if body is not None:
                headers.setdefault("Content-Length", str(len(body)))
            for name, value in headers.items():
                connection.putheader(name, value)
            connection.endheaders(body)
            response = connection.getresponse()
            return response.status, response.headers, response.read()
        finally:
            connection.close()

    def get(self, path, status=200):
        got, _, body = self.send("GET", path)
        assert got == status, (path, got, body[:500])
        return json.loads(body)

    def query(self, at=None, status=200, **request):
        path = "/api/query" + ("" if at is None else f"?at={at}")
        got, _, body = self.send("POST", path, json.dumps(request).encode())
        assert got == status, (request, got, body[:500])
        return json.loads(body)

    def events(self, path, body=None):
        return Events(self, path, body)

    def result(self, path):
        """The result of a computation that reports its progress."""
        with self.events(path) as events:
            return events.first("result")

    def close(self, number=signal.SIGINT):
        """The exit status and the standard error."""
        self.process.send_signal(number)
        error = self.process.communicate(timeout=20)[1]
        return self.process.returncode, error


class Events:
    """One stream of server-sent events."""

    def __init__(self, explorer, path, body=None):
        self.connection = http.client.HTTPConnection(explorer.host, explorer.port, timeout=20)
        headers = {"Authorization": "Bearer " + explorer.token}
        self.connection.request("GET" if body is None else "POST", path, body, headers)
        self.response = self.connection.getresponse()
        self.status = self.response.status

    def __iter__(self):
        name = None
        while line := self.response.readline().decode():
            if line.startswith("event: "):
                name = line.removeprefix("event: ").rstrip("\n")
            elif line.startswith("data: "):
                yield name, json.loads(line.removeprefix("data: "))

    def first(self, wanted, check=lambda data: True):
        """The first event of that name that passes the check."""
        for name, data in self:
            if name == wanted and check(data):
                return data
        raise AssertionError(f"the stream ended without {wanted}")

    def close(self):
        self.response.close()
        self.connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def eventually(check, seconds=10.0):
    """Waits until the check holds."""
    end = time.monotonic() + seconds
    while not check():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


def raw(explorer, data, seconds=5):
    """What the server answers to these bytes."""
    with socket.create_connection((explorer.host, explorer.port), timeout=seconds) as connection:
        parts = []
        try:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            while part := connection.recv(65536):
                parts.append(part)
        except OSError:
            pass
        return b"".join(parts)


class Case(unittest.TestCase):
    """Each test class has a store of its own, and an explorer over it."""

    seed = None
    arguments = ()

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="kith-explore-")
        cls.store = os.path.join(cls.folder, "store")
        if cls.seed:
            subprocess.run([KITH, "seed", cls.store, *cls.seed], check=True, stdout=subprocess.DEVNULL)
        else:
            cls.fill()
        cls.explorer = Explorer(cls.store, *cls.arguments)

    @classmethod
    def fill(cls):
        writer = Writer(cls.store)
        for name in ["ann", "bob", "cid", "dan", "eve", *HOSTILE]:
            writer(op="addUser", username=name)
        for user, target in [(1, 2), (2, 3), (3, 4), (4, 1), (2, 1), (5, 1)]:
            writer(op="follow", user=user, target=target, at=user * 3_600_000)
        for user, text in [(1, "hello world"), (2, "a world apart"), (3, HOSTILE[0])]:
            writer(op="addPost", user=user, text=text, createdAt=user * 86_400_000)
        writer(op="like", user=2, post=1, at=7_200_000)
        writer(op="block", user=4, target=5)
        writer.close()

    @classmethod
    def tearDownClass(cls):
        cls.explorer.close()
        shutil.rmtree(cls.folder)


class Access(Case):
    """Who is let in."""

    def status(self, path="/api/info", **options):
        return self.explorer.send("GET", path, **options)[0]

    def test_token(self):
        good = self.explorer.token
        self.assertGreaterEqual(len(good) * 4, 128)
        self.assertEqual(self.status(), 200)
        self.assertEqual(self.status(token=False), 401)
        wrong = [good[:-1], good + "0", good[:-1] + ("1" if good[-1] == "0" else "0"), "", good.upper() + "x"]
        for token in wrong:
            self.assertEqual(self.status(token=False, headers={"Authorization": "Bearer " + token}), 401, token)
            self.assertEqual(self.status(token=False, headers={"Cookie": "kith=" + token}), 401, token)
        for cookie in [f"kith={good}", f"a=b; kith={good}; c=d", f"kith=old; kith-{self.explorer.port}={good}"]:
            self.assertEqual(self.status(token=False, headers={"Cookie": cookie}), 200, cookie)
        self.assertEqual(self.status(token=False, headers={"Cookie": f"other={good}"}), 401)
        self.assertEqual(self.status(token=False, path="/api/info?token=" + good), 401)
        for path in ["/", "/app/app.css", "/api/events", "/api/nothing", "/nothing"]:
            self.assertEqual(self.status(token=False, path=path), 401, path)

    def test_entrance(self):
        status, headers, _ = self.explorer.send("GET", "/?token=" + self.explorer.token, token=False)
        self.assertEqual((status, headers["Location"]), (303, "/"))
        for cookie in headers.get_all("Set-Cookie"):
            self.assertRegex(cookie, f"^kith(-{self.explorer.port})?={self.explorer.token}; HttpOnly; SameSite=Strict; Path=/$")
        status, headers, body = self.explorer.send("GET", "/?token=wrong", token=False)
        self.assertEqual(status, 401)
        self.assertIsNone(headers["Set-Cookie"])
        self.assertIn(b"address that kith explore printed", body)

    def test_hosts(self):
        port = self.explorer.port
        for host in [f"127.0.0.1:{port}", "127.0.0.1", f"localhost:{port}", "LOCALHOST", f"[::1]:{port}", "[::1]"]:
            self.assertEqual(self.status(headers={"Host": host}, skip_host=True), 200, host)
        hostile = [
            "evil.example", f"evil.example:{port}", "127.0.0.1.evil.example", "localhost.evil.example", "localhost.",
            "127.0.0.1:99999", "127.0.0.1:x", "127.0.0.1:-1", "", ":", "[::1", "::1", "127.0.0.2", "0.0.0.0", "127.1",
            "2130706433", "user@127.0.0.1",
        ]  # fmt: skip
        for host in hostile:
            self.assertEqual(self.status(headers={"Host": host}, skip_host=True), 403, host)
        two = f"GET /api/info HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\nConnection: close\r\n"
        two += f"Authorization: Bearer {self.explorer.token}\r\n\r\n"
        self.assertRegex(raw(self.explorer, two.encode()), rb"^HTTP/1.1 40[03]")
        self.assertRegex(raw(self.explorer, b"GET /api/info HTTP/1.0\r\n\r\n"), rb"^HTTP/1.[01] 40[03]")

    def test_origins(self):
        own = f"127.0.0.1:{self.explorer.port}"
        self.assertEqual(self.status(headers={"Origin": "http://" + own}), 200)
        hostile = [
            "null", "http://evil.example", "https://" + own, "http://127.0.0.1", "http://localhost:3000", own, "",
            f"http://{own}.evil.example", f"http://{own}/",
        ]  # fmt: skip
        for origin in hostile:
            self.assertEqual(self.status(headers={"Origin": origin}), 403, origin)
            status, headers, _ = self.explorer.send("OPTIONS", "/api/query", headers={"Origin": origin})
            self.assertEqual(status, 403)
            self.assertFalse([name for name in headers if name.lower().startswith("access-control")])
        for site, expected in [("same-origin", 200), ("none", 200), ("same-site", 403), ("cross-site", 403)]:
            self.assertEqual(self.status(headers={"Sec-Fetch-Site": site}), expected, site)
        self.assertEqual(self.status(path="/", headers={"Sec-Fetch-Site": "cross-site"}), 200)

    def test_headers(self):
        for path in ["/", "/app/app.css", "/api/info", "/api/nothing", "/api/openapi.json"]:
            for token in [True, False]:
                headers = self.explorer.send("GET", path, token=token)[1]
                policy = headers["Content-Security-Policy"]
                self.assertIn("default-src 'none'; script-src 'self'", policy)
                self.assertIn("frame-ancestors 'none'", policy)
                self.assertNotIn("unsafe", policy)
                self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
                self.assertEqual(headers["Referrer-Policy"], "no-referrer")

    def test_page(self):
        status, headers, body = self.explorer.send("GET", "/")
        self.assertEqual((status, headers["Content-Type"]), (200, "text/html; charset=utf-8"))
        self.assertNotRegex(body.decode(), r"<script(?![^>]*\bsrc=)|\bstyle=|\bon\w+=")
        names = set(re.findall(r"/app/([\w.-]+)", body.decode()))
        self.assertIn("app.css", names)
        total = len(body)
        while names:
            name = names.pop()
            status, headers, body = self.explorer.send("GET", "/app/" + name)
            self.assertEqual((status, headers["Cache-Control"]), (200, "no-cache"), name)
            again = self.explorer.send("GET", "/app/" + name, headers={"If-None-Match": headers["ETag"]})
            self.assertEqual((again[0], again[2]), (304, b""), name)
            self.assertEqual(self.explorer.send("HEAD", "/app/" + name)[::2], (200, b""))
            total += len(body)
        self.assertLess(total, 150_000)
        for path in ["/app/", "/app/none.js", "/app/../app.css", "/app/..%2fapp.css", "/app/%00", "//", "/app/app.css/"]:
            self.assertEqual(self.status(path=path), 404, path)


class Requests(Case):
    """The answers of a small graph."""

    def test_info(self):
        info = self.explorer.get("/api/info")
        counts = {"users": 11, "follows": 6, "posts": 3, "likes": 1, "blocks": 1, "mutes": 0}
        self.assertEqual({name: info[name] for name in counts}, counts)
        self.assertEqual((info["name"], info["kind"], info["live"], info["sequence"]), ("store", "store", True, 22))
        self.assertLess(abs(info["now"] - time.time() * 1000), 60_000)

    def test_reads(self):
        """Every read of the protocol, as `kith query` answers it."""
        operations = self.explorer.query(op="help")["ops"]
        values = {"user": 1, "target": 2, "post": 1, "targets": [2, 3], "question": {"op": "stats"}}
        lines, answers = [], []
        refused = {write["op"] for write in WRITES}
        for operation in operations:
            if operation["op"] in refused:
                continue
            request = {"op": operation["op"], "tag": operation["op"]}
            request |= {field["name"]: values[field["name"]] for field in operation["fields"] if field["required"]}
            lines.append(json.dumps(request))
            answers.append(self.explorer.query(**request))
        self.assertGreater(len(lines), 15)
        query = subprocess.run(
            [KITH, "query", self.store, "--read-only"], input="\n".join(lines), capture_output=True, text=True)
        for line, answer, expected in zip(lines, answers, query.stdout.splitlines(), strict=True):
            del answer["ns"]
            expected = json.loads(expected)
            if "stats" in line:
                del answer["bytes"], expected["bytes"]
            self.assertEqual(answer, expected, line)

    def test_texts_are_not_changed(self):
        for number, name in enumerate(HOSTILE, start=6):
            self.assertEqual(self.explorer.query(op="user", user=number)["user"]["username"], name)
            found = self.explorer.query(op="user", user={"username": name})
            self.assertEqual(found["user"]["id"], number)
        headers = self.explorer.send("POST", "/api/query", b'{"op":"post","post":3}')[1]
        self.assertEqual(headers["Content-Type"], "application/json")
        self.assertRegex(headers["Server-Timing"], r"^engine;dur=\d+\.\d{3}$")

    def test_writes_are_refused(self):
        before = {name: os.stat(os.path.join(self.store, name)).st_mtime_ns for name in os.listdir(self.store)}
        for write in WRITES:
            answer = self.explorer.query(status=405, **write)
            self.assertEqual((answer["ok"], answer["error"]["code"]), (False, "invalidRequest"), write)
        self.assertEqual(self.explorer.get("/api/info")["sequence"], 22)
        after = {name: os.stat(os.path.join(self.store, name)).st_mtime_ns for name in os.listdir(self.store)}
        self.assertEqual(before, after)

    def test_bad_requests(self):
        for body in [b"{", b"[]", b'{"op":"none"}', b'{"op":"user"}', b"\xff", b'{"op":"user","user":"x"}', b"[" * 60_000]:
            status, _, answer = self.explorer.send("POST", "/api/query", body)
            self.assertEqual((status, json.loads(answer)["error"]["code"]), (200, "invalidRequest"), body[:50])
        self.assertEqual(self.explorer.query(op="user", user=999)["error"]["code"], "unknownUser")
        self.assertEqual(self.explorer.send("POST", "/api/query", b" ")[0], 400)
        wrong = [
            ("/api/growth?buckets=0", 400), ("/api/growth?buckets=x", 400), ("/api/growth?bucket=1", 400),
            ("/api/ranks?by=x", 400), ("/api/neighbourhood", 400), ("/api/neighbourhood?user=1&hops=3", 400),
            ("/api/neighbourhood?user=999", 404), ("/api/path?from=1", 400), ("/api/path?from=1&to=999", 404),
            ("/api/live", 400), ("/api/live?question=x", 400), ("/api/live?question=" + quote('{"op":"removeUser","user":1}'), 400),
            ("/api/none", 404), ("/api/", 404),
        ]  # fmt: skip
        for path, status in wrong:
            answer = self.explorer.get(path, status)
            self.assertEqual((answer["ok"], set(answer["error"])), (False, {"code", "message"}), path)
        for body in [b"", b"{}", b'{"at":"x"}', b'{"at":1,"b":2}', b"null"]:
            self.assertEqual(self.explorer.send("POST", "/api/past", body)[0], 400, body)
        for method, path in [("GET", "/api/query"), ("POST", "/api/info"), ("PUT", "/"), ("DELETE", "/api/past")]:
            self.assertEqual(self.explorer.send(method, path)[0], 405, path)

    def test_sizes(self):
        limit = 64 << 10
        body = b'{"op":"stats"}'
        self.assertEqual(self.explorer.send("POST", "/api/query", body.ljust(limit))[0], 200)
        self.assertEqual(self.explorer.send("POST", "/api/query", body.ljust(limit + 1))[0], 413)
        self.assertEqual(self.explorer.send("POST", "/api/query", body.ljust(1 << 20))[0], 413)
        with self.assertRaises((OSError, http.client.HTTPException)):
            self.explorer.send("POST", "/api/query", body.ljust(8 << 20))
        self.assertEqual(self.explorer.send("GET", "/api/info?" + "x" * (8 << 10))[0], 414)
        head = f"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: {'x' * 100_000}\r\n\r\n"
        self.assertRegex(raw(self.explorer, head.encode()), rb"^(HTTP/1.1 4\d\d|$)")
        for data in [b"\x00" * 1000, b"GET", b"GET / HTTP/9.9\r\n\r\n", b"POST /api/query HTTP/1.1\r\nContent-Length: -1\r\n\r\n"]:
            raw(self.explorer, data)
        self.assertEqual(self.explorer.send("GET", "/api/info")[0], 200)

    def test_pictures(self):
        memory = self.explorer.get("/api/memory")
        self.assertEqual(memory["total"], sum(entry["bytes"] for entry in memory["structures"]))
        degrees = self.explorer.result("/api/degrees")
        self.assertEqual(degrees["followers"], [[0, 7], [1, 3], [3, 1]])
        self.assertEqual(degrees["followees"], [[0, 6], [1, 4], [2, 1]])
        growth = self.explorer.result("/api/growth?buckets=7")
        self.assertEqual(growth["from"], 3_600_000)
        self.assertIsNone(growth["series"]["users"])
        self.assertEqual({name: sum(counts or []) for name, counts in growth["series"].items()},
                         {"users": 0, "follows": 6, "posts": 3, "likes": 1})
        self.assertEqual(growth["series"]["follows"], [6, 0, 0, 0, 0, 0, 0])
        self.assertEqual(growth["series"]["posts"][6], 1)
        activity = growth["hours"]
        # The first of January 1970 was a Thursday: the fourth row.
        self.assertEqual(activity["follows"][3][:6], [0, 1, 2, 1, 1, 1])
        self.assertEqual([sum(day) for day in activity["posts"]], [0, 0, 0, 0, 1, 1, 1])
        self.assertEqual(activity["likes"][3][2], 1)

    def test_neighbourhood(self):
        one = self.explorer.get("/api/neighbourhood?user=1")
        self.assertEqual([(node["id"], node["distance"]) for node in one["nodes"]], [(1, 0), (2, 1), (4, 1), (5, 1)])
        self.assertEqual({tuple(edge) for edge in one["edges"]}, {(0, 1), (1, 0), (2, 0), (3, 0)})
        self.assertFalse(one["truncated"])
        two = self.explorer.get("/api/neighbourhood?user=5&hops=2")
        self.assertEqual([(node["id"], node["distance"]) for node in two["nodes"]], [(5, 0), (1, 1), (2, 2), (4, 2)])
        cut = self.explorer.get("/api/neighbourhood?user=1&limit=2")
        self.assertEqual(([node["id"] for node in cut["nodes"]], cut["truncated"]), ([1, 2], True))
        self.assertEqual(len(self.explorer.get("/api/neighbourhood?user=6&limit=1")["nodes"]), 1)

    def test_path(self):
        found = self.explorer.get("/api/path?from=5&to=4")
        self.assertEqual([user["id"] for user in found["users"]], [5, 1, 2, 3, 4])
        self.assertTrue(found["complete"])
        self.assertEqual(self.explorer.get("/api/path?from=1&to=6"), {"users": None, "complete": True})

    def test_openapi(self):
        document = self.explorer.get("/api/openapi.json")
        self.assertTrue(document["openapi"].startswith("3.1"))
        schemas = document["components"]["schemas"]
        operations = {operation["op"]: operation for operation in self.explorer.query(op="help")["ops"]}
        refused = {write["op"] for write in WRITES}
        for name, operation in operations.items():
            self.assertEqual(name in schemas, name not in refused, name)
            if name in schemas:
                fields = {field["name"] for field in operation["fields"]} | {"op", "tag"}
                self.assertEqual(set(schemas[name]["properties"]), fields)
        references = set(re.findall(r"#/components/schemas/(\w+)", json.dumps(document)))
        self.assertLessEqual(references, set(schemas))
        for path, methods in document["paths"].items():
            for method in methods:
                if method == "get" and "text/event-stream" not in json.dumps(methods[method]):
                    self.assertIn(self.explorer.send("GET", path)[0], [200, 400], path)

    def test_files(self):
        files = self.explorer.get("/api/store")
        self.assertEqual(files["snapshots"], [])
        journal = files["journals"][0]
        self.assertEqual((journal["from"], journal["to"]), (1, 22))
        self.assertEqual(files["earliest"], journal["fromTime"])
        self.assertEqual(files["latest"], journal["toTime"])
        self.assertLessEqual(files["earliest"], files["latest"])

    def test_streams_of_results(self):
        with self.explorer.events("/api/ranks?by=followers&limit=2") as events:
            users = events.first("result")["users"]
        self.assertEqual([(user["id"], user["score"]) for user in users], [(1, 3), (2, 1)])
        with self.explorer.events("/api/ranks?by=pagerank&limit=50") as events:
            users = events.first("result")["users"]
        self.assertEqual((users[0]["id"], len(users)), (1, 11))
        self.assertAlmostEqual(sum(user["score"] for user in users), 1, places=6)
        with self.explorer.events("/api/verify") as events:
            self.assertEqual(events.first("result")["problems"], [])


class Limits(Case):
    """Many at once, and work that is cancelled."""

    seed = ["--users", "60000", "--follows", "1500000", "--posts", "1000", "--likes", "1000"]

    def test_streams(self):
        streams = []

        def are_all_open():
            """The streams of the tests before end in their own time."""
            for stream in streams:
                stream.close()
            streams[:] = [self.explorer.events("/api/events") for _ in range(32)]
            return {stream.status for stream in streams} == {200}

        eventually(are_all_open)
        with self.explorer.events("/api/events") as further:
            self.assertEqual(further.status, 429)
        self.assertEqual(self.explorer.send("GET", "/api/info")[0], 200)
        for stream in streams:
            stream.close()
        eventually(lambda: self.explorer.send("HEAD", "/api/events")[0] == 200)

    def test_connections(self):
        """More clients than there may be connections: those that are served end, and the others are not answered."""
        idle = [socket.create_connection((self.explorer.host, self.explorer.port)) for _ in range(80)]
        for connection in idle:
            connection.close()
        eventually(lambda: self.is_answering())

    def is_answering(self):
        try:
            return self.explorer.send("GET", "/api/info")[0] == 200
        except OSError:
            return False

    def test_cancelling(self):
        """A closed connection ends its computation: otherwise the fifth would be refused."""
        for _ in range(12):
            eventually(self.computes)

    def computes(self):
        """Begins a long computation and leaves it; false if too many run."""
        with self.explorer.events("/api/ranks?by=pagerank") as events:
            if events.status == 429:
                return False
            self.assertEqual(next(iter(events))[0], "progress")
            return True

    def test_computations_are_bounded(self):
        """Of eight at once some are taken and some refused, when those that other tests have left have ended."""

        def are_some_refused():
            streams = [self.explorer.events("/api/ranks?by=pagerank") for _ in range(8)]
            for stream in streams:
                stream.close()
            return {stream.status for stream in streams} == {200, 429}

        eventually(are_some_refused)

    def test_first_progress_is_fast(self):
        times = []

        def compute():
            """Takes the time to the first event; false if computations that other tests have left still run."""
            began = time.monotonic()
            with self.explorer.events("/api/ranks?by=pagerank") as events:
                if events.status == 429:
                    return False
                next(iter(events))
            times.append(time.monotonic() - began)
            return True

        for _ in range(5):
            # So that what other tests have left takes no time from it.
            time.sleep(1)
            eventually(compute)
        self.assertLess(min(times), 0.1)

    def test_many_clients(self):
        """Requests on eight connections that are kept, while a computation runs."""
        failures = []

        def ask():
            connection = http.client.HTTPConnection(self.explorer.host, self.explorer.port, timeout=20)
            for _ in range(50):
                connection.request("POST", "/api/query", b'{"op":"users","query":"a"}',
                                   {"Authorization": "Bearer " + self.explorer.token})
                response = connection.getresponse()
                if not json.loads(response.read())["ok"] or response.status != 200:
                    failures.append(response.status)
            connection.close()

        with self.explorer.events("/api/ranks?by=pagerank"):
            threads = [threading.Thread(target=ask) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(failures, [])


class Living(Case):
    """A store that another process changes."""

    def setUp(self):
        self.writer = Writer(self.store)

    def tearDown(self):
        self.writer.close()

    def test_counts_follow(self):
        before = self.explorer.get("/api/info")
        for number in range(20):
            self.writer(op="addUser", username=f"new{number}")
        eventually(lambda: self.explorer.get("/api/info")["users"] == before["users"] + 20, 3)
        self.assertEqual(self.explorer.query(op="users", query="new19")["users"][0]["username"], "new19")

    def test_events(self):
        with self.explorer.events("/api/events") as events:
            events.first("counts")
            sequence = self.writer(op="addPost", user=1, text=HOSTILE[1])["sequence"]
            change = events.first("change")
            self.assertEqual((change["sequence"], change["op"], change["text"]), (sequence, "addPost", HOSTILE[1]))
            events.first("counts", lambda counts: counts["sequence"] == sequence)

    def test_a_flood_is_bounded(self):
        with self.explorer.events("/api/events") as events:
            events.first("counts")
            count, first = 3_000, self.explorer.get("/api/info")["sequence"]
            likes = [{"op": "addPost", "user": 1, "text": "x"}] * count
            self.writer(op="batch", changes=likes)
            shown = skipped = 0
            for name, data in events:
                shown += name == "change"
                skipped += data["count"] if name == "skipped" else 0
                if shown + skipped == count:
                    break
            self.assertLessEqual(shown, 400)
            self.assertEqual(self.explorer.get("/api/info")["sequence"], first + count)

    def test_live_question(self):
        post = self.writer(op="addPost", user=1, text="liked")["post"]["id"]
        eventually(lambda: self.explorer.query(op="post", post=post)["ok"])
        question = quote(json.dumps({"op": "post", "post": post}))
        with self.explorer.events("/api/live?question=" + question) as events:
            self.assertEqual(events.first("answer")["post"]["likeCount"], 0)
            self.writer(op="like", user=3, post=post)
            self.assertEqual(events.first("answer")["post"]["likeCount"], 1)
            self.writer(op="removePost", post=post)
            self.assertEqual(events.first("answer")["error"]["code"], "unknownPost")

    def test_a_live_question_waits_for_its_user(self):
        question = quote(json.dumps({"op": "user", "user": {"username": "later"}}))
        with self.explorer.events("/api/live?question=" + question) as events:
            self.assertFalse(events.first("answer")["ok"])
            self.writer(op="addUser", username="later")
            self.assertEqual(events.first("answer")["user"]["username"], "later")

    def test_past(self):
        self.writer(op="addUser", username="early")
        first, times = self.writer(op="stats")["users"], []
        for number in range(3):
            time.sleep(0.05)
            times.append(int(time.time() * 1000))
            time.sleep(0.05)
            self.writer(op="addUser", username=f"step{number}")
        self.assertEqual(self.explorer.query(at=times[0], status=404, op="stats")["error"]["code"], "notOpen")
        for number, at in enumerate(times):
            with self.explorer.events("/api/past", json.dumps({"at": at})) as events:
                result = events.first("result")
            self.assertEqual((result["at"], result["users"]), (at, first + number))
            self.assertEqual(self.explorer.query(at=at, op="stats")["users"], first + number)
        # Two are kept: the first one is closed.
        self.explorer.query(at=times[0], status=404, op="stats")
        self.assertEqual(self.explorer.query(at=times[1], op="user", user={"username": "step1"})["ok"], False)
        self.assertEqual(self.explorer.query(at=times[1], op="user", user={"username": "step0"})["ok"], True)
        for number in (1, 2):
            at = f"at={times[number]}"
            degrees = self.explorer.result(f"/api/degrees?{at}")
            self.assertEqual(sum(count for _, count in degrees["followers"]), first + number)
            self.assertEqual(self.explorer.result(f"/api/growth?{at}")["hours"].keys(), {"follows", "posts", "likes"})
            ranked = {user["username"] for user in self.explorer.result(f"/api/ranks?limit=1000&{at}")["users"]}
            self.assertEqual(("step0" in ranked, "step1" in ranked, "step2" in ranked), (True, number == 2, False))
            new = self.explorer.query(op="user", user={"username": "step1"})["user"]["id"]
            self.explorer.get(f"/api/neighbourhood?user={new}&{at}", 200 if number == 2 else 404)
            self.explorer.get(f"/api/path?from={new}&to={new}&{at}", 200 if number == 2 else 404)
            self.assertGreater(self.explorer.get(f"/api/memory?{at}")["total"], 0)
        for path in ("memory", "degrees", "growth", "ranks", "neighbourhood?user=1", "path?from=1&to=1"):
            gone = self.explorer.get(f"/api/{path}{'&' if '?' in path else '?'}at={times[0]}", 404)
            self.assertEqual(gone["error"]["code"], "notOpen", path)
        with self.explorer.events("/api/past", json.dumps({"at": 1})) as events:
            self.assertEqual(events.first("failure")["code"], "invalidRequest")

    def test_snapshots_of_the_writer(self):
        """A new generation of journals is followed, too."""
        self.writer(op="snapshot")
        self.writer(op="addUser", username="after")
        eventually(lambda: self.explorer.query(op="user", user={"username": "after"})["ok"], 5)
        self.assertEqual(self.explorer.get("/api/store")["snapshots"][-1]["state"], "readable")


class Loading(Case):
    """Changes that are in no journal."""

    def test_import(self):
        rows = os.path.join(self.folder, "users.tsv")
        with open(rows, "w", encoding="utf-8") as file:
            file.writelines(f"{number}\tloaded{number}\n" for number in range(1000, 1500))
        subprocess.run([KITH, "import", self.store, "--users", rows], check=True, capture_output=True)
        # The writer's next change shows that some are missing.
        writer = Writer(self.store)
        writer(op="addUser", username="afterwards")
        writer.close()
        eventually(lambda: self.explorer.get("/api/info")["users"] == 512)
        self.assertTrue(self.explorer.query(op="user", user=1499)["ok"])


class Processes(Case):
    """Start, end and the command line."""

    def test_orderly_end(self):
        for number in [signal.SIGINT, signal.SIGTERM]:
            explorer = Explorer(self.store)
            events = explorer.events("/api/events")
            events.first("counts")
            idle = socket.create_connection((explorer.host, explorer.port))
            began = time.monotonic()
            status, error = explorer.close(number)
            self.assertEqual((status, error), (0, ""))
            self.assertLess(time.monotonic() - began, 3)
            events.close()
            idle.close()

    def test_tokens_differ(self):
        other = Explorer(self.store)
        self.assertNotEqual(other.token, self.explorer.token)
        self.assertEqual(other.send("GET", "/api/info", token=False,
                                    headers={"Authorization": "Bearer " + self.explorer.token})[0], 401)
        other.close()

    def run_kith(self, *arguments):
        return subprocess.run([KITH, "explore", *arguments], capture_output=True, text=True, timeout=20)

    def test_command_line(self):
        taken = self.run_kith(self.store, "--port", str(self.explorer.port))
        self.assertEqual(taken.returncode, 2, taken.stderr)
        self.assertIn("choose another --port", taken.stderr)
        for arguments in [["--port", "70000"], ["--listen", "name"], ["--listen", "127.0.0.1 "]]:
            self.assertEqual(self.run_kith(self.store, *arguments).returncode, 2, arguments)
        self.assertEqual(self.run_kith(os.path.join(self.folder, "none")).returncode, 2)

    def test_listening_elsewhere(self):
        explorer = Explorer(self.store, "--listen", "0.0.0.0")
        for host, status in [("192.0.2.1", 200), ("192.0.2.1:80", 200), ("[2001:db8::1]", 200), ("evil.example", 403)]:
            self.assertEqual(explorer.send("GET", "/api/info", headers={"Host": host}, skip_host=True)[0], status, host)
        status, error = explorer.close()
        self.assertEqual(status, 0)
        self.assertIn("unencrypted", error)

    def test_snapshot(self):
        writer = Writer(self.store)
        path = writer(op="snapshot")["path"]
        writer.close()
        explorer = Explorer(path)
        info = explorer.get("/api/info")
        self.assertEqual((info["kind"], info["live"], info["users"]), ("snapshot", False, 11))
        self.assertEqual(len(explorer.get("/api/store")["snapshots"]), 1)
        self.assertEqual(explorer.send("POST", "/api/past", b'{"at":1}')[0], 400)
        with explorer.events("/api/verify") as events:
            self.assertEqual(events.first("result")["problems"], [])
        self.assertEqual(explorer.close()[0], 0)

    def test_files_of_a_directory(self):
        folder = os.path.join(self.folder, "page")
        os.makedirs(folder, exist_ok=True)
        for name in ["index.html", ".hidden.html"]:
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write("mine")
        explorer = Explorer(self.store, "--page", folder)
        self.assertEqual(explorer.send("GET", "/")[2], b"mine")
        for name in ["../store/LOCK", "..%2findex.html", ".hidden.html", "none.js"]:
            self.assertEqual(explorer.send("GET", "/app/" + name)[0], 404, name)
        explorer.close()


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: contract.py KITH [unittest options]")
    KITH = os.path.abspath(sys.argv.pop(1))
    unittest.main()
