"""The plan on one screen: what to build, what it needs, what could go wrong, how sure it is, and what to do next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from advisor.facts.cluster import slow_parts
from advisor.facts.fact_base import Source
from advisor.inference.plan import Plan, Recommendation, Status
from advisor.knowledge.model import Knowledge, School
from advisor.machine.profiles.files import find_device
from advisor.report import contents, words
from advisor.report.changes import VERDICTS, difference
from advisor.report.contents import Outlook, Remedy
from advisor.report.numbers import about_words, known_values, memory_warning, number_words
from advisor.report.page import Look, Page, Style, cells
from advisor.report.plan.text import symbol
from advisor.report.proposed import changed
from advisor.report.slowness import slowness
from advisor.report.strategies.workers import BEST_WORKERS, workers_words
from advisor.wording import join_names

_NARROW = 60
"""Columns, below which lines are told one after another."""
_ROWS: Mapping[str, Mapping[str, str]] = {
    "Network": {"network.model": "", "network.type": "", "network.hidden_units": "widths "},
    "Start from": {"network.init": "", "training.adaptation": ""},
    "Loss": {"training.loss": ""},
    "Train with": {"training.optimizer": "", "training.learning_rate": "rate ", "training.batch_size": "batch "},
    "Overfitting": {"training.regularization": ""},
    "Run on": {"compute.device": "", "compute.threads": "", "training.precision": ""},
    "Memory": {"memory.strategy": ""},
    "Shared by": {"parallelism.strategy": "", "sync.strategy": ""},
    "Beat first": {"baseline": ""},
}
"""Labels of the lines, and the topics of each with the words that stand before its advice."""
_SAYS_NOTHING: tuple[object, ...] = (None, "none", "fits", "threads", (), [])
_SHORT: Mapping[tuple[str, str], str] = {
    ("network.init", "pretrained"): "published weights",
    ("training.adaptation", "full"): "all of them trained further",
    ("training.adaptation", "last_layer"): "only a new last layer trained",
    ("training.adaptation", "lora"): "with small matrices beside them (LoRA)",
    ("training.adaptation", "qlora"): "in 4 bits, with small matrices beside them (QLoRA)",
}
"""Values whose words stand for themselves in the whole plan, and follow others here."""
_LEAST_SURE = (Status.OPEN, Status.LEANING, Status.SIMULATED)
_STATED = ("data", "task", "machine", "cluster", "project")
"""Groups of facts that people can state."""
_WITH_UNIT = ("compute.threads",)
_MOST_NAMES = 3
_NO_NETWORK = " (not a network)"
"""The end of the words of a type that is none."""
_MOST_QUESTIONS = 3
_ROOM = (3, 3, 9), (2, 3, 9), (2, 2, 8), (1, 2, 8), (1, 2, 7), (1, 1, 7), (1, 1, 6), (0, 1, 6), (0, 1, 5)
"""Questions, commands and lines of advice, the first that fit on a screen."""
THINGS: Mapping[str, str] = {
    "tabular": "rows of a table",
    "image": "pictures",
    "audio": "sounds",
    "video": "films",
    "text": "texts",
    "time_series": "series",
    "graph": "graphs",
    "tree": "trees",
}
"""Examples of each modality, in everyday words."""
NODES = "nodes of a graph"
"""The examples of a graph that is not to be divided, as the one in data that were inspected."""
_ONE = {
    "rows of a table": "row of a table",
    "pictures": "picture",
    "sounds": "sound",
    "films": "film",
    "texts": "text",
    "graphs": "graph",
    NODES: "node of a graph",
    "trees": "tree",
    "examples": "example",
}
_TASKS: Mapping[str, str] = {
    "classify": "sort {things} into {outputs}classes",
    "regress": "predict {outputs}numbers from {things}",
    "forecast": "predict how {things} go on{ahead}",
    "generate": "make new ones like {things}",
    "reconstruct": "compress {things} and restore them",
    "represent": "turn {things} into short vectors",
    "detect_anomalies": "find the unusual ones among {things}",
    "segment": "segment {things}",
    "translate": "turn {things} into other sequences",
}


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that is advised, as sure as the least sure topic in it."""

    label: str
    says: str
    status: Status


