"""The microblog as tables that make reading fastest, as an expert would keep them beside each change."""

from .network import FOLLOW, LIKE, MENTION, REPLY, REPOST

# So many entries of a feed are kept.
FEED_LENGTH = 400
# Marks of an entry of a feed: it is shown in the timeline without filters; in that with replies to followed users.
SHOWN, SHOWN_WITH_FILTER = 1, 2


def columns(network):
    """Rows of every table but the feeds."""
    n, above = network, parent_authors(network)
    return {
        "users": n.names,
        "follows": n.follows,
        "mutes": [(u, t) for u, targets in n.mutes.items() for t in sorted(targets)],
        "blocks": [(u, t) for u, targets in n.blocks.items() for t in sorted(targets)],
        "posts": [
            (p, n.author[p], n.at[p], n.text[p], n.parent[p], above[p], n.root[p], n.flags[p], n.like_count[p])
            for p in n.posts
        ],
        "likes": sorted((u, p, second, n.author[p]) for u, p, second in n.likes),
        "reposts": sorted((p, second, u, n.author[p]) for u, p, second in n.reposts),
        "mentions": [(user, n.at[p], p, n.author[p]) for p, user in n.mentions],
        "entries": sorted(entries(n), key=lambda e: (e[0], -e[1], -e[2], -e[3])),
        "tagged": sorted(((tag, n.at[p], p, n.author[p]) for p, tag in n.tagged), key=lambda t: (t[0], -t[1], -t[2])),
        "list_members": [(post, member) for post, _, members in n.lists for member in members],
        "notifications": sorted(notifications(n), key=lambda e: (e[0], *(-field for field in e[1:5]))),
    }


def parent_authors(network):
    """By post, the author of the post that it replies to, or 0."""
    return [network.author[parent] if parent else 0 for parent in network.parent]


def entries(network):
    """(actor, at, post, reposter, author, flags, author of the parent): a post at its own time, or a repost of it."""
    n = network
    above = parent_authors(n)
    for post in n.posts:
        yield n.author[post], n.at[post], post, 0, n.author[post], n.flags[post], above[post]
    for user, post, second in n.reposts:
        yield user, second * 1000, post, user, n.author[post], n.flags[post], above[post]


def notifications(network):
    """(owner, second, relation, source, target, actor), but for what users do to themselves."""
    n = network
    found = [(target, second, FOLLOW, user, 0, user) for user, target, second in n.follows]
    found += [(n.author[p], second, LIKE, user, p, user) for user, p, second in n.likes]
    found += [(n.author[p], second, REPOST, user, p, user) for user, p, second in n.reposts]
    for post in n.posts:
        if parent := n.parent[post]:
            found.append((n.author[parent], n.at[post] // 1000, REPLY, post, parent, n.author[post]))
    found += [(user, n.at[post] // 1000, MENTION, post, 0, n.author[post]) for post, user in n.mentions]
    return (row for row in found if row[0] != row[5])


class Feeds:
    """The newest entries of home timelines and lists, each marked with the timelines that show it: fan-out on write."""

    def __init__(self, network):
        self.network = n = network
        self.above = parent_authors(n)
        lists, self.reposters = {}, {}
        for actor, at, post, reposter, *_ in entries(n):
            lists.setdefault(actor, []).append((at, post, reposter))
        self.newest = {actor: sorted(found, reverse=True)[: 2 * FEED_LENGTH] for actor, found in lists.items()}
        for user, post, second in n.reposts:
            self.reposters.setdefault(post, []).append((second, user))
        for found in self.reposters.values():
            found.sort()

    def homes(self):
        """(owner, at, post, reposter, marks, flags), in the order of owners, newest first."""
        for user in self.network.people:
            yield from self.rows(user, user, (self.network.followees[user] - self.network.mutes[user]) | {user})

    def lists(self):
        for post, owner, members in self.network.lists:
            yield from self.rows(post, owner, set(members) - self.network.leaves_out(owner))

    def rows(self, key, user, sources):
        n, flags = self.network, self.network.flags
        leaves_out, followees = n.leaves_out(user), n.followees[user]
        both, empty = SHOWN | SHOWN_WITH_FILTER, ()
        found = []
        for source in sources:
            found += self.newest.get(source, empty)
        found.sort(reverse=True)
        count = 0
        for at, post, reposter in found:
            author, above = n.author[post], self.above[post]
            is_answer = above and above not in (author, user) and author != user and above not in followees
            if not reposter:
                marks = SHOWN if is_answer else both
            else:
                if author in leaves_out or reposter != self.first(post, sources):
                    continue
                marks = both if author not in sources else SHOWN_WITH_FILTER if is_answer else 0
                if not marks:
                    continue
            yield key, at, post, reposter, marks, flags[post]
            count += 1
            if count == FEED_LENGTH:
                return

    def first(self, post, sources):
        return next((user for _, user in self.reposters[post] if user in sources), None)
