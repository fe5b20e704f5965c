// Kith, an embedded social-graph engine: users, follows, posts, likes, blocks and mutes.
//
// What every call means is in SEMANTICS.md; this file says how it is called from C.
//
// Handles. kith_graph, kith_control, kith_observer and kith_result are opaque. A handle is a number in the shape of a
// pointer; it points nowhere. The library looks it up in a table of slots with generation numbers, so null, a stale
// handle, one of another kind, and any other value are answered with KITH_INVALID_HANDLE. kith_free releases any of
// them. Fewer than KITH_HANDLE_LIMIT handles exist at a time.
//
// Errors. A function returns KITH_OK (0) or another kith_status. The last parameter may point to a kith_error, which
// then receives the status and a message; it may be null. A function that fails changes nothing, sets what it would
// return to zero or null, and keeps no reference to its arguments.
//
// Texts are UTF-8 with a length, not ended by a zero byte (kith_text). Invalid UTF-8, a null pointer with a length, or
// a length over KITH_TEXT_LIMIT is KITH_INVALID_REQUEST. Paths are the bytes of a file's name, which need not be UTF-8.
//
// Results. A query answers with rows of fixed size and one area of texts that the rows refer to, in memory of the
// library: constant, readable from any thread, until `owner` is released by kith_free. An empty result has an owner
// too. Results outlive the graph.
//
// Threads. Every function may be called from any thread, also for the same graph at the same time, except:
// - kith_free of a handle must not run beside another call with that handle. It may run beside calls with others.
// - The handle that a batch receives is valid inside its body only, on its thread.
// The library may be used in a forked child only after exec.
//
// Callbacks run on threads of the library, except those of kith_batch, kith_snapshot and kith_journaled_changes, which
// run inside the call. A callback must not throw or jump over the library's frames. It may call every function, and
// free every handle, also the one that calls it. A call that would never end is KITH_INVALID_REQUEST, and does nothing:
// - inside the body of a batch, a call with the graph itself, its observers' kith_poll_query and kith_wait: use the
//   handle that was given. The graph's MVCC snapshots, results and kith_poll_changes can be used.
// - inside the progress callback of a snapshot, kith_snapshot and kith_import of the graph. kith_close and kith_free of
//   the graph end the snapshot, which answers KITH_CLOSED.
// - inside the callback of an observer, and the body of a batch, kith_wait of any observer: poll.
// - inside any callback, a call that waits for another callback, on another thread, which waits for this one: two that
//   free each other's observers, or two batches that use each other's graphs. Make the call after the callback.
//
// Times are milliseconds since 1970. Ids are 1 or more. Structures must be zeroed before their members are set; a zero
// means the default, and reserved members stay zero.
#ifndef KITH_H
#define KITH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KITH_VERSION_MAJOR 0
#define KITH_VERSION_MINOR 1
#define KITH_VERSION_PATCH 0

// The most bytes of one text argument, and a number that the handles at a time stay below.
#define KITH_TEXT_LIMIT (1 << 24)
#define KITH_HANDLE_LIMIT (1 << 20)

// A time that is taken from the clock when the change is made.
#define KITH_NOW INT64_MIN
// The viewer of a query who is no user: posts for followers, and for those whom they mention, are not shown.
#define KITH_VISITOR INT64_MIN
// The number zero, of an option or a parameter whose 0 means a default.
#define KITH_ZERO (-2)

typedef struct kith_graph kith_graph;        // A graph, an MVCC snapshot of one, or a batch.
typedef struct kith_control kith_control;    // Progress and cancellation of a pass.
typedef struct kith_observer kith_observer;  // A reader of the change feed, or a live query.
typedef struct kith_result kith_result;      // The memory of a result.

// ---------------------------------------------------------------------------------------------------------------------
// Statuses and texts

typedef int32_t kith_status;
enum {
  KITH_OK = 0,
  KITH_INVALID_HANDLE = 1,  // not a live handle of the kind that is needed
  KITH_UNKNOWN_USER = 2,
  KITH_UNKNOWN_POST = 3,
  KITH_USERNAME_TAKEN = 4,
  KITH_USERNAMES_COLLIDE = 5,
  KITH_ID_TAKEN = 6,
  KITH_INVALID_USERNAME = 7,
  KITH_TEXT_TOO_LONG = 8,
  KITH_CANNOT_FOLLOW_SELF = 9,
  KITH_BLOCKED = 10,
  KITH_QUERY_TOO_LONG = 11,
  KITH_INVALID_PATTERN = 12,
  KITH_BUDGET_EXCEEDED = 13,
  KITH_INVALID_CURSOR = 14,
  KITH_INVALID_REQUEST = 15,
  KITH_LIMIT_EXCEEDED = 16,
  KITH_UNSUPPORTED = 17,
  KITH_CANCELLED = 18,
  KITH_CLOSED = 19,
  KITH_READ_ONLY = 20,
  KITH_NO_STORE = 21,
  KITH_NOT_A_STORE = 22,
  KITH_STORE_IN_USE = 23,
  KITH_CORRUPT = 24,
  KITH_UNSUPPORTED_VERSION = 25,
  KITH_SYSTEM = 26,
  KITH_INDETERMINATE = 27,  // the change may or may not be stored
  KITH_TIMED_OUT = 28,
  KITH_NO_SCHEMA = 29,
  KITH_SCHEMA_CONFLICT = 30,
  KITH_UNKNOWN_RELATION = 31,
  KITH_MISSING_EDGE = 32,
};

