"""The files of a project: templates chosen by the blueprint, and modules of ours that it takes as they stand.

No file holds anything for other plans, and the network is the one that is advised, counted and timed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from advisor.datasets.media.entries import LEFT_BEHIND
from advisor.networks.description import ACTIVATIONS, film_frame, picture
from advisor.networks.families.transformer.declaration import (
    WAVE_CHANNELS,
    WAVE_KERNELS,
    WAVE_STRIDES,
    Reading,
    heads,
    key_heads,
    layers_for,
    patch_size,
    reading,
    tied,
    tube_size,
)
from advisor.networks.family import LARGEST_FLAT_PICTURE
from advisor.networks.registry import FOLDER, folder_of
from advisor.starter.blueprint import STATISTICAL, Blueprint, Layout, Targets, counts_words
from advisor.starter.members import construction
from advisor.starter.named import Adaptation, Library, Named
from advisor.starter.requirements import packages_of
from advisor.starter.source import literal, without_unused_imports
from advisor.training.ladder.variants import BOOSTERS

if TYPE_CHECKING:
    from jinja2 import Environment

_ADVISOR = Path(__file__).parents[1]
_LOOP = _ADVISOR / "training" / "loop"
_PREPARING = _ADVISOR / "datasets" / "preparing"
_WORDS = _ADVISOR / "datasets" / "values" / "words.py"
_DATES = _ADVISOR / "datasets" / "values" / "dates.py"
_MISSING = _ADVISOR / "datasets" / "values" / "missing.py"
_NULL_WORDS = _ADVISOR / "datasets" / "values" / "null_words.py"
_REPEATED = _ADVISOR / "datasets" / "values" / "repeated_rows.py"
_HELD_OUT = _PREPARING / "held_out.py"
_FOLDER_LABELS = _ADVISOR / "datasets" / "media" / "folder_labels.py"
_BOOSTERS = _ADVISOR / "training" / "child" / "boosters.py"
_AFTER_LINEAR = _ADVISOR / "training" / "child" / "after_linear.py"
_THRESHOLDS = _ADVISOR / "training" / "child" / "thresholds.py"
_OURS = re.compile(r"^from advisor\.datasets\.(?:preparing|values)\.(\w+) import", re.MULTILINE)
_FORECASTER = _ADVISOR / "training" / "child" / "forecaster.py"
_SEASONS = _ADVISOR / "datasets" / "tables" / "series" / "seasons.py"
_PAIRS = _ADVISOR / "datasets" / "media" / "pairs.py"
_PARTS = _ADVISOR / "networks" / "parts"
_PART = re.compile(r"^from advisor\.networks\.parts\.(\w+) import", re.MULTILINE)
TEMPLATES = Path(__file__).parent / "templates"
FOLDERS = (TEMPLATES, FOLDER)
"""Of all templates; those that join a network with the sizes of a project stand beside the network."""

_OPTIMIZERS = {
    "sgd": "torch.optim.SGD(groups, lr=learning_rate, fused=fused or None)",
    "sgd_momentum": "torch.optim.SGD(groups, lr=learning_rate, fused=fused or None, momentum=0.9)",
    "sgd_nesterov": "torch.optim.SGD(groups, lr=learning_rate, fused=fused or None, momentum=0.9, nesterov=True)",
    "adagrad": "torch.optim.Adagrad(groups, lr=learning_rate, fused=fused or None)",
    "adadelta": "torch.optim.Adadelta(groups, lr=learning_rate)",
    "rmsprop": "torch.optim.RMSprop(groups, lr=learning_rate)",
    "adam": "torch.optim.Adam(groups, lr=learning_rate, fused=fused or None)",
    "adamw": "torch.optim.AdamW(groups, lr=learning_rate, fused=fused or None, weight_decay=0.0)",
    "nadam": "torch.optim.NAdam(groups, lr=learning_rate, decoupled_weight_decay=True)",
    "lars": "Lars(groups, lr=learning_rate)",
    "lamb": "Lamb(groups, lr=learning_rate)",
    "lbfgs": "",
}
CLUSTER_FILES = (
    "train.sh",
    "train.slurm",
    "train.jobset.yaml",
    "train.trainjob.yaml",
    "train_ray.py",
    "train.sky.yaml",
)
"""Each starts the training on the machines of a cluster, by another scheduler."""
_SHARED = (
    "settings",
    "model",
    "train",
    "devices",
    "strategies",
    "once",
    "checkpoints",
    "averages",
    "order",
    "stopping",
    "metrics",
    "progress",
    "curves",
    "optimisation",
    "describe",
    "test_project",
)


def templates_of(blueprint: Blueprint) -> dict[str, str]:
    """The name of every file of the project but README.md and requirements.txt, with the template that it comes from."""
    if blueprint.network == STATISTICAL:
        own = ("settings", "data", "train", "predict")
        chosen = {f"{name}.py": f"classical/forecasting/{name}.py.j2" for name in own}
        chosen |= {f"{name}.py": f"shared/{name}.py.j2" for name in ("test_project", "checkpoints", "stopping")}
    elif not blueprint.is_network:
        chosen = {f"{name}.py": f"classical/{name}.py.j2" for name in ("settings", "train", "model")}
        chosen |= {f"{name}.py": f"shared/{name}.py.j2" for name in ("test_project", "checkpoints", "stopping")}
        chosen["data.py"] = f"classical/{blueprint.layout}.py.j2"
        chosen |= {f"{name}.py": f"classical/{name}.py.j2" for name in ("predict", "preparation", "answering")}
    else:
        chosen = {f"{name}.py": f"shared/{name}.py.j2" for name in _SHARED}
        layout = "tokenized" if blueprint.tokenized else "subwords" if blueprint.subwords else blueprint.layout
        chosen["data.py"] = f"data/{layout}.py.j2"
        if blueprint.subwords:
            chosen["corpus.py"] = "data/corpus.py.j2"
        if blueprint.layout is Layout.PICTURE:
            chosen["index.py"] = "data/index.py.j2"
            if blueprint.packed:
                chosen |= {f"{name}.py": f"data/{name}.py.j2" for name in ("shards", "shard")}
        if blueprint.named is not None:
            chosen |= _named(blueprint.named)
        chosen["loss.py"] = _loss(blueprint)
        if blueprint.predicts:
            chosen["predict.py"] = "shared/predict.py.j2"
        elif blueprint.restores:
            chosen["predict.py"] = "shared/restore.py.j2"
        elif blueprint.targets is Targets.MASK and blueprint.layout is Layout.PICTURE:
            chosen["predict.py"] = "shared/segment.py.j2"
        if blueprint.tokenized and blueprint.targets is Targets.NEXT_TOKEN:
            chosen["generate.py"] = "named/write.py.j2"
        chosen["export.py"] = "shared/export.py.j2"
        if blueprint.has_own_loss:  # and so makes new examples
            chosen["generate.py"] = "shared/generate.py.j2"
        elif blueprint.subwords:
            chosen["generate.py"] = "shared/continue.py.j2"
        elif blueprint.translates:
            chosen["generate.py"] = "shared/write.py.j2"
        if blueprint.launch is not None:
            names = CLUSTER_FILES if blueprint.launch.cluster else ("train.sh",)
            chosen |= {name: f"launch/{name}.j2" for name in names}
    chosen |= {"Dockerfile": "shared/Dockerfile.j2", ".dockerignore": "shared/dockerignore.j2"}
    if "predict.py" in chosen and blueprint.targets is not Targets.MASK:
        chosen["predictions.py"] = "shared/predictions.py.j2"
        if blueprint.targets is Targets.NUMBERS and blueprint.network != STATISTICAL:
            chosen["intervals.py"] = "shared/intervals.py.j2"
    return chosen


def _named(named: Named) -> dict[str, str]:
    chosen = {"model.py": f"named/{named.library}.py.j2", "operators.py": "named/operators.py.j2"}
    if named.library is not Library.FILE or named.adaptation.adds:
        chosen["published.py"] = "named/published.py.j2"
    if named.adaptation is not Adaptation.FULL:
        chosen["adaptation.py"] = "named/adaptation.py.j2"
    return chosen


def _loss(blueprint: Blueprint) -> str:
    if blueprint.has_own_loss:
        return f"{folder_of(blueprint.network).name}/loss.py.j2"
    own = f"losses/{blueprint.recipe.loss}.py.j2"
    return own if (TEMPLATES / own).is_file() else "losses/supervised.py.j2"


def files_of(blueprint: Blueprint) -> dict[str, str]:
    """The content of these files, and of those that are copied, by their names."""
    context = context_of(blueprint)
    rendered = {name: render(template, context) for name, template in templates_of(blueprint).items()}
    files = {**rendered, **copied_files(blueprint)}
    requirements = {**context, "packages": packages_of(files)}
    return {**files, "requirements.txt": render("shared/requirements.txt.j2", requirements)}


def copied_files(blueprint: Blueprint) -> dict[str, str]:
    """Modules of ours by the name that they have in the project."""
    if blueprint.network == STATISTICAL:
        return _verbatim([_FORECASTER, _SEASONS, _DATES, _MISSING, _NULL_WORDS, _HELD_OUT])
    if not blueprint.is_network:
        return _verbatim(_preparing(blueprint))
    sources = [_LOOP / "schedules.py"]
    if blueprint.recipe.optimizer in ("lars", "lamb"):
        sources.append(_LOOP / "layerwise.py")
    named = blueprint.named
    if blueprint.recipe.recompute and (named is None or named.library in (Library.FILE, Library.SMP)):
        sources.append(_ADVISOR / "networks" / "recompute.py")
    if blueprint.recipe.loss in ("dice_cross_entropy", "quantile"):
        sources.append(_PARTS / "supervised.py")
    if blueprint.targets is Targets.MASK and blueprint.layout is Layout.PICTURE:
        sources.append(_PAIRS)
    own = {}
    if named is None:
        own = network_files(blueprint.network)
        sources.append(_LOOP / "initialisation.py")
    return {**own, **_verbatim(_preparing(blueprint)), **{source.name: source.read_text("utf-8") for source in sources}}


def _preparing(blueprint: Blueprint) -> list[Path]:
    """Modules that make examples numbers, in the trials as in the project; those that choose a threshold, and boost."""
    counted = () if blueprint.is_network else ("word_counts",)
    names = {Layout.TABLE: ("table_columns", "target_coding"), Layout.TOKENS: counted}.get(blueprint.layout, ())
    sources = [_PREPARING / f"{name}.py" for name in names] + ([_WORDS] if names else [])
    table = blueprint.layout is Layout.TABLE
    sources += [_DATES] if table or blueprint.by_columns or blueprint.by_time else []
    if table or blueprint.answers_in_files or blueprint.by_time:
        sources += [_NULL_WORDS] if blueprint.layout is Layout.PICTURE else [_MISSING, _NULL_WORDS]
    sources += [_REPEATED] if table else []
    sources += [_HELD_OUT] if blueprint.as_tried else []
    in_folders = blueprint.layout in (Layout.PICTURE, Layout.SOUND, Layout.TOKENS)
    sources += [_FOLDER_LABELS] if in_folders and blueprint.answered else []
    rare = not blueprint.is_network and blueprint.one_class
    needed = {_THRESHOLDS: rare, _BOOSTERS: blueprint.libraries, _AFTER_LINEAR: blueprint.after_linear}
    return [*sources, *(module for module, yes in needed.items() if yes)]


def _verbatim(sources: list[Path]) -> dict[str, str]:
    return {source.name: _OURS.sub(r"from \1 import", source.read_text("utf-8")) for source in sources}


def network_files(network: str) -> dict[str, str]:
    """network.py of the family, and the parts that it imports."""
    files: dict[str, str] = {}
    waiting = [folder_of(network) / "network.py"]
    while waiting:
        source = waiting.pop()
        text = source.read_text("utf-8")
        files[source.name] = _PART.sub(r"from \1 import", text)
        waiting += [_PARTS / f"{name}.py" for name in _PART.findall(text) if f"{name}.py" not in files]
    return files


def context_of(blueprint: Blueprint) -> dict[str, Any]:
    """The names that templates of code know: the fields of the blueprint, and the choices that are spelt in Python."""
    shape = blueprint.shape
    pixels = shape.channels * shape.height * shape.width
    names = {
        **{field.name: getattr(blueprint, field.name) for field in fields(blueprint)},
        "is_network": blueprint.is_network,
        "grows": blueprint.grows,
        "after_linear": blueprint.after_linear,
        "reads_tables": blueprint.layout in (Layout.TABLE, Layout.SERIES, Layout.TOKENS, Layout.GRAPH),
        "answers_in_files": blueprint.answers_in_files,
        "keys": blueprint.reads.keys if blueprint.reads is not None else (),
        "left_behind": tuple(sorted(LEFT_BEHIND)),
        "requires": [BOOSTERS[one] for one in blueprint.libraries],
        "activation_module": f"nn.{ACTIVATIONS[blueprint.activation]}()",
        "activation_class": f"nn.{ACTIVATIONS[blueprint.activation]}",
        "optimizer_call": _OPTIMIZERS[blueprint.recipe.optimizer],
        "fuses": "fused" in _OPTIMIZERS[blueprint.recipe.optimizer],
        "large_picture": blueprint.layout is Layout.PICTURE and pixels > LARGEST_FLAT_PICTURE,  # no row of values
        "counts_words": counts_words(blueprint.network),
        "trial_batch": blueprint.trial_batch,
        "tokenized": blueprint.tokenized,
        "changes": blueprint.is_network and _changes(blueprint),
        "subwords": blueprint.subwords,
        "frozen": blueprint.frozen,
        "can_shard": blueprint.can_shard,
        "predicts": blueprint.predicts,
        "prepares": blueprint.predicts or blueprint.restores,
        "encodes": blueprint.network in ("autoencoder", "vae"),
        "as_tried": blueprint.as_tried,
        "by_columns": blueprint.by_columns,
        "by_time": blueprint.by_time,
        "keeps_columns": blueprint.layout in (Layout.TABLE, Layout.TOKENS),
        "has_own_loss": blueprint.has_own_loss,
        "learns_again": blueprint.learns_again,
        "restarts": blueprint.restarts,
        "elastic": blueprint.elastic,
        "shared_folder": blueprint.launch is not None and blueprint.launch.cluster,
        "in_parts": blueprint.recipe.accumulation > 1 or blueprint.elastic,  # so may the batch of a step be
        "family_folder": folder_of(blueprint.network).name if blueprint.is_network else "",
    }
    if blueprint.members:
        names |= _of_members(blueprint)
    if blueprint.network == "transformer" and blueprint.named is None:
        units, patch = blueprint.hidden_units, patch_size(math.gcd(shape.height, shape.width))
        shared = key_heads(units[0], blueprint.normalization)
        names |= {"layers": layers_for(units), "heads": heads(units[0]), "key_heads": shared, "patch": patch}
        names["tied"] = tied(units[0], writes=blueprint.targets is Targets.NEXT_TOKEN)
        names |= _reading(blueprint)
    if blueprint.network == "cnn":
        names["frame"] = film_frame(shape.values, shape.steps)
    return names


def _of_members(blueprint: Blueprint) -> dict[str, Any]:
    """The models that are no networks, as Python."""
    members, table = blueprint.members, blueprint.layout is Layout.TABLE
    classes = blueprint.targets in (Targets.CLASS, Targets.FLAGS, Targets.MASK)
    several = blueprint.targets is Targets.FLAGS or (blueprint.layout is Layout.SERIES and blueprint.kind == "forecast")
    outputs = blueprint.outputs if several else 1
    takes = tuple("trees" if member.model == "gradient_boosting" and table else "flat" for member in members)
    made = [
        construction(
            member,
            classes=classes,
            outputs=outputs,
            texts=blueprint.layout is Layout.TOKENS,
            table=table,
            loss=blueprint.recipe.loss,
            quantile=blueprint.recipe.share,
            threads=blueprint.computing.threads is not None,
            grows=blueprint.grows,
        )
        for member in members
    ]
    stops_early = tuple(member.stops_early and outputs == 1 for member in members)
    return {
        "constructions": made,
        "shares": tuple(round(member.share, 4) for member in members),
        "takes_of_each": takes,
        "takes": set(takes),
        "stops_early": stops_early,
        "early": any(stops_early),
    }


def _changes(blueprint: Blueprint) -> bool:
    """True where the data of the project change their examples by chance, see `data/_changed.j2`."""
    layouts = (
        (Layout.PICTURE, Layout.SOUND)
        if counts_words(blueprint.network)
        else (Layout.PICTURE, Layout.SOUND, Layout.TOKENS)
    )
    return blueprint.augmentation and blueprint.layout in layouts and not blueprint.tokenized


def _reading(blueprint: Blueprint) -> dict[str, Any]:
    """The way in which a transformer reads steps of values; one that restores them reads each for itself."""
    values, steps = blueprint.shape.values, blueprint.shape.steps
    frame = picture(values)
    way = reading(values, steps, sound=blueprint.layout is Layout.SOUND)
    if blueprint.targets is Targets.ITSELF or blueprint.layout not in (Layout.SOUND, Layout.SERIES):
        way = Reading.STEPS
    tube = tube_size(frame.side) if frame is not None else 0
    return {"reading": way.value, "frame": frame, "tube": tube, "wave": (WAVE_CHANNELS, WAVE_KERNELS, WAVE_STRIDES)}


def render(template: str, context: Mapping[str, Any]) -> str:
    """One file, without spaces at the ends of lines, more than two empty lines in a row, or imports that it does not need."""
    text = _environment().get_template(template).render(context)
    text = re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE)
    text = re.sub(r"\n{4,}", "\n\n\n", text).strip("\n") + "\n"
    return without_unused_imports(text) if template.endswith(".py.j2") else text


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # 40 ms

    environment = Environment(
        loader=FileSystemLoader(FOLDERS),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - code and Markdown; literals and Markdown have escapes of their own
    )
    environment.filters["literal"] = literal
    return environment
