"""User-space instructions per request, counted by valgrind: exact, whatever else the machine does.

A count is the difference of two runs, so starting and ending are not in it.
"""

import os
import re
import subprocess
import tempfile
from pathlib import Path

from client import Client
from servers import Running

# Callgrind counts each byte that a `rep movs` moves: the C library shall do without.
NO_REP = (
    "glibc.cpu.x86_rep_movsb_threshold=1000000000:glibc.cpu.x86_rep_stosb_threshold=1000000000"
)
# The C library picks its string functions by CPU. For the engine's numbers, which are compared
# between machines, it takes those that every x86-64 has.
ANY_CPU = (
    "glibc.cpu.hwcaps=-AVX2,-AVX2_Usable,-AVX_Fast_Unaligned_Load,-ERMS,-FSRM,-MOVBE,-BMI2"
)
REQUESTS = (1024, 4096)  # of the two runs of the engine
CONNECTIONS = 64
ROUNDS = (10, 40)  # of the two runs of a server

# Where instructions are spent: (group, who owns it, what its files or objects are called). The
# first that matches has it.
GROUPS = [
    ("parser", "llhttp", r"llhttp/|llhttp\.c"),
    ("guard", "lib/http1/head.c, whole.c, field.c, target.c, scan.h, memo.c, chunk.c, lib/codec",
     r"lib/http1/(head|whole|field|target|scan|memo|chunk)\.|lib/codec/"),
    ("state", "lib/http1/engine.c, body_in.c", r"lib/http1/(engine|body_in)\."),
    ("writer", "lib/http1/respond.c, body_out.c, reject.c",
     r"lib/http1/(respond|body_out|reject)\."),
    ("engine, the rest", "lib/http1", r"lib/http1/"),
    ("values", "lib/value", r"lib/value/"),
    ("call chain", "lib/handler", r"lib/handler/"),
    ("JSON", "lib/json", r"lib/json/"),
    ("jansson", "libjansson", r"libjansson"),
    ("arena, blocks, clock", "lib/base", r"lib/base/"),
    ("application", "tests/bench/app.c", r"tests/bench/app\."),
    ("the benchmark's host", "tests/bench/engine.c", r"tests/bench/engine\.c"),
    ("memory and strings", "the C library", r"libc[.-]"),
]
OTHER = ("other", "jumps to shared libraries and the like")


def environment(*tunables):
    """As little as possible: what stands in it moves the stack."""
    path = os.environ.get("PATH", "/usr/bin:/bin")
    return {"PATH": path, "GLIBC_TUNABLES": ":".join(tunables)}


def command(output):
    return ["valgrind", "--tool=callgrind", f"--callgrind-out-file={output}"]


def total_of(profile):
    """The instructions in a profile that callgrind wrote."""
    found = re.search(r"^(?:summary|totals): (\d+)", Path(profile).read_text(), re.M)
    if not found:
        raise RuntimeError("callgrind has counted nothing")
    return int(found[1])


def run_engine(engine, scenario, requests, profile):
    done = subprocess.run(
        [*command(profile), str(engine), scenario, str(requests)],
        capture_output=True,
        text=True,
        env=environment(NO_REP, ANY_CPU),
    )
    if done.returncode:
        raise RuntimeError(f"engine {scenario} {requests}: {done.stderr.strip()[-500:]}")


def count_engine(engine, scenario):
    """Instructions per request of the engine without sockets."""
    totals = []
    with tempfile.TemporaryDirectory() as folder:
        for requests in REQUESTS:
            run_engine(engine, scenario, requests, f"{folder}/profile")
            totals.append(total_of(f"{folder}/profile"))
    return (totals[1] - totals[0]) / (REQUESTS[1] - REQUESTS[0])


def count_server(server, path, depth, vary=False):
    """Instructions per request of a whole server, libuv and all."""
    totals, requests = [], []
    with tempfile.TemporaryDirectory() as folder:
        for rounds in ROUNDS:
            profile = f"{folder}/profile"
            with Running(server, prefix=command(profile), env=environment(NO_REP)) as running:
                with Client(running.port, CONNECTIONS) as client:
                    requests.append(client.ask(path, depth, rounds, vary))
            totals.append(total_of(profile))
    return (totals[1] - totals[0]) / (requests[1] - requests[0])


# --- the breakdown --------------------------------------------------------------------------------

LINE = re.compile(r"^ *([\d,]+) +(?:\([^)]*\) +)?(\S*?):([^\[\]:]+?)(?: \[(.*)\])?$")


def parse_annotated(text):
    """The lines of callgrind_annotate: {(file, function, object): instructions}."""
    found = {}
    for line in text.splitlines():
        match = LINE.match(line)
        if match and match[3] != "function":
            key = (match[2], match[3], match[4] or "")
            found[key] = found.get(key, 0) + int(match[1].replace(",", ""))
    return found


def group_of(file, object_):
    for name, owner, pattern in GROUPS:
        if re.search(pattern, file) or (object_ and re.search(pattern, Path(object_).name)):
            return name, owner
    return OTHER


def by_group(functions):
    """{(group, owner): instructions}. What was inlined from a header that nobody owns belongs to
    the function it landed in."""
    homes = {}
    for file, function, object_ in functions:
        group = group_of(file, object_)
        if object_ and group != OTHER:
            homes[function] = group
    groups = {}
    for (file, function, object_), instructions in functions.items():
        group = group_of(file, object_)
        if group == OTHER:
            group = homes.get(function, OTHER)
        groups[group] = groups.get(group, 0) + instructions
    return groups


def breakdown(engine, scenario):
    """Instructions per request by function: {(file, function, object): instructions}."""
    counts = []
    with tempfile.TemporaryDirectory() as folder:
        for requests in REQUESTS:
            run_engine(engine, scenario, requests, f"{folder}/profile")
            done = subprocess.run(
                ["callgrind_annotate", "--threshold=100", "--auto=no", "--show-percs=no",
                 f"{folder}/profile"],
                capture_output=True,
                text=True,
                check=True,
            )
            counts.append(parse_annotated(done.stdout))
    few, many = counts
    requests = REQUESTS[1] - REQUESTS[0]
    return {key: (count - few.get(key, 0)) / requests for key, count in many.items()}
