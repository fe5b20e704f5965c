"""Statements of each system for each kind of question, as an expert would write them; `{…}` are argument names."""

from network import NAMES, OF_PEOPLE

PERSON = "n.id, n.followers, n.followees, n.posts"
FOLLOWING = 'EXISTS (SELECT 1 FROM follows f WHERE f."user" = {viewer} AND f.target = n.id)'
POST = "p.id, p.author, p.at, p.likes"
LIKED = 'EXISTS (SELECT 1 FROM likes l WHERE l."user" = {user} AND l.post = p.id)'
SOURCES = 'SELECT target FROM follows WHERE "user" = {user} UNION ALL SELECT {user}'
NEWEST = "ORDER BY p.at DESC, p.id DESC LIMIT 20"

# The page of a timeline around what finds its twenty posts: their rows are read last.
PAGE = (
    f"SELECT {POST}, {LIKED}, n.name, p.text FROM (%s) t JOIN posts p ON p.id = t.id "
    "JOIN names n ON n.id = p.author ORDER BY p.at DESC, p.id DESC"
)
HEADS = f"SELECT author, at FROM heads WHERE author IN ({SOURCES}) ORDER BY at DESC, id DESC LIMIT 20"
# Of twenty authors the twentieth newest post bounds the page from below.
MERGE = (
    f"WITH h AS MATERIALIZED ({HEADS}), low AS MATERIALIZED "
    "(SELECT CASE WHEN count(*) = 20 THEN min(at) ELSE -1 END AS at FROM h) "
    + PAGE
    % ("SELECT p.id FROM h CROSS JOIN low CROSS JOIN posts p WHERE p.author = h.author AND p.at >= low.at " + NEWEST)
)
SCAN = PAGE % (
    "SELECT p.id FROM posts p WHERE p.author = {user} OR EXISTS "
    '(SELECT 1 FROM follows f WHERE f."user" = {user} AND f.target = p.author) ' + NEWEST
)

# Done by the driver: the newest post of every followee, then one post after another of the twenty newest authors.
MERGED_BY_CLIENT = "!merge {user}"

COMMON = {
    "is following": 'SELECT EXISTS (SELECT 1 FROM follows WHERE "user" = {user} AND target = {target})',
    "likers of a post": f'SELECT {PERSON}, n.name FROM likes l JOIN names n ON n.id = l."user" '
    'WHERE l.post = {post} ORDER BY l.second, l."user" LIMIT 20',
    "newest followers": f'SELECT {PERSON}, n.name FROM follows f JOIN names n ON n.id = f."user" '
    'WHERE f.target = {user} ORDER BY f.second DESC, f."user" DESC LIMIT 20',
    "mutual followees": f'SELECT {PERSON}, n.name FROM follows a CROSS_OR_JOIN follows b ON b."user" = {{target}} '
    'AND b.target = a.target JOIN names n ON n.id = a.target WHERE a."user" = {user} ORDER BY a.target LIMIT 20',
    "suggestions": f"SELECT {PERSON}, t.mutuals, n.name FROM (SELECT g.target, count(*) AS mutuals FROM follows f "
    'CROSS_OR_JOIN follows g ON g."user" = f.target WHERE f."user" = {user} AND g.target <> {user} AND NOT EXISTS '
    '(SELECT 1 FROM follows h WHERE h."user" = {user} AND h.target = g.target) GROUP BY g.target '
    "ORDER BY count(*) DESC, g.target LIMIT 20) t JOIN names n ON n.id = t.target ORDER BY t.mutuals DESC, t.target",
}

PREFIX = (
    f"SELECT {PERSON}, {FOLLOWING}, n.name FROM names n WHERE n.key >= {{query}} AND n.key < {{behind}} "
    "AND n.id <> {viewer} ORDER BY n.key, n.rank LIMIT 20"
)


# The order of a search, of those in which a result is longer to find.
POPULAR = "ORDER BY n.followers DESC, n.rank LIMIT 20"


