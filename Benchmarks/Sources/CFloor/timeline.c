#include "floor.h"

#include <string.h>

// The newest posts come from at most `room` authors: those whose own newest post ranks among the first `room` of all.

#define CANDIDATES (2 * (FLOOR_LIMIT + 1))

// Moves the `room` largest to the front and returns the smallest of these (Hoare's selection).
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
  const struct floor_graph *graph, uint32_t user, uint32_t rank, struct floor_entry *entry, char *bytes) {
  uint32_t author = graph->authors[rank];
  const uint32_t *name = graph->name_offsets + author;
  const uint64_t *text = graph->text_offsets + rank;
  const uint32_t *liked = graph->liked_offsets + user;
  *entry = (struct floor_entry){
    .id = graph->ids[rank], .time = graph->times[rank], .author = author, .like_count = graph->like_counts[rank],
    .name_length = name[1] - name[0], .text_length = (uint32_t)(text[1] - text[0]), .name = bytes,
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
};

// Takes an author whose newest post may be among the newest `room` of all.
static inline void push(struct heads *heads, const struct floor_graph *graph, uint32_t author) {
  uint32_t newest = graph->newest[author];
  if (newest <= heads->threshold) return;
  heads->keys[heads->count++] = (uint64_t)newest << 32 | author;
  if (heads->count < 2 * heads->room) return;
  heads->threshold = (uint32_t)(select_largest(heads->keys, heads->count, heads->room) >> 32);
  heads->count = heads->room;
}

// The last of an author's posts whose rank is below a bound; null if there is none.
static const uint32_t *last_before(const struct floor_graph *graph, uint32_t author, uint32_t bound) {
  const uint32_t *first = graph->posts + graph->post_offsets[author], *low = first;
  const uint32_t *high = graph->posts + graph->post_offsets[author + 1];
  while (low < high) {
    const uint32_t *middle = low + (high - low) / 2;
    if (*middle < bound) low = middle + 1;
    else high = middle;
  }
  return low > first ? low - 1 : NULL;
}

// Takes an author whose newest post below a bound may be among the newest `room` of all such.
static inline void push_before(
  struct heads *heads, const struct floor_graph *graph, uint32_t author, uint32_t bound) {
  uint32_t newest = graph->newest[author];
  if (newest <= heads->threshold) return;
  if (newest > bound) {
    const uint32_t *post = last_before(graph, author, bound);
    if (!post || *post + 1 <= heads->threshold) return;
    newest = *post + 1;
  }
  heads->keys[heads->count++] = (uint64_t)newest << 32 | author;
  if (heads->count < 2 * heads->room) return;
  heads->threshold = (uint32_t)(select_largest(heads->keys, heads->count, heads->room) >> 32);
  heads->count = heads->room;
}

// The newest posts of the authors in `heads`.
static uint32_t merge(
  const struct floor_graph *graph, uint32_t user, struct heads *heads, uint32_t limit, struct floor_entry *entries,
  char *bytes, bool *has_more) {
  uint32_t count = heads->count, room = heads->room;
  if (count > room) {
    select_largest(heads->keys, count, room);
    count = room;
  }

  // Each author's place in their list, by where the author stands in `heads`: the heap holds (rank + 1, that place).
  const uint32_t *first[FLOOR_LIMIT + 1], *next[FLOOR_LIMIT + 1];
  uint64_t heap[FLOOR_LIMIT + 1];
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

uint32_t floor_timeline(
  const struct floor_graph *graph, uint32_t user, uint32_t limit, struct floor_entry *entries, char *bytes,
  bool *has_more) {
  struct heads heads;
  heads.count = heads.threshold = 0;
  heads.room = limit + 1;
  push(&heads, graph, user);
  const uint32_t *end = graph->followees + graph->followee_offsets[user + 1];
  for (const uint32_t *author = graph->followees + graph->followee_offsets[user]; author < end; author++)
    push(&heads, graph, *author);
  return merge(graph, user, &heads, limit, entries, bytes, has_more);
}

uint32_t floor_timeline_before(
  const struct floor_graph *graph, uint32_t user, uint32_t bound, uint32_t limit, struct floor_entry *entries,
  char *bytes, bool *has_more) {
  struct heads heads;
  heads.count = heads.threshold = 0;
  heads.room = limit + 1;
  push_before(&heads, graph, user, bound);
  const uint32_t *end = graph->followees + graph->followee_offsets[user + 1];
  for (const uint32_t *author = graph->followees + graph->followee_offsets[user]; author < end; author++)
    push_before(&heads, graph, *author, bound);
  return merge(graph, user, &heads, limit, entries, bytes, has_more);
}

// Takes those whom a user follows, each once.
static void push_followees(
  struct heads *heads, const struct floor_graph *graph, uint32_t user, uint16_t *marks, uint32_t *met,
  uint32_t *met_count) {
  const uint32_t *end = graph->followees + graph->followee_offsets[user + 1];
  for (const uint32_t *author = graph->followees + graph->followee_offsets[user]; author < end; author++) {
    if (marks[*author]) continue;
    marks[*author] = 1;
    met[(*met_count)++] = *author;
    push(heads, graph, *author);
  }
}

uint32_t floor_two_hop_timeline(
  const struct floor_graph *graph, uint32_t user, uint32_t limit, uint16_t *marks, uint32_t *met,
  struct floor_entry *entries, char *bytes, bool *has_more) {
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
