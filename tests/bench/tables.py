"""Results as Markdown tables, and their place between the markers of docs/benchmarks.md."""

import re
import statistics

SPREAD_LIMIT = 0.03  # between two names of one server: above, a run tells nothing


class PageError(Exception):
    """The page lacks a marker; the text names it."""


def table(head, rows, left=1):
    """A Markdown table; all columns but the first `left` are set right."""
    rules = ["---" if number < left else "---:" for number in range(len(head))]
    lines = [head, rules, *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def replace_part(page, name, text):
    """The page with `text` between the markers of that name."""
    begin, end = f"<!-- {name} -->", f"<!-- end {name} -->"
    pattern = re.compile(re.escape(begin) + r"\n.*?" + re.escape(end), re.S)
    if len(pattern.findall(page)) != 1:
        raise PageError(f"docs/benchmarks.md lacks the markers {begin} and {end}")
    return pattern.sub(lambda _: f"{begin}\n{text.strip()}\n{end}", page)


def median(results, name):
    return statistics.median(getattr(result, name) for result in results)


def medians(results):
    """{server: (median, min, max) of its CPU microseconds per request}, cheapest first."""
    found = {
        name: (median(runs, "micros"), min(run.micros for run in runs),
               max(run.micros for run in runs))
        for name, runs in results.items()
    }
    return dict(sorted(found.items(), key=lambda item: item[1][0]))


def spread(results, servers):
    """How far two names of one server lie apart, as a share of the smaller, or None."""
    for name, runs in results.items():
        twin = servers[name].repeats
        if twin in results and servers[name].command == servers[twin].command:
            if servers[name].text == servers[twin].text:
                pair = sorted((median(runs, "micros"), median(results[twin], "micros")))
                return pair[1] / pair[0] - 1
    return None


def verdict(share, results):
    """What may be said of a run: its spread and the foreign load on the CPUs."""
    foreign = [run.foreign for runs in results.values() for run in runs]
    count = max(len(runs) for runs in results.values())
    lines = [f"{count} interleaved run{'s' if count > 1 else ''}."]
    if share is None:
        lines.append("No server ran under two names: the spread is unknown.")
    else:
        lines.append(f"Spread of libuv_llhttp under its two names: {share:.1%}.")
        if share > SPREAD_LIMIT:
            lines.append(f"**Over {SPREAD_LIMIT:.0%}: this run tells nothing.**")
    lines.append(
        f"Others used {statistics.median(foreign):.0%} of the two CPUs (median; most:"
        f" {max(foreign):.0%})."
    )
    errors = sum(run.errors for runs in results.values() for run in runs)
    if errors:
        lines.append(f"**{errors} errors.**")
    return " ".join(lines)


def load_table(results, servers):
    """CPU time and rate of one scenario: {server: [Result...]}."""
    rows = []
    for name, (middle, least, most) in medians(results).items():
        runs = results[name]
        rows.append([
            name, servers[name].what, f"{middle:.2f}", f"{least:.2f}", f"{most:.2f}",
            f"{median(runs, 'rate'):,.0f}", f"{median(runs, 'busy'):.0%}",
        ])
    head = ["server", "what", "CPU µs per request", "least", "most", "requests/s", "of its CPU"]
    return table(head, rows, left=2) + "\n\n" + verdict(spread(results, servers), results)


def idle_table(results):
    """{server: Idle}."""
    rows = [
        [name, f"{idle.connected:,.0f}", f"{idle.asked:,.0f}", f"{idle.kept / 1024:,.0f}"]
        for name, idle in sorted(results.items(), key=lambda item: item[1].asked)
    ]
    count = next(iter(results.values())).connections
    head = ["server", "bytes per connection", "after a request each", "kept after closing, KiB"]
    return table(head, rows) + f"\n\n{count:,} connections."


def syscalls_table(results):
    """{server: {depth: {call: count per request}}}."""

    def cell(calls):
        shown = sorted(calls.items(), key=lambda item: -item[1])
        return ", ".join(f"{name} {count:.2f}" for name, count in shown if count >= 0.005)

    depths = sorted(next(iter(results.values())))
    rows = [[name, *(cell(by_depth[depth]) for depth in depths)]
            for name, by_depth in results.items()]
    head = ["server", *("one at a time" if depth == 1 else f"{depth} deep" for depth in depths)]
    return table(head, rows, left=len(head))


def servers_table(results):
    """{server: {scenario: instructions per request}}."""
    scenarios = list(dict.fromkeys(name for counts in results.values() for name in counts))
    rows = [
        [name, *(f"{counts[s]:,.0f}" if s in counts else "-" for s in scenarios)]
        for name, counts in sorted(results.items(), key=lambda item: min(item[1].values()))
    ]
    return table(["server", *scenarios], rows)


def engine_table(results):
    """{scenario: {(group, owner): instructions per request}}."""
    groups = {}  # {group: its counts, a scenario each}
    for group in {group for counts in results.values() for group in counts}:
        groups[group] = [max(0, counts.get(group, 0)) for counts in results.values()]
    rows = [
        [*group, *(f"{count:,.0f}" for count in counts)]
        for group, counts in sorted(groups.items(), key=lambda item: -max(item[1]))
        if max(counts) >= 0.5
    ]
    sums = [f"**{sum(counts.values()):,.0f}**" for counts in results.values()]
    return table(["group", "owner", *results], [*rows, ["**all**", "", *sums]], left=2)
