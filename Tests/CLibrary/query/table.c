// The table of operations: what `help` answers, and what requests are checked against.
#include <stdlib.h>
#include <string.h>

#include "query.h"

static operation operations[] = {
    {"users", PAGE, KITH_SEARCH_USERS,
     "limit=20 cursor? as? query=\"\" match=substring|prefix|exact|fuzzy|regex fold=loose|strict "
     "order=name|prefixFirst|followedFirst|popular excluding? count=false highlights=false", "users next count", 0},
    {"user", PAGE, KITH_USER, "user as?", "user", 0},
    {"post", PAGE, KITH_POST, "post as?", "post", 0},
    {"lookup", OTHER, 0, "as? users? posts?", "users posts", 0},
    {"timeline", PAGE, KITH_TIMELINE,
     "user limit=20 cursor? direction=older|newer before? after? includeSelf=true", "posts next previous", 0},
    {"posts", PAGE, KITH_SEARCH_POSTS,
     "limit=20 cursor? as? query=\"\" user? following=false fold=loose|strict before? after? highlights=false",
     "posts next", 0},
    {"followees", PAGE, KITH_FOLLOWEES, "user limit=20 cursor? as? order=newest|name", "users next", 0},
    {"followers", PAGE, KITH_FOLLOWERS, "user limit=20 cursor? as? order=newest|name", "users next", 0},
    {"isFollowing", OTHER, 0, "user target", "value", 0},
    {"relations", OTHER, 0, "user targets", "relations", 0},
    {"likers", PAGE, KITH_LIKERS, "post limit=20 cursor? as?", "users next", 0},
    {"likes", PAGE, KITH_LIKES, "user limit=20 cursor? as?", "posts next", 0},
    {"mutuals", PAGE, KITH_MUTUAL_FOLLOWEES, "user target limit=20 cursor? of=followees|followers", "users next", 0},
    {"suggestions", PAGE, KITH_SUGGESTIONS, "user limit=20", "users truncated", 0},
    {"distance", OTHER, 0, "user target max=6", "value complete", 0},
    {"blocked", PAGE, KITH_BLOCKED_USERS, "user limit=20 cursor?", "users next", 0},
    {"muted", PAGE, KITH_MUTED_USERS, "user limit=20 cursor?", "users next", 0},
    {"addUser", CHANGE, KITH_ADD_USER, "username id?", "user sequence", 0},
    {"renameUser", CHANGE, KITH_RENAME_USER, "user username", "changed sequence", 0},
    {"removeUser", CHANGE, KITH_REMOVE_USER, "user", "changed sequence", 0},
    {"follow", CHANGE, KITH_FOLLOW, "user target at?", "changed sequence", 0},
    {"unfollow", CHANGE, KITH_UNFOLLOW, "user target", "changed sequence", 0},
    {"addPost", CHANGE, KITH_ADD_POST, "user text id? createdAt?", "post sequence", 0},
    {"removePost", CHANGE, KITH_REMOVE_POST, "post", "changed sequence", 0},
    {"like", CHANGE, KITH_LIKE, "user post at?", "changed sequence", 0},
    {"unlike", CHANGE, KITH_UNLIKE, "user post", "changed sequence", 0},
    {"block", CHANGE, KITH_BLOCK, "user target", "changed sequence", 0},
    {"unblock", CHANGE, KITH_UNBLOCK, "user target", "changed sequence", 0},
    {"mute", CHANGE, KITH_MUTE, "user target", "changed sequence", 0},
    {"unmute", CHANGE, KITH_UNMUTE, "user target", "changed sequence", 0},
    {"batch", OTHER, 0, "changes", "results sequence", 0},
    {"snapshot", OTHER, 0, "", "path sequence", 0},
    {"stats", OTHER, 0, "", "users follows posts likes blocks mutes sequence bytes", 0},
    {"verify", OTHER, 0, "", "problems", 0},
    {"watch", OTHER, 0, "question", "watch", 0},
    {"unwatch", OTHER, 0, "watch", "changed", 0},
    {"help", OTHER, 0, "about?", "ops", 0},
};
enum { OPERATION_COUNT = sizeof operations / sizeof *operations };

