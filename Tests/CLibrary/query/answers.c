// Answers to questions: pages, single rows, relations, counts.
#include <stdlib.h>
#include <string.h>

#include "query.h"

static json_t *string_of(kith_text text) { return json_stringn(text.size ? text.data : "", text.size); }

static json_t *ranges_of(const kith_page *page, size_t row) {
  json_t *made = json_array();
  for (uint32_t i = row ? page->range_ends[row - 1] : 0; i < page->range_ends[row]; i++) {
    json_array_append_new(
        made, json_pack("[II]", (json_int_t)page->ranges[i].start, (json_int_t)page->ranges[i].end));
  }
  return made;
}

static json_t *user_value(const kith_page *page, size_t row) {
  const kith_user *user = &page->users[row];
  json_t *made = json_pack(
      "{sI so sI sI sI}", "id", (json_int_t)user->id, "username", string_of(kith_name(page, row)), "followerCount",
      (json_int_t)user->follower_count, "followeeCount", (json_int_t)user->followee_count, "postCount",
      (json_int_t)user->post_count);
  if (user->followed_by_viewer != KITH_NO_VIEWER) {
    json_object_set_new(made, "following", json_boolean(user->followed_by_viewer == KITH_IS_FOLLOWED));
  }
  if (user->event != KITH_NO_EVENT) {
    const char *name = user->event == KITH_FOLLOWED_AT ? "followedAt" : "likedAt";
    json_object_set_new(made, name, json_integer((json_int_t)user->second * 1000));
  }
  if (page->mutual_counts) json_object_set_new(made, "mutualCount", json_integer(page->mutual_counts[row]));
  if (page->range_ends) json_object_set_new(made, "ranges", ranges_of(page, row));
  return made;
}

static json_t *post_value(const kith_page *page, size_t row) {
  const kith_post *post = &page->posts[row];
  json_t *made = json_pack(
      "{sI s{sI so} sI so sI}", "id", (json_int_t)post->id, "author", "id", (json_int_t)post->author, "username",
      string_of(kith_name(page, row)), "createdAt", (json_int_t)post->created_at, "text",
      string_of(kith_post_text(page, row)), "likeCount", (json_int_t)post->like_count);
  if (post->has_viewer) json_object_set_new(made, "liked", json_boolean(post->liked_by_viewer));
  if (post->has_liked_at) {
    json_object_set_new(made, "likedAt", json_integer((json_int_t)post->liked_second * 1000));
  }
  if (page->range_ends) json_object_set_new(made, "ranges", ranges_of(page, row));
  return made;
}

static json_t *row_value(const kith_page *page, size_t row) {
  return page->users ? user_value(page, row) : post_value(page, row);
}

json_t *one_row(kith_graph *graph, const kith_query *query, const char *name) {
  kith_page page;
  if (!succeeded(kith_run(graph, query, &page, &error))) return NULL;
  json_t *made = json_pack("{so}", name, row_value(&page, 0));
  kith_free(page.owner);
  return made;
}

static json_t *cursor_of(const kith_page *page, kith_status read(const kith_page *, kith_text *)) {
  kith_text cursor;
  return read(page, &cursor) == KITH_OK && cursor.size ? string_of(cursor) : json_null();
}

static bool fill(kith_graph *graph, const request *request, kith_query *query) {
  if (!user(graph, request, "user", &query->user) || !user(graph, request, "target", &query->target) ||
      !user(graph, request, "as", &query->viewer) || !user(graph, request, "excluding", &query->excluded)) {
    return false;
  }
  query->kind = request->operation->kind + word(request, "of");
  if (query->kind == KITH_SEARCH_POSTS) query->target = query->user, query->user = 0;
  if (has(request, "post")) query->target = integer(request, "post");
  query->limit = integer(request, "limit");
  query->text = text(request, "query");
  query->cursor = text(request, "cursor");
  query->match = word(request, "match");
  query->folding = word(request, "fold");
  query->order = word(request, "order");
  query->direction = word(request, "direction");
  query->before = integer(request, "before");
  query->after = integer(request, "after");
  query->flags = KITH_HAS_BEFORE * has(request, "before") | KITH_HAS_AFTER * has(request, "after") |
                 KITH_COUNTS_MATCHES * flag(request, "count") |
                 KITH_INCLUDES_HIGHLIGHTS * flag(request, "highlights") |
                 KITH_FOLLOWED_ONLY * flag(request, "following") |
                 KITH_EXCLUDES_OWN_POSTS * (query->kind == KITH_TIMELINE && !flag(request, "includeSelf"));
  return true;
}

static json_t *answer_page(kith_graph *graph, const request *request) {
  kith_query query = {0};
  if (!fill(graph, request, &query)) return NULL;
  if (query.kind == KITH_USER) return one_row(graph, &query, "user");
  if (query.kind == KITH_POST) return one_row(graph, &query, "post");
  kith_page page;
  if (!succeeded(kith_run(graph, &query, &page, &error))) return NULL;
  json_t *rows = json_array();
  for (size_t row = 0; row < page.count; row++) json_array_append_new(rows, row_value(&page, row));
  bool has_posts = query.kind == KITH_SEARCH_POSTS || query.kind == KITH_TIMELINE || query.kind == KITH_LIKES;
  json_t *made = json_pack("{so}", has_posts ? "posts" : "users", rows);
  if (query.kind == KITH_SUGGESTIONS) {
    json_object_set_new(made, "truncated", json_boolean(page.is_truncated));
  } else {
    json_object_set_new(made, "next", cursor_of(&page, kith_next));
  }
  if (query.kind == KITH_TIMELINE) json_object_set_new(made, "previous", cursor_of(&page, kith_previous));
  if (page.total >= 0) json_object_set_new(made, "count", json_integer(page.total));
  kith_free(page.owner);
  return made;
}

