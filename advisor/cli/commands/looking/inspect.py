"""`advisor inspect PATH [--target COLUMN]`: what data are, what is odd about them, and the facts that follow."""

from __future__ import annotations

from pathlib import Path

from advisor.cli.commands.options import Inspect
from advisor.cli.console import look
from advisor.cli.delivering import deliver, deliver_json, refuse_rewriting
from advisor.cli.options import PlainFormat
from advisor.errors import input_error
from advisor.report.found.inspection import inspection_brief, inspection_json, inspection_page
from advisor.report.page import Look
from advisor.session.data import inspected
from advisor.wording import shorten


def inspect(options: Inspect) -> None:
    path, output, force = _path_named(options), options.output, options.force
    refuse_rewriting(output, path, what="this is the file that holds the data, and it is never rewritten")
    found = inspected(path, options.target)
    if options.format_ is PlainFormat.JSON:
        deliver_json(inspection_json(found), output, force)
    else:
        page = inspection_page if options.whole else inspection_brief
        deliver(page(found, look() if output is None else Look()), output, force)


def _path_named(options: Inspect) -> Path:
    """The data, named by themselves or by --data. Raises InputError."""
    path, data = options.path, options.data
    if path is not None and data is not None and path != data:
        what = f"{shorten(path, 200)} and {shorten(data, 200)} are two"
        raise input_error("There are two sets of data", what, where="--data", remedy="Name one of them.")
    named = path or data
    if named is None:
        what = "nothing is named"
        raise input_error("There are no data", what, where="Missing argument 'PATH'", remedy="`advisor inspect PATH`.")
    return named
