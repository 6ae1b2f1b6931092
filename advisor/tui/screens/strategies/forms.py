"""The forms: the plan's own cluster, strategies and workers to be trained here, or one strategy to be simulated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.events import DescendantFocus
from textual.widgets import Input, SelectionList, Static
from textual.widgets.selection_list import Selection

from advisor.agent.sweeps import SEEDS
from advisor.distributed.strategies import DECLARED, Strategy, strategies, strategy
from advisor.errors import Problem
from advisor.report.numbers import number_words
from advisor.report.strategies.simulation import headed, rests_on
from advisor.session.simulating import FORMATS, MEASURED, value_bytes
from advisor.session.simulating import Asked as Simulating
from advisor.session.syncing import RIVALS
from advisor.session.syncing import Asked as Training
from advisor.simulation.scenario import MOST_STEPS, link, seconds, size_of, step_time
from advisor.simulation.scenario import MOST_WORKERS as MOST_SIMULATED
from advisor.tui.screens.strategies.fields import Field, Line, Reading, without_options
from advisor.tui.text import FAINT, lines, plain
from advisor.tui.widgets.mouse import Ticks
from advisor.wording import join_names, printable

if TYPE_CHECKING:
    from advisor.distributed.job import Job
    from advisor.simulation.scenario import Scenario

MOST_WORKERS = 4
"""Processes of one machine that are told apart from its cores."""
MOST_SEEDS = 20
MOST_STRAGGLING = 1e6
LINK = "Rate of each worker's link, such as 100Mbit/s or 1 GB/s; inf for no limit."
LATENCY = "Of a message from one worker to another, such as 1ms."
STRAGGLER = "The last worker takes so many times as long; 1 for as long as the others."
EXAMPLES = ("local_sgd:every=16", "stale_synchronous:bound=1", "diloco:every=100", "powersgd:rank=2")
TRAINING = (
    Line("workers", "Workers", f"Processes that learn together on this machine, 2 to {MOST_WORKERS}.", "2"),
    Line("link", "Link", LINK, placeholder="as planned"),
    Line("latency", "Latency", LATENCY, "0s"),
    Line("straggler", "Straggler", STRAGGLER, "1"),
    Line(
        "seeds",
        "Seeds",
        "So often each strategy is trained, with other weights and another order; 3 decide.",
        "3",
    ),
    Line(
        "others",
        "Others",
        f"More strategies, or other settings of them: {EXAMPLES[0]}, {EXAMPLES[1]}.",
        placeholder="with settings",
        suggested=EXAMPLES,
    ),
)
SIMULATION = (
    Line(
        "strategy",
        "Strategy",
        f"With settings, such as {EXAMPLES[0]}. Names are completed as you type; F1 lists all {len(DECLARED)}.",
        suggested=(*DECLARED, *EXAMPLES),
        more=f"Known: {', '.join(DECLARED)}.",
    ),
    Line(
        "workers",
        "Workers",
        "1 to 10,000. Up to 64 a small network learns meanwhile, where that takes seconds; beyond, times alone are simulated.",
        placeholder="as planned",
    ),
    Line("steps", "Steps", "Of each worker, on average.", placeholder="200"),
    Line(
        "step_time",
        "Step time",
        "Of computing: constant:20ms, exponential:20ms (mean), lognormal:20ms:0.3 (median, spread), or measured.",
        placeholder="as planned",
        suggested=("constant:20ms", "exponential:20ms", "gamma:20ms:0.2", "lognormal:20ms:0.3", "measured"),
    ),
    Line("link", "Link", LINK, placeholder="as planned"),
    Line("latency", "Latency", LATENCY, "0s"),
    Line("straggler", "Straggler", STRAGGLER, "1"),
)
EXCHANGE = (
    Line("inner_link", "Inner link", "Network speed inside a group (mixed_asynchronous).", placeholder="as Link"),
    Line("servers", "Servers", "Number of parameter servers that share the weights.", "1"),
    Line(
        "precision",
        "Precision",
        f"Format of what is exchanged: {join_names(list(FORMATS), 'or')}.",
        placeholder="as planned",
        suggested=tuple(FORMATS),
    ),
    Line(
        "activations",
        "Activations",
        "Bytes that one pipeline stage sends to the next for an example, such as 800kB.",
        placeholder="as counted",
    ),
)
COMPARISON = tuple(line for line in SIMULATION if line.name in ("workers", "step_time", "link"))
NAMES: Mapping[str, str] = {
    "budget": "Time", "strategies": "Strategies", "seeds": "Seeds", "workers": "Workers", "steps": "Steps", "link": "Link",
    "link, latency": "Latency", "latency": "Latency", "straggler": "Straggler", "step-time": "Step time",
    "strategy": "Strategy", "data": "Data (d)", "inner-link": "Inner link", "servers": "Servers", "precision": "Precision",
    "activations": "Activations",
}  # fmt: skip
"""Options of the command line, and places of errors, as the screen calls them."""
_TRAINING, _SIMULATION = "This cannot be trained", "This cannot be simulated"


class Form(Horizontal):
    """Lines, with the help of that which has the focus."""

    DEFAULT_CSS = """
    Form { height: 1fr; }
    Form .lines { width: 1fr; padding: 0 0 0 1; }
    Form .field_help { padding: 1 0 0 0; }
    """
    LINES: tuple[Line, ...] = ()
    NAME = ""

    def fields(self, lines: Sequence[Line] | None = None) -> list[Field]:
        return [Field(line, self.NAME) for line in (self.LINES if lines is None else lines)]

    def help_line(self) -> Static:
        return Static("", id=f"{self.NAME}_help", classes="faint field_help", markup=False)

    @property
    def written(self) -> dict[str, str]:
        """The texts by the names of the lines."""
        return {line.name: self.query_one(f"#{self.NAME}_{line.name}", Input).value for line in self.LINES}

    @property
    def reading(self) -> Reading:
        return Reading(self.LINES, self.written)

    def explain(self, text: str) -> None:
        self.query_one(f"#{self.NAME}_help", Static).update(plain(text))

    @on(DescendantFocus)
    def _focused(self, event: DescendantFocus) -> None:
        field = event.widget.parent
        if isinstance(field, Field):
            self.explain(field.line.help)


class TrainingForm(Form):
    """Strategies to tick; the plan's own is always among them, since the others are compared with it."""

    HELP_TEXT = (
        "Space ticks a strategy. All of them start from the same weights and see the same examples in the same order; they are "
        "compared by the time in which they come to the same loss."
    )
    DEFAULT_CSS = """
    TrainingForm Ticks { width: 1fr; height: 1fr; }
    """
    LINES, NAME = TRAINING, "sync"

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.own = ""

    def compose(self) -> ComposeResult:
        yield Ticks(id="sync_strategies")
        with VerticalScroll(classes="lines", can_focus=False):
            yield from self.fields()
            yield self.help_line()

    def offer(self, own: str) -> None:
        """
        Args:
            own: the strategy that stands for the plan's.
        """
        ticks = self.query_one(Ticks)
        if own == self.own:
            return
        self.own = own
        ticks.clear_options()
        names = [own, *(name for name in DECLARED if name != own)]
        ticks.add_options(
            Selection(_offered(name, own=name == own), name, name == own or name in RIVALS, disabled=name == own)
            for name in names
        )
        ticks.highlighted = 1

    @property
    def asked(self) -> Training:
        """Raises InputError with everything that is wrong."""
        reading = self.reading
        workers = reading.whole("workers", 2, MOST_WORKERS)
        seeds = reading.whole("seeds", 1, MOST_SEEDS)
        straggler = reading.number("straggler", 1, MOST_STRAGGLING)
        _check_link(reading)
        reading.checks("latency", seconds)
        if reading.text("others"):
            reading.checks("others", strategies)
        chosen = self._chosen()
        if len(chosen) < 2 and not reading.text("others"):
            what = f"only {self.own} is ticked."
            reading.refuse(Problem("Strategies", what, "Tick another one to compare it with."))
        reading.done(_TRAINING)
        return Training(
            strategies=",".join(filter(None, (*chosen, reading.text("others")))),
            workers=workers,
            link=reading.text_or_none("link"),
            latency=reading.text("latency"),
            straggler=straggler,
            seeds=seeds,
        )

    def _chosen(self) -> list[str]:
        """The ticked ones, the plan's own first."""
        ticked = self.query_one(Ticks).selected
        return [self.own, *(name for name in DECLARED if name in ticked and name != self.own)]

    @on(SelectionList.SelectionHighlighted)
    def _highlighted(self, event: SelectionList.SelectionHighlighted[str]) -> None:
        self.explain(about_strategy(event.selection.value))


