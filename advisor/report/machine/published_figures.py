"""Measurements of others on a device: a compact table for each source, and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from advisor.facts.values import number_text
from advisor.machine.profiles.published import PublishedFigure, PublishedTable
from advisor.report.page import Page, Style

Column: TypeAlias = "tuple[str, int]"
"""threads or devices, and how many"""


def published_section(page: Page, tables: Sequence[PublishedTable]) -> None:
    """A row for each network, framework and format; a column for each number of threads or devices, as far as they fit."""
    for table in tables:
        page.heading("PUBLISHED MEASUREMENTS")
        checked = ("verified", Style.GOOD) if table.verified else ("not verified", Style.CARE)
        page.add(f"{table.title}, ", checked, f". {table.source}.")
        page.blank()
        for line in _lines(table.figures, page.look.columns):
            page.verbatim(line)
        for number, doubt in enumerate(_doubts(table.figures), start=1):
            page.add(f"Doubtful: {doubt}.", first=f"({number}) ")
        for note in table.notes:
            page.add((note, Style.FAINT), first="- ")


def _lines(figures: Sequence[PublishedFigure], width: int) -> list[str]:
    """The table as text; columns in the middle that do not fit are left out, and the last line says so."""
    doubts = _doubts(figures)
    formats = len({figure.precision for figure in figures}) > 1
    rows: dict[str, dict[Column, str]] = {}
    for figure in figures:
        label = ", ".join([figure.network, figure.framework, *([figure.precision] if formats else ()), figure.unit])
        mark = f" ({doubts.index(figure.doubt) + 1})" if figure.doubt else ""
        rows.setdefault(label, {})[_column(figure)] = f"{number_text(figure.value)}{mark}"
    columns = sorted({_column(figure) for figure in figures})
    heads = [f"{columns[0][0]} {columns[0][1]}", *(str(number) for _, number in columns[1:])]
    widths = [
        max(len(head), *(len(row.get(column, "-")) for row in rows.values()))
        for head, column in zip(heads, columns, strict=True)
    ]
    first = max(map(len, rows))
    shown = list(range(len(columns)))
    while len(shown) > 1 and first + sum(widths[number] + 2 for number in shown) > width:
        del shown[len(shown) // 2]
    lines = [" " * first + "".join(f"  {heads[number]:>{widths[number]}}" for number in shown)]
    for label, row in rows.items():
        lines.append(f"{label:<{first}}" + "".join(f"  {row.get(columns[n], '-'):>{widths[n]}}" for n in shown))
    if len(shown) < len(columns):
        lines.append(f"({len(columns) - len(shown)} more did not fit; --format json has all)")
    return lines


def _column(figure: PublishedFigure) -> Column:
    return ("threads", figure.threads) if figure.threads is not None else ("devices", figure.devices)


def _doubts(figures: Sequence[PublishedFigure]) -> list[str]:
    return list(dict.fromkeys(figure.doubt for figure in figures if figure.doubt))


def published_json(tables: Sequence[PublishedTable]) -> list[dict[str, Any]]:
    return [
        {
            "network": figure.network, "framework": figure.framework, "threads": figure.threads, "batch": figure.batch,
            "precision": figure.precision, "devices": figure.devices, "value": figure.value, "unit": figure.unit,
            "source": table.source, "verified": table.verified, "doubt": figure.doubt, "notes": list(table.notes),
        }
        for table in tables
        for figure in table.figures
    ]  # fmt: skip
