// Stores, snapshots, restoring, verifying.
#include <fcntl.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>
#include "check.h"

static char path[512], other[512], another[512];

static kith_text in(char *buffer, const char *directory, const char *name) {
  snprintf(buffer, 512, "%s/%s", directory, name);
  return kith_string(buffer);
}

static void count_bytes(void *context, int64_t bytes) {
  if (bytes < 0) *(int *)context += 1;
}

static int32_t count_changes(void *context, const kith_change *change, uint64_t sequence) {
  uint64_t *last = context;
  CHECK(sequence == *last + 1);
  *last = sequence;
  if (sequence == 1) CHECK(change->kind == KITH_ADD_USER && equal(change->text, "ann"));
  return sequence == 4 ? 17 : 0;
}

struct listener {
  atomic_int calls;
  atomic_bool is_gone;
};

static void sleep_milliseconds(long count) {
  struct timespec pause = {0, count * 1000000};
  nanosleep(&pause, NULL);
}

// Slow, so that the next event waits for its turn when the graph is freed.
static void listen(void *context, const kith_store_event *event) {
  (void)event;
  struct listener *listener = context;
  CHECK(!listener->is_gone);
  listener->calls++;
  sleep_milliseconds(200);
  CHECK(!listener->is_gone);
}

// No callback for an event runs when kith_free has returned.
static void events(const char *directory) {
  kith_graph *graph;
  struct listener listener = {0};
  kith_options options = {.on_event = listen, .context = &listener};
  OK(kith_open(in(path, directory, "events"), &options, &graph, NULL));
  OK(kith_add_user(graph, kith_string("ann"), 0, NULL, NULL));
  kith_snapshot_info info;
  OK(kith_snapshot(graph, NULL, NULL, &info, NULL));
  while (listener.calls == 0) sleep_milliseconds(1);
  OK(kith_free(graph));
  listener.is_gone = true;
  sleep_milliseconds(500);
}

// Copies of a store of four users and four changes more.
static void restores(const char *directory, kith_text store) {
  kith_graph *graph;
  kith_error error;
  kith_counts counts;
  kith_table table;
  kith_snapshot_info info;
  kith_restore_point point = {.sequence = 4};
  kith_text target = in(other, directory, "restored");
  OK(kith_restore(store, target, &point, &info, &error));
  EXPECT(KITH_NOT_A_STORE, kith_restore(store, target, &point, &info, &error));
  OK(kith_open(target, NULL, &graph, &error));
  OK(kith_get_counts(graph, &counts, NULL));
  CHECK(counts.users == 4 && counts.follows == 0 && counts.sequence == 4);
  OK(kith_free(graph));
#ifndef __APPLE__
  // Paths are bytes; Apple's systems take UTF-8 alone.
  static const char *const latin[] = {"caf\xE9", "caf\xE8"};
  for (int index = 0; index < 2; index++) {
    target = in(other, directory, latin[index]);
    OK(kith_restore(store, target, &point, &info, &error));
    CHECK(strstr(info.path, latin[index]) != NULL);
    EXPECT(KITH_NOT_A_STORE, kith_restore(store, target, &point, &info, &error));
    CHECK(strstr(error.message, index == 0 ? "caf\\xE9" : "caf\\xE8") != NULL);
  }
#endif
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  kith_restore_point time = {.has_time = 1, .time = (int64_t)now.tv_sec * 1000 + 3600000};
  kith_text third = in(another, directory, "restored late");
  EXPECT(KITH_INVALID_REQUEST, kith_restore_noting(store, third, &time, &info, &table, &error));
  time.time -= 3600000 - now.tv_nsec / 1000000;
  OK(kith_restore_noting(store, third, &time, &info, &table, &error));
  CHECK(info.sequence == 8);
  OK(kith_free(table.owner));
}

