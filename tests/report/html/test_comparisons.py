"""Two plans or two machines side by side, the page of a machine, of a device and of a trial."""

from __future__ import annotations

from advisor.agent.machines.comparison import compare, side_of
from advisor.machine.profiles.files import find_device, load_devices
from advisor.machine.profiles.published import published_figures
from advisor.report.html.machine import device_html, machine_html, machines_html
from advisor.report.html.plan_report import comparison_html
from advisor.report.html.trying import trying_html
from advisor.report.machine.page import machine_report
from advisor.report.plan.comparison import compare_plans

from ...agent.profiles_made import MEMORY, ONE_THREAD, compared, gauged, profile
from ..small import knowledge, plan
from ..test_trying import OUTCOME
from .made import read


def text(page: str) -> str:
    return " ".join(next(element.text for element in read(page) if element.tag == "main").split())


def test_two_plans_stand_side_by_side() -> None:
    rows = plan(answers={"data.modality": "tabular"})
    said = text(comparison_html(compare_plans(knowledge(), "a.yaml", plan(), "b.yaml", rows)))
    assert "A a.yaml B b.yaml" in said
    assert "Network type cnn (convolutional network), settled" in said
    assert "data.modality image (stated) tabular (stated)" in said


def test_equal_plans_say_so() -> None:
    said = text(comparison_html(compare_plans(knowledge(), "a.yaml", plan(), "b.yaml", plan())))
    assert "The plans are the same." in said
    assert "All facts are the same." in said


def test_two_machines_are_compared_figure_by_figure() -> None:
    first, second = (side_of(profile([gauged({MEMORY: rate})], name)) for name, rate in (("old", 1e10), ("new", 2e10)))
    page = machines_html(compare(first, second))
    assert "new is faster in 1 of 1 figure, compared with old." in text(page)
    assert "2.00x [" in text(page)
    assert "▲ faster" in text(page)
    assert "How much faster B is than A" in text(page)


def test_a_machine_has_what_it_is_and_how_fast_it_is() -> None:
    outcomes = [gauged({MEMORY: 2e10, ONE_THREAD: 1e10}, probe="memory"), compared()]
    said = text(machine_html(machine_report(profile(outcomes), find_device)))
    assert "Made-up processor; 4 cores (8 hardware threads usable); 16.0 GiB of memory; no graphics card" in said
    assert "Memory, all threads 20.0 GB/s [20.0, 20.0]" in said
    assert "threads confirmed 2 against 1: 1.30 times as fast" in said


def test_a_device_has_its_figures_with_their_sources() -> None:
    device = load_devices()["t4"]
    said = text(device_html(device, published_figures("t4")))
    assert "Memory bandwidth" in said
    assert "GB/s" in said


def test_a_trial_has_what_won_and_what_it_means() -> None:
    said = text(trying_html(OUTCOME))
    assert "They cannot be told apart." in said
    assert "Initial weights before: he → ✓ confirmed → after: he" in said
    assert "gradient boosting: There was no time left for it." in said
