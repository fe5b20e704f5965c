#include "baseline.h"

void baseline_counted(void (*body)(void *context), void *context) { body(context); }
