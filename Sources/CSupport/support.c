#include "support.h"

#include <limits.h>
#include <sched.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#if defined(__GLIBC__)
#include <malloc.h>
#elif defined(__APPLE__)
#include <malloc/malloc.h>
#endif

#ifdef __linux__
#include <errno.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#else
#include <os/lock.h>
#include <os/os_sync_wait_on_address.h>
#endif

enum { HUGE_PAGE = 1 << 21 };

void kith_advise_huge(void *start, size_t byte_count, bool is_huge) {
#ifdef MADV_HUGEPAGE
  // A hint: if the system has no huge pages left, pages are small.
  madvise(start, byte_count, is_huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
#else
  (void)start, (void)byte_count, (void)is_huge;
#endif
}

// Maps one huge page more than requested, and unmaps what precedes and follows the aligned part.
void *kith_map(size_t byte_count, bool is_huge) {
  char *start = mmap(NULL, byte_count + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) return NULL;
  size_t before = -(uintptr_t)start & (HUGE_PAGE - 1);
  if (before > 0) munmap(start, before);
  start += before;
  munmap(start + byte_count, HUGE_PAGE - before);
  kith_advise_huge(start, byte_count, is_huge);
  return start;
}

void kith_unmap(void *start, size_t byte_count) { munmap(start, byte_count); }

void *kith_map_own(size_t byte_count) {
  void *start = mmap(NULL, byte_count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) return NULL;
#ifdef MADV_WIPEONFORK
  madvise(start, byte_count, MADV_WIPEONFORK);
#endif
  return start;
}

bool kith_can_populate(void) {
#ifdef MADV_POPULATE_WRITE
  return true;
#else
  return false;
#endif
}

void kith_populate(void *start, size_t byte_count) {
#ifdef MADV_POPULATE_WRITE
  kith_advise_huge(start, byte_count, true);
  madvise(start, byte_count, MADV_POPULATE_WRITE);
#else
  (void)start, (void)byte_count;
#endif
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define IS_SANITIZED true
#endif
#endif
#ifndef IS_SANITIZED
#define IS_SANITIZED false
#endif

// Named in the header's assembly. The model is the one whose offset from the thread's memory is constant.
__attribute__((tls_model("initial-exec"))) _Thread_local uintptr_t kith_own_number;
static uintptr_t thread_count;

uintptr_t kith_number_thread(void) {
  if (kith_own_number == 0) kith_own_number = __atomic_add_fetch(&thread_count, 1, __ATOMIC_RELAXED);
  return kith_own_number;
}

// A change takes about a microsecond, a system call to wait and another to be woken more.
enum { SPIN_COUNT = 100, YIELD_COUNT = 20, NAP_NANOSECONDS = 50000 };
// A writer waits for queries, of which many take ten microseconds. A thread that slept is back some thirty later, and
// readers that find the gate closed meanwhile sleep as well. At the gate less is at stake: the others may read.
enum { SLOT_SPIN_COUNT = 1000, GATE_SPIN_COUNT = 200 };

static void relax(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

void kith_back_off(uint32_t turn) {
  if (turn < SPIN_COUNT) return relax();
  if (turn < SPIN_COUNT + YIELD_COUNT) {
    sched_yield();
    return;
  }
  nanosleep(&(struct timespec){0, NAP_NANOSECONDS}, NULL);
}

// Returns early after the longest time, if there is one.
static void sleep_while_at_most(uint32_t *word, uint32_t value, const struct timespec *most) {
#ifdef __linux__
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, most, NULL, 0);
#else
  (void)most;
  os_sync_wait_on_address(word, value, sizeof *word, OS_SYNC_WAIT_ON_ADDRESS_NONE);
#endif
}

static void sleep_while(uint32_t *word, uint32_t value) { sleep_while_at_most(word, value, NULL); }

_Static_assert(sizeof(kith_lock_slot) == kith_lock_stride, "a slot has its cache lines alone");
_Static_assert(sizeof(kith_lock_gate) == kith_lock_stride, "the gate has its cache lines alone");
_Static_assert(sizeof(kith_lock_writers) == kith_lock_stride, "the writers' words have their cache lines alone");

void kith_gate_await(kith_lock_gate *gate) {
  uint32_t *state = &gate->state;
  for (int turn = 0; turn < GATE_SPIN_COUNT; turn++) {
    if (__atomic_load_n(state, __ATOMIC_RELAXED) == 0) return;
    relax();
  }
  uint32_t closed = 1;
  __atomic_compare_exchange_n(state, &closed, 2, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  // What was there before: 0 if it was opened meanwhile.
  if (closed != 0) sleep_while(state, 2);
}

#ifdef __linux__

void kith_slot_prepare(void) { syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0); }

// Has every thread of the process pass a full barrier. False where the system cannot, or does not allow it.
static bool order_threads(void) {
  if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0) return true;
  if (errno != EPERM) return false;
  kith_slot_prepare();
  return syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
}

#else

void kith_slot_prepare(void) {}

// The threads do so themselves, in `kith_slot_left`.
static bool order_threads(void) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  return true;
}

