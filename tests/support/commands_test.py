"""Tests examples/run and tests/run as far as they go without building or installing anything."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples/run"
TESTS = ROOT / "tests/run"

# Stand in for a machine on which two packages are missing, and for a user who can't install them.
BARE = {
    "dpkg-query": "shift 3\nfor name; do\n"
    '    case $name in meson | curl) ;; *) echo "$name installed" ;; esac\ndone\n',
    "id": "echo 1000\n",
    "sudo": "exit 1\n",
}


def run(*command, **options):
    return subprocess.run(
        [str(word) for word in command],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        **options,
    )


class CommandsTest(unittest.TestCase):
    def test_examples_are_listed_with_a_sentence(self):
        done = run(EXAMPLES, cwd="/")
        self.assertEqual(done.returncode, 0, done.stderr)
        listed = dict(line.split(maxsplit=1) for line in done.stdout.splitlines())
        self.assertEqual(sorted(listed), sorted(path.stem for path in EXAMPLES.parent.glob("*.c")))
        for name, sentence in listed.items():
            self.assertRegex(sentence, r"^[A-Z].*\w.*[^ ]$", f"the first comment of {name}.c")

    def test_an_unknown_example_is_named(self):
        for name in "nosuch", "../examples/hello", "--port":
            done = run(EXAMPLES, name)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"'{name}'", done.stderr)

    def test_help(self):
        self.assertIn("usage: examples/run", run(EXAMPLES, "--help").stdout)
        done = run(TESTS, "--list", "-h")
        self.assertEqual(done.returncode, 0)
        self.assertTrue(done.stdout.startswith("usage: tests/run"), done.stdout)
        self.assertIn("--rerun-failed", done.stdout)

    def test_what_can_not_be_installed_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in BARE.items():
                path = Path(folder) / name
                path.write_text("#!/bin/sh\n" + text)
                path.chmod(0o755)
            env = {**os.environ, "PATH": folder + ":" + os.environ["PATH"]}
            some = next(EXAMPLES.parent.glob("*.c")).stem
            done = run(EXAMPLES, some, env=env)
            self.assertEqual(done.returncode, 1)
            self.assertIn("--no-install-recommends meson\n", done.stderr)
            done = run(TESTS, env=env)
            self.assertEqual(done.returncode, 1)
            self.assertIn("--no-install-recommends meson curl\n", done.stderr)
            done = run(TESTS, "-j", "x", env=env)
            self.assertEqual(done.returncode, 2)
            self.assertIn("'x'", done.stderr)


if __name__ == "__main__":
    unittest.main()
