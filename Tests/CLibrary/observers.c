// The change feed and live queries, by poll and by callback.
#include <pthread.h>
#include <stdatomic.h>
#include "check.h"

static void changes(void) {
  kith_graph *graph = small_graph();
  kith_observer *observer;
  OK(kith_observe_changes(graph, 0, NULL, NULL, &observer, NULL));
  kith_events events;
  OK(kith_poll_changes(observer, 10, &events, NULL));
  CHECK(events.count == 0 && !events.has_ended);
  OK(kith_free(events.owner));
  OK(kith_add_user(graph, kith_string("eve"), 0, NULL, NULL));
  OK(kith_follow(graph, 4, 1, 9000, NULL, NULL));
  OK(kith_add_post(graph, 4, kith_string("text"), 0, 77, NULL, NULL));
  OK(kith_wait(observer, 10000, NULL));
  OK(kith_poll_changes(observer, 2, &events, NULL));
  CHECK(events.count == 2 && events.events[0].sequence == 6 && events.events[1].sequence == 7);
  CHECK(events.events[0].change.kind == KITH_ADD_USER && events.events[0].change.user == 4);
  CHECK(equal(events.events[0].change.text, "eve"));
  const kith_change *follow = &events.events[1].change;
  CHECK(follow->kind == KITH_FOLLOW && follow->user == 4 && follow->target == 1 && follow->time == 9000);
  OK(kith_free(events.owner));
  OK(kith_wait(observer, 10000, NULL));  // there is one more
  OK(kith_poll_changes(observer, 2, &events, NULL));
  CHECK(events.count == 1 && events.events[0].change.kind == KITH_ADD_POST && events.events[0].change.time == 77);
  CHECK(events.events[0].change.user == 4 && events.events[0].change.target == 2);
  CHECK(equal(events.events[0].change.text, "text"));
  OK(kith_free(events.owner));
  bool changed;
  kith_page page;
  EXPECT(KITH_INVALID_HANDLE, kith_poll_query(observer, &changed, &page, NULL));
  EXPECT(KITH_INVALID_REQUEST, kith_poll_changes(observer, 0, &events, NULL));
  OK(kith_close(graph, NULL));
  OK(kith_poll_changes(observer, 2, &events, NULL));
  CHECK(events.count == 0 && events.has_ended);
  OK(kith_free(events.owner));
  OK(kith_free(observer));
  EXPECT(KITH_INVALID_HANDLE, kith_poll_changes(observer, 2, &events, NULL));
  OK(kith_free(graph));
}

static void missed(void) {
  kith_graph *graph = small_graph();
  kith_observer *observer;
  OK(kith_observe_changes(graph, 0, NULL, NULL, &observer, NULL));
  for (int index = 0; index < 5000; index++) {
    OK(index % 2 ? kith_unlike(graph, 1, 1, NULL, NULL) : kith_like(graph, 1, 1, KITH_NOW, NULL, NULL));
  }
  kith_events events;
  OK(kith_poll_changes(observer, 10000, &events, NULL));
  CHECK(events.events[0].sequence == 6 && events.events[0].last_missed == 5005 - 4096);
  CHECK(events.count == 4097 && events.events[4096].sequence == 5005);
  OK(kith_free(events.owner));
  OK(kith_free(observer));
  OK(kith_free(graph));
}

static void queries(void) {
  kith_graph *graph = small_graph();
  kith_observer *observer;
  kith_query query = {.kind = KITH_POST, .target = 1};
  OK(kith_observe_query(graph, &query, NULL, NULL, &observer, NULL));
  kith_page page;
  bool changed;
  OK(kith_poll_query(observer, &changed, &page, NULL));
  CHECK(changed && page.posts[0].like_count == 0);
  OK(kith_free(page.owner));
  OK(kith_poll_query(observer, &changed, &page, NULL));
  CHECK(!changed && page.owner == NULL);
  OK(kith_like(graph, 1, 1, KITH_NOW, NULL, NULL));
  OK(kith_poll_query(observer, &changed, &page, NULL));
  CHECK(changed && page.posts[0].like_count == 1);
  OK(kith_free(page.owner));
  OK(kith_follow(graph, 3, 1, KITH_NOW, NULL, NULL));
  OK(kith_poll_query(observer, &changed, &page, NULL));
  CHECK(!changed);
  OK(kith_remove_post(graph, 1, NULL));
  EXPECT(KITH_UNKNOWN_POST, kith_poll_query(observer, &changed, &page, NULL));
  EXPECT(KITH_CLOSED, kith_poll_query(observer, &changed, &page, NULL));
  OK(kith_free(observer));
  query = (kith_query){.kind = KITH_FOLLOWERS, .user = 1};
  OK(kith_observe_query(graph, &query, NULL, NULL, &observer, NULL));
  OK(kith_poll_query(observer, &changed, &page, NULL));
  OK(kith_free(page.owner));
  OK(kith_close(graph, NULL));
  EXPECT(KITH_CLOSED, kith_poll_query(observer, &changed, &page, NULL));
  OK(kith_free(observer));
  OK(kith_free(graph));
}

