// Several threads at once on one database on disk, each with a connection of its own, as Shared of Kith's driver does:
// readers ask whether random users follow each other; beside them a writer may follow and unfollow without a pause,
// each change a transaction, and copies may be written by the backup interface one after another.
//
// sqlite_threads DATABASE COPY SECONDS READERS WRITES SAVES
//
// Prints the reads, the writes and the copies that were made, and p50, p99.9 and the longest of reads and writes in
// nanoseconds.

#include <pthread.h>
#include <sqlite3.h>

#include "driver.h"

enum role { READS, WRITES, SAVES };

struct thread {
  pthread_t handle;
  enum role role;
  uint64_t random;
  int64_t *nanoseconds;
  size_t count, room;
};

static const char *path, *copy_path;
static int64_t user_count, end;

static sqlite3 *connect(void) {
  sqlite3 *database;
  if (sqlite3_open(path, &database)) fail(path, sqlite3_errmsg(database));
  const char *setup = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA mmap_size = 8589934592; "
                      "PRAGMA cache_size = -200000;";
  sqlite3_busy_timeout(database, 10000);
  if (sqlite3_exec(database, setup, NULL, NULL, NULL)) fail(path, sqlite3_errmsg(database));
  return database;
}

static sqlite3_stmt *prepared(sqlite3 *database, const char *text) {
  sqlite3_stmt *statement;
  if (sqlite3_prepare_v3(database, text, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL))
    fail(text, sqlite3_errmsg(database));
  return statement;
}

static int64_t any_user(struct thread *thread) {
  uint64_t mixed = thread->random += 0x9E3779B97F4A7C15;
  mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9;
  mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB;
  return (int64_t)((mixed ^ mixed >> 31) % (uint64_t)user_count) + 1;
}

static void note(struct thread *thread, int64_t began) {
  if (thread->count == thread->room) {
    thread->room = 2 * thread->room + 4096;
    thread->nanoseconds = realloc(thread->nanoseconds, thread->room * sizeof *thread->nanoseconds);
  }
  thread->nanoseconds[thread->count++] = now() - began;
}

static void step(struct thread *thread, sqlite3_stmt *statement, int64_t user, int64_t target) {
  int64_t began = now();
  sqlite3_bind_int64(statement, 1, user);
  sqlite3_bind_int64(statement, 2, target);
  int status = sqlite3_step(statement);
  if (status != SQLITE_DONE && status != SQLITE_ROW) fail("a statement", sqlite3_errstr(status));
  sqlite3_reset(statement);
  note(thread, began);
}

static void save(struct thread *thread, sqlite3 *database) {
  int64_t began = now();
  sqlite3 *file;
  remove(copy_path);
  if (sqlite3_open(copy_path, &file)) fail(copy_path, sqlite3_errmsg(file));
  sqlite3_backup *copy = sqlite3_backup_init(file, "main", database, "main");
  if (!copy || sqlite3_backup_step(copy, -1) != SQLITE_DONE) fail("copying", sqlite3_errmsg(file));
  sqlite3_backup_finish(copy);
  sqlite3_close(file);
  note(thread, began);
}

static void *run(void *context) {
  struct thread *thread = context;
  sqlite3 *database = connect();
  sqlite3_stmt *asks = prepared(database, "SELECT EXISTS (SELECT 1 FROM follows WHERE \"user\" = ?1 AND target = ?2)");
  sqlite3_stmt *adds = prepared(database, "INSERT INTO follows VALUES (?1, ?2, 1735689600) ON CONFLICT DO NOTHING");
  sqlite3_stmt *removes = prepared(database, "DELETE FROM follows WHERE \"user\" = ?1 AND target = ?2");
  while (now() < end) {
    int64_t user = any_user(thread), target = any_user(thread);
    if (thread->role == SAVES) save(thread, database);
    else if (thread->role == READS) step(thread, asks, user, target);
    else if (user != target) {
      step(thread, adds, user, target);
      step(thread, removes, user, target);
    }
  }
  return NULL;
}

static int compare(const void *one, const void *other) {
  int64_t left = *(const int64_t *)one, right = *(const int64_t *)other;
  return (left > right) - (left < right);
}

static void print_all(const struct thread *threads, int count, enum role role) {
  int64_t *all = NULL;
  size_t total = 0;
  for (int place = 0; place < count; place++) {
    if (threads[place].role != role || !threads[place].count) continue;
    all = realloc(all, (total + threads[place].count) * sizeof *all);
    memcpy(all + total, threads[place].nanoseconds, threads[place].count * sizeof *all);
    total += threads[place].count;
  }
  if (total) qsort(all, total, sizeof *all, compare);
  int64_t half = total ? all[total / 2] : 0, most = total ? all[(size_t)(0.999 * (double)total)] : 0;
  printf("%zu\t%lld\t%lld\t%lld\t", total, (long long)half, (long long)most, (long long)(total ? all[total - 1] : 0));
}

int main(int count, char **words) {
  if (count != 7) fail("sqlite_threads", "DATABASE COPY SECONDS READERS WRITES SAVES");
  path = words[1], copy_path = words[2];
  int readers = atoi(words[4]), writes = atoi(words[5]), saves = atoi(words[6]), threads = readers + writes + saves;
  sqlite3_stmt *counts = prepared(connect(), "SELECT count(*) FROM names");
  if (sqlite3_step(counts) == SQLITE_ROW) user_count = sqlite3_column_int64(counts, 0);
  sqlite3_finalize(counts);
  struct thread *all = calloc((size_t)threads, sizeof *all);
  end = now() + atoll(words[3]) * INT64_C(1000000000);
  for (int place = 0; place < threads; place++) {
    all[place].role = place < readers ? READS : place < readers + writes ? WRITES : SAVES;
    all[place].random = (uint64_t)place + 1;
    if (pthread_create(&all[place].handle, NULL, run, &all[place])) fail("a thread", "cannot be started");
  }
  for (int place = 0; place < threads; place++) pthread_join(all[place].handle, NULL);
  print_all(all, threads, READS);
  print_all(all, threads, WRITES);
  size_t saved = 0;
  for (int place = 0; place < threads; place++) saved += all[place].role == SAVES ? all[place].count : 0;
  printf("%zu\n", saved);
  return 0;
}
