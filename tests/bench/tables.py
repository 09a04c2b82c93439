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
    if share is not None:
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


def beside_table(results, servers):
    """CPU time alone and beside idle connections: {(server, idle connections): [Result...]}."""
    rows = []
    count = max(others for _, others in results)
    for name in dict.fromkeys(name for name, _ in results):
        alone, beside = results.get((name, 0)), results.get((name, count))
        if alone and beside:
            pair = median(alone, "micros"), median(beside, "micros")
            least = min(run.micros for run in alone), min(run.micros for run in beside)
            rows.append([name, *(f"{micros:.2f}" for micros in pair), f"{pair[1] / pair[0]:.3f}",
                         *(f"{micros:.2f}" for micros in least)])
    head = ["server", "CPU µs alone", f"beside {count:,} idle", "ratio", "least alone",
            "least beside"]
    return table(head, rows) + "\n\n" + verdict(None, results)


def loops_table(results, shares, connections):
    """{(server, loops): [Result...]}, and how the connections were shared out to hoop's two."""
    rows = [
        [name, count, f"{median(runs, 'micros'):.2f}", f"{min(run.micros for run in runs):.2f}",
         f"{1e6 / median(runs, 'micros'):,.0f}", f"{median(runs, 'rate'):,.0f}"]
        for (name, count), runs in results.items()
    ]
    head = ["server", "loops", "CPU µs per request", "least", "requests per CPU second", "requests/s"]
    split = " and ".join(f"{share:.1%}" for share in shares)
    told = f"Of {connections:,} connections hoop's two loops got {split}."
    return f"{table(head, rows)}\n\n{verdict(None, results)} {told}"


def tail_table(results, rates):
    """{server: [Tail...]}: medians over the runs; of the last percentile the first quartile, too, which is
    that of undisturbed runs."""
    rows = []
    for name, runs in results.items():
        tails = [run.p999 for run in runs]
        rows.append([name, f"{rates[name]:,}", *(f"{median(runs, field):,.0f}" for field in runs[0]._fields),
                     f"{statistics.quantiles(tails, n=4)[0] if len(tails) > 1 else tails[0]:,.0f}",
                     f"{min(tails):,.0f} to {max(tails):,.0f}"])
    rows.sort(key=lambda row: float(row[4].replace(",", "")))
    head = ["server", "requests/s", "p50 µs", "p99", "p99.9", "most", "p99.9, first quartile", "least to most"]
    count = max(len(runs) for runs in results.values())
    return (f"{table(head, rows)}\n\nRequests at random moments, over 64 connections;"
            f" {count} interleaved runs of a second, medians.")


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
