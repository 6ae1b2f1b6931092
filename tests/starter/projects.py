"""Projects made from plans, and run as their README says."""

from __future__ import annotations

import io
import os
import runpy
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any
from unittest import mock

import polars
import pytest
import torch

from advisor.facts.answers import parse_assignments
from advisor.facts.fact_base import FactBase, Source
from advisor.inference.advise import Detail, advise
from advisor.inference.plan import Plan, Status
from advisor.knowledge.loader import load
from advisor.knowledge.model import Knowledge
from advisor.resources import rules_folder
from advisor.starter.planning import blueprint_of
from advisor.starter.project import project_files
from advisor.starter.writing import write_project

RUFF = Path(sys.executable).with_name("ruff")
WITHOUT_FLIPS = Detail(flips=False, questions=False)
TABLE = "task.kind=classify task.outputs=3 data.modality=tabular data.inputs=6 data.examples=400 data.sparse_ids=yes"


@cache
def knowledge() -> Knowledge:
    return load(rules_folder())


def plan_of(facts: str, **advised: Any) -> Plan:
    """The plan for facts as they stand after `--set`, with some recommendations replaced: `network_hidden_units=[8]`."""
    return with_advice(_advice(facts), {name.replace("_", ".", 1): value for name, value in advised.items()})


@cache
def _advice(facts: str) -> Plan:
    stated = parse_assignments(knowledge().vocabulary, facts.split(), "--set")
    return advise(knowledge(), FactBase().with_values(stated, Source.ASKED), detail=WITHOUT_FLIPS)


def with_advice(plan: Plan, advised: Mapping[str, Any]) -> Plan:
    """The plan with other values of some topics, by their names."""
    changed = {
        name: replace(plan.recommendations[name], value=value, status=Status.LEANING, tied=())
        for name, value in advised.items()
    }
    return replace(plan, recommendations={**plan.recommendations, **changed})


def generated(
    folder: Path, plan: Plan, data: Path | None = None, target: str | None = None, delimiter: str = ","
) -> Path:
    """The folder, with the project of this plan in it."""
    write_project(folder, project_files(plan, knowledge(), blueprint_of(plan, data, target, delimiter)))
    return folder


def commands(project: Path) -> list[str]:
    """What the README tells its reader to type."""
    readme = (project / "README.md").read_text()
    return readme.partition("```sh\n")[2].partition("```")[0].splitlines()


def command(project: Path, *words: str) -> str:
    """The one line of these that has all these words."""
    (line,) = [line for line in commands(project) if all(word in line for word in words)]
    return line


def run(project: Path, line: str) -> str:
    """Runs `python FILE ARGUMENTS` in this process, where torch is there already: the file starts as it would alone.

    Returns what it printed.
    """
    program, file, *arguments = shlex.split(line)
    assert program == "python"
    own = {path.stem for path in project.glob("*.py")}
    printed = io.StringIO()
    with _alone(project, own), mock.patch.object(sys, "argv", [file, *arguments]), redirect_stdout(printed):
        runpy.run_path(str(project / file), run_name="__main__")
    return printed.getvalue()


@contextmanager
def _alone(project: Path, modules: set[str]) -> Iterator[None]:
    """In the project's folder, with its modules and nobody else's, and torch as before afterwards."""
    before, threads, interrupted = Path.cwd(), torch.get_num_threads(), signal.getsignal(signal.SIGINT)
    others = {name: sys.modules.pop(name) for name in modules if name in sys.modules}
    with mock.patch.object(sys, "path", [str(project), *sys.path]), torch.random.fork_rng():
        os.chdir(project)
        torch.set_num_threads(1)
        try:
            yield
        finally:
            os.chdir(before)
            torch.set_num_threads(threads)
            signal.signal(signal.SIGINT, interrupted)
            for name in modules:
                sys.modules.pop(name, None)
            sys.modules.update(others)


def answer_column(table: polars.DataFrame) -> polars.Series:
    """The predictions in a table of predict.py: the column before the probabilities, or before the ends of an interval."""
    beside = [name for name in table.columns if not name.startswith("p_") and name not in ("low", "high")]
    return table[beside[-1]]


def environment() -> dict[str, str]:
    """Without anything that would make the advisor importable from elsewhere than where it is installed."""
    return {**{name: value for name, value in os.environ.items() if name != "PYTHONPATH"}, "OMP_NUM_THREADS": "1"}


def complaints(folder: Path) -> str:
    """What ruff has to say with its own rules of a project, or of all that lie in this folder; empty for nothing."""
    source = "src=['.', '*']"  # so that it takes the modules of each project for its own
    alone = ("--isolated", "--no-cache", "--line-length", "120", "--quiet", "--config", source)
    said = [
        subprocess.run([RUFF, *words, *alone, "."], cwd=folder, capture_output=True, text=True, check=False)
        for words in (("check",), ("format", "--diff"))
    ]
    return "".join(done.stdout + done.stderr for done in said)


def some(most: int, *choices: Iterable[Any], half: bool = False) -> list[Any]:
    """All combinations, of which about one in `most` is tried in every run of the tests, and each choice at least once.

    Args:
        half: of all CI tries every second one, and `make test-all` each.
    """

    def marks(total: int) -> list[pytest.MarkDecorator]:
        if total % most == 0:
            return []
        return [pytest.mark.thorough if half and total % 2 else pytest.mark.slow]

    numbered = product(*(enumerate(names) for names in choices))
    return [pytest.param(*(name for _, name in row), marks=marks(sum(n for n, _ in row))) for row in numbered]
