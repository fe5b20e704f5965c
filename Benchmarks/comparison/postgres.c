// Asks PostgreSQL through libpq over a Unix socket, statements prepared once:
// postgres PLAN QUESTIONS CONNECTION [server|DEPTH]
//
// With DEPTH, this many changes are one transaction.
//
// With `server` the time is what the server says that the execution took, so that neither the socket nor the two
// processes taking turns are counted.

#include <libpq-fe.h>

#include "driver.h"

static PGconn *connection;

static PGresult *checked(PGresult *result, const char *what) {
  ExecStatusType status = PQresultStatus(result);
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) fail(what, PQerrorMessage(connection));
  return result;
}

static const char *value(const char *argument) { return argument + (*argument == '\''); }

static void ask(const struct question *question) {
  const char *values[MAXIMUM_ARGUMENTS];
  for (int place = 0; place < question->argument_count; place++) values[place] = value(question->arguments[place]);
  const char *kind = question->statement->kind;
  PGresult *result = checked(PQexecPrepared(connection, kind, question->argument_count, values, NULL, NULL, 0), kind);
  page.row_count = PQntuples(result);
  page.field_count = PQnfields(result);
  if (page.row_count > MAXIMUM_ROWS) fail(kind, "more rows than a page has");
  for (int row = 0; row < page.row_count; row++)
    for (int field = 0; field < page.field_count; field++) {
      const char *text = PQgetvalue(result, row, field);
      Oid type = PQftype(result, field);
      // 25 is text, 16 boolean; the rest are whole numbers.
      if (type == 25) keep_text(row, field, text, PQgetlength(result, row, field));
      else page.fields[row][field] = type == 16 ? *text == 't' : atoll(text);
    }
  PQclear(result);
}

// Nanoseconds of planning and executing one question, as the server measured them.
static int64_t server_time(const struct question *question) {
  char text[8192];
  size_t length =
    snprintf(text, sizeof text, "EXPLAIN (ANALYZE, TIMING OFF) EXECUTE \"%s\"", question->statement->kind);
  for (int place = 0; place < question->argument_count; place++) {
    char *literal =
      PQescapeLiteral(connection, value(question->arguments[place]), strlen(value(question->arguments[place])));
    length += snprintf(text + length, sizeof text - length, "%c%s", place ? ',' : '(', literal);
    PQfreemem(literal);
  }
  snprintf(text + length, sizeof text - length, question->argument_count ? ")" : "");
  PGresult *result = checked(PQexec(connection, text), text);
  double milliseconds = 0;
  for (int row = 0; row < PQntuples(result); row++) {
    const char *line = PQgetvalue(result, row, 0), *colon = strchr(line, ':');
    if (strstr(line, "Planning Time:") == line || strstr(line, "Execution Time:") == line)
      milliseconds += atof(colon + 1);
  }
  PQclear(result);
  return (int64_t)(milliseconds * 1e6);
}

static void begin(void) { PQclear(checked(PQexec(connection, "BEGIN"), "BEGIN")); }
static void commit(void) { PQclear(checked(PQexec(connection, "COMMIT"), "COMMIT")); }

int main(int count, char **words) {
  if (count < 4) fail("postgres", "PLAN QUESTIONS CONNECTION [server|DEPTH]");
  read_plan(words[1]);
  read_questions(words[2]);
  connection = PQconnectdb(words[3]);
  if (PQstatus(connection) != CONNECTION_OK) fail(words[3], PQerrorMessage(connection));
  for (int place = 0; place < statement_count; place++)
    PQclear(
      checked(PQprepare(connection, statements[place].kind, statements[place].text, 0, NULL), statements[place].kind));
  if (count == 4) {
    ask_all(ask);
  } else if (strcmp(words[4], "server")) {
    ask_together(ask, atoi(words[4]), begin, commit);
  } else {
    for (int place = 0; place < question_count; place++)
      printf("%s\t%lld\t\n", questions[place].statement->kind, (long long)server_time(&questions[place]));
  }
  return 0;
}
