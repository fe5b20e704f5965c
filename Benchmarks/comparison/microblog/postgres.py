"""PostgreSQL with a schema and plans for the lists of a microblog."""

import servers
from systems import output

from . import sql, tables
from .sqlite import parted

COLUMNS = {
    "users": "id int PRIMARY KEY, name text",
    "follows": "follower int, target int, second int",
    "mutes": "owner int, target int",
    "blocks": "owner int, target int",
    "posts": "id int PRIMARY KEY, author int, at bigint, text text, parent int, parent_author int, root int, "
    "flags int, likes int",
    "likes": "owner int, post int, second int, author int",
    "reposts": "post int, second int, reposter int, author int",
    "mentions": "target int, at bigint, post int, author int",
    "entries": "actor int, at bigint, post int, reposter int, author int, flags int, parent_author int",
    "tagged": "tag int, at bigint, post int, author int",
    "list_members": "list int, member int",
    "notifications": "owner int, second int, relation int, source int, target int, actor int",
    "home_feeds": "owner int, at bigint, post int, reposter int, marks int, flags int",
    "list_feeds": "owner int, at bigint, post int, reposter int, marks int, flags int",
}
# Each has all columns that its statements read: a page of keys is read from the index alone.
INDEXES = """
ALTER TABLE follows ADD PRIMARY KEY (follower, target);
ALTER TABLE mutes ADD PRIMARY KEY (owner, target);
ALTER TABLE blocks ADD PRIMARY KEY (owner, target);
ALTER TABLE likes ADD PRIMARY KEY (owner, post);
ALTER TABLE list_members ADD PRIMARY KEY (list, member);
CREATE INDEX ON reposts (post, second, reposter);
CREATE INDEX ON entries (actor, at DESC, post DESC, reposter DESC) INCLUDE (author, flags, parent_author);
CREATE INDEX ON entries (at DESC, post DESC, reposter DESC) INCLUDE (actor, author, flags, parent_author);
CREATE INDEX ON tagged (tag, at DESC, post DESC) INCLUDE (author);
CREATE INDEX ON posts (root, at, id) INCLUDE (author);
CREATE INDEX ON notifications (owner, second DESC, relation DESC, source DESC, target DESC) INCLUDE (actor);
CREATE INDEX ON home_feeds (owner, at DESC, post DESC, reposter DESC) INCLUDE (marks, flags);
CREATE INDEX ON list_feeds (owner, at DESC, post DESC, reposter DESC) INCLUDE (marks, flags);
CREATE INDEX replies_to ON posts (parent_author, at DESC, id DESC) INCLUDE (parent, author);
CREATE INDEX followers ON follows (target, second DESC, follower DESC);
CREATE INDEX likes_of ON likes (author, second DESC, owner DESC, post DESC);
CREATE INDEX reposts_of ON reposts (author, second DESC, reposter DESC, post DESC);
CREATE INDEX mentions_of ON mentions (target, at DESC, post DESC) INCLUDE (author);
-- Without it the planner expects that one entry in two hundred passes.
CREATE STATISTICS passing_entries ON (flags & 1) FROM entries;
CREATE STATISTICS passing_in_homes ON (flags & 1), (marks & 1), (marks & 2) FROM home_feeds;
CREATE STATISTICS passing_in_lists ON (marks & 1) FROM list_feeds;
VACUUM (FREEZE, ANALYZE);
"""
OF_LISTS = ("followers", "likes_of", "reposts_of", "replies_to", "mentions", "mentions_of")


class PostgreSQL(servers.PostgreSQL):
    def __init__(self, directory, network, stack):
        super().__init__(directory, network, stack)
        self.plans = lambda kinds: sql.plans("JOIN", timelines)

    def fill(self, network):
        feeds = tables.Feeds(network)
        filled = tables.columns(network) | {"home_feeds": feeds.homes(), "list_feeds": feeds.lists()}
        self.copy({table: (COLUMNS[table], rows) for table, rows in filled.items()})
        output(*self.psql, input=INDEXES)

    def sizes(self):
        text = output(
            *self.psql,
            "-AtF\t",
            "-c",
            "SELECT c.relname, COALESCE(i.indrelid::regclass::text, ''), pg_table_size(c.oid) FROM pg_class c "
            "LEFT JOIN pg_index i ON i.indexrelid = c.oid WHERE c.relnamespace = 'public'::regnamespace",
        )
        found = {}
        for name, table, size in (line.split("\t") for line in text.splitlines()):
            name = table if table and name not in OF_LISTS else name
            found[name] = found.get(name, 0) + int(size)
        yield from parted(found, OF_LISTS)


def timelines(timeline):
    each = (
        f"SELECT {sql.KEY} FROM ({timeline.sources.members}) s CROSS JOIN LATERAL ({timeline.of_each(sql.KEY)}) e "
        + sql.NEWEST
    )
    return {
        "backward scan": sql.PAGE % timeline.scan() + sql.ORDER,
        "twenty of each source": sql.PAGE % each + sql.ORDER,
        sql.FEED: sql.PAGE % timeline.of_feed() + sql.ORDER,
    }
