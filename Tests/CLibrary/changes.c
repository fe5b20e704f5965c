// Verbs, batches and imports.
#include "check.h"

static void verbs(void) {
  kith_graph *graph = small_graph();
  bool changed = true;
  kith_error error;
  OK(kith_follow(graph, 1, 2, KITH_NOW, &changed, &error));
  CHECK(!changed);
  EXPECT(KITH_CANNOT_FOLLOW_SELF, kith_follow(graph, 1, 1, KITH_NOW, &changed, &error));
  CHECK(error.status == KITH_CANNOT_FOLLOW_SELF && error.index == -1);
  CHECK(error.message_size == strlen(error.message) && error.message_size > 0);
  EXPECT(KITH_UNKNOWN_USER, kith_follow(graph, 1, 99, KITH_NOW, NULL, &error));
  CHECK(strcmp(error.message, "no user 99") == 0);
  OK(kith_like(graph, 1, 1, 7000, &changed, NULL));
  CHECK(changed);
  OK(kith_unlike(graph, 1, 1, &changed, NULL));
  CHECK(changed);
  OK(kith_rename_user(graph, 3, kith_string("dan"), &changed, NULL));
  CHECK(changed);
  EXPECT(KITH_USERNAME_TAKEN, kith_add_user(graph, kith_string("dan"), 0, NULL, NULL));
  int64_t id = -1;
  EXPECT(KITH_ID_TAKEN, kith_add_user(graph, kith_string("eve"), 3, &id, NULL));
  CHECK(id == 0);
  OK(kith_mute(graph, 1, 3, &changed, NULL));
  OK(kith_unmute(graph, 1, 3, &changed, NULL));
  CHECK(changed);
  OK(kith_block(graph, 2, 1, &changed, NULL));
  EXPECT(KITH_BLOCKED, kith_follow(graph, 1, 2, KITH_NOW, NULL, NULL));
  OK(kith_unblock(graph, 2, 1, &changed, NULL));
  OK(kith_unfollow(graph, 1, 2, &changed, NULL));
  CHECK(!changed);  // the block has ended it
  OK(kith_remove_post(graph, 1, NULL));
  EXPECT(KITH_UNKNOWN_POST, kith_remove_post(graph, 1, NULL));
  OK(kith_remove_user(graph, 3, NULL));
  kith_counts counts;
  OK(kith_get_counts(graph, &counts, NULL));
  CHECK(counts.users == 2 && counts.posts == 0 && counts.follows == 0 && counts.sequence == 14);
  OK(kith_free(graph));
}

static void arrays(void) {
  kith_graph *graph = small_graph();
  kith_change changes[3] = {
    {.kind = KITH_ADD_USER, .text = kith_string("eve")},
    {.kind = KITH_ADD_POST, .user = 4, .has_time = 1, .time = 42, .text = kith_string("new")},
    {.kind = KITH_FOLLOW, .user = 4, .target = 1},
  };
  kith_change_result results[3];
  kith_error error;
  OK(kith_apply(graph, changes, 3, results, &error));
  CHECK(results[0].id == 4 && results[1].id == 2 && results[2].id == 0 && results[2].changed == 1);
  CHECK(results[2].sequence == results[0].sequence + 2);
  changes[0].text = kith_string("fay");
  changes[1].user = 5;
  changes[2].target = 77;
  EXPECT(KITH_UNKNOWN_USER, kith_apply(graph, changes, 3, results, &error));
  CHECK(error.index == 2);
  int64_t id;
  OK(kith_find_user(graph, kith_string("fay"), &id, NULL));
  CHECK(id == 0);  // all or none
  changes[0].kind = 99;
  EXPECT(KITH_INVALID_REQUEST, kith_apply(graph, changes, 1, results, NULL));
  changes[0].kind = KITH_ADD_USER;
  changes[1].text = kith_string("\xff");
  EXPECT(KITH_INVALID_REQUEST, kith_apply(graph, changes, 3, results, &error));
  CHECK(error.index == 1 && strcmp(error.message, "change 1: text is not valid UTF-8") == 0);
  EXPECT(KITH_INVALID_REQUEST, kith_apply(graph, changes, 10001, results, NULL));
  OK(kith_apply(graph, NULL, 0, NULL, NULL));
  OK(kith_free(graph));
}

static kith_graph *outer;
static kith_graph *escaped;
static kith_observer *live;

