/* Requests and responses made of JSON values, which may come from anybody. */
#include "json/text.h"

#include "value/exchange.h"
#include "value/response.h"

#include "codec/base64.h"

#include <hoop/json.h>
#include <hoop/lint.h>
#include <hoop/mock.h>

#include <stdio.h>

static const char *type_name(const json_t *value)
{
    static const char *const names[] = {
        [JSON_OBJECT] = "an object", [JSON_ARRAY] = "an array", [JSON_STRING] = "a string",
        [JSON_INTEGER] = "a number", [JSON_REAL] = "a number",  [JSON_TRUE] = "true",
        [JSON_FALSE] = "false",      [JSON_NULL] = "null",
    };
    return value ? names[json_typeof(value)] : "missing";
}

static int no_memory(hoop_error *error)
{
    return hoop_error_set(error, HOOP_ENOMEM, "%s", hoop_strerror(HOOP_ENOMEM));
}

/* Nothing but the `count` names may be in the object. `what` names it in the error. */
static int check_keys(const json_t *object, const char *what, const char *const *names,
                      size_t count, hoop_error *error)
{
    if (!json_is_object(object))
        return hoop_error_set(error, HOOP_EINVAL, "%s is %s, not an object", what,
                              type_name(object));
    json_t *walked = (json_t *)(uintptr_t)object;
    for (void *i = json_object_iter(walked); i; i = json_object_iter_next(walked, i)) {
        hoop_str key = hoop__json_key(i);
        size_t n = 0;
        while (n < count && !hoop_str_eq_c(key, names[n]))
            n++;
        if (n == count)
            return hoop_error_set(error, HOOP_EINVAL, "%s has the unknown key '%s'", what,
                                  key.data);
    }
    return 0;
}

/* --- bytes ----------------------------------------------------------------------------------- */

static int read_base64(hoop_arena *arena, const json_t *value, const char *what,
                       hoop_str *ret_bytes, hoop_error *error)
{
    static const char *const names[] = { "base64" };
    int rc = check_keys(value, what, names, HOOP_COUNT(names), error);
    if (rc < 0)
        return rc;
    const json_t *member = json_object_get(value, "base64");
    if (!json_is_string(member))
        return hoop_error_set(error, HOOP_EINVAL, "%s has no base64 text: it is %s", what,
                              type_name(member));
    hoop_str text = hoop_str_n(json_string_value(member), json_string_length(member));
    size_t size;
    if (hoop__base64_decoded_size(text, &size) < 0)
        return hoop_error_set(error, HOOP_EINVAL, "%s is no base64", what);
    char *bytes = hoop_arena_alloc(arena, size + 1);
    if (!bytes)
        return no_memory(error);
    if (hoop__base64_decode(text, bytes, &size) < 0)
        return hoop_error_set(error, HOOP_EINVAL, "%s is no base64", what);
    bytes[size] = '\0';
    *ret_bytes = hoop_str_n(bytes, size);
    return 0;
}

/* A string, or bytes as {"base64": ...}; copied into the arena. */
static int read_bytes(hoop_arena *arena, const json_t *value, const char *what, hoop_str *ret_bytes,
                      hoop_error *error)
{
    if (json_is_object(value))
        return read_base64(arena, value, what, ret_bytes, error);
    if (!json_is_string(value))
        return hoop_error_set(error, HOOP_EINVAL, "%s is %s, not a string", what, type_name(value));
    hoop_str text = hoop_str_n(json_string_value(value), json_string_length(value));
    if (hoop__arena_copy(arena, text, ret_bytes) < 0)
        return no_memory(error);
    return 0;
}

/* The same for a member of `object`; without it `*ret_bytes` stays as it is. */
static int read_member(hoop_arena *arena, const json_t *object, const char *name,
                       hoop_str *ret_bytes, hoop_error *error)
{
    const json_t *value = json_object_get(object, name);
    return value ? read_bytes(arena, value, name, ret_bytes, error) : 0;
}

/* --- numbers --------------------------------------------------------------------------------- */

