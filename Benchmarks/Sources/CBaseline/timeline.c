#include "baseline.h"

#include <string.h>

// The newest posts come from at most `room` authors: those whose newest post ranks among the first `room` of all.

#define CANDIDATES (2 * (BASELINE_LIMIT + 1))
#define LATER 64

// Moves the `room` largest to the front and returns the smallest of these (quickselect).
static uint64_t select_largest(uint64_t *keys, uint32_t count, uint32_t room) {
  int64_t low = 0, high = (int64_t)count - 1, last = (int64_t)room - 1;
  while (low < high) {
    uint64_t pivot = keys[(low + high) / 2];
    int64_t left = low, right = high;
    while (left <= right) {
      while (keys[left] > pivot) left++;
      while (keys[right] < pivot) right--;
      if (left > right) break;
      uint64_t key = keys[left];
      keys[left++] = keys[right];
      keys[right--] = key;
    }
    if (last <= right) high = right;
    else if (last >= left) low = left;
    else break;
  }
  return keys[last];
}

static void sift_down(uint64_t *heap, uint32_t count, uint32_t place) {
  uint64_t key = heap[place];
  for (uint32_t child; (child = 2 * place + 1) < count; place = child) {
    if (child + 1 < count && heap[child + 1] > heap[child]) child++;
    if (heap[child] <= key) break;
    heap[place] = heap[child];
  }
  heap[place] = key;
}

static bool holds(const uint32_t *ranks, const uint32_t *end, uint32_t rank) {
  const uint32_t *low = ranks, *high = end;
  while (low < high) {
    const uint32_t *middle = low + (high - low) / 2;
    if (*middle < rank) low = middle + 1;
    else high = middle;
  }
  return low < end && *low == rank;
}

static char *copy_out(
  const struct baseline_graph *graph, uint32_t user, uint32_t rank, struct baseline_entry *entry, char *bytes) {
  uint32_t author = graph->authors[rank];
  const uint32_t *name = graph->name_offsets + author;
  const uint64_t *text = graph->text_offsets + rank;
  const uint32_t *liked = graph->liked_offsets + user;
  *entry = (struct baseline_entry){.id = graph->ids[rank],
    .time = graph->times[rank],
    .author = author,
    .like_count = graph->like_counts[rank],
    .name_length = name[1] - name[0],
    .text_length = (uint32_t)(text[1] - text[0]),
    .name = bytes,
    .liked = holds(graph->liked + liked[0], graph->liked + liked[1], rank)};
  memcpy(bytes, graph->names + name[0], entry->name_length);
  bytes += entry->name_length;
  entry->text = bytes;
  memcpy(bytes, graph->texts + text[0], entry->text_length);
  return bytes + entry->text_length;
}

struct heads {
  uint64_t keys[CANDIDATES];  // rank + 1 in the high word, author in the low one
  uint32_t count, room, threshold;
  uint32_t later[LATER], later_count;  // authors whose lists remain to be searched
};

static inline void add(struct heads *heads, uint32_t newest, uint32_t author) {
  if (newest <= heads->threshold) return;
  heads->keys[heads->count++] = (uint64_t)newest << 32 | author;
  if (heads->count < 2 * heads->room) return;
  heads->threshold = (uint32_t)(select_largest(heads->keys, heads->count, heads->room) >> 32);
  heads->count = heads->room;
}

// Adds an author whose newest post may be among the newest `room` of all.
static inline void push(struct heads *heads, const struct baseline_graph *graph, uint32_t author) {
  add(heads, graph->newest[author], author);
}

// The last of an author's posts whose rank is below a bound; null if there is none.
static const uint32_t *last_before(const struct baseline_graph *graph, uint32_t author, uint32_t bound) {
  const uint32_t *first = graph->posts + graph->post_offsets[author], *low = first;
  const uint32_t *high = graph->posts + graph->post_offsets[author + 1];
  while (low < high) {
    const uint32_t *middle = low + (high - low) / 2;
    if (*middle < bound) low = middle + 1;
    else high = middle;
  }
  return low > first ? low - 1 : NULL;
}

