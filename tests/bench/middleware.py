"""Writes the table of what each middleware costs a request: middleware.py PROGRAM.

Instructions are counted by callgrind, as the difference of two runs of different lengths, less
those of the handler alone; time, bytes and allocations are what the program itself tells.
"""

import re
import subprocess
import sys
import tempfile

from callgrind import ANY_CPU, NO_REP, command, environment, total_of

ROUNDS = (100, 1100)


def count(program, name, *bare):
    totals = []
    with tempfile.TemporaryDirectory() as folder:
        for rounds in ROUNDS:
            subprocess.run(
                [*command(f"{folder}/profile"), program, name, str(rounds), *bare],
                capture_output=True,
                check=True,
                env=environment(NO_REP, ANY_CPU),
            )
            totals.append(total_of(f"{folder}/profile"))
    return (totals[1] - totals[0]) / (ROUNDS[1] - ROUNDS[0])


def main(program):
    told = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    print("| middleware | instructions | ns | bytes | allocations |")
    print("|---|---:|---:|---:|---:|")
    for line in told.splitlines():
        name, ns, size, allocations = re.match(
            r"(.*?) +(-?\d+) ns +(\d+) bytes +(\d+) allocations", line
        ).groups()
        instructions = count(program, name)
        if name != "handler":
            instructions -= count(program, name, "bare")
        print(f"| {name} | {instructions:,.0f} | {ns} | {size} | {allocations} |")


if __name__ == "__main__":
    main(sys.argv[1])
