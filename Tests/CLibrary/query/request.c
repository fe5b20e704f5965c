// The fields of a request, and failures.
#include <string.h>

#include "query.h"

failure failed;
kith_error error;

bool refuse(const char *code, const char *message) {
  failed.code = code;
  strncpy(failed.message, message, sizeof failed.message - 1);
  return false;
}

bool refuse_field(const char *field, const char *message) {
  char sentence[128];
  snprintf(sentence, sizeof sentence, "%s %s", field, message);
  return refuse("invalidRequest", sentence);
}

bool succeeded(kith_status status) {
  if (status == KITH_OK) return true;
  failed.index = error.index;
  return refuse(kith_status_name(status), error.message);
}

json_t *get(const request *request, const char *field) {
  json_t *given = json_object_get(request->value, field), *each;
  size_t index;
  if (given) return given;
  json_array_foreach(json_object_get(request->operation->help, "fields"), index, each) {
    if (strcmp(json_string_value(json_object_get(each, "name")), field) == 0) return json_object_get(each, "default");
  }
  return NULL;
}

bool has(const request *request, const char *field) { return json_object_get(request->value, field) != NULL; }

int64_t integer(const request *request, const char *field) { return json_integer_value(get(request, field)); }

bool flag(const request *request, const char *field) { return json_is_true(get(request, field)); }

int word(const request *request, const char *field) {
  json_t *value = get(request, field), *each, *name;
  size_t index, place;
  json_array_foreach(json_object_get(request->operation->help, "fields"), index, each) {
    if (strcmp(json_string_value(json_object_get(each, "name")), field) != 0) continue;
    json_array_foreach(json_object_get(each, "values"), place, name) if (json_equal(name, value)) return (int)place;
  }
  return 0;
}

kith_text text(const request *request, const char *field) {
  const json_t *value = get(request, field);
  return (kith_text){json_string_value(value), json_string_length(value)};
}

bool find(kith_graph *graph, const json_t *reference, int64_t *id) {
  if (json_is_integer(reference)) {
    *id = json_integer_value(reference);
    if (*id == 0) *id = -1;  // an id that no user has, not the absence of a user
    return true;
  }
  const json_t *name = json_object_get(reference, "username");
  kith_text username = {json_string_value(name), json_string_length(name)};
  if (!succeeded(kith_find_user(graph, username, id, &error))) return false;
  return *id != 0 || refuse("unknownUser", "no user has this name");
}

bool user(kith_graph *graph, const request *request, const char *field, int64_t *id) {
  *id = 0;
  return !has(request, field) || find(graph, get(request, field), id);
}
