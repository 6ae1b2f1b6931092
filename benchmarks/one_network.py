"""One network: what a plan counts, what probes time, what trials try and what a project generates, side by side.

    python benchmarks/one_network.py [NAME]...        types of network, or published ones; all where none is named

Every type of network in three sizes, and published ones as their library builds them from our configuration: parameters and
multiply-adds of one example, forward. Our own must be equal; published ones within 0.1 % and 2 % of the library's. Ends with 1
where two differ. What a column cannot have says why in a word; a type that is never timed, say, has no probe.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import torch

os.environ["HF_HUB_OFFLINE"] = "1"  # nothing is fetched
sys.path.insert(0, str(Path(__file__).parents[1]))  # where it is not installed, its tests are beside it

from advisor.agent.settling.figures import given_quantities
from advisor.agent.settling.workloads import with_code, workload_of
from advisor.agent.trials.trying import planned
from advisor.datasets.dataset import Task
from advisor.datasets.preparing.preparation import Shape
from advisor.errors import InputError
from advisor.facts.answers import parse_assignments
from advisor.facts.fact_base import FactBase, Source
from advisor.inference.advise import Detail, advise
from advisor.inference.plan import Plan, Status
from advisor.knowledge.loader import load
from advisor.models.code import Library
from advisor.models.model import Model
from advisor.models.tracing.trace import traced
from advisor.networks.builders import build
from advisor.networks.examples import example_batch
from advisor.probes.child.lesson import network_of
from advisor.probes.workload import NamedNetwork, Workload
from advisor.resources import rules_folder
from advisor.session.inputs import gather, plan_of
from advisor.session.models import code_of
from advisor.starter.planning import blueprint_of
from advisor.starter.project import project_files
from advisor.starter.writing import write_project
from advisor.training.child.fitting import described
from advisor.training.ladder.menu import AS_PLANNED, menu
from tests.models.libraries import as_in_training, library
from tests.starter.projects import run

Units = tuple[int, ...]
PARAMETERS, MULTIPLY_ADDS = 0.001, 0.02
"""Differences of published networks from their library's own that are accepted."""
COLUMNS = ("plan", "probe's child", "trial", "train.py --describe")
DETAIL = Detail(flips=False, questions=False)
_PICTURES = "data.modality=image data.inputs=1024 data.examples=5000"
_TABLE = "data.modality=tabular data.inputs=48 data.examples=5000"
_TEXTS = (
    "task.kind=generate task.generation=sequence data.modality=text data.inputs=500 data.sequence_length=32 "
    "data.examples=5000 project.pretrained_allowed=no"
)
_SERIES = "task.kind=forecast task.outputs=1 data.modality=time_series data.inputs=6 data.sequence_length=24 data.examples=5000"


@dataclass(frozen=True)
class Figures:
    parameters: int
    multiply_adds: int

    def __str__(self) -> str:
        return f"{self.parameters:,} / {self.multiply_adds:,}"

    def near(self, other: Figures, parameters: float = 0.0, multiply_adds: float = 0.0) -> bool:
        return (
            abs(self.parameters - other.parameters) <= parameters * other.parameters
            and abs(self.multiply_adds - other.multiply_adds) <= multiply_adds * other.multiply_adds
        )


Cell = Figures | str
"""Figures, or why there are none."""


@dataclass(frozen=True)
class Type:
    """A type of network: the facts of a plan for it, its loss, and hidden units of three sizes."""

    facts: str
    loss: str
    sizes: tuple[Units, Units, Units]
    network: str = ""
    """Its type, where it has another name here."""
    normalization: str = ""
    activation: str = ""


