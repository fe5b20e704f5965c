// Pages, cursors, lookups, MVCC snapshots.
#include "check.h"

#include <string.h>

static void rows(void) {
  kith_graph *graph = small_graph();
  OK(kith_like(graph, 1, 1, 7000, NULL, NULL));
  kith_page page;
  kith_query query = {.kind = KITH_TIMELINE, .user = 1};
  OK(kith_run(graph, &query, &page, NULL));
  CHECK(page.count == 1 && page.posts && !page.users && page.total == -1);
  const kith_post *post = page.posts;
  CHECK(post->id == 1 && post->author == 2 && post->created_at == 1234 && post->like_count == 1);
  CHECK(post->has_viewer && post->liked_by_viewer && !post->has_liked_at);
  CHECK(equal(kith_name(&page, 0), "bob") && equal(kith_post_text(&page, 0), "Hello, world"));
  OK(kith_free(page.owner));
  EXPECT(KITH_INVALID_HANDLE, kith_free(page.owner));

  query = (kith_query){.kind = KITH_FOLLOWERS, .user = 2, .viewer = 3};
  OK(kith_run(graph, &query, &page, NULL));
  const kith_user *user = page.users;
  CHECK(page.count == 1 && user->id == 1 && user->followee_count == 1 && user->follower_count == 0);
  CHECK(user->event == KITH_FOLLOWED_AT && user->second == 5 && user->followed_by_viewer == KITH_NOT_FOLLOWED);
  CHECK(equal(kith_name(&page, 0), "ann"));
  OK(kith_free(page.owner));

  query = (kith_query){.kind = KITH_LIKES, .user = 1};
  OK(kith_run(graph, &query, &page, NULL));
  CHECK(page.count == 1 && page.posts[0].has_liked_at && page.posts[0].liked_second == 7);
  OK(kith_free(page.owner));

  query = (kith_query){.kind = KITH_LIKERS, .target = 1, .viewer = 1};
  OK(kith_run(graph, &query, &page, NULL));
  CHECK(page.count == 1 && page.users[0].event == KITH_LIKED_AT);
  // A result outlives its graph.
  OK(kith_free(graph));
  CHECK(equal(kith_name(&page, 0), "ann"));
  OK(kith_free(page.owner));
}

// What a host keeps with users and posts, and edits.
static void fields(void) {
  const kith_options options = {.has_schema = 1};
  kith_graph *graph;
  OK(kith_open_memory(&options, &graph, NULL));
  const uint8_t bytes[] = {0, 255, 10};
  kith_fields given = {.payload = bytes, .payload_size = 3, .has_flags = 1, .flags = 513};
  kith_change changes[] = {
    {.kind = KITH_ADD_USER, .text = kith_string("ann"), .fields = given},
    {.kind = KITH_ADD_POST, .user = 1, .text = kith_string("hello"), .fields = given},
  };
  OK(kith_apply(graph, changes, 2, NULL, NULL));
  kith_page page;
  kith_query query = {.kind = KITH_TIMELINE, .user = 1, .flags = KITH_INCLUDES_AUTHORS | KITH_INCLUDES_PAYLOADS};
  OK(kith_run(graph, &query, &page, NULL));
  CHECK(page.count == 1 && page.posts[0].flags == 513 && !page.posts[0].is_edited && page.users[0].flags == 513);
  CHECK(page.payloads[0].size == 3 && !memcmp(page.payload_bytes + page.payloads[0].start, bytes, 3));
  CHECK(page.author_payloads[0].size == 3 && page.author_payload_bytes[page.author_payloads[0].start + 1] == 255);
  OK(kith_free(page.owner));
  bool changed;
  given = (kith_fields){.has_edited_at = 1, .edited_at = 5};
  OK(kith_edit_post(graph, 1, kith_string("good bye"), &given, &changed, NULL));
  CHECK(changed);
  OK(kith_edit_post(graph, 1, kith_string("good bye"), NULL, &changed, NULL));
  CHECK(!changed);
  EXPECT(KITH_INVALID_REQUEST, kith_edit_post(graph, 1, (kith_text){0}, &given, NULL, NULL));
  EXPECT(KITH_INVALID_REQUEST, kith_edit_user(graph, 1, &given, NULL, NULL));
  given = (kith_fields){.payload = bytes, .payload_size = 65536};
  EXPECT(KITH_INVALID_REQUEST, kith_edit_user(graph, 1, &given, NULL, NULL));
  given.payload_size = 0;
  OK(kith_edit_user(graph, 1, &given, &changed, NULL));
  CHECK(changed);
  query = (kith_query){.kind = KITH_SEARCH_POSTS, .text = kith_string("bye")};
  OK(kith_run(graph, &query, &page, NULL));
  CHECK(page.count == 1 && page.posts[0].is_edited && page.posts[0].edited_at == 5 && !page.payloads);
  OK(kith_free(page.owner));
  OK(kith_free(graph));
}

