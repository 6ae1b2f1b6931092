"""From a plan to the blueprint of its project: what the plan leaves open is filled in, and told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from advisor.agent.advised import after_layers_of
from advisor.agent.settling.figures import AS_LARGE
from advisor.agent.trials.outcomes import BACKBONE, FINGERPRINT, LAGGED, METRIC, SEED, SPLIT
from advisor.datasets.dataset import SUPERVISED, Inspection, Kind, columns_to_name, key_columns
from advisor.datasets.given import AS_THE_DATA_ARE, GivenSplit
from advisor.datasets.values.kept_words import KEPT
from advisor.datasets.values.null_words import MISSING
from advisor.errors import input_error
from advisor.inference.plan import Plan
from advisor.models.model import Model
from advisor.networks.family import Answer
from advisor.networks.registry import find
from advisor.starter import strategies
from advisor.starter.blueprint import (
    CLASSICAL,
    STATISTICAL,
    Blueprint,
    Computing,
    Layout,
    Masks,
    ReadColumn,
    Reads,
    Recipe,
    Targets,
    counts_words,
    family_of,
)
from advisor.starter.launching import launch_of
from advisor.starter.members import Member, member_of
from advisor.starter.named import Named, named_of
from advisor.starter.sizes import Sizes, advice_of, fact_of, layout_of, sizes_of
from advisor.training.ladder.backbones import reads_texts
from advisor.training.ladder.candidates import TOGETHER
from advisor.training.ladder.shares import MEDIAN, is_moved, share_of
from advisor.wording import join_names, shorten

TITLE = "There is nothing to build yet"
NO_NUMBERS = (Layout.TOKENS, Layout.TREE, Layout.GRAPH)
"""Layouts whose examples are numbers of words or nodes, which no difference of values can restore."""
ARRAYS = ("NPY", "NPZ")
"""Formats of arrays, as an inspection names them."""
_FLIPS = "training.regularization.gentle-augmentation"
"""The rule that advises to mirror images."""
INITS = ("he", "glorot", "lecun", "orthogonal", "small_normal")
EPOCHS = 100
PATIENCE = 10
LOG_EVERY = 50
"""Steps between two lines of the metrics, where nobody knows how long a step takes."""
LOG_SECONDS = 10.0
"""Between two lines of a project's metrics, about."""


def refuse_without_target(inspection: Inspection) -> None:
    """Raise InputError for a table of which nobody has said what is to be predicted."""
    if inspection.columns and inspection.target is None and inspection.task not in SUPERVISED:
        remedy = f"{inspection.task_remedy} {columns_to_name(inspection)}"
        raise input_error(TITLE, "it is not known what to predict", where=inspection.path, remedy=remedy)


