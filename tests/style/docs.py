"""Style test: whatever the public headers declare has a doc comment, and the register of names in
docs/internals/names.md has all that is exported."""

import re

from api import EXPORTED, declarations
from tree import Fault, Problem, main

NEED_COMMENT = {"function", "data", "inline", "macro", "struct", "callback", "type"}
REGISTER = "docs/internals/names.md"


def uncommented(declared):
    """What has no comment. A macro that is defined on both sides of an #if needs one."""
    documented = {declaration.name for declaration in declared if declaration.documented}
    for one in declared:
        if one.kind in NEED_COMMENT and one.name not in documented:
            yield Problem(one.path, one.line, f"put a /** comment */ directly above {one.name}")
        for line, field in one.bare_fields:
            text = f"put a /**< comment */ behind '{field}' of {one.name}"
            yield Problem(one.path, line, text)


def unregistered(root, declared):
    """Where the register and the headers differ."""
    register = root / REGISTER
    if not register.exists():
        return
    lines = register.read_text().splitlines()
    known = {one.name for one in declared}
    listed = set()
    for number, line in enumerate(lines, 1):
        for name in re.findall(r"`((?:hoop|HOOP)_\w+)(?:\(\))?`", line):
            listed.add(name)
            if name not in known:
                yield Problem(REGISTER, number, f"no public header declares {name}: take it out")
    for one in declared:
        if one.kind in EXPORTED and one.name not in listed:
            text = f"{one.name} is exported: add `{one.name}` ({one.path}:{one.line})"
            yield Problem(REGISTER, len(lines), text)


def check(root):
    declared = declarations(root)
    return [*uncommented(declared), *unregistered(root, declared)]


HEADER = """\
/** @file
 * A header.
 */
#ifndef HOOP_A_H
#define HOOP_A_H

#define HOOP_BEGIN_DECLS

HOOP_BEGIN_DECLS

/** A constant, and a function of it. */
#define HOOP_ONE 1
#define HOOP_PLUS(x) \\
    ((x) + HOOP_ONE)

/** Both sides. */
#ifdef __cplusplus
static inline int HOOP_BOTH(int x)
{
    return x;
}
static inline int hoop_cpp(void)
{
    return 1;
}
#else
#define HOOP_BOTH(x) (x)
#endif

/** Opaque. */
typedef struct hoop_thing hoop_thing;

/** Options. */
typedef struct hoop_thing_options {
    int a; /**< one */
    /** two */
    void (*b)(int x,
              int y);
} hoop_thing_options;

/** Called. */
typedef const char *hoop_thing_fn(int x);

/**
 * Makes it.
 */
HOOP_API hoop_thing *hoop_thing_new(const hoop_thing_options *options,
                                    int x) HOOP_PRINTF(1, 2);

/** Data. */
HOOP_API extern const char hoop_data[1];

/** Inline. */
static inline int hoop_inline(void)
{
    if (1) {
        return HOOP_PLUS(1);
    }
    return 0;
}

HOOP_END_DECLS

#endif
"""
NAMES = "| `hoop_thing_new()` | `hoop_data` |\n| `HOOP_PLUS` | `hoop_thing` |\n"
CLEAN = {"include/hoop/a.h": HEADER, REGISTER: NAMES}


def with_line(text, line):
    """The header with a line of its own at the end."""
    return {"include/hoop/a.h": HEADER.replace("HOOP_END_DECLS\n", text), **(line or {})}


END = len(HEADER[: HEADER.index("HOOP_END_DECLS")].splitlines()) + 1
HERE = f"include/hoop/a.h:{END}"
MORE = {REGISTER: NAMES + "`hoop_more`\n"}
FAULTS = [
    Fault(with_line("HOOP_API int hoop_more(void);\n", MORE), HERE, "above hoop_more"),
    Fault(with_line("/** Far. */\n\nHOOP_API int hoop_more(void);\n", MORE),
          f"include/hoop/a.h:{END + 2}", "above hoop_more"),
    Fault(with_line("/* Plain. */\nHOOP_API int hoop_more(void);\n", MORE),
          f"include/hoop/a.h:{END + 1}", "above hoop_more"),
    Fault(with_line("/** M. */\nHOOP_API int hoop_more(void);\n", None), f"{REGISTER}:2",
          "hoop_more is exported"),
    Fault(with_line("", MORE), f"{REGISTER}:3", "no public header declares hoop_more"),
    Fault(with_line("#define HOOP_TWICE(x) (2 * (x))\n", None), HERE, "above HOOP_TWICE"),
    Fault(with_line("typedef void (*hoop_more_fn)(void);\n", None), HERE, "above hoop_more_fn"),
    Fault(with_line("typedef struct hoop_more {\n    int x; /**< x */\n} hoop_more;\n", None), HERE,
          "above hoop_more"),
    Fault(with_line("/** M. */\ntypedef struct hoop_more {\n    int x;\n} hoop_more;\n", None),
          f"include/hoop/a.h:{END + 2}", "behind 'int x;' of hoop_more"),
]

if __name__ == "__main__":
    main(check, CLEAN, FAULTS)
