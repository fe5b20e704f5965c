#include "hops.h"

#include <string.h>

static char *copy_out(
  const struct baseline_follows *follows, uint32_t user, uint32_t weight, struct baseline_user *entry, char *bytes) {
  const uint32_t *name = follows->name_offsets + user;
  *entry = (struct baseline_user){.user = user,
    .weight = weight,
    .follower_count = follows->follower_offsets[user + 1] - follows->follower_offsets[user],
    .followee_count = follows->followee_offsets[user + 1] - follows->followee_offsets[user],
    .post_count = follows->post_counts[user],
    .name_length = name[1] - name[0],
    .name = bytes};
  memcpy(bytes, follows->names + name[0], entry->name_length);
  return bytes + entry->name_length;
}

// The first index from `low` on that is not below `wanted`: galloping search.
static const uint32_t *gallop(const uint32_t *low, const uint32_t *end, uint32_t wanted) {
  size_t step = 1;
  while (low + step <= end && low[step - 1] < wanted) {
    low += step;
    step *= 2;
  }
  const uint32_t *high = low + step - 1 < end ? low + step - 1 : end;
  while (low < high) {
    const uint32_t *middle = low + (high - low) / 2;
    if (*middle < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

uint32_t baseline_mutuals(const struct baseline_follows *follows, uint32_t one, uint32_t other, uint32_t limit,
  uint32_t *found, struct baseline_user *users, char *bytes) {
  const uint32_t *offsets = follows->followee_offsets, *lists = follows->followees;
  if (offsets[one + 1] - offsets[one] > offsets[other + 1] - offsets[other]) {
    uint32_t swapped = one;
    one = other;
    other = swapped;
  }
  const uint32_t *left = lists + offsets[one], *left_end = lists + offsets[one + 1];
  const uint32_t *right = lists + offsets[other], *right_end = lists + offsets[other + 1];
  uint32_t count = 0;
  if (right_end - right > 16 * (left_end - left)) {
    for (; left < left_end && right < right_end; left++) {
      right = gallop(right, right_end, *left);
      if (right < right_end && *right == *left) found[count++] = *left;
    }
  } else {
    while (left < left_end && right < right_end) {
      uint32_t low = *left, high = *right;
      found[count] = low;
      count += low == high;
      left += low <= high;
      right += high <= low;
    }
  }
  for (uint32_t place = 0; place < count && place < limit; place++)
    bytes = copy_out(follows, found[place], 0, users + place, bytes);
  return count;
}

uint32_t baseline_suggestions(const struct baseline_follows *follows, uint32_t user, uint32_t limit,
  struct baseline_scratch *scratch, struct baseline_user *users, char *bytes) {
  const uint32_t *offsets = follows->followee_offsets, *lists = follows->followees;
  const uint32_t *first = lists + offsets[user], *end = lists + offsets[user + 1];
  uint16_t *marks = scratch->marks;
  uint32_t met = 0;
  for (const uint32_t *friend = first; friend < end; friend++) {
    if (friend + 4 < end) __builtin_prefetch(lists + offsets[friend[4]]);
    for (const uint32_t *next = lists + offsets[*friend]; next < lists + offsets[*friend + 1]; next++) {
      scratch->met[met] = *next;
      met += marks[*next]++ == 0;
    }
  }
  marks[user] = 0;
  for (const uint32_t *friend = first; friend < end; friend++) marks[*friend] = 0;

  // Weight in the high word, the user's complement in the low one: greater is better.
  uint64_t best[64], threshold = 0;
  uint32_t count = 0;
  for (uint32_t place = 0; place < met; place++) {
    uint32_t candidate = scratch->met[place];
    uint64_t key = (uint64_t)marks[candidate] << 32 | (uint32_t)~candidate;
    if (marks[candidate] && key > threshold) {
      uint32_t hole = count < limit ? count++ : limit - 1;
      for (; hole > 0 && best[hole - 1] < key; hole--) best[hole] = best[hole - 1];
      best[hole] = key;
      if (count == limit) threshold = best[limit - 1];
    }
    marks[candidate] = 0;
  }
  for (uint32_t place = 0; place < count; place++)
    bytes = copy_out(follows, ~(uint32_t)best[place], (uint32_t)(best[place] >> 32), users + place, bytes);
  return count;
}

struct side {
  const uint32_t *offsets, *lists;
  uint32_t *queue;
  uint32_t level, count;
  uint64_t cost;
  uint16_t mark;
};

// Reads one more level; true when it met the other side.
static bool advance(struct side *side, uint16_t *marks) {
  uint32_t end = side->count;
  for (uint32_t place = side->level; place < end; place++) {
    uint32_t user = side->queue[place];
    const uint32_t *list_end = side->lists + side->offsets[user + 1];
    for (const uint32_t *next = side->lists + side->offsets[user]; next < list_end; next++) {
      if (marks[*next] == side->mark) continue;
      if (marks[*next]) return true;
      marks[*next] = side->mark;
      side->queue[side->count++] = *next;
    }
  }
  side->level = end;
  side->cost = 0;
  for (uint32_t place = end; place < side->count; place++) {
    uint32_t user = side->queue[place];
    side->cost += side->offsets[user + 1] - side->offsets[user];
  }
  return false;
}

int baseline_distance(
  const struct baseline_follows *follows, uint32_t from, uint32_t to, int maximum, struct baseline_scratch *scratch) {
  if (from == to) return 0;
  uint16_t *marks = scratch->marks;
  struct side sides[2] = {{follows->followee_offsets, follows->followees, scratch->queues[0], 0, 1, 0, 1},
    {follows->follower_offsets, follows->followers, scratch->queues[1], 0, 1, 0, 2}};
  sides[0].queue[0] = from;
  sides[1].queue[0] = to;
  for (int i = 0; i < 2; i++) {
    uint32_t user = sides[i].queue[0];
    sides[i].cost = sides[i].offsets[user + 1] - sides[i].offsets[user];
    marks[user] = sides[i].mark;
  }
  int hops = 0, found = -1;
  while (found < 0 && hops < maximum && sides[0].cost && sides[1].cost) {
    hops++;
    if (advance(sides[0].cost <= sides[1].cost ? &sides[0] : &sides[1], marks)) found = hops;
  }
  for (int i = 0; i < 2; i++)
    for (uint32_t place = 0; place < sides[i].count; place++) marks[sides[i].queue[place]] = 0;
  return found;
}

double baseline_page_rank(
  const struct baseline_follows *follows, const double *scores, double *passed_on, double *next, double damping) {
  double lost = 0, moved = 0, share = 1.0 / follows->user_count;
  for (uint32_t user = 0; user < follows->user_count; user++) {
    uint32_t count = follows->followee_offsets[user + 1] - follows->followee_offsets[user];
    passed_on[user] = count ? scores[user] / count : 0;
    if (!count) lost += scores[user];
  }
  double base = share * (1 - damping + damping * lost);
  for (uint32_t user = 0; user < follows->user_count; user++) {
    double sum = 0;
    const uint32_t *end = follows->followers + follows->follower_offsets[user + 1];
    for (const uint32_t *place = follows->followers + follows->follower_offsets[user]; place < end; place++)
      sum += passed_on[*place];
    next[user] = base + damping * sum;
    moved += next[user] > scores[user] ? next[user] - scores[user] : scores[user] - next[user];
  }
  return moved;
}
