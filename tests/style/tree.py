"""What the style tests share: the files of the project, C text without comments, and their report.

A style test has a function check(root, ...) that returns problems, and tables of files that prove
it: CLEAN, in which there is nothing to find, and FAULTS, each with the one thing to find.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

sys.dont_write_bytecode = True

ROOT = Path(os.environ.get("HOOP_SOURCE_DIR") or Path(__file__).resolve().parents[2])
SKIP_CODE = 77


class Problem(NamedTuple):
    """Something wrong in a line of a file, and how to mend it."""

    path: str
    line: int
    text: str


class Fault(NamedTuple):
    """Files (put over the clean ones) that hold one mistake, and where it must be found."""

    files: dict
    where: str  # path:line
    word: str  # part of the problem's text


def files(root, *folders, suffixes=("",)):
    """The paths below the folders (all, if none is named) that git tracks or would track."""
    git = ["git", "-c", "safe.directory=*", "-C", str(root), "ls-files", "-co"]
    names = []
    try:
        done = subprocess.run(
            git + ["--exclude-standard", "-z"], capture_output=True, text=True, check=True
        )
        names = [name for name in done.stdout.split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        # A copy of the source without git.
        for folder, subfolders, leaves in os.walk(root):
            subfolders[:] = [
                name
                for name in subfolders
                if name not in (".git", "__pycache__") and not name.startswith("build")
            ]
            names += [os.path.relpath(os.path.join(folder, leaf), root) for leaf in leaves]
    chosen = [
        Path(name)
        for name in sorted(set(names))
        if name.endswith(tuple(suffixes))
        and (not folders or Path(name).parts[0] in folders)
        and (Path(root) / name).is_file()
    ]
    return chosen


def without_comments(text, strings=True):
    """C text with its comments (and the insides of strings, unless `strings`) blanked out, so that
    each character that is left stands where it stood."""

    def blank(match):
        piece = match[0]
        if piece[0] != "/":
            if strings:
                return piece
            return piece[0] + re.sub(r"[^\n]", " ", piece[1:-1]) + piece[-1]
        return re.sub(r"[^\n]", " ", piece)

    pattern = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    return re.sub(pattern, blank, text, flags=re.S)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def skip(reason, package=None):
    """Ends a test that can't run here. `package` is what apt would install for it."""
    if package:
        print(f"SKIP-APT: {package}")
    print(f"SKIP: {reason}")
    sys.exit(SKIP_CODE)


def write(root, tree):
    for name, text in tree.items():
        path = Path(root) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def report(problems):
    """Prints the problems and returns the exit code."""
    for problem in sorted(problems):
        print(f"{problem.path}:{problem.line}: {problem.text}")
    return 1 if problems else 0


def found(check, tree):
    with tempfile.TemporaryDirectory() as root:
        write(root, tree)
        return check(Path(root))


def self_test(check, clean, faults):
    """Proves that the check finds each fault and sees none where there is none."""
    wrong = [f"false alarm: {problem}" for problem in found(check, clean)]
    for fault in faults:
        problems = found(check, {**clean, **fault.files})
        hits = [
            problem
            for problem in problems
            if f"{problem.path}:{problem.line}" == fault.where and fault.word in problem.text
        ]
        if len(hits) != 1 or len(problems) != 1:
            wrong.append(f"planted '{fault.word}' at {fault.where}, found {problems}")
    for text in wrong:
        print(text)
    print(f"{len(faults)} planted faults, {len(wrong)} wrong")
    return 1 if wrong or not faults else 0


def main(check, clean, faults, planted=None):
    """The command line of a style test: [--self-test | ARGUMENTS of check...]. `planted` is the
    check with the arguments that it needs for the planted files."""
    if sys.argv[1:] == ["--self-test"]:
        sys.exit(self_test(planted or check, clean, faults))
    sys.exit(report(check(ROOT, *sys.argv[1:])))
