"""Machines and outcomes made up for tests of machine profiles: no figure here was measured anywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from advisor.agent.remembered.profile import MachineProfile, grown
from advisor.facts.verdict import Verdict
from advisor.machine.machine import Machine
from advisor.probes.conditions import Conditions
from advisor.probes.outcome import Outcome, SettingRecord

MACHINE = Machine(
    cpu_model="Made-up processor",
    physical_cores=4,
    logical_cores=8,
    usable_cores=8,
    features=frozenset({"avx2"}),
    memory_bytes=16 * 2**30,
    gpus=(),
)
NETWORK = {"network": "ffn 64-[64]-10", "batch_size": "32", "precision": "fp32"}
MEMORY, ONE_THREAD = "probe.memory.bytes_per_second", "probe.memory.one_thread_bytes_per_second"


def samples(rate: float, spread: float = 0.002, number: int = 24) -> tuple[float, ...]:
    """Seconds per unit of work around this many units per second, evenly spread."""
    return tuple((1 + spread * (2 * place / (number - 1) - 1)) / rate for place in range(number))


def gauged(
    rates: Mapping[str, float], *, probe: str = "threads", machine: Machine = MACHINE, date: str = "2026-11-20",
    work: str = "byte", spread: float = 0.002, **changed: object,
) -> Outcome:  # fmt: skip
    """One run that gauged these facts, each in a setting of its own."""
    settings = {fact: f"setting {number}" for number, fact in enumerate(rates)}
    outcome = Outcome(
        probe=probe,
        topic="",
        fact="",
        before="setting 0",
        verdict=Verdict.NO_DIFFERENCE,
        median=1.0,
        low=0.99,
        high=1.01,
        n=24,
        work=work,
        gauges=settings,
        applies={"machine": machine.fingerprint, "torch": "2.0"},
        date=f"{date}T10:00:00+00:00",
        settings=tuple(SettingRecord(settings[fact], duel=samples(rate, spread)) for fact, rate in rates.items()),
    )
    return changed_outcome(outcome, **changed)


def compared(
    *, before: int = 2, rival: int = 1, verdict: Verdict = Verdict.CONFIRMED, machine: Machine = MACHINE,
    date: str = "2026-11-20", rate: float = 100.0, speed_up: float = 1.3, **changed: object,
) -> Outcome:  # fmt: skip
    """One run of the probe of threads; `rate` in steps per second of the setting that was recommended."""
    outcome = Outcome(
        probe="threads",
        topic="compute.threads",
        fact="probe.threads.best",
        before=before,
        rival=rival,
        after={Verdict.OVERTURNED: rival, Verdict.UNDECIDED: None}.get(verdict, before),
        verdict=verdict,
        median=speed_up,
        low=speed_up * 0.95,
        high=speed_up * 1.05,
        n=24,
        applies={**NETWORK, "machine": machine.fingerprint, "torch": "2.0", "python": "3.11.0"},
        date=f"{date}T10:00:00+00:00",
        settings=(
            SettingRecord(before, duel=samples(rate)),
            SettingRecord(rival, duel=samples(rate / speed_up)),
        ),
        conditions=Conditions(),
    )
    return changed_outcome(outcome, **changed)


def changed_outcome(outcome: Outcome, **changed: object) -> Outcome:
    from dataclasses import replace

    return replace(outcome, **changed)  # type: ignore[arg-type]


def profile(
    outcomes: Sequence[Outcome], name: str = "lab", machine: Machine = MACHINE, host: str = "host-one"
) -> MachineProfile:
    return grown(None, name, machine, host, outcomes)
