"""A plan saved as JSON and read back: the same plan, or every problem of the file at once."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from advisor.errors import InputError
from advisor.inference.plan import Plan
from advisor.knowledge.model import School
from advisor.report.page import Look
from advisor.report.plan.json_plan import plan_text, read_plan
from advisor.report.plan.markdown import report_text
from advisor.report.plan.text import plan_page

from .small import HOSTILE, MEASURED, knowledge, measured_plan, plan


def saved(folder: Path, content: object) -> Path:
    path = folder / "plan.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def changed(change: Callable[[dict[str, Any]], object], made: Plan | None = None) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(plan_text(made or measured_plan()))
    change(document)
    return document


def refusal(folder: Path, content: object) -> InputError:
    with pytest.raises(InputError) as caught:
        read_plan(saved(folder, content), knowledge())
    assert caught.value.title == "This plan cannot be used"
    assert all(str(folder / "plan.json") in problem.where for problem in caught.value.problems)
    return caught.value


@pytest.mark.parametrize(
    "made",
    [
        plan(),
        measured_plan(),
        plan(School.SURVEY, answers={"data.modality": "tabular", "machine.gpu.count": 0, "machine.gpu.name": "x"}),
        plan(answers={"machine.cpu.physical_cores": 2}),
    ],
)
def test_a_saved_plan_reads_back_as_it_was(made: Plan, tmp_path: Path) -> None:
    read = read_plan(saved(tmp_path, plan_text(made)), knowledge())
    assert read.to_json() == made.to_json()
    assert plan_page(read, knowledge(), Look()) == plan_page(made, knowledge(), Look())
    assert report_text(read, knowledge()) == report_text(made, knowledge())


def test_the_facts_it_was_made_from_can_be_advised_on_again(tmp_path: Path) -> None:
    from advisor.inference.advise import advise

    read = read_plan(saved(tmp_path, plan_text(plan())), knowledge())
    assert advise(knowledge(), read.stated).to_json() == plan().to_json()


def test_unknown_keys_topics_facts_and_probes_are_passed_over(tmp_path: Path) -> None:
    def add(document: dict[str, Any]) -> None:
        document["later"] = [1]
        document["facts"]["data.later"] = {"value": 1, "source": "asked"}
        document["recommendations"]["later.topic"] = {"value": "x"}
        document["recommendations"]["network.type"]["later"] = {}
        document["questions"].append("data.later")
        document["probes"].append("$(reboot)")

    assert read_plan(saved(tmp_path, changed(add)), knowledge()).to_json() == measured_plan().to_json()


def test_what_the_plan_does_not_need_may_be_missing(tmp_path: Path) -> None:
    document = {"schema": "advisor/plan/1", "school": "today", "facts": {}, "questions": [], "probes": []}
    document["recommendations"] = {"network.type": {"value": "cnn", "status": "settled"}}
    read = read_plan(saved(tmp_path, document), knowledge())
    assert read.value("network.type") == "cnn"


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("", "is not JSON"),
        ("{", "is not JSON"),
        ("plan: yaml", "is not JSON"),
        ("[1, 2]", "must be an object, not a list"),
        ("3", "must be an object, not a number"),
        ("null", "must be an object, not nothing"),
        ("[" * 100_000, "is nested too deep"),
        ('{"a":' * 100_000, "is nested too deep"),
        ('{"schema": NaN}', "NaN is no number"),
        ('{"schema": Infinity}', "Infinity is no number"),
        ('{"schema": %s}' % ("9" * 5000), "is not JSON"),
        ("{}", "is missing: a text"),
        ('{"schema": "advisor/plan/2"}', "is 'advisor/plan/2', not advisor/plan/1"),
        ('{"schema": ["advisor/plan/1"]}', "must be a text, not a list"),
    ],
)
def test_what_is_no_plan_is_refused_with_a_reason(content: str, what: str, tmp_path: Path) -> None:
    assert what in refusal(tmp_path, content).problems[0].what


def test_files_that_hold_no_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    for raw, what in [(b"\xff\xfe\x00", "UTF-8"), ("ü".encode("latin-1"), "UTF-8"), (b"\x00" * 50, "not JSON")]:
        path.write_bytes(raw)
        with pytest.raises(InputError, match=what):
            read_plan(path, knowledge())
    with pytest.raises(InputError, match="folder"):
        read_plan(tmp_path, knowledge())
    with pytest.raises(InputError, match="No such file"):
        read_plan(tmp_path / "none.json", knowledge())
    with pytest.raises(InputError, match="cannot be read"):
        read_plan(tmp_path / ("x" * 5000), knowledge())
    with pytest.raises(InputError, match="not a file name"):
        read_plan(Path("a\0b"), knowledge())


def test_a_file_larger_than_16_megabytes_is_refused_without_reading_it_all(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    with path.open("wb") as file:
        file.truncate(10**11)
    with pytest.raises(InputError, match="larger than 16 MB"):
        read_plan(path, knowledge())


def at(*keys: Any, to: object) -> Callable[[dict[str, Any]], None]:
    """Sets what stands at these keys."""

    def change(document: Any) -> None:
        for key in keys[:-1]:
            document = document[key]
        document[keys[-1]] = to

    return change


REC = "recommendations"
TYPE = (REC, "network.type")
THREADS = (REC, "compute.threads")


@pytest.mark.parametrize(
    ("change", "place", "what"),
    [
        (at("school", to="tomorrow"), "school", "cannot be 'tomorrow'"),
        (at("facts", to=[]), "facts", "must be an object, not a list"),
        (at("facts", "data.modality", to="image"), "facts.data.modality", "must be an object, not a text"),
        (at("facts", "data.modality", "value", to="imag"), "facts.data.modality.value", "'imag'"),
        (at("facts", "data.modality", "value", to=None), "facts.data.modality.value", "is no value of"),
        (at("facts", "data.modality", "value", to={"a": 1}), "facts.data.modality.value", "is no value of"),
        (at("facts", "data.modality", "value", to=""), "facts.data.modality.value", "empty"),
        (at("facts", "data.modality", "source", to="heard"), "facts.data.modality.source", "cannot be 'heard'"),
        (at("facts", "machine.cpu.physical_cores", "value", to=-3), "facts.machine.cpu.physical_cores", "out of range"),
        (at("facts", "machine.cpu.physical_cores", "value", to=1e300), "facts.machine.cpu.physical_cores", "1e+300"),
        (at("facts", "machine.cpu.physical_cores", "applies", to=[1]), "applies", "must be an object of texts"),
        (at(REC, to=None), "recommendations", "must be an object, not nothing"),
        (at(*TYPE, to=[]), "recommendations.network.type", "must be an object, not a list"),
        (at(*TYPE, "value", to="cn"), "network.type.value", "'cn' is not a value of network.type"),
        (at(*TYPE, "value", to=3), "network.type.value", "'3' is not a value of network.type"),
        (at(*TYPE, "value", to=None), "network.type.value", "is missing, though"),
        (at(*TYPE, "status", to="sure"), "network.type.status", "cannot be 'sure'"),
        (at(*TYPE, "because", to={}), "network.type.because", "must be a list"),
        (at(*TYPE, "because", to=[1]), "network.type.because[0]", "must be an object, not a number"),
        (at(*TYPE, "because", 0, "text", to=7), "because[0].text", "must be a text, not a number"),
        (at(*TYPE, "because", 0, "verified", to="yes"), "because[0].verified", "must be true or false"),
        (at(*TYPE, "because", 0, "sources", to="seed"), "because[0].sources", "must be a list of texts"),
        (at(*TYPE, "alternatives", 0, "value", to="zzz"), "alternatives[0].value", "is not a value of"),
        (at(*TYPE, "flips", 0, "to", to="zzz"), "flips[0].to", "'zzz'"),
        (at(*TYPE, "flips", 0, "then", to="zzz"), "flips[0].then", "is not a value of"),
        (at(*TYPE, "tied", to=["zzz"]), "network.type.tied", "is not a value of"),
        (at(*TYPE, "actions", to="rm"), "network.type.actions", "must be a list of texts"),
        (at(*THREADS, "value", to="two"), "compute.threads.value", "must be a finite number, not a text"),
        (at(*THREADS, "value", to=True), "compute.threads.value", "must be a finite number, not true or false"),
        (at(REC, "network.hidden_units", "value", to=[1, "x"]), "hidden_units.value", "must be a list of numbers"),
        (at(*THREADS, "measured", "median", to="1"), "measured.median", "must be a finite number"),
        (at(*THREADS, "measured", "verdict", to="ok"), "measured.verdict", "cannot be 'ok'"),
        (at(*THREADS, "measured", to=[]), "compute.threads.measured", "must be an object, not a list"),
        (at("questions", to={}), "questions", "must be a list of texts"),
        (at("evidence", to=[3]), "evidence[0]", "must be an object, not a number"),
    ],
)
def test_a_wrong_value_is_named_with_its_key(change: Any, place: str, what: str, tmp_path: Path) -> None:
    problem = refusal(tmp_path, changed(change)).problems[0]
    assert place in problem.where
    assert what in problem.what


def test_a_number_too_large_to_be_one_is_refused(tmp_path: Path) -> None:
    text = plan_text(measured_plan()).replace("1.31", "1e999")
    assert "must be a finite number" in refusal(tmp_path, text).problems[0].what


def test_all_problems_are_told_at_once_up_to_a_hundred(tmp_path: Path) -> None:
    def spoil(document: dict[str, Any]) -> None:
        document["school"] = 1
        document["recommendations"]["network.type"]["because"] = [3] * many

    many = 2
    assert len(refusal(tmp_path, changed(spoil)).problems) == 3
    many = 500
    assert len(refusal(tmp_path, changed(spoil)).problems) == 100


def test_nan_cannot_be_written() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        plan_text(measured_plan(replace(MEASURED, median=math.nan)))


def test_written_text_is_readable_and_harmless() -> None:
    made = plan(answers={"machine.gpu.count": 1, "machine.gpu.name": f"Grüße {HOSTILE}\ud800"})
    text = plan_text(made)
    assert "Grüße" in text
    assert not {"\x1b", "\x9b", "\u202e", "\ud800"} & set(text)
    assert json.loads(text)["facts"]["machine.gpu.name"]["value"] == f"Grüße {HOSTILE}\ud800"
