"""A seeded microblog: people, lists of people and tags; posts that reply, mention and are reposted."""

import json
import random

START, SPAN = 1_600_000_000_000, 94_608_000_000
# Kith's numbers of the relations of notifications; the last two lead from posts.
FOLLOW, LIKE, REPOST, REPLY, MENTION = 0, 1, 4, 5, 6

SCHEMA = {
    "relations": [
        {"name": "repost", "from": "user", "to": "post", "entersTimelines": True},
        {"name": "reply", "from": "post", "to": "post", "isThread": True},
        {"name": "mention", "from": "post", "to": "user", "grantsAccess": True},
        {"name": "tag", "from": "post", "to": "user", "entersTimelines": True},
        {"name": "member", "from": "post", "to": "user", "isTimed": True},
    ]
}
# Some users follow exactly so many.
DEGREES = (100, 1_000)


class Size:
    """Numbers in the proportions of the usual size: 30,000 users."""

    def __init__(self, users):
        share = users / 30_000
        self.users, self.tags, self.lists = users, 200, max(100, int(400 * share))
        self.follows, self.posts = int(1_600_000 * share), int(500_000 * share)
        self.reposts, self.likes = int(90_000 * share), int(600_000 * share)
        self.fixed = max(100, int(300 * share))


class Skew:
    """Draws from a shuffled list with the weights of a power law."""

    def __init__(self, draw, items, power=0.9):
        self.draw, self.items = draw, sorted(items)
        draw.shuffle(self.items)
        total, self.sums = 0.0, []
        for place in range(len(self.items)):
            total += 1 / (place + 2) ** power
            self.sums.append(total)

    def some(self, count):
        return self.draw.choices(self.items, cum_weights=self.sums, k=count)