typedef struct kith_error {
  kith_status status;
  int32_t index;         // in a batch, the index of the change that failed; -1 otherwise
  int32_t system_error;  // errno with KITH_SYSTEM; 0 otherwise
  uint32_t message_size;
  char message[496];  // UTF-8, ended by a zero byte; cut to whole characters
} kith_error;

typedef struct kith_text {
  const char *data;
  size_t size;
} kith_text;

// A text from a string that ends with a zero byte.
static inline kith_text kith_string(const char *string) {
  kith_text text = {string, string ? strlen(string) : 0};
  return text;
}

// "major.minor.patch" of the library in use, and major * 1,000,000 + minor * 1,000 + patch.
const char *kith_version(void);
uint32_t kith_version_number(void);
// The stable name of a status, such as "unknownUser", as the query protocol has it; null for another number.
const char *kith_status_name(kith_status status);
// Releases a graph, a control, an observer or a result. Null is KITH_OK. A graph that is still open is closed first; an
// error of that is lost, so call kith_close before. The callback of an observer, or of a graph's events, does not run
// afterwards, unless this is called by it; events that were not yet reported are dropped.
kith_status kith_free(void *handle);

// ---------------------------------------------------------------------------------------------------------------------
// Opening and closing

enum { KITH_SYNCED = 0, KITH_FLUSHED = 1, KITH_MEMORY = 2 };                          // durability
enum { KITH_INDEX_TEXTS_AND_AUTHORS = 0, KITH_INDEX_TEXTS = 1, KITH_INDEX_OFF = 2 };  // post_index
enum { KITH_UNIQUE_EXACT = 0, KITH_UNIQUE_LOOSE = 1 };                                // unique_names

enum {
  KITH_SNAPSHOT_BEGAN = 0,
  KITH_SNAPSHOT_WRITTEN = 1,
  KITH_SNAPSHOT_FAILED = 2,
  KITH_JOURNAL_FAILED = 3,
  KITH_JOURNAL_RECOVERED = 4,
  KITH_DISK_LOW = 5,
};
typedef struct kith_store_event {
  int32_t kind;
  kith_status status;  // of a failure
  uint64_t sequence;
  int64_t free_bytes;  // with KITH_DISK_LOW
  kith_text message;   // of a failure, or the path of a snapshot; valid inside the callback
} kith_store_event;

enum { KITH_END_USER = 0, KITH_END_POST = 1 };                                       // source, target
enum { KITH_SEEN_BY_EVERYONE = 0, KITH_SEEN_BY_ENDS = 1, KITH_SEEN_BY_SOURCE = 2 };  // visibility
enum { KITH_HIDES_TIMELINE = 1, KITH_HIDES_REPOSTS = 2, KITH_HIDES_INCOMING = 4 };   // hides
// A relation that a host declares (SEMANTICS.md). A zero of a member leaves its fact out.
typedef struct kith_relation {
  kith_text name;
  int32_t source;
  int32_t target;
  int32_t visibility;
  int32_t is_timed;       // 1: an edge of a post has a time of its own
  int32_t is_thread;      // 1: an edge leads from a reply to the post that it replies to
  int32_t hides;          // what an edge hides of its target: KITH_HIDES_TIMELINE and others, added
  kith_text is_ended_by;  // names, separated by spaces
  kith_text ends_with;
  int32_t enters_timelines;  // 1: an edge brings a post into timelines
  int32_t grants_access;     // 1: the user whom an edge leads to is meant by its post
} kith_relation;

// Where a comment gives 0 a meaning, KITH_ZERO means the number 0; the least bytes per second and cores are 1.
typedef struct kith_options {
  int32_t durability;
  int32_t post_index;
  int32_t unique_names;
  int32_t read_only;
  int64_t snapshot_after_changes;     // 0: 10,000,000; -1: never
  int64_t snapshot_after_bytes;       // 0: 1 GiB; -1: never
  int64_t snapshot_after_seconds;     // 0: 3,600; -1: never
  int64_t snapshot_bytes_per_second;  // 0: unlimited
  int64_t snapshot_cores;             // 0: all but one
  int64_t heal_after_seconds;         // 0: 5; -1: never
  int64_t low_disk_bytes;             // 0: 1 GiB
  int64_t retained_snapshots;         // 0: 2
  int64_t retained_seconds;           // 0: no rule
  int64_t retained_bytes;             // 0: no rule
  int64_t maximum_users;              // 0: no limit
  int64_t maximum_posts;              // likewise
  int64_t maximum_bytes;              // likewise
  // One at a time, on a thread of the library; never after kith_free of the graph, or after an opening that has failed.
  void (*on_event)(void *context, const kith_store_event *event);
  void *context;
  int32_t compact_lists;   // 1: follows, likes, blocks and mutes in as few bits as they need, slower to read and change
  int32_t compress_texts;  // 1: the texts of posts compressed in memory; files do not depend on either
  // What the graph lacks of these relations is declared when it is opened. kith_open and kith_open_memory read them.
  const kith_relation *relations;
  size_t relation_count;
  int32_t has_schema;  // 1: also with no relations and kinds the graph has a schema
  int32_t reserved;
  kith_text user_kinds;  // names of kinds beside "user", separated by spaces; declared as the relations are
} kith_options;

