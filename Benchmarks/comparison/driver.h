// Shared by the drivers of all other systems: statements by kind of query; queries, times and answers as lines.
//
// Fields of a line are separated by tabs. A plan: kind, statement. Queries: kind, arguments. Answers: kind,
// nanoseconds, rows with commas between them, their fields joined by colons, texts as the number of their bytes. The
// clock is read around the other system's own call and the copying of its rows, not around printing.

#ifndef KITH_COMPARISON_DRIVER_H
#define KITH_COMPARISON_DRIVER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAXIMUM_KINDS = 128, MAXIMUM_ARGUMENTS = 6, MAXIMUM_ROWS = 64, MAXIMUM_FIELDS = 12 };

struct statement {
  char *kind, *text;
  void *prepared;
};

struct question {
  struct statement *statement;
  char *arguments[MAXIMUM_ARGUMENTS];
  int argument_count;
};

// A page as a host would hold it: numbers, and texts copied.
struct page {
  int row_count, field_count;
  int64_t fields[MAXIMUM_ROWS][MAXIMUM_FIELDS];
  size_t text_length;
  char texts[1 << 20];
};

static struct statement statements[MAXIMUM_KINDS];
static int statement_count;
static struct question *questions;
static int question_count;
static struct page page;

static void fail(const char *what, const char *why) {
  fprintf(stderr, "%s: %s\n", what, why);
  exit(1);
}

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static char *read_file(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) fail(path, "cannot be opened");
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  rewind(file);
  char *text = malloc(size + 1);
  if (fread(text, 1, size, file) != (size_t)size) fail(path, "cannot be read");
  text[size] = 0;
  fclose(file);
  return text;
}

static void read_plan(const char *path) {
  char *rest = read_file(path), *line;
  while ((line = strsep(&rest, "\n"))) {
    char *tab = strchr(line, '\t');
    if (!tab) continue;
    if (statement_count == MAXIMUM_KINDS) fail(path, "too many kinds");
    *tab = 0;
    statements[statement_count++] = (struct statement){line, tab + 1, NULL};
  }
}

// Queries of kinds without a plan are left out.
static void read_questions(const char *path) {
  char *rest = read_file(path), *line;
  int room = 0;
  while ((line = strsep(&rest, "\n"))) {
    char *kind = strsep(&line, "\t");
    struct question question = {0};
    for (int place = 0; place < statement_count; place++)
      if (!strcmp(statements[place].kind, kind)) question.statement = &statements[place];
    if (!question.statement) continue;
    for (char *word; line && (word = strsep(&line, "\t"));) question.arguments[question.argument_count++] = word;
    if (question_count == room) questions = realloc(questions, (room = 2 * room + 1024) * sizeof *questions);
    questions[question_count++] = question;
  }
}

static void keep_text(int row, int field, const char *text, size_t length) {
  if (page.text_length + length > sizeof page.texts) fail("an answer", "is too large");
  memcpy(page.texts + page.text_length, text, length);
  page.text_length += length;
  page.fields[row][field] = (int64_t)length;
}

// Fills the page with the answer.
typedef void ask_function(const struct question *question);

static void clear_page(void) {
  page.row_count = page.field_count = 0;
  page.text_length = 0;
}

static void print_answer(const struct question *question, int64_t nanoseconds) {
  printf("%s\t%lld\t", question->statement->kind, (long long)nanoseconds);
  for (int row = 0; row < page.row_count; row++)
    for (int field = 0; field < page.field_count; field++)
      printf("%s%lld", field ? ":" : row ? "," : "", (long long)page.fields[row][field]);
  putchar('\n');
}

// Every query once without the clock, then with it.
static void ask_all(ask_function *ask) {
  for (int round = 0; round < 2; round++)
    for (int place = 0; place < question_count; place++) {
      clear_page();
      int64_t began = now();
      ask(&questions[place]);
      int64_t ended = now();
      if (round) print_answer(&questions[place], ended - began);
    }
}

static bool is_change(const struct question *question) {
  const char *text = question->statement->text;
  return !strncmp(text, "INSERT", 6) || !strncmp(text, "DELETE", 6) || !strncmp(text, "WITH made", 9);
}

// How many queries from this one on are sent together: of one kind, at most `depth`.
static int window_size(int first, int depth) {
  const struct question *window = questions + first;
  int count = 1;
  while (count < depth && first + count < question_count && window[count].statement == window->statement) count++;
  return count;
}

// As ask_all, but up to `depth` changes of a kind are one transaction, and each takes its share of the time.
__attribute__((unused)) static void ask_together(
  ask_function *ask, int depth, void (*begin)(void), void (*commit)(void)) {
  for (int round = 0; round < 2; round++)
    for (int first = 0, count; first < question_count; first += count) {
      bool changes = is_change(&questions[first]);
      count = changes ? window_size(first, depth) : 1;
      int64_t began = now();
      if (changes) begin();
      for (int place = 0; place < count; place++) {
        clear_page();
        ask(&questions[first + place]);
      }
      if (changes) commit();
      int64_t share = (now() - began) / count;
      for (int place = 0; round && place < count; place++) print_answer(&questions[first + place], share);
    }
}

#endif
