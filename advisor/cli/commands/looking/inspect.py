"""`advisor inspect PATH [--target COLUMN]`: what data are, what is odd about them, and the facts that follow."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from advisor.cli.console import look, write, write_json
from advisor.cli.options import PlainFormat, PlainFormatOption, TargetColumn, named_path
from advisor.report.found.inspection import inspection_json, inspection_page
from advisor.session.data import inspected


def inspect(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A file or folder of data.", parser=named_path)],
    target: TargetColumn = None,
    format_: PlainFormatOption = PlainFormat.TEXT,
) -> None:
    found = inspected(path, target)
    if format_ is PlainFormat.JSON:
        write_json(inspection_json(found))
    else:
        write(inspection_page(found, look()))
