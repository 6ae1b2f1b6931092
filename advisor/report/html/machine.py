"""The page of one machine as HTML, and the section of it in a plan's report."""

from __future__ import annotations

from advisor.agent.machines.peaks import Peak
from advisor.agent.machines.quantities import Reading
from advisor.agent.machines.remarks import exceeds, share_of
from advisor.report.changes import VERDICTS, sentence
from advisor.report.html.rendering import render
from advisor.report.machine.page import MachineReport, machine_words
from advisor.report.rates import amount, multiple, rate_words


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
        said += [f"instruction sets {features}"] if features else []
        said += [" ".join(part for part in (machine.system, machine.kernel) if part)]
        said += ["a virtual machine"] if machine.virtual else []
        said += [f"in {machine.container}"] if machine.container else []
    versions = [*profile.versions.items(), ("host", profile.host), ("fingerprint", profile.fingerprint)]
    return {
        "date": profile.date[:10],
        "words": [part for part in said if part],
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
