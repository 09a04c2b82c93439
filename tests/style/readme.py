"""Style test: the C code in README.md and docs/guide/ compiles, and whole programs link as well.

A block that opens with ```c is one of: a program (it has `int main`), declarations, or statements,
which are compiled as the body of a function. What earlier blocks of the page declare may be used.
```c ignore is left alone; ```c hello must be what examples/hello.c is.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from tree import ROOT, Fault, Problem, files, main, without_comments

FLAGS = "-std=c11 -Wall -Wextra -Werror -Wno-unused-parameter -fdiagnostics-color=never".split()
HELLO = "examples/hello.c"
HEADERS = "hoop.h hoop/json.h assert.h stdio.h string.h".split()
PRELUDE = "".join(f"#include <{header}>\n" for header in HEADERS)
# What statements may speak of without saying where it came from; they may return a response.
BODY = """\
static const hoop_response *snippet(hoop_arena *arena, hoop_arena *app, hoop_handler handler,
                                    const hoop_request *req, const hoop_response *res, void *data)
{
{
"""
BODY_END = "}\nreturn res;\n}\n"


class Block(NamedTuple):
    """A piece of C code in a page."""

    page: str
    line: int  # of its first line of code
    label: str  # what stands behind ```c
    code: str

    def placed(self):
        """The code, known to the compiler by its place in the page."""
        return f'#line {self.line} "{self.page}"\n{self.code}'


def blocks(page, text):
    pattern = r"^```c(?: +(\w+))?[ \t]*\n(.*?)^```[ \t]*$"
    for match in re.finditer(pattern, text, re.M | re.S):
        line = text.count("\n", 0, match.start(2)) + 1
        yield Block(page, line, match[1] or "", match[2])


class Compiler:
    """The C compiler, with the headers of a source tree and the library of a build."""

    def __init__(self, root, build):
        self.build = build
        command = ["pkg-config", "--cflags", "jansson"]
        jansson = subprocess.run(command, capture_output=True, text=True).stdout
        self.command = shlex.split(os.environ.get("CC", "cc")) + FLAGS
        self.command += ["-I", str(root / "include"), *shlex.split(jansson)]

    def complaint(self, code, link=False):
        """What the compiler says of a program or, unless it is to be linked, of a piece of one."""
        with tempfile.TemporaryDirectory() as folder:
            name = Path(folder) / "snippet.c"
            name.write_text(code)
            if link:
                output = ["-o", str(Path(folder) / "program")]
                library = ["-L", self.build, "-lhoop", f"-Wl,-rpath,{self.build}", "-ljansson"]
            else:
                output, library = ["-fsyntax-only", "-Wno-unused"], []
            done = subprocess.run(
                self.command + [str(name)] + output + library,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env={**os.environ, "LC_ALL": "C"},
                text=True,
            )
            return done.stdout if done.returncode else None


def is_statements(code):
    """A guess, for the choice of the complaint that is shown."""
    lines = [line for line in without_comments(code).splitlines() if line.strip()]
    return not re.match(r"#|static|typedef|struct \w+ \{|extern|.*\)$", lines[0] if lines else "")


def problem(block, complaint):
    place = re.search(rf"^{re.escape(block.page)}:(\d+):", complaint, re.M)
    line = int(place[1]) if place else block.line
    return Problem(block.page, line, "this C code does not compile:\n" + complaint.rstrip())


def code_of(text):
    """C code without comments and layout, for a comparison."""
    return without_comments(text).split()


def check_page(page_blocks, compiler, root):
    problems = []
    earlier = ""
    for block in page_blocks:
        if block.label == "ignore":
            continue
        if block.label == "hello" and code_of(block.code) != code_of((root / HELLO).read_text()):
            text = f"this is not the code of {HELLO}: copy one to the other"
            problems.append(Problem(block.page, block.line, text))
        if re.search(r"\bint main\b", block.code):
            complaint = compiler.complaint(block.placed(), link=True)
            if complaint:
                problems.append(problem(block, complaint))
            continue
        alone = PRELUDE + block.placed()
        after = PRELUDE + earlier + block.placed()
        inside = PRELUDE + earlier + BODY + block.placed() + BODY_END
        complaints = []
        for code in (alone, after, inside):
            complaint = compiler.complaint(code)
            if not complaint:
                break
            complaints.append(complaint)
        else:
            problems.append(problem(block, complaints[2 if is_statements(block.code) else 1]))
            continue
        if code is alone:
            # It may tell another story than the blocks in front of it.
            goes_along = not earlier or not compiler.complaint(after)
            earlier = earlier + block.placed() if goes_along else block.placed()
        elif code is after:
            earlier += block.placed()
    return problems


def check(root, build=os.environ.get("HOOP_BUILD_DIR") or str(ROOT / "build")):
    if not (root / "README.md").is_file():
        return [Problem("README.md", 1, "there is none")]
    pages = [Path("README.md")]
    pages += [path for path in files(root, "docs", suffixes=(".md",)) if path.parts[1] == "guide"]
    compiler = Compiler(root, build)

    def check_one(page):
        found = list(blocks(str(page), (root / page).read_text()))
        return check_page(found, compiler, root)

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        return [problem for problems in pool.map(check_one, pages) for problem in problems]


def page(*pieces):
    return "# Page\n" + "".join(f"\n```c{label}\n{code}```\n" for label, code in pieces)


GOOD = "int one(const hoop_request *req)\n{\n    return req != 0;\n}\n"
PROGRAM = "#include <stdio.h>\n\nint main(void)\n{\n    puts(\"x\");\n    return 0;\n}\n"
CLEAN = {
    "include/hoop.h": "typedef struct hoop_request hoop_request;\n"
    "typedef struct hoop_response hoop_response;\n"
    "typedef struct hoop_arena hoop_arena;\n"
    "typedef struct { void *data; } hoop_handler;\n",
    "include/hoop/json.h": "",
    "examples/hello.c": "/* Says x. */\n" + PROGRAM,
    "hoop.c": "int hoop;\n",
    "README.md": page(("", GOOD), ("", "int n = one(req);\nassert(n > 0);\nreturn res;\n"))
    + page((" ignore", "...\n"), (" hello", PROGRAM))
    + "\n```sh\nls -l\n```\n",
    "docs/guide/a.md": page(("", "int two(void);\n"), ("", "int n = two();\n"), ("", GOOD)),
    "docs/internals/a.md": page(("", "never seen\n")),
}


def planted(root):
    """Checks against a library that is as good as none."""
    subprocess.run(["cc", "-shared", "-fPIC", "hoop.c", "-o", "libhoop.so"], cwd=root, check=True)
    return check(root, str(root))


FAULTS = [
    Fault({"README.md": page(("", GOOD.replace("req !", "rek !")))}, "README.md:6", "'rek'"),
    Fault({"README.md": page(("", GOOD), ("", "int n = one();\n"))}, "README.md:11", "too few"),
    Fault({"docs/guide/b.md": page(("", "int n = one(req);\n"))}, "docs/guide/b.md:4", "'one'"),
    Fault({"README.md": page(("", PROGRAM.replace("puts", "put")))}, "README.md:8", "'put'"),
    Fault({"README.md": page(("", "int gone(void);\n" + PROGRAM.replace("0;", "gone();")))},
          "README.md:4", "undefined reference"),
    Fault({"README.md": page((" hello", PROGRAM.replace("x", "y")))}, "README.md:4", HELLO),
]

if __name__ == "__main__":
    main(check, CLEAN, FAULTS, planted)