CLASSES = "task.kind=classify task.outputs=10"
TYPES: Mapping[str, Type] = {
    "ffn": Type(f"{CLASSES} {_TABLE}", "cross_entropy", ((64,), (128, 128), (512, 256, 128))),
    "autoencoder": Type(
        f"task.kind=reconstruct task.outputs=48 {_TABLE}", "mse", ((24, 8, 24), (32, 16, 32), (64, 32, 8, 32, 64))
    ),
    "vae": Type(
        f"task.kind=generate task.generation=random {_PICTURES} task.outputs=1024",
        "elbo",
        ((64, 8, 64), (128, 16, 128), (256, 32, 256)),
    ),
    "rbm": Type(f"task.kind=represent task.outputs=48 {_TABLE}", "contrastive_divergence", ((16,), (64,), (256,))),
    "dbn": Type(f"{CLASSES} {_TABLE}", "cross_entropy", ((32, 16), (64, 32), (256, 128, 64))),
    "gan": Type(
        f"task.kind=generate task.generation=random {_PICTURES} task.outputs=1024",
        "adversarial",
        ((8, 16), (16, 32), (32, 64)),
    ),
    "rnn": Type(_SERIES, "mse", ((16,), (64,), (128, 128))),
    "lstm": Type(_SERIES, "mse", ((16,), (64,), (128, 128))),
    "cnn": Type(f"{CLASSES} {_PICTURES}", "cross_entropy", ((8, 16), (16, 32, 64), (64, 128, 256))),
    "deconvolutional": Type(
        f"task.kind=generate task.generation=random {_PICTURES} task.outputs=1024",
        "mse",
        ((16, 8), (32, 16), (64, 32, 16)),
    ),
    "recursive": Type(
        f"{CLASSES} data.modality=tree data.inputs=200 data.sequence_length=15 data.examples=3000",
        "cross_entropy",
        ((8, 16), (16, 32), (64, 64)),
    ),
    "transformer": Type(_SERIES, "mse", ((32, 64), (64, 128), (128, 256))),
    "language model": Type(
        _TEXTS, "cross_entropy", ((64, 256), (128, 512), (256, 1024)), "transformer", "layer_norm", "gelu"
    ),
    "gated language model": Type(
        _TEXTS, "cross_entropy", ((64, 176), (256, 688), (512, 1376)), "transformer", "rms_norm", "swish"
    ),
    "unet": Type(
        f"task.kind=segment task.outputs=4 {_PICTURES}", "dice_cross_entropy", ((4, 8), (16, 32), (32, 64, 128))
    ),
    "diffusion": Type(
        f"task.kind=generate task.generation=random {_PICTURES} task.outputs=1024",
        "noise_prediction",
        ((8, 16), (16, 32), (32, 64)),
    ),
    "gnn": Type(
        f"{CLASSES} data.modality=graph data.inputs=16 data.examples=3000",
        "cross_entropy",
        ((16, 16), (64, 64), (128, 128)),
    ),
}
PUBLISHED: Mapping[str, str] = {
    **dict.fromkeys(
        ("resnet18", "resnet50", "convnext_tiny", "vit_base_patch16_224", "efficientnet_b0", "mobilenetv3_large_100"),
        "task.kind=classify task.outputs=1000 data.modality=image data.inputs=150528 data.examples=5000",
    ),
    **dict.fromkeys(
        ("bert-base", "bert-large", "distilbert", "roberta-base", "modernbert-base"),
        "task.kind=classify task.outputs=3 data.modality=text data.sequence_length=128 data.examples=5000",
    ),
    **dict.fromkeys(
        ("gpt2", "smollm2-135m", "pythia-160m", "qwen3-0.6b", "llama-3.2-1b"),
        "task.kind=generate task.generation=sequence data.modality=text data.sequence_length=256 data.examples=5000 "
        "training.adaptation=full",
    ),
    **dict.fromkeys(
        ("t5-small", "bart-base"), "task.kind=translate data.modality=text data.sequence_length=128 data.examples=5000"
    ),
    "unet-resnet34": "task.kind=segment task.outputs=4 data.modality=image data.inputs=49152 data.examples=500",
    **dict.fromkeys(("whisper-small", "wav2vec2-base"), "task.kind=translate data.modality=audio data.examples=5000"),
}


@cache
def rules() -> Any:
    return load(rules_folder())


def plan_for(kind: str, type_: Type, units: Units) -> Plan:
    """A plan for these facts, in which this network with this loss is advised."""
    stated = parse_assignments(rules().vocabulary, type_.facts.split(), "--set")
    plan = advise(rules(), FactBase().with_values(stated, Source.ASKED), detail=DETAIL)
    wanted = {
        "network.type": type_.network or kind,
        "network.hidden_units": list(units),
        "training.loss": type_.loss,
        **({"network.normalization": type_.normalization} if type_.normalization else {}),
        **({"network.activation": type_.activation} if type_.activation else {}),
    }
    changed = {
        name: replace(plan.recommendations[name], value=value, status=Status.LEANING, tied=())
        for name, value in wanted.items()
    }
    return replace(plan, recommendations={**plan.recommendations, **changed})


def of_plan(plan: Plan) -> Cell:
    found = given_quantities(plan)
    if "plan.macs" not in found:
        return "not counted"
    return Figures(int(found["plan.parameters"].value), int(found["plan.macs"].value))


def of_child(workload: Workload | str) -> Cell:
    """As the process of a probe builds it."""
    if isinstance(workload, str):
        return "not timed"
    generator = torch.Generator()
    if workload.named is None:
        return _counted(lambda: network_of(workload), lambda batch: (example_batch(workload, batch, generator)[0],))
    assert workload.named.code is not None
    arguments = workload.named.code.arguments
    kinds = {True: torch.long, False: torch.float32}
    with _as_in_training(workload.named):
        return _counted(
            lambda: network_of(workload),
            lambda batch: tuple(torch.zeros(batch, *one.shape, dtype=kinds[one.tokens]) for one in arguments),
        )