def by_names(text):
    """The same statement, for ids and names alone."""
    for columns in (f"{PERSON}, {FOLLOWING},", f"{PERSON}, t.mutuals,", f"{PERSON},"):
        text = text.replace(columns, "n.id,")
    return text


def both(plans, by_names=by_names):
    """Of every kind that answers people both: cards, and ids and names alone."""
    named = {
        kind + NAMES: {variant: by_names(text) for variant, text in variants.items()}
        for kind, variants in plans.items()
        if kind.startswith(OF_PEOPLE)
    }
    return plans | named


def operation(kind):
    """The operation of the driver of Kith; its arguments stand behind it."""
    words = {
        "search,": "search",
        "prefix,": "prefix",
        "typos": "fuzzy",
        "popular": "popular",
        "followed": "followed",
        "timeline": "timeline",
        "likers of": "likers",
        "newest followers": "followers",
        "mutual": "mutuals",
        "posts with": "posts",
    }
    base = kind.removesuffix(NAMES)
    word = next((word for begin, word in words.items() if base.startswith(begin)), base)
    return word + (" names" if kind.endswith(NAMES) else "")


def kith(kinds):
    return {kind: {"": operation(kind)} for kind in kinds}


def timelines(kinds, each):
    """Of every timeline the plans of both systems, and where few are followed one of the system's own."""
    plans = {}
    for kind in kinds:
        if kind.startswith("timeline"):
            plans[kind] = {"newest of each author, merged": MERGE, "backward scan": SCAN}
            if "10 followed" in kind:
                plans[kind]["twenty of each author"] = each
    return plans


def cross(text, join):
    return text.replace("CROSS_OR_JOIN", join)


def sqlite(kinds):
    """Variants of a kind: each is measured, the best counts. FTS5 cannot find terms of fewer than three letters."""
    gram = (
        f"SELECT {PERSON}, {FOLLOWING}, n.name FROM grams g CROSS JOIN names n ON n.rank = g.rank "
        "WHERE g.gram = {gram} AND instr(n.key, {query}) > 0 AND n.id <> {viewer} ORDER BY g.rank LIMIT 20"
    )
    # Each gram with its names in order, beside their keys and ids: ids and names are read from it alone. A query of up
    # to three letters is a gram itself.
    ordered = (
        f"SELECT {PERSON}, {FOLLOWING}, n.name FROM ordered_grams g CROSS JOIN names n ON n.rank = g.rank "
        "WHERE g.gram = {gram} AND instr(g.key, {query}) > 0 AND g.id <> {viewer} ORDER BY g.rank LIMIT 20"
    )
    whole = ordered.replace("AND instr(g.key, {query}) > 0 ", "")
    popular = (
        f"SELECT {PERSON}, {FOLLOWING}, n.name FROM %s WHERE instr(%s, {{query}}) > 0 AND n.id <> {{viewer}} " + POPULAR
    )
    grams_joined = "ordered_grams g CROSS JOIN names n ON g.gram = {gram} AND n.rank = g.rank"
    followed = (
        f"SELECT {PERSON}, {FOLLOWING}, n.name FROM (SELECT * FROM (SELECT 0 AS later, m.rank FROM follows s "
        'CROSS JOIN names m ON m.id = s.target WHERE s."user" = {viewer} AND instr(m.key, {query}) > 0 '
        "AND m.id <> {viewer}) UNION ALL SELECT * FROM (SELECT 1, g.rank FROM ordered_grams g WHERE g.gram = {gram} "
        "AND instr(g.key, {query}) > 0 AND g.id <> {viewer} AND NOT EXISTS (SELECT 1 FROM follows s WHERE "
        's."user" = {viewer} AND s.target = g.id) ORDER BY g.rank LIMIT 20) ORDER BY later, rank LIMIT 20) t '
        "CROSS JOIN names n ON n.rank = t.rank ORDER BY t.later, t.rank"
    )
    fts = (
        f"SELECT {PERSON}, {FOLLOWING}, n.name FROM names_fts t CROSS JOIN names n ON n.rank = t.rowid "
        "WHERE names_fts MATCH {quoted} AND n.id <> {viewer} ORDER BY t.rowid LIMIT 20"
    )
    plans = {kind: {"": cross(text, "CROSS JOIN")} for kind, text in COMMON.items()}
    plans["search, 1–2 letters"] = {"gram table": gram, "ordered gram table": whole}
    plans["search, 3 letters"] = {"gram table": gram, "ordered gram table": whole, "FTS5 trigram": fts}
    for kind in ("search, 4–10 letters", "search, no match"):
        plans[kind] = {"gram table": gram, "ordered gram table": ordered, "FTS5 trigram": fts}
    plans["prefix, 1–8 letters"] = {"": PREFIX}
    plans["popular first, 1–6 letters"] = {
        "ordered gram table": popular % (grams_joined, "g.key"),
        "names by followers": popular % ("names n", "n.key"),
    }
    plans["followed first, 1–6 letters"] = {"followees, then ordered gram table": followed}
    plans["posts with a word"] = {
        "FTS5 trigram": f"SELECT {POST}, 0, n.name, p.text FROM posts_fts t CROSS JOIN posts p ON p.place = t.rowid "
        "JOIN names n ON n.id = p.author WHERE posts_fts MATCH {quoted} ORDER BY t.rowid DESC LIMIT 20"
    }
    each = PAGE % (
        f"SELECT p.id FROM ({SOURCES}) s CROSS JOIN posts p ON p.author = s.target AND p.id IN "
        "(SELECT q.id FROM posts q WHERE q.author = s.target ORDER BY q.at DESC, q.id DESC LIMIT 20) " + NEWEST
    )
    plans = both(plans, by_names_in_order)
    merged = {kind: {"merge in the client": MERGED_BY_CLIENT} for kind in kinds if kind.startswith("timeline")}
    timed = timelines(kinds, each)
    return plans | {kind: variants | merged.get(kind, {}) for kind, variants in timed.items()}


