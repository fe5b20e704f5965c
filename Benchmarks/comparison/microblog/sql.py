"""The lists in SQL, for SQLite and PostgreSQL; `{…}` are names of arguments.

An entry is a post at its own time (`reposter` is 0) or a repost of it, in the list of its `actor`. Every statement
finds the keys of twenty entries, then reads the posts, names and likes of these."""

from .questions import kinds, operation

# It ends after some hundred entries: a page behind them is cut.
FEED = "feed kept on write"

KEY = "e.at, e.post, e.reposter"
ORDER = "ORDER BY e.at DESC, e.post DESC, e.reposter DESC"
NEWEST = ORDER + " LIMIT 20"
OLDER = f"({KEY}) < ({{at}}, {{post}}, {{reposter}})"

PAGE = (
    "SELECT p.id, p.author, p.at, p.likes, EXISTS (SELECT 1 FROM likes l WHERE l.owner = {user} AND l.post = p.id), "
    "p.parent, p.flags, e.reposter, CASE WHEN e.reposter = 0 THEN 0 ELSE e.at / 1000 END, n.name, "
    "COALESCE(r.name, ''), p.text FROM (%s) e CROSS_OR_JOIN posts p ON p.id = e.post CROSS_OR_JOIN users n ON "
    "n.id = p.author LEFT JOIN users r ON r.id = e.reposter "
)


def exists(table, owner, key, value):
    return f"EXISTS (SELECT 1 FROM {table} x WHERE x.{owner} AND x.{key} = {value})"


def is_seen(user):
    """Neither muted nor across a block."""
    muted, blocked = (exists(table, "owner = {user}", "target", user) for table in ("mutes", "blocks"))
    return f"({user} = {{user}} OR NOT {muted} AND NOT {blocked})"


class Home:
    """Followees and the user; no block is between them."""

    members = (
        "SELECT f.target AS actor FROM follows f WHERE f.follower = {user} AND NOT EXISTS (SELECT 1 FROM mutes m "
        "WHERE m.owner = {user} AND m.target = f.target) UNION ALL SELECT CAST({user} AS int)"
    )
    feed, owner = "home_feeds", "{user}"

    @staticmethod
    def has(user):
        followed, muted = (
            exists("follows", "follower = {user}", "target", user),
            exists("mutes", "owner = {user}", "target", user),
        )
        return f"({user} = {{user}} OR {followed} AND NOT {muted})"


class List:
    members = f"SELECT m.member AS actor FROM list_members m WHERE m.list = {{subject}} AND {is_seen('m.member')}"
    feed, owner = "list_feeds", "{subject}"

    @staticmethod
    def has(user):
        return f"({exists('list_members', 'list = {subject}', 'member', user)} AND {is_seen(user)})"


class Timeline:
    """The conditions of a timeline with reposts, each post once."""

    def __init__(self, sources, filtered):
        self.sources, self.mark = sources, 2 if filtered else 1
        self.flags = " AND e.flags & 1 = 0" if filtered else ""
        followed = exists("follows", "follower = {user}", "target", "e.parent_author")
        own = f"(e.parent_author IN (0, e.author, {{user}}) OR e.author = {{user}} OR {followed})"
        at_own_place = f"{sources.has('e.author')} AND {own}" if filtered else sources.has("e.author")
        earlier = (
            "EXISTS (SELECT 1 FROM reposts r WHERE r.post = e.post AND (r.second, r.reposter) < "
            f"(e.at / 1000, e.reposter) AND {sources.has('r.reposter')})"
        )
        self.shown = (
            f"(e.reposter = 0{f' AND {own}' if filtered else ''} OR e.reposter > 0 AND {is_seen('e.author')} "
            f"AND NOT ({at_own_place}) AND NOT {earlier})"
        )

    def scan(self, hint=""):
        return (
            f"SELECT {KEY} FROM entries e {hint} WHERE {OLDER}{self.flags} AND {self.sources.has('e.actor')} "
            f"AND {self.shown} {NEWEST}"
        )

    def of_feed(self):
        own = f"e.owner = {self.sources.owner} AND e.marks & {self.mark} > 0"
        return f"SELECT {KEY} FROM {self.sources.feed} e WHERE {own} AND {OLDER}{self.flags} {NEWEST}"

    def of_each(self, one):
        """Twenty entries of the actor of a source: `s.actor`."""
        return f"SELECT {one} FROM entries e WHERE e.actor = s.actor AND {OLDER}{self.flags} AND {self.shown} {NEWEST}"


