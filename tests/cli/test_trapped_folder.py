"""Every command, run in a folder whose files have the names of libraries: none of them is imported, run or believed.

Python itself, not the program, imports `sitecustomize` along PYTHONPATH before anything of ours runs, and
`python -m advisor` looks for `advisor` in the current folder first: that these find what a user let them find, no test
can ask otherwise.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from advisor.cli.app import COMMANDS
from tests.agent.profiles_made import compared, profile
from tests.cli.program import Finished, environment, keep_standards
from tests.starter.projects import commands
from tests.traps import sprung, trapped
from tests.tui.terminal import CTRL_Q, Terminal
from tests.web.served import Served

ADVISOR = str(Path(sys.executable).with_name("advisor"))
FACTS = "--set task.kind=classify --set data.modality=tabular --set data.inputs=2 --set data.examples=200 --set task.outputs=2"
LINES = {
    "wizard": "wizard --plain",
    "recommend": f"recommend {FACTS} --data data.csv --target kind",
    "explain": f"explain network.type {FACTS}",
    "compare": "compare answers.yaml answers.yaml",
    "inspect": "inspect data.csv --target kind",
    "try": "try --data data.csv --target kind --budget 6s",
    "apply": "apply model --data data.csv --output predictions.csv",
    "sync": f"sync {FACTS} --data data.csv --target kind --strategies synchronous,local_sgd --seeds 1 --budget 14s",
    "simulate": f"simulate {FACTS} --data data.csv --target kind --strategy asynchronous --workers 3 --steps 5",
    "bench": "bench fcn5 --budget 6s",
    "glossary": "glossary",
    "help": "help answers",
    "report": "report --plan plan.json --format html",
    "starter": "starter --plan plan.json --output project",
    "doctor": "doctor --data data.csv",
    "probe": f"probe {FACTS} --budget 8s",
    "probe list": "probe list",
    "rules": "rules",
    "rules list": "rules list",
    "rules show": "rules show training.regularization.many-classes",
    "rules check": "rules check",
    "rules test": "rules test",
    "rules coverage": "rules coverage",
    "rules docs": "rules docs",
    "rules trial": f"rules trial {FACTS}",
    "models": "models",
    "models list": "models list",
    "models show": "models show resnet50",
    "profiles": "profiles",
    "profiles list": "profiles list",
    "profiles show": "profiles show rtx-4090",
    "profiles path": "profiles path",
    "profiles compare": "profiles compare made.json made.json",
    "profiles export": "profiles export made.json",
}
SERVES = {"serve"}
"""It runs until Ctrl-C, and is tried below."""
OFTEN = ("recommend", "inspect", "doctor", "report")
"""Tried in every run of the tests; the others take a minute together."""
ELSEWHERE = {"rules check": "tests/cli/test_rules_check.py", "sync": "tests/cli/test_sync.py"}
"""Run among traps by a test that looks at what it says as well."""
CODES = {
    **{name: {2} for name in ("apply", "rules", "models", "profiles")},
    **{name: {0, 1} for name in ("try", "bench", "probe", "sync")},
}
"""Groups show their help and end as wrong usage does; there is no saved model to apply.

On a busy machine there may be no time to measure anything.
"""
DRAWS = """
from advisor.report.html.drawing import Chart, Point, Shape, svg
points = Point("1", 100, 90, 110), Point("2", 180, 170, 190)
print(svg(Chart("threads", "Threads", "More is faster.", Shape.DOTS, points, "steps/s", (), ())))
"""
WITH_A_CARD = """
from advisor.machine.cards import FoundGpus, Gpu
from advisor.machine.detection import detection
detection.detect_gpus = lambda *_: FoundGpus((Gpu(backend="cuda", name="NVIDIA H200", memory_bytes=150_000_000_000),))
from advisor.cli.main import main
main()
"""


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A plan as JSON."""
    line = [ADVISOR, *shlex.split(f"recommend {FACTS} --machine none --format json")]
    folder = tmp_path_factory.mktemp("plan")
    return subprocess.run(line, env=environment(), cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def folder(tmp_path: Path, plan: str) -> Path:
    """Data and answers among traps, as a download may have brought them."""
    folder = trapped(tmp_path / "download")
    rows = [(i * 7 % 11, i * 5 % 13) for i in range(200)]
    (folder / "data.csv").write_text("a,b,kind\n" + "".join(f"{a},{b},{'yes' if a > b else 'no'}\n" for a, b in rows))
    (folder / "answers.yaml").write_text("task.kind: classify\n")
    (folder / "plan.json").write_text(plan)
    (folder / "made.json").write_text(json.dumps(profile([compared()], name="made").to_json()))
    return folder


def run(*command: str, folder: Path, **variables: str) -> Finished:
    """To its end, with nothing to read; what it remembers goes to a folder of its own."""
    keep_standards(folder.parent / "state")
    done = subprocess.run(
        command, cwd=folder, env=environment(ADVISOR_STATE=str(folder.parent / "state"), **variables),
        stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8", timeout=500, check=False,
    )  # fmt: skip
    return Finished(done.returncode, done.stdout, done.stderr)


def test_every_command_is_among_them() -> None:
    assert set(LINES) | SERVES == set(COMMANDS)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(
            name, marks=[pytest.mark.slow] * (name not in OFTEN) + [pytest.mark.thorough] * (name in ELSEWHERE)
        )
        for name in LINES
    ],
)
def test_no_command_runs_or_believes_what_lies_in_the_current_folder(name: str, folder: Path) -> None:
    done = run(ADVISOR, *shlex.split(LINES[name]), folder=folder)
    assert sprung(folder) == []
    assert done.code in CODES.get(name, {0}), done.err
    assert "Traceback" not in done.err


