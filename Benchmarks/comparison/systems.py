"""The systems without a server: Kith, SQLite, tantivy."""

import contextlib
import glob
import itertools
import json
import os
import re
import shutil
import sqlite3
import subprocess
import time

import plans
import threads
import writes

HERE = os.path.dirname(os.path.abspath(__file__))


class Absent(Exception):
    """A system that is not installed, and the package that has it."""


def need(tool, package, *places):
    path = shutil.which(tool) or next((p for p in places if os.path.exists(p)), None)
    if not path:
        raise Absent(f"{tool} is not here (Debian: {package})")
    return path


def output(*words, **options):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True, **options).stdout.rstrip("\n")


def seconds(work):
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def compiled(name, directory, *flags):
    """The driver of another system, built into the directory of the run."""
    path = f"{directory}/{name}-driver"
    built = subprocess.run(["cc", "-O2", f"{HERE}/{name}.c", "-o", path, *flags], capture_output=True, text=True)
    if built.returncode:
        raise Absent(f"{name}.c does not compile here: {built.stderr.strip().splitlines()[0]}")
    return path


def arguments(given, network):
    """Every name that a statement may use."""
    named = {name: str(value) for name, value in given.items()}
    if "text" in given:
        named["text"] = "'" + given["text"]
    if "query" in given:
        query = given["query"]
        named["query"] = "'" + query
        named["behind"] = "'" + query + "\U0010ffff"
        named["like"] = "'%" + re.sub(r"([\\%_])", r"\\\1", query) + "%"
        named["quoted"] = "'\"" + query.replace('"', '""') + '"'
        if "viewer" in given:
            named["gram"] = "'" + network.rarest_gram(query)
    return named


class Driven:
    """Another system behind a driver in C; `how` begins every variant's name."""

    marker = "?"

    def ask(self, network, asked, *extra, plans=None):
        """Yields (kind, variant, [(nanoseconds, rows)]) for every variant of every kind, in the order of the plans.

        What is `extra` is for the driver."""
        kinds = list(dict.fromkeys(kind for kind, _ in asked))
        plan, lines, named = [], [], {}
        for kind, variants in (plans or self.plans)(kinds).items():
            if kind not in kinds:
                continue
            for variant, text in variants.items():
                names = list(dict.fromkeys(re.findall(r"\{([a-z]+)\}", text)))
                for place, name in enumerate(names, 1):
                    text = text.replace("{" + name + "}", f"{self.marker}{place}")
                key = f"k{len(plan)}"
                named[key] = (kind, variant)
                plan.append(f"{key}\t{' '.join(text.split())}\n")
                for asked_kind, given in asked:
                    if asked_kind == kind:
                        values = arguments(given, network)
                        order = names or self.order.get(kind.split(",")[0], list(given))
                        lines.append("\t".join([key, *(values[name] for name in order)]) + "\n")
        found = {}
        for line in self.answered(plan, lines, *extra).splitlines():
            key, nanoseconds, rows = line.split("\t")
            rows = [tuple(map(int, row.split(":"))) for row in rows.split(",")] if rows else []
            found.setdefault(named[key], []).append((int(nanoseconds), rows))
        return [(kind, variant, answers) for (kind, variant), answers in found.items()]

    order = {}

    def answered(self, plan, lines, *extra):
        for name, content in (("plan", plan), ("questions", lines)):
            with open(f"{self.directory}/{name}", "w", encoding="utf-8") as file:
                file.writelines(content)
        return output(self.driver, f"{self.directory}/plan", f"{self.directory}/questions", *self.where, *extra)


