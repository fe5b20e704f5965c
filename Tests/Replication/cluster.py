"""A primary and two standbys with quorum commit in a temporary folder on loopback; ends and removes what it made.

As a program it serves tests in other languages: cluster.py [--nodes 1] prints the URL of a log, then answers each line
of standard input: `kill NAME` and `signal NAME STOP` with the name, `promote` with the name of the new primary. At the
end of input it removes the cluster. The exit status of `cluster.py --installed` says whether there is a PostgreSQL."""

import argparse
import glob
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

USER = "kith"
DISK_BYTES = 512 << 20  # of a node's own file system, where this may be mounted


def server_directory():
    """The newest installed PostgreSQL from 15 on, or None."""
    found = []
    for path in glob.glob("/usr/lib/postgresql/*/bin") + glob.glob("/opt/homebrew/opt/postgresql@*/bin"):
        version = re.search(r"[/@](\d+)/bin$", path)
        if version and int(version[1]) >= 15 and os.path.exists(path + "/initdb"):
            found.append((int(version[1]), path))
    return max(found)[1] if found else None


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Node:
    def __init__(self, cluster, name):
        self.cluster = cluster
        self.name = name
        self.port = free_port()
        self.place = f"{cluster.directory}/{name}"
        self.data = self.place + "/data"
        self.pid = None

    def start(self, wait=True):
        self.cluster.run(
            "pg_ctl", "-w" if wait else "-W", "-t", "60", "-D", self.data, "-l", self.data + ".log", "-s", "start"
        )

    def stop(self, mode="immediate"):
        self.cluster.run("pg_ctl", "-w", "-D", self.data, "-m", mode, "-s", "stop", check=False)

    def processes(self):
        """The postmaster and its children."""
        try:
            with open(self.data + "/postmaster.pid") as file:
                first = int(file.readline())
        except (OSError, ValueError):
            return []
        children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(first)], capture_output=True, text=True).stdout
        return [first] + [int(word) for word in children.split()]

    def signal(self, number):
        for pid in self.processes():
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass

    def kill(self):
        """What a crash of the machine's process does: all of it at once, without a word."""
        pids = self.processes()
        self.signal(signal.SIGKILL)
        for _ in range(200):
            if not any(os.path.exists(f"/proc/{pid}") and "Z" not in status(pid) for pid in pids):
                break
            time.sleep(0.02)
        try:
            os.remove(self.data + "/postmaster.pid")
        except OSError:
            pass

    def sql(self, text, database="postgres", check=True, timeout=30):
        options = f"-XAtq -h 127.0.0.1 -p {self.port} -U {USER} -v ON_ERROR_STOP=1".split()
        done = subprocess.run(
            [self.cluster.bin + "/psql", *options, "-d", database, "-c", text],
            capture_output=True,
            text=True,
            timeout=timeout,
        )
        if check and done.returncode:
            raise RuntimeError(f"{self.name}: {text}: {done.stderr}")
        return done.stdout.strip()


def status(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0]
    except OSError:
        return "Z"


