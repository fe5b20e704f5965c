#ifndef KITH_SUPPORT_H
#define KITH_SUPPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lock.h"
#include "search.h"
#include "tokens.h"

#if !defined(__linux__) || !(defined(__x86_64__) || defined(__aarch64__))
#include <pthread.h>
#endif

// Functions that Swift cannot express.

// Prefetches a cache line without waiting for it. Any address is allowed.
static inline void kith_prefetch(const void *address) { __builtin_prefetch(address); }

typedef uint8_t kith_vector __attribute__((vector_size(16), aligned(1)));

// One bit for each of sixteen bytes that are all ones or all zeros.
static inline uint64_t kith_bits(kith_vector mask) {
#if defined(__SSE2__)
  typedef char bytes __attribute__((vector_size(16)));
  return (uint16_t)__builtin_ia32_pmovmskb128((bytes)mask);
#else
  // Each of eight bytes keeps a different bit; a product adds them up in its highest byte.
  typedef uint64_t words __attribute__((vector_size(16)));
  words sums = (((words)mask & 0x8040201008040201u) * 0x0101010101010101u) >> 56;
  return sums[0] | sums[1] << 8;
#endif
}

// Bit n: byte n of 64 equals `first`, and the byte `gap` after it equals `last`.
//
// Reads 64 + gap bytes. Swift has no conversion of a vector mask to bits; its own equivalent takes six times as many
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

// Bit n: number n of 64 has all the bits of `wanted`.
static inline uint64_t kith_supersets(const uint64_t *numbers, uint64_t wanted) {
  uint64_t found = 0;
#if defined(__SSE2__)
  typedef uint64_t words __attribute__((vector_size(16), aligned(8)));
  typedef double lanes __attribute__((vector_size(16)));
  for (int step = 0; step < 32; step++) {
    words two = *(const words *)(numbers + 2 * step);
    found |= (uint64_t)__builtin_ia32_movmskpd((lanes)((two & wanted) == wanted)) << (2 * step);
  }
#else
  for (int index = 0; index < 64; index++) found |= (uint64_t)((numbers[index] & wanted) == wanted) << index;
#endif
  return found;
}

// The index of the first of some ascending numbers, from `start` on and before `end`, that is at least `number`; `end`
// if there is none. Numbers before `count` may be read.
//
// Most gaps between two posting lists are short: sixteen numbers are compared at once, because a branch for each would
// be mispredicted. Longer gaps are galloped through, in steps that double.
static inline size_t kith_gallop(const uint16_t *numbers, size_t start, size_t end, size_t count, uint16_t number) {
  enum { lane_count = 16 };
  typedef uint16_t lanes __attribute__((vector_size(16), aligned(2)));
  size_t low = start;
  if (low >= end || numbers[low] >= number) return low;
  if (++low >= end || numbers[low] >= number) return low;
  if (low + lane_count <= end && numbers[low + lane_count - 1] < number) {
    size_t step = lane_count;
    do {
      low += step;
      step *= 2;
    } while (low + step <= end && numbers[low + step - 1] < number);
    size_t high = low + step < end ? low + step : end;
    while (high - low > lane_count) {
      size_t middle = low + (high - low) / 2;
      if (numbers[middle] < number) low = middle + 1;
      else high = middle;
    }
  }
  if (low + lane_count > count) {
    while (low < end && numbers[low] < number) low++;
    return low;
  }
  kith_vector first = (kith_vector)(*(const lanes *)(numbers + low) >= number);
  kith_vector second = (kith_vector)(*(const lanes *)(numbers + low + lane_count / 2) >= number);
  uint64_t bits = kith_bits(first) | kith_bits(second) << 16 | (uint64_t)1 << 32;
  low += (size_t)__builtin_ctzll(bits) / 2;
  return low < end ? low : end;
}

// One byte in lower case if it is an ASCII letter.
static inline uint8_t kith_lowercase(uint8_t byte) { return (uint8_t)(byte - 'A') < 26 ? byte | 0x20 : byte; }

// The bit that separates the cases of a byte in lower case; 0 if it is no letter.
static inline uint8_t kith_case_bit(uint8_t byte) { return (uint8_t)(byte - 'a') < 26 ? 0x20 : 0; }

