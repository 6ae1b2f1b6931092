"""What export.py writes is read again by the libraries that it is for, and computes the same."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from advisor.starter.blueprint import Layout, Targets
from tests.starter.blueprints import blueprint, project
from tests.starter.projects import complaints, run

NETWORKS = [
    ("ffn", Layout.TABLE, Targets.NUMBERS),
    ("cnn", Layout.PICTURE, Targets.CLASS),
    ("unet", Layout.PICTURE, Targets.MASK),
    ("lstm", Layout.SERIES, Targets.CLASS),
    ("transformer", Layout.TOKENS, Targets.CLASS),
    ("autoencoder", Layout.TABLE, Targets.ITSELF),
    ("unet", Layout.PICTURE, Targets.ITSELF),
]


@pytest.mark.parametrize(
    ("network", "layout", "targets"),
    NETWORKS[:2] + [pytest.param(*one, marks=pytest.mark.slow) for one in NETWORKS[2:]],
)
def test_weights_and_program_are_those_of_the_network(
    network: str, layout: Layout, targets: Targets, tmp_path: Path
) -> None:
    folder = project(tmp_path / "project", blueprint(network, layout, targets))
    run(folder, "python train.py --steps 1")
    assert run(folder, "python export.py").count("the same outputs") == 1
    weights = torch.load(folder / "runs" / "best.pt", weights_only=True)["network"]
    found = load_file(folder / "exported" / "best.safetensors")
    assert found.keys() == weights.keys()
    assert all(torch.equal(found[name], value) for name, value in weights.items())
    with pytest.raises(SystemExit, match="is there already"):
        run(folder, "python export.py")
    assert complaints(folder) == ""


@pytest.mark.slow
def test_onnx_computes_the_same(tmp_path: Path) -> None:
    for package in ("onnx", "onnxscript", "onnxruntime"):
        pytest.importorskip(package)
    folder = project(tmp_path / "project", blueprint("cnn", Layout.PICTURE, Targets.CLASS))
    run(folder, "python train.py --steps 1")
    assert run(folder, "python export.py --onnx").count("the same outputs") == 2


def test_a_missing_package_is_named_with_the_way_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = project(tmp_path / "project", blueprint("ffn", Layout.TABLE, Targets.CLASS))
    run(folder, "python train.py --steps 1")
    monkeypatch.setitem(sys.modules, "onnxscript", None)
    with pytest.raises(SystemExit, match="pip install onnx onnxs"):
        run(folder, "python export.py --onnx")


@pytest.mark.parametrize("network", ["gan", pytest.param("diffusion", marks=pytest.mark.slow), "rbm"])
def test_networks_that_make_examples_hand_their_weights_on(network: str, tmp_path: Path) -> None:
    folder = project(tmp_path / "project", blueprint(network, Layout.PICTURE, Targets.ITSELF))
    run(folder, "python train.py --steps 1")
    run(folder, "python export.py")
    assert [path.name for path in (folder / "exported").iterdir()] == ["best.safetensors"]
    assert complaints(folder) == ""
