#!/usr/bin/env python3
"""Shows replicas on a cluster of PostgreSQL while servers and replicas die, and what is left of what was acknowledged.

Scripts/demo --replicas 3        builds KITH, installs PostgreSQL where it is missing, and runs demo.py KITH"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from cluster import Cluster
from load import Gone, Replica, pages

PHASE_SECONDS = 2
PROBES = 300
WAIT_SECONDS = 60


class Demo:
    def __init__(self, kith, cluster, directory, count):
        self.cluster = cluster
        os.mkdir(directory + "/snapshots")
        self.replicas = [Replica(kith, cluster, None, number, "postgres", directory) for number in range(1, count + 1)]
        self.acknowledged, self.unknown, self.refused = [], 0, 0
        self.lock, self.stopped = threading.Lock(), threading.Event()

    def run(self):
        print(f"\n{len(self.replicas)} replicas, each a process with the whole graph")
        for replica in self.replicas:
            replica.start()
            self.answered(replica, op="addUser", username=author(replica))
        self.probe()
        print("\nA client of each replica adds posts, one after the other")
        clients = [threading.Thread(target=self.write, args=(replica,), daemon=True) for replica in self.replicas]
        for client in clients:
            client.start()
        self.act("all is well", lambda: None)
        self.act("the primary is killed, a standby promoted", self.fail_over)
        last = self.replicas[-1]
        self.act(f"replica {last.number} is killed, and begins again from a snapshot", lambda: self.restart(last))
        restart = self.answered(last, op="replica")["snapshot"]
        print(f"  replica {last.number} began after record {restart:,}")
        self.stopped.set()
        for client in clients:
            client.join()
        return self.compare()

    def fail_over(self):
        old = self.cluster.primary
        old.kill()
        self.cluster.fail_over()
        self.cluster.clone(old)

    def restart(self, replica):
        self.answered(self.replicas[0], op="snapshot")
        replica.kill()
        replica.start()

    def act(self, title, body):
        """One phase of the load, with what happens at its beginning."""
        before, began = len(self.acknowledged), time.monotonic()
        body()
        time.sleep(PHASE_SECONDS)
        count = len(self.acknowledged) - before
        print(f"  {title}: {count:,} posts acknowledged in {time.monotonic() - began:.1f} s")

    def write(self, replica):
        number = 0
        while not self.stopped.is_set():
            number += 1
            text = f"post {number} of {author(replica)}"
            try:
                answer = replica.ask(op="addPost", user={"username": author(replica)}, text=text)
            except Gone:  # the demo starts it again
                self.unknown += 1
                time.sleep(0.05)
                continue
            with self.lock:
                if answer["ok"]:
                    self.acknowledged.append(text)
                else:
                    self.refused += 1

    def probe(self):
        """How long a change takes to its acknowledgement, and from there to another replica."""
        writes, lags = [], []
        for number in range(PROBES):
            one, other = (self.replicas[(number + step) % len(self.replicas)] for step in (0, 1))
            began = time.monotonic()
            position = self.answered(one, op="addUser", username=f"probe{number}")["position"]
            written = time.monotonic()
            self.answered(other, op="user", user={"username": f"probe{number}"}, atLeast=position)
            writes.append(written - began)
            lags.append(time.monotonic() - written)
        for name, times in (
            ("a change until two servers have it", writes),
            ("from there until another replica has it", lags),
        ):
            times.sort()
            print(f"  {name}: p50 {times[PROBES // 2] * 1000:.2f} ms, p99 {times[PROBES * 99 // 100] * 1000:.2f} ms")

    def answered(self, replica, **request):
        """The answer of a replica that may still be connecting again."""
        end = time.monotonic() + WAIT_SECONDS
        while True:
            answer = replica.ask(**request)
            if answer["ok"]:
                return answer
            if time.monotonic() > end:
                raise RuntimeError(f"replica {replica.number} answers {answer} to {request}")

    def compare(self):
        print("\nAfter it all")
        digests = {self.answered(replica, op="digest")["digest"] for replica in self.replicas}
        counts = {}
        for replica in self.replicas:
            user = {"username": author(replica)}
            for post in pages(self.replicas[0], "posts", op="timeline", user=user, includeSelf=True):
                counts[post["text"]] = counts.get(post["text"], 0) + 1
        lost = sum(text not in counts for text in self.acknowledged)
        doubled = sum(count > 1 for count in counts.values())
        print(f"  posts acknowledged: {len(self.acknowledged):,}, lost: {lost}, duplicated: {doubled}")
        print(
            f"  refused while there was no primary: {self.refused}; of unknown fate, as their replica ended: "
            f"{self.unknown}"
        )
        equal = f"equal, {min(digests)}" if len(digests) == 1 else "DIFFERENT"
        print(f"  digests of the {len(self.replicas)} graphs: {equal}")
        return lost or doubled or len(digests) != 1


def author(replica):
    return f"author{replica.number}"


def main():
    parser = argparse.ArgumentParser(prog="Scripts/demo")
    parser.add_argument("kith")
    parser.add_argument("--replicas", type=int, default=3, choices=range(2, 9), help="2 to 8 (default 3)")
    options = parser.parse_args()
    sys.stdout.reconfigure(line_buffering=True)
    began = time.monotonic()
    directory = tempfile.mkdtemp(prefix="kith-replicas-")
    print("A primary and two standbys of PostgreSQL; a change is acknowledged by two of the three")
    cluster = Cluster()
    demo = None
    try:
        cluster.start()
        subprocess.run([options.kith, "replica", "init", "--log", cluster.url()], check=True, stdout=subprocess.DEVNULL)
        print(f"  running, with an empty log, after {time.monotonic() - began:.1f} s")
        demo = Demo(options.kith, cluster, directory, options.replicas)
        if demo.run():
            return "the replicas have not kept their promise"
        print(f"\nDone in {time.monotonic() - began:.1f} s; everything is removed. See docs/REPLICATION.md")
        return 0
    finally:
        if demo:
            demo.stopped.set()
            for replica in demo.replicas:
                if replica.process:
                    replica.kill()
        cluster.close()
        shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
