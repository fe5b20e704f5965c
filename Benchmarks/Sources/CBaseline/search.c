#define _GNU_SOURCE
#include "baseline.h"

#include <string.h>

// Names in order, and for every gram of one, two or three bytes the ranks of the names that contain it. A query walks
// the list of its rarest gram, intersects two others, and compares what is left.

#define DRIVERS 3
#define QUERY_GRAMS 64

struct list {
  const uint32_t *place, *end;
};

static struct list find(const struct baseline_names *names, uint32_t gram) {
  uint32_t mask = names->table_size - 1;
  for (uint32_t index = (gram * 0x9E3779B1u >> 7) & mask;; index = (index + 1) & mask) {
    if (names->table_grams[index] == gram) {
      const uint32_t *bounds = names->list_offsets + names->table_lists[index];
      return (struct list){names->ranks + bounds[0], names->ranks + bounds[1]};
    }
    if (names->table_grams[index] == 0) return (struct list){0, 0};
  }
}

static const uint32_t *gallop(const uint32_t *place, const uint32_t *end, uint32_t rank) {
  size_t step = 1;
  while (place + step < end && place[step] < rank) step *= 2;
  const uint32_t *low = place + step / 2, *high = place + step < end ? place + step + 1 : end;
  while (low < high) {
    const uint32_t *middle = low + (high - low) / 2;
    if (*middle < rank) low = middle + 1;
    else high = middle;
  }
  return low;
}

static bool follows(const struct baseline_graph *graph, uint32_t user, uint32_t other) {
  const uint32_t *low = graph->followees + graph->followee_offsets[user];
  const uint32_t *end = graph->followees + graph->followee_offsets[user + 1], *high = end;
  while (low < high) {
    const uint32_t *middle = low + (high - low) / 2;
    if (*middle < other) low = middle + 1;
    else high = middle;
  }
  return low < end && *low == other;
}

static void write_person(const struct baseline_graph *graph, const struct baseline_names *names, uint32_t viewer,
  uint32_t user, struct baseline_person *person, char **bytes) {
  uint32_t start = graph->name_offsets[user], length = graph->name_offsets[user + 1] - start;
  memcpy(*bytes, graph->names + start, length);
  if (names->names_alone) {
    person->id = (int64_t)user + 1, person->name_length = length, person->name = *bytes;
    *bytes += length;
    return;
  }
  *person = (struct baseline_person){.id = (int64_t)user + 1,
    .followers = names->follower_counts[user],
    .followees = graph->followee_offsets[user + 1] - graph->followee_offsets[user],
    .posts = graph->post_offsets[user + 1] - graph->post_offsets[user],
    .name_length = length,
    .name = *bytes,
    .following = follows(graph, viewer, user)};
  *bytes += length;
}

static int compare(const struct baseline_names *names, uint32_t rank, const char *query, uint32_t length) {
  uint32_t start = names->key_offsets[rank], own = names->key_offsets[rank + 1] - start;
  int order = memcmp(names->keys + start, query, own < length ? own : length);
  return order != 0 ? order : own < length ? -1 : 0;
}

uint32_t baseline_prefix(const struct baseline_graph *graph, const struct baseline_names *names, const char *query,
  uint32_t length, uint32_t viewer, uint32_t limit, struct baseline_person *people, char *bytes) {
  uint32_t low = 0, high = names->count, found = 0;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (compare(names, middle, query, length) < 0) low = middle + 1;
    else high = middle;
  }
  for (; low < names->count && found < limit && compare(names, low, query, length) == 0; low++) {
    if (names->users[low] != viewer) write_person(graph, names, viewer, names->users[low], people + found++, &bytes);
  }
  return found;
}

uint32_t baseline_search(const struct baseline_graph *graph, const struct baseline_names *names, const char *query,
  uint32_t length, uint32_t viewer, uint32_t limit, struct baseline_person *people, char *bytes) {
  struct list lists[QUERY_GRAMS];
  uint32_t count = 0, found = 0, width = length < 3 ? length : 3;
  for (uint32_t start = 0; start + width <= length && count < QUERY_GRAMS; start++) {
    uint32_t gram = 0;
    for (uint32_t index = 0; index < width; index++) gram = gram << 8 | (uint8_t)query[start + index];
    struct list list = find(names, gram);
    if (list.place == list.end) return 0;
    uint32_t place = count++;
    for (; place > 0 && lists[place - 1].end - lists[place - 1].place > list.end - list.place; place--) {
      lists[place] = lists[place - 1];
    }
    lists[place] = list;
  }
  if (count > DRIVERS) count = DRIVERS;
  for (const uint32_t *place = lists[0].place; place < lists[0].end && found < limit; place++) {
    bool holds = true;
    for (uint32_t index = 1; index < count && holds; index++) {
      lists[index].place = gallop(lists[index].place, lists[index].end, *place);
      if (lists[index].place == lists[index].end) return found;
      holds = *lists[index].place == *place;
    }
    if (!holds || names->users[*place] == viewer) continue;
    uint32_t start = names->key_offsets[*place];
    if (length > 3 && !memmem(names->keys + start, names->key_offsets[*place + 1] - start, query, length)) continue;
    write_person(graph, names, viewer, names->users[*place], people + found++, &bytes);
  }
  return found;
}

// Fewest edits (insertions, deletions, replacements, swaps of neighbours) between a query and a part of a name: Myers'
// bit-parallel algorithm with Hyyrö's swaps, a byte at a time.
static uint32_t distance(const uint64_t *places, uint32_t length, const char *name, uint32_t count) {
  uint64_t more = ~0ull, less = 0, diagonal = ~0ull, before = 0, last = 1ull << (length - 1);
  uint32_t edits = length, fewest = length;
  for (uint32_t index = 0; index < count; index++) {
    uint64_t here = places[(uint8_t)name[index]];
    uint64_t swapped = (~diagonal & here) << 1 & before;
    diagonal = (((here & more) + more) ^ more) | here | less | swapped;
    before = here;
    uint64_t rises = less | ~(diagonal | more), falls = more & diagonal;
    if (rises & last) edits++;
    if (falls & last) edits--;
    if (edits < fewest) fewest = edits;
    rises <<= 1, falls <<= 1;
    more = falls | ~(diagonal | rises);
    less = rises & diagonal;
  }
  return fewest;
}

uint32_t baseline_fuzzy(const struct baseline_graph *graph, const struct baseline_names *names, const char *query,
  uint32_t length, uint32_t edits, uint32_t viewer, uint32_t limit, uint32_t *ranks, struct baseline_person *people,
  char *bytes) {
  uint64_t places[256] = {0};
  uint32_t counts[3] = {0}, found = 0;
  for (uint32_t index = 0; index < length; index++) places[(uint8_t)query[index]] |= 1ull << index;
  for (uint32_t rank = 0; rank < names->count && counts[0] < limit; rank++) {
    uint32_t start = names->key_offsets[rank];
    uint32_t level = distance(places, length, names->keys + start, names->key_offsets[rank + 1] - start);
    if (level > edits || counts[level] == limit || names->users[rank] == viewer) continue;
    ranks[level * limit + counts[level]++] = rank;
  }
  for (uint32_t level = 0; level <= edits; level++) {
    for (uint32_t index = 0; index < counts[level] && found < limit; index++) {
      write_person(graph, names, viewer, names->users[ranks[level * limit + index]], people + found++, &bytes);
    }
  }
  return found;
}
