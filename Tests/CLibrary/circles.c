// Callbacks that wait for each other: one of the calls is refused.
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>
#include "check.h"

static void await(sem_t *semaphore) {
  while (sem_wait(semaphore) != 0) {}
}

// Two callbacks that would wait for each other.
struct pair {
  kith_graph *graphs[2];
  kith_observer *observers[2];
  pthread_barrier_t begun;
  sem_t ended;
  _Atomic int refused;
};
struct half {
  struct pair *pair;
  int place;
};

static void count_refused(struct pair *pair, kith_status status) {
  CHECK(status == KITH_OK || status == KITH_INVALID_REQUEST);
  if (status == KITH_INVALID_REQUEST) pair->refused++;
}

static int32_t use_the_other_graph(kith_graph *batch, void *context) {
  struct half *half = context;
  OK(kith_add_user(batch, kith_string("inner"), 0, NULL, NULL));
  pthread_barrier_wait(&half->pair->begun);
  count_refused(half->pair, kith_add_user(half->pair->graphs[1 - half->place], kith_string("outer"), 0, NULL, NULL));
  return 0;
}

static void *run_batch(void *context) {
  struct half *half = context;
  OK(kith_batch(half->pair->graphs[half->place], use_the_other_graph, half, NULL));
  return NULL;
}

// Reads the graph when the batch holds its lock.
static void ask_in_notice(void *context) {
  struct half *half = context;
  kith_counts counts;
  pthread_barrier_wait(&half->pair->begun);
  OK(kith_get_counts(half->pair->graphs[0], &counts, NULL));
  sem_post(&half->pair->ended);
}

static int32_t free_a_waiting_observer(kith_graph *batch, void *context) {
  (void)batch;
  struct half *half = context;
  pthread_barrier_wait(&half->pair->begun);
  usleep(50000);  // now the callback waits for the graph
  count_refused(half->pair, kith_free(half->pair->observers[0]));
  return 0;
}

void test_circles(void) {
  struct pair pair = {0};
  struct half halves[] = {{&pair, 0}, {&pair, 1}};
  CHECK(pthread_barrier_init(&pair.begun, NULL, 2) == 0);
  CHECK(sem_init(&pair.ended, 0, 0) == 0);
  for (int place = 0; place < 2; place++) pair.graphs[place] = small_graph();
  pthread_t threads[2];
  for (int place = 0; place < 2; place++) CHECK(pthread_create(&threads[place], NULL, run_batch, &halves[place]) == 0);
  for (int place = 0; place < 2; place++) pthread_join(threads[place], NULL);
  CHECK(pair.refused == 1);

  pair.refused = 0;
  OK(kith_observe_changes(pair.graphs[0], 0, ask_in_notice, &halves[0], &pair.observers[0], NULL));
  OK(kith_batch(pair.graphs[0], free_a_waiting_observer, &halves[0], NULL));
  await(&pair.ended);
  CHECK(pair.refused == 1);
  OK(kith_free(pair.observers[0]));
  for (int place = 0; place < 2; place++) OK(kith_free(pair.graphs[place]));
}
