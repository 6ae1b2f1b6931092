"""Findings about data, for the terminal and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from advisor.datasets.dataset import FEWEST_EXAMPLES, SUPERVISED, UNSAID, Column, Inspection, Task, Weight
from advisor.facts.values import number_text, to_json, to_text, with_unit
from advisor.plain import encode_fields
from advisor.report.page import Look, Page, Piece, Style, cells
from advisor.report.plan.brief import NODES, THINGS
from advisor.wording import join_first, join_names, shell_path, shell_word, shorten

SCHEMA = "advisor/inspection/1"
MOST_COLUMNS = 40
MOST_CLASSES = 8
_WEIGHTS = (
    (Weight.WARNING, "TO BE CAREFUL WITH", Style.CARE),
    (Weight.NOTE, "WORTH KNOWING", Style.PLAIN),
)
_NAME_WIDTH, _KIND_WIDTH, _MISSING_WIDTH = 20, 12, 8


def inspection_page(inspection: Inspection, look: Look) -> str:
    """The page of `advisor inspect`; text from the data shows as text."""
    page = Page(look)
    page.heading("THE DATA")
    page.labelled(_data_lines(inspection))
    if inspection.columns:
        page.heading("COLUMNS")
        _columns(page, inspection)
    for weight, heading, style in _WEIGHTS:
        remarks = [remark for remark in inspection.remarks if remark.weight is weight]
        page.section(heading, [[(remark.what, style), f" {remark.remedy}"] for remark in remarks])
    page.heading("FACTS FOR THE ADVISOR")
    for name, value in sorted(inspection.facts.items()):
        page.add((name, Style.STRONG), f": {shorten(to_text(value), 60)}", first="  ", rest="    ")
    page.heading("NEXT")
    for command in _commands(inspection):
        page.verbatim(command, first="  ")
    return page.text()


def inspection_brief(inspection: Inspection, look: Look) -> str:
    """The first screen of `advisor inspect`, at most SCREEN lines at 80 columns: `--all` shows the whole page."""
    for columns, remarks in ((8, 5), (8, 3), (6, 3), (5, 2), (4, 1), (3, 1)):
        if _brief(inspection, replace(look, colour=False), columns, remarks).fits:
            break
    return _brief(inspection, look, columns, remarks).text()


def _brief(inspection: Inspection, look: Look, columns: int, remarks: int) -> Page:
    page = Page(look)
    things = NODES if inspection.modality == "graph" else THINGS.get(inspection.modality, "examples")
    stored = with_unit(inspection.bytes, "bytes")
    page.add(f"{inspection.examples:,} {things}, {stored}", first=[("DATA  ", Style.HEADING)])
    lines = dict(_data_lines(inspection))
    told = [
        (label, lines[label])
        for label in ("Path", "Format", "Sample", "Target", "Task", "Inputs", "Split")
        if label in lines
    ]
    page.labelled(told)
    if inspection.columns:
        page.blank()
        _columns(page, inspection, columns)
    first = sorted(inspection.remarks, key=lambda remark: remark.weight is not Weight.WARNING)
    if first:
        page.blank()
    for remark in first[:remarks]:
        care = remark.weight is Weight.WARNING
        style = Style.CARE if care else Style.PLAIN
        page.add((remark.what, style), f" {remark.remedy}", first="! " if care else "- ")
    left = len(first) - remarks
    page.blank()
    more = f"{left} more remarks, " if left > 1 else "one more remark, " if left == 1 else ""
    page.add(("NEXT", Style.HEADING), f"  --all shows {more}all columns and the facts that follow")
    for command in _commands(inspection):
        page.verbatim(command, first="  ")
    return page


def _data_lines(inspection: Inspection) -> Iterator[tuple[str, str]]:
    yield "Path", shorten(inspection.path, 200)
    yield "Format", inspection.written or inspection.format
    yield "Modality", inspection.modality
    counted, stored = with_unit(inspection.examples, "examples"), with_unit(inspection.bytes, "bytes")
    held = f", about {with_unit(inspection.memory_bytes, 'bytes')} in memory" if inspection.memory_bytes else ""
    yield "Size", f"{counted}, {stored} on disk{held}"
    if inspection.sampled:
        yield "Sample", inspection.sampled
    if inspection.target is not None:
        yield "Target", shorten(inspection.target)
    if inspection.task is not None:
        yield "Task", _task_words(inspection)
    elif inspection.facts.get("task.multilabel"):
        yield "Task", f"classify, {inspection.facts['task.outputs']} labels that can hold together"
    if inspection.inputs:
        left = len(inspection.columns) - len(inspection.inputs) - (inspection.target is not None)
        unused = f"; {left} not used" if left > 0 else ""
        yield "Inputs", f"{with_unit(len(inspection.inputs), 'columns')}{unused}"
    divided = [f"in the order of {shorten(inspection.time_column)}"] if inspection.time_column is not None else []
    divided += [f"by whole groups of {shorten(inspection.group_column)}"] if inspection.group_column is not None else []
    if inspection.task is Task.FORECAST and len(divided) == 2:
        yield "Split", f"{divided[0]}, at the same time for every {shorten(inspection.group_column)}"
    elif divided:
        yield "Split", join_names(divided)
    yield "Fingerprint", inspection.fingerprint


def _task_words(inspection: Inspection) -> str:
    task = str(inspection.task)
    if not inspection.classes:
        return task
    named = join_first([shorten(name, 20) for name in inspection.classes], MOST_CLASSES)
    return f"{task}, {len(inspection.classes):,} classes: {named}"


def _columns(page: Page, inspection: Inspection, most: int = MOST_COLUMNS) -> None:
    """A table that fits the screen; the last cell has examples and whatever is odd."""
    shown = _most_telling(inspection, most)
    name_width = min(max([cells(shorten(column.name, 60)) for column in shown] + [4]), _NAME_WIDTH)
    widths = (name_width, _KIND_WIDTH, _MISSING_WIDTH)
    last = max(page.look.columns - sum(widths) - 2 * len(widths), 16)
    narrow = page.look.columns < 60
    if not narrow:
        faint = [((word, Style.FAINT),) for word in ("name", "kind", "missing", "examples")]
        page.columns(faint, (*widths, last))
    for column in shown:
        name: Piece = (shorten(column.name, 60), Style.STRONG if column.name == inspection.target else Style.PLAIN)
        about = _about(column, inspection)
        if narrow:
            page.add(name, f": {column.kind.value}, {_share(column.missing)} missing. ", *about, first="- ")
        else:
            page.columns(((name,), (column.kind.value,), (_share(column.missing),), about), (*widths, last))
    names = {column.name for column in shown}
    left = [column for column in inspection.columns if column.name not in names]
    if left:
        kinds = Counter(column.kind.value for column in left)
        parts = join_names([f"{count:,} x {kind}" for kind, count in kinds.most_common()])
        page.add(f"... and {len(left):,} more: {parts}. `--format json` lists them all.")


def _most_telling(inspection: Inspection, most: int) -> list[Column]:
    """All columns, or where they are many the first ones, the target and those with a remark."""
    if len(inspection.columns) <= most:
        return list(inspection.columns)
    told = [column for column in inspection.columns if column.remark and column.name != inspection.target]
    target = [column for column in inspection.columns if column.name == inspection.target]
    kept = {column.name for column in [*target, *told[: (most - 1) // 2], *inspection.columns[: most // 2]]}
    return [column for column in inspection.columns if column.name in kept]


def _about(column: Column, inspection: Inspection) -> tuple[Piece, ...]:
    role = "" if column.name != inspection.target else "target; "
    examples = ", ".join(column.examples)
    more = " ..." if column.distinct > len(column.examples) and examples else ""
    pieces: list[Piece] = [f"{role}{examples}{more}"]
    if column.remark:
        pieces.append((f" {column.remark}" if examples or role else column.remark, Style.FAINT))
    return tuple(pieces)


def _share(missing: float) -> str:
    """0 stays 0 and what is rare is not called nothing."""
    if missing in (0, 1):
        return f"{missing * 100:.0f} %"
    return "< 0.1 %" if missing < 0.001 else f"{number_text(round(missing * 100, 1))} %"


def _commands(inspection: Inspection) -> Iterator[str]:
    """Commands to run with this data, as they can be copied into a shell."""
    data = shell_path(inspection.path)
    target = "" if inspection.target is None else f" --target {shell_word(inspection.target)}"
    wanting = inspection.task is None and not inspection.facts.get("task.multilabel")
    if wanting:
        likely = next(
            (remark.columns[0] for remark in inspection.remarks if remark.what == UNSAID and remark.columns), None
        )
        column = f" --target {shell_word(likely)}" if likely is not None else ""
        if inspection.columns and inspection.modality != "graph":
            yield f"advisor inspect {data}{column or ' --target COLUMN'}"
        yield f"advisor recommend --data {data}{column}"
        return
    yield f"advisor recommend --data {data}{target}"
    possible = inspection.examples >= FEWEST_EXAMPLES and (inspection.inputs or not inspection.columns)
    if possible and inspection.task in SUPERVISED and inspection.modality != "graph":
        yield f"advisor try --data {data}{target}"


def inspect_command(inspection: Inspection) -> str:
    """The command that finds the same, as it can be copied into a shell."""
    target = "" if inspection.target is None else f" --target {shell_word(inspection.target)}"
    return f"advisor inspect {shell_path(inspection.path)}{target}"


def inspection_json(inspection: Inspection) -> dict[str, Any]:
    inputs = set(inspection.inputs)
    return {
        "schema": SCHEMA,
        **encode_fields(inspection, "path", "format", "modality", "target", "task", "examples", "classes"),
        "columns": [
            {
                "name": column.name,
                "kind": column.kind.value,
                "missing": round(column.missing, 6),
                "distinct": column.distinct,
                "examples": list(column.examples),
                "counts": list(column.counts),
                "input": column.name in inputs,
                "remark": column.remark,
            }
            for column in inspection.columns
        ],
        **encode_fields(inspection, "time_column", "group_column"),
        "facts": {name: to_json(value) for name, value in sorted(inspection.facts.items())},
        **encode_fields(inspection, "remarks", "sampled", "bytes", "memory_bytes", "fingerprint"),
    }
