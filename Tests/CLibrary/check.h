// What the tests of the C library share.
#ifndef CHECK_H
#define CHECK_H

#include <kith.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Ends the test with the place of a condition that does not hold.
#define CHECK(condition)                                              \
  do {                                                                \
    if (!(condition)) {                                               \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                        \
    }                                                                 \
  } while (0)

// Ends the test unless a call answers a status.
#define EXPECT(wanted, call)                                                              \
  do {                                                                                    \
    kith_status status_ = (call);                                                         \
    if (status_ != (wanted)) {                                                            \
      fprintf(stderr, "%s:%d: %s answered %d (%s)\n", __FILE__, __LINE__, #call, status_, \
        kith_status_name(status_) ? kith_status_name(status_) : "no status");             \
      exit(1);                                                                            \
    }                                                                                     \
  } while (0)

#define OK(call) EXPECT(KITH_OK, call)

static inline bool equal(kith_text text, const char *string) {
  return text.size == strlen(string) && memcmp(text.data, string, text.size) == 0;
}

// A graph in memory with the users ann, bob and cem (1, 2, 3); ann follows bob, bob has the post 1.
static inline kith_graph *small_graph(void) {
  kith_graph *graph;
  OK(kith_open_memory(NULL, &graph, NULL));
  const char *names[] = {"ann", "bob", "cem"};
  for (int index = 0; index < 3; index++) {
    int64_t id;
    OK(kith_add_user(graph, kith_string(names[index]), 0, &id, NULL));
    CHECK(id == index + 1);
  }
  bool changed;
  OK(kith_follow(graph, 1, 2, 5000, &changed, NULL));
  CHECK(changed);
  int64_t post;
  OK(kith_add_post(graph, 2, kith_string("Hello, world"), 0, 1234, &post, NULL));
  CHECK(post == 1);
  return graph;
}

void test_changes(void);
void test_queries(void);
void test_relations(void);
void test_arguments(void);
void test_observers(void);
void test_passes(void);
void test_files(const char *directory);
void test_nesting(const char *directory);
void test_circles(void);

#endif
