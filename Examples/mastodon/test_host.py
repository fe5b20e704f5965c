"""Plays a script of Mastodon.py's and toot's calls against the host, kills it, and looks again.

pytest test_host.py          in an environment with kith, starlette, uvicorn, python-multipart, Mastodon.py and toot
"""

from __future__ import annotations

import re
import signal
import time
from typing import Any

import pytest
import requests
from conftest import PASSWORD, SCOPES, Host, ids, refused
from mastodon import Mastodon, StreamListener


def test_sign_in(host: Host, people: dict[str, Mastodon]) -> None:
    client, secret = Mastodon.create_app("forms", api_base_url=host.base, scopes=SCOPES, redirect_uris="http://x.test/")
    app = Mastodon(client, secret, api_base_url=host.base)
    address = app.auth_request_url(redirect_uris="http://x.test/", scopes=SCOPES, state="s<1>")
    page = requests.get(address, timeout=9)
    assert page.status_code == 200 and "s&lt;1&gt;" in page.text
    form = dict(re.findall(r'name="(\w+)" value="([^"]*)"', page.text))
    wrong = requests.post(host.base + "/oauth/authorize", {**form, "username": "ann", "password": "no"}, timeout=9)
    assert wrong.status_code == 401
    form.update(username="ann", password=PASSWORD)
    sent = requests.post(host.base + "/oauth/authorize", form, timeout=9, allow_redirects=False)
    code = re.search(r"code=([^&]+)", sent.headers["Location"])
    assert sent.status_code == 302 and code
    app.log_in(code=code[1], redirect_uri="http://x.test/", scopes=SCOPES)
    assert app.account_verify_credentials().username == "ann"
    with pytest.raises(Exception, match="grant is invalid"):
        app.log_in(code=code[1], redirect_uri="http://x.test/", scopes=SCOPES)
    app = Mastodon(client, secret, api_base_url=host.base)
    app.log_in("ann", PASSWORD, scopes=SCOPES)
    assert app.me().acct == "ann"
    app.revoke_access_token()
    assert app.access_token is None
    stranger = requests.get(host.base + "/api/v1/timelines/home", headers={"Authorization": "Bearer 5.x"}, timeout=9)
    assert stranger.status_code == 401 and stranger.json()["error"]


def test_profile(host: Host, people: dict[str, Mastodon]) -> None:
    ann, bob = people["ann"], people["bob"]
    picture = requests.get(ann.me().avatar, timeout=9).content
    ann.account_update_credentials(
        display_name="Ann <A>",
        note="Tea & cake",
        avatar=picture,
        avatar_mime_type="image/png",
        fields=[("site", "https://a.test")],
    )
    shown = bob.account_lookup("ann")
    assert shown.display_name == "Ann <A>" and shown.note == "<p>Tea &amp; cake</p>"
    assert shown.fields[0].name == "site" and requests.get(shown.avatar, timeout=9).content == picture
    assert ann.me().source.note == "Tea & cake" and ids(bob.account_search("an")) == [str(ann.me().id)]
    # By the display name, too.
    assert ids(bob.account_search("n <a")) == [str(ann.me().id)]
    assert bob.account_relationships(ann.me().id)[0].following is False