class Network:
    """All times of edges are seconds; posts are by id, from 1 on, in the order of time."""

    def __init__(self, size, seed):
        self.draw = random.Random(seed)
        self.people = range(1, size.users + 1)
        self.tags = range(size.users + 1, size.users + size.tags + 1)
        # It is the author of lists of people, and no user follows it.
        self.keeper = size.users + size.tags + 1
        self.popular, self.active = Skew(self.draw, self.people), Skew(self.draw, self.people)
        self.ordered = {}
        self.add_follows(size)
        self.add_posts(size)
        self.add_reposts(size)
        self.add_hidden()
        self.add_likes(size)
        self.add_marks()
        self.add_lists(size)
        people = [(i, f"user{self.draw.randrange(10**4)}x{i}") for i in self.people]
        self.names = people + [(i, f"tag{i}") for i in self.tags] + [(self.keeper, "lists")]

    def second(self):
        return (START + int(self.draw.random() * SPAN)) // 1000

    def add_follows(self, size):
        draw = self.draw
        degrees = [draw.lognormvariate(2.7, 1.35) for _ in self.people]
        scale = (size.follows - size.fixed * sum(DEGREES)) / sum(degrees)
        degrees = [min(size.users // 4, int(degree * scale + 0.5)) for degree in degrees]
        places = draw.sample(range(size.users), size.fixed * len(DEGREES))
        self.of_degree = {}
        for number, degree in enumerate(DEGREES):
            some = places[number * size.fixed : (number + 1) * size.fixed]
            self.of_degree[degree] = [place + 1 for place in some]
            for place in some:
                degrees[place] = degree
        self.followees = {}
        for user, degree in zip(self.people, degrees):
            found = set()
            while len(found) < degree:
                missing = degree - len(found)
                found.update(self.popular.some(missing - missing // 4))
                found.update(draw.choices(self.people, k=min(missing // 4 + 1, degree - len(found))))
                found.discard(user)
                while len(found) > degree:
                    found.pop()
            self.followees[user] = found
        self.follows = [(u, t, self.second()) for u, found in self.followees.items() for t in sorted(found)]

    def add_posts(self, size):
        """Columns by id, of which the first is of none: author, at, text, parent, root, flags."""
        draw = self.draw
        times = [START + int(draw.random() * SPAN) for _ in range(size.posts)]
        # Some have the time of others, and that of a repost.
        self.at = [0, *sorted(at - at % 1000 if draw.random() < 0.1 else at for at in times)]
        self.author = [0, *self.active.some(size.posts)]
        self.flags = [0, *(draw.getrandbits(2) for _ in range(size.posts))]
        words = Skew(draw, {"".join(draw.choices("aeinorstlmduhg", k=draw.randint(2, 9))) for _ in range(8_000)})
        self.text = [""]
        for _ in range(size.posts):
            self.text.append(" ".join(words.some(1 + min(60, int(draw.lognormvariate(2.6, 0.7))))))
        self.parent, self.root = [0] * (size.posts + 1), list(range(size.posts + 1))
        threads = [[post] for post in sorted(draw.sample(range(100, size.posts // 2), max(20, size.posts // 1000)))]
        weights = Skew(draw, range(len(threads)))
        for post in range(101, size.posts + 1):
            if draw.random() >= 0.2:
                continue
            talk = threads[weights.some(1)[0]] if draw.random() < 0.3 else None
            if talk and talk[0] < post:
                self.parent[post] = draw.choice(talk)
                talk.append(post)
            else:
                self.parent[post] = post - min(post - 1, 1 + int(min(post, 20_000) * draw.random() ** 4))
            self.root[post] = self.root[self.parent[post]]
        self.posts = range(1, size.posts + 1)

    def add_reposts(self, size):
        draw, own = self.draw, {}
        for post in self.posts:
            own.setdefault(self.author[post], []).append(post)
        hot = Skew(draw, draw.sample(self.posts, size.posts // 100))
        found = {}
        while len(found) < size.reposts:
            user, way = self.active.some(1)[0], draw.random()
            post = draw.choice(self.posts)
            if way < 0.5 and self.followees[user]:
                post = draw.choice(own.get(self.followee(user), [post]))
            elif way < 0.8:
                post = hot.some(1)[0]
            elif way < 0.9:
                post = draw.choice(own.get(user, [post]))
            at = self.at[post] + (0 if draw.random() < 0.1 else int(draw.random() ** 3 * SPAN * 0.05))
            found.setdefault((user, post), at // 1000)
        self.reposts = [(user, post, second) for (user, post), second in found.items()]
        self.hot = hot

    def followee(self, user):
        if user not in self.ordered:
            self.ordered[user] = sorted(self.followees[user])
        return self.draw.choice(self.ordered[user])

    def add_hidden(self):
        """A third mute some of those whom they follow; as many block some others, which goes both ways."""
        draw = self.draw
        self.mutes, self.blocks = {user: set() for user in self.people}, {user: set() for user in self.people}
        self.blocked = []
        for user in self.people:
            if draw.random() < 0.33:
                for _ in range(draw.randint(1, 4)):
                    self.mutes[user].add(self.followee(user) if self.followees[user] else self.popular.some(1)[0])
                self.mutes[user].discard(user)
            if draw.random() < 0.33:
                for other in self.popular.some(draw.randint(1, 3)):
                    if other == user or other in self.followees[user] or user in self.followees[other]:
                        continue
                    if other not in self.blocks[user]:
                        self.blocked.append((user, other))
                    self.blocks[user].add(other)
                    self.blocks[other].add(user)

    def leaves_out(self, user):
        return (self.mutes[user] | self.blocks[user]) - {user}

    def add_likes(self, size):
        draw, found = self.draw, {}
        while len(found) < size.likes:
            post = draw.choice(self.posts) if draw.random() < 0.67 else self.hot.some(1)[0]
            at = self.at[post] + int(draw.random() ** 3 * SPAN * 0.1)
            found.setdefault((draw.choice(self.people), post), at // 1000)
        self.likes = [(user, post, second) for (user, post), second in found.items()]
        self.like_count = [0] * (len(self.posts) + 1)
        for _, post, _ in self.likes:
            self.like_count[post] += 1

    def add_marks(self):
        """A reply mentions whom it replies to; others mention a user now and then. A fifth of the posts have tags."""
        draw, tags = self.draw, Skew(self.draw, self.tags)
        self.mentions, self.tagged = [], []
        for post in self.posts:
            users = {self.author[self.parent[post]]} if self.parent[post] else set()
            if draw.random() < 0.05:
                users.add(self.popular.some(1)[0])
            self.mentions += [(post, user) for user in sorted(users - {self.author[post]})]
            if draw.random() < 0.2:
                self.tagged += [(post, tag) for tag in sorted(set(tags.some(draw.randint(1, 2))))]

    def add_lists(self, size):
        """(the post that is the list, owner, members)"""
        self.lists = []
        for number in range(size.lists):
            members = set(self.popular.some(self.draw.randint(10, 100)))
            self.lists.append((len(self.posts) + 1 + number, self.draw.choice(self.people), sorted(members)))

    def write(self, directory):
        """Rows as `kith import` reads them; returns its options."""
        posts = (
            (p, self.author[p], self.at[p], self.text[p], self.parent[p] or "", self.flags[p] or "") for p in self.posts
        )
        lists = ((p, self.keeper, START, "a list", "", "") for p, _, _ in self.lists)
        rows = {
            "users": self.names,
            "posts": [*posts, *lists],
            "follows": ((u, t, second * 1000) for u, t, second in self.follows),
            "likes": ((u, p, second * 1000) for u, p, second in self.likes),
            "mutes": ((u, t) for u, targets in self.mutes.items() for t in sorted(targets)),
            "blocks": self.blocked,
            "repost": ((u, p, second * 1000) for u, p, second in self.reposts),
            "mention": self.mentions,
            "tag": self.tagged,
            "member": ((p, user, START) for p, _, members in self.lists for user in members),
        }
        words = ["--schema", f"{directory}/schema.json"]
        with open(words[1], "w", encoding="utf-8") as file:
            json.dump(SCHEMA, file)
        declared = {relation["name"] for relation in SCHEMA["relations"]}
        for kind, lines in rows.items():
            path = f"{directory}/{kind}.tsv"
            with open(path, "w", encoding="utf-8") as file:
                file.writelines("\t".join(map(str, line)) + "\n" for line in lines)
            words += ["--edges", kind, path] if kind in declared else [f"--{kind}", path]
        return words
