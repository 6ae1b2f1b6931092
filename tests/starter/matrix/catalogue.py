"""Every kind of project that can be written, with data that it learns from and what it is asked for afterwards."""

from __future__ import annotations

import ast
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

import numpy
import polars
from PIL import Image

from advisor.starter.blueprint import CLASSICAL, STATISTICAL, Blueprint, Layout, Reads, Targets
from advisor.starter.rendering import files_of
from tests.networks.all_examples import EXAMPLES
from tests.starter.blueprints import blueprint, project
from tests.starter.matrix.published import PUBLISHED
from tests.starter.matrix.zygote import CHANGING, OWN
from tests.starter.test_predicting import MADE, moments

SINGLE = [model for model in CLASSICAL if model not in (STATISTICAL, "ensemble", "naive_bayes")]


@dataclass(frozen=True)
class Case:
    """A project in its folder, and the programs that its owner runs."""

    folder: Path
    train: str
    """What comes before --output."""
    asked: tuple[str, ...]
    """Programs that answer with a model at MODEL; they write to the folder ANSWERS."""


def _plans() -> dict[str, Blueprint]:
    """The blueprint of each kind by its name."""
    plans = {name: plan for examples in EXAMPLES.values() for name, (plan, _) in examples.projects.items()}
    for model in SINGLE:
        for layout in MADE:
            plans[f"{model} of {layout}"] = blueprint(model, layout, Targets.CLASS)
        plans[f"{model} of numbers"] = blueprint(model, Layout.TABLE, Targets.NUMBERS)
    plans["naive_bayes of tokens"] = blueprint("naive_bayes", Layout.TOKENS, Targets.CLASS)
    plans["forecast by trees"] = blueprint("gradient_boosting", Layout.SERIES, Targets.NUMBERS, kind="forecast")
    plans["forecast by statistics"] = blueprint(
        STATISTICAL, Layout.SERIES, Targets.NUMBERS, kind="forecast", members=()
    )
    by_hours = Reads((), "at", "date %Y-%m-%d %H:%M", None)
    plans["forecast by lstm"] = blueprint("lstm", Layout.SERIES, Targets.NUMBERS, kind="forecast", reads=by_hours)
    plans |= _variants()
    return plans


def newest_first(folder: Path) -> Path:
    """Hours of a series, the last before the others."""
    frame = polars.read_csv(moments(folder))
    at = [f"{datetime(2024, 1, 1) + timedelta(hours=hour):%Y-%m-%d %H:%M}" for hour in range(len(frame))]
    frame.insert_column(0, polars.Series("at", at)).reverse().write_csv(folder / "hours.csv")
    return folder / "hours.csv"


def _variants() -> dict[str, Blueprint]:
    """Ways to train that are templates of their own."""
    table, picture = (blueprint("ffn", Layout.TABLE, Targets.CLASS), blueprint("cnn", Layout.PICTURE, Targets.CLASS))
    recipe = table.recipe
    return {
        "ffn in parts": replace(
            table, dropout=0.3, recipe=replace(recipe, accumulation=3, batch_size=12, clip_norm=1.0)
        ),
        "ffn with half numbers": replace(
            table, recipe=replace(recipe, precision="bf16", schedule="cosine", warm_up=0.1)
        ),
        "cnn of an array": picture,
        "ffn by L-BFGS": replace(table, recipe=replace(recipe, optimizer="lbfgs")),
        "cnn with changed pictures": replace(picture, augmentation=True, dropout=0.3, normalization="batch_norm"),
        "cnn with loaders": replace(
            picture, augmentation=True, computing=replace(picture.computing, workers=2, pinned=True)
        ),
        "ffn for a GPU": replace(
            table, recipe=replace(recipe, precision="fp16"), computing=replace(table.computing, device="gpu")
        ),
        "ffn with patience": replace(table, recipe=replace(recipe, patience=1, l1=1e-5, weight_decay=0.01)),
    }


def _films(plan: Blueprint, folder: Path) -> Path:
    """Frames of 40 examples in an array, and their classes."""
    frames = CHANCE.normal(size=(40, plan.shape.steps, plan.shape.values)).astype(numpy.float32)
    numpy.savez(folder / "films.npz", films=frames, kinds=numpy.arange(40) % 3)
    return folder / "films.npz"


def _array(plan: Blueprint, folder: Path) -> Path:
    pictures = CHANCE.integers(0, 256, size=(40, 8, 8, 3), dtype=numpy.uint8)
    numpy.savez(folder / "pictures.npz", pictures=pictures, kinds=numpy.arange(40) % 2)
    return folder / "pictures.npz"


def _numbers(plan: Blueprint, folder: Path) -> Path:
    """Rows of two numbers and a category."""
    numbers = CHANCE.normal(size=(60, 2)).round(3)
    columns = {"a": numbers[:, 0], "b": numbers[:, 1], "kind": ["x", "y", "z"] * 20}
    polars.DataFrame(columns).write_csv(folder / "numbers.csv")
    return folder / "numbers.csv"


