"""Makes the cffi module kith._kith from kith.h (API mode: the compiler checks every declaration)."""

import os
import re
from pathlib import Path

from cffi import FFI

PREFIX = Path(os.environ["KITH_PREFIX"])

CALLBACKS = """
extern "Python" {
    void kith_py_notify(void *);
    void kith_py_store_event(void *, const kith_store_event *);
    void kith_py_progress(void *, int64_t);
    int32_t kith_py_batch(kith_graph *, void *);
    int32_t kith_py_change(void *, const kith_change *, uint64_t);
}
"""

# What the library calls. The functions above are Python's; each of these calls one of them.
CALLERS = """
void kith_call_notify(void *);
void kith_call_store_event(void *, const kith_store_event *);
void kith_call_progress(void *, int64_t);
int32_t kith_call_batch(kith_graph *, void *);
int32_t kith_call_change(void *, const kith_change *, uint64_t);
void kith_py_end(void);
int kith_py_running(void);
void kith_py_free(void *handle);
void kith_py_forked(void);
"""

# Calls without memory of Python. A page has memory of its own: one call runs a query, one frees its result; null after
# an error.
PAGES = """
kith_page *kith_py_run(kith_graph *graph, const kith_query *query, kith_error *error);
kith_page *kith_py_poll(kith_observer *observer, kith_error *error);
void kith_py_free_page(kith_page *page);
int kith_py_is_following(kith_graph *graph, int64_t user, int64_t target, kith_error *error);
"""

SOURCE = """
#include <errno.h>
#include <kith.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static void kith_py_notify(void *);
static void kith_py_store_event(void *, const kith_store_event *);
static void kith_py_progress(void *, int64_t);
static int32_t kith_py_batch(kith_graph *, void *);
static int32_t kith_py_change(void *, const kith_change *, uint64_t);

// When the interpreter ends, it ends each other thread that asks for the GIL, by pthread_exit. That would unwind the
// frames of the library, which called Python, and end the process. The thread sleeps instead until the process ends.
static void stay(void *unused) {
  (void)unused;
  for (;;) pause();
}
#define CALL_PYTHON(call)          \\
  pthread_cleanup_push(stay, NULL) \\
  call;                            \\
  pthread_cleanup_pop(0)

// The callbacks on threads of the library that run now, and whether the interpreter ends: no other one begins.
static atomic_int running;
static atomic_bool has_ended;

static bool begin(void) {
  atomic_fetch_add(&running, 1);
  if (!atomic_load(&has_ended)) return true;
  atomic_fetch_sub(&running, 1);
  return false;
}

static void kith_call_notify(void *context) {
  if (!begin()) return;
  CALL_PYTHON(kith_py_notify(context));
  atomic_fetch_sub(&running, 1);
}

static void kith_call_store_event(void *context, const kith_store_event *event) {
  if (!begin()) return;
  CALL_PYTHON(kith_py_store_event(context, event));
  atomic_fetch_sub(&running, 1);
}

static void kith_call_progress(void *context, int64_t bytes) {
  CALL_PYTHON(kith_py_progress(context, bytes));
}

static int32_t kith_call_batch(kith_graph *batch, void *context) {
  int32_t value;
  CALL_PYTHON(value = kith_py_batch(batch, context));
  return value;
}

static int32_t kith_call_change(void *context, const kith_change *change, uint64_t sequence) {
  int32_t value;
  CALL_PYTHON(value = kith_py_change(context, change, sequence));
  return value;
}

static void kith_py_end(void) { atomic_store(&has_ended, true); }
static int kith_py_running(void) { return atomic_load(&running); }
// Frees a handle, unless the interpreter ends and a callback does not: to wait for it would be for ever.
static void kith_py_free(void *handle) {
  if (!atomic_load(&has_ended) || atomic_load(&running) == 0) kith_free(handle);
}
// The child of a fork has no thread that runs a callback.
static void kith_py_forked(void) { atomic_store(&running, 0); }

static kith_page *new_page(kith_error *error) {
  kith_page *page = malloc(sizeof *page);
  error->status = page ? KITH_OK : KITH_SYSTEM;
  if (!page) *error = (kith_error){KITH_SYSTEM, -1, ENOMEM, 13, "out of memory"};
  return page;
}

static kith_page *kith_py_run(kith_graph *graph, const kith_query *query, kith_error *error) {
  kith_page *page = new_page(error);
  if (page == NULL || kith_run(graph, query, page, error) == KITH_OK) return page;
  free(page);
  return NULL;
}

static kith_page *kith_py_poll(kith_observer *observer, kith_error *error) {
  kith_page *page = new_page(error);
  bool has_changed = false;
  if (page == NULL || (kith_poll_query(observer, &has_changed, page, error) == KITH_OK && has_changed)) return page;
  free(page);
  return NULL;
}

static void kith_py_free_page(kith_page *page) {
  kith_free(page->owner);
  free(page);
}

// -1 after an error.
static int kith_py_is_following(kith_graph *graph, int64_t user, int64_t target, kith_error *error) {
  bool is_following = false;
  return kith_is_following(graph, user, target, &is_following, error) == KITH_OK ? is_following : -1;
}
"""


def declarations(header: str) -> str:
    """The header as cffi reads it: without comments, directives and inline functions."""
    text = re.sub(r"//.*", "", header)
    text = re.sub(r"^static inline .*?^}\n", "", text, flags=re.M | re.S)
    text = re.sub(r"#ifdef __cplusplus\n.*?#endif\n", "", text, flags=re.S)
    text = re.sub(r"^#.*\n", "", text, flags=re.M)
    names = ("KITH_VERSION_MAJOR", "KITH_NOW", "KITH_VISITOR", "KITH_ZERO")
    macros = "".join(f"#define {name} ...\n" for name in names)
    return text + "\n" + macros + CALLBACKS + CALLERS + PAGES


builder = FFI()
builder.cdef(declarations((PREFIX / "include" / "kith.h").read_text()))
builder.set_source(
    "kith._kith",
    SOURCE,
    include_dirs=[str(PREFIX / "include")],
    library_dirs=[str(PREFIX / "lib")],
    libraries=["kith"],
    runtime_library_dirs=["$ORIGIN"],
    py_limited_api=True,
    define_macros=[("Py_LIMITED_API", "0x03090000")],
)
