"""The faults of a run: of servers, of hosts and the network, of the log."""

import json
import os
import signal
import subprocess
import time

ARGUMENTS = (
    "p_session uuid, p_serial bigint, p_base bigint, p_clock bigint, p_payload bytea, p_demanded boolean DEFAULT false"
)
CALL = "kith.append_once(p_session, p_serial, p_base, p_clock, p_payload, p_demanded)"
DOUBLING = f"""BEGIN; ALTER FUNCTION kith.append RENAME TO append_once;
  CREATE FUNCTION kith.append({ARGUMENTS}, OUT o_position bigint, OUT o_chain bytea, OUT o_demanded boolean)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$ BEGIN PERFORM {CALL};
  SELECT a.o_position, a.o_chain, a.o_demanded INTO o_position, o_chain, o_demanded FROM {CALL} a; END $$; COMMIT"""
DOUBLING_END = "BEGIN; DROP FUNCTION kith.append; ALTER FUNCTION kith.append_once RENAME TO append; COMMIT"


class Faults:
    """The faults that a run draws. `Run` has the cluster, the proxy, the replicas and the lock `slow`."""

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
        links = [
            self.cluster.link(node, self.cluster.primary)
            for node in self.cluster.nodes
            if node is not self.cluster.primary
        ]
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

    def empty_names(self, rng):
        """What a pressed operator does: no standby answers, so none is named any more; then the primary is killed."""
        with self.slow:
            old = self.cluster.primary
            links = self.cut_standbys()
            time.sleep(rng.uniform(0.2, 1))
            old.sql("ALTER SYSTEM SET synchronous_standby_names = ''")
            old.sql("SELECT pg_reload_conf()")
            time.sleep(rng.uniform(0, 1))
            if rng.random() < 0.5:  # names come back for what waits then
                old.sql("ALTER SYSTEM RESET synchronous_standby_names")
                old.sql("SELECT pg_reload_conf()")
                time.sleep(rng.uniform(0, 1))
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
        """Records leave the log under a replica that does not move: it begins again with a snapshot."""
        process = rng.choice(self.replicas).process
        process.send_signal(signal.SIGSTOP)
        with self.slow:
            done = subprocess.run(
                [
                    self.kith,
                    "replica",
                    "snapshot",
                    "--log",
                    self.replicas[0].url,
                    "--name",
                    "keeper",
                    "--snapshots",
                    self.directory + "/snapshots",
                ],
                capture_output=True,
                text=True,
            )
            if done.returncode == 0:
                position = json.loads(done.stdout)["position"]
                self.sql(f"SET lock_timeout = '5s'; SELECT kith.trim({position})")
        process.send_signal(signal.SIGCONT)

    def double_appends(self, rng):
        with self.slow:
            self.sql(DOUBLING)
            time.sleep(rng.uniform(0.5, 2))
            self.sql(DOUBLING_END)
