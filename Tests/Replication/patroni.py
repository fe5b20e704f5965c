#!/usr/bin/env python3
"""Tries the guide's settings of Patroni: patroni.py KITH [--patroni PATH] [--etcd PATH].

Starts etcd and three nodes of Patroni 4 on loopback with the settings that docs/REPLICATION.md has, writes through a
replica, kills the leader with its Patroni while it writes, and starts it again later. Then a standby has taken its
place, nothing acknowledged is lost, and the killed node follows. Prints the time without answers."""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

from cluster import free_port, server_directory

GUIDE = os.path.dirname(os.path.abspath(__file__)) + "/../../docs/REPLICATION.md"
SECONDS = 120  # for one step of the cluster


def settings():
    """The guide's block of settings, as text with two spaces more."""
    with open(GUIDE) as file:
        block = re.search(r"```yaml\n(.*?)```", file.read(), re.S)[1]
    lines = block.splitlines()
    indent = len(lines[0]) - len(lines[0].lstrip())
    return "\n".join(line[indent:] for line in lines)


class Trial:
    def __init__(self, arguments):
        self.arguments = arguments
        self.directory = tempfile.mkdtemp(prefix="kith-patroni-")
        os.chmod(self.directory, 0o755)
        self.extra = {}
        if os.getuid() == 0:
            import pwd

            entry = pwd.getpwnam("postgres")
            self.extra = {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
            os.chown(self.directory, entry.pw_uid, entry.pw_gid)
        self.client, self.peer = free_port(), free_port()
        self.ports = {name: (free_port(), free_port()) for name in "abc"}
        self.processes = {}

    def start(self, name, *command):
        log = open(f"{self.directory}/{name}.log", "a")
        environment = {**os.environ, "HOME": self.directory, "LC_ALL": "C"}
        self.processes[name] = subprocess.Popen(
            command, stdout=log, stderr=log, cwd=self.directory, env=environment, start_new_session=True, **self.extra
        )

    def start_etcd(self):
        clients, peers = (f"http://127.0.0.1:{port}" for port in (self.client, self.peer))
        self.start(
            "etcd",
            self.arguments.etcd,
            "--data-dir",
            self.directory + "/etcd",
            "--listen-client-urls",
            clients,
            "--advertise-client-urls",
            clients,
            "--listen-peer-urls",
            peers,
            "--initial-advertise-peer-urls",
            peers,
            "--initial-cluster",
            f"default={peers}",
        )

    def start_node(self, name):
        port, rest = self.ports[name]
        with open(f"{self.directory}/{name}.yml", "w") as file:
            file.write(f"""
scope: kith
name: {name}
restapi: {{listen: "127.0.0.1:{rest}", connect_address: "127.0.0.1:{rest}"}}
etcd3: {{host: "127.0.0.1:{self.client}"}}
{settings()}
  initdb: [data-checksums, {{encoding: UTF8}}, {{locale: C}}, {{auth: trust}}]
postgresql:
  listen: "127.0.0.1:{port}"
  connect_address: "127.0.0.1:{port}"
  data_dir: {self.directory}/{name}
  bin_dir: {server_directory()}
  pgpass: {self.directory}/{name}.pgpass
  authentication:
    superuser: {{username: postgres}}
    replication: {{username: replicator}}
    rewind: {{username: rewinder}}
  pg_hba: ["host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust"]
  parameters: {{unix_socket_directories: "", shared_buffers: 32MB}}
""")
        self.start(name, self.arguments.patroni, f"{self.directory}/{name}.yml")

    def sql(self, name, text):
        done = subprocess.run(
            [
                server_directory() + "/psql",
                "-XAtq",
                "-h",
                "127.0.0.1",
                "-p",
                str(self.ports[name][0]),
                "-U",
                "postgres",
                "-c",
                text,
            ],
            capture_output=True,
            text=True,
            timeout=20,
        )
        return done.stdout.strip()

    def cluster(self):
        """The role and state by name, as Patroni answers."""
        for _, rest in self.ports.values():
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{rest}/cluster", timeout=2) as answer:
                    return {m["name"]: m for m in json.load(answer)["members"]}
            except (OSError, ValueError):
                continue
        return {}

    def leader(self):
        return next((n for n, m in self.cluster().items() if m["role"] == "leader" and m["state"] == "running"), None)

    def until(self, what, condition):
        end = time.monotonic() + SECONDS
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError(f"no {what} in {SECONDS} s: {self.cluster()}")
            time.sleep(0.2)

    def following(self):
        leader = self.leader()
        found = self.sql(leader, "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'") if leader else ""
        return int(found or 0)

    def kill(self, name):
        """The node's Patroni and its server end at once."""
        patroni = self.processes.pop(name)
        pids = [patroni.pid]
        try:
            with open(f"{self.directory}/{name}/postmaster.pid") as file:
                first = int(file.readline())
            pids.append(first)
            children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(first)], capture_output=True, text=True).stdout
            pids += [int(word) for word in children.split()]
        except (OSError, ValueError):
            pass
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        patroni.wait()

    def run(self):
        self.start_etcd()
        self.start_node("a")
        self.until("leader", self.leader)
        for name in "bc":
            self.start_node(name)
        self.until("standbys", lambda: self.following() == 2)
        names = "synchronous_standby_names"
        self.until(names, lambda: self.sql(self.leader(), f"SHOW {names}").startswith("ANY 1"))
        print(f"{names} = {self.sql(self.leader(), 'SHOW ' + names)}")
        hosts = ",".join("127.0.0.1" for _ in self.ports)
        ports = ",".join(str(port) for port, _ in self.ports.values())
        url = f"host={hosts} port={ports} user=postgres dbname=postgres sslmode=disable gssencmode=disable"
        kith = os.path.abspath(self.arguments.kith)
        subprocess.run([kith, "replica", "init", "--log", url], check=True)
        replica = subprocess.Popen(
            [kith, "query", "--log", url, self.directory + "/replica", "--name", "r"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.processes["replica"] = replica
        done, doubt, times = [], [], [time.monotonic()]
        stopped = threading.Event()

        def write():
            number = 0
            while not stopped.is_set():
                number += 1
                replica.stdin.write(json.dumps({"op": "addUser", "username": f"user-{number}"}) + "\n")
                replica.stdin.flush()
                answer = json.loads(replica.stdout.readline())
                if answer["ok"]:
                    done.append(f"user-{number}")
                    times.append(time.monotonic())
                elif answer["error"]["code"] == "inDoubt":
                    doubt.append(number)

        writer = threading.Thread(target=write)
        writer.start()
        time.sleep(3)
        old, count = self.leader(), len(done)
        self.kill(old)
        self.until("new leader", lambda: self.leader() not in (None, old))
        self.until("further changes", lambda: len(done) > count + 50)
        self.start_node(old)
        self.until("old leader as a standby", lambda: self.cluster().get(old, {}).get("state") == "streaming")
        time.sleep(1)
        stopped.set()
        writer.join()
        stall = max(b - a for a, b in zip(times, times[1:]))
        fresh = subprocess.run(
            [kith, "query", "--log", url, self.directory + "/fresh", "--name", "fresh"],
            capture_output=True,
            text=True,
            input="".join(json.dumps({"op": "user", "user": {"username": name}}) + "\n" for name in done),
        )
        lost = sum(not json.loads(line)["ok"] for line in fresh.stdout.splitlines())
        lost += len(done) - len(fresh.stdout.splitlines())
        print(
            f"leader {old}, then {self.leader()}; {len(done)} changes acknowledged, {len(doubt)} in doubt, {lost} "
            f"lost; no answer for {stall:.1f} s; the old leader follows again"
        )
        return 1 if lost else 0

    def close(self):
        for name, process in list(self.processes.items()):
            if name in self.ports:
                self.kill(name)
            else:
                process.kill()
                process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kith")
    parser.add_argument("--patroni", default=shutil.which("patroni"))
    parser.add_argument("--etcd", default=shutil.which("etcd"))
    arguments = parser.parse_args()
    if not server_directory() or not arguments.patroni or not arguments.etcd:
        print("skipped: PostgreSQL, Patroni 4 or etcd is not installed")
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    trial = Trial(arguments)
    try:
        return trial.run()
    except (TimeoutError, subprocess.SubprocessError) as error:
        print(error)
        for name in "abc":
            path = f"{trial.directory}/{name}.log"
            if os.path.exists(path):
                with open(path) as file:
                    print(name, "".join(file.readlines()[-15:]))
        return 1
    finally:
        trial.close()


if __name__ == "__main__":
    sys.exit(main())
