"""Bare arrays in C, the baselines of Benchmarks, as one more system: what the same answers cost at least."""

import array
import itertools
import os

import plans
from network import fold
from systems import HERE, Driven, compiled

BASELINE = f"{HERE}/../Sources/CBaseline"


class Arrays(Driven):
    name, version, plans = "arrays", "arrays in C", staticmethod(plans.arrays)
    # The arguments of an operation, in this order.
    order = {
        "search": ["query", "viewer"], "prefix": ["query", "viewer"], "typos": ["query", "viewer"],
        "posts with a word": ["query"],
    }

    def __init__(self, directory, network):
        self.directory = f"{directory}/arrays"
        os.makedirs(self.directory)
        sources = [f"{BASELINE}/{name}.c" for name in ("search", "timeline", "posts", "hops")]
        self.driver = compiled("arrays", self.directory, "-O3", "-march=native", f"-I{BASELINE}/include", *sources)
        self.where = [self.directory]
        Writer(self.directory, network).write()


class Writer:
    """The network as arrays in files: users by id, posts in the order of time, both from 0."""

    def __init__(self, directory, network):
        self.directory, self.network = directory, network

    def numbers(self, name, values, kind="I"):
        with open(f"{self.directory}/{name}", "wb") as file:
            array.array(kind, values).tofile(file)

    def texts(self, name, offsets, values, kind="I"):
        encoded = [value.encode() for value in values]
        with open(f"{self.directory}/{name}", "wb") as file:
            file.writelines(encoded)
        self.numbers(offsets, itertools.accumulate(map(len, encoded), initial=0), kind)

    def lists(self, name, offsets, count, pairs):
        """Pairs of (list, element), in the order of the elements."""
        lists = [[] for _ in range(count)]
        for place, element in pairs:
            lists[place].append(element)
        self.numbers(offsets, itertools.accumulate(map(len, lists), initial=0))
        self.numbers(name, itertools.chain.from_iterable(lists))

    def write(self):
        network, count = self.network, len(self.network.users)
        users = sorted(network.users, key=lambda user: user[1])
        if [user[1] for user in users] != list(range(1, count + 1)):
            raise SystemExit("the arrays need users numbered from 1 on")
        self.numbers("follower_counts", (user[4] for user in users))
        self.numbers("post_counts", (user[6] for user in users))
        self.texts("names", "name_offsets", (user[2] for user in users))
        self.numbers("ranked", (user[1] - 1 for user in network.users))
        self.texts("keys", "key_offsets", (user[3] for user in network.users))
        self.lists("followees", "followee_offsets", count, ((u - 1, t - 1) for u, t, _ in sorted(network.follows)))
        newest = sorted(network.follows, key=lambda follow: (-follow[2], -follow[0]))
        self.lists("fans", "fan_offsets", count, ((t - 1, u - 1) for u, t, _ in newest))
        self.write_posts(count)

    def write_posts(self, count):
        network = self.network
        posts, key = network.posts, {user[1]: user[3] for user in network.users}
        # (place, id, author, at, text, likes)
        place = {post[1]: post[0] - 1 for post in posts}
        self.numbers("ids", (post[1] for post in posts), "q")
        self.numbers("authors", (post[2] - 1 for post in posts))
        self.numbers("times", (post[3] for post in posts), "q")
        self.numbers("like_counts", (post[5] for post in posts))
        self.texts("texts", "text_offsets", (post[4] for post in posts), "Q")
        self.texts("turned_texts", "turned_offsets", (post[4] for post in reversed(posts)), "Q")
        # A byte that occurs in no query is between the author's name and the text.
        folded = (f"{key[post[2]]}\x01{fold(post[4])}" for post in reversed(posts))
        self.texts("post_keys", "post_key_offsets", folded, "Q")
        self.lists("posts", "post_offsets", count, ((post[2] - 1, post[0] - 1) for post in posts))
        last = [0] * count
        for post in posts:
            last[post[2] - 1] = post[0]
        self.numbers("newest", last)
        liked = sorted((user - 1, place[post]) for user, post, _ in network.likes)
        self.lists("liked", "liked_offsets", count, liked)
        oldest = sorted(network.likes, key=lambda like: (like[2], like[0]))
        self.lists("likers", "liker_offsets", max(place) if place else 0, ((post - 1, user - 1) for user, post, _ in oldest))
