"""Tests the runner on a small project of its own, whose tests are shell commands."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

RUNNER = Path(__file__).resolve().with_name("runner.py")
# How long two of the tests sleep: times that no other process on the machine asks for.
HANGS = f"61.{os.getpid()}"
LEAVES = f"62.{os.getpid()}"

PROJECT = """
project('hoop', version: '0.1.0')
sh = find_program('sh')
cases = [
  ['good', ['base'], 'echo fine'],
  ['racy', ['net', 'threads'],
    'test "$HOOP_SANITIZER" != thread || test $TSAN_OPTIONS = halt_on_error=1'],
  ['tidy', ['style'], 'true'],
  ['long', ['io', 'long'], 'test "$HOOP_TEST_LONG" = 1'],
]
broken = [
  ['code', ['io'], 'seq 1 100; echo "dir $(basename $HOOP_BUILD_DIR)"; exit 3'],
  ['signal', ['io'], 'kill -SEGV $$'],
  ['hangs', ['io'], 'sleep HANGS'],
  ['skips', ['io'], 'echo "SKIP: no reason at all"; exit 77'],
  ['peer', ['peers'], 'echo "SKIP-APT: nginx"; echo "SKIP: no nginx"; exit 77'],
  ['leaves', ['io'], 'sleep LEAVES & exit 0'],
]
foreach case : cases + broken
  test(case[0], sh, args: ['-c', case[2]], suite: case[1], env: ['MINE=yes'],
       timeout: case[0] == 'hangs' ? 1 : 60)
endforeach
test('alone', sh, args: ['-c', 'test ! -e busy && test "$MINE" = yes && test -d meson-info'],
     suite: 'order', is_parallel: false, env: ['MINE=yes'])
foreach n : ['one', 'two']
  test(n, sh, args: ['-c', 'touch busy; sleep 0.2; rm -f busy'], suite: 'order')
