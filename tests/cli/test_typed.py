"""One way to say things: files by themselves or by a flag, in every command; the format by the name of the output."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from advisor.cli.commands.options import Serve
from advisor.cli.options import once_more

from .program import advisor, refused

NOWHERE = ("--machine", "none")


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    path = tmp_path / "my.yaml"
    path.write_text("task.kind: classify\ndata.modality: image\ndata.examples: 50k\n")
    return path


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "toy.csv"
    path.write_text("x,y\n" + "".join(f"{n % 17},{int(n % 17 > 8)}\n" for n in range(300)))
    return path


@pytest.mark.parametrize("words", [["recommend"], ["explain", "network.type"], ["rules", "trial"]])
def test_a_file_alone_and_both_flags_mean_the_same(words: list[str], answers: Path) -> None:
    alone, flag, alias = (
        advisor(*words, *named, *NOWHERE, "--format", "json")
        for named in ([answers], ["--answers", answers], ["--for", answers])
    )
    assert alone.code == flag.code == alias.code == 0
    assert alone.out == flag.out == alias.out
    assert alone.out != advisor(*words, *NOWHERE, "--format", "json").out


def test_data_are_told_from_answers_by_their_name(answers: Path, table: Path) -> None:
    done = advisor("recommend", answers, table, "--target", "y", *NOWHERE, "--format", "json")
    sources = {name: fact["source"] for name, fact in json.loads(done.out)["facts"].items()}
    assert (sources["data.examples"], sources["data.inputs"]) == ("asked", "inspected")


@pytest.mark.parametrize(
    "command", [["recommend"], ["probe"], ["try"], ["explain", "network.type"], ["wizard", "--plain"]]
)
def test_two_files_of_answers_are_refused(command: list[str], answers: Path, tmp_path: Path) -> None:
    said = refused(*command, answers, "--answers", tmp_path / "other.yaml")
    assert "are both answers Name one of them." in said


def test_a_file_that_does_not_exist_is_named(tmp_path: Path) -> None:
    for command in (["recommend"], ["probe"], ["explain", "network.type"], ["starter", "--output", tmp_path / "new"]):
        assert "none.yaml" in refused(*command, tmp_path / "none.yaml")


def test_a_probe_of_another_machine_is_refused_before_it_begins(answers: Path) -> None:
    assert "the plan is for another machine than this one" in refused("probe", answers, "--machine", "l4")


def test_data_can_be_named_both_ways_where_they_are_inspected(table: Path, tmp_path: Path) -> None:
    alone = advisor("inspect", table, "--target", "y")
    assert alone.code == 0
    assert advisor("inspect", "--data", table, "--target", "y").out == alone.out
    assert "are two" in refused("inspect", table, "--data", tmp_path)
    assert "Missing argument 'PATH'" in refused("inspect")


def test_trying_takes_the_data_alone_and_asks_for_them(answers: Path, tmp_path: Path) -> None:
    assert "Missing option '--data'" in refused("try", answers)
    assert "none.csv" in refused("try", answers, tmp_path / "none.csv")


def test_a_saved_plan_can_be_named_alone(answers: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    assert advisor("recommend", answers, *NOWHERE, "--output", plan).out == ""
    assert json.loads(plan.read_text(encoding="utf-8"))["schema"] == "advisor/plan/1"
    assert advisor("report", plan).out == advisor("report", "--plan", plan).out != ""
    assert "are two" in refused("report", plan, "--plan", answers)


def test_answers_to_compare_can_be_named_by_the_flag(answers: Path) -> None:
    changed = ("--what-if", "data.modality=text", *NOWHERE)
    assert advisor("compare", "--answers", answers, *changed).out == advisor("compare", answers, *changed).out != ""
    assert "no answers are named" in refused("compare")


def test_what_data_show_counts_on_both_sides_of_a_comparison(answers: Path, table: Path) -> None:
    done = advisor("compare", answers, "--what-if", "data.modality=text", "--data", table, *NOWHERE, "--format", "json")
    assert done.code == 0
    assert [fact["fact"] for fact in json.loads(done.out)["facts"]][:1] == ["data.modality"]


@pytest.mark.parametrize(
    ("name", "begins"),
    [("a.json", "{"), ("a.md", "# "), ("a.markdown", "# "), ("a.html", "<!doctype html>"), ("a.HTM", "<!doctype html>"),
     ("a.txt", "PLAN"), ("a", "PLAN"), ("a.report", "PLAN")],
)  # fmt: skip
def test_the_name_of_the_output_says_its_format(name: str, begins: str, answers: Path, tmp_path: Path) -> None:
    assert advisor("recommend", answers, *NOWHERE, "--output", tmp_path / name).code == 0
    assert (tmp_path / name).read_text(encoding="utf-8").lower().startswith(begins.lower())


@pytest.mark.parametrize(
    "words",
    [["explain", "network.type"], ["inspect", "examples/digits.yaml"], ["models", "show", "resnet50"],
     ["profiles", "show", "l4"], ["compare", "ANSWERS", "--what-if", "data.modality=text"]],
)  # fmt: skip
def test_every_command_that_writes_a_report_takes_json_by_name(
    words: list[str], answers: Path, table: Path, tmp_path: Path
) -> None:
    file = tmp_path / "out.json"
    words = [str(answers) if word == "ANSWERS" else word for word in words]
    words = ["inspect", str(table)] if words[0] == "inspect" else words
    assert advisor(*words, "--output", file).out == ""
    json.loads(file.read_text(encoding="utf-8"))
    assert "the file exists" in refused(*words, "--output", file)


def test_a_format_that_is_typed_wins_where_the_name_says_none_and_must_not_contradict_it(
    answers: Path, tmp_path: Path
) -> None:
    plain, page = tmp_path / "plan", tmp_path / "plan.html"
    assert advisor("recommend", answers, "--format", "html", "--output", plain).code == 0
    assert plain.read_text(encoding="utf-8").startswith("<!doctype html>")
    said = refused("recommend", answers, "--format", "json", "--output", page)
    assert "the name says html, and --format says json" in said
    assert "Leave --format out, or name the file plan.json." in said
    assert not page.exists()


def test_markdown_is_text_too(answers: Path, tmp_path: Path) -> None:
    file = tmp_path / "plan.txt"
    assert advisor("recommend", answers, "--format", "markdown", "--output", file).code == 0
    assert file.read_text(encoding="utf-8").startswith("# ")


def test_a_format_that_a_command_does_not_write_is_refused_with_those_that_it_does(tmp_path: Path) -> None:
    said = refused("explain", "network.type", "--output", tmp_path / "why.html")
    assert "this command writes text or json, not html" in said
    assert "Name a file that ends with .txt or .json." in said


@pytest.mark.parametrize(
    ("words", "more"), [(["recommend"], " A browser prints .html as PDF."), (["explain", "loss"], "")]
)
def test_no_text_is_written_under_the_name_of_what_another_program_makes(
    words: list[str], more: str, tmp_path: Path
) -> None:
    file = tmp_path / "Plan.PDF"
    said = refused(*words, "--output", file)
    assert ", not PDF" in said
    assert f".json{'' if not more else ', .md or .html'}.{more}" in said
    assert not file.exists()


def talk(folder: Path, *words: str | Path) -> str:
    """All that the wizard says when its input ends at once."""
    state = {"ADVISOR_STATE": str(folder / "state")}
    done = advisor("wizard", "--plain", *words, *NOWHERE, env=state)
    assert done.code == 0, done.err
    return done.out


def test_the_wizard_begins_with_what_is_stated_and_asks_only_for_the_rest(answers: Path, tmp_path: Path) -> None:
    bare = talk(tmp_path)
    assert "[data.modality]" in bare
    told = talk(tmp_path, answers, "--set", "task.multilabel=no")
    assert told.startswith("Begun with 4 answers.\n")
    assert "[data.modality]" not in told
    assert told.count("--set ") >= 4  # commands repeat them
    again = talk(tmp_path, "--resume")
    assert "Resumed with 4 answers." in again


def test_the_wizard_puts_an_earlier_conversation_aside(answers: Path, tmp_path: Path) -> None:
    talk(tmp_path, answers)
    assert "kept as interview.previous.json" in talk(tmp_path, "--set", "data.modality=text")
    assert list((tmp_path / "state").rglob("interview.previous.json"))


def test_the_wizard_either_resumes_or_begins_with_answers(answers: Path) -> None:
    assert "Leave --answers or --resume out." in refused("wizard", "--plain", "--resume", answers)
    assert "Leave --set or --resume out." in refused("wizard", "--plain", "--resume", "--set", "task.kind=classify")


def test_answers_that_cannot_be_read_twice_are_stated_one_by_one(answers: Path) -> None:
    stated = {"data.modality": "image", "data.examples": None}
    again = once_more(Serve(answers=Path("/dev/stdin"), sets=["data.modality=image"]), stated)
    assert (again.answers, again.sets) == (None, ["data.modality=image", "data.examples=unknown"])
    named = Serve(answers=answers)
    assert once_more(named, stated) is named
