"""SQLite with a schema and plans for the lists of a microblog."""

import contextlib
import sqlite3

import systems

from . import sql, tables

TABLES = """
PRAGMA page_size = 8192; PRAGMA journal_mode = off; PRAGMA synchronous = off;
CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE follows (follower INTEGER, target INTEGER, second INTEGER, PRIMARY KEY (follower, target)) WITHOUT ROWID;
CREATE TABLE mutes (owner INTEGER, target INTEGER, PRIMARY KEY (owner, target)) WITHOUT ROWID;
CREATE TABLE blocks (owner INTEGER, target INTEGER, PRIMARY KEY (owner, target)) WITHOUT ROWID;
CREATE TABLE posts (id INTEGER PRIMARY KEY, author INTEGER, at INTEGER, text TEXT, parent INTEGER,
  parent_author INTEGER, root INTEGER, flags INTEGER, likes INTEGER);
CREATE TABLE likes (owner INTEGER, post INTEGER, second INTEGER, author INTEGER, PRIMARY KEY (owner, post))
  WITHOUT ROWID;
CREATE TABLE reposts (post INTEGER, second INTEGER, reposter INTEGER, author INTEGER,
  PRIMARY KEY (post, second, reposter)) WITHOUT ROWID;
CREATE TABLE mentions (target INTEGER, at INTEGER, post INTEGER, author INTEGER,
  PRIMARY KEY (target, at DESC, post DESC)) WITHOUT ROWID;
CREATE TABLE entries (actor INTEGER, at INTEGER, post INTEGER, reposter INTEGER, author INTEGER, flags INTEGER,
  parent_author INTEGER, PRIMARY KEY (actor, at DESC, post DESC, reposter DESC)) WITHOUT ROWID;
CREATE TABLE tagged (tag INTEGER, at INTEGER, post INTEGER, author INTEGER, PRIMARY KEY (tag, at DESC, post DESC))
  WITHOUT ROWID;
CREATE TABLE list_members (list INTEGER, member INTEGER, PRIMARY KEY (list, member)) WITHOUT ROWID;
CREATE TABLE notifications (owner INTEGER, second INTEGER, relation INTEGER, source INTEGER, target INTEGER,
  actor INTEGER, PRIMARY KEY (owner, second DESC, relation DESC, source DESC, target DESC)) WITHOUT ROWID;
CREATE TABLE home_feeds (owner INTEGER, at INTEGER, post INTEGER, reposter INTEGER, marks INTEGER, flags INTEGER,
  PRIMARY KEY (owner, at DESC, post DESC, reposter DESC)) WITHOUT ROWID;
CREATE TABLE list_feeds (owner INTEGER, at INTEGER, post INTEGER, reposter INTEGER, marks INTEGER, flags INTEGER,
  PRIMARY KEY (owner, at DESC, post DESC, reposter DESC)) WITHOUT ROWID;
"""
INDEXES = """
CREATE INDEX entries_by_time ON entries (at DESC, post DESC, reposter DESC, actor, author, flags, parent_author);
CREATE INDEX conversations ON posts (root, at, id, author);
CREATE INDEX replies_to ON posts (parent_author, at DESC, id DESC, parent, author);
CREATE INDEX followers ON follows (target, second DESC, follower DESC);
CREATE INDEX likes_of ON likes (author, second DESC, owner DESC, post DESC);
CREATE INDEX reposts_of ON reposts (author, second DESC, reposter DESC, post DESC);
ANALYZE;
"""
# What the driver puts in place of them: the last entry that it took from a list.
PLACE = "?11", "?12", "?13", "?14"


class SQLite(systems.SQLite):
    def __init__(self, directory, network, place):
        super().__init__(directory, network, place)
        self.plans = lambda kinds: sql.plans("CROSS JOIN", timelines)

    @staticmethod
    def fill(path, network):
        with contextlib.closing(sqlite3.connect(path)) as base:
            base.executescript(TABLES)
            feeds = tables.Feeds(network)
            filled = tables.columns(network) | {"home_feeds": feeds.homes(), "list_feeds": feeds.lists()}
            for table, rows in filled.items():
                marks = ", ".join("?" * len(base.execute(f"PRAGMA table_info({table})").fetchall()))
                base.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
            base.executescript(INDEXES)
            base.commit()

    def sizes(self):
        """(what, bytes) of the plans, as parts of the database."""
        if self.where[1] == "memory":
            return
        with contextlib.closing(sqlite3.connect(self.path)) as base:
            found = dict(base.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name"))
        yield from parted(found, ("followers", "likes_of", "reposts_of", "replies_to", "mentions"))


def parted(found, of_lists):
    """The sizes of tables and indexes, by what they are for."""
    parts = {
        "home feeds": ("home_feeds",),
        "feeds of lists": ("list_feeds",),
        "table of notifications": ("notifications",),
        "indexes for notifications merged from five lists": of_lists,
    }
    yield (
        "tables, and indexes for timelines on read",
        sum(found.values()) - sum(found.get(name, 0) for names in parts.values() for name in names),
    )
    for what, names in parts.items():
        yield what, sum(found.get(name, 0) for name in names)


def timelines(timeline):
    each = f"(e.at, e.post, e.reposter) IN ({timeline.of_each(sql.KEY)})"
    of_each = (
        f"SELECT {sql.KEY} FROM ({timeline.sources.members}) s CROSS JOIN entries e ON e.actor = s.actor AND {each} "
        + sql.NEWEST
    )
    variants = {
        "backward scan": sql.PAGE % timeline.scan("INDEXED BY entries_by_time") + sql.ORDER,
        "merge in the client": merged(timeline),
        sql.FEED: sql.PAGE % timeline.of_feed() + sql.ORDER,
    }
    if timeline.sources is sql.List:
        variants["twenty of each member"] = sql.PAGE % of_each + sql.ORDER
    return variants


def merged(timeline):
    """Three statements: the sources, each with the place behind which it is read; the next entry; its row if shown."""
    actor, *place = PLACE
    found = f"e.actor = {actor} AND ({sql.KEY}) %s ({', '.join(place)})"
    sources = f"SELECT s.actor, {{at}}, {{post}}, {{reposter}} FROM ({timeline.sources.members}) s"
    following = f"SELECT {sql.KEY} FROM entries e WHERE {found % '<'}{timeline.flags} {sql.NEWEST}".replace("20", "1")
    row = sql.PAGE % f"SELECT {sql.KEY} FROM entries e WHERE {found % '='} AND {timeline.shown}"
    return f"!walk {sources} ;; {following} ;; {row}"