// Opens a store directory, which is created if absent, or a snapshot file, which is read-only. `options` may be null.
kith_status kith_open(kith_text path, const kith_options *options, kith_graph **graph, kith_error *error);
// An empty graph in memory.
kith_status kith_open_memory(const kith_options *options, kith_graph **graph, kith_error *error);
// A mutable graph in memory from the bytes of a snapshot, or from a descriptor, which is read to its end.
kith_status kith_open_snapshot(
  const void *bytes, size_t size, const kith_options *options, kith_graph **graph, kith_error *error);
kith_status kith_open_descriptor(
  int32_t descriptor, const kith_options *options, kith_graph **graph, kith_error *error);
// Waits for acknowledged changes, syncs, and releases the store. Later changes, queries and passes answer KITH_CLOSED;
// kith_get_counts, kith_find_user, kith_pin, kith_verify and kith_memory_report answer from memory; an observer ends.
// Again: KITH_OK.
kith_status kith_close(kith_graph *graph, kith_error *error);
// An MVCC snapshot: a graph that does not change, read without locks. Its changes are KITH_READ_ONLY. O(1).
kith_status kith_pin(kith_graph *graph, kith_graph **pin, kith_error *error);

// ---------------------------------------------------------------------------------------------------------------------
// Changes

// Each verb is one change, durable when the call returns. `changed` receives whether there was an effect, `id` the id
// that was given or assigned; both may be null. An id of 0 is assigned. A time may be KITH_NOW.
kith_status kith_add_user(kith_graph *graph, kith_text username, int64_t wanted, int64_t *id, kith_error *error);
kith_status kith_rename_user(kith_graph *graph, int64_t user, kith_text username, bool *changed, kith_error *error);
kith_status kith_remove_user(kith_graph *graph, int64_t user, kith_error *error);
kith_status kith_add_post(kith_graph *graph, int64_t author, kith_text text, int64_t wanted, int64_t created_at,
  int64_t *id, kith_error *error);
kith_status kith_remove_post(kith_graph *graph, int64_t post, kith_error *error);
kith_status kith_follow(kith_graph *graph, int64_t user, int64_t target, int64_t at, bool *changed, kith_error *error);
kith_status kith_unfollow(kith_graph *graph, int64_t user, int64_t target, bool *changed, kith_error *error);
kith_status kith_like(kith_graph *graph, int64_t user, int64_t post, int64_t at, bool *changed, kith_error *error);
kith_status kith_unlike(kith_graph *graph, int64_t user, int64_t post, bool *changed, kith_error *error);
kith_status kith_block(kith_graph *graph, int64_t user, int64_t target, bool *changed, kith_error *error);
kith_status kith_unblock(kith_graph *graph, int64_t user, int64_t target, bool *changed, kith_error *error);
kith_status kith_mute(kith_graph *graph, int64_t user, int64_t target, bool *changed, kith_error *error);
kith_status kith_unmute(kith_graph *graph, int64_t user, int64_t target, bool *changed, kith_error *error);

// What a host keeps with a user or a post, in a graph with a schema: with a new one, what is not given is none; in an
// edit it stays.
typedef struct kith_fields {
  const uint8_t *payload;  // at most 65,535 bytes; null: not given
  size_t payload_size;     // 0 with a payload that is not null: none
  int64_t edited_at;       // with has_edited_at; of posts alone. An edit of a text or a payload fills it in
  int32_t has_edited_at;
  int32_t has_flags;
  uint16_t flags;  // with has_flags
  uint8_t has_audience;
  uint8_t audience;  // with has_audience, of posts alone: who may see it, KITH_AUDIENCE_…
  uint8_t has_privacy;
  uint8_t is_private;  // with has_privacy, of users alone: whether only followers see the user's posts
  uint8_t reserved[2];
  kith_text display_name;  // of users alone, at most 255 bytes; null data: not given; no bytes: none
  kith_text kind;          // of a new user, one of user_kinds; null data: "user"
} kith_fields;
kith_status kith_edit_user(
  kith_graph *graph, int64_t user, const kith_fields *fields, bool *changed, kith_error *error);
// With null data of `text`, the text stays. Fields may be null.
kith_status kith_edit_post(
  kith_graph *graph, int64_t post, kith_text text, const kith_fields *fields, bool *changed, kith_error *error);

// Edges of relations by name, those that were declared and the four. The relation says which ends are users.
kith_status kith_add_edge(
  kith_graph *graph, kith_text relation, int64_t source, int64_t target, int64_t at, bool *changed, kith_error *error);
kith_status kith_remove_edge(
  kith_graph *graph, kith_text relation, int64_t source, int64_t target, bool *changed, kith_error *error);
// An edge that is given with a new post.
typedef struct kith_post_edge {
  kith_text relation;
  int64_t target;
  int64_t time;
  int32_t has_time;  // 0: that of the post
  int32_t reserved;
} kith_post_edge;
// A post with up to 256 edges, all or none, and with fields, which may be null.
kith_status kith_add_post_with_edges(kith_graph *graph, int64_t author, kith_text text, int64_t wanted,
  int64_t created_at, const kith_post_edge *edges, size_t edge_count, const kith_fields *fields, int64_t *id,
  kith_error *error);

