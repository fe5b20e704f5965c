// What opening a snapshot takes at least: bounds SNAPSHOT BYTES
//
// Prints one JSON object with three times in seconds, each of one core: reading and decompressing the whole file, piece
// by piece; touching BYTES of new memory for the first time, as a graph of this size must; touching them again.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <zstd.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void failed(const char *what) {
  fprintf(stderr, "bounds: %s\n", what);
  exit(1);
}

static unsigned long long decompress(const char *path) {
  FILE *file = fopen(path, "rb");
  ZSTD_DStream *stream = ZSTD_createDStream();
  size_t in_size = 1 << 20, out_size = 1 << 20;
  char *in = malloc(in_size), *out = malloc(out_size);
  if (!file || !stream || !in || !out) failed("the file cannot be opened, or there is too little memory");
  unsigned long long total = 0;
  for (size_t count; (count = fread(in, 1, in_size, file)) > 0;) {
    ZSTD_inBuffer input = {in, count, 0};
    while (input.pos < input.size) {
      ZSTD_outBuffer output = {out, out_size, 0};
      size_t code = ZSTD_decompressStream(stream, &output, &input);
      if (ZSTD_isError(code)) failed(ZSTD_getErrorName(code));
      total += output.pos;
    }
  }
  fclose(file);
  ZSTD_freeDStream(stream);
  free(in);
  free(out);
  return total;
}

int main(int count, char **words) {
  if (count != 3) {
    fputs("usage: bounds SNAPSHOT BYTES\n", stderr);
    return 2;
  }
  double began = now();
  unsigned long long content = decompress(words[1]);
  double decompressed = now();
  size_t size = strtoull(words[2], NULL, 10);
  char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) failed("too little memory");
#ifdef MADV_HUGEPAGE
  madvise(memory, size, MADV_HUGEPAGE);
#endif
  double mapped = now();
  for (size_t place = 0; place < size; place += 4096) memory[place] = 1;
  double touched = now();
  for (size_t place = 0; place < size; place += 4096) memory[place] = 2;
  printf("{\"contentBytes\":%llu,\"decompress\":%.3f,\"touch\":%.3f,\"again\":%.3f}\n", content, decompressed - began,
    touched - mapped, now() - touched);
  return 0;
}
