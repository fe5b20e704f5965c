#ifndef KITH_SLOTS_H
#define KITH_SLOTS_H

#include <stdatomic.h>
#include <stdint.h>
#include "kith.h"

// The table of handles. A handle is 40 bits of generation, 4 of kind and 20 of slot. A slot holds the handle that is
// live in it, so one comparison checks all three, without following a pointer that a caller made up. A magic number in
// the object would have to be read through that pointer, which a wild one does not survive.
//
// The table is in .bss: only the pages of slots that were used take memory.

enum { KITH_SLOT_BITS = 20, KITH_KIND_BITS = 4 };
enum {
  KITH_KIND_GRAPH = 1,
  KITH_KIND_PIN = 2,
  KITH_KIND_BATCH = 3,
  KITH_KIND_RESULT = 4,
  KITH_KIND_CONTROL = 5,
  KITH_KIND_OBSERVER = 6,
};

struct kith_slot {
  _Atomic uint64_t handle;  // 0 while the slot is free
  _Atomic uint64_t object;  // while the slot is free: the next free one
};

extern struct kith_slot kith_slot_table[1 << KITH_SLOT_BITS];

static inline uint32_t kith_handle_kind(uint64_t handle) {
  return (uint32_t)(handle >> KITH_SLOT_BITS) & ((1 << KITH_KIND_BITS) - 1);
}

// The object of a live handle; null for any other number.
static inline void *kith_slot_object(uint64_t handle) {
  struct kith_slot *slot = &kith_slot_table[handle & ((1 << KITH_SLOT_BITS) - 1)];
  if (handle == 0 || atomic_load_explicit(&slot->handle, memory_order_acquire) != handle) return 0;
  return (void *)(uintptr_t)atomic_load_explicit(&slot->object, memory_order_relaxed);
}

// A handle for an object; 0 if every slot is taken.
uint64_t kith_slot_take(void *object, uint32_t kind);

// The object of a handle, which ends with this call; null if it is not live.
void *kith_slot_end(uint64_t handle);

// How many callbacks run now in which a call is checked (Nesting.swift).
extern _Atomic uint32_t kith_callback_count;

static inline uint32_t kith_callbacks(void) { return atomic_load_explicit(&kith_callback_count, memory_order_relaxed); }

// Counts a callback that begins or ends on the calling thread.
void kith_callback_begin(void);
void kith_callback_end(void);

// How many of them run on the calling thread.
uint32_t kith_callback_depth(void);

#endif
