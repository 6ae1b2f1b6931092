"""What a child has said becomes an outcome: doubts keep a verdict back, rates become facts."""

from __future__ import annotations

import contextlib
import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.children.errors import NonsenseError
from advisor.facts.verdict import Verdict
from advisor.probes.conditions import Moment
from advisor.probes.judging.record import MOST_NOTES, Record
from advisor.probes.outcome import Outcome
from advisor.probes.probe import Probe, Setting
from advisor.probes.protocol import (
    LONGEST,
    MESSAGES,
    SHORTEST,
    Duel,
    Failed,
    Message,
    Note,
    Phase,
    Predicted,
    Ready,
    Rechecked,
    Rehearsed,
    Sample,
    Told,
)
from advisor.probes.rates import ALL_THREADS, MEMORY
from advisor.probes.settings.batch import BATCH
from advisor.probes.settings.cores import THREADS
from advisor.probes.workload import Workload

WORKLOAD = Workload("ffn", "tabular", 4, 2, (4,))
BEGUN = Moment(0.0, total=100.0, stolen=0.0, busy=50.0, ours=5.0, governor="performance", megahertz=3000.0)
QUIET = replace(BEGUN, total=120.0, busy=61.0, ours=15.0)
BUSY = replace(BEGUN, total=120.0, busy=62.0, ours=10.0)
OVERRUN = replace(BEGUN, total=120.0, busy=69.0, ours=6.0)
STOLEN = replace(BEGUN, total=120.0, busy=61.0, ours=15.0, stolen=6.0)


def told(probe: Probe, *messages: Message, ended: Moment = QUIET, before: Setting = 16, rival: Setting = 32) -> Outcome:
    """The outcome of twelve pairs in which the rival was twice as fast, and what else was said."""
    record = Record(probe, WORKLOAD, before, (before, rival), seed=0)
    record.add(Ready("2.13", "3.11", 2))
    record.add(Duel(rival))
    for number in range(12):
        record.add(Sample(Phase.DUEL, before, number, 0.2))
        record.add(Sample(Phase.DUEL, rival, number, 0.1))
    for message in messages:
        try:
            record.add(message)
        except NonsenseError:
            record.misunderstood += 1
    return record.outcome(None, BEGUN, ended, "2026-11-21T10:00:00+00:00", "machine")


def test_a_size_that_ran_again_in_a_fresh_process_is_returned_with_its_own_peak() -> None:
    outcome = told(BATCH, Rehearsed(32, 0.1, 900), Rechecked(32, 500, ""))
    assert (outcome.verdict, outcome.after) == (Verdict.OVERTURNED, 32)
    assert [record.peak_memory_bytes for record in outcome.settings] == [None, 500]


@pytest.mark.parametrize(
    ("said", "doubt"),
    [
        ((), "32 came out best, but there was no time to run it once more in a fresh process."),
        (
            (Rechecked(32, 0, "a batch of 32 examples does not fit the memory."),),
            "32 came out best, but did not run in a fresh process: a batch of 32 examples does not fit the memory.",
        ),
    ],
)
def test_a_size_that_did_not_run_again_is_not_returned(said: tuple[Message, ...], doubt: str) -> None:
    outcome = told(BATCH, *said)
    assert (outcome.verdict, outcome.after, outcome.facts()) == (Verdict.UNDECIDED, None, {})
    assert doubt in outcome.conditions.warnings
    assert outcome.n == 12


def untimed(probe: Probe, before: Setting, *messages: Message, late: bool = False) -> Outcome:
    """The outcome of a child that has compared nothing."""
    record = Record(probe, WORKLOAD, before, (8, 16, 32, before), seed=0, late=late)
    for message in messages:
        record.add(message)
    return record.outcome("It was not compared.", BEGUN, QUIET, "", "machine")


def test_a_step_that_was_too_long_to_be_run_says_how_long() -> None:
    outcome = untimed(THREADS, 16, Predicted(16, 3.0), Predicted(16, 4.0, too_long=True))
    assert (outcome.too_slow, outcome.step_seconds) == (True, 4.0)


@pytest.mark.parametrize("batch", [Rehearsed(32, 0.5, 0), Predicted(32, 16.0)])
def test_what_smaller_batches_took_tells_of_the_one_that_was_not_reached(batch: Message) -> None:
    outcome = untimed(BATCH, 128, Rehearsed(8, 0.8, 0), batch, late=True)
    assert outcome.too_slow
    assert outcome.step_seconds == pytest.approx(64.0)


def test_a_start_that_took_all_the_time_was_too_slow() -> None:
    assert untimed(THREADS, 16, late=True).too_slow
    ready = Ready("2.13.0", "3.12.3", 2, "cuda")
    assert untimed(BATCH, 128, ready, Failed("The time was over before it was begun.", late=True)).too_slow


def test_want_of_time_is_told_apart_from_other_failures() -> None:
    assert untimed(THREADS, 16, Failed("The time was over before 16 was begun.", late=True)).late
    assert untimed(THREADS, 16, late=True).late
    assert not untimed(THREADS, 16, Failed("It does not fit.")).late


def test_what_failed_for_another_reason_was_not_too_slow() -> None:
    assert not untimed(THREADS, 16, Predicted(16, 3.0)).too_slow  # such as for want of memory
    assert not untimed(MEMORY, ALL_THREADS, late=True).too_slow  # it has no step that could be faster
    rehearsed = untimed(THREADS, 16, Rehearsed(16, 3.0, 0), late=True)
    assert (rehearsed.too_slow, rehearsed.step_seconds) == (False, 3.0)


