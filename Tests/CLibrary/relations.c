// Relations that a host declares: their edges, conversations, timelines.
#include "check.h"

#include <string.h>

static void relations(void) {
  const kith_relation declared[] = {
    {.name = kith_string("bookmark"), .target = KITH_END_POST, .visibility = KITH_SEEN_BY_SOURCE},
    {.name = kith_string("request"), .is_ended_by = kith_string("follow block")},
    {.name = kith_string("reply"), .source = KITH_END_POST, .target = KITH_END_POST, .is_thread = 1},
  };
  const kith_options options = {.relations = declared, .relation_count = 3};
  kith_graph *graph;
  OK(kith_open_memory(&options, &graph, NULL));
  int64_t ann, bob, root, reply;
  OK(kith_add_user(graph, kith_string("ann"), 0, &ann, NULL));
  OK(kith_add_user(graph, kith_string("bob"), 0, &bob, NULL));
  OK(kith_add_post(graph, ann, kith_string("root"), 0, 1000, &root, NULL));
  kith_post_edge edge = {.relation = kith_string("reply"), .target = root};
  OK(kith_add_post_with_edges(graph, bob, kith_string("reply"), 0, 2000, &edge, 1, NULL, &reply, NULL));
  EXPECT(KITH_INVALID_REQUEST, kith_add_edge(graph, kith_string("reply"), reply, root, KITH_NOW, NULL, NULL));
  EXPECT(KITH_UNKNOWN_RELATION, kith_add_edge(graph, kith_string("none"), ann, root, KITH_NOW, NULL, NULL));
  bool changed;
  OK(kith_add_edge(graph, kith_string("bookmark"), ann, reply, 7000, &changed, NULL));
  CHECK(changed);
  OK(kith_add_edge(graph, kith_string("request"), ann, bob, KITH_NOW, &changed, NULL));
  OK(kith_follow(graph, ann, bob, KITH_NOW, NULL, NULL));
  OK(kith_has_edge(graph, kith_string("request"), ann, bob, &changed, NULL));
  CHECK(!changed);

  kith_page page;
  kith_query query = {
    .kind = KITH_TARGETS, .target = ann, .text = kith_string("bookmark"), .flags = KITH_COUNTS_MATCHES};
  OK(kith_run(graph, &query, &page, NULL));
  CHECK(page.count == 1 && page.posts[0].id == reply && page.posts[0].parent == root && page.total == 1);
  CHECK(page.posts[0].has_liked_at == 2 && page.posts[0].liked_second == 7);
  OK(kith_free(page.owner));
  query = (kith_query){.kind = KITH_SOURCES, .target = root, .text = kith_string("reply")};
  OK(kith_run(graph, &query, &page, NULL));
  CHECK(page.count == 1 && page.posts[0].id == reply);
  OK(kith_free(page.owner));
  query = (kith_query){.kind = KITH_THREAD, .target = reply, .order = KITH_THREAD_NEWEST};
  OK(kith_run(graph, &query, &page, NULL));
  CHECK(page.count == 2 && page.posts[0].id == reply && page.posts[1].id == root);
  OK(kith_free(page.owner));
  query = (kith_query){.kind = KITH_ANCESTORS, .target = reply};
  OK(kith_run(graph, &query, &page, NULL));
  CHECK(page.count == 1 && page.posts[0].id == root && !page.is_truncated);
  OK(kith_free(page.owner));

  const kith_text names[] = {kith_string("reply"), kith_string("like")};
  const int64_t posts[] = {root, reply, 99};
  uint32_t counts[6];
  OK(kith_edge_counts(graph, KITH_END_POST, posts, 3, names, 2, 0, counts, NULL, NULL));
  CHECK(counts[0] == 1 && counts[1] == 0 && counts[2] == 0 && counts[4] == 0);
  uint8_t mark;
  const kith_text bookmark = kith_string("bookmark");
  OK(kith_edge_counts(graph, KITH_END_POST, &posts[1], 1, &bookmark, 1, ann, counts, &mark, NULL));
  CHECK(counts[0] == 1 && mark == 1);
  EXPECT(KITH_INVALID_REQUEST, kith_edge_counts(graph, KITH_END_POST, posts, 1, &bookmark, 1, 0, NULL, &mark, NULL));
  OK(kith_free(graph));
}

