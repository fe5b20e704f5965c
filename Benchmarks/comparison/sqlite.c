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

static void bind(sqlite3_stmt *statement, const struct question *question) {
  for (int place = 0; place < question->argument_count; place++) {
    const char *argument = question->arguments[place];
    // `'` marks a text that may be all digits.
    if (*argument == '\'') sqlite3_bind_text(statement, place + 1, argument + 1, -1, SQLITE_STATIC);
    else sqlite3_bind_int64(statement, place + 1, atoll(argument));
  }
}

// MARK: Entries of many lists merged by the client

// The lists that are read; the entry behind another of a list; the row of an entry, if the timeline shows it.
struct walk {
  sqlite3_stmt *lists, *next, *row;
};

// A list, and its next entry.
struct entry {
  int64_t list, at, post, reposter;
};

// A heap, the newest first.
static struct entry *entries;
static int entry_count, entry_room;

static bool precedes(const struct entry *one, const struct entry *other) {
  if (one->at != other->at) return one->at > other->at;
  return one->post != other->post ? one->post > other->post : one->reposter > other->reposter;
}

static void sink(int place) {
  struct entry moved = entries[place];
  for (int child; (child = 2 * place + 1) < entry_count; place = child) {
    if (child + 1 < entry_count && precedes(&entries[child + 1], &entries[child])) child++;
    if (!precedes(&entries[child], &moved)) break;
    entries[place] = entries[child];
  }
  entries[place] = moved;
}

// Statements have a list and an entry as ?11 to ?14.
static void bind_entry(sqlite3_stmt *statement, const struct entry *entry) {
  const int64_t fields[] = {entry->list, entry->at, entry->post, entry->reposter};
  for (int place = 0; place < 4; place++) sqlite3_bind_int64(statement, 11 + place, fields[place]);
}

static bool advance(sqlite3_stmt *next, struct entry *entry) {
  bind_entry(next, entry);
  bool found = sqlite3_step(next) == SQLITE_ROW;
  if (found) {
    entry->at = sqlite3_column_int64(next, 0);
    entry->post = sqlite3_column_int64(next, 1), entry->reposter = sqlite3_column_int64(next, 2);
  }
  sqlite3_reset(next);
  return found;
}

static void walk(const struct question *question) {
  struct walk *walk = question->statement->prepared;
  bind(walk->lists, question), bind(walk->next, question), bind(walk->row, question);
  for (entry_count = 0; sqlite3_step(walk->lists) == SQLITE_ROW;) {
    struct entry entry;
    int64_t *fields[] = {&entry.list, &entry.at, &entry.post, &entry.reposter};
    for (int place = 0; place < 4; place++) *fields[place] = sqlite3_column_int64(walk->lists, place);
    if (!advance(walk->next, &entry)) continue;
    if (entry_count == entry_room) entries = realloc(entries, (entry_room = 2 * entry_room + 256) * sizeof *entries);
    entries[entry_count++] = entry;
  }
  sqlite3_reset(walk->lists);
  for (int place = entry_count / 2 - 1; place >= 0; place--) sink(place);
  while (entry_count && page.row_count < LIMIT) {
    bind_entry(walk->row, &entries[0]);
    if (sqlite3_step(walk->row) == SQLITE_ROW) keep_row(walk->row);
    sqlite3_reset(walk->row);
    if (!advance(walk->next, &entries[0])) entries[0] = entries[--entry_count];
    if (entry_count) sink(0);
  }
}

// Three statements with `;;` between them.
static struct walk *prepared_walk(const char *name, const char *text) {
  struct walk *walk = malloc(sizeof *walk);
  sqlite3_stmt **statements[] = {&walk->lists, &walk->next, &walk->row};
  char *rest = strdup(text), *whole = rest;
  for (int place = 0; place < 3; place++) {
    char *end = strstr(rest, ";;");
    if (end) *end = 0;
    *statements[place] = prepared(name, rest);
    rest = end ? end + 2 : rest;
  }
  free(whole);
  return walk;
}

static bool begins(const char *text, const char *begin) { return !strncmp(text, begin, strlen(begin)); }

// MARK: Queries

static void ask(const struct question *question) {
  const char *text = question->statement->text;
  if (begins(text, "!walk")) return walk(question);
  if (*text == '!') return merge(question);
  sqlite3_stmt *statement = question->statement->prepared;
  bind(statement, question);
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
    if (begins(statement->text, "!walk")) statement->prepared = prepared_walk(statement->kind, statement->text + 5);
    else if (*statement->text == '!') prepare_merge();
    else statement->prepared = prepared(statement->kind, statement->text);
  }
  if (count > 6) ask_together(ask, atoi(words[6]), begin, commit);
  else ask_all(ask);
  return 0;
}
