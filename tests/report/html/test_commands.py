"""HTML from the command line: one file, never overwritten unasked, and libraries loaded only where one is made."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ...cli.program import advisor, refused
from ...cli.test_start_up import imported_by
from .made import formats, read, section, threads

GIVEN = ["--set", "data.modality=image", "--set", "task.kind=classify", "--machine", "none"]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A plan with the measurements that `advisor probe` writes beside it; one of them is damaged."""
    file = tmp_path_factory.mktemp("plans") / "plan.json"
    assert advisor("recommend", *GIVEN, "--format", "json", "--output", file).code == 0
    document = json.loads(file.read_text(encoding="utf-8"))
    document["outcomes"] = [threads().to_json(), {**formats().to_json(), "n": "many"}]
    file.write_text(json.dumps(document), encoding="utf-8")
    return file


def test_a_plan_becomes_one_file_that_is_not_overwritten_unasked(tmp_path: Path) -> None:
    file = tmp_path / "plan.html"
    done = advisor("recommend", *GIVEN, "--format", "html", "--output", file)
    assert (done.code, done.out, done.err) == (0, "", "")
    page = file.read_text(encoding="utf-8")
    assert "convolutional network" in section(page, "short")
    assert "convolutional network" in section(page, "glossary")
    assert "claims of the seed documents" in section(page, "survey")
    assert "the file exists" in refused("recommend", *GIVEN, "--format", "html", "--output", file)
    assert file.read_text(encoding="utf-8") == page


def test_a_saved_plan_is_shown_with_the_measurements_beside_it(saved: Path) -> None:
    done = advisor("report", "--plan", saved, "--format", "html")
    assert (done.code, done.err) == (0, "")
    assert "Which number of threads takes the least time" in section(done.out, "measured")
    assert "Which number format" not in section(done.out, "measured"), "what is damaged is left out"
    assert len([element for element in read(done.out) if element.tag == "svg"]) == 2


def test_the_plan_that_was_saved_is_never_rewritten(saved: Path) -> None:
    before = saved.read_bytes()
    said = refused("report", "--plan", saved, "--output", saved, "--force")
    assert "never rewritten" in said
    assert saved.read_bytes() == before


def test_plans_and_devices_have_pages_too(tmp_path: Path) -> None:
    answers = tmp_path / "answers.yaml"
    answers.write_text("data.modality: image\n", encoding="utf-8")
    what_if = ["--what-if", "data.modality=text", "--machine", "none"]
    compared = advisor("compare", answers, *what_if, "--format", "html", "--output", tmp_path / "two.html")
    assert compared.code == 0
    assert "Two plans side by side" in (tmp_path / "two.html").read_text(encoding="utf-8")
    assert "Memory bandwidth" in advisor("profiles", "show", "t4", "--format", "html").out


def test_libraries_of_pages_are_loaded_only_where_a_page_is_made(saved: Path) -> None:
    assert not {"jinja2", "matplotlib"} & imported_by("profiles", "show", "t4")
    assert not {"jinja2", "matplotlib"} & imported_by("report", "--plan", str(saved))
    without_figures = imported_by("recommend", *GIVEN, "--format", "html")
    assert "jinja2" in without_figures
    assert "matplotlib" not in without_figures