def blueprint_of(
    plan: Plan,
    data: Path | None = None,
    target: str | None = None,
    delimiter: str = ",",
    model: Model | None = None,
    shapes: Sequence[tuple[int, ...]] = (),
    inspection: Inspection | None = None,
) -> Blueprint:
    """The project for this plan.

    Args:
        model: the network that somebody named, where it was counted already.
        shapes: of its inputs, where they were stated.
        inspection: of the data, where they were looked at.

    Raises InputError where the plan has no type of network yet, or no project can be made of the named one.
    """
    network = advice_of(plan, "network.type")
    if network is None:
        if inspection is not None:
            refuse_without_target(inspection)
        raise input_error(
            TITLE, "the plan has no type of network", where="network.type",
            remedy="State task.kind and data.modality, and make the plan again.",
        )  # fmt: skip
    if network not in CLASSICAL and find(network) is None:
        raise input_error(
            TITLE, f"there is no project for {network.replace('_', ' ')} yet", where="network.type",
            remedy="Name a network with --model, or state other facts: `advisor explain network.type` says which ones count.",
        )  # fmt: skip
    named, given = named_of(plan, model, shapes), _given(plan, inspection)
    family = family_of(network)
    layout = layout_of(plan, family, named)
    sizes = sizes_of(plan, layout, named)
    targets = _targets(plan, network, layout)
    kind = str(fact_of(plan, "task.kind") or "")
    copies = targets is Targets.ITSELF and _loss(plan, network) != "info_nce"
    if copies and layout is Layout.SERIES and family.recurrent:
        kind, targets = "forecast", Targets.NUMBERS  # what reads step by step would only copy each step
    elif copies and layout is Layout.TOKENS and family.predicts_tokens:
        targets = Targets.NEXT_TOKEN  # tokens are no numbers to restore
    elif copies and layout is Layout.TOKENS and network in CLASSICAL:
        targets = Targets.CLASS
    regularisation = advice_of(plan, "training.regularization") or []
    normalization, dropout = after_layers_of(plan, family)
    stored = inspection if inspection is not None and inspection.format in ARRAYS else None
    recipe, computing = _recipe(plan, network, layout, targets, regularisation), _computing(plan)
    together = network not in CLASSICAL and recipe.optimizer != "lbfgs"  # which sees all examples at once
    blueprint = Blueprint(
        network=network,
        layout=layout,
        targets=targets,
        shape=sizes.shape,
        outputs=sizes.outputs,
        examples=sizes.examples,
        hidden_units=tuple(advice_of(plan, "network.hidden_units") or family.hidden_units),
        activation=advice_of(plan, "network.activation") or "relu",
        normalization=normalization,
        init=_init(plan),
        init_deviation=family.init_deviation,
        dropout=dropout,
        augmentation="augmentation" in regularisation,
        kind=kind,
        recipe=recipe,
        computing=computing,
        target=target if stored is None else stored.target,
        data=str(data.absolute()) if data is not None else None,
        differences=tuple(_differences(plan, network, layout, targets, sizes, named)),
        delimiter=delimiter,
        named=named,
        members=_members(plan, network, classes=targets in (Targets.CLASS, Targets.FLAGS, Targets.MASK)),
        reads=_reads(inspection, target, given),
        target_words=_target_words(inspection, target),
        variant=str(fact_of(plan, "trial.variant.statistical") or "") if network == STATISTICAL else "",
        launch=launch_of(plan, computing) if together else None,
        masks=_masks(inspection),
        mirrors=_FLIPS in {reason.rule for reason in plan.recommendations["training.regularization"].because}
        if "training.regularization" in plan.recommendations
        else False,
        array=getattr(stored.reading, "array", None) or None if stored is not None else None,
        features=tuple(getattr(inspection.reading, "features", ())) if inspection is not None else (),
        seed=0 if _others(plan, inspection) else fact_of(plan, SEED) or 0,
    )
    packed = _packs(plan) and layout is Layout.PICTURE and targets is not Targets.MASK and blueprint.is_network
    blueprint = replace(blueprint, strategy=strategies.strategy_of(plan, blueprint), packed=packed)
    more = (*_other_sizes(plan, blueprint), *_other_split(blueprint, given))
    if blueprint.is_network:
        more = (*more, *strategies.differences(plan, blueprint), *_read_otherwise(plan, blueprint))
    return replace(blueprint, differences=(*blueprint.differences, *more))


def _masks(inspection: Inspection | None) -> Masks | None:
    reading = inspection.reading if inspection is not None else None
    values = getattr(reading, "values", ())
    if reading is None or not values or not hasattr(reading, "masks"):
        return None
    return Masks(values, *(getattr(reading, name) for name in ("void", "colored", "blurred")))


def _given(plan: Plan, inspection: Inspection | None) -> GivenSplit:
    """The split that somebody asked for when models were tried on these very data, or on those of the plan if none are named."""
    if _others(plan, inspection):
        return AS_THE_DATA_ARE
    return GivenSplit(*(fact_of(plan, f"{SPLIT}{name}") for name in ("test", "time_column", "group")))


def _others(plan: Plan, inspection: Inspection | None) -> bool:
    """True where models were tried on other data than these."""
    return inspection is not None and fact_of(plan, FINGERPRINT) != inspection.fingerprint


def _targets(plan: Plan, network: str, layout: Layout) -> Targets:
    loss, kind, family = _loss(plan, network), fact_of(plan, "task.kind"), family_of(network)
    if loss == "info_nce" or family.restores or loss in family.own_losses:
        return Targets.ITSELF
    if layout is Layout.TOKENS and kind in ("generate", "translate", "reconstruct") and family.predicts_tokens:
        return Targets.NEXT_TOKEN
    if layout is Layout.PICTURE and kind == "segment" and network not in CLASSICAL:
        return Targets.MASK
    if family.answer is Answer.PIXELS:
        return Targets.ITSELF
    if loss == "binary_cross_entropy":
        return Targets.FLAGS
    if loss in ("cross_entropy", "dice_cross_entropy") or (loss is None and kind == "classify"):
        return Targets.CLASS
    return Targets.ITSELF if kind in ("generate", "reconstruct", "represent", "detect_anomalies") else Targets.NUMBERS


