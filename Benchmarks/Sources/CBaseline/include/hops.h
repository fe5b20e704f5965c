#ifndef KITH_BASELINE_QUESTIONS_H
#define KITH_BASELINE_QUESTIONS_H

#include <stdbool.h>
#include <stdint.h>

// The baseline of queries over several hops: follows as bare, read-only arrays, users as their names.

struct baseline_follows {
  uint32_t user_count;
  const uint32_t *followee_offsets, *followees;  // by user, ascending
  const uint32_t *follower_offsets, *followers;  // by user, ascending
  const uint32_t *post_counts;                   // by user, as all below
  const uint32_t *name_offsets;
  const char *names;
};

// One user of a page; the name is in the buffer of the caller.
struct baseline_user {
  uint32_t user, weight;
  uint32_t follower_count, followee_count, post_count;
  uint32_t name_length;
  const char *name;
};

// What a thread keeps between queries: zero for every user, and room for a list of all of them.
struct baseline_scratch {
  uint16_t *marks;
  uint32_t *met;
  uint32_t *queues[2];
};

// Writes the common followees of two users to `found`, and the first `limit` of them to `users`. Returns the total.
uint32_t baseline_mutuals(const struct baseline_follows *follows, uint32_t one, uint32_t other, uint32_t limit,
  uint32_t *found, struct baseline_user *users, char *bytes);

// Writes the `limit` users followed by most of a user's followees, the most first, then the lower id; without the user
// and the followees. Returns how many. The limit is at most 64.
uint32_t baseline_suggestions(const struct baseline_follows *follows, uint32_t user, uint32_t limit,
  struct baseline_scratch *scratch, struct baseline_user *users, char *bytes);

// The length of a shortest path from one user to another, at most `maximum`; -1 without one.
int baseline_distance(
  const struct baseline_follows *follows, uint32_t from, uint32_t to, int maximum, struct baseline_scratch *scratch);

// One round of PageRank from `scores` to `next`; `passed_on` is room for a number for every user. Returns the sum of
// the changes.
double baseline_page_rank(
  const struct baseline_follows *follows, const double *scores, double *passed_on, double *next, double damping);

#endif
