"""The first screen of the benchmark: what each network took here and in 2016, what is left, what to type next."""

from __future__ import annotations

from dataclasses import replace

import pytest

from advisor.networks.benchmark.six import SIX
from advisor.probes.conditions import Conditions
from advisor.report.page import SCREEN, Look, cells
from advisor.report.survey.bench_brief import bench_brief
from advisor.survey.bench import Measured

from .test_bench import ALEXNET, FCN5, LSTM32, RESNET, RESULTS, THREADS, TOO_LARGE, report_of


def screen(*results: Measured, width: int = 80, options: str = "") -> str:
    return bench_brief(report_of(results or RESULTS), Look(width), options)


def rows(text: str) -> dict[str, str]:
    return {line.split()[0]: " ".join(line.split()) for line in text.splitlines() if line and line[0] != " "}


def test_each_network_is_a_row_with_its_best_threads_beside_the_best_of_2016() -> None:
    told = rows(screen())
    assert told["FCN-5"] == "FCN-5 4 0.21 s (0.2 to 0.22) 1.98 times 0.269 s with 8"
    assert told["LSTM-32"].startswith("LSTM-32 1, undecided 0.5 s, run once")


@pytest.mark.parametrize("results", [RESULTS, [Measured(one, {"threads": THREADS}) for one in SIX]])
@pytest.mark.parametrize("options", ["", "--threads 1,2,3,4,5,6,7,8,9,10,11,12 --batch 8,16,32,64,128,256,512"])
def test_it_fits_on_one_screen(results: list[Measured], options: str) -> None:
    lines = screen(*results, options=options).splitlines()
    assert sum(max(1, -(-cells(line) // 80)) for line in lines) <= SCREEN


def test_what_is_left_is_proposed_with_the_time_that_it_needs_and_what_cannot_run_is_not() -> None:
    slow = Measured(ALEXNET, {}, {"threads": "No time was left: it needs about 400 s here."}, {"threads": 400.0})
    text = screen(
        Measured(FCN5, {"threads": THREADS}), slow, Measured(RESNET, {"threads": TOO_LARGE}), options="--threads 1,2"
    )
    assert "  advisor bench alexnet --threads 1,2 --budget 8min" in text
    assert "resnet50" not in text
    assert "ResNet-50: 2, which the others are compared with, cannot be tried" in " ".join(text.split())


def test_what_ran_out_of_time_is_proposed_again_with_more() -> None:
    over = replace(TOO_LARGE, failure="There was too little time for 2: a step takes 3 s.", late=True)
    text = screen(Measured(RESNET, {"threads": over}, {}, {"threads": 400.0}))
    said = " ".join(text.split())
    assert "! ResNet-50: There was too little time for 2: a step takes 3 s." in said
    assert "  advisor bench resnet50 --budget 8min" in text


def test_what_a_day_is_too_short_for_is_not_proposed() -> None:
    slow = Measured(ALEXNET, {}, {"threads": "No time was left."}, {"threads": 1e6})
    assert "advisor bench" not in screen(slow)


def test_want_of_time_is_a_better_reason_than_want_of_a_card() -> None:
    skipped = {"device": "There is no graphics card.", "threads": "No time was left."}
    assert "! AlexNet: No time was left." in screen(Measured(ALEXNET, {}, skipped))


def test_nothing_measured_is_said() -> None:
    assert "Nothing was measured." in screen(Measured(LSTM32, {}, {"threads": "No time was left."}))


def test_a_busy_machine_is_said() -> None:
    busy = replace(THREADS, conditions=Conditions(others_share=0.4))
    assert "! FCN-5: other programs took much of the processors." in screen(Measured(FCN5, {"threads": busy}))


def test_a_narrow_screen_has_sentences() -> None:
    text = screen(width=40)
    assert "FCN-5: threads 4, 0.21 s" in text
    assert max(cells(line) for line in text.splitlines() if "advisor " not in line) <= 40