static void cursors(void) {
  kith_graph *graph;
  OK(kith_open_memory(NULL, &graph, NULL));
  char name[16];
  for (int index = 0; index < 50; index++) {
    snprintf(name, sizeof name, "user%02d", index);
    OK(kith_add_user(graph, kith_string(name), 0, NULL, NULL));
  }
  kith_query query = {.kind = KITH_SEARCH_USERS,
    .text = kith_string("SER"),
    .limit = 20,
    .flags = KITH_COUNTS_MATCHES | KITH_INCLUDES_HIGHLIGHTS};
  kith_page page;
  OK(kith_run(graph, &query, &page, NULL));
  CHECK(page.count == 20 && page.total == 50 && page.has_next && !page.has_previous);
  CHECK(page.range_ends[19] == 20 && page.ranges[19].start == 1 && page.ranges[19].end == 4);
  int found = 0;
  for (;;) {
    for (size_t row = 0; row < page.count; row++, found++) {
      snprintf(name, sizeof name, "user%02d", found);
      CHECK(equal(kith_name(&page, row), name));
    }
    if (!page.has_next) break;
    kith_page next;
    OK(kith_next(&page, &query.cursor));
    OK(kith_run(graph, &query, &next, NULL));
    OK(kith_free(page.owner));
    page = next;
  }
  CHECK(found == 50 && page.count == 10);
  kith_text cursor;
  OK(kith_next(&page, &cursor));
  CHECK(cursor.size == 0);
  OK(kith_free(page.owner));
  query = (kith_query){.kind = KITH_FOLLOWERS, .user = 1, .cursor = kith_string("nonsense")};
  EXPECT(KITH_INVALID_CURSOR, kith_run(graph, &query, &page, NULL));
  query.cursor = kith_string("");
  EXPECT(KITH_INVALID_CURSOR, kith_run(graph, &query, &page, NULL));
  query = (kith_query){.kind = KITH_SEARCH_USERS, .text = kith_string("nothing")};
  OK(kith_run(graph, &query, &page, NULL));
  CHECK(page.count == 0 && page.users && !page.posts && !page.has_next);
  OK(kith_free(page.owner));
  OK(kith_free(graph));
}

static void lookups(void) {
  kith_graph *graph = small_graph();
  int64_t ids[] = {3, 99, 1, 3};
  kith_query query = {.kind = KITH_USERS, .ids = ids, .id_count = 4};
  kith_page page;
  OK(kith_run(graph, &query, &page, NULL));
  CHECK(page.count == 3 && page.users[0].id == 3 && page.users[1].id == 1 && page.users[2].id == 3);
  CHECK(equal(kith_name(&page, 1), "ann"));
  OK(kith_free(page.owner));
  query.id_count = 0;
  OK(kith_run(graph, &query, &page, NULL));
  CHECK(page.count == 0);
  OK(kith_free(page.owner));
  query.id_count = 1001;
  EXPECT(KITH_INVALID_REQUEST, kith_run(graph, &query, &page, NULL));
  query = (kith_query){.kind = KITH_USER, .user = 2};
  OK(kith_run(graph, &query, &page, NULL));
  CHECK(page.count == 1 && page.users[0].follower_count == 1 && page.users[0].post_count == 1);
  CHECK(page.users[0].followed_by_viewer == KITH_NO_VIEWER);
  OK(kith_free(page.owner));

  bool following;
  OK(kith_is_following(graph, 1, 2, &following, NULL));
  CHECK(following);
  OK(kith_is_following(graph, 2, 1, &following, NULL));
  CHECK(!following);
  EXPECT(KITH_UNKNOWN_USER, kith_is_following(graph, 1, 9, &following, NULL));
  OK(kith_block(graph, 3, 1, NULL, NULL));
  OK(kith_mute(graph, 1, 2, NULL, NULL));
  uint8_t relations[2];
  OK(kith_relations(graph, 1, (int64_t[]){2, 3}, 2, relations, NULL));
  CHECK(relations[0] == (KITH_FOLLOWS | KITH_MUTES) && relations[1] == KITH_BLOCKED_BY);
  int64_t count, path[4];
  OK(kith_mutual_followee_count(graph, 1, 2, &count, NULL));
  CHECK(count == 0);
  OK(kith_follow(graph, 2, 3, KITH_NOW, NULL, NULL));
  size_t hops;
  int32_t outcome;
  OK(kith_shortest_path(graph, 1, 3, 6, 0, path, 4, &hops, &outcome, NULL));
  CHECK(outcome == KITH_PATH_FOUND && hops == 3 && path[0] == 1 && path[1] == 2 && path[2] == 3);
  OK(kith_shortest_path(graph, 3, 1, 6, 0, NULL, 0, &hops, &outcome, NULL));
  CHECK(outcome == KITH_UNREACHABLE && hops == 0);
  kith_query timeline = {.kind = KITH_TIMELINE, .user = 2};
  int64_t posts[20];
  size_t post_count;
  OK(kith_timeline_ids(graph, &timeline, posts, &post_count, NULL));
  CHECK(post_count == 1 && posts[0] == 1);
  OK(kith_free(graph));
}

