// Records the system calls of a process that make its files durable, and shortens its writes.
//
// It is loaded before the C library (LD_PRELOAD) and wraps these calls. SystemCallTests builds it.
//
// KITH_CALL_LOG=FILE    every call becomes a line of the file: the call, a tab, and its subject: the path of a file or
//                       directory, after a rename or link the new one; `output` for the standard output.
// KITH_KILL_AT=N        the process is killed before the Nth of these calls.
// KITH_UNSYNCABLE=1     no directory can be synced (EINVAL), as on some of FUSE, CIFS and VirtualBox.
// KITH_WRITE_LIMIT=N    no write takes more than N bytes: a short write, which the system may always make.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int log_descriptor = -1;
static size_t write_limit = (size_t)-1;
static long kill_at = 0;
static int is_unsyncable = 0;
static atomic_long call_count = 0;

static __attribute__((constructor)) void begin(void) {
  const char *path = getenv("KITH_CALL_LOG");
  if (path != NULL) log_descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  const char *killed = getenv("KITH_KILL_AT");
  if (killed != NULL) kill_at = atol(killed);
  is_unsyncable = getenv("KITH_UNSYNCABLE") != NULL;
  const char *limit = getenv("KITH_WRITE_LIMIT");
  if (limit != NULL && atol(limit) > 0) write_limit = (size_t)atol(limit);
}

// One write a line, without our own wrappers: lines of several threads do not mix.
static void record(const char *call, const char *name) {
  if (kill_at > 0 && atomic_fetch_add(&call_count, 1) + 1 == kill_at) kill(getpid(), SIGKILL);
  if (log_descriptor < 0) return;
  int error = errno;
  char line[PATH_MAX + 64];
  int length = snprintf(line, sizeof line, "%s\t%s\n", call, name);
  if (length > 0 && (size_t)length < sizeof line) syscall(SYS_write, log_descriptor, line, (size_t)length);
  errno = error;
}

static void record_descriptor(const char *call, int descriptor) {
  if (log_descriptor < 0 && kill_at == 0) return;
  int error = errno;
  char link[64], path[PATH_MAX];
  struct stat status;
  if (descriptor == STDOUT_FILENO) {
    record(call, "output");
  } else if (fstat(descriptor, &status) == 0 && (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode))) {
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = 0;
    record(call, path);
  }
  errno = error;
}

// The wrapped function.
#define NEXT(type, name) ((type)dlsym(RTLD_NEXT, name))

static size_t limited(size_t count) { return count < write_limit ? count : write_limit; }

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  ssize_t (*next)(int, const void *, size_t, off_t) = NEXT(ssize_t (*)(int, const void *, size_t, off_t), "pwrite");
  record_descriptor("write", descriptor);
  return next(descriptor, bytes, limited(count), offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
  ssize_t (*next)(int, const void *, size_t, off64_t) =
    NEXT(ssize_t (*)(int, const void *, size_t, off64_t), "pwrite64");
  record_descriptor("write", descriptor);
  return next(descriptor, bytes, limited(count), offset);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  ssize_t (*next)(int, const void *, size_t) = NEXT(ssize_t (*)(int, const void *, size_t), "write");
  record_descriptor("write", descriptor);
  return next(descriptor, bytes, limited(count));
}

int fdatasync(int descriptor) {
  int (*next)(int) = NEXT(int (*)(int), "fdatasync");
  record_descriptor("fdatasync", descriptor);
  return next(descriptor);
}

int fsync(int descriptor) {
  int (*next)(int) = NEXT(int (*)(int), "fsync");
  record_descriptor("fsync", descriptor);
  struct stat status;
  if (is_unsyncable && fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode)) {
    errno = EINVAL;
    return -1;
  }
  return next(descriptor);
}

int ftruncate(int descriptor, off_t length) {
  int (*next)(int, off_t) = NEXT(int (*)(int, off_t), "ftruncate");
  record_descriptor("ftruncate", descriptor);
  return next(descriptor, length);
}

int ftruncate64(int descriptor, off64_t length) {
  int (*next)(int, off64_t) = NEXT(int (*)(int, off64_t), "ftruncate64");
  record_descriptor("ftruncate", descriptor);
  return next(descriptor, length);
}

int rename(const char *path, const char *new_path) {
  int (*next)(const char *, const char *) = NEXT(int (*)(const char *, const char *), "rename");
  record("rename", new_path);
  return next(path, new_path);
}

int link(const char *path, const char *new_path) {
  int (*next)(const char *, const char *) = NEXT(int (*)(const char *, const char *), "link");
  record("link", new_path);
  return next(path, new_path);
}

int unlink(const char *path) {
  int (*next)(const char *) = NEXT(int (*)(const char *), "unlink");
  record("unlink", path);
  return next(path);
}

int mkdir(const char *path, mode_t mode) {
  int (*next)(const char *, mode_t) = NEXT(int (*)(const char *, mode_t), "mkdir");
  record("mkdir", path);
  return next(path, mode);
}

int rmdir(const char *path) {
  int (*next)(const char *) = NEXT(int (*)(const char *), "rmdir");
  record("rmdir", path);
  return next(path);
}
