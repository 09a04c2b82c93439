/* The query and the form of a request as lists of decoded pairs, for those who look parameters up. */
#ifndef HOOP_HANDLER_PARAMS_H
#define HOOP_HANDLER_PARAMS_H

#include "value/exchange.h"

/* Pairs that have been read; one value hangs on a request, and is never changed. */
struct hoop__params {
    const hoop_field *items; /* those of the query, then those of the form */
    size_t query_count;
    size_t form_count;
    const char *query; /* the query string that they are of; a request with another has none */
    uint8_t has_query;
    uint8_t has_form;
};

/* What of a request was read; NULL: nothing. */
const struct hoop__params *hoop__params_of(const hoop_request *req);

/* The pairs of a place (HOOP_IN_QUERY, HOOP_IN_FORM, HOOP_IN_ANY). Nonzero if they were read. */
int hoop__params_in(const hoop_request *req, uint32_t place, const hoop_field **ret_items,
                    size_t *ret_count);

/* A request that has `params`, too, which lie in its arena. NULL: noted. */
const hoop_request *hoop__params_put(const hoop_request *req, const struct hoop__params *params);

/* A list of pairs that grows in an arena; zero is an empty one. */
struct hoop__param_list {
    hoop_field *items;
    size_t count;
    size_t cap;
};

/* 0 or HOOP_ENOMEM. The strings are borrowed. */
int hoop__param_list_add(hoop_arena *arena, struct hoop__param_list *list, hoop_str name,
                         hoop_str value);

/* How urlencoded pairs are read. */
struct hoop__params_rules {
    size_t max_count; /* of the list; more are HOOP_ETOOBIG */
    size_t max_name;  /* bytes of a decoded name, likewise */
    int lenient; /* as browsers do: what is no escape stays, U+FFFD stands for what is no UTF-8 */
};

/*
 * Reads an urlencoded text to the end of a list, decoded, each string with a NUL behind it and none
 * within. 0; HOOP_EPARSE, HOOP_ETOOBIG, and *ret_problem, a phrase; HOOP_ENOMEM. Linear.
 */
int hoop__params_read(hoop_arena *arena, hoop_str text, const struct hoop__params_rules *rules,
                      struct hoop__param_list *list, const char **ret_problem);

#endif
