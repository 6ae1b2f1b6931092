"""The examples of every type of network, found by their files."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from tests.networks.type_examples import TypeExamples

FOLDER = Path(__file__).parent / "families"
EXAMPLES: dict[str, TypeExamples] = {
    path.stem: import_module(f"tests.networks.families.{path.stem}").EXAMPLES
    for path in sorted(FOLDER.glob("[!_]*.py"))
}
SPECS = {name: spec for examples in EXAMPLES.values() for name, (spec, _) in examples.networks.items()}
