#!/usr/bin/env python3
"""The HTTP interface of `kith explore` by contract: contract.py KITH [unittest options], with a kith built with the
trait Explorer. It uses only Python's standard library."""

import http.client
import json
import os
import re
import subprocess
import sys
import time
import unittest
import zlib
from urllib.parse import quote

import client
from client import HOSTILE, WRITES, Case, Writer, raw
from contract_in_time import Difference, Limits, Living, Loading, Processes

__all__ = ["Access", "Difference", "Limits", "Living", "Loading", "Processes", "Relations", "Requests"]


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
            self.assertRegex(
                cookie, f"^kith(-{self.explorer.port})?={self.explorer.token}; HttpOnly; SameSite=Strict; Path=/$"
            )
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
        two = "GET /api/info HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\nConnection: close\r\n"
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
        total = len(zlib.compress(body, 9))
        while names:
            name = names.pop()
            status, headers, body = self.explorer.send("GET", "/app/" + name)
            self.assertEqual((status, headers["Cache-Control"]), (200, "no-cache"), name)
            again = self.explorer.send("GET", "/app/" + name, headers={"If-None-Match": headers["ETag"]})
            self.assertEqual((again[0], again[2]), (304, b""), name)
            self.assertEqual(self.explorer.send("HEAD", "/app/" + name)[::2], (200, b""))
            total += len(zlib.compress(body, 9))
        self.assertLess(total, client.PAGE_BYTES)
        for path in [
            "/app/",
            "/app/none.js",
            "/app/../app.css",
            "/app/..%2fapp.css",
            "/app/%00",
            "//",
            "/app/app.css/",
        ]:
            self.assertEqual(self.status(path=path), 404, path)


