/* What the ways to files and to resources share: prefix, slash, the choice of an encoding. */
#ifndef HOOP_FILE_WAY_H
#define HOOP_FILE_WAY_H

#include "value/response.h"

#include <hoop/error.h>

#define HOOP__ENCODINGS 3

/* In the order of preference among equals. */
struct hoop__encoding {
    const char *name, *extension;
};
extern const struct hoop__encoding hoop__encodings[HOOP__ENCODINGS];

/* The best encoding that is wanted no less than none at all and is not in `*tried`, to whose bits it is added; -1:
 * there is none. */
int hoop__next_encoding(const hoop_request *req, uint32_t *tried);

/* GET or HEAD. */
int hoop__reads(const hoop_request *req);

/*
 * The path behind the mount and the prefix (NULL: none), as received: it begins with '/', or is empty if that
 * itself was asked for, without a slash. HOOP_EMISSING: the request is not below the prefix.
 */
int hoop__path_below(const hoop_request *req, const char *prefix, hoop_str *ret_path);

/* 0, or HOOP_EINVAL and a text that begins with `who`. */
int hoop__check_way(const char *who, const char *prefix, const char *cache_control,
                    hoop_error *error);

/* To the same with '/' behind its path, the query kept. */
const hoop_response *hoop__add_slash(const hoop_request *req);

/* 405. */
const hoop_response *hoop__only_reads(const hoop_request *req);

/* hoop__response_with() for constant texts; NULL for NULL. */
const hoop_response *hoop__with(const hoop_request *req, const hoop_response *res, const char *name,
                                const char *value);

#endif