enum {
  KITH_ADD_USER = 1,     // user (0: assigned), text, fields
  KITH_RENAME_USER = 2,  // user, text
  KITH_REMOVE_USER = 3,  // user
  KITH_ADD_POST = 4,     // user (the author), target (the post; 0: assigned), text, time, fields; no edges
  KITH_REMOVE_POST = 5,  // target
  KITH_FOLLOW = 6,       // user, target, time; likewise the others, without a time but for likes
  KITH_UNFOLLOW = 7,
  KITH_LIKE = 8,  // user, target (the post), time
  KITH_UNLIKE = 9,
  KITH_BLOCK = 10,
  KITH_UNBLOCK = 11,
  KITH_MUTE = 12,
  KITH_UNMUTE = 13,
  // Source, target, text (the relation), time. Read, not applied: kith_add_edge and kith_remove_edge make them.
  KITH_ADD_EDGE = 14,
  KITH_REMOVE_EDGE = 15,
  KITH_DECLARE = 16,    // nothing; read alone
  KITH_EDIT_USER = 17,  // user, fields
  KITH_EDIT_POST = 18,  // target (the post), text (null data: it stays), fields
};
typedef struct kith_change {
  int32_t kind;
  int32_t has_time;  // 0: the time is taken from the clock
  int64_t user;
  int64_t target;
  int64_t time;
  kith_text text;
  kith_fields fields;  // all 0: none
} kith_change;

typedef struct kith_change_result {
  uint64_t sequence;  // of the change; that of the last one if it had no effect
  int64_t id;         // of the user or post that was added; 0 otherwise
  int32_t changed;
  int32_t reserved;
} kith_change_result;

// Makes up to 10,000 changes, all or none, that are seen together. `results` has room for `count`, or is null. All are
// checked before the first is made: of a malformed one (an unknown kind, a text that is not valid), error.index is the
// place in `changes`. With the handle of a batch, the changes before one that fails stay in the batch, and error.index
// counts from the first change of the batch.
kith_status kith_apply(
  kith_graph *graph, const kith_change *changes, size_t count, kith_change_result *results, kith_error *error);
// Calls `body` with a handle: changes made with it form one batch, and queries see them. A body that returns 0 commits.
// With any other value the batch has no effect and the call returns that value; the error is that of the last failed
// call of the batch, if its status is that value. Other threads wait meanwhile.
kith_status kith_batch(
  kith_graph *graph, int32_t (*body)(kith_graph *batch, void *context), void *context, kith_error *error);

// Columns of an import. Texts of a column are one area of a size, with `count` + 1 ascending offsets. Times may be
// null: the start of the import.
typedef struct kith_users_column {
  size_t count;
  const int64_t *ids;
  const int64_t *offsets;
  const char *usernames;
  size_t usernames_size;
} kith_users_column;
typedef struct kith_posts_column {
  size_t count;
  const int64_t *ids;
  const int64_t *authors;
  const int64_t *times;
  const int64_t *offsets;
  const char *texts;
  size_t texts_size;
} kith_posts_column;
typedef struct kith_edges_column {
  size_t count;
  const int64_t *users;
  const int64_t *targets;
  const int64_t *times;
} kith_edges_column;
typedef struct kith_import_columns {
  kith_users_column users;
  kith_edges_column follows;
  kith_posts_column posts;
  kith_edges_column likes;
  kith_edges_column blocks;
  kith_edges_column mutes;
} kith_import_columns;

typedef struct kith_import_count {
  uint64_t added;
  uint64_t duplicates;  // there already, and equal
  uint64_t refused;     // against a rule of the graph
  uint64_t first_refused;
  kith_status first_status;
  int32_t reserved;
} kith_import_count;
typedef struct kith_import_report {
  kith_import_count users, follows, posts, likes, blocks, mutes;
} kith_import_report;

// Adds many rows at once, in the order of the members. Rows that break a rule are counted and left out. The rows bypass
// the journal: in a store, the call ends by writing a snapshot, and the rows are durable when it returns; if that
// fails, changes are refused until kith_snapshot succeeds. Indexes and lists are rebuilt, O(graph), so a few rows are
// better applied. Other threads wait meanwhile. With KITH_LIMIT_EXCEEDED the rows before the limit stay.
kith_status kith_import(
  kith_graph *graph, const kith_import_columns *columns, kith_import_report *report, kith_error *error);

// ---------------------------------------------------------------------------------------------------------------------
// Queries that answer with a page

