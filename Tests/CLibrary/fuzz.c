// Calls the library with arguments made of bytes: null and stale handles, wrong kinds, bad lengths, invalid UTF-8,
// numbers out of range. Nothing may trap. The address sanitizer finds what is used after it was freed, valgrind what is
// never freed.
//
//     clang -fsanitize=fuzzer,address fuzz.c … && ./a.out        guided by coverage of this file
//     cc -DALONE fuzz.c … && ./a.out SEED COUNT                   the same calls from a seed
//
// A length that is too long for its memory cannot be refused by any library, so lengths are either those of the memory
// or above KITH_TEXT_LIMIT.
#include <kith.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct input {
  const uint8_t *bytes;
  size_t left;
};

static uint64_t number(struct input *input, size_t size) {
  uint64_t value = 0;
  for (; size && input->left; size--, input->left--) value = value << 8 | *input->bytes++;
  return value;
}

// Mostly small ids, sometimes any number.
static int64_t id(struct input *input) {
  uint64_t kind = number(input, 1);
  return kind < 240 ? (int64_t)(kind % 12) : (int64_t)number(input, 8);
}

enum { HANDLES = 16 };
static void *handles[HANDLES];  // live and freed ones, never forgotten

static void keep(void *handle) {
  static size_t next;
  if (!handle) return;
  size_t place = next++ % HANDLES;
  kith_free(handles[place]);
  handles[place] = handle;
}

static void *handle(struct input *input) {
  uint64_t kind = number(input, 1);
  if (kind < 128) return handles[0];
  if (kind < 224) return handles[kind % HANDLES];
  return (void *)(uintptr_t)number(input, 8);
}

static kith_text text(struct input *input) {
  static const char *const texts[] = {"ann", "bob", "", "hello world", "\xff\xfe", "\xc3", "é", "İ", "a\0b", "x\ny"};
  uint64_t kind = number(input, 1);
  if (kind < 160) return (kith_text){texts[kind % 10], kind % 10 == 8 ? 3 : strlen(texts[kind % 10])};
  if (kind < 170) return (kith_text){NULL, number(input, 2)};
  if (kind < 180) return (kith_text){"ann", KITH_TEXT_LIMIT + 1 + number(input, 8) % ((uint64_t)1 << 62)};
  size_t size = kind - 180;
  if (size > input->left) size = input->left;
  kith_text made = {(const char *)input->bytes, size};
  input->bytes += size, input->left -= size;
  return made;
}

// A length that is too long for its memory cannot be refused, so it is that of the memory, or above the limit.
static kith_fields fields(struct input *input) {
  uint64_t kind = number(input, 1);
  kith_text bytes = text(input);
  kith_fields kept = {
    .payload = (const uint8_t *)bytes.data,
    .payload_size = bytes.size,
    .edited_at = id(input),
    .has_edited_at = kind % 3,
    .has_flags = kind / 3 % 3,
    .flags = (uint16_t)number(input, 2),
  };
  kept.reserved[1] = kind > 240;
  return kept;
}

static void fill(void *memory, size_t size, struct input *input) {
  for (size_t index = 0; index < size && input->left; index++) ((uint8_t *)memory)[index] = number(input, 1);
}

static kith_query query(struct input *input) {
  static int64_t ids[4];
  kith_query made = {.kind = (int32_t)(number(input, 1) % 20), .user = id(input), .target = id(input)};
  made.text = text(input), made.cursor = number(input, 1) < 200 ? (kith_text){0, 0} : text(input);
  if (number(input, 1) < 64) {
    made.flags = number(input, 1), made.viewer = id(input), made.excluded = id(input), made.limit = id(input);
    made.before = id(input), made.after = id(input), made.follow_limit = id(input), made.named_count = id(input);
    made.match = number(input, 1) % 6, made.folding = number(input, 1) % 3, made.order = number(input, 1) % 5;
    made.direction = number(input, 1) % 3, made.sources = number(input, 1) % 7;
    made.replies = number(input, 1) % 5, made.reposts = number(input, 1) % 4, made.flags_all = number(input, 1) > 250;
    made.reserved = number(input, 1) > 250;
  }
  for (int index = 0; index < 4; index++) ids[index] = id(input);
  made.ids = number(input, 1) < 250 ? ids : NULL;
  made.id_count = number(input, 1) < 250 ? number(input, 1) % 5 : SIZE_MAX - number(input, 1);
  return made;
}