def _members(plan: Plan, network: str, *, classes: bool) -> tuple[Member, ...]:
    """The models of scikit-learn, in the variants that won the trials."""
    if network not in CLASSICAL or network == STATISTICAL:
        return ()

    def member(model: str, share: float, place: str = "") -> Member:
        own = (
            place and fact_of(plan, f"trial.ensemble.{place}_variant") is not None
        )  # not of an earlier version's trials
        variant, weighted = (
            fact_of(plan, f"trial.ensemble.{place}_{what}" if own else f"trial.{what}.{model}")
            for what in ("variant", "weighted")
        )
        return member_of(model, variant, classes=classes, share=share, weighted=classes and weighted is True)

    if network != TOGETHER:
        return (member(network, 1.0),)
    found = [
        (model, float(fact_of(plan, f"trial.ensemble.{place}_share") or 1.0), place)
        for place in _PLACES
        if (model := fact_of(plan, f"trial.ensemble.{place}")) is not None
    ]
    whole = sum(share for _, share, _ in found)
    return tuple(member(model, share / whole, place) for model, share, place in found) or tuple(
        member(*one) for one in _USUAL_TOGETHER
    )


_PLACES = ("first", "second", "third")
_USUAL_TOGETHER = [("gradient_boosting", 0.5), ("random_forest", 0.25), ("linear", 0.25)]
"""Taken where no trial says which models are together."""


def _reads(inspection: Inspection | None, target: str | None, given: GivenSplit) -> Reads | None:
    """The columns of a table as the trials read them; None of anything else, and where another column is the target."""
    table = getattr(inspection.reading, "table", None) if inspection is not None else None
    if inspection is None or table is None or target not in (None, inspection.target):
        return None
    if inspection.target is None and inspection.modality != "time_series":
        return None
    held = {
        one.name: ReadColumn(one.name, _holds(one.kind, table.styles.get(one.name, ""))) for one in inspection.columns
    }
    time, group = inspection.time_column, inspection.group_column
    asked = given.time_column is not None or given.group is not None
    if asked:
        time, group = given.time_column, given.group
    columns = tuple(held[name] for name in inspection.inputs if name in held and name != given.group)
    numbered = any(one.name == time and one.kind is Kind.IDENTIFIER for one in inspection.columns)
    holds = "number" if numbered else held[time].holds if time in held else "date"
    season = getattr(getattr(inspection.reading, "shape", None), "season", None)
    keys = key_columns(inspection, (time, group))
    return Reads(columns, time, holds, group, season, keys=keys, asked=asked)


def _target_words(inspection: Inspection | None, target: str | None) -> tuple[str, ...]:
    """Classes that are called as missing values are: those of the data, and where these are not known None."""
    if inspection is None or inspection.target is None or target not in (None, inspection.target):
        return ("None", "none", "-")
    return tuple(name for name in inspection.classes if name in MISSING)


def _holds(kind: Kind, style: str) -> str:
    if kind in (Kind.NUMBER, Kind.WHOLE):
        return "number"
    if kind is Kind.DATE:
        return f"date {style}".strip()
    held = kind if kind in (Kind.YES_NO, Kind.CATEGORY, Kind.TEXT) else Kind.CATEGORY
    return f"{held} {style}".strip() if style.startswith(KEPT) else held.value


def _loss(plan: Plan, network: str) -> str | None:
    """The loss that the network always has, or the advised one; None where the targets decide."""
    family = family_of(network)
    if family.fixed_loss:
        return family.loss
    usual = family.loss if family.loss in family.own_losses else None
    return advice_of(plan, "training.loss") or usual


