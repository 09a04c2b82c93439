"""Writes lib/json/double_table.c, the powers of ten that double.c and double_read.c multiply by.

    python3 lib/json/double_table.py > lib/json/double_table.c

For each k the 128 bits of 10^k from its highest one on, rounded up: ceil(10^k / 2^(e - 127)), where e is
floor(log2(10^k)). All in whole numbers, so every bit is right. With --check FILE it compares instead.
"""

import sys

FIRST, LAST = -342, 324  # -342 to 308 to read doubles, -292 to 324 to write them

HEAD = """\
/* The powers of ten for double.c and double_read.c; made by double_table.py, not by hand. */
#include "json/double.h"

const struct hoop__power hoop__powers[HOOP__POWER_LAST - HOOP__POWER_FIRST + 1] = {
"""


def power(k):
    """The highest 128 bits of 10^k, rounded up."""
    if k >= 0:
        value = 10**k
        shift = value.bit_length() - 128
        return value << -shift if shift <= 0 else -(-value >> shift)
    divisor = 10**-k
    # floor(log2(10^k)) is -bit_length(10^-k), since no 10^-k but 1 is a power of two.
    return -(-(1 << (divisor.bit_length() + 127)) // divisor)


def text():
    lines = [HEAD]
    for k in range(FIRST, LAST + 1):
        bits = power(k)
        assert 1 << 127 <= bits < 1 << 128, k
        high, low = bits >> 64, bits & (1 << 64) - 1
        lines.append(f"    {{ UINT64_C(0x{high:016x}), UINT64_C(0x{low:016x}) }},\n")
    lines.append("};\n")
    return "".join(lines)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--check"]:
        with open(sys.argv[2]) as file:
            if file.read() != text():
                sys.exit(f"{sys.argv[2]} is not what double_table.py writes")
    else:
        sys.stdout.write(text())