static void incoming(kith_graph *graph, int64_t ann, int64_t bob, int64_t root, int64_t reply) {
  bool changed, is_truncated;
  int64_t count;
  kith_incoming_page page;
  OK(kith_like(graph, bob, root, 8000, &changed, NULL));
  kith_query query = {.kind = KITH_INCOMING, .user = ann, .flags = KITH_INCLUDES_AUTHORS};
  OK(kith_incoming(graph, &query, &page, NULL));
  CHECK(page.count == 2 && page.next.data == NULL && page.users.count == 1 && page.posts.count == 2);
  const kith_incoming_edge *like = page.edges, *answer = page.edges + 1;
  CHECK(like->relation.size == 4 && memcmp(like->relation.data, "like", 4) == 0 && like->second == 8);
  CHECK(!like->is_from_post && page.users.users[like->source].id == bob);
  CHECK(like->has_target && page.posts.posts[like->target].id == root);
  CHECK(answer->is_from_post && page.posts.posts[answer->source].id == reply && answer->second == 2);
  CHECK(page.posts.users[answer->source].id == bob && page.posts.posts[answer->target].id == root);
  OK(kith_free(page.owner));
  OK(kith_incoming_count(graph, &query, &count, &is_truncated, NULL));
  CHECK(count == 2 && !is_truncated);
  query.limit = 1;
  OK(kith_incoming(graph, &query, &page, NULL));
  CHECK(page.count == 1 && page.next.size > 0);
  kith_incoming_page next;
  query.cursor = page.next, query.text = kith_string("reply like");
  OK(kith_incoming(graph, &query, &next, NULL));
  CHECK(next.count == 1 && next.edges[0].is_from_post && next.next.data == NULL);
  OK(kith_free(page.owner));
  OK(kith_free(next.owner));
  query = (kith_query){.kind = KITH_INCOMING, .user = ann, .text = kith_string("nothing")};
  EXPECT(KITH_UNKNOWN_RELATION, kith_incoming(graph, &query, &page, NULL));
  kith_page other;
  EXPECT(KITH_INVALID_REQUEST, kith_run(graph, &query, &other, NULL));
  query.kind = KITH_USER;
  EXPECT(KITH_INVALID_REQUEST, kith_incoming(graph, &query, &page, NULL));
  OK(kith_unlike(graph, bob, root, &changed, NULL));
}

static void display_names(kith_graph *graph, int64_t bob, int64_t post) {
  bool changed;
  kith_page page;
  const kith_fields fields = (kith_fields){.display_name = kith_string("Robert B.")};
  EXPECT(KITH_INVALID_REQUEST, kith_edit_post(graph, post, (kith_text){0}, &fields, &changed, NULL));
  OK(kith_edit_user(graph, bob, &fields, &changed, NULL));
  kith_query query = {
    .kind = KITH_SEARCH_USERS, .text = kith_string("robert"), .match = KITH_PREFIX, .flags = KITH_INCLUDES_HIGHLIGHTS};
  OK(kith_run(graph, &query, &page, NULL));
  CHECK(page.count == 1 && page.users[0].id == bob && kith_display_name(&page, 0).size == 9);
  CHECK(memcmp(kith_display_name(&page, 0).data, "Robert B.", 9) == 0);
  CHECK(page.range_ends[0] == 0 && page.display_name_range_ends[0] == 1 && page.display_name_ranges[0].end == 6);
  OK(kith_free(page.owner));
  query.flags = KITH_USERNAMES_ALONE;
  OK(kith_run(graph, &query, &page, NULL));
  CHECK(page.count == 0);
  OK(kith_free(page.owner));
}

static void kinds(void) {
  kith_options options = {.user_kinds = kith_string("tag place")};
  kith_graph *graph;
  OK(kith_open_memory(&options, &graph, NULL));
  kith_change changes[] = {
    {.kind = KITH_ADD_USER, .text = kith_string("snow")},
    {.kind = KITH_ADD_USER, .text = kith_string("snow"), .fields = {.kind = kith_string("tag")}},
  };
  kith_change_result results[2];
  OK(kith_apply(graph, changes, 2, results, NULL));
  int64_t user;
  OK(kith_find_user(graph, kith_string("snow"), &user, NULL));
  CHECK(user == results[0].id);
  OK(kith_find_user_of_kind(graph, kith_string("snow"), kith_string("tag"), &user, NULL));
  CHECK(user == results[1].id);
  OK(kith_find_user_of_kind(graph, kith_string("snow"), kith_string("place"), &user, NULL));
  CHECK(user == 0);
  kith_query query = {.kind = KITH_SEARCH_USERS, .text = kith_string("sno"), .user_kind = kith_string("tag")};
  kith_page page;
  OK(kith_run(graph, &query, &page, NULL));
  CHECK(page.count == 1 && page.users[0].id == results[1].id && kith_user_kind(&page, 0).size == 3);
  CHECK(memcmp(kith_user_kind(&page, 0).data, "tag", 3) == 0);
  OK(kith_free(page.owner));
  query.user_kind = kith_string("none");
  EXPECT(KITH_INVALID_REQUEST, kith_run(graph, &query, &page, NULL));
  OK(kith_free(graph));
}

