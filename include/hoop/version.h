/** @file
 * hoop's version, at compile time and at run time.
 */
#ifndef HOOP_VERSION_H
#define HOOP_VERSION_H

#include <hoop/export.h>

#define HOOP_VERSION_MAJOR 0       /**< of these headers; may break the API before 1.0, too */
#define HOOP_VERSION_MINOR 1       /**< of these headers; before 1.0 it may break the API */
#define HOOP_VERSION_PATCH 0       /**< of these headers; repairs only */
#define HOOP_VERSION       "0.1.0" /**< the three as text */

HOOP_BEGIN_DECLS

/**
 * The version of the library that runs, as text ("0.1.0").
 * Ownership: static. Threads: any.
 */
HOOP_API const char *hoop_version(void);

HOOP_END_DECLS

#endif
