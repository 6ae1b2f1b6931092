"""Families are found by their folders."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from advisor.networks import families, registry
from advisor.networks.registry import FOLDER, buildable, family, find, folder_of, package_of

DECLARATION = """
from torch.nn import Linear

from advisor.networks.family import Family, flat

FAMILIES = (Family(name="perceptron", hidden_units=(8,), layout=flat, count=lambda *_: None, build=Linear),)
"""


@pytest.mark.parametrize("network", [*buildable(), "alexnet", "resnet50"])
def test_a_family_is_found_by_the_name_of_its_network(network: str) -> None:
    assert family(network).name == network
    assert {"declaration.py", "network.py"} <= {path.name for path in folder_of(network).iterdir()}
    assert package_of(network) == f"advisor.networks.families.{folder_of(network).name}"


def test_every_folder_belongs_to_a_network() -> None:
    folders = {path for path in FOLDER.iterdir() if (path / "__init__.py").exists()}
    assert folders == {folder_of(network) for network in registry.families()}


def test_a_model_that_is_no_network_has_no_family() -> None:
    assert find("random_forest") is None
    assert find("../ffn") is None


@pytest.fixture
def another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A family that nobody has entered anywhere."""
    (tmp_path / "layered").mkdir()
    (tmp_path / "layered" / "declaration.py").write_text(DECLARATION)
    monkeypatch.setattr(registry, "FOLDER", tmp_path)
    monkeypatch.setattr(families, "__path__", [str(tmp_path)])
    caches = registry.families, registry._declared_in
    for cached in caches:
        cached.cache_clear()
    yield
    for cached in caches:
        cached.cache_clear()


@pytest.mark.usefixtures("another_folder")
def test_a_new_folder_is_all_that_a_new_family_takes() -> None:
    assert buildable() == ("perceptron",)
    assert folder_of("perceptron").name == "layered"


def test_a_plan_reads_no_family_but_its_own() -> None:
    code = (
        "import sys; from advisor.networks.counts import counted; from advisor.networks.spec import Description;"
        "counted(Description('cnn', 'image', 64, 10));"
        "print(*[name.split('.')[3] for name in sys.modules if name.endswith('.declaration')], 'torch' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["cnn", "False"]
