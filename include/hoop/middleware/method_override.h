/** @file
 * Middleware "method_override": has forms, which know POST alone, ask for other methods.
 */
#ifndef HOOP_MIDDLEWARE_METHOD_OVERRIDE_H
#define HOOP_MIDDLEWARE_METHOD_OVERRIDE_H

#include <hoop/middleware.h>

HOOP_BEGIN_DECLS

/** Zero means the default given here. */
typedef struct hoop_method_override_options {
    const char *methods; /**< what may be asked for, by commas: "PUT, PATCH, DELETE" */
    const char *field;   /**< the form's field: "_method"; "" means none is looked at */
    const char *header;  /**< the header: "X-HTTP-Method-Override"; "" means none is looked at */
} hoop_method_override_options;

/** The type of HOOP_METHOD_OVERRIDE(), for tables that are made by hand. */
HOOP_API extern const hoop_middleware_type hoop_method_override_type;

/**
 * An entry of a chain: `HOOP_METHOD_OVERRIDE(NULL)`, `HOOP_METHOD_OVERRIDE(&options)`. Options are borrowed.
 *
 * A POST whose header, or else whose form, names another method goes on with that one, whatever the case
 * it is written in. One that is not among `methods` is answered 400. POST itself changes nothing.
 *
 * Needs "params", which reads the form; provides nothing. Idempotent: further in the method is no longer POST.
 * It belongs in front of a router, since it is too late behind.
 *
 * Source: the convention of Rails and Compojure (`_method`). Unlike Compojure: only what is listed, not any
 * method.
 */
#define HOOP_METHOD_OVERRIDE(...) \
    HOOP_USE(&hoop_method_override_type, (__VA_ARGS__), sizeof(hoop_method_override_options))

/** The function behind hoop_method_override_request(). */
HOOP_API const hoop_request *hoop_method_override_request_sized(
    const hoop_request *req, const hoop_response **ret_answer,
    const hoop_method_override_options *options, size_t options_size);

/**
 * The request with the method that it asks for. Or NULL: then `*ret_answer` is the refusal to return, or it
 * stays NULL because that failed (noted).
 */
#define hoop_method_override_request(req, ret_answer, ...)                 \
    hoop_method_override_request_sized((req), (ret_answer), (__VA_ARGS__), \
                                       sizeof(hoop_method_override_options))

HOOP_END_DECLS

#endif
