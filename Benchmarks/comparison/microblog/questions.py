"""The lists that are asked for, page by page."""

import random

FIRST, LATER = ": first page", ": pages 2 to 5"
PAGES = 5
# Kinds, each with the operation of the driver of Kith.
OPERATIONS = {
    "home, 100 followed": "home",
    "home, 1,000 followed": "home",
    "home with filters, 100 followed": "filtered",
    "home with filters, 1,000 followed": "filtered",
    "list of people": "list",
    "tag": "tag",
    "profile": "profile",
    "conversation": "thread",
    "notifications": "incoming",
}
# Behind every key that there is.
LAST = {"at": 2**42, "post": 2**31 - 1, "reposter": 2**31 - 1}
LAST_NOTIFICATION = {"second": 2**31 - 1, "relation": 127, "source": 2**31 - 1, "target": 2**31 - 1}
# A conversation is read from its first post on.
BEFORE = {"at": -1, "post": 0, "reposter": 0}


def operation(kind):
    return OPERATIONS[kind.split(":")[0]]


def kinds():
    return [kind + part for kind in OPERATIONS for part in (FIRST, LATER)]


def subjects(network, count, seed):
    """(kind, user, subject): active authors, busy conversations and popular tags come more often, as their posts do."""
    draw = random.Random(seed)
    for degree, name in ((100, "100"), (1_000, "1,000")):
        for words in ("home", "home with filters"):
            for user in draw.sample(network.of_degree[degree], min(count, len(network.of_degree[degree]))):
                yield f"{words}, {name} followed", user, 0
    for post, owner, _ in draw.sample(network.lists, min(count, len(network.lists))):
        yield "list of people", owner, post
    for _, tag in draw.choices(network.tagged, k=count):
        yield "tag", draw.choice(network.people), tag
    replies = [post for post in network.posts if network.parent[post]]
    for kind, posts in (("profile", network.posts), ("conversation", replies)):
        for post in draw.choices(posts, k=count):
            user, author = draw.choice(network.people), network.author[post]
            # Across a block there is no answer.
            if author not in network.blocks[user]:
                yield kind, user, author if kind == "profile" else post
    for post in draw.choices(network.posts, k=count):
        yield "notifications", network.author[post], 0


def pages(network, count, seed):
    """[(kind, arguments)], for Kith, which finds the place of a page by the pages before it."""
    asked = []
    for kind, user, subject in subjects(network, count, seed):
        for page in range(1, PAGES + 1):
            name = kind + (FIRST if page == 1 else LATER)
            asked.append((name, {"user": user, "subject": subject, "page": page}))
    return asked


def with_places(asked, answers):
    """The pages that there are, each with the key of the last row before it; and Kith's answers to them, by kind."""
    kept, expected, place, rest = [], {}, None, {kind: iter(found) for kind, found in answers.items()}
    for kind, given in asked:
        answer = next(rest[kind])
        if given["page"] == 1:
            place = first_place(operation(kind))
        elif not answer[1]:
            continue
        kept.append((kind, {"user": given["user"], "subject": given["subject"], **place}))
        expected.setdefault(kind, []).append(answer)
        if answer[1]:
            place = place_of(operation(kind), answer[1][-1])
    return kept, expected


def first_place(operation):
    return {"thread": BEFORE, "incoming": LAST_NOTIFICATION}.get(operation, LAST)


def place_of(operation, row):
    if operation == "incoming":
        return {"second": row[1], "relation": row[0], "source": row[2], "target": row[3]}
    reposter, second = row[7:9]
    return {"at": second * 1000 if reposter else row[2], "post": row[0], "reposter": reposter}
