"""Relations that a host declares, conversations, counts and marks."""

import datetime
import pickle

import kith
import pytest

BOOKMARK = kith.Relation("bookmark", "user", "post", visibility="source")
REQUEST = kith.Relation("request", "user", "user", visibility="ends", is_ended_by=("follow", "block"))
CLOSE = kith.Relation("close", "user", "user", ends_with="follow")
MEMBER = kith.Relation("member", "post", "user", is_timed=True)
REPLY = kith.Relation("reply", "post", "post", is_thread=True)
REPOST = kith.Relation("repost", "user", "post", enters_timelines=True)
QUIET = kith.Relation("quiet", "user", "user", visibility="source", hides=("reposts",))
MENTION = kith.Relation("mention", "post", "user", grants_access=True)
SCHEMA = [BOOKMARK, REQUEST, CLOSE, MEMBER, REPLY, REPOST, QUIET, MENTION]


@pytest.fixture
def graph():
    graph = kith.Graph(schema=SCHEMA)
    for name in ("ann", "bob", "cy"):
        graph.add_user(name)
    return graph


def test_edges_are_added_listed_and_ended(graph):
    post = graph.add_post(2, "hello")
    assert graph.add_edge(BOOKMARK, 1, post, at=5_000) and not graph.add_edge("bookmark", 1, post)
    assert graph.add_edge(REQUEST, 1, 2) and graph.has_edge(REQUEST, 1, 2)
    page = graph.targets(BOOKMARK, 1, counts_edges=True)
    assert [found.id for found in page] == [post] and page.total == 1
    assert page[0].added_at == datetime.datetime.fromtimestamp(5, datetime.timezone.utc) and page[0].liked_at is None
    assert [user.username for user in graph.sources("request", 2, order="name")] == ["ann"]
    assert len(graph.targets(BOOKMARK, 1, viewer=2)) == 0
    graph.follow(1, 2)
    assert not graph.has_edge(REQUEST, 1, 2)
    assert graph.add_edge(CLOSE, 1, 2) and graph.remove_edge(CLOSE, 1, 2) and not graph.remove_edge(CLOSE, 1, 2)
    with pytest.raises(kith.MissingEdgeError):
        graph.add_edge(CLOSE, 2, 1)
    with pytest.raises(kith.UnknownRelationError):
        graph.targets("nothing", 1)
    with pytest.raises(kith.NoSchemaError):
        kith.Graph().add_edge("follow", 1, 2)


def test_pages_of_edges_go_on(graph):
    posts = [graph.add_post(1, str(number)) for number in range(7)]
    for number, post in enumerate(posts):
        graph.add_edge(BOOKMARK, 2, post, at=1_000 * number)
    found, cursor = [], None
    while True:
        page = graph.targets(BOOKMARK, 2, order="oldest", limit=3, cursor=cursor)
        found += [post.id for post in page]
        cursor = page.next
        if cursor is None:
            break
    assert found == posts


def test_conversations(graph):
    root = graph.add_post(1, "root", created_at=1_000)
    first = graph.add_post(2, "first", created_at=2_000, edges=[kith.PostEdge(REPLY, root)])
    second = graph.add_post(
        3, "second", created_at=3_000, edges=[kith.PostEdge("reply", first), kith.PostEdge(MEMBER, 1, at=9_000)]
    )
    assert [post.text for post in graph.thread(root)] == ["root", "first", "second"]
    assert [post.id for post in graph.thread(root, order="newest", limit=2)] == [second, first]
    assert [post.id for post in graph.ancestors(second)] == [first, root]
    assert graph.ancestors(second, limit=1).is_truncated
    assert graph.post(second).parent == first and graph.post(root).parent is None
    graph.remove_post(first)
    assert graph.post(second).parent == first and [post.id for post in graph.ancestors(second)] == [root]
    with pytest.raises(kith.UnknownPostError):
        graph.add_post(1, "late", edges=[kith.PostEdge(REPLY, first)])
    counts = graph.edge_counts("post", [root, second, 99], ["reply", MEMBER])
    assert [each.counts for each in counts] == [
        {"reply": 0, "member": 0},
        {"reply": 0, "member": 1},
        {"reply": 0, "member": 0},
    ]
    graph.add_edge(BOOKMARK, 1, second)
    assert graph.edge_counts("post", [second], [BOOKMARK], viewer=1) == [
        kith.EdgeCounts({"bookmark": 1}, frozenset({"bookmark"}))
    ]
    # A relation from posts is counted, and has no marks.
    assert graph.edge_counts("post", [second], [MEMBER], viewer=1) == [kith.EdgeCounts({"member": 1}, frozenset())]


def test_a_store_keeps_its_schema(tmp_path):
    path = tmp_path / "store"
    with kith.open(path, schema=SCHEMA) as graph:
        ann = graph.add_user("ann")
        post = graph.add_post(ann, "hello")
        graph.add_edge(BOOKMARK, ann, post)
    with kith.open(path) as graph:
        assert graph.has_edge("bookmark", 1, 1)
    with pytest.raises(kith.SchemaConflictError):
        kith.open(path, schema=[kith.Relation("bookmark", "user", "post")])
    with kith.open(tmp_path / "empty", schema=[]) as graph:
        graph.add_user("ann")
        graph.add_user("bob")
        assert graph.add_edge("follow", 1, 2) and graph.is_following(1, 2)


