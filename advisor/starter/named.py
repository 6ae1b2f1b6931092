"""The network that somebody named, as a project loads it: from a library with published weights, or from a file of code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from advisor.agent.settling.workloads import MODEL, model_name
from advisor.errors import InputError, input_error
from advisor.inference.plan import Plan
from advisor.models.model import Model
from advisor.models.named import CONFIG, Naming, named_model, naming, written
from advisor.wording import shorten

TITLE = "There is no project for this network"
_COLOURS = 3
_SOME = 2
NO_MODEL = "Leave the model out for a project with a network of that type that is built here."


class Library(StrEnum):
    """The code that builds a named network; each has a template in templates/named."""

    TIMM = "timm"
    TRANSFORMERS = "transformers"
    TORCHVISION = "torchvision"
    SMP = "segmentation_models_pytorch"
    FILE = "file"
    """Of the user."""


class Adaptation(StrEnum):
    """The part of a named network that is trained, as in training.adaptation."""

    FULL = "full"
    LAST_LAYER = "last_layer"
    LORA = "lora"
    QLORA = "qlora"

    @property
    def adds(self) -> bool:
        """True where small matrices beside the weights are trained."""
        return self in (Adaptation.LORA, Adaptation.QLORA)


@dataclass(frozen=True, slots=True)
class Named:
    """A network that somebody named."""

    name: str
    """As it was named."""
    library: Library
    place: str
    """Of its weights and sizes: a name of the library or of the hub, a folder; or the file of code."""
    kind: str
    """The class of the library that builds it for the task, or the function in the file; empty where the place tells."""
    weights: bool
    """True where training starts from published weights."""
    adaptation: Adaptation
    input: tuple[int, ...]
    """The shape of an example."""
    parameters: int
    """As the plan counts them."""
    multiply_adds: int
    """Of one example's forward pass, as the plan counts them; 0 where only the weights are known."""
    answer_steps: int = 0
    """Tokens of an answer that follows a text; 0 for other answers."""


_WRITES, _TRANSLATES = "AutoModelForCausalLM", "AutoModelForSeq2SeqLM"
_TASKS = {
    ("decoder", "generate"): _WRITES,
    ("encoder_decoder", "translate"): _TRANSLATES,
    **{
        (family, task): "AutoModelForSequenceClassification"
        for family in ("decoder", "encoder")
        for task in ("classify", "regress")
    },
    ("segformer", "segment"): "AutoModelForSemanticSegmentation",
}
"""The class of transformers that has the answer of a task, by family and task."""
_OF_PICTURES = ("classify", "regress")
"""Tasks to which a network of timm is put."""


def named_of(plan: Plan, model: Model | None = None, shapes: Sequence[tuple[int, ...]] = ()) -> Named | None:
    """The named network of a plan; None where the plan's network is built here.

    Args:
        model: that network, where it was counted already.
        shapes: of its inputs, where they were stated.

    Raises InputError: no project can be made of it, or not for the task of the plan.
    """
    name = model_name(plan)
    if name is None or plan.facts.get("network.widths") is None:
        return None
    adaptation = _adaptation(plan)
    parameters = _number(plan, "network.parameters") or 0
    macs = _number(plan, "network.multiply_adds") or 0
    if naming(name) is Naming.CODE:
        file, factory = written(name)
        if _fact(plan, "task.kind") is None:
            remedy = "Add --set task.kind=classify, or what else it is to learn."
            raise input_error(
                TITLE, f"nobody has said what {shorten(name)} is to learn", where="task.kind", remedy=remedy
            )
        if adaptation.adds:
            what = f"{adaptation} trains small matrices beside published weights, and {shorten(name)} draws its own"
            raise input_error(TITLE, what, where="training.adaptation", remedy="State full, or leave it out.")
        return Named(
            name,
            Library.FILE,
            str(file.absolute()),
            factory,
            False,
            adaptation,
            _own_input(name, model, shapes),
            parameters,
            macs,
        )
    if model is None:
        model = _counted(name)
    library, place = _loaded(name, model)
    task = str(_fact(plan, "task.kind") or "")
    kind = _kind(library, place, model.family, task, name)
    if adaptation is Adaptation.LAST_LAYER and kind in (_WRITES, _TRANSLATES):
        what = f"the last layer of {shorten(name)} is the table of its words, and no new one is put in its place"
        raise input_error(TITLE, what, where="training.adaptation", remedy="State full or lora.")
    if adaptation is Adaptation.QLORA and library is not Library.TRANSFORMERS:
        what = f"{library} loads no weights in 4 bits"
        raise input_error(TITLE, what, where="training.adaptation", remedy="State training.adaptation=lora.")
    if adaptation.adds and sum(layer.kind.casefold() == "linear" for layer in model.layers) < _SOME:
        what = f"{adaptation} stands beside linear layers, and {shorten(name)} has none but its last"
        raise input_error(TITLE, what, where="training.adaptation", remedy="State full or last_layer.")
    weights = plan.value("network.init") == "pretrained" or adaptation is not Adaptation.FULL
    answer = model.layers[-1].shape[0] if kind == _TRANSLATES else 0
    return Named(
        name, library, place, kind, weights, adaptation, _input(plan, model, library), parameters, macs, answer
    )


