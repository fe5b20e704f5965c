// Asks Redis through hiredis over a Unix socket, scripts loaded once: redis PLAN QUESTIONS SOCKET
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

static redisReply *command(const struct question *question) {
  const char *words[16];
  char text[16][256];
  int count = 0;
  char *rest = strdup(question->statement->text + 1), *begin = rest, *word;
  while ((word = strsep(&rest, " "))) {
    char *dollar = strchr(word, '$');
    if (dollar)
      snprintf(
        text[count], sizeof text[count], "%.*s%s", (int)(dollar - word), word,
        question->arguments[dollar[1] - '1'] + (*question->arguments[dollar[1] - '1'] == '\''));
    else
      snprintf(text[count], sizeof text[count], "%s", word);
    words[count] = text[count];
    count++;
  }
  free(begin);
  return checked(redisCommandArgv(context, count, words, NULL), question->statement->kind);
}

static redisReply *script(const struct question *question) {
  const char *words[3 + MAXIMUM_ARGUMENTS] = {"EVALSHA", question->statement->prepared, "0"};
  for (int place = 0; place < question->argument_count; place++)
    words[3 + place] = question->arguments[place] + (*question->arguments[place] == '\'');
  return checked(redisCommandArgv(context, 3 + question->argument_count, words, NULL), question->statement->kind);
}

static void ask(const struct question *question) {
  bool is_command = *question->statement->text == '!';
  redisReply *reply = is_command ? command(question) : script(question);
  if (is_command) {
    // Whether there is such an element.
    page.row_count = page.field_count = 1;
    page.fields[0][0] = reply->type != REDIS_REPLY_NIL;
  } else if (reply->elements) {
    page.field_count = (int)reply->element[0]->integer;
    page.row_count = (int)(reply->elements - 1) / page.field_count;
    for (int place = 0; place < page.row_count * page.field_count; place++) {
      redisReply *element = reply->element[place + 1];
      int row = place / page.field_count, field = place % page.field_count;
      // A text comes with a mark before it: Redis itself knows no types.
      if (element->type == REDIS_REPLY_INTEGER)
        page.fields[row][field] = element->integer;
      else if (*element->str == '\'')
        keep_text(row, field, element->str + 1, element->len - 1);
      else
        page.fields[row][field] = atoll(element->str);
    }
  }
  freeReplyObject(reply);
}

int main(int count, char **words) {
  if (count != 4) fail("redis", "PLAN QUESTIONS SOCKET");
  read_plan(words[1]);
  read_questions(words[2]);
  context = redisConnectUnix(words[3]);
  if (!context || context->err) fail(words[3], context ? context->errstr : "no memory");
  for (int place = 0; place < statement_count; place++) {
    if (*statements[place].text == '!') continue;
    redisReply *reply = checked(
      redisCommand(context, "SCRIPT LOAD %s", statements[place].text), statements[place].kind);
    statements[place].prepared = strdup(reply->str);
    freeReplyObject(reply);
  }
  ask_all(ask);
  return 0;
}