// The types of fields that have no default and are not integers.
static const char *types[][2] = {
    {"user", "user"}, {"target", "user"}, {"as", "user"}, {"excluding", "user"}, {"users", "users"},
    {"targets", "users"}, {"posts", "integers"}, {"changes", "changes"}, {"question", "question"},
    {"username", "string"}, {"text", "string"}, {"query", "string"}, {"cursor", "string"}, {"about", "string"},
};

static json_t *words(const char *list, const char *separator) {
  json_t *made = json_array();
  char *copy = strdup(list), *rest;
  for (char *each = strtok_r(copy, separator, &rest); each; each = strtok_r(NULL, separator, &rest)) {
    json_array_append_new(made, json_string(each));
  }
  free(copy);
  return made;
}

static void set_bounds(json_t *field, json_int_t minimum, json_int_t maximum) {
  json_object_set_new(field, "minimum", json_integer(minimum));
  json_object_set_new(field, "maximum", json_integer(maximum));
}

static json_t *make_field(char *field) {
  char *fallback = strchr(field, '='), *optional = strchr(field, '?');
  if (fallback) *fallback++ = 0;
  if (!fallback && optional) *optional = 0;
  const char *type = "integer";
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    if (strcmp(types[i][0], field) == 0) type = types[i][1];
  }
  json_t *made = json_pack("{ss sb}", "name", field, "required", !fallback && !optional);
  if (fallback && strchr(fallback, '|')) {
    json_t *values = words(fallback, "|");
    type = "string";
    json_object_set(made, "default", json_array_get(values, 0));
    json_object_set_new(made, "values", values);
  } else if (fallback) {
    json_t *value = json_loads(fallback, JSON_DECODE_ANY, NULL);
    if (json_is_boolean(value)) type = "boolean";
    json_object_set_new(made, "default", value);
  }
  json_object_set_new(made, "type", json_string(type));
  if (strcmp(field, "limit") == 0) set_bounds(made, 1, 1000);
  if (strcmp(field, "max") == 0) set_bounds(made, 0, INT64_MAX);
  int limit = strcmp(type, "changes") == 0 ? CHANGE_LIMIT : ID_LIMIT;
  if (type[strlen(type) - 1] == 's') json_object_set_new(made, "maximumCount", json_integer(limit));
  return made;
}

void make_table(void) {
  json_t *names = json_array();
  for (operation *each = operations; each < operations + OPERATION_COUNT; each++) {
    json_t *fields = json_array();
    char *copy = strdup(each->fields), *rest;
    for (char *field = strtok_r(copy, " ", &rest); field; field = strtok_r(NULL, " ", &rest)) {
      json_array_append_new(fields, make_field(field));
    }
    free(copy);
    each->help = json_pack("{ss so so}", "op", each->name, "fields", fields, "answer", words(each->answer, " "));
    json_array_append_new(names, json_string(each->name));
  }
  json_t *about = json_array_get(json_object_get(operations[OPERATION_COUNT - 1].help, "fields"), 0);
  json_object_set_new(about, "values", names);
}

json_t *help(const char *about) {
  json_t *entries = json_array();
  for (operation *each = operations; each < operations + OPERATION_COUNT; each++) {
    if (!about || strcmp(each->name, about) == 0) json_array_append(entries, each->help);
  }
  return json_pack("{so}", "ops", entries);
}

static bool count_values(const json_t *value, int level, int *count) {
  if (level > LEVEL_LIMIT || ++*count > VALUE_LIMIT) return false;
  const char *name;
  json_t *each;
  size_t index;
  if (json_is_array(value)) {
    json_array_foreach(value, index, each) if (!count_values(each, level + 1, count)) return false;
  }
  json_object_foreach((json_t *)value, name, each) if (!count_values(each, level + 1, count)) return false;
  return true;
}

bool check_limits(const json_t *value) {
  int count = 0;
  return count_values(value, 0, &count);
}

static bool is_reference(const json_t *value) {
  bool is_name = json_object_size(value) == 1 && json_is_string(json_object_get(value, "username"));
  return json_is_integer(value) || is_name;
}

static bool check_number(const json_t *value, const json_t *field, const char *name) {
  const json_t *minimum = json_object_get(field, "minimum"), *maximum = json_object_get(field, "maximum");
  if (!json_is_integer(value)) return refuse_field(name, "is an integer");
  json_int_t number = json_integer_value(value);
  if (!minimum || (json_integer_value(minimum) <= number && number <= json_integer_value(maximum))) return true;
  return refuse_field(name, "is out of range");
}

