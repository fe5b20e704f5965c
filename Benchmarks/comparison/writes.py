"""Changes: what is changed, and how an expert would have each system do it, with the counts beside users and posts."""

import random

import plans

# Beyond every time of the network.
FIRST_SECOND = 1_735_689_600
KINDS = ["unfollow", "follow", "unlike", "like", "post"]
# Changes that are made so many at once, too, and of which kinds that is reported.
DEPTH = 64
REPORTED_AT_ONCE = ["follow", "post"]
# The queries afterwards, of all users and posts that were changed.
CHECKS = ["is following", "newest followers", "likers of a post", "timeline of an author"]


def changes(network, count, seed):
    """Lists of (kind, arguments by name): existing edges are removed and added again, posts are added; then
    questions whose answers tell whether all of it was done. Played twice, it does the same twice."""
    draw = random.Random(seed + 1)
    pairs = [follow[:2] for follow in draw.sample(network.follows, min(count, len(network.follows)))]
    liked = [like[:2] for like in draw.sample(network.likes, min(count, len(network.likes)))]
    authors = [draw.choice(network.users)[1] for _ in range(count)]
    words = [post[4] for post in network.posts if post[4].isascii()][-count:]
    made = []

    for kind, target, edges in (("follow", "target", pairs), ("like", "post", liked)):
        for place, (user, other) in enumerate(edges):
            made.append((f"un{kind}", {"user": user, target: other}))
            made.append((kind, {"user": user, target: other, "second": FIRST_SECOND + place}))
    for place, user in enumerate(authors):
        at, text = (FIRST_SECOND + place) * 1000, words[place % len(words)]
        made.append(("post", {"user": user, "at": at, "text": text}))
    for user, target in pairs:
        made += [("is following", {"user": user, "target": target}), ("newest followers", {"user": target})]
    made += [("likers of a post", {"post": post}) for _, post in liked]
    made += [("timeline of an author", {"user": user}) for user in authors]
    order = KINDS + CHECKS
    return sorted(made, key=lambda change: order.index(change[0]))


def checked(read):
    """One way each to ask what was changed."""
    return {kind: dict([next(iter(read(CHECKS)[kind].items()))]) for kind in CHECKS}


def counted(table, column, key, step):
    return f"UPDATE {table} SET {column} = {column} {'+' if step > 0 else '-'} 1 WHERE id = {key};"


def trigger(event, table, *statements):
    return f"CREATE TRIGGER {table}_{event} AFTER {event} ON {table} BEGIN {' '.join(statements)} END;"


# A statement and its triggers are one transaction, and one call.
SQLITE_TRIGGERS = "\n".join(
    [
        trigger(
            "INSERT",
            "follows",
            counted("names", "followees", 'NEW."user"', 1),
            counted("names", "followers", "NEW.target", 1),
        ),
        trigger(
            "DELETE",
            "follows",
            counted("names", "followees", 'OLD."user"', -1),
            counted("names", "followers", "OLD.target", -1),
        ),
        trigger("INSERT", "likes", counted("posts", "likes", "NEW.post", 1)),
        trigger("DELETE", "likes", counted("posts", "likes", "OLD.post", -1)),
        trigger(
            "INSERT",
            "posts",
            counted("names", "posts", "NEW.author", 1),
            "INSERT INTO heads VALUES (NEW.author, NEW.at, NEW.id) ON CONFLICT (author) DO UPDATE "
            "SET at = excluded.at, id = excluded.id WHERE (excluded.at, excluded.id) > (at, id);",
            "INSERT INTO posts_fts (rowid, text, author) SELECT NEW.place, lower(NEW.text), key FROM names "
            "WHERE id = NEW.author;",
        ),
    ]
)


def sqlite(_):
    return {
        "unfollow": {"": 'DELETE FROM follows WHERE "user" = {user} AND target = {target}'},
        "follow": {"": "INSERT INTO follows VALUES ({user}, {target}, {second}) ON CONFLICT DO NOTHING"},
        "unlike": {"": 'DELETE FROM likes WHERE "user" = {user} AND post = {post}'},
        "like": {"": "INSERT INTO likes VALUES ({user}, {post}, {second}) ON CONFLICT DO NOTHING"},
        "post": {
            "": "INSERT INTO posts (id, author, at, text, likes) "
            "VALUES ((SELECT max(id) + 1 FROM posts), {user}, {at}, {text}, 0)"
        },
    } | checked(plans.sqlite)


