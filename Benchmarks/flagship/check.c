// Recomputes what the flagship is asked, from its follows as kith export writes them (user, target and time, the users
// ascending): check USERS USER... < follows.tsv
//
// Prints one JSON object: the number of follows, the bits a follow takes at least given all degrees (the logarithm of
// the number of graphs with these degrees), the twenty highest scores of PageRank, and for each USER the followees, the
// number of followers and the ten best suggestions.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double damping = 0.85, tolerance = 1e-6;
static const int round_limit = 100, top_count = 20, suggestion_count = 10;

static uint32_t users;
static uint64_t *starts;  // by user, from 0: the first of the user's targets
static uint32_t *targets;

static void *made(size_t count, size_t size) {
  void *memory = calloc(count, size);
  if (!memory) {
    fputs("check: too little memory\n", stderr);
    exit(1);
  }
  return memory;
}

static void wrong(const char *what, uint64_t line) {
  fprintf(stderr, "check: follow %llu: %s\n", (unsigned long long)line, what);
  exit(1);
}

// The next number of the input; -1 at its end.
static int64_t number(void) {
  int byte = getchar_unlocked();
  if (byte == EOF) return -1;
  int64_t value = 0;
  for (; byte >= '0' && byte <= '9'; byte = getchar_unlocked()) value = value * 10 + (byte - '0');
  return value;
}

static uint64_t read_follows(uint32_t *followers) {
  uint64_t count = 0, room = 1 << 20;
  uint32_t source = 0;
  targets = made(room, sizeof *targets);
  for (int64_t user; (user = number()) >= 0;) {
    int64_t target = number();
    number();
    if (user < 1 || user > users || target < 1 || target > users) wrong("no such user", count);
    if (user - 1 < source) wrong("users do not ascend", count);
    for (; source < user - 1; source++) starts[source + 1] = count;
    if (count > starts[source] && targets[count - 1] >= target - 1) wrong("targets do not ascend", count);
    if (count == room) {
      room += room / 4;
      targets = realloc(targets, room * sizeof *targets);
      if (!targets) wrong("too little memory", count);
    }
    targets[count++] = (uint32_t)(target - 1);
    followers[target - 1]++;
  }
  for (; source < users; source++) starts[source + 1] = count;
  return count;
}

static double entropy_bits(uint64_t count, const uint32_t *followers) {
  double sum = lgamma((double)count + 1);
  for (uint32_t user = 0; user < users; user++) {
    sum -= lgamma((double)(starts[user + 1] - starts[user]) + 1) + lgamma((double)followers[user] + 1);
  }
  return count ? sum / log(2) / (double)count : 0;
}

// The same for lists of which only the lengths are known: all sets of rows are equally likely.
static double ascending_bits(uint64_t count) {
  double sum = 0;
  for (uint32_t user = 0; user < users; user++) {
    double degree = (double)(starts[user + 1] - starts[user]);
    sum += lgamma(users + 1.0) - lgamma(degree + 1) - lgamma(users - degree + 1);
  }
  return count ? sum / log(2) / (double)count : 0;
}

static void print_ranks(void) {
  double *scores = made(users, sizeof *scores), *next = made(users, sizeof *next);
  for (uint32_t user = 0; user < users; user++) scores[user] = 1.0 / users;
  for (int round = 0; round < round_limit; round++) {
    double sunk = 0, changed = 0;
    memset(next, 0, users * sizeof *next);
    for (uint32_t user = 0; user < users; user++) {
      uint64_t degree = starts[user + 1] - starts[user];
      if (!degree) sunk += scores[user];
      for (uint64_t edge = starts[user]; edge < starts[user + 1]; edge++) {
        next[targets[edge]] += scores[user] / (double)degree;
      }
    }
    for (uint32_t user = 0; user < users; user++) {
      double score = (1 - damping) / users + damping * (next[user] + sunk / users);
      changed += fabs(score - scores[user]);
      scores[user] = score;
    }
    if (changed <= tolerance) break;
  }
  printf("\"ranks\":[");
  for (int place = 0; place < top_count && place < (int)users; place++) {
    uint32_t best = 0;
    for (uint32_t user = 1; user < users; user++) {
      if (scores[user] > scores[best]) best = user;
    }
    printf("%s[%u,%.12g]", place ? "," : "", best + 1, scores[best]);
    scores[best] = -1;
  }
  printf("]");
  free(scores);
  free(next);
}

static void print_user(uint32_t user, const uint32_t *followers) {
  uint32_t *counts = made(users, sizeof *counts);
  for (uint64_t edge = starts[user]; edge < starts[user + 1]; edge++) {
    uint32_t via = targets[edge];
    for (uint64_t next = starts[via]; next < starts[via + 1]; next++) counts[targets[next]]++;
  }
  printf("{\"user\":%u,\"followers\":%u,\"followees\":[", user + 1, followers[user]);
  for (uint64_t edge = starts[user]; edge < starts[user + 1]; edge++) {
    printf("%s%u", edge > starts[user] ? "," : "", targets[edge] + 1);
    counts[targets[edge]] = 0;
  }
  counts[user] = 0;
  printf("],\"suggestions\":[");
  for (int place = 0; place < suggestion_count; place++) {
    uint32_t best = 0;
    for (uint32_t other = 1; other < users; other++) {
      if (counts[other] > counts[best]) best = other;
    }
    if (!counts[best]) break;
    printf("%s[%u,%u]", place ? "," : "", best + 1, counts[best]);
    counts[best] = 0;
  }
  printf("]}");
  free(counts);
}

int main(int count, char **words) {
  if (count < 2 || (users = (uint32_t)strtoul(words[1], NULL, 10)) == 0) {
    fputs("usage: check USERS USER... < follows.tsv\n", stderr);
    return 2;
  }
  uint32_t *followers = made(users, sizeof *followers);
  starts = made((size_t)users + 1, sizeof *starts);
  uint64_t follows = read_follows(followers);
  uint32_t most = 0;
  for (uint32_t user = 0; user < users; user++) most = followers[user] > most ? followers[user] : most;
  printf("{\"follows\":%llu,\"mostFollowers\":%u,\"entropyBits\":%.4f,\"ascendingBits\":%.4f,",
    (unsigned long long)follows, most, entropy_bits(follows, followers), ascending_bits(follows));
  print_ranks();
  printf(",\"users\":[");
  for (int word = 2; word < count; word++) {
    if (word > 2) printf(",");
    print_user((uint32_t)strtoul(words[word], NULL, 10) - 1, followers);
  }
  printf("]}\n");
  return 0;
}
