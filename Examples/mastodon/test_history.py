"""Plays a random history of ten accounts against the host and against a plain model, with a kill in the middle."""

from __future__ import annotations

import os
import random
import signal
import tempfile
from dataclasses import dataclass, field
from typing import Any

from conftest import Host, ids
from host.store import milliseconds_of
from mastodon import Mastodon, MastodonAPIError

CALLS, CHECK_EVERY = int(os.environ.get("CALLS", "1500")), 50
NAMES = [f"user{number}" for number in range(10)]
TAGS = ["moss", "bread"]


@dataclass
class Status:
    id: str
    author: str
    visibility: str
    parent: Status | None
    mentions: set[str]
    tag: str | None
    is_removed: bool = False


@dataclass
class Model:
    """What the host should know."""

    statuses: list[Status] = field(default_factory=list)
    follows: set[tuple[str, str]] = field(default_factory=set)
    blocks: set[tuple[str, str]] = field(default_factory=set)
    mutes: set[tuple[str, str]] = field(default_factory=set)
    members: set[tuple[str, str]] = field(default_factory=set)
    likes: set[tuple[str, str]] = field(default_factory=set)
    #: User and status: the id of the status of the repost.
    reposts: dict[tuple[str, str], str] = field(default_factory=dict)

    def is_across(self, one: str, other: str) -> bool:
        return (one, other) in self.blocks or (other, one) in self.blocks

    def is_left_out(self, viewer: str, other: str) -> bool:
        return (viewer, other) in self.mutes or self.is_across(viewer, other)

    def sees(self, viewer: str, status: Status) -> bool:
        if status.is_removed or self.is_across(viewer, status.author):
            return False
        return (
            viewer == status.author
            or status.visibility in ("public", "unlisted")
            or (status.visibility == "private" and (viewer, status.author) in self.follows)
            or viewer in status.mentions
        )

    def shows(self, viewer: str, status: Status) -> bool:
        """Whether a timeline may show it."""
        return self.sees(viewer, status) and not self.is_left_out(viewer, status.author)

    def answers(self, status: Status, allowed: set[str]) -> bool:
        """Whether it answers none, its author, or one of some users."""
        parent = status.parent
        return parent is None or (not parent.is_removed and parent.author in allowed | {status.author})

    def entries(self, viewer: str, sources: set[str], allowed: set[str]) -> list[str]:
        """The ids of a timeline with reposts."""
        sources = {each for each in sources if not self.is_left_out(viewer, each)}
        found = []
        for status in self.statuses:
            is_own = status.author == viewer
            named = any(self.is_left_out(viewer, each) for each in status.mentions)
            if not self.shows(viewer, status) or (named and not is_own):
                continue
            if status.author in sources and (is_own or self.answers(status, allowed)):
                found.append(status.id)
                continue
            by = [id for (user, of), id in self.reposts.items() if of == status.id and user in sources]
            if by:
                # The place of the lowest: of one second, that of the lowest reposter.
                found.append(min(by, key=int))
        return found

    def home(self, viewer: str) -> list[str]:
        followed = {target for user, target in self.follows if user == viewer} | {viewer}
        return self.entries(viewer, followed, followed)

    def of_list(self, viewer: str) -> list[str]:
        members = {member for user, member in self.members if user == viewer and not self.is_left_out(user, member)}
        return self.entries(viewer, members, members | {viewer})

    def public(self, viewer: str) -> list[str]:
        return [
            each.id
            for each in self.statuses
            if each.visibility == "public" and self.shows(viewer, each) and self.answers(each, set())
        ]

    def of_tag(self, viewer: str, tag: str) -> list[str]:
        return [
            each.id
            for each in self.statuses
            if each.tag == tag and each.visibility == "public" and self.shows(viewer, each)
        ]

    def context(self, viewer: str, status: Status) -> tuple[list[str], set[str]]:
        above, each = [], status.parent
        while each is not None:
            if self.sees(viewer, each):
                above.insert(0, each.id)
            each = each.parent
        below, found = [status], set()
        for each in self.statuses:
            if each.parent in below and not each.is_removed:
                below.append(each)
                if self.shows(viewer, each):
                    found.add(each.id)
        return above, found

    def notifications(self, viewer: str) -> set[tuple[str, str, str | None]]:
        found: set[tuple[str, str, str | None]] = {("follow", a, None) for a, b in self.follows if b == viewer}
        for each in self.statuses:
            if each.is_removed:
                continue
            if viewer in each.mentions:
                found.add(("mention", each.author, each.id))
            if each.author == viewer:
                found |= {("favourite", user, each.id) for user, id in self.likes if id == each.id}
                found |= {("reblog", user, each.id) for user, id in self.reposts if id == each.id}
        return {each for each in found if each[1] != viewer and not self.is_left_out(viewer, each[1])}

    def block(self, one: str, other: str) -> None:
        self.blocks.add((one, other))
        self.follows -= {(one, other), (other, one)}
        self.members -= {(one, other), (other, one)}