static int read_integer(const json_t *value, const char *what, int low, int high, int *ret,
                        hoop_error *error)
{
    if (!json_is_integer(value))
        return hoop_error_set(error, HOOP_EINVAL, "%s is %s, not a whole number", what,
                              type_name(value));
    json_int_t n = json_integer_value(value);
    if (n < low || n > high)
        return hoop_error_set(error, HOOP_EINVAL, "%s is %" JSON_INTEGER_FORMAT ", not %d to %d",
                              what, n, low, high);
    *ret = (int)n;
    return 0;
}

/* --- headers --------------------------------------------------------------------------------- */

static int read_field(hoop_arena *arena, const json_t *pair, size_t index, hoop_field *field,
                      hoop_error *error)
{
    char what[48];
    snprintf(what, sizeof what, "header %zu", index);
    if (!json_is_array(pair) || json_array_size(pair) != 2)
        return hoop_error_set(error, HOOP_EINVAL, "%s is not a pair of name and value", what);
    snprintf(what, sizeof what, "the name of header %zu", index);
    int rc = read_bytes(arena, json_array_get(pair, 0), what, &field->name, error);
    if (rc < 0)
        return rc;
    snprintf(what, sizeof what, "the value of header %zu", index);
    return read_bytes(arena, json_array_get(pair, 1), what, &field->value, error);
}

/* The member "headers", an array of pairs; none if it is missing. */
static int read_fields(hoop_arena *arena, const json_t *object, hoop_field **ret_fields,
                       size_t *ret_count, hoop_error *error)
{
    const json_t *list = json_object_get(object, "headers");
    if (list && !json_is_array(list))
        return hoop_error_set(error, HOOP_EINVAL, "headers is %s, not an array of pairs",
                              type_name(list));
    size_t count = json_array_size(list);
    hoop_field *fields = hoop_arena_alloc(arena, (count + 1) * sizeof *fields);
    if (!fields)
        return no_memory(error);
    for (size_t i = 0; i < count; i++) {
        int rc = read_field(arena, json_array_get(list, i), i, &fields[i], error);
        if (rc < 0)
            return rc;
    }
    *ret_fields = fields;
    *ret_count = count;
    return 0;
}

/* --- requests -------------------------------------------------------------------------------- */

/* What was read, before it is a request. */
struct draft {
    hoop_str method, scheme, protocol, uri, query_string, remote_addr, body;
    hoop_field *fields;
    size_t field_count;
    int remote_port;
};

static int read_draft(hoop_arena *arena, const json_t *value, struct draft *d, hoop_error *error)
{
    const struct {
        const char *name;
        hoop_str *ret;
    } members[] = {
        { "method", &d->method },
        { "scheme", &d->scheme },
        { "protocol", &d->protocol },
        { "uri", &d->uri },
        { "query_string", &d->query_string },
        { "remote_addr", &d->remote_addr },
        { "body", &d->body },
    };
    for (size_t i = 0; i < HOOP_COUNT(members); i++) {
        int rc = read_member(arena, value, members[i].name, members[i].ret, error);
        if (rc < 0)
            return rc;
    }
    if (hoop_str_is_none(d->method) || hoop_str_is_none(d->uri))
        return hoop_error_set(error, HOOP_EMISSING, "the request has no %s",
                              hoop_str_is_none(d->method) ? "method" : "uri");
    if (!hoop__is_field_value(d->remote_addr))
        return hoop_error_set(error, HOOP_EINVAL, "remote_addr has a control character");

    const json_t *port = json_object_get(value, "remote_port");
    int rc = port ? read_integer(port, "remote_port", 0, 65535, &d->remote_port, error) : 0;
    return rc < 0 ? rc : read_fields(arena, value, &d->fields, &d->field_count, error);
}

/* A mock request is made and then filled, since the mock would add headers of its own. */
static struct hoop__request *new_request(hoop_arena *arena, const struct draft *d)
{
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    if (req && !hoop_str_is_none(d->body))
        req = hoop_mock_body(req, NULL, d->body);
    return req ? hoop__request_of(req) : NULL;
}

