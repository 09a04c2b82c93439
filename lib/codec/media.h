/* Media types and the parameters of header values (RFC 9110 8.3.1, 5.6.6); no negotiation. */
#ifndef HOOP_CODEC_MEDIA_H
#define HOOP_CODEC_MEDIA_H

#include <hoop/error.h>
#include <hoop/str.h>

/* A media type as slices of the value it was read from. Types are compared without case. */
struct hoop__media {
    hoop_str type;
    hoop_str subtype;
    hoop_str params; /* what is behind them, for hoop__param_next() */
};

/* A parameter. Names are compared without case; whether values are is the parameter's own rule. */
struct hoop__param {
    hoop_str name;
    hoop_str value; /* a token, or what stands between the quotes */
    int escaped;    /* the value has backslashes: hoop__param_unescape() gives its text */
};

/* Splits `type "/" subtype *( OWS ";" ... )`, without OWS around it. 0, or HOOP_EPARSE. */
int hoop__media_parse(hoop_str value, struct hoop__media *ret_media);

/* Nonzero if the type is `type`/`subtype`, case aside. */
int hoop__media_is(const struct hoop__media *media, const char *type, const char *subtype);

/*
 * Takes the next parameter off the front of `*rest`, which is `*( OWS ";" OWS [ name "=" value ] )`;
 * empty ones are skipped. 1 and `*ret_param`, 0 at the end, HOOP_EPARSE for what is no parameter (then
 * `*rest` stays).
 */
int hoop__param_next(hoop_str *rest, struct hoop__param *ret_param);

/* The same where no semicolon has to stand in front of the first one. */
int hoop__param_first(hoop_str *rest, struct hoop__param *ret_param);

/*
 * Reads a value at `at`, a token or a quoted string, into ret_param->value and ->escaped. The index behind it,
 * or 0 if there is none.
 */
size_t hoop__param_value(hoop_str text, size_t at, struct hoop__param *ret_param);

/* Writes the text of an escaped value, at most value.len bytes, and returns its size. */
size_t hoop__param_unescape(hoop_str value, char *out);

/*
 * The first parameter `name` of a media type. Nonzero if there is one; broken parameters behind
 * it do no harm, those in front of it hide it.
 */
int hoop__media_param(const struct hoop__media *media, const char *name,
                      struct hoop__param *ret_param);

#endif