// The rows of ids, null at the places of those that do not exist.
static json_t *rows_of(kith_graph *graph, int kind, int64_t viewer, const json_t *references) {
  int64_t ids[ID_LIMIT];
  size_t count = json_array_size(references), row = 0;
  for (size_t i = 0; i < count; i++) {
    if (kind == KITH_POSTS) {
      ids[i] = json_integer_value(json_array_get(references, i));
    } else if (!find(graph, json_array_get(references, i), &ids[i])) {
      ids[i] = -1;
    }
  }
  kith_query query = {.kind = kind, .viewer = viewer, .ids = ids, .id_count = count};
  kith_page page;
  if (!succeeded(kith_run(graph, &query, &page, &error))) return NULL;
  json_t *made = json_array();
  for (size_t i = 0; i < count; i++) {
    bool exists = row < page.count && (page.users ? page.users[row].id : page.posts[row].id) == ids[i];
    json_array_append_new(made, exists ? row_value(&page, row++) : json_null());
  }
  kith_free(page.owner);
  return made;
}

static json_t *answer_lookup(kith_graph *graph, const request *request) {
  int64_t viewer;
  if (!user(graph, request, "as", &viewer)) return NULL;
  json_t *users = rows_of(graph, KITH_USERS, viewer, get(request, "users"));
  json_t *posts = users ? rows_of(graph, KITH_POSTS, viewer, get(request, "posts")) : NULL;
  if (posts) return json_pack("{so so}", "users", users, "posts", posts);
  json_decref(users);
  return NULL;
}

static json_t *answer_relations(kith_graph *graph, const request *request) {
  int64_t of, targets[ID_LIMIT];
  uint8_t found[ID_LIMIT];
  size_t index;
  json_t *each, *relations;
  if (!user(graph, request, "user", &of)) return NULL;
  json_array_foreach(get(request, "targets"), index, each) if (!find(graph, each, &targets[index])) return NULL;
  size_t count = json_array_size(get(request, "targets"));
  if (!succeeded(kith_relations(graph, of, targets, count, found, &error))) return NULL;
  relations = json_array();
  for (size_t i = 0; i < count; i++) {
    int set = found[i];
    json_array_append_new(
        relations, json_pack(
                       "{sb sb sb sb sb}", "following", set & KITH_FOLLOWS, "followedBy", set & KITH_FOLLOWED_BY,
                       "blocking", set & KITH_BLOCKS, "blockedBy", set & KITH_BLOCKED_BY, "muting", set & KITH_MUTES));
  }
  return json_pack("{so}", "relations", relations);
}

static json_t *answer_pair(kith_graph *graph, const request *request) {
  int64_t of, target, path[1];
  if (!user(graph, request, "user", &of) || !user(graph, request, "target", &target)) return NULL;
  if (strcmp(request->operation->name, "isFollowing") == 0) {
    bool value;
    if (!succeeded(kith_is_following(graph, of, target, &value, &error))) return NULL;
    return json_pack("{sb}", "value", value);
  }
  size_t count;
  int32_t outcome;
  if (!succeeded(
          kith_shortest_path(graph, of, target, integer(request, "max"), 0, path, 1, &count, &outcome, &error))) {
    return NULL;
  }
  json_t *hops = outcome == KITH_PATH_FOUND ? json_integer((json_int_t)count - 1) : json_null();
  return json_pack("{so sb}", "value", hops, "complete", outcome != KITH_GAVE_UP);
}

static json_t *answer_stats(kith_graph *graph) {
  kith_counts counts;
  kith_table report;
  if (!succeeded(kith_get_counts(graph, &counts, &error))) return NULL;
  if (!succeeded(kith_memory_report(graph, &report, &error))) return NULL;
  json_t *sizes = json_object();
  int64_t total = 0;
  for (size_t i = 0; i < report.count; i++) {
    const kith_table_row *row = &report.rows[i];
    if (row->place.size) continue;  // by unit
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)row->name.size, row->name.data);
    json_object_set_new(sizes, name, json_integer(row->bytes));
    total += row->bytes;
  }
  json_object_set_new(sizes, "total", json_integer(total));
  kith_free(report.owner);
  return json_pack(
      "{sI sI sI sI sI sI sI so}", "users", (json_int_t)counts.users, "follows", (json_int_t)counts.follows, "posts",
      (json_int_t)counts.posts, "likes", (json_int_t)counts.likes, "blocks", (json_int_t)counts.blocks, "mutes",
      (json_int_t)counts.mutes, "sequence", (json_int_t)counts.sequence, "bytes", sizes);
}

static json_t *answer_verify(kith_graph *graph) {
  kith_table found;
  if (!succeeded(kith_verify(graph, &found, &error))) return NULL;
  json_t *problems = json_array();
  for (size_t i = 0; i < found.count; i++) {
    const kith_table_row *row = &found.rows[i];
    json_array_append_new(
        problems, json_pack(
                      "{so so so}", "code", string_of(row->name), "where", string_of(row->place), "message",
                      string_of(row->message)));
  }
  kith_free(found.owner);
  return json_pack("{so}", "problems", problems);
}

json_t *answer_question(kith_graph *graph, const request *request) {
  const char *op = request->operation->name;
  if (request->operation->group == PAGE) return answer_page(graph, request);
  if (strcmp(op, "lookup") == 0) return answer_lookup(graph, request);
  if (strcmp(op, "relations") == 0) return answer_relations(graph, request);
  if (strcmp(op, "stats") == 0) return answer_stats(graph);
  if (strcmp(op, "verify") == 0) return answer_verify(graph);
  if (strcmp(op, "help") == 0) return help(json_string_value(get(request, "about")));
  return answer_pair(graph, request);
}