def test_timelines(people: dict[str, Mastodon]) -> None:
    ann, bob, cem, dee = people.values()
    bob.account_follow(ann.me().id)
    dee.account_follow(bob.me().id)
    first = ann.status_post("hello #Tea, @cem", spoiler_text="warm", language="en")
    assert [tag.name for tag in first.tags] == ["Tea"] and first.mentions[0].acct == "cem" and first.sensitive
    answer = cem.status_post("and #tea to you", in_reply_to_id=first.id)
    last = ann.status_post("welcome", in_reply_to_id=answer.id)
    assert ids(ann.status_context(answer.id).ancestors) == [str(first.id)]
    assert ids(bob.status_context(first.id).descendants) == [str(answer.id), str(last.id)]
    assert ids(bob.timeline_home()) == [str(first.id)], "a reply to who is not followed is left out"
    bob.account_follow(cem.me().id)
    assert ids(bob.timeline_home()) == [str(last.id), str(answer.id), str(first.id)]
    assert ids(dee.timeline_public()) == [str(first.id)], "replies are not in the public timeline"
    assert ids(dee.timeline_hashtag("TEA")) == [str(answer.id), str(first.id)]
    dee.tag_follow("tea")
    assert str(first.id) in ids(dee.timeline_home()) and dee.tag("tea").following
    dee.tag_unfollow("tea")
    wrapper = bob.status_reblog(first.id)
    assert wrapper.reblog.id == first.id and wrapper.id != first.id
    assert [item.reblog and item.reblog.id for item in dee.timeline_home()] == [first.id]
    assert ids(dee.account_statuses(bob.me().id)) == [str(wrapper.id)]
    assert dee.account_statuses(bob.me().id, exclude_reblogs=True) == []
    assert ids(ann.status_reblogged_by(first.id)) == [str(bob.me().id)]
    assert bob.status(wrapper.id).reblog.id == first.id and bob.status_reblog(first.id).id == wrapper.id
    dee.account_follow(bob.me().id, reblogs=False)
    assert dee.timeline_home() == [] and not dee.account_relationships(bob.me().id)[0].showing_reblogs
    dee.account_follow(bob.me().id, reblogs=True)


def test_audiences(host: Host, people: dict[str, Mastodon]) -> None:
    ann, bob, cem, dee = people.values()
    private = ann.status_post("secret tea for followers", visibility="private")
    direct = ann.status_post("@cem only tea", visibility="direct")
    quiet = ann.status_post("unlisted #tea", visibility="unlisted")
    assert [private.visibility, direct.visibility, quiet.visibility] == ["private", "direct", "unlisted"]
    hidden = {str(private.id), str(direct.id)}
    visitor = Mastodon(api_base_url=host.base)
    for reader in (dee, visitor):
        for found in (
            reader.timeline_public(),
            reader.timeline_hashtag("tea"),
            reader.account_statuses(ann.me().id),
        ):
            assert not hidden & set(ids(found))
        for id in hidden:
            refused(404, reader.status, id)
            refused(404, reader.status_context, id)
    assert not hidden & set(ids(dee.search_v2("tea").statuses))
    assert str(quiet.id) not in ids(dee.timeline_public()) and dee.status(quiet.id).id == quiet.id
    assert bob.status(private.id).id == private.id and cem.status(direct.id).id == direct.id
    refused(404, bob.status, direct.id)
    refused(404, dee.status_favourite, private.id)
    refused(404, bob.status_reblog, private.id)
    answer = cem.status_post("@ann yes", in_reply_to_id=direct.id, visibility="direct")
    assert ids(ann.status_context(direct.id).descendants) == [str(answer.id)]
    bob.status_bookmark(private.id)
    bob.account_unfollow(ann.me().id)
    assert not hidden & set(ids(bob.bookmarks())), "a bookmark shows nothing that its user may not see"
    bob.account_follow(ann.me().id)
    assert ids(bob.bookmarks()) == [str(private.id)]