def test_live_lists_follow_edges(graph):
    post = graph.add_post(1, "hello")
    live = graph.live(kith.Graph.targets, BOOKMARK, 2)
    assert [len(page) for page in live.poll()] == [0]
    graph.add_edge(BOOKMARK, 2, post)
    assert [len(page) for page in live.poll()] == [1]


def test_a_batch_adds_edges(graph):
    def add(batch):
        post = batch.add_post(1, "hello")
        batch.add_edge(BOOKMARK, 2, post)
        return post

    post = graph.batch(add)
    assert graph.has_edge(BOOKMARK, 2, post)


def test_posts_have_audiences_and_users_can_be_private(graph):
    graph.follow(1, 2)
    shared = graph.add_post(2, "for followers", created_at=1_000, audience="followers")
    post = graph.add_post(3, "hello", created_at=2_000)
    assert graph.post(shared, viewer=1).audience == "followers" and graph.post(post).audience == "everyone"
    for viewer in (3, kith.VISITOR):
        with pytest.raises(kith.UnknownPostError):
            graph.post(shared, viewer=viewer)
        assert [found.id for found in graph.search_posts(viewer=viewer)] == [post]
    assert [found.id for found in graph.search_posts(audiences=["followers", "mentioned"])] == [shared]
    assert graph.edit_post(post, audience="unlisted") and not graph.edit_post(post, audience="unlisted")
    assert [found.id for found in graph.timeline(1, everyone=True, audiences=["unlisted"])] == [post]
    assert graph.edit_user(3, is_private=True) and graph.user(3).is_private and not graph.user(1).is_private
    assert [found.id for found in graph.search_posts(viewer=1, includes_replies=False)] == [shared]
    graph.mute(1, 2)
    assert list(graph.search_posts(viewer=1, leaves_out_muted=True)) == []
    graph.edit_user(3, is_private=False)
    graph.like(2, post)
    assert [user.id for user in graph.likers(post, viewer=1)] == [2]
    assert list(graph.likers(post, viewer=1, leaves_out_muted=True)) == []
    assert list(graph.followees(1, viewer=1, leaves_out_muted=True)) == []
    assert list(graph.targets("follow", 1, viewer=1, leaves_out_muted=True)) == []
    assert [user.id for user in graph.sources("follow", 2, viewer=3, leaves_out_muted=True)] == [1]
    assert [found.id for found in graph.thread(post, viewer=3, leaves_out_muted=True)] == [post]
    with pytest.raises(kith.InvalidRequestError):
        graph.followers(2, leaves_out_muted=True)
    private = graph.add_user("dee", is_private=True)
    assert graph.user(private).is_private
    change = kith.Change("addPost", user=1, text="to ann", audience="mentioned")
    assert graph.post(graph.apply(change)[0].id).audience == "mentioned"


def test_kinds_of_users():
    graph = kith.Graph(schema=kith.Schema(user_kinds=["tag", "place"]))
    ann = graph.add_user("snow")
    feed = graph.changes()
    tag = graph.add_user("snow", kind="tag", display_name="#snow")
    assert graph.apply(kith.Change("addUser", text="snow", of_kind="place"))[0].id == tag + 1
    assert [graph.find_user("snow"), graph.find_user("snow", "tag"), graph.find_user("snow", "none")] == [
        ann,
        tag,
        None,
    ]
    assert [event.change.of_kind for event in feed.poll()] == ["tag", "place"]
    page = graph.search_users("sno", kind="tag")
    assert [(user.id, user.kind, user.display_name) for user in page] == [(tag, "tag", "#snow")]
    assert [user.kind for user in pickle.loads(pickle.dumps(page))] == ["tag"]
    assert graph.user(tag + 1).to_dict()["kind"] == "place" and graph.user(ann).kind == "user"
    assert [user.id for user in graph.search_users("sno")] == [ann]
    with pytest.raises(kith.InvalidRequestError, match='no kind is called "none"'):
        graph.search_users(kind="none")
    with pytest.raises(kith.UsernameTakenError):
        graph.add_user("snow", kind="tag")


