#ifndef KITH_REGEX_H
#define KITH_REGEX_H

#include <stddef.h>
#include <stdint.h>

// Regular expressions by RE2, as C. Only with the package trait Regex is anything behind it.

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kith_regex kith_regex;

enum kith_regex_status { KITH_REGEX_SOUND, KITH_REGEX_INVALID, KITH_REGEX_TOO_LARGE };

// What a pattern became.
struct kith_regex_compiled {
  kith_regex *regex;  // NULL unless sound; to be freed
  enum kith_regex_status status;
  char message[256];  // what is wrong, UTF-8; empty when it is too large
};

// Compiles a pattern: case-insensitive, UTF-8, the first match as Perl would find it. Program and automaton take
// `memory` bytes at most. From now on, compiling and matching may take so much of the thread's time.
struct kith_regex_compiled kith_regex_compile(
  const char *pattern, size_t length, int64_t memory, int64_t budget_nanoseconds);

void kith_regex_free(kith_regex *regex);

// Whether it matches somewhere in a text, or, if asked, at its beginning: 1 or 0; -1 when the time is spent. One thread
// at a time.
int kith_regex_match(kith_regex *regex, const char *text, size_t length, int at_beginning);

// Lower-case texts, UTF-8: in every text that matches, once it is in lower case, stand all of them if `needs_all`, else
// one of them. None when nothing is known.
size_t kith_regex_atom_count(const kith_regex *regex);
const char *kith_regex_atom(const kith_regex *regex, size_t index, size_t *length);
int kith_regex_needs_all(const kith_regex *regex);

#ifdef __cplusplus
}
#endif

#endif