def test_deeds(people: dict[str, Mastodon]) -> None:
    ann, bob, cem, dee = people.values()
    made = ann.status_post("one", idempotency_key="k1")
    assert ann.status_post("one", idempotency_key="k1").id == made.id
    assert bob.status_favourite(made.id).favourites_count == 1
    assert ids(bob.favourites()) == [str(made.id)] and ids(ann.status_favourited_by(made.id)) == [str(bob.me().id)]
    assert bob.status_unfavourite(made.id).favourited is False
    ann.status_pin(made.id)
    assert ids(dee.account_statuses(ann.me().id, pinned=True)) == [str(made.id)]
    refused(422, bob.status_pin, made.id)
    ann.status_unpin(made.id)
    edited = ann.status_update(made.id, "two @dee", spoiler_text="x")
    assert edited.edited_at and edited.mentions[0].acct == "dee"
    assert ann.status_source(made.id).text == "two @dee"
    assert [re.sub("<[^>]*>", "", each.content) for each in ann.status_history(made.id)] == ["one", "two @dee"]
    refused(404, bob.status_update, made.id, "no")
    refused(404, bob.status_delete, made.id)
    assert ann.status_delete(made.id).text == "two @dee"
    refused(404, ann.status, made.id)
    refused(422, ann.status_post, "x" * 501)
    refused(422, ann.status_post, " ")
    media = ann.media_post(requests.get(ann.me().avatar, timeout=9).content, "image/png", description="squares")
    shown = ann.status_post("", media_ids=[media.id])
    assert shown.media_attachments[0].description == "squares"
    assert ids(dee.account_statuses(ann.me().id, only_media=True)) == [str(shown.id)]
    assert requests.get(shown.media_attachments[0].url, timeout=9).content[:4] == b"\x89PNG"
    refused(422, ann.media_post, b"#!/bin/sh", "image/png")


def test_lists_and_people(people: dict[str, Mastodon]) -> None:
    ann, bob, cem, dee = people.values()
    friends = bob.list_create("friends")
    bob.list_accounts_add(friends.id, [cem.me().id])
    refused(404, bob.list_accounts_add, friends.id, [dee.me().id])
    refused(404, ann.list, friends.id)
    one = cem.status_post("for the list")
    assert ids(bob.timeline_list(friends.id)) == [str(one.id)]
    assert ids(bob.list_accounts(friends.id)) == [str(cem.me().id)]
    assert ids(bob.account_lists(cem.me().id)) == [str(friends.id)]
    assert bob.list_update(friends.id, "pals").title == "pals" and [each.title for each in bob.lists()] == ["pals"]
    # A locked account asks first.
    ann.account_update_credentials(locked=True)
    assert dee.account_follow(ann.me().id).requested and ids(ann.follow_requests()) == [str(dee.me().id)]
    ann.follow_request_authorize(dee.me().id)
    assert dee.account_relationships(ann.me().id)[0].following and ann.follow_requests() == []
    # Follows of one second are listed by id, so their order is not asked for.
    assert set(ids(dee.account_following(dee.me().id))) == {str(ann.me().id), str(bob.me().id)}
    assert ids(dee.account_familiar_followers(ann.me().id)[0].accounts) == [str(bob.me().id)]
    assert ids(dee.suggestions()) == [str(cem.me().id)]
    dee.suggestion_delete(cem.me().id)
    assert dee.suggestions() == []
    assert dee.account_endorse(ann.me().id).endorsed and ids(dee.endorsements()) == [str(ann.me().id)]
    # Mutes and blocks.
    dee.account_follow(cem.me().id)
    assert str(one.id) in ids(dee.timeline_home())
    dee.account_mute(cem.me().id, notifications=False)
    assert str(one.id) not in ids(dee.timeline_home()) and ids(dee.mutes()) == [str(cem.me().id)]
    assert dee.account_relationships(cem.me().id)[0].muting
    dee.account_unmute(cem.me().id)
    assert str(one.id) in ids(dee.timeline_home())
    assert cem.account_block(dee.me().id).blocking and ids(cem.blocks()) == [str(dee.me().id)]
    refused(404, dee.status, one.id)
    assert dee.account(cem.me().id).acct == "cem" and dee.account_relationships(cem.me().id)[0].blocked_by
    assert dee.account_statuses(cem.me().id) == [] and dee.account_followers(cem.me().id) == []
    refused(403, dee.account_follow, cem.me().id)
    assert str(one.id) not in ids(dee.timeline_home()) + ids(dee.timeline_public())
    assert not cem.account_unblock(dee.me().id).blocking
    assert bob.account_note_set(ann.me().id, "pays for tea").note == "pays for tea"


