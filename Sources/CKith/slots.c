#include "kith_slots.h"

struct kith_slot kith_slot_table[1 << KITH_SLOT_BITS];

// Slots before this one have been used; slot 0 never is.
static _Atomic uint32_t used = 1;
// The first free slot among them in the low half; 0 for none. The high half counts changes, so that a head that was
// taken and put back meanwhile is not mistaken for the same list.
static _Atomic uint64_t head;
static _Atomic uint64_t generations;

static uint32_t take_free(void) {
  uint64_t old = atomic_load_explicit(&head, memory_order_acquire);
  while ((uint32_t)old) {
    uint64_t next = atomic_load_explicit(&kith_slot_table[(uint32_t)old].object, memory_order_relaxed);
    uint64_t new = ((old >> 32) + 1) << 32 | (uint32_t)next;
    if (atomic_compare_exchange_weak_explicit(&head, &old, new, memory_order_acq_rel, memory_order_acquire)) {
      return (uint32_t)old;
    }
  }
  uint32_t slot = atomic_load_explicit(&used, memory_order_relaxed);
  while (slot < 1 << KITH_SLOT_BITS) {
    if (atomic_compare_exchange_weak_explicit(&used, &slot, slot + 1, memory_order_relaxed, memory_order_relaxed)) {
      return slot;
    }
  }
  return 0;
}

static void put_free(uint32_t slot) {
  uint64_t old = atomic_load_explicit(&head, memory_order_relaxed), new;
  do {
    atomic_store_explicit(&kith_slot_table[slot].object, (uint32_t)old, memory_order_relaxed);
    new = ((old >> 32) + 1) << 32 | slot;
  } while (!atomic_compare_exchange_weak_explicit(&head, &old, new, memory_order_acq_rel, memory_order_relaxed));
}

uint64_t kith_slot_take(void *object, uint32_t kind) {
  uint32_t slot = take_free();
  if (slot == 0) return 0;
  uint64_t generation = atomic_fetch_add_explicit(&generations, 1, memory_order_relaxed) + 1;
  uint64_t handle = (generation << KITH_KIND_BITS | kind) << KITH_SLOT_BITS | slot;
  atomic_store_explicit(&kith_slot_table[slot].object, (uintptr_t)object, memory_order_relaxed);
  atomic_store_explicit(&kith_slot_table[slot].handle, handle, memory_order_release);
  return handle;
}

void *kith_slot_end(uint64_t handle) {
  void *object = kith_slot_object(handle);
  if (!object) return 0;
  uint32_t slot = handle & ((1 << KITH_SLOT_BITS) - 1);
  uint64_t live = handle;
  if (!atomic_compare_exchange_strong_explicit(
        &kith_slot_table[slot].handle, &live, 0, memory_order_acq_rel, memory_order_relaxed)) {
    return 0;
  }
  put_free(slot);
  return object;
}

_Atomic uint32_t kith_callback_count;
static _Thread_local uint32_t depth;

void kith_callback_begin(void) {
  depth++;
  atomic_fetch_add_explicit(&kith_callback_count, 1, memory_order_relaxed);
}

void kith_callback_end(void) {
  atomic_fetch_sub_explicit(&kith_callback_count, 1, memory_order_relaxed);
  depth--;
}

uint32_t kith_callback_depth(void) { return depth; }
