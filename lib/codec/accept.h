/* Negotiation by the Accept headers (RFC 9110 12.5); see hoop/accept.h for what is public. */
#ifndef HOOP_CODEC_ACCEPT_H
#define HOOP_CODEC_ACCEPT_H

#include "codec/media.h"

#include <hoop/accept.h>

#define HOOP__FULL_QUALITY 1000u

/*
 * The element that has been found to say most closely what it means. Zeroed before the first header line;
 * several lines are asked one after the other.
 */
struct hoop__accept_match {
    uint32_t closeness; /* 0: no element fits */
    uint32_t quality;
};

/* The weight among parameters, in thousandths; HOOP__FULL_QUALITY if there is none. */
uint32_t hoop__accept_weight(hoop_str params);

/*
 * How closely a media range means a type: 0 not at all, 1 by a star, more the more it names. Parameters of
 * the range up to its weight have to be among those of the type.
 */
uint32_t hoop__accept_closeness(const struct hoop__media *range, const struct hoop__media *media);

/* Asks a line of Accept for a type. What is no range is passed over. */
void hoop__accept_media(hoop_str line, const struct hoop__media *media,
                        struct hoop__accept_match *match);

#endif
