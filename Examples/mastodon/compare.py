"""Plays one script of Mastodon.py's calls against this host and against mastodon_mock, and prints where they differ.

pip install mastodon_mock; python compare.py
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from typing import Any

from conftest import Host
from mastodon import MastodonAPIError


class Mock(Host):
    """The process of mastodon_mock, with the interface of the host."""

    def start(self) -> None:
        program = [sys.executable, "-m", "mastodon_mock", "serve", "--in-memory", "--port", str(self.port)]
        self.process = subprocess.Popen([*program, "--log-level", "critical"], stdout=subprocess.DEVNULL)
        self.wait()


def names_of(page: Any) -> list[str]:
    """The accounts of a page."""
    return [each.acct for each in page]


def text_of(status: Any) -> str:
    """The text of a status."""
    return re.sub("<[^>]*>", "", status.content)


class Script:
    """One run of the script, and what it has seen: ids become the names that they have in it."""

    def __init__(self, host: Host) -> None:
        self.ann, self.bob, self.cem = (host.client(name) for name in ("ann", "bob", "cem"))
        self.known: dict[str, str] = {}
        self.seen: dict[str, Any] = {}

    def name(self, status: Any) -> str:
        if status.reblog:
            return f"{status.account.acct} reblogs {self.name(status.reblog)}"
        return self.known.get(str(status.id), "?")

    def names(self, page: Any) -> list[str]:
        return [self.name(each) for each in page]

    def keep(self, label: str, status: Any) -> Any:
        self.known[str(status.id)] = label
        return status

    def see(self, label: str, read: Callable[[], Any]) -> None:
        try:
            self.seen[label] = read()
        except MastodonAPIError as error:
            self.seen[label] = f"error {error.args[1]}"

    def write(self) -> None:
        """What the three do first."""
        ann, bob, cem = self.ann, self.bob, self.cem
        bob.account_follow(ann.me().id)
        cem.account_follow(bob.me().id)
        self.one = self.keep("one", ann.status_post("one #moss @cem", spoiler_text="warm"))
        self.two = self.keep("two", cem.status_post("@ann two", in_reply_to_id=self.one.id))
        self.three = self.keep("three", ann.status_post("three for followers", visibility="private"))
        self.four = self.keep("four", ann.status_post("@bob four", visibility="direct"))
        self.five = self.keep("five", ann.status_post("five #moss", visibility="unlisted"))
        bob.status_reblog(self.one.id)
        bob.status_favourite(self.three.id)
        cem.status_bookmark(self.two.id)

    def read(self) -> None:
        """What they see of it."""
        ann, bob, cem, see, names = self.ann, self.bob, self.cem, self.see, self.names
        shown = ann.status(self.one.id)
        fields = ("visibility", "sensitive", "spoiler_text", "replies_count", "reblogs_count", "favourites_count")
        see("fields of a status", lambda: {field: shown[field] for field in fields})
        see("text of a status", lambda: text_of(shown))
        see("mentions, tags", lambda: ([each.acct for each in shown.mentions], [each.name for each in shown.tags]))
        see("home of bob", lambda: names(bob.timeline_home()))
        see("home of cem", lambda: names(cem.timeline_home()))
        see("public", lambda: names(cem.timeline_public()))
        see("tag", lambda: names(cem.timeline_hashtag("moss")))
        see("statuses of ann for cem", lambda: names(cem.account_statuses(ann.me().id)))
        see("statuses of bob", lambda: names(cem.account_statuses(bob.me().id)))
        see("context of one", lambda: names(bob.status_context(self.one.id).descendants))
        see("context of two", lambda: names(bob.status_context(self.two.id).ancestors))
        see("private", lambda: self.name(cem.status(self.three.id)))
        see("direct", lambda: self.name(cem.status(self.four.id)))
        see("unlisted", lambda: self.name(cem.status(self.five.id)))
        see("favourite of what is hidden", lambda: self.name(cem.status_favourite(self.four.id)))
        see("reblog of what is private", lambda: self.name(bob.status_reblog(self.three.id)))
        see("favourites", lambda: names(bob.favourites()))
        see("bookmarks", lambda: names(cem.bookmarks()))
        see("reblogged by", lambda: names_of(ann.status_reblogged_by(self.one.id)))
        see("followers", lambda: names_of(ann.account_followers(ann.me().id)))
        see("types of notifications of ann", lambda: sorted(each.type for each in ann.notifications()))
        see("search of accounts", lambda: names_of(ann.search_v2("bo").accounts))

    def change(self) -> None:
        """Lists, edits, and what is refused."""
        ann, bob, cem, see, five = self.ann, self.bob, self.cem, self.see, self.five
        pals = bob.list_create("pals")
        see("list with a stranger", lambda: bob.list_accounts_add(pals.id, [cem.me().id]))
        see("list with ann", lambda: bob.list_accounts_add(pals.id, [ann.me().id]) and None)
        see("timeline of a list", lambda: self.names(bob.timeline_list(pals.id)))
        see("list of another", lambda: cem.list(pals.id).title)
        see("too long", lambda: ann.status_post("x" * 501).id)
        see("empty", lambda: ann.status_post("").id)
        see("edit", lambda: text_of(ann.status_update(five.id, "six")))
        see("edit of another", lambda: text_of(bob.status_update(five.id, "no")))
        see("deletion by another", lambda: bob.status_delete(five.id).text)
        see("pin of another", lambda: bob.status_pin(five.id).pinned)

    def block(self) -> None:
        """Locked accounts and blocks."""
        ann, cem, see, one = self.ann, self.cem, self.see, self.one
        ann.account_update_credentials(locked=True)
        see("follow of a locked account", lambda: cem.account_follow(ann.me().id).requested)
        see("requests", lambda: names_of(ann.follow_requests()))
        see("grant", lambda: ann.follow_request_authorize(cem.me().id).followed_by)
        see("block", lambda: ann.account_block(cem.me().id).blocking)
        see("follow after a block", lambda: cem.account_relationships(ann.me().id)[0].following)
        see("account of who blocks", lambda: cem.account(ann.me().id).acct)
        see("status of who blocks", lambda: self.name(cem.status(one.id)))
        see("follow of who blocks", lambda: cem.account_follow(ann.me().id).following)
        see("public after a block", lambda: self.names(cem.timeline_public()))
        see("follow of oneself", lambda: ann.account_follow(ann.me().id).following)


def play(host: Host) -> dict[str, Any]:
    """What the script sees of a host."""
    script = Script(host)
    for part in (script.write, script.read, script.change, script.block):
        part()
    return script.seen


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        found = []
        for kind in (Host, Mock):
            server = kind(folder + "/store")
            try:
                found.append(play(server))
            finally:
                server.process.kill()
                server.process.wait()
    ours, theirs = found
    different = [label for label in ours if ours[label] != theirs[label]]
    print(f"{len(ours)} answers, {len(different)} differ")
    for label in different:
        print(f"{label}\n    host {ours[label]}\n    mock {theirs[label]}")


if __name__ == "__main__":
    main()