def test_notifications(people: dict[str, Mastodon]) -> None:
    ann, bob, cem, dee = people.values()
    for number in range(3):
        bob.status_favourite(ann.status_post(f"to like {number}").id)
    found = ann.notifications(limit=80)
    kinds = {each.type for each in found}
    assert {"mention", "reblog", "follow", "favourite"} <= kinds
    assert all("status" in each for each in found if each.type in ("mention", "reblog"))
    assert ids(ann.notifications(types=["reblog"])) == [str(each.id) for each in found if each.type == "reblog"]
    walked: list[str] = []
    page = ann.notifications(limit=2)
    while page:
        walked += ids(page)
        page = ann.fetch_next(page)
    assert walked == ids(found) == sorted(walked, key=int, reverse=True)
    assert ids(ann.notifications(min_id=found[4].id, limit=2)) == ids(found[2:4])
    assert ids(ann.notifications(since_id=found[2].id)) == ids(found[:2])
    assert ann.notifications(found[1].id).id == found[1].id
    ann.notifications_dismiss(found[0].id)
    assert ids(ann.notifications(limit=80)) == ids(found[1:])
    ann.notifications_clear()
    assert ann.notifications() == []
    bob.status_favourite(ann.status_post("like this").id)
    time.sleep(1.1)
    assert [each.type for each in ann.notifications()] == ["favourite"]
    ann.markers_set(["home", "notifications"], [1, int(ann.notifications()[0].id)])
    assert str(ann.markers_get(["home"])["home"].last_read_id) == "1"
    assert ann.notifications_unread_count().count == 0


def test_paging(host: Host, people: dict[str, Mastodon]) -> None:
    ann, bob, cem, dee = people.values()
    bob.account_follow(ann.me().id)
    made = [ann.status_post(f"page {number}") for number in range(25)]
    for status in made[3:15]:
        cem.status_reblog(status.id)
        bob.status_bookmark(status.id)
    for client, first in (
        (bob, lambda **at: bob.timeline_home(**at)),
        (dee, lambda **at: dee.timeline_public(**at)),
        (dee, lambda **at: dee.account_statuses(cem.me().id, **at)),
    ):
        whole = ids(first(limit=40))
        walked, page, pages = [], first(limit=7), []
        while page:
            pages.append(ids(page))
            walked += ids(page)
            page = client.fetch_next(page)
        assert walked[: len(whole)] == whole and len(set(walked)) == len(walked)
        middle = first(limit=5, max_id=whole[4])
        assert ids(middle) == whole[5:10]
        back = client.fetch_previous(middle)
        assert ids(back) == whole[:5]
        assert ids(first(min_id=whole[9], limit=3)) == whole[6:9]
        assert ids(first(since_id=whole[9], limit=3)) == whole[:3]
        assert ids(first(min_id=whole[9], max_id=whole[2], limit=40)) == whole[3:9]
    kept = ids(bob.bookmarks(limit=40))
    page = bob.bookmarks(limit=4)
    assert ids(page) == kept[:4] and ids(bob.fetch_next(page)) == kept[4:8]
    assert ids(bob.fetch_previous(bob.fetch_next(page))) == kept[:4]
    answer = requests.get(f"{host.base}/api/v1/timelines/public?limit=2&local=true", timeout=9)
    assert re.fullmatch(
        r'<[^>]*\?limit=2&local=true&max_id=\d+>; rel="next", <[^>]*&min_id=\d+>; rel="prev"', answer.headers["Link"]
    )