enum {
  KITH_SEARCH_USERS = 1,         // text, match, folding, order, viewer, excluded
  KITH_SEARCH_POSTS = 2,         // text, folding, target (author), before, after, viewer
  KITH_TIMELINE = 3,             // user, direction, before, after, sources, replies, reposts, masks of flags
  KITH_TWO_HOP_TIMELINE = 4,     // the same, and follow_limit
  KITH_FOLLOWERS = 5,            // user, order, viewer
  KITH_FOLLOWEES = 6,            // user, order, viewer
  KITH_LIKERS = 7,               // target (post), viewer
  KITH_LIKES = 8,                // user, viewer
  KITH_BLOCKED_USERS = 9,        // user
  KITH_MUTED_USERS = 10,         // user
  KITH_MUTUAL_FOLLOWEES = 11,    // user, target, viewer
  KITH_MUTUAL_FOLLOWERS = 12,    // user, target, viewer
  KITH_SUGGESTIONS = 13,         // user, named_count, follow_limit
  KITH_USER = 14,                // user, viewer
  KITH_POST = 15,                // target, viewer
  KITH_USERS = 16,               // ids, viewer: the rows of those that exist, in the order of the ids
  KITH_POSTS = 17,               // ids, viewer
  KITH_FAMILIAR_FOLLOWERS = 18,  // user, viewer: the user's followers whom the viewer follows
  KITH_TARGETS = 19,             // text (a relation), target (the source of the edges), order of edges, viewer
  KITH_SOURCES = 20,             // the same of the edges that lead to target
  KITH_THREAD = 21,              // target, order of threads, viewer
  KITH_ANCESTORS = 22,           // target, viewer
  KITH_INCOMING = 23,            // for kith_incoming alone
};
enum { KITH_SUBSTRING = 0, KITH_PREFIX = 1, KITH_EXACT = 2, KITH_FUZZY = 3, KITH_REGEX = 4 };  // match
enum { KITH_LOOSE = 0, KITH_STRICT = 1 };                                                      // folding
enum { KITH_BY_NAME = 0, KITH_PREFIX_FIRST = 1, KITH_FOLLOWED_FIRST = 2, KITH_POPULAR = 3 };   // order of searches
enum { KITH_LIST_NEWEST = 0, KITH_LIST_BY_NAME = 1 };                                          // order of lists
enum { KITH_EDGES_NEWEST = 0, KITH_EDGES_OLDEST = 1, KITH_EDGES_BY_NAME = 2 };                 // order of edges
enum { KITH_THREAD_OLDEST = 0, KITH_THREAD_NEWEST = 1 };                                       // order of threads
enum { KITH_OLDER = 0, KITH_NEWER = 1 };                                                       // direction
// Sources of a timeline.
enum {
  KITH_OF_FOLLOWEES = 0,
  KITH_OF_TARGETS = 1,  // text: names of relations from users to users, separated by spaces
  KITH_OF_MEMBERS = 2,  // text: a relation from posts to users; target: the post
  KITH_OF_USERS = 3,    // ids
  KITH_OF_AUTHOR = 4,   // target
  KITH_OF_EVERYONE = 5,
};
// Replies, and reposts, of a timeline.
enum {
  KITH_ALL_REPLIES = 0,
  KITH_NO_REPLIES = 1,
  KITH_REPLIES_TO_FOLLOWED = 2,
  KITH_REPLIES_TO_SOURCES = 3,
  KITH_REPLIES_TO_AUTHOR = 4
};
enum { KITH_REPOSTS_ONCE = 0, KITH_ALL_REPOSTS = 1, KITH_NO_REPOSTS = 2 };
// Flags of queries.
enum {
  KITH_COUNTS_MATCHES = 1,       // searches of users, mutuals, familiar followers, edges: page.total
  KITH_INCLUDES_HIGHLIGHTS = 2,  // searches: page.ranges
  KITH_FOLLOWED_ONLY = 4,        // searches of posts: by users whom the viewer follows
  KITH_EXCLUDES_OWN_POSTS = 8,   // timelines
  KITH_HAS_BEFORE = 16,
  KITH_HAS_AFTER = 32,
  KITH_INCLUDES_BLOCKED = 64,    // KITH_SEARCH_USERS, KITH_USER, KITH_USERS: also whom the viewer blocks
  KITH_INCLUDES_AUTHORS = 128,   // of posts: page.users are their authors
  KITH_INCLUDES_PAYLOADS = 256,  // page.payloads, and with authors page.author_payloads
  KITH_MENTIONS_VISIBLE = 512,   // timelines: no post that mentions a user who is left out
  KITH_INCLUDES_CURSOR = 1024,   // timelines: also the post that the cursor is at
  KITH_LEAVES_OUT_MUTED = 2048,  // lists, threads, searches of posts: no users whom the viewer mutes, no posts by them
  KITH_USERNAMES_ALONE = 4096,   // searches of users: not in display names
};

typedef struct kith_query {
  int32_t kind;
  int32_t flags;
  int64_t user;
  int64_t target;
  int64_t viewer;    // 0: none; KITH_VISITOR
  int64_t excluded;  // 0: none
  int64_t before;    // with KITH_HAS_BEFORE, exclusive
  int64_t after;     // with KITH_HAS_AFTER, exclusive
  kith_text text;
  kith_text cursor;  // from kith_next or kith_previous; with null data: the first page
  const int64_t *ids;
  size_t id_count;       // at most 1,000
  int64_t limit;         // 1 to 1,000; 0: 20
  int64_t follow_limit;  // 0: 1,000,000
  int32_t named_count;   // 0 to 100 users named for each suggestion
  int32_t match;
  int32_t folding;
  int32_t order;
  int32_t direction;
  int32_t sources;  // of KITH_TIMELINE
  int32_t replies;  // of KITH_TIMELINE and KITH_SEARCH_POSTS, which takes all or none; so with what follows
  int32_t reposts;  // of KITH_TIMELINE
  // Masks of the flags that posts, found users or suggested users must have, have one of, must not have.
  uint16_t flags_all;
  uint16_t flags_any;
  uint16_t flags_none;
  uint8_t audiences;  // 1 << KITH_AUDIENCE_… for each that posts may have; 0: all
  uint8_t reserved;
  kith_text user_kind;  // of those whom a search finds, or who are suggested; null data: "user"
} kith_query;

#include "kith_records.h"

