/* The place of a mistake in JSON as text; see write_path.h. */
#include "json/write_path.h"

#include "codec/utf8.h"

#include <stdio.h>

#define ROOT_LEN 3  /* room for "$" or "..." */
#define KEY_MAX  40 /* bytes of a key that are shown */

static void set_before(struct hoop__json_path *path, const char *text, size_t len)
{
    if (path->cut || path->len + len + ROOT_LEN + 1 > sizeof path->text) {
        path->cut = 1;
        return;
    }
    path->len += len;
    memcpy(path->text + sizeof path->text - 1 - path->len, text, len);
}

void hoop__json_path_index(struct hoop__json_path *path, size_t index)
{
    char text[32];
    int len = snprintf(text, sizeof text, "[%zu]", index);
    set_before(path, text, (size_t)len);
}

/* Nonzero if the key can follow a point. */
static int is_plain(hoop_str key)
{
    for (size_t i = 0; i < key.len; i++) {
        char c = key.data[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '_' || c == '-'))
            return 0;
    }
    return key.len > 0;
}

void hoop__json_path_key(struct hoop__json_path *path, hoop_str key)
{
    char shown[KEY_MAX], text[KEY_MAX + 16];
    int plain = is_plain(key);
    hoop_str part = hoop_str_n(key.data, key.len < sizeof shown ? key.len : sizeof shown);
    part.len = hoop__utf8_front(part); /* the cut may lie within a character */
    for (size_t i = 0; i < part.len; i++)
        shown[i] = (unsigned char)part.data[i] < 0x20 ? '?' : part.data[i];
    const char *dots = part.len < key.len ? "..." : "";
    int len =
        snprintf(text, sizeof text, plain ? ".%.*s%s" : "[\"%.*s%s\"]", (int)part.len, shown, dots);
    set_before(path, text, (size_t)len);
}

const char *hoop__json_path_text(struct hoop__json_path *path)
{
    const char *root = path->cut ? "..." : "$";
    char *text = path->text + sizeof path->text - 1 - path->len - strlen(root);
    memcpy(text, root, strlen(root));
    path->text[sizeof path->text - 1] = '\0';
    return text;
}
