// A small social graph: cc small.c $(pkg-config --cflags --libs kith) && ./a.out [STORE]
#include <inttypes.h>
#include <kith.h>
#include <stdio.h>
#include <stdlib.h>

static kith_error error;

static void check(kith_status status) {
  if (status == KITH_OK) return;
  fprintf(stderr, "%s: %s\n", kith_status_name(status), error.message);
  exit(1);
}

static int64_t user(kith_graph *graph, const char *name) {
  int64_t id;
  check(kith_find_user(graph, kith_string(name), &id, &error));
  if (id == 0) check(kith_add_user(graph, kith_string(name), 0, &id, &error));
  return id;
}

static void print(kith_text text) { printf("%.*s", (int)text.size, text.data); }

int main(int count, char **arguments) {
  kith_graph *graph;
  const char *path = count > 1 ? arguments[1] : NULL;
  check(path ? kith_open(kith_string(path), NULL, &graph, &error) : kith_open_memory(NULL, &graph, &error));
  int64_t ann = user(graph, "ann"), bob = user(graph, "bob"), post;
  check(kith_follow(graph, ann, bob, KITH_NOW, NULL, &error));
  for (int number = 1; number <= 30; number++) {
    char text[32];
    snprintf(text, sizeof text, "post number %d", number);
    check(kith_add_post(graph, bob, kith_string(text), 0, KITH_NOW, &post, &error));
  }
  check(kith_like(graph, ann, post, KITH_NOW, NULL, &error));

  // The timeline of ann, page by page.
  kith_query query = {.kind = KITH_TIMELINE, .user = ann, .limit = 20};
  kith_page page;
  for (bool more = true; more;) {
    check(kith_run(graph, &query, &page, &error));
    for (size_t row = 0; row < page.count; row++) {
      printf("%" PRId64 " ", page.posts[row].id);
      print(kith_name(&page, row));
      printf(": ");
      print(kith_post_text(&page, row));
      printf(" (%u likes)\n", page.posts[row].like_count);
    }
    char cursor[256];
    kith_text next;
    check(kith_next(&page, &next));
    more = next.size > 0 && next.size < sizeof cursor;
    if (more) query.cursor = (kith_text){memcpy(cursor, next.data, next.size), next.size};
    check(kith_free(page.owner));
  }
  check(kith_close(graph, &error));
  return kith_free(graph);
}
