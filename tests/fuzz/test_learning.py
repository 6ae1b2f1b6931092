"""Changed data are brought into memory, split and turned into numbers as `try` does it, or refused with a message.

A fourth of FUZZ_CASES a format.
"""

from __future__ import annotations

import shutil
import traceback
from collections.abc import Callable
from pathlib import Path

import numpy
import pytest
from hypothesis.strategies import SearchStrategy

from advisor.datasets.dataset import Inspection, Task
from advisor.datasets.inspect import inspect, read_for
from advisor.datasets.loading import load
from advisor.datasets.preparing.preparation import preparation
from advisor.datasets.preparing.splits import inner_folds, outer_split
from advisor.errors import InputError

from .case import Case
from .corpus import corpus
from .data import arrays, delimited, folders, json_lines, parquet, pictures, sounds, texts
from .data.made import Made, data_of
from .data.tables import Cells, plain_tables
from .drawing import for_each
from .limits import MOST_SECONDS, limited
from .test_fuzz import CASES, KEPT

MOST_EXAMPLES = 500
LEARNED = CASES // 4
"""Cases of a format; each is learned from for every target and task."""
_MODULES = (delimited, json_lines, parquet, arrays, pictures, sounds, texts, folders)
DATA: dict[str, Callable[..., SearchStrategy[Made]]] = {
    name: drawn for module in _MODULES for name, drawn in module.DATA.items()
}


@pytest.mark.fuzz
@pytest.mark.parametrize("name", DATA)
def test_changed_data_are_learned_from_or_refused(name: str, tmp_path: Path) -> None:
    wrong: list[str] = []
    reached = 0

    def one(made: Made) -> None:
        nonlocal reached
        case, kept = made.case(("inspect", made.path)), KEPT / "failed" / f"{name}-learning" / str(len(wrong))
        case.save(tmp_path / "case")
        try:
            with limited(2, str(tmp_path), (1 + len(made.targets)) * MOST_SECONDS) as spent:
                reached += _learned(tmp_path / "case" / "files" / made.name, made.targets)
            assert not spent.exceeded
        except Exception:
            shutil.rmtree(kept, ignore_errors=True)
            shutil.copytree(tmp_path / "case", kept, symlinks=True)
            wrong.append(f"{kept} {made.targets}\n{traceback.format_exc()}")
        shutil.rmtree(tmp_path / "case")

    for_each(DATA[name](), LEARNED, f"learning/{name}", one)
    assert not wrong, f"{len(wrong)} of {LEARNED} cases:\n" + "\n".join(wrong[:20])
    assert reached >= LEARNED // 20, f"only {reached} of {LEARNED} are learned from"


@pytest.mark.parametrize("name", sorted(name for name in corpus() if name.partition("/")[0] in DATA))
def test_data_that_failed_once_are_learned_from_or_refused(name: str, tmp_path: Path) -> None:
    case: Case = corpus()[name]()
    case.lay_out(tmp_path)
    path, target = data_of(case)
    _learned(tmp_path / path, () if target is None else (target,))


def _learned(path: Path, targets: tuple[str, ...]) -> bool:
    """True where some of it could be turned into numbers; everything else must be refused."""
    return max(_prepared(path, target, task) for target in (None, *targets) for task in (None, *_TASKS))


_TASKS = (Task.CLASSIFY, Task.REGRESS)


def _prepared(path: Path, target: str | None, task: Task | None) -> bool:
    try:
        found = inspect(path, target)
        if task is not None:
            found = read_for(found, task)
        return _in_numbers(found)
    except InputError:
        return False


def _in_numbers(found: Inspection) -> bool:
    examples = load(found, most_examples=MOST_EXAMPLES)
    split = outer_split(examples)
    assert not set(split.training) & set(split.test)
    fold = inner_folds(examples, split.training, 3, 0)[0]
    for rows in (split.training, fold.training):
        fitted = preparation(examples).fit(rows)
        for part in (rows, split.test):
            for values in (fitted.flat(part), fitted.structured(part), fitted.targets(part)):
                assert len(values) == len(part)
                assert numpy.isfinite(values).all()
            fitted.coded(part)
    return True


@pytest.mark.fuzz
@pytest.mark.parametrize("name", DATA)
def test_unchanged_data_are_counted_and_read_alike_twice(name: str, tmp_path: Path) -> None:
    counted = 0

    def one(made: Made) -> None:
        nonlocal counted
        folder = tmp_path / str(counted)
        made.case(()).lay_out(folder)
        found = inspect(folder / made.name)
        assert inspect(folder / made.name) == found
        if found.modality in ("tabular", "image", "audio", "text"):
            assert made.rows in (None, found.examples)
            assert made.columns in (None, len(found.columns) or found.facts["data.inputs"])
        counted += 1

    for_each(DATA[name](plain=True), max(CASES // 10, 10), f"unchanged/{name}", one)
    assert counted


@pytest.mark.fuzz
def test_one_table_is_found_alike_in_every_format(tmp_path: Path) -> None:
    different: list[str] = []

    def one(cells: Cells) -> None:
        paths = [tmp_path / f"t{suffix}" for suffix in (".csv", ".jsonl", ".parquet")]
        records = json_lines.records_of(cells)
        contents = (delimited.written(cells), json_lines.written(records).encode(), parquet.written(records))
        for path, content in zip(paths, contents, strict=True):
            path.write_bytes(content)
        for target in (None, cells.names[-1]):
            told = {_told(path, target) for path in paths}
            if len(told) > 1:
                different.append("\n".join(map(str, told)))

    for_each(plain_tables(), max(CASES // 4, 10), "alike", one)
    assert not different, f"{len(different)} tables:\n" + "\n\n".join(different[:5])


def _told(path: Path, target: str | None) -> object:
    """Whatever does not depend on the format, or the first words of the refusal."""
    try:
        found = inspect(path, target)
    except InputError as error:
        return str(error).replace(str(path), "")
    columns = tuple((column.name, column.kind, column.distinct, column.missing) for column in found.columns)
    return found.modality, found.examples, found.task, found.target, found.classes, found.inputs, columns
