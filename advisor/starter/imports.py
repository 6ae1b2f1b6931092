"""The imports of a project's modules: templates name all that any plan may need, and those that this one needs remain."""

from __future__ import annotations

import ast


def without_unused_imports(source: str) -> str:
    """The module without imports of names that it never uses. Each import stands on a line of its own."""
    module = ast.parse(source)
    used = {node.id for node in ast.walk(module) if isinstance(node, ast.Name)}
    lines = source.split("\n")
    for statement in reversed(module.body):
        if not isinstance(statement, ast.Import | ast.ImportFrom):
            continue
        names = [alias.name for alias in statement.names if alias.name.partition(".")[0] in used]
        row = statement.lineno - 1
        if not names:
            leaves_two_empty_lines = not lines[row - 1] and not lines[row + 1]
            del lines[row : row + 1 + leaves_two_empty_lines]
        elif isinstance(statement, ast.ImportFrom):
            lines[row] = f"from {statement.module} import {', '.join(names)}"
    return "\n".join(lines)
