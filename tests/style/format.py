"""Style test: all C code is laid out as clang-format does it by the project's .clang-format."""

import re
import shutil
import subprocess
from pathlib import Path

from tree import Fault, Problem, files, main, skip

VERSION = "14"  # others lay out some things in another way
FOLDERS = ("include", "lib", "examples", "tests")
SUFFIXES = (".c", ".h", ".cc")


def clang_format():
    """The command, or the end of this test."""
    command = shutil.which(f"clang-format-{VERSION}") or shutil.which("clang-format")
    if not command:
        skip("no clang-format", package="clang-format")
    told = subprocess.run([command, "--version"], capture_output=True, text=True).stdout
    major = re.search(r"version (\d+)", told)
    if not major or major[1] != VERSION:
        skip(f"{told.strip()} lays out code in its own way; {VERSION} is wanted")
    return command


def check(root):
    names = [str(name) for name in files(root, *FOLDERS, suffixes=SUFFIXES)]
    if not names:
        return []
    done = subprocess.run(
        [clang_format(), "--style=file", "--dry-run", *names],
        cwd=root,
        capture_output=True,
        text=True,
    )
    first = {}
    for name, line in re.findall(r"^(.+?):(\d+):\d+: (?:warning|error):", done.stderr, re.M):
        first.setdefault(name, int(line))
    if done.returncode != 0 and not first:
        return [Problem(".clang-format", 1, done.stderr.strip())]
    return [
        Problem(name, line, f"not laid out by the rules: run clang-format -i {name}")
        for name, line in first.items()
    ]


CLEAN = {
    ".clang-format": (Path(__file__).resolve().parents[2] / ".clang-format").read_text(),
    "lib/base/good.c": "/* Good. */\nint good(void)\n{\n    return 1;\n}\n",
    "docs/sample.c": "int x(){}",
}
FAULTS = [
    Fault({"lib/base/bad.c": "/* Bad. */\nint bad(void) {\n  return 1;\n}\n"}, "lib/base/bad.c:2",
          "clang-format -i lib/base/bad.c"),
    Fault({"tests/bad.h": "/* Bad. */\nint x;\nchar* p;\n"}, "tests/bad.h:3", "laid out"),
]

if __name__ == "__main__":
    main(check, CLEAN, FAULTS)
