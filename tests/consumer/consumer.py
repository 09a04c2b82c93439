"""Tests the installed library as its users have it: installs a build into a folder of its own, and
builds and runs programs in C and C++, shared and static, by what pkg-config says and nothing else.

Usage: consumer.py BUILD_DIR
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]

# Compiler, the program that it builds, and Debian's package.
COMPILERS = [
    ("gcc", "app.c", "gcc"),
    ("clang", "app.c", "clang"),
    ("g++", "app.cc", "g++"),
    ("clang++", "app.cc", "clang"),
]
STANDARD = {".c": "-std=c11", ".cc": "-std=c++17"}
WARNINGS = "-Wall -Wextra -Wpedantic -Werror".split()
# The libraries that a program linked to the shared hoop may need besides it.
OWN_LIBRARIES = {"libc", "libm", "libgcc_s", "libstdc++"}
# What a static hoop needs; llhttp only where it is a library of the system, the others with their features.
PRIVATE = {"libuv", "jansson"}
PRIVATE_TOO = {"libllhttp", "zlib", "libdeflate", "libbrotlienc", "libbrotlidec", "libzstd", "libcrypto"}


class Failure(Exception):
    """What is wrong with the installed library."""


def run(*command, **options):
    """The output of a command that must succeed."""
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options
    )
    if done.returncode != 0:
        raise Failure(f"{shlex.join(command)}\nended with {done.returncode}:\n{done.stdout}")
    return done.stdout


class Installed:
    """A build installed into a folder, and the pkg-config file there."""

    def __init__(self, build, folder):
        self.folder = folder
        run("meson", "install", "-C", str(build), "--no-rebuild", "--destdir", str(folder))
        info = json.loads((build / "meson-info/intro-projectinfo.json").read_text())
        self.version = info["version"]
        found = list(folder.rglob("hoop.pc"))
        if len(found) != 1:
            raise Failure(f"installed {len(found)} files hoop.pc, not 1")
        self.pc = found[0]
        self.library = self.pc.parent.parent
        prefix = re.search(r"^prefix=(.*)$", self.pc.read_text(), re.M)
        if not prefix:
            raise Failure("hoop.pc does not set prefix")
        self.prefix = folder / prefix[1].lstrip("/")

        self.has_redis = (self.pc.parent / "hoop-redis.pc").exists()

    def ask(self, *options, package="hoop"):
        """What pkg-config says of a package, as if it had been installed for good."""
        path = [str(self.pc.parent), os.environ.get("PKG_CONFIG_PATH")]
        env = {**os.environ, "PKG_CONFIG_PATH": ":".join(filter(None, path))}
        prefix = f"--define-variable=prefix={self.prefix}"
        return run("pkg-config", prefix, *options, package, env=env).strip()


def check_headers(installed):
    def headers(folder):
        return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}

    have = headers(installed.prefix / "include")
    want = {name for name in headers(ROOT / "include") if name.endswith(".h")}
    for name in sorted(want - have):
        raise Failure(f"include/{name} is not installed: name it in include/meson.build")
    for name in sorted(have - want):
        raise Failure(f"{name} is installed, but is none of hoop's public headers")


def check_pc(installed):
    if installed.ask("--modversion") != installed.version:
        raise Failure(f"hoop.pc: Version is not {installed.version}")
    public = installed.ask("--print-requires")
    if public:
        raise Failure(f"hoop.pc: Requires has {public}; programs link hoop alone")
    private = {line.split()[0] for line in installed.ask("--print-requires-private").splitlines()}
    if not PRIVATE <= private <= PRIVATE | PRIVATE_TOO:
        raise Failure(f"hoop.pc: Requires.private has {private}, not {PRIVATE}")
    if not re.search(r"^#.*json\.h.*jansson", installed.pc.read_text(), re.M):
        raise Failure("hoop.pc: a comment should say that hoop/json.h needs jansson")
    libraries = [word for word in installed.ask("--libs").split() if not word.startswith("-L")]
    if libraries != ["-lhoop"]:
        raise Failure(f"pkg-config --libs hoop has {libraries}, not -lhoop alone")


def check_redis_pc(installed):
    def ask(*options):
        return installed.ask(*options, package="hoop-redis")

    if ask("--modversion") != installed.version:
        raise Failure(f"hoop-redis.pc: Version is not {installed.version}")
    if ask("--print-requires") != f"hoop = {installed.version}":
        raise Failure(f"hoop-redis.pc: Requires has '{ask('--print-requires')}', not this hoop")
    private = {line.split()[0] for line in ask("--print-requires-private").splitlines()}
    if private != {"libuv", "hiredis"}:
        raise Failure(f"hoop-redis.pc: Requires.private has {private}, not libuv and hiredis")
    libraries = [word for word in ask("--libs").split() if not word.startswith("-L")]
    if libraries != ["-lhoop-redis", "-lhoop"]:
        raise Failure(f"pkg-config --libs hoop-redis has {libraries}, not it and hoop alone")


def needed(program):
    """The shared libraries that a program names, without their versions."""
    text = run("readelf", "-d", str(program))
    return {name.partition(".so")[0] for name in re.findall(r"NEEDED.*\[(.*)\]", text)}


def check_program(installed, compiler, source, static, package="hoop", own=("hoop",)):
    """Builds a program, runs it, and looks at what it is linked to, of ours just `own`."""
    program = installed.folder / f"{package}-{compiler}-{'static' if static else 'shared'}"
    flags = shlex.split(installed.ask("--cflags", package=package))
    options = ["--libs", "--static"] if static else ["--libs"]
    libraries = shlex.split(installed.ask(*options, package=package))
    if static:
        # Both libraries lie in one folder, and the linker would take the shared one.
        archives = {f"-l{name}": f"-l:lib{name}.a" for name in own}
        libraries = [archives.get(word, word) for word in libraries]
    standard = STANDARD[Path(source).suffix]
    arguments = [standard, *WARNINGS, *flags, str(HERE / source), "-o", str(program), *libraries]
    run(compiler, *arguments, cwd=installed.folder)
    env = {**os.environ, "LD_LIBRARY_PATH": str(installed.library)}
    if static:
        env.pop("LD_LIBRARY_PATH")
    told = run(str(program), env=env).strip()
    if told != installed.version:
        raise Failure(f"{program.name} told version '{told}', not {installed.version}")
    linked, ours = needed(program), {f"lib{name}" for name in own}
    if static and linked & ours:
        raise Failure(f"{program.name} needs {linked & ours}, shared")
    if not static and linked - OWN_LIBRARIES != ours:
        raise Failure(f"{program.name} needs {linked}, not {ours} alone")


def check_resources(installed):
    """A folder as a C file, by the tool that hoop.pc names; it compiles as C and as C++."""
    tool = Path(installed.ask("--variable=tools")) / "hoop-resources"
    output = installed.folder / "assets.c"
    run(str(tool), "assets", str(ROOT / "tests/data/resources"), str(output))
    text = output.read_text()
    if '"text/css; charset=utf-8"' not in text:
        raise Failure("hoop-resources does not know the library's media types")
    flags = shlex.split(installed.ask("--cflags"))
    for compiler, language in (("gcc", "c"), ("g++", "c++")):
        if shutil.which(compiler):
            standard = STANDARD[".c" if language == "c" else ".cc"]
            program = installed.folder / f"assets-{compiler}.o"
            run(compiler, standard, *WARNINGS, *flags, "-x", language, "-c", str(output), "-o",
                str(program))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    missing = [package for name, _, package in COMPILERS if not shutil.which(name)]
    with tempfile.TemporaryDirectory() as folder:
        installed = Installed(Path(sys.argv[1]).resolve(), Path(folder))
        checks = [("headers", check_headers, ()), ("hoop.pc", check_pc, ()),
                  ("hoop-resources", check_resources, ())]
        for compiler, source, _ in COMPILERS:
            for static in (False, True):
                if shutil.which(compiler):
                    name = f"{compiler} {'static' if static else 'shared'}"
                    checks.append((name, check_program, (compiler, source, static)))

        if installed.has_redis:
            checks.append(("hoop-redis.pc", check_redis_pc, ()))
            for static in (False, True):
                if shutil.which("gcc"):
                    arguments = ("gcc", "redis.c", static, "hoop-redis", ("hoop-redis", "hoop"))
                    name = f"redis {'static' if static else 'shared'}"
                    checks.append((name, check_program, arguments))

        def outcome(check):
            name, function, arguments = check
            try:
                function(installed, *arguments)
            except Failure as failure:
                return f"{name}: {failure}"
            return None

        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            wrong = [told for told in pool.map(outcome, checks) if told]
    print("\n\n".join(wrong) if wrong else f"{len(checks)} checks passed")
    if wrong:
        return 1
    if missing:
        print(f"SKIP-APT: {missing[0]}\nSKIP: no package {missing[0]}; the rest is right")
        return 77
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        sys.exit(str(failure))
