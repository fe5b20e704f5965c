// The protocol of `kith query` (docs/PROTOCOL.md) spoken through the C library, with jansson for JSON.
#ifndef QUERY_H
#define QUERY_H

#include <jansson.h>
#include <kith.h>

enum { LINE_LIMIT = 8 << 20, LEVEL_LIMIT = 64, VALUE_LIMIT = 262144, WATCH_LIMIT = 10000, CHANGE_LIMIT = 10000 };
enum { ID_LIMIT = 1000 };

// What kind of operation a request is.
enum { OTHER = 0, PAGE = 1, CHANGE = 2 };

typedef struct operation {
  const char *name;
  int group;           // OTHER, PAGE or CHANGE
  int kind;            // of kith_query or kith_change
  const char *fields;  // as docs/PROTOCOL.md lists them
  const char *answer;
  json_t *help;        // the entry of `help`, which requests are checked against
} operation;

// A request of valid shape. The value belongs to the caller.
typedef struct request {
  json_t *value;
  const operation *operation;
} request;

// Why the last request failed.
typedef struct failure {
  const char *code;
  char message[sizeof((kith_error *)0)->message];
  int64_t index;  // of a change in a batch; -1 otherwise
} failure;

extern failure failed;
extern kith_error error;

// Each returns false.
bool refuse(const char *code, const char *message);
bool refuse_field(const char *field, const char *message);
// Whether a call has succeeded; keeps why it failed.
bool succeeded(kith_status status);

// table.c
void make_table(void);
json_t *help(const char *about);
bool check_limits(const json_t *value);
bool read_request(json_t *value, request *made);

// request.c: the fields of a request, or their defaults.
json_t *get(const request *request, const char *field);
bool has(const request *request, const char *field);
int64_t integer(const request *request, const char *field);
bool flag(const request *request, const char *field);
// The place of a word among the words of its field, which have the order of the constants in kith.h.
int word(const request *request, const char *field);
kith_text text(const request *request, const char *field);
// The id of a user given by id or name; 0 if the field is absent.
bool find(kith_graph *graph, const json_t *reference, int64_t *id);
bool user(kith_graph *graph, const request *request, const char *field, int64_t *id);

// answers.c: each answers null after a failure.
json_t *answer_question(kith_graph *graph, const request *request);
json_t *one_row(kith_graph *graph, const kith_query *query, const char *name);

// changes.c
json_t *answer_change(kith_graph *graph, const request *request);
json_t *answer_batch(kith_graph *graph, const request *request);

// import.c: the status with which the process ends.
int import_files(int count, char **arguments);

#endif
