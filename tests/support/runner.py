"""The tests' runner behind tests/run: chooses tests of several builds, runs and reports them."""

import argparse
import os
import re
import signal
import sys
from pathlib import Path

sys.dont_write_bytecode = True

from builds import BuildError, all_builds  # noqa: E402
from executor import run_tests  # noqa: E402

USAGE = """\
usage: tests/run [OPTIONS]
Builds hoop three times (plain, and with gcc's sanitizers) and runs the tests of each.

  -N, --list             list the chosen tests, run none
  -R, --regex REGEX      only tests whose name the regular expression finds
  -E, --exclude REGEX    without tests whose name it finds
  -L, --suite SUITE      only tests of this suite; may be repeated
  -j, --jobs N           so many tests at a time (default: the number of CPUs)
      --output-on-failure  print all output of each failed test as it ends
      --rerun-failed     only the tests that failed in the last run
      --long             the slow tests too (suite long)
      --builds LIST      of plain,asan,tsan (default: all three)
  -h, --help             this text

Names are suite/name, with asan: or tsan: in front for those builds. A test that exits with 77 was
skipped. The exit code is 0 if no test failed, 1 if one did, 2 for a wrong option.
"""

LONG = "long"
FAILED_LIST = Path("build/tests-failed")
TAIL = 40  # lines of a failed test's output in the summary


class Stopped(Exception):
    """A signal asked for the end."""

    def __init__(self, number):
        super().__init__()
        self.number = number


class UsageError(Exception):
    """A wrong option or value; the text names it."""


class Parser(argparse.ArgumentParser):
    """argparse, in the voice of this command."""

    def format_help(self):
        return USAGE

    def error(self, message):
        raise UsageError(message)


def regex(text):
    try:
        return re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"bad regular expression '{text}': {error}")


def count(text):
    if not re.fullmatch(r"[0-9]+", text) or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number from 1")
    return int(text)


def build_names(text):
    known = list(all_builds(None))
    names = text.split(",")
    for name in names:
        if name not in known:
            raise argparse.ArgumentTypeError(f"no build '{name}'; there are {', '.join(known)}")
    return [name for name in known if name in names]


def parse(arguments):
    parser = Parser(prog="tests/run", allow_abbrev=False)
    parser.add_argument("-N", "--list", action="store_true")
    parser.add_argument("-R", "--regex", type=regex)
    parser.add_argument("-E", "--exclude", type=regex)
    parser.add_argument("-L", "--suite", action="append", default=[])
    parser.add_argument("-j", "--jobs", type=count, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--output-on-failure", action="store_true")
    parser.add_argument("--rerun-failed", action="store_true")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--builds", type=build_names, default=list(all_builds(None)))
    # For tests/run and the runner's own test.
    parser.add_argument("--check-options", action="store_true")
    parser.add_argument("--source", type=Path, default=Path(__file__).resolve().parents[2])
    return parser.parse_args(arguments)


def choose(tests, options):
    """Those of the tests that the options ask for."""
    suites = {suite for test in tests for suite in test.suites}
    for suite in options.suite:
        if suite not in suites:
            raise UsageError(f"no suite '{suite}'; there are {', '.join(sorted(suites))}")
    failed = None
    if options.rerun_failed:
        try:
            failed = (options.source / FAILED_LIST).read_text().splitlines()
        except FileNotFoundError:
            failed = []

    def wanted(test):
        return (
            (options.long or LONG not in test.suites)
            and (not options.regex or options.regex.search(test.title))
            and not (options.exclude and options.exclude.search(test.title))
            and (not options.suite or set(options.suite) & set(test.suites))
            and (failed is None or test.title in failed)
        )

    chosen = [test for test in tests if wanted(test)]
    if not chosen:
        hint = "" if options.long else "; those of suite long run with --long"
        raise UsageError(
            "no test failed in the last run" if failed == [] else f"no test is chosen{hint}"
        )
    return chosen


def say(text=""):
    print(text, flush=True)


def block(output, lines=None):
    """A test's output, set off by a margin; its last lines only, if so told."""
    all_lines = output.rstrip().split("\n") if output.strip() else ["(no output)"]
    return "\n".join("    | " + line for line in all_lines[-lines if lines else 0 :])


class Report:
    """Prints a line per test as it ends, and what matters again at the end."""

    def __init__(self, tests, total, options):
        self.count = len(tests)
        self.options = options
        self.results = []
        self.name_width = max(len(test.title) for test in tests) + 3
        self.number_width = len(str(total)) + 1

    def add(self, result):
        self.results.append(result)
        test = result.test
        number = f"#{test.number}"
        say(
            f"{len(self.results):>{len(str(self.count))}}/{self.count}"
            f" Test {number:>{self.number_width}}:"
            f" {test.title + ' ':.<{self.name_width}}"
            f" {result.status:<7} {result.seconds:6.2f} s"
            + (f"  ({result.reason})" if result.reason else "")
        )
        if result.status == "Failed" and self.options.output_on_failure:
            say(block(result.output))

    def of(self, status):
        chosen = [result for result in self.results if result.status == status]
        return sorted(chosen, key=lambda result: result.test.number)

    def finish(self):
        """Prints the summary and returns the exit code."""
        skipped, failed = self.of("Skipped"), self.of("Failed")
        if skipped:
            say(f"\nSkipped ({len(skipped)}):")
        for result in skipped:
            say(f"  {result.test.title}: {result.reason}")
        if failed:
            say(f"\nFailed ({len(failed)}):")
        for result in failed:
            say(f"  #{result.test.number} {result.test.title}: {result.reason}")
            if not self.options.output_on_failure:
                say(block(result.output, TAIL))
        names = "".join(result.test.title + "\n" for result in failed)
        (self.options.source / FAILED_LIST).write_text(names)
        say(f"\n{len(self.of('Passed'))} passed, {len(failed)} failed")
        return 1 if failed else 0


def run(options):
    builds = {name: all_builds(options.source)[name] for name in options.builds}
    try:
        for build in builds.values():
            build.configure()
        tests = [test for build in builds.values() for test in build.tests]
        for number, test in enumerate(tests, 1):
            test.number = number
        chosen = choose(tests, options)
        if options.list:
            for test in chosen:
                say(f"  Test #{test.number}: {test.title}")
            say(f"\n{len(chosen)} tests")
            return 0
        for build in builds.values():
            of_build = [test for test in chosen if test.build is build]
            if of_build:
                say(f"Building {build.name} in {build.folder}")
                build.compile(of_build)
    except BuildError:
        say(f"\nThe build '{build.name}' failed.\n0 passed, 1 failed")
        return 1

    prefixes = {name: build.prefix() for name, build in builds.items()}
    report = Report(chosen, len(tests), options)
    run_tests(
        chosen,
        options.jobs,
        command_of=lambda test: prefixes[test.build.name] + test.command,
        env_of=lambda test: test.build.environment(test, options.long),
        in_ci=os.environ.get("CI") == "true" or os.environ.get("HOOP_CI") == "1",
        done=report.add,
    )
    return report.finish()


def stop(number, frame):
    raise Stopped(number)


def main():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    try:
        options = parse(sys.argv[1:])
        return 0 if options.check_options else run(options)
    except UsageError as error:
        print(f"tests/run: {error} (see tests/run --help)", file=sys.stderr)
        return 2
    except Stopped as stopped:
        print(f"\ntests/run: stopped by {signal.Signals(stopped.number).name}", file=sys.stderr)
        return 128 + stopped.number


if __name__ == "__main__":
    sys.exit(main())
