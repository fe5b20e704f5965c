#ifndef KITH_LOCK_H
#define KITH_LOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The words of a StripedLock, which Swift reads and writes atomically and the system sleeps at. Swift does not say
// where it puts the members of its own structures, so they are declared here. StripedLock.swift argues why no wakeup is
// lost.

#pragma clang assume_nonnull begin

// The bytes of each structure: adjacent cache lines are fetched in pairs.
enum { kith_lock_stride = 128 };

typedef struct {
  uintptr_t reader;  // the number of the thread that reads; 0 for none
  uint8_t padding[kith_lock_stride - sizeof(uintptr_t)];
} kith_lock_slot;

typedef struct {
  uint32_t state;    // 0: open; 1: closed; 2: closed, and a reader sleeps until it is open
  uint32_t awaited;  // the place of the slot that a writer wants to see empty, from 1 on; 0 for none
  uint8_t padding[kith_lock_stride - 2 * sizeof(uint32_t)];
} kith_lock_gate;

typedef struct {
  uint32_t mutex;   // see WordMutex.swift
  uintptr_t owner;  // the number of the thread that writes; 0 for none
  uint8_t padding[kith_lock_stride - 2 * sizeof(uintptr_t)];
} kith_lock_writers;

// Where the words are.
static inline uintptr_t *kith_slot_reader(kith_lock_slot *slot) { return &slot->reader; }
static inline uint32_t *kith_gate_state(kith_lock_gate *gate) { return &gate->state; }
static inline uint32_t *kith_gate_awaited(kith_lock_gate *gate) { return &gate->awaited; }
static inline uintptr_t *kith_writers_owner(kith_lock_writers *writers) { return &writers->owner; }
static inline uint32_t *kith_writers_mutex(kith_lock_writers *writers) { return &writers->mutex; }

// Waits while the gate is closed: by some reads, then asleep, after its state was set from 1 to 2. May return early.
void kith_gate_await(kith_lock_gate *gate);

// Wakes all threads that wait for a gate whose state was 2.
void kith_gate_wake(kith_lock_gate *gate);

// Prepares the process for the other calls, which otherwise take some milliseconds at first.
void kith_slot_prepare(void);

// Orders what a thread has written to its slot before what it reads next, for a writer that calls `kith_slot_await`.
// Costs no instruction on Linux.
static inline void kith_slot_left(void) {
#ifdef __linux__
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
#else
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

// Reads a slot some times. Whether it became empty.
bool kith_slot_spin(const kith_lock_slot *slot);

// Announces at the gate that a slot is awaited, and sleeps until a thread that left it withdraws that. May return
// early.
void kith_slot_await(kith_lock_gate *gate, const kith_lock_slot *slot, uint32_t place);

// Wakes the thread that waits for a slot, after what it announced was withdrawn.
void kith_slot_wake(kith_lock_gate *gate);

// Waits until a mutex is free, and takes it. See WordMutex.swift.
void kith_word_lock(uint32_t *word);

// Takes a mutex that is free. False if it is not.
bool kith_word_try(uint32_t *word);

// Frees a mutex that others may await.
void kith_word_unlock(uint32_t *word);

// The mutex of all pages. A fork waits until it is free, so that the child has whole pages and a free mutex.
uint32_t *kith_page_word(void);

#pragma clang assume_nonnull end

#endif
