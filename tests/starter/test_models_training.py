"""Networks of every type learn from made-up examples, go on where they were stopped, and are written as ruff wants."""

from __future__ import annotations

import math
import re
from itertools import product
from pathlib import Path

import pytest
import torch

from advisor.starter.blueprint import Blueprint, Layout, Targets
from advisor.starter.rendering import files_of
from tests.starter.blueprints import LARGE, blueprint, project
from tests.starter.projects import complaints, run, some

CLASS, FLAGS, NUMBERS, MASK, ITSELF = Targets.CLASS, Targets.FLAGS, Targets.NUMBERS, Targets.MASK, Targets.ITSELF
KINDS = {
    "cnn of pictures": lambda **more: blueprint("cnn", Layout.PICTURE, CLASS, **more),
    "cnn of masks": lambda **more: blueprint("cnn", Layout.PICTURE, MASK, "cross_entropy", **more),
    "cnn of series": lambda **more: blueprint("cnn", Layout.SERIES, NUMBERS, **more),
    "cnn of sounds": lambda **more: blueprint("cnn", Layout.SOUND, FLAGS, **more),
    "cnn of texts": lambda **more: blueprint("cnn", Layout.TOKENS, CLASS, **more),
    "cnn of views": lambda **more: blueprint("cnn", Layout.PICTURE, ITSELF, "info_nce", **more),
    "cnn that restores": lambda **more: blueprint("cnn", Layout.SERIES, ITSELF, **more),
    "unet of masks": lambda **more: blueprint("unet", Layout.PICTURE, MASK, **more),
    "unet that restores": lambda **more: blueprint("unet", Layout.PICTURE, ITSELF, shape=LARGE, **more),
    "deconvolutional of pictures": lambda **more: blueprint("deconvolutional", Layout.PICTURE, ITSELF, **more),
    "deconvolutional of tables": lambda **more: blueprint("deconvolutional", Layout.TABLE, NUMBERS, **more),
    "autoencoder of pictures": lambda **more: blueprint("autoencoder", Layout.PICTURE, ITSELF, shape=LARGE, **more),
    "autoencoder of texts": lambda **more: blueprint("autoencoder", Layout.TOKENS, ITSELF, **more),
    "autoencoder of series": lambda **more: blueprint("autoencoder", Layout.SERIES, ITSELF, **more),
    "vae of pictures": lambda **more: blueprint("vae", Layout.PICTURE, ITSELF, shape=LARGE, **more),
    "vae of tables": lambda **more: blueprint("vae", Layout.TABLE, ITSELF, **more),
    "gan of pictures": lambda **more: blueprint("gan", Layout.PICTURE, ITSELF, shape=LARGE, **more),
    "gan of tables": lambda **more: blueprint("gan", Layout.TABLE, ITSELF, **more),
    "diffusion of pictures": lambda **more: blueprint("diffusion", Layout.PICTURE, ITSELF, **more),
    "diffusion of tables": lambda **more: blueprint("diffusion", Layout.TABLE, ITSELF, **more),
    "rbm of pictures": lambda **more: blueprint("rbm", Layout.PICTURE, ITSELF, **more),
    "rbm of classes": lambda **more: blueprint("rbm", Layout.TABLE, CLASS, **more),
    "dbn of tables": lambda **more: blueprint("dbn", Layout.TABLE, ITSELF, **more),
    "dbn of several classes": lambda **more: blueprint("dbn", Layout.SERIES, FLAGS, **more),
    "dbn of classes": lambda **more: blueprint("dbn", Layout.PICTURE, CLASS, **more),
    "ffn of views": lambda **more: blueprint("ffn", Layout.TABLE, ITSELF, "info_nce", **more),
    "ffn of views of texts": lambda **more: blueprint("ffn", Layout.TOKENS, ITSELF, "info_nce", **more),
    "lstm of views": lambda **more: blueprint("lstm", Layout.SERIES, ITSELF, "info_nce", **more),
    "cnn of views of sounds": lambda **more: blueprint("cnn", Layout.SOUND, ITSELF, "info_nce", **more),
    "cnn of views of texts": lambda **more: blueprint("cnn", Layout.TOKENS, ITSELF, "info_nce", **more),
    "gnn of classes": lambda **more: blueprint("gnn", Layout.GRAPH, CLASS, **more),
    "gnn of views": lambda **more: blueprint("gnn", Layout.GRAPH, ITSELF, "info_nce", **more),
    "recursive of classes": lambda **more: blueprint("recursive", Layout.TREE, CLASS, **more),
    "recursive of views": lambda **more: blueprint("recursive", Layout.TREE, ITSELF, "info_nce", **more),
}
EXTRAS = {
    "plain": {},
    "all": {"normalization": "batch_norm", "dropout": 0.2, "augmentation": True, "recompute": True, "cached": True},
    "groups": {"normalization": "group_norm", "augmentation": True},
    "layers": {"normalization": "layer_norm", "dropout": 0.1},
}
LEARN = (
    "cnn of masks",
    "unet of masks",
    "unet that restores",
    "deconvolutional of pictures",
    "autoencoder of pictures",
    "autoencoder of texts",
    "vae of pictures",
    "diffusion of tables",
    "rbm of pictures",
    "recursive of classes",
)
"""Those whose validation loss certainly falls in a hundred steps; the others need longer."""
STEPS = {"rbm of pictures": 100}
"""Where twenty do not suffice: its weights are small at first (Hinton 2010, section 8)."""


def validation_losses(printed: str) -> list[float]:
    return [float(number) for number in re.findall(r"validation loss (\S+)", printed)]


@pytest.mark.parametrize("kind", KINDS)
def test_a_network_trains_and_goes_on_where_it_was_stopped(kind: str, tmp_path: Path) -> None:
    folder = project(tmp_path / "project", KINDS[kind]())
    printed = run(folder, "python train.py --steps 2") + run(folder, "python train.py --steps 3 --resume")
    assert "goes on from step 2" in printed
    assert "step 3/3" in printed
    assert all(map(math.isfinite, validation_losses(printed)))
    assert torch.load(folder / "runs" / "last.pt", weights_only=True)["step"] == 3


@pytest.mark.parametrize(
    "kind", ["cnn of pictures", "unet of masks", "gan of pictures", "dbn of tables", "gnn of views"]
)
def test_normalisation_dropout_and_blocks_computed_anew_change_nothing_about_that(kind: str, tmp_path: Path) -> None:
    folder = project(tmp_path / "project", KINDS[kind](**EXTRAS["all"]))
    assert all(map(math.isfinite, validation_losses(run(folder, "python train.py --steps 3"))))


@pytest.mark.parametrize("kind", some(3, LEARN))
def test_a_network_learns(kind: str, tmp_path: Path) -> None:
    folder = project(tmp_path / "project", KINDS[kind]())
    first, *_, last = validation_losses(
        run(folder, f"python train.py --steps {STEPS.get(kind, 20)} --learning-rate 0.01")
    )
    assert last < first


@pytest.mark.slow
def test_no_choice_leaves_a_line_that_ruff_would_change(tmp_path: Path) -> None:
    for (kind, make), (extra, choices) in product(KINDS.items(), EXTRAS.items()):
        write_code(tmp_path / f"{kind}, {extra}", make(**choices))
    assert complaints(tmp_path) == ""


def write_code(folder: Path, plan: Blueprint) -> None:
    folder.mkdir()
    for name, text in files_of(plan).items():
        if name.endswith(".py"):
            (folder / name).write_text(text)
