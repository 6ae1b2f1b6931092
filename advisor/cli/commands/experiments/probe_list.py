"""`advisor probe list`: the probes, what each answers, and what it costs."""

from __future__ import annotations

from advisor.cli.commands.options import ProbeList
from advisor.cli.console import look, write, write_json
from advisor.cli.options import PlainFormat
from advisor.probes.catalogue import PROBES
from advisor.report.page import Page, Style


def probe_list(options: ProbeList) -> None:
    if options.format_ is PlainFormat.JSON:
        entries = [
            {
                "name": p.name,
                "question": p.question,
                "topic": p.topic,
                "fact": p.fact,
                "seconds": p.cost_seconds,
                "unit": p.rate_unit,
                "opt_in": p.opt_in,
            }
            for p in PROBES
        ]
        write_json(entries)
        return
    page = Page(look())
    name, cost = max(len(p.name) for p in PROBES), 6
    widths = (name, cost, page.look.columns - name - cost - 4)
    for p in PROBES:
        decides = f" Decides {p.topic}." if p.topic else ""
        named = " Only when named with --only." if p.opt_in else ""
        about = f"{p.cost_seconds:>4.0f} s"
        page.columns((((p.name, Style.STRONG),), (about,), (f"{p.question}{decides}{named}",)), widths)
    page.blank()
    page.add("With the seconds that each takes about. `advisor probe --only NAME` runs one.")
    write(page.text())
