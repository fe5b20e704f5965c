// kith-query: the protocol of `kith query`, so that its tests judge the C library.
//
//     kith-query query STORE|SNAPSHOT|--memory [--timings] [--read-only]
//     kith-query import STORE --users FILE … [--at MS]
//
// Other commands are those of `kith` (KITH_COMMAND, or in PATH).
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "query.h"

typedef struct watch {
  int64_t number;
  json_t *question;
  json_t *last;       // null before the first answer
  uint64_t sequence;  // of the graph when it was answered
} watch;

static kith_graph *graph;
static bool has_timings, is_read_only;
static watch *watches;
static size_t watch_count;
static int64_t last_number;

static void write_line(json_t *answer) {
  json_dumpf(answer, stdout, JSON_COMPACT);
  putchar('\n');
  json_decref(answer);
}

static json_t *failure_value(void) {
  json_t *made = json_pack("{ss ss}", "code", failed.code, "message", failed.message);
  if (failed.index >= 0) json_object_set_new(made, "index", json_integer(failed.index));
  return json_pack("{sb so}", "ok", false, "error", made);
}

static uint64_t sequence(void) {
  kith_counts counts;
  kith_get_counts(graph, &counts, &error);
  return counts.sequence;
}

// Names become ids: a user is looked up once, when the watch begins.
static bool resolve(json_t *question) {
  static const char *fields[] = {"user", "target", "as", "excluding"};
  size_t index;
  json_t *each, *targets = json_object_get(question, "targets");
  int64_t id;
  for (int i = 0; i < 4; i++) {
    json_t *reference = json_object_get(question, fields[i]);
    if (reference && !find(graph, reference, &id)) return false;
    if (reference) json_object_set_new(question, fields[i], json_integer(id));
  }
  json_array_foreach(targets, index, each) {
    if (!find(graph, each, &id)) return false;
    json_array_set_new(targets, index, json_integer(id));
  }
  return true;
}

static json_t *begin_watch(const request *request) {
  if (watch_count == WATCH_LIMIT) {
    refuse("limitExceeded", "too many queries are watched");
    return NULL;
  }
  json_t *question = json_deep_copy(get(request, "question"));
  if (!resolve(question)) {
    json_decref(question);
    return NULL;
  }
  watches = realloc(watches, (watch_count + 1) * sizeof *watches);
  watches[watch_count++] = (watch){.number = ++last_number, .question = question};
  return json_pack("{sI}", "watch", (json_int_t)last_number);
}

static void end_watch(size_t place) {
  json_decref(watches[place].question);
  json_decref(watches[place].last);
  memmove(&watches[place], &watches[place + 1], (--watch_count - place) * sizeof *watches);
}

static json_t *answer_unwatch(const request *request) {
  size_t before = watch_count;
  for (size_t i = 0; i < watch_count; i++) {
    if (watches[i].number == integer(request, "watch")) {
      end_watch(i);
      break;
    }
  }
  return json_pack("{sb}", "changed", watch_count < before);
}

static void write_changed_answers(void) {
  uint64_t now = watch_count ? sequence() : 0;
  for (size_t i = 0; i < watch_count; i++) {
    watch *each = &watches[i];
    if (each->last && each->sequence == now) continue;
    request question;
    failed.index = -1;
    read_request(each->question, &question);
    json_t *answer = answer_question(graph, &question);
    each->sequence = now;
    if (answer && each->last && json_equal(answer, each->last)) {
      json_decref(answer);
      continue;
    }
    json_t *line = json_pack("{sI sI}", "watch", (json_int_t)each->number, "sequence", (json_int_t)now);
    if (answer) {
      json_object_set_new(line, "ok", json_true());
      json_object_update(line, answer);
      json_decref(each->last);
      each->last = answer;
    } else {
      json_t *error = failure_value();
      json_object_update(line, error);
      json_decref(error);
      end_watch(i--);
    }
    write_line(line);
  }
}

static json_t *answer_request(const request *request) {
  const char *op = request->operation->name;
  bool is_batch = strcmp(op, "batch") == 0;
  if (is_read_only && (is_batch || request->operation->group == CHANGE)) {
    refuse("readOnly", "the graph was opened for reading only");
    return NULL;
  }
  if (is_batch) return answer_batch(graph, request);
  if (request->operation->group == CHANGE) return answer_change(graph, request);
  if (strcmp(op, "watch") == 0) return begin_watch(request);
  if (strcmp(op, "unwatch") == 0) return answer_unwatch(request);
  if (strcmp(op, "snapshot") != 0) return answer_question(graph, request);
  kith_snapshot_info info;
  if (!succeeded(kith_snapshot(graph, NULL, NULL, &info, &error))) return NULL;
  return json_pack("{ss sI}", "path", info.path, "sequence", (json_int_t)info.sequence);
}

