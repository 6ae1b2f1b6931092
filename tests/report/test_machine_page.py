"""The page of a machine and the comparison of two: what is said, and that no name can take over the screen."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.agent.machines.comparison import compare, side_of, sides_of
from advisor.agent.machines.remarks import Again
from advisor.agent.remembered.anonymous import anonymous_json
from advisor.agent.remembered.profile import MachineProfile
from advisor.facts.verdict import Verdict
from advisor.machine.cards import Gpu
from advisor.machine.machine import Machine
from advisor.machine.profiles.files import find_device
from advisor.machine.profiles.published import published_figures
from advisor.probes.conditions import Conditions
from advisor.probes.outcome import Outcome
from advisor.report.machine.compared import answer, compared_json, compared_page
from advisor.report.machine.devices import device_json, device_page
from advisor.report.machine.page import kept_page, machine_json, machine_page, machine_report, machine_words
from advisor.report.page import Look, cells
from advisor.report.rates import bar

from ..agent.profiles_made import MACHINE, MEMORY, NETWORK, ONE_THREAD, compared, gauged, profile

SEQUENTIAL, RANDOM = "probe.storage.sequential_bytes_per_second", "probe.storage.random_bytes_per_second"
CARD = replace(MACHINE, gpus=(Gpu("cuda", "NVIDIA A100-SXM4-80GB"),))
ON_CARD = {"machine": CARD.fingerprint, "device": "cuda"}


def page(outcomes: Sequence[Outcome], machine: Machine = MACHINE, look: Look = Look(80)) -> str:  # noqa: B008
    return machine_page(machine_report(profile(outcomes, machine=machine), find_device), look)


def flat(text: str) -> str:
    return " ".join(text.split())


def test_the_page_begins_with_what_the_machine_is() -> None:
    text = flat(page([compared()]))
    assert text.startswith(
        "MACHINE lab, measured last on 2026-11-20 Made-up processor, 4 cores (8 hardware threads usable)"
    )
    assert "16.0 GiB of memory, no graphics card." in text
    assert "torch 2.0, python 3.11.0" in text


def test_a_rate_stands_beside_what_is_possible() -> None:
    tensor = gauged({"probe.matmul.tf32": 117e12}, work="FLOP", machine=CARD, applies=ON_CARD)
    text = page([tensor], CARD)
    assert "117 TFLOP/s" in text
    assert f"{bar(0.75, 16, unicode=True)}  75% [1]" in text
    assert "[1] of 156 TFLOP/s: profile a100-sxm-80gb" in text


def test_without_a_known_peak_there_is_no_bar() -> None:
    (line,) = [line for line in page([gauged({MEMORY: 2e10})]).splitlines() if "Memory, all threads" in line]
    assert "20.0 GB/s [20.0, 20.0]" in line
    assert line.endswith("no peak known")
    assert not set(line) & set("█░#")


def test_what_another_quantity_puts_into_proportion_has_no_bar_since_that_is_no_peak() -> None:
    text = page([gauged({MEMORY: 2e10, ONE_THREAD: 1e10})])
    (line,) = [line for line in text.splitlines() if "Memory, one thread" in line]
    assert line.endswith("0.50x Memory, all threads")
    assert not set(text) & set("█░")


def test_a_peak_that_is_exceeded_is_an_error_of_the_profile_and_never_a_share() -> None:
    report = machine_report(
        profile([gauged({"probe.matmul.bf16": 400e12}, work="FLOP", machine=CARD, applies=ON_CARD)], machine=CARD),
        find_device,
    )
    text = flat(machine_page(report, Look(80)))
    assert "impossible [1]" in text
    assert "1.28 times what profile a100-sxm-80gb says is possible: that figure is wrong." in text
    assert "1. Correct the peak (profile a100-sxm-80gb)" in text
    assert "128%" not in text
    (quantity,) = machine_json(report)["quantities"]
    assert (quantity["share"], quantity["peak"]["wrong"]) == (None, True)


VIRTUAL = replace(
    MACHINE,
    cpu_model="AMD EPYC 9654 96-Core Processor",
    physical_cores=2,
    logical_cores=2,
    usable_cores=2,
    virtual=True,
)


def test_two_processors_of_a_virtual_machine_are_not_blamed_for_a_whole_socket() -> None:
    matmul = gauged({"probe.matmul.fp32": 1.3 * 7.4e12 / 48}, work="FLOP", machine=VIRTUAL)
    text = flat(page([matmul, gauged({MEMORY: 2.8e10}, machine=VIRTUAL)], VIRTUAL))
    assert "UNUSUAL" not in text
    assert "no peak known" in text
    assert "130% [1]" in text
    assert "[1] of about 154 GFLOP/s: profile epyc-9654, 2 of 96 cores, at its base clock" in text


@pytest.mark.parametrize(("times", "said"), [(0.4, ""), (0.2, "only 20% of its peak"), (1.9, ""), (2.1, "2.10 times")])
def test_a_peak_from_the_base_clock_is_a_measure_and_no_limit(times: float, said: str) -> None:
    text = flat(page([gauged({"probe.matmul.fp32": times * 7.4e12 / 48}, work="FLOP", machine=VIRTUAL)], VIRTUAL))
    unusual = text.partition("WHAT IS UNUSUAL")[2]
    assert said in unusual if said else not unusual


def test_a_failure_does_not_hide_what_was_measured_before() -> None:
    good = gauged({MEMORY: 1.0e10, ONE_THREAD: 1.0e10}, conditions=Conditions(warnings=("The file held 1 GB.",)))
    failed = compared(date="2026-11-21", failure="It was killed.", n=0, median=None)
    text = flat(page([good, failed]))
    assert "Memory, all threads 10.0 GB/s" in text
    assert "threads: The file held 1 GB." in text
    assert "The probe threads did not finish: It was killed." in text
    recovered = page([replace(failed, date="2026-11-19T10:00:00+00:00"), good])
    assert "did not finish" not in recovered


def test_of_two_disks_the_one_measured_last_is_shown() -> None:
    ssd, hdd = ({"machine": MACHINE.fingerprint, "disk": disk} for disk in ("/ (ssd)", "/archive (hdd)"))
    text = page([gauged({SEQUENTIAL: 2e8}, applies=hdd), gauged({SEQUENTIAL: 5e8}, applies=ssd, date="2026-11-21")])
    assert "500 MB/s" in text
    assert "200 MB/s" not in text


UNUSUAL: list[tuple[list[Outcome], Machine, str, str]] = [
    ([gauged({MEMORY: 1.02e10, ONE_THREAD: 1e10})], MACHINE, "read memory 1.02 times as fast", "More threads will not help"),
    ([gauged({SEQUENTIAL: 1e9, RANDOM: 2e7})], MACHINE, "Small random reads from the disk get 2.0%", "Pack small files"),
    ([gauged({MEMORY: 1e10}, spread=0.5)], MACHINE, "95% intervals: Memory, all threads 41%.", "--only threads"),
    ([gauged({MEMORY: 1e10}, spread=0.5)], MACHINE, "Samples of the same thing differ", "--budget"),
    ([gauged({"probe.matmul.tf32": 2e13}, work="FLOP", machine=CARD, applies=ON_CARD)], CARD,
     "Matrix product, tf32: only 13% of its peak", "power limit"),
    ([gauged({"probe.matmul.fp32": 2e11, "probe.matmul.bf16": 1e10}, work="FLOP")], MACHINE,
     "Matrix products in bf16 take 20 times as long as in fp32.", "Stay with fp32"),
    ([compared(before=1, rival=4)], MACHINE, "One thread is faster than 4 for ffn 64-[64]-10 (1.30x).", "larger batches"),
    ([compared(conditions=Conditions(stolen_share=0.31))], MACHINE, "gave up to 31% of the processors", "another hour"),
    ([compared(conditions=Conditions(others_share=0.5))], MACHINE, "took up to 50%", "Close other programs"),
    ([compared(conditions=Conditions(governor="powersave"))], MACHINE, "(governor powersave)", "cpupower"),
    ([compared(failure="It was killed.")], MACHINE, "The probe threads did not finish: It was killed.", "--only threads"),
]  # fmt: skip


@pytest.mark.parametrize(("outcomes", "machine", "what", "remedy"), UNUSUAL, ids=lambda value: str(value)[:30])
def test_what_is_unusual_is_said_with_its_figures_and_what_to_do(
    outcomes: list[Outcome], machine: Machine, what: str, remedy: str
) -> None:
    unusual, _, to_do = flat(page(outcomes, machine)).partition("WHAT IS UNUSUAL")[2].partition("WHAT TO DO")
    assert what in unusual
    assert remedy in to_do


def to_do(outcomes: Sequence[Outcome], machine: Machine = MACHINE) -> list[str]:
    found = flat(page(outcomes, machine)).partition("WHAT TO DO ")[2].partition(" HOW IT WAS")[0]
    return re.split(r" (?=\d\. )", found)


def test_what_several_figures_have_in_common_is_to_be_done_once() -> None:
    rough = gauged({MEMORY: 2e10, ONE_THREAD: 1e10}, probe="memory", spread=0.5)
    others = compared(conditions=Conditions(others_share=0.5))
    assert to_do([rough, others]) == [
        "1. Close other programs and measure again with more time: "
        "`advisor probe --only memory --only threads --save lab --budget 3min`, "
        "with the --answers, --set, --data and --target of that run"
    ]
    low = gauged({"probe.matmul.tf32": 2e13, "probe.matmul.bf16": 3e13}, work="FLOP", machine=CARD, applies=ON_CARD)
    (remedy,) = to_do([low], CARD)
    assert "power limit" in remedy
    assert "Only a small share of their peaks: Matrix product, tf32 13%, Matrix product, bf16 10% (profile" in flat(
        page([low], CARD)
    )
    slow = gauged({"probe.matmul.fp32": 2e11, "probe.matmul.bf16": 1e10, "probe.matmul.fp16": 2e10}, work="FLOP")
    assert to_do([slow]) == ["1. Stay with fp32; bf16 and fp16 save memory here, not time."]


def test_probes_that_failed_alike_are_tried_again_together() -> None:
    killed = [compared(failure="It was killed."), gauged({MEMORY: 1e10}, probe="memory", failure="It was killed.")]
    command = "`advisor probe --only threads --only memory --save lab`"
    assert to_do(killed) == [
        f"1. Try them alone: {command}, with the --answers, --set, --data and --target of that run"
    ]


def test_what_is_to_be_done_measures_the_same_network_on_the_same_disk_again() -> None:
    made = profile([compared(failure="It was killed.")], name="last")
    given = Again("--answers 'my answers.yaml' --data pictures", complete=True)
    report = machine_report(made, find_device, given)
    assert [remark.remedy for remark in report.remarks] == [
        "Try it alone: `advisor probe --only threads --answers 'my answers.yaml' --data pictures`"
    ]


def test_what_needs_no_network_is_repeated_without_its_answers() -> None:
    killed = gauged({"probe.matmul.fp32": 1e11}, probe="matmul", failure="It was killed.")
    report = machine_report(profile([killed], name="last"), find_device)
    assert [remark.remedy for remark in report.remarks] == ["Try it alone: `advisor probe --only matmul`"]


@pytest.mark.parametrize(
    ("rates", "rest"),
    [
        ({MEMORY: 1.94e10, ONE_THREAD: 1e10}, {"spread": 0.9}),
        ({MEMORY: 1.02e10, ONE_THREAD: 1e10}, {"spread": 0.1}),
        ({MEMORY: 1.02e10, ONE_THREAD: 1e10}, {"conditions": Conditions(others_share=0.4)}),
    ],
    ids=["twice as fast", "too rough to tell", "too busy to tell"],
)
def test_fewer_threads_are_advised_only_where_it_is_shown_that_more_do_not_help(
    rates: dict[str, float], rest: dict[str, object]
) -> None:
    text = flat(page([gauged(rates, probe="memory", **rest)]))  # type: ignore[arg-type]
    assert "prefer fewer threads" not in text
    assert "Matrix products" not in text


def test_what_a_run_did_not_save_is_headed_by_no_name() -> None:
    report = machine_report(profile([compared()]), find_device)
    text = flat(machine_page(report, Look(80), is_kept=False))
    assert text.startswith("THIS MACHINE, as this run found it; nothing of it was saved Made-up processor")
    assert "lab" not in text.partition("HOW FAST")[0]


def test_one_thread_is_one() -> None:
    single = replace(MACHINE, physical_cores=1, usable_cores=1, logical_cores=1)
    assert machine_words(single)[1] == "1 core"
    assert machine_words(replace(single, physical_cores=2))[1] == "2 cores (1 hardware thread usable)"


def test_what_is_to_be_done_on_another_machine_is_said_to_be_there() -> None:
    report = machine_report(profile([compared(failure="It was killed.")], name="last"), find_device)
    text = flat(machine_page(report, Look(80), is_here=False))
    assert text.startswith("MACHINE last")
    assert "WHAT TO DO (on that machine)" in text
    assert "`advisor profiles export NAME --output FILE` brings it here" in text


def test_what_the_machine_does_not_tell_is_unusual_and_how_a_probe_measured_is_not() -> None:
    noted = replace(MACHINE, notes=("The clock cannot be read.",))
    warned = compared(conditions=Conditions(warnings=("The file held 1 GB.", "The samples of 2 spread by 12%.")))
    unusual, _, how = page([warned], noted).partition("WHAT IS UNUSUAL")[2].partition("HOW IT WAS MEASURED")
    assert "- The clock cannot be read." in unusual
    assert how.splitlines()[1:] == ["- threads: The file held 1 GB."]


def test_a_calm_machine_is_left_in_peace() -> None:
    text = page([compared()])
    assert "UNUSUAL" not in text
    assert "Nothing unusual that could be fixed was found." in text


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        (compared(), "- threads 2: confirmed, 1.30x [1.23, 1.37], 24 pairs, ffn 64-[64]-10"),
        (compared(verdict=Verdict.OVERTURNED), "- threads 1 instead of 2: overturned, 1.30x"),
        (compared(verdict=Verdict.NO_DIFFERENCE, speed_up=1.0), "- threads 2 or 1: no difference that matters, 1.00x"),
        (compared(verdict=Verdict.UNDECIDED), "- threads 2 or 1: undecided, 1.30x"),
    ],
)
def test_each_comparison_is_one_line(outcome: Outcome, said: str) -> None:
    assert said in flat(page([outcome]))


def test_the_newest_measurement_counts_and_each_network_has_its_own() -> None:
    other = compared(applies={**NETWORK, "network": "lstm 4-[6]-1", "machine": MACHINE.fingerprint})
    newer = compared(verdict=Verdict.OVERTURNED, date="2026-11-21")
    report = machine_report(profile([compared(), other, newer]), find_device)
    assert [outcome.verdict for outcome in report.decisions] == [Verdict.OVERTURNED, Verdict.CONFIRMED]


def test_what_was_measured_under_another_quota_is_not_of_this_machine() -> None:
    elsewhere = gauged({MEMORY: 2e10}, machine=replace(MACHINE, usable_cores=1))
    assert machine_report(profile([elsewhere]), find_device).measured == {}


@pytest.mark.parametrize("width", [24, 40, 80, 100, 120])
@pytest.mark.parametrize("unicode", [True, False])
def test_no_line_is_longer_than_the_screen(width: int, unicode: bool) -> None:
    look = Look(width, unicode=unicode)
    outcomes = [gauged({MEMORY: 2e10, ONE_THREAD: 1e10, SEQUENTIAL: 1e9, RANDOM: 1e7}), compared()]
    text = page(outcomes, look=look)
    assert all(cells(line) <= look.columns for line in text.splitlines())
    assert unicode or text.isascii()


HOSTILE = "[bold]\x1b]0;owned\x07card\x1b[2J[/bold]\u202e\nINJECTED"


def test_hostile_names_show_as_text() -> None:
    machine = replace(MACHINE, cpu_model=HOSTILE, notes=(HOSTILE,), gpus=(Gpu("cuda", HOSTILE),), kernel=HOSTILE)
    outcome = compared(
        machine=machine,
        failure=HOSTILE,
        conditions=Conditions(warnings=(HOSTILE,)),
        applies={**NETWORK, "network": HOSTILE, "machine": machine.fingerprint, "torch": HOSTILE},
    )
    made = profile([replace(outcome, failure=None), outcome], name=HOSTILE, machine=machine, host=HOSTILE)
    other = side_of(profile([replace(outcome, failure=None)], machine=machine), HOSTILE)
    for text in (
        machine_page(machine_report(made, find_device), Look(80)),
        compared_page(compare(side_of(made), other), Look(80)),
        kept_page([made], Look(80)),
    ):
        assert "[bold]" in text
        assert not any(character in text for character in "\x1b\x07\u202e")
        assert not any(line.startswith("INJECTED") and len(line) > 40 for line in text.splitlines())
    json.dumps(machine_json(machine_report(made, find_device)), allow_nan=False)


@given(st.floats(0, 5), st.integers(1, 60))
def test_a_bar_is_as_wide_as_it_should_be(share: float, width: int) -> None:
    drawn = bar(share, width, unicode=False)
    assert len(drawn) == width
    assert abs(drawn.count("#") - min(share, 1.0) * width) <= 0.5


# --- compared -------------------------------------------------------------------------------------------------------


def days(*memory: float) -> MachineProfile:
    return profile([gauged({MEMORY: rate}, date=f"2026-11-{day:02}") for day, rate in enumerate(memory, start=1)])


def since(*memory: float) -> str:
    before, after = sides_of(days(*memory), f"2026-11-{len(memory):02}")
    return answer(compare(before, after, same_machine=True))


@pytest.mark.parametrize(
    ("memory", "said"),
    [
        ((1e10, 0.7e10), "Yes, it is slower than it was in 1 of 1 figure (the most: Memory, all threads, 0.70x [0.70, 0.70])."),
        ((1e10, 1.001e10), "No, it is not slower than it was (1 figure compared)."),
        ((1e10, 2e10), "No, it is not slower than it was: 1 became faster (1 figure compared)."),
        ((1e10, 1.03e10), "It cannot be said whether it is slower than it was: 1 of 1 figure is undecided (its median: 1.03x). "
         "Measure again with more time (`advisor probe --budget 3min`), or name another day with --since DATE."),
    ],
)  # fmt: skip
def test_whether_it_is_slower_is_answered_in_one_sentence(memory: tuple[float, ...], said: str) -> None:
    assert since(*memory) == said


def test_where_most_figures_are_undecided_that_is_the_answer_with_the_range_of_their_medians() -> None:
    def measured(name: str, *rates: float) -> MachineProfile:
        facts = dict(zip((MEMORY, ONE_THREAD, SEQUENTIAL), rates, strict=True))
        return profile([gauged(facts, spread=0.9)], name=name)

    first, second = side_of(measured("a", 1e10, 1e10, 1e10)), side_of(measured("b", 0.76e10, 0.78e10, 0.77e10))
    assert answer(compare(first, second)) == (
        "Whether b or a is faster cannot be said: 3 of 3 figures are undecided (their medians: 0.76x to 0.78x, b over a). "
        "Measure both again with more time (`advisor probe --budget 3min`)."
    )
    assert answer(compare(first, second, same_machine=True)).startswith(
        "It cannot be said whether it is slower than it was: 3 of 3 figures are undecided (their medians: 0.76x to 0.78x). "
    )


def test_one_undecided_figure_of_many_does_not_hide_that_the_others_are_alike() -> None:
    alike = {MEMORY: 1e10, SEQUENTIAL: 1e8}
    first = side_of(profile([gauged(alike), gauged({ONE_THREAD: 1e10}, probe="memory")], name="a"))
    second = side_of(
        profile(
            [gauged(alike, date="2026-11-21"), gauged({ONE_THREAD: 1.03e10}, probe="memory", date="2026-11-21")],
            name="b",
        )
    )
    assert answer(compare(first, second)) == (
        "No difference between b and a was found, but 1 of 3 figures is undecided."
    )


def test_two_machines_are_compared_by_name() -> None:
    fast = side_of(profile([gauged({MEMORY: 2e10, SEQUENTIAL: 1e8})], name="fast"))
    slow = side_of(profile([gauged({MEMORY: 1e10, SEQUENTIAL: 2e8})], name="slow"))
    assert answer(compare(slow, fast)) == "fast is faster in 1 and slower in 1 of 2 figures, compared with slow."
    later = side_of(profile([gauged({MEMORY: 1e10, SEQUENTIAL: 2e8}, date="2026-11-21")], name="later"))
    assert answer(compare(slow, later)).startswith("later and slow are equally fast")
    nothing = side_of(profile([], name="new"))
    assert "nothing can be compared" in answer(compare(slow, nothing))


def test_a_measurement_is_not_compared_with_itself_however_it_is_called() -> None:
    there = profile([compared()], name="lab")
    copy = MachineProfile.from_json(anonymous_json(there))
    found = compare(side_of(there), side_of(copy))
    text = flat(compared_page(found, Look(80)))
    assert text.startswith(
        "This is the same measurement on both sides: all 2 figures that both have are of the same runs"
    )
    assert "Measure again with `advisor probe`" in text
    assert "1.00x" not in text
    document = compared_json(found)
    assert (document["figures"], len(document["identical"])) == ([], 2)


def test_runs_that_both_sides_hold_are_named_beside_those_that_can_be_compared() -> None:
    memory = gauged({MEMORY: 2e10})
    first = side_of(profile([memory, gauged({SEQUENTIAL: 1e8}, probe="storage")]))
    second = side_of(profile([memory, gauged({SEQUENTIAL: 2e8}, probe="storage", date="2026-11-21")], name="later"))
    text = flat(compared_page(compare(first, second), Look(80)))
    assert text.startswith("later is faster in 1 of 1 figure")
    assert "The same runs on both sides, so not compared: Memory, all threads." in text


def test_the_answer_comes_first_then_what_else_differs_then_the_figures() -> None:
    smaller = replace(MACHINE, usable_cores=2)
    other = profile([gauged({MEMORY: 1e10}, machine=smaller), compared(machine=smaller)], "b", smaller)
    text = compared_page(
        compare(side_of(profile([gauged({MEMORY: 2e10, ONE_THREAD: 1e10})], "a")), side_of(other)), Look(80)
    )
    assert text.splitlines()[0] == "b is slower in 1 of 1 figure, compared with a."
    parts = [
        text.index(words) for words in ("A  a: measured", "against 2", "Memory, all threads: slower", "Only A has")
    ]
    assert parts == sorted(parts)
    assert "0.50x [" in text
    assert "A 20.0 GB/s [20.0, 20.0] in 1 run, B 10.0 GB/s" in flat(text)
    assert "threads: 2 (ffn 64-[64]-10, batch size 32, precision fp32)" in flat(text)


def test_a_comparison_as_json_has_the_figures_of_both_sides() -> None:
    document = compared_json(compare(*sides_of(days(1e10, 0.7e10), "2026-11-02"), same_machine=True))
    (figure,) = document["figures"]
    assert document["schema"] == "advisor/machine-comparison/1"
    assert (figure["name"], figure["verdict"], figure["a"]["unit"]) == (MEMORY, "slower", "bytes/s")
    assert figure["ratio"]["low"] < figure["ratio"]["median"] < figure["ratio"]["high"] < 1 / 1.03
    assert document["counts"]["slower"] == 1


# --- published ------------------------------------------------------------------------------------------------------


def test_published_measurements_stand_below_the_device_with_unit_source_and_doubt() -> None:
    device = find_device("gtx-1080")
    assert device is not None
    published = published_figures("gtx-1080")
    text = flat(device_page(device, Look(80), published))
    assert "alexnet, TensorFlow, s/batch 0.012 (1)" in text
    assert "(1) Doubtful: three times as fast as on the GTX 980" in text
    assert "Shi, Wang, Xu, Chu 2016" in text.partition("PUBLISHED MEASUREMENTS")[2]
    (doubtful,) = [figure for figure in device_json(device, published)["published"] if figure["doubt"]]
    assert (doubtful["network"], doubtful["framework"], doubtful["value"]) == ("alexnet", "TensorFlow", 0.012)


@pytest.mark.parametrize("width", [30, 60, 80])
def test_columns_that_do_not_fit_are_left_out_and_said(width: int) -> None:
    device = find_device("2x-e5-2630-v3")
    assert device is not None
    text = device_page(device, Look(width), published_figures(device.name)).partition("PUBLISHED")[2]
    assert ("did not fit" in text) == (width < 80)
    assert "0.688" in text or width == 30
