"""The harness behind tests/bench/run: measures hoop and its peers and writes docs/benchmarks.md."""

import argparse
import re
import signal
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True

import callgrind  # noqa: E402
import idle  # noqa: E402
import load  # noqa: E402
import loops  # noqa: E402
import machine  # noqa: E402
import plot  # noqa: E402
import syscalls  # noqa: E402
import tables  # noqa: E402
import tail  # noqa: E402
from servers import all_servers  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/benchmarks.md"
PLOTS = ROOT / "docs/benchmarks"

USAGE = """\
usage: tests/bench/run [OPTIONS]
Builds hoop for release, measures it beside its peers, and rewrites the tables and plots of
docs/benchmarks.md. It takes about 30 minutes, and a machine that does nothing else.

  -r REPEATS         runs of each server and scenario, interleaved (default: 9)
  -d SECONDS         of each run (default: 2)
  -s SCENARIOS       a list (default: all): plain,pipe,json,vary,vary-pipe (CPU time under load),
                     beside (the same with 10,000 idle connections), loops (two of them),
                     tail (latency at half load), idle (memory), syscalls,
                     instructions (whole servers), engine (without sockets)
  --only NAMES       only these servers, a list; nothing is written
  --quick            a try: one run of one second; nothing is written
  --no-write         print the tables, write nothing
  -h, --help         this text

The exit code is 0, 1 if something could not be measured, or 2 for a wrong option.
"""

OTHERS = ("beside", "loops", "tail", "idle", "syscalls", "instructions", "engine")
# Those whose tail, and whose cost beside idle connections, is measured.
COMPARED = ("hoop", "libuv_llhttp", "nginx")
ALL = (*load.SCENARIOS, *OTHERS)
DEPTHS = (1, 16)


class UsageError(Exception):
    """A wrong option or value; the text names it."""


class Parser(argparse.ArgumentParser):
    """argparse, in the voice of this command."""

    def error(self, message):
        raise UsageError(message)


def count(text):
    if not re.fullmatch(r"[0-9]+", text) or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number from 1")
    return int(text)


def scenarios(text):
    names = text.split(",")
    for name in names:
        if name not in ALL:
            raise argparse.ArgumentTypeError(f"no scenario '{name}'; there are {', '.join(ALL)}")
    return [name for name in ALL if name in names]


def names(text):
    known = all_servers(ROOT)
    for name in text.split(","):
        if name not in known:
            raise argparse.ArgumentTypeError(f"no server '{name}'; there are {', '.join(known)}")
    return text.split(",")


def parse(arguments):
    parser = Parser(prog="tests/bench/run", usage=USAGE, allow_abbrev=False, add_help=False)
    parser.add_argument("-r", type=count, default=9, dest="repeats")
    parser.add_argument("-d", type=count, default=2, dest="seconds")
    parser.add_argument("-s", type=scenarios, default=list(ALL), dest="scenarios")
    parser.add_argument("--only", type=names)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--no-write", action="store_true")
    # For tests/bench/run.
    parser.add_argument("--check-options", action="store_true")
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    return parser.parse_args(arguments)


def choose(servers, only):
    """Those that are asked for and there; who is missing is told."""
    chosen = {name: server for name, server in servers.items() if not only or name in only}
    for name, server in chosen.items():
        if not server.is_there:
            say(f"{name}: not built, or not installed: left out")
    return {name: server for name, server in chosen.items() if server.is_there}


def say(text=""):
    print(text, flush=True)


