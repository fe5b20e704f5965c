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

from mastodon import MastodonAPIError
from test_host import Host


class Mock(Host):
    """The process of mastodon_mock, with the interface of the host."""

    def start(self) -> None:
        program = [sys.executable, "-m", "mastodon_mock", "serve", "--in-memory", "--port", str(self.port)]
        self.process = subprocess.Popen([*program, "--log-level", "critical"], stdout=subprocess.DEVNULL)
        self.wait()


def play(host: Host) -> dict[str, Any]:
    """What the script sees: ids become the names that they have in it."""
    people = {name: host.client(name) for name in ("ann", "bob", "cem")}
    ann, bob, cem = people.values()
    known = {f"account {client.me().id}": name for name, client in people.items()}
    seen: dict[str, Any] = {}

    def name(status: Any) -> str:
        if status.reblog:
            return f"{status.account.acct} reblogs {name(status.reblog)}"
        return known.get(f"status {status.id}", "?")

    def keep(label: str, status: Any) -> Any:
        known[f"status {status.id}"] = label
        return status

    def see(label: str, read: Callable[[], Any]) -> None:
        try:
            made = read()
        except MastodonAPIError as error:
            made = f"error {error.args[1]}"
        seen[label] = made

    def names(page: Any) -> list[str]:
        return [name(each) for each in page]

    def accounts(page: Any) -> list[str]:
        return [each.acct for each in page]

    bob.account_follow(ann.me().id)
    cem.account_follow(bob.me().id)
    one = keep("one", ann.status_post("one #moss @cem", spoiler_text="warm"))
    two = keep("two", cem.status_post("@ann two", in_reply_to_id=one.id))
    three = keep("three", ann.status_post("three for followers", visibility="private"))
    four = keep("four", ann.status_post("@bob four", visibility="direct"))
    five = keep("five", ann.status_post("five #moss", visibility="unlisted"))
    bob.status_reblog(one.id)
    bob.status_favourite(three.id)
    cem.status_bookmark(two.id)
    shown = ann.status(one.id)
    fields = ("visibility", "sensitive", "spoiler_text", "replies_count", "reblogs_count", "favourites_count")
    see("fields of a status", lambda: {field: shown[field] for field in fields})
    see("text of a status", lambda: re.sub("<[^>]*>", "", shown.content))
    see("mentions, tags", lambda: ([each.acct for each in shown.mentions], [each.name for each in shown.tags]))
    see("home of bob", lambda: names(bob.timeline_home()))
    see("home of cem", lambda: names(cem.timeline_home()))
    see("public", lambda: names(cem.timeline_public()))
    see("tag", lambda: names(cem.timeline_hashtag("moss")))
    see("statuses of ann for cem", lambda: names(cem.account_statuses(ann.me().id)))
    see("statuses of bob", lambda: names(cem.account_statuses(bob.me().id)))
    see("context of one", lambda: names(bob.status_context(one.id).descendants))
    see("context of two", lambda: names(bob.status_context(two.id).ancestors))
    for label, status in (("three", three), ("four", four), ("five", five)):
        see(f"{label} for cem", lambda status=status: name(cem.status(status.id)))
    see("favourite what is hidden", lambda: name(cem.status_favourite(four.id)))
    see("reblog what is private", lambda: name(bob.status_reblog(three.id)))
    see("favourites", lambda: names(bob.favourites()))
    see("bookmarks", lambda: names(cem.bookmarks()))
    see("reblogged by", lambda: accounts(ann.status_reblogged_by(one.id)))
    see("followers", lambda: accounts(ann.account_followers(ann.me().id)))
    see("types of notifications of ann", lambda: sorted(each.type for each in ann.notifications()))
    see("search of accounts", lambda: accounts(ann.search_v2("bo").accounts))
    pals = bob.list_create("pals")
    see("list with a stranger", lambda: bob.list_accounts_add(pals.id, [cem.me().id]))
    see("list with ann", lambda: bob.list_accounts_add(pals.id, [ann.me().id]) and None)
    see("timeline of a list", lambda: names(bob.timeline_list(pals.id)))
    see("list of another", lambda: cem.list(pals.id).title)
    see("too long", lambda: ann.status_post("x" * 501).id)
    see("empty", lambda: ann.status_post("").id)
    see("edit", lambda: re.sub("<[^>]*>", "", ann.status_update(five.id, "six").content))
    see("edit of another", lambda: bob.status_update(five.id, "no").content)
    see("deletion by another", lambda: bob.status_delete(five.id).text)
    see("pin of another", lambda: bob.status_pin(five.id).pinned)
    ann.account_update_credentials(locked=True)
    see("follow of a locked account", lambda: cem.account_follow(ann.me().id).requested)
    see("requests", lambda: accounts(ann.follow_requests()))
    see("grant", lambda: ann.follow_request_authorize(cem.me().id).followed_by)
    see("block", lambda: (ann.account_block(cem.me().id).blocking, cem.account_relationships(ann.me().id)[0].following))
    see("account of who blocks", lambda: cem.account(ann.me().id).acct)
    see("status of who blocks", lambda: name(cem.status(one.id)))
    see("follow of who blocks", lambda: cem.account_follow(ann.me().id).following)
    see("public after a block", lambda: names(cem.timeline_public()))
    see("follow of oneself", lambda: ann.account_follow(ann.me().id).following)
    return seen


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
