#!/usr/bin/env python3
"""Seeded fault runs of replicas on a real cluster: faults.py KITH [--seeds FIRST-LAST] [--seconds N] [--controls].

With --images each server has a file system of its own in a file, and the only fault is a power cut of all servers and
replicas: it takes what was not written to the file. Needs root, on Linux; else it says so and ends with 0.

Each seed draws faults for a cluster of three PostgreSQL servers and three replica processes, while clients write and
read through all of them; then every fault is ended and all is checked. --controls breaks the log on purpose,
in ways that the checker must notice. Without PostgreSQL 15 or newer it says so and ends with 0."""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from cluster import Cluster, server_directory
from controls import CONTROLS, POWER_CONTROLS
from fault_kinds import Faults
from load import Gone, Load, Replica, check
from proxy import Proxy

REPLICAS = 3
# Settings of a database that could make an answer mean less. What is promised holds with each.
WEAK_SETTINGS = [
    "client_min_messages = error",
    "synchronous_commit = off",
    "synchronous_commit = remote_write",
    "statement_timeout = 1000",
    "default_transaction_isolation = serializable",
]
# How a finding begins that is about the trial itself.
NOT_MADE = "a fault could not be made"


class Run(Faults):
    """One seed: a database of its own on the cluster."""

    def __init__(self, kith, cluster, proxy, seed, seconds, prepare=None, script=None):
        self.kith, self.cluster, self.proxy, self.seed, self.seconds = kith, cluster, proxy, seed, seconds
        self.rng = random.Random(seed)
        self.database = f"s{seed}_{os.getpid()}_{time.monotonic_ns()}"
        self.directory = tempfile.mkdtemp(prefix="kith-faults-")
        os.mkdir(self.directory + "/snapshots")
        self.prepare, self.script = prepare, script
        self.log = []
        self.slow = threading.Lock()  # one fault of the servers at a time: a second could rightly lose the quorum

    def note(self, text):
        self.log.append(f"{time.monotonic() - self.began:6.2f} {text}")

    def run(self):
        self.began = time.monotonic()
        self.cluster.primary.sql(f"CREATE DATABASE {self.database}")
        self.replicas = [
            Replica(self.kith, self.cluster, self.proxy, number, self.database, self.directory)
            for number in range(REPLICAS)
        ]
        subprocess.run(
            [self.kith, "replica", "init", "--log", self.replicas[0].url, "--partition", "64", "--retention", "0"],
            check=True,
        )
        if self.prepare:
            self.cluster.primary.sql(self.prepare, self.database)
        setting = self.rng.choice(WEAK_SETTINGS)
        self.cluster.primary.sql(f"ALTER DATABASE {self.database} SET {setting}")
        load = Load(self.replicas, self.seed)
        try:
            for replica in self.replicas:
                replica.start()
            load.start()
            if self.script:
                self.script(self, load)
            else:
                self.draw()
            load.stop()
            self.heal()
            return self.settle(load), load
        finally:
            load.stopped.set()
            for replica in self.replicas:
                replica.kill()
            self.heal()
            if load.findings and not self.prepare:
                with open(self.directory + "/history.jsonl", "w") as file:
                    file.writelines(json.dumps(operation) + "\n" for operation in load.history)
            else:
                self.cluster.primary.sql(f"DROP DATABASE {self.database} WITH (FORCE)", check=False)
                shutil.rmtree(self.directory, ignore_errors=True)

    def draw(self):
        faults = [
            self.kill_primary,
            self.stop_primary,
            self.isolate_primary,
            self.cancel_waits,
            self.empty_names,
            self.kill_standby,
            self.stop_standby,
            self.slow_standby,
            self.kill_replica,
            self.stop_replica,
            self.cut_replica,
            self.hold_answers,
            self.hold_requests,
            self.skew_clock,
            self.trim,
            self.double_appends,
            self.power_cut,
        ]
        if self.cluster.mounted:
            faults.append(self.fill_disk)
        if self.only:
            faults = [getattr(self, self.only)] * 2
        end = self.began + self.seconds
        time.sleep(0.5)
        while time.monotonic() < end:
            chosen = self.rng.sample(faults, self.rng.choice([1, 1, 2]))
            threads = [
                threading.Thread(target=self.fault, args=(one, random.Random(self.rng.random()))) for one in chosen
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            time.sleep(self.rng.uniform(0, 0.5))

    def fault(self, body, rng):
        self.note(f"begin {body.__name__}")
        try:
            body(rng)
        except Exception as error:  # a fault that fails is a failure of the run, not of one thread
            self.note(f"{body.__name__} failed: {error!r}")
            self.broken = repr(error)
        self.note(f"end {body.__name__}")

    broken = None
    only = None

    def heal(self):
        for link in self.proxy.links:
            self.proxy.heal(link)
        for node in self.cluster.nodes:
            node.signal(signal.SIGCONT)
        if self.cluster.primary.processes():
            for node in self.cluster.nodes:
                if node is not self.cluster.primary and not node.processes():
                    self.cluster.rejoin(node)
            self.cluster.wait_for_standbys(2)

    def settle(self, load):
        """Every replica answers again, all are equal, and the checker is content."""
        if self.broken:
            load.find(f"{NOT_MADE}: {self.broken}")
        for replica in self.replicas:
            answer = "it ended"
            for _ in range(3):
                try:
                    answer = replica.ask(op="catchUp")
                    if answer["ok"]:
                        if replica.ask(op="catchUp", token=5)["ok"]:
                            load.find("catchUp has no field token, and takes one")
                        (shape,) = replica.ask(op="help", about="catchUp")["ops"]
                        if shape["answer"] != ["position"]:
                            load.find(f"help does not know catchUp: {shape}")
                        break
                    if answer["error"]["code"] in ("diverged", "closed"):
                        raise Gone("diverged")
                except Gone:
                    replica.kill()
                    replica.start()
            else:
                load.find(f"replica {replica.number} does not catch up: {answer}")
                return load.findings
        fresh = subprocess.run(
            [
                self.kith,
                "replica",
                "verify",
                "--log",
                self.replicas[0].url,
                "--snapshots",
                self.directory + "/snapshots",
            ],
            capture_output=True,
            text=True,
        )
        if fresh.returncode:
            load.find(f"verify: {fresh.stderr}")
        return check(load, self.replicas, json.loads(fresh.stdout)["digest"] if not fresh.returncode else None)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kith")
    parser.add_argument("--seeds", default="1-12")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--only", help="one fault, by its name in fault_kinds.py")
    parser.add_argument("--controls", action="store_true")
    parser.add_argument("--images", action="store_true")
    arguments = parser.parse_args()
    if not server_directory():
        print("skipped: PostgreSQL 15 or newer is not installed")
        return 0
    if arguments.images and (os.getuid() != 0 or not sys.platform.startswith("linux")):
        print("skipped: file systems in files need root, on Linux")
        return 0
    first, _, last = arguments.seeds.partition("-")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what was started is ended
    Run.only = "power_cut" if arguments.images else arguments.only
    proxy = Proxy()
    cluster = Cluster(proxy, images=arguments.images)
    failed = 0
    try:
        cluster.start()
        cases = [(str(seed), seed, None, None) for seed in range(int(first), int(last or first) + 1)]
        if arguments.controls:
            controls = POWER_CONTROLS if arguments.images else CONTROLS
            cases = [(name, 1, prepare, script) for name, (prepare, script) in controls.items()]
        for name, seed, prepare, script in cases:
            # A control changes what may happen, not what must: it has three seeds to be noticed. A fault that cannot be
            # made says nothing about replicas: the run is made once more, on a new cluster.
            for attempt in range(3 if prepare else 2):
                run = Run(
                    os.path.abspath(arguments.kith),
                    cluster,
                    proxy,
                    seed + (attempt if prepare else 0),
                    arguments.seconds,
                    prepare,
                    script,
                )
                began = time.monotonic()
                try:
                    findings, load = run.run()
                    counts = [sum(event.outcome == outcome for event in load.events) for outcome in ("ok", "doubt")]
                except (RuntimeError, OSError, subprocess.SubprocessError) as error:
                    findings, counts = [f"{NOT_MADE}: {error!r}"], (0, 0)
                is_judged = not findings or not all(finding.startswith(NOT_MADE) for finding in findings)
                is_right = is_judged and bool(findings) == bool(prepare)
                print(
                    f"{name}: {'ok' if is_right else 'FAILED'}, {counts[0]} acknowledged, {counts[1]} in doubt, "
                    f"{len(findings)} findings, {time.monotonic() - began:.0f} s",
                    flush=True,
                )
                if not is_right or prepare:
                    print("\n".join(findings[:5]), flush=True)
                if not is_right:
                    print("\n".join(run.log) + f"\n{run.directory}", flush=True)
                if is_right or (is_judged and not prepare):
                    break
                if not is_judged:
                    cluster.close()
                    cluster = Cluster(proxy, images=arguments.images)
                    cluster.start()
            failed += not is_right
    finally:
        cluster.close()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
