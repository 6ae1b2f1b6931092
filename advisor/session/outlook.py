"""The needs of training where the sizes that nobody has stated are as usual, and ways to be done sooner where it is slow:
each is planned for, so that its time is known before it is proposed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from advisor.agent.settling.known_model import usual_length
from advisor.agent.settling.workloads import model_name
from advisor.facts.fact_base import FactBase, Known, Source
from advisor.facts.values import to_text
from advisor.facts.vocabulary import Value
from advisor.inference.advise import WITH_REASONS
from advisor.inference.plan import Plan
from advisor.machine.profiles.files import find_device
from advisor.report.contents import SPREAD, Outlook, Remedy
from advisor.report.numbers import known_values
from advisor.report.slowness import slowness
from advisor.session.inputs import Inputs, plan_of
from advisor.session.machines import named_machine

if TYPE_CHECKING:
    from advisor.datasets.dataset import Inspection

_CARDS = ("l4", "h100-sxm-80gb")
"""Cards that are for rent nearly everywhere, the cheaper one first."""
_SIZES = {
    "data.examples": "{} examples",
    "data.sequence_length": "{} steps each",
    "data.inputs": "{} values each",
    "task.outputs": "",
}
"""Facts without which nothing can be counted, with the words in which they are supposed."""
_OF_TEXTS = {"data.sequence_length": "{} tokens each", "data.inputs": ""}
_OF_A_MACHINE = ("machine.", "cluster.")
_WORTH_IT = 0.7
"""Of the time as it is; what saves less is not worth a change."""
_MOST = 3
_SMALLEST_PICTURE = 3 * 64 * 64
_USUAL_PICTURE = 3 * 224 * 224
"""The values of the pictures that published networks were trained on."""
_FEWEST_STEPS = 128
_FEWEST_EXAMPLES = 5000


@dataclass(frozen=True, slots=True)
class _Change:
    says: str
    facts: Mapping[str, Value]


def outlook_of(inputs: Inputs, plan: Plan) -> Outlook:
    """The plan's own needs where they are known; else those of the same plan with usual sizes."""
    supposed = plan
    if "time.longest" not in known_values(plan):
        unsaid: dict[str, Value | None] = {name: None for name in _SIZES if inputs.facts.known(name) is None}
        inputs = replace(inputs, facts=inputs.facts.with_values(unsaid, Source.ASKED))
        supposed = plan_of(inputs, WITH_REASONS)
    return Outlook(supposed, _as_usual(supposed), _remedies(inputs, supposed))


def _as_usual(plan: Plan) -> tuple[str, ...]:
    """The sizes that nobody has stated, as they are supposed."""
    modality = plan.facts.get("data.modality")
    text = modality is not None and modality.value == "text"
    said = {**_SIZES, **_OF_TEXTS} if text else _SIZES
    usual = {
        name: known.value
        for name in said
        if (known := plan.facts.get(name)) is not None and known.source is Source.ASSUMED
    }
    model = model_name(plan)
    stated = plan.facts.get("data.sequence_length")
    if text and model is not None and (stated is None or stated.source is Source.ASSUMED):
        usual["data.sequence_length"] = usual_length(model) or usual.get("data.sequence_length", 0)
    told = [said[name].format(f"{value:,}") for name, value in usual.items() if said[name] and value]
    return tuple(words.replace("s each", " each") if words.startswith("1 ") else words for words in told)


def _remedies(inputs: Inputs, plan: Plan) -> tuple[Remedy, ...]:
    """At most three, the shortest time first; none where training is not slow or its time is not known."""
    if slowness(plan) is None:
        return ()
    now = known_values(plan)["time.longest"]
    tried = [*_elsewhere(inputs), *_otherwise(inputs, plan)]
    found = [remedy for remedy in tried if remedy.longest < _WORTH_IT * now]
    return tuple(sorted(found, key=lambda remedy: remedy.longest)[:_MOST])


def _elsewhere(inputs: Inputs) -> Iterator[Remedy]:
    """The first card on which it fits, where nobody has stated a machine."""
    facts = inputs.facts
    if any(name.startswith("machine.") for name in facts.by_source(Source.ASKED)) or _machines(facts) > 1:
        return
    for name in _CARDS:
        device = find_device(name)
        machine = named_machine(inputs.knowledge, name).facts
        there = replace(inputs, facts=_moved(facts, machine), machine=None, here=False, outcomes=())
        says = f"{name if device is None else device.title}, rented by the hour"
        remedy = _planned(there, says, f"--machine {name}")
        if remedy is not None:
            yield remedy
            return


def _machines(facts: FactBase) -> int:
    known = facts.known("cluster.nodes")
    return known.value if known is not None and isinstance(known.value, int) else 1


def _moved(facts: FactBase, machine: FactBase) -> FactBase:
    kept: Mapping[str, tuple[Known, ...]] = {
        name: known for name, known in facts.entries.items() if not name.startswith(_OF_A_MACHINE)
    }
    return replace(facts, entries={**kept, **machine.entries})


def _otherwise(inputs: Inputs, plan: Plan) -> Iterator[Remedy]:
    for change in _changes(inputs.facts, plan, inputs.inspection):
        changed = replace(inputs, facts=inputs.facts.with_values(change.facts, Source.ASKED))
        typed = " ".join(f"--set {name}={to_text(value)}" for name, value in change.facts.items())
        remedy = _planned(changed, change.says, typed)
        if remedy is not None:
            yield remedy


def _changes(facts: FactBase, plan: Plan, data: Inspection | None) -> Iterator[_Change]:
    """Sizes are those of the data where there are data: a project takes all of them, as they are, and only pictures smaller."""
    values = {name: known.value for name, known in plan.facts.items()}
    advised = {name: entry.value for name, entry in plan.recommendations.items()}
    if advised.get("network.init") != "pretrained":
        if facts.known("project.pretrained_allowed") is None:
            yield _Change("published weights", {"project.pretrained_allowed": True})
    elif advised.get("training.adaptation") == "full":
        yield _Change("training a new last layer alone", {"training.adaptation": "last_layer"})
    inputs, steps, examples = (values.get(f"data.{name}") for name in ("inputs", "sequence_length", "examples"))
    modality, resizable = values.get("data.modality"), data is None or data.resizable
    if modality == "image" and isinstance(inputs, int) and inputs >= 4 * _SMALLEST_PICTURE and resizable:
        usual = inputs >= 4 * _USUAL_PICTURE
        says = "pictures of 224 x 224 pixels" if usual else "pictures of half the width and height"
        yield _Change(says, {"data.inputs": _USUAL_PICTURE if usual else inputs // 4})
    if modality == "text" and isinstance(steps, int) and steps >= 2 * _FEWEST_STEPS and data is None:
        yield _Change("texts cut to half their length", {"data.sequence_length": steps // 2})
    if isinstance(examples, int) and examples >= 10 * _FEWEST_EXAMPLES and data is None:
        yield _Change("a tenth of the examples", {"data.examples": examples // 10})


def _planned(inputs: Inputs, says: str, arguments: str) -> Remedy | None:
    """None where that does not fit into memory, or has no known time."""
    plan = plan_of(inputs, WITH_REASONS)
    times = known_values(plan)
    strategy = plan.recommendations.get("memory.strategy")
    if "time.longest" not in times or strategy is None or strategy.value in ("does_not_fit", *SPREAD):
        return None
    return Remedy(says, arguments, times["time.shortest"], times["time.longest"])
