/** @file
 * What marks a declaration as part of hoop's interface; no function lives here.
 */
#ifndef HOOP_EXPORT_H
#define HOOP_EXPORT_H

#include <stddef.h>
#include <stdint.h>

/** Marks an exported function. Everything else stays hidden in the library. */
#if defined(_WIN32) && defined(HOOP_BUILDING) && !defined(HOOP_STATIC)
#define HOOP_API __declspec(dllexport)
#elif defined(_WIN32) && !defined(HOOP_STATIC)
#define HOOP_API __declspec(dllimport)
#elif defined(__GNUC__)
#define HOOP_API __attribute__((visibility("default")))
#else
#define HOOP_API
#endif

/** Begins declarations with C linkage. */
#ifdef __cplusplus
#define HOOP_BEGIN_DECLS extern "C" {
#define HOOP_END_DECLS   }
#else
#define HOOP_BEGIN_DECLS
#define HOOP_END_DECLS
#endif

/** Lets the compiler check the arguments of a printf-like function. */
#if defined(__GNUC__)
#define HOOP_PRINTF(format_index, first_index) \
    __attribute__((format(printf, format_index, first_index)))
#else
#define HOOP_PRINTF(format_index, first_index)
#endif

/** The number of elements of an array, for the count that stands beside a table. */
#define HOOP_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/** Switches a limit or a time off, where an options struct's zero means the documented default. */
#define HOOP_OFF UINT64_MAX
/** The same for members of 32 bits. */
#define HOOP_OFF32 UINT32_MAX

#endif
