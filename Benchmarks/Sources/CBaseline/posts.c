#define _GNU_SOURCE
#include "baseline.h"

#include <stdlib.h>
#include <string.h>

// Posts newest first, each with its author's name and its text as one folded key, and for every trigram of bytes the
// numbers of the posts that contain it, uncompressed. A query walks the list of its rarest trigram, intersects two
// others, and compares what is left.

#define DRIVERS 3
#define QUERY_GRAMS 256
#define GRAMS (1u << 24)

struct list {
  const uint32_t *place, *end;
};

static uint32_t gram_at(const char *key, uint64_t place) {
  return (uint32_t)(uint8_t)key[place] << 16 | (uint32_t)(uint8_t)key[place + 1] << 8 | (uint8_t)key[place + 2];
}

bool baseline_index_posts(struct baseline_posts *posts) {
  uint64_t *starts = calloc(GRAMS + 1, sizeof *starts);
  uint32_t *last = calloc(GRAMS, sizeof *last);
  if (starts == 0 || last == 0) return false;
  for (uint32_t post = 0; post < posts->count; post++) {
    for (uint64_t place = posts->key_offsets[post]; place + 3 <= posts->key_offsets[post + 1]; place++) {
      uint32_t gram = gram_at(posts->keys, place);
      if (last[gram] != post + 1) starts[gram + 1]++;
      last[gram] = post + 1;
    }
  }
  for (uint32_t gram = 0; gram < GRAMS; gram++) starts[gram + 1] += starts[gram];
  uint32_t *numbers = malloc((starts[GRAMS] + 1) * sizeof *numbers);
  uint64_t *next = malloc(GRAMS * sizeof *next);
  if (numbers == 0 || next == 0) return false;
  memcpy(next, starts, GRAMS * sizeof *next);
  memset(last, 0, GRAMS * sizeof *last);
  for (uint32_t post = 0; post < posts->count; post++) {
    for (uint64_t place = posts->key_offsets[post]; place + 3 <= posts->key_offsets[post + 1]; place++) {
      uint32_t gram = gram_at(posts->keys, place);
      if (last[gram] != post + 1) numbers[next[gram]++] = post;
      last[gram] = post + 1;
    }
  }
  free(last);
  free(next);
  posts->gram_starts = starts;
  posts->numbers = numbers;
  return true;
}

static const uint32_t *gallop(const uint32_t *place, const uint32_t *end, uint32_t number) {
  size_t step = 1;
  while (place + step < end && place[step] < number) step *= 2;
  const uint32_t *low = place + step / 2, *high = place + step < end ? place + step + 1 : end;
  while (low < high) {
    const uint32_t *middle = low + (high - low) / 2;
    if (*middle < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

static bool holds(
  const struct baseline_posts *posts, uint32_t post, const struct baseline_term *terms, uint32_t count) {
  uint64_t start = posts->key_offsets[post], length = posts->key_offsets[post + 1] - start;
  for (uint32_t index = 0; index < count; index++) {
    if (!memmem(posts->keys + start, length, terms[index].bytes, terms[index].length)) return false;
  }
  return true;
}

static void write_post(const struct baseline_graph *graph, uint32_t post, struct baseline_entry *entry, char **bytes) {
  uint32_t author = graph->authors[post];
  uint32_t name_length = graph->name_offsets[author + 1] - graph->name_offsets[author];
  uint32_t text_length = (uint32_t)(graph->text_offsets[post + 1] - graph->text_offsets[post]);
  char *name = *bytes, *text = *bytes + name_length;
  memcpy(name, graph->names + graph->name_offsets[author], name_length);
  memcpy(text, graph->texts + graph->text_offsets[post], text_length);
  *bytes = text + text_length;
  *entry = (struct baseline_entry){.id = graph->ids[post],
    .time = graph->times[post],
    .author = author,
    .like_count = graph->like_counts[post],
    .name_length = name_length,
    .text_length = text_length,
    .name = name,
    .text = text};
}

uint32_t baseline_search_posts(const struct baseline_graph *graph, const struct baseline_posts *posts,
  const struct baseline_term *terms, uint32_t term_count, uint32_t limit, struct baseline_entry *entries, char *bytes) {
  struct list lists[QUERY_GRAMS];
  uint32_t count = 0, found = 0;
  for (uint32_t index = 0; index < term_count; index++) {
    for (uint32_t place = 0; place + 3 <= terms[index].length && count < QUERY_GRAMS; place++) {
      uint32_t gram = gram_at(terms[index].bytes, place);
      struct list list = {posts->numbers + posts->gram_starts[gram], posts->numbers + posts->gram_starts[gram + 1]};
      if (list.place == list.end) return 0;
      uint32_t at = count++;
      for (; at > 0 && lists[at - 1].end - lists[at - 1].place > list.end - list.place; at--) lists[at] = lists[at - 1];
      lists[at] = list;
    }
  }
  if (count > DRIVERS) count = DRIVERS;
  for (const uint32_t *place = lists[0].place; place < lists[0].end && found < limit; place++) {
    bool agrees = true;
    for (uint32_t index = 1; index < count && agrees; index++) {
      lists[index].place = gallop(lists[index].place, lists[index].end, *place);
      if (lists[index].place == lists[index].end) return found;
      agrees = *lists[index].place == *place;
    }
    if (agrees && holds(posts, *place, terms, term_count)) write_post(graph, *place, entries + found++, &bytes);
  }
  return found;
}
