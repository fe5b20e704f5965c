// Imports the files of rows that docs/PROTOCOL.md describes (tsv, plain or zstd), through kith_import.
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "query.h"

enum { USERS, FOLLOWS, POSTS, LIKES, BLOCKS, MUTES, PART_COUNT };
enum { FIELD_LIMIT = 4 };

// The columns of one file: numbers by column, and one area of texts.
typedef struct part {
  const char *name, *path;
  int number_count, text_count, time;  // `time`: the column of times that may be missing, or 0
  size_t count, capacity;
  int64_t *numbers[FIELD_LIMIT];
  int64_t *offsets;
  char *text;
  size_t text_size, text_capacity;
} part;

static part parts[PART_COUNT] = {
    {.name = "--users", .number_count = 1, .text_count = 1}, {.name = "--follows", .number_count = 3, .time = 2},
    {.name = "--posts", .number_count = 3, .text_count = 1}, {.name = "--likes", .number_count = 3, .time = 2},
    {.name = "--blocks", .number_count = 2},                 {.name = "--mutes", .number_count = 2},
};

static void *grown(void *memory, size_t size) {
  void *made = realloc(memory, size);
  if (!made) abort();
  return made;
}

static bool read_number(const char *field, int64_t *number) {
  char *end;
  errno = 0;
  *number = strtoll(field, &end, 10);
  return *field && !*end && !errno;
}

// Appends a text without its escapes.
static bool append_text(part *part, const char *field) {
  size_t needed = part->text_size + strlen(field);
  if (needed > part->text_capacity) part->text = grown(part->text, part->text_capacity = 2 * needed);
  for (; *field; field++) {
    char byte = *field;
    if (byte == '\\') {
      static const char escapes[] = "tnr\\", bytes[] = "\t\n\r\\";
      const char *found = *++field ? strchr(escapes, *field) : NULL;
      if (!found) return false;
      byte = bytes[found - escapes];
    }
    part->text[part->text_size++] = byte;
  }
  part->offsets[part->count + 1] = (int64_t)part->text_size;
  return true;
}

static bool append_row(part *part, char *line, int64_t at) {
  char *fields[FIELD_LIMIT] = {line};
  int count = 1, wanted = part->number_count + part->text_count;
  for (char *tab = line; (tab = strchr(tab, '\t')); fields[count++] = ++tab) {
    if (count == FIELD_LIMIT) return false;
    *tab = 0;
  }
  if (count != wanted && !(part->time && count == part->time)) return false;
  if (part->count + 1 >= part->capacity) {
    part->capacity = 2 * part->capacity + 1024;
    for (int i = 0; i < part->number_count; i++) {
      part->numbers[i] = grown(part->numbers[i], part->capacity * sizeof(int64_t));
    }
    part->offsets = grown(part->offsets, part->capacity * sizeof(int64_t));
    part->offsets[0] = 0;
  }
  for (int i = 0; i < part->number_count; i++) {
    if (i >= count) part->numbers[i][part->count] = at;
    else if (!read_number(fields[i], &part->numbers[i][part->count])) return false;
  }
  if (part->text_count && !append_text(part, fields[part->number_count])) return false;
  part->count++;
  return true;
}

// Reads a file, of which the command `zstd` hands on what is not compressed.
static bool read_part(part *part, int64_t at) {
  setenv("KITH_FILE", part->path, 1);
  FILE *file = popen("zstd -dcfq -- \"$KITH_FILE\"", "r");
  char *line = NULL;
  size_t capacity = 0;
  ssize_t size;
  bool is_valid = file != NULL;
  for (int number = 1; is_valid && (size = getline(&line, &capacity, file)) > 0; number++) {
    if (line[size - 1] == '\n') line[--size] = 0;
    is_valid = strlen(line) == (size_t)size && append_row(part, line, at);
    if (!is_valid) fprintf(stderr, "kith-query: %s, line %d: not a row of this file\n", part->path, number);
  }
  free(line);
  return file && pclose(file) == 0 && is_valid;
}

static void fill(kith_import_columns *columns) {
  kith_edges_column *edges[PART_COUNT] = {
      [FOLLOWS] = &columns->follows, [LIKES] = &columns->likes, [BLOCKS] = &columns->blocks,
      [MUTES] = &columns->mutes};
  for (int i = 0; i < PART_COUNT; i++) {
    const part *part = &parts[i];
    if (edges[i]) *edges[i] = (kith_edges_column){part->count, part->numbers[0], part->numbers[1], part->numbers[2]};
  }
  const part *users = &parts[USERS], *posts = &parts[POSTS];
  columns->users = (kith_users_column){
      users->count, users->numbers[0], users->offsets, users->text, users->text_size};
  columns->posts = (kith_posts_column){
      posts->count, posts->numbers[0], posts->numbers[1], posts->numbers[2], posts->offsets, posts->text,
      posts->text_size};
}

int import_files(int count, char **arguments) {
  int64_t at = (int64_t)time(NULL) * 1000;
  const char *store = NULL;
  for (int i = 0; i < count; i++) {
    part *named = NULL;
    for (int j = 0; j < PART_COUNT; j++) if (strcmp(arguments[i], parts[j].name) == 0) named = &parts[j];
    bool is_valid = i + 1 < count;
    if (named && is_valid) named->path = arguments[++i];
    else if (strcmp(arguments[i], "--at") == 0 && is_valid) is_valid = read_number(arguments[++i], &at);
    else if ((is_valid = !store && arguments[i][0] != '-')) store = arguments[i];
    if (!is_valid) store = NULL, i = count;
  }
  if (!store) {
    fprintf(stderr, "usage: kith-query import STORE --users FILE ... [--at MS]\n");
    return 2;
  }
  for (int i = 0; i < PART_COUNT; i++) if (parts[i].path && !read_part(&parts[i], at)) return 1;
  kith_import_columns columns = {0};
  kith_import_report report;
  kith_graph *graph;
  fill(&columns);
  kith_status status = kith_open(kith_string(store), NULL, &graph, &error);
  if (status == KITH_OK) {
    status = kith_import(graph, &columns, &report, &error);
    if (status == KITH_OK) status = kith_close(graph, &error);
    kith_free(graph);
  }
  if (status) fprintf(stderr, "kith-query: %s\n", error.message);
  for (int i = 0; i < PART_COUNT; i++) {
    for (int j = 0; j < FIELD_LIMIT; j++) free(parts[i].numbers[j]);
    free(parts[i].offsets);
    free(parts[i].text);
  }
  return status ? 1 : 0;
}
