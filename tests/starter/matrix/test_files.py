"""What holds for the files of every kind of project: requirements.txt names all they import, and ruff has no complaint."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from advisor.starter.requirements import OPTIONAL
from tests.starter.blueprints import project
from tests.starter.matrix.catalogue import PLANS, sources
from tests.starter.projects import complaints

PACKAGES = {"PIL": "pillow", "sklearn": "scikit-learn"}
"""Packages whose name is not the one under which they are imported."""


def imported(source: str) -> Iterator[str]:
    """The first part of the name of each module that a source imports, wherever the line stands."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (name.name.partition(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0]


@pytest.mark.parametrize("name", PLANS)
def test_requirements_name_every_package_that_the_project_imports(name: str) -> None:
    files = sources(name)
    own = {file.removesuffix(".py") for file in files}
    named = {re.split("[<>=~!; ]", line)[0].lower() for line in files["requirements.txt"].splitlines() if line}
    found = {module for file, text in files.items() if file.endswith(".py") for module in imported(text)}
    foreign = found - own - OPTIONAL - sys.stdlib_module_names
    assert {PACKAGES.get(module, module) for module in foreign} - named == set()
    assert "advisor" not in found


def test_every_kind_of_project_is_formatted_and_lints(tmp_path: Path) -> None:
    for number, plan in enumerate(PLANS.values()):
        project(tmp_path / f"project{number}", plan)
    assert complaints(tmp_path) == ""
