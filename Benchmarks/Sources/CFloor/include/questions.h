#ifndef KITH_FLOOR_QUESTIONS_H
#define KITH_FLOOR_QUESTIONS_H

#include <stdbool.h>
#include <stdint.h>

// The floor of questions over several hops: follows as bare arrays that nobody can write to, users as their names.

struct floor_follows {
  uint32_t user_count;
  const uint32_t *followee_offsets, *followees;  // by user, ascending
  const uint32_t *follower_offsets, *followers;  // by user, ascending
  const uint32_t *post_counts;                   // by user, as all below
  const uint32_t *name_offsets;
  const char *names;
};

// One user of an answer; the name stands in the buffer that was handed in.
struct floor_user {
  uint32_t user, weight;
  uint32_t follower_count, followee_count, post_count;
  uint32_t name_length;
  const char *name;
};

// What a thread keeps between questions: zero for every user, and room for a list of all of them.
struct floor_scratch {
  uint16_t *marks;
  uint32_t *met;
  uint32_t *queues[2];
};

// Writes those whom both users follow to `found`, and the first `limit` of them to `users`. Returns how many in all.
uint32_t floor_mutuals(
  const struct floor_follows *follows, uint32_t one, uint32_t other, uint32_t limit, uint32_t *found,
  struct floor_user *users, char *bytes);

// Writes the `limit` users whom most of a user's followees follow, the most first, then the lower; not the user, not
// the followees. Returns how many. The limit is at most 64.
uint32_t floor_suggestions(
  const struct floor_follows *follows, uint32_t user, uint32_t limit, struct floor_scratch *scratch,
  struct floor_user *users, char *bytes);

// How many follows lead from one user to another, at most `maximum`; -1 without a way.
int floor_distance(
  const struct floor_follows *follows, uint32_t from, uint32_t to, int maximum, struct floor_scratch *scratch);

// One round of PageRank from `scores` to `next`; `passed_on` is room for a number for every user. Returns how much
// moved.
double floor_page_rank(
  const struct floor_follows *follows, const double *scores, double *passed_on, double *next, double damping);

#endif
