/* What JSON Patch needs besides pointers: equality and the size of values. */
#ifndef HOOP_JSON_PATCH_H
#define HOOP_JSON_PATCH_H

#include <hoop/json.h>

/* Nonzero if both are equal; neither is NULL. */
int hoop__json_equal(const json_t *a, const json_t *b);

/*
 * Takes the values in `value`, itself included, off `*budget`, and gives its depth: 0 for a scalar, 1 for
 * an empty array. SIZE_MAX if the budget or `most` levels did not do.
 */
size_t hoop__json_measure(const json_t *value, uint64_t *budget, size_t most);

#endif
