#ifndef KITH_REGEX_H
#define KITH_REGEX_H

#include <stddef.h>
#include <stdint.h>

// C interface to RE2's regular expressions. Empty without the package trait Regex.

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kith_regex kith_regex;

enum kith_regex_status { KITH_REGEX_SOUND, KITH_REGEX_INVALID, KITH_REGEX_TOO_LARGE };

// The result of compiling a pattern.
struct kith_regex_compiled {
  kith_regex *regex;  // NULL unless compiled; free with kith_regex_free
  enum kith_regex_status status;
  char message[256];  // the error, UTF-8; empty if the program is too large
};

// Compiles a pattern: case-insensitive, UTF-8, leftmost-first matching as in Perl. Program and automaton take at most
// `memory` bytes. From now on, compiling and matching may take `budget_nanoseconds` of the thread's CPU time in total.
struct kith_regex_compiled kith_regex_compile(
  const char *pattern, size_t length, int64_t memory, int64_t budget_nanoseconds);

// Begins a new time budget: from now on, for matching by the calling thread.
void kith_regex_restart(kith_regex *regex, int64_t budget_nanoseconds);

void kith_regex_free(kith_regex *regex);

// Whether the pattern matches anywhere in a text, or only at its beginning if `at_beginning`: 1 or 0; -1 if the time
// budget is exhausted. One thread at a time.
int kith_regex_match(kith_regex *regex, const char *text, size_t length, int at_beginning);

typedef struct {
  size_t count;   // names
  size_t length;  // their bytes, with the NUL after each
} kith_regex_passed;

// Passes names that are in ASCII and do not match: at most `count` of those in `length` bytes, each with a NUL after
// it. Ends before the first other name, and when the time is used up.
kith_regex_passed kith_regex_pass(kith_regex *regex, const char *names, size_t length, size_t count, int at_beginning);

// Lower-case texts in UTF-8. Every text that matches contains, in lower case, all of them if `needs_all`, else at least
// one. Empty if nothing is known.
size_t kith_regex_atom_count(const kith_regex *regex);
const char *kith_regex_atom(const kith_regex *regex, size_t index, size_t *length);
int kith_regex_needs_all(const kith_regex *regex);

#ifdef __cplusplus
}
#endif

#endif
