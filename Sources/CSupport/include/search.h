#ifndef KITH_SEARCH_H
#define KITH_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Branchless searches of ascending numbers.

// The index of the first of `count` ascending numbers that is not below a key; `count` if all are.
//
// Branchless: searches of several keys in a cached list overlap, because none waits for a misprediction (four times as
// fast). Swift compiles its conditional operator to a branch.
static inline size_t kith_lower_bound(const uint64_t *elements, size_t count, uint64_t key) {
  const uint64_t *base = elements;
  while (count > 1) {
    size_t half = count >> 1;
    base = __builtin_unpredictable(base[half - 1] < key) ? base + half : base;
    count -= half;
  }
  return (size_t)(base - elements) + (count == 1 && *base < key);
}

// The same for numbers of four bytes.
static inline size_t kith_lower_bound_row(const uint32_t *elements, size_t count, uint32_t key) {
  const uint32_t *base = elements;
  while (count > 1) {
    size_t half = count >> 1;
    base = __builtin_unpredictable(base[half - 1] < key) ? base + half : base;
    count -= half;
  }
  return (size_t)(base - elements) + (count == 1 && *base < key);
}

// The number of elements that `kith_find` reads.
enum { kith_find_count = 16 };

// Of elements whose high words differ, the one whose high word is a number; 0 if there is none.
//
// Reads all of them, without a branch: no read waits for the one before it, as in a binary search.
static inline uint64_t kith_find(const uint64_t *elements, uint32_t number) {
  uint64_t found = 0;
#pragma clang loop unroll(full)
  for (int index = 0; index < kith_find_count; index++) {
    found |= elements[index] & -(uint64_t)((uint32_t)(elements[index] >> 32) == number);
  }
  return found;
}

// The index after one that is taken, else the index itself. Branchless: see `kith_lower_bound`.
static inline size_t kith_index_after(size_t index, bool is_taken) {
  return __builtin_unpredictable(is_taken) ? index + 1 : index;
}

// A run of ascending numbers, at least one.
typedef struct {
  const uint64_t *start;
  size_t count;
} kith_plain_run;

// The number of keys that one search below takes.
enum { kith_lane_count = 8 };

// Moves eight places from the starts of runs, of `counts` numbers each, to the last number that is not above a key. A
// place stays at the start if all are.
//
// Branchless, and a step of all searches before the next step of any: eight chains of reads overlap, also where they
// are not cached (twice as fast as one after the other). The first step leaves a power of two to each search. Those
// that have fewer steps then wait: their first steps are by nothing.
//
// Swift does not unroll the loops by itself. Places at known addresses are read back from registers.
static inline void kith_last_not_above(const uint64_t **places, const size_t *counts, const uint64_t *keys) {
  size_t masks[kith_lane_count], widest = 0;
#pragma clang loop unroll(full)
  for (int lane = 0; lane < kith_lane_count; lane++) {
    size_t window = (size_t)1 << (63 - __builtin_clzll(counts[lane]));
    const uint64_t *place = places[lane], *later = place + (counts[lane] - window);
    places[lane] = __builtin_unpredictable(*later <= keys[lane]) ? later : place;
    masks[lane] = window - 1;
    widest |= window - 1;
  }
  for (size_t step = (widest + 1) >> 1; step > 0; step >>= 1) {
#pragma clang loop unroll(full)
    for (int lane = 0; lane < kith_lane_count; lane++) {
      const uint64_t *place = places[lane], *later = place + (step & masks[lane]);
      places[lane] = __builtin_unpredictable(*later <= keys[lane]) ? later : place;
    }
  }
}

// Bit n: number n of eight is the high word of a number in ascending runs, one or more. `firsts` has the first number
// of each run.
static inline uint32_t kith_members(
  const uint64_t *firsts, const kith_plain_run *runs, size_t count, const uint32_t *numbers) {
  const uint64_t *places[kith_lane_count];
  size_t counts[kith_lane_count];
  uint64_t keys[kith_lane_count];
#pragma clang loop unroll(full)
  for (int lane = 0; lane < kith_lane_count; lane++) {
    places[lane] = firsts;
    counts[lane] = count;
    keys[lane] = (uint64_t)numbers[lane] << 32 | UINT32_MAX;
  }
  if (count > 1) kith_last_not_above(places, counts, keys);
#pragma clang loop unroll(full)
  for (int lane = 0; lane < kith_lane_count; lane++) {
    const kith_plain_run *run = runs + (places[lane] - firsts);
    places[lane] = run->start;
    counts[lane] = run->count;
  }
  kith_last_not_above(places, counts, keys);
  uint32_t members = 0;
#pragma clang loop unroll(full)
  for (int lane = 0; lane < kith_lane_count; lane++) {
    members |= (uint32_t)(*places[lane] >> 32 == numbers[lane]) << lane;
  }
  return members;
}

// A run of ascending elements of one width in bits, at least one: a piece of a compact list. The number that is
// searched is in the upper bits of an element.
typedef struct {
  const void *words;
  uint64_t first_bit;  // of the number in the first element
  uint64_t mask;       // as many bits as a number has: at most 32
  uint32_t width;      // of an element
  uint32_t count;
} kith_packed_run;

// The number in an element. After the elements of a page at least eight bytes are there to be read.
static inline uint64_t kith_packed_number(const kith_packed_run *run, uint64_t index) {
  uint64_t bit = run->first_bit + index * run->width, word;
  memcpy(&word, (const uint8_t *)run->words + (bit >> 3), sizeof word);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  word = __builtin_bswap64(word);
#endif
  return word >> (bit & 7) & run->mask;
}

// Whether a number is in an element of a run.
static inline int kith_packed_contains(const kith_packed_run *run, uint32_t number) {
  uint64_t index = 0;
  for (uint64_t left = run->count; left > 1;) {
    uint64_t half = left >> 1;
    index = __builtin_unpredictable(kith_packed_number(run, index + half) <= number) ? index + half : index;
    left -= half;
  }
  return kith_packed_number(run, index) == number;
}

// As `kith_members`, for packed runs of at most 1 << `steps` elements.
static inline uint32_t kith_packed_members(
  const uint64_t *firsts, const kith_packed_run *runs, size_t count, int steps, const uint32_t *numbers) {
  const uint64_t *places[kith_lane_count];
  size_t counts[kith_lane_count];
  uint64_t keys[kith_lane_count], indices[kith_lane_count];
#pragma clang loop unroll(full)
  for (int lane = 0; lane < kith_lane_count; lane++) {
    places[lane] = firsts;
    counts[lane] = count;
    keys[lane] = (uint64_t)numbers[lane] << 32 | UINT32_MAX;
    indices[lane] = 0;
  }
  if (count > 1) kith_last_not_above(places, counts, keys);
  for (int step = steps - 1; step >= 0; step--) {
#pragma clang loop unroll(full)
    for (int lane = 0; lane < kith_lane_count; lane++) {
      const kith_packed_run *run = runs + (places[lane] - firsts);
      uint64_t later = indices[lane] + (UINT64_C(1) << step);
      later = later < run->count ? later : indices[lane];
      indices[lane] = __builtin_unpredictable(kith_packed_number(run, later) <= numbers[lane]) ? later : indices[lane];
    }
  }
  uint32_t members = 0;
#pragma clang loop unroll(full)
  for (int lane = 0; lane < kith_lane_count; lane++) {
    const kith_packed_run *run = runs + (places[lane] - firsts);
    members |= (uint32_t)(kith_packed_number(run, indices[lane]) == numbers[lane]) << lane;
  }
  return members;
}

#endif
