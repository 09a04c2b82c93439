/* Why a text was refused: the readers' errors, with line, column and what had to be there. */
#ifndef HOOP_JSON_READ_ERROR_H
#define HOOP_JSON_READ_ERROR_H

#include "json/read.h"

/* Writes "'c'" or another name of a byte. */
void hoop__read_error_found(char c, char ret_text[16]);

/* Fills code and text of an error whose place is set: "expected `what`, found `found`", or only `what`. */
void hoop__read_error_text(hoop_json_error *error, int code, const char *what, const char *found);

/*
 * Each fills the error and returns its code. The first reads the text once more, as a stream, to find what is
 * wrong with it, which the parser need not know.
 */
int hoop__read_error(struct hoop_arena *arena, hoop_str text, const struct hoop__doc_limits *limits,
                     hoop_json_error *error);
int hoop__read_error_twice(hoop_str text, const struct hoop_json_node *key, hoop_json_error *error);
int hoop__read_error_at(hoop_str text, size_t offset, const char *what, hoop_json_error *error);
int hoop__read_error_size(size_t most, hoop_json_error *error);
int hoop__read_error_plain(int code, const char *text, hoop_json_error *error);

#endif