def by_names_in_order(text):
    """Without the join to the table of names: the ordered gram table has what is read."""
    text, join = by_names(text), "ordered_grams g CROSS JOIN names n ON n.rank = g.rank"
    if join not in text:
        return text
    return text.replace(join, "ordered_grams g").replace("n.id,", "g.id,").replace("n.name", "g.name")


def postgres(kinds):
    search = (
        f"SELECT {PERSON}, {FOLLOWING}, n.name FROM names n WHERE n.key LIKE {{like}} AND n.id <> {{viewer}} "
        "ORDER BY n.rank LIMIT 20"
    )
    plans = {kind: {"": cross(text, "JOIN")} for kind, text in COMMON.items()}
    for kind in ("search, 1–2 letters", "search, 3 letters", "search, 4–10 letters", "search, no match"):
        plans[kind] = {"pg_trgm": search}
    by_rank = "ORDER BY n.rank LIMIT 20"
    followed = f"ORDER BY ({FOLLOWING}) DESC, n.rank LIMIT 20"
    plans["popular first, 1–6 letters"] = {"pg_trgm": search.replace(by_rank, POPULAR)}
    plans["followed first, 1–6 letters"] = {"pg_trgm": search.replace(by_rank, followed)}
    plans["prefix, 1–8 letters"] = {"": PREFIX}
    plans["posts with a word"] = {
        "pg_trgm": f"SELECT {POST}, false, n.name, p.text FROM (SELECT id FROM posts p WHERE p.found LIKE {{like}} "
        f"{NEWEST}) t JOIN posts p ON p.id = t.id JOIN names n ON n.id = p.author ORDER BY p.at DESC, p.id DESC"
    }
    each = PAGE % (
        f"SELECT p.id FROM ({SOURCES}) s CROSS JOIN LATERAL (SELECT q.id, q.at FROM posts q WHERE q.author = s.target "
        "ORDER BY q.at DESC, q.id DESC LIMIT 20) p " + NEWEST
    )
    return both(plans) | timelines(kinds, each)


