// What calls from C cost, in nanoseconds, on the same graph and with the same random numbers as from Swift
// (Benchmarks/Sources/KithDriver/Border.swift) and Python (bindings/python/benchmarks/calls.py):
//
//     bench make SNAPSHOT USERS FOLLOWS-PER-USER
//     bench SNAPSHOT
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include "check.h"

enum { PAIR_COUNT = 4000000, PAGE_COUNT = 40000 };

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e9 + time.tv_nsec;
}

static uint64_t state = 1;
static int64_t random_user(int64_t users) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return 1 + (int64_t)((state >> 33) % (uint64_t)users);
}

static void make(const char *path, int64_t users, int64_t each) {
  int64_t follows = users * each, posts = users * 5;
  kith_graph *graph;
  OK(kith_open_memory(NULL, &graph, NULL));
  int64_t *ids = malloc(8 * posts), *offsets = malloc(8 * (posts + 1)), *from = malloc(8 * follows),
          *to = malloc(8 * follows), *times = malloc(8 * follows), *authors = malloc(8 * posts);
  char *texts = malloc(100 * posts);
  for (int64_t i = 0; i < users; i++) {
    ids[i] = i + 1, offsets[i] = 12 * i;
    char name[32];
    snprintf(name, sizeof name, "user%08lld", (long long)i);
    memcpy(texts + 12 * i, name, 12);
  }
  offsets[users] = 12 * users;
  kith_import_report report;
  OK(kith_import(graph, &(kith_import_columns){.users = {users, ids, offsets, texts, 12 * users}}, &report, NULL));
  for (int64_t i = 0; i < follows; i++) {
    from[i] = 1 + i / each, to[i] = random_user(users), times[i] = 1500000000000 + i;
  }
  OK(kith_import(graph, &(kith_import_columns){.follows = {follows, from, to, times}}, &report, NULL));
  for (int64_t i = 0; i < posts; i++) {
    ids[i] = i + 1, offsets[i] = 100 * i, authors[i] = random_user(users), times[i] = 1600000000000 + i;
  }
  offsets[posts] = 100 * posts;
  memset(texts, 'a', 100 * posts);
  kith_posts_column column = {posts, ids, authors, times, offsets, texts, 100 * posts};
  OK(kith_import(graph, &(kith_import_columns){.posts = column}, &report, NULL));
  int file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0644);
  CHECK(file >= 0);
  uint64_t sequence;
  OK(kith_write_snapshot(graph, file, &sequence, NULL));
  close(file);
  OK(kith_free(graph));
  free(ids), free(offsets), free(from), free(to), free(times), free(authors), free(texts);
}

// Prints what a call costs in the best of three runs.
#define MEASURE(name, count, call)                \
  do {                                            \
    double best = 1e18;                           \
    for (int run = 0; run < 3; run++) {           \
      double began = now();                       \
      for (int64_t i = 0; i < (count); i++) call; \
      double taken = now() - began;               \
      if (taken < best) best = taken;             \
    }                                             \
    printf("%s\t%.2f\n", name, best / (count));   \
  } while (0)

static kith_graph *graph;
static uint64_t sum;

static void page(const kith_query *query) {
  kith_page page;
  OK(kith_run(graph, query, &page, NULL));
  sum += page.count;
  kith_free(page.owner);
}

static void page_of(int64_t user) { page(&(kith_query){.kind = KITH_TIMELINE, .user = user}); }

static void search(int64_t index) {
  char text[] = "er00000";
  text[6] = (char)('0' + index % 10);
  page(&(kith_query){.kind = KITH_SEARCH_USERS, .text = kith_string(text)});
}

static void follows(int64_t user, int64_t target) {
  bool is_following;
  OK(kith_is_following(graph, user, target, &is_following, NULL));
  sum += is_following;
}

int main(int count, char **arguments) {
  if (count == 5 && strcmp(arguments[1], "make") == 0) {
    make(arguments[2], atoll(arguments[3]), atoll(arguments[4]));
    return 0;
  }
  CHECK(count == 2);
  OK(kith_open(kith_string(arguments[1]), NULL, &graph, NULL));
  kith_counts counts;
  OK(kith_get_counts(graph, &counts, NULL));
  int64_t *pairs = malloc(16 * PAIR_COUNT), *users = malloc(8 * PAGE_COUNT);
  for (int64_t i = 0; i < 2 * PAIR_COUNT; i++) pairs[i] = random_user(counts.users);
  MEASURE("isFollowing, random pairs", PAIR_COUNT, follows(pairs[2 * i], pairs[2 * i + 1]));
  MEASURE("isFollowing, the same pair", PAIR_COUNT, follows(1, 2));
  for (int64_t i = 0; i < PAGE_COUNT; i++) users[i] = random_user(counts.users);
  MEASURE("timeline, random users", PAGE_COUNT, page_of(users[i]));
  MEASURE("timeline, the same user", PAGE_COUNT, page_of(users[0]));
  MEASURE("search of users", PAGE_COUNT, search(i));
  kith_graph *small = small_graph();
  MEASURE("follow or unfollow, in memory", PAIR_COUNT / 10, {
    if (i % 2) OK(kith_follow(small, 1, 2, KITH_NOW, NULL, NULL));
    else OK(kith_unfollow(small, 1, 2, NULL, NULL));
  });
  OK(kith_free(small));
  printf("sum\t%llu\n", (unsigned long long)sum);
  MEASURE("an empty call", 100 * PAIR_COUNT / 10, kith_free(NULL));
  OK(kith_free(graph));
  free(pairs), free(users);
  return 0;
}
