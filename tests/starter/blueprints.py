"""Small blueprints of every kind of network, and the modules of their projects."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

from advisor.networks.registry import find
from advisor.starter.blueprint import CLASSICAL, Blueprint, Computing, Layout, Recipe, Shape, Targets
from advisor.starter.members import member_of
from advisor.starter.rendering import files_of
from advisor.starter.writing import write_project

UNITS = {
    "cnn": (4, 8),
    "unet": (4, 8),
    "deconvolutional": (8, 4),
    "autoencoder": (16, 4, 16),
    "vae": (16, 4, 16),
    "gan": (8, 16),
    "diffusion": (8, 16),
    "rbm": (16,),
    "dbn": (16, 8),
    "gnn": (16, 16),
    "recursive": (8, 16),
}
SHAPES = {
    Layout.TABLE: Shape(5),
    Layout.PICTURE: Shape(1, channels=1, height=11, width=11),
    Layout.SERIES: Shape(2, 12),
    Layout.SOUND: Shape(1, 50),
    Layout.TOKENS: Shape(30, 10),
    Layout.TREE: Shape(12, 7),
    Layout.GRAPH: Shape(6),
}
LARGE = Shape(1, channels=3, height=23, width=19)
"""A picture too large to be treated as a row of values, with sides that cannot be halved."""
GREY, COLORED = Shape(1, channels=1, height=16, width=16), Shape(1, channels=3, height=32, width=32)
SMALL = Shape(1, channels=1, height=8, width=8)
ODD = Shape(1, channels=3, height=21, width=21)
FILM = Shape(3 * 64 * 64, 4)
LOSSES = {
    Targets.CLASS: "cross_entropy",
    Targets.FLAGS: "binary_cross_entropy",
    Targets.NUMBERS: "mse",
    Targets.MASK: "dice_cross_entropy",
    Targets.NEXT_TOKEN: "cross_entropy",
}


def blueprint(
    network: str,
    layout: Layout,
    targets: Targets,
    loss: str | None = None,
    *,
    shape: Shape | None = None,
    recompute: bool = False,
    cached: bool = False,
    **choices: Any,
) -> Blueprint:
    """A small project without extras; `choices` are fields of the blueprint that differ."""
    usual = next(iter(_own_losses(network)), "mse") if targets is Targets.ITSELF else LOSSES[targets]
    recipe = Recipe(
        loss=loss or usual,
        optimizer="adam",
        learning_rate=0.003,
        schedule="constant",
        batch_size=12,
        accumulation=1,
        precision="fp32",
        epochs=3,
        patience=None,
        weight_decay=0.0,
        l1=0.0,
        label_smoothing=0.0,
        warm_up=0.0,
        clip_norm=None,
        recompute=recompute,
        checkpoint_seconds=None,
    )
    computing = Computing(
        device="cpu", threads=1, workers=0, prefetch=2, pinned=False, cached=cached, gpus=0, nodes=1, hours=None
    )
    fields: dict[str, Any] = {
        "hidden_units": UNITS.get(network, (8, 16)),
        "outputs": 1 if targets is Targets.NUMBERS else 3,
        "examples": 60,
        "activation": "relu",
        "normalization": "none",
        "init": "he",
        "init_deviation": 0.1,
        "dropout": 0.0,
        "augmentation": False,
        "kind": "",
        "target": None,
        "data": None,
        "differences": (),
        "members": (member_of(network, "default", classes=targets is not Targets.NUMBERS),)
        if network in CLASSICAL
        else (),
    }
    return Blueprint(
        network=network,
        layout=layout,
        targets=targets,
        shape=shape or SHAPES[layout],
        recipe=recipe,
        computing=computing,
        **{**fields, **choices},
    )


def _own_losses(network: str) -> tuple[str, ...]:
    found = find(network)
    return () if found is None else found.own_losses


def project(folder: Path, plan: Blueprint) -> Path:
    """The folder, with the code of the project in it."""
    write_project(folder, files_of(plan))
    return folder


def module(folder: Path, name: str) -> ModuleType:
    """A module of this project, as it stands now, and not of any other."""
    own = {path.stem for path in folder.glob("*.py")}
    others = {known: sys.modules.pop(known) for known in own if known in sys.modules}
    importlib.invalidate_caches()
    try:
        with mock.patch.object(sys, "path", [str(folder), *sys.path]):
            return importlib.import_module(name)
    finally:
        for known in own:
            sys.modules.pop(known, None)
        sys.modules.update(others)
