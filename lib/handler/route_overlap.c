/* Whether some text satisfies two segments of templates, and which: the base of finding conflicts. */
#include "handler/router.h"

#include <string.h>

#define MAX_ATOMS 150 /* of a segment; longer ones are taken to overlap */

/* A set of bytes that stands once, at most once, or any number of times. */
struct atom {
    uint8_t set[32];
    uint8_t optional; /* may be left out */
    uint8_t loops;    /* may stand again; then it is optional, too */
};

struct atoms {
    struct atom list[MAX_ATOMS];
    uint32_t count;
    uint8_t failed; /* too long */
};

static void add(struct atoms *atoms, const uint8_t *set, int optional, int loops)
{
    if (atoms->count == MAX_ATOMS) {
        atoms->failed = 1;
        return;
    }
    struct atom *atom = &atoms->list[atoms->count++];
    memcpy(atom->set, set, sizeof atom->set);
    atom->optional = optional ? 1 : 0;
    atom->loops = loops ? 1 : 0;
}

static void add_text(struct atoms *atoms, hoop_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.data[i];
        uint8_t set[32] = { 0 };
        set[c / 8] = (uint8_t)(1u << c % 8);
        add(atoms, set, 0, 0);
    }
}

/* The bytes of a shape's letter (0: all but NUL) without the one that ends the parameter. */
static void fill_set(uint8_t set[32], char shape, char stop)
{
    memset(set, 0, 32);
    for (unsigned c = 1; c < 256; c++)
        if ((char)c != stop && (!shape || hoop__shape_has(shape, (char)c)))
            set[c / 8] = (uint8_t)(set[c / 8] | 1u << c % 8);
}

static void add_shape(struct atoms *atoms, const char *shape, char stop)
{
    uint8_t set[32];
    for (; *shape; shape++) {
        fill_set(set, *shape, stop);
        if (shape[1] == '?') {
            add(atoms, set, 1, 0);
            shape++;
            continue;
        }
        add(atoms, set, 0, 0);
        if (shape[1] == '+') {
            add(atoms, set, 1, 1);
            shape++;
        }
    }
}

/* The atoms of a segment, `words` telling which word stands for each parameter that is a list of them. */
static void compile(struct atoms *atoms, const struct hoop__segment *segment, const size_t *words)
{
    atoms->count = 0;
    atoms->failed = 0;
    for (uint32_t i = 0; i < segment->piece_count; i++) {
        const struct hoop__piece *piece = &segment->pieces[i];
        add_text(atoms, piece->text);
        if (!piece->is_param)
            break;
        if (piece->type && piece->type->words) {
            hoop_str word = piece->type->words[words[i]];
            add_text(atoms, word);
            if (piece->stop && memchr(word.data, piece->stop, word.len))
                atoms->failed = 2; /* no value can have that byte: nothing fits this one */
        } else if (piece->type && piece->type->shape) {
            add_shape(atoms, piece->type->shape, piece->stop);
        } else {
            uint8_t set[32];
            fill_set(set, 0, piece->stop);
            add(atoms, set, 0, 0);
            add(atoms, set, 1, 1);
        }
    }
}

/* --- the product of two ---------------------------------------------------------------------- */

#define STATES      ((MAX_ATOMS + 1) * (MAX_ATOMS + 1))
#define NOT_REACHED UINT16_MAX

/*
 * Pairs of places in the two, walked through breadth first, so that the shortest text is found. In sum less
 * than what malloc would map apart: once that is freed, glibc keeps larger pieces in its heap, where they
 * hold up what a burst of connections left.
 */
struct hoop__overlap {
    struct atoms a, b;
    uint16_t from[STATES]; /* the state before, or NOT_REACHED */
    uint16_t queue[STATES];
    char byte[STATES]; /* what led here; 0: nothing was taken */
    uint32_t head, tail;
    uint32_t width; /* of a row of pairs */
};

_Static_assert(sizeof(struct hoop__overlap) < 128 * 1024 - 64, "less than glibc maps apart");

static void reach(struct hoop__overlap *p, uint32_t i, uint32_t j, uint32_t from, char byte)
{
    uint32_t state = i * p->width + j;
    if (p->from[state] != NOT_REACHED)
        return;
    p->from[state] = (uint16_t)from;
    p->byte[state] = byte;
    p->queue[p->tail++] = (uint16_t)state;
}

/* A byte of both sets, one that reads well if there is; 0 if there is none. */
static char common(const struct atom *a, const struct atom *b)
{
    static const char nice[] = "xa1-_.";
    uint8_t both[32], some = 0;
    for (int i = 0; i < 32; i++)
        some |= both[i] = a->set[i] & b->set[i];
    if (!some)
        return 0;
    for (const char *c = nice; *c; c++)
        if (both[(unsigned char)*c / 8] >> ((unsigned char)*c % 8) & 1)
            return *c;
    for (unsigned c = 1;; c++)
        if (both[c / 8] >> c % 8 & 1)
            return (char)c;
}

