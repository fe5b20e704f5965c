// Answers from bare arrays in C, the baselines of Benchmarks: nothing can be changed, nothing is locked or logged.
//
// arrays PLAN QUESTIONS DIRECTORY
//
// A statement is the name of an operation; `names` behind it answers ids and names alone. The arrays are read from
// files that arrays.py writes.

#define _GNU_SOURCE
#include "baseline.h"
#include "driver.h"
#include "hops.h"

enum { LIMIT = 20, FUZZY_EDITS = 2 };

static const char *directory;
static struct baseline_graph graph, newest_first;
static struct baseline_names names;
static struct baseline_posts posts;
static struct baseline_follows follows;
static struct baseline_scratch scratch;
// By post: likers, oldest like first. By user: followers, newest first.
static const uint32_t *liker_offsets, *likers, *fan_offsets, *fans;
static uint32_t *found;
static char bytes[1 << 20];

// MARK: Files

static void *load(const char *name, size_t *count, size_t size) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  FILE *file = fopen(path, "rb");
  if (!file) fail(path, "cannot be opened");
  fseek(file, 0, SEEK_END);
  size_t length = ftell(file);
  rewind(file);
  void *content = malloc(length + 1);
  if (fread(content, 1, length, file) != length) fail(path, "cannot be read");
  fclose(file);
  if (count) *count = length / size;
  return content;
}

static uint32_t *words(const char *name) { return load(name, NULL, 4); }

static void *reversed(const void *elements, uint32_t count, size_t size) {
  char *turned = malloc(count * size);
  for (uint32_t place = 0; place < count; place++)
    memcpy(turned + place * size, (const char *)elements + (count - 1 - place) * size, size);
  return turned;
}

static uint32_t gram_of(const char *text, uint32_t width) {
  uint32_t gram = 0;
  for (uint32_t place = 0; place < width; place++) gram = gram << 8 | (uint8_t)text[place];
  return gram;
}

static uint32_t slot_of(const uint32_t *grams, uint32_t mask, uint32_t gram) {
  uint32_t slot = (gram * 0x9E3779B1u >> 7) & mask;
  while (grams[slot] && grams[slot] != gram) slot = (slot + 1) & mask;
  return slot;
}

// For every gram of one to three bytes the ranks of the keys that contain it.
static void index_names(void) {
  names.table_size = 1 << 21;
  uint32_t mask = names.table_size - 1, lists = 0;
  uint32_t *grams = calloc(names.table_size, 4), *numbers = calloc(names.table_size, 4);
  uint32_t *last = malloc(names.table_size * 4), *offsets = calloc(names.table_size + 1, 4);
  uint32_t *ranks = NULL, *next = NULL;
  for (int pass = 0; pass < 2; pass++) {
    memset(last, 255, names.table_size * 4);
    for (uint32_t rank = 0; rank < names.count; rank++)
      for (uint32_t place = names.key_offsets[rank]; place < names.key_offsets[rank + 1]; place++)
        for (uint32_t width = 1; width <= 3 && place + width <= names.key_offsets[rank + 1]; width++) {
          uint32_t gram = gram_of(names.keys + place, width), slot = slot_of(grams, mask, gram);
          if (!grams[slot]) grams[slot] = gram, numbers[slot] = lists++;
          uint32_t list = numbers[slot];
          if (lists * 2 > names.table_size) fail("the table of grams", "is full");
          if (last[list] == rank) continue;
          last[list] = rank;
          if (pass) ranks[next[list]++] = rank;
          else offsets[list + 1]++;
        }
    if (pass) break;
    for (uint32_t list = 0; list < lists; list++) offsets[list + 1] += offsets[list];
    ranks = malloc((size_t)offsets[lists] * 4);
    next = malloc(lists * 4);
    memcpy(next, offsets, lists * 4);
  }
  free(last);
  free(next);
  names.table_grams = grams, names.table_lists = numbers, names.list_offsets = offsets, names.ranks = ranks;
}

