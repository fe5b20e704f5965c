// Calls inside callbacks: every function from every callback, and callbacks that wait for each other.
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/stat.h>
#include <unistd.h>
#include "check.h"

// The seconds after which a test that waits for ever ends.
enum { PATIENCE = 60 };
struct scene {
  char directory[512];
  kith_graph *graph;
  kith_graph *pin;
  kith_graph *batch;
  kith_observer *changes;
  kith_observer *timeline;
  kith_observer *observer;  // whose callback runs
  kith_snapshot_info info;
  kith_status locked;   // what a call that waits for the graph answers
  kith_status writing;  // what a call that writes a snapshot answers
  kith_status waiting;  // what kith_wait answers
  int depth;
  int round;
  sem_t known, done;
};

static void nothing(void *context, int64_t bytes) { (void)context, (void)bytes; }
static void no_notice(void *context) { (void)context; }
static int32_t no_changes(kith_graph *batch, void *context) { return (void)batch, (void)context, 0; }
static int32_t no_change(void *context, const kith_change *change, uint64_t sequence) {
  return (void)context, (void)change, (void)sequence, 0;
}

static void release(kith_status status, void *owner) {
  if (status == KITH_OK) OK(kith_free(owner));
}

// Reads, of a graph, an MVCC snapshot or a batch.
static void read_all(kith_graph *graph, kith_status wanted) {
  kith_page page;
  kith_text cursor;
  kith_query query = {.kind = KITH_TIMELINE, .user = 1, .limit = 1};
  EXPECT(wanted, kith_run(graph, &query, &page, NULL));
  if (wanted == KITH_OK) {
    OK(kith_next(&page, &cursor));
    OK(kith_previous(&page, &cursor));
    OK(kith_free(page.owner));
  }
  kith_counts counts;
  EXPECT(wanted, kith_get_counts(graph, &counts, NULL));
  int64_t user, posts[1], path[8];
  size_t count;
  int32_t outcome;
  bool is_following;
  uint8_t relations[1];
  EXPECT(wanted, kith_find_user(graph, kith_string("ann"), &user, NULL));
  EXPECT(wanted, kith_find_user_of_kind(graph, kith_string("ann"), kith_string("user"), &user, NULL));
  EXPECT(wanted, kith_is_following(graph, 1, 2, &is_following, NULL));
  EXPECT(wanted, kith_relations(graph, 1, (int64_t[]){2}, 1, relations, NULL));
  EXPECT(wanted, kith_has_edge(graph, kith_string("follow"), 1, 2, &is_following, NULL));
  EXPECT(wanted, kith_edge_counts(graph, KITH_END_USER, NULL, 0, NULL, 0, 0, NULL, NULL, NULL));
  EXPECT(wanted, kith_mutual_followee_count(graph, 1, 2, &user, NULL));
  EXPECT(wanted, kith_shortest_path(graph, 1, 2, 3, 0, path, 8, &count, &outcome, NULL));
  EXPECT(wanted, kith_timeline_ids(graph, &query, posts, &count, NULL));
  const kith_query incoming = {.kind = KITH_INCOMING, .user = 1};
  kith_incoming_page incoming_page;
  EXPECT(wanted, kith_incoming(graph, &incoming, &incoming_page, NULL));
  release(wanted, incoming_page.owner);
  EXPECT(wanted, kith_incoming_count(graph, &incoming, &user, &is_following, NULL));
  kith_table table;
  EXPECT(wanted, kith_verify(graph, &table, NULL));
  release(wanted, table.owner);
  EXPECT(wanted, kith_memory_report(graph, &table, NULL));
  release(wanted, table.owner);
}

