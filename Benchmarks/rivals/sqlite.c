// Asks SQLite through its C interface, statements prepared once:
// sqlite PLAN QUESTIONS DATABASE memory|disk [MODE [DEPTH]]
//
// With MODE, a value of PRAGMA synchronous, the database is changed: each statement is a transaction, or DEPTH of them
// are. Without it all are one transaction that only reads.

#include <sqlite3.h>

#include "driver.h"

static sqlite3 *database;

static void ask(const struct question *question) {
  sqlite3_stmt *statement = question->statement->prepared;
  for (int place = 0; place < question->argument_count; place++) {
    const char *argument = question->arguments[place];
    // `'` marks a text that may be all digits.
    if (*argument == '\'')
      sqlite3_bind_text(statement, place + 1, argument + 1, -1, SQLITE_STATIC);
    else
      sqlite3_bind_int64(statement, place + 1, atoll(argument));
  }
  page.field_count = sqlite3_column_count(statement);
  int status;
  while ((status = sqlite3_step(statement)) == SQLITE_ROW) {
    for (int field = 0; field < page.field_count; field++)
      if (sqlite3_column_type(statement, field) == SQLITE_TEXT) {
        const char *text = (const char *)sqlite3_column_text(statement, field);
        keep_text(page.row_count, field, text, sqlite3_column_bytes(statement, field));
      } else {
        page.fields[page.row_count][field] = sqlite3_column_int64(statement, field);
      }
    if (++page.row_count == MAXIMUM_ROWS) fail(question->statement->kind, "more rows than a page has");
  }
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
    if (sqlite3_prepare_v3(
          database, statement->text, -1, SQLITE_PREPARE_PERSISTENT, (sqlite3_stmt **)&statement->prepared, NULL))
      fail(statement->kind, sqlite3_errmsg(database));
  }
  if (count > 6)
    ask_together(ask, atoi(words[6]), begin, commit);
  else
    ask_all(ask);
  return 0;
}
