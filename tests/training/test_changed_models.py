"""A saved model that somebody has changed: refused with words before compiled code follows it, in bounded memory."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.ensemble import (
    ExtraTreesRegressor,
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    IsolationForest,
    RandomForestRegressor,
)
from sklearn.neighbors import KNeighborsRegressor
from sklearn.svm import SVC, SVR

from advisor.children.supervise import End, Ending
from advisor.errors import InputError, Problem
from advisor.session import applying, keeping
from advisor.session.applying import apply_model
from advisor.training.child.boosters import BoosterRegressor
from advisor.training.kept import opening
from advisor.training.kept.card import CARD, ESTIMATOR, PREPARATION, WEIGHTS
from advisor.training.kept.checking import check_estimator
from advisor.training.kept.request import (
    LONGEST_TEXT,
    MESSAGES,
    MOST_PROBLEMS,
    Applied,
    Progress,
    WorkFailedError,
    refusal,
)
from tests.training.test_kept import FOREST, NETWORK, flats, saved, without, written
from tests.training.test_kept import refusal as refused

DRAW = numpy.random.default_rng(0)
INPUTS = DRAW.normal(size=(300, 4))
INPUTS[:, 3] = DRAW.integers(0, 12, 300)
TARGETS = INPUTS[:, 0] + INPUTS[:, 3] % 3
CATEGORIES = [False, False, False, True]


def first_tree(model: Any) -> Any:
    part = model.estimators_[0]
    return (part[0] if isinstance(part, numpy.ndarray) else part).tree_


def changed_array(name: str, value: int, place: int = 0) -> Callable[[Any], None]:
    def change(model: Any) -> None:
        getattr(first_tree(model), name)[place] = value

    return change


def changed_node(name: str, value: int) -> Callable[[Any], None]:
    def change(model: Any) -> None:
        nodes = model._predictors[0][0].nodes
        nodes[name][0] = value

    return change


def changed_text(name: str, place: int, value: str) -> Callable[[Any], None]:
    def change(model: Any) -> None:
        lines = model.model_.split("\n")
        line = next(number for number, one in enumerate(lines) if one.startswith(f"{name}="))
        values = lines[line].partition("=")[2].split()
        values[place] = value
        before = len(lines[line])
        lines[line] = f"{name}={' '.join(values)}"
        sizes = next(number for number, one in enumerate(lines) if one.startswith("tree_sizes="))
        if line > sizes:
            first, *rest = lines[sizes].partition("=")[2].split()
            lines[sizes] = f"tree_sizes={' '.join([str(int(first) + len(lines[line]) - before), *rest])}"
        model.model_ = "\n".join(lines)

    return change


def changed_neighbours(place: int, change: Callable[[Any], Any]) -> Callable[[Any], None]:
    def changed(model: Any) -> None:
        state = list(model._tree.__getstate__())
        state[place] = change(state[place])
        model._tree.__setstate__(tuple(state))

    return changed


def with_value(name: str | None, place: int, value: int) -> Callable[[Any], Any]:
    def change(array: Any) -> Any:
        found = numpy.array(array)
        (found if name is None else found[name])[place] = value
        return found

    return change


def without_width(model: Any) -> None:
    del model.n_features_in_


def with_category(model: Any) -> None:
    model._bin_mapper.bin_thresholds_[0] = numpy.array([0.0, 5000.0])


FORESTS = (
    RandomForestRegressor(3, random_state=0),
    ExtraTreesRegressor(3, random_state=0),
    GradientBoostingRegressor(n_estimators=3),
    IsolationForest(n_estimators=3, random_state=0),
)
OF_FORESTS = (
    changed_array("children_left", 0),
    changed_array("children_right", 0),
    changed_array("children_left", 2**60),
    changed_array("children_left", -7),
    changed_array("children_left", -1),
    changed_array("feature", 4),
    changed_array("feature", -5),
)
BOOSTED = HistGradientBoostingRegressor(max_iter=3, categorical_features=CATEGORIES, random_state=0)
OF_BOOSTED = (
    *(changed_node(name, value) for name in ("left", "right") for value in (0, 2**31)),
    *(changed_node("feature_idx", value) for value in (4, -1)),
    changed_node("is_categorical", 1),
    with_category,
)
LIGHTGBM = BoosterRegressor(max_iter=3, categorical_features=CATEGORIES)
OF_LIGHTGBM = (
    *(changed_text("left_child", 0, value) for value in ("0", "100000", "-100000")),
    *(changed_text("split_feature", 0, value) for value in ("4", "-1")),
    changed_text("num_leaves", 0, "1000000"),
    changed_text("num_leaves", 0, "0"),
    changed_text("tree_sizes", 0, "17"),
    changed_text("num_class", 0, "9"),
    changed_text("num_tree_per_iteration", 0, "5"),
    changed_text("objective", 0, "multiclass num_class:900"),
    changed_text("is_linear", 0, "1"),
)
NEIGHBOURS = KNeighborsRegressor(algorithm="kd_tree", leaf_size=20)
OF_NEIGHBOURS = (
    changed_neighbours(1, with_value(None, 0, 2**40)),
    changed_neighbours(1, with_value(None, 0, -1)),
    changed_neighbours(2, with_value("idx_end", 0, 2**40)),
    changed_neighbours(2, with_value("is_leaf", -1, 0)),
    changed_neighbours(2, lambda nodes: numpy.array(nodes)[:3]),
    changed_neighbours(6, lambda count: 2**40),
)


def short_duals(model: Any) -> None:
    model._dual_coef_ = model._dual_coef_[:, :3].copy()


def too_many_vectors(model: Any) -> None:
    model._n_support = model._n_support + 1000


CASES = [
    *((model, change) for model in FORESTS for change in OF_FORESTS),
    (FORESTS[0], without_width),
    *((BOOSTED, change) for change in OF_BOOSTED),
    *((LIGHTGBM, change) for change in OF_LIGHTGBM),
    *((NEIGHBOURS, change) for change in OF_NEIGHBOURS),
    (SVR(), short_duals),
    (SVC(), short_duals),
    (SVC(), too_many_vectors),
]


def fitted(model: BaseEstimator) -> Any:
    from sklearn.base import clone

    found = clone(model)
    return found.fit(INPUTS, (TARGETS > 0).astype(int) if isinstance(model, SVC) else TARGETS)


@pytest.mark.parametrize("number", range(len(CASES)), ids=lambda number: f"{type(CASES[number][0]).__name__}-{number}")
def test_what_leads_out_of_an_array_is_refused(number: int) -> None:
    model, change = CASES[number]
    found = fitted(model)
    check_estimator([("one", 1.0, found)])
    change(found)
    with pytest.raises((ValueError, AttributeError)):
        check_estimator([("one", 1.0, found)])


def test_sparse_matrices_are_checked_too() -> None:
    matrix = sparse.csr_matrix(numpy.eye(3))
    check_estimator({"counts": matrix})
    matrix.indices[0] = 70
    with pytest.raises(ValueError, match="indices"):
        check_estimator({"counts": matrix})


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("changed") / "flats.csv", without(flats(150), "rent"))


@pytest.fixture(scope="module")
def models(table: Path) -> dict[str, Path]:
    forest = saved(table, "class", FOREST, table.parent / "forest")
    return {"forest": forest, "network": saved(table, "class", NETWORK, table.parent / "network")}


@pytest.fixture
def changed(models: dict[str, Path], tmp_path: Path) -> Callable[[str, str], Path]:
    """A copy of a model without one of its files, and the place of that file."""

    def copy(model: str, name: str) -> Path:
        folder = tmp_path / "model"
        folder.mkdir()
        for path in models[model].iterdir():
            if path.name != name:
                (folder / path.name).write_bytes(path.read_bytes())
        return folder / name

    return copy


FILES = [("forest", ESTIMATOR), ("forest", PREPARATION), ("network", WEIGHTS), ("network", PREPARATION)]


@pytest.mark.parametrize(("model", "name"), FILES)
def test_only_regular_files_are_read(changed: Callable[[str, str], Path], table: Path, model: str, name: str) -> None:
    place = changed(model, name)
    place.symlink_to("/dev/zero")
    assert f"{name}: the saved model is damaged (it is no regular file)" in str(refused(place.parent, table))
    place.unlink()
    os.mkfifo(place)
    assert "it is no regular file" in str(refused(place.parent, table))
    place.unlink()
    place.mkdir()
    assert "the saved model is damaged" in str(refused(place.parent, table))
    place.rmdir()
    assert "the saved model is damaged" in str(refused(place.parent, table))


@pytest.mark.parametrize(("model", "name"), FILES)
def test_what_unpacks_to_too_much_is_refused_before_it_is_unpacked(
    changed: Callable[[str, str], Path], table: Path, model: str, name: str
) -> None:
    place = changed(model, name)
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("schema.json", " " * (opening.FREELY + 1))
    assert "MB and unpacks to 50 MB, more than 50 MB" in str(refused(place.parent, table))


def test_an_archive_within_an_archive_counts_too(tmp_path: Path) -> None:
    inner, outer = tmp_path / "inner.npz", tmp_path / "model.skops"
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("data.npy", b"\0" * (opening.FREELY + 1))
    with zipfile.ZipFile(outer, "w") as archive:
        archive.write(inner, "1.npz")
    with pytest.raises(opening.UnopenableError, match="unpacks to"), opening.opened(outer):
        pass


def test_limits_of_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model.skops"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("schema.json", "{}" * 500)
        archive.writestr("1.npy", b"12")
    with opening.opened(path) as file:
        assert file.read(2) == b"PK"
    for name, value, what in (
        ("MOST_STRUCTURE_BYTES", 999, "its schema.json unpacks to"),
        ("MOST_MEMBERS", 1, "more than 1 parts"),
        ("MOST_BYTES", 100, "it is larger than 0 MB"),
    ):
        with monkeypatch.context() as patched:
            patched.setattr(opening, name, value)
            with pytest.raises(opening.UnopenableError, match=what), opening.opened(path):
                pass


def test_a_card_of_another_network_takes_no_memory(changed: Callable[[str, str], Path], table: Path) -> None:
    place = changed("network", CARD)
    card = json.loads((table.parent / "network" / CARD).read_text())
    text = json.dumps(card).replace('"hidden_units": [8]', '"hidden_units": [2000000, 2000000]')
    assert text != json.dumps(card)
    place.write_text(text)
    assert "the saved model is damaged" in str(refused(place.parent, table))


def test_a_refusal_of_many_problems_is_cut_and_says_how_many_more() -> None:
    error = InputError("These data do not fit", [Problem("x.csv", "ж" * 3000, "y") for _ in range(20_000)])
    line = MESSAGES.line(refusal(error))
    assert len(line) < 1_000_000
    told = MESSAGES.read(line.strip())
    assert (len(told.problems), told.more) == (MOST_PROBLEMS, 20_000 - MOST_PROBLEMS)  # type: ignore[union-attr]
    assert len(told.problems[0].what) == LONGEST_TEXT  # type: ignore[union-attr]


def test_a_model_of_very_many_columns_names_those_that_are_missing(
    changed: Callable[[str, str], Path], table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from advisor.cli.console import error_panel

    place = changed("forest", CARD)
    card = json.loads((table.parent / "forest" / CARD).read_text())
    card["intake"]["columns"] = [{"name": f"gene {n}", "kind": "number", "style": ""} for n in range(20_000)]
    place.write_text(json.dumps(card))
    with pytest.raises(InputError) as error:
        apply_model(place.parent, table, complain=lambda *_: None, threads=1)
    assert "the column 'gene 0' is missing" in str(error.value.problems[0])
    error_panel(error.value)
    assert "… and 19,980 more" in capsys.readouterr().err


def ending(monkeypatch: pytest.MonkeyPatch, how: Ending) -> None:
    monkeypatch.setattr(keeping, "supervise", lambda *_, **__: how)


def test_an_ending_without_a_result_is_a_failure_in_words(
    models: dict[str, Path], table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ending(monkeypatch, Ending(End.SAID_ALL))
    with pytest.raises(WorkFailedError, match="ended without a result"):
        apply_model(models["forest"], table, complain=lambda *_: None, threads=1)
    ending(monkeypatch, Ending(End.SAID_ALL, rubbish=1))
    with pytest.raises(WorkFailedError, match="1 of its messages were too long"):
        apply_model(models["forest"], table, complain=lambda *_: None, threads=1)
    ending(monkeypatch, Ending(End.LATE))
    with pytest.raises(WorkFailedError, match="much longer than such data should take"):
        apply_model(models["forest"], table, complain=lambda *_: None, threads=1)


def test_the_time_follows_from_the_rows(models: dict[str, Path], table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from advisor.training.kept.card import read_card

    monkeypatch.setattr(applying.time, "monotonic", lambda: 1000.0)
    limit = applying._Limit(read_card(models["forest"]), table)
    assert 1300 < limit.end < 1301
    limit.extend(Progress(0, 50_000))
    assert limit.end == 1000 + 300 + 10_000
    limit.extend(Progress(49_000, 50_000))
    assert limit.end == 1000 + 300 + 200


def test_rows_are_counted_while_they_are_predicted(models: dict[str, Path], table: Path) -> None:
    told: list[tuple[int, int]] = []
    found = apply_model(
        models["forest"],
        table,
        complain=lambda *_: None,
        threads=1,
        progress=lambda done, rows: told.append((done, rows)),
    )
    assert told == [(0, 150), (150, 150)]
    assert isinstance(found.applied, Applied)