static void load_all(void) {
  size_t users, count;
  uint32_t *followers = load("follower_counts", &users, 4);
  graph.user_count = (uint32_t)users;
  graph.followee_offsets = words("followee_offsets"), graph.followees = words("followees");
  graph.liked_offsets = words("liked_offsets"), graph.liked = words("liked");
  graph.newest = words("newest"), graph.post_offsets = words("post_offsets"), graph.posts = words("posts");
  graph.name_offsets = words("name_offsets"), graph.names = load("names", NULL, 1);
  graph.authors = load("authors", &count, 4), graph.like_counts = words("like_counts");
  graph.ids = load("ids", NULL, 8), graph.times = load("times", NULL, 8);
  graph.text_offsets = load("text_offsets", NULL, 8), graph.texts = load("texts", NULL, 1);
  names.count = graph.user_count, names.follower_counts = followers, names.users = words("ranked");
  names.key_offsets = words("key_offsets"), names.keys = load("keys", NULL, 1);
  index_names();
  // Posts by number, newest first; their texts are turned by entry, not by byte.
  newest_first = graph;
  newest_first.authors = reversed(graph.authors, count, 4);
  newest_first.like_counts = reversed(graph.like_counts, count, 4);
  newest_first.ids = reversed(graph.ids, count, 8), newest_first.times = reversed(graph.times, count, 8);
  newest_first.text_offsets = load("turned_offsets", NULL, 8), newest_first.texts = load("turned_texts", NULL, 1);
  posts.count = (uint32_t)count, posts.key_offsets = load("post_key_offsets", NULL, 8);
  posts.keys = load("post_keys", NULL, 1);
  if (!baseline_index_posts(&posts)) fail("the index of posts", "has no memory");
  fan_offsets = words("fan_offsets"), fans = words("fans");
  liker_offsets = words("liker_offsets"), likers = words("likers");
  follows = (struct baseline_follows){
    graph.user_count, graph.followee_offsets, graph.followees, fan_offsets, fans, words("post_counts"),
    graph.name_offsets, graph.names};
  scratch.marks = calloc(users, sizeof *scratch.marks), scratch.met = malloc(users * 4);
  found = malloc((users + 3 * LIMIT) * 4);
}

// MARK: Answers

static uint32_t user_of(const char *argument) { return (uint32_t)atoll(argument) - 1; }

static void keep(const int64_t *fields, int count) {
  memcpy(page.fields[page.row_count++], fields, count * sizeof *fields);
  page.field_count = count;
}

// Ids are one higher than the places of users.
static void keep_user(uint32_t user, bool are_names, char **end) {
  uint32_t start = graph.name_offsets[user], length = graph.name_offsets[user + 1] - start;
  memcpy(*end, graph.names + start, length);
  *end += length;
  if (are_names) return keep((int64_t[]){user + 1, length}, 2);
  int64_t followees = graph.followee_offsets[user + 1] - graph.followee_offsets[user];
  keep((int64_t[]){user + 1, names.follower_counts[user], followees, follows.post_counts[user], length}, 5);
}

static void keep_list(const uint32_t *users, uint32_t count, bool are_names) {
  char *end = bytes;
  for (uint32_t place = 0; place < count && place < LIMIT; place++) keep_user(users[place], are_names, &end);
}

static void keep_people(const struct baseline_person *people, uint32_t count, bool are_names) {
  for (uint32_t place = 0; place < count; place++) {
    const struct baseline_person *one = people + place;
    if (are_names) keep((int64_t[]){one->id, one->name_length}, 2);
    else keep(
      (int64_t[]){one->id, one->followers, one->followees, one->posts, one->following, one->name_length}, 6);
  }
}

static void keep_posts(const struct baseline_entry *entries, uint32_t count) {
  for (uint32_t place = 0; place < count; place++) {
    const struct baseline_entry *one = entries + place;
    keep((int64_t[]){one->id, one->author + 1, one->time, one->like_count, one->liked, one->name_length,
                     one->text_length}, 7);
  }
}

