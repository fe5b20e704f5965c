#!/usr/bin/env python3
"""Seeded fault runs of replicas on a real cluster: faults.py KITH [--seeds FIRST-LAST] [--seconds N] [--controls].

With --images each server has a file system of its own in a file, and the only fault is a power cut of all servers and
replicas: it takes what was not written to the file. Needs root, on Linux; else it says so and ends with 0.

Each seed draws faults for a cluster of three PostgreSQL servers and three replica processes, while clients write and
read through all of them; then everything is healed and checked. --controls breaks the log on purpose, in ways that the
checker must notice. Without PostgreSQL 15 or newer it says so and ends with 0."""

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
from load import Gone, Load, Replica, check
from proxy import Proxy

REPLICAS = 3


class Run:
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
            for number in range(REPLICAS)]
        subprocess.run([self.kith, "replica", "init", "--log", self.replicas[0].url, "--partition", "64", "--retention",
                        "0"], check=True)
        if self.prepare:
            self.cluster.primary.sql(self.prepare, self.database)
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
            self.kill_primary, self.stop_primary, self.isolate_primary, self.cancel_waits, self.kill_standby,
            self.stop_standby, self.slow_standby, self.kill_replica, self.stop_replica, self.cut_replica,
            self.hold_answers, self.hold_requests, self.skew_clock, self.trim, self.double_appends, self.power_cut]
        if self.cluster.mounted:
            faults.append(self.fill_disk)
        if self.only:
            faults = [getattr(self, self.only)] * 2
        end = self.began + self.seconds
        time.sleep(0.5)
        while time.monotonic() < end:
            chosen = self.rng.sample(faults, self.rng.choice([1, 1, 2]))
            threads = [threading.Thread(target=self.fault, args=(one, random.Random(self.rng.random())))
                       for one in chosen]
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
            [self.kith, "replica", "verify", "--log", self.replicas[0].url, "--snapshots",
             self.directory + "/snapshots"], capture_output=True, text=True)
        if fresh.returncode:
            load.find(f"verify: {fresh.stderr}")
        return check(load, self.replicas, json.loads(fresh.stdout)["digest"] if not fresh.returncode else None)

    # Faults of the servers: one at a time.

    def kill_primary(self, rng):
        with self.slow:
            old = self.cluster.primary
            old.kill()
            time.sleep(rng.uniform(0, 1))
            self.cluster.fail_over()
            time.sleep(rng.uniform(0, 1))
            self.cluster.rejoin(old)
            self.cluster.wait_for_standbys(2)

    def stop_primary(self, rng):
        with self.slow:
            self.cluster.primary.signal(signal.SIGSTOP)
            time.sleep(rng.choice([1, 3, 6]))
            self.cluster.primary.signal(signal.SIGCONT)
            self.cluster.wait_for_standbys(2)

    def cut_standbys(self):
        links = [self.cluster.link(node, self.cluster.primary) for node in self.cluster.nodes
                 if node is not self.cluster.primary]
        for link in links:
            self.proxy.cut(link)
        return links

    def isolate_primary(self, rng):
        """Promotion by hand while the old primary runs, is cut off from its standbys, and hosts still reach it."""
        with self.slow:
            old = self.cluster.primary
            links = self.cut_standbys()
            time.sleep(rng.uniform(0, 1))
            self.cluster.fail_over()
            time.sleep(rng.uniform(0.5, 3))
            self.cluster.rejoin(old)
            for link in links:
                self.proxy.heal(link)
            self.cluster.wait_for_standbys(2)

    def cancel_waits(self, rng):
        """The phantom rows: waits for standbys are cancelled, rows become visible, and a failover takes them back."""
        with self.slow:
            old = self.cluster.primary
            links = self.cut_standbys()
            for _ in range(3):
                time.sleep(rng.uniform(0.2, 0.5))
                old.sql("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
            time.sleep(rng.uniform(0, 0.5))
            old.kill()
            self.cluster.fail_over()
            self.cluster.rejoin(old)
            for link in links:
                self.proxy.heal(link)
            self.cluster.wait_for_standbys(2)

    def fill_disk(self, rng):
        """The primary has no room: appends are refused, or it ends and a standby takes its place."""
        with self.slow:
            node = self.cluster.primary
            filler = node.place + "/filler"
            with open(filler, "wb", buffering=0) as file:
                try:
                    while file.write(bytes(1 << 16)):
                        pass
                except OSError:
                    pass  # it is full
            time.sleep(rng.uniform(0.5, 3))
            os.remove(filler)
            try:
                self.cluster.until(lambda: node.sql("SELECT 1", timeout=5) == "1", "answer", 5)
            except TimeoutError:
                node.kill()
                self.cluster.fail_over()
                self.cluster.rejoin(node)
            self.cluster.repair()

    def power_cut(self, rng):
        """All servers and all replicas end at the same moment."""
        with self.slow:
            for replica in self.replicas:
                replica.process.kill()
            self.cluster.power_cut(rng)

    def a_standby(self, rng):
        return rng.choice([node for node in self.cluster.nodes if node is not self.cluster.primary])

    def kill_standby(self, rng):
        with self.slow:
            node = self.a_standby(rng)
            node.kill()
            time.sleep(rng.uniform(0, 2))
            node.start()
            self.cluster.wait_for_standbys(2)

    def stop_standby(self, rng):
        with self.slow:
            node = self.a_standby(rng)
            node.signal(signal.SIGSTOP)
            time.sleep(rng.uniform(0.5, 3))
            node.signal(signal.SIGCONT)
            self.cluster.wait_for_standbys(2)

    def slow_standby(self, rng):
        with self.slow:
            link = self.cluster.link(self.a_standby(rng), self.cluster.primary)
            link.delay = {"up": rng.uniform(0, 0.2), "down": rng.uniform(0, 0.2)}
            time.sleep(rng.uniform(1, 2))
            self.proxy.heal(link)

    # Faults of hosts and of the network between.

    def kill_replica(self, rng):
        replica = rng.choice(self.replicas)
        replica.process.kill()  # its client starts it again

    def stop_replica(self, rng):
        process = rng.choice(self.replicas).process
        process.send_signal(signal.SIGSTOP)
        time.sleep(rng.uniform(0.5, 4))
        process.send_signal(signal.SIGCONT)

    def to_primary(self, rng):
        return rng.choice(self.replicas).links[self.cluster.primary.name]

    def cut_replica(self, rng):
        link = self.to_primary(rng)
        self.proxy.cut(link)
        time.sleep(rng.uniform(0, 3))
        self.proxy.heal(link)

    def hold_answers(self, rng):
        link = self.to_primary(rng)
        self.proxy.hold(link, "down")
        time.sleep(rng.choice([1, 6]))
        self.proxy.heal(link)

    def hold_requests(self, rng):
        """A first attempt arrives after its repetition."""
        link = self.to_primary(rng)
        self.proxy.hold(link, "up")
        time.sleep(rng.choice([1, 6, 8]))
        self.proxy.heal(link)

    # Faults of the log itself.

    def sql(self, text):
        self.cluster.primary.sql(text, self.database)

    def skew_clock(self, rng):
        with self.slow:
            skew = rng.choice([-3_600_000, -30_000, 30_000, 3_600_000])
            text = "CREATE OR REPLACE FUNCTION kith.clock() RETURNS bigint LANGUAGE sql SET search_path = pg_catalog"
            text += " AS 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint + %d'"
            self.sql(text % skew)
            time.sleep(rng.uniform(0.5, 2))
            self.sql(text % 0)

    def trim(self, rng):
        """Records leave the log under a replica that does not move: it begins anew with a snapshot."""
        process = rng.choice(self.replicas).process
        process.send_signal(signal.SIGSTOP)
        with self.slow:
            done = subprocess.run(
                [self.kith, "replica", "snapshot", "--log", self.replicas[0].url, "--name", "keeper", "--snapshots",
                 self.directory + "/snapshots"], capture_output=True, text=True)
            if done.returncode == 0:
                position = json.loads(done.stdout)["position"]
                self.sql(f"SET lock_timeout = '5s'; SELECT kith.trim({position})")
        process.send_signal(signal.SIGCONT)

    def double_appends(self, rng):
        with self.slow:
            self.sql(DOUBLING)
            time.sleep(rng.uniform(0.5, 2))
            self.sql(DOUBLING_END)


# How a finding begins that is about the trial itself.
NOT_MADE = "a fault could not be made"
ARGUMENTS = "p_session uuid, p_serial bigint, p_base bigint, p_clock bigint, p_payload bytea"
CALL = "kith.append_once(p_session, p_serial, p_base, p_clock, p_payload)"
DOUBLING = f"""BEGIN; ALTER FUNCTION kith.append RENAME TO append_once;
  CREATE FUNCTION kith.append({ARGUMENTS}, OUT o_position bigint, OUT o_chain bytea) LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog AS $$ BEGIN PERFORM {CALL}; SELECT a.o_position, a.o_chain INTO o_position, o_chain
  FROM {CALL} a; END $$; COMMIT"""
DOUBLING_END = "BEGIN; DROP FUNCTION kith.append; ALTER FUNCTION kith.append_once RENAME TO append; COMMIT"


def replacing(function, *pairs):
    """A change of one function's text."""
    text = f"pg_get_functiondef('kith.{function}'::regproc)"
    for old, new in pairs:
        text = f"replace({text}, $old${old}$old$, $new${new}$new$)"
    return f"DO $do$ DECLARE old text := pg_get_functiondef('kith.{function}'::regproc); changed text := {text}; " \
           f"BEGIN ASSERT old <> changed; EXECUTE changed; END $do$;"


def lose_primary(run, load):
    """The standbys are cut off for a second before the primary dies."""
    time.sleep(1)
    old = run.cluster.primary
    links = run.cut_standbys()
    time.sleep(1)
    for _ in range(3):
        old.sql("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
        time.sleep(0.5)
    old.kill()
    run.cluster.fail_over()
    time.sleep(1)
    run.cluster.rejoin(old)
    for link in links:
        run.proxy.heal(link)
    time.sleep(3)


def write_on(run, load):
    time.sleep(5)


LOCAL = "PERFORM set_config('synchronous_commit', 'local', true);"
CONTROLS = {
    "asynchronous commit": (
        replacing("append", ("PERFORM pg_notify", LOCAL + " PERFORM pg_notify"))
        + replacing("confirm", ("PERFORM pg_logical", LOCAL + " PERFORM pg_logical")), lose_primary),
    "no confirmation": (
        replacing("confirm", ("PERFORM pg_logical_emit_message(true, 'kith', '');", "")), lose_primary),
    "a sequence instead of the lock": (
        "CREATE SEQUENCE kith.counter;" + replacing(
            "append", ("PERFORM pg_advisory_xact_lock(7235429224);", ""),
            ("o_position := coalesce(last.position, 0) + 1;", "o_position := nextval('kith.counter');")), write_on),
    "no check of the serial": (replacing("append", ("IF FOUND THEN", "IF false THEN")) + DOUBLING, write_on),
}


def cut_power(run, load):
    """A power cut while clients write."""
    time.sleep(3)
    run.power_cut(random.Random(0))
    time.sleep(1)


OFF = LOCAL.replace("local'", "off'")
POWER_CONTROLS = {
    "no sync before the answer": (
        replacing("append", ("PERFORM pg_notify", OFF + " PERFORM pg_notify"))
        + replacing("confirm", ("PERFORM pg_logical", OFF + " PERFORM pg_logical")), cut_power),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kith")
    parser.add_argument("--seeds", default="1-12")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--only", help="one fault, by its name in this file")
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
                run = Run(os.path.abspath(arguments.kith), cluster, proxy, seed + (attempt if prepare else 0),
                          arguments.seconds, prepare, script)
                began = time.monotonic()
                try:
                    findings, load = run.run()
                    counts = [sum(event.outcome == outcome for event in load.events) for outcome in ("ok", "doubt")]
                except (RuntimeError, OSError, subprocess.SubprocessError) as error:
                    findings, counts = [f"{NOT_MADE}: {error!r}"], (0, 0)
                is_judged = not findings or not all(finding.startswith(NOT_MADE) for finding in findings)
                is_right = is_judged and bool(findings) == bool(prepare)
                print(f"{name}: {'ok' if is_right else 'FAILED'}, {counts[0]} acknowledged, {counts[1]} in doubt, "
                      f"{len(findings)} findings, {time.monotonic() - began:.0f} s", flush=True)
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