// Passes, of a graph or an MVCC snapshot.
static void pass_all(kith_graph *graph, kith_status wanted) {
  kith_control *control;
  double fraction;
  OK(kith_make_control(1, &control, NULL));
  OK(kith_fraction(control, &fraction));
  kith_ranks ranks;
  kith_components components;
  kith_degrees degrees;
  kith_adjacency adjacency;
  kith_exported exported;
  kith_graph *pin;
  EXPECT(wanted, kith_pin(graph, &pin, NULL));
  release(wanted, pin);
  EXPECT(wanted, kith_page_rank(graph, 0, 0, 1, control, &ranks, NULL));
  release(wanted, ranks.owner);
  EXPECT(wanted, kith_connected_components(graph, control, &components, NULL));
  release(wanted, components.owner);
  EXPECT(wanted, kith_degree_distribution(graph, control, &degrees, NULL));
  release(wanted, degrees.owner);
  EXPECT(wanted, kith_get_adjacency(graph, control, &adjacency, NULL));
  release(wanted, adjacency.owner);
  EXPECT(wanted, kith_export(graph, 0, control, &exported, NULL));
  release(wanted, exported.owner);
  OK(kith_cancel(control));
  OK(kith_free(control));
}

// Changes that leave nothing behind, of a graph or a batch.
static void change_all(kith_graph *graph, kith_status wanted) {
  int64_t user = 0, post = 0;
  EXPECT(wanted, kith_add_user(graph, kith_string("temporary"), 0, &user, NULL));
  if (user == 0) user = 3;
  EXPECT(wanted, kith_rename_user(graph, user, kith_string("passing"), NULL, NULL));
  EXPECT(wanted, kith_add_post(graph, user, kith_string("text"), 0, KITH_NOW, &post, NULL));
  if (post == 0) post = 1;
  EXPECT(wanted, kith_follow(graph, user, 1, KITH_NOW, NULL, NULL));
  kith_status refused = wanted == KITH_OK ? KITH_NO_SCHEMA : wanted;
  kith_post_edge edge = {.relation = kith_string("follow"), .target = 1};
  EXPECT(refused, kith_add_post_with_edges(graph, 1, kith_string("text"), 0, 0, &edge, 1, NULL, NULL, NULL));
  EXPECT(refused, kith_edit_user(graph, 1, &(kith_fields){.has_flags = 1}, NULL, NULL));
  EXPECT(refused, kith_edit_post(graph, post, kith_string("text"), NULL, NULL, NULL));
  EXPECT(refused, kith_add_edge(graph, kith_string("follow"), 1, user, KITH_NOW, NULL, NULL));
  EXPECT(refused, kith_remove_edge(graph, kith_string("follow"), 1, user, NULL, NULL));
  EXPECT(wanted, kith_unfollow(graph, user, 1, NULL, NULL));
  EXPECT(wanted, kith_like(graph, 1, post, KITH_NOW, NULL, NULL));
  EXPECT(wanted, kith_unlike(graph, 1, post, NULL, NULL));
  EXPECT(wanted, kith_mute(graph, user, 1, NULL, NULL));
  EXPECT(wanted, kith_unmute(graph, user, 1, NULL, NULL));
  EXPECT(wanted, kith_block(graph, user, 1, NULL, NULL));
  EXPECT(wanted, kith_unblock(graph, user, 1, NULL, NULL));
  EXPECT(wanted, kith_remove_post(graph, post, NULL));
  EXPECT(wanted, kith_remove_user(graph, user, NULL));
  kith_change changes[] = {{.kind = KITH_MUTE, .user = 1, .target = 3}, {.kind = KITH_UNMUTE, .user = 1, .target = 3}};
  EXPECT(wanted, kith_apply(graph, changes, 2, NULL, NULL));
  EXPECT(wanted, kith_apply(graph, changes, 1, NULL, NULL));
}

