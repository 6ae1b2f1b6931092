"""`advisor inspect PATH [--target COLUMN]`: what data are, what is odd about them, and the facts that follow."""

from __future__ import annotations

from advisor.cli.commands.options import Inspect
from advisor.cli.console import look, write, write_json
from advisor.cli.options import PlainFormat
from advisor.report.found.inspection import inspection_json, inspection_page
from advisor.session.data import inspected


def inspect(options: Inspect) -> None:
    found = inspected(options.path, options.target)
    if options.format_ is PlainFormat.JSON:
        write_json(inspection_json(found))
    else:
        write(inspection_page(found, look()))
