"""The options of each command, by the name of the command: what its help says, and what its work is given.

Those of a group (rules, models, profiles) are in its folder. They are read for the help of any command, so nothing that
takes long is imported here.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from advisor.cli import options as shared
from advisor.cli.completing import (
    complete_assignment,
    complete_help,
    complete_network,
    complete_term,
    complete_topic,
    complete_value,
)
from advisor.cli.options import Format, PageFormat, PlainFormat, SchoolName, named_path
from advisor.datasets.predicted.formats import KeptColumns, PredictionFormat
from advisor.distributed.strategies import DECLARED


class Wizard(NamedTuple):
    files: shared.Files = None
    plain: Annotated[bool, typer.Option("--plain", help="Line by line, for pipes and screen readers.")] = False
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the conversation saved last.")] = False
    answers: shared.Answers = None
    sets: shared.Sets = None
    data: shared.DataPath = None
    target: shared.TargetColumn = None
    model: shared.ModelName = None
    input: shared.InputShape = None
    python: shared.PythonPath = None
    machine: shared.MachineName = "auto"
    school: Annotated[
        SchoolName | None,
        typer.Option("--school", help="today's practice (the default), or the survey of 2018 as written."),
    ] = None
    packs: shared.Packs = None
    window: Annotated[bool, typer.Option("--window", hidden=True)] = False
    """Behind a window of `advisor serve`, which reads and writes the pipes."""


class Serve(NamedTuple):
    files: shared.Files = None
    answers: shared.Answers = None
    sets: shared.Sets = None
    data: shared.DataPath = None
    target: shared.TargetColumn = None
    model: shared.ModelName = None
    input: shared.InputShape = None
    python: shared.PythonPath = None
    machine: shared.MachineName = "auto"
    school: Annotated[
        SchoolName | None,
        typer.Option("--school", help="today's practice (the default), or the survey of 2018 as written."),
    ] = None
    packs: shared.Packs = None
    port: Annotated[
        int, typer.Option("--port", help="The port to listen on; 0 takes any that is free.", min=0, max=65535)
    ] = 0
    browser: Annotated[
        bool, typer.Option("--open/--no-open", "--browser/--no-browser", help="Open the address in a browser.")
    ] = True


class Recommend(NamedTuple):
    files: shared.Files = None
    answers: shared.Answers = None
    sets: shared.Sets = None
    data: shared.DataPath = None
    target: shared.TargetColumn = None
    model: shared.ModelName = None
    input: shared.InputShape = None
    python: shared.PythonPath = None
    machine: shared.MachineName = "auto"
    school: shared.SchoolOption = SchoolName.TODAY
    packs: shared.Packs = None
    format_: shared.FormatOption = Format.TEXT
    output: shared.Output = None
    force: shared.Force = False
    whole: shared.Whole = False


class Explain(NamedTuple):
    topic: Annotated[
        str, typer.Argument(metavar="TOPIC", autocompletion=complete_topic, help="For example network.type.")
    ]
    files: shared.Files = None
    answers: shared.Answers = None
    sets: shared.Sets = None
    data: shared.DataPath = None
    target: shared.TargetColumn = None
    model: shared.ModelName = None
    input: shared.InputShape = None
    python: shared.PythonPath = None
    machine: shared.MachineName = "auto"
    school: shared.SchoolOption = SchoolName.TODAY
    packs: shared.Packs = None
    why_not: Annotated[
        str | None,
        typer.Option(
            "--why-not", metavar="VALUE", autocompletion=complete_value, help="Why this value is not recommended."
        ),
    ] = None
    format_: shared.PlainFormatOption = PlainFormat.TEXT
    output: shared.Output = None
    force: shared.Force = False


class Compare(NamedTuple):
    both: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="A.yaml [B.yaml]", help="Two files of answers, or one and --what-if.", show_default=False
        ),
    ] = None
    answers: Annotated[
        Path | None, typer.Option("--answers", "--for", help="Another way to name A.yaml.", metavar="FILE")
    ] = None
    what_if: Annotated[
        list[str] | None,
        typer.Option("--what-if", help="Instead of B: A with this fact changed. Repeatable.", metavar="NAME=VALUE...",
                     autocompletion=complete_assignment),
    ] = None  # fmt: skip
    sets: shared.Sets = None
    data: shared.DataPath = None
    target: shared.TargetColumn = None
    model: shared.ModelName = None
    input: shared.InputShape = None
    python: shared.PythonPath = None
    machine: shared.MachineName = "auto"
    school: shared.SchoolOption = SchoolName.TODAY
    packs: shared.Packs = None
    format_: shared.PageFormatOption = PageFormat.TEXT
    output: shared.Output = None
    force: shared.Force = False


class Glossary(NamedTuple):
    term: Annotated[
        str | None,
        typer.Argument(
            metavar="TERM", autocompletion=complete_term, help="A technical term, a fact, a topic or a value."
        ),
    ] = None
    all_: Annotated[bool, typer.Option("--all", help="All of it: every term, fact and recommendation.")] = False
    packs: shared.Packs = None
    format_: shared.PlainFormatOption = PlainFormat.TEXT


class Help(NamedTuple):
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[TOPIC|COMMAND]", autocompletion=complete_help, show_default=False,
                       help="A topic such as answers, or a command such as `rules show`."),
    ] = None  # fmt: skip


class Report(NamedTuple):
    file: Annotated[
        Path | None, typer.Argument(metavar="[PLAN.json]", help="A plan that `recommend` or `probe` has saved as JSON.")
    ] = None
    plan: Annotated[
        Path | None, typer.Option("--plan", metavar="FILE", help="Another way to name the plan.", show_default=False)
    ] = None
    packs: shared.Packs = None
    format_: shared.FormatOption = Format.MARKDOWN
    output: shared.Output = None
    force: shared.Force = False


class Starter(NamedTuple):
    output: Annotated[
        Path, typer.Option("--output", metavar="DIR", help="The folder of the project.", parser=named_path)
    ]
    files: shared.Files = None
    plan: Annotated[
        Path | None, typer.Option("--plan", metavar="FILE", help="A plan that `recommend --format json` has saved.")
    ] = None
    answers: shared.Answers = None
    sets: shared.Sets = None
    data: shared.DataPath = None
    target: shared.TargetColumn = None
    model: shared.ModelName = None
    input: shared.InputShape = None
    python: shared.PythonPath = None
    machine: shared.MachineName = "auto"
    school: shared.SchoolOption = SchoolName.TODAY
    packs: shared.Packs = None
    force: Annotated[
        bool, typer.Option("--force", help="Replace files of the project in a folder that is not empty.")
    ] = False


class Inspect(NamedTuple):
    path: Annotated[
        Path | None,
        typer.Argument(metavar="[PATH]", help="A file or folder of data.", parser=named_path, show_default=False),
    ] = None
    data: Annotated[
        Path | None, typer.Option("--data", help="Another way to name the data.", metavar="PATH", parser=named_path)
    ] = None
    target: shared.TargetColumn = None
    format_: shared.PlainFormatOption = PlainFormat.TEXT
    output: shared.Output = None
    force: shared.Force = False
    whole: shared.Whole = False


class Doctor(NamedTuple):
    format_: shared.PlainFormatOption = PlainFormat.TEXT
    data: Annotated[
        Path | None,
        typer.Option(
            "--data", help="A folder or file of data: its disk is looked at.", metavar="PATH", parser=named_path
        ),
    ] = None


MOST_SEED = 1_000_000


class Try(NamedTuple):
    files: shared.Files = None
    data: shared.DataPath = None
    target: shared.TargetColumn = None
    budget: Annotated[str, typer.Option("--budget", help="Time it may take, for example 60s or 2 min.")] = "120s"
    answers: shared.Answers = None
    sets: shared.Sets = None
    model: shared.ModelName = None
    input: shared.InputShape = None
    python: shared.PythonPath = None
    machine: shared.MachineName = "auto"
    seed: Annotated[
        int, typer.Option("--seed", help="Another number holds other examples out.", min=0, max=MOST_SEED)
    ] = 0
    test: Annotated[
        Path | None,
        typer.Option("--test", help="Held-out examples of your own, like --data: all of --data is then learned from.",
                     metavar="PATH", parser=named_path),
    ] = None  # fmt: skip
    time_column: Annotated[
        str | None,
        typer.Option("--time-column", help="Hold the latest rows by this column out.", metavar="COLUMN"),
    ] = None
    group: Annotated[
        str | None,
        typer.Option(
            "--group", help="Keep rows with one value of this column together; it is no input.", metavar="COLUMN"
        ),
    ] = None
    metric: Annotated[
        str | None,
        typer.Option(
            "--metric",
            help="Score by which models are compared: accuracy, roc_auc, ... or any of scikit-learn's.",
            metavar="NAME",
        ),
    ] = None
    horizon: Annotated[
        int | None,
        typer.Option(
            "--horizon", help="Steps to predict at once, where rows follow each other in time.", min=1, metavar="N"
        ),
    ] = None
    save: Annotated[
        Path | None,
        typer.Option("--save", help="Keep the winner in this new folder, for `advisor apply`.", metavar="DIR",
                     parser=named_path),
    ] = None  # fmt: skip
    fresh: shared.Fresh = False
    whole: shared.Whole = False
    school: shared.SchoolOption = SchoolName.TODAY
    packs: shared.Packs = None
    format_: shared.FormatOption = Format.TEXT
    output: shared.Output = None
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite the output file, and a model that was saved before.")
    ] = False


class Apply(NamedTuple):
    model: Annotated[
        Path, typer.Argument(metavar="DIR", help="A model that `advisor try --save` has kept.", parser=named_path)
    ]
    data: Annotated[
        Path,
        typer.Option("--data", help="New examples: a table with the same columns, or a folder.", metavar="PATH",
                     parser=named_path),
    ]  # fmt: skip
    output: Annotated[
        Path,
        typer.Option("--output", help="Write the predictions to this file.", metavar="FILE", parser=named_path),
    ]
    format: Annotated[
        PredictionFormat | None,
        typer.Option("--format", help="The format of the predictions; otherwise that of the file's ending, or CSV."),
    ] = None
    keep: Annotated[
        KeptColumns,
        typer.Option(
            "--keep",
            help="Columns of the data to write beside the predictions: those that tell rows apart (IDs, names, dates), all "
            "or none.",
        ),
    ] = KeptColumns.KEYS
    force: shared.Force = False


_ALL = f"There are {', '.join(DECLARED)}."


class Simulate(NamedTuple):
    files: shared.Files = None
    strategy: Annotated[
        str | None,
        typer.Option(
            "--strategy",
            help=f"One alone, such as local_sgd:every=16; otherwise several are compared for the plan. {_ALL}",
            metavar="NAME",
        ),
    ] = None
    workers: Annotated[
        int | None, typer.Option("--workers", help="How many learn together; otherwise the plan's, or 8.", metavar="N")
    ] = None
    steps: Annotated[
        int | None, typer.Option("--steps", help="Gradients of each worker; otherwise 200.", metavar="N")
    ] = None
    batch: Annotated[
        int | None,
        typer.Option("--batch", help="Examples of one worker's step; otherwise the plan's, or 128.", metavar="N"),
    ] = None
    step_time: Annotated[
        str | None,
        typer.Option(
            "--step-time",
            help="Of one worker: measured (on this machine), 1s (always), exponential:1s, lognormal:1s:0.3 or gamma:1s:0.2.",
            metavar="LAW",
        ),
    ] = None
    link: Annotated[
        str | None,
        typer.Option("--link", help="Rate of each worker's link, such as 10Gbit/s; inf for no limit.", metavar="RATE"),
    ] = None
    latency: Annotated[
        str, typer.Option("--latency", help="Of a message from one worker to another.", metavar="TIME")
    ] = "0s"
    cluster: Annotated[
        Path | None,
        typer.Option("--cluster", help="A cluster that `python -m advisor.cluster --output FILE` has measured.",
                     metavar="FILE", parser=named_path),
    ] = None  # fmt: skip
    straggler: Annotated[
        float, typer.Option("--straggler", help="The last worker takes so many times as long.", metavar="F")
    ] = 1.0
    overlap: Annotated[
        float | None,
        typer.Option(
            "--overlap",
            help="Share of a step during which gradients are exchanged, 0 to 1; otherwise in buckets, as PyTorch does it.",
            metavar="SHARE",
        ),
    ] = None
    inner_link: Annotated[
        str | None,
        typer.Option(
            "--inner-link", help="Network speed inside a group (mixed_asynchronous). Default: --link.", metavar="RATE"
        ),
    ] = None
    servers: Annotated[
        int, typer.Option("--servers", help="Number of parameter servers that share the weights.", metavar="N")
    ] = 1
    precision: Annotated[
        str | None,
        typer.Option(
            "--precision",
            help="Format of what is exchanged: fp32, bf16 or fp16. Default: as the plan computes.",
            metavar="FORMAT",
        ),
    ] = None
    activations: Annotated[
        str | None,
        typer.Option(
            "--activations",
            help="Bytes that one pipeline stage sends to the next for an example. Default: counted from the model.",
            metavar="BYTES",
        ),
    ] = None
    failures: Annotated[
        str | None,
        typer.Option("--failures", help="Mean time between failures of one worker, such as 300h.", metavar="TIME"),
    ] = None
    restart: Annotated[
        str, typer.Option("--restart", help="From a failure until the work goes on.", metavar="TIME")
    ] = "5min"
    checkpoint: Annotated[
        str | None, typer.Option("--checkpoint", help="Between two checkpoints, such as 20min.", metavar="TIME")
    ] = None
    checkpoint_cost: Annotated[
        str, typer.Option("--checkpoint-cost", help="All wait so long for a checkpoint.", metavar="TIME")
    ] = "0s"
    loss: Annotated[
        bool | None,
        typer.Option(
            "--loss/--timing-only",
            help="With real gradients of a small network, or only times; otherwise with them where that takes seconds.",
        ),
    ] = None
    seed: Annotated[
        int, typer.Option("--seed", help="The same number gives the same result.", min=0, max=MOST_SEED)
    ] = 0
    budget: Annotated[str, typer.Option("--budget", help="Time it may take, for example 60s or 2 min.")] = "2 min"
    answers: shared.Answers = None
    sets: shared.Sets = None
    data: shared.DataPath = None
    target: shared.TargetColumn = None
    model: shared.ModelName = None
    input: shared.InputShape = None
    python: shared.PythonPath = None
    machine: shared.MachineName = "auto"
    school: shared.SchoolOption = SchoolName.TODAY
    packs: shared.Packs = None
    format_: shared.PageFormatOption = PageFormat.TEXT
    output: shared.Output = None
    force: shared.Force = False
    whole: shared.Whole = False


class Sync(NamedTuple):
    files: shared.Files = None
    strategies: Annotated[
        str | None,
        typer.Option(
            "--strategies",
            help=f"Such as synchronous,local_sgd:every=16; otherwise the plan's own and its rivals. {_ALL}",
            metavar="LIST",
        ),
    ] = None
    workers: Annotated[
        int, typer.Option("--workers", help="Processes that learn together, up to 64.", min=1, metavar="N")
    ] = 2
    link: Annotated[
        str | None,
        typer.Option(
            "--link",
            help="Rate of each worker's link, such as 100Mbit/s; inf for no limit. Otherwise that between the plan's nodes.",
            metavar="RATE",
        ),
    ] = None
    latency: Annotated[
        str, typer.Option("--latency", help="Of a message from one worker to another.", metavar="TIME")
    ] = "0s"
    straggler: Annotated[
        float, typer.Option("--straggler", help="The last worker takes so many times as long.", metavar="F")
    ] = 1.0
    batch: Annotated[
        int | None,
        typer.Option("--batch", help="Examples of one worker's step; otherwise the plan's.", min=1, metavar="N"),
    ] = None
    rate: Annotated[
        float | None, typer.Option("--rate", help="The learning rate of one worker's batch.", metavar="RATE")
    ] = None
    seeds: Annotated[int, typer.Option("--seeds", help="Trainings with each strategy.", min=1, max=20, metavar="N")] = 3
    budget: Annotated[str, typer.Option("--budget", help="Time it may take, for example 3min.")] = "3min"
    answers: shared.Answers = None
    sets: shared.Sets = None
    data: shared.DataPath = None
    target: shared.TargetColumn = None
    model: shared.ModelName = None
    input: shared.InputShape = None
    python: shared.PythonPath = None
    machine: shared.MachineName = "auto"
    seed: Annotated[int, typer.Option("--seed", help="Of the division of the examples.", min=0, max=MOST_SEED)] = 0
    school: shared.SchoolOption = SchoolName.TODAY
    packs: shared.Packs = None
    format_: shared.PageFormatOption = PageFormat.TEXT
    output: shared.Output = None
    force: shared.Force = False
    whole: shared.Whole = False


class Bench(NamedTuple):
    networks: Annotated[
        list[str] | None,
        typer.Argument(
            help="fcn5, fcn8, alexnet, resnet50, lstm32, lstm64 (all of these if none is named), fcn5-2048, fcn8-2048.",
            metavar="[NETWORK]...",
            autocompletion=complete_network,
        ),
    ] = None
    threads: Annotated[
        str | None,
        typer.Option(
            "--threads", help="Numbers of threads to try, such as 1,2,4; otherwise chosen by the cores.", metavar="LIST"
        ),
    ] = None
    batch: Annotated[
        str | None,
        typer.Option(
            "--batch", help="Batch sizes to try, such as 16,64; otherwise half and twice the published.", metavar="LIST"
        ),
    ] = None
    budget: Annotated[str, typer.Option("--budget", help="Time it may take, for example 60s or 10 min.")] = "6 min"
    width: Annotated[float, typer.Option("--width", hidden=True, min=0.001, max=1.0)] = 1.0
    fresh: shared.Fresh = False
    whole: shared.Whole = False
    format_: shared.PlainFormatOption = PlainFormat.TEXT
    output: shared.Output = None
    force: shared.Force = False


class Probe(NamedTuple):
    files: shared.Files = None
    budget: Annotated[str, typer.Option("--budget", help="Time it may take, for example 60s or 2 min.")] = "60s"
    only: Annotated[list[str] | None, typer.Option("--only", help="Only this probe. Repeatable.", metavar="NAME")] = (
        None
    )
    answers: shared.Answers = None
    sets: shared.Sets = None
    data: Annotated[
        Path | None,
        typer.Option(
            "--data",
            help="The data, or their folder: facts are found in them, and files read on that disk.",
            parser=named_path,
            metavar="PATH",
        ),
    ] = None
    target: shared.TargetColumn = None
    model: shared.ModelName = None
    input: shared.InputShape = None
    python: shared.PythonPath = None
    machine: shared.MachineName = "auto"
    fresh: shared.Fresh = False
    save: Annotated[str, typer.Option("--save", help="Keep the result under this name.", metavar="NAME")] = "last"
    school: shared.SchoolOption = SchoolName.TODAY
    packs: shared.Packs = None
    format_: shared.FormatOption = Format.TEXT
    output: shared.Output = None
    force: shared.Force = False
    whole: shared.Whole = False


class ProbeList(NamedTuple):
    format_: shared.PlainFormatOption = PlainFormat.TEXT