// Whether the middle of a needle in lower case is at a place where its ends are.
static inline bool kith_agrees_lowercase(const uint8_t *place, const uint8_t *needle, size_t length) {
  for (size_t index = 1; index + 1 < length; index++) {
    if (kith_lowercase(place[index]) != needle[index]) return false;
  }
  return true;
}

// Whether a text contains a needle in lower case, in any case: 1 or 0; -1 if its key must be searched, which may be so
// if it is not ASCII. The needle has a byte or more, all ASCII.
//
// Where the next byte is ASCII, too, or the text ends, nothing changes the needle's last letter, and the rest of the
// text need not be read. Sixteen places at a time by the needle's first and last byte, without a copy of the text.
// Reads nothing after it.
static inline int kith_contains_lowercase(const uint8_t *text, size_t count, const uint8_t *needle, size_t length) {
  size_t gap = length - 1;
  uint8_t head_bit = kith_case_bit(needle[0]), tail_bit = kith_case_bit(needle[gap]);
  if (count < gap + 16 || count < 2 * gap) {
    uint8_t seen = 0;
    for (size_t place = 0; place < count; place++) seen |= text[place];
    for (size_t place = 0; place + gap < count; place++) {
      if ((text[place] | head_bit) == needle[0] && (text[place + gap] | tail_bit) == needle[gap]
        && kith_agrees_lowercase(text + place, needle, length)
        && (place + length == count || text[place + length] < 0x80))
        return 1;
    }
    return seen >= 0x80 ? -1 : 0;
  }
  // The last vectors overlap those before. Heads and tails together cover the text.
  size_t last = count - gap - 16;
  kith_vector seen = {0};
  for (size_t place = 0;; place = place + 16 < last ? place + 16 : last) {
    kith_vector heads = *(const kith_vector *)(text + place);
    kith_vector tails = *(const kith_vector *)(text + place + gap);
    seen |= heads | tails;
    uint64_t places =
      kith_bits((kith_vector)((heads | head_bit) == needle[0]) & (kith_vector)((tails | tail_bit) == needle[gap]));
    for (; places != 0; places &= places - 1) {
      size_t start = place + (size_t)__builtin_ctzll(places);
      if (kith_agrees_lowercase(text + start, needle, length)
        && (start + length == count || text[start + length] < 0x80))
        return 1;
    }
    if (place == last) break;
  }
  kith_vector wide = (kith_vector)(seen >= 0x80);
  return kith_bits(wide) != 0 ? -1 : 0;
}

// The fewest edits that turn a text into a run of the bytes of a key; any number above `most` if there are more than
// that, and -1 if the key is not ASCII. See EditMatcher.
//
// Bit n of places[b]: position n of the text is byte b. The text has `count` positions, 1 to 64. Bit b & 63 of
// `letters` is set for each byte b of it.
static inline int kith_edits(
  const uint64_t *places, unsigned count, uint64_t letters, const uint8_t *key, size_t length, int most) {
  uint64_t seen = 0;
  uint8_t all = 0;
  for (size_t index = 0; index < length; index++) {
    seen |= (uint64_t)1 << (key[index] & 63);
    all |= key[index];
  }
  if (all >= 0x80) return -1;
  // Each letter that the key lacks takes an edit.
  if (__builtin_popcountll(letters & ~seen) > most) return most + 1;
  uint64_t more = ~(uint64_t)0, less = 0, diagonal = ~(uint64_t)0, before = 0;
  unsigned last = count - 1;
  int edits = (int)count, fewest = (int)count;
  for (size_t index = 0; index < length; index++) {
    uint64_t here = places[key[index]];
    uint64_t swapped = ((~diagonal & here) << 1) & before;
    diagonal = (((here & more) + more) ^ more) | here | less | swapped;
    before = here;
    uint64_t rises = less | ~(diagonal | more);
    uint64_t falls = more & diagonal;
    edits += (int)((rises >> last) & 1) - (int)((falls >> last) & 1);
    fewest = edits < fewest ? edits : fewest;
    rises <<= 1;
    falls <<= 1;
    more = falls | ~(diagonal | rises);
    less = rises & diagonal;
  }
  return fewest;
}