class Bench:
    """One call of the command: what it measures, and what went wrong."""

    def __init__(self, options):
        self.options = options
        self.servers = choose(all_servers(options.build), options.only)
        self.engine = options.build / "tests/bench/engine"
        self.parts = {}  # of the page: {marker: text}
        self.plots = {}  # beside a part: {marker: svg}
        self.failed = 0

    def attempt(self, what, function, *arguments):
        """The function's result, or None if it failed, which is told."""
        try:
            return function(*arguments)
        except (RuntimeError, OSError, subprocess.SubprocessError) as error:
            say(f"{what}: FAILED: {error}")
            self.failed += 1
            return None

    def own(self):
        """The servers without those that show one of them once more."""
        return {name: server for name, server in self.servers.items() if not server.repeats}

    def load(self):
        """CPU time: each repeat goes over all scenarios and servers, in another order each time."""
        chosen = [name for name in self.options.scenarios if name in load.SCENARIOS]
        repeats, seconds = self.options.repeats, self.options.seconds
        if self.options.quick:
            repeats, seconds = 1, 1
        results = {name: {} for name in chosen}
        names = list(self.servers)
        for repeat in range(repeats):
            turn = repeat * 3 % len(names)
            for scenario in chosen:
                for name in names[turn:] + names[:turn]:
                    what = f"{repeat + 1}/{repeats} {scenario:9} {name:14}"
                    server = self.servers[name]
                    result = self.attempt(
                        what, load.measure, server, load.SCENARIOS[scenario], seconds
                    )
                    if result:
                        results[scenario].setdefault(name, []).append(result)
                        say(
                            f"{what} {result.micros:7.2f} us {result.rate:10,.0f} /s"
                            f"  busy {result.busy:4.0%}  others {result.foreign:4.0%}"
                        )
        for scenario, found in results.items():
            if found:
                self.parts[scenario] = tables.load_table(found, self.servers)
                title = f"CPU µs per request: {load.SCENARIOS[scenario].title}"
                self.plots[scenario] = plot.bars(title, tables.medians(found))

    def compared(self):
        return {name: self.servers[name] for name in COMPARED if name in self.servers}

    def in_turns(self, what, rows, measure, times=1):
        """{row: [result...]}: each repeat measures all rows, in another order each time."""
        repeats = 1 if self.options.quick else self.options.repeats * times
        found = {}
        for repeat in range(repeats):
            turn = repeat * 3 % len(rows)
            for row in rows[turn:] + rows[:turn]:
                label = f"{repeat + 1}/{repeats} {what} {row}"
                result = self.attempt(label, measure, row)
                if result:
                    found.setdefault(row, []).append(result)
                    say(f"{label} {result}")
        return {row: found[row] for row in rows if row in found}

    def beside(self):
        """CPU time alone, and beside idle connections."""
        count = idle.connections_allowed()
        servers = self.compared()

        def measure(row):
            name, others = row
            seconds = 1 if self.options.quick else self.options.seconds
            return load.measure(servers[name], load.SCENARIOS["plain"], seconds, idle=others)

        rows = [(name, others) for name in servers for others in (0, count)]
        if rows:
            found = self.in_turns("beside", rows, measure)
            self.parts["beside"] = tables.beside_table(found, self.servers)

    def loops(self):
        """CPU time with one loop and with two."""
        if "hoop" not in self.servers:
            return
        servers = {
            (name, count): loops.with_loops(self.servers[name], count)
            for name in ("hoop", "nginx") if name in self.servers
            for count in (1, 2)
        }
        seconds = 1 if self.options.quick else self.options.seconds
        found = self.in_turns("loops", list(servers), lambda row: loops.measure(servers[row], seconds))
        shares = self.attempt("shares", loops.shares, servers["hoop", 2])
        if found and shares:
            self.parts["loops"] = tables.loops_table(found, shares, loops.CONNECTIONS)

    def tail(self):
        servers = self.compared()
        rates = {
            name: self.attempt(f"{name}'s rate", tail.rate_for, server)
            for name, server in servers.items()
        }
        client = self.options.build / "tests/bench/openload"

        def measure(name):
            return tail.measure(client, servers[name], rates[name], tail.SECONDS)

        found = self.in_turns("tail", [name for name in rates if rates[name]], measure, tail.TIMES)
        if found:
            self.parts["tail"] = tables.tail_table(found, rates)

    def each_server(self, what, measure):
        """{server: measure(server)} of those that could be measured."""
        found = {}
        for name, server in self.own().items():
            say(f"{what} {name}")
            result = self.attempt(f"{what} {name}", measure, server)
            if result is not None:
                found[name] = result
        return found

    def idle(self):
        found = self.each_server("idle", idle.measure)
        if found:
            self.parts["idle"] = tables.idle_table(found)

    def syscalls(self):
        def measure(server):
            return {depth: syscalls.measure(server, depth) for depth in DEPTHS}

        found = self.each_server("syscalls", measure)
        if found:
            self.parts["syscalls"] = tables.syscalls_table(found)

    def instructions(self):
        def measure(server):
            counts = {
                "plain": callgrind.count_server(server, server.text, 1),
                "pipe": callgrind.count_server(server, server.text, 16),
                "vary": callgrind.count_server(server, server.text, 1, vary=True),
                "vary-pipe": callgrind.count_server(server, server.text, 16, vary=True),
            }
            if server.json:
                counts["json"] = callgrind.count_server(server, server.json, 1)
            return counts

        found = self.each_server("instructions", measure)
        if found:
            self.parts["instructions"] = tables.servers_table(found)

    def engine_groups(self):
        told = subprocess.run([self.engine, "--list"], capture_output=True, text=True, check=True)
        found = {}
        for scenario in told.stdout.split():
            say(f"engine {scenario}")
            functions = self.attempt(
                f"engine {scenario}", callgrind.breakdown, self.engine, scenario
            )
            if functions:
                found[scenario] = callgrind.by_group(functions)
        if found:
            self.parts["engine"] = tables.engine_table(found)

    def measure(self):
        steps = {
            "beside": self.beside,
            "loops": self.loops,
            "tail": self.tail,
            "idle": self.idle,
            "syscalls": self.syscalls,
            "instructions": self.instructions,
            "engine": self.engine_groups,
        }
        if self.servers:
            self.load()
        for name in self.options.scenarios:
            if name in steps:
                steps[name]()
        self.parts["machine"] = machine.describe(self.engine)

    def write(self):
        page = PAGE.read_text()
        PLOTS.mkdir(exist_ok=True)
        for name, text in self.parts.items():
            if name in self.plots:
                file = PLOTS / f"{name}.svg"
                file.write_text(self.plots[name])
                text += f"\n\n![CPU time per request]({file.relative_to(PAGE.parent)})"
            page = tables.replace_part(page, name, text)
        PAGE.write_text(page)

    def run(self):
        self.measure()
        for name, text in self.parts.items():
            say(f"\n## {name}\n\n{text}")
        options = self.options
        if options.no_write or options.quick or options.only:
            say("\nNothing is written.")
        elif self.failed:
            say(f"\n{self.failed} measurements failed: nothing is written.")
        else:
            self.write()
            say(f"\nWritten to {PAGE.relative_to(ROOT)} and {PLOTS.relative_to(ROOT)}/.")
        return 1 if self.failed else 0


def main():
    # Leaving by an exception stops the servers.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        options = parse(sys.argv[1:])
        return 0 if options.check_options else Bench(options).run()
    except UsageError as error:
        print(f"tests/bench/run: {error} (see tests/bench/run --help)", file=sys.stderr)
        return 2
    except tables.PageError as error:
        print(f"tests/bench/run: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\ntests/bench/run: stopped", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
