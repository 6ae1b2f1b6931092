"""The page of one machine: what it is, how fast it is against what is possible, what is unusual, what to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from advisor.agent.machines.peaks import FindDevice, Peak, peak_of
from advisor.agent.machines.quantities import Reading, newest_readings
from advisor.agent.machines.remarks import Again, Remark, exceeds, notes_of, remarks, share_of
from advisor.agent.remembered.memory import LAST
from advisor.agent.remembered.profile import MachineProfile, own_outcomes
from advisor.facts.values import with_unit
from advisor.facts.verdict import Verdict
from advisor.machine.machine import Machine
from advisor.plain import encode
from advisor.probes.outcome import Outcome, newest_of
from advisor.report.changes import STYLES, VERDICTS
from advisor.report.page import Look, Page, Piece, Style, cells
from advisor.report.rates import amount, bar, multiple, rate_words, times
from advisor.wording import join_names, shell_word, shorten

_LABEL, _FIGURE, _SHARE, _BAR = 20, 28, 9, 16
_NARROWEST_TABLE = 76


@dataclass(frozen=True, slots=True)
class MachineReport:
    """All that the page says, as values."""

    profile: MachineProfile
    measured: Mapping[str, Reading]
    """The newest reading of each gauged fact"""
    peaks: Mapping[str, Peak]
    remarks: tuple[Remark, ...]
    notes: tuple[str, ...]
    """Remarks on how it was measured"""
    decisions: tuple[Outcome, ...]
    """The newest comparison of settings by each probe for each network"""

    @property
    def to_do(self) -> list[str]:
        """The remedies, each once."""
        return list(dict.fromkeys(remark.remedy for remark in self.remarks if remark.remedy))


def machine_report(profile: MachineProfile, find: FindDevice, again: Again | None = None) -> MachineReport:
    """The report on the machine as it was last.

    Args:
        find: the profile of a device by the name that the machine gives it (advisor.machine.profiles.files.find_device).
        again: how it is measured again; None where only the profile's name is known of that.
    """
    again = again or Again("" if profile.name in ("", LAST) else f"--save {shell_word(profile.name)}")
    outcomes = own_outcomes(profile)
    gauged = [reading for quantity, reading in newest_readings(outcomes).items() if quantity.gauged]
    latest = {reading.quantity.name: reading for reading in sorted(gauged, key=lambda one: one.outcome.date)}
    measured = {name: latest[name] for name in dict.fromkeys(reading.quantity.name for reading in gauged)}
    found = {name: peak_of(reading, profile.machine, find, measured) for name, reading in measured.items()}
    peaks = {name: peak for name, peak in found.items() if peak is not None}
    newest = _newest(outcomes)
    decided = {(o.probe, o.applies.get("network", "")): o for o in outcomes if o.fact and o.measured}
    said = remarks(profile.machine, newest, measured, peaks, again)
    notes = notes_of(newest)
    return MachineReport(profile, measured, peaks, said, notes, tuple(decided.values()))


def _newest(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """The last outcome of each probe that came to something, and after it one that failed since."""
    found = newest_of(outcomes)
    last = {outcome.probe: outcome for outcome in outcomes}
    return [one for probe in last for one in (found[probe], last[probe]) if one is found[probe] or one.failure]


def machine_page(report: MachineReport, look: Look, *, is_here: bool = True, is_kept: bool = True) -> str:
    """The page for the terminal.

    Args:
        is_here: whether it is a machine of this host, so that what is to be done can be done here.
        is_kept: whether there is a profile of that name with these figures.
    """
    page = Page(look)
    profile = report.profile
    _what_it_is(page, profile, is_here, is_kept)
    if report.measured:
        page.heading("HOW FAST IT IS")
        _quantities(page, report)
    if not profile.outcomes:
        page.apart(f"Nothing has been measured yet{'' if is_here else ' (on that machine)'}: `advisor probe`")
    page.section("WHAT WAS COMPARED", map(_decision, report.decisions))
    page.section("WHAT IS UNUSUAL", [remark.what for remark in report.remarks])
    page.section("WHAT TO DO" if is_here else "WHAT TO DO (on that machine)", report.to_do, "{}. ")
    if report.to_do and not is_here:
        page.add("Measured anew there, `advisor profiles export NAME --output FILE` brings it here.")
    elif profile.outcomes and not report.to_do:
        page.apart("Nothing unusual that could be fixed was found.")
    page.section("HOW IT WAS MEASURED", [(note, Style.FAINT) for note in report.notes])
    return page.text()


def machine_json(report: MachineReport) -> dict[str, Any]:
    """The profile with what the page makes of it; without the single samples, which `export` has."""
    profile = report.profile
    document = profile.to_json()
    del document["outcomes"]
    return document | {
        "kind": "machine",
        "quantities": [_quantity_json(name, reading, report) for name, reading in report.measured.items()],
        "compared": [
            {key: value for key, value in outcome.to_json().items() if key != "settings"}
            for outcome in report.decisions
        ],
        "unusual": [{"what": remark.what, "remedy": remark.remedy} for remark in report.remarks],
        "how_measured": list(report.notes),
    }


def kept_page(profiles: Sequence[MachineProfile], look: Look) -> str:
    """The machines measured on this host, a line each, the newest first."""
    page = Page(look)
    if not profiles:
        page.add("No machine has been measured on this host: `advisor probe` does.")
        return page.text()
    width = max(cells(shorten(profile.name)) for profile in profiles)
    for profile in sorted(profiles, key=lambda profile: profile.date, reverse=True):
        what = ", ".join(machine_words(profile.machine)) or "a machine"
        first = [(f"{shorten(profile.name):<{width}}  ", Style.STRONG)]
        page.add(
            f"{what}; {len(profile.outcomes)} measurements, the last on {profile.date[:10] or 'no day'}", first=first
        )
    page.apart("Machines measured on this host. `advisor profiles show NAME` has the page of one.")
    return page.text()


def kept_json(profile: MachineProfile) -> dict[str, Any]:
    """A measured machine in the list of profiles."""
    return {
        "kind": "machine",
        "name": profile.name,
        "title": ", ".join(machine_words(profile.machine)),
        "date": profile.date,
        "fingerprint": profile.fingerprint,
        "measurements": len(profile.outcomes),
    }


def machine_words(machine: Machine | None) -> list[str]:
    """The machine in a few phrases: processor, cores, memory, cards; none where nothing was kept of it."""
    if machine is None:
        return []
    cores = None if machine.physical_cores is None else with_unit(machine.physical_cores, "cores")
    usable = machine.usable_cores
    if usable is not None and usable != machine.physical_cores:
        cores = f"{cores or 'cores unknown'} ({with_unit(usable, 'hardware threads')} usable)"
    memory = None if machine.memory_bytes is None else f"{machine.memory_bytes / 2**30:.1f} GiB of memory"
    names = [card.name or f"a {card.backend} card" for card in machine.gpus or ()]
    cards = [f"{names.count(name)} x {name}" if names.count(name) > 1 else name for name in dict.fromkeys(names)]
    gpus = None if machine.gpus is None else join_names(cards) or "no graphics card"
    known = [machine.cpu_model or "Processor unknown", cores, memory, gpus or "graphics cards unknown"]
    return [phrase for phrase in known if phrase is not None]


def system_words(machine: Machine) -> list[str]:
    """The operating system, and what it runs in."""
    system = " ".join(part for part in (machine.system, machine.kernel) if part)
    virtual, container = "a virtual machine" if machine.virtual else "", f"in {machine.container}"
    return [part for part in (system, virtual, container if machine.container else "") if part]


def _what_it_is(page: Page, profile: MachineProfile, is_here: bool, is_kept: bool) -> None:
    day = profile.date[:10]
    measured = f", measured last on {day}" if day else ""
    if not is_kept:
        page.add(("THIS MACHINE", Style.HEADING), ", as this run found it; nothing of it was saved")
    elif profile.name == LAST and is_here:
        page.add(("THIS MACHINE", Style.HEADING), measured)
    else:
        page.add(("MACHINE ", Style.HEADING), (profile.name, Style.STRONG), measured)
    machine = profile.machine
    if machine is None:
        page.add("What it is was not kept when it was measured.")
    else:
        page.add(f"{', '.join(machine_words(machine))}.")
        if machine.features:
            page.add(f"Instruction sets: {', '.join(sorted(machine.features))}.")
        if system := system_words(machine):
            page.add(f"{', '.join(system)}.")
    versions = ", ".join(f"{name} {version}" for name, version in profile.versions.items())
    where = f" on the host {profile.host}" if profile.host else ""
    if versions or where:
        said = f"Measured{where}{' with ' if versions else ''}{versions}. Fingerprint {profile.fingerprint}."
        page.add((said, Style.FAINT))


def _quantities(page: Page, report: MachineReport) -> None:
    """A line each: what, how fast, and the share of the known peak as a bar, with a footnote on where that comes from.

    Where another quantity only puts it into proportion, there is no bar: that is no limit.
    """
    notes: dict[str, None] = {}
    width = page.look.columns
    bars = _BAR if width < 90 else _BAR + width - 80
    for name, reading in report.measured.items():
        peak = report.peaks.get(name)
        share = share_of(reading, peak)
        words, style, drawn = "no peak known", Style.FAINT, ""
        if peak is not None and share is not None and not peak.known:
            words, style = f"{multiple(share)} {peak.source}", Style.PLAIN
        elif peak is not None and share is not None:
            note = _footnote(peak, reading.rate.unit)
            notes.setdefault(note)
            mark = f"[{list(notes).index(note) + 1}]"
            if exceeds(reading, peak):
                words, style = f"impossible {mark}", Style.BAD
            else:
                words, style = f"{share if peak.about else min(share, 1.0):.0%} {mark}", Style.PLAIN
                drawn = bar(share, bars, unicode=page.look.unicode)
        figure = rate_words(reading.rate)
        if width < _NARROWEST_TABLE:
            page.add(f"{reading.quantity.label}: ", (figure, Style.STRONG), f", {words}", first="- ")
            continue
        row: list[tuple[Piece, ...]] = [(reading.quantity.label,), ((figure, Style.STRONG),), ((words, style),)]
        if drawn:
            page.columns([*row[:2], (drawn,), row[2]], (_LABEL, _FIGURE, bars, _SHARE))
        else:
            page.columns(row, (_LABEL, _FIGURE, bars + _SHARE + 2))
    page.items(((note, Style.FAINT) for note in notes), "[{}] ")


def _footnote(peak: Peak, unit: str) -> str:
    value = amount(peak.value, unit)
    if peak.about:
        return f"of about {value}: {peak.source}; above that, the clock is higher"
    return f"of {value}: {peak.source}"


def _decision(outcome: Outcome) -> list[Piece]:
    """`threads 2: confirmed against 1, 1.33x [1.26, 1.46], 24 pairs, for ffn 64-[64]-10`."""
    either = f"{outcome.before} or {outcome.rival}"
    what = {
        Verdict.CONFIRMED: outcome.before,
        Verdict.OVERTURNED: f"{outcome.after} instead of {outcome.before}",
    }.get(outcome.verdict, either)
    assert outcome.median is not None  # noqa: S101 - it was measured
    assert outcome.low is not None  # noqa: S101
    assert outcome.high is not None  # noqa: S101
    speed = times(outcome.median, outcome.low, outcome.high)
    network = outcome.applies.get("network")
    rest = f", {speed}, {outcome.n} pairs{f', {network}' if network else ''}"
    style = Style.PLAIN if outcome.verdict is Verdict.UNDECIDED else STYLES[outcome.verdict]
    return [f"{outcome.probe} {what}: ", (VERDICTS[outcome.verdict], style), rest]


def _quantity_json(name: str, reading: Reading, report: MachineReport) -> dict[str, Any]:
    peak = report.peaks.get(name)
    impossible = exceeds(reading, peak)
    return {
        "name": name,
        "label": reading.quantity.label,
        **encode(reading.rate),
        "date": reading.outcome.date,
        "share": None if impossible else share_of(reading, peak),
        "peak": None if peak is None else {**encode(peak), "wrong": impossible},
    }
