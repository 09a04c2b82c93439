/** @file
 * hoop's version, at compile time and at run time.
 */
#ifndef HOOP_VERSION_H
#define HOOP_VERSION_H

#include <hoop/export.h>

/** The version of these headers, in three numbers and as text. */
#define HOOP_VERSION_MAJOR 0
#define HOOP_VERSION_MINOR 1
#define HOOP_VERSION_PATCH 0
#define HOOP_VERSION       "0.1.0"

HOOP_BEGIN_DECLS

/**
 * The version of the library that runs, as text ("0.1.0").
 * Ownership: static. Threads: any.
 */
HOOP_API const char *hoop_version(void);

HOOP_END_DECLS

#endif
