/* The names of codings in options; see codings.h. */
#include "middleware/codings.h"

int hoop__coding_list_has(const struct hoop__coding_list *list, enum hoop__coding coding)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i] == coding)
            return 1;
    return 0;
}

static int add(struct hoop__coding_list *list, hoop_str name, int must, const char *who,
               hoop_error *error)
{
    enum hoop__coding coding = hoop__coding_of(name);
    if (coding == HOOP__CODINGS)
        return hoop_error_set(error, HOOP_EINVAL, "%s: there is no coding '%.*s'", who,
                              (int)name.len, name.data);
    if (!hoop__coding_is_built(coding))
        return must ? hoop_error_set(error, HOOP_EUNSUPPORTED, "%s: this build has no '%.*s'", who,
                                     (int)name.len, name.data)
                    : 0;
    if (hoop__coding_list_has(list, coding))
        return hoop_error_set(error, HOOP_EINVAL, "%s: '%.*s' is named twice", who, (int)name.len,
                              name.data);
    list->items[list->count++] = coding;
    return 0;
}

int hoop__coding_list_read(const char *names, const char *usual, const char *who,
                           struct hoop__coding_list *ret_list, hoop_error *error)
{
    const char *p = names ? names : usual;
    ret_list->count = 0;
    for (p += strspn(p, " "); *p; p += strspn(p, " ")) {
        size_t len = strcspn(p, " ");
        int rc = add(ret_list, hoop_str_n(p, len), names != NULL, who, error);
        if (rc)
            return rc;
        p += len;
    }
    if (names && !ret_list->count)
        return hoop_error_set(error, HOOP_EINVAL, "%s: no coding is named", who);
    return 0;
}