# Rows of users as the driver reads them: a text has a mark before it.
REDIS_PEOPLE = """
local function person(out, id, extra)
  id = tostring(tonumber(id))
  local u = redis.call('HMGET', 'u:' .. id, 'r', 'e', 'p', 'n')
  out[#out + 1] = id; out[#out + 1] = u[1]; out[#out + 1] = u[2]; out[#out + 1] = u[3]
  if extra then out[#out + 1] = extra end
  out[#out + 1] = "'" .. u[4]
end
"""


REDIS_NAMES = """
local function person(out, id)
  id = tostring(tonumber(id)); out[#out + 1] = id; out[#out + 1] = "'" .. redis.call('HGET', 'u:' .. id, 'n')
end
"""


def redis(kinds):
    timeline = """
local me = ARGV[1]; local authors = redis.call('ZRANGE', 'e:' .. me, 0, -1); authors[#authors + 1] = me
local heads = {}
for first = 1, #authors, 5000 do
  local last = math.min(first + 4999, #authors)
  local keys = {}; for i = first, last do keys[#keys + 1] = 'h:' .. authors[i] end
  local found = redis.call('MGET', unpack(keys))
  for i = 1, #keys do if found[i] then heads[#heads + 1] = found[i] .. ' ' .. authors[first + i - 1] end end
end
table.sort(heads, function(a, b) return a > b end)
local posts = {}
for i = 1, math.min(20, #heads) do
  for _, key in ipairs(redis.call('ZREVRANGE', 'p:' .. heads[i]:match('(%d+)$'), 0, 19)) do posts[#posts + 1] = key end
end
table.sort(posts, function(a, b) return a > b end)
local out = {7}
for i = 1, math.min(20, #posts) do
  local id = tostring(tonumber(posts[i]:sub(16))); local p = redis.call('HMGET', 'x:' .. id, 'a', 't', 'l', 'b')
  out[#out + 1] = id; out[#out + 1] = p[1]; out[#out + 1] = p[2]; out[#out + 1] = p[3]
  out[#out + 1] = redis.call('ZSCORE', 'o:' .. me, id) and 1 or 0
  out[#out + 1] = "'" .. redis.call('HGET', 'u:' .. p[1], 'n'); out[#out + 1] = "'" .. p[4]
end
return out"""
    prefix = (
        REDIS_PEOPLE
        + """
local found = redis.call('ZRANGEBYLEX', 'names', '[' .. ARGV[1], '(' .. ARGV[3], 'LIMIT', 0, 21)
local out = {6}; local count = 0
for _, entry in ipairs(found) do
  local id = entry:match('(%d+)$')
  if id ~= ARGV[2] and count < 20 then
    person(out, id, redis.call('ZSCORE', 'e:' .. ARGV[2], id) and 1 or 0); count = count + 1
  end
end
return out"""
    )

    def listed(command):
        return REDIS_PEOPLE + f"local out = {{5}} for _, id in ipairs({command}) do person(out, id) end return out"

    mutuals = (
        REDIS_PEOPLE
        + """
local ids = redis.call('ZINTER', 2, 'e:' .. ARGV[1], 'e:' .. ARGV[2])
table.sort(ids, function(a, b) return tonumber(a) < tonumber(b) end)
local out = {5}; for i = 1, math.min(20, #ids) do person(out, ids[i]) end
return out"""
    )
    plans = {
        "is following": {"": "!ZSCORE e:$1 $2"},
        "likers of a post": {"Lua": listed("redis.call('ZRANGE', 'k:' .. ARGV[1], 0, 19)")},
        "newest followers": {"Lua": listed("redis.call('ZREVRANGE', 'r:' .. ARGV[1], 0, 19)")},
        "mutual followees": {"Lua": mutuals},
        "prefix, 1–8 letters": {"Lua": prefix},
    }
    plans = both(plans, redis_by_names)
    for kind in kinds:
        if kind.startswith("timeline"):
            plans[kind] = {"Lua, latest keys": timeline}
    return plans


def redis_by_names(text):
    text = text.replace(REDIS_PEOPLE, REDIS_NAMES).replace("out = {6}", "out = {2}").replace("out = {5}", "out = {2}")
    return text.replace("person(out, id, redis.call('ZSCORE', 'e:' .. ARGV[2], id) and 1 or 0)", "person(out, id)")
