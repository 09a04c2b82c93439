/* Trees made into jansson's values. */
#ifndef HOOP_JSON_FROM_DOC_H
#define HOOP_JSON_FROM_DOC_H

#include <hoop/json_doc.h>

#include <jansson.h>

/*
 * The same value as a new reference, of members of one name the last. NULL: out of memory, a number has no place
 * in a json_t, which hoop__json_misfit() finds, or, with `*ret_deep` set, there are more levels than
 * HOOP__DOC_DEPTH: values are made, written and freed one level within the other.
 */
json_t *hoop__json_from_node(const hoop_json_node *node, int *ret_deep);

/* The first number that jansson can't hold: an integer beyond 64 bits, a real beyond a double; or NULL. */
const hoop_json_node *hoop__json_misfit(const hoop_json_node *node);

/* Says where such a number is in the text of its tree. */
void hoop__json_misfit_error(hoop_str text, const hoop_json_node *number, hoop_json_error *error);

#endif
