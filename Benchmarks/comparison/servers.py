"""The systems that are servers: started on a Unix socket in the directory of the run, and stopped after it."""

import itertools
import os
import re
import shutil
import subprocess
import time

import plans
import writes
from systems import Absent, Driven, compiled, need, output, seconds


class PostgreSQL(Driven):
    marker = "$"

    def __init__(self, directory, network, stack):
        places = [f"/usr/lib/postgresql/{n}/bin/initdb" for n in range(30, 11, -1)]
        binaries = os.path.dirname(need("initdb", "postgresql", *places))
        self.name, self.plans = "PostgreSQL", plans.postgres
        self.directory = f"{directory}/postgres"
        os.makedirs(self.directory)
        self.driver = compiled("postgres", self.directory, "-I/usr/include/postgresql", "-lpq")
        # The server refuses to run for root; its files are then those of the user whom its package made.
        self.runner = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        data, owner = f"{self.directory}/data", "postgres" if self.runner else None
        os.makedirs(data, mode=0o700)
        if owner:
            shutil.chown(data, owner, owner)
            shutil.chown(self.directory, owner, owner)
        self.run(f"{binaries}/initdb", "-D", data, "-A", "trust", "-E", "UTF8", "--locale=C", "-N")
        settings = {
            "listen_addresses": "''",
            "unix_socket_directories": f"'{self.directory}'",
            "shared_buffers": "2GB",
            "jit": "off",
            "work_mem": "64MB",
            "maintenance_work_mem": "512MB",
            "random_page_cost": "1.1",
            "fsync": "off",
            "effective_cache_size": "4GB",
            "max_parallel_workers_per_gather": "0",
            "max_wal_size": "8GB",
        }
        with open(f"{data}/postgresql.conf", "a", encoding="utf-8") as file:
            file.writelines(f"{name} = {value}\n" for name, value in settings.items())
        stack.callback(self.run, f"{binaries}/pg_ctl", "-D", data, "-m", "immediate", "stop")
        self.run(f"{binaries}/pg_ctl", "-D", data, "-w", "-l", f"{self.directory}/log", "start")
        self.where = [f"host={self.directory} dbname=postgres" + (" user=postgres" if owner else "")]
        self.psql = [need("psql", "postgresql-client"), "-q", "-X", "-v", "ON_ERROR_STOP=1", self.where[0]]
        self.version = output(*self.psql, "-Atc", "SELECT 'PostgreSQL ' || current_setting('server_version')")
        self.fill(network)

    def run(self, *words):
        subprocess.run([*self.runner, *words], check=True, stdout=subprocess.DEVNULL, cwd=self.directory)

    def fill(self, network):
        try:
            output(*self.psql, "-c", "CREATE EXTENSION pg_trgm")
        except subprocess.CalledProcessError as failure:
            raise Absent("pg_trgm is not here (Debian: postgresql-contrib)") from failure
        folded = zip(network.posts, network.folded_posts())
        tables = {
            "names": (
                "rank int PRIMARY KEY, id int, name text, key text, followers int, followees int, posts int",
                network.users,
            ),
            "follows": ('"user" int, target int, second bigint', network.follows),
            "posts": (
                "place int, id int PRIMARY KEY, author int, at bigint, text text, likes int, found text",
                ((*post, f"{text}\n{author}") for post, (_, text, author) in folded),
            ),
            "heads": (
                "author int PRIMARY KEY, at bigint, id int",
                ((author, at, i) for author, (at, i) in network.heads.items()),
            ),
            "likes": ('"user" int, post int, second bigint', network.likes),
        }
        self.copy(tables)
        output(
            *self.psql,
            input="""
            ALTER TABLE follows ADD PRIMARY KEY ("user", target);
            ALTER TABLE likes ADD PRIMARY KEY ("user", post);
            CREATE INDEX ON names (id) INCLUDE (name);
            CREATE INDEX ON names (key, rank);
            CREATE INDEX ON names USING gin (key gin_trgm_ops) WITH (fastupdate = off);
            CREATE INDEX ON follows (target, second DESC, "user" DESC);
            CREATE INDEX ON posts (author, at DESC, id DESC);
            CREATE INDEX ON posts (at DESC, id DESC, author);
            CREATE INDEX ON posts USING gin (found gin_trgm_ops) WITH (fastupdate = off);
            CREATE INDEX ON likes (post, second, "user");
            VACUUM (FREEZE, ANALYZE);""",
        )

    def copy(self, tables):
        """Fills tables: {name: (columns, rows)}."""
        for table, (columns, rows) in tables.items():
            words = [*self.psql, "-c", f"CREATE TABLE {table} ({columns})", "-c", f"COPY {table} FROM STDIN"]
            with subprocess.Popen(words, stdin=subprocess.PIPE, text=True, encoding="utf-8") as psql:
                for row in rows:
                    psql.stdin.write("\t".join(self.escaped(field) for field in row) + "\n")

    @staticmethod
    def escaped(field):
        text = str(field)
        return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")

    def ask(self, network, asked):
        """The client's time; then the server's own as variants beside it."""
        found = super().ask(network, asked)
        inside = super().ask(network, asked, "server")
        return found + [
            (kind, f"{variant}, server alone".lstrip(", "), [(t, None) for t, _ in answers])
            for kind, variant, answers in inside
        ]

    def change(self, network, changed):
        """The same database in several ways, each after the changes of the one before."""
        # Words of new posts gather before they go to their lists.
        output(*self.psql, input=writes.POSTGRES_SEQUENCES + "ALTER INDEX posts_found_idx SET (fastupdate = on);")
        ways = itertools.product({"flushed": "off", "synced": "on"}.items(), (1, writes.DEPTH))
        for repeat, ((mode, value), depth) in enumerate(ways):
            for setting in ("fsync = on", f"synchronous_commit = {value}"):
                output(*self.psql, "-c", f"ALTER SYSTEM SET {setting}")
            output(*self.psql, "-c", "SELECT pg_reload_conf()", "-c", "VACUUM", "-c", "CHECKPOINT")
            os.sync()
            found = super().ask(network, changed, *([str(depth)] if depth > 1 else []), plans=writes.postgres)
            yield mode, depth, repeat, f"synchronous_commit = {value}", found

    def saved(self):
        dump = f"{self.directory}/dump"
        tools, where = self.psql[0].rsplit("/", 1)[0], self.where[0]
        saving = seconds(lambda: output(f"{tools}/pg_dump", "-d", where, "-Fd", "-j", "2", "-Z", "1", "-f", dump))
        output(*self.psql, "-c", "CREATE DATABASE again")
        again = where.replace("dbname=postgres", "dbname=again")
        back = seconds(lambda: output(f"{tools}/pg_restore", "-d", again, "-j", "2", dump))
        size = sum(entry.stat().st_size for entry in os.scandir(dump))
        yield "pg_dump, pg_restore, two jobs each", saving, size, back