@dataclass(frozen=True, slots=True)
class Brief:
    """The first screen, before it is text, Markdown or HTML."""

    title: str
    lines: tuple[Line, ...]
    measured: tuple[str, ...]
    """A sentence for each bet that was settled by measuring: was, is, and by how much."""
    simulated: tuple[str, ...]
    """The same for what was only simulated."""
    needs: tuple[str, ...]
    """Memory, time, price: each with where it comes from."""
    warnings: tuple[str, ...]
    counts: str
    questions: tuple[tuple[str, str], ...]
    """Facts that could change it most, each with its question; the first first."""
    next: tuple[tuple[str, str], ...]
    """Complete commands, and what each is for."""


def brief_of(
    plan: Plan,
    knowledge: Knowledge,
    arguments: str = "",
    *,
    data: bool = False,
    questions: Iterable[tuple[str, str]] | None = None,
    outlook: Outlook | None = None,
) -> Brief:
    """The first screen of a plan.

    Args:
        arguments: of the command line that told the facts, as they are typed in a shell; commands repeat them.
        data: they name data, from which commands can learn.
        questions: facts that could change it, each with its question, in place of the plan's; no more are taken than are
            shown.
        outlook: what training needs with usual sizes, and ways to be done sooner; of the plan alone where it is None.
    """
    network = plan.recommendations.get("network.type")
    begun = network is None or network.value is not None or bool(network.tied)
    outlook = outlook or Outlook(plan)
    return Brief(
        title=title_of(plan),
        lines=tuple(_lines(plan, knowledge)) if begun else (),
        measured=tuple(_found(plan, knowledge, Source.MEASURED)),
        simulated=tuple(_found(plan, knowledge, Source.SIMULATED)),
        needs=tuple(needs_of(outlook)) if begun else (),
        warnings=tuple(warnings_of(plan, outlook)),
        counts=f"{words.status_counts(plan)}.",
        questions=tuple(islice(_questions(plan, knowledge) if questions is None else questions, _MOST_QUESTIONS)),
        next=tuple(_next(plan, arguments, data, outlook.remedies)),
    )


def _value(plan: Plan, topic: str) -> object:
    """The recommended value; None where there is none, and for a topic that the rule base does not have."""
    entry = plan.recommendations.get(topic)
    return None if entry is None else entry.value


def title_of(plan: Plan) -> str:
    """`sort 20,000 pictures into 12 classes, on 2 cores`"""
    facts = {name: known.value for name, known in plan.facts.items()}
    things = THINGS.get(str(facts.get("data.modality")), "examples")
    count, outputs = facts.get("data.examples"), facts.get("task.outputs")
    if things == THINGS["graph"] and facts.get("data.splittable") is False:
        things = NODES
    if count == 1:
        things = _ONE.get(things, things)
    elif things == "series" and isinstance(count, int):
        things = "pieces of series"  # one long series is cut into many
    if facts.get("task.kind") == "segment":
        things = things.replace("picture", "image")
    if facts.get("task.kind") == "classify" and outputs == 1:
        outputs = None  # the data tell of one number, which the stated task is not about
    said = _TASKS.get(str(facts.get("task.kind")), "no task is stated yet").format(
        things=f"{count:,} {things}" if isinstance(count, int) else things,
        outputs=f"{outputs:,} " if isinstance(outputs, int) else "",
        ahead=f" for {outputs:,} steps" if isinstance(outputs, int) and outputs > 1 else "",
    )
    said = said.replace(" 1 numbers", " one number")
    by = "" if plan.school is School.TODAY else f"by {words.SCHOOL_WORDS[plan.school]}"
    return ", ".join(filter(None, (said, _place(facts), by)))


def _place(facts: Mapping[str, object]) -> str:
    cards, card, cores = (facts.get(f"machine.{name}") for name in ("gpu.count", "gpu.name", "cpu.usable_cores"))
    nodes = facts.get("cluster.nodes")
    machines = f"{nodes} machines with " if isinstance(nodes, int) and nodes > 1 else ""
    each = " each" if machines else ""
    if isinstance(cards, int) and cards:
        known = find_device(str(card)) if card else None
        title = known.title if known is not None else card or "a GPU"
        return f"on {machines}{f'{cards} x ' if cards > 1 else ''}{title}{each}"
    if isinstance(cores, int):
        return f"on {machines}{cores} {'core' if cores == 1 else 'cores'}{each}, no GPU"
    if machines:
        return f"on {nodes} machines{', no GPU' if cards == 0 else ''}"
    return ""