def _adaptation(plan: Plan) -> Adaptation:
    advised = plan.value("training.adaptation")
    return Adaptation(advised) if advised in tuple(Adaptation) else Adaptation.FULL


def _own_input(name: str, model: Model | None, shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    if not shapes and model is None:
        what = f"a saved plan does not say which examples {shorten(name)} takes"
        raise input_error(TITLE, what, where="--input", remedy="Add --input 3x224x224, without the batch.")
    if len(shapes) > 1:
        what = f"a project reads one input for each example, and {shorten(name)} takes {len(shapes)}"
        remedy = "Write a function that takes one, and cuts it into several; name that."
        raise input_error(TITLE, what, where="--input", remedy=remedy)
    return shapes[0] if model is None else model.input


def _counted(name: str) -> Model:
    if naming(name) is Naming.LIBRARY:
        from advisor.models.tracing.asking import built_model  # 20 ms: processes, only where one is needed

        return built_model(name)
    return named_model(name)


def _loaded(name: str, model: Model) -> tuple[Library, str]:
    """The library, and the place from which it loads the network."""
    prefix, _, place = model.loaded.partition(":")
    if naming(name) is Naming.WEIGHTS:
        what = f"{shorten(name)} holds weights, and does not say how they are joined to a network"
        raise input_error(TITLE, what, where=MODEL, remedy=f"Name the {CONFIG} that lies beside it.")
    if naming(name) is Naming.CONFIGURATION or (Path(name) / CONFIG).is_file():
        path = Path(name)
        return Library.TRANSFORMERS, str((path.parent if path.suffix else path).absolute())
    known = {"timm": Library.TIMM, "hf": Library.TRANSFORMERS, "torchvision": Library.TORCHVISION, "smp": Library.SMP}
    if prefix not in known:
        what = f"{shorten(name)} was published without weights that a library loads"
        raise input_error(TITLE, what, where=MODEL, remedy=f"Name code that builds it, FILE.py:FACTORY. {NO_MODEL}")
    return known[prefix], place


def _kind(library: Library, place: str, family: str, task: str, name: str) -> str:
    """The class that gives the answer of the task. Raises InputError where no project has it."""
    if library is Library.TIMM and task in _OF_PICTURES:
        return ""
    if library is Library.SMP and task == "segment":
        return ""
    if library is Library.TORCHVISION and task == "segment":
        return place.partition("_Weights")[0].lower()
    if library is Library.TRANSFORMERS and (family, task) in _TASKS:
        return _TASKS[family, task]
    raise _unfit(library, family, task, name)


def _unfit(library: Library, family: str, task: str, name: str) -> InputError:
    tasks = {
        Library.TIMM: _OF_PICTURES,
        Library.TORCHVISION: ("segment",),
        Library.SMP: ("segment",),
        Library.TRANSFORMERS: tuple(task for known, task in _TASKS if known == family),
    }[library]
    said = task.replace("_", " ") or "a task that is not stated"
    what = f"projects have no training of {shorten(name)} ({family.replace('_', ' ')}) to {said}"
    if tasks:
        remedy = f"State {' or '.join(f'task.kind={task}' for task in tasks)}. {NO_MODEL}"
    else:
        remedy = f"Write its training as FILE.py:FACTORY, or with its library. {NO_MODEL}"
    return input_error(TITLE, what, where="task.kind", remedy=remedy)


def _input(plan: Plan, model: Model, library: Library) -> tuple[int, ...]:
    """The shape of an example as the facts say; the usual one where they do not.

    Images are brought to the size that a network of timm was trained at: at another one its weights say less.
    """
    if library is Library.TIMM and len(model.input) == _COLOURS:
        return model.input
    steps = _number(plan, "data.sequence_length")
    if len(model.input) == 1 and steps is not None:
        return (steps,)
    values = _number(plan, "data.inputs")
    if len(model.input) == _COLOURS and values is not None:
        for planes in (_COLOURS, 1):  # grey pictures are given in three equal colours
            side = round((values / planes) ** 0.5)
            if side and planes * side * side == values:
                return (model.input[0], side, side)
    return model.input


def _fact(plan: Plan, name: str) -> object:
    known = plan.facts.get(name)
    return None if known is None else known.value


def _number(plan: Plan, name: str) -> int | None:
    value = _fact(plan, name)
    return value if isinstance(value, int) else None