static void search(const struct question *question, const char *operation, bool are_names) {
  struct baseline_person people[LIMIT];
  const char *query = question->arguments[0] + 1;
  uint32_t length = (uint32_t)strlen(query), viewer = user_of(question->arguments[1]), count;
  names.names_alone = are_names;
  if (!strcmp(operation, "prefix"))
    count = baseline_prefix(&graph, &names, query, length, viewer, LIMIT, people, bytes);
  else if (!strcmp(operation, "fuzzy"))
    count = baseline_fuzzy(
      &graph, &names, query, length, length < 8 ? 1 : FUZZY_EDITS, viewer, LIMIT, found, people, bytes);
  else
    count = baseline_search(&graph, &names, query, length, viewer, LIMIT, people, bytes);
  keep_people(people, count, are_names);
}

static void ask(const struct question *question) {
  char operation[32];
  const char *text = question->statement->text, *mark = strstr(text, " names");
  bool are_names = mark && !mark[6];
  snprintf(operation, sizeof operation, "%.*s", are_names ? (int)(mark - text) : 31, text);
  char *const *given = question->arguments;
  struct baseline_entry entries[LIMIT];
  if (!strcmp(operation, "search") || !strcmp(operation, "prefix") || !strcmp(operation, "fuzzy")) {
    search(question, operation, are_names);
  } else if (!strcmp(operation, "timeline")) {
    bool has_more;
    keep_posts(entries, baseline_timeline(&graph, user_of(given[0]), LIMIT, entries, bytes, &has_more));
  } else if (!strcmp(operation, "posts")) {
    struct baseline_term term = {given[0] + 1, (uint32_t)strlen(given[0] + 1)};
    keep_posts(entries, baseline_search_posts(&newest_first, &posts, &term, 1, LIMIT, entries, bytes));
  } else if (!strcmp(operation, "is following")) {
    uint32_t user = user_of(given[0]), target = user_of(given[1]), low = graph.followee_offsets[user];
    uint32_t end = graph.followee_offsets[user + 1], high = end;
    while (low < high) {
      uint32_t middle = low + (high - low) / 2;
      if (graph.followees[middle] < target) low = middle + 1;
      else high = middle;
    }
    keep((int64_t[]){low < end && graph.followees[low] == target}, 1);
  } else if (!strcmp(operation, "likers")) {
    uint32_t post = user_of(given[0]);
    keep_list(likers + liker_offsets[post], liker_offsets[post + 1] - liker_offsets[post], are_names);
  } else if (!strcmp(operation, "followers")) {
    uint32_t user = user_of(given[0]);
    keep_list(fans + fan_offsets[user], fan_offsets[user + 1] - fan_offsets[user], are_names);
  } else if (!strcmp(operation, "mutuals")) {
    uint32_t count = baseline_mutuals(&follows, user_of(given[0]), user_of(given[1]), 0, found, NULL, bytes);
    keep_list(found, count, are_names);
  } else if (!strcmp(operation, "suggestions")) {
    struct baseline_user users[LIMIT];
    uint32_t count = baseline_suggestions(&follows, user_of(given[0]), LIMIT, &scratch, users, bytes);
    for (uint32_t place = 0; place < count; place++) {
      const struct baseline_user *one = users + place;
      if (are_names) keep((int64_t[]){one->user + 1, one->name_length}, 2);
      else keep((int64_t[]){one->user + 1, one->follower_count, one->followee_count, one->post_count, one->weight,
                            one->name_length}, 6);
    }
  } else {
    fail(operation, "is no operation");
  }
}

int main(int count, char **arguments) {
  if (count != 4) fail("arrays", "PLAN QUESTIONS DIRECTORY");
  directory = arguments[3];
  read_plan(arguments[1]);
  read_questions(arguments[2]);
  load_all();
  ask_all(ask);
  return 0;
}
