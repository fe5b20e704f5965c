// Announces to the thread sanitizer the ordering between threads that Swift's libraries establish.
//
// The standard library is not built with the sanitizer. So the sanitizer misses orderings that the library establishes,
// and reports the protected accesses as races. Kith relies on three such orderings. These wrappers are loaded before
// the libraries (LD_PRELOAD), and announce:
//
// - A Mutex that is free, or without waiters, is locked and unlocked in code that is compiled into the caller. With
//   waiters, the library does it.
// - A writer reuses a page when the last reader has released it: the reader decrements the reference count, and the
//   writer finds that it holds the only reference.
// - What resumes a continuation writes its value into the frame of the task that awaits it, which reads it after the
//   call, or at once if it was resumed before.
//
// No other orderings between these threads are announced: RaceCheck.swift checks that a real race is still found.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define SWIFT __attribute__((swiftcall))
#define ASYNC __attribute__((swiftasynccall))
#define SELF __attribute__((swift_context)) void *mutex
// Callers may rely on reference counting to preserve all registers.
#define KEEPING __attribute__((preserve_most))

typedef SWIFT void LockSlow(uint32_t thread, SELF);
typedef SWIFT void UnlockSlow(SELF);
typedef KEEPING void Release(void *object);
typedef KEEPING void ReleaseMany(void *object, uint32_t count);
typedef KEEPING bool IsUnique(const void *object);
typedef SWIFT void ResumeTask(void *task);
typedef SWIFT void *CurrentTask(void);
typedef ASYNC void AwaitContinuation(void *frame);
typedef ASYNC void Continue(__attribute__((swift_async_context)) void *frame);

// Null in processes without the sanitizer.
extern __attribute__((weak)) void __tsan_acquire(void *address);
extern __attribute__((weak)) void __tsan_release(void *address);

static LockSlow *next_lock;
static UnlockSlow *next_unlock;
static Release *next_release;
static ReleaseMany *next_release_many;
static IsUnique *next_is_unique;
static ResumeTask *next_resume;
static CurrentTask *current_task;
static AwaitContinuation *next_await;

static __attribute__((constructor)) void find_libraries(void) {
  next_lock = (LockSlow *)dlsym(RTLD_NEXT, LOCK_SLOW);
  next_unlock = (UnlockSlow *)dlsym(RTLD_NEXT, UNLOCK_SLOW);
  next_release_many = (ReleaseMany *)dlsym(RTLD_NEXT, "swift_release_n");
  next_is_unique = (IsUnique *)dlsym(RTLD_NEXT, "swift_isUniquelyReferenced_nonNull_native");
  next_resume = (ResumeTask *)dlsym(RTLD_NEXT, "swift_continuation_resume");
  next_await = (AwaitContinuation *)dlsym(RTLD_NEXT, "swift_continuation_await");
  current_task = (CurrentTask *)dlsym(RTLD_DEFAULT, "swift_task_getCurrent");
  next_release = (Release *)dlsym(RTLD_NEXT, "swift_release");
}

// Other libraries can call before constructors have run.
static void prepare(void) {
  if (next_release == NULL) find_libraries();
}

static void acquire(const void *address) {
  if (__tsan_acquire != NULL) __tsan_acquire((void *)address);
}

static void release(const void *address) {
  // A value that is no object, such as the bits of a short string, is negative or null.
  if (__tsan_release != NULL && (intptr_t)address > 0) __tsan_release((void *)address);
}

// Mutexes

SWIFT void lock_slow(uint32_t thread, SELF) __asm__(LOCK_SLOW);
SWIFT void lock_slow(uint32_t thread, SELF) {
  prepare();
  next_lock(thread, mutex);
  acquire(mutex);
}

SWIFT void unlock_slow(SELF) __asm__(UNLOCK_SLOW);
SWIFT void unlock_slow(SELF) {
  prepare();
  release(mutex);
  next_unlock(mutex);
}

// Reference counts

KEEPING void swift_release(void *object) {
  prepare();
  release(object);
  next_release(object);
}

KEEPING void swift_release_n(void *object, uint32_t count) {
  prepare();
  release(object);
  next_release_many(object, count);
}

KEEPING bool swift_isUniquelyReferenced_nonNull_native(const void *object) {
  prepare();
  bool is_unique = next_is_unique(object);
  if (is_unique) acquire(object);
  return is_unique;
}

// Continuations

// How the frame of an async call begins.
struct frame {
  void *parent;
  Continue *next;
};

// Where the frames that await a continuation go on. Plain atomic operations guard it: they order nothing else.
enum { PLACES = 1 << 16 };
static struct {
  void *frame;
  Continue *next;
} awaiting[PLACES];
static bool is_locked;

static void lock(void) {
  while (__atomic_test_and_set(&is_locked, __ATOMIC_ACQUIRE)) {
  }
}

static void unlock(void) { __atomic_clear(&is_locked, __ATOMIC_RELEASE); }

// The place with `wanted`, a frame or null, from the one on where `frame` belongs.
static size_t find(const void *wanted, const void *frame) {
  size_t place = ((uintptr_t)frame >> 4) * 0x9E3779B97F4A7C15u >> 48;
  for (size_t tries = 0; tries < PLACES; tries++, place = (place + 1) % PLACES) {
    if (awaiting[place].frame == wanted) return place;
  }
  abort();
}

static ASYNC void go_on(__attribute__((swift_async_context)) void *frame) {
  acquire(current_task());
  lock();
  size_t place = find(frame, frame);
  Continue *next = awaiting[place].next;
  awaiting[place].frame = NULL;
  unlock();
  ((struct frame *)frame)->next = next;
  __attribute__((musttail)) return next(frame);
}

SWIFT void swift_continuation_resume(void *task) {
  prepare();
  release(task);
  next_resume(task);
}

ASYNC void swift_continuation_await(void *frame) {
  prepare();
  lock();
  size_t place = find(NULL, frame);
  awaiting[place].frame = frame;
  awaiting[place].next = ((struct frame *)frame)->next;
  unlock();
  ((struct frame *)frame)->next = go_on;
  __attribute__((musttail)) return next_await(frame);
}