// What can be read once is not lost when no handle is left.
static void full(void) {
  kith_graph *graph = small_graph();
  kith_observer *changes, *likes;
  OK(kith_observe_changes(graph, 0, NULL, NULL, &changes, NULL));
  kith_query query = {.kind = KITH_POST, .target = 1};
  OK(kith_observe_query(graph, &query, NULL, NULL, &likes, NULL));
  OK(kith_like(graph, 1, 1, KITH_NOW, NULL, NULL));
  kith_control **controls = malloc(KITH_HANDLE_LIMIT * sizeof *controls);
  size_t count = 0;
  while (kith_make_control(0, &controls[count], NULL) == KITH_OK) count++;
  // The graph and the observers; earlier tests have freed theirs.
  CHECK(count + 3 == KITH_HANDLE_LIMIT - 1);
  kith_events events;
  kith_page page;
  bool changed;
  EXPECT(KITH_INVALID_REQUEST, kith_poll_changes(changes, 10, &events, NULL));
  EXPECT(KITH_INVALID_REQUEST, kith_poll_query(likes, &changed, &page, NULL));
  CHECK(events.owner == NULL && page.owner == NULL && !changed);
  OK(kith_free(controls[--count]));
  OK(kith_poll_changes(changes, 10, &events, NULL));
  CHECK(events.count == 1 && events.events[0].change.kind == KITH_LIKE);
  OK(kith_free(events.owner));
  OK(kith_poll_query(likes, &changed, &page, NULL));
  CHECK(changed && page.posts[0].like_count == 1);
  OK(kith_free(page.owner));
  OK(kith_poll_query(likes, &changed, &page, NULL));
  CHECK(!changed && page.owner == NULL);
  OK(kith_make_control(0, &controls[count++], NULL));  // a poll without a result keeps no handle
  while (count) OK(kith_free(controls[--count]));
  free(controls);
  OK(kith_free(changes));
  OK(kith_free(likes));
  OK(kith_free(graph));
}

struct heard {
  kith_observer *observer;
  atomic_int calls;
  atomic_int likes;
  atomic_bool frees;
  pthread_mutex_t ready;
};

static void hear(void *context) {
  struct heard *heard = context;
  pthread_mutex_lock(&heard->ready);  // until the handle is known
  pthread_mutex_unlock(&heard->ready);
  bool changed;
  kith_page page;
  OK(kith_poll_query(heard->observer, &changed, &page, NULL));
  if (changed) {
    heard->likes = page.posts[0].like_count;
    OK(kith_free(page.owner));
  }
  if (heard->frees) OK(kith_free(heard->observer));
  heard->calls++;
}

static void callbacks(void) {
  kith_graph *graph = small_graph();
  struct heard heard = {.ready = PTHREAD_MUTEX_INITIALIZER};
  kith_query query = {.kind = KITH_POST, .target = 1};
  pthread_mutex_lock(&heard.ready);
  OK(kith_observe_query(graph, &query, hear, &heard, &heard.observer, NULL));
  pthread_mutex_unlock(&heard.ready);
  for (int user = 1; user <= 3; user++) OK(kith_like(graph, user, 1, KITH_NOW, NULL, NULL));
  for (int wait = 0; wait < 10000 && heard.likes != 3; wait++) {
    struct timespec pause = {0, 1000000};
    nanosleep(&pause, NULL);
  }
  CHECK(heard.likes == 3);
  OK(kith_free(heard.observer));
  int calls = heard.calls;
  OK(kith_unlike(graph, 1, 1, NULL, NULL));
  struct timespec pause = {0, 50000000};
  nanosleep(&pause, NULL);
  CHECK(heard.calls == calls);
  OK(kith_free(graph));
}

// A callback frees its own observer.
static void freeing(void) {
  kith_graph *graph = small_graph();
  struct heard heard = {.ready = PTHREAD_MUTEX_INITIALIZER, .frees = true};
  kith_query query = {.kind = KITH_POST, .target = 1};
  pthread_mutex_lock(&heard.ready);
  OK(kith_observe_query(graph, &query, hear, &heard, &heard.observer, NULL));
  pthread_mutex_unlock(&heard.ready);
  struct timespec pause = {0, 1000000};
  for (int wait = 0; wait < 10000 && heard.calls == 0; wait++) nanosleep(&pause, NULL);
  CHECK(heard.calls == 1);
  EXPECT(KITH_INVALID_HANDLE, kith_free(heard.observer));
  OK(kith_like(graph, 1, 1, KITH_NOW, NULL, NULL));
  pause.tv_nsec = 50000000;
  nanosleep(&pause, NULL);
  CHECK(heard.calls == 1);
  OK(kith_free(graph));
}

static void *interrupts(void *observer) {
  struct timespec pause = {0, 20000000};
  nanosleep(&pause, NULL);
  OK(kith_interrupt(observer));
  return NULL;
}

static void waiting(void) {
  kith_graph *graph = small_graph();
  kith_observer *observer;
  OK(kith_observe_changes(graph, 0, NULL, NULL, &observer, NULL));
  OK(kith_wait(observer, 10000, NULL));  // the first wait returns at once
  kith_events events;
  OK(kith_poll_changes(observer, 1, &events, NULL));
  OK(kith_free(events.owner));
  EXPECT(KITH_TIMED_OUT, kith_wait(observer, 5, NULL));
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, interrupts, observer) == 0);
  EXPECT(KITH_CANCELLED, kith_wait(observer, -1, NULL));
  pthread_join(thread, NULL);
  EXPECT(KITH_CANCELLED, kith_wait(observer, -1, NULL));
  OK(kith_free(observer));
  OK(kith_free(graph));
}

void test_observers(void) {
  changes();
  missed();
  queries();
  full();
  callbacks();
  freeing();
  waiting();
}