// An identifier of the calling thread: the address of its thread-local memory, in one instruction where possible.
//
// Volatile, because a task may continue on another thread, where the result must differ.
static inline uintptr_t kith_thread(void) {
#if defined(__linux__) && defined(__x86_64__)
  uintptr_t thread;
  __asm__ volatile("movq %%fs:0, %0" : "=r"(thread));
  return thread;
#elif defined(__linux__) && defined(__aarch64__)
  uintptr_t thread;
  __asm__ volatile("mrs %0, tpidr_el0" : "=r"(thread));
  return thread;
#else
  return (uintptr_t)pthread_self();
#endif
}

// The number of the calling thread: 1, 2, 3 … in the order in which threads first ask. Numbers are not used again.
//
// Volatile, or a call, for the same reason.
uintptr_t kith_number_thread(void);
static inline uintptr_t kith_thread_number(void) {
#if defined(__linux__) && defined(__x86_64__)
  uintptr_t number;
  __asm__ volatile("movq kith_own_number@gottpoff(%%rip), %0\n\tmovq %%fs:(%0), %0" : "=r"(number));
  if (__builtin_expect(number != 0, 1)) return number;
#endif
  return kith_number_thread();
}

// Starts a thread that runs `body`, which no caller waits for. Returns 0, or the number of the error: EAGAIN where
// the process may have no further thread. See Threads.swift.
int kith_thread_start(void (*body)(void *), void *context);

// Sets how urgent the work of the calling thread is, where the system asks for that.
void kith_thread_class(bool is_background);

// The cores that are in use; at least one.
size_t kith_core_count(void);

// Between these calls of one thread no fork of another one begins, for at most a second: the child would
// have half of a change, and no thread that completes it.
void kith_hold_forks(void);
void kith_release_forks(void);

// The number of the process: 0, and one more in each child of a fork. A child compares it with what its parent noted,
// without a system call.
extern uint32_t kith_own_process;
static inline uint32_t kith_process_number(void) { return kith_own_process; }

// Waits a moment, and longer with every turn: a few instructions, then the rest of the time slice, then asleep.
void kith_back_off(uint32_t turn);

// Maps zeroed memory aligned to two megabytes, on huge pages, where the system has them, or on small ones. The size
// must be a multiple of two megabytes. NULL if there is no memory.
void *kith_map(size_t byte_count, bool is_huge);

// Has the system use huge pages, or small ones, for what it has yet to give of a range aligned to two megabytes.
void kith_advise_huge(void *start, size_t byte_count, bool is_huge);

// Maps zeroed memory that is zeroed again in the child of a fork, where the system can. NULL if there is no memory.
void *kith_map_own(size_t byte_count);

void kith_unmap(void *start, size_t byte_count);

// Prefaults a range aligned to two megabytes: asks for huge pages, and has the system give them now, so that no later
// write waits for them. Does nothing to memory that is used.
void kith_populate(void *start, size_t byte_count);

// Whether `kith_populate` does anything on this system.
bool kith_can_populate(void);

// Gives the whole pages in a range of mapped memory back to the system. They are zeroed when they are used again, and
// small then.
void kith_discard(void *start, size_t byte_count);

// Gives the memory that the C library's allocator has free back to the system, as far as it can.
void kith_give_back(void);

// Whether a sanitizer instruments the C library's allocator. Not inline: the Swift compiler reads this header without
// the sanitizer.
bool kith_is_sanitized(void);

// The size and flags of a block of memory, in the first four of the eight bytes before it: relaxed atomic accesses.
static inline uint32_t kith_block_word(const void *block) {
  return __atomic_load_n((const uint32_t *)block - 2, __ATOMIC_RELAXED);
}
static inline void kith_set_block_word(void *block, uint32_t word) {
  __atomic_store_n((uint32_t *)block - 2, word, __ATOMIC_RELAXED);
}

// The count of references to a page, in the four bytes before it. Not inline: as above.

// Sets the count of a page that no other thread knows yet to one.
void kith_page_begin(void *page);
void kith_page_retain(void *page);
// Whether that was the last reference: then the caller frees the page.
bool kith_page_release(void *page);
bool kith_page_is_unique(void *page);

#endif
