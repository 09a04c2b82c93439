/* A multipart form put together: fed in pieces, its files staged for a thread that writes. */
#ifndef HOOP_MIDDLEWARE_FORM_PARTS_H
#define HOOP_MIDDLEWARE_FORM_PARTS_H

#include "middleware/middleware.h"
#include "middleware/temp_file.h"

#include <hoop/middleware/multipart_params.h>
#include <hoop/multipart.h>

/* What the middleware was built to. */
struct hoop__form_rules {
    hoop_multipart_params_options o; /* defaults filled in */
    struct hoop__temp_folder folder; /* unless files stay in memory */
    const char *charset;             /* constant names, or NULL */
    const char *fallback;
};

struct hoop__form_field;
struct hoop__form_file;
struct hoop__form_held;

/* Memory of the allocator, which grows. */
struct hoop__form_bytes {
    char *data;
    size_t len, cap;
};

/*
 * One form. Lies in the request's arena, which frees with it what it holds elsewhere, and closes its files. The
 * loop's thread has it, but between two pieces another one may hoop__form_write().
 */
struct hoop__form {
    const hoop_request *req;
    const struct hoop__form_rules *rules;
    hoop_multipart *reader;
    const hoop_response *answer; /* once it is refused */
    struct hoop__form_field *fields, **last_field;
    struct hoop__form_file *files, **last_file;
    struct hoop__form_file *unwritten; /* the first that writing has to look at */
    struct hoop__form_bytes staged;    /* what is to be written, of all files in order */
    struct hoop__form_bytes gathered;  /* the part at hand, if it stays in memory */
    struct hoop__form_held *held;      /* big ones that stay */
    struct hoop__form_file *file;      /* the part at hand, if it is one */
    uint64_t part_size, fields_size;
    uint64_t received;
    uint64_t parts;
    size_t field_count, file_count;
    int is_file;    /* the part at hand has a file name */
    int write_code; /* why writing failed */
};

/* Begins. NULL: *ret_answer is the refusal, or it stays and that is noted. */
struct hoop__form *hoop__form_new(const hoop_request *req, const struct hoop__form_rules *rules,
                                  const hoop_response **ret_answer);

/* Takes all of a piece. 0, or a code: it is refused (`answer`) or has failed (noted). */
int hoop__form_feed(struct hoop__form *form, hoop_str piece);

/* Nonzero if there is something to write: more than `above` bytes, or, if that is 0, a file to make. */
int hoop__form_has_unwritten(const struct hoop__form *form, size_t above);

/* Writes what is staged. Any thread; touches the disk. The result is write_code. */
void hoop__form_write(struct hoop__form *form);

/* Nonzero (noted) if writing has failed. */
int hoop__form_write_failed(const struct hoop__form *form);

/* The end, all being written: the request with its fields and files. NULL: as hoop__form_new(). */
const hoop_request *hoop__form_finish(struct hoop__form *form, const hoop_response **ret_answer);

#endif
