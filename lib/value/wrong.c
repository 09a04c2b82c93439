/* The 400 that lists what is wrong with a request's values; see wrong.h. */
#include "value/wrong.h"

#include "codec/utf8.h"

#include <string.h>

/* What was wrong before goes with the answer, so that the next can be listed behind it. */
struct entry {
    const struct entry *before;
    size_t count; /* with those before */
    struct hoop__wrong wrong;
};

static const char entry_key = 0;

static char *put(char *out, const char *text)
{
    size_t len = strlen(text);
    memcpy(out, text, len);
    return out + len;
}

/* The text as a JSON string, at most six bytes for one and two quotes. */
static char *put_string(char *out, hoop_str text)
{
    static const char hex[] = "0123456789abcdef";
    *out++ = '"';
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c < 0x20) {
            memcpy(out, "\\u00", 4);
            out[4] = hex[c >> 4];
            out[5] = hex[c & 15];
            out += 6;
            continue;
        }
        if (c == '"' || c == '\\')
            *out++ = '\\';
        *out++ = (char)c;
    }
    *out++ = '"';
    return out;
}

/* More than put_entry() writes. */
static size_t size_of(const struct entry *entry)
{
    size_t size = 0;
    for (; entry; entry = entry->before)
        size += 80 + 6 * (strlen(entry->wrong.place) + strlen(entry->wrong.kind) +
                          strlen(entry->wrong.name) + entry->wrong.value.len +
                          strlen(entry->wrong.expected));
    return size;
}

/* In the order in which they were found. */
static char *put_entries(char *out, const struct entry *entry)
{
    const struct hoop__wrong *wrong = &entry->wrong;
    if (entry->before) {
        out = put_entries(out, entry->before);
        *out++ = ',';
    }
    out = put_string(put(out, "{\"in\":"), hoop_str_c(wrong->place));
    *out++ = ',';
    out = put_string(out, hoop_str_c(wrong->kind));
    *out++ = ':';
    out = put_string(out, hoop_str_c(wrong->name));
    if (!hoop_str_is_none(wrong->value))
        out = put_string(put(out, ",\"value\":"), wrong->value);
    out = put_string(put(out, ",\"expected\":"), hoop_str_c(wrong->expected));
    *out++ = '}';
    return out;
}

static hoop_str detail_of(const hoop_request *req, const struct entry *entry)
{
    const struct entry *first = entry;
    while (first->before)
        first = first->before;
    const struct hoop__wrong *wrong = &first->wrong;
    int missing = hoop_str_is_none(wrong->value);
    return hoop_arena_printf(req->arena, "%s %s '%s' is %s%s%s, expected %s%s", wrong->place,
                             wrong->kind, wrong->name, missing ? "missing" : "'", wrong->value.data,
                             missing ? "" : "'", wrong->expected,
                             entry->before ? " (and more, see errors)" : "");
}

static const hoop_response *make_problem(const hoop_request *req, const struct entry *entry)
{
    hoop_str detail = detail_of(req, entry);
    if (hoop_str_is_none(detail))
        return hoop__fail_memory(req);
    char *text = hoop_alloc(req, size_of(entry) + 6 * detail.len + 128);
    if (!text)
        return NULL;
    char *out = put(text, "{\"title\":\"Bad Request\",\"status\":400,\"detail\":");
    out = put_string(out, detail);
    out = put_entries(put(out, ",\"errors\":["), entry);
    out = put(out, "]}");
    *out = 0;
    const hoop_response *res = hoop_bytes_static(req, 400, "application/problem+json",
                                                 hoop_str_n(text, (size_t)(out - text)));
    return hoop_response_assoc(req, res, &entry_key, entry);
}

/* Text that may stand in JSON, and is not too long: bytes that are no UTF-8 would spoil the whole. */
static hoop_str shown(const hoop_request *req, hoop_str value)
{
    enum { MOST = 200 };
    if (hoop_str_is_none(value))
        return value;
    if (value.len > MOST)
        value.len = MOST;
    size_t size = hoop__utf8_repaired_size(value);
    char *text = hoop_alloc(req, size + 1);
    if (!text)
        return hoop_str_c("");
    text[hoop__utf8_repair(value, text)] = 0;
    return hoop_str_n(text, size);
}

static const struct entry *last_of(const hoop_response *bad)
{
    return bad ? hoop_response_get(bad, &entry_key) : NULL;
}

int hoop__wrong_is_full(const hoop_response *bad)
{
    const struct entry *last = last_of(bad);
    return last && last->count >= HOOP__WRONG_MOST;
}

int hoop__wrong(const hoop_request *req, const struct hoop__wrong *wrong, const hoop_response **bad)
{
    int code = hoop_str_is_none(wrong->value) ? HOOP_EMISSING : HOOP_EPARSE;
    if (!bad || hoop__wrong_is_full(*bad))
        return code;
    const struct entry *before = last_of(*bad);
    struct entry *entry = hoop_alloc(req, sizeof *entry);
    const hoop_response *res = NULL;
    if (entry) {
        entry->before = before;
        entry->count = before ? before->count + 1 : 1;
        entry->wrong = *wrong;
        entry->wrong.name = shown(req, hoop_str_c(wrong->name)).data;
        entry->wrong.value = shown(req, wrong->value);
        res = make_problem(req, entry);
    }
    /* Without memory a refusal without words; the default must not be taken for the value. */
    *bad = res ? res : &hoop__canned(400)->pub;
    return code;
}