// Adds the authors in `later` whose newest post below a bound may be among the newest `room` of all such. Their lists
// are scattered in memory: all are prefetched before the first is searched.
static void search_later(struct heads *heads, const struct baseline_graph *graph, uint32_t bound) {
  for (uint32_t place = 0; place < heads->later_count; place++) {
    const uint32_t *offset = graph->post_offsets + heads->later[place];
    __builtin_prefetch(graph->posts + offset[0] + (offset[1] - offset[0]) / 2);
    __builtin_prefetch(graph->posts + offset[1] - 1);
  }
  for (uint32_t place = 0; place < heads->later_count; place++) {
    const uint32_t *post = last_before(graph, heads->later[place], bound);
    if (post) add(heads, *post + 1, heads->later[place]);
  }
  heads->later_count = 0;
}

// Adds an author whose newest post below a bound may be among the newest `room` of all such.
static inline void push_before(
  struct heads *heads, const struct baseline_graph *graph, uint32_t author, uint32_t bound) {
  uint32_t newest = graph->newest[author];
  if (newest <= bound) return add(heads, newest, author);
  __builtin_prefetch(graph->post_offsets + author);
  heads->later[heads->later_count++] = author;
  if (heads->later_count == LATER) search_later(heads, graph, bound);
}

// The newest posts of the authors in `heads`.
static uint32_t merge(const struct baseline_graph *graph, uint32_t user, struct heads *heads, uint32_t limit,
  struct baseline_entry *entries, char *bytes, bool *has_more) {
  uint32_t count = heads->count, room = heads->room;
  if (count > room) {
    select_largest(heads->keys, count, room);
    count = room;
  }

  // Each author's place in their list, by the author's index in `heads`: the heap holds (rank + 1, that index).
  const uint32_t *first[BASELINE_LIMIT + 1], *next[BASELINE_LIMIT + 1];
  uint64_t heap[BASELINE_LIMIT + 1];
  for (uint32_t place = 0; place < count; place++) {
    uint32_t author = (uint32_t)heads->keys[place], rank = (uint32_t)(heads->keys[place] >> 32) - 1;
    first[place] = graph->posts + graph->post_offsets[author];
    next[place] = graph->posts + graph->post_offsets[author + 1] - 1;
    if (*next[place] > rank) next[place] = last_before(graph, author, rank + 1);
    heap[place] = (heads->keys[place] >> 32) << 32 | place;
  }
  for (uint32_t place = count / 2; place-- > 0;) sift_down(heap, count, place);
  uint32_t taken = 0;
  for (; count > 0 && taken < limit; taken++) {
    uint32_t place = (uint32_t)heap[0], rank = (uint32_t)(heap[0] >> 32) - 1;
    bytes = copy_out(graph, user, rank, entries + taken, bytes);
    if (next[place] > first[place]) {
      heap[0] = (uint64_t)(*--next[place] + 1) << 32 | place;
    } else {
      heap[0] = heap[--count];
    }
    if (count > 0) sift_down(heap, count, 0);
  }
  *has_more = count > 0;
  return taken;
}

uint32_t baseline_timeline(const struct baseline_graph *graph, uint32_t user, uint32_t limit,
  struct baseline_entry *entries, char *bytes, bool *has_more) {
  struct heads heads;
  heads.count = heads.threshold = 0;
  heads.room = limit + 1;
  push(&heads, graph, user);
  const uint32_t *end = graph->followees + graph->followee_offsets[user + 1];
  for (const uint32_t *author = graph->followees + graph->followee_offsets[user]; author < end; author++)
    push(&heads, graph, *author);
  return merge(graph, user, &heads, limit, entries, bytes, has_more);
}

// The costs of the two plans for a further page, in nanoseconds: searching an author's list, checking a followee, or
// checking a post in a backward scan of all posts.
enum { LIST_COST = 30, FOLLOWEE_COST = 1, POST_COST = 1, STRIDE = 32, SIGNATURE_BITS = 17 };

static inline uint32_t hash(uint32_t user) { return user * 0x9E3779B1u >> (32 - SIGNATURE_BITS); }

// The approximate cost of searching the lists of those whose newest post is not below a bound, from a sample.
static uint64_t cost_of_merge(
  const struct baseline_graph *graph, const uint32_t *followees, uint32_t followee_count, uint32_t bound) {
  uint32_t step = followee_count / STRIDE + 1, asked = 0, later = 0;
  for (uint32_t place = 0; place < followee_count; place += step, asked++)
    later += graph->newest[followees[place]] > bound;
  return (uint64_t)followee_count * FOLLOWEE_COST + (uint64_t)followee_count * later / asked * LIST_COST;
}

