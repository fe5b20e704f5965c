#ifndef KITH_FLOOR_H
#define KITH_FLOOR_H

#include <stdbool.h>
#include <stdint.h>

// The floor of a timeline: the same answer from bare arrays that nobody can write to. Posts are numbered by rank, which
// is their place in the order (time, id); so the newest post of an author is one 32-bit word, and ranks never tie.

struct floor_graph {
  uint32_t user_count;
  const uint32_t *followee_offsets, *followees;  // by user
  const uint32_t *liked_offsets, *liked;         // by user: ranks, ascending
  const uint32_t *newest;                        // by user: rank + 1 of the newest post, 0 without posts
  const uint32_t *post_offsets, *posts;          // by user: ranks, ascending
  const uint32_t *name_offsets;                  // by user
  const char *names;
  const uint32_t *authors;                       // by rank, as all below
  const int64_t *ids, *times;
  const uint32_t *like_counts;
  const uint64_t *text_offsets;
  const char *texts;
};

// One post of a page; its texts stand in the buffer that was handed in.
struct floor_entry {
  int64_t id, time;
  uint32_t author, like_count;
  uint32_t name_length, text_length;
  const char *name, *text;
  bool liked;
};

#define FLOOR_LIMIT 63

// Writes the newest posts of a user and those they follow, at most `limit` (1...FLOOR_LIMIT), newest first, with texts
// and names copied to `bytes`, which must have room for them. Tells whether there are more in `has_more`. Returns how
// many.
uint32_t floor_timeline(
  const struct floor_graph *graph, uint32_t user, uint32_t limit, struct floor_entry *entries, char *bytes,
  bool *has_more);

// The same of posts whose rank is below a bound: further pages.
uint32_t floor_timeline_before(
  const struct floor_graph *graph, uint32_t user, uint32_t bound, uint32_t limit, struct floor_entry *entries,
  char *bytes, bool *has_more);

// Calls `body`. A tool that counts instructions counts between entry and return of this function, and nothing else.
void floor_counted(void (*body)(void *context), void *context);

// How often the calling thread ever allocated memory; -1 where nobody counts (without glibc).
int64_t floor_allocation_count(void);

// The floor of a journal: the same bytes, written to a file that has its room already, and synced.

// A file without a name of `count` zeros, which are on the disk; -1 when that fails. `path` is its name for a moment.
int floor_create(const char *path, int64_t count);
// Both return 0, or -1.
int floor_write(int file, const uint8_t *bytes, int64_t count, int64_t offset);
int floor_sync(int file);

// A new directory; the six X at the end of `template` become its name.
bool floor_make_directory(char *template);
// Takes away a directory and the files in it, if it holds nothing else.
void floor_remove_directory(const char *path);

// Calls `body` with 0 ..< count, each on a thread of its own, and waits for all; false when they cannot all be begun.
bool floor_run_threads(int32_t count, void (*body)(void *context, int32_t number), void *context);

// The same of those whom they follow too. `marks` has room for every user and is zero before and after; `met` has room
// for all users.
uint32_t floor_two_hop_timeline(
  const struct floor_graph *graph, uint32_t user, uint32_t limit, uint16_t *marks, uint32_t *met,
  struct floor_entry *entries, char *bytes, bool *has_more);

// The floor of a search by name: names by rank, which is their place in the order, and the ranks of every gram.

struct floor_names {
  uint32_t count;
  const uint32_t *key_offsets;      // by rank
  const char *keys;                 // folded
  const uint32_t *users;            // by rank
  const uint32_t *follower_counts;  // by user
  uint32_t table_size;              // a power of two
  const uint32_t *table_grams;      // grams of one to three bytes, read as big-endian numbers; 0 is free
  const uint32_t *table_lists;
  const uint32_t *list_offsets;     // by list
  const uint32_t *ranks;            // ascending in each list
};

// One user of a page; the name stands in the buffer that was handed in.
struct floor_person {
  int64_t id;
  uint32_t followers, followees, posts, name_length;
  const char *name;
  bool following;
};

// Writes the first users by name, but for the viewer, whose folded name holds a query of 1...66 folded bytes; names are
// copied to `bytes`. Returns how many.
uint32_t floor_search(
  const struct floor_graph *graph, const struct floor_names *names, const char *query, uint32_t length,
  uint32_t viewer, uint32_t limit, struct floor_person *people, char *bytes);

// Writes the first users by edits, then by name, but for the viewer, some part of whose folded name is an ASCII query
// of 1...64 bytes up to `edits` edits (0...2): every name is looked at. `ranks` has room for three times the limit.
uint32_t floor_fuzzy(
  const struct floor_graph *graph, const struct floor_names *names, const char *query, uint32_t length, uint32_t edits,
  uint32_t viewer, uint32_t limit, uint32_t *ranks, struct floor_person *people, char *bytes);

// The same for names that begin with it.
uint32_t floor_prefix(
  const struct floor_graph *graph, const struct floor_names *names, const char *query, uint32_t length,
  uint32_t viewer, uint32_t limit, struct floor_person *people, char *bytes);

// The floor of a post search: posts by number, the newest first, and the numbers of every three bytes. `graph` has its
// posts in the same order.

struct floor_posts {
  uint32_t count;
  const uint64_t *key_offsets;  // by number
  const char *keys;             // the author's name, a byte that no query holds, the text; folded
  const uint64_t *gram_starts;  // by three bytes, read as a big-endian number
  const uint32_t *numbers;      // ascending for each of them
};

struct floor_term {
  const char *bytes;
  uint32_t length;
};

// Makes the lists of `posts` from its keys; false without memory for them.
bool floor_index_posts(struct floor_posts *posts);

// Writes the newest posts that hold all terms, each of three bytes or more, names and texts copied to `bytes`. Returns
// how many.
uint32_t floor_search_posts(
  const struct floor_graph *graph, const struct floor_posts *posts, const struct floor_term *terms,
  uint32_t term_count, uint32_t limit, struct floor_entry *entries, char *bytes);

#endif