def _masks(plan: Blueprint, folder: Path) -> Path:
    """Images beside their masks."""
    for number in range(12):
        mask = CHANCE.integers(0, 2, size=(12, 12), dtype=numpy.uint8)
        for part, values in (("images", numpy.stack([mask * 200] * 3, axis=2)), ("masks", mask)):
            (folder / "data" / part).mkdir(parents=True, exist_ok=True)
            Image.fromarray(values).save(folder / "data" / part / f"{number}.png")
    return folder / "data"


def _graph(plan: Blueprint, folder: Path) -> Path:
    """A ring of 60 nodes of two classes."""
    (folder / "graph").mkdir()
    nodes, kinds, ring = CHANCE.normal(size=60).round(3), numpy.arange(60) % 2, numpy.arange(60)
    columns = {"a": nodes, "b": nodes * kinds, "kind": [f"kind {one}" for one in kinds]}
    polars.DataFrame(columns).write_csv(folder / "graph" / "nodes.csv")
    polars.DataFrame({"from": ring, "to": (ring + 1) % 60}).write_csv(folder / "graph" / "edges.csv")
    return folder / "graph"


CHANCE = numpy.random.default_rng(5)
FILES: dict[str, Callable[[Blueprint, Path], Path]] = {
    "autoencoder of a table": _numbers,
    "autoencoder of pictures": _array,
    "vae of a series": lambda _, folder: moments(folder),
    "forecast by lstm": lambda _, folder: newest_first(folder),
    "cnn of films": _films,
    "transformer of films": _films,
    "cnn of an array": _array,
    "unet": _masks,
    "gnn": _graph,
}
"""Data in a form of their own."""
PLANS = _plans()
EVERY = [*PLANS, *PUBLISHED]
"""Also those of networks that somebody named, which need their libraries to be made."""
FEW = "--epochs 2 --batch-size 16"


def made(name: str, folder: Path) -> Case:
    """The project of this kind in the folder, with its data beside it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if name in PUBLISHED:
        return _published(name, folder)
    plan = PLANS[name]
    where = project(folder / "project", plan)
    data = ""
    if name in FILES:
        data = f" --data {FILES[name](plan, folder)}"
    elif plan.kind == "forecast" and plan.layout is Layout.SERIES:
        data = f" --data {moments(folder)}"
    elif plan.targets is Targets.NUMBERS and plan.layout in (Layout.TABLE, Layout.SERIES):
        file = MADE[plan.layout](folder)
        polars.read_csv(file).drop("kind").write_csv(file)  # so that the last column holds numbers
        data = f" --data {file}"
    elif plan.targets is not Targets.NUMBERS and plan.layout in MADE and (plan.predicts or not plan.is_network):
        data = f" --data {MADE[plan.layout](folder)}"
    few = "" if not plan.is_network else " --epochs 2" if plan.recipe.optimizer == "lbfgs" else f" {FEW}"
    files = {path.name for path in where.iterdir()}
    asked: tuple[str, ...] = ()
    if "predict.py" in files and data and plan.targets is Targets.MASK:
        asked = (f"predict.py{data}/images --output ANSWERS/masks",)
    elif "predict.py" in files and data:
        asked = (f"predict.py{data} --output ANSWERS/predictions.csv --force",)
    elif "generate.py" in files and plan.has_own_loss:
        asked = (f"generate.py{data} --weights MODEL --number 2 --output ANSWERS",)
    elif "generate.py" in files:
        asked = ("generate.py --weights MODEL --text word7 --words 3",)
    return Case(where, f"train.py{data}{few}", asked)


def _published(name: str, folder: Path) -> Case:
    where = PUBLISHED[name](folder)
    data = f" --data {MADE[Layout.TOKENS if 'texts' in name else Layout.PICTURE](folder)}"
    asked = (f"predict.py{data} --output ANSWERS/predictions.csv --force",)
    return Case(where, f"train.py{data} --epochs 2 --batch-size 16", asked if (where / "predict.py").exists() else ())


def sources(name: str) -> dict[str, str]:
    """The files of this kind of project."""
    return files_of(PLANS[name])


def saving_code(name: str) -> frozenset[str]:
    """The functions of this kind of project in which a stop may come at an awkward moment, as they are written."""
    return frozenset(
        f"{file}: {ast.dump(node)}"
        for file, text in sources(name).items()
        if file in OWN
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef) and node.name in CHANGING
    )


def representatives() -> list[str]:
    """One project for each way in which saving is written, and each network that somebody named."""
    first = {saving_code(name): name for name in reversed(PLANS)}
    return [name for name in PLANS if name in first.values()] + [*PUBLISHED]
