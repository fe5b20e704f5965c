"""Redis with sorted sets and scripts for the lists of a microblog.

Members are numbers of fixed lengths one behind another, so that those of equal scores are in the order of pages.
Entries are post, reposter, author, what shows them, flags; notifications are relation, source, target, actor."""

import re

import servers

from . import questions, sql, tables

# Offers the members behind the place of the page, in order, until twenty are taken.
PAGE = """
local me, subject, score = ARGV[1], ARGV[2], ARGV[3]
local function page(key, place, ascending, step, take)
  local first, count = 0, 0
  while true do
    local found
    if ascending then found = redis.call('ZRANGE', key, score, '+inf', 'BYSCORE', 'LIMIT', first, step, 'WITHSCORES')
    else found = redis.call('ZRANGE', key, score, '-inf', 'BYSCORE', 'REV', 'LIMIT', first, step, 'WITHSCORES') end
    for i = 1, #found, 2 do
      local member, at = found[i], found[i + 1]
      local behind = at ~= score
      if not behind then
        local own = member:sub(1, #place)
        if ascending then behind = own > place else behind = own < place end
      end
      if behind and take(member, at) then count = count + 1 if count == 20 then return end end
    end
    if #found < 2 * step then return end
    first = first + step
  end
end
local function hidden(user)
  if user == me then return false end
  return redis.call('SISMEMBER', 'm:' .. me, user) == 1 or redis.call('SISMEMBER', 'b:' .. me, user) == 1
end
local function plain(text) return tostring(tonumber(text)) end
local function name(user) return "'" .. redis.call('HGET', 'u:' .. user, 'n') end
"""
ROW = """
local out = {12}
local function row(member, at)
  local id, reposter = plain(member:sub(1, 7)), plain(member:sub(8, 13))
  local p = redis.call('HMGET', 'x:' .. id, 'a', 't', 'l', 'c', 'g', 'b')
  local count = #out
  out[count + 1] = id; out[count + 2] = p[1]; out[count + 3] = p[2]; out[count + 4] = p[3]
  out[count + 5] = redis.call('SISMEMBER', 'o:' .. me, id); out[count + 6] = p[4]; out[count + 7] = p[5]
  out[count + 8] = reposter; out[count + 9] = reposter == '0' and 0 or math.floor(tonumber(at) / 1000)
  out[count + 10] = name(p[1]); out[count + 11] = reposter == '0' and "'" or name(reposter)
  out[count + 12] = "'" .. p[6]
  return true
end
local place = string.format('%07d%06d', ARGV[4], ARGV[5])
"""
# The last two letters are the marks of a feed and the flags.
FEED = """
page(%s, place, false, %d, function(member, at)
  local marks, flags = tonumber(member:sub(20, 20)), tonumber(member:sub(21, 21))
  return (%s) and row(member, at)
end) return out
"""
SHOWN = "marks % 2 == 1"
SHOWN_WITH_FILTER = "marks >= 2 and flags % 2 == 0"
TAG = """
page('t:' .. subject, place, false, 24, function(member, at)
  return not hidden(plain(member:sub(14, 19))) and row(member, at)
end) return out
"""
PROFILE = """
page('p:' .. subject, place, false, 24, function(member, at)
  return member:sub(20, 20) == '1' and redis.call('SISMEMBER', 'b:' .. me, plain(member:sub(14, 19))) == 0
    and row(member, at)
end) return out
"""
THREAD = """
page('c:' .. redis.call('HGET', 'x:' .. subject, 'r'), place, true, 24, function(member, at)
  return redis.call('SISMEMBER', 'b:' .. me, plain(member:sub(14, 19))) == 0 and row(member, at)
end) return out
"""
NOTIFICATIONS = """
local out = {9}
local place = string.format('%d%07d%07d', ARGV[4], ARGV[5], ARGV[6])
page('n:' .. me, place, false, 24, function(member, at)
  local relation, source, target = member:sub(1, 1), plain(member:sub(2, 8)), plain(member:sub(9, 15))
  local actor = plain(member:sub(16, 21))
  if hidden(actor) then return false end
  local post = target == '0' and {'0', ''} or redis.call('HMGET', 'x:' .. target, 'l', 'b')
  local count = #out
  out[count + 1] = relation; out[count + 2] = at; out[count + 3] = source; out[count + 4] = target
  out[count + 5] = actor; out[count + 6] = post[1]; out[count + 7] = name(actor)
  out[count + 8] = "'" .. (tonumber(relation) > 4 and redis.call('HGET', 'x:' .. source, 'b') or '')
  out[count + 9] = "'" .. post[2]
  return true
end) return out
"""

