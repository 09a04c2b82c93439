/* Taking the bytes of a source: never more than its length, never fewer in silence. */
#include "value/pull.h"

#define MAX_EMPTY_PULLS 64

/*
 * A source may find within its own pull that it has more after all, and say so: then it is asked
 * again at once, since no wake would come. One that says so again and again without giving anything
 * is broken.
 */
static int ask(struct hoop__pull *pull, char *to, size_t cap, size_t *ret_len)
{
    for (int tries = 0; tries < MAX_EMPTY_PULLS; tries++) {
        pull->resumed = 0;
        int rc = pull->source->pull(pull->source, to, cap, ret_len);
        if (rc != HOOP_EAGAIN || !pull->resumed)
            return rc;
    }
    return HOOP_EINVAL;
}

/* All that was announced is there. A source that has still more is told so, the message is whole. */
static int end_length(struct hoop__pull *pull, int code)
{
    if (code != HOOP_EOF) {
        char more;
        size_t n = 0;
        code = pull->source->pull(pull->source, &more, 1, &n);
        if (n && (code == 0 || code == HOOP_EOF))
            pull->end_code = HOOP_ETOOBIG;
        else if (code && code != HOOP_EOF && code != HOOP_EAGAIN)
            pull->end_code = code;
    }
    return HOOP__PULL_DONE;
}

int hoop__pull_some(struct hoop__pull *pull, char *to, size_t cap, size_t *ret_len)
{
    *ret_len = 0;
    if (pull->left == 0)
        return end_length(pull, 0);
    if (cap > pull->left)
        cap = (size_t)pull->left;
    int rc = ask(pull, to, cap, ret_len);
    if (rc && rc != HOOP_EOF) {
        *ret_len = 0;
        return rc == HOOP_EAGAIN ? HOOP__PULL_WAIT : rc;
    }
    if (!rc && !*ret_len)
        return HOOP_EINVAL;
    if (pull->left == HOOP__LENGTH_UNKNOWN)
        return rc == HOOP_EOF ? HOOP__PULL_DONE : HOOP__PULL_MORE;
    pull->left -= *ret_len;
    if (!pull->left)
        return end_length(pull, rc);
    return rc == HOOP_EOF ? HOOP_EOF : HOOP__PULL_MORE; /* an end here is less than announced */
}

int hoop__pull_piece(struct hoop__pull *pull, struct hoop__file_piece *ret_piece)
{
    for (int tries = 0; tries < MAX_EMPTY_PULLS; tries++) {
        pull->resumed = 0;
        int rc = pull->source->extra->piece(pull->source, ret_piece);
        if (rc == HOOP_EAGAIN && pull->resumed)
            continue; /* as with ask() */
        if (rc)
            return rc == HOOP_EAGAIN ? HOOP__PULL_WAIT : rc;
        if (ret_piece->len > pull->left)
            ret_piece->len = (size_t)pull->left;
        return HOOP__PULL_MORE;
    }
    return HOOP_EINVAL;
}

int hoop__pull_took(struct hoop__pull *pull, size_t n)
{
    pull->source->extra->took(pull->source, n);
    pull->left -= n;
    return pull->left ? HOOP__PULL_MORE : end_length(pull, 0);
}

void hoop__pull_finish(struct hoop__pull *pull, int code)
{
    struct hoop__source *source = pull->source;
    if (!source)
        return;
    pull->source = NULL;
    hoop__source_finish(source, code);
}