class SQLite(Driven):
    def __init__(self, directory, network, place):
        self.name = f"SQLite, {'in memory' if place == 'memory' else 'on disk'}"
        self.directory = f"{directory}/sqlite"
        os.makedirs(self.directory, exist_ok=True)
        self.driver = compiled("sqlite", self.directory, "-lsqlite3")
        self.version = "SQLite " + sqlite3.sqlite_version
        self.path = f"{self.directory}/graph.db"
        if not os.path.exists(self.path):
            self.fill(self.path, network)
        self.where = [self.path, place]
        self.plans = plans.sqlite

    def change(self, network, changed):
        """Each way on a database of its own."""
        path, place = f"{self.directory}/changed.db", self.where[1]
        modes = {"in memory": "OFF"} if place == "memory" else {"flushed": "NORMAL", "synced": "FULL"}
        for (mode, level), depth in itertools.product(modes.items(), (1, writes.DEPTH)):
            for end in ("", "-wal", "-shm"):
                with contextlib.suppress(FileNotFoundError):
                    os.remove(path + end)
            shutil.copyfile(self.path, path)
            with contextlib.closing(sqlite3.connect(path)) as base:
                base.executescript(writes.SQLITE_TRIGGERS)
            os.sync()
            self.where[0] = path
            found = self.ask(network, changed, level, *([str(depth)] if depth > 1 else []), plans=writes.sqlite)
            yield mode, depth, 0, f"WAL, synchronous = {level}" if place == "disk" else "", found
        self.where[0] = self.path

    def shared(self):
        return threads.of_sqlite(self.directory, self.path) if self.where[1] == "disk" else ()

    def saved(self):
        """What saving and coming back take: (how, seconds, bytes, seconds until something is answered)."""
        if self.where[1] != "memory":
            return
        copy = f"{self.directory}/saved.db"
        with contextlib.closing(sqlite3.connect(self.path)) as base, contextlib.closing(sqlite3.connect(copy)) as file:
            saving = seconds(lambda: (base.backup(file), os.sync()))
        for how, place in (("backup, copied into memory again", ":memory:"), ("backup, opened where it is", copy)):

            def answer(place=place):
                file, opened = sqlite3.connect(copy), sqlite3.connect(place)
                if place != copy:
                    file.backup(opened)
                opened.execute("SELECT * FROM names WHERE id = 1").fetchall()

            yield how, saving, os.path.getsize(copy), seconds(answer)

    @staticmethod
    def fill(path, network):
        base = sqlite3.connect(path)
        base.executescript("""
            PRAGMA page_size = 8192; PRAGMA journal_mode = off; PRAGMA synchronous = off;
            CREATE TABLE names (rank INTEGER PRIMARY KEY, id INTEGER, name TEXT, key TEXT, followers INTEGER,
              followees INTEGER, posts INTEGER);
            CREATE TABLE grams (gram TEXT, rank INTEGER, PRIMARY KEY (gram, rank)) WITHOUT ROWID;
            CREATE TABLE ordered_grams (gram TEXT, rank INTEGER, key TEXT, id INTEGER, name TEXT,
              PRIMARY KEY (gram, rank)) WITHOUT ROWID;
            CREATE TABLE follows ("user" INTEGER, target INTEGER, second INTEGER, PRIMARY KEY ("user", target))
              WITHOUT ROWID;
            CREATE TABLE posts (place INTEGER PRIMARY KEY, id INTEGER, author INTEGER, at INTEGER, text TEXT,
              likes INTEGER);
            CREATE TABLE heads (author INTEGER PRIMARY KEY, at INTEGER, id INTEGER);
            CREATE TABLE likes ("user" INTEGER, post INTEGER, second INTEGER, PRIMARY KEY ("user", post)) WITHOUT ROWID;
            CREATE VIRTUAL TABLE names_fts USING fts5(key, tokenize = 'trigram', content = '');
            CREATE VIRTUAL TABLE posts_fts USING fts5(text, author, tokenize = 'trigram', content = '');""")
        insert = base.executemany
        insert("INSERT INTO names VALUES (?, ?, ?, ?, ?, ?, ?)", network.users)
        in_order = ((gram, rank) for gram in sorted(network.grams) for rank in network.grams[gram])
        insert("INSERT INTO grams VALUES (?, ?)", in_order)
        by_rank = {user[0]: (user[3], user[1], user[2]) for user in network.users}
        in_order = ((g, rank, *by_rank[rank]) for g in sorted(network.grams) for rank in network.grams[g])
        insert("INSERT INTO ordered_grams VALUES (?, ?, ?, ?, ?)", in_order)
        insert("INSERT INTO follows VALUES (?, ?, ?)", network.follows)
        insert("INSERT INTO posts VALUES (?, ?, ?, ?, ?, ?)", network.posts)
        insert("INSERT INTO heads VALUES (?, ?, ?)", ((a, at, i) for a, (at, i) in network.heads.items()))
        insert("INSERT INTO likes VALUES (?, ?, ?)", network.likes)
        base.executescript("""
            CREATE INDEX names_by_id ON names (id);
            CREATE INDEX names_by_key ON names (key);
            CREATE INDEX names_by_followers ON names (followers DESC, rank, key, id);
            CREATE INDEX follows_by_target ON follows (target, second DESC, "user" DESC);
            CREATE INDEX posts_by_id ON posts (id);
            CREATE INDEX posts_by_author ON posts (author, at DESC, id DESC);
            CREATE INDEX posts_by_time ON posts (at DESC, id DESC, author);
            CREATE INDEX likes_by_post ON likes (post, second, "user");
            INSERT INTO names_fts (rowid, key) SELECT rank, key FROM names;""")
        insert("INSERT INTO posts_fts (rowid, text, author) VALUES (?, ?, ?)", network.folded_posts())
        base.executescript(
            "INSERT INTO names_fts (names_fts) VALUES ('optimize'); "
            "INSERT INTO posts_fts (posts_fts) VALUES ('optimize'); ANALYZE;"
        )
        base.commit()
        base.close()


