"""Something to carry away: each kind is written where it was said, and nothing is replaced unasked."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from textual.widgets import Input, OptionList, Static

from advisor.facts.answers import read_answers
from advisor.report.plan.json_plan import read_plan
from advisor.session.data import inspected
from advisor.tui.dialogs.ask import Ask
from advisor.tui.screens.export import ExportScreen
from tests.tui.pilots import WIDE, Running, piloted, running, settled, snapshot
from tests.tui.test_topic import desk
from tests.tui.waiting import shows

TABLE = {"task.kind": "classify", "data.modality": "tabular", "task.outputs": "3", "data.examples": "2M", "data.inputs": "40",
         "task.complexity": "complex"}  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


async def choose(run: Running, kind: str, name: str | None = None) -> None:
    """Marks what to save by the keyboard, and writes its name."""
    kinds = run.screen.query_one("#kinds", OptionList)
    kinds.focus()
    await run.pilot.press("home", *["down"] * kinds.get_option_index(kind), "enter")
    await settled(run.pilot)
    if name is not None:
        await run.pilot.press("ctrl+u")
        run.screen.query_one("#file_name", Input).value = name
        await settled(run.pilot)


def said(run: Running) -> str:
    return str(run.screen.query_one("#export_said", Static).content)


@pytest.mark.parametrize(
    ("kind", "file", "begins"),
    [("markdown", "report.md", "# Advice: classify, image"), ("html", "report.html", "<!doctype html>")],
)
def test_a_report_is_saved_under_the_name_that_was_offered(folder: Path, kind: str, file: str, begins: str) -> None:
    @piloted
    async def save() -> None:
        async with running(ExportScreen(), desk=desk()) as run:
            await choose(run, kind)
            await run.press("enter")
            assert (folder / file).read_text(encoding="utf-8").lower().startswith(begins.lower())
            assert str(folder / file) in said(run)
            assert said(run).startswith("✓ Saved")

    save()


@piloted
async def test_the_plan_that_was_saved_is_read_back() -> None:
    async with running(ExportScreen(), desk=desk()) as run:
        await choose(run, "json", "mine.json")
        await run.press("ctrl+s")
        assert json.loads(Path("mine.json").read_text(encoding="utf-8"))["schema"] == "advisor/plan/1"
        saved = read_plan(Path("mine.json"), run.desk.knowledge)
        assert saved.value("network.type") == "cnn"
        assert saved.to_json()["facts"] == run.desk.interview.plan().to_json()["facts"]


@piloted
async def test_the_answers_that_were_saved_are_read_back() -> None:
    async with running(ExportScreen(), desk=desk()) as run:
        await choose(run, "answers")
        await run.press("enter")
        given = run.desk.interview.progress.said()
        assert read_answers(run.desk.knowledge.vocabulary, Path("answers.yaml")) == given


@piloted
async def test_a_starter_project_is_a_folder() -> None:
    async with running(ExportScreen(), desk=desk(TABLE)) as run:
        await choose(run, "starter", "project")
        await run.press("enter")
        assert {"README.md", "model.py", "train.py"} <= {path.name for path in Path("project").iterdir()}


@piloted
async def test_a_file_that_exists_is_replaced_only_after_asking() -> None:
    Path("report.md").write_text("mine", encoding="utf-8")
    async with running(ExportScreen(), desk=desk()) as run:
        await run.press("ctrl+s")
        assert isinstance(run.screen, Ask)
        await run.press("n")
        assert Path("report.md").read_text(encoding="utf-8") == "mine"
        assert said(run) == "Nothing was saved."
        await run.press("ctrl+s", "y")
        assert Path("report.md").read_text(encoding="utf-8").startswith("# Advice")


@piloted
async def test_a_folder_with_files_keeps_what_is_not_of_the_project() -> None:
    Path("starter").mkdir()
    Path("starter/notes.txt").write_text("mine", encoding="utf-8")
    async with running(ExportScreen(), desk=desk(TABLE)) as run:
        await choose(run, "starter")
        await run.press("enter")
        assert isinstance(run.screen, Ask)
        await run.press("y")
        assert Path("starter/model.py").exists()
        assert Path("starter/notes.txt").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("", "such as report.md"),
        ("nowhere/report.md", "Check the folder"),
        (".", "Name a file"),
        ("~nobody-here/x", "Check"),
    ],
)
def test_what_is_wrong_is_said_in_place_with_its_remedy(name: str, remedy: str) -> None:
    @piloted
    async def save() -> None:
        async with running(ExportScreen(), desk=desk()) as run:
            await choose(run, "markdown", name)
            await run.press("ctrl+s")
            assert said(run).startswith("✗ ")
            assert remedy in said(run)

    save()


@piloted
async def test_the_data_are_never_rewritten(folder: Path) -> None:
    data = folder / "data.csv"
    data.write_text("a,b\n", encoding="utf-8")
    standing = desk()
    standing.inspection = SimpleNamespace(path=str(data), target=None, examples=3)
    async with running(ExportScreen(), desk=standing) as run:
        await choose(run, "markdown", "data.csv")
        await run.press("ctrl+s")
        assert "They are never rewritten" in said(run)
        assert data.read_text(encoding="utf-8") == "a,b\n"


@piloted
async def test_a_starter_project_is_for_the_data_and_data_that_it_would_misread_are_refused(folder: Path) -> None:
    (folder / "rows.csv").write_text("a;b\n" + "1;x\n2;y\n" * 30, encoding="utf-8")
    (folder / "rows.json").write_text('[{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]', encoding="utf-8")
    standing = desk(TABLE)
    async with running(ExportScreen(), desk=standing) as run:
        standing.inspection = inspected(folder / "rows.csv", "b")
        await choose(run, "starter", "project")
        await run.press("enter")
        assert 'else ";"' in Path("project/data.py").read_text(encoding="utf-8")

        standing.inspection = inspected(folder / "rows.json")
        await choose(run, "starter", "other")
        await run.press("enter")
        assert "JSON with one object a line" in said(run)
        assert not Path("other").exists()


@piloted
async def test_names_are_kept_for_each_kind() -> None:
    async with running(ExportScreen(), desk=desk()) as run:
        await choose(run, "markdown", "first.md")
        await choose(run, "json")
        assert run.screen.query_one("#file_name", Input).value == "plan.json"
        await choose(run, "markdown")
        assert run.screen.query_one("#file_name", Input).value == "first.md"


@piloted
async def test_a_saved_plan_has_no_answers_to_save() -> None:
    async with running(ExportScreen(desk().interview.plan()), desk=desk()) as run:
        assert "answers" not in [option.id for option in run.screen.query_one("#kinds", OptionList).options]


@piloted
async def test_the_mouse_chooses_and_saves() -> None:
    async with running(ExportScreen(), desk=desk()) as run:
        await run.click("#kinds", offset=(4, 2))
        assert run.screen.query_one("#file_name", Input).value == "plan.json"
        await run.click("#save")
        assert Path("plan.json").exists()


@piloted
async def test_a_name_that_looks_like_markup_is_shown_as_it_is() -> None:
    async with running(ExportScreen(), desk=desk()) as run:
        await choose(run, "json", "[b]x[")
        await run.press("ctrl+s")
        assert Path("[b]x[").exists()
        assert said(run).endswith("[b]x[")


@piloted
async def test_picture_of_the_export(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    async with running(ExportScreen(), desk=desk()) as run:
        snapshot(run.app, "export-80x24")
        await shows(run, "Starter project")


@piloted
async def test_the_key_that_saves_is_named_with_the_folder(folder: Path) -> None:
    async with running(ExportScreen(), desk=desk(), size=WIDE) as run:
        await shows(run, f"Enter goes to its name, ^s saves it at once, in {folder}")
        await run.press("enter")
        assert isinstance(run.app.focused, Input)
        await shows(run, f"Enter saves it, in {folder}")
        run.screen.query_one("#file_name", Input).value = "there/mine.md"
        await shows(run, f"Enter saves it, in {folder}/there")
        run.screen.query_one("#file_name", Input).value = "mine.md"
        await run.press("enter")
        assert (folder / "mine.md").exists()
