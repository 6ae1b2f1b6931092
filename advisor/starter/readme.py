"""The README of a generated project: how to start it, and why it is as it is. Text of the plan is escaped for Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from advisor.inference.plan import Plan, Reason, Recommendation
from advisor.knowledge.model import Knowledge
from advisor.report import words
from advisor.report.changes import sentence
from advisor.report.markup import code, code_block, plain, table
from advisor.starter.blueprint import Blueprint, Targets
from advisor.starter.named import Library
from advisor.starter.rendering import render
from advisor.starter.starting import to_fill_in, ways
from advisor.version import __version__, torch_version
from advisor.wording import shell_path

TELLING = ("network", "training", "compute", "data", "memory", "parallelism", "sync", "fault_tolerance")
"""The first parts of the topics that this project follows."""
NEXT = ("practice", "baseline", "communication", "storage")
"""Topics whose advice is left to the reader."""
FILES = {
    "settings.py": "every number and choice in one place",
    "model.py": "the model, as large as settings and data say",
    "published.py": "fetches the published network, and says what is missing",
    "operators.py": "lets torchvision of another build of torch be imported",
    "adaptation.py": "freezes the published weights, but for what is trained",
    "network.py": "the network, as the advisor counts and times it",
    "layers.py": "layers that several networks share",
    "sizes.py": "sizes that the plan does not state",
    "loss.py": "the number that training minimises",
    "supervised.py": "losses that compare answers with targets",
    "forecaster.py": "the model: fitted to what is known, and told later values as they come",
    "seasons.py": "finds after how many steps the values repeat",
    "data.py": "reads your data, or makes some up",
    "pairs.py": "which mask belongs to which image, by their names",
    "preparation.py": "examples as numbers, in the way that the examples of the training show",
    "table_columns.py": "the columns of a table as numbers, as the trials prepare them",
    "target_coding.py": "columns of many categories, by what the target is for each",
    "word_counts.py": "texts as counts of words, as the trials prepare them",
    "held_out.py": "which examples are held out, as the trials choose them",
    "repeated_rows.py": "rows that are copies of others, which are held out together",
    "words.py": "the words of a text",
    "dates.py": "dates and times in texts, as the trials read them",
    "missing.py": "texts without the words that stand for a missing value",
    "null_words.py": "these words",
    "boosters.py": "boosted trees of LightGBM or CatBoost, with scikit-learn's names",
    "after_linear.py": "boosted trees of what a linear model leaves",
    "thresholds.py": "the probability from which on a rare class is named",
    "answering.py": "answers, and how good they are",
    "train.py": "the training",
    "describe.py": "the sizes of network and training, for `train.py --describe`",
    "optimisation.py": "the optimizer and its learning rate",
    "schedules.py": "the learning rate from step to step",
    "layerwise.py": "optimizers that scale the rate of each layer",
    "initialisation.py": "the weights that training starts from",
    "recompute.py": "saves memory by computing results again",
    "devices.py": "on which device, and with which other processes",
    "once.py": "work that one process does for all",
    "corpus.py": "texts as tokens, in files beside the project",
    "shards.py": "reads images that are packed into large files",
    "shard.py": "packs a folder of images into large files",
    "index.py": "the files of a folder that are whole, looked at once",
    "strategies.py": "what several processes exchange, and when",
    "checkpoints.py": "what is kept of a training, and which data it belongs to",
    "stopping.py": "signals that end the training, after the step and a checkpoint",
    "order.py": "the order of the examples, which goes on after a stop",
    "averages.py": "means of what is reported",
    "metrics.py": "the lines of metrics.jsonl, and of TensorBoard",
    "progress.py": "the lines and the bar on the terminal, with speed and time left",
    "curves.py": "the losses as a figure, curves.svg",
    "test_project.py": "a short training, to see that everything works",
    "predict.py": "predictions for new examples",
    "predictions.py": "the file of predictions",
    "folder_labels.py": "the class of a file by the folders in which it lies",
    "intervals.py": "prediction intervals, by errors on the examples that were held out",
    "generate.py": "what the best weights are good for: makes, writes or translates",
    "export.py": "weights as safetensors, the network for torch.export and ONNX, an adapter for peft",
    "train.sh": "starts the training by torchrun, and again after a failure",
    "train.slurm": "the job for Slurm",
    "train.jobset.yaml": "the job for Kubernetes with JobSet",
    "train.trainjob.yaml": "the job for Kubernetes with Kubeflow Trainer",
    "train_ray.py": "the training by Ray Train",
    "train.sky.yaml": "the job for SkyPilot",
    "requirements.txt": "the packages it needs",
    ".dockerignore": "what the image leaves out, such as data and results",
    "Dockerfile": "an image of a container with this folder and these packages, for processors or CUDA",
}


def pages(plan: Plan, knowledge: Knowledge, blueprint: Blueprint, files: Mapping[str, str]) -> dict[str, str]:
    """README.md, which says how to use the project; the reasons of every choice, and more on a cluster, in docs."""
    followed = [entry for entry in plan.recommendations.values() if _is_told(entry, TELLING)]
    left = [entry for entry in plan.recommendations.values() if _is_told(entry, NEXT)]
    facts = [
        (name, words.fact_words(knowledge, name, known.value), words.SOURCE_WORDS[known.source])
        for name, known in plan.facts.items()
        if name.startswith(("task.", "data."))
    ]
    rows = [(entry.title, words.advice_words(knowledge, entry), words.STATUS_WORDS[entry.status]) for entry in followed]
    context = {
        "title": plain(_title(knowledge, blueprint)),
        "version": __version__,
        "blueprint": blueprint,
        "commands": "\n".join(code_block(_commands(blueprint, files), "sh")),
        "torch": kept_torch(blueprint),
        "torchvision": fitting_torchvision(kept_torch(blueprint)),
        "launch": blueprint.launch,
        "ways": ways(files, blueprint.data),
        "to_fill_in": to_fill_in(files),
        "target": code(blueprint.target) if blueprint.target is not None else None,
        "place": code(blueprint.named.place) if blueprint.named is not None else None,
        "names": tuple(files),
        "files": [(name, FILES[name]) for name in FILES if name in files],
        "overview": "\n".join(table(["Topic", "Advice", "How sure"], rows)).strip(),
        "statuses": [
            (words.STATUS_WORDS[s], m) for s, m in words.STATUS_MEANS.items() if s in {e.status for e in followed}
        ],
        "choices": [_choice(plan, knowledge, entry) for entry in followed],
        "left": [_choice(plan, knowledge, entry, actions=True) for entry in left],
        "differences": [plain(difference) for difference in blueprint.differences],
        "facts": "\n".join(table(["Fact", "Value", "Where from"], facts)).strip(),
    }
    templates = {"README.md": "README.md.j2", "docs/why.md": "why.md.j2"}
    if blueprint.launch is not None and blueprint.launch.cluster:
        templates["docs/cluster.md"] = "cluster.md.j2"
    return {name: render(template, context) for name, template in templates.items()}


def _commands(blueprint: Blueprint, files: Mapping[str, str]) -> Iterator[str]:
    """Commands to type one after the other; the first lines work without data."""
    data = shell_path(blueprint.data) if blueprint.data is not None else "PATH"
    kept = kept_torch(blueprint)
    yield f"pip install -r requirements.txt{f' torch=={kept}' if kept else ''}"
    if blueprint.is_network:
        processes = blueprint.computing.gpus if blueprint.computing.gpus > 1 else 2
        small = "" if blueprint.trial_batch is None else f" --batch-size {blueprint.trial_batch}"
        yield f"python train.py --output trial --steps 20{small}"
        yield f"python train.py --output trial --steps 40 --resume{small}"
        yield f"python train.py --data {data}"
        yield f"python train.py --data {data} --resume"
        if blueprint.learns_again:
            yield f"python train.py --data {data} --all-rows"
        yield f"python train.py --data {data} --output together --processes {processes}"
        if blueprint.launch is not None and not blueprint.launch.cluster:
            yield f"bash train.sh --data {data} --output torchrun"
        if "predict.py" in files:
            output = "predicted" if blueprint.targets is Targets.MASK else "predictions.csv"
            yield f"python predict.py --data NEW --output {output}"
        if "generate.py" in files:
            given = "--text TEXT" if blueprint.tokenized else f"--data {data} --number 16"
            yield f"python generate.py {f'--data {data} --text TEXT' if blueprint.translates else given}"
        given = f" --data {data}" if "--data" in files["export.py"] else ""
        yield f"python export.py{given} --output exported"
    else:
        rounds = " --rounds 20" if blueprint.grows else ""
        yield f"python train.py --output trial{rounds}"
        if rounds:
            yield "python train.py --output trial --rounds 40 --resume"
        yield f"python train.py --data {data}"
        yield "python predict.py --data NEW --output predictions.csv"
    yield "python test_project.py"


def kept_torch(blueprint: Blueprint) -> str:
    """The version of torch that stays while libraries of networks are installed, any build of it; empty where none are.

    They need torchvision, of which each version takes one torch: pip would bring the newest of both, with CUDA.
    """
    named = blueprint.named
    if named is None or (named.library is Library.FILE and not named.adaptation.adds):
        return ""
    return torch_version().partition("+")[0]


def fitting_torchvision(torch: str) -> str:
    """The versions of torchvision that belong to a torch 2.x: 0.15 to 2.0, 0.16 to 2.1, and so on; empty for others."""
    major, _, rest = torch.partition(".")
    minor = rest.partition(".")[0]
    return f"0.{int(minor) + 15}.*" if major == "2" and minor.isdecimal() else ""


def _is_told(entry: Recommendation, prefixes: tuple[str, ...]) -> bool:
    says_something = words.is_advice(entry) and bool(entry.value or entry.tied or entry.because)
    return entry.topic.partition(".")[0] in prefixes and says_something


def _title(knowledge: Knowledge, blueprint: Blueprint) -> str:
    topic = knowledge.topics.get("network.type")
    name = topic.values.get(blueprint.network, blueprint.network) if topic else blueprint.network
    title = f"{name.partition(' (')[0]} to {blueprint.kind.replace('_', ' ') or 'learn'}"
    return title[0].upper() + title[1:]


def _choice(plan: Plan, knowledge: Knowledge, entry: Recommendation, *, actions: bool = False) -> tuple[str, list[str]]:
    """One topic: its title, and lines of Markdown."""
    title = f"{plain(entry.title)}: {plain(words.advice_words(knowledge, entry))} ({words.STATUS_WORDS[entry.status]})"
    lines = [line for reason in entry.because for line in _reason(knowledge, reason)]
    if entry.measured is not None:
        before, after = words.measured_change(knowledge, entry, entry.measured)
        lines.append(
            f"- Before {plain(before)}, after measuring {plain(after)}: {plain(sentence(entry.measured, entry.unit))}"
        )
    for flip in entry.flips:
        to = words.fact_words(knowledge, flip.fact, flip.to)
        then = words.value_words(knowledge, entry.topic, flip.then, entry.unit, explained=False)
        lines.append(f"- {code(flip.fact)} = {plain(to)} would make it {plain(then)}.")
    if actions and entry.actions:
        lines += ["", *code_block(entry.actions)]
    return title, lines


def _reason(knowledge: Knowledge, reason: Reason) -> Iterator[str]:
    sources = "; ".join(words.citation(knowledge, source) for source in reason.sources)
    yield f"- {plain(reason.text)} {plain(f'({sources})') if sources else ''}".rstrip()
    origin = f", from the rule pack {plain(reason.origin)}" if reason.origin else ""
    unverified = "" if reason.verified else f"; not verified: {words.UNVERIFIED_MEANS}"
    yield f"  Rule {code(reason.rule)}, {words.SCHOOL_WORDS[reason.school]}{origin}{unverified}."
    for erratum in reason.errata:
        yield f"  **Erratum** {plain(erratum)}"