static int32_t in_batch(kith_graph *batch, void *context) {
  struct input *input = context;
  kith_error error;
  keep(NULL);
  for (uint64_t count = number(input, 1) % 4; count; count--) {
    kith_add_user(batch, text(input), id(input), NULL, &error);
    kith_follow(batch, id(input), id(input), KITH_NOW, NULL, &error);
    kith_follow(handles[0], id(input), id(input), KITH_NOW, NULL, &error);
  }
  return (int32_t)(number(input, 1) % 3);
}

static void call_query(struct input *input) {
  kith_error error;
  kith_query made = query(input);
  kith_page page;
  kith_text cursor;
  if (kith_run(handle(input), &made, &page, &error) != KITH_OK) return;
  uint64_t sum = 0;
  for (size_t row = 0; row < page.count; row++) {
    kith_text name = kith_name(&page, row);
    for (size_t index = 0; index < name.size; index++) sum += name.data[index];
    if (page.posts) sum += kith_post_text(&page, row).size;
  }
  kith_next(&page, &cursor);
  if (cursor.size) {
    made.cursor = cursor;
    kith_page next;
    if (kith_run(handle(input), &made, &next, &error) == KITH_OK) keep(next.owner);
  }
  keep(page.owner);
  if (sum == UINT64_MAX) puts("");
}

static void call_incoming(struct input *input) {
  kith_error error;
  kith_incoming_page page;
  int64_t value;
  bool flag;
  const kith_query query = {.kind = KITH_INCOMING, .user = id(input), .text = text(input), .limit = number(input, 1)};
  if (kith_incoming(handle(input), &query, &page, &error) == KITH_OK) keep(page.owner);
  kith_incoming_count(handle(input), &query, &value, &flag, &error);
}

static void call_other(struct input *input) {
  kith_error error;
  kith_counts counts;
  kith_table table;
  kith_ranks ranks;
  kith_adjacency adjacency;
  kith_events events;
  kith_page page;
  bool flag;
  int64_t value, path[3];
  size_t count;
  int32_t outcome;
  kith_graph *pin;
  kith_observer *observer;
  kith_exported exported;
  kith_query made;
  switch (number(input, 1) % 18) {
    case 0: kith_get_counts(handle(input), &counts, &error); break;
    case 1:
      if (kith_verify(handle(input), &table, &error) == KITH_OK) keep(table.owner);
      break;
    case 2:
      if (kith_page_rank(handle(input), id(input), 0, 1 + number(input, 1) % 3, handle(input), &ranks, NULL) == KITH_OK)
        keep(ranks.owner);
      break;
    case 3:
      if (kith_get_adjacency(handle(input), NULL, &adjacency, &error) == KITH_OK) keep(adjacency.owner);
      break;
    case 4:
      if (kith_pin(handle(input), &pin, &error) == KITH_OK) keep(pin);
      break;
    case 5:
      if (kith_observe_changes(handle(input), id(input), NULL, NULL, &observer, &error) == KITH_OK) keep(observer);
      break;
    case 6:
      made = query(input);
      if (kith_observe_query(handle(input), &made, NULL, NULL, &observer, &error) == KITH_OK) keep(observer);
      break;
    case 7:
      if (kith_poll_changes(handle(input), number(input, 2), &events, &error) == KITH_OK) keep(events.owner);
      break;
    case 8:
      if (kith_poll_query(handle(input), &flag, &page, &error) == KITH_OK && flag) keep(page.owner);
      break;
    case 9: kith_find_user(handle(input), text(input), &value, &error); break;
    case 10: kith_is_following(handle(input), id(input), id(input), &flag, &error); break;
    case 11:
      kith_shortest_path(handle(input), id(input), id(input), id(input), id(input), path, 3, &count, &outcome, NULL);
      break;
    case 12: kith_wait(handle(input), 0, &error); break;
    case 13: kith_free(handles[1 + number(input, 1) % (HANDLES - 1)]); break;
    case 14:
      if (kith_export(handle(input), number(input, 1), handle(input), &exported, &error) == KITH_OK)
        keep(exported.owner);
      break;
    case 15: kith_has_edge(handle(input), text(input), id(input), id(input), &flag, &error); break;
    case 17: call_incoming(input); break;
    case 16: {
      int64_t ids[2] = {id(input), id(input)};
      uint32_t counts[4];
      uint8_t marks[4];
      kith_text names[2] = {text(input), text(input)};
      kith_edge_counts(handle(input), number(input, 1) % 3, ids, number(input, 1) % 3, names, number(input, 1) % 3,
        id(input), number(input, 1) < 128 ? counts : NULL, number(input, 1) < 128 ? marks : NULL, &error);
      break;
    }
  }
}

