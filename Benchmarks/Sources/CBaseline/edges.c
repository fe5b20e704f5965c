#include "edges.h"

#include <stdlib.h>
#include <string.h>

struct wide {
  uint64_t *elements;
  uint32_t count, capacity;
};
struct narrow {
  uint32_t *elements;
  uint32_t count, capacity;
};

struct baseline_edges {
  struct wide *forward;
  struct narrow *backward;
  uint32_t target_count;
};

struct baseline_edges *baseline_edges_create(uint32_t source_count, uint32_t target_count) {
  struct baseline_edges *edges = malloc(sizeof *edges);
  edges->forward = calloc(source_count + 1, sizeof *edges->forward);
  edges->backward = calloc(target_count + 1, sizeof *edges->backward);
  edges->target_count = target_count;
  return edges;
}

void baseline_edges_grow(struct baseline_edges *edges, uint32_t target_count) {
  edges->backward = realloc(edges->backward, (target_count + 1) * sizeof *edges->backward);
  memset(edges->backward + edges->target_count, 0, (target_count + 1 - edges->target_count) * sizeof *edges->backward);
  edges->target_count = target_count;
}

// The index of the first element whose target is not below a row.
static uint32_t place_of(const struct wide *list, uint32_t target) {
  uint32_t low = 0, high = list->count;
  uint64_t key = (uint64_t)target << 32;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (list->elements[middle] < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

static bool stands_at(const struct wide *list, uint32_t place, uint32_t target) {
  return place < list->count && (uint32_t)(list->elements[place] >> 32) == target;
}

bool baseline_edges_insert(struct baseline_edges *edges, uint32_t source, uint32_t target, uint32_t second) {
  struct wide *list = edges->forward + source;
  struct narrow *back = edges->backward + target;
  uint32_t place = place_of(list, target);
  if (stands_at(list, place, target)) return false;
  if (list->count == list->capacity) {
    list->capacity = list->capacity + list->capacity / 4 + 4;
    list->elements = realloc(list->elements, list->capacity * sizeof *list->elements);
  }
  memmove(list->elements + place + 1, list->elements + place, (list->count - place) * sizeof *list->elements);
  list->elements[place] = (uint64_t)target << 32 | second;
  list->count++;
  if (back->count == back->capacity) {
    back->capacity = back->capacity + back->capacity / 4 + 4;
    back->elements = realloc(back->elements, back->capacity * sizeof *back->elements);
  }
  back->elements[back->count++] = source;
  return true;
}

bool baseline_edges_remove(struct baseline_edges *edges, uint32_t source, uint32_t target) {
  struct wide *list = edges->forward + source;
  struct narrow *back = edges->backward + target;
  uint32_t place = place_of(list, target), index = back->count;
  if (!stands_at(list, place, target)) return false;
  list->count--;
  memmove(list->elements + place, list->elements + place + 1, (list->count - place) * sizeof *list->elements);
  // Most removals are of recent edges.
  while (back->elements[index - 1] != source) index--;
  back->count--;
  memmove(back->elements + index - 1, back->elements + index, (back->count + 1 - index) * sizeof *back->elements);
  return true;
}

bool baseline_edges_has(const struct baseline_edges *edges, uint32_t source, uint32_t target) {
  const struct wide *list = edges->forward + source;
  return stands_at(list, place_of(list, target), target);
}

uint32_t baseline_edges_sources(const struct baseline_edges *edges, uint32_t target) {
  return edges->backward[target].count;
}

uint32_t baseline_edges_first(const struct baseline_edges *likes, const struct baseline_edges *follows, uint32_t target,
  const uint32_t *name_offsets, const char *names, const uint32_t *post_counts, uint32_t limit,
  struct baseline_liker *page, char *bytes) {
  const struct narrow *back = likes->backward + target;
  uint32_t count = back->count < limit ? back->count : limit;
  for (uint32_t index = 0; index < count; index++) {
    uint32_t user = back->elements[index];
    const struct wide *list = likes->forward + user;
    uint32_t length = name_offsets[user + 1] - name_offsets[user];
    page[index] = (struct baseline_liker){.user = user,
      .second = (uint32_t)list->elements[place_of(list, target)],
      .followers = follows->backward[user].count,
      .followees = follows->forward[user].count,
      .posts = post_counts[user],
      .name_length = length,
      .name = bytes};
    memcpy(bytes, names + name_offsets[user], length);
    bytes += length;
  }
  return count;
}