class Relations(Case):
    """A graph whose schema declares relations."""

    schema = [
        {"name": "reply", "from": "post", "to": "post", "isThread": True},
        {"name": "friend", "from": "user", "to": "user"},
        {"name": "bookmark", "from": "user", "to": "post", "visibility": "source"},
        {"name": "mention", "from": "post", "to": "user"},
    ]

    @classmethod
    def fill(cls):
        path = os.path.join(cls.folder, "schema.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"relations": cls.schema}, file)
        writer = Writer(cls.store, "--schema", path)
        for name in ["ann", "bob", "cid", "dan"]:
            writer(op="addUser", username=name)
        writer(op="follow", user=1, target=2)
        for source, target in [(1, 3), (3, 1), (3, 4)]:
            writer(op="addEdge", relation="friend", **{"from": source, "to": target})
        writer(op="addPost", user=1, text="first")
        writer(op="addPost", user=2, text="reply", edges=[
            {"relation": "reply", "toPost": 1}, {"relation": "mention", "to": 1}])  # fmt: skip
        writer(op="addEdge", relation="bookmark", **{"from": 4, "toPost": 1})
        writer.close()

    def lists(self, node):
        found = self.explorer.get(f"/api/relations?{node}")["lists"]
        return {(one["relation"], one["side"]): (one["of"], one["count"]) for one in found}

    def test_counts(self):
        relations = self.explorer.get("/api/info")["relations"]
        self.assertEqual(
            {one["name"]: one["count"] for one in relations}, {"reply": 1, "friend": 3, "bookmark": 1, "mention": 1}
        )
        self.assertEqual(
            self.lists("user=1"),
            {
                ("friend", "targets"): ("users", 1),
                ("friend", "sources"): ("users", 1),
                ("bookmark", "targets"): ("posts", 0),
                ("mention", "sources"): ("posts", 1),
            },
        )
        self.assertEqual(
            self.lists("post=1"),
            {
                ("reply", "targets"): ("posts", 0),
                ("reply", "sources"): ("posts", 1),
                ("bookmark", "sources"): ("users", 1),
                ("mention", "targets"): ("users", 0),
            },
        )

    def test_neighbourhood(self):
        """Along follows, along another relation, and along both, whose edges differ."""

        def around(relations, hops=1):
            found = self.explorer.get(f"/api/neighbourhood?user=1&hops={hops}&relations={relations}")
            ids = [node["id"] for node in found["nodes"]]
            return set(ids), {(ids[a], ids[b], found["relations"][r]) for a, b, r in found["edges"]}

        self.assertEqual(around("follow"), ({1, 2}, {(1, 2, "follow")}))
        self.assertEqual(around("friend"), ({1, 3}, {(1, 3, "friend"), (3, 1, "friend")}))
        self.assertEqual(around("friend", 2)[0], {1, 3, 4})
        both = {(1, 2, "follow"), (1, 3, "friend"), (3, 1, "friend")}
        self.assertEqual(around("follow,friend"), ({1, 2, 3}, both))
        for relations in ("bookmark", "none", "follow,none"):
            self.explorer.get(f"/api/neighbourhood?user=1&relations={relations}", 400)


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
        values = {"user": 1, "target": 2, "as": 2, "post": 1, "targets": [2, 3], "question": {"op": "stats"}}
        values |= {"relation": "follow"}
        lines, answers = [], []
        refused = {write["op"] for write in WRITES}
        for operation in operations:
            if operation["op"] in refused:
                continue
            request = {"op": operation["op"], "tag": operation["op"]}
            request |= {field["name"]: values[field["name"]] for field in operation["fields"] if field["required"]}
            if operation["op"] in ("targets", "sources", "edges"):
                request["user"] = 1
            lines.append(json.dumps(request))
            answers.append(self.explorer.query(**request))
        self.assertGreater(len(lines), 15)
        query = subprocess.run(
            [client.KITH, "query", self.store, "--read-only"], input="\n".join(lines), capture_output=True, text=True
        )
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
        for body in [
            b"{",
            b"[]",
            b'{"op":"none"}',
            b'{"op":"user"}',
            b"\xff",
            b'{"op":"user","user":"x"}',
            b"[" * 60_000,
        ]:
            status, _, answer = self.explorer.send("POST", "/api/query", body)
            self.assertEqual((status, json.loads(answer)["error"]["code"]), (200, "invalidRequest"), body[:50])
        self.assertEqual(self.explorer.query(op="user", user=999)["error"]["code"], "unknownUser")
        self.assertEqual(self.explorer.send("POST", "/api/query", b" ")[0], 400)
        wrong = [
            ("/api/growth?buckets=0", 400), ("/api/growth?buckets=x", 400), ("/api/growth?bucket=1", 400),
            ("/api/ranks?by=x", 400), ("/api/neighbourhood", 400), ("/api/neighbourhood?user=1&hops=3", 400),
            ("/api/neighbourhood?user=999", 404), ("/api/path?from=1", 400), ("/api/path?from=1&to=999", 404),
            ("/api/live", 400), ("/api/live?question=x", 400),
            ("/api/live?question=" + quote('{"op":"removeUser","user":1}'), 400), ("/api/none", 404), ("/api/", 404),
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
        for data in [
            b"\x00" * 1000,
            b"GET",
            b"GET / HTTP/9.9\r\n\r\n",
            b"POST /api/query HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        ]:
            raw(self.explorer, data)
        self.assertEqual(self.explorer.send("GET", "/api/info")[0], 200)

    def test_pictures(self):
        memory = self.explorer.get("/api/memory")
        self.assertEqual(memory["total"], sum(entry["bytes"] for entry in memory["structures"]))
        degrees = self.explorer.result("/api/degrees")
        self.assertEqual(degrees["followers"], [[0, 7], [1, 3], [3, 1]])
        self.assertEqual(degrees["followees"], [[0, 6], [1, 4], [2, 1]])
        growth = self.explorer.result("/api/growth?buckets=7")
        series, hour, day = growth["series"], 3_600_000, 86_400_000
        self.assertEqual(
            {name: (one["from"], one["to"], sum(one["counts"])) for name, one in series.items()},
            {
                "follows": (hour, 5 * hour, 6),
                "posts": (day, 3 * day, 3),
                "likes": (2 * hour, 2 * hour, 1),
            },
        )
        # Each over its own span: a follow in the first step and one in the last.
        self.assertEqual((series["follows"]["counts"][0], series["follows"]["counts"][6]), (1, 1))
        self.assertEqual(series["posts"]["counts"], [1, 0, 0, 1, 0, 0, 1])
        activity = growth["hours"]
        # The first of January 1970 was a Thursday: the fourth row.
        self.assertEqual(activity["follows"][3][:6], [0, 1, 2, 1, 1, 1])
        self.assertEqual([sum(day) for day in activity["posts"]], [0, 0, 0, 0, 1, 1, 1])
        self.assertEqual(activity["likes"][3][2], 1)

    def test_neighbourhood(self):
        one = self.explorer.get("/api/neighbourhood?user=1")
        self.assertEqual([(node["id"], node["distance"]) for node in one["nodes"]], [(1, 0), (2, 1), (4, 1), (5, 1)])
        self.assertEqual({tuple(edge) for edge in one["edges"]}, {(0, 1, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0)})
        self.assertEqual((one["relations"], one["found"], one["truncated"], one["cut"]), (["follow"], 4, False, False))
        two = self.explorer.get("/api/neighbourhood?user=5&hops=2")
        self.assertEqual([(node["id"], node["distance"]) for node in two["nodes"]], [(5, 0), (1, 1), (2, 2), (4, 2)])
        cut = self.explorer.get("/api/neighbourhood?user=1&limit=2")
        self.assertEqual(([node["id"] for node in cut["nodes"]], cut["truncated"], cut["found"]), ([1, 2], True, 4))
        self.assertEqual(len(self.explorer.get("/api/neighbourhood?user=6&limit=1")["nodes"]), 1)

    def test_nothing_declared(self):
        self.assertEqual(self.explorer.get("/api/info")["relations"], [])
        self.assertEqual(self.explorer.get("/api/relations?user=1"), {"lists": []})
        for path, status in [
            ("/api/relations", 400), ("/api/relations?user=1&post=1", 400), ("/api/relations?user=999", 404),
            ("/api/relations?post=999", 404), ("/api/neighbourhood?user=1&relations=none", 400),
            ("/api/neighbourhood?user=1&relations=like", 400),
        ]:  # fmt: skip
            self.explorer.get(path, status)

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


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: contract.py KITH [unittest options]")
    client.KITH = os.path.abspath(sys.argv.pop(1))
    unittest.main()