static bool check_string(const json_t *value, const json_t *field, const char *name) {
  if (!json_is_string(value)) return refuse_field(name, "is a string");
  json_t *values = json_object_get(field, "values"), *each;
  if (!values) return true;
  size_t index;
  json_array_foreach(values, index, each) if (json_equal(each, value)) return true;
  return refuse_field(name, "is none of its words");
}

static bool check_list(const json_t *value, const json_t *field, const char *name, const char *type) {
  if (!json_is_array(value)) return refuse_field(name, "is a list");
  json_int_t limit = json_integer_value(json_object_get(field, "maximumCount"));
  if (json_array_size(value) > (size_t)limit) return refuse_field(name, "has too many elements");
  size_t index;
  json_t *each;
  json_array_foreach(value, index, each) {
    if (strcmp(type, "changes") == 0) {
      request change;
      failed.index = (int64_t)index;
      if (!read_request(each, &change)) return false;
      if (change.operation->group != CHANGE) return refuse("invalidRequest", "a batch holds single changes");
      failed.index = -1;
    } else if (strcmp(type, "users") == 0 ? !is_reference(each) : !json_is_integer(each)) {
      return refuse_field(name, "has an element of another type");
    }
  }
  return true;
}

static bool check_question(json_t *value) {
  static const char *unwatched[] = {"batch", "snapshot", "watch", "unwatch"};
  request question;
  if (!read_request(value, &question)) return false;
  bool is_watched = question.operation->group != CHANGE;
  for (int i = 0; i < 4; i++) is_watched &= strcmp(question.operation->name, unwatched[i]) != 0;
  return is_watched || refuse("invalidRequest", "only a question is watched");
}

static bool check(json_t *value, const json_t *field) {
  const char *name = json_string_value(json_object_get(field, "name"));
  const char *type = json_string_value(json_object_get(field, "type"));
  if (strcmp(type, "integer") == 0) return check_number(value, field, name);
  if (strcmp(type, "string") == 0) return check_string(value, field, name);
  if (strcmp(type, "boolean") == 0) return json_is_boolean(value) || refuse_field(name, "is true or false");
  if (strcmp(type, "user") == 0) return is_reference(value) || refuse_field(name, "is an id or a name");
  if (strcmp(type, "question") == 0) return check_question(value);
  return check_list(value, field, name, type);
}

// What one field says about another.
static bool check_combinations(const request *made) {
  const char *op = made->operation->name;
  if (strcmp(op, "posts") == 0 && flag(made, "following") && !has(made, "as")) {
    return refuse("invalidRequest", "following needs a viewer (as)");
  }
  if (strcmp(op, "users") != 0) return true;
  if (word(made, "order") == KITH_FOLLOWED_FIRST && !has(made, "as")) {
    return refuse("invalidRequest", "order followedFirst needs a viewer (as)");
  }
  if (word(made, "match") == KITH_REGEX && has(made, "fold")) {
    return refuse("invalidRequest", "match regex ignores case by itself and takes no fold");
  }
  if (word(made, "match") == KITH_FUZZY && word(made, "order") != KITH_BY_NAME) {
    return refuse("invalidRequest", "match fuzzy has an order of its own");
  }
  return true;
}

bool read_request(json_t *value, request *made) {
  const char *op = json_string_value(json_object_get(value, "op")), *name;
  if (!op) return refuse("invalidRequest", "a request is an object with op, the name of an operation");
  made->value = value;
  made->operation = NULL;
  for (operation *each = operations; each < operations + OPERATION_COUNT; each++) {
    if (strcmp(each->name, op) == 0) made->operation = each;
  }
  if (!made->operation) return refuse("invalidRequest", "there is no such operation");
  json_t *fields = json_object_get(made->operation->help, "fields"), *field, *given;
  size_t index, found = 0;
  json_array_foreach(fields, index, field) {
    name = json_string_value(json_object_get(field, "name"));
    given = json_object_get(value, name);
    found += given != NULL;
    if (given && !check(given, field)) return false;
    if (!given && json_is_true(json_object_get(field, "required"))) return refuse_field(name, "is missing");
  }
  size_t others = 1 + (json_object_get(value, "tag") != NULL);
  if (json_object_size(value) != found + others) return refuse("invalidRequest", "there is no such field");
  return check_combinations(made);
}