POSTGRES_SEQUENCES = r"""
SELECT max(place) + 1 AS place, max(id) + 1 AS id FROM posts \gset
CREATE SEQUENCE places START :place;
CREATE SEQUENCE ids START :id;
"""


def postgres(_):
    """One statement each, hence one transaction and one way to the server and back."""

    def follow(change, step):
        return (
            f'WITH made AS ({change} RETURNING "user", target), one AS (UPDATE names SET followees = '
            f'followees {step} FROM made WHERE id = made."user") '
            f"UPDATE names SET followers = followers {step} FROM made WHERE id = made.target"
        )

    def like(change, step):
        return (
            f"WITH made AS ({change} RETURNING post) UPDATE posts SET likes = likes {step} FROM made "
            "WHERE id = made.post"
        )

    head = (
        "INSERT INTO heads SELECT author, at, id FROM made ON CONFLICT (author) DO UPDATE SET at = excluded.at, "
        "id = excluded.id WHERE (excluded.at, excluded.id) > (heads.at, heads.id)"
    )
    post = (
        "WITH made AS (INSERT INTO posts SELECT nextval('places'), nextval('ids'), id, {at}, {text}, 0, "
        "lower({text}) || E'\\n' || key FROM names WHERE id = {user} RETURNING author, at, id), "
        f"head AS ({head}) "
        "UPDATE names SET posts = names.posts + 1 FROM made WHERE names.id = made.author"
    )
    return {
        "unfollow": {"": follow('DELETE FROM follows WHERE "user" = {user} AND target = {target}', "- 1")},
        "follow": {"": follow("INSERT INTO follows VALUES ({user}, {target}, {second}) ON CONFLICT DO NOTHING", "+ 1")},
        "unlike": {"": like('DELETE FROM likes WHERE "user" = {user} AND post = {post}', "- 1")},
        "like": {"": like("INSERT INTO likes VALUES ({user}, {post}, {second}) ON CONFLICT DO NOTHING", "+ 1")},
        "post": {"": post},
    } | checked(plans.postgres)


def redis(_):
    """A script each, hence all or nothing."""

    def edge(first, second, counts, step):
        return (
            f"if redis.call({first}) == 1 then redis.call({second} string.format('%010d', ARGV[1])); "
            f"{counts.replace('STEP', str(step))} end return {{1}}"
        )

    def add(own, other, counts):
        return edge(
            f"'ZADD', '{own}:' .. ARGV[1], 'NX', ARGV[3], ARGV[2]",
            f"'ZADD', '{other}:' .. ARGV[2], ARGV[3],",
            counts,
            1,
        )

    def remove(own, other, counts):
        return edge(f"'ZREM', '{own}:' .. ARGV[1], ARGV[2]", f"'ZREM', '{other}:' .. ARGV[2],", counts, -1)

    degrees = "redis.call('HINCRBY', 'u:' .. ARGV[1], 'e', STEP); redis.call('HINCRBY', 'u:' .. ARGV[2], 'r', STEP)"
    likes = "redis.call('HINCRBY', 'x:' .. ARGV[2], 'l', STEP)"
    post = """
local id = redis.call('INCR', 'next')
redis.call('HSET', 'x:' .. id, 'a', ARGV[1], 't', ARGV[2], 'b', ARGV[3], 'l', 0)
local key = string.format('%015d%015d', ARGV[2], id)
redis.call('ZADD', 'p:' .. ARGV[1], 0, key)
local head = redis.call('GET', 'h:' .. ARGV[1])
if not head or key > head then redis.call('SET', 'h:' .. ARGV[1], key) end
redis.call('HINCRBY', 'u:' .. ARGV[1], 'p', 1)
return {1}"""
    return {
        "unfollow": {"Lua": remove("e", "r", degrees)},
        "follow": {"Lua": add("e", "r", degrees)},
        "unlike": {"Lua": remove("o", "k", likes)},
        "like": {"Lua": add("o", "k", likes)},
        "post": {"Lua": post},
    } | checked(plans.redis)