def test_display_names(graph):
    assert graph.user(1).display_name is None
    feed = graph.changes()
    ann = graph.add_user("anneli", display_name="Ånn Ljung", flags=3)
    assert graph.edit_user(2, display_name="Bobb ann") and not graph.edit_user(2, display_name="Bobb ann")
    user = graph.user(ann)
    assert user.display_name == "Ånn Ljung" and user.to_dict()["display_name"] == "Ånn Ljung"
    page = graph.search_users("ann", includes_highlights=True)
    assert [found.username for found in page] == ["ann", "anneli", "bob"]
    assert [found.highlights for found in page] == [[(0, 3)], [(0, 3)], []]
    assert [found.display_name_highlights for found in page] == [[], [(0, 4)], [(5, 8)]]
    for copy in (pickle.loads(pickle.dumps(page)), [pickle.loads(pickle.dumps(found)) for found in page]):
        assert [found.display_name for found in copy] == [None, "Ånn Ljung", "Bobb ann"]
        assert [found.display_name_highlights for found in copy] == [[], [(0, 4)], [(5, 8)]]
        assert list(copy) == list(page)
    assert [found.id for found in graph.search_users("ann", names="username")] == [1, ann]
    assert [found.id for found in graph.search_users("bobb", match="prefix")] == [2]
    assert [found.id for found in graph.search_users(flags_all=2)] == [ann]
    post = graph.add_post(2, "with an author")
    shown = graph.post(post, includes_authors=True)
    assert shown.author_user.display_name == "Bobb ann"
    assert pickle.loads(pickle.dumps(shown)).author_user.display_name == "Bobb ann"
    assert [graph.edit_user(2, display_name="") for _ in range(2)] == [True, False]
    assert graph.user(2).display_name is None
    told = [event.change.display_name for event in feed.poll()]
    assert told == ["Ånn Ljung", "Bobb ann", None, ""]
    with pytest.raises(kith.InvalidRequestError, match="a display name holds no NUL and no line break"):
        graph.edit_user(1, display_name="a\nb")


def test_incoming_is_what_leads_to_a_user(graph):
    post = graph.add_post(1, "hello", created_at=1_000)
    answer = graph.add_post(2, "answer", created_at=2_000, edges=[kith.PostEdge(REPLY, post)])
    graph.follow(3, 1, at=3_000)
    graph.like(3, post, at=4_000)
    page = graph.incoming(1, includes_authors=True)
    assert [edge.relation for edge in page] == ["like", "follow", REPLY.name] and page.next is None
    like, follow, reply = page
    assert like.user.id == 3 and like.target.text == "hello" and like.post is None
    assert follow.user.username == "cy" and follow.target is None
    assert follow.added_at == datetime.datetime.fromtimestamp(3, datetime.timezone.utc)
    assert reply.post.id == answer and reply.post.author_user.username == "bob" and reply.target.id == post
    first = graph.incoming(1, limit=2)
    assert [edge.relation for edge in graph.incoming(1, cursor=first.next)] == [REPLY.name]
    assert graph.incoming_count(1, relations=["like", "follow"]) == (2, False)
    assert graph.incoming_count(1, followed_only=True) == (0, False) and len(graph.incoming(1, after=3_999)) == 1
    assert list(graph.incoming(2)) == [] and pickle.loads(pickle.dumps(like)) == like
    with pytest.raises(kith.UnknownRelationError):
        graph.incoming(1, relations=["nothing"])
    with pytest.raises(kith.InvalidRequestError):
        graph.incoming(1, relations=[])


def test_timelines_have_sources_filters_and_reposts(graph):
    graph.follow(1, 2)
    post = graph.add_post(3, "cy's", created_at=1_000, flags=3)
    members = graph.add_post(1, "list", created_at=2_000, edges=[kith.PostEdge(MEMBER, 3)])
    answer = graph.add_post(
        2, "answer", created_at=3_000, edges=[kith.PostEdge(REPLY, post), kith.PostEdge(MENTION, 3)]
    )
    graph.add_edge(REPOST, 2, post, at=9_500)
    page = graph.timeline(1)
    assert [found.id for found in page] == [post, answer, members]
    assert (page[0].reposted_by, page[0].reposter) == (2, "bob") and page[1].reposter is page[1].reposted_at is None
    assert page[0].reposted_at == datetime.datetime.fromtimestamp(9, datetime.timezone.utc)
    assert page.array["reposted_second"].tolist() == [9, 0, 0]
    again = graph.timeline(1, cursor=graph.timeline(1, limit=1).next, includes_cursor=True)
    assert [found.id for found in again] == [post, answer, members]

    def ids(**asked):
        return [found.id for found in graph.timeline(1, **asked)]

    assert ids(reposts="none", replies="toFollowed") == [members]
    assert ids(targets=["follow"], includes_own_posts=False) == [post, answer]
    assert ids(members=MEMBER, of=members, includes_own_posts=False) == ids(author=3) == [post]
    assert ids(users=[2, 3], includes_own_posts=False, reposts="none") == [answer, post]
    assert ids(everyone=True, flags_all=2) == ids(everyone=True, flags_any=6) == [post]
    assert ids(everyone=True, flags_none=1) == [answer, members]
    graph.mute(1, 3)
    assert ids() == [answer, members] and ids(mentions="ofVisible") == [members]
    graph.unmute(1, 3)
    graph.add_edge(QUIET, 1, 2)
    assert ids() == [answer, members]
    for wrong in ({"targets": [], "everyone": True}, {"members": MEMBER}, {"flags_all": 65_536}):
        with pytest.raises(kith.InvalidRequestError):
            graph.timeline(1, **wrong)
    with pytest.raises(ValueError):
        graph.timeline(1, replies="some")