// What needs no graph that is in use.
static void call_independent(struct scene *scene) {
  char store[600], restored[600];
  snprintf(store, sizeof store, "%s/store", scene->directory);
  snprintf(restored, sizeof restored, "%s/restored-%d", scene->directory, scene->round++);
  kith_graph *other;
  kith_table table;
  CHECK(kith_version() != NULL && kith_version_number() > 0 && kith_status_name(KITH_OK) != NULL);
  EXPECT(KITH_STORE_IN_USE, kith_open(kith_string(store), NULL, &other, NULL));
  OK(kith_restore(kith_string(store), kith_string(restored), NULL, NULL, NULL));
  char noted[620];
  snprintf(noted, sizeof noted, "%s.noted", restored);
  OK(kith_restore_noting(kith_string(store), kith_string(noted), NULL, NULL, &table, NULL));
  OK(kith_free(table.owner));
  OK(kith_verify_files(kith_string(restored), &table, NULL));
  OK(kith_free(table.owner));
  OK(kith_open(kith_string(restored), NULL, &other, NULL));
  OK(kith_snapshot(other, nothing, NULL, NULL, NULL));
  OK(kith_batch(other, no_changes, NULL, NULL));
  OK(kith_free(other));
  OK(kith_open_memory(NULL, &other, NULL));
  OK(kith_add_user(other, kith_string("ann"), 0, NULL, NULL));
  char file[620];
  snprintf(file, sizeof file, "%s.file", restored);
  int descriptor = open(file, O_RDWR | O_CREAT | O_TRUNC, 0600);
  CHECK(descriptor >= 0);
  uint64_t sequence;
  OK(kith_write_snapshot(other, descriptor, &sequence, NULL));
  OK(kith_free(other));
  OK(kith_open_descriptor(descriptor, NULL, &other, NULL));
  OK(kith_free(other));
  static char bytes[1 << 16];
  ssize_t size = pread(descriptor, bytes, sizeof bytes, 0);
  CHECK(size > 0);
  OK(kith_open_snapshot(bytes, (size_t)size, NULL, &other, NULL));
  OK(kith_free(other));
  close(descriptor);
}

static void call_everything(struct scene *scene) {
  kith_graph *graph = scene->graph;
  kith_status locked = scene->locked;
  kith_error error;
  read_all(graph, locked);
  read_all(scene->pin, KITH_OK);
  pass_all(graph, locked);
  pass_all(scene->pin, KITH_OK);
  change_all(graph, locked);
  if (scene->batch) {
    read_all(scene->batch, KITH_OK);
    change_all(scene->batch, KITH_OK);
    EXPECT(KITH_INVALID_HANDLE, kith_free(scene->batch));
    EXPECT(KITH_INVALID_REQUEST, kith_snapshot(scene->batch, NULL, NULL, NULL, NULL));
    EXPECT(KITH_INVALID_REQUEST, kith_batch(scene->batch, no_changes, NULL, NULL));
  }
  EXPECT(locked, kith_batch(graph, no_changes, NULL, NULL));
  kith_counts counts = {0};
  EXPECT(locked, kith_get_counts(graph, &counts, NULL));
  if (counts.sequence == 0) counts.sequence = 1;
  EXPECT(locked, kith_journaled_changes(graph, counts.sequence, counts.sequence, no_change, NULL, NULL));
  kith_table table;
  EXPECT(locked, kith_recovery_remarks(graph, &table, NULL));
  release(locked, table.owner);

  kith_observer *observer;
  kith_query query = {.kind = KITH_TIMELINE, .user = 1};
  kith_events events;
  kith_page page;
  bool has_changed;
  EXPECT(locked, kith_observe_changes(graph, 0, no_notice, NULL, &observer, NULL));
  release(locked, observer);
  EXPECT(locked, kith_observe_query(graph, &query, no_notice, NULL, &observer, NULL));
  if (locked == KITH_OK) {
    EXPECT(scene->waiting, kith_wait(observer, 10000, NULL));  // the first returns at once
    OK(kith_interrupt(observer));
    OK(kith_free(observer));
  }
  kith_status waiting = scene->waiting == KITH_OK ? KITH_TIMED_OUT : scene->waiting;
  kith_status status = kith_wait(scene->changes, 0, &error);
  CHECK(status == waiting || status == scene->waiting);
  if (scene->waiting == KITH_INVALID_REQUEST) CHECK(strstr(error.message, "poll"));
  OK(kith_poll_changes(scene->changes, 1, &events, NULL));
  OK(kith_free(events.owner));
  EXPECT(locked, kith_poll_query(scene->timeline, &has_changed, &page, NULL));
  if (has_changed) OK(kith_free(page.owner));

  call_independent(scene);
  kith_import_columns columns = {.mutes = {1, (int64_t[]){3}, (int64_t[]){1}, NULL}};
  kith_import_report report;
  EXPECT(scene->writing, kith_import(graph, &columns, &report, NULL));
  int descriptor = open("/dev/null", O_WRONLY);
  uint64_t sequence;
  EXPECT(locked, kith_write_snapshot(graph, descriptor, &sequence, NULL));
  close(descriptor);
  EXPECT(scene->writing, kith_snapshot(graph, nothing, NULL, NULL, &error));
  if (scene->writing != KITH_OK) CHECK(strstr(error.message, "inside"));
  if (locked != KITH_OK) {
    EXPECT(locked, kith_close(graph, NULL));
    EXPECT(locked, kith_free(graph));
  }
}

