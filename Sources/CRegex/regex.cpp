#include "regex.h"

#ifdef KITH_REGEX

#include <re2/filtered_re2.h>
#include <re2/re2.h>
#include <time.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

// No exception leaves this file: every function that is called from C and may throw catches all exceptions.

struct kith_regex {
  re2::FilteredRE2 filter;
  std::vector<std::string> atoms;
  bool needs_all = false;
  int64_t deadline = 0;        // in nanoseconds of the thread's CPU time
  int64_t unchecked_work = 0;  // bytes times instructions since the clock was last checked
  bool is_spent = false;
};

namespace {

// Simulating the automaton takes at most some nanoseconds per instruction and byte. The clock is thus checked every few
// milliseconds, or every tenth of a millisecond while the automaton is deterministic.
constexpr int64_t work_between_clock_checks = 400'000;

// The thread's own time, so that a loaded machine rejects no more queries than an idle one.
int64_t thread_nanoseconds() {
  timespec time;
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) != 0) return 0;
  return static_cast<int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

bool may_match(const kith_regex &regex, const std::vector<int> &atoms) {
  std::vector<int> matching;
  regex.filter.AllPotentials(atoms, &matching);
  return !matching.empty();
}

// Chooses the atoms that every match contains; if there are none, a small set of which every match contains one.
void choose_atoms(kith_regex &regex, std::vector<std::string> atoms) {
  if (atoms.empty() || may_match(regex, {})) return;
  std::vector<int> all(atoms.size());
  for (size_t index = 0; index < all.size(); index++) all[index] = static_cast<int>(index);
  for (size_t index = 0; index < all.size(); index++) {
    std::vector<int> others = all;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(index));
    if (!may_match(regex, others)) regex.atoms.push_back(atoms[index]);
  }
  regex.needs_all = !regex.atoms.empty();
  if (regex.needs_all) return;
  // Every match contains one of these atoms. Removes each atom that can be spared, short ones first.
  std::vector<int> chosen = all, missing;
  std::sort(all.begin(), all.end(), [&](int left, int right) {
    const std::string &one = atoms[static_cast<size_t>(left)], &other = atoms[static_cast<size_t>(right)];
    return one.size() != other.size() ? one.size() < other.size() : left < right;
  });
  for (int atom : all) {
    missing.push_back(atom);
    if (may_match(regex, missing)) missing.pop_back();
    else chosen.erase(std::find(chosen.begin(), chosen.end(), atom));
  }
  for (int atom : chosen) regex.atoms.push_back(atoms[static_cast<size_t>(atom)]);
}

RE2::Options options(int64_t memory) {
  RE2::Options options;
  options.set_case_sensitive(false);
  options.set_never_capture(true);
  options.set_longest_match(false);
  options.set_log_errors(false);
  options.set_max_mem(memory);
  return options;
}

void explain(const re2::StringPiece &pattern, const RE2::Options &options, kith_regex_compiled &compiled) {
  RE2 failed(pattern, options);
  compiled.status = failed.error_code() == RE2::ErrorPatternTooLarge ? KITH_REGEX_TOO_LARGE : KITH_REGEX_INVALID;
  if (compiled.status == KITH_REGEX_TOO_LARGE) return;
  std::string message = failed.error();
  const std::string text(pattern.data(), pattern.size());
  const size_t place = text.find(failed.error_arg());
  const bool is_known = !failed.error_arg().empty() && failed.error_arg() != text && place != std::string::npos
    && text.find(failed.error_arg(), place + 1) == std::string::npos;
  if (is_known) message += ", at byte " + std::to_string(place);
  const size_t count = std::min(message.size(), sizeof compiled.message - 1);
  std::copy_n(message.begin(), count, compiled.message);
}

}  // namespace

extern "C" kith_regex_compiled kith_regex_compile(
  const char *pattern, size_t length, int64_t memory, int64_t budget_nanoseconds) {
  kith_regex_compiled compiled = {};
  try {
    const int64_t deadline = thread_nanoseconds() + budget_nanoseconds;
    const re2::StringPiece text(pattern, length);
    auto regex = std::make_unique<kith_regex>();
    regex->deadline = deadline;
    int id = 0;
    if (regex->filter.Add(text, options(memory), &id) != RE2::NoError) {
      explain(text, options(memory), compiled);
      return compiled;
    }
    std::vector<std::string> atoms;
    regex->filter.Compile(&atoms);
    choose_atoms(*regex, std::move(atoms));
    compiled.regex = regex.release();
  } catch (...) {
    compiled.status = KITH_REGEX_TOO_LARGE;
  }
  return compiled;
}

extern "C" void kith_regex_restart(kith_regex *regex, int64_t budget_nanoseconds) {
  regex->deadline = thread_nanoseconds() + budget_nanoseconds;
  regex->unchecked_work = 0;
  regex->is_spent = false;
}

extern "C" void kith_regex_free(kith_regex *regex) { delete regex; }

extern "C" int kith_regex_match(kith_regex *regex, const char *text, size_t length, int at_beginning) {
  if (regex->is_spent) return -1;
  try {
    const RE2 &expression = regex->filter.GetRE2(0);
    regex->unchecked_work += static_cast<int64_t>(length + 1) * expression.ProgramSize();
    if (regex->unchecked_work >= work_between_clock_checks) {
      regex->unchecked_work = 0;
      regex->is_spent = thread_nanoseconds() >= regex->deadline;
      if (regex->is_spent) return -1;
    }
    const RE2::Anchor anchor = at_beginning ? RE2::ANCHOR_START : RE2::UNANCHORED;
    return expression.Match(re2::StringPiece(text, length), 0, length, anchor, nullptr, 0) ? 1 : 0;
  } catch (...) {
    regex->is_spent = true;
    return -1;
  }
}

extern "C" kith_regex_passed kith_regex_pass(
  kith_regex *regex, const char *names, size_t length, size_t count, int at_beginning) {
  kith_regex_passed passed = {};
  while (passed.count < count && passed.length < length) {
    const char *name = names + passed.length;
    const auto *end = static_cast<const char *>(memchr(name, 0, length - passed.length));
    if (end == nullptr) break;
    const auto size = static_cast<size_t>(end - name);
    unsigned char seen = 0;
    for (size_t index = 0; index < size; index++) seen |= static_cast<unsigned char>(name[index]);
    if (seen >= 0x80 || kith_regex_match(regex, name, size, at_beginning) != 0) break;
    passed.count += 1;
    passed.length += size + 1;
  }
  return passed;
}

extern "C" size_t kith_regex_atom_count(const kith_regex *regex) { return regex->atoms.size(); }

extern "C" const char *kith_regex_atom(const kith_regex *regex, size_t index, size_t *length) {
  *length = regex->atoms[index].size();
  return regex->atoms[index].data();
}

extern "C" int kith_regex_needs_all(const kith_regex *regex) { return regex->needs_all; }

#endif
