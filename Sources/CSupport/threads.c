#include "support.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// MARK: Threads

struct start {
  void (*body)(void *);
  void *context;
};

static void *run(void *argument) {
  struct start start = *(struct start *)argument;
  free(argument);
  start.body(start.context);
  return NULL;
}

int kith_thread_start(void (*body)(void *), void *context) {
  struct start *start = malloc(sizeof *start);
  if (start == NULL) return ENOMEM;
  *start = (struct start){body, context};
  // The signals of the host are for its own threads: one here could not be waited for. Those that a thread causes
  // itself are not held back.
  sigset_t held, before;
  sigfillset(&held);
  static const int own[] = {SIGILL, SIGTRAP, SIGFPE, SIGBUS, SIGSEGV, SIGSYS, SIGPIPE, SIGXFSZ};
  for (size_t index = 0; index < sizeof own / sizeof *own; index++) sigdelset(&held, own[index]);
  pthread_sigmask(SIG_BLOCK, &held, &before);
  pthread_attr_t attributes;
  pthread_t thread;
  int code = pthread_attr_init(&attributes);
  if (code == 0) {
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    code = pthread_create(&thread, &attributes, run, start);
    pthread_attr_destroy(&attributes);
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (code != 0) free(start);
  return code;
}

void kith_thread_class(bool is_background) {
#ifdef __APPLE__
  pthread_set_qos_class_self_np(is_background ? QOS_CLASS_UTILITY : QOS_CLASS_USER_INITIATED, 0);
#else
  (void)is_background;
#endif
}

size_t kith_core_count(void) {
  long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count > 0 ? (size_t)count : 1;
}

// MARK: Forks

uint32_t kith_own_process;

// The lock of all pages, wide enough for the system's own.
static uint32_t page_word;
uint32_t *kith_page_word(void) { return &page_word; }

// Taken for reading by threads of Kith's own while they change a graph, and for writing by a fork.
static pthread_rwlock_t fork_lock = PTHREAD_RWLOCK_INITIALIZER;
static const pthread_rwlock_t free_fork_lock = PTHREAD_RWLOCK_INITIALIZER;
static _Thread_local bool holds_fork_lock;

void kith_hold_forks(void) { pthread_rwlock_rdlock(&fork_lock); }
void kith_release_forks(void) { pthread_rwlock_unlock(&fork_lock); }

// Not for ever: a thread that forks while it reads would wait for one that waits for the end of that read.
static void await_changes(void) {
  enum { attempts = 1000, microseconds = 1000 };
  for (int attempt = 0; attempt < attempts; attempt++) {
    holds_fork_lock = pthread_rwlock_trywrlock(&fork_lock) == 0;
    if (holds_fork_lock) return;
    usleep(microseconds);
  }
}

static void begin_fork(void) {
  await_changes();
  if (!kith_word_try(&page_word)) kith_word_lock(&page_word);
}

// As WordMutex does: on Linux the function only wakes those who wait.
static void free_pages(void) {
#ifdef __linux__
  if (__atomic_exchange_n(&page_word, 0, __ATOMIC_RELEASE) != 2) return;
#endif
  kith_word_unlock(&page_word);
}

static void end_fork(void) {
  free_pages();
  if (holds_fork_lock) pthread_rwlock_unlock(&fork_lock);
  holds_fork_lock = false;
}

// The child has the thread that forked, and no other: it may free what that thread locked.
static void begin_child(void) {
  kith_own_process++;
  memset(&page_word, 0, sizeof page_word);
  memcpy(&fork_lock, &free_fork_lock, sizeof fork_lock);
  holds_fork_lock = false;
}

__attribute__((constructor)) static void watch_forks(void) { pthread_atfork(begin_fork, end_fork, begin_child); }
