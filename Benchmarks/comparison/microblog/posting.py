"""What it costs to add a post, with the feeds that it enters and without."""

import contextlib
import os
import random
import shutil
import sqlite3

from . import questions, sql, tables
from .network import SPAN, START

POST, CHECK = "a post", "home of a follower"
# In memory, and written to the operating system when the call returns.
MODES = {"in memory": ("memory", "memory", "OFF"), "flushed": ("flushed", "disk", "NORMAL")}

# Posts and lists of people share their ids in Kith.
NEXT = "max((SELECT max(id) FROM posts), (SELECT max(list) FROM list_members)) + 1"
INSERT = (
    "INSERT INTO posts (id, author, at, text, parent, parent_author, root, flags, likes) "
    f"VALUES ({NEXT}, {{user}}, {{at}}, {{text}}, 0, 0, {NEXT}, 0, 0)"
)
ENTRY = "INSERT INTO entries VALUES (NEW.author, NEW.at, NEW.id, 0, NEW.author, NEW.flags, NEW.parent_author);"
MARKS = tables.SHOWN | tables.SHOWN_WITH_FILTER
FEEDS = (
    f"INSERT INTO home_feeds SELECT f.follower, NEW.at, NEW.id, 0, {MARKS}, NEW.flags FROM follows f WHERE f.target = "
    "NEW.author AND NOT EXISTS (SELECT 1 FROM mutes m WHERE m.owner = f.follower AND m.target = NEW.author) UNION ALL "
    f"SELECT NEW.author, NEW.at, NEW.id, 0, {MARKS}, NEW.flags;"
)
WAYS = {"timelines on read": ENTRY, "home feeds": ENTRY + " " + FEEDS}


def changes(network, count, seed):
    """[(kind, arguments)]: posts, then the homes of those who should have them."""
    draw = random.Random(seed + 1)
    followers = {}
    for user, target, _ in network.follows:
        followers.setdefault(target, []).append(user)
    posts, homes = [], []
    for place, post in enumerate(draw.choices(network.posts, k=count)):
        author = network.author[post]
        posts.append((POST, {"user": author, "at": START + SPAN + place, "text": network.text[post]}))
        reader = draw.choice(followers.get(author, [author]))
        homes.append((CHECK, {"user": reader, "subject": 0, "page": 1, **questions.LAST}))
    return posts + homes


def operations(_):
    return {POST: {"": "post"}, CHECK: {"": "home"}}


def of_kith(kith, network, asked):
    """(mode, how, answers by kind) of each mode."""
    for mode, (durability, _, _) in MODES.items():
        store = f"{kith.directory}/changed"
        shutil.copytree(kith.store, store)
        os.sync()
        found = kith.ask(network, asked, store, "lists", durability, plans=operations)
        shutil.rmtree(store)
        yield mode, "", {kind: answers for kind, _, answers in found}


def of_sqlite(other, network, asked):
    path, place = f"{other.directory}/changed.db", other.where[1]
    home = sql.TIMELINES["home"]
    scan, feed = (
        (sql.PAGE % keys + sql.ORDER).replace("CROSS_OR_JOIN", "CROSS JOIN") for keys in (home.scan(), home.of_feed())
    )
    for mode, (_, needed, level) in MODES.items():
        for way, statements in WAYS.items():
            if needed != place:
                continue
            shutil.copyfile(other.path, path)
            with contextlib.closing(sqlite3.connect(path)) as base:
                base.executescript(f"CREATE TRIGGER posted AFTER INSERT ON posts BEGIN {statements} END;")
            os.sync()
            kept, other.where[0] = other.where[0], path
            read = feed if FEEDS in statements else scan
            found = other.ask(network, asked, level, plans=lambda _, read=read: {POST: {"": INSERT}, CHECK: {"": read}})
            other.where[0] = kept
            for end in ("", "-wal", "-shm"):
                with contextlib.suppress(FileNotFoundError):
                    os.remove(path + end)
            yield mode, way, {kind: answers for kind, _, answers in found}
