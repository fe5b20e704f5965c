// Nulls, bad handles, bad lengths, invalid UTF-8.
#include "check.h"

static void handles(void) {
  kith_graph *graph = small_graph(), *pin;
  kith_control *control;
  kith_page page;
  kith_query query = {.kind = KITH_TIMELINE, .user = 1};
  OK(kith_pin(graph, &pin, NULL));
  OK(kith_make_control(0, &control, NULL));
  OK(kith_run(graph, &query, &page, NULL));
  void *wrong[] = {
    NULL, control, page.owner, (void *)1, (void *)-1, &page, (char *)graph + (1 << 24), (void *)((uintptr_t)graph ^ 1)};
  for (size_t index = 0; index < sizeof wrong / sizeof *wrong; index++) {
    kith_graph *handle = wrong[index];
    kith_error error;
    kith_page none;
    bool following = true;
    EXPECT(KITH_INVALID_HANDLE, kith_is_following(handle, 1, 2, &following, &error));
    CHECK(error.status == KITH_INVALID_HANDLE && error.message_size > 0 && !following);
    EXPECT(KITH_INVALID_HANDLE, kith_run(handle, &query, &none, NULL));
    EXPECT(KITH_INVALID_HANDLE, kith_follow(handle, 1, 2, KITH_NOW, NULL, NULL));
    EXPECT(KITH_INVALID_HANDLE, kith_close(handle, NULL));
    kith_graph *other;
    EXPECT(KITH_INVALID_HANDLE, kith_pin(handle, &other, NULL));
    CHECK(other == NULL);
    if (handle && handle != (void *)control && handle != (void *)page.owner) {
      EXPECT(KITH_INVALID_HANDLE, kith_free(handle));
    }
  }
  EXPECT(KITH_INVALID_HANDLE, kith_cancel((kith_control *)graph));
  EXPECT(KITH_INVALID_HANDLE, kith_wait((kith_observer *)graph, 0, NULL));
  OK(kith_free(NULL));
  OK(kith_free(graph));
  EXPECT(KITH_INVALID_HANDLE, kith_free(graph));
  bool following;
  EXPECT(KITH_INVALID_HANDLE, kith_is_following(graph, 1, 2, &following, NULL));
  // The slot is used again; the old handle stays invalid.
  kith_graph *next = small_graph();
  EXPECT(KITH_INVALID_HANDLE, kith_is_following(graph, 1, 2, &following, NULL));
  OK(kith_free(next));
  OK(kith_free(pin));
  OK(kith_free(control));
  OK(kith_free(page.owner));
}

static void texts(void) {
  kith_graph *graph = small_graph();
  kith_text bad[] = {
    {NULL, 3}, {"ann", SIZE_MAX}, {"ann", KITH_TEXT_LIMIT + 1}, {"\xff", 1}, {"\xc3", 1}, {"\xed\xa0\x80", 3}};
  for (size_t index = 0; index < sizeof bad / sizeof *bad; index++) {
    int64_t id;
    kith_page page;
    kith_query query = {.kind = KITH_SEARCH_USERS, .text = bad[index]};
    EXPECT(KITH_INVALID_REQUEST, kith_add_user(graph, bad[index], 0, &id, NULL));
    EXPECT(KITH_INVALID_REQUEST, kith_find_user(graph, bad[index], &id, NULL));
    EXPECT(KITH_INVALID_REQUEST, kith_run(graph, &query, &page, NULL));
    // A path need not be UTF-8.
    kith_options reading = {.read_only = 1};
    kith_status expected = index < 3 ? KITH_INVALID_REQUEST : KITH_NO_STORE;
    EXPECT(expected, kith_open(bad[index], &reading, &(kith_graph *){0}, NULL));
  }
  EXPECT(KITH_INVALID_USERNAME, kith_add_user(graph, kith_string(NULL), 0, NULL, NULL));
  EXPECT(KITH_INVALID_REQUEST, kith_open((kith_text){"a\0b", 3}, NULL, &(kith_graph *){0}, NULL));
  char *text = malloc(70000);
  memset(text, 'x', 70000);
  EXPECT(KITH_TEXT_TOO_LONG, kith_add_post(graph, 1, (kith_text){text, 70000}, 0, KITH_NOW, NULL, NULL));
  OK(kith_add_post(graph, 1, (kith_text){text, 65535}, 0, KITH_NOW, NULL, NULL));
  free(text);
  // A message is cut to whole characters.
  char name[400];
  for (int index = 0; index < 400; index += 4) memcpy(name + index, "\xf0\x9f\x98\x80", 4);
  kith_error error;
  kith_status status = kith_add_user(graph, (kith_text){name, 252}, 0, NULL, &error);
  CHECK(status == KITH_OK);
  OK(kith_free(graph));
}