static void timelines(void) {
  const kith_relation declared[] = {
    {.name = kith_string("repost"), .target = KITH_END_POST, .enters_timelines = 1},
    {.name = kith_string("reply"), .source = KITH_END_POST, .target = KITH_END_POST, .is_thread = 1},
    {.name = kith_string("away"),
      .visibility = KITH_SEEN_BY_SOURCE,
      .hides = KITH_HIDES_TIMELINE | KITH_HIDES_INCOMING},
  };
  kith_options options = {.relations = declared, .relation_count = 3};
  kith_graph *graph;
  OK(kith_open_memory(&options, &graph, NULL));
  int64_t ann, bob, root, reply;
  OK(kith_add_user(graph, kith_string("ann"), 0, &ann, NULL));
  OK(kith_add_user(graph, kith_string("bob"), 0, &bob, NULL));
  OK(kith_add_post(graph, ann, kith_string("root"), 0, 1000, &root, NULL));
  kith_post_edge edge = {.relation = kith_string("reply"), .target = root};
  OK(kith_add_post_with_edges(graph, bob, kith_string("reply"), 0, 2000, &edge, 1, NULL, &reply, NULL));
  bool changed;
  kith_page page;
  OK(kith_add_edge(graph, kith_string("repost"), ann, reply, 9500, &changed, NULL));
  kith_query query = {.kind = KITH_TIMELINE, .user = ann, .sources = KITH_OF_AUTHOR, .target = ann};
  OK(kith_run(graph, &query, &page, NULL));
  CHECK(page.count == 2 && page.posts[0].id == reply && page.posts[0].reposted_by == ann);
  CHECK(page.posts[0].reposted_second == 9 && page.posts[0].reposter_size == 3);
  CHECK(memcmp(kith_reposter_name(&page, 0).data, "ann", 3) == 0);
  CHECK(page.posts[1].id == root && kith_reposter_name(&page, 1).size == 0);
  OK(kith_free(page.owner));
  query.replies = KITH_NO_REPLIES, query.reposts = KITH_NO_REPOSTS;
  OK(kith_run(graph, &query, &page, NULL));
  CHECK(page.count == 1 && page.posts[0].id == root);
  OK(kith_free(page.owner));
  query.sources = 6;
  EXPECT(KITH_INVALID_REQUEST, kith_run(graph, &query, &page, NULL));
  incoming(graph, ann, bob, root, reply);
  kith_fields fields = {.has_audience = 1, .audience = KITH_AUDIENCE_FOLLOWERS};
  OK(kith_edit_post(graph, root, (kith_text){0}, &fields, &changed, NULL));
  CHECK(changed);
  EXPECT(KITH_INVALID_REQUEST, kith_edit_user(graph, ann, &fields, &changed, NULL));
  query = (kith_query){.kind = KITH_SEARCH_POSTS, .viewer = KITH_VISITOR};
  OK(kith_run(graph, &query, &page, NULL));
  CHECK(page.count == 1 && page.posts[0].id == reply && page.posts[0].audience == KITH_AUDIENCE_EVERYONE);
  OK(kith_free(page.owner));
  query.viewer = 0, query.replies = KITH_NO_REPLIES, query.audiences = 1 << KITH_AUDIENCE_FOLLOWERS;
  OK(kith_run(graph, &query, &page, NULL));
  CHECK(page.count == 1 && page.posts[0].id == root && page.posts[0].audience == KITH_AUDIENCE_FOLLOWERS);
  OK(kith_free(page.owner));
  query.audiences = 16;
  EXPECT(KITH_INVALID_REQUEST, kith_run(graph, &query, &page, NULL));
  query.audiences = 0, query.flags = KITH_LEAVES_OUT_MUTED;
  EXPECT(KITH_INVALID_REQUEST, kith_run(graph, &query, &page, NULL));
  fields = (kith_fields){.has_privacy = 1, .is_private = 1};
  OK(kith_edit_user(graph, bob, &fields, &changed, NULL));
  EXPECT(KITH_INVALID_REQUEST, kith_edit_post(graph, root, (kith_text){0}, &fields, &changed, NULL));
  query = (kith_query){.kind = KITH_USER, .user = bob};
  OK(kith_run(graph, &query, &page, NULL));
  CHECK(page.count == 1 && page.users[0].is_private == 1);
  CHECK(kith_display_name(&page, 0).size == 0);
  OK(kith_free(page.owner));
  display_names(graph, bob, root);
  OK(kith_free(graph));
  const kith_relation wrong = {.name = kith_string("away"), .hides = 8};
  options = (kith_options){.relations = &wrong, .relation_count = 1};
  EXPECT(KITH_INVALID_REQUEST, kith_open_memory(&options, &graph, NULL));
}

void test_relations(void) {
  relations();
  timelines();
  kinds();
}