def _lines(plan: Plan, knowledge: Knowledge) -> Iterator[Line]:
    somewhere = bool(_place({name: known.value for name, known in plan.facts.items()}))
    for label, parts in _ROWS.items():
        if label == "Run on" and not somewhere:
            continue
        entries = [entry for name in parts if (entry := plan.recommendations.get(name)) is not None]
        said = [
            (entry, f"{parts[entry.topic]}{name_of(knowledge, entry)}")
            for entry in entries
            if words.is_advice(entry) and (entry.value not in _SAYS_NOTHING or entry.tied)
        ]
        if label == "Network" and any(entry.topic == "network.model" for entry, _ in said):
            said = [(said[0][0], _with_its_size(plan, said[0][1]))]  # it has the type and the widths that it has
        if said:
            statuses = [entry.status for entry, _ in said]
            least = next(one for one in (*_LEAST_SURE, *statuses) if one in statuses)
            yield Line(label, ", ".join(text for _, text in said), least)


def name_of(knowledge: Knowledge, entry: Recommendation) -> str:
    """The advice in the words of the field and without its identifier: `AdamW`, `cross-entropy`, `early stopping, dropout`."""
    values = knowledge.topics[entry.topic].values
    if entry.value is None:
        return join_names([values.get(str(one), str(one)) for one in entry.tied], "or") or "nothing to go on yet"
    if isinstance(entry.value, list | tuple) and values:
        named = [values.get(str(one), str(one)) for one in entry.value]
        more = [f"{len(named) - _MOST_NAMES} more"] if len(named) > _MOST_NAMES else []
        return ", ".join([*named[:_MOST_NAMES], *more])
    if (entry.topic, str(entry.value)) in _SHORT:
        return _SHORT[entry.topic, str(entry.value)]
    if values:
        said = values.get(str(entry.value), str(entry.value))
        if entry.topic == "network.model" and said == str(entry.value):
            return _titled(said)
        return said.removesuffix(_NO_NETWORK)
    unit = entry.unit if entry.topic in _WITH_UNIT else ""
    return words.value_words(knowledge, entry.topic, entry.value, unit)


def _with_its_size(plan: Plan, title: str) -> str:
    """The network with as many weights as it has here, where the last layer is that of the task."""
    size = known_values(plan).get("network.size")
    name, has_size, _ = title.partition(" with ")
    if not has_size or size is None:
        return title
    shown = f"{size / 1e9:.3g} billion" if size >= 1e9 else f"{size / 1e6:.3g} million"
    return f"{name} with {shown} weights"


def _titled(name: str) -> str:
    """A published network by its title; anything else by its name."""
    from advisor.models.published import published_model  # 60 ms, only where a network is named

    found = published_model(name)
    return found.title if found is not None else name


def _found(plan: Plan, knowledge: Knowledge, basis: Source) -> Iterator[str]:
    for entry in plan.recommendations.values():
        if entry.measured is None or entry.measured.basis is not basis:
            continue
        if entry.measured.fact == BEST_WORKERS:
            yield f"{entry.title}: {workers_words(entry.measured)}"
        else:
            before, after = words.measured_change(knowledge, entry, entry.measured)
            change = f"{after}, as before" if before == after else f"{before} -> {after}"
            found = difference(entry.measured)
            yield f"{entry.title}: {change}, {VERDICTS[entry.measured.verdict]}: {found}"


def needs_of(outlook: Outlook) -> Iterator[str]:
    """Memory, time of a pass and of it all, and the price, as far as they are known; first the sizes that nobody has stated."""
    known = known_values(outlook.plan)
    supposed = f"supposing {join_names(outlook.supposed)}: " if outlook.supposed else ""
    if "memory.training" in known:
        yield f"{supposed}{number_words(known['memory.training'], 'bytes')} of memory"
    if "time.shortest" in known and "time.longest" in known:
        fewest, most = (f"{known[name]:,.0f}" for name in ("time.fewest_passes", "time.most_passes"))
        shortest, longest = (about_words(known[name]) for name in ("time.shortest", "time.longest"))
        yield f"{shortest} to {longest} for {fewest} to {most} epochs"
        yield f"one epoch about {about_words(known['time.epoch'])} ({_origin(known['time.doubt'])})"
    elif not _place({name: one.value for name, one in outlook.plan.facts.items()}):
        yield "its time is not known without a machine (--machine)"
    else:
        lacking = next((one.missing for one in outlook.plan.figures if one.name == "time.epoch"), ())
        if lacking and "." in lacking[0] and lacking[0].partition(".")[0] in _STATED:
            yield f"its time is not known without {lacking[0]}{_asked(outlook.plan, lacking[0])}"
        elif _is_no_network(outlook.plan):
            yield "little time and memory beside a network; a trial on your data (advisor try) measures them"
    if "cost.lowest" in known and "cost.highest" in known:
        lowest, highest = (f"{float(f'{known[name]:.2g}'):,g}" for name in ("cost.lowest", "cost.highest"))
        yield f"price {lowest} to {highest} (in the currency of your prices)"


