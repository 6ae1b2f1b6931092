"""The table of a run: per format the cases, how they ended, and their time."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

from .surviving import End


def pytest_terminal_summary(terminalreporter: Any) -> None:
    totals: dict[str, Counter[str]] = defaultdict(Counter)
    slowest: Counter[str] = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            for name, told in getattr(report, "user_properties", ()) if getattr(report, "when", "") == "call" else ():
                if name == "fuzz":
                    totals[told["format"]].update({key: told.get(key, 0) for key in (*End, "seconds")})
                    slowest[told["format"]] = max(slowest[told["format"]], told["slowest"])
    if not totals:
        return
    line = "{:<14}{:>8}{:>10}{:>9}{:>9}{:>8}{:>9}{:>9}".format
    terminalreporter.write_line(line("format", "cases", *End, "seconds", "slowest"))
    for name, told in sorted(totals.items()):
        ends = [told[end] for end in End]
        terminalreporter.write_line(line(name, sum(ends), *ends, f"{told['seconds']:.0f}", f"{slowest[name]:.1f}"))