def _fitting_loss(plan: Plan, network: str, layout: Layout, targets: Targets) -> str:
    """The loss, or where it does not fit the targets, the usual one."""
    loss, family = _loss(plan, network), family_of(network)
    if targets is Targets.ITSELF and family.own_losses:
        return "info_nce" if loss == "info_nce" else family.own_losses[0]
    if targets is Targets.ITSELF and layout in NO_NUMBERS and not counts_words(network):
        return "info_nce"
    if targets is Targets.NUMBERS and (share := _share(plan)) is not None and not family.fixed_loss:
        return "mae" if share == MEDIAN else "quantile"
    if targets in (Targets.NUMBERS, Targets.ITSELF):
        return loss or "mse"
    return loss if loss in ("cross_entropy", "dice_cross_entropy", "binary_cross_entropy") else "cross_entropy"


def _share(plan: Plan) -> float | None:
    """The quantile that the metric of the trials asked for, 0 to 1; None for the mean, and where nobody named a metric."""
    return share_of(str(fact_of(plan, METRIC) or ""))


def _init(plan: Plan) -> str:
    """No weights that others trained, or that are trained layer by layer: the project downloads nothing and has one loop."""
    advised = advice_of(plan, "network.init")
    return str(advised) if advised in INITS else "he"


def _recipe(plan: Plan, network: str, layout: Layout, targets: Targets, regularisation: list[str]) -> Recipe:
    optimizer = advice_of(plan, "training.optimizer") or "adamw"
    steady = "steady_start" in (advice_of(plan, "practice") or [])
    precision = advice_of(plan, "training.precision") or "fp32"
    micro_batch, accumulation = _division(plan)
    return Recipe(
        loss=_fitting_loss(plan, network, layout, targets),
        optimizer=optimizer,
        learning_rate=float(advice_of(plan, "training.learning_rate") or 1e-3),
        schedule=advice_of(plan, "training.schedule") or "constant",
        batch_size=micro_batch * accumulation,
        accumulation=accumulation,
        precision={"fp8": "bf16"}.get(precision, precision),
        epochs=_epochs(plan),
        patience=PATIENCE if "early_stopping" in regularisation else None,
        weight_decay=_decay(optimizer) if "weight_decay" in regularisation else 0.0,
        l1=1e-5 if "l1" in regularisation else 0.0,
        label_smoothing=0.1 if "label_smoothing" in regularisation else 0.0,
        warm_up=0.02 if steady else 0.0,
        clip_norm=1.0 if steady else None,
        recompute=advice_of(plan, "memory.strategy") == "checkpointing",
        checkpoint_seconds=_checkpoint_seconds(plan),
        log_every=_log_every(_figure(plan, "time.step")),
        share=_share(plan) or 0.9,
    )


def _epochs(plan: Plan) -> int:
    """Passes over the data at most, as the plan tells how long it all takes."""
    most = next((figure.value for figure in plan.figures if figure.name == "time.most_passes"), None)
    return EPOCHS if most is None else round(most)


def _decay(optimizer: str) -> float:
    """The usual decay of these optimizers: those that decouple it from the gradient take more."""
    return 0.01 if optimizer in ("adamw", "nadam", "lamb") else 1e-4


def _division(plan: Plan) -> tuple[int, int]:
    """Examples that a process computes with at a time, and times that it does so before each step."""
    return advice_of(plan, "training.micro_batch") or 32, advice_of(plan, "training.accumulation") or 1


def _checkpoint_seconds(plan: Plan) -> int | None:
    if advice_of(plan, "fault_tolerance") not in ("checkpoint_interval", "elastic"):
        return None
    interval = _figure(plan, "checkpoint.interval")
    return 600 if interval is None else max(1, int(interval))


def _log_every(seconds: float | None) -> int:
    """Steps, a round number of them, that take about LOG_SECONDS when one takes so many seconds."""
    if not seconds:
        return LOG_EVERY
    wanted = LOG_SECONDS / seconds
    return max([step for step in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000) if step <= wanted], default=1)


def _figure(plan: Plan, name: str) -> float | None:
    return next((figure.value for figure in plan.figures if figure.name == name), None)