class Tantivy:
    """In this process: the time of its Python call is in its figures, and said beside them."""

    name = "tantivy"

    def __init__(self, directory, network):
        try:
            import tantivy
        except ImportError as failure:
            raise Absent("tantivy is not here (pip install tantivy)") from failure
        self.tantivy, self.network = tantivy, network
        self.version = tantivy.__version__.split(",")[0]
        analyzer = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
        self.indexes = {}
        names = ((rank, i, key) for rank, i, _, key, _, _, _ in network.users)
        posts = (
            (place, network.posts[place - 1][1], f"{text}\n{author}") for place, text, author in network.folded_posts()
        )
        for name, rows in (("names", names), ("posts", posts)):
            schema = tantivy.SchemaBuilder().add_text_field("grams", tokenizer_name="grams", index_option="basic")
            schema = schema.add_text_field("text", stored=True, tokenizer_name="raw", index_option="basic")
            schema = schema.add_integer_field("place", fast=True).add_integer_field("id", stored=True).build()
            os.makedirs(f"{directory}/tantivy/{name}")
            index = tantivy.Index(schema, path=f"{directory}/tantivy/{name}")
            index.register_tokenizer("grams", analyzer)
            writer = index.writer(heap_size=512 << 20, num_threads=1)
            for place, i, text in rows:
                grams = " ".join(self.trigrams(text))
                writer.add_document(tantivy.Document(grams=grams, text=text, place=place, id=i))
            writer.commit()
            writer.wait_merging_threads()
            index.reload()
            self.indexes[name] = (index, index.searcher())

    def ask(self, network, asked):
        order = self.tantivy.Order
        searches = ("search, 3 letters", "search, 4–10 letters", "search, no match")
        kinds = dict.fromkeys(searches, ("names", order.Asc)) | {"posts with a word": ("posts", order.Desc)}
        found = {}
        for measured in (False, True):
            for kind, given in asked:
                if kind not in kinds:
                    continue
                name, order = kinds[kind]
                index, searcher = self.indexes[name]
                wanted = given["query"]
                began = time.perf_counter_ns()
                ids = self.found(index, searcher, wanted, order)
                taken = time.perf_counter_ns() - began
                if measured:
                    ids = [i for i in ids if i != given.get("viewer")][:20]
                    found.setdefault(kind, []).append((taken, [(i,) for i in ids]))
        return [(kind, "trigrams, ids alone", answers) for kind, answers in found.items()]

    @staticmethod
    def trigrams(text):
        """Each once, as words: spaces within them shown."""
        shown = "".join("␣" if letter.isspace() else letter for letter in text)
        return list(dict.fromkeys(shown[n : n + 3] for n in range(len(shown) - 2)))

    def found(self, index, searcher, wanted, order):
        """Documents with all trigrams of a text, in order, that hold the text."""
        term, must = self.tantivy.Query.term_query, self.tantivy.Occur.Must
        terms = [(must, term(index.schema, "grams", gram)) for gram in self.trigrams(wanted)]
        query = self.tantivy.Query.boolean_query(terms)
        limit = 21
        while True:
            hits = searcher.search(query, limit, count=False, order_by_field="place", order=order).hits
            documents = [searcher.doc(address) for _, address in hits]
            ids = [document["id"][0] for document in documents if wanted in document["text"][0]]
            if len(ids) >= 21 or len(hits) < limit:
                return ids
            limit *= 4


class Kith(Driven):
    """Asked by a driver too, in Swift; it waits until the index of posts is built."""

    name, plans = "Kith", staticmethod(plans.kith)
    modes = {"in memory": "memory", "flushed": "flushed", "synced": "synced"}
    order = {
        "search": ["query", "viewer"],
        "prefix": ["query", "viewer"],
        "typos": ["query", "viewer"],
        "popular first": ["query", "viewer"],
        "followed first": ["query", "viewer"],
        "post": ["user", "at", "text"],
    }

    def __init__(self, path, driver, directory):
        self.path, self.driver = path, driver
        self.directory, self.store = f"{directory}/kith", f"{directory}/store"
        os.makedirs(self.directory)
        self.version = output(path, "--version")

    def answered(self, plan, lines, *extra):
        operations = dict(line.rstrip("\n").split("\t") for line in plan)
        asked = []
        for line in lines:
            key, rest = line.split("\t", 1)
            asked.append(f"{key}\t{operations[key]}\t{rest}")
        return output(self.driver, *(extra or [self.store]), input="".join(asked))

    def change(self, network, changed, mode, depth, repeats):
        """What every second round of changes answered, on a copy of the store."""
        store = f"{self.directory}/changed"
        shutil.rmtree(store, ignore_errors=True)
        shutil.copytree(self.store, store)
        os.sync()
        found = self.ask(network, changed, store, self.modes[mode], str(2 * repeats), str(depth))
        outcomes = [{} for _ in range(repeats)]
        for kind, _, answers in found:
            count = len(answers) // repeats
            for repeat, outcome in enumerate(outcomes):
                outcome[kind] = answers[repeat * count : (repeat + 1) * count]
        return outcomes

    def saved(self):
        """As other systems tell it; the snapshot was synced and read back, and is verified when it is read."""
        store = f"{self.directory}/saved"
        shutil.copytree(self.store, store)
        words = [self.path, "query", store, "--timings"]
        saving = json.loads(output(*words, input='{"op":"snapshot"}\n'))["ns"] / 1e9
        path = max(glob.glob(f"{store}/snap-*"))
        words = [self.path, "query", path, "--read-only"]
        back = seconds(lambda: output(*words, input='{"op":"timeline","user":1}\n'))
        yield "snapshot, a process that reads it", saving, os.path.getsize(path), back