static void set_up(struct scene *scene, const char *directory, const char *name, const kith_options *options) {
  *scene = (struct scene){.locked = KITH_OK, .writing = KITH_OK, .waiting = KITH_OK};
  snprintf(scene->directory, sizeof scene->directory, "%s/nesting-%s", directory, name);
  CHECK(mkdir(scene->directory, 0700) == 0);
  char store[600];
  snprintf(store, sizeof store, "%s/store", scene->directory);
  OK(kith_open(kith_string(store), options, &scene->graph, NULL));
  const char *names[] = {"ann", "bob", "cem"};
  for (int index = 0; index < 3; index++) OK(kith_add_user(scene->graph, kith_string(names[index]), 0, NULL, NULL));
  OK(kith_add_post(scene->graph, 1, kith_string("first"), 0, 1, NULL, NULL));
  kith_query query = {.kind = KITH_TIMELINE, .user = 1};
  OK(kith_pin(scene->graph, &scene->pin, NULL));
  OK(kith_observe_changes(scene->graph, 0, NULL, NULL, &scene->changes, NULL));
  OK(kith_observe_query(scene->graph, &query, NULL, NULL, &scene->timeline, NULL));
  CHECK(sem_init(&scene->known, 0, 0) == 0 && sem_init(&scene->done, 0, 0) == 0);
}

static void await(sem_t *semaphore) {
  while (sem_wait(semaphore) != 0) {}
}

static void tear_down(struct scene *scene, bool frees_graph) {
  OK(kith_free(scene->pin));
  OK(kith_free(scene->changes));
  OK(kith_free(scene->timeline));
  if (frees_graph) OK(kith_free(scene->graph));
  sem_destroy(&scene->known);
  sem_destroy(&scene->done);
}

static int32_t in_batch(kith_graph *batch, void *context) {
  struct scene *scene = context;
  scene->batch = batch;
  call_everything(scene);
  OK(kith_free(scene->observer));
  OK(kith_free(scene->pin));
  scene->pin = NULL;
  return 0;
}

static void batches(const char *directory) {
  struct scene scene;
  set_up(&scene, directory, "batch", NULL);
  scene.locked = scene.writing = scene.waiting = KITH_INVALID_REQUEST;
  OK(kith_observe_changes(scene.graph, 0, no_notice, NULL, &scene.observer, NULL));
  OK(kith_batch(scene.graph, in_batch, &scene, NULL));
  tear_down(&scene, true);
}

static void in_progress(void *context, int64_t bytes) {
  (void)bytes;
  struct scene *scene = context;
  if (scene->depth++ == 0) call_everything(scene);
}

static void close_in_progress(void *context, int64_t bytes) {
  (void)bytes;
  OK(kith_close(((struct scene *)context)->graph, NULL));
}

