"""Tests that each public header compiles alone (and twice) in the oldest and the newest dialect that hoop
promises, all of them together in each, without a warning, that the macros do so where they are used, and
that no struct has padding."""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = Path(os.environ.get("HOOP_SOURCE_DIR") or HERE.parents[1])

FLAGS = "-fsyntax-only -Wall -Wextra -Wpedantic -Werror".split()
DIALECTS = {
    ".c": "c99 c11 c17 c2x".split(),
    ".cc": "c++11 c++14 c++17 c++20".split(),
}
COMPILERS = {".c": ["gcc", "clang"], ".cc": ["g++", "clang++"]}
# Debian's packages of those compilers.
PACKAGES = {"gcc": "gcc", "g++": "g++", "clang": "clang", "clang++": "clang"}


def public_headers(root):
    include = root / "include"
    return sorted(str(path.relative_to(include)) for path in include.rglob("*.h"))


def cflags(root):
    """Where hoop's headers are, and jansson's for hoop/json.h."""
    done = subprocess.run(
        ["pkg-config", "--cflags", "jansson"], capture_output=True, text=True, check=True
    )
    return ["-I", str(root / "include"), *shlex.split(done.stdout)]


def complaint(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode == 0:
        return None
    return f"{done.stdout}\n(that was {' '.join(command[:2])})"


def commands(root, folder, uses):
    """The compiler calls, each for all headers at once, and the compilers that are not there."""
    calls, missing = [], []
    stubs = {suffix: [] for suffix in DIALECTS}
    for header in public_headers(root):
        for suffix in DIALECTS:
            stub = folder / (header.replace("/", "_") + suffix)
            stub.write_text(f"#include <{header}>\n#include <{header}>\n")
            stubs[suffix].append(str(stub))
    flags = FLAGS + cflags(root)
    for suffix, compilers in COMPILERS.items():
        for compiler in compilers:
            if not shutil.which(compiler):
                missing.append(compiler)
                continue
            for dialect in DIALECTS[suffix]:
                use = [str(path) for path in uses if path.suffix == suffix]
                files = use if dialect in DIALECTS[suffix][1:-1] else [*stubs[suffix], *use]
                if files:
                    calls.append([compiler, f"-std={dialect}", *flags, *files])
    calls.append(["gcc", "-std=c11", "-Wpadded", *flags, *stubs[".c"]])
    return calls, missing


def check(root, uses):
    """The complaints, and the compilers that are not there."""
    with tempfile.TemporaryDirectory() as folder:
        calls, missing = commands(root, Path(folder), uses)
        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            return [told for told in pool.map(complaint, calls) if told], missing


def self_test():
    """Proves that a header's faults are found: each in the dialects where it is one."""
    everywhere = 2 * sum(len(COMPILERS[suffix]) for suffix in DIALECTS) + 1
    cases = {
        "#include <stddef.h>\ntypedef struct hoop_a { size_t x; } hoop_a;\n#define A_H\n": 0,
        "size_t hoop_a(void);\n": everywhere,
        "typedef struct hoop_a { char x; void *y; } hoop_a;\n": 1,
        "int hoop_a(int class);\n": everywhere // 2,
        "int hoop_a(int requires);\n": 2,
    }
    wrong = 0
    for text, count in cases.items():
        with tempfile.TemporaryDirectory() as root:
            (Path(root) / "include/hoop").mkdir(parents=True)
            guarded = f"#ifndef HOOP_A_H\n#define HOOP_A_H\n{text}#endif\n"
            (Path(root) / "include/hoop/a.h").write_text(guarded)
            found, missing = check(Path(root), [])
            if missing:
                return skip(missing)
            if len(found) != count:
                print(f"{len(found)} instead of {count} complaints of:\n{text}", *found, sep="\n")
                wrong += 1
    print(f"{len(cases)} headers, {wrong} wrong")
    return 1 if wrong else 0


def skip(missing):
    print(f"SKIP-APT: {PACKAGES[missing[0]]}\nSKIP: no {missing[0]}")
    return 77


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    found, missing = check(ROOT, [HERE / "use.c", HERE / "use.cc"])
    for told in found:
        print(told)
    if found:
        print(f"{len(found)} compiler calls failed")
        return 1
    return skip(missing) if missing else 0


if __name__ == "__main__":
    sys.exit(main())
