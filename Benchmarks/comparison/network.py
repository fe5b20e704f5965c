"""The seeded network as tables, and the queries of every system."""

import random
import unicodedata

# Behind the name of a kind: the same people as ids and names alone, not as cards (counts, whether they are followed).
NAMES = ": id and name"
# Kinds that answer people, by the beginning of their names.
OF_PEOPLE = ("search", "prefix", "typos", "popular", "followed", "likers", "newest followers", "mutual", "suggestions")

LATIN = {"ı": "i", "ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe"}


def fold(text):
    """Kith's loose key of the letters that seeded names and texts have: the other systems search what it searches."""
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    kept = (c for c in text if unicodedata.category(c) != "Mn" and c not in "\u200d\ufe0f")
    return "".join(LATIN.get(c, c) for c in kept)


def unescape(text):
    if "\\" not in text:
        return text
    pairs = {"t": "\t", "n": "\n", "r": "\r", "\\": "\\"}
    out, letters = [], iter(text)
    for letter in letters:
        out.append(pairs[next(letters)] if letter == "\\" else letter)
    return "".join(out)


def rows(directory, kind):
    with open(f"{directory}/{kind}.tsv", encoding="utf-8", newline="\n") as file:
        for line in file:
            yield line.rstrip("\n").split("\t")


