"""`advisor inspect`: the page, the JSON, and what it says of data that it cannot read."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy
import pytest

from advisor.datasets.dataset import Column, Inspection, Kind, Remark, Task, Weight
from advisor.report.found.inspection import inspection_brief, inspection_page
from advisor.report.page import SCREEN, Look, cells

from ..datasets.tables_made import flowers, text_file, written
from .program import advisor, refused

MADE = Inspection(
    path="flowers of spring.csv",
    format="delimited text",
    modality="tabular",
    examples=150,
    facts={"data.examples": 150, "task.kind": "classify", "data.outliers": False},
    fingerprint="0123456789abcdef",
    target="species",
    task=Task.CLASSIFY,
    classes=("daisy", "rose"),
    columns=(
        Column("length of the petals in hundredths of an inch", Kind.NUMBER, 0.0004, 140, ("1.5", "2.25", "3")),
        Column("number", Kind.IDENTIFIER, 0, 150, ("1", "2"), "It names rows: there is nothing to learn from."),
        Column("species", Kind.CATEGORY, 0, 2, ("rose", "daisy")),
    ),
    inputs=("length of the petals in hundredths of an inch",),
    remarks=(Remark("Classes are uneven.", Weight.WARNING, "Do not judge by accuracy alone."), Remark("It is spring.")),
    bytes=4000,
    memory_bytes=12_000,
)


@pytest.mark.parametrize("width", [24, 40, 80, 200])
def test_lines_fit_and_are_plain_without_colour(width: int) -> None:
    text = inspection_page(MADE, Look(width=width, unicode=False))
    lines = [line for line in text.splitlines() if not line.startswith("  advisor ")]
    assert max(map(len, lines)) <= min(width, 100)
    assert text.isascii()


def test_the_page_tells_data_then_columns_then_remarks_then_facts_then_what_to_run() -> None:
    text = inspection_page(MADE, Look())
    parts = (
        "THE DATA", "150 examples", "classify, 2 classes: daisy and rose", "COLUMNS", "< 0.1 %", "It names rows",
        "TO BE CAREFUL WITH", "- Classes are uneven.", "WORTH KNOWING", "It is spring.", "FACTS FOR THE ADVISOR",
        "data.outliers: false", "task.kind: classify", "NEXT",
        "advisor recommend --data 'flowers of spring.csv' --target species", "advisor try",
    )  # fmt: skip
    places = [text.index(part) for part in parts]
    assert places == sorted(places)


@pytest.mark.parametrize("width", [24, 40, 80, 200])
@pytest.mark.parametrize("columns", [3, 12, 1000])
def test_the_first_screen_is_one_screen_and_tells_what_matters(columns: int, width: int) -> None:
    many = tuple(Column(f"x{n}", Kind.NUMBER, 0, 9, ("1",), "Odd." if n % 3 == 0 else "") for n in range(columns))
    remarks = tuple(Remark(f"Note {n}.") for n in range(6)) + MADE.remarks
    text = inspection_brief(replace(MADE, columns=(*many, MADE.columns[-1]), remarks=remarks), Look(width))
    lines = [line for line in text.splitlines() if not line.startswith("  advisor ")]
    assert max(map(cells, lines)) <= min(width, 100)
    assert width < 80 or len(text.splitlines()) <= SCREEN
    assert " ".join(text.split()).startswith("DATA 150 rows of a table")
    assert "! Classes are uneven." in text, "warnings come first"
    assert "target; rose," in text
    assert "FACTS" not in text


def test_of_very_many_columns_the_odd_ones_and_the_target_are_shown() -> None:
    many = tuple(Column(f"x{n}", Kind.NUMBER, 0, 9, ("1",), "Odd." if n == 700 else "") for n in range(1000))
    text = inspection_page(replace(MADE, columns=(*many, MADE.columns[-1])), Look())
    assert "x0 " in text
    assert "Odd." in text
    assert "target; rose, daisy" in text
    assert "more: 979 x number" in text


def test_names_from_data_cannot_take_over_the_terminal() -> None:
    column = replace(MADE.columns[0], name="[red]\x1b[2J<b>\u202e", examples=("\x1b[31m",))
    strange = replace(MADE, columns=(column,), target="\x1b[2J", remarks=(Remark("\x1b]0;x\x07"),), path="a\x1bb")
    text = inspection_page(strange, Look())
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "[red][2J<b>" in text


def test_a_file_is_inspected(tmp_path: Path) -> None:
    path = written(tmp_path / "flowers.csv", flowers())
    done = advisor("inspect", path, "--target", "species")
    assert done.code == 0, done.err
    assert "classify, 3 classes: daisy, rose and tulip" in done.out
    assert f"advisor try --data {path} --target species" in done.out
    answer = json.loads(advisor("inspect", path, "--target", "species", "--format", "json").out)
    assert answer["schema"] == "advisor/inspection/1"
    assert (answer["examples"], answer["modality"], answer["task"]) == (120, "tabular", "classify")
    assert [column["kind"] for column in answer["columns"]] == ["number", "number", "category", "category"]
    assert answer["facts"]["data.inputs"] == 3


def test_a_list_of_objects_is_not_called_lines(tmp_path: Path) -> None:
    rows = [{"x": n % 7, "y": n % 2} for n in range(60)]
    done = advisor("inspect", text_file(tmp_path / "t.json", json.dumps(rows)))
    assert "JSON: a list of objects" in done.out
    assert "JSON lines" not in done.out
    lines = text_file(tmp_path / "t.jsonl", "\n".join(map(json.dumps, rows)))
    assert "JSON lines" in advisor("inspect", lines).out


def test_several_labels_for_one_example_are_told_and_planned_for(tmp_path: Path) -> None:
    inputs = numpy.random.default_rng(0).normal(size=(60, 5))
    numpy.savez(tmp_path / "t.npz", x=inputs, y=(inputs[:, :4] > 0).astype(int))
    done = advisor("inspect", tmp_path / "t.npz")
    assert "classify, 4 labels that can hold together" in done.out
    assert f"advisor recommend --data {tmp_path / 't.npz'} --target y" in done.out
    assert "advisor try" not in done.out
    said = refused("try", "--data", tmp_path / "t.npz", "--set", "task.kind=classify")
    assert "several labels for one example cannot be tried yet" in said


def test_without_a_target_the_page_says_how_to_name_one(tmp_path: Path) -> None:
    done = advisor("inspect", written(tmp_path / "flowers.csv", flowers()))
    assert done.code == 0
    assert "it could be 'species'" in " ".join(done.out.split())
    assert "--target species" in done.out


def test_hostile_names_of_columns_show_as_text(tmp_path: Path) -> None:
    path = text_file(tmp_path / "t.csv", "[bold red]x[/],<script>y</script>,\x1b[2Jz\n" + "1,2,3\n4,5,6\n" * 20)
    done = advisor("inspect", path)
    assert done.code == 0, done.err
    assert "[bold red]x[/]" in done.out.replace("\n", "")
    assert "\x1b" not in done.out


def test_bad_data_are_refused_as_bad_input(tmp_path: Path) -> None:
    assert "nothing is there" in refused("inspect", tmp_path / "none.csv")
    assert "the file is empty" in refused("inspect", text_file(tmp_path / "t.csv", ""))
    assert "line 3 has 3 fields" in refused("inspect", text_file(tmp_path / "t.csv", "a,b\n1,2\n3,4,5\n"))
    path = written(tmp_path / "flowers.csv", flowers())
    assert "Did you mean species?" in refused("inspect", path, "--target", "speces")


def test_an_option_without_its_value_is_sent_to_the_help_of_its_command(tmp_path: Path) -> None:
    assert "`advisor inspect --help` shows" in refused("inspect", tmp_path / "none.csv", "--target")
    assert "`advisor rules show --help` shows" in refused("rules", "show", "--rules")
    assert "`advisor --help` shows" in refused("--version=3")


@pytest.mark.parametrize("least", ["0.1", "1", "1e300", "-1e-300"])
def test_a_column_of_numbers_that_hardly_differ_is_read(least: str, tmp_path: Path) -> None:
    table = tmp_path / "sensor.csv"
    values = [float(least), math.nextafter(float(least), math.inf)]
    table.write_text("x,y\n" + "".join(f"{values[n % 2]!r},{n % 2}\n" for n in range(300)))
    done = advisor("inspect", table, "--target", "y")
    assert (done.code, "Traceback" in done.err) == (0, False), done.err
