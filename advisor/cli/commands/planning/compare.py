"""`advisor compare A.yaml B.yaml`, or A with something changed: where the two plans differ."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from advisor.cli.commands.options import Compare
from advisor.cli.delivering import deliver_page, refuse_rewriting
from advisor.cli.gathering import inputs_of
from advisor.errors import InputError, Problem, input_error
from advisor.facts.answers import parse_assignments
from advisor.inference.advise import WITH_REASONS
from advisor.report.plan.comparison import Comparison, compare_plans, compare_what_if, comparison_page
from advisor.session.inputs import Inputs, plan_of


def compare(options: Compare) -> None:
    output = options.output
    a, other, supposed = _two(options)
    refuse_rewriting(output, a, other)
    problems: list[Problem] = []
    titles: list[str] = []
    sides: list[Inputs] = []
    for path, changed in ((a, []), (other or a, supposed)):
        try:
            sides.append(inputs_of(options, answers=path, what_if=changed))
        except InputError as error:
            titles.append(error.title)
            problems += [problem for problem in error.problems if problem not in problems]
    if problems:
        raise InputError(titles[0], problems)
    comparison = _compared(str(a), other, supposed, sides)

    def as_html(date: str) -> str:
        from advisor.report.html.plan_report import comparison_html  # 50 ms

        return comparison_html(comparison, date)

    deliver_page(
        options.format_, output, options.force, as_json=comparison.to_json,
        as_html=as_html,
        as_text=lambda look: comparison_page(comparison, look),
    )  # fmt: skip


def _two(options: Compare) -> tuple[Path, Path | None, list[str]]:
    """The file A, and the file B or what is supposed instead, of which exactly one must be given.

    What follows a `--what-if` and has an equals sign belongs to it: `--what-if data.modality=text data.bytes=2GB`.

    Raises:
        InputError: both, neither, or more than two files.
    """
    words = options.both or []
    supposed = [*(options.what_if or ()), *(text for text in words if options.what_if and "=" in text)]
    files = [Path(text) for text in words if text not in supposed]
    if options.answers is not None:
        files.insert(0, options.answers)
    title, remedy = "This is not a comparison of two", "Name B.yaml, or say --what-if NAME=VALUE, one of both."
    if not files:
        raise input_error(title, "no answers are named", where="compare", remedy=f"Name A.yaml. {remedy}")
    if len(files) == 1 and not supposed:
        raise input_error(title, "there is only one set of answers", where="compare", remedy=remedy)
    if len(files) > 1 and supposed:
        what = f"both the file {files[1]} and --what-if are given"
        raise input_error(title, what, where="compare", remedy=remedy)
    if len(files) > 2:
        raise input_error(title, f"{len(files)} files are given", where="compare", remedy="Name two files.")
    return files[0], (files[1] if len(files) > 1 else None), supposed


def _compared(a: str, b: Path | None, supposed: Sequence[str], sides: Sequence[Inputs]) -> Comparison:
    first, second = (plan_of(inputs, WITH_REASONS) for inputs in sides)
    knowledge = sides[0].knowledge
    if b is not None:
        return compare_plans(knowledge, a, first, str(b), second)
    stated = parse_assignments(knowledge.vocabulary, supposed)
    return compare_what_if(knowledge, a, first, stated, second)
