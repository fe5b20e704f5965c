#ifndef KITH_HINTS_H
#define KITH_HINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What Swift has no word for.

// Asks for a cache line that is soon read, without waiting for it. Any address will do.
static inline void kith_prefetch(const void *address) { __builtin_prefetch(address); }

// The place of the first of `count` ascending numbers that is not below a key; `count` if all are.
//
// Without a branch: searches of several keys in one list that is at hand overlap, because none waits for a guess to
// turn out wrong (four times as quick). Swift's ternary becomes a branch.
static inline size_t kith_lower_bound(const uint64_t *elements, size_t count, uint64_t key) {
  const uint64_t *base = elements;
  while (count > 1) {
    size_t half = count >> 1;
    base = __builtin_unpredictable(base[half - 1] < key) ? base + half : base;
    count -= half;
  }
  return (size_t)(base - elements) + (count == 1 && *base < key);
}

typedef uint8_t kith_vector __attribute__((vector_size(16), aligned(1)));

// One bit for each of sixteen bytes that are all ones or all zeros.
static inline uint64_t kith_bits(kith_vector mask) {
#if defined(__SSE2__)
  typedef char bytes __attribute__((vector_size(16)));
  return (uint16_t)__builtin_ia32_pmovmskb128((bytes)mask);
#else
  // Of eight bytes each keeps another bit, and a product adds them up in its highest byte.
  typedef uint64_t words __attribute__((vector_size(16)));
  words sums = (((words)mask & 0x8040201008040201u) * 0x0101010101010101u) >> 56;
  return sums[0] | sums[1] << 8;
#endif
}

// At which of 64 places `first` stands, and `last` so many bytes behind it: bit n for the n-th byte.
//
// 64 + gap bytes must be there. Swift has no word for a vector's mask as bits: its own twin takes six times as many
// instructions.
static inline uint64_t kith_places(const uint8_t *bytes, size_t gap, uint8_t first, uint8_t last) {
  uint64_t places = 0;
  for (int step = 0; step < 4; step++) {
    kith_vector heads = *(const kith_vector *)(bytes + 16 * step);
    kith_vector tails = *(const kith_vector *)(bytes + 16 * step + gap);
    places |= kith_bits((kith_vector)(heads == first) & (kith_vector)(tails == last)) << (16 * step);
  }
  return places;
}

// Memory of one's own: zeros, at a multiple of two megabytes, of which a multiple is asked for; on huge pages where the
// system has them. NULL when there is none.
void *kith_map(size_t byte_count);

void kith_unmap(void *start, size_t byte_count);

// Whether a sanitizer watches what the C library's allocator hands out and takes back. Not in the header: the compiler
// of Swift reads it without the sanitizer.
bool kith_is_sanitized(void);

#endif
