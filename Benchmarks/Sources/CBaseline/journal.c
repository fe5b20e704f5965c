#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "baseline.h"

int baseline_sync(int file) {
#ifdef __APPLE__
  return fcntl(file, F_FULLFSYNC);
#else
  return fdatasync(file);
#endif
}

int baseline_write(int file, const uint8_t *bytes, int64_t count, int64_t offset) {
  return pwrite(file, bytes, (size_t)count, offset) == count ? 0 : -1;
}

int baseline_create(const char *path, int64_t count) {
  int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0 || unlink(path) != 0) return -1;
  static uint8_t zeros[1 << 20];
  for (int64_t offset = 0; offset < count; offset += sizeof zeros) {
    int64_t rest = count - offset;
    if (rest > (int64_t)sizeof zeros) rest = sizeof zeros;
    if (baseline_write(file, zeros, rest, offset) != 0) return -1;
  }
  return baseline_sync(file) == 0 ? file : -1;
}

int baseline_open_nowhere(void) { return open("/dev/null", O_WRONLY | O_CLOEXEC); }

bool baseline_make_directory(char *template) { return mkdtemp(template) != NULL; }

void baseline_remove_directory(const char *path) {
  DIR *directory = opendir(path);
  if (directory == NULL) return;
  for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
    char name[4096];
    struct stat status;
    snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
    if (lstat(name, &status) == 0 && S_ISREG(status.st_mode)) unlink(name);
  }
  closedir(directory);
  rmdir(path);
}

struct call {
  void (*body)(void *, int32_t);
  void *context;
  int32_t number;
};

static void *run(void *pointer) {
  struct call *call = pointer;
  call->body(call->context, call->number);
  return NULL;
}

bool baseline_run_threads(int32_t count, void (*body)(void *, int32_t), void *context) {
  pthread_t *threads = calloc((size_t)count, sizeof *threads);
  struct call *calls = calloc((size_t)count, sizeof *calls);
  int32_t begun = 0;
  for (; begun < count; begun++) {
    calls[begun] = (struct call){body, context, begun};
    if (pthread_create(&threads[begun], NULL, run, &calls[begun]) != 0) break;
  }
  for (int32_t index = 0; index < begun; index++) pthread_join(threads[index], NULL);
  free(threads);
  free(calls);
  return begun == count;
}
