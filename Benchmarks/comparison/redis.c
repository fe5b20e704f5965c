// Asks Redis through hiredis over a Unix socket, scripts loaded once: redis PLAN QUESTIONS SOCKET [DEPTH]
//
// With DEPTH, this many queries of a kind are sent before the first answer is read; each takes its share of the time.
//
// A statement that begins with `!` is a command with $1, $2… in it; any other is a script that gets the arguments as
// ARGV and answers rows, one after another, in one flat list; its first element says how many fields a row has.

#include <hiredis/hiredis.h>

#include "driver.h"

static redisContext *context;

static redisReply *checked(redisReply *reply, const char *what) {
  if (!reply) fail(what, context->errstr);
  if (reply->type == REDIS_REPLY_ERROR) fail(what, reply->str);
  return reply;
}

static void send_command(const struct question *question) {
  const char *words[16];
  char text[16][256];
  int count = 0;
  char *rest = strdup(question->statement->text + 1), *begin = rest, *word;
  while ((word = strsep(&rest, " "))) {
    char *dollar = strchr(word, '$');
    if (dollar)
      snprintf(text[count], sizeof text[count], "%.*s%s", (int)(dollar - word), word,
        question->arguments[dollar[1] - '1'] + (*question->arguments[dollar[1] - '1'] == '\''));
    else snprintf(text[count], sizeof text[count], "%s", word);
    words[count] = text[count];
    count++;
  }
  free(begin);
  redisAppendCommandArgv(context, count, words, NULL);
}

static void send_script(const struct question *question) {
  const char *words[3 + MAXIMUM_ARGUMENTS] = {"EVALSHA", question->statement->prepared, "0"};
  for (int place = 0; place < question->argument_count; place++)
    words[3 + place] = question->arguments[place] + (*question->arguments[place] == '\'');
  redisAppendCommandArgv(context, 3 + question->argument_count, words, NULL);
}

static bool is_command(const struct question *question) { return *question->statement->text == '!'; }

static void send_question(const struct question *question) {
  if (is_command(question)) send_command(question);
  else send_script(question);
}

static redisReply *receive(const struct question *question) {
  redisReply *reply = NULL;
  redisGetReply(context, (void **)&reply);
  return checked(reply, question->statement->kind);
}

static void keep(const struct question *question, redisReply *reply) {
  clear_page();
  if (is_command(question)) {
    // Whether the element exists.
    page.row_count = page.field_count = 1;
    page.fields[0][0] = reply->type != REDIS_REPLY_NIL;
  } else if (reply->elements) {
    page.field_count = (int)reply->element[0]->integer;
    page.row_count = (int)(reply->elements - 1) / page.field_count;
    for (int place = 0; place < page.row_count * page.field_count; place++) {
      redisReply *element = reply->element[place + 1];
      int row = place / page.field_count, field = place % page.field_count;
      // A text has a mark before it, because Redis has no types.
      if (element->type == REDIS_REPLY_INTEGER) page.fields[row][field] = element->integer;
      else if (*element->str == '\'') keep_text(row, field, element->str + 1, element->len - 1);
      else page.fields[row][field] = atoll(element->str);
    }
  }
}

static void ask(const struct question *question) {
  send_question(question);
  redisReply *reply = receive(question);
  keep(question, reply);
  freeReplyObject(reply);
}

// As ask_all, with many queries in flight.
static void ask_pipelined(int depth) {
  redisReply **replies = malloc(depth * sizeof *replies);
  for (int round = 0; round < 2; round++)
    for (int first = 0, count; first < question_count; first += count) {
      const struct question *window = questions + first;
      count = window_size(first, depth);
      int64_t began = now();
      for (int place = 0; place < count; place++) send_question(&window[place]);
      for (int place = 0; place < count; place++) {
        replies[place] = receive(&window[place]);
        keep(&window[place], replies[place]);
      }
      int64_t share = (now() - began) / count;
      for (int place = 0; place < count; place++) {
        keep(&window[place], replies[place]);
        freeReplyObject(replies[place]);
        if (round) print_answer(&window[place], share);
      }
    }
  free(replies);
}

int main(int count, char **words) {
  if (count < 4) fail("redis", "PLAN QUESTIONS SOCKET [DEPTH]");
  read_plan(words[1]);
  read_questions(words[2]);
  context = redisConnectUnix(words[3]);
  if (!context || context->err) fail(words[3], context ? context->errstr : "no memory");
  for (int place = 0; place < statement_count; place++) {
    if (*statements[place].text == '!') continue;
    redisReply *reply =
      checked(redisCommand(context, "SCRIPT LOAD %s", statements[place].text), statements[place].kind);
    statements[place].prepared = strdup(reply->str);
    freeReplyObject(reply);
  }
  if (count == 4) ask_all(ask);
  else ask_pipelined(atoi(words[4]));
  return 0;
}
