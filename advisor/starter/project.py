"""All files of a project: its code, and the README that says why it is as it is."""

from __future__ import annotations

from advisor.datasets.dataset import Inspection, Task
from advisor.errors import input_error
from advisor.facts.fact_base import Source
from advisor.inference.plan import Plan
from advisor.knowledge.model import Knowledge
from advisor.report.contents import SPREAD
from advisor.starter.blueprint import STATISTICAL, Blueprint, Layout, Targets
from advisor.starter.planning import ARRAYS, refuse_without_target
from advisor.starter.readme import pages
from advisor.starter.rendering import files_of
from advisor.starter.strategies import SHARDED
from advisor.wording import join_first, shorten

READ = (
    "delimited text",
    "JSON lines",
    "Parquet",
    "NPY",
    "NPZ",
    "text",
    "folder of images",
    "folder of images and masks",
    "folder of sounds",
    "graph folder",
)
"""Formats, as an inspection names them, that projects have code for; they would take any other for CSV."""
_TABLES = frozenset({"delimited text", "JSON lines", "Parquet"})
_READ_BY = {
    Layout.TABLE: _TABLES | set(ARRAYS),
    Layout.PICTURE: frozenset({"folder of images", "folder of images and masks", *ARRAYS}),
    Layout.SERIES: _TABLES | set(ARRAYS),
    Layout.SOUND: frozenset({"folder of sounds"}),
    Layout.TOKENS: _TABLES | {"text"},
    Layout.TREE: frozenset({"JSON lines"}),
    Layout.GRAPH: frozenset({"graph folder"}),
}
"""The formats that the code of each layout reads."""
_FOLDERS = ("folder of images", "folder of sounds")
"""Those in which a folder names the class of its files."""
_SHOWN = {
    "tabular": "a table", "image": "images", "time_series": "series", "audio": "audio", "text": "texts", "graph": "a graph",
    "tree": "trees", "video": "video", Layout.TABLE: "a table", Layout.PICTURE: "images", Layout.SERIES: "series",
    Layout.SOUND: "audio", Layout.TOKENS: "texts", Layout.TREE: "trees", Layout.GRAPH: "a graph",
}  # fmt: skip
UNREADABLE = "A project cannot read these data"
EDGES = "edge list"
GRAPH_REMEDY = (
    "Write nodes.csv and edges.csv as plain CSV with commas; edges.csv with two columns that hold the row numbers in "
    "nodes.csv of the two ends, counted from 0."
)
_TEXTS = ("delimited text", "text")


def refuse_unreadable(data: Inspection, target: str | None = None, blueprint: Blueprint | None = None) -> None:
    """Raise InputError for data that no project can read: in another format, or in one written in an unusual way.

    Lines of text that this project reads as they are need not be a table at all.
    """
    fault = getattr(data.reading, "fault", "")
    if fault:
        raise input_error(UNREADABLE, fault, where=data.path, remedy=GRAPH_REMEDY)
    read_as_lines = data.format in _TEXTS and blueprint is not None and blueprint.reads_lines
    what = f"generated projects have no code for the format {data.format}"
    remedy = "Save the table as CSV or Parquet and name that file, or leave --data out."
    if data.format == EDGES and target is None:
        what = "a project reads the nodes of a graph, too, and this is a list of edges alone"
        remedy = (
            "Leave --data out, and train with a folder that holds nodes.csv (a row of numbers for each node) and "
            "edges.csv (the two row numbers of each edge, from 0)."
        )
    elif data.format in READ and not (data.plain or read_as_lines):
        what = f"generated projects do not read all ways to write a table, and not {data.written or data.format}"
        remedy = "Save it as CSV (a header, decimal points, UTF-8), as Parquet, or as JSON with one object a line."
    elif data.format in READ and data.spelt and not read_as_lines:
        shown = join_first(
            [f"{shorten(name, 40)!r} (such as {shorten(text, 20)!r})" for name, text in data.spelt.items()]
        )
        what = f"generated projects read numbers of digits and a decimal point alone, and have no code for those of {shown}"
        remedy = (
            "Write them without marks, units and decimal commas, or save the table as Parquet with columns of numbers."
        )
    elif data.format in (*READ, EDGES):
        if blueprint is not None:
            _refuse_other_layout(data, blueprint)
        return
    raise input_error(UNREADABLE, what, where=data.path, remedy=remedy)


