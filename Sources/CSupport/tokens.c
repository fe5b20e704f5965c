#include "tokens.h"

#include <string.h>

// How often a pair is seen until it becomes a token. With fewer, the first texts take all codes.
enum { LEARNED_COUNT = 8, COUNT_MASK = 0xFF, CODE_MASK = KITH_TOKEN_LIMIT - 1 };

static inline uint64_t load(const uint8_t *from) {
  uint64_t word;
  memcpy(&word, from, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  word = __builtin_bswap64(word);
#endif
  return word;
}

static inline void store(uint8_t *to, uint64_t word) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  word = __builtin_bswap64(word);
#endif
  memcpy(to, &word, 8);
}

// The next bytes of a text, at most eight; zeros behind its end.
static inline uint64_t next_bytes(const uint8_t *text, size_t count) {
  if (count >= 8) return load(text);
  uint8_t copy[8] = {0};
  memcpy(copy, text, count);
  return load(copy);
}

static inline uint64_t first_bytes(uint64_t bytes, size_t length) { return bytes & ~(uint64_t)0 >> (64 - 8 * length); }

static inline size_t slot_of(uint64_t bytes, size_t length) { return ((bytes + length) * 0x9E3779B97F4A7C15) >> 50; }

static inline size_t start_of(uint64_t bytes) { return (size_t)((bytes & 0xFFFF) * 0x9E3779B1u & 0xFFFFFFFF) >> 20; }

// The code of the longest token that a text begins with. `count` is at least 1.
static inline uint32_t longest(const kith_tokens *tokens, uint64_t bytes, size_t count) {
  size_t most = count < KITH_TOKEN_LENGTH ? count : KITH_TOKEN_LENGTH;
  uint32_t lengths = tokens->present[start_of(bytes)] & ((1u << most) - 1);
  while (lengths > 1) {
    size_t length = 32 - (size_t)__builtin_clz(lengths);
    uint64_t wanted = first_bytes(bytes, length);
    for (size_t slot = slot_of(wanted, length);; slot = (slot + 1) % KITH_TOKEN_SLOTS) {
      uint32_t code = tokens->slots[slot];
      if (code == 0) break;
      if (tokens->bytes[code] == wanted && tokens->lengths[code] == length) return code;
    }
    lengths &= (1u << (length - 1)) - 1;
  }
  return bytes & 0xFF;
}

// Adds a token of two and more bytes, which is not there yet.
static uint32_t add(kith_tokens *tokens, uint64_t bytes, size_t length) {
  uint32_t code = tokens->count++;
  tokens->bytes[code] = bytes;
  tokens->lengths[code] = (uint8_t)length;
  size_t slot = slot_of(bytes, length);
  while (tokens->slots[slot] != 0) slot = (slot + 1) % KITH_TOKEN_SLOTS;
  tokens->slots[slot] = (uint16_t)code;
  tokens->present[start_of(bytes)] |= (uint8_t)(1u << (length - 1));
  return code;
}

void kith_tokens_begin(kith_tokens *tokens) {
  memset(tokens, 0, sizeof *tokens);
  memset(tokens->lengths, 1, sizeof tokens->lengths);
  for (uint32_t byte = 0; byte < 256; byte++) tokens->bytes[byte] = byte;
  tokens->count = 256;
}

bool kith_tokens_learn(kith_token_trainer *trainer, const uint8_t *text, size_t count) {
  kith_tokens *tokens = &trainer->tokens;
  size_t place = 0;
  uint32_t previous = 0;
  while (place < count && tokens->count < KITH_TOKEN_LIMIT) {
    uint32_t code = longest(tokens, next_bytes(text + place, count - place), count - place);
    size_t length = tokens->lengths[code], before = tokens->lengths[previous];
    bool is_first = place == 0;
    place += length;
    uint32_t pair = previous << 12 | code;
    previous = code;
    if (is_first || before + length > KITH_TOKEN_LENGTH) continue;
    // One pair for each slot: it loses a count to every other one that comes, and its place with the last.
    uint32_t *seen = &trainer->pairs[pair * 0x9E3779B1u >> 16];
    if (*seen >> 8 != pair) {
      *seen = (*seen & COUNT_MASK) > 1 ? *seen - 1 : pair << 8 | 1;
    } else if ((++*seen & COUNT_MASK) >= LEARNED_COUNT) {
      uint64_t bytes = tokens->bytes[pair >> 12] | tokens->bytes[code] << (8 * before);
      *seen = 0;
      previous = add(tokens, bytes, before + length);
    }
  }
  return tokens->count < KITH_TOKEN_LIMIT;
}

size_t kith_tokens_encode(const kith_tokens *tokens, const uint8_t *text, size_t count, uint8_t *codes, size_t room) {
  size_t place = 0, used = 0;
  while (place < count) {
    uint32_t first = longest(tokens, next_bytes(text + place, count - place), count - place);
    place += tokens->lengths[first];
    if (used + 3 > room) return 0;
    codes[used++] = (uint8_t)first;
    if (place == count) {
      codes[used++] = (uint8_t)(first >> 8);
      break;
    }
    uint32_t second = longest(tokens, next_bytes(text + place, count - place), count - place);
    place += tokens->lengths[second];
    codes[used++] = (uint8_t)(first >> 8 | second << 4);
    codes[used++] = (uint8_t)(second >> 4);
  }
  return used < room ? used : 0;
}

size_t kith_tokens_decode(const kith_tokens *tokens, const uint8_t *codes, size_t room, uint8_t *text, size_t count) {
  size_t used = 0, made = 0;
  // Four tokens at a time, where both sides have room for the longest.
  while (count - made >= 4 * KITH_TOKEN_LENGTH && room - used >= 8) {
    uint64_t word = load(codes + used);
    uint32_t code[4] = {word & CODE_MASK, word >> 12 & CODE_MASK, word >> 24 & CODE_MASK, word >> 36 & CODE_MASK};
    for (int index = 0; index < 4; index++) {
      store(text + made, tokens->bytes[code[index]]);
      made += tokens->lengths[code[index]];
    }
    used += 6;
  }
  // The others by way of a copy, so that nothing behind the text is written.
  uint8_t copy[6 * KITH_TOKEN_LENGTH];
  while (made < count) {
    size_t left = count - made, most = left < 4 * KITH_TOKEN_LENGTH ? left : 4 * KITH_TOKEN_LENGTH, filled = 0;
    while (filled < most) {
      if (room - used < 2) return 0;
      uint32_t first = (codes[used] | codes[used + 1] << 8) & CODE_MASK;
      store(copy + filled, tokens->bytes[first]);
      filled += tokens->lengths[first];
      if (filled >= left) {
        used += 2;
        break;
      }
      if (room - used < 3) return 0;
      uint32_t second = codes[used + 1] >> 4 | codes[used + 2] << 4;
      store(copy + filled, tokens->bytes[second]);
      filled += tokens->lengths[second];
      used += 3;
    }
    if (filled > left) return 0;
    memcpy(text + made, copy, filled);
    made += filled;
  }
  return used;
}

size_t kith_tokens_size(const kith_tokens *tokens, const uint8_t *codes, size_t room, size_t count) {
  size_t used = 0, made = 0;
  while (made < count) {
    if (room - used < 2) return 0;
    made += tokens->lengths[(codes[used] | codes[used + 1] << 8) & CODE_MASK];
    if (made >= count) {
      used += 2;
      break;
    }
    if (room - used < 3) return 0;
    made += tokens->lengths[codes[used + 1] >> 4 | codes[used + 2] << 4];
    used += 3;
  }
  return made == count ? used : 0;
}