def _asked(plan: Plan, name: str) -> str:
    fact = None if plan.knowledge is None else plan.knowledge.vocabulary.facts.get(name)
    return "" if fact is None else f" ({fact.question})"


def _is_no_network(plan: Plan) -> bool:
    """True where trees or neighbours are advised, of which nothing is computed."""
    values = {} if plan.knowledge is None else plan.knowledge.topics["network.type"].values
    return values.get(str(_value(plan, "network.type")), "").endswith(_NO_NETWORK)


def _origin(doubt: float) -> str:
    """The origin of a time, by how far it may be off."""
    if doubt <= 1.25:
        return "a step was measured"
    if doubt <= 2:
        return "computed from products measured here"
    return "computed from published speed" if doubt <= 3 else "guessed from the cores"


def warnings_of(plan: Plan, outlook: Outlook) -> Iterator[str]:
    """Things that go wrong if the plan is followed as it stands, and what would help."""
    yield from (
        f"{clash.fact} is {_plainly(clash.used.value)} ({words.SOURCE_WORDS[clash.used.source]}) and "
        f"{_plainly(clash.overruled.value)} ({words.SOURCE_WORDS[clash.overruled.source]}) at once: the plan takes the first."
        for clash in plan.contradictions[:1]
    )
    yield from _supposed(plan)
    yield from slow_parts(plan.facts)
    beyond_memory = memory_warning(plan) or (
        _value(plan, "memory.strategy") == "offload" and _value(plan, "compute.device") == "cpu"
    )
    if beyond_memory:
        entry = plan.recommendations["memory.strategy"]
        said = entry.because[0].text if entry.because else "Training does not fit into memory."
        yield " ".join([said, *(note for note in entry.notes if note.startswith("It would fit"))])
    known = known_values(plan)
    speed_up = known.get("scaling.speed_up")
    if speed_up is not None and speed_up < 1:
        yield (
            f"All devices together are slower than one alone would be ({speed_up:.2g} times as fast): they wait for each "
            "other. A faster link between them, fewer machines, or adapters in place of all weights would help."
        )
    slow = slowness(outlook.plan)
    if slow is not None and not beyond_memory:
        yield f"{slow} {_faster(plan, outlook.remedies)}"


def _supposed(plan: Plan) -> Iterator[str]:
    """Sentences on values that the plan takes from stated facts, and that nobody stated."""
    for name in ("machine.gpu.count", "data.bytes"):
        known = plan.facts.get(name)
        if known is not None and known.note and known.source in (Source.ASSUMED, Source.DERIVED):
            yield f"The plan takes {name} as {_plainly(known.value)} ({known.note})."


