"""The pages of machines and devices, alone or side by side, as HTML."""

from __future__ import annotations

import math
from collections.abc import Sequence

from advisor.agent.machines.comparison import Difference, MachinesCompared
from advisor.agent.machines.peaks import Peak
from advisor.agent.machines.quantities import Reading
from advisor.agent.machines.remarks import exceeds, share_of
from advisor.facts.values import number_text
from advisor.machine.profiles.devices import Bound, DeviceProfile
from advisor.machine.profiles.published import PublishedTable
from advisor.probes.verdict import MATTERS
from advisor.report.changes import VERDICTS, sentence
from advisor.report.html.drawing import Chart, Point, Shape
from advisor.report.html.rendering import render
from advisor.report.machine.compared import WORDS, answer, days_measured, one_run, quantity_name, rate_of
from advisor.report.machine.devices import figures, quantity
from advisor.report.machine.page import MachineReport, machine_words, system_words
from advisor.report.rates import amount, multiple, rate_words, times


def machine_html(report: MachineReport, date: str = "") -> str:
    title = f"Machine: {report.profile.name or 'unnamed'}"
    return render("machine.html.j2", title=title, date=date, machine=machine_view(report))


def machine_view(report: MachineReport) -> dict[str, object]:
    """The values of the template of a machine."""
    profile = report.profile
    machine = profile.machine
    said = machine_words(machine) or ["What it is was not kept when it was measured"]
    if machine is not None:
        features = ", ".join(sorted(machine.features or ()))
        said += [*([f"instruction sets {features}"] if features else []), *system_words(machine)]
    versions = [*profile.versions.items(), ("host", profile.host), ("fingerprint", profile.fingerprint)]
    return {
        "date": profile.date[:10],
        "words": said,
        "versions": [(name, version) for name, version in versions if version],
        "quantities": [_quantity(reading, report.peaks.get(name)) for name, reading in report.measured.items()],
        "compared": [
            (outcome.probe, VERDICTS[outcome.verdict], sentence(outcome), outcome.applies.get("network", ""))
            for outcome in report.decisions
        ],
        "unusual": [remark.what for remark in report.remarks],
        "to_do": report.to_do,
        "notes": report.notes,
    }


def _quantity(reading: Reading, peak: Peak | None) -> tuple[str, str, float | None, str]:
    """Label, rate, the share (0..1) of the known peak that is drawn as a bar, if any, and that in words."""
    share = share_of(reading, peak)
    drawn = None
    if peak is None or share is None:
        says = "no peak known"
    elif not peak.known:
        says = f"{multiple(share)} {peak.source}"
    else:
        says = f"{'about ' if peak.about else ''}{amount(peak.value, reading.rate.unit)} ({peak.source})"
        if exceeds(reading, peak):
            says = f"impossible: more than {says}"
        else:
            drawn = min(share, 1.0)
            says = f"{share if peak.about else drawn:.0%} of {says}"
    return reading.quantity.label, rate_words(reading.rate), drawn, says


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


def machines_html(compared: MachinesCompared, date: str = "") -> str:
    """Two machines, or one at two times: the answer, what each is, every figure with the ratio of the two."""
    return render(
        "machines.html.j2",
        title="One machine at two times" if compared.same_machine else "Two machines side by side",
        date=date,
        answer=answer(compared),
        sides=[(mark, side.title, ", ".join(machine_words(side.machine)) or "what it is was not kept", days_measured(side))
               for mark, side in (("A", compared.first), ("B", compared.second))],
        context=compared.context,
        rows=[_row(one) for one in compared.differences],
        chart=_ratios(compared.differences),
        identical=[quantity_name(quantity) for quantity in compared.identical],
        only=[(mark, [quantity_name(quantity) for quantity in only])
              for mark, only in (("A", compared.first_only), ("B", compared.second_only)) if only],
        one_run=one_run(compared),
    )  # fmt: skip


def _row(one: Difference) -> tuple[str, str, str, str, str]:
    """Name, rates on A and on B, ratio and verdict."""
    a, b = rate_of(one.first, one.first_runs), rate_of(one.second, one.second_runs)
    return quantity_name(one.quantity), a, b, times(one.ratio, one.low, one.high), WORDS[one.change]


def _ratios(differences: tuple[Difference, ...]) -> Chart | None:
    points = [
        Point(quantity_name(one.quantity), one.ratio, one.low, one.high)
        for one in differences
        if 0 < one.low <= one.high < math.inf
    ]
    if not points:
        return None
    return Chart(
        name="machines",
        title="How much faster B is than A",
        says="For each figure B over A with its 95 % interval. Right of 1 B is faster; within the band around 1 there is no "
        "difference that matters.",
        shape=Shape.RATIOS,
        points=tuple(points),
        axis="B over A",
        head=("What", "B over A and 95 % interval", "Verdict"),
        rows=tuple((name, ratio, word) for name, _, _, ratio, word in map(_row, differences)),
        indifferent=MATTERS,
    )