typedef struct kith_range {
  uint32_t start, end;  // bytes, half-open
} kith_range;

typedef struct kith_page {
  kith_result *owner;
  const kith_user *users;  // `count` rows; in a page of posts null, or with KITH_INCLUDES_AUTHORS the author of each
  const kith_post *posts;  // `count` rows, or null in a page of users
  size_t count;
  const char *text;
  size_t text_size;
  const char *display_names;  // of users
  int64_t total;              // of all pages; -1 unless it was asked for
  bool has_next;
  bool has_previous;
  bool is_truncated;           // a limit of the work was reached
  const uint32_t *range_ends;  // with highlights: row i has ranges[i ? range_ends[i - 1] : 0 ..< range_ends[i]]
  const kith_range *ranges;    // of the username, or of the post's text
  const uint32_t *display_name_range_ends;  // the same of display names
  const kith_range *display_name_ranges;
  const uint32_t *mutual_counts;  // of suggestions
  const uint32_t *mutual_ends;    // suggestion i names users[i ? mutual_ends[i - 1] : count ..< mutual_ends[i]]
  const kith_payload *payloads;   // of each row, in payload_bytes; null unless asked for
  const uint8_t *payload_bytes;
  const kith_payload *author_payloads;
  const uint8_t *author_payload_bytes;
} kith_page;

// Runs a query on one version of the graph.
kith_status kith_run(kith_graph *graph, const kith_query *query, kith_page *page, kith_error *error);
// The cursor of the next page, and in a timeline the one towards newer posts; empty if there is none. The text lives as
// long as the page.
kith_status kith_next(const kith_page *page, kith_text *cursor);
kith_status kith_previous(const kith_page *page, kith_text *cursor);

static inline kith_text kith_name(const kith_page *page, size_t row) {
  kith_text text = {0, 0};
  if (page->users) {
    text.data = page->text + page->users[row].name_start, text.size = page->users[row].name_size;
  } else {
    text.data = page->text + page->posts[row].name_start, text.size = page->posts[row].name_size;
  }
  return text;
}
// The display name of a user, or of the author with KITH_INCLUDES_AUTHORS; empty for none.
static inline kith_text kith_display_name(const kith_page *page, size_t row) {
  kith_text text = {0, 0};
  if (page->users && page->users[row].display_name_size) {
    text.data = page->display_names + page->users[row].display_name_start;
    text.size = page->users[row].display_name_size;
  }
  return text;
}
// The kind of a user, or of the author with KITH_INCLUDES_AUTHORS; empty for "user".
static inline kith_text kith_user_kind(const kith_page *page, size_t row) {
  kith_text text = {0, 0};
  if (page->users && page->users[row].kind_size) {
    const kith_user *user = &page->users[row];
    text.data = page->display_names + user->display_name_start + user->display_name_size;
    text.size = user->kind_size;
  }
  return text;
}
// Who reposted it; empty for a post at its own place.
static inline kith_text kith_reposter_name(const kith_page *page, size_t row) {
  const kith_post *post = &page->posts[row];
  kith_text text = {page->text + post->reposter_start, post->reposter_size};
  return text;
}
static inline kith_text kith_post_text(const kith_page *page, size_t row) {
  const kith_post *post = &page->posts[row];
  kith_text text = {page->text + post->name_start + post->name_size, post->text_size};
  return text;
}

// ---------------------------------------------------------------------------------------------------------------------
// Other queries

typedef struct kith_counts {
  int64_t users, posts, follows, likes, blocks, mutes;
  uint64_t sequence;
  int32_t is_post_search_indexed;
  int32_t reserved;
} kith_counts;

enum {
  KITH_FOLLOWS = 1,
  KITH_FOLLOWED_BY = 2,
  KITH_BLOCKS = 4,
  KITH_BLOCKED_BY = 8,
  KITH_MUTES = 16,
};
enum { KITH_PATH_FOUND = 0, KITH_UNREACHABLE = 1, KITH_GAVE_UP = 2 };

kith_status kith_get_counts(kith_graph *graph, kith_counts *counts, kith_error *error);
// The user of a name, with KITH_UNIQUE_LOOSE by loose key; 0 if there is none.
kith_status kith_find_user(kith_graph *graph, kith_text username, int64_t *user, kith_error *error);
// The same of a kind that user_kinds has named.
kith_status kith_find_user_of_kind(
  kith_graph *graph, kith_text username, kith_text kind, int64_t *user, kith_error *error);
kith_status kith_is_following(kith_graph *graph, int64_t user, int64_t target, bool *is_following, kith_error *error);
// `relations` has room for `count` values, each a sum of KITH_FOLLOWS to KITH_MUTES. At most 1,000 targets.
kith_status kith_relations(
  kith_graph *graph, int64_t user, const int64_t *targets, size_t count, uint8_t *relations, kith_error *error);
// Whether there is an edge of a relation.
kith_status kith_has_edge(
  kith_graph *graph, kith_text relation, int64_t source, int64_t target, bool *has_edge, kith_error *error);
// Counts and marks of relations, of up to 1,000 users (end KITH_END_USER) or posts: of each id in turn one for each
// relation. `counts` and `marks` have room for `count` * `relation_count`, or are null; marks need a viewer, and of a
// relation from posts there are none. An unknown id has zeros.
kith_status kith_edge_counts(kith_graph *graph, int32_t end, const int64_t *ids, size_t count,
  const kith_text *relations, size_t relation_count, int64_t viewer, uint32_t *counts, uint8_t *marks,
  kith_error *error);
