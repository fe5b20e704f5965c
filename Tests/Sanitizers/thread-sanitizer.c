// Announces to the thread sanitizer the ordering between threads that Swift's libraries establish.
//
// The standard library is not built with the sanitizer. So the sanitizer misses orderings that the library establishes,
// and reports the protected accesses as races. Kith relies on two such orderings. These wrappers are loaded before the
// libraries (LD_PRELOAD), and announce:
//
// - A Mutex that is free, or without waiters, is locked and unlocked in code that is compiled into the caller. With
//   waiters, the library does it.
// - A writer reuses a page when the last reader has released it: the reader decrements the reference count, and the
//   writer finds that it holds the only reference.
//
// No other orderings between these threads are announced: RaceCheck.swift checks that a real race is still found.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *mutex
// Callers may rely on reference counting to preserve all registers.
#define KEEPING __attribute__((preserve_most))

typedef SWIFT void LockSlow(uint32_t thread, SELF);
typedef SWIFT void UnlockSlow(SELF);
typedef KEEPING void Release(void *object);
typedef KEEPING void ReleaseMany(void *object, uint32_t count);
typedef KEEPING bool IsUnique(const void *object);

// Null in processes without the sanitizer.
extern __attribute__((weak)) void __tsan_acquire(void *address);
extern __attribute__((weak)) void __tsan_release(void *address);

static LockSlow *next_lock;
static UnlockSlow *next_unlock;
static Release *next_release;
static ReleaseMany *next_release_many;
static IsUnique *next_is_unique;

static __attribute__((constructor)) void find_libraries(void) {
  next_lock = (LockSlow *)dlsym(RTLD_NEXT, LOCK_SLOW);
  next_unlock = (UnlockSlow *)dlsym(RTLD_NEXT, UNLOCK_SLOW);
  next_release_many = (ReleaseMany *)dlsym(RTLD_NEXT, "swift_release_n");
  next_is_unique = (IsUnique *)dlsym(RTLD_NEXT, "swift_isUniquelyReferenced_nonNull_native");
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
