/* Middleware "access_rules": see hoop/middleware/access_rules.h. */
#include "middleware/middleware.h"

#include "codec/percent.h"

#include <hoop/middleware/access_rules.h>

#include <string.h>

int hoop_access_anyone(const hoop_request *req, const void *data)
{
    (void)req;
    (void)data;
    return 1;
}

int hoop_access_nobody(const hoop_request *req, const void *data)
{
    (void)req;
    (void)data;
    return 0;
}

int hoop_access_authenticated(const hoop_request *req, const void *data)
{
    (void)data;
    return hoop_identity(req) != NULL;
}

/* What is built of the options. */
struct table {
    hoop_access_rules_options options;
    int has_paths;
};

/* --- paths ----------------------------------------------------------------------------------- */

/* Nonzero if a path of the decoded form could stand for another one. */
static int has_odd_segment(hoop_str path)
{
    const char *end = path.data + path.len;
    for (const char *p = path.data; p < end;) {
        const char *slash = memchr(p + 1, '/', (size_t)(end - p - 1));
        const char *stop = slash ? slash : end;
        hoop_str segment = hoop_str_n(p + 1, (size_t)(stop - p - 1));
        if ((!segment.len && slash) || hoop_str_eq_c(segment, ".") || hoop_str_eq_c(segment, ".."))
            return 1;
        p = stop;
    }
    return 0;
}

static size_t count_slashes(hoop_str text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.len; i++)
        count += text.data[i] == '/';
    return count;
}

/* The path decoded; absent if it can be read in two ways, or (noted) out of memory. */
static hoop_str plain_path(const hoop_request *req)
{
    hoop_str path = req->uri;
    if (hoop__percent_is_encoded(path)) {
        char *text = hoop_alloc(req, path.len + 1);
        size_t len;
        if (!text || hoop__percent_decode(path, text, &len))
            return hoop_str_none();
        text[len] = 0;
        path = hoop_str_n(text, len);
        if (count_slashes(path) != count_slashes(req->uri))
            return hoop_str_none();
    }
    if (memchr(path.data, '\\', path.len) || (path.data[0] == '/' && has_odd_segment(path)))
        return hoop_str_none();
    return path;
}

/* --- rules ----------------------------------------------------------------------------------- */

static int path_matches(const char *pattern, hoop_str path)
{
    size_t len = strlen(pattern);
    if (len < 2 || pattern[len - 1] != '*')
        return hoop_str_eq_c(path, pattern);
    len -= 2; /* "/" and the asterisk */
    return path.len >= len && memcmp(path.data, pattern, len) == 0 &&
           (path.len == len || path.data[len] == '/');
}

/* GET stands for HEAD, too, which the handlers of GET answer. */
static int method_matches(const char *methods, const hoop_request *req)
{
    int head = req->method_number == HOOP_METHOD_HEAD;
    while (*methods) {
        size_t len = strcspn(methods, " ");
        hoop_str one = hoop_str_n(methods, len);
        if (hoop_str_eq(one, req->method) || (head && hoop_str_eq_c(one, "GET")))
            return 1;
        methods += len;
        methods += strspn(methods, " ");
    }
    return 0;
}

static int is_allowed(const hoop_request *req, const hoop_access_rules_options *options,
                      hoop_str path)
{
    for (size_t i = 0; i < options->count; i++) {
        const hoop_access_rule *rule = &options->rules[i];
        if ((!rule->path || path_matches(rule->path, path)) &&
            (!rule->methods || method_matches(rule->methods, req)))
            return rule->allow(req, rule->data);
    }
    return options->open != 0;
}

/* --- answers --------------------------------------------------------------------------------- */

static const hoop_response *deny(const hoop_request *req, const hoop_access_rules_options *options)
{
    int safe = req->method_number == HOOP_METHOD_GET || req->method_number == HOOP_METHOD_HEAD;
    if (options->denied)
        return options->denied(req, options->denied_data);
    if (!hoop_identity(req) && options->login && safe)
        return hoop_redirect(req, 303, options->login);
    if (!hoop_identity(req) && options->challenge)
        return hoop_with_header(req, hoop_problem(req, 401, "who are you?"), "WWW-Authenticate",
                                options->challenge);
    return hoop_problem(req, 403, "this is not allowed");
}

/* NULL if the request may go on; else, and `*ret_denied` set, the answer, which is NULL if that failed. */
static const hoop_response *decide(const hoop_request *req, const struct table *table,
                                   int *ret_denied)
{
    hoop_str path = table->has_paths ? plain_path(req) : req->uri;
    *ret_denied = 1;
    if (hoop_str_is_none(path))
        return hoop_failure(req) ? NULL
                                 : hoop_problem(req, 400, "the path can be read in two ways");
    if (!is_allowed(req, &table->options, path))
        return deny(req, &table->options);
    *ret_denied = 0;
    return NULL;
}

static const hoop_response *wrap(const hoop_request *req, hoop_handler next, const void *value)
{
    int denied;
    const hoop_response *answer = decide(req, value, &denied);
    return denied ? answer : hoop_call(next, req);
}

/* --- building -------------------------------------------------------------------------------- */

static int is_path(const char *path)
{
    const char *star = strchr(path, '*');
    return path[0] == '/' && (!star || (star[1] == 0 && star[-1] == '/'));
}

static int check(const struct table *table, hoop_error *error)
{
    const hoop_access_rules_options *options = &table->options;
    for (size_t i = 0; i < options->count; i++) {
        const hoop_access_rule *rule = &options->rules[i];
        if (!rule->allow)
            return hoop_error_set(error, HOOP_EINVAL, "access_rules: rule %zu has no function", i);
        if (rule->path && !is_path(rule->path))
            return hoop_error_set(error, HOOP_EINVAL, "access_rules: rule %zu: '%s' is no path", i,
                                  rule->path);
    }
    if (options->challenge &&
        (!*options->challenge || !hoop__is_field_value(hoop_str_c(options->challenge))))
        return hoop_error_set(error, HOOP_EINVAL, "access_rules: '%s' is no challenge",
                              options->challenge);
    if (options->login && (!*options->login || !hoop__is_field_value(hoop_str_c(options->login))))
        return hoop_error_set(error, HOOP_EINVAL, "access_rules: '%s' is no place to log in",
                              options->login);
    return 0;
}

static int build(hoop_arena *arena, const void *options, size_t options_size,
                 const void **ret_value, hoop_error *error)
{
    const hoop_access_rules_options *own =
        hoop__options_copy(arena, options, options_size, sizeof *own, error);
    struct table *table = own ? hoop_arena_zalloc(arena, sizeof *table) : NULL;
    if (!table)
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    table->options = *own;
    for (size_t i = 0; i < own->count; i++)
        table->has_paths |= own->rules[i].path != NULL;
    int rc = check(table, error);
    if (!rc)
        *ret_value = table;
    return rc;
}

const hoop_middleware_type hoop_access_rules_type = {
    .name = "access_rules",
    .wrap = wrap,
    .build = build,
    .size = sizeof(hoop_middleware_type),
};

const hoop_request *hoop_access_rules_request_sized(const hoop_request *req,
                                                    const hoop_response **ret_answer,
                                                    const hoop_access_rules_options *options,
                                                    size_t options_size)
{
    const void *value = hoop__options_value(req, &hoop_access_rules_type, options, options_size);
    if (!value)
        return NULL;
    int denied;
    const hoop_response *answer = decide(req, value, &denied);
    return denied ? hoop__refused(ret_answer, answer) : req;
}
