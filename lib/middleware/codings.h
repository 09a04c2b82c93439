/* The names of codings in options: "zstd br gzip". */
#ifndef HOOP_MIDDLEWARE_CODINGS_H
#define HOOP_MIDDLEWARE_CODINGS_H

#include "compress/codec.h"

struct hoop__coding_list {
    enum hoop__coding items[HOOP__CODINGS];
    size_t count;
};

/*
 * Reads names with blanks between; NULL: those of `usual` that this build has. 0; HOOP_EINVAL or
 * HOOP_EUNSUPPORTED, with a text that begins with `who`.
 */
int hoop__coding_list_read(const char *names, const char *usual, const char *who,
                           struct hoop__coding_list *ret_list, hoop_error *error);

int hoop__coding_list_has(const struct hoop__coding_list *list, enum hoop__coding coding);

#endif
