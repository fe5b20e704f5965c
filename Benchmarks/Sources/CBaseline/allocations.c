#include "baseline.h"

#include <errno.h>
#include <stdlib.h>

// Counts the allocations of every thread: wrappers with the public names of the C library's functions, which the
// libraries of this process then call too.
#ifdef __GLIBC__

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static __thread int64_t count;

int64_t baseline_allocation_count(void) { return count; }

void *malloc(size_t size) {
  count++;
  return __libc_malloc(size);
}

void *calloc(size_t elements, size_t size) {
  count++;
  return __libc_calloc(elements, size);
}

void *realloc(void *memory, size_t size) {
  count++;
  return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  count++;
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  void *allocated = aligned_alloc(alignment, size);
  if (!allocated) return ENOMEM;
  *memory = allocated;
  return 0;
}

#else

int64_t baseline_allocation_count(void) { return -1; }

#endif
