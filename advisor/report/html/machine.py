"""The page of one machine as HTML, and the section of it in a plan's report."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.agent.machines.peaks import Peak
from advisor.agent.machines.quantities import Reading
from advisor.agent.machines.remarks import exceeds, share_of
from advisor.report.changes import VERDICTS, sentence
from advisor.report.html.rendering import render
from advisor.report.machine.page import MachineReport, machine_words
from advisor.report.rates import amount, multiple, rate_words


@dataclass(frozen=True, slots=True)
class Quantity:
    """The speed of something. `share` (0..1) of the known peak is drawn as a bar, None where no peak is known."""

    label: str
    rate: str
    share: float | None
    says: str


@dataclass(frozen=True, slots=True)
class MachineView:
    name: str
    date: str
    words: tuple[str, ...]
    versions: tuple[tuple[str, str], ...]
    quantities: tuple[Quantity, ...]
    compared: tuple[tuple[str, str, str, str], ...]
    """Probe, verdict, the comparison in a sentence, the network"""
    unusual: tuple[str, ...]
    to_do: tuple[str, ...]
    notes: tuple[str, ...]


def machine_html(report: MachineReport, date: str = "") -> str:
    view = machine_view(report)
    return render("machine.html.j2", title=f"Machine: {view.name or 'unnamed'}", date=date, machine=view)


def machine_view(report: MachineReport) -> MachineView:
    profile = report.profile
    machine = profile.machine
    said = list(machine_words(machine)) if machine is not None else ["What it is was not kept when it was measured"]
    if machine is not None:
        features = ", ".join(sorted(machine.features or ()))
        said += [f"instruction sets {features}"] if features else []
        said += [" ".join(part for part in (machine.system, machine.kernel) if part)]
        said += ["a virtual machine"] if machine.virtual else []
        said += [f"in {machine.container}"] if machine.container else []
    versions = [*profile.versions.items(), ("host", profile.host), ("fingerprint", profile.fingerprint)]
    return MachineView(
        name=profile.name,
        date=profile.date[:10],
        words=tuple(part for part in said if part),
        versions=tuple((name, version) for name, version in versions if version),
        quantities=tuple(_quantity(reading, report.peaks.get(name)) for name, reading in report.measured.items()),
        compared=tuple(
            (outcome.probe, VERDICTS[outcome.verdict], sentence(outcome), outcome.applies.get("network", ""))
            for outcome in report.decisions
        ),
        unusual=tuple(remark.what for remark in report.remarks),
        to_do=tuple(dict.fromkeys(remark.remedy for remark in report.remarks if remark.remedy)),
        notes=report.notes,
    )


def _quantity(reading: Reading, peak: Peak | None) -> Quantity:
    label, rate = reading.quantity.label, rate_words(reading.rate)
    share = share_of(reading, peak)
    if peak is None or share is None:
        return Quantity(label, rate, None, "no peak known")
    if not peak.known:
        return Quantity(label, rate, None, f"{multiple(share)} {peak.source}")
    possible = f"{'about ' if peak.about else ''}{amount(peak.value, reading.rate.unit)} ({peak.source})"
    if exceeds(reading, peak):
        return Quantity(label, rate, None, f"impossible: more than {possible}")
    shown = share if peak.about else min(share, 1.0)
    return Quantity(label, rate, min(share, 1.0), f"{shown:.0%} of {possible}")
