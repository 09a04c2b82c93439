"""Guards the engine's instructions per request against the numbers in guard.json; a test.

usage: guard.py [--update] [ENGINE]

Instructions depend on the build, so the numbers are for one kind of build, which guard.json tells;
in any other the test is skipped. A change that is worth its instructions runs --update and commits.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True

from callgrind import count_engine  # noqa: E402

HERE = Path(__file__).resolve().parent
NUMBERS = HERE / "guard.json"
DEFAULT_ENGINE = HERE.parents[1] / "build/tests/bench/engine"
SKIP_CODE = 77

# Meson's options that change the code.
OPTIONS = ("buildtype", "b_sanitize", "b_lto", "b_pgo", "b_coverage", "b_ndebug", "c_args")


def skip(reason, package=None):
    if package:
        print(f"SKIP-APT: {package}")
    print(f"SKIP: {reason}")
    sys.exit(SKIP_CODE)


def kind_of(engine):
    """What the instructions of this build depend on, as texts."""
    told = subprocess.run([engine, "--about"], capture_output=True, text=True, check=True).stdout
    kind = dict(line.split(maxsplit=1) for line in told.splitlines())
    listed = engine.resolve().parents[2] / "meson-info/intro-buildoptions.json"
    options = {option["name"]: option["value"] for option in json.loads(listed.read_text())}
    for name in OPTIONS:
        value = options.get(name, "")
        kind[name] = " ".join(value) if isinstance(value, list) else str(value)
    return kind


def difference(wanted, kind):
    """How this build is another than the numbers', or None."""
    for name, value in wanted.items():
        if kind.get(name) != value:
            return f"the numbers are for {name} '{value}', here it is '{kind.get(name)}'"
    return None


def judge(scenario, committed, counted, percent):
    """A line on a scenario, and whether it passes."""
    change = (counted / committed - 1) * 100
    line = f"{scenario:11} {counted:9,.1f}  committed {committed:9,.1f}  {change:+6.2f} %"
    if counted > committed * (100 + percent) / 100:
        return f"{line}  over {percent} %", False
    return (f"{line}  better: --update", True) if change < -percent else (line, True)


def check(engine, numbers):
    """Prints a line per scenario and returns the exit code."""
    passed = True
    for scenario, committed in numbers["instructions"].items():
        line, good = judge(
            scenario, committed, count_engine(engine, scenario), numbers["percent_above"]
        )
        print(line, flush=True)
        passed = passed and good
    if not passed:
        print("The engine needs more instructions per request than committed. To see where:")
        print("    python3 tests/bench/instructions.py --functions 20")
        print("If that is worth it: python3 tests/bench/guard.py --update, and say why.")
    return 0 if passed else 1


def update(engine, numbers):
    for scenario in numbers["instructions"]:
        numbers["instructions"][scenario] = round(count_engine(engine, scenario), 1)
    numbers["kind"] = kind_of(engine)
    NUMBERS.write_text(json.dumps(numbers, indent=2) + "\n")
    print(NUMBERS.read_text(), end="")
    return 0


def main():
    arguments = sys.argv[1:]
    wants_update = arguments[:1] == ["--update"]
    if wants_update:
        arguments.pop(0)
    if len(arguments) > 1 or any(word.startswith("-") for word in arguments):
        print(f"guard.py: '{arguments[0]}'? usage: guard.py [--update] [ENGINE]", file=sys.stderr)
        return 2
    engine = Path(arguments[0]) if arguments else DEFAULT_ENGINE
    if not engine.exists():
        print(f"guard.py: no program {engine}: build it first", file=sys.stderr)
        return 2
    if not shutil.which("valgrind"):
        skip("no valgrind", package="valgrind")
    numbers = json.loads(NUMBERS.read_text())
    if wants_update:
        return update(engine, numbers)
    other = difference(numbers["kind"], kind_of(engine))
    if other:
        skip(other)
    return check(engine, numbers)


if __name__ == "__main__":
    sys.exit(main())
