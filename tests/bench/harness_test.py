"""Tests the harness, and that every server that is built or installed answers as the others do."""

import os
import signal
import subprocess
import sys
import unittest
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

sys.dont_write_bytecode = True

import bench  # noqa: E402
import callgrind  # noqa: E402
import guard  # noqa: E402
import loops  # noqa: E402
import plot  # noqa: E402
import syscalls  # noqa: E402
import tables  # noqa: E402
import tail  # noqa: E402
from client import Client, request  # noqa: E402
from load import Result  # noqa: E402
from servers import Running, all_servers  # noqa: E402

BUILD = Path(os.environ.get("HOOP_BUILD_DIR") or bench.ROOT / "build")
RUN = bench.ROOT / "tests/bench/run"
SERVERS = all_servers(BUILD)


def results(micros, foreign=0.0):
    return [Result(value, 1000.0, 0.5, foreign, 0) for value in micros]


class OptionsTest(unittest.TestCase):
    def test_a_wrong_option_is_named(self):
        for arguments, word in (
            (["--colour"], "--colour"),
            (["stray"], "stray"),
            (["-r", "0"], "'0'"),
            (["-d", "x"], "'x'"),
            (["-r"], "-r"),
            (["-s", "plain,soap"], "'soap'"),
            (["--only", "hoop,apache"], "'apache'"),
        ):
            with self.subTest(arguments):
                done = subprocess.run(
                    [RUN, "--check-options", *arguments], capture_output=True, text=True
                )
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(word, done.stderr)

    def test_help(self):
        done = subprocess.run([RUN, "--help"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0)
        self.assertTrue(done.stdout.startswith("usage: tests/bench/run"), done.stdout)

    def test_scenarios_keep_their_order(self):
        options = bench.parse(["-s", "engine,json,plain", "-r", "3", "-d", "1"])
        self.assertEqual(options.scenarios, ["plain", "json", "engine"])
        self.assertEqual((options.repeats, options.seconds), (3, 1))


class PageTest(unittest.TestCase):
    def test_a_part_is_replaced_and_the_rest_stays(self):
        page = "a\n<!-- plain -->\nold\n\nold\n<!-- end plain -->\nb\n"
        page = tables.replace_part(page, "plain", r"new \1")
        self.assertEqual(page, "a\n<!-- plain -->\nnew \\1\n<!-- end plain -->\nb\n")
        self.assertEqual(page, tables.replace_part(page, "plain", r"new \1"))
        with self.assertRaisesRegex(tables.PageError, "<!-- json -->"):
            tables.replace_part(page, "json", "x")

    def test_the_page_has_all_parts(self):
        page = bench.PAGE.read_text()
        for name in (*bench.ALL, "machine"):
            tables.replace_part(page, name, "x")

    def test_the_spread_is_told(self):
        runs = {"libuv_llhttp": results([6, 6.1, 9]), "libuv_llhttp_2": results([6.1, 6.2, 6.3])}
        self.assertAlmostEqual(tables.spread(runs, SERVERS), 6.2 / 6.1 - 1)
        self.assertNotIn("tells nothing", tables.load_table(runs, SERVERS))
        runs["libuv_llhttp_2"] = results([7], foreign=0.25)
        text = tables.load_table(runs, SERVERS)
        self.assertIn("this run tells nothing", text)
        self.assertIn("most: 25%", text)
        # Another way to answer is not the same server once more.
        self.assertIsNone(
            tables.spread({"hoop": results([1]), "hoop_text": results([2])}, SERVERS)
        )

    def test_the_cheapest_stands_first(self):
        runs = {"nginx": results([7, 8, 9]), "hoop": results([6, 5, 7])}
        self.assertEqual(tables.medians(runs), {"hoop": (6, 5, 7), "nginx": (8, 7, 9)})

    def test_rows_side_by_side(self):
        runs = {("hoop", 0): results([4, 5, 6]), ("hoop", 100): results([5, 5.5, 6])}
        text = tables.beside_table(runs, SERVERS)
        self.assertIn("| hoop | 5.00 | 5.50 | 1.100 | 4.00 | 5.00 |", text)
        text = tables.loops_table({("hoop", 1): results([5]), ("hoop", 2): results([5.5])}, [0.51, 0.49], 1000)
        self.assertIn("| hoop | 2 | 5.50 | 5.50 | 181,818 | 1,000 |", text)
        self.assertIn("Of 1,000 connections hoop's two loops got 51.0% and 49.0%.", text)
        runs = {"nginx": [tail.Tail(10, 20, 30, 40)],
                "hoop": [tail.Tail(10, 19, n, 41) for n in (28, 29, 35)]}
        lines = tables.tail_table(runs, {"hoop": 50000, "nginx": 40000}).splitlines()
        self.assertEqual(lines[2], "| hoop | 50,000 | 10 | 19 | 29 | 41 | 28 | 28 to 35 |")

    def test_a_plot_is_an_svg(self):
        svg = ElementTree.fromstring(plot.bars("a < b", {"hoop": (1, 0.5, 2), "nginx": (4, 4, 4)}))
        self.assertEqual(svg.tag, "{http://www.w3.org/2000/svg}svg")
        self.assertEqual(len(svg.findall("{*}rect")), 3)


ANNOTATED = """\
Ir          file:function
28,204  PROGRAM TOTALS
 10,819 (38.2%)  /usr/share/llhttp/llhttp.c:llhttp__internal__run [/tmp/b/engine]
  1,628  /tmp/b/../lib/http1/head.c:hoop__h1_head_read [/tmp/b/engine]
    681  /usr/lib/gcc/x86_64-linux-gnu/12/include/emmintrin.h:hoop__h1_head_read
     30  ./string/../x/memmove.S:__memcpy_avx [/usr/lib/x86_64-linux-gnu/libc.so.6]
      7  ???:0x00000000000088c0 [/usr/lib/x86_64-linux-gnu/libjansson.so.4.14.0]
"""

STRACE = """\
% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ----------------
 60.00    0.010000           1      6400           sendmsg
 30.00    0.005000           1      6500        64 recvfrom
------ ----------- ----------- --------- --------- ----------------
100.00    0.015000           1     12900        64 total
"""


class CountingTest(unittest.TestCase):
    def test_instructions_have_an_owner(self):
        groups = callgrind.by_group(callgrind.parse_annotated(ANNOTATED))
        counts = {name: count for (name, _), count in groups.items()}
        self.assertEqual(
            counts, {"parser": 10819, "guard": 2309, "memory and strings": 30, "jansson": 7}
        )

    def test_system_calls(self):
        self.assertEqual(syscalls.parse(STRACE), {"sendmsg": 6400, "recvfrom": 6500})

    def test_the_guard_judges(self):
        self.assertTrue(guard.judge("plain", 1000, 1030, 3)[1])
        self.assertFalse(guard.judge("plain", 1000, 1031, 3)[1])
        self.assertIn("--update", guard.judge("plain", 1000, 900, 3)[0])
        kind = {"compiler": "gcc 12", "b_lto": "False"}
        self.assertIsNone(guard.difference(kind, {**kind, "more": "x"}))
        self.assertIn("clang 14", guard.difference(kind, {**kind, "compiler": "clang 14"}))

    def test_the_request_is_techempowers(self):
        self.assertEqual(len(request("/plaintext")), 169)


class ServersTest(unittest.TestCase):
    def test_all_answer(self):
        for name, server in SERVERS.items():
            if not server.is_there:
                continue
            with self.subTest(name), Running(server) as running, Client(running.port, 3) as client:
                if server.text:
                    self.assertEqual(client.ask(server.text, depth=16, rounds=2), 96)
                if server.json:
                    client.ask(server.json)
                self.assertGreater(running.memory(), 0)
                self.assertGreater(running.cpu_seconds(), 0)

    def test_an_open_loop(self):
        client = BUILD / "tests/bench/openload"
        if not client.exists() or not SERVERS["hoop"].is_there:
            self.skipTest("they are not built")
        found = tail.measure(client, SERVERS["hoop"], 100, 0.7)
        self.assertEqual(sorted(found), list(found))
        with self.assertRaisesRegex(RuntimeError, "openload: an answer of 200"):
            tail.measure(client, replace(SERVERS["hoop"], text="/nothing"), 100, 0.7)

    def test_two_loops_share(self):
        if not SERVERS["hoop"].is_there:
            self.skipTest("it is not built")
        shares = loops.shares(loops.with_loops(SERVERS["hoop"], 2))
        self.assertEqual(len(shares), 2)
        self.assertAlmostEqual(sum(shares), 1, delta=0.02)

    def test_hoops_server_as_a_program(self):
        program = BUILD / "tests/bench/server"
        if not program.exists():
            self.skipTest("it is not built")
        process = subprocess.Popen(
            [program, "0", "--threads", "2"], stderr=subprocess.PIPE, text=True
        )
        line = process.stderr.readline()
        self.assertRegex(line, r"^listening on http://127\.0\.0\.1:\d+\n$")
        with Client(int(line.rpartition(":")[2]), 4) as client:
            client.ask("/json")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.communicate()[1], "")
        self.assertEqual(process.returncode, 0)
        for text, word in ("x", "'x'"), ("0 --threads 0", "'0'"), ("0 y", "'y'"):
            done = subprocess.run([program, *text.split()], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn(word, done.stderr)


if __name__ == "__main__":
    unittest.main()