def _plainly(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _faster(plan: Plan, remedies: Sequence[Remedy]) -> str:
    """Ways to be done sooner, each with its own time where it was planned for."""
    if remedies:
        ways = [f"{one.says}: {about_words(one.shortest)} to {about_words(one.longest)}" for one in remedies]
    else:
        cpu = _value(plan, "compute.device") == "cpu"
        ways = ["fewer examples first", "a smaller network", *(["a GPU"] if cpu else [])]
    return f"What helps: {'; '.join(ways)}."


def _questions(plan: Plan, knowledge: Knowledge) -> Iterator[tuple[str, str]]:
    for name in plan.questions:
        fact = knowledge.vocabulary.facts.get(name)
        if fact is not None:
            yield name, fact.question


def _next(plan: Plan, arguments: str, data: bool, remedies: Sequence[Remedy]) -> Iterator[tuple[str, str]]:
    said = f" {arguments}" if arguments else ""
    if _value(plan, "network.type") is None or any(name not in plan.facts for name in ("task.kind", "data.modality")):
        yield f"advisor wizard{said}", "answer a few questions"
        return
    for remedy in remedies[:1]:
        yield f"advisor recommend {changed(arguments, remedy.arguments)}", f"with {remedy.says}"
    strategy = _value(plan, "memory.strategy")
    if strategy in ("does_not_fit", "offload"):
        yield f"advisor explain memory.strategy{said}", "what each way needs, and what would fit"
        return
    if plan.probes and not words.plans_elsewhere(plan):
        yield f"advisor probe{said}", "time it on this machine"
    if data and words.can_be_tried(plan):
        yield f"advisor try{said}{words.as_tried(plan)}", "is a network worth it on these data?"
    yield f"advisor starter{said} --output project", "a project for this plan"


def summary(plan: Plan, knowledge: Knowledge, outlook: Outlook | None = None) -> Iterator[tuple[str, str]]:
    """The same for the head of a report: labels, and what stands behind each."""
    brief = brief_of(plan, knowledge, outlook=outlook)
    yield "The task", f"{brief.title}."
    yield from (("Mind", warning) for warning in brief.warnings)
    yield from (("Measured", f"{said}.") for said in brief.measured)
    yield from (("Simulated", f"{said}.") for said in brief.simulated)
    yield from ((line.label, f"{line.says} ({words.STATUS_WORDS[line.status]})") for line in brief.lines)
    if brief.needs:
        yield "Needs", f"{'; '.join(brief.needs)}."
    yield "How sure", contents.how_sure(plan)


# --- as text -----------------------------------------------------------------------------------------------------


def brief_page(brief: Brief, look: Look, *, more: str = "--all") -> str:
    """The first screen, at most SCREEN lines at 80 columns: what matters least gives way where there is too much.

    Args:
        more: the option that shows the rest.
    """
    for questions, commands, lines in _ROOM:
        asked = more, questions, commands, lines
        if _page(brief, replace(look, colour=False), *asked).fits:
            break
    return _page(brief, look, *asked).text()


def _page(brief: Brief, look: Look, more: str, questions: int, commands: int, lines: int) -> Page:
    page = Page(look)
    page.add(brief.title, first=[("PLAN  ", Style.HEADING)])
    page.blank()
    for warning in brief.warnings:
        page.add((_shortened(warning), Style.CARE), first=[("  ! ", Style.CARE)])
    found = [("measured", said) for said in brief.measured] + [("simulated", said) for said in brief.simulated]
    for basis, said in found[:lines]:
        page.add(said, first=[(f"  {basis}  ", Style.GOOD)])
    for line in _most_telling(brief.lines, lines):
        mark, style = symbol(line.status, look)
        status = (f"{mark} {words.STATUS_WORDS[line.status]}", style)
        if look.columns < _NARROW:
            page.add(f"{line.says} ", status, first=[(f"{line.label}: ", Style.FAINT)], rest="  ")
        else:
            page.columns((((line.label, Style.FAINT),), (line.says,), (status,)), (11, look.columns - 28, 11))
    if brief.needs:
        label = "Needs: " if look.columns < _NARROW else f"{'Needs':<13}"
        page.add("; ".join(brief.needs), first=[(label, Style.FAINT)], rest="  " if look.columns < _NARROW else None)
    if brief.lines or brief.needs:
        page.blank()
    shown = brief.questions[:questions]
    width = max((cells(name) for name, _ in shown), default=0)
    ask = " An answer could still change it:" if shown else ""
    page.add(f"{brief.counts}{ask}")
    for name, question in shown:
        if look.columns < _NARROW:
            page.add((name, Style.STRONG), f" {question}", first="- ")
        else:
            page.columns((("",), ((name, Style.STRONG),), (question,)), (0, width, look.columns - width - 4))
    page.blank()
    page.add(("NEXT", Style.HEADING), f"  {more} shows everything, with reasons")
    for command, purpose in brief.next[:commands]:
        beside = f"  # {purpose}" if cells(command) + cells(purpose) + 6 <= look.columns else ""
        page.verbatim(f"{command}{beside}", first="  ")
    return page


def _shortened(warning: str) -> str:
    """Its first two sentences: the rest stands in the whole plan."""
    sentences = warning.split(". ")
    return warning if len(sentences) <= 2 else ". ".join(sentences[:2]) + "."


def _most_telling(lines: Sequence[Line], most: int) -> Sequence[Line]:
    """The first lines, without those for which there is no room; what to beat first stays."""
    if len(lines) <= most:
        return lines
    return [*lines[: most - 1], lines[-1]]
