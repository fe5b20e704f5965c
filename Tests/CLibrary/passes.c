// Passes over the whole graph, and calls from several threads.
#include <math.h>
#include <pthread.h>
#include "check.h"

// Exported columns make an equal graph when they are imported.
static void exports(kith_graph *graph) {
  OK(kith_block(graph, 3, 4, NULL, NULL));
  OK(kith_mute(graph, 3, 1, NULL, NULL));
  kith_counts counts, again;
  OK(kith_get_counts(graph, &counts, NULL));
  kith_exported all, posts, second;
  OK(kith_export(graph, 0, NULL, &all, NULL));
  const kith_import_columns *columns = &all.columns;
  CHECK((int64_t)columns->users.count == counts.users && (int64_t)columns->follows.count == counts.follows);
  CHECK((int64_t)columns->posts.count == counts.posts && (int64_t)columns->likes.count == counts.likes);
  CHECK(columns->blocks.count == 1 && columns->blocks.users[0] == 3 && columns->blocks.targets[0] == 4);
  CHECK(columns->mutes.count == 1 && columns->mutes.times == NULL && columns->users.ids[0] == 1);
  CHECK(columns->users.offsets[1] == 3 && memcmp(columns->users.usernames, "ann", 3) == 0);
  CHECK(columns->follows.users[1] == 3 && columns->follows.targets[1] == 2 && columns->follows.times[1] == 6000);
  OK(kith_export(graph, KITH_EXPORT_POSTS, NULL, &posts, NULL));
  CHECK(posts.columns.posts.texts_size == columns->posts.texts_size && posts.columns.users.count == 0);
  CHECK(memcmp(posts.columns.posts.texts, columns->posts.texts, columns->posts.texts_size) == 0);
  OK(kith_free(posts.owner));

  kith_graph *copy;
  OK(kith_open_memory(NULL, &copy, NULL));
  OK(kith_import(copy, columns, NULL, NULL));
  OK(kith_get_counts(copy, &again, NULL));
  CHECK(again.users == counts.users && again.follows == counts.follows && again.likes == counts.likes);
  OK(kith_export(copy, 0, NULL, &second, NULL));
  CHECK(memcmp(second.columns.follows.times, columns->follows.times, 8 * (size_t)counts.follows) == 0);
  CHECK(memcmp(second.columns.posts.authors, columns->posts.authors, 8 * (size_t)counts.posts) == 0);
  OK(kith_free(second.owner));
  OK(kith_free(copy));
  OK(kith_free(all.owner));

  EXPECT(KITH_INVALID_REQUEST, kith_export(graph, 64, NULL, &all, NULL));
  CHECK(all.owner == NULL);
  EXPECT(KITH_INVALID_REQUEST, kith_export(graph, 0, NULL, NULL, NULL));
  kith_control *control;
  OK(kith_make_control(0, &control, NULL));
  OK(kith_cancel(control));
  EXPECT(KITH_CANCELLED, kith_export(graph, 0, control, &all, NULL));
  EXPECT(KITH_INVALID_HANDLE, kith_export((kith_graph *)control, 0, NULL, &all, NULL));
  OK(kith_free(control));
}

static void passes(void) {
  kith_graph *graph = small_graph();
  OK(kith_follow(graph, 3, 2, 6000, NULL, NULL));
  OK(kith_add_user(graph, kith_string("eve"), 0, NULL, NULL));
  OK(kith_add_user(graph, kith_string("fay"), 0, NULL, NULL));
  OK(kith_remove_user(graph, 5, NULL));
  kith_ranks ranks;
  kith_control *control;
  OK(kith_make_control(1, &control, NULL));
  OK(kith_page_rank(graph, 0, 0, 0, control, &ranks, NULL));
  double fraction, sum = 0;
  OK(kith_fraction(control, &fraction));
  CHECK(fraction == 1);
  CHECK(ranks.count == 5 && ranks.ids[1] == 2 && ranks.ids[4] == 0 && ranks.scores[4] == 0 && ranks.has_converged);
  for (size_t row = 0; row < ranks.count; row++) sum += ranks.scores[row];
  CHECK(fabs(sum - 1) < 1e-9 && ranks.scores[1] > ranks.scores[0]);
  OK(kith_cancel(control));
  kith_ranks none;
  EXPECT(KITH_CANCELLED, kith_page_rank(graph, 0, 0, 0, control, &none, NULL));
  CHECK(none.owner == NULL);
  EXPECT(KITH_INVALID_REQUEST, kith_page_rank(graph, 2, 0, 0, NULL, &none, NULL));
  EXPECT(KITH_INVALID_HANDLE, kith_page_rank(graph, 0, 0, 0, (kith_control *)graph, &none, NULL));
  OK(kith_free(control));
  OK(kith_free(ranks.owner));

  kith_components components;
  OK(kith_connected_components(graph, NULL, &components, NULL));
  CHECK(components.component_count == 2 && components.components[0].user_count == 3);
  CHECK(components.components[0].first == 1 && components.firsts[2] == 1 && components.firsts[3] == 4);
  OK(kith_free(components.owner));
  kith_degrees degrees;
  OK(kith_degree_distribution(graph, NULL, &degrees, NULL));
  CHECK(degrees.follower_bucket_count == 2 && degrees.followers[1].degree == 2);
  CHECK(degrees.followees[0].degree == 0 && degrees.followees[0].user_count == 2);
  OK(kith_free(degrees.owner));
  kith_adjacency adjacency;
  OK(kith_get_adjacency(graph, NULL, &adjacency, NULL));
  CHECK(adjacency.count == 5 && adjacency.offsets[5] == 2 && adjacency.targets[0] == 1 && adjacency.targets[1] == 1);
  CHECK(adjacency.offsets[1] == 1 && adjacency.offsets[2] == 1 && adjacency.seconds[1] == 6);
  OK(kith_free(adjacency.owner));
  exports(graph);
  OK(kith_free(graph));
}

enum { THREADS = 4, ROUNDS = 300 };

static void *reads_and_writes(void *context) {
  kith_graph *graph = context;
  for (int round = 0; round < ROUNDS; round++) {
    kith_query query = {.kind = KITH_TIMELINE, .user = 1};
    kith_page page;
    OK(kith_run(graph, &query, &page, NULL));
    kith_text cursor;
    OK(kith_next(&page, &cursor));
    OK(kith_like(graph, 1 + round % 3, 1, KITH_NOW, NULL, NULL));
    OK(kith_unlike(graph, 1 + round % 3, 1, NULL, NULL));
    kith_graph *pin;
    OK(kith_pin(graph, &pin, NULL));
    bool following;
    OK(kith_is_following(pin, 1, 2, &following, NULL));
    CHECK(following);
    OK(kith_free(pin));
    OK(kith_free(page.owner));
  }
  return NULL;
}

static void threads(void) {
  kith_graph *graph = small_graph();
  pthread_t threads[THREADS];
  for (int index = 0; index < THREADS; index++) {
    CHECK(pthread_create(&threads[index], NULL, reads_and_writes, graph) == 0);
  }
  for (int index = 0; index < THREADS; index++) pthread_join(threads[index], NULL);
  OK(kith_free(graph));
}

void test_passes(void) {
  passes();
  threads();
}