static void fill_request(struct hoop__request *request, const struct draft *d)
{
    hoop_request *pub = &request->pub;
    struct hoop__peer *peer = &request->exchange->peer;
    pub->method = d->method;
    pub->method_number = hoop__method_number(d->method);
    pub->scheme = d->scheme;
    pub->protocol = d->protocol;
    pub->uri = d->uri;
    pub->query_string = d->query_string;
    pub->headers = d->fields;
    pub->header_count = d->field_count;
    peer->secure = hoop_str_eq_c(d->scheme, "https") || hoop_str_eq_c(d->scheme, "wss");
    peer->local_port = peer->secure ? 443 : 80;
    peer->remote_port = (uint16_t)d->remote_port;
    peer->remote_text = hoop_str_is_none(d->remote_addr) ? NULL : d->remote_addr.data;
    /* Without a text nothing is known of the peer, while the mock's would be 127.0.0.1. */
    peer->family = peer->remote_text ? peer->family : 0;
}

int hoop_request_from_json(hoop_arena *arena, const json_t *value, const hoop_request **ret_request,
                           hoop_error *error)
{
    static const char *const names[] = { "method",      "scheme",       "protocol",
                                         "uri",         "query_string", "headers",
                                         "remote_addr", "remote_port",  "body" };
    if (!arena || !ret_request)
        return hoop_error_set(error, HOOP_EINVAL, "the arena or the place of the result is NULL");
    int rc = check_keys(value, "the request", names, HOOP_COUNT(names), error);
    if (rc < 0)
        return rc;
    struct draft d = {
        .method = hoop_str_none(),
        .scheme = hoop_str_c("http"),
        .protocol = hoop_str_c("HTTP/1.1"),
        .uri = hoop_str_none(),
        .query_string = hoop_str_none(),
        .remote_addr = hoop_str_none(),
        .body = hoop_str_none(),
    };
    rc = read_draft(arena, value, &d, error);
    if (rc < 0)
        return rc;
    struct hoop__request *request = new_request(arena, &d);
    if (!request)
        return no_memory(error);
    fill_request(request, &d);
    rc = hoop_lint_request(&request->pub, error);
    if (rc < 0)
        return rc;
    *ret_request = &request->pub;
    return 0;
}

/* --- responses ------------------------------------------------------------------------------- */

/* The code and the text of what hoop_fail() noted. */
static int noted(const hoop_request *req, hoop_error *error)
{
    const hoop_error *note = hoop_failure(req);
    return note ? hoop_error_set(error, note->code, "%s", note->text) : no_memory(error);
}

static int read_response_body(const hoop_request *req, const json_t *value, int status,
                              const hoop_response **ret_response, hoop_error *error)
{
    const json_t *body = json_object_get(value, "body");
    hoop_str bytes;
    if (!body) {
        *ret_response = hoop_respond(req, status);
        return *ret_response ? 0 : noted(req, error);
    }
    if (json_is_true(json_object_get(body, "stream")) && json_object_size(body) == 1)
        return hoop_error_set(error, HOOP_EUNSUPPORTED,
                              "the body was a stream, whose bytes are not in the JSON form");
    int rc = read_bytes(req->arena, body, "body", &bytes, error);
    if (rc < 0)
        return rc;
    *ret_response = hoop_bytes_static(req, status, NULL, bytes);
    return *ret_response ? 0 : noted(req, error);
}

int hoop_response_from_json(hoop_arena *arena, const json_t *value,
                            const hoop_response **ret_response, hoop_error *error)
{
    static const char *const names[] = { "status", "headers", "body" };
    if (!arena || !ret_response)
        return hoop_error_set(error, HOOP_EINVAL, "the arena or the place of the result is NULL");
    int rc = check_keys(value, "the response", names, HOOP_COUNT(names), error);
    if (rc < 0)
        return rc;
    int status = 0;
    rc = read_integer(json_object_get(value, "status"), "status", 200, 599, &status, error);
    if (rc < 0)
        return rc;

    const hoop_request *req = hoop_app_request(arena);
    const hoop_response *res = NULL;
    hoop_field *fields;
    size_t count;
    if (!req)
        return no_memory(error);
    rc = read_fields(arena, value, &fields, &count, error);
    if (rc == 0)
        rc = read_response_body(req, value, status, &res, error);
    if (rc < 0)
        return rc;
    /* The response is fresh, so headers are appended to it in place. */
    for (size_t i = 0; i < count; i++) {
        if (hoop__check_header(req, fields[i].name, fields[i].value) < 0 ||
            hoop__response_append(req, hoop__response_of(res), fields[i].name, fields[i].value) < 0)
            return noted(req, error);
    }
    *ret_response = res;
    return 0;
}