static void answer_line(const char *line, size_t size) {
  struct timespec began, ended;
  clock_gettime(CLOCK_MONOTONIC, &began);
  json_t *value = NULL, *answer = NULL, *tag;
  request request;
  failed.index = -1;
  if (size > LINE_LIMIT) {
    refuse("invalidRequest", "a line is at most 8 MiB long");
  } else if (!(value = json_loadb(line, size, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL | JSON_DECODE_ANY, NULL))) {
    refuse("invalidRequest", "the line is not JSON");
  } else if (!check_limits(value)) {
    refuse("invalidRequest", "too deep, or too many values");
  } else if (read_request(value, &request)) {
    answer = answer_request(&request);
  }
  json_t *written = answer ? json_pack("{sb}", "ok", true) : failure_value();
  if (answer) json_object_update(written, answer);
  if ((tag = json_object_get(value, "tag"))) json_object_set(written, "tag", tag);
  if (has_timings) {
    clock_gettime(CLOCK_MONOTONIC, &ended);
    int64_t elapsed = (ended.tv_sec - began.tv_sec) * 1000000000LL + ended.tv_nsec - began.tv_nsec;
    json_object_set_new(written, "ns", json_integer(elapsed));
  }
  write_line(written);
  json_decref(answer);
  json_decref(value);
  write_changed_answers();
}

// Answers the lines of standard input. Answers are flushed when the next read would wait.
static void answer_input(void) {
  char *buffer = NULL;
  size_t size = 0, capacity = 0;
  bool is_skipping = false, has_ended = false;
  while (!has_ended) {
    if (capacity - size < 1 << 16) buffer = realloc(buffer, capacity = 2 * capacity + (1 << 16));
    if (poll(&(struct pollfd){.fd = 0, .events = POLLIN}, 1, 0) == 0) fflush(stdout);
    ssize_t count = read(0, buffer + size, capacity - size - 1);
    has_ended = count <= 0;
    size += has_ended ? 0 : (size_t)count;
    if (has_ended && size) buffer[size++] = '\n';
    char *line = buffer, *end;
    for (; (end = memchr(line, '\n', (size_t)(buffer + size - line))); line = end + 1) {
      size_t length = (size_t)(end - line);
      bool is_blank = strspn(line, " \t\r") >= length;
      if (!is_skipping && !is_blank) answer_line(line, length);
      is_skipping = false;
    }
    size -= (size_t)(line - buffer);
    memmove(buffer, line, size);
    if (size > LINE_LIMIT + 1) {
      if (!is_skipping) answer_line(buffer, size);
      is_skipping = true;
      size = 0;
    }
  }
  free(buffer);
}

static int query(int count, char **arguments) {
  const char *path = NULL;
  bool is_memory = false, is_wrong = false;
  for (int i = 0; i < count; i++) {
    if (strcmp(arguments[i], "--timings") == 0) has_timings = true;
    else if (strcmp(arguments[i], "--read-only") == 0) is_read_only = true;
    else if (strcmp(arguments[i], "--memory") == 0) is_memory = true;
    else if (arguments[i][0] == '-' || path) is_wrong = true;
    else path = arguments[i];
  }
  if (is_wrong || is_memory == (path != NULL)) {
    fprintf(stderr, "usage: kith-query query STORE|SNAPSHOT|--memory [--timings] [--read-only]\n");
    return 2;
  }
  kith_options options = {.read_only = is_read_only};
  if (path ? kith_open(kith_string(path), &options, &graph, &error) : kith_open_memory(NULL, &graph, &error)) {
    fprintf(stderr, "kith: %s\n", error.message);
    return 2;
  }
  make_table();
  answer_input();
  fflush(stdout);
  while (watch_count) end_watch(watch_count - 1);
  free(watches);
  kith_close(graph, &error);
  kith_free(graph);
  return 0;
}

int main(int count, char **arguments) {
  if (count > 1 && strcmp(arguments[1], "query") == 0) return query(count - 2, arguments + 2);
  if (count > 1 && strcmp(arguments[1], "import") == 0) return import_files(count - 2, arguments + 2);
  const char *command = getenv("KITH_COMMAND");
  arguments[0] = "kith";
  execvp(command ? command : "kith", arguments);
  perror("kith");
  return 2;
}
