"""The Python source of a project: values of a plan as literals, and the imports that remain.

No text of a plan can become code. Templates name all imports that any plan may need; those that this one needs remain.
"""

from __future__ import annotations

import ast


def literal(value: object) -> str:
    """Python source that means this value: text, a number, a truth value, None, or a tuple of them.

    Text is escaped as `repr` does it, between the quotes that formatters choose: double ones unless it holds more of these.
    """
    if isinstance(value, str):
        return _text(str(value))
    if isinstance(value, tuple | list):
        items = ", ".join(map(literal, value))
        return f"({items},)" if len(value) == 1 else f"({items})"
    if isinstance(value, bool | None):
        return repr(value)
    if isinstance(value, int):
        return f"{value:_}" if abs(value) >= 100_000 else str(value)
    if isinstance(value, float):
        return repr(value)
    raise TypeError(f"{type(value).__name__} has no literal here")


def _text(text: str) -> str:
    quoted = repr(text)
    inner = quoted[1:-1] if quoted[0] == '"' else quoted[1:-1].replace("\\'", "'")
    quote = "'" if text.count('"') > text.count("'") else '"'
    return quote + inner.replace(quote, f"\\{quote}") + quote


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
