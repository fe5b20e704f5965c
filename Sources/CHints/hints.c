// A target of C needs a source; everything is inline in the header.
#include "hints.h"
