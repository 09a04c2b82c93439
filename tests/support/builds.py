"""The builds that the runner tests: how each is configured and compiled, and the tests it holds."""

import json
import os
import signal
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

SETUP = Path(__file__).resolve().with_name("setup.sh")

# Suites whose tests do not run the library's code, or measure it, or install it.
NOT_WITH_ASAN = {"style", "headers", "consumer", "bench", "peers"}
# The suite that marks tests of more than one thread.
WITH_TSAN = "threads"

# Lines for the reports, and no more: the rest of what a debugger needs takes a third of the time.
SANITIZED = ["--buildtype=debug", "-Doptimization=1", "-Dc_args=-g1", "-Db_lundef=false"]

SANITIZER_OPTIONS = {
    "ASAN_OPTIONS": "detect_leaks=1:abort_on_error=0:strict_string_checks=1",
    "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
    "TSAN_OPTIONS": "halt_on_error=1",
}


class BuildError(Exception):
    """Configuring or compiling failed; the tools have said why."""


@dataclass
class Test:
    """One test of one build, as meson tells it."""

    build: "Build"
    name: str
    suites: list  # without the project's name
    command: list
    workdir: str
    timeout: float  # seconds; 0: none
    parallel: bool
    env: dict
    targets: list  # the ids of what must be compiled for it
    number: int = 0

    @property
    def title(self):
        path = "/".join(self.suites[:1] + [self.name])
        return path if self.build.name == "plain" else f"{self.build.name}:{path}"


@dataclass
class Build:
    """A build directory, with the options it is configured with."""

    name: str
    folder: str
    sanitizer: str  # empty, address or thread
    options: list
    source: Path = None
    tests: list = field(default_factory=list)

    @property
    def path(self):
        return self.source / self.folder

    def holds(self, suites):
        """True if a test with these suites runs in this build."""
        if self.sanitizer == "address":
            return not NOT_WITH_ASAN & set(suites)
        if self.sanitizer == "thread":
            return WITH_TSAN in suites
        return True

    def configure(self):
        """Runs meson if it must, and reads the tests."""
        self._setup("configure", self.path, *self.options)
        self.tests = [
            test for test in map(self._test, self._introspect("tests")) if self.holds(test.suites)
        ]

    def compile(self, tests):
        """Compiles what these tests need; in the plain build all."""
        if self.name == "plain":
            targets = ["all", "meson-test-prereq"]
        else:
            files = {target["id"]: target["filename"] for target in self._introspect("targets")}
            targets = sorted(
                os.path.relpath(file, self.path)
                for name in {name for test in tests for name in test.targets}
                for file in files[name]
            )
        if self.name == "plain" or targets:
            self._setup("build", self.path, *targets)

    def environment(self, test, long):
        """What a test finds in its environment."""
        env = {**os.environ, **test.env}
        for name, options in SANITIZER_OPTIONS.items():
            own = [options, test.env.get(name), os.environ.get(name)]
            env[name] = ":".join(filter(None, own))
        env["HOOP_BUILD_DIR"] = str(self.path)
        env["HOOP_SOURCE_DIR"] = str(self.source)
        env["HOOP_SANITIZER"] = self.sanitizer
        if long:
            env["HOOP_TEST_LONG"] = "1"
        return env

    def prefix(self):
        """What stands before a test's command: gcc's ThreadSanitizer can't live with the many
        random bits that some kernels give to addresses."""
        if self.sanitizer == "thread":
            bits = Path("/proc/sys/vm/mmap_rnd_bits")
            try:
                if int(bits.read_text()) > 28:
                    subprocess.run(["setarch", "-R", "true"], check=True, capture_output=True)
                    return ["setarch", "-R"]
            except (OSError, ValueError, subprocess.CalledProcessError):
                pass
        return []

    def _introspect(self, what):
        """What `meson introspect` prints; meson keeps it in a file at each configuration."""
        return json.loads((self.path / "meson-info" / f"intro-{what}.json").read_text())

    def _test(self, raw):
        suites = [suite.partition(":")[2] for suite in raw["suite"]]
        return Test(
            build=self,
            name=raw["name"],
            suites=[suite for suite in suites if suite],
            command=raw["cmd"],
            workdir=raw["workdir"] or str(self.path),
            timeout=max(0, raw["timeout"] or 0) * (2 if self.sanitizer else 1),
            parallel=raw["is_parallel"],
            env=raw["env"],
            targets=raw["depends"],
        )

    def _setup(self, function, *arguments):
        """Calls a function of setup.sh, its messages among ours."""
        script = '. "$0" && root=$1 && shift && "$@"'
        command = ["sh", "-c", script, SETUP, self.source, function, *arguments]
        process = subprocess.Popen(
            [str(word) for word in command], stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            if process.wait() != 0:
                raise BuildError
        except BaseException:
            # Nobody else tells a session of its own that the run is over.
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)
                process.wait()
            raise


def all_builds(source):
    """The builds by name, in the order in which they are tested."""
    builds = [
        Build("plain", "build", "", ["--buildtype=debugoptimized"]),
        Build("asan", "build/asan", "address", SANITIZED + ["-Db_sanitize=address,undefined"]),
        Build("tsan", "build/tsan", "thread", SANITIZED + ["-Db_sanitize=thread"]),
    ]
    for build in builds:
        build.source = source
    return {build.name: build for build in builds}