static void call_change(struct input *input) {
  kith_error error;
  kith_change changes[3];
  kith_change_result results[3];
  memset(changes, 0, sizeof changes);
  switch (number(input, 1) % 11) {
    case 6: kith_add_edge(handle(input), text(input), id(input), id(input), id(input), NULL, &error); break;
    case 7: kith_remove_edge(handle(input), text(input), id(input), id(input), NULL, &error); break;
    case 9: {
      kith_fields kept = fields(input);
      kith_edit_user(handle(input), id(input), &kept, NULL, &error);
      break;
    }
    case 10: {
      kith_fields kept = fields(input);
      kith_text words = text(input);
      kith_edit_post(handle(input), id(input), words, number(input, 1) % 4 ? &kept : NULL, NULL, &error);
      break;
    }
    case 8: {
      kith_post_edge edges[2] = {{.relation = text(input), .target = id(input)}, {.relation = text(input)}};
      kith_text words = text(input);
      kith_fields kept = fields(input);
      kith_add_post_with_edges(
        handle(input), id(input), words, id(input), id(input), edges, number(input, 1) % 3, &kept, NULL, &error);
      break;
    }
    case 0: kith_add_user(handle(input), text(input), id(input), NULL, &error); break;
    case 1: kith_add_post(handle(input), id(input), text(input), id(input), id(input), NULL, &error); break;
    case 2:
      for (int index = 0; index < 3; index++) {
        kith_text none = text(input);
        fill(&changes[index], offsetof(kith_change, text), input);
        changes[index].kind = number(input, 1) % 20, changes[index].user = id(input), changes[index].target = id(input);
        changes[index].text = none;
      }
      kith_apply(handle(input), changes, number(input, 1) % 4, number(input, 1) < 128 ? results : NULL, &error);
      break;
    case 3: kith_batch(handle(input), in_batch, input, &error); break;
    case 4: {
      int64_t ids[3] = {id(input), id(input), id(input)}, targets[3] = {id(input), id(input), id(input)};
      int64_t offsets[4] = {id(input), id(input), id(input), id(input)};
      kith_import_columns columns = {.users = {number(input, 1) % 4, ids, offsets, "annbobcem", 9},
        .follows = {number(input, 1) % 4, ids, targets, NULL},
        .posts = {number(input, 1) % 4, ids, targets, NULL, offsets, "annbobcem", 9},
        .likes = {number(input, 1) < 250 ? 2 : SIZE_MAX, ids, targets, targets}};
      kith_import(handle(input), &columns, NULL, &error);
      break;
    }
    case 5: kith_remove_user(handle(input), id(input), &error); break;
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  struct input input = {bytes, size};
  kith_graph *graph;
  if (kith_open_memory(NULL, &graph, NULL) != KITH_OK) abort();
  kith_free(handles[0]);
  handles[0] = graph;
  for (int user = 1; user <= 3; user++) kith_add_user(graph, (kith_text){&"abc"[user - 1], 1}, user, NULL, NULL);
  while (input.left) {
    switch (number(&input, 1) % 4) {
      case 0:
      case 1: call_change(&input); break;
      case 2: call_query(&input); break;
      case 3: call_other(&input); break;
    }
    // A result may have taken the place of the graph.
    if (!handles[0]) break;
  }
  kith_counts counts;
  if (kith_get_counts(graph, &counts, NULL) == KITH_OK) {
    kith_table table;
    if (kith_verify(graph, &table, NULL) != KITH_OK || table.count) abort();
    kith_free(table.owner);
  }
  for (int index = 0; index < HANDLES; index++) {
    kith_free(handles[index]);
    handles[index] = NULL;
  }
  return 0;
}

#ifdef ALONE
int main(int count, char **arguments) {
  if (count != 3) return 2;
  uint64_t state = strtoull(arguments[1], NULL, 10) * 2 + 1;
  for (long run = strtol(arguments[2], NULL, 10); run; run--) {
    uint8_t bytes[512];
    for (size_t index = 0; index < sizeof bytes; index++) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      bytes[index] = state >> 56;
    }
    LLVMFuzzerTestOneInput(bytes, sizeof bytes);
  }
  puts("no trap");
  return 0;
}
#endif