class Redis(Driven):
    order = {"timeline": ["user"], "prefix": ["query", "viewer", "behind"]}
    # Queries in flight.
    depth = writes.DEPTH

    def __init__(self, directory, network, stack):
        server = need("redis-server", "redis-server")
        self.name, self.plans, self.directory = "Redis", plans.redis, f"{directory}/redis"
        os.makedirs(self.directory)
        self.driver = compiled("redis", self.directory, "-lhiredis")
        self.version = "Redis " + re.search(r"v=(\S+)", output(server, "--version")).group(1)
        self.socket = f"{self.directory}/socket"
        self.server, self.stack = server, stack
        self.start(self.socket)
        self.where = [self.socket]
        self.fill(network)

    def fill(self, network):
        self.load(self.commands(network))

    def load(self, commands):
        loader = ["redis-cli", "-s", self.socket, "--pipe"]
        with subprocess.Popen(loader, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as pipe:
            for words in commands:
                coded = [str(word).encode() for word in words]
                pipe.stdin.write(b"*%d\r\n" % len(coded) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in coded))

    def start(self, socket):
        """A server with what is saved in the directory, when it answers."""
        words = [self.server, "--port", "0", "--unixsocket", socket, "--save", "", "--appendonly", "no"]
        process = subprocess.Popen([*words, "--dir", self.directory], stdout=subprocess.DEVNULL)
        self.stack.callback(process.wait)
        self.stack.callback(process.terminate)
        while "PONG" not in subprocess.run(["redis-cli", "-s", socket, "PING"], capture_output=True, text=True).stdout:
            if process.poll() is not None:
                raise Absent(f"{self.server} ended with {process.returncode}")
            time.sleep(0.005)

    def command(self, *words):
        return output("redis-cli", "-s", self.socket, *words)

    def ask(self, network, asked, *extra, plans=None):
        """One query at a time; then many in flight, as variants."""
        found = super().ask(network, asked, *extra, plans=plans)
        many = super().ask(network, asked, str(self.depth), plans=plans) if plans is None else []
        return found + [
            (kind, f"{variant}, {self.depth} in flight".lstrip(", "), answers) for kind, variant, answers in many
        ]

    def change(self, network, changed):
        """The same server in several ways, each after the changes of the one before."""
        self.command("SET", "next", str(max(post[1] for post in network.posts)))
        repeat = 0
        for mode, policy in (("in memory", None), ("flushed", "everysec"), ("synced", "always")):
            if policy:
                self.command("CONFIG", "SET", "appendfsync", policy, "appendonly", "yes")
                while re.search("aof_rewrite_(in_progress|scheduled):1", self.command("INFO", "persistence")):
                    time.sleep(0.1)
                os.sync()
            for depth in (1, self.depth):
                found = super().ask(network, changed, *([str(depth)] if depth > 1 else []), plans=writes.redis)
                yield mode, depth, repeat, f"AOF {policy}" if policy else "", found
                repeat += 1
        self.command("CONFIG", "SET", "appendonly", "no")

    def saved(self):
        saving = seconds(lambda: self.command("SAVE"))
        size = os.path.getsize(f"{self.directory}/dump.rdb")
        yield "SAVE, a server that reads it", saving, size, seconds(lambda: self.start(f"{self.directory}/again"))

    @staticmethod
    def commands(network):
        def sets(prefix, triples):
            lists = {}
            for key, score, member in triples:
                lists.setdefault(key, []).extend((score, member))
            for key, members in lists.items():
                for first in range(0, len(members), 10_000):
                    yield ["ZADD", f"{prefix}:{key}", *members[first : first + 10_000]]

        for rank, i, name, key, followers, followees, posts in network.users:
            yield ["HSET", f"u:{i}", "n", name, "r", followers, "e", followees, "p", posts]
            yield ["ZADD", "names", 0, f"{key}\0{rank:08} {i}"]
        for _, i, author, at, text, likes in network.posts:
            yield ["HSET", f"x:{i}", "a", author, "t", at, "b", text, "l", likes]
        for author, (at, i) in network.heads.items():
            yield ["SET", f"h:{author}", f"{at:015}{i:015}"]
        yield from sets("p", ((author, 0, f"{at:015}{i:015}") for _, i, author, at, _, _ in network.posts))
        yield from sets("e", ((user, second, target) for user, target, second in network.follows))
        # Members of equal scores are in the order of bytes: numbers of one length.
        yield from sets("r", ((target, second, f"{user:010}") for user, target, second in network.follows))
        yield from sets("o", ((user, second, post) for user, post, second in network.likes))
        yield from sets("k", ((post, second, f"{user:010}") for user, post, second in network.likes))
