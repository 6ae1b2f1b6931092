"""Networks that import torchvision beside a torch of another index, whose compiled operators it does not find."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import torch

from advisor.starter.readme import fitting_torchvision
from tests.models.libraries import library
from tests.starter.projects import environment
from tests.starter.test_named import FEW, OWN, PICTURES, PIXELS, project

USES_TORCHVISION = OWN.replace("from torch import nn", "import torchvision.models\nfrom torch import nn")


def started(folder: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    """A process of its own: torchvision is imported once in each."""
    variables = {**environment(), "HF_HUB_OFFLINE": "1", "HF_HUB_CACHE": str(folder / "hub"), **more}
    return subprocess.run(
        [sys.executable, "train.py", *words], cwd=folder, env=variables, capture_output=True, text=True, check=False, timeout=500
    )  # fmt: skip


def without_its_operators(folder: Path) -> str:
    """A torchvision that is as that of PyPI beside another torch, on a path that is read first."""
    package = folder / "torchvision"
    package.mkdir(parents=True)
    fake = (
        "import torch\n\n\n@torch.library.register_fake('torchvision::no_such_operator')\ndef fake(x):\n    return x\n"
    )
    (package / "__init__.py").write_text(fake)
    (package / "models.py").write_text("")
    return str(folder)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "facts"),
    [
        ("timm:test_vit", PICTURES),
        ("timm:test_resnet", f"{PICTURES} training.adaptation=last_layer"),
        pytest.param("unet-resnet34", f"{PIXELS} data.inputs=12288", marks=pytest.mark.thorough),
        ("deeplabv3_resnet50", f"{PIXELS} data.inputs=12288"),
        ("segformer-b0", f"{PIXELS} data.inputs=12288"),
    ],
)
def test_published_networks_are_described(tmp_path: Path, name: str, facts: str) -> None:
    for needed in ("timm", "segmentation_models_pytorch"):
        library(needed)
    done = started(project(tmp_path / "project", name, facts), "--describe")
    assert done.returncode == 0, done.stderr
    assert '"parameters": ' in done.stdout


@pytest.mark.parametrize("adaptation", ["full", "last_layer"])
def test_an_own_file_that_imports_torchvision_is_trained(tmp_path: Path, adaptation: str) -> None:
    (tmp_path / "net.py").write_text(OWN)
    facts = f"{PICTURES} training.adaptation={adaptation}"
    folder = project(tmp_path / "project", f"{tmp_path / 'net.py'}:Small", facts, (3, 8, 8))
    (tmp_path / "net.py").write_text(USES_TORCHVISION)
    done = started(folder, *FEW.split(), PYTHONPATH=without_its_operators(tmp_path / "first"))
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("build", "index"), [("+cpu", "whl/cpu"), ("+cu130", "whl/cu130"), ("", "")])
def test_the_remedy_is_not_the_line_that_was_the_cause(tmp_path: Path, build: str, index: str) -> None:
    library("timm")
    folder = project(tmp_path / "project", "timm:test_vit", PICTURES)
    torchvision = Path(without_its_operators(tmp_path / "first")) / "torchvision" / "__init__.py"
    version = torch.__version__.partition("+")[0] + build
    broken = (
        f"import torch\ntorch.__version__ = {version!r}\nraise RuntimeError('operator torchvision::nms is not there')\n"
    )
    torchvision.write_text(broken)
    done = started(folder, *FEW.split(), PYTHONPATH=str(tmp_path / "first"))
    assert done.returncode == 1
    assert "is built for another torch than" in done.stderr
    line = f"pip install --force-reinstall --no-deps 'torchvision=={fitting_torchvision(version)}'"
    assert line in done.stderr
    assert index in done.stderr
    assert ("--index-url" in done.stderr) is bool(index)
    assert "requirements.txt" not in done.stderr
    assert "Traceback" not in done.stderr


def test_each_torch_has_its_torchvision() -> None:
    pairs = {"2.0.1": "0.15.*", "2.7.0": "0.22.*", "2.13.0": "0.28.*", "2.14.1": "0.29.*", "3.0.0": "", "": ""}
    assert {torch: fitting_torchvision(torch) for torch in pairs} == pairs


def test_the_readme_names_both_from_one_index(tmp_path: Path) -> None:
    library("timm")
    readme = (project(tmp_path / "project", "timm:test_vit", PICTURES) / "README.md").read_text()
    (line,) = [line for line in readme.splitlines() if "--index-url" in line]
    assert "torch==" in line
    assert "'torchvision==0." in line
