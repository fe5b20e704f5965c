#ifndef KITH_BASELINE_H
#define KITH_BASELINE_H

#include <stdbool.h>
#include <stdint.h>

// The baseline of a timeline: the same answer from bare, read-only arrays. Posts are numbered by rank, which is their
// place in the order (time, id). So the newest post of an author is one 32-bit word, and ranks never tie.

struct baseline_graph {
  uint32_t user_count;
  const uint32_t *followee_offsets, *followees;  // by user
  const uint32_t *liked_offsets, *liked;         // by user: ranks, ascending
  const uint32_t *newest;                        // by user: rank + 1 of the newest post, 0 without posts
  const uint32_t *post_offsets, *posts;          // by user: ranks, ascending
  const uint32_t *name_offsets;                  // by user
  const char *names;
  const uint32_t *authors;  // by rank, as all below
  const int64_t *ids, *times;
  const uint32_t *like_counts;
  const uint64_t *text_offsets;
  const char *texts;
};

// One post of a page; its texts are in the buffer of the caller.
struct baseline_entry {
  int64_t id, time;
  uint32_t author, like_count;
  uint32_t name_length, text_length;
  const char *name, *text;
  bool liked;
};

#define BASELINE_LIMIT 63

// Writes the newest posts of a user and their followees, at most `limit` (1...BASELINE_LIMIT), newest first, with texts
// and names copied to `bytes`, which must have room for them. Sets `has_more`. Returns how many.
uint32_t baseline_timeline(const struct baseline_graph *graph, uint32_t user, uint32_t limit,
  struct baseline_entry *entries, char *bytes, bool *has_more);

// The same for posts whose rank is below a bound: further pages.
uint32_t baseline_timeline_before(const struct baseline_graph *graph, uint32_t user, uint32_t bound, uint32_t limit,
  struct baseline_entry *entries, char *bytes, bool *has_more);

// Calls `body`. A tool that counts instructions counts only between entry and return of this function.
void baseline_counted(void (*body)(void *context), void *context);

// The number of allocations of the calling thread; -1 where they are not counted (without glibc).
int64_t baseline_allocation_count(void);

// The baseline of a journal: the same bytes, written to a file with reserved space, and synced.

// An unlinked file of `count` zeros, which are on the disk; -1 on failure. `path` is its temporary name.
int baseline_create(const char *path, int64_t count);
// Both return 0, or -1.
int baseline_write(int file, const uint8_t *bytes, int64_t count, int64_t offset);
int baseline_sync(int file);

// A descriptor of /dev/null for writing; -1 on failure.
int baseline_open_nowhere(void);

// A new directory; the six X at the end of `template` become its name.
bool baseline_make_directory(char *template);
// Removes a directory and the files in it, if it holds nothing else.
void baseline_remove_directory(const char *path);

// Calls `body` with 0 ..< count, each on a thread of its own, and waits for all; false if they cannot all be started.
bool baseline_run_threads(int32_t count, void (*body)(void *context, int32_t number), void *context);

// The same with the followees of followees. `marks` has room for every user and is zero before and after; `met` has
// room for all users.
uint32_t baseline_two_hop_timeline(const struct baseline_graph *graph, uint32_t user, uint32_t limit, uint16_t *marks,
  uint32_t *met, struct baseline_entry *entries, char *bytes, bool *has_more);

// The baseline of a user search: names by rank, which is their place in the order, and the ranks of every gram.

struct baseline_names {
  uint32_t count;
  const uint32_t *key_offsets;      // by rank
  const char *keys;                 // folded
  const uint32_t *users;            // by rank
  const uint32_t *follower_counts;  // by user
  uint32_t table_size;              // a power of two
  const uint32_t *table_grams;      // grams of one to three bytes, read as big-endian numbers; 0 is free
  const uint32_t *table_lists;
  const uint32_t *list_offsets;  // by list
  const uint32_t *ranks;         // ascending in each list
  bool names_alone;              // whether pages have ids and names, without counts and follows
};

// One user of a page; the name is in the buffer of the caller.
struct baseline_person {
  int64_t id;
  uint32_t followers, followees, posts, name_length;
  const char *name;
  bool following;
};

// Writes the first users by name, without the viewer, whose folded name contains a query of 1...66 folded bytes; names
// are copied to `bytes`. Returns how many.
uint32_t baseline_search(const struct baseline_graph *graph, const struct baseline_names *names, const char *query,
  uint32_t length, uint32_t viewer, uint32_t limit, struct baseline_person *people, char *bytes);

// Writes the first users by edits, then by name, without the viewer, some part of whose folded name is an ASCII query
// of 1...64 bytes up to `edits` edits (0...2): a scan of all names. `ranks` has room for three times the limit.
uint32_t baseline_fuzzy(const struct baseline_graph *graph, const struct baseline_names *names, const char *query,
  uint32_t length, uint32_t edits, uint32_t viewer, uint32_t limit, uint32_t *ranks, struct baseline_person *people,
  char *bytes);

// The same for names that begin with the query.
uint32_t baseline_prefix(const struct baseline_graph *graph, const struct baseline_names *names, const char *query,
  uint32_t length, uint32_t viewer, uint32_t limit, struct baseline_person *people, char *bytes);

// The baseline of a post search: posts by number, newest first, and the numbers of every trigram of bytes. `graph` has
// its posts in the same order.

struct baseline_posts {
  uint32_t count;
  const uint64_t *key_offsets;  // by number
  const char *keys;             // the author's name, a byte that occurs in no query, the text; folded
  const uint64_t *gram_starts;  // by three bytes, read as a big-endian number
  const uint32_t *numbers;      // ascending for each of them
};

struct baseline_term {
  const char *bytes;
  uint32_t length;
};

// Builds the lists of `posts` from its keys; false without memory for them.
bool baseline_index_posts(struct baseline_posts *posts);

// Writes the newest posts that contain all terms, each of three bytes or more, with names and texts copied to `bytes`.
// Returns how many.
uint32_t baseline_search_posts(const struct baseline_graph *graph, const struct baseline_posts *posts,
  const struct baseline_term *terms, uint32_t term_count, uint32_t limit, struct baseline_entry *entries, char *bytes);

#endif
