"""No module reaches itself through its imports, those for types and those inside functions included."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parent.parent


def modules(package: Path) -> dict[str, Path]:
    found = {}
    for path in package.rglob("*.py"):
        parts = path.relative_to(package.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(tree: ast.Module, known: dict[str, Path]) -> set[str]:
    """The modules that a module imports anywhere; of a package the sub-module where one is named."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found.add(inner if inner in known else node.module)
    return found & set(known)


def circle(package: Path) -> list[str]:
    """The modules of one circle, the first once more at the end; empty where there is none."""
    known = modules(package)
    imports = {name: imported(ast.parse(path.read_text(encoding="utf-8")), known) for name, path in known.items()}
    try:
        TopologicalSorter({name: read - {name} for name, read in imports.items()}).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_modules_import_each_other_in_no_circle() -> None:
    assert circle(ROOT / "advisor") == []


def test_a_circle_is_found_wherever_its_imports_stand(tmp_path: Path) -> None:
    package = tmp_path / "house"
    (package / "room").mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "room" / "__init__.py").touch()
    (package / "a.py").write_text("from house.room import b\n")
    (package / "room" / "b.py").write_text("def later():\n    import house.c\n")
    (package / "c.py").write_text("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from house.a import A\n")
    assert set(circle(package)) == {"house.a", "house.room.b", "house.c"}
    (package / "c.py").write_text("")
    assert circle(package) == []