#endif

bool kith_slot_spin(const kith_lock_slot *slot) {
  for (int turn = 0; turn < SLOT_SPIN_COUNT; turn++) {
    if (__atomic_load_n(&slot->reader, __ATOMIC_ACQUIRE) == 0) return true;
    relax();
  }
  return false;
}

void kith_slot_await(kith_lock_gate *gate, const kith_lock_slot *slot, uint32_t place) {
  uint32_t *word = &gate->awaited;
  __atomic_store_n(word, place, __ATOMIC_SEQ_CST);
  bool is_ordered = order_threads();
  if (__atomic_load_n(&slot->reader, __ATOMIC_SEQ_CST) != 0) {
    sleep_while_at_most(word, place, is_ordered ? NULL : &(struct timespec){0, NAP_NANOSECONDS});
  }
  __atomic_store_n(word, 0, __ATOMIC_SEQ_CST);
}

void kith_slot_wake(kith_lock_gate *gate) {
#ifdef __linux__
  syscall(SYS_futex, &gate->awaited, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
#else
  os_sync_wake_by_address_any(&gate->awaited, sizeof gate->awaited, OS_SYNC_WAKE_BY_ADDRESS_NONE);
#endif
}

void kith_gate_wake(kith_lock_gate *gate) {
#ifdef __linux__
  syscall(SYS_futex, &gate->state, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
#else
  os_sync_wake_by_address_all(&gate->state, sizeof gate->state, OS_SYNC_WAKE_BY_ADDRESS_NONE);
#endif
}

#ifdef __linux__

bool kith_word_try(uint32_t *word) {
  uint32_t free = 0;
  return __atomic_compare_exchange_n(word, &free, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

void kith_word_lock(uint32_t *word) {
  for (int turn = 0; turn < SPIN_COUNT; turn++) {
    uint32_t free = 0;
    if (__atomic_load_n(word, __ATOMIC_RELAXED) == 0
      && __atomic_compare_exchange_n(word, &free, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
      return;
    relax();
  }
  // Awaited from here on: its owner will wake one thread, which then holds it as awaited, because others may wait.
  while (__atomic_exchange_n(word, 2, __ATOMIC_ACQUIRE) != 0) {
    sleep_while(word, 2);
  }
}

void kith_word_unlock(uint32_t *word) { syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0); }

#else

// The system's lock is one word.
static os_unfair_lock_t system_lock(uint32_t *word) { return (os_unfair_lock_t)word; }
void kith_word_lock(uint32_t *word) { os_unfair_lock_lock(system_lock(word)); }
void kith_word_unlock(uint32_t *word) { os_unfair_lock_unlock(system_lock(word)); }
bool kith_word_try(uint32_t *word) { return os_unfair_lock_trylock(system_lock(word)); }

#endif

void kith_discard(void *start, size_t byte_count) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), end = ((uintptr_t)start + byte_count) & ~(page - 1);
  uintptr_t first = ((uintptr_t)start + page - 1) & ~(page - 1);
#ifdef __APPLE__
  enum { ADVICE = MADV_FREE_REUSABLE };
#else
  enum { ADVICE = MADV_DONTNEED };
#endif
  if (first < end) madvise((void *)first, end - first, ADVICE);
  // Small pages, when they are used again.
  first = (first + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1);
  end &= ~(uintptr_t)(HUGE_PAGE - 1);
  if (first < end) kith_advise_huge((void *)first, end - first, false);
}

void kith_give_back(void) {
#if defined(__GLIBC__)
  malloc_trim(0);
#elif defined(__APPLE__)
  malloc_zone_pressure_relief(NULL, 0);
#endif
}

bool kith_is_sanitized(void) { return IS_SANITIZED; }

static uint32_t *page_count(void *page) { return (uint32_t *)page - 1; }

void kith_page_begin(void *page) { __atomic_store_n(page_count(page), 1, __ATOMIC_RELAXED); }
void kith_page_retain(void *page) { __atomic_fetch_add(page_count(page), 1, __ATOMIC_RELAXED); }
bool kith_page_is_unique(void *page) { return __atomic_load_n(page_count(page), __ATOMIC_ACQUIRE) == 1; }

bool kith_page_release(void *page) {
  // What other threads read before they released their references is over.
  return kith_page_is_unique(page) || __atomic_fetch_sub(page_count(page), 1, __ATOMIC_ACQ_REL) == 1;
}
