"""What a host keeps with users and posts, and edits."""

import kith
import pytest


@pytest.fixture
def graph():
    return kith.Graph(schema=[])


def test_payloads_and_flags_are_shown(graph):
    ann = graph.add_user("ann", payload=b"\x00\xff", flags=3)
    post = graph.add_post(ann, "hello", payload=b"picture", flags=0xFFFF)
    assert graph.user(ann).flags == 3 and graph.user(ann).payload is None
    assert graph.user(ann, includes_payloads=True).payload == b"\x00\xff"
    page = graph.timeline(ann, includes_authors=True, includes_payloads=True)
    assert page[0].payload == b"picture" and page[0].flags == 0xFFFF and page[0].edited_ms is None
    assert page[0].author_user.payload == b"\x00\xff"
    assert [found.payload for found in graph.posts([post], includes_payloads=True)] == [b"picture"]
    assert graph.search_users("ann", includes_payloads=True)[0].payload == b"\x00\xff"


def test_edits_set_what_is_given(graph):
    ann = graph.add_user("ann")
    post = graph.add_post(ann, "hello")
    assert graph.edit_post(post, text="good bye", at=5_000) and not graph.edit_post(post, text="good bye")
    assert graph.post(post).text == "good bye" and graph.post(post).edited_ms == 5_000
    assert [found.id for found in graph.search_posts("bye")] == [post] and not graph.search_posts("hello")
    assert graph.edit_post(post, payload=b"") is False and graph.edit_post(post, flags=1)
    assert graph.edit_post(post, text="") and graph.post(post).text == ""
    assert graph.edit_user(ann, payload=b"x") and not graph.edit_user(ann, payload=b"x")
    assert graph.user(ann, includes_payloads=True).payload == b"x"
    with pytest.raises(kith.InvalidRequestError):
        graph.edit_user(ann, payload=bytes(65_536))
    with pytest.raises(kith.NoSchemaError):
        kith.Graph().add_user("ann", flags=1)


def test_changes_carry_fields(graph):
    with graph.changes() as changes:
        ann = graph.add_user("ann", payload=b"a")
        post = graph.apply(kith.Change("addPost", user=ann, text="x", payload=b"", flags=2))[0].id
        graph.edit_post(post, text="y", payload=b"b", at=7)
        graph.edit_post(post, flags=3)
        made = [event.change for event in changes.poll()]
    assert made[0].payload == b"a" and made[1].flags == 2
    assert (made[2].text, made[2].payload, made[2].edited_at) == ("y", b"b", 7)
    assert (made[3].kind, made[3].text, made[3].payload, made[3].flags) == ("editPost", None, None, 3)
