"""Several threads at once: readers, a writer beside them, and saving beside the writer."""

import contextlib
import os
import shutil
import sqlite3

import systems
import writes

# (what, readers, whether a writer, whether everything is saved meanwhile)
SCENES = [
    ("one reader", 1, 0, 0),
    ("two readers", 2, 0, 0),
    ("a reader beside a writer", 1, 1, 0),
    ("a writer alone", 0, 1, 0),
    ("a writer while everything is saved", 0, 1, 1),
]
SECONDS = 3


def of_kith(driver, store, directory):
    """Yields (scene, reads, writes, saves), reads and writes as (count, p50, p99.9, longest)."""
    for scene, *numbers in SCENES:
        copy = f"{directory}/shared"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(store, copy)
        os.sync()
        yield scene, *parsed(systems.output(driver, copy, "threads", str(SECONDS), *map(str, numbers)))
        shutil.rmtree(copy)


def of_sqlite(directory, filled):
    """The same on a database on disk, a connection for each thread, with the counts that changes maintain."""
    driver = systems.compiled("sqlite_threads", directory, "-lsqlite3", "-lpthread")
    for scene, *numbers in SCENES:
        path, saved = f"{directory}/shared.db", f"{directory}/shared-copy.db"
        remove(path, saved)
        shutil.copyfile(filled, path)
        with contextlib.closing(sqlite3.connect(path)) as base:
            base.executescript(writes.SQLITE_TRIGGERS)
        os.sync()
        yield scene, *parsed(systems.output(driver, path, saved, str(SECONDS), *map(str, numbers)))
        remove(path, saved)


def remove(*paths):
    for path in paths:
        for end in ("", "-wal", "-shm"):
            if os.path.exists(path + end):
                os.remove(path + end)


def parsed(line):
    numbers = list(map(int, line.split("\t")))
    return numbers[:4], numbers[4:8], numbers[8]