SCRIPTS = {
    "home": {sql.FEED: PAGE + ROW + FEED % ("'h:' .. me", 24, SHOWN)},
    "filtered": {sql.FEED: PAGE + ROW + FEED % ("'h:' .. me", 48, SHOWN_WITH_FILTER)},
    "list": {sql.FEED: PAGE + ROW + FEED % ("'l:' .. subject", 24, SHOWN)},
    "tag": {"Lua": PAGE + ROW + TAG},
    "profile": {"Lua": PAGE + ROW + PROFILE},
    "thread": {"Lua": PAGE + ROW + THREAD},
    "incoming": {"Lua": PAGE + NOTIFICATIONS},
}


class Redis(servers.Redis):
    def __init__(self, directory, network, stack):
        self.parts = []
        super().__init__(directory, network, stack)
        self.plans = lambda kinds: {kind: SCRIPTS[questions.operation(kind)] for kind in kinds}

    def fill(self, network):
        feeds, before = tables.Feeds(network), self.memory()
        parts = {
            "posts, names, likes, mutes, blocks, tags, profiles, conversations": hashes(network),
            "home feeds": sorted_sets("h", members(feeds.homes(), network)),
            "feeds of lists": sorted_sets("l", members(feeds.lists(), network)),
            "notifications": sorted_sets(
                "n",
                (
                    (owner, second, f"{relation}{source:07}{target:07}{actor:06}")
                    for owner, second, relation, source, target, actor in tables.notifications(network)
                ),
            ),
        }
        for what, commands in parts.items():
            self.load(commands)
            after = self.memory()
            self.parts.append((what, after - before))
            before = after

    def memory(self):
        return int(re.search(r"used_memory:(\d+)", self.command("INFO", "memory")).group(1))

    def sizes(self):
        return self.parts


def members(rows, network):
    for owner, at, post, reposter, marks, flags in rows:
        yield owner, at, f"{post:07}{reposter:06}{network.author[post]:06}{marks}{flags}"


def hashes(network):
    n = network
    for user, name in n.names:
        yield ["HSET", f"u:{user}", "n", name]
    for post in n.posts:
        facts = {"a": n.author[post], "t": n.at[post], "l": n.like_count[post], "c": n.parent[post]}
        facts |= {"g": n.flags[post], "b": n.text[post], "r": n.root[post]}
        yield ["HSET", f"x:{post}", *(word for pair in facts.items() for word in pair)]
    for key, sets in (("m", n.mutes), ("b", n.blocks)):
        yield from (["SADD", f"{key}:{user}", *sorted(found)] for user, found in sets.items() if found)
    liked = {}
    for user, post, _ in n.likes:
        liked.setdefault(user, []).append(post)
    yield from (["SADD", f"o:{user}", *found] for user, found in liked.items())
    yield from sorted_sets("t", ((tag, n.at[p], f"{p:07}{0:06}{n.author[p]:06}") for p, tag in n.tagged))
    yield from sorted_sets("c", ((n.root[p], n.at[p], f"{p:07}{0:06}{n.author[p]:06}") for p in n.posts))
    yield from sorted_sets("p", of_profiles(n))


def of_profiles(network):
    """With a mark of those that a profile without replies shows."""
    for actor, at, post, reposter, author, _, above in tables.entries(network):
        # A repost of an own post is shown if that is a reply, which is not at its own place.
        is_shown = not above if not reposter else author != actor or above > 0
        yield actor, at, f"{post:07}{reposter:06}{author:06}{int(is_shown)}"


def sorted_sets(prefix, rows):
    """Of (key, score, member), those of a key one behind another if they come so."""
    key, words = None, []
    for row_key, score, member in rows:
        if row_key != key or len(words) > 5_000:
            if words:
                yield ["ZADD", f"{prefix}:{key}", *words]
            key, words = row_key, []
        words += (score, member)
    if words:
        yield ["ZADD", f"{prefix}:{key}", *words]
