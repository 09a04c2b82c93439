"""Style test: the libraries export what the public headers mark HOOP_API, and nothing else."""

import re
import subprocess
from pathlib import Path

from api import EXPORTED, declarations
from tree import Fault, Problem, files, main

# Headers of add-on libraries, whose functions those export.
ADD_ONS = {"include/hoop/redis.h"}

# The names that a static library may give away: ours, those between our files, and llhttp's.
STATIC_NAME = re.compile(r"hoop_|llhttp_")


def symbols(library, *options):
    """The names that a library defines for others, without those of symbol versions."""
    done = subprocess.run(
        ["nm", "--defined-only", *options, library], capture_output=True, text=True, check=True
    )
    found = re.findall(r"^[0-9a-f]+ ([A-Za-z]) (\S+)$", done.stdout, re.M)
    return {name.partition("@")[0] for kind, name in found if kind != "A"}


def definition(root, name, library):
    """Where the code defines a name; the library, if it can't be found."""
    for path in files(root, "lib", suffixes=(".c", ".h")):
        lines = (root / path).read_text(errors="replace").splitlines()
        for number, line in enumerate(lines, 1):
            if re.match(rf"\w.*\b{re.escape(name)}\b(?!.*\);$)", line):
                return str(path), number
    return Path(library).name, 1


def check(root, shared, static):
    problems = []
    declared = {
        one.name: one
        for one in declarations(root)
        if one.kind in EXPORTED and one.path not in ADD_ONS
    }
    exported = symbols(shared, "-D")
    for name in sorted(exported - set(declared)):
        text = f"{name} is exported, but no public header marks it HOOP_API: hide it or declare it"
        problems.append(Problem(*definition(root, name, shared), text))
    for name in sorted(set(declared) - exported):
        one = declared[name]
        text = f"{name} is marked HOOP_API, but {Path(shared).name} does not export it: define it"
        problems.append(Problem(one.path, one.line, text))
    for name in sorted(set(declared)):
        if not name.startswith("hoop_") or name.startswith("hoop__"):
            one = declared[name]
            problems.append(Problem(one.path, one.line, f"{name}: exported names begin with hoop_"))
    for name in sorted(symbols(static, "-g")):
        if not STATIC_NAME.match(name):
            text = f"{name} is global in {Path(static).name}: make it static, or name it hoop__..."
            problems.append(Problem(*definition(root, name, static), text))
    return problems


def planted(root):
    """Builds both libraries of lib/base/a.c, and checks them."""
    for command in (
        "cc -shared -fPIC -fvisibility=hidden -Iinclude lib/base/a.c -o libhoop.so",
        "cc -c -fvisibility=hidden -Iinclude lib/base/a.c -o a.o",
        "ar rcs libhoop.a a.o",
    ):
        subprocess.run(command.split(), cwd=root, check=True)
    return check(root, str(root / "libhoop.so"), str(root / "libhoop.a"))


HEADER = """\
/* A. */
#define HOOP_API __attribute__((visibility("default")))
HOOP_API int hoop_one(int x,
                      int y);
HOOP_API extern const char hoop_two[1];
"""
CODE = """\
/* A. */
#include <hoop/a.h>
int hoop__inner(void);
int hoop_one(int x, int y)
{
    return hoop__inner() + x + y;
}
const char hoop_two[1] = "";
int hoop__inner(void)
{
    return 1;
}
"""
CLEAN = {"include/hoop/a.h": HEADER, "lib/base/a.c": CODE}


def with_code(text):
    return {"lib/base/a.c": CODE + text}


FAULTS = [
    Fault(with_code("HOOP_API int hoop_leak;\n"), "lib/base/a.c:13", "hoop_leak is exported"),
    Fault(with_code("HOOP_API int hoop__leak(void)\n{\n    return 1;\n}\n"), "lib/base/a.c:13",
          "hoop__leak is exported"),
    Fault(with_code("int helper(void)\n{\n    return 1;\n}\n"), "lib/base/a.c:13",
          "helper is global in libhoop.a"),
    Fault({"include/hoop/a.h": HEADER + "HOOP_API void hoop_gone(void);\n"}, "include/hoop/a.h:6",
          "does not export"),
    Fault({"include/hoop/a.h": HEADER + "HOOP_API extern int hoop__x;\n",
           "lib/base/a.c": CODE + "int hoop__x;\n"}, "include/hoop/a.h:6", "begin with hoop_"),
]

if __name__ == "__main__":
    main(check, CLEAN, FAULTS, planted)
