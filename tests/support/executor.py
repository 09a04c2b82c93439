"""Runs tests as processes, several at a time, each within its timeout, leaving nothing behind."""

import os
import re
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass

SKIP_CODE = 77
OUTPUT_LIMIT = 256 * 1024  # bytes of a test's output that are kept: its end
GRACE = 1.0  # seconds between SIGTERM and SIGKILL after a timeout


@dataclass
class Result:
    """How a test ended."""

    test: object
    status: str  # Passed, Failed or Skipped
    reason: str  # empty if passed
    seconds: float
    output: str


class Execution:
    """A test's process, in a session of its own."""

    def __init__(self, test, command, env):
        self.test = test
        self.began = time.monotonic()
        self.timed_out = False
        self.deadline = self.began + test.timeout if test.timeout else None
        self.output = tempfile.TemporaryFile()
        self.error = None
        try:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=self.output,
                stderr=subprocess.STDOUT,
                cwd=test.workdir,
                env=env,
                start_new_session=True,
            )
        except OSError as error:
            self.process = None
            self.error = f"can't be started: {error}"

    def kill(self, number):
        """Sends a signal to the process and all its descendants that stayed in its group."""
        try:
            os.killpg(self.process.pid, number)
        except (ProcessLookupError, PermissionError):
            pass

    def stop(self):
        """Ends the process at once."""
        if self.process:
            self.kill(signal.SIGKILL)
            self.process.wait()

    def ended(self):
        """True once the process is gone; keeps the timeout."""
        if not self.process:
            return True
        options = os.WEXITED | os.WNOHANG | os.WNOWAIT
        if os.waitid(os.P_PID, self.process.pid, options):
            # What it left behind goes before its number can be given to somebody else.
            self.kill(signal.SIGKILL)
            self.process.wait()
            return True
        if self.deadline and time.monotonic() >= self.deadline:
            self.kill(signal.SIGKILL if self.timed_out else signal.SIGTERM)
            self.timed_out = True
            self.deadline = time.monotonic() + GRACE
        return False

    def result(self, in_ci):
        seconds = time.monotonic() - self.began
        size = self.output.seek(0, os.SEEK_END)
        self.output.seek(max(0, size - OUTPUT_LIMIT))
        output = self.output.read().decode(errors="replace")
        self.output.close()
        status, reason = self._verdict(output, in_ci)
        return Result(self.test, status, reason, seconds, output)

    def _verdict(self, output, in_ci):
        if self.error:
            return "Failed", self.error
        code = self.process.returncode
        if self.timed_out:
            return "Failed", f"timeout after {self.test.timeout:g} s"
        if code == 0:
            return "Passed", ""
        if code == SKIP_CODE:
            package = re.search(r"^SKIP-APT: *(.*)$", output, re.M)
            if in_ci and package:
                return "Failed", f"skipped, though apt offers {package[1]}"
            told = re.findall(r"^SKIP(?:-APT)?: *(.*)$", output, re.M)
            return "Skipped", told[-1] if told else "no reason told"
        if code < 0:
            try:
                return "Failed", f"killed by {signal.Signals(-code).name}"
            except ValueError:
                return "Failed", f"killed by signal {-code}"
        return "Failed", f"exit code {code}"


def run_tests(tests, jobs, command_of, env_of, in_ci, done):
    """Runs the tests in their order, `jobs` at a time, and calls done(result) as each ends. A test
    that is not parallel runs alone."""
    waiting = list(reversed(tests))
    running = []
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                if running and not (waiting[-1].parallel and running[-1].test.parallel):
                    break
                test = waiting.pop()
                running.append(Execution(test, command_of(test), env_of(test)))
            over = [execution for execution in running if execution.ended()]
            for execution in over:
                running.remove(execution)
                done(execution.result(in_ci))
            if not over:
                time.sleep(0.005)
    finally:
        for execution in running:
            execution.stop()