static void nulls(void) {
  kith_graph *graph = small_graph();
  kith_page page;
  kith_query query = {.kind = KITH_TIMELINE, .user = 1};
  EXPECT(KITH_INVALID_REQUEST, kith_run(graph, NULL, &page, NULL));
  EXPECT(KITH_INVALID_REQUEST, kith_run(graph, &query, NULL, NULL));
  EXPECT(KITH_INVALID_REQUEST, kith_open_memory(NULL, NULL, NULL));
  EXPECT(KITH_INVALID_REQUEST, kith_is_following(graph, 1, 2, NULL, NULL));
  EXPECT(KITH_INVALID_REQUEST, kith_get_counts(graph, NULL, NULL));
  EXPECT(KITH_INVALID_REQUEST, kith_apply(graph, NULL, 2, NULL, NULL));
  EXPECT(KITH_INVALID_REQUEST, kith_batch(graph, NULL, NULL, NULL));
  EXPECT(KITH_INVALID_REQUEST, kith_relations(graph, 1, NULL, 2, NULL, NULL));
  EXPECT(KITH_INVALID_REQUEST, kith_import(graph, NULL, NULL, NULL));
  EXPECT(KITH_INVALID_REQUEST, kith_next(NULL, NULL));
  EXPECT(KITH_INVALID_REQUEST, kith_shortest_path(graph, 1, 2, 6, 0, NULL, 3, NULL, NULL, NULL));
  EXPECT(KITH_INVALID_REQUEST, kith_page_rank(graph, 0, 0, 0, NULL, NULL, NULL));
  EXPECT(KITH_INVALID_REQUEST, kith_verify(graph, NULL, NULL));
  EXPECT(KITH_INVALID_REQUEST, kith_journaled_changes(graph, 1, 2, NULL, NULL, NULL));
  EXPECT(KITH_INVALID_REQUEST, kith_observe_changes(graph, 0, NULL, NULL, NULL, NULL));
  OK(kith_free(graph));
}

static void numbers(void) {
  kith_graph *graph = small_graph();
  kith_page page;
  kith_query query = {.kind = KITH_TIMELINE, .user = 1};
  kith_query wrong[12];
  for (int index = 0; index < 12; index++) wrong[index] = query;
  wrong[0].kind = 0, wrong[1].kind = 1000, wrong[2].flags = 1 << 30, wrong[3].limit = -1, wrong[4].limit = 1001;
  wrong[5].match = 9, wrong[6].folding = -1, wrong[7].direction = 2, wrong[8].reserved = 1;
  wrong[9].kind = KITH_FOLLOWERS, wrong[9].order = 3, wrong[10].kind = KITH_SUGGESTIONS, wrong[10].named_count = 101;
  wrong[11].kind = KITH_TWO_HOP_TIMELINE, wrong[11].follow_limit = -1;
  for (int index = 0; index < 12; index++) {
    EXPECT(KITH_INVALID_REQUEST, kith_run(graph, &wrong[index], &page, NULL));
  }
  kith_options options = {.durability = 3};
  kith_graph *other;
  EXPECT(KITH_INVALID_REQUEST, kith_open_memory(&options, &other, NULL));
  options = (kith_options){.maximum_users = -1};
  EXPECT(KITH_INVALID_REQUEST, kith_open_memory(&options, &other, NULL));
  options = (kith_options){.maximum_users = KITH_ZERO};
  OK(kith_open_memory(&options, &other, NULL));
  EXPECT(KITH_LIMIT_EXCEEDED, kith_add_user(other, kith_string("ann"), 0, NULL, NULL));
  OK(kith_free(other));
  options = (kith_options){.low_disk_bytes = KITH_ZERO, .heal_after_seconds = KITH_ZERO, .retained_seconds = KITH_ZERO};
  OK(kith_open_memory(&options, &other, NULL));
  OK(kith_free(other));
  options = (kith_options){.snapshot_cores = KITH_ZERO};
  EXPECT(KITH_INVALID_REQUEST, kith_open_memory(&options, &other, NULL));
  options = (kith_options){.snapshot_after_seconds = -3};
  EXPECT(KITH_INVALID_REQUEST, kith_open_memory(&options, &other, NULL));
  options = (kith_options){.compact_lists = 2};
  EXPECT(KITH_INVALID_REQUEST, kith_open_memory(&options, &other, NULL));
  options = (kith_options){.compress_texts = -1};
  EXPECT(KITH_INVALID_REQUEST, kith_open_memory(&options, &other, NULL));
  options = (kith_options){.maximum_users = 1};
  OK(kith_open_memory(&options, &other, NULL));
  OK(kith_add_user(other, kith_string("ann"), 0, NULL, NULL));
  EXPECT(KITH_LIMIT_EXCEEDED, kith_add_user(other, kith_string("bob"), 0, NULL, NULL));
  OK(kith_free(other));
  EXPECT(KITH_INVALID_REQUEST, kith_add_user(graph, kith_string("eve"), -1, NULL, NULL));
  EXPECT(KITH_INVALID_REQUEST, kith_follow(graph, 1, 3, -5, NULL, NULL));
  EXPECT(KITH_INVALID_REQUEST, kith_shortest_path(graph, 1, 2, -1, 0, NULL, 0, NULL, NULL, NULL));
  EXPECT(KITH_UNKNOWN_USER, kith_follow(graph, INT64_MIN, 3, KITH_NOW, NULL, NULL));
  CHECK(strcmp(kith_status_name(KITH_UNKNOWN_USER), "unknownUser") == 0);
  CHECK(strcmp(kith_status_name(KITH_TIMED_OUT), "timedOut") == 0);
  CHECK(kith_status_name(-1) == NULL && kith_status_name(33) == NULL);
  CHECK(kith_version_number() / 1000000 == KITH_VERSION_MAJOR && strchr(kith_version(), '.'));
  OK(kith_free(graph));
}

void test_arguments(void) {
  handles();
  texts();
  nulls();
  numbers();
}