// The user 3 blocks the user 1, and may look them up; the user 1 may not.
static void included_blocks(void) {
  kith_graph *graph = small_graph();
  OK(kith_block(graph, 3, 1, NULL, NULL));
  int64_t ids[] = {3, 99, 1, 3};
  kith_page page;
  kith_query query = {.kind = KITH_USER, .user = 1, .viewer = 3};
  EXPECT(KITH_UNKNOWN_USER, kith_run(graph, &query, &page, NULL));
  query.flags = KITH_INCLUDES_BLOCKED;
  OK(kith_run(graph, &query, &page, NULL));
  CHECK(page.count == 1 && page.users[0].id == 1);
  OK(kith_free(page.owner));
  query = (kith_query){.kind = KITH_USER, .user = 3, .viewer = 1, .flags = KITH_INCLUDES_BLOCKED};
  EXPECT(KITH_UNKNOWN_USER, kith_run(graph, &query, &page, NULL));
  query = (kith_query){.kind = KITH_USERS, .ids = ids, .id_count = 4, .viewer = 3};
  OK(kith_run(graph, &query, &page, NULL));
  CHECK(page.count == 2);
  OK(kith_free(page.owner));
  query.flags = KITH_INCLUDES_BLOCKED;
  OK(kith_run(graph, &query, &page, NULL));
  CHECK(page.count == 3 && page.users[1].id == 1);
  OK(kith_free(page.owner));
  query = (kith_query){.kind = KITH_SEARCH_USERS, .viewer = 3};
  OK(kith_run(graph, &query, &page, NULL));
  CHECK(page.count == 2);
  OK(kith_free(page.owner));
  query.flags = KITH_INCLUDES_BLOCKED;
  OK(kith_run(graph, &query, &page, NULL));
  CHECK(page.count == 3);
  OK(kith_free(page.owner));
  OK(kith_free(graph));
}

static void authors(void) {
  kith_graph *graph = small_graph();
  OK(kith_like(graph, 1, 1, 7000, NULL, NULL));
  int64_t ids[] = {1};
  kith_query queries[] = {{.kind = KITH_TIMELINE, .user = 1}, {.kind = KITH_TWO_HOP_TIMELINE, .user = 1},
    {.kind = KITH_SEARCH_POSTS, .viewer = 1}, {.kind = KITH_LIKES, .user = 1, .viewer = 1},
    {.kind = KITH_POST, .target = 1, .viewer = 1}, {.kind = KITH_POSTS, .ids = ids, .id_count = 1, .viewer = 1}};
  for (size_t index = 0; index < sizeof queries / sizeof *queries; index++) {
    kith_page page;
    OK(kith_run(graph, &queries[index], &page, NULL));
    CHECK(page.count == 1 && page.posts && !page.users);
    OK(kith_free(page.owner));
    queries[index].flags = KITH_INCLUDES_AUTHORS;
    OK(kith_run(graph, &queries[index], &page, NULL));
    CHECK(page.count == 1 && page.posts[0].id == 1 && page.users[0].id == 2 && page.users[0].post_count == 1);
    CHECK(page.users[0].follower_count == 1 && page.users[0].followed_by_viewer == KITH_IS_FOLLOWED);
    CHECK(page.users[0].name_start == page.posts[0].name_start && page.users[0].name_size == 3);
    CHECK(equal(kith_name(&page, 0), "bob") && equal(kith_post_text(&page, 0), "Hello, world"));
    OK(kith_free(page.owner));
  }
  OK(kith_free(graph));
}