class Cluster:
    """Nodes n1, n2, n3. The connections of standbys go through `proxy`, if there is one. With `images` each node has a
    file system in a file, so that a power cut takes what was not written to it."""

    def __init__(self, proxy=None, settings="", directory=None, images=False, count=3):
        self.bin = server_directory()
        if not self.bin:
            raise FileNotFoundError("PostgreSQL 15 or newer is not installed")
        self.directory = directory or tempfile.mkdtemp(prefix="kith-cluster-")
        self.proxy = proxy
        self.user = None
        if os.getuid() == 0:
            names = {entry.pw_name: entry for entry in pwd.getpwall()}
            entry = names.get("postgres") or names["nobody"]
            self.user = (entry.pw_uid, entry.pw_gid)
            os.chown(self.directory, *self.user)
        os.chmod(self.directory, 0o755)
        self.nodes = [Node(self, f"n{i}") for i in range(1, count + 1)]
        self.settings = settings
        self.links = {}
        self.primary = self.nodes[0]
        self.mounted = []
        self.images = {}
        # What begins a node needs no sync, unless its disk is to be cut off.
        self.unsynced = [] if images else ["-N"]
        for node in self.nodes:
            os.mkdir(node.place)
            if images:
                self.images[node.name] = f"{self.directory}/{node.name}.img"
                with open(self.images[node.name], "wb") as file:
                    file.truncate(DISK_BYTES)
                # Nothing is written later than it must be: what is not synced is not on the disk.
                subprocess.run(["mkfs.ext4", "-q", "-F", self.images[node.name]], check=True)
                self.mount(node)
            elif self.user:
                options = f"size={DISK_BYTES},uid={self.user[0]},gid={self.user[1]},mode=700"
                mount = ["mount", "-t", "tmpfs", "-o", options, "kith", node.place]
                if subprocess.run(mount, stderr=subprocess.DEVNULL).returncode == 0:
                    self.mounted.append(node.place)
                else:
                    os.chown(node.place, *self.user)

    def mount(self, node):
        subprocess.run(["mount", "-o", "loop,commit=300", self.images[node.name], node.place], check=True)
        self.mounted.append(node.place)
        if self.user:
            os.chown(node.place, *self.user)

    def power_cut(self, rng=None):
        """All servers lose their power at once; with images, their disks are as they were written until then. They
        start again in the roles that they had."""
        for node in self.nodes:
            node.signal(signal.SIGSTOP)
        # The files behind the file systems have what was handed to the disk, not what waits in memory.
        for image in self.images.values():
            subprocess.run(["cp", "--sparse=always", image, image + ".cut"], check=True)
        for node in self.nodes:
            node.kill()
        for node in self.nodes:
            if node.name in self.images:
                subprocess.run(["umount", node.place], check=True)
                self.mounted.remove(node.place)
                os.replace(self.images[node.name] + ".cut", self.images[node.name])
                self.mount(node)
            try:
                os.remove(node.data + "/postmaster.pid")
            except OSError:
                pass
        if rng and rng.random() < 0.5:  # the primary does not come back at once
            for node in self.nodes:
                if node is not self.primary:
                    node.start()
            old = self.primary
            self.fail_over()
            self.rejoin(old)
        else:
            for node in [self.primary] + [n for n in self.nodes if n is not self.primary]:
                node.start()
        self.repair()

    def run(self, program, *arguments, check=True):
        extra = {}
        if self.user:
            extra = {"user": self.user[0], "group": self.user[1], "extra_groups": []}
        environment = {**os.environ, "HOME": self.directory, "LC_ALL": "C", "LC_MESSAGES": "C"}
        done = subprocess.run(
            [f"{self.bin}/{program}", *arguments],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=environment,
            cwd=self.directory,
            text=True,
            **extra,
        )
        if check and done.returncode:
            raise RuntimeError(f"{program} {' '.join(arguments)}: {done.stderr}")

    def start(self):
        first = self.nodes[0]
        options = f"-k -U {USER} -A trust --no-locale -E UTF8 --wal-segsize=1".split()
        self.run("initdb", *options, *self.unsynced, "-D", first.data)
        with open(first.data + "/postgresql.conf", "a") as file:
            file.write(
                "listen_addresses='127.0.0.1'\nunix_socket_directories=''\nmax_connections=60\nwal_level=replica\n"
                "max_wal_senders=8\nsynchronous_commit=on\njit=off\nshared_buffers=32MB\nmax_wal_size=64MB\n"
                "wal_receiver_status_interval=1s\nwal_receiver_timeout=4s\nwal_sender_timeout=4s\n"
                "wal_retrieve_retry_interval=200ms\nwal_keep_size=64MB\nhot_standby=on\nlog_min_messages=warning\n"
                + self.settings
                + "\ninclude_if_exists = 'node.conf'\n"
            )
        with open(first.data + "/pg_hba.conf", "a") as file:
            file.write(f"host replication {USER} 127.0.0.1/32 trust\n")
        self.configure(first, None)
        first.start()
        for node in self.nodes[1:]:
            self.clone(node)
        self.wait_for_standbys(min(1, len(self.nodes) - 1))

    def url(self, database="postgres", ports=None):
        """The URL of a log, by way of other ports where a proxy has some."""
        ports = ",".join(str(port) for port in ports or [node.port for node in self.nodes])
        hosts = ",".join("127.0.0.1" for _ in self.nodes)
        return f"host={hosts} port={ports} user={USER} dbname={database} sslmode=disable gssencmode=disable"

    def link(self, source, target):
        """The way from a standby to another node."""
        if not self.proxy:
            return None
        key = (source.name, target.name)
        if key not in self.links:
            self.links[key] = self.proxy.link(target.port)
        return self.links[key]

    def configure(self, node, upstream):
        others = ",".join(other.name for other in self.nodes if other is not node)
        quorum = f"ANY 1 ({others})" if others else ""
        lines = [f"port={node.port}", f"synchronous_standby_names='{quorum}'", f"cluster_name='{node.name}'"]
        if upstream:
            link = self.link(node, upstream)
            port = link.port if link else upstream.port
            lines.append(
                f"primary_conninfo='host=127.0.0.1 port={port} user={USER} application_name={node.name} "
                "connect_timeout=2'"
            )
        else:
            lines.append("primary_conninfo=''")
        with open(node.data + "/node.conf", "w") as file:
            file.write("\n".join(lines) + "\n")
        self.sync(node)

    def clone(self, node, upstream=None):
        """Makes a node a new standby."""
        upstream = upstream or self.primary
        shutil.rmtree(node.data, ignore_errors=True)
        options = f"-h 127.0.0.1 -p {upstream.port} -U {USER} -X stream -c fast".split()
        self.run("pg_basebackup", *options, *self.unsynced, "-D", node.data)
        self.configure(node, upstream)
        open(node.data + "/standby.signal", "w").close()
        if self.user:
            os.chown(node.data + "/standby.signal", *self.user)
        node.start()
        self.sync(node)

    def sync(self, node):
        """What was written into a node's directory by others than its server."""
        if self.images:
            subprocess.run(["sync", "-f", node.place], check=True)

    def reload(self, node):
        self.run("pg_ctl", "-D", node.data, "-s", "reload", check=False)

    def detach(self, node):
        """Makes a standby follow no other node."""
        self.configure(node, None)
        self.reload(node)
        self.until(lambda: node.sql("SELECT count(*) FROM pg_stat_wal_receiver") == "0", "the receiver's end")

    def follow(self, node, upstream):
        self.configure(node, upstream)
        self.reload(node)

    def fail_over(self):
        """Promotes by hand: cuts the standbys off, takes the one that received most, makes the other follow it."""
        standbys = [node for node in self.nodes if node is not self.primary and node.processes()]
        for node in standbys:
            self.detach(node)
        best = max(standbys, key=self.received)
        best.sql("SELECT pg_promote(true, 30)")
        self.until(lambda: best.sql("SELECT pg_is_in_recovery()") == "f", "promotion")
        self.primary = best
        for node in standbys:
            if node is not best:
                self.follow(node, best)
        return best

    def received(self, node):
        """How far a standby that follows no node has the write-ahead log, once it has replayed all that it has.

        What was received alone says less: a receiver that was started again begins with the start of a segment."""
        last, same = None, 0
        while same < 3:
            now = node.sql(
                "SELECT pg_wal_lsn_diff(greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()), '0/0'),"
                " pg_last_wal_replay_lsn()"
            )
            same = same + 1 if now == last else 0
            last = now
            time.sleep(0.05)
        return int(last.split("|")[0])

    def rejoin(self, node):
        """A deposed or broken node comes back as a new standby."""
        node.signal(signal.SIGCONT)
        node.kill()
        self.clone(node)

    def repair(self):
        """Brings back standbys that do not follow the primary any more.

        When a full disk ends a primary in the middle of a record, its standbys have the record's beginning. The one
        that is promoted writes another in its place. If that was the end of a segment, the other standby looks for the
        new timeline's copy of that segment, has none, and ends. Started again, it fetches it."""

        def is_whole():
            return len(self.following()) == 2

        for attempt in (lambda node: None, lambda node: node.processes() or node.start(), self.rejoin):
            following = self.following()
            for node in self.nodes:
                if node is not self.primary and node.name not in following:
                    attempt(node)
            try:
                self.until(is_whole, "standbys", 5)
                return
            except TimeoutError:
                pass
        self.wait_for_standbys(2)

    def following(self):
        query = "SELECT application_name FROM pg_stat_replication WHERE state = 'streaming'"
        return set(self.primary.sql(query).split())

    def wait_for_standbys(self, count):
        self.until(lambda: len(self.following()) >= count, "standbys")

    def until(self, condition, what, seconds=60):
        end = time.monotonic() + seconds
        while True:
            try:
                if condition():
                    return
            except (RuntimeError, subprocess.TimeoutExpired):
                pass
            if time.monotonic() > end:
                raise TimeoutError(f"no {what} within {seconds} s")
            time.sleep(0.05)

    def close(self):
        for node in self.nodes:
            node.signal(signal.SIGCONT)
            node.kill()
        for place in self.mounted:
            subprocess.run(["umount", "--lazy", place], stderr=subprocess.DEVNULL)
        shutil.rmtree(self.directory, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--installed", action="store_true")
    options = parser.parse_args()
    if options.installed:
        return not server_directory()
    cluster = Cluster(count=options.nodes)
    try:
        cluster.start()
        print(cluster.url(), flush=True)
        for line in sys.stdin:
            command, *names = line.split()
            if command == "promote":
                node = cluster.fail_over()
            else:
                (node,) = [node for node in cluster.nodes if node.name == names[0]]
                node.kill() if command == "kill" else node.signal(signal.Signals["SIG" + names[1]])
            print(node.name, flush=True)
    finally:
        cluster.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
