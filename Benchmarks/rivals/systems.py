"""The systems that are asked in this process or by one of their own: Kith, SQLite, tantivy."""

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import time

import plans

HERE = os.path.dirname(os.path.abspath(__file__))


class Absent(Exception):
    """A system that this machine does not have, and what would bring it."""


def need(tool, package, *places):
    path = shutil.which(tool) or next((p for p in places if os.path.exists(p)), None)
    if not path:
        raise Absent(f"{tool} is not here (Debian: {package})")
    return path


def output(*words, **options):
    return subprocess.run(words, check=True, capture_output=True, text=True, **options).stdout.strip()


def compiled(name, directory, *flags):
    """The driver of a rival, built into the directory of the run."""
    path = f"{directory}/{name}-driver"
    built = subprocess.run(["cc", "-O2", f"{HERE}/{name}.c", "-o", path, *flags], capture_output=True, text=True)
    if built.returncode:
        raise Absent(f"{name}.c does not compile here: {built.stderr.strip().splitlines()[0]}")
    return path


def arguments(given, network):
    """Every name that a statement may use."""
    named = {name: str(value) for name, value in given.items()}
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
    """A rival that a driver in C asks; `how` begins every variant's name."""

    marker = "?"
    extra = ()

    def ask(self, network, asked):
        """Yields (kind, variant, [(nanoseconds, rows)]) for every variant of every kind."""
        kinds = list(dict.fromkeys(kind for kind, _, _ in asked))
        plan, lines, named = [], [], {}
        for kind, variants in self.plans(kinds).items():
            if kind not in kinds:
                continue
            for variant, text in variants.items():
                names = list(dict.fromkeys(re.findall(r"\{([a-z]+)\}", text)))
                for place, name in enumerate(names, 1):
                    text = text.replace("{" + name + "}", f"{self.marker}{place}")
                key = f"k{len(plan)}"
                named[key] = (kind, variant)
                plan.append(f"{key}\t{' '.join(text.split())}\n")
                for asked_kind, _, given in asked:
                    if asked_kind == kind:
                        values = arguments(given, network)
                        order = names or self.order.get(kind.split(",")[0], list(given))
                        lines.append("\t".join([key, *(values[name] for name in order)]) + "\n")
        for name, content in (("plan", plan), ("questions", lines)):
            with open(f"{self.directory}/{name}", "w", encoding="utf-8") as file:
                file.writelines(content)
        answered = subprocess.run(
            [self.driver, f"{self.directory}/plan", f"{self.directory}/questions", *self.where, *self.extra],
            check=True, stdout=subprocess.PIPE, text=True).stdout
        found = {}
        for line in answered.splitlines():
            key, nanoseconds, rows = line.split("\t")
            rows = [tuple(map(int, row.split(":"))) for row in rows.split(",")] if rows else []
            found.setdefault(named[key], []).append((int(nanoseconds), rows))
        return [(kind, variant, answers) for (kind, variant), answers in found.items()]

    order = {}


class SQLite(Driven):
    def __init__(self, directory, network, place):
        self.name = f"SQLite, {'in memory' if place == 'memory' else 'on disk'}"
        self.directory = f"{directory}/sqlite"
        os.makedirs(self.directory, exist_ok=True)
        self.driver = compiled("sqlite", self.directory, "-lsqlite3")
        self.version = "SQLite " + sqlite3.sqlite_version
        path = f"{self.directory}/graph.db"
        if not os.path.exists(path):
            self.fill(path, network)
        self.where = [path, place]
        self.plans = plans.sqlite

    @staticmethod
    def fill(path, network):
        base = sqlite3.connect(path)
        base.executescript("""
            PRAGMA page_size = 8192; PRAGMA journal_mode = off; PRAGMA synchronous = off;
            CREATE TABLE names (rank INTEGER PRIMARY KEY, id INTEGER, name TEXT, key TEXT, followers INTEGER,
              followees INTEGER, posts INTEGER);
            CREATE TABLE grams (gram TEXT, rank INTEGER, PRIMARY KEY (gram, rank)) WITHOUT ROWID;
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
        insert("INSERT INTO follows VALUES (?, ?, ?)", network.follows)
        insert("INSERT INTO posts VALUES (?, ?, ?, ?, ?, ?)", network.posts)
        insert("INSERT INTO heads VALUES (?, ?, ?)", ((a, at, i) for a, (at, i) in network.heads.items()))
        insert("INSERT INTO likes VALUES (?, ?, ?)", network.likes)
        base.executescript("""
            CREATE INDEX names_by_id ON names (id);
            CREATE INDEX names_by_key ON names (key);
            CREATE INDEX follows_by_target ON follows (target, second DESC, "user" DESC);
            CREATE INDEX posts_by_id ON posts (id);
            CREATE INDEX posts_by_author ON posts (author, at DESC, id DESC);
            CREATE INDEX posts_by_time ON posts (at DESC, id DESC, author);
            CREATE INDEX likes_by_post ON likes (post, second, "user");
            INSERT INTO names_fts (rowid, key) SELECT rank, key FROM names;""")
        insert("INSERT INTO posts_fts (rowid, text, author) VALUES (?, ?, ?)", network.folded_posts())
        base.executescript("INSERT INTO names_fts (names_fts) VALUES ('optimize'); "
                           "INSERT INTO posts_fts (posts_fts) VALUES ('optimize'); ANALYZE;")
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
        kinds = {"search, 3–8 letters": ("names", order.Asc), "posts with a word": ("posts", order.Desc)}
        found = {}
        for measured in (False, True):
            for kind, request, given in asked:
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


class Kith:
    name = "Kith"

    def __init__(self, path, store):
        self.path, self.store = path, store
        self.version = output(path, "--version")

    def ask(self, asked):
        """All questions twice through `kith query --timings`; the second answers, with the engine's own times."""
        lines = "".join(json.dumps(request) + "\n" for _, request, _ in asked)
        words = [self.path, "query", self.store, "--read-only", "--timings"]
        with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            self.await_index(process)
            answered, _ = process.communicate(lines + lines)
        if process.returncode != 0:
            sys.exit(f"{' '.join(words)} ended with {process.returncode}")
        return [json.loads(line) for line in answered.splitlines()[len(asked) :]]

    def await_index(self, process):
        """Until the index of posts, which is built in the background, has its size."""
        size = None
        while True:
            process.stdin.write('{"op":"stats"}\n')
            process.stdin.flush()
            now = json.loads(process.stdout.readline())["bytes"]["postSearch"]
            if now == size and now > 0:
                return
            size = now
            time.sleep(1)
