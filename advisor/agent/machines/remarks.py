"""Remarks on what is unusual about a machine, each with the figures that show it and a remedy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from advisor.agent.machines.peaks import Peak
from advisor.agent.machines.quantities import Reading
from advisor.facts.verdict import Verdict
from advisor.machine.machine import Machine
from advisor.probes.catalogue import PROBES
from advisor.probes.conditions import BUSY, STOLEN, WIDE, spread
from advisor.probes.outcome import Outcome
from advisor.probes.rates import STORAGE
from advisor.wording import join_names, shell_word

LOW_SHARE = 0.5
"""Of a known peak; well-made loops reach 0.7 to 0.95 of most."""
LOW_SHARE_OF_ABOUT = 0.25
"""Of a peak that is only a measure: a virtual core may be half a core, and clocks fall under wide vectors."""
WIDE_INTERVAL = 0.10
"""Width of a 95 % interval over its median, from which on a figure is rough."""
FAR_BELOW = 0.1
"""Random reads over sequential ones."""
_ONE, _ALL = "probe.memory.one_thread_bytes_per_second", "probe.memory.bytes_per_second"
_RANDOM, _IN_SEQUENCE = "probe.storage.random_bytes_per_second", "probe.storage.sequential_bytes_per_second"
_LOOK_AT: Mapping[str, str] = {
    "matmul": "Look for a low clock or a power limit with `advisor doctor`, and measure again on an idle machine.",
    "memory": "Check that every memory channel has a module, and measure again on an idle machine.",
    "link": "Check the card's slot: `advisor doctor` tells how many PCIe lanes are in use.",
}
_MORE_TIME = "3min"


@dataclass(frozen=True, slots=True)
class Again:
    """The command that repeats the measurement: one of probes alone would measure another network, perhaps on another disk."""

    options: str = ""
    """As they follow `advisor probe` in a shell: --answers, --set, --data, --save, ..."""
    complete: bool = False
    """True if these are all that the run was given."""

    def command(self, probes: Iterable[str], budget: str = "") -> str:
        """`advisor probe --only storage --data pictures --budget 3min`, in backquotes, and what must be added."""
        named = list(probes)
        words = [
            "advisor probe",
            *(f"--only {name}" for name in named),
            self.options,
            budget and f"--budget {shell_word(budget)}",
        ]
        told = f"`{' '.join(filter(None, words))}`"
        if self.complete or not any(_depends(name) for name in named):
            return told
        return f"{told}, with the --answers, --set, --data and --target of that run"


def _depends(probe: str) -> bool:
    """True if it measures the plan's network, or the disk of its data."""
    return probe == STORAGE.name or any(known.name == probe and known.needs_network for known in PROBES)


@dataclass(frozen=True, slots=True)
class Remark:
    """One thing to know; `remedy` is empty where nothing is to be done."""

    what: str
    remedy: str = ""


def share_of(reading: Reading, peak: Peak | None) -> float | None:
    return None if peak is None else reading.rate.median / peak.value


def exceeds(reading: Reading, peak: Peak | None) -> bool:
    """True if a peak that nothing can exceed is exceeded: then the peak is wrong. Noise of the last per cent does not count."""
    return peak is not None and peak.known and reading.rate.low > peak.limit


def remarks(
    machine: Machine | None,
    outcomes: Sequence[Outcome],
    measured: Mapping[str, Reading],
    peaks: Mapping[str, Peak],
    again: Again = Again(),
) -> tuple[Remark, ...]:
    """Remarks on the machine and on its measurement.

    Args:
        machine: None where nothing is known of it.
        outcomes: the newest of each probe.
        measured: the newest reading of each gauged fact.
        peaks: of the facts whose peak is known, or that another one puts into proportion.
        again: how the run is repeated.
    """
    at_rest = {name: reading for name, reading in measured.items() if not reading.outcome.conditions.too_busy}
    found = [
        *_of_peaks(measured, peaks),
        *_of_pairs(at_rest),
        *_of_formats(at_rest),
        *_of_threads(machine, outcomes),
        *_of_noise(measured, outcomes, again),
        *_of_conditions(outcomes),
        *_of_failures(outcomes, again),
        *(Remark(note) for note in (machine.notes if machine is not None else ())),
    ]
    return tuple(dict.fromkeys(found))


def _of_peaks(measured: Mapping[str, Reading], peaks: Mapping[str, Peak]) -> Iterator[Remark]:
    """Peaks that cannot be right, and rates far below theirs: one remark for those with the same remedy."""
    low: dict[str, list[tuple[str, float, str]]] = {}
    for name, reading in measured.items():
        peak, label = peaks.get(name), reading.quantity.label
        if peak is None or not peak.known:
            continue
        share = reading.rate.median / peak.value
        if exceeds(reading, peak):
            yield Remark(
                f"{label}: {share:.2f} times what {peak.source} says is possible: that figure is wrong.",
                f"Correct the peak ({peak.source}), or tell the makers of this program.",
            )
        elif share < (LOW_SHARE_OF_ABOUT if peak.about else LOW_SHARE):
            remedy = _LOOK_AT.get(name.removeprefix("probe.").partition(".")[0], "")
            low.setdefault(remedy, []).append((label, share, peak.source))
    for remedy, found in low.items():
        if len(found) == 1:
            ((label, share, source),) = found
            yield Remark(f"{label}: only {share:.0%} of its peak ({source}).", remedy)
        else:
            each = ", ".join(f"{label} {share:.0%}" for label, share, _ in found)
            sources = join_names(list(dict.fromkeys(source for _, _, source in found)))
            yield Remark(f"Only a small share of their peaks: {each} ({sources}).", remedy)