def test_hostile(host: Host, people: dict[str, Mastodon]) -> None:
    ann = people["ann"]
    headers = {"Authorization": f"Bearer {ann.access_token}"}
    paths = ["home", "public", "list/5", "tag/x", "list/99999999999999999999", "tag/%00", "tag/%ff"]
    for path in [f"/api/v1/timelines/{each}" for each in paths] + [
        "/api/v1/statuses/0",
        "/api/v1/statuses/-1",
        "/api/v1/statuses/9223372036854775807",
        "/api/v1/statuses/9223372036854775809/context",
        "/api/v1/accounts/0",
        "/api/v1/accounts/9223372036854775808/followers",
        "/api/v1/notifications",
        "/api/v1/bookmarks",
        "/api/v2/search",
        "/media/..%2f..%2fetc%2fpasswd",
        "/oauth/authorize",
        "/api/v1/streaming/no",
    ]:
        for query in ("", "?max_id=x", "?limit=-1", "?min_id=" + "9" * 30, "?max_id=9223372036854775807", "?q=%00"):
            answer = requests.get(host.base + path + query, headers=headers, timeout=9)
            assert answer.status_code < 500, (path, query, answer.text)
            if answer.status_code >= 400:
                assert answer.json()["error"]
    for body in (
        b"{",
        b"[1]",
        b"\xff",
        b'{"status": {"a": 1}}',
        b'{"status": "\\ud800"}',
        b"[" * 100_000,
        b'{"media_ids": [{}]}',
    ):
        for kind in ("application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "a/b"):
            answer = requests.post(
                f"{host.base}/api/v1/statuses", data=body, headers={**headers, "Content-Type": kind}, timeout=9
            )
            assert 400 <= answer.status_code < 500, (body[:20], kind, answer.status_code, answer.text)
    answer = requests.post(
        f"{host.base}/api/v1/statuses", data={"status": "<script>alert(1)</script>"}, headers=headers
    )
    assert "<script" not in answer.json()["content"]
    assert requests.post(f"{host.base}/api/v1/statuses", data=b"x" * (2 << 20), headers=headers).status_code == 413


class Heard(StreamListener):
    """What a stream has said."""

    def __init__(self) -> None:
        self.events: list[tuple[str, str]] = []

    def on_update(self, status: Any) -> None:
        self.events.append(("update", str(status.id)))

    def on_notification(self, notification: Any) -> None:
        self.events.append(("notification", notification.type))

    def on_delete(self, status_id: Any) -> None:
        self.events.append(("delete", str(status_id)))


def test_streams(people: dict[str, Mastodon]) -> None:
    ann, bob, cem, dee = people.values()
    mine, everyone = Heard(), Heard()
    handles = [bob.stream_user(mine, run_async=True), dee.stream_public(everyone, run_async=True)]
    time.sleep(1.5)
    made = ann.status_post("live @bob")
    private = ann.status_post("live for followers", visibility="private")
    ann.status_delete(made.id)
    expected = [("update", str(made.id)), ("notification", "mention"), ("update", str(private.id))]
    for _ in range(50):
        if len(mine.events) >= 4 and len(everyone.events) >= 2:
            break
        time.sleep(0.1)
    for handle in handles:
        handle.close()
    assert set(mine.events) == {*expected, ("delete", str(made.id))}
    assert everyone.events == [("update", str(made.id)), ("delete", str(made.id))]


def state(people: dict[str, Mastodon]) -> list[Any]:
    """What all see."""
    seen: list[Any] = []
    for client in people.values():
        seen += [ids(client.timeline_home(limit=40)), ids(client.timeline_public(limit=40)), ids(client.bookmarks())]
        seen += [ids(client.notifications(limit=80)), [each.title for each in client.lists()], client.me().display_name]
    return seen


def test_kill_and_restart(host: Host, people: dict[str, Mastodon]) -> None:
    ann, before = people["ann"], state(people)
    host.end(signal.SIGKILL)
    host.start()
    assert state(people) == before
    made = ann.status_post("after the kill")
    assert int(made.id) > max(int(id) for id in before[1]) and host.end(signal.SIGTERM) == 0
    host.start()
    assert str(made.id) in ids(people["bob"].timeline_home())
