// Changes and batches.
#include "query.h"

// An optional id: 0 if the field is absent, and for 0 an id that nothing has.
static int64_t wanted(const request *request, const char *field) {
  int64_t id = integer(request, field);
  return has(request, field) && id == 0 ? -1 : id;
}

static bool fill(kith_graph *graph, const request *request, kith_change *change) {
  change->kind = request->operation->kind;
  if (!user(graph, request, "user", &change->user) || !user(graph, request, "target", &change->target)) return false;
  if (change->kind == KITH_ADD_USER) change->user = wanted(request, "id");
  if (change->kind == KITH_ADD_POST) change->target = wanted(request, "id");
  if (has(request, "post")) change->target = wanted(request, "post");
  change->text = text(request, change->kind == KITH_ADD_POST ? "text" : "username");
  const char *time = change->kind == KITH_ADD_POST ? "createdAt" : "at";
  change->has_time = has(request, time);
  change->time = integer(request, time);
  return true;
}

json_t *answer_change(kith_graph *graph, const request *request) {
  kith_change change = {0};
  kith_change_result result;
  if (!fill(graph, request, &change)) return NULL;
  bool was_changed = succeeded(kith_apply(graph, &change, 1, &result, &error));
  failed.index = -1;
  if (!was_changed) return NULL;
  json_t *made;
  if (change.kind == KITH_ADD_USER) {
    made = one_row(graph, &(kith_query){.kind = KITH_USER, .user = result.id}, "user");
  } else if (change.kind == KITH_ADD_POST) {
    made = one_row(graph, &(kith_query){.kind = KITH_POST, .target = result.id}, "post");
  } else {
    made = json_pack("{sb}", "changed", result.changed);
  }
  if (made) json_object_set_new(made, "sequence", json_integer((json_int_t)result.sequence));
  return made;
}

typedef struct batch {
  const json_t *changes;
  json_t *results;
  bool has_failed;
} batch;

static int32_t make_changes(kith_graph *graph, void *context) {
  batch *batch = context;
  size_t index;
  json_t *each;
  json_array_foreach(batch->changes, index, each) {
    request change;
    json_t *made = read_request(each, &change) ? answer_change(graph, &change) : NULL;
    if (!made) {
      failed.index = (int64_t)index;
      batch->has_failed = true;
      return KITH_INVALID_REQUEST;  // any value but 0: `failed` says why
    }
    json_t *result = json_pack("{sb}", "ok", true), *tag = json_object_get(each, "tag");
    json_object_update(result, made);
    if (tag) json_object_set(result, "tag", tag);
    json_decref(made);
    json_array_append_new(batch->results, result);
  }
  return KITH_OK;
}

json_t *answer_batch(kith_graph *graph, const request *request) {
  batch batch = {.changes = get(request, "changes"), .results = json_array()};
  kith_counts counts;
  kith_status status = kith_batch(graph, make_changes, &batch, &error);
  if (batch.has_failed || !succeeded(status) || !succeeded(kith_get_counts(graph, &counts, &error))) {
    json_decref(batch.results);
    return NULL;
  }
  const json_t *last = json_array_get(batch.results, json_array_size(batch.results) - 1);
  json_int_t sequence = last ? json_integer_value(json_object_get(last, "sequence")) : (json_int_t)counts.sequence;
  return json_pack("{so sI}", "results", batch.results, "sequence", sequence);
}