kith_status kith_mutual_followee_count(
  kith_graph *graph, int64_t user, int64_t other, int64_t *count, kith_error *error);
// A shortest path along follows. `path` has room for `capacity` ids, and `count` receives the number on the path, which
// may be larger; `outcome` one of KITH_PATH_FOUND to KITH_GAVE_UP. A follow_limit of 0 is 1,000,000.
kith_status kith_shortest_path(kith_graph *graph, int64_t user, int64_t target, int64_t maximum_hops,
  int64_t follow_limit, int64_t *path, size_t capacity, size_t *count, int32_t *outcome, kith_error *error);
// The ids of a page of a timeline (KITH_TIMELINE), written to `posts`, which has room for `query->limit` ids, or for 20
// if that is 0.
kith_status kith_timeline_ids(
  kith_graph *graph, const kith_query *query, int64_t *posts, size_t *count, kith_error *error);

// What leads to a user: an edge to the user, or to one of their posts.
typedef struct kith_incoming_edge {
  kith_text relation;
  uint32_t second;       // since 1970
  uint32_t source;       // a row of `users`, or of `posts`
  uint32_t target;       // with has_target, a row of `posts`
  uint8_t is_from_post;  // `source` is a post: a reply, a mention
  uint8_t has_target;    // it leads to a post, not to the user
  uint8_t reserved[2];
} kith_incoming_edge;

typedef struct kith_incoming_page {
  kith_result *owner;
  const kith_incoming_edge *edges;  // `count` rows, newest first
  size_t count;
  kith_page users;  // each user and post once; `owner` and cursors are not set in these
  kith_page posts;
  kith_text next;  // the cursor of the next page; with null data there is none
} kith_incoming_page;

// A page of what leads to query->user (KITH_INCOMING): of the relations that query->text names, parted by spaces, or
// empty of all but those that their source alone sees; KITH_FOLLOWED_ONLY, KITH_INCLUDES_AUTHORS, before, after, limit,
// cursor.
kith_status kith_incoming(kith_graph *graph, const kith_query *query, kith_incoming_page *page, kith_error *error);
// How many there are, at most 1,000; `is_truncated` if there are more. Limit and cursor are left out.
kith_status kith_incoming_count(
  kith_graph *graph, const kith_query *query, int64_t *count, bool *is_truncated, kith_error *error);

// ---------------------------------------------------------------------------------------------------------------------
// Passes over the whole graph, on all cores, while changes continue. Row i of every result is the same user in all
// passes of one pin; ids[i] is 0 for a user who was removed.

// `task_limit`: the most cores; 0 for all.
kith_status kith_make_control(int32_t task_limit, kith_control **control, kith_error *error);
kith_status kith_cancel(kith_control *control);
// The share that is done, 0 to 1.
kith_status kith_fraction(kith_control *control, double *fraction);

typedef struct kith_ranks {
  kith_result *owner;
  const int64_t *ids;
  const double *scores;
  size_t count;
  int64_t rounds;
  bool has_converged;
} kith_ranks;
typedef struct kith_component {
  int64_t first;
  int64_t user_count;
} kith_component;
typedef struct kith_components {
  kith_result *owner;
  const int64_t *ids;
  const int64_t *firsts;  // by row: the first member of its component, which identifies it
  size_t count;
  const kith_component *components;  // largest first
  size_t component_count;
} kith_components;
typedef struct kith_bucket {
  int64_t degree;
  int64_t user_count;
} kith_bucket;
typedef struct kith_degrees {
  kith_result *owner;
  const kith_bucket *followers;  // ascending
  size_t follower_bucket_count;
  const kith_bucket *followees;
  size_t followee_bucket_count;
} kith_degrees;
// The follow graph as a sparse matrix by rows (CSR).
typedef struct kith_adjacency {
  kith_result *owner;
  const int64_t *ids;
  size_t count;
  const int64_t *offsets;   // count + 1
  const uint32_t *targets;  // rows
  const uint32_t *seconds;  // of each follow, since 1970
} kith_adjacency;

// damping 0: 0.85; tolerance 0: 1e-6; maximum_rounds 0: 100; KITH_ZERO: 0. `control` may be null.
kith_status kith_page_rank(kith_graph *graph, double damping, double tolerance, int64_t maximum_rounds,
  kith_control *control, kith_ranks *ranks, kith_error *error);
kith_status kith_connected_components(
  kith_graph *graph, kith_control *control, kith_components *components, kith_error *error);
kith_status kith_degree_distribution(
  kith_graph *graph, kith_control *control, kith_degrees *degrees, kith_error *error);
kith_status kith_get_adjacency(kith_graph *graph, kith_control *control, kith_adjacency *adjacency, kith_error *error);

enum {  // a sum of these
  KITH_EXPORT_USERS = 1,
  KITH_EXPORT_FOLLOWS = 2,
  KITH_EXPORT_POSTS = 4,
  KITH_EXPORT_LIKES = 8,
  KITH_EXPORT_BLOCKS = 16,
  KITH_EXPORT_MUTES = 32,
};
typedef struct kith_exported {
  kith_result *owner;
  kith_import_columns columns;
} kith_exported;