endforeach
"""


class RunnerTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.source = Path(cls.folder.name)
        project = PROJECT.replace("HANGS", HANGS).replace("LEAVES", LEAVES)
        (cls.source / "meson.build").write_text(project)
        packages = cls.source / "tests/support/packages"
        packages.mkdir(parents=True)
        for name in "build", "test":
            (packages / name).write_text("dpkg  # one that is always there\n")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def command(self, *arguments):
        return [sys.executable, str(RUNNER), "--source", str(self.source), *arguments]

    def environment(self, **extra):
        own = {"CI", "HOOP_CI", "HOOP_TEST_LONG", "TSAN_OPTIONS", "MESONINTROSPECT"}
        return {**{k: v for k, v in os.environ.items() if k not in own}, **extra}

    def run_it(self, *arguments, code=0, **env):
        done = subprocess.run(
            self.command(*arguments),
            env=self.environment(**env),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.assertEqual(done.returncode, code, done.stdout)
        return done.stdout

    def last_line(self, text):
        return text.splitlines()[-1]

    def listed(self, *arguments):
        return re.findall(r"^  Test #\d+: (.*)$", self.run_it("-N", *arguments), re.M)

    def test_lists_by_build_and_suite(self):
        plain = self.listed("--builds", "plain")
        self.assertEqual(len(plain), 12)
        self.assertNotIn("io/long", plain)
        self.assertIn("io/long", self.listed("--builds", "plain", "--long"))
        everything = self.listed()
        self.assertEqual([n for n in everything if n.startswith("tsan:")], ["tsan:net/racy"])
        asan = [name for name in everything if name.startswith("asan:")]
        self.assertIn("asan:base/good", asan)
        self.assertNotIn("asan:style/tidy", asan)
        self.assertNotIn("asan:peers/peer", asan)

    def test_regex_exclusion_and_suite(self):
        self.assertEqual(self.listed("--builds", "plain", "-R", "o+d"), ["base/good", "io/code"])
        self.assertEqual(self.listed("-R", "o+d", "-E", "io|asan"), ["base/good"])
        self.assertEqual(
            self.listed("-L", "style", "-L", "threads", "--builds=tsan,plain"),
            ["net/racy", "style/tidy", "tsan:net/racy"],
        )

    def test_passes(self):
        out = self.run_it("--builds", "plain", "-L", "base", "-L", "style", "-j1")
        self.assertRegex(out, r"(?m)^1/2 Test  #1: base/good \.+ Passed +\d+\.\d\d s$")
        self.assertEqual(self.last_line(out), "2 passed, 0 failed")
        self.assertNotIn("fine", out)

    def test_sanitizer_environment(self):
        out = self.run_it("--builds", "tsan", "-j1")
        self.assertEqual(self.last_line(out), "1 passed, 0 failed")

    def test_failure_is_told_with_the_end_of_its_output(self):
        out = self.run_it("-R", "^(asan:)?io/code$", code=1)
        self.assertRegex(out, r"Failed +\d+\.\d\d s  \(exit code 3\)")
        self.assertIn("\n    | 62\n", out)
        self.assertNotIn("\n    | 61\n", out)
        self.assertIn("\n    | dir asan\n", out)
        self.assertEqual(self.last_line(out), "0 passed, 2 failed")
        out = self.run_it("-R", "^io/code$", "--output-on-failure", code=1)
        self.assertEqual(out.count("\n    | 1\n"), 1)

    def test_signal(self):
        out = self.run_it("-R", "^io/signal$", code=1)
        self.assertIn("(killed by SIGSEGV)", out)

    def test_timeout_ends_the_whole_group(self):
        out = self.run_it("-R", "^(asan:)?io/hangs$", code=1)
        self.assertIn("(timeout after 1 s)", out)
        self.assertIn("(timeout after 2 s)", out)
        self.assert_gone(HANGS)

    def test_nothing_is_left_behind(self):
        self.run_it("-R", "^io/leaves$")
        self.assert_gone(LEAVES)

    def test_skips(self):
        choice = ("--builds=plain", "-R", "skips|peer|good")
        out = self.run_it(*choice)
        self.assertIn("\nSkipped (2):\n  io/skips: no reason at all\n  peers/peer: no nginx\n", out)
        self.assertEqual(self.last_line(out), "1 passed, 0 failed")
        for env in {"CI": "true"}, {"HOOP_CI": "1"}:
            out = self.run_it(*choice, code=1, **env)
            self.assertIn("peers/peer: skipped, though apt offers nginx", out)
            self.assertEqual(self.last_line(out), "1 passed, 1 failed")

    def test_long_tests(self):
        self.run_it("--builds=plain", "-R", "io/long", "--long")
        self.assertIn("no test is chosen", self.run_it("-R", "^io/long", code=2))

    def test_a_test_that_is_not_parallel_runs_alone(self):
        out = self.run_it("--builds=plain", "-L", "order", "-j", "3")
        self.assertEqual(self.last_line(out), "3 passed, 0 failed")

    def test_rerun_failed(self):
        self.run_it("-R", "base/good|io/code", code=1)
        self.assertEqual(self.listed("--rerun-failed"), ["io/code", "asan:io/code"])
        self.run_it("-R", "base/good")
        self.assertIn("no test failed", self.run_it("--rerun-failed", code=2))

    def test_wrong_options_are_named(self):
        for arguments, word in (
            (["--colour"], "--colour"),
            (["stray"], "stray"),
            (["-j", "x"], "'x'"),
            (["-j", "0"], "'0'"),
            (["-j"], "-j"),
            (["-R", "a("], "'a('"),
            (["-E", "*"], "'*'"),
            (["-L", "basic"], "'basic'"),
            (["--builds", "plain,msan"], "'msan'"),
            (["-R", "nosuch"], "no test is chosen"),
        ):
            with self.subTest(arguments):
                self.assertIn(word, self.run_it(*arguments, code=2))

    def test_help(self):
        out = self.run_it("--help")
        self.assertIn("usage: tests/run", out)
        for option in re.findall(r'add_argument\((?:"-.", )?"(--[a-z-]+)"', RUNNER.read_text()):
            if option not in ("--check-options", "--source"):
                self.assertIn(option, out)

    def test_broken_build(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(self.source / "tests", Path(folder) / "tests")
            (Path(folder) / "meson.build").write_text(
                "project('hoop')\n"
                "custom_target('bad', output: 'bad', build_by_default: true,\n"
                "              command: ['sh', '-c', 'echo of no avail; exit 1'])\n"
                "test('a', find_program('true'), suite: 'base')\n"
            )
            out = self.run_it("--builds=plain", "--source", folder, code=1)
            self.assertIn("of no avail", out)
            self.assertEqual(self.last_line(out), "0 passed, 1 failed")
            (Path(folder) / "meson.build").write_text("project('hoop')\nnonsense()\n")
            shutil.rmtree(Path(folder) / "build")
            out = self.run_it("--source", folder, code=1)
            self.assertIn("nonsense", out)
            self.assertEqual(self.last_line(out), "0 passed, 1 failed")

    def test_signals_end_the_run(self):
        for number in signal.SIGINT, signal.SIGTERM:
            process = subprocess.Popen(
                self.command("--builds=asan", "-R", "hangs"),
                env=self.environment(),
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )
            deadline = time.monotonic() + 20
            while not self.processes(HANGS) and time.monotonic() < deadline:
                time.sleep(0.02)
            process.send_signal(number)
            process.communicate()
            self.assertEqual(process.returncode, 128 + number)
            self.assert_gone(HANGS)

    def processes(self, argument):
        """The sleeps of this test's own number that are alive."""
        found = []
        for file in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                if file.read_bytes() == b"sleep\0" + argument.encode() + b"\0":
                    found.append(file.parent.name)
            except OSError:
                pass
        return found

    def assert_gone(self, argument):
        """That they end at once: a kill takes effect a moment later."""
        deadline = time.monotonic() + 5
        while self.processes(argument) and time.monotonic() < deadline:
            time.sleep(0.02)
        self.assertEqual(self.processes(argument), [])


if __name__ == "__main__":
    unittest.main()
