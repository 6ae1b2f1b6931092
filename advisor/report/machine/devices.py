"""Device profiles for the terminal and as JSON: figures with units and sources, and what others measured on the device."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from advisor.facts.values import number_text
from advisor.machine.profiles.devices import UNITS, Bound, DeviceProfile, Figure
from advisor.machine.profiles.published import PublishedFigure, PublishedTable
from advisor.plain import encode_fields
from advisor.report.page import Look, Page, Style
from advisor.report.rates import PREFIXED, scale
from advisor.wording import join_names

_LABELS = {
    "compute_capability": "Compute capability",
    "memory_bytes": "Memory",
    "memory_bytes_per_second": "Memory bandwidth",
    "pcie_generation": "PCIe generation",
    "link_bytes_per_second": "Link to other cards, both directions",
    "watts": "Power",
    "cores": "Cores",
}


def quantity(value: float, unit: str) -> str:
    """`80 GB`, `3.35 TB/s`, `989 TFLOP/s`, `700 W`; of a version both digits, `9.0`."""
    if unit == "version":
        return f"{value:.1f}"
    if unit == "generation":
        return number_text(value)
    if unit not in PREFIXED:
        return f"{number_text(value)} {unit}"
    size, name = scale(value, unit)
    return f"{number_text(round(value / size, 2))} {name}"


def figures(device: DeviceProfile) -> Iterator[tuple[str, str, Figure]]:
    """Key, label and figure of everything that is published about the device."""
    for key in UNITS:
        figure = getattr(device, key)
        if figure is not None:
            yield key, _LABELS[key], figure
    for precision, figure in device.peak_flops.items():
        yield f"peak_flops.{precision.value}", f"Peak, {precision.value}, dense", figure


def devices_page(devices: Sequence[DeviceProfile], look: Look) -> str:
    page = Page(look)
    width = max((len(device.name) for device in devices), default=0)
    for device in devices:
        page.add(device.title, first=[(f"{device.name:<{width}}  ", Style.STRONG)])
    page.apart(f"{len(devices)} devices. `advisor profiles show NAME` has the figures; --machine NAME plans for one.")
    return page.text()


def device_page(device: DeviceProfile, look: Look, published: Sequence[PublishedTable] = ()) -> str:
    """The device's figures with their sources, then what others have measured on it."""
    page = Page(look)
    page.add((device.title, Style.HEADING), f" ({device.name})")
    page.add(f"A {'processor' if device.kind == 'cpu' else f'GPU, programmed through {device.backend}'}.")
    if device.features:
        page.add(f"Instruction sets: {join_names(sorted(device.features))}.")
    if device.aliases:
        page.add(f"Also called: {', '.join(device.aliases)}.")
    if device.note:
        page.add(device.note)
    page.blank()
    sources = list(dict.fromkeys(figure.source for _, _, figure in figures(device)))
    for _, label, figure in figures(device):
        bound = "at most " if figure.bound is Bound.AT_MOST else ""
        note = f", {figure.note}" if figure.note else ""
        checked = ("verified", Style.GOOD) if figure.verified else ("not verified", Style.CARE)
        source = f" [{sources.index(figure.source) + 1}]" if figure.source else ""
        value = (quantity(figure.value, figure.unit), Style.STRONG)
        page.add(f"{label}: {bound}", value, f"{note}, ", checked, source, first="- ")
    page.heading("SOURCES")
    page.items(sources, "[{}] ")
    _published(page, published)
    return page.text()


def device_json(device: DeviceProfile, published: Sequence[PublishedTable] = ()) -> dict[str, Any]:
    return {
        **encode_fields(device, "name", "title", "kind", "backend", "aliases", "features", "note"),
        "figures": {
            key: encode_fields(figure, "value", "unit", "verified", "bound", "source", "note")
            for key, _, figure in figures(device)
        },
        "published": _published_json(published),
    }


# --- measured by others -------------------------------------------------------------------------------------------


def _published(page: Page, tables: Sequence[PublishedTable]) -> None:
    """A row for each network, framework and format; a column for each number of threads or devices, as far as they fit."""
    for table in tables:
        page.heading("PUBLISHED MEASUREMENTS")
        checked = ("verified", Style.GOOD) if table.verified else ("not verified", Style.CARE)
        page.add(f"{table.title}, ", checked, f". {table.source}.")
        page.blank()
        for line in _lines(table.figures, page.look.columns):
            page.verbatim(line)
        page.items((f"Doubtful: {doubt}." for doubt in _doubts(table.figures)), "({}) ")
        page.items((note, Style.FAINT) for note in table.notes)


def _lines(figures: Sequence[PublishedFigure], width: int) -> list[str]:
    """The table as text; columns in the middle that do not fit are left out, and the last line says so."""
    doubts = _doubts(figures)
    formats = len({figure.precision for figure in figures}) > 1
    rows: dict[str, dict[tuple[str, int], str]] = {}
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


def _column(figure: PublishedFigure) -> tuple[str, int]:
    """Threads or devices, and how many."""
    return ("threads", figure.threads) if figure.threads is not None else ("devices", figure.devices)


def _doubts(figures: Sequence[PublishedFigure]) -> list[str]:
    return list(dict.fromkeys(figure.doubt for figure in figures if figure.doubt))


def _published_json(tables: Sequence[PublishedTable]) -> list[dict[str, Any]]:
    return [
        {
            **encode_fields(figure, "network", "framework", "threads", "batch", "precision", "devices", "value", "unit"),
            "source": table.source, "verified": table.verified, "doubt": figure.doubt, "notes": list(table.notes),
        }
        for table in tables
        for figure in table.figures
    ]  # fmt: skip
