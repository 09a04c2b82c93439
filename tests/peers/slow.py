"""Tests slowhttptest's attacks on a server whose times are five seconds: it stays available to others,
and the slow connections are closed.

Usage: slow.py SERVER [MODE...]
"""

import concurrent.futures
import re
import resource
import subprocess
import sys

sys.dont_write_bytecode = True

from peers import LOCAL, Server, need, run, same  # noqa: E402

CONNECTIONS = 1000
ATTACKS = {
    "H": [],
    "B": ["-s", "8192"],
    "R": ["-t", "HEAD"],
    "X": ["-w", "1", "-y", "512", "-n", "1", "-z", "5", "-k", "3"],
}


def attack(program, path, mode):
    server = Server(path, "slow")
    url = f"http://{LOCAL}:{server.port}/" + ("bytes?4000000" if mode == "X" else "")
    command = [program, f"-{mode}", *ATTACKS[mode], "-c", str(CONNECTIONS), "-r", "200", "-i", "2"]
    command += ["-l", "30", "-p", "3", "-u", url]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    said = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", done.stdout)
    answers = re.findall(r"service available:\s+(\w+)", said)
    assert answers and set(answers) == {"YES"}, f"-{mode}: {answers} {said[-3000:]}"
    ended = re.search(r"(?m)^Exit status:\s+(.*)", said)
    stats = server.stats()
    print(f"-{mode}: {ended and ended[1]}; {stats}")
    return server, stats


def test(path, *modes):
    program = need("slowhttptest", "slowhttptest")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192) if hard > 0 else 8192, hard))
    modes = modes or tuple(ATTACKS)
    with concurrent.futures.ThreadPoolExecutor(len(modes)) as pool:
        done = [pool.submit(attack, program, path, mode) for mode in modes]
        for mode, future in zip(modes, done):
            server, stats = future.result()
            # Hardly one left by itself: their time was up. Ranges are nothing slow, but answered at once.
            count = stats["requests" if mode == "R" else "late"]
            assert count >= CONNECTIONS - 10, f"-{mode}: {stats}"
            same(stats["connections"], 1, f"-{mode}: connections left open")
            server.stop()


if __name__ == "__main__":
    run(test)
