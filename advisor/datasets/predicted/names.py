"""Names of the columns of predictions, all different. No heavy library here."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from advisor.datasets.dataset import Task
from advisor.datasets.intake import Intake, Source
from advisor.datasets.predicted.formats import KeptColumns
from advisor.wording import join_first, shorten

FILE, CLASS, STEP = "file", "class", "step"
"""The key of a folder and what is predicted of it; the key of a forecast."""
PROBABILITY, LOW, HIGH = "p_", "low", "high"
"""The name of a class follows the first."""


@dataclass(frozen=True, slots=True)
class ColumnNames:
    """The names that columns have beside each other."""

    kept: dict[str, str]
    """Of columns of the data, by their names there."""
    target: str
    probabilities: tuple[str, ...] = ()
    low: str = LOW
    high: str = HIGH

    def tell(self, say: Callable[[str, str], None]) -> None:
        """Say which columns of the data could not keep their names."""
        pairs = [f"{shorten(old, 40)!r} as {shorten(new, 60)!r}" for old, new in self.kept.items() if old != new]
        if pairs:
            what = f"The predictions have columns of the same names, so those of the data are written: {join_first(pairs)}."
            say("Columns under another name", what)


def names_for(intake: Intake, kept: Sequence[str]) -> ColumnNames:
    """Names for predictions beside these columns of the data, which give way to them where both have the same name."""
    target = intake.target.name if intake.target is not None else CLASS
    taken = {target}
    probabilities = tuple(name_apart(f"{PROBABILITY}{name}", "_probability", taken) for name in intake.classes)
    low, high = LOW, HIGH
    if intake.task is not Task.CLASSIFY:
        low, high = name_apart(LOW, "_bound", taken), name_apart(HIGH, "_bound", taken)
    own = [name for name in kept if name not in taken]
    taken.update(own)
    names = {name: name if name in own else name_apart(name, "_given", taken) for name in kept}
    return ColumnNames(names, target, probabilities, low, high)


def name_apart(name: str, more: str, taken: set[str]) -> str:
    """The name, lengthened until nothing else has it, and taken from now on."""
    while name in taken:
        name += more
    taken.add(name)
    return name


def wanted(intake: Intake, keep: KeptColumns) -> Collection[str] | None:
    """Names of the columns of the data that stand beside predictions; None for all.

    A model that an earlier version saved does not know which ones are keys: those that it was not given are taken.
    """
    if keep is KeptColumns.ALL:
        return None
    if keep is KeptColumns.NONE:
        return ()
    if intake.source is not Source.TABLE:
        return (FILE,)
    return intake.passed_over if intake.keys is None else intake.keys