def _computing(plan: Plan) -> Computing:
    pipeline = advice_of(plan, "data.pipeline") or []
    cores = fact_of(plan, "machine.cpu.usable_cores") or fact_of(plan, "machine.cpu.physical_cores") or 4
    workers = fact_of(plan, "probe.workers.best") or max(1, min(4, cores))
    prefetch = fact_of(plan, "probe.prefetch.best")
    return Computing(
        device=advice_of(plan, "compute.device") or "cpu",
        threads=advice_of(plan, "compute.threads"),
        workers=workers if "workers" in pipeline else 0,
        prefetch=prefetch if isinstance(prefetch, int) and prefetch > 0 else 2,
        pinned="pinned_memory" in pipeline,
        cached="cache_in_memory" in pipeline,
        gpus=fact_of(plan, "machine.gpu.count") or 0,
        nodes=fact_of(plan, "cluster.nodes") or 1,
        hours=fact_of(plan, "project.hours_available"),
        compiled=fact_of(plan, "probe.compile.best") == "compiled",
        channels_last=fact_of(plan, "probe.layout.best") == "channels_last",
        fused=fact_of(plan, "probe.fused.best") == "fused",
    )


# --- differences from the plan -----------------------------------------------------------------------------


def _differences(
    plan: Plan, network: str, layout: Layout, targets: Targets, sizes: Sizes, named: Named | None
) -> Iterator[str]:
    kind = fact_of(plan, "task.kind")
    if kind == "segment" and layout not in (Layout.PICTURE, Layout.GRAPH):
        yield "The project gives one class to each example, not to each of its parts: cut your data into such parts first."
    if kind == "translate" and targets is not Targets.NEXT_TOKEN:
        yield "The project learns one answer for each example: writing a sequence as the answer needs data of texts."
    if kind in ("represent", "detect_anomalies") and targets is Targets.CLASS:
        yield "The project learns from classes; the values before the last layer are what represents an example."
    if kind in ("represent", "detect_anomalies") and targets is Targets.NEXT_TOKEN:
        yield "The project predicts the next word of each text; texts whose words it predicts badly are unlike the others."
    if _loss(plan, network) != "info_nce" and _fitting_loss(plan, network, layout, targets) == "info_nce":
        yield (
            f"Words and nodes are no numbers that a {network} could restore: the project learns which two changed copies come "
            "from one example (InfoNCE), and its outputs represent the example."
        )
    if kind in ("generate", "detect_anomalies", "reconstruct") and targets is Targets.NUMBERS:
        yield (
            "The project predicts the next values of a series: continuing from them generates new ones, large errors are "
            "anomalies."
        )
    if network == "gradient_boosting" and fact_of(plan, LAGGED) is True:
        yield (
            "The best model of the trials was boosting of differences: it predicts by how much a series will differ from an "
            "earlier value. The project's boosting predicts the values themselves and may be worse, above all where there is "
            "a trend; `advisor try --save DIR` keeps the model that won."
        )
    if targets is Targets.NUMBERS and (share := _share(plan)) is not None and is_moved(share):
        models = [one.model for one in _members(plan, network, classes=False)] or [network]
        tried = [one.model for one in _members(plan, network, classes=False) if one.tried]
        of_mean = [
            one
            for one in models
            if one in CLASSICAL and one != "gradient_boosting" and (one != "linear" or one in tried)
        ]
        if of_mean:
            yield (
                f"The trials compared models by how well they predict the value that {100 * share:g} % lie below. In the "
                f"project {join_names(of_mean)} cannot be told so: it predicts the mean. `advisor try --save DIR` keeps the "
                "model that won."
            )
        elif network in CLASSICAL:
            yield (
                f"The project learns the value that {100 * share:g} % lie below by the quantile loss. The trials also moved the "
                "predictions by the errors on rows that were kept back; the project does not."
            )
    backbone = fact_of(plan, BACKBONE) if network == "linear" else None
    if backbone is not None:
        what = "words" if reads_texts(backbone) else "pixels"
        yield (
            f"The best model of the trials was linear on features of {backbone}, a frozen network that others trained. The "
            f"project's linear model learns from the {what} themselves and may be much worse; `advisor try --save DIR` keeps "
            "the model that won."
        )
    if sizes.guessed:
        yield (
            f"The plan does not know {join_names(list(sizes.guessed))}. Made-up examples have the sizes in settings.py; "
            "those of your data are taken from the data."
        )
    for entry in plan.recommendations.values():
        if entry.value is None and len(entry.tied) > 1:
            yield f"{entry.title}: {join_names(entry.tied)} lead together; the project takes {entry.tied[0]}."
    if network not in CLASSICAL:
        if named is None:
            yield from _not_of_a_small_network(plan, network)
        yield from _not_in_a_small_project(plan)


