"""A client of `kith explore`, the processes that it talks to, and the base of the tests of the interface."""

import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest
from urllib.parse import urlsplit

KITH = ""
# Of all files of the page, compressed.
PAGE_BYTES = 96_000
HOSTILE = ["<script>alert(1)</script>", "\u202egnirts", "a\u200bb", "é" * 60, "\"\\'&", "tab\there"]
WRITES = [
    {"op": "addUser", "username": "x"}, {"op": "renameUser", "user": 1, "username": "x"},
    {"op": "removeUser", "user": 1}, {"op": "follow", "user": 1, "target": 2},
    {"op": "unfollow", "user": 1, "target": 2},
    {"op": "addPost", "user": 1, "text": "x"}, {"op": "removePost", "post": 1}, {"op": "like", "user": 1, "post": 1},
    {"op": "unlike", "user": 1, "post": 1}, {"op": "block", "user": 1, "target": 2},
    {"op": "unblock", "user": 1, "target": 2}, {"op": "mute", "user": 1, "target": 2},
    {"op": "unmute", "user": 1, "target": 2},
    {"op": "editUser", "user": 1, "flags": 1}, {"op": "editPost", "post": 1, "text": "y"},
    {"op": "addEdge", "relation": "like", "from": 1, "toPost": 1},
    {"op": "removeEdge", "relation": "like", "from": 1, "toPost": 1},
    {"op": "batch", "changes": []}, {"op": "snapshot"}, {"op": "health"}, {"op": "statistics"},
    {"op": "watch", "question": {"op": "stats"}}, {"op": "unwatch", "watch": 1},
]  # fmt: skip


class Writer:
    """A process that has the store open and changes it."""

    def __init__(self, store, *options):
        command = [KITH, "query", store, *options]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

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
            [KITH, "explore", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
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