static void free_in_progress(void *context, int64_t bytes) {
  (void)bytes;
  struct scene *scene = context;
  if (scene->depth++ == 0) OK(kith_free(scene->graph));
}

static void snapshots(const char *directory) {
  struct scene scene;
  set_up(&scene, directory, "progress", NULL);
  scene.writing = KITH_INVALID_REQUEST;
  OK(kith_snapshot(scene.graph, in_progress, &scene, NULL, NULL));
  CHECK(scene.depth > 0);
  scene.writing = KITH_OK, scene.depth = 0;
  call_everything(&scene);  // nothing stays refused
  EXPECT(KITH_CLOSED, kith_snapshot(scene.graph, close_in_progress, &scene, NULL, NULL));
  tear_down(&scene, true);
  set_up(&scene, directory, "progress-free", NULL);
  EXPECT(KITH_CLOSED, kith_snapshot(scene.graph, free_in_progress, &scene, NULL, NULL));
  CHECK(scene.depth == 1);
  EXPECT(KITH_INVALID_HANDLE, kith_free(scene.graph));
  tear_down(&scene, false);
}

static int32_t in_journal(void *context, const kith_change *change, uint64_t sequence) {
  (void)change, (void)sequence;
  struct scene *scene = context;
  if (scene->depth++ == 0) call_everything(scene);
  return 0;
}

static int32_t free_in_journal(void *context, const kith_change *change, uint64_t sequence) {
  (void)change, (void)sequence;
  OK(kith_free(((struct scene *)context)->graph));
  return 23;
}

static void journals(const char *directory) {
  struct scene scene;
  set_up(&scene, directory, "journal", NULL);
  EXPECT(23, kith_journaled_changes(scene.graph, 1, 2, free_in_journal, &scene, NULL));
  tear_down(&scene, false);
  set_up(&scene, directory, "journal-2", NULL);
  kith_status status = kith_journaled_changes(scene.graph, 1, 2, in_journal, &scene, NULL);
  // What is called may remove the journal.
  CHECK((status == KITH_OK || status == KITH_INVALID_REQUEST) && scene.depth > 0);
  tear_down(&scene, true);
}

static void in_event(void *context, const kith_store_event *event) {
  struct scene *scene = context;
  if (event->kind != KITH_SNAPSHOT_WRITTEN || scene->depth++) return;
  call_everything(scene);
  OK(kith_close(scene->graph, NULL));
  OK(kith_free(scene->graph));
  sem_post(&scene->done);
}

static void events(const char *directory) {
  struct scene scene;
  kith_options options = {.on_event = in_event, .context = &scene};
  set_up(&scene, directory, "event", &options);
  OK(kith_snapshot(scene.graph, NULL, NULL, NULL, NULL));
  await(&scene.done);
  tear_down(&scene, false);
}

static void in_notice(void *context) {
  struct scene *scene = context;
  if (scene->depth++) return;
  await(&scene->known);  // until the handle of the observer is known
  call_everything(scene);
  kith_error error;
  EXPECT(KITH_INVALID_REQUEST, kith_wait(scene->observer, -1, &error));
  CHECK(strstr(error.message, "poll"));
  kith_events events;
  OK(kith_poll_changes(scene->observer, 10, &events, NULL));
  OK(kith_free(events.owner));
  OK(kith_free(scene->observer));
  OK(kith_close(scene->graph, NULL));
  OK(kith_free(scene->graph));
  sem_post(&scene->done);
}

static void notices(const char *directory) {
  struct scene scene;
  set_up(&scene, directory, "notice", NULL);
  scene.waiting = KITH_INVALID_REQUEST;
  OK(kith_observe_changes(scene.graph, 0, in_notice, &scene, &scene.observer, NULL));
  sem_post(&scene.known);
  await(&scene.done);
  tear_down(&scene, false);
}

void test_nesting(const char *directory) {
  alarm(PATIENCE);
  batches(directory);
  snapshots(directory);
  journals(directory);
  events(directory);
  notices(directory);
  test_circles();
  alarm(0);
}