def _other_sizes(plan: Plan, blueprint: Blueprint) -> Iterator[str]:
    """A difference where the figures of the plan are those of a network of a stated or assumed size, and another one is built."""
    if not blueprint.is_network or blueprint.named is not None or blueprint.layout is Layout.TREE:
        return
    built = blueprint.model
    if built is None:
        return
    told = {one.name: one.value for figure in plan.figures for one in figure.inputs}
    pairs = ((told.get("plan.parameters"), built.parameters), (told.get("plan.macs"), built.multiply_adds))
    (weights, _), (macs, _) = pairs
    if not isinstance(weights, int):
        return
    if any(isinstance(said, int) and said and not 1 / AS_LARGE < has / said < AS_LARGE for said, has in pairs):
        known = isinstance(macs, int)
        computes = f" and {macs:,} multiply-adds an example" if known else ""
        has = f"{built.parameters:,} and {built.multiply_adds:,}" if known else f"{built.parameters:,} weights"
        yield (
            f"The figures of the plan are those of a network with {weights:,} weights{computes}; the one that is built here "
            f"has {has}. Its widths are HIDDEN_UNITS in settings.py."
        )


def _other_split(blueprint: Blueprint, given: GivenSplit) -> Iterator[str]:
    """A difference where the project holds other examples out than the trials did."""
    if given.test is not None:
        yield (
            f"The trials were tested on {shorten(given.test, 200)}. The project does not read it: it holds out a part of the "
            "training data instead."
        )
    ways = [f"the last ones by {given.time_column!r}"] * (given.time_column is not None)
    ways += [f"whole groups by {given.group!r}"] * (given.group is not None)
    if ways and blueprint.reads is None:
        by_columns = blueprint.layout in (Layout.TABLE, Layout.TOKENS)
        remedy = " Name the data with --data, and it divides them so, too." if by_columns else ""
        yield (
            f"The trials held out {join_names(ways)}; the project holds out any examples, so its scores may look too "
            f"good.{remedy}"
        )


def _packs(plan: Plan) -> bool:
    return "shard" in (advice_of(plan, "data.pipeline") or []) or advice_of(plan, "storage") == "sharded_files"


def _read_otherwise(plan: Plan, blueprint: Blueprint) -> Iterator[str]:
    """Differences in how examples come from a disk."""
    if _packs(plan) and not blueprint.packed:
        yield "Data: the plan advises a few large files that hold many examples each; the project reads your files as they are."
    if "local_copy" in (advice_of(plan, "data.pipeline") or []) and not blueprint.packed:
        yield "Data: the plan advises a copy on a disk of each machine; the project reads the data where --data says."


def _not_of_a_small_network(plan: Plan, network: str) -> Iterator[str]:
    init = advice_of(plan, "network.init")
    if init == "pretrained":
        yield (
            "Initial weights: the plan advises pretrained weights, and names no network that has them. The project "
            "downloads nothing and starts with He; --model NAME makes one of published weights."
        )
    if init == "layerwise_pretraining" and not family_of(network).layerwise:
        yield "Initial weights: layers are not trained one by one beforehand; the project starts with He."
    family, normalization = family_of(network), advice_of(plan, "network.normalization")
    if normalization not in (None, *family.normalizations, family.own_normalization):
        has = "no normalisation" if family.own_normalization == "none" else family.own_normalization
        yield f"Normalisation: the plan advises {normalization}; the project's {network} has {has}."


def _not_in_a_small_project(plan: Plan) -> Iterator[str]:
    if advice_of(plan, "training.precision") == "fp8":
        yield "Number format: 8 bits need the package torchao; the project uses bfloat16."
    for topic, (known, instead) in _PLAIN.items():
        advised = advice_of(plan, topic)
        if advised is not None and advised not in known:
            yield f"{plan.recommendations[topic].title}: the plan advises {advised}; the project {instead}."


_PLAIN = {
    "framework": (("pytorch",), "is written in PyTorch"),
}
"""Values of a topic that the project follows, and its behaviour instead of any other."""