static void expand(struct hoop__overlap *p, uint32_t state)
{
    uint32_t i = state / p->width, j = state % p->width;
    const struct atom *a = i < p->a.count ? &p->a.list[i] : NULL;
    const struct atom *b = j < p->b.count ? &p->b.list[j] : NULL;
    if (a && a->optional)
        reach(p, i + 1, j, state, 0);
    if (b && b->optional)
        reach(p, i, j + 1, state, 0);
    char byte = a && b ? common(a, b) : 0;
    if (byte)
        reach(p, a->loops ? i : i + 1, b->loops ? j : j + 1, state, byte);
}

static hoop_str example_of(hoop_arena *arena, const struct hoop__overlap *p, uint32_t state)
{
    size_t len = 0;
    for (uint32_t s = state; s; s = p->from[s])
        len += p->byte[s] != 0;
    char *text = hoop_arena_alloc(arena, len + 1);
    if (!text)
        return hoop_str_none();
    text[len] = 0;
    hoop_str example = hoop_str_n(text, len);
    for (uint32_t s = state; s; s = p->from[s])
        if (p->byte[s])
            text[--len] = p->byte[s];
    return example;
}

/* Nonzero if the two intersect. A loop over the same state needs no step: the shortest text is enough. */
static int intersect(hoop_arena *arena, struct hoop__overlap *p, hoop_str *ret_example)
{
    p->width = p->b.count + 1;
    for (uint32_t i = 0; i < (p->a.count + 1) * p->width; i++)
        p->from[i] = NOT_REACHED;
    p->head = p->tail = 0;
    reach(p, 0, 0, 0, 0);
    uint32_t end = p->a.count * p->width + p->b.count;
    while (p->head < p->tail) {
        uint32_t state = p->queue[p->head++];
        if (state == end) {
            *ret_example = example_of(arena, p, state);
            return 1;
        }
        expand(p, state);
    }
    return 0;
}

/* --- with lists of words ---------------------------------------------------------------------- */

/* Goes on to the next choice of words; 0 behind the last. */
static int next_choice(const struct hoop__segment *segment, size_t *words)
{
    for (uint32_t i = 0; i < segment->piece_count; i++) {
        const struct hoop__route_type *type = segment->pieces[i].type;
        if (!segment->pieces[i].is_param || !type || !type->words)
            continue;
        if (++words[i] < type->word_count)
            return 1;
        words[i] = 0;
    }
    return 0;
}

/* Nonzero if `text` fits both, by the very functions that match requests. */
static int fits_both(const struct hoop__segment *a, const struct hoop__segment *b, hoop_str text)
{
    hoop_str values[HOOP__MAX_PARAMS];
    return hoop__segment_match(a, text, values) && hoop__segment_match(b, text, values);
}

/* All choices of words of both. Nonzero if some overlap. */
static int try_choices(hoop_arena *arena, struct hoop__overlap *p, const struct hoop__segment *a,
                       const struct hoop__segment *b, hoop_str *ret_example)
{
    size_t a_words[HOOP__MAX_PARAMS + 1] = { 0 };
    do {
        size_t b_words[HOOP__MAX_PARAMS + 1] = { 0 };
        compile(&p->a, a, a_words);
        do {
            compile(&p->b, b, b_words);
            if (p->a.failed == 2 || p->b.failed == 2)
                continue;
            if (p->a.failed || p->b.failed) {
                *ret_example = hoop_str_none();
                return 1;
            }
            if (intersect(arena, p, ret_example))
                return 1;
        } while (next_choice(b, b_words));
    } while (next_choice(a, a_words));
    return 0;
}

struct hoop__overlap *hoop__overlap_new(hoop_arena *arena)
{
    return hoop_arena_alloc(arena, sizeof(struct hoop__overlap));
}

int hoop__segment_overlap(hoop_arena *arena, struct hoop__overlap *room,
                          const struct hoop__segment *a, const struct hoop__segment *b,
                          hoop_str *ret_example)
{
    /* Fixed text is simply tried, which also tells what the program's predicates say. */
    const struct hoop__segment *text = hoop__segment_is_text(a)   ? a
                                       : hoop__segment_is_text(b) ? b
                                                                  : NULL;
    hoop_str values[HOOP__MAX_PARAMS];
    *ret_example = hoop_str_none();
    if (text) {
        hoop_str t = text->pieces[0].text;
        if (!hoop__segment_match(text == a ? b : a, t, values))
            return 0;
        *ret_example = t;
        return 1;
    }
    int overlap = try_choices(arena, room, a, b, ret_example);
    /* Predicates may refuse what has the right shape; then no text is known that shows it. */
    if (overlap && !fits_both(a, b, *ret_example))
        *ret_example = hoop_str_none();
    return overlap;
}