TIMELINES = {"home": Timeline(Home, False), "filtered": Timeline(Home, True), "list": Timeline(List, False)}

TAG = (
    "SELECT e.at, e.post, 0 AS reposter FROM tagged e WHERE e.tag = {subject} AND (e.at, e.post) < ({at}, {post}) "
    f"AND {is_seen('e.author')} ORDER BY e.at DESC, e.post DESC LIMIT 20"
)
PROFILE = (
    f"SELECT {KEY} FROM entries e WHERE e.actor = {{subject}} AND {OLDER} AND (e.reposter = 0 AND "
    "e.parent_author = 0 OR e.reposter > 0 AND NOT (e.author = {subject} AND e.parent_author = 0) AND NOT "
    f"{exists('blocks', 'owner = {user}', 'target', 'e.author')}) {NEWEST}"
)
THREAD = (
    "SELECT q.at, q.id AS post, 0 AS reposter FROM posts q WHERE q.root = (SELECT o.root FROM posts o WHERE "
    "o.id = {subject}) AND (q.at, q.id) > ({at}, {post}) AND NOT "
    f"{exists('blocks', 'owner = {user}', 'target', 'q.author')} ORDER BY q.at, q.id LIMIT 20"
)

NOTIFICATIONS = (
    "SELECT e.relation, e.second, e.source, e.target, e.actor, COALESCE(t.likes, 0), n.name, COALESCE(s.text, ''), "
    "COALESCE(t.text, '') FROM (%s) e CROSS_OR_JOIN users n ON n.id = e.actor LEFT JOIN posts s ON e.relation > 4 AND "
    "s.id = e.source LEFT JOIN posts t ON t.id = e.target "
    "ORDER BY e.second DESC, e.relation DESC, e.source DESC, e.target DESC"
)
TOLD = "ORDER BY second DESC, relation DESC, source DESC, target DESC LIMIT 20"
BEFORE = "({second}, {relation}, {source}, {target})"
OF_TABLE = (
    "SELECT e.relation, e.second, e.source, e.target, e.actor FROM notifications e WHERE e.owner = {user} AND "
    f"(e.second, e.relation, e.source, e.target) < {BEFORE} AND {is_seen('e.actor')} {TOLD}"
)


def of_lists():
    """Twenty of each relation, merged; each is read from an index of its own."""
    parts = {
        "follows e WHERE e.target = {user}": ("e.second", 0, "e.follower", "0", "e.follower"),
        "likes e WHERE e.author = {user}": ("e.second", 1, "e.owner", "e.post", "e.owner"),
        "reposts e WHERE e.author = {user}": ("e.second", 4, "e.reposter", "e.post", "e.reposter"),
        "posts e WHERE e.parent_author = {user}": ("e.at / 1000", 5, "e.id", "e.parent", "e.author"),
        "mentions e WHERE e.target = {user}": ("e.at / 1000", 6, "e.post", "0", "e.author"),
    }
    selects = []
    for table, (second, relation, source, target, actor) in parts.items():
        time = second.removesuffix(" / 1000")
        bound = f"{time} < (CAST({{second}} AS bigint) + 1) * 1000" if time != second else f"{time} <= {{second}}"
        order = ", ".join(f"{key} DESC" for key in (time, source, target) if key != "0")
        selects.append(
            f"SELECT * FROM (SELECT {relation} AS relation, {second} AS second, {source} AS source, {target} AS "
            f"target, {actor} AS actor FROM {table} AND {bound} AND ({second}, {relation}, {source}, {target}) < "
            f"{BEFORE} AND {actor} <> {{user}} AND {is_seen(actor)} ORDER BY {order} LIMIT 20) u"
        )
    return f"SELECT * FROM ({' UNION ALL '.join(selects)}) v {TOLD}"


def plans(join, timelines):
    """{kind: {variant: statement}}; `timelines` gives the variants of one with reposts."""
    fixed = {
        "tag": {"": PAGE % TAG + ORDER},
        "profile": {"": PAGE % PROFILE + ORDER},
        "thread": {"": PAGE % THREAD + "ORDER BY e.at, e.post"},
        "incoming": {
            "table of notifications": NOTIFICATIONS % OF_TABLE,
            "five lists merged": NOTIFICATIONS % of_lists(),
        },
    }
    found = {}
    for kind in kinds():
        asked = operation(kind)
        variants = fixed[asked] if asked in fixed else timelines(TIMELINES[asked])
        found[kind] = {how: text.replace("CROSS_OR_JOIN", join) for how, text in variants.items()}
    return found