def _refuse_other_layout(data: Inspection, blueprint: Blueprint) -> None:
    """Raise InputError where the code for this plan's kind of examples does not read the format that the data are in."""
    kind, supervised = blueprint.layout, blueprint.targets in (Targets.CLASS, Targets.FLAGS, Targets.NUMBERS)
    windows = kind is Layout.SERIES and (blueprint.kind == "forecast" or not supervised)
    remedy = f"Leave data.modality out, or name data of that kind with --data; these look like {_SHOWN[data.modality]}."
    if data.format not in _READ_BY[kind]:
        what = f"the plan is for {_SHOWN[kind]}, and its project does not read the format {data.format} as such"
    elif data.format in ARRAYS and windows and data.modality == "time_series":
        what = "a project that cuts windows out of one series reads a table, and this array holds many series"
        remedy = "Save a table with a row for each moment, or state another task.kind."
    elif blueprint.targets is Targets.MASK and data.format != "folder of images and masks":
        what = "a project that segments images reads a folder with images and masks, and there are no masks here"
        remedy = "Put the images into a folder `images`, and masks of the same names into a folder `masks` beside it."
    elif data.format in _FOLDERS and supervised and "task.outputs" not in data.facts:
        what = "this project learns from classes, and no folders divide these files into classes"
        remedy = (
            "Put the files of each class into a folder of its own. Or state task.kind=reconstruct: predict.py of that project "
            "tells how unusual an example is."
        )
    elif data.format in ARRAYS and supervised and not windows and data.target is None and kind is not Layout.TABLE:
        what, remedy = "no array says what to predict", "Name one with --target."
    elif (
        data.format in ARRAYS
        and supervised
        and (data.facts.get("task.outputs") or 1) != 1
        and (data.task is not Task.CLASSIFY)
    ):
        what = f"the target {data.target} has several columns, and a project learns one"
        remedy = "Save one column of it as the target."
    else:
        if supervised:
            refuse_without_target(data)
        return
    raise input_error(UNREADABLE, what, where=data.path, remedy=remedy)


def refuse_unkept(plan: Plan, blueprint: Blueprint) -> None:
    """Raise InputError where a project cannot keep what the plan rests on, and would fail or learn something else."""
    title = "A project cannot keep to this plan"
    if blueprint.network == STATISTICAL and (blueprint.layout is not Layout.SERIES or blueprint.kind != "forecast"):
        what = "a statistical model forecasts a series, and these are other data or another task"
        raise input_error(
            title, what, where="network.type", remedy="Name a table whose rows follow one another in time."
        )
    reads = blueprint.reads
    if blueprint.kind == "forecast" and blueprint.layout is Layout.SERIES and reads is not None and reads.group:
        what = f"it forecasts one series, and {shorten(reads.group, 40)!r} tells several apart in these data"
        remedy = (
            "Save the rows of one of them to a file of its own. `advisor try --save DIR` keeps a model of all of them."
        )
        raise input_error(title, what, where=reads.group, remedy=remedy)
    strategy = plan.value("memory.strategy") if "memory.strategy" in plan.recommendations else None
    if blueprint.is_network and strategy == "does_not_fit":
        what = "by the plan's own figures this training fits into the memory in no way"
        remedy = "`advisor explain memory.strategy` shows what each way needs, and what would fit."
        raise input_error(title, what, where="memory.strategy", remedy=remedy)
    if blueprint.is_network and strategy in SPREAD and (strategy == "offload" or blueprint.strategy != SHARDED):
        what = f"the plan fits into memory where it can {SPREAD[strategy]}, and this project keeps all states on each device"
        remedy = "Name a smaller network, or state training.adaptation=lora for a published one."
        raise input_error(title, what, where="memory.strategy", remedy=remedy)
    if any(member.model == "naive_bayes" for member in blueprint.members) and not blueprint.counts_classes_of_texts:
        what = "naive Bayes counts the words of texts, by which it tells classes apart, and these are none"
        raise input_error(
            title,
            what,
            where="network.type",
            remedy="`advisor explain network.type` says which facts lead to another model.",
        )
    adaptation = plan.value("training.adaptation") if "training.adaptation" in plan.recommendations else None
    if (
        blueprint.named is None
        and adaptation in ("last_layer", "lora", "qlora")
        and _stated(plan, "training.adaptation")
    ):
        what = f"{adaptation} adapts published weights, and the plan names no network that has them"
        raise input_error(title, what, where="training.adaptation", remedy="Add --model NAME (`advisor models list`).")


def _stated(plan: Plan, fact: str) -> bool:
    known = plan.facts.get(fact)
    return known is not None and known.source is Source.ASKED


def project_files(plan: Plan, knowledge: Knowledge, blueprint: Blueprint) -> dict[str, str]:
    """The content of every file by its name. A pure function but for the templates that it reads."""
    files = files_of(blueprint)
    return {**files, **pages(plan, knowledge, blueprint, files)}
