"""Style test: functions of lib/ fit on a screen or two, and its files have one subject."""

import re

from tree import Fault, Problem, files, main, without_comments

FUNCTION_LINES = 80
FILE_LINES = 700


def functions(text):
    """(name, first line, last line) of each function; its braces stand alone in column one."""
    lines = without_comments(text, strings=False).splitlines()
    begin = None
    for number, line in enumerate(lines, 1):
        if line.rstrip() == "{":
            begin = number
            while begin > 1 and re.match(r"[^#}]*[^#};\s]\s*$", lines[begin - 2]):
                begin -= 1
        elif line.startswith("}") and begin:
            name = re.search(r"(\w+)\s*\(", " ".join(lines[begin - 1 : number]))
            yield name[1] if name else "?", begin, number
            begin = None


def check(root):
    problems = []
    for path in files(root, "lib", suffixes=(".c", ".h")):
        code = (root / path).read_text()
        count = len(code.splitlines())
        if count > FILE_LINES:
            text = f"{count} lines, over {FILE_LINES}: split the file"
            problems.append(Problem(str(path), FILE_LINES + 1, text))
        for name, first, last in functions(code):
            lines = last - first + 1
            if lines > FUNCTION_LINES:
                text = f"{name}() has {lines} lines, over {FUNCTION_LINES}: split the function"
                problems.append(Problem(str(path), first, text))
    return problems


def function(lines):
    """A function of so many lines, its head on two of them."""
    body = "    x++;\n" * (lines - 4)
    return f"/* F. */\n\nstatic int\ngrow(int x)\n{{\n{body}}}\n"


CLEAN = {
    "lib/base/a.c": function(80) + function(80) + "struct a {\n" + "    int x;\n" * 90 + "};\n",
    "lib/base/b.c": "/* B. */\n" + "int x;\n" * 699,
    "tests/a.c": function(100),
}
FAULTS = [
    Fault({"lib/base/c.c": function(81)}, "lib/base/c.c:3", "grow() has 81 lines"),
    Fault({"lib/base/c.h": "/* C. */\n" + "int x;\n" * 700}, "lib/base/c.h:701", "701 lines"),
]

if __name__ == "__main__":
    main(check, CLEAN, FAULTS)
