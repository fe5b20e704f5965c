#ifndef KITH_HINTS_H
#define KITH_HINTS_H

// What Swift has no word for.

// Asks for a cache line that is soon read, without waiting for it. Any address will do.
static inline void kith_prefetch(const void *address) { __builtin_prefetch(address); }

#endif