class SimulationForm(Form):
    """One strategy on a cluster that nobody has at hand."""

    HELP_TEXT = (
        "Many workers in virtual time: who waits for whom, how late gradients come, what is sent. What is left empty is as the "
        "plan has it."
    )
    DEFAULT_CSS = """
    SimulationForm .narrow_lines { width: 34; }
    SimulationForm .field_help { padding: 0; }
    """
    LINES, NAME = (*SIMULATION, *EXCHANGE), "simulate"

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="lines narrow_lines", can_focus=False):
            yield from self.fields(SIMULATION)
        with VerticalScroll(classes="lines", can_focus=False):
            yield from self.fields(EXCHANGE)
            yield self.help_line()

    def offer(self, own: str) -> None:
        """
        Args:
            own: the strategy that stands for the plan's.
        """
        line = self.query_one("#simulate_strategy", Input)
        if not line.value:
            line.value = own

    @property
    def asked(self) -> Simulating:
        """Raises InputError with everything that is wrong."""
        reading = self.reading
        workers = reading.whole_or_none("workers", 1, MOST_SIMULATED)
        steps = reading.whole_or_none("steps", 1, MOST_STEPS)
        straggler = reading.number("straggler", 1, MOST_STRAGGLING)
        reading.checks("strategy", strategy)
        reading.checks("latency", seconds)
        _check_cluster(reading)
        servers = reading.whole("servers", 1, MOST_SIMULATED)
        for name, read in (("inner_link", link), ("precision", value_bytes), ("activations", size_of)):
            if reading.text(name):
                reading.checks(name, read)
        reading.done(_SIMULATION)
        return Simulating(
            strategy=reading.text("strategy"),
            workers=workers,
            steps=steps,
            step_time=reading.text_or_none("step_time"),
            link=reading.text_or_none("link"),
            latency=reading.text("latency"),
            straggler=straggler,
            inner_link=reading.text_or_none("inner_link"),
            servers=servers,
            precision=reading.text_or_none("precision"),
            activations=reading.text_or_none("activations"),
        )