// The rows of a graph as columns, which kith_import takes: users and posts by id, edges by user, then target. Times are
// milliseconds; blocks and mutes have none. `parts` 0: all. O(graph), of one version: other threads read and write
// meanwhile. Memory: the columns, and those of users and posts twice. `control` may be null; it can cancel.
kith_status kith_export(
  kith_graph *graph, uint32_t parts, kith_control *control, kith_exported *exported, kith_error *error);

// ---------------------------------------------------------------------------------------------------------------------
// Observers

// Called on a thread of the library when an observer has something to read: once for many changes. Read with the poll.
// Other observers may have to wait until it returns.
typedef void (*kith_notify)(void *context);

typedef struct kith_event {
  uint64_t sequence;     // of the change, or of the first one that was missed
  uint64_t last_missed;  // 0 for a change; else the changes `sequence` to `last_missed` are no longer in memory
  kith_change change;    // texts live as long as the result
} kith_event;
typedef struct kith_events {
  kith_result *owner;
  const kith_event *events;
  size_t count;
  bool has_ended;  // the graph was closed, and this is all
} kith_events;

// Observes all changes from a sequence number on; 0: from the next one. `notify` may be null.
kith_status kith_observe_changes(
  kith_graph *graph, uint64_t sequence, kith_notify notify, void *context, kith_observer **observer, kith_error *error);
// The changes that are durable by now and were not yet read, at most `limit` (1 to 10,000). Does not wait.
kith_status kith_poll_changes(kith_observer *observer, size_t limit, kith_events *events, kith_error *error);
// Observes a query: the first poll answers its result, each later one a result that differs.
kith_status kith_observe_query(kith_graph *graph, const kith_query *query, kith_notify notify, void *context,
  kith_observer **observer, kith_error *error);
// `has_changed` receives whether `page` was set. An error of the query ends the observer; so does closing the graph,
// which is KITH_CLOSED.
kith_status kith_poll_query(kith_observer *observer, bool *has_changed, kith_page *page, kith_error *error);
// Waits until there may be something to read; KITH_TIMED_OUT otherwise. Negative: without limit. kith_interrupt ends
// the wait of another thread, and of later calls, with KITH_CANCELLED.
kith_status kith_wait(kith_observer *observer, int64_t milliseconds, kith_error *error);
kith_status kith_interrupt(kith_observer *observer);
// Past changes from the store's journal, in order, until `body` returns another value than 0, which is then returned.
// KITH_INVALID_REQUEST if the journal lacks one of them: an import is in no journal, and old journals are removed.
kith_status kith_journaled_changes(kith_graph *graph, uint64_t first, uint64_t last,
  int32_t (*body)(void *context, const kith_change *change, uint64_t sequence), void *context, kith_error *error);

// ---------------------------------------------------------------------------------------------------------------------
// Files and statistics

typedef struct kith_snapshot_info {
  uint64_t sequence;
  char path[4096];
} kith_snapshot_info;
// What a row of a table has is said by the function that makes it.
typedef struct kith_table_row {
  kith_text name;
  kith_text place;
  kith_text message;
  int64_t count;
  int64_t bytes;
} kith_table_row;
typedef struct kith_table {
  kith_result *owner;
  const kith_table_row *rows;
  size_t count;
} kith_table;
typedef struct kith_restore_point {
  uint64_t sequence;  // 0: not by sequence number
  int32_t has_time;
  int32_t reserved;
  int64_t time;
  int64_t maximum_bytes;  // of memory for a graph from a foreign snapshot; 0: by its size
} kith_restore_point;

// Writes a snapshot of a store. `progress` may be null; it gets bytes written so far, then -1 while they are verified.
kith_status kith_snapshot(kith_graph *graph, void (*progress)(void *context, int64_t bytes), void *context,
  kith_snapshot_info *info, kith_error *error);
// Writes a snapshot to a descriptor, which the caller keeps.
kith_status kith_write_snapshot(kith_graph *graph, int32_t descriptor, uint64_t *sequence, kith_error *error);
// Makes a new store from a store or a snapshot file; `point` null: the newest state. A time means the last change that
// was not written later, by the clock of the machine that wrote; a time later than now is KITH_INVALID_REQUEST. The
// target is a store once all of it is there; until then, opening refuses it, and the same call again takes over what an
// ended process has left.
kith_status kith_restore(
  kith_text source, kith_text target, const kith_restore_point *point, kith_snapshot_info *info, kith_error *error);
// The same, with what the operator should know about the files and the way to the point, such as where the clock went
// back, or that the time is later than the newest change. Rows of `remarks`: message.
kith_status kith_restore_noting(kith_text source, kith_text target, const kith_restore_point *point,
  kith_snapshot_info *info, kith_table *remarks, kith_error *error);
// Checks every invariant of a graph, or reads and checks all files of a store or a snapshot. Rows: name is the code of
// the violation, with place and message. No rows: sound.
kith_status kith_verify(kith_graph *graph, kith_table *violations, kith_error *error);
kith_status kith_verify_files(kith_text path, kith_table *violations, kith_error *error);
// What opening the files found. Rows: message.
kith_status kith_recovery_remarks(kith_graph *graph, kith_table *remarks, kith_error *error);
// The memory by structure. Rows: name and bytes; after them, by unit (place is "unit"): name, count and bytes.
kith_status kith_memory_report(kith_graph *graph, kith_table *report, kith_error *error);

#ifdef __cplusplus
}
#endif
#endif
