/* The tests of write_string.c, run on its code for machines without SSE2. */
#undef __SSE2__
#include "../lib/json/write_string.c"

#include "write_string.c"