def test_the_pairs_tell_how_long_a_step_takes() -> None:
    assert told(THREADS).step_seconds == pytest.approx(0.2)
    assert told(BATCH).step_seconds == pytest.approx(0.2 * 16)


@pytest.mark.parametrize("ended", [BUSY, STOLEN], ids=["other programs", "the host"])
def test_numbers_of_processors_are_not_judged_while_others_take_some(ended: Moment) -> None:
    outcome = told(THREADS, ended=ended)
    assert outcome.verdict is Verdict.UNDECIDED
    assert any("kept the CPU busy" in warning for warning in outcome.conditions.warnings)
    assert told(THREADS).verdict is Verdict.OVERTURNED


def test_settings_that_suffer_alike_are_judged_on_a_busy_machine() -> None:
    assert told(replace(THREADS, shares_cores=False), ended=BUSY).verdict is Verdict.OVERTURNED


def test_on_an_overrun_machine_nothing_is_decided() -> None:
    assert told(replace(THREADS, shares_cores=False), ended=OVERRUN).verdict is Verdict.UNDECIDED


def test_rates_of_a_gauge_become_facts_whatever_the_verdict() -> None:
    gauge = replace(THREADS, topic="", gauges={"probe.slow": 16, "probe.fast": 32}, shares_cores=False)
    outcome = told(gauge)
    assert outcome.facts() == {"probe.slow": pytest.approx(5.0), "probe.fast": pytest.approx(10.0)}
    rate = outcome.rate(32)
    assert rate is not None
    assert (rate.unit, rate.n) == ("steps/s", 12)
    assert rate.low <= rate.median <= rate.high
    assert outcome.rate(64) is None


def test_energy_is_told_for_each_joule() -> None:
    rate = told(replace(THREADS, per="J", shares_cores=False)).rate(32)
    assert rate is not None
    assert rate.unit == "steps/J"


def test_notes_of_a_child_are_kept_up_to_a_number() -> None:
    outcome = told(replace(THREADS, shares_cores=False), *[Note(f"note {number}") for number in range(MOST_NOTES + 5)])
    notes = [warning for warning in outcome.conditions.warnings if warning.startswith("note ")]
    assert notes == [f"note {number}" for number in range(MOST_NOTES)]


def test_a_setting_that_was_not_asked_for_is_not_believed() -> None:
    outcome = told(replace(THREADS, shares_cores=False), Rechecked(99, 1, ""), Rehearsed(99, 1.0, 1))
    assert any(
        "2 lines from the probe's process could not be understood" in text for text in outcome.conditions.warnings
    )


@pytest.mark.parametrize(("elapsed", "verdict"), [(1.4, Verdict.UNDECIDED), (1.6, Verdict.OVERTURNED)])
def test_pairs_that_a_moment_could_disturb_decide_nothing_at_the_end_either(elapsed: float, verdict: Verdict) -> None:
    last = (Sample(Phase.DUEL, 16, 12, 0.2, elapsed - 0.1), Sample(Phase.DUEL, 32, 12, 0.1, elapsed))
    outcome = told(replace(THREADS, shares_cores=False), *last)
    assert outcome.verdict is verdict
    short = "The pairs took 1.4 s, which one disturbance can fill: 1.5 s are the shortest time that decides."
    assert (short in outcome.conditions.warnings) == (verdict is Verdict.UNDECIDED)


def test_the_disk_that_was_read_belongs_to_the_scope() -> None:
    outcome = told(replace(THREADS, shares_cores=False), Ready("", "3.11", 2, disk="/data (nvme)"))
    assert outcome.applies["disk"] == "/data (nvme)"


EXTREME = st.sampled_from([SHORTEST, LONGEST, 1e-300, 1e300, 5e-324])
SAMPLES = st.builds(
    Sample,
    st.sampled_from(Phase),
    st.sampled_from([16, 32, 64]),
    st.integers(0, 20),
    st.floats(min_value=0.0) | EXTREME,
)
OTHERS = st.sampled_from(
    [Duel(32), Duel(64), Rehearsed(16, 1.0, 0), Rechecked(32, 2**62, ""), Note("n"), Ready("", "", 0)]
)


@given(st.lists(SAMPLES | OTHERS, max_size=80))
def test_whatever_is_accepted_becomes_an_outcome_that_can_be_written(messages: list[Message]) -> None:
    for probe in (BATCH, replace(THREADS, gauges={"probe.slow": 16}, shares_cores=False)):
        record = Record(probe, WORKLOAD, 16, (16, 32, 64), seed=0)
        for message in messages:
            with contextlib.suppress(ValueError):
                record.add(MESSAGES.read(MESSAGES.line(message)))
        outcome = record.outcome(None, BEGUN, QUIET, "", "machine")
        assert json.dumps(outcome.to_json(), allow_nan=False)
        json.dumps(outcome.facts(), allow_nan=False)


def test_what_the_winner_was_timed_with_holds_with_it() -> None:
    also = replace(THREADS, also=("probe.workers.threads",), shares_cores=False)
    said = [Told(16, "probe.workers.threads", 2), Told(32, "probe.workers.threads", 1), Told(32, "probe.other", 9)]
    assert told(also, *said).facts() == {"probe.threads.best": 32, "probe.workers.threads": 1}
    assert told(replace(also, recheck=True), *said).facts() == {}
