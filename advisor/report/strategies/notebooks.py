"""Strategies that were trained or simulated, as short HTML tables for notebooks."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

from advisor.agent.sweeps import Sweep
from advisor.distributed.comparing import Comparison
from advisor.distributed.job import Run
from advisor.report.strategies import planned, simulation, training
from advisor.simulation.result import Result
from advisor.simulation.scenario import Scenario
from advisor.wording import printable


def trained_html(found: Comparison | None, runs: Sequence[Run], says: str, *, own: bool) -> str:
    """A row for each strategy, the fastest first; the sentence alone where too few were finished."""
    rows = [] if found is None else training.rows(found, runs, own=own)
    return _paragraph(says) + (_table(training.HEAD, rows) if rows else "")


def simulated_html(scenario: Scenario, result: Result) -> str:
    """A row for each quantity."""
    return _paragraph(simulation.headed(scenario)) + _table(("", ""), simulation.figures(scenario, result, whole=False))


def planned_html(
    names: Sequence[str], results: Sequence[Result], found: Comparison | None, sweep: Sweep, *, own: bool = True
) -> str:
    """A row for each strategy, where any were compared, and one for each number of workers."""
    told = _paragraph(planned.pays(sweep)) + _table(planned.WORKERS, planned.worker_rows(sweep))
    if found is None:
        return told
    return _paragraph(planned.answer(found)) + _table(planned.HEAD, planned.rows(names, results, found, own=own)) + told


def _paragraph(text: str) -> str:
    return f"<p>{html.escape(printable(text))}</p>"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    titles, *lines = [
        "".join(f"<{tag}>{html.escape(printable(text))}</{tag}>" for text in row)
        for tag, row in (("th", head), *(("td", row) for row in rows))
    ]
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>"
