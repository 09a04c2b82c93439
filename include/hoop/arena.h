/** @file
 * The arena: memory that is given back in one step, and the allocator behind it.
 */
#ifndef HOOP_ARENA_H
#define HOOP_ARENA_H

#include <hoop/export.h>
#include <hoop/str.h>

#include <stdarg.h>

HOOP_BEGIN_DECLS

/**
 * Where memory comes from. All members are set, or the whole struct is left out for malloc,
 * realloc and free. The functions behave as those three do; they are called from several threads.
 * The struct must live as long as what was made with it.
 */
typedef struct hoop_allocator {
    void *(*alloc)(size_t size, void *data);                 /**< NULL when there is none */
    void *(*realloc)(void *memory, size_t size, void *data); /**< `memory` may be NULL */
    void (*free)(void *memory, void *data);                  /**< `memory` may be NULL */
    void *data;                                              /**< handed to each function */
} hoop_allocator;

/**
 * Memory that grows piece by piece and is freed at once. Each exchange has one, which ends with it;
 * an application makes its own for what lives as long as the server (routers, chains, constant
 * responses). One thread at a time uses an arena; what lies in it may be read by all once it is
 * complete.
 */
typedef struct hoop_arena hoop_arena;

/** What hoop_arena_new_with() takes. Zero means the default. */
typedef struct hoop_arena_options {
    const hoop_allocator *allocator; /**< NULL: malloc */
    uint64_t limit;                  /**< bytes in all; 0: HOOP_OFF, no limit */
    uint64_t block_size;             /**< bytes of a block; 0: 4096 */
} hoop_arena_options;

/**
 * Makes an arena on malloc without a limit. NULL if out of memory.
 * Ownership: the caller frees it by hoop_arena_free(). Threads: any.
 */
HOOP_API hoop_arena *hoop_arena_new(void);

/** Makes an arena; see hoop_arena_new_with(). */
HOOP_API hoop_arena *hoop_arena_new_sized(const hoop_arena_options *options, size_t options_size);

/** Makes an arena by a `const hoop_arena_options *`. NULL if out of memory. */
#define hoop_arena_new_with(...) hoop_arena_new_sized((__VA_ARGS__), sizeof(hoop_arena_options))

/**
 * Runs the dispose hooks, last in, first out, and frees all memory. Only for arenas made by
 * hoop_arena_new(); an exchange's own is left alone. NULL is allowed.
 */
HOOP_API void hoop_arena_free(hoop_arena *arena);

/**
 * `size` bytes, aligned for any type, not cleared. NULL if out of memory or over the limit.
 * `size` 0 gives a pointer that may not be read.
 */
HOOP_API void *hoop_arena_alloc(hoop_arena *arena, size_t size);

/** The same, cleared to zero. */
HOOP_API void *hoop_arena_zalloc(hoop_arena *arena, size_t size);

/** A copy of `s` with a NUL behind it. On failure the absent string. */
HOOP_API hoop_str hoop_arena_copy(hoop_arena *arena, hoop_str s);

/** A copy of a C string; NULL if out of memory or if `text` is NULL. */
HOOP_API char *hoop_arena_strdup(hoop_arena *arena, const char *text);

/** printf into the arena. On failure the absent string. */
HOOP_API hoop_str hoop_arena_printf(hoop_arena *arena, const char *format, ...) HOOP_PRINTF(2, 3);

/** vprintf into the arena. On failure the absent string. */
HOOP_API hoop_str hoop_arena_vprintf(hoop_arena *arena, const char *format, va_list args)
    HOOP_PRINTF(2, 0);

/** A dispose hook: gives back a foreign object. It may not allocate from the arena. */
typedef void hoop_dispose_fn(void *data);

/**
 * Has `fn(data)` run when the arena ends, before its memory goes; hooks run last in, first out.
 * 0 or HOOP_ENOMEM; on failure `fn` is run at once, so that nothing is lost.
 */
HOOP_API int hoop_arena_on_dispose(hoop_arena *arena, hoop_dispose_fn *fn, void *data);

/** The bytes that the arena holds from its allocator now. */
HOOP_API size_t hoop_arena_size(const hoop_arena *arena);

HOOP_END_DECLS

#endif