static int32_t commits(kith_graph *batch, void *context) {
  int64_t *id = context;
  OK(kith_add_user(batch, kith_string("eve"), 0, id, NULL));
  int64_t found;
  OK(kith_find_user(batch, kith_string("eve"), &found, NULL));
  CHECK(found == *id);
  OK(kith_find_user(batch, kith_string("ann"), &found, NULL));
  // The graph itself would wait for itself.
  kith_error error;
  EXPECT(KITH_INVALID_REQUEST, kith_find_user(outer, kith_string("ann"), &found, &error));
  EXPECT(KITH_INVALID_REQUEST, kith_follow(outer, 1, 2, KITH_NOW, NULL, NULL));
  bool changed;
  kith_page page;
  EXPECT(KITH_INVALID_REQUEST, kith_poll_query(live, &changed, &page, NULL));
  CHECK(!changed && page.owner == NULL);
  EXPECT(KITH_INVALID_REQUEST, kith_free(outer));
  EXPECT(KITH_INVALID_HANDLE, kith_free(batch));
  EXPECT(KITH_INVALID_REQUEST, kith_batch(batch, commits, context, NULL));
  EXPECT(KITH_UNKNOWN_USER, kith_follow(batch, *id, 99, KITH_NOW, NULL, NULL));
  kith_change change = {.kind = KITH_ADD_USER, .text = kith_string("fay")};
  OK(kith_apply(batch, &change, 1, NULL, NULL));  // without results
  OK(kith_find_user(batch, kith_string("fay"), &found, NULL));
  CHECK(found == *id + 1);
  OK(kith_remove_user(batch, found, NULL));
  kith_change changes[2] = {{.kind = KITH_ADD_USER, .text = kith_string("gus")}, {.kind = 99}};
  EXPECT(KITH_INVALID_REQUEST, kith_apply(batch, changes, 2, NULL, &error));
  CHECK(error.index == 1);
  OK(kith_find_user(batch, kith_string("gus"), &found, NULL));
  CHECK(found == 0);  // a malformed change is found before any is made
  changes[1] = (kith_change){.kind = KITH_REMOVE_POST, .target = 99};
  EXPECT(KITH_UNKNOWN_POST, kith_apply(batch, changes, 2, NULL, &error));
  OK(kith_find_user(batch, kith_string("gus"), &found, NULL));
  CHECK(found == *id + 2);  // the batch keeps the changes before
  OK(kith_remove_user(batch, found, NULL));
  escaped = batch;
  return 0;
}

static int32_t fails(kith_graph *batch, void *context) {
  (void)context;
  OK(kith_add_user(batch, kith_string("fay"), 0, NULL, NULL));
  return kith_follow(batch, 1, 99, KITH_NOW, NULL, NULL);
}

static int32_t returns(kith_graph *batch, void *context) {
  OK(kith_add_user(batch, kith_string("fay"), 0, NULL, NULL));
  return *(int32_t *)context;
}

static void batches(void) {
  kith_graph *graph = outer = small_graph();
  int64_t id;
  kith_error error;
  kith_query query = {.kind = KITH_USER, .user = 1};
  OK(kith_observe_query(graph, &query, NULL, NULL, &live, NULL));
  OK(kith_batch(graph, commits, &id, &error));
  CHECK(id == 4);
  OK(kith_free(live));
  EXPECT(KITH_INVALID_HANDLE, kith_add_user(escaped, kith_string("gus"), 0, NULL, NULL));
  EXPECT(KITH_UNKNOWN_USER, kith_batch(graph, fails, NULL, &error));
  CHECK(error.index == 1);
  int32_t value = 1234;
  EXPECT(1234, kith_batch(graph, returns, &value, &error));
  OK(kith_find_user(graph, kith_string("fay"), &id, NULL));
  CHECK(id == 0);
  kith_graph *pin;
  OK(kith_pin(graph, &pin, NULL));
  EXPECT(KITH_READ_ONLY, kith_batch(pin, returns, &value, NULL));
  OK(kith_free(pin));
  OK(kith_free(graph));
}

static void import(void) {
  kith_graph *graph = small_graph();
  int64_t ids[] = {10, 11, 12, 1}, offsets[] = {0, 2, 4, 6, 9}, authors[] = {10, 10, 77};
  int64_t users[] = {10, 10, 11, 11}, targets[] = {11, 11, 11, 1}, times[] = {1000, 1000, 1000, 3000};
  kith_import_columns columns = {
    .users = {4, ids, offsets,
      "aabb\xff\xff"
      "ann",
      9},
    .follows = {4, users, targets, times},
    .posts = {3, (int64_t[]){5, 6, 7}, authors, NULL, (int64_t[]){0, 0, 3, 3}, "one", 3},
    .likes = {1, (int64_t[]){10}, (int64_t[]){6}, NULL},
    .blocks = {1, (int64_t[]){10}, (int64_t[]){3}, NULL},
  };
  kith_import_report report;
  OK(kith_import(graph, &columns, &report, NULL));
  CHECK(report.users.added == 2 && report.users.duplicates == 1 && report.users.refused == 1);
  CHECK(report.users.first_refused == 2 && report.users.first_status == KITH_INVALID_REQUEST);
  CHECK(report.follows.added == 2 && report.follows.duplicates == 1 && report.follows.refused == 1);
  CHECK(report.follows.first_status == KITH_CANNOT_FOLLOW_SELF);
  CHECK(report.posts.added == 2 && report.posts.refused == 1 && report.likes.added == 1 && report.blocks.added == 1);
  kith_table violations;
  OK(kith_verify(graph, &violations, NULL));
  CHECK(violations.count == 0);
  OK(kith_free(violations.owner));
  offsets[2] = 100;
  EXPECT(KITH_INVALID_REQUEST, kith_import(graph, &columns, &report, NULL));
  offsets[2] = 1;
  EXPECT(KITH_INVALID_REQUEST, kith_import(graph, &columns, &report, NULL));
  columns.users.offsets = NULL;
  EXPECT(KITH_INVALID_REQUEST, kith_import(graph, &columns, &report, NULL));
  columns.users = (kith_users_column){.count = SIZE_MAX / 2, .ids = ids};
  EXPECT(KITH_INVALID_REQUEST, kith_import(graph, &columns, &report, NULL));
  OK(kith_free(graph));
}

void test_changes(void) {
  verbs();
  arrays();
  batches();
  import();
}
