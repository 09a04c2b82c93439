/* The place of a mistake in JSON, `$.items[3].price`, made from its end on. */
#ifndef HOOP_JSON_WRITE_PATH_H
#define HOOP_JSON_WRITE_PATH_H

#include <hoop/str.h>

#define HOOP__JSON_PATH_SIZE 160

/* Zeroed at first. */
struct hoop__json_path {
    char text[HOOP__JSON_PATH_SIZE];
    size_t len; /* of what stands at the end of `text` */
    int cut;    /* what is further up did not fit */
};

/* Sets `[index]` or `.key` before what is there. Keys are shown as they are, but for control characters. */
void hoop__json_path_index(struct hoop__json_path *path, size_t index);
void hoop__json_path_key(struct hoop__json_path *path, hoop_str key);

/* Sets `$` before the rest, or dots if the front did not fit, and gives the whole, NUL-terminated. */
const char *hoop__json_path_text(struct hoop__json_path *path);

#endif
