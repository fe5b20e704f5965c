"""The HTTP interface of `kith explore` while computations run, stores change and processes end."""

import http.client
import json
import os
import signal
import socket
import subprocess
import threading
import time
from urllib.parse import quote

import client
from client import HOSTILE, Case, Explorer, Writer, eventually


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
                connection.request(
                    "POST",
                    "/api/query",
                    b'{"op":"users","query":"a"}',
                    {"Authorization": "Bearer " + self.explorer.token},
                )
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


class Difference(Case):
    """Two instants of a history."""

    @classmethod
    def fill(cls):
        super().fill()
        time.sleep(0.05)
        cls.before = int(time.time() * 1000)
        time.sleep(0.05)
        writer = Writer(cls.store)
        writer(op="addUser", username="new")
        writer(op="renameUser", user=1, username="anna")
        writer(op="removeUser", user=5)
        writer(op="follow", user=2, target=4)
        writer(op="unfollow", user=1, target=2)
        writer(op="addPost", user=1, text=HOSTILE[0])
        writer(op="removePost", post=2)
        # Added and taken back: neither state has it.
        writer(op="like", user=3, post=1)
        writer(op="unlike", user=3, post=1)
        time.sleep(0.05)
        cls.between = int(time.time() * 1000)
        time.sleep(0.05)
        writer(op="mute", user=1, target=2)
        writer.close()

    def found(self, query):
        return self.explorer.result("/api/difference?" + query)

    def test_lists(self):
        found = self.found(f"from={self.before}")
        names = {key: [item["username"] for item in found[key]["items"]] for key in ("joined", "left", "renamed")}
        self.assertEqual(names, {"joined": ["new"], "left": ["eve"], "renamed": ["anna"]})
        self.assertEqual(found["renamed"]["items"][0]["before"], "ann")
        self.assertEqual([post["text"] for post in found["posted"]["items"]], [HOSTILE[0]])
        self.assertEqual([post["id"] for post in found["removedPosts"]["items"]], [2])
        edges = {
            one["relation"]: [
                [(edge["from"]["id"], edge["to"]["id"]) for edge in one[key]["items"]] for key in ("added", "ended")
            ]
            for one in found["edges"]
        }
        # The like and the follow of what was removed, and the block of a user who left, ended, too.
        self.assertEqual(
            edges,
            {
                "follow": [[(2, 4)], [(5, 1), (1, 2)]],
                "block": [[], [(4, 5)]],
                "mute": [[(1, 2)], []],
            },
        )
        self.assertEqual(found["changes"], 10)

    def test_limits(self):
        first = self.found(f"from={self.before}&to={self.between}&limit=1")
        self.assertNotIn("mute", [one["relation"] for one in first["edges"]])
        follow = next(one for one in first["edges"] if one["relation"] == "follow")
        self.assertEqual((follow["ended"]["count"], len(follow["ended"]["items"])), (2, 1))
        same = self.found(f"from={self.between}&to={self.between}")
        self.assertEqual((same["edges"], same["joined"]["count"], same["changes"]), ([], 0, 0))
        for query, status in [("", 400), ("from=x", 400), (f"from={self.between}&to={self.before}", 400)]:
            self.explorer.get("/api/difference?" + query, status)
        with self.explorer.events("/api/difference?from=1") as events:
            self.assertEqual(events.first("failure")["code"], "invalidRequest")

    def test_activity(self):
        activity = self.explorer.get("/api/store")["activity"]
        self.assertEqual(sum(count for _, count in activity["counts"]), self.explorer.get("/api/info")["sequence"])
        self.assertEqual(activity["step"], 1000)


class Loading(Case):
    """Changes that are in no journal."""

    def test_import(self):
        rows = os.path.join(self.folder, "users.tsv")
        with open(rows, "w", encoding="utf-8") as file:
            file.writelines(f"{number}\tloaded{number}\n" for number in range(1000, 1500))
        subprocess.run([client.KITH, "import", self.store, "--users", rows], check=True, capture_output=True)
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
        self.assertEqual(
            other.send("GET", "/api/info", token=False, headers={"Authorization": "Bearer " + self.explorer.token})[0],
            401,
        )
        other.close()

    def run_kith(self, *arguments):
        return subprocess.run([client.KITH, "explore", *arguments], capture_output=True, text=True, timeout=20)

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
