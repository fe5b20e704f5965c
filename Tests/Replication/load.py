"""Replica processes, clients that write and read through them, and the checker of their answers."""

import json
import os
import random
import select
import signal
import subprocess
import threading
import time

import history

PATIENCE = 60  # seconds for one answer
LISTS = 4  # users whose posts are lists that are appended to and read


class Gone(Exception):
    """The process ended, or did not answer."""


class Replica:
    """A process `kith query --log`, with a link of its own to every server if there is a proxy."""

    def __init__(self, kith, cluster, proxy, number, database, directory):
        self.kith, self.cluster, self.number, self.directory = kith, cluster, number, directory
        self.links = {node.name: proxy.link(node.port) for node in cluster.nodes} if proxy else {}
        self.url = cluster.url(database, [link.port for link in self.links.values()])
        self.process = None
        self.lock = threading.Lock()
        self.error = open(f"{directory}/r{number}.log", "a")

    def start(self):
        self.buffer = b""
        self.process = subprocess.Popen(
            [
                self.kith,
                "query",
                "--log",
                self.url,
                f"{self.directory}/r{self.number}",
                "--name",
                f"r{self.number}",
                "--snapshots",
                f"{self.directory}/snapshots",
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.error,
        )

    def ask(self, **request):
        with self.lock:
            process = self.process
            try:
                process.stdin.write(json.dumps(request).encode() + b"\n")
                process.stdin.flush()
            except OSError as error:
                raise Gone("input") from error
            end = time.monotonic() + PATIENCE
            while b"\n" not in self.buffer:
                left = end - time.monotonic()
                if left <= 0 or not select.select([process.stdout], [], [], left)[0]:
                    raise Gone(f"replica {self.number}: no answer in {PATIENCE} s to {request}")
                data = os.read(process.stdout.fileno(), 1 << 16)
                if not data:
                    raise Gone("output")
                self.buffer += data
            line, self.buffer = self.buffer.split(b"\n", 1)
            return json.loads(line)

    def kill(self):
        self.process.send_signal(signal.SIGCONT)
        self.process.kill()
        self.process.wait()


class Event:
    __slots__ = ("client", "kind", "values", "began", "ended", "outcome", "position", "id")

    def __init__(self, client, kind, values):
        self.client, self.kind, self.values = client, kind, values
        self.began, self.ended, self.outcome, self.position, self.id = time.monotonic(), None, None, None, None


class Load:
    """A client of each replica: unique values, contended names, groups, reads with tokens, linearizable reads."""

    def __init__(self, replicas, seed):
        self.replicas, self.seed = replicas, seed
        self.events, self.findings = [], []
        self.stopped = threading.Event()
        self.newest = 0  # the newest position that any client has heard of
        self.shared = []  # (text, position, id) of posts that were acknowledged, for reads on other replicas
        self.history = []  # of appends to lists and reads of them, as history.py has it
        self.threads = [threading.Thread(target=self.run, args=(i,), daemon=True) for i in range(len(replicas))]

    def start(self):
        for thread in self.threads:
            thread.start()

    def stop(self):
        self.stopped.set()
        for thread in self.threads:
            thread.join(PATIENCE + 30)
            if thread.is_alive():
                self.findings.append("a client did not end")

    def find(self, text):
        self.findings.append(text)

    def change(self, client, kind, values, **request):
        event = Event(client, kind, values)
        self.events.append(event)
        try:
            answer = self.replicas[client].ask(**request)
        except Gone as gone:
            event.outcome = "doubt"
            if "no answer" in str(gone):
                self.find(str(gone))
            raise
        finally:
            event.ended = time.monotonic()
        if answer["ok"]:
            event.outcome, event.position = "ok", answer["position"]
            self.newest = max(self.newest, event.position)
            item = answer.get("post") or answer.get("user") or {}
            event.id = item.get("id")
        else:
            code = answer["error"]["code"]
            event.outcome = {"inDoubt": "doubt", "closed": "doubt"}.get(code, "refused")
            if code in ("diverged", "closed"):
                raise Gone(code)
            if code not in ("inDoubt", "unavailable", "usernameTaken", "unknownUser"):
                self.find(f"unexpected answer {answer} to {request}")
        return answer

    def note(self, client, **operation):
        """An operation on lists begins; it is in doubt until the client knows more."""
        operation = {"client": client, "began": time.monotonic(), "ended": None, "outcome": "doubt", **operation}
        self.history.append(operation)
        return operation

    def make_list(self, name):
        """Adds the user of a list, however long that takes."""
        while not self.stopped.is_set():
            try:
                answer = self.replicas[0].ask(op="addUser", username=name)
                if answer["ok"] or answer["error"]["code"] == "usernameTaken":
                    return
            except Gone:
                self.revive(0)

    def append(self, client, rng, value):
        """Appends to one list or two, in half of the cases with a token, sent again until there is an answer."""
        names = rng.sample(range(LISTS), rng.choice([1, 1, 2]))
        values = {f"list-{name}": f"{value}-{name}" for name in names}
        operation = self.note(client, op="append", values=values)
        request = {
            "op": "batch",
            "changes": [{"op": "addPost", "user": {"username": name}, "text": text} for name, text in values.items()],
        }
        has_token = rng.random() < 0.5
        if has_token:
            request["requestToken"] = f"{rng.getrandbits(128):032x}"
        is_open = False
        try:
            for attempt in range(3 if has_token else 1):
                # With a token it is sent again, to other hosts, also when it was acknowledged.
                try:
                    answer = self.replicas[(client + attempt) % len(self.replicas)].ask(**request)
                except Gone:
                    if attempt:
                        return
                    raise
                if answer["ok"]:
                    if operation["outcome"] != "ok":
                        operation["outcome"], operation["ended"] = "ok", time.monotonic()
                        position = answer["position"]
                        self.newest = max(self.newest, position)
                        if attempt:  # another host has it: the client's own may lag
                            operation["client"] = f"{client} at {value}"
                        if not is_open:  # else an earlier attempt may have been the one
                            operation["position"] = position
                    continue
                code = answer["error"]["code"]
                if code not in ("inDoubt", "unavailable", "unknownUser", "diverged", "closed"):
                    self.find(f"unexpected answer {answer} to {request}")
                if code in ("diverged", "closed") and not attempt:
                    raise Gone(code)
                if code in ("unavailable", "unknownUser") and operation["outcome"] == "doubt" and not is_open:
                    operation["outcome"] = "refused"
                    return
                is_open = True
        finally:
            operation["ended"] = operation["ended"] or time.monotonic()

    def read(self, client, rng, kind=None, name=None):
        """Reads a whole list: as it is here, with a token, or after everything that was acknowledged."""
        replica = self.replicas[client]
        kind = kind or rng.choice(["plain", "token", "linear"])
        operation = self.note(client, op="read", list=name or f"list-{rng.randrange(LISTS)}", kind=kind, values=[])
        extra = {}
        try:
            if kind == "token":
                extra["atLeast"] = operation["token"] = self.newest
            elif kind != "plain":
                answer = replica.ask(op="catchUp")
                if not answer["ok"]:
                    return
            answer = replica.ask(op="timeline", user={"username": operation["list"]}, limit=1000, **extra)
            if answer["ok"] and not answer["next"]:
                operation["values"] = [post["text"] for post in reversed(answer["posts"])]
                operation["outcome"] = "ok"
        finally:
            operation["ended"] = time.monotonic()

    def run(self, client):
        rng = random.Random(self.seed * 1000 + client)
        author = f"author-{client}"
        number = 0
        for name in range(LISTS if client == 0 else 0):
            self.make_list(f"list-{name}")
        while not self.stopped.is_set():
            try:
                number += 1
                self.step(client, rng, author, number)
            except Gone:
                self.revive(client)
            except Exception as error:
                self.find(f"client {client} ended: {error!r}")
                raise

    def revive(self, client):
        """A replica that has ended is started again, as a service manager does."""
        replica = self.replicas[client]
        with replica.lock:
            if not self.stopped.is_set():
                replica.kill()
                time.sleep(0.2)
                replica.start()

    def step(self, client, rng, author, number):
        kind = rng.choice(
            ["post"] * 6
            + [
                "append",
                "append",
                "read",
                "read",
                "user",
                "name",
                "group",
                "group",
                "token",
                "token",
                "linear",
                "snapshot",
            ]
        )
        value = f"{kind}-{client}-{number}"
        if kind == "append":
            self.append(client, rng, value)
        elif kind == "read":
            self.read(client, rng)
        elif kind == "post":
            answer = self.change(client, "post", [value], op="addPost", user={"username": author}, text=value)
            if answer["ok"]:
                self.shared.append((value, answer["position"], answer["post"]["id"]))
            elif answer["error"]["code"] == "unknownUser":
                self.change(client, "user", [author], op="addUser", username=author)
        elif kind == "user":
            self.change(client, "user", [value], op="addUser", username=value)
        elif kind == "name":
            name = f"name-{rng.randrange(number // 10 + 1)}"
            self.change(client, "name", [name], op="addUser", username=name)
        elif kind == "group":
            self.change(
                client,
                "group",
                [value, value + "-text"],
                op="batch",
                changes=[
                    {"op": "addUser", "username": value},
                    {"op": "addPost", "user": {"username": value}, "text": value + "-text"},
                ],
            )
        elif kind == "token" and self.shared:
            text, position, post = rng.choice(self.shared)
            answer = self.replicas[client].ask(op="post", post=post, atLeast=position)
            if answer["ok"] and answer["post"]["text"] != text:
                self.find(f"post {post} is {answer['post']['text']}, written was {text}")
            if not answer["ok"] and answer["error"]["code"] == "unknownPost":
                self.find(f"a read at {position} does not see {text}")
        elif kind == "linear":
            known = self.newest
            answer = self.replicas[client].ask(op="catchUp")
            if answer["ok"] and answer["position"] < known:
                self.find(f"catchUp answers {answer['position']}, {known} was acknowledged before")
        elif kind == "snapshot" and rng.random() < 0.2:
            self.replicas[client].ask(op="snapshot")


def pages(replica, name, **request):
    items, cursor = [], None
    while True:
        answer = replica.ask(**request, limit=1000, **({"cursor": cursor} if cursor else {}))
        if not answer["ok"]:
            raise RuntimeError(f"{request}: {answer}")
        items += answer[name]
        cursor = answer["next"]
        if not cursor:
            return items


def check(load, replicas, fresh_digest):
    """What must hold at the end, with every fault ended."""
    findings = load.findings
    for number in range(LISTS * len(replicas)):
        load.read(number // LISTS, None, "final", f"list-{number % LISTS}")
    findings += history.check(load.history)
    digests = set()
    for replica in replicas:
        answer = replica.ask(op="digest")
        digests.add(answer.get("digest", str(answer)))
    if fresh_digest:
        digests.add(fresh_digest)
    if len(digests) != 1:
        findings.append(f"digests differ: {digests}")
    names, texts = {}, {}
    for user in pages(replicas[0], "users", op="users", query=""):
        names[user["username"]] = names.get(user["username"], 0) + 1
        if user["postCount"]:
            own = pages(replicas[0], "posts", op="timeline", user=user["id"], includeSelf=True)
            for post in own:
                texts.setdefault(post["text"], []).append(post["id"])
    for event in load.events:
        is_name = [
            event.kind in ("user", "name") or event.kind == "group" and v == event.values[0] for v in event.values
        ]
        present = [bool((names if is_one else texts).get(v)) for v, is_one in zip(event.values, is_name)]
        if event.outcome == "ok" and not all(present):
            findings.append(f"lost: {event.kind} {event.values} at {event.position}")
        if (
            event.outcome == "refused"
            and any(present)
            and event.kind not in ("name",)
            and not event.values[0].startswith("author-")
        ):
            findings.append(f"refused and present: {event.kind} {event.values}")
        if any(present) != all(present):
            findings.append(f"half a group: {event.values}")
    for text, ids in texts.items():
        if len(ids) > 1:
            findings.append(f"twice: {text}")
    for name in {event.values[0] for event in load.events if event.kind == "name"}:
        if sum(e.outcome == "ok" for e in load.events if e.kind == "name" and e.values[0] == name) > 1:
            findings.append(f"two users got the name {name}")
    done = sorted((e for e in load.events if e.outcome == "ok"), key=lambda e: e.began)
    by_end = sorted(done, key=lambda e: e.ended)
    index, highest = 0, 0
    for event in done:
        while index < len(by_end) and by_end[index].ended < event.began:
            highest = max(highest, by_end[index].position)
            index += 1
        if event.position <= highest:
            findings.append(f"reordered: {event.values} at {event.position} began after {highest} was acknowledged")
    posts = sorted((e for e in done if e.kind == "post"), key=lambda e: e.position)
    for one, next_one in zip(posts, posts[1:]):
        if one.position < next_one.position and one.id >= next_one.id:
            findings.append(f"ids do not follow positions: {one.values}, {next_one.values}")
    return findings
