"""Shows what a request costs in the engine, by group, in instructions; a command of its own.

usage: instructions.py [--functions N] [--engine PROGRAM] [SCENARIO...]
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True

from callgrind import breakdown, by_group  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("--functions", type=int, default=0, help="the N dearest functions, too")
    parser.add_argument("--engine", type=Path, default=ROOT / "build/tests/bench/engine")
    parser.add_argument("scenarios", nargs="*", metavar="SCENARIO", help="default: all")
    options = parser.parse_args()
    try:
        known = subprocess.run([options.engine, "--list"], capture_output=True, text=True)
    except OSError as error:
        parser.error(f"{options.engine}: {error.strerror}; build it, or name it by --engine")
    names = known.stdout.split()
    for name in options.scenarios:
        if name not in names:
            parser.error(f"no scenario '{name}'; there are {', '.join(names)}")
    for scenario in options.scenarios or names:
        functions = breakdown(options.engine, scenario)
        total = sum(functions.values())
        print(f"{scenario}: {total:,.0f} instructions per request")
        for (group, owner), count in sorted(by_group(functions).items(), key=lambda x: -x[1]):
            if count >= 0.5:
                print(f"  {count:8,.0f} {count / total:6.1%}  {group:22} {owner}")
        dearest = sorted(functions.items(), key=lambda item: -item[1])[: options.functions]
        for (file, function, _), count in dearest:
            print(f"    {count:8,.0f}  {function}  ({os.path.basename(file)})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
