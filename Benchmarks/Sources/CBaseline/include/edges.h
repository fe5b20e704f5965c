#ifndef KITH_BASELINE_EDGES_H
#define KITH_BASELINE_EDGES_H

#include <stdbool.h>
#include <stdint.h>

// The baseline of changes: both directions of follows or likes as one growing array for each row, unshared and not
// journaled. Out-edges ascend by target, with the time of each edge; in-edges are in order of arrival.

struct baseline_edges;

struct baseline_edges *baseline_edges_create(uint32_t source_count, uint32_t target_count);
// Makes rows of targets up to a number.
void baseline_edges_grow(struct baseline_edges *edges, uint32_t target_count);
// Both return whether anything changed.
bool baseline_edges_insert(struct baseline_edges *edges, uint32_t source, uint32_t target, uint32_t second);
bool baseline_edges_remove(struct baseline_edges *edges, uint32_t source, uint32_t target);
bool baseline_edges_has(const struct baseline_edges *edges, uint32_t source, uint32_t target);
uint32_t baseline_edges_sources(const struct baseline_edges *edges, uint32_t target);

// The first sources of a target with their names and the counts of their edges, as one page; returns how many. Names
// are copied to `bytes`.
struct baseline_liker {
  uint32_t user, second, followers, followees, posts, name_length;
  const char *name;
};
uint32_t baseline_edges_first(const struct baseline_edges *likes, const struct baseline_edges *follows, uint32_t target,
  const uint32_t *name_offsets, const char *names, const uint32_t *post_counts, uint32_t limit,
  struct baseline_liker *page, char *bytes);

#endif