class History:
    """The accounts, the model, and one random call after another."""

    def __init__(self, host: Host, seed: int) -> None:
        self.host, self.model, self.random = host, Model(), random.Random(seed)
        self.clients = {name: host.client(name) for name in NAMES}
        self.ids = {name: client.me().id for name, client in self.clients.items()}
        self.names = {str(id): name for name, id in self.ids.items()}
        self.lists = {name: client.list_create("all").id for name, client in self.clients.items()}

    def step(self) -> None:
        pick, model = self.random, self.model
        name, other = pick.sample(NAMES, 2)
        client, id = self.clients[name], self.ids[other]
        weights = {"post": 30, "follow": 12, "unfollow": 4, "block": 1, "unblock": 2, "mute": 2, "unmute": 2}
        weights |= {"like": 10, "repost": 8, "unrepost": 3, "delete": 3, "member": 4}
        deed = pick.choices(list(weights), list(weights.values()))[0]
        recent = [each for each in model.statuses[-60:] if not each.is_removed]
        status = pick.choice(recent) if recent else None
        if deed == "post":
            self.post(name, client, other, status)
        elif deed == "follow":
            if self.may(not model.is_across(name, other), client.account_follow, id):
                model.follows.add((name, other))
        elif deed == "unfollow":
            if self.may(True, client.account_unfollow, id):
                model.follows.discard((name, other))
                model.members.discard((name, other))
        elif deed == "block":
            if self.may(True, client.account_block, id):
                model.block(name, other)
        elif deed == "unblock":
            if self.may(True, client.account_unblock, id):
                model.blocks.discard((name, other))
        elif deed in ("mute", "unmute"):
            if self.may(True, getattr(client, f"account_{deed}"), id):
                getattr(model.mutes, "add" if deed == "mute" else "discard")((name, other))
        elif deed == "member":
            is_new = (name, other) in model.follows and (name, other) not in model.members
            if self.may(is_new, client.list_accounts_add, self.lists[name], [id]):
                model.members.add((name, other))
        elif status is not None:
            self.on(deed, name, client, status)

    def post(self, name: str, client: Mastodon, other: str, status: Status | None) -> None:
        pick = self.random
        parent = status if status and pick.random() < 0.5 and self.model.sees(name, status) else None
        tag = pick.choice([None, None, *TAGS])
        mentions = {other} if pick.random() < 0.3 else set()
        visibility = pick.choice(["public", "public", "public", "unlisted", "private", "direct"])
        words = ["text", *[f"@{each}" for each in mentions], *([f"#{tag}"] if tag else [])]
        made = client.status_post(" ".join(words), visibility=visibility, in_reply_to_id=parent and parent.id)
        self.model.statuses.append(Status(str(made.id), name, visibility, parent, mentions, tag))

    def on(self, deed: str, name: str, client: Mastodon, status: Status) -> None:
        model, key, sees = self.model, (name, status.id), self.model.sees(name, status)
        if deed == "like" and self.may(sees, client.status_favourite, status.id):
            model.likes.add(key)
        elif deed == "repost":
            may = status.visibility in ("public", "unlisted") or (
                status.visibility == "private" and status.author == name
            )
            made = self.may(sees and may, client.status_reblog, status.id)
            if made:
                model.reposts[key] = str(made.id)
        elif deed == "unrepost" and self.may(sees, client.status_unreblog, status.id):
            model.reposts.pop(key, None)
        elif deed == "delete" and self.may(status.author == name, client.status_delete, status.id):
            status.is_removed = True

    def may(self, expected: bool, call: Any, *arguments: Any) -> Any:
        """What a call answers; it is refused if the model says so, and only then."""
        try:
            made = call(*arguments)
        except MastodonAPIError as error:
            assert not expected and error.args[1] < 500, (call.__name__, arguments, error)
            return None
        assert expected, (call.__name__, arguments)
        return made or True

    def check(self) -> None:
        """Compares what one account sees."""
        name, model = self.random.choice(NAMES), self.model
        client = self.clients[name]
        tag = self.random.choice(TAGS)
        for what, expected, read in (
            ("home", model.home(name), client.timeline_home),
            ("public", model.public(name), client.timeline_public),
            ("tag", model.of_tag(name, tag), lambda **at: client.timeline_hashtag(tag, **at)),
            ("list", model.of_list(name), lambda **at: client.timeline_list(self.lists[name], **at)),
        ):
            limit = self.random.randrange(3, 41)
            whole = self.walk(client, read(limit=limit))
            expected = sorted(expected, key=self.place, reverse=True)
            assert whole == expected, (
                name,
                what,
                set(whole) - set(expected),
                set(expected) - set(whole),
            )
            if whole:
                place = self.random.randrange(len(whole))
                assert ids(read(max_id=whole[place], limit=limit)) == whole[place + 1 :][:limit]
                assert ids(read(min_id=whole[place], limit=limit)) == whole[max(0, place - limit) : place]
                assert ids(read(since_id=whole[place], limit=limit)) == whole[:place][:limit]
        found = self.walk(client, client.notifications(limit=7), self.entry)
        assert len(set(found)) == len(found) and set(found) == model.notifications(name), name
        for status in self.random.sample(model.statuses, min(5, len(model.statuses))):
            if model.sees(name, status):
                context, (above, below) = client.status_context(status.id), model.context(name, status)
                assert ids(context.ancestors) == above and set(ids(context.descendants)) == below, (name, status)
            else:
                self.may(False, client.status, status.id)
        for each in client.account_relationships(list(self.ids.values())):
            other = self.names[str(each.id)]
            assert each.following == ((name, other) in model.follows), (name, other)
            assert each.followed_by == ((other, name) in model.follows), (name, other)
            assert each.blocking == ((name, other) in model.blocks) and each.muting == ((name, other) in model.mutes)

    def place(self, id: str) -> tuple[int, int, int]:
        """The place of a status in a timeline: a repost has that of its second."""
        of = [(int(status), int(self.ids[user])) for (user, status), made in self.model.reposts.items() if made == id]
        return (milliseconds_of(int(id)), *of[0]) if of else (milliseconds_of(int(id)), int(id), 0)

    def entry(self, row: Any) -> tuple[str, str, str | None]:
        return row.type, self.names[str(row.account.id)], str(row.status.id) if row.status else None

    def walk(self, client: Mastodon, page: Any, read: Any = lambda row: str(row.id)) -> list[Any]:
        found = []
        while page:
            found += [read(row) for row in page]
            page = client.fetch_next(page)
        return found


def test_history() -> None:
    with tempfile.TemporaryDirectory() as folder:
        host = Host(folder + "/store")
        try:
            history = History(host, int(os.environ.get("SEED", "1")))
            for number in range(CALLS):
                history.step()
                if number % CHECK_EVERY == 0:
                    history.check()
                if number == CALLS // 2:
                    host.end(signal.SIGKILL)
                    host.start()
            for _ in range(10):
                history.check()
        finally:
            host.process.kill()
            host.process.wait()