class Network:
    """Rows as Kith exported them; counts beside users and posts, as an expert would store them in any system."""

    def __init__(self, directory):
        self.follows = [(int(u), int(t), int(at) // 1000) for u, t, at in rows(directory, "follows")]
        self.likes = [(int(u), int(p), int(at) // 1000) for u, p, at in rows(directory, "likes")]
        names = [(int(i), unescape(name)) for i, name in rows(directory, "users")]
        posts = [(int(i), int(a), int(at), unescape(text)) for i, a, at, text in rows(directory, "posts")]
        self.followees = {i: set() for i, _ in names}
        followers, written, liked = dict.fromkeys(self.followees, 0), dict.fromkeys(self.followees, 0), {}
        for user, target, _ in self.follows:
            self.followees[user].add(target)
            followers[target] += 1
        for _, post, _ in self.likes:
            liked[post] = liked.get(post, 0) + 1
        for _, author, _, _ in posts:
            written[author] += 1
        keyed = sorted((fold(name).encode(), name.encode(), i) for i, name in names)
        # (rank, id, name, key, followers, followees, posts), in the order of names
        self.users = [
            (rank, i, name.decode(), key.decode(), followers[i], len(self.followees[i]), written[i])
            for rank, (key, name, i) in enumerate(keyed, 1)
        ]
        self.name = dict(names)
        posts.sort(key=lambda post: (post[2], post[0]))
        # (place, id, author, at, text, likes), in the order of time
        self.posts = [(place, *post, liked.get(post[0], 0)) for place, post in enumerate(posts, 1)]
        self.heads = {author: (at, i) for _, i, author, at, _, _ in self.posts}
        self.grams = {}
        for user in self.users:
            for gram in grams(user[3]):
                self.grams.setdefault(gram, []).append(user[0])

    def folded_posts(self):
        """(place, text, author's name) as search reads them."""
        key = {i: key for _, i, _, key, _, _, _ in self.users}
        return ((place, fold(text), key[author]) for place, _, author, _, text, _ in self.posts)

    def rarest_gram(self, key):
        return min(grams(key, longest_only=True), key=lambda gram: len(self.grams.get(gram, [])))


def grams(key, longest_only=False):
    lengths = [min(3, len(key))] if longest_only else (1, 2, 3)
    return {key[place : place + n] for n in lengths for place in range(len(key) - n + 1)}


def questions(network, count, seed):
    """Lists of (kind, arguments by name), the same for the same network and seed."""
    draw = random.Random(seed)
    ids = [user[1] for user in network.users]
    asked = missing(network, count, draw) + typos(network, count, draw)
    searches = {
        "search, 1–2 letters": (1, 2),
        "search, 3 letters": (3, 3),
        "search, 4–10 letters": (4, 10),
        "prefix, 1–8 letters": (1, 8),
        "popular first, 1–6 letters": (1, 6),
        "followed first, 1–6 letters": (1, 6),
    }
    for kind, letters in searches.items():
        for _ in range(count):
            key, viewer = draw.choice(network.users)[3], draw.choice(ids)
            length = min(draw.randint(*letters), len(key))
            start = 0 if kind.startswith("prefix") else draw.randint(0, len(key) - length)
            query = key[start : start + length]
            # Kith trims both ends; an expert would not query them.
            if len(query) < letters[0] or query != query.strip():
                continue
            asked.append((kind, {"query": query, "viewer": viewer}))
    by_degree = sorted(ids, key=lambda i: (len(network.followees[i]), i))
    degrees = [len(network.followees[i]) for i in by_degree]
    for degree in (10, 100, 1000, 5000):
        near = sorted(range(len(ids)), key=lambda place: abs(degrees[place] - degree))[:200]
        if abs(degrees[near[0]] - degree) > degree // 4:
            continue
        near = [by_degree[place] for place in near if abs(degrees[place] - degree) <= degree // 2]
        for place in range(count):
            user = near[place % len(near)]
            asked.append((f"timeline, about {degree:,} followed", {"user": user}))
    posts = [post[1] for post in network.posts]
    words = [draw.choice(post[4].split()) for post in draw.sample(network.posts, min(count, len(posts)))]
    for place in range(count):
        user, other, post = draw.choice(ids), draw.choice(ids), draw.choice(posts)
        one, two = sorted((user, other), key=lambda i: len(network.followees[i]))
        asked += [
            ("is following", {"user": user, "target": other}),
            ("likers of a post", {"post": post}),
            ("newest followers", {"user": user}),
            ("mutual followees", {"user": one, "target": two}),
        ]
        if place < count // 4:
            asked.append(("suggestions", {"user": user}))
        word = "".join(c for c in words[place % len(words)] if c.isalnum())
        if place < count // 10 and len(word) >= 3:
            asked.append(("posts with a word", {"query": fold(word)}))
    asked += [(kind + NAMES, given) for kind, given in asked if kind.startswith(OF_PEOPLE)]
    # Kind by kind, as the drivers ask: the cache content of one kind of query helps only the same kind.
    order = in_order(list(dict.fromkeys(kind for kind, _ in asked)))
    return sorted(asked, key=lambda question: order.index(question[0]))


def in_order(kinds):
    """As the table has them: searches first, ids and names before cards."""
    searches = ("search, 1", "search, 3", "search, 4", "search, no", "prefix", "popular", "followed", "typos")

    def place(kind):
        first = next((place for place, name in enumerate(searches) if kind.startswith(name)), len(searches))
        return first, kinds.index(kind.removesuffix(NAMES)), not kind.endswith(NAMES)

    return sorted(kinds, key=place)


def missing(network, count, draw):
    """Six letters of a name, one of them replaced, that no name has."""
    everything = "\n".join(user[3] for user in network.users)
    asked = []
    while len(asked) < count:
        key = draw.choice(network.users)[3]
        if len(key) < 6 or not key.isalnum():
            continue
        start, place = draw.randint(0, len(key) - 6), draw.randint(0, 5)
        query = key[start : start + 6]
        query = query[:place] + draw.choice("abcdefghijklmnopqrstuvwxyz") + query[place + 1 :]
        if query not in everything:
            asked.append(("search, no match", {"query": query, "viewer": draw.choice(network.users)[1]}))
    return asked


def typos(network, count, draw):
    """Four to ten letters of a name, with one edit: a letter replaced, left out, or swapped with its neighbour."""
    asked = []
    keys = [user[3] for user in network.users if len(user[3]) >= 6 and user[3].isascii() and user[3].isalpha()]
    for _ in range(count // 4 if keys else 0):
        key = draw.choice(keys)
        length = min(draw.randint(5, 10), len(key))
        start, place = draw.randint(0, len(key) - length), draw.randint(0, length - 2)
        query = key[start : start + length]
        edits = (query[place + 1] + query[place], "", draw.choice("abcdefghijklmnopqrstuvwxyz") + query[place + 1])
        query = query[:place] + draw.choice(edits) + query[place + 2 :]
        if len(query) >= 4:
            asked.append(("typos, 4–10 letters", {"query": query, "viewer": draw.choice(network.users)[1]}))
    return asked