static void suggestions(void) {
  kith_graph *graph = small_graph();
  OK(kith_follow(graph, 2, 3, KITH_NOW, NULL, NULL));
  kith_query query = {.kind = KITH_SUGGESTIONS, .user = 1, .named_count = 2};
  kith_page page;
  OK(kith_run(graph, &query, &page, NULL));
  CHECK(page.count == 1 && page.users[0].id == 3 && page.mutual_counts[0] == 1 && !page.is_truncated);
  CHECK(page.mutual_ends[0] == 2 && page.users[1].id == 2 && equal(kith_name(&page, 1), "bob"));
  OK(kith_free(page.owner));
  OK(kith_mute(graph, 1, 3, NULL, NULL));
  OK(kith_run(graph, &query, &page, NULL));
  CHECK(page.count == 0);
  OK(kith_free(page.owner));
  OK(kith_free(graph));
}

static void familiar_followers(void) {
  kith_graph *graph = small_graph();
  OK(kith_follow(graph, 3, 2, KITH_NOW, NULL, NULL));
  OK(kith_follow(graph, 1, 3, KITH_NOW, NULL, NULL));
  // Of the followers of bob, ann follows cem.
  kith_query query = {.kind = KITH_FAMILIAR_FOLLOWERS, .user = 2, .viewer = 1, .flags = KITH_COUNTS_MATCHES};
  kith_page page;
  OK(kith_run(graph, &query, &page, NULL));
  CHECK(page.count == 1 && page.total == 1 && equal(kith_name(&page, 0), "cem"));
  CHECK(page.users[0].followed_by_viewer == KITH_IS_FOLLOWED);
  OK(kith_free(page.owner));
  query.viewer = 3;
  OK(kith_run(graph, &query, &page, NULL));
  CHECK(page.count == 0);
  OK(kith_free(page.owner));
  query.viewer = 0;
  EXPECT(KITH_UNKNOWN_USER, kith_run(graph, &query, &page, NULL));
  OK(kith_free(graph));
}

static void names_by_loose_key(void) {
  kith_options options = {.unique_names = KITH_UNIQUE_LOOSE};
  kith_graph *graph;
  OK(kith_open_memory(&options, &graph, NULL));
  int64_t id;
  OK(kith_add_user(graph, kith_string("Bonnie O\u2019Neil"), 0, &id, NULL));
  CHECK(id == 1);
  EXPECT(KITH_USERNAME_TAKEN, kith_add_user(graph, kith_string("bonnie o'neil"), 0, NULL, NULL));
  OK(kith_find_user(graph, kith_string("BONNIE O'NEIL"), &id, NULL));
  CHECK(id == 1);
  OK(kith_free(graph));
}

static void pins(void) {
  kith_graph *graph = small_graph(), *pin, *again;
  OK(kith_pin(graph, &pin, NULL));
  OK(kith_pin(pin, &again, NULL));
  OK(kith_add_user(graph, kith_string("eve"), 0, NULL, NULL));
  kith_counts counts;
  OK(kith_get_counts(pin, &counts, NULL));
  CHECK(counts.users == 3);
  EXPECT(KITH_READ_ONLY, kith_follow(pin, 1, 3, KITH_NOW, NULL, NULL));
  OK(kith_close(graph, NULL));
  EXPECT(KITH_CLOSED, kith_add_user(graph, kith_string("fay"), 0, NULL, NULL));
  kith_query query = {.kind = KITH_TIMELINE, .user = 1};
  kith_page page;
  EXPECT(KITH_CLOSED, kith_run(graph, &query, &page, NULL));
  CHECK(page.owner == NULL && page.posts == NULL);
  OK(kith_get_counts(graph, &counts, NULL));
  CHECK(counts.users == 4);
  OK(kith_close(graph, NULL));
  OK(kith_free(graph));
  OK(kith_run(again, &query, &page, NULL));
  CHECK(page.count == 1);
  OK(kith_free(page.owner));
  OK(kith_free(pin));
  OK(kith_free(again));
}

void test_queries(void) {
  rows();
  fields();
  cursors();
  lookups();
  included_blocks();
  authors();
  suggestions();
  familiar_followers();
  names_by_loose_key();
  pins();
}