class ComparisonForm(Form):
    """The plan's own cluster, unless something else is written."""

    HELP_TEXT = (
        "Leave everything empty to compare strategies, and numbers of workers, for the plan as it is: what is found counts for "
        "it. With other workers, steps or links of yours it is shown, and does not count."
    )
    DEFAULT_CSS = """
    ComparisonForm .narrow_lines { width: 34; }
    ComparisonForm .field_help { padding: 0; }
    """
    LINES, NAME = COMPARISON, "compare"

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="lines narrow_lines", can_focus=False):
            yield from self.fields()
        with Vertical(classes="lines"):
            yield self.help_line()

    def on_mount(self) -> None:
        self.explain("Leave this empty to simulate the plan as it is.")

    @property
    def asked(self) -> Simulating:
        """Raises InputError with everything that is wrong."""
        reading = self.reading
        workers = reading.whole_or_none("workers", 1, MOST_SIMULATED)
        _check_cluster(reading)
        reading.done(_SIMULATION)
        return Simulating(
            workers=workers, step_time=reading.text_or_none("step_time"), link=reading.text_or_none("link")
        )


def _check_link(reading: Reading) -> None:
    if reading.text("link"):
        reading.checks("link", link)


def _check_cluster(reading: Reading) -> None:
    """Collect what is wrong with the link and the time of a step, where they are written."""
    _check_link(reading)
    if reading.text("step_time").lower() not in ("", MEASURED):
        reading.checks("step_time", step_time)


def about_strategy(name: str) -> str:
    """A sentence on what it does, and its usual settings."""
    declared = DECLARED[name]
    settings = ", ".join(f"{key}={value}" for key, value in declared.settings.items())
    return f"{name}: {declared.says}{f' Settings: {settings}.' if settings else ''}"


def training_words(job: Job, notes: Sequence[str]) -> Content:
    """The number of trainings, the network, and what they rest on."""
    chosen, task = job.chosen, job.task
    sizes = "-".join(map(str, (task.inputs, *task.hidden_units, task.outputs)))
    network = f"{task.network} {sizes}" if task.named is None else task.named.describe()
    each = "once" if len(job.seeds) == 1 else f"{len(job.seeds)} times each"
    compared = f"{len(chosen)} strategies{' and one worker alone' if job.alone else ''}, {each}"
    return lines([
        Content.styled(f"{len(job.runs)} trainings of {number_words(job.seconds, 's')}: {compared}.", "bold"),
        plain(f"{job.workers} workers learn {network}, each in batches of {task.batch} examples."),
        *_faint(notes),
    ])  # fmt: skip


def comparison_words(scenario: Scenario, names: Sequence[str], notes: Sequence[str]) -> Content:
    """The comparisons that would be made for the plan, and what they rest on."""
    workers = f"{scenario.workers:,} worker{'s' if scenario.workers > 1 else ''}"
    many = f"1 to {workers} for the same batch" if scenario.workers > 1 else "nobody to share its batch with"
    losses = f"{len(names)} strategies, {SEEDS} times each; and " if names else ""
    return lines([
        Content.styled(f"{workers}: {losses}{many}.", "bold"),
        *([plain(f"By the time to the same loss: {', '.join(names)}.")] if names else []),
        plain("It counts for the plan where its workers, their link and the time of a step are known."),
        *_faint(rests_on(scenario, notes)),
    ])  # fmt: skip


def simulation_words(scenario: Scenario, notes: Sequence[str]) -> Content:
    """The cluster that would be simulated, and what that rests on."""
    return lines([Content.styled(printable(headed(scenario)), "bold"), *_faint(rests_on(scenario, notes))])


def _faint(notes: Sequence[str]) -> list[Content]:
    return [Content.styled(printable(without_options(note, NAMES)), FAINT) for note in notes]


def _offered(name: str, *, own: bool) -> Content:
    return Content.assemble(printable(Strategy(name, {}).declared.title), (", the plan's own" if own else "", FAINT))
