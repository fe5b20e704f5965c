#include "support.h"

#include <sys/mman.h>

enum { HUGE_PAGE = 1 << 21 };

// Maps one huge page more than requested, and unmaps what precedes and follows the aligned part.
void *kith_map(size_t byte_count) {
  char *start = mmap(NULL, byte_count + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) return NULL;
  size_t before = -(uintptr_t)start & (HUGE_PAGE - 1);
  if (before > 0) munmap(start, before);
  start += before;
  munmap(start + byte_count, HUGE_PAGE - before);
#ifdef MADV_HUGEPAGE
  // A hint: without it, or if the system has no huge pages left, pages are small.
  madvise(start, byte_count, MADV_HUGEPAGE);
#endif
  return start;
}

void kith_unmap(void *start, size_t byte_count) { munmap(start, byte_count); }

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

bool kith_is_sanitized(void) { return IS_SANITIZED; }
