"""Options as they were typed, made one of each: a file that was only named, and the format that the name of a file says."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

from advisor.errors import InputError, Problem, input_error
from advisor.facts.answers import TITLE
from advisor.wording import join_names, shorten

_ANSWERS = ("", ".yaml", ".yml", ".json")
_SUFFIXES = {
    ".json": "json", ".md": "markdown", ".markdown": "markdown", ".html": "html", ".htm": "html", ".txt": "text",
    ".text": "text",
}  # fmt: skip
_FOREIGN = (
    ".pdf", ".doc", ".docx", ".odt", ".rtf", ".ps", ".tex", ".xlsx", ".ods", ".png", ".jpg", ".jpeg", ".svg", ".ipynb", ".zip",
)  # fmt: skip
"""Endings of what other programs make: text under such a name would open nowhere, so it takes a --format to have it."""
_READABLE_ALIKE = {"text", "markdown"}
_NO_FORMAT = "This format cannot be written"


def made_plain(options: Any, named: frozenset[str]) -> Any:
    """The same options with `files` told apart into answers and data, and with the format that `output` asks for.

    Args:
        options: of a command, a NamedTuple.
        named: the fields that somebody typed; all others are as usual.

    Raises:
        InputError: two files of the same kind, or a format that the name of the output contradicts.
    """
    if getattr(options, "files", None):
        options = _told_apart(options)
    output = getattr(options, "output", None)
    if output is not None and "format_" in options._fields:
        options = options._replace(format_=_format_for(options.format_, output, "format_" in named))
    return options


def is_data(path: Path) -> bool:
    """True for a folder and for a file that is no YAML by its name: then it holds data, and no answers."""
    return path.suffix.casefold() not in _ANSWERS or path.is_dir()


def _told_apart(options: NamedTuple) -> NamedTuple:
    found: dict[str, Path] = {}
    problems = []
    for path in options.files:  # type: ignore[attr-defined]
        field, flag = ("data", "--data") if is_data(path) else ("answers", "--answers")
        other = found.get(field) or getattr(options, field)
        if other is not None and other != path:
            what = f"{shorten(other, 200)} and {shorten(path, 200)} are both {'data' if field == 'data' else 'answers'}"
            problems.append(Problem(flag, what, "Name one of them."))
        found[field] = path
    if problems:
        raise InputError(TITLE, problems)
    return options._replace(files=None, **found)


def _format_for(format_: StrEnum, output: Path, named: bool) -> StrEnum:
    """The format that was typed, else the one that the file's name says, else the usual one."""
    ending = output.suffix.casefold()
    says = _SUFFIXES.get(ending)
    if ending in _FOREIGN and not named:
        raise _foreign(format_, output)
    if says is None or says == format_ or (named and {says, format_.value} == _READABLE_ALIKE):
        return format_
    possible = [kind.value for kind in type(format_)]
    where = f"--output {shorten(output, 200)}"
    if named:
        suffix = next(ending for ending, kind in _SUFFIXES.items() if kind == format_)
        remedy = f"Leave --format out, or name the file {shorten(output.with_suffix(suffix).name)}."
        what = f"the name says {says}, and --format says {format_.value}"
        raise input_error(_NO_FORMAT, what, where=where, remedy=remedy)
    if says not in possible:
        what = f"this command writes {join_names(possible, 'or')}, not {says}"
        raise input_error(_NO_FORMAT, what, where=where, remedy=f"Name a file that ends with {_endings(format_)}.")
    return type(format_)(says)


def _foreign(format_: StrEnum, output: Path) -> InputError:
    possible = [kind.value for kind in type(format_)]
    what = f"this command writes {join_names(possible, 'or')}, not {output.suffix[1:].upper()}"
    prints = " A browser prints .html as PDF." if "html" in possible else ""
    remedy = f"Name a file that ends with {_endings(format_)}.{prints}"
    return input_error(_NO_FORMAT, what, where=f"--output {shorten(output, 200)}", remedy=remedy)


def _endings(format_: StrEnum) -> str:
    """`.txt or .json`"""
    firsts = (next(ending for ending, kind in _SUFFIXES.items() if kind == one) for one in type(format_))
    return join_names(list(firsts), "or")
