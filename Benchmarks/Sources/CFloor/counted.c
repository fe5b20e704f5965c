#include "floor.h"

void floor_counted(void (*body)(void *context), void *context) { body(context); }
