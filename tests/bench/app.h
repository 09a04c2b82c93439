/* The application that the benchmarks serve: eleven routes behind a middleware that passes through. */
#ifndef HOOP_BENCH_APP_H
#define HOOP_BENCH_APP_H

#include <hoop.h>

/*
 * Makes it in `arena`: /plaintext (a frozen response), /plaintext2 (made for each request), /json
 * (jansson's, for each request), /json-writer (hoop_json_object()), and seven more. 0 and `*ret_handler`, or a negative code.
 */
int app_new(hoop_arena *arena, hoop_handler *ret_handler, hoop_error *error);

#endif
