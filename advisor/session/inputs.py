"""Everything that a plan is made from, gathered once: answers, facts, data, machine, school, rules, and what is remembered."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.agent.settling.advising import advise_here
from advisor.agent.settling.workloads import MODEL
from advisor.errors import Complain, InputError, Problem, input_error
from advisor.facts.answers import TITLE, answers_from_mapping, parse_assignments, read_answers
from advisor.facts.fact_base import FactBase, Source
from advisor.facts.values import describe, number_text
from advisor.facts.vocabulary import Value
from advisor.inference.advise import FULL, Detail
from advisor.inference.plan import Plan
from advisor.knowledge.cache import knowledge_for
from advisor.knowledge.model import Knowledge, School
from advisor.machine.detection.detection import Machine
from advisor.models.model import Model
from advisor.models.named import naming
from advisor.probes.outcome import Outcome
from advisor.session.data import Mismatch, inspection_of, with_inspection, with_scaled_bytes
from advisor.session.machines import named_machine, unknown_card, with_published
from advisor.session.models import model_of, shapes_of, unlike_task, with_model
from advisor.session.recalling import measured_before, tried_before
from advisor.wording import shorten

if TYPE_CHECKING:
    from advisor.cluster.profile import ClusterProfile
    from advisor.datasets.dataset import Inspection

LITTLE_BYTES = 1000
"""Below it a size in bytes is doubted."""


@dataclass(frozen=True)
class Inputs:
    """Everything a plan is made from."""

    knowledge: Knowledge
    facts: FactBase
    school: School = School.TODAY
    machine: Machine | None = None
    """None where only facts of it are known, or nothing."""
    here: bool = False
    """True where that is the machine on which this runs, so that it can be measured."""
    outcomes: tuple[Outcome, ...] = ()
    """Measurements of the machine, oldest first."""
    trials: tuple[Outcome, ...] = ()
    """Trials on the data, oldest first."""
    inspection: Inspection | None = None
    """Of the data that were named."""
    network: Model | None = None
    """The one named on the command line, where code was run or a file read for it."""
    cluster: ClusterProfile | None = None
    """The measurements of a cluster, where the machine that was named is one."""


def gather(
    answers: Path | Mapping[str, object] | None = None,
    sets: Sequence[str] | None = None,
    machine: str = "auto",
    school: School | str = School.TODAY,
    packs: Sequence[Path] | None = None,
    what_if: Sequence[str] | None = None,
    data: Path | None = None,
    target: str | None = None,
    model: str | None = None,
    input: str | None = None,
    python: Path | None = None,
    *,
    complain: Complain,
    mismatch: Mismatch = Mismatch.WARNED,
    recall: bool = True,
    seconds: float | None = None,
    waiting: Complain | None = None,
) -> Inputs:
    """Read all inputs; what is supposed (`what_if`) goes before what is stated, and both before what `data` show.

    Args:
        model: a network by name, file or function, whose code is run only where it is named here.
        input: the shapes of its inputs, `3x224x224`, for one example.
        python: the interpreter in which its code works.
        complain: is told of a card that no profile describes, of a network that does not fit the task, and of what cannot be
            read of earlier measurements.
        mismatch: what becomes of data that cannot be inspected, or not for the task that somebody states.
        recall: read what this host remembers of the machine and of trials on the data.
        seconds: of the whole run, where they are bounded; code that builds the network may take no longer.
        waiting: is told at once of code that takes long; `complain` is where it is None.

    Raises InputError with the problems of answers and flags together, and where the data cannot be inspected.
    """
    knowledge = knowledge_for(tuple(packs or ()))
    stated = stated_by(knowledge, answers, sets or (), what_if or ())
    if isinstance(answers, Path) and not stated:
        what = f"{shorten(answers, 200)} states nothing. Write one fact a line, such as `data.modality: image`."
        complain("This file of answers is empty", what)
    _doubt(knowledge, stated, complain)
    _refuse_adapting_nothing(stated)
    network = _network(stated, model, input, python, partial(model_of, seconds=seconds, complain=waiting or complain))
    inspection = inspection_of(data, target, stated.get("task.kind"), mismatch, complain)
    found = named_machine(knowledge, machine)
    known = found.facts.with_values(stated, Source.ASKED)
    if inspection is not None:
        known = with_inspection(knowledge, known, inspection, here=found.here)
    facts = with_published(knowledge, with_scaled_bytes(known))
    card = unknown_card(facts)
    if card is not None:
        complain("Nothing is known of this card", str(card))
    try:
        facts = with_model(knowledge, facts, network)
    except InputError as error:
        raise _said_at(
            _place_of_model(model, answers, (*(sets or ()), *(what_if or ())), stated, machine), error
        ) from None
    unlike = unlike_task(facts, network)
    if unlike is not None:
        complain("The network and the task do not fit", str(unlike))
    outcomes = found.outcomes
    if found.machine is not None and found.here and recall:
        outcomes = measured_before(found.machine, complain)
    trials = tried_before(facts, complain) if recall else ()
    return Inputs(
        knowledge,
        facts,
        School(school),
        found.machine,
        found.here,
        outcomes,
        trials,
        inspection,
        network,
        found.cluster,
    )


def _doubt(knowledge: Knowledge, stated: Mapping[str, Value | None], complain: Complain) -> None:
    """Complain of sizes that are so small that their unit was probably left out."""
    for name, value in stated.items():
        fact = knowledge.vocabulary.facts[name]
        if fact.unit == "bytes" and isinstance(value, int | float) and 0 < value < LITTLE_BYTES:
            what = f"{name} is {describe(fact, value)}. Without a unit it is bytes: write {number_text(value)} GB."
            complain("This is very little", what)


def _place_of_model(
    model: str | None,
    answers: Path | Mapping[str, object] | None,
    sets: Sequence[str],
    stated: Container[str],
    machine: str,
) -> str:
    """The flag or file by which the network was named."""
    if model is not None:
        return "--model"
    if any(text.partition("=")[0].strip() == MODEL for text in sets):
        return f"--set {MODEL}"
    if MODEL not in stated:
        return f"{shorten(machine, 200)}: {MODEL}"
    return f"{shorten(answers, 200)}: {MODEL}" if isinstance(answers, Path) else MODEL


def _said_at(place: str, error: InputError) -> InputError:
    """The same message, with the place where its cause was stated."""
    problems = (replace(one, where=f"{place}: {one.where}" if one.where else place) for one in error.problems)
    return InputError(error.title, problems)


def _refuse_adapting_nothing(stated: Mapping[str, Value | None]) -> None:
    """Raise InputError where published weights are to be adapted that must not be used."""
    adaptation = stated.get("training.adaptation")
    if adaptation not in (None, "none") and stated.get("project.pretrained_allowed") is False:
        what = f"{adaptation} adapts published weights, and project.pretrained_allowed says that none may be used"
        where = "training.adaptation and project.pretrained_allowed"
        raise input_error("These answers exclude each other", what, where=where, remedy="Change one of them.")


def refuse_two_models(stated: Mapping[str, Value | None], model: str) -> None:
    """Raise InputError where another network is stated than the one that a flag names."""
    said = stated.get(MODEL)
    if said not in (None, model):
        what = f"{shorten(said)!r} and {shorten(model)!r} are two"
        raise input_error(TITLE, what, where=f"{MODEL} and --model", remedy="Keep one of them.")


def _network(
    stated: dict[str, Value | None],
    model: str | None,
    input: str | None,
    python: Path | None,
    look_up: Callable[[str, Sequence[tuple[int, ...]], Path | None], Model],
) -> Model | None:
    """The network that is named by a flag; it is stated from then on. None where nobody needs to look it up now."""
    if model is None:
        flag = next((flag for flag, value in (("--input", input), ("--python", python)) if value is not None), None)
        if flag is not None:
            raise input_error("There is no model", "it belongs to one", where=flag, remedy="Add --model NAME.")
        return None
    refuse_two_models(stated, model)
    stated[MODEL] = model
    shapes = shapes_of(input)
    return look_up(model, shapes, python) if shapes or python or naming(model).builds else None


def stated_by(
    knowledge: Knowledge,
    answers: Path | Mapping[str, object] | None,
    sets: Sequence[str],
    what_if: Sequence[str] = (),
) -> dict[str, Value | None]:
    """Facts that are stated, the later ones before the earlier. Raises InputError with all problems of all of them."""
    vocabulary, topics = knowledge.vocabulary, knowledge.topics
    stated: dict[str, Value | None] = {}
    problems: list[Problem] = []
    titles: list[str] = []

    def from_answers() -> Mapping[str, Value | None]:
        if answers is None:
            return {}
        if isinstance(answers, Mapping):
            return answers_from_mapping(vocabulary, answers, topics)
        return read_answers(vocabulary, answers, topics)

    readers: list[Callable[[], Mapping[str, Value | None]]] = [
        from_answers,
        lambda: parse_assignments(vocabulary, sets, "--set", topics),
        lambda: parse_assignments(vocabulary, what_if, "--what-if", topics),
    ]
    for read in readers:
        try:
            stated.update(read())
        except InputError as error:
            problems.extend(error.problems)
            titles.append(error.title)
    if problems:
        raise InputError(titles[0] if len(set(titles)) == 1 else TITLE, problems)
    return stated


def plan_of(inputs: Inputs, detail: Detail = FULL) -> Plan:
    """The plan for these inputs; what was measured on this machine, or tried on these data, counts where it is in scope."""
    known = (*inputs.outcomes, *inputs.trials)
    return advise_here(inputs.knowledge, inputs.facts, inputs.machine, known, inputs.school, detail)


def plan_if(inputs: Inputs, changes: Mapping[str, Value]) -> Plan:
    """The plan as if these facts had been stated too."""
    return plan_of(replace(inputs, facts=inputs.facts.with_values(changes, Source.ASKED)))
