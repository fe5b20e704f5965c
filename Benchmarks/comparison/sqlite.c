// Asks SQLite through its C interface, statements prepared once:
// sqlite PLAN QUESTIONS DATABASE memory|disk [MODE [DEPTH]]
//
// With MODE, a value of PRAGMA synchronous, the database is changed: each statement is a transaction, or DEPTH of them
// are. Without it all are one transaction that only reads.

#include <sqlite3.h>

#include "driver.h"

static sqlite3 *database;

static sqlite3_stmt *prepared(const char *name, const char *text) {
  sqlite3_stmt *statement;
  if (sqlite3_prepare_v3(database, text, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL))
    fail(name, sqlite3_errmsg(database));
  return statement;
}

// MARK: A timeline merged by the client

enum { LIMIT = 20 };

struct head {
  int64_t author, at, id;
};

static sqlite3_stmt *authors, *head, *next, *row;

static bool is_newer(const struct head *one, const struct head *other) {
  return one->at > other->at || (one->at == other->at && one->id > other->id);
}

// Keeps the newest heads, in order. Returns their number.
static int insert_head(struct head *heads, int count, struct head new) {
  if (count == LIMIT && !is_newer(&new, &heads[LIMIT - 1])) return count;
  int place = count < LIMIT ? count++ : LIMIT - 1;
  for (; place > 0 && is_newer(&new, &heads[place - 1]); place--) heads[place] = heads[place - 1];
  heads[place] = new;
  return count;
}

static void keep_row(sqlite3_stmt *statement) {
  page.field_count = sqlite3_column_count(statement);
  for (int field = 0; field < page.field_count; field++)
    if (sqlite3_column_type(statement, field) == SQLITE_TEXT) {
      const char *text = (const char *)sqlite3_column_text(statement, field);
      keep_text(page.row_count, field, text, sqlite3_column_bytes(statement, field));
    } else {
      page.fields[page.row_count][field] = sqlite3_column_int64(statement, field);
    }
  if (++page.row_count == MAXIMUM_ROWS) fail("a page", "has more rows than it may");
}

// Of the authors, those of the twenty newest heads alone can have a post on the page.
static void merge(const struct question *question) {
  struct head heads[LIMIT];
  int count = 0;
  int64_t user = atoll(question->arguments[0]);
  sqlite3_bind_int64(authors, 1, user);
  while (sqlite3_step(authors) == SQLITE_ROW) {
    struct head new = {.author = sqlite3_column_int64(authors, 0)};
    sqlite3_bind_int64(head, 1, new.author);
    if (sqlite3_step(head) == SQLITE_ROW) {
      new.at = sqlite3_column_int64(head, 0), new.id = sqlite3_column_int64(head, 1);
      count = insert_head(heads, count, new);
    }
    sqlite3_reset(head);
  }
  sqlite3_reset(authors);
  sqlite3_bind_int64(row, 2, user);
  while (count && page.row_count < LIMIT) {
    struct head newest = heads[0];
    sqlite3_bind_int64(row, 1, newest.id);
    if (sqlite3_step(row) == SQLITE_ROW) keep_row(row);
    sqlite3_reset(row);
    memmove(heads, heads + 1, --count * sizeof *heads);
    sqlite3_bind_int64(next, 1, newest.author);
    sqlite3_bind_int64(next, 2, newest.at);
    sqlite3_bind_int64(next, 3, newest.id);
    if (sqlite3_step(next) == SQLITE_ROW) {
      newest.at = sqlite3_column_int64(next, 0), newest.id = sqlite3_column_int64(next, 1);
      count = insert_head(heads, count, newest);
    }
    sqlite3_reset(next);
  }
}

static void prepare_merge(void) {
  authors = prepared("followees", "SELECT target FROM follows WHERE \"user\" = ?1 UNION ALL SELECT ?1");
  head = prepared("heads", "SELECT at, id FROM heads WHERE author = ?1");
  next = prepared(
    "next", "SELECT at, id FROM posts WHERE author = ?1 AND (at, id) < (?2, ?3) ORDER BY at DESC, id DESC LIMIT 1");
  row = prepared("row",
    "SELECT p.id, p.author, p.at, p.likes, EXISTS (SELECT 1 FROM likes l WHERE l.\"user\" = ?2 AND "
    "l.post = p.id), n.name, p.text FROM posts p JOIN names n ON n.id = p.author WHERE p.id = ?1");
}

// MARK: Statements

static void ask(const struct question *question) {
  if (question->statement->text[0] == '!') return merge(question);
  sqlite3_stmt *statement = question->statement->prepared;
  for (int place = 0; place < question->argument_count; place++) {
    const char *argument = question->arguments[place];
    // `'` marks a text that may be all digits.
    if (*argument == '\'') sqlite3_bind_text(statement, place + 1, argument + 1, -1, SQLITE_STATIC);
    else sqlite3_bind_int64(statement, place + 1, atoll(argument));
  }
  int status;
  while ((status = sqlite3_step(statement)) == SQLITE_ROW) keep_row(statement);
  if (status != SQLITE_DONE) fail(question->statement->kind, sqlite3_errmsg(database));
  sqlite3_reset(statement);
}

static void run(const char *text) {
  char *message;
  if (sqlite3_exec(database, text, NULL, NULL, &message)) fail(text, message);
}

static void begin(void) { run("BEGIN IMMEDIATE"); }
static void commit(void) { run("COMMIT"); }

int main(int count, char **words) {
  if (count < 5) fail("sqlite", "PLAN QUESTIONS DATABASE memory|disk [MODE [DEPTH]]");
  read_plan(words[1]);
  read_questions(words[2]);
  if (sqlite3_open(words[3], &database)) fail(words[3], sqlite3_errmsg(database));
  if (!strcmp(words[4], "memory")) {
    sqlite3 *file = database;
    if (sqlite3_open(":memory:", &database)) fail(":memory:", sqlite3_errmsg(database));
    sqlite3_backup *copy = sqlite3_backup_init(database, "main", file, "main");
    if (!copy || sqlite3_backup_step(copy, -1) != SQLITE_DONE) fail("copying", sqlite3_errmsg(database));
    sqlite3_backup_finish(copy);
    sqlite3_close(file);
  } else {
    run("PRAGMA mmap_size = 8589934592; PRAGMA cache_size = -1000000;");
    if (count > 5) run("PRAGMA journal_mode = WAL");
  }
  run("PRAGMA temp_store = memory");
  if (count == 5) {
    run("PRAGMA query_only = 1; BEGIN");
  } else {
    char text[64];
    snprintf(text, sizeof text, "PRAGMA synchronous = %s", words[5]);
    run(text);
  }
  for (int place = 0; place < statement_count; place++) {
    struct statement *statement = &statements[place];
    if (statement->text[0] == '!') prepare_merge();
    else statement->prepared = prepared(statement->kind, statement->text);
  }
  if (count > 6) ask_together(ask, atoi(words[6]), begin, commit);
  else ask_all(ask);
  return 0;
}
