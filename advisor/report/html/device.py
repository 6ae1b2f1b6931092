"""The page of a device whose figures are published, as HTML."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.facts.values import number_text
from advisor.machine.profiles.devices import Bound, DeviceProfile
from advisor.machine.profiles.published import PublishedTable
from advisor.report.html.rendering import render
from advisor.report.machine.devices import figures, quantity


def device_html(device: DeviceProfile, published: Sequence[PublishedTable] = (), date: str = "") -> str:
    """Its figures with their sources, then what others have measured on it."""
    rows = [
        (
            label,
            f"{'at most ' if figure.bound is Bound.AT_MOST else ''}{quantity(figure.value, figure.unit)}",
            "verified" if figure.verified else "not verified",
            f"{figure.source}{f'; {figure.note}' if figure.note else ''}",
        )
        for _, label, figure in figures(device)
    ]
    measured = [
        (
            table.title,
            [
                (
                    f"{one.network}, {one.framework}{f', {one.precision}' if one.precision else ''}",
                    f"{one.threads} threads" if one.threads is not None else f"{one.devices} devices",
                    f"{number_text(one.value)} {one.unit}",
                    one.doubt and f"doubtful: {one.doubt}",
                )
                for one in table.figures
            ],
            [f"{table.source}, {'verified' if table.verified else 'not verified'}.", *table.notes],
        )
        for table in published
    ]
    kind = "a processor" if device.kind == "cpu" else f"a GPU, programmed through {device.backend}"
    return render(
        "device.html.j2", title=device.title, date=date, device=device, kind=kind,
        features=sorted(device.features), rows=rows, measured=measured,
    )  # fmt: skip
