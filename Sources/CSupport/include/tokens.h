#ifndef KITH_TOKENS_H
#define KITH_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Compression of short texts with random access: a text becomes codes of twelve bits, each of which means a token of
// one to eight bytes. See TextCompressor.swift.

enum {
  KITH_TOKEN_LIMIT = 1 << 12,
  KITH_TOKEN_LENGTH = 8,
  KITH_TOKEN_SLOTS = 1 << 14,
  KITH_TOKEN_PAIRS = 1 << 16,
};

// The tokens by code. The first 256 are the single bytes, so that every text can be encoded.
typedef struct {
  // The bytes of each token, in order, and zeros behind them.
  uint64_t bytes[KITH_TOKEN_LIMIT];
  // One to eight. 1 for codes that are not used.
  uint8_t lengths[KITH_TOKEN_LIMIT];
  uint32_t count;
  // A hash table of the tokens of two and more bytes: the code, 0 where there is none.
  uint16_t slots[KITH_TOKEN_SLOTS];
  // By hash of the first two bytes: bit n is set if there is a token of n + 1 bytes.
  uint8_t present[KITH_TOKEN_LIMIT];
} kith_tokens;

// A table that is being trained, and how often pairs of its tokens were seen next to each other.
typedef struct {
  kith_tokens tokens;
  // A pair of codes in the high 24 bits, its count in the low eight.
  uint32_t pairs[KITH_TOKEN_PAIRS];
} kith_token_trainer;

// Begins with the single bytes.
void kith_tokens_begin(kith_tokens *tokens);

// Learns from a text: tokens that often follow each other become one.
// Returns whether there is room for more tokens.
bool kith_tokens_learn(kith_token_trainer *trainer, const uint8_t *text, size_t count);

// Encodes a text into fewer than `room` bytes. Returns how many; 0 if they do not suffice.
size_t kith_tokens_encode(const kith_tokens *tokens, const uint8_t *text, size_t count, uint8_t *codes, size_t room);

// Decodes a text of `count` bytes, and writes no more. Reads at most `room` bytes of codes.
// Returns how many bytes of codes it took; 0 if they are not those of a text of this length.
size_t kith_tokens_decode(const kith_tokens *tokens, const uint8_t *codes, size_t room, uint8_t *text, size_t count);

// How many bytes of codes a text of `count` bytes takes; 0 if they are not those of a text of this length.
size_t kith_tokens_size(const kith_tokens *tokens, const uint8_t *codes, size_t room, size_t count);

#endif
