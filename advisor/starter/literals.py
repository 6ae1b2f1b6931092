"""Values of a plan as Python source, so that no text of theirs can become code."""

from __future__ import annotations


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
