#ifndef KITH_FLOOR_EDGES_H
#define KITH_FLOOR_EDGES_H

#include <stdbool.h>
#include <stdint.h>

// The floor of changes: both directions of follows or likes as one growing array for each row, nothing shared, nothing
// journaled. Forward ascending by target, with the second of each edge; backward in the order of coming.

struct floor_edges;

struct floor_edges *floor_edges_create(uint32_t source_count, uint32_t target_count);
// Makes rows of targets up to a number.
void floor_edges_grow(struct floor_edges *edges, uint32_t target_count);
// Both answer whether anything changed.
bool floor_edges_insert(struct floor_edges *edges, uint32_t source, uint32_t target, uint32_t second);
bool floor_edges_remove(struct floor_edges *edges, uint32_t source, uint32_t target);
bool floor_edges_has(const struct floor_edges *edges, uint32_t source, uint32_t target);
uint32_t floor_edges_sources(const struct floor_edges *edges, uint32_t target);

// The first sources of a target with their names and the numbers of their edges, as one page; returns how many. Names
// are copied to `bytes`.
struct floor_liker {
  uint32_t user, second, followers, followees, posts, name_length;
  const char *name;
};
uint32_t floor_edges_first(
  const struct floor_edges *likes, const struct floor_edges *follows, uint32_t target, const uint32_t *name_offsets,
  const char *names, const uint32_t *post_counts, uint32_t limit, struct floor_liker *page, char *bytes);

#endif