def _as_in_training(named: NamedNetwork | None) -> ExitStack:
    """Libraries as the tests have them, which need no compiled operators of torchvision."""
    stack = ExitStack()
    if named is not None and named.code is not None:
        library(named.code.library)
        if named.code.library is Library.TRANSFORMERS:
            stack.enter_context(as_in_training())
    return stack


def of_trial(plan: Plan, workload: Workload | str) -> Cell:
    """As `advisor try` builds the plan's network from data of this shape."""
    if isinstance(workload, str) or workload.named is not None:
        return "not tried"
    openers = menu(planned(plan), workload.modality).openers
    settings = [one.settings for one in openers if one.name.endswith(AS_PLANNED) and one.settings is not None]
    if not settings:
        return "not tried"
    flat = workload.inputs * (workload.sequence_length or 1)
    shape = Shape(workload.inputs, workload.sequence_length, workload.outputs, flat)
    task = Task.CLASSIFY if workload.loss == "cross_entropy" else Task.REGRESS
    spec = described(settings[0], shape, workload.modality, task)
    generator = torch.Generator()
    return _counted(lambda: build(spec), lambda batch: (example_batch(spec, batch, generator)[0],))


def of_project(plan: Plan, model: Model | None = None) -> Cell:
    """By `python train.py --describe` of the project that the plan becomes.

    What a project knows of a network of the hub that is not on this computer, its plan has told it.
    """
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "project"
        try:
            blueprint = blueprint_of(plan, model=model)
        except InputError:
            return "not generated"
        write_project(project, project_files(plan, rules(), blueprint))
        try:
            with warnings.catch_warnings(action="ignore"):
                told = json.loads(run(project, "python train.py --describe"))
        except (Exception, SystemExit) as error:  # its code is generated: anything may be wrong with it
            return f"failed: {str(error).splitlines()[0][:60]}"
    return Figures(told["parameters"], told["multiply_adds_per_example"])


def _counted(make: Callable[[], torch.nn.Module], inputs: Callable[[int], Any]) -> Cell:
    layers = traced(make, inputs)
    return Figures(sum(one.parameters for one in layers), sum(one.multiply_adds for one in layers))


def types(names: list[str]) -> Iterator[tuple[str, list[Cell], bool]]:
    """Name, cells by column, and whether all that are known are equal."""
    for kind, type_ in TYPES.items():
        for units in type_.sizes if not names or kind in names else ():
            plan = plan_for(kind, type_, units)
            workload = workload_of(plan)
            cells = [of_plan(plan), of_child(workload), of_trial(plan, workload), of_project(plan)]
            known = [cell for cell in cells if isinstance(cell, Figures)]
            failed = any(isinstance(cell, str) and cell.startswith("failed") for cell in cells)
            yield f"{kind} {'-'.join(map(str, units))}", cells, len(set(known)) == 1 and not failed


def published(names: list[str]) -> Iterator[tuple[str, list[Cell], bool]]:
    """The child builds what the library has, so it is the one that others are compared with."""
    for name, facts in PUBLISHED.items():
        if names and name not in names:
            continue
        found = gather(
            sets=[*facts.split(), "project.pretrained_allowed=yes"],
            machine="none",
            model=name,
            complain=lambda *_: None,
            recall=False,
        )
        plan, code = plan_of(found, DETAIL), code_of(found.facts, found.network)
        workload = workload_of(plan)
        step = with_code(workload, code) if isinstance(workload, Workload) else workload
        ours, theirs = (
            of_plan(plan),
            of_child(step if step is not None else "not timed") if not isinstance(code, str) else code,
        )
        with _as_in_training(step.named if isinstance(step, Workload) else None):
            project = of_project(plan, found.network)
        others = [one for one in (ours, project) if one != "not generated"]
        same = isinstance(theirs, Figures) and all(
            isinstance(one, Figures) and one.near(theirs, PARAMETERS, MULTIPLY_ADDS) for one in others
        )
        yield name, [ours, theirs, "not tried", project], same


def main() -> int:
    names = sys.argv[1:]
    wrong = [name for name in names if name not in TYPES and name not in PUBLISHED]
    if wrong:
        print(f"There is no {', '.join(wrong)}. There are: {', '.join([*TYPES, *PUBLISHED])}.", file=sys.stderr)
        return 2
    print(f"{'parameters / multiply-adds':28}" + "".join(f"{column:>32}" for column in COLUMNS))
    different = alone = 0
    for rows in (types(names), published(names)):
        for name, cells, same in rows:
            different += not same
            alone += sum(isinstance(cell, Figures) for cell in cells) < 2
            print(
                f"{name:28}" + "".join(f"{cell!s:>32}" for cell in cells) + ("" if same else "   DIFFERENT"), flush=True
            )
    print(f"{different} of the networks differ." if different else "All agree.")
    if alone:
        print(f"{alone} of them have one figure alone, which is compared with nothing.")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