// The newest `room` posts below a bound, by a backward scan of all posts: one bit of a bit set of the followees rejects
// most authors. Returns how many, or -1 when a merge became cheaper.
static int32_t walk(const struct baseline_graph *graph, uint32_t user, uint32_t bound, uint32_t room,
  uint64_t merge_cost, uint32_t *ranks) {
  static _Thread_local uint64_t signature[(1 << SIGNATURE_BITS) / 64];
  const uint32_t *first = graph->followees + graph->followee_offsets[user];
  const uint32_t *end = graph->followees + graph->followee_offsets[user + 1];
  memset(signature, 0, sizeof signature);
  signature[hash(user) / 64] |= 1ull << hash(user) % 64;
  for (const uint32_t *author = first; author < end; author++)
    signature[hash(*author) / 64] |= 1ull << hash(*author) % 64;
  uint32_t count = 0;
  for (uint32_t rank = bound; rank-- > 0;) {
    uint32_t author = graph->authors[rank], bit = hash(author);
    if (signature[bit / 64] >> bit % 64 & 1 && (author == user || holds(first, end, author))) {
      ranks[count++] = rank;
      if (count == room) break;
    }
    uint64_t visited = bound - rank;
    if (visited % STRIDE == 0 && visited * (room - count) * POST_COST > merge_cost * (count ? count : 1)) return -1;
  }
  return (int32_t)count;
}

// The cheaper of two plans, by an estimate: a scan if all users posted alike, or where trying it costs little compared
// with the merge.
uint32_t baseline_timeline_before(const struct baseline_graph *graph, uint32_t user, uint32_t bound, uint32_t limit,
  struct baseline_entry *entries, char *bytes, bool *has_more) {
  const uint32_t *first = graph->followees + graph->followee_offsets[user];
  const uint32_t *end = graph->followees + graph->followee_offsets[user + 1];
  uint32_t followee_count = (uint32_t)(end - first);
  if (followee_count > 2 * STRIDE) {
    uint64_t merge_cost = cost_of_merge(graph, first, followee_count, bound), trial_cost = followee_count + 1000;
    uint64_t walk_cost = trial_cost + (uint64_t)(limit + 1) * graph->user_count / followee_count * POST_COST;
    uint32_t ranks[BASELINE_LIMIT + 1];
    int32_t count = -1;
    if (merge_cost > 16 * trial_cost || merge_cost > walk_cost)
      count = walk(graph, user, bound, limit + 1, merge_cost, ranks);
    if (count >= 0) {
      *has_more = (uint32_t)count > limit;
      if (*has_more) count--;
      for (int32_t place = 0; place < count; place++)
        bytes = copy_out(graph, user, ranks[place], entries + place, bytes);
      return (uint32_t)count;
    }
  }
  struct heads heads;
  heads.count = heads.threshold = heads.later_count = 0;
  heads.room = limit + 1;
  push_before(&heads, graph, user, bound);
  for (const uint32_t *author = first; author < end; author++) push_before(&heads, graph, *author, bound);
  search_later(&heads, graph, bound);
  return merge(graph, user, &heads, limit, entries, bytes, has_more);
}

// Adds the followees of a user, each once.
static void push_followees(struct heads *heads, const struct baseline_graph *graph, uint32_t user, uint16_t *marks,
  uint32_t *met, uint32_t *met_count) {
  const uint32_t *end = graph->followees + graph->followee_offsets[user + 1];
  for (const uint32_t *author = graph->followees + graph->followee_offsets[user]; author < end; author++) {
    if (marks[*author]) continue;
    marks[*author] = 1;
    met[(*met_count)++] = *author;
    push(heads, graph, *author);
  }
}

uint32_t baseline_two_hop_timeline(const struct baseline_graph *graph, uint32_t user, uint32_t limit, uint16_t *marks,
  uint32_t *met, struct baseline_entry *entries, char *bytes, bool *has_more) {
  struct heads heads;
  heads.count = heads.threshold = 0;
  heads.room = limit + 1;
  uint32_t met_count = 1;
  marks[user] = 1;
  met[0] = user;
  push(&heads, graph, user);
  push_followees(&heads, graph, user, marks, met, &met_count);
  const uint32_t *end = graph->followees + graph->followee_offsets[user + 1];
  for (const uint32_t *author = graph->followees + graph->followee_offsets[user]; author < end; author++)
    push_followees(&heads, graph, *author, marks, met, &met_count);
  for (uint32_t place = 0; place < met_count; place++) marks[met[place]] = 0;
  return merge(graph, user, &heads, limit, entries, bytes, has_more);
}