def _of_noise(measured: Mapping[str, Reading], outcomes: Sequence[Outcome], again: Again) -> Iterator[Remark]:
    """Rough figures, other programs and samples that differ: they have one remedy, so it names all probes concerned."""
    rough = {
        reading.quantity.label: (width, reading.quantity.probe)
        for reading in measured.values()
        if (width := (reading.rate.high - reading.rate.low) / reading.rate.median) > WIDE_INTERVAL
    }
    busy = {o.probe: o.conditions.others_share for o in outcomes if o.conditions.others_share > BUSY}
    wide = {o.probe: width for o in outcomes if (width := max((spread(r.duel) for r in o.settings), default=0)) > WIDE}
    found = dict.fromkeys([*(probe for _, probe in rough.values()), *busy, *wide])
    remedy = f"Close other programs and measure again with more time: {again.command(found, _MORE_TIME)}"
    if rough:
        each = ", ".join(f"{label} {width:.0%}" for label, (width, _) in rough.items())
        yield Remark(f"Rough figures, by the width of their 95% intervals: {each}.", remedy)
    if busy:
        yield Remark(
            f"Other programs took up to {max(busy.values()):.0%} of the processors' time "
            f"(while measuring: {', '.join(busy)}).",
            remedy,
        )
    if wide:
        each = ", ".join(f"{probe} {width:.0%}" for probe, width in wide.items())
        yield Remark(
            f"Samples of the same thing differ a good deal (interquartile range over median: {each}).",
            remedy,
        )


def _of_pairs(measured: Mapping[str, Reading]) -> Iterator[Remark]:
    """Of figures that were taken while the machine was at rest; only what their intervals show."""
    one, every = measured.get(_ONE), measured.get(_ALL)
    if one is not None and every is not None and every.rate.high < 1.05 * one.rate.low:
        times = every.rate.median / one.rate.median
        yield Remark(
            f"All threads together read memory {times:.2f} times as fast as one thread alone.",
            "More threads will not help steps that wait for memory: prefer fewer threads, larger batches, smaller formats.",
        )
    random, sequence = measured.get(_RANDOM), measured.get(_IN_SEQUENCE)
    if random is not None and sequence is not None and random.rate.high < FAR_BELOW * sequence.rate.low:
        share = random.rate.median / sequence.rate.median
        yield Remark(
            f"Small random reads from the disk get {share:.1%} of what reading in sequence gets.",
            "Pack small files into large ones that are read in sequence, or keep the data in memory.",
        )


def _of_formats(measured: Mapping[str, Reading]) -> Iterator[Remark]:
    full = measured.get("probe.matmul.fp32")
    slower = {
        name: full.rate.median / short.rate.median
        for name in ("bf16", "fp16")
        if full is not None
        and (short := measured.get(f"probe.matmul.{name}")) is not None
        and short.rate.high < full.rate.low
    }
    if slower:
        each = join_names([f"in {name} take {times:.3g} times" for name, times in slower.items()])
        saves = f"{join_names(list(slower))} save{'s' if len(slower) == 1 else ''} memory here, not time"
        yield Remark(f"Matrix products {each} as long as in fp32.", f"Stay with fp32; {saves}.")


def _of_threads(machine: Machine | None, outcomes: Sequence[Outcome]) -> Iterator[Remark]:
    usable = machine.usable_cores if machine is not None else None
    for outcome in outcomes:
        decided = outcome.verdict in (Verdict.CONFIRMED, Verdict.OVERTURNED)
        if outcome.probe == "threads" and decided and outcome.after == 1 and usable is not None and usable > 1:
            network = outcome.applies.get("network", "this network")
            yield Remark(
                f"One thread is faster than {outcome.rival if outcome.rival != 1 else outcome.before} "
                f"for {network} ({outcome.median:.2f}x).",
                "Its steps are too small to share out: larger batches may change that.",
            )


def _of_conditions(outcomes: Sequence[Outcome]) -> Iterator[Remark]:
    """The worst of each kind, once, with the probes that it concerns."""
    stolen = {o.probe: o.conditions.stolen_share for o in outcomes if o.conditions.stolen_share > STOLEN}
    if stolen:
        yield Remark(
            f"The host of this virtual machine gave up to {max(stolen.values()):.0%} of the processors to others "
            f"(while measuring: {', '.join(stolen)}).",
            "Measure again at another hour, or on a machine whose processors are not shared.",
        )
    governors = {o.conditions.governor for o in outcomes} - {None, "performance"}
    if governors:
        names = ", ".join(sorted(map(str, governors)))
        yield Remark(
            f"The clock follows the load (governor {names}): short measurements may see it rise.",
            "For steady figures: sudo cpupower frequency-set -g performance",
        )


def _of_failures(outcomes: Sequence[Outcome], again: Again) -> Iterator[Remark]:
    """Once for the probes that failed for the same reason."""
    failed: dict[str, dict[str, None]] = {}
    for outcome in outcomes:
        if outcome.failure is not None:
            failed.setdefault(outcome.failure, {})[outcome.probe] = None
    for failure, probes in failed.items():
        yield Remark(
            f"The probe{'s' if len(probes) > 1 else ''} {join_names(list(probes))} did not finish: {failure}",
            f"Try {'them' if len(probes) > 1 else 'it'} alone: {again.command(probes)}",
        )


def notes_of(outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    """The notes of each probe on its measurement; not the conditions that the remarks above tell."""
    said = ("Other programs took", "The host of this virtual machine", "The clock follows", "The samples of")
    notes = [(o.probe, note) for o in outcomes for note in o.conditions.warnings if not note.startswith(said)]
    return tuple(dict.fromkeys(f"{probe}: {note}" for probe, note in notes))
