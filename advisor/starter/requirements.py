"""The packages of a project: those that its files import, and none besides."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping

from advisor.training.ladder.variants import BOOSTERS

PACKAGES = {
    "torch": "torch>=2.10",
    "numpy": "numpy>=2.0",
    "tokenizers": "tokenizers>=0.21",
    "polars": "polars>=1.20",
    "PIL": "pillow>=13.0",
    "sklearn": "scikit-learn>=1.7",
    "skops": "skops>=0.13",
    "safetensors": "safetensors>=0.4.5",
    "scipy": "scipy>=1.13",
    "threadpoolctl": "threadpoolctl>=3.5",
    "statsforecast": "statsforecast>=2.0.1",
}
"""By the name under which they are imported, in the order in which requirements.txt lists them."""
OPTIONAL = frozenset({"pandas", "ray", "onnx", "onnxruntime", "onnxscript", "pytest", "tensorboard"})
"""Packages of one option each, whose README or message says how to install them; CatBoost brings pandas."""


def packages_of(files: Mapping[str, str]) -> tuple[str, ...]:
    """The requirement for each package that these files import. Raises LookupError for one that nothing is known of."""
    own = {name.removesuffix(".py") for name in files}
    found = {name for file, text in files.items() if file.endswith(".py") for name in imported(text)}
    wanted = (
        found - own - OPTIONAL - BOOSTERS.keys() - sys.stdlib_module_names
    )  # of boosters, those that the plan names
    if unknown := wanted - PACKAGES.keys():
        raise LookupError(f"no requirement is known for {', '.join(sorted(unknown))}")
    return tuple(requirement for name, requirement in PACKAGES.items() if name in wanted)


def imported(source: str) -> Iterator[str]:
    """The first part of the name of every module that a source imports."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]
