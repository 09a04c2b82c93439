/* The parts of JSON strings that both readers need. */
#ifndef HOOP_JSON_READ_STRING_H
#define HOOP_JSON_READ_STRING_H

#include <stddef.h>

/* The value of a hexadecimal digit, or 16 for all else. */
unsigned hoop__hex_of(char c);

/* What the letter behind a backslash stands for; 0 for "u" and all that stands for nothing. */
char hoop__json_escaped(char c);

/* Writes a character as UTF-8, 1 to 4 bytes; how many. */
size_t hoop__utf8_put(unsigned code, char *out);

#endif
