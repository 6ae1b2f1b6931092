"""`advisor starter`: a plan as a small training project of its own."""

from __future__ import annotations

from functools import partial

from advisor.cli.commands.options import Starter
from advisor.cli.console import panel, say, warn
from advisor.cli.gathering import inputs_of
from advisor.cli.options import TOLD, as_packs, facts_repeated, typed_again
from advisor.errors import input_error
from advisor.knowledge.cache import knowledge_for
from advisor.report.plan.json_plan import OTHER_RULES, read_saved
from advisor.report.proposed import with_facts
from advisor.session.data import inspected
from advisor.session.inputs import Inputs, plan_if, plan_of
from advisor.session.models import shapes_of
from advisor.starter.kept import plan_to_keep
from advisor.starter.planning import blueprint_of
from advisor.starter.project import project_files, refuse_unkept, refuse_unreadable
from advisor.starter.writing import write_project
from advisor.wording import printable


def starter(options: Starter) -> None:
    data, target = options.data, options.target
    if options.plan is not None:
        _refuse_both(options)
        knowledge = knowledge_for(as_packs(options.packs))
        saved = read_saved(options.plan, knowledge)
        if saved.remark:
            warn(OTHER_RULES, saved.remark)
        found, model = saved.plan, None
        inputs = Inputs(knowledge, found.stated, found.school)
        inspection = inspected(data, target) if data is not None and data.exists() else None
    else:
        inputs = inputs_of(options)
        knowledge, found, inspection, model = inputs.knowledge, plan_of(inputs), inputs.inspection, inputs.network
    delimiter = "," if inspection is None else inspection.delimiter
    with facts_repeated(options):
        found, replanned = plan_to_keep(found, partial(plan_if, inputs))
        blueprint = blueprint_of(found, data, target, delimiter, model, shapes_of(options.input), inspection)
        if inspection is not None:
            refuse_unreadable(inspection, target, blueprint)
        refuse_unkept(found, blueprint)
    files = project_files(found, knowledge, blueprint)
    write_project(options.output, files, force=options.force)
    told = typed_again(options, TOLD)
    differences = [*(with_facts(said, told) for said in replanned), *blueprint.differences]
    if differences:
        panel("The project differs from the plan", differences, style="yellow")
    say(printable(f"{options.output}: {len(files)} files. Read README.md there first."))


def _refuse_both(options: Starter) -> None:
    """A saved plan was made from answers of its own."""
    stated = (("--answers", options.answers), ("--set", options.sets), ("--model", options.model))
    given = [name for name, value in stated if value]
    if given:
        what = "a saved plan was made from answers of its own"
        raise input_error("A plan cannot be changed", what, where=given[0], remedy="Leave it out, or leave --plan out.")