def test_nor_do_figures_follow_settings_that_lie_there(folder: Path) -> None:
    """Its matplotlibrc is no text, which would end the program that reads it."""
    drawn = [run(sys.executable, "-P", "-c", DRAWS, folder=place) for place in (folder, folder.parent)]
    assert [done.code for done in drawn] == [0, 0], drawn[0].err
    assert "<svg" in drawn[0].out
    assert drawn[0].out == drawn[1].out


@pytest.mark.slow
@pytest.mark.parametrize("line", ["doctor", "probe --only memory --budget 6s", "bench fcn5 --budget 4s"])
def test_nor_is_it_found_by_the_child_that_asks_torch_about_a_card(line: str, folder: Path) -> None:
    run(sys.executable, "-P", "-c", WITH_A_CARD, *shlex.split(line), folder=folder)
    assert sprung(folder) == []


@pytest.mark.slow
@pytest.mark.parametrize("entries", [f"{os.pathsep}/no/such", "traps"])
def test_nor_along_entries_of_the_search_path_that_mean_the_current_folder(entries: str, folder: Path) -> None:
    """The interpreter of the program itself is started without them: it imports along them before it is ours."""
    script = f"import os; os.environ['PYTHONPATH'] = {entries!r}\nfrom advisor.cli.main import main; main()"
    trapped(folder / "traps")
    for line in ("doctor", "probe --only memory --budget 6s"):
        run(sys.executable, "-P", "-c", script, *shlex.split(line), folder=folder)
    assert sprung(folder) == sprung(folder / "traps") == []


@pytest.mark.parametrize("line", ["doctor", pytest.param("recommend --machine none", marks=pytest.mark.slow)])
def test_nor_by_python_m_once_the_program_was_found(line: str, folder: Path) -> None:
    (folder / "advisor.py").unlink()
    done = run(sys.executable, "-m", "advisor", *shlex.split(line), folder=folder)
    assert sprung(folder) == []
    assert done.code == 0, done.err


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_nor_by_the_wizard_on_a_whole_screen(folder: Path) -> None:
    wizard = Terminal(folder, "wizard", **environment())
    wizard.sees("1 Begin")
    wizard.press("1")
    wizard.sees("What is one example?", "About")
    wizard.press(CTRL_Q)
    wizard.ends()
    assert sprung(folder) == []


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals as on Linux")
def test_nor_by_a_wizard_in_a_browser(folder: Path) -> None:
    state = str(folder.parent / "state")
    with Served(folder, "--no-open", program=[ADVISOR], PYTHONPATH="", ADVISOR_STATE=state) as served:
        window = served.window()
        assert len(served.wizards()) == 1
        window.close()
    assert sprung(folder) == []


@pytest.mark.slow
def test_nor_by_a_project_that_is_started_there(folder: Path) -> None:
    """Its own modules lie beside train.py, and are found there before all others."""
    project = folder / "project"
    assert run(ADVISOR, *shlex.split(LINES["starter"]), folder=folder).code == 0
    lines = [shlex.split(line) for line in commands(project) if line.startswith("python")]
    assert [file for _, file, *_ in lines if file == "test_project.py"]
    for _, file, *arguments in lines:
        given = ["data.csv" if word in ("PATH", "NEW") else word for word in arguments]
        done = run(sys.executable, f"project/{file}", *given, folder=folder)
        assert done.code == 0, done.err
        assert sprung(folder) == []


def test_an_empty_entry_of_the_search_path_lends_no_library_to_the_program(tmp_path: Path) -> None:
    """Python itself takes its first modules from there; the program takes none."""
    for name in ("typer", "rich", "yaml", "polars", "numpy"):
        (tmp_path / f"{name}.py").write_text(f"open('mark-{name}', 'w')", encoding="utf-8")
    (tmp_path / "table.csv").write_text("a,b\n" + "".join(f"{n},{n % 2}\n" for n in range(50)), encoding="utf-8")
    for searched in (":", ":/no/such/folder", "."):
        subprocess.run(
            [ADVISOR, "inspect", "table.csv"],
            cwd=tmp_path, env={**environment(), "PYTHONPATH": searched}, check=True, capture_output=True,
        )  # fmt: skip
    assert sorted(path.name for path in tmp_path.glob("mark-*")) == []