static void stores(const char *directory) {
  kith_graph *graph, *second;
  kith_error error;
  kith_text store = in(path, directory, "store");
  OK(kith_open(store, NULL, &graph, &error));
  EXPECT(KITH_STORE_IN_USE, kith_open(store, NULL, &second, &error));
  CHECK(second == NULL);
  const char *names[] = {"ann", "bob", "cem", "dan"};
  for (int index = 0; index < 4; index++) OK(kith_add_user(graph, kith_string(names[index]), 0, NULL, NULL));
  uint64_t last = 0;
  EXPECT(17, kith_journaled_changes(graph, 1, 4, count_changes, &last, &error));
  CHECK(last == 4);
  kith_snapshot_info info;
  int verified = 0;
  OK(kith_snapshot(graph, count_bytes, &verified, &info, &error));
  CHECK(verified == 1 && info.sequence == 4 && strstr(info.path, "snap-"));
  OK(kith_follow(graph, 1, 2, KITH_NOW, NULL, NULL));
  int64_t users[] = {2, 3}, targets[] = {3, 4};
  kith_import_columns columns = {.follows = {2, users, targets, NULL}};
  kith_import_report report;
  OK(kith_import(graph, &columns, &report, &error));
  CHECK(report.follows.added == 2);
  OK(kith_unfollow(graph, 1, 2, NULL, &error));  // the import has written its snapshot
  kith_table table;
  OK(kith_memory_report(graph, &table, NULL));
  CHECK(table.count > 5 && equal(table.rows[0].name, "userIDs") && table.rows[0].bytes > 0);
  OK(kith_free(table.owner));
  OK(kith_close(graph, &error));
  OK(kith_free(graph));

  kith_options options = {.read_only = 1};
  OK(kith_open(store, &options, &graph, &error));
  EXPECT(KITH_READ_ONLY, kith_follow(graph, 1, 2, KITH_NOW, NULL, NULL));
  EXPECT(KITH_READ_ONLY, kith_import(graph, &columns, &report, NULL));
  kith_counts counts;
  OK(kith_get_counts(graph, &counts, NULL));
  CHECK(counts.users == 4 && counts.follows == 2 && counts.sequence == 8);
  OK(kith_recovery_remarks(graph, &table, NULL));
  OK(kith_free(table.owner));
  OK(kith_free(graph));

  OK(kith_verify_files(store, &table, &error));
  CHECK(table.count == 0);
  OK(kith_free(table.owner));
  restores(directory, store);
}

static void streams(const char *directory) {
  kith_graph *graph = small_graph(), *copy;
  kith_error error;
  EXPECT(KITH_NO_STORE, kith_snapshot(graph, NULL, NULL, NULL, &error));
  in(path, directory, "stream");
  int descriptor = open(path, O_RDWR | O_CREAT, 0600);
  uint64_t sequence;
  OK(kith_write_snapshot(graph, descriptor, &sequence, &error));
  CHECK(sequence == 5);
  OK(kith_open_descriptor(descriptor, NULL, &copy, &error));
  kith_counts counts;
  OK(kith_get_counts(copy, &counts, NULL));
  CHECK(counts.users == 3 && counts.follows == 1 && counts.posts == 1);
  OK(kith_free(copy));
  off_t size = lseek(descriptor, 0, SEEK_END);
  char *bytes = malloc(size);
  CHECK(pread(descriptor, bytes, size, 0) == size);
  OK(kith_open_snapshot(bytes, size, NULL, &copy, &error));
  OK(kith_add_user(copy, kith_string("eve"), 0, NULL, NULL));
  OK(kith_free(copy));
  bytes[size / 2] ^= 1;
  EXPECT(KITH_CORRUPT, kith_open_snapshot(bytes, size, NULL, &copy, &error));
  EXPECT(KITH_NOT_A_STORE, kith_open_snapshot("nothing", 7, NULL, &copy, &error));
  EXPECT(KITH_INVALID_REQUEST, kith_open_snapshot(NULL, 7, NULL, &copy, &error));
  EXPECT(KITH_SYSTEM, kith_write_snapshot(graph, -1, &sequence, &error));
  CHECK(error.system_error != 0);
  free(bytes);
  close(descriptor);
  OK(kith_free(graph));
}

void test_files(const char *directory) {
  stores(directory);
  events(directory);
  streams(directory);
}
