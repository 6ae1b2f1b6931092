"""Hold the plan's figures of memory against memory that was measured: here, and by others on a graphics card.

    python benchmarks/memory_truth.py [--here] [--published TABLE] [--only WORD]

--here runs 44 trainings on this machine's processor, each in a process of its own, one after the other: 20 minutes, 3 GB.
The figure is that of the plan without what it reserves for the library, for what is measured leaves the imports out.

--published reads a table (model|batch|peak_MiB|...|fake_tensor_MB_after_backward) of networks of timm that were trained on a
card of 40 GB. The networks are built and counted once, in ten minutes, and kept in build/memory. The optimiser that the
table does not tell is found on some networks and judged on twenty others, whose families were not looked at.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from memory.cases import CASES
from memory.published import HELD_OUT, MIB, Item, Peak, counted, drawn, peaks, predicted
from memory.trainings import measured

from advisor.knowledge import loader
from advisor.knowledge.model import Knowledge
from advisor.resources import rules_folder

ROOT = Path(__file__).resolve().parents[1]
COUNTED = ROOT / "build" / "memory"
OPTIMIZERS = ("sgd", "sgd_momentum", "adam")
OFFSET = 2000
"""MB that are added to what was counted on fake tensors, for comparison."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--here", action="store_true", help="train on this machine")
    parser.add_argument("--only", default="", metavar="WORD", help="with --here: cases with this word in their names")
    parser.add_argument("--published", type=Path, metavar="TABLE", help="peaks that others measured")
    options = parser.parse_args()
    if not options.here and options.published is None:
        parser.error("name --here, or --published TABLE, or both")
    knowledge = loader.load(rules_folder())
    if options.here:
        here(knowledge, options.only)
    if options.published is not None:
        published(knowledge, options.published)


def here(knowledge: Knowledge, word: str) -> None:
    print("| training | optimiser | format | states, MB | predicted, MB | found, MB | error |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    errors = []
    for one in measured(knowledge, [case for case in CASES if word in case.name]):
        errors.append(one.error)
        sizes = " | ".join(f"{size / 1e6:.0f}" for size in (one.states, one.predicted, one.found))
        print(
            f"| {one.case.name} | {one.case.optimizer} | {one.case.precision} | {sizes} | {one.error:+.1%} |",
            flush=True,
        )
    low = sum(error < -0.05 for error in errors)
    print(f"\n{len(errors)} trainings: {_summary(errors)}; {low} more than 5 % too low, the lowest {min(errors):+.1%}")


def published(knowledge: Knowledge, table: Path) -> None:
    rows = peaks(table)
    models = dict(counted([*HELD_OUT, *drawn(rows)], COUNTED))
    fitted = [row for row in rows if row.model in models and row.model not in HELD_OUT]
    held = [row for row in rows if row.model in HELD_OUT]
    print(f"{len(rows)} trainings in the table, {len(fitted)} of {len(models) - len(HELD_OUT)} networks looked at,")
    print(
        f"{len(held)} of {len(HELD_OUT)} held out. {_ended(fitted)} and {_ended(held)} of them took less than a smaller batch.\n"
    )
    items = {
        optimizer: {name: predicted(knowledge, name, model, optimizer) for name, model in models.items()}
        for optimizer in OPTIMIZERS
    }
    print("Looked at, by optimiser, in 32 bits:")
    for optimizer, found in items.items():
        print(
            f"  {optimizer}: {_summary(_errors(fitted, _figure(found)))};"
            f" reserve that fits best {_reserve(fitted, found):,.0f} MB"
        )
    best = min(OPTIMIZERS, key=lambda one: statistics.median(map(abs, _errors(fitted, _figure(items[one])))))
    whole = [row for row in held if not row.ended]
    for name, some in (("all", held), ("those that got as far as smaller batches", whole)):
        print(f"\nHeld out, {name} ({len(some)}):")
        print(f"  the plan's figure, {best}: {_summary(_errors(some, _figure(items[best])))}")
        print(f"  fake tensors and {OFFSET:,} MB: {_summary(_errors(some, _offset(1)))}")
        print(f"  the same, read as MiB: {_summary(_errors(some, _offset(MIB / 1e6)))}")
    print(f"\nThe whole table, fake tensors and {OFFSET:,} MB: {_summary(_errors(rows, _offset(1)))}")
    _table(held, items[best])


def _table(held: Sequence[Peak], items: Mapping[str, Item]) -> None:
    print("\n| held out | median error | worst | at batch | predicted, MB | found, MB |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name in HELD_OUT:
        rows = [row for row in held if row.model == name and not row.ended]
        errors = {row: items[name].peak(row.batch) / row.found - 1 for row in rows}
        worst = max(rows, key=lambda row: abs(errors[row]))
        sizes = f"{items[name].peak(worst.batch) / 1e6:,.0f} | {worst.found / 1e6:,.0f}"
        middle = statistics.median(errors.values())
        print(f"| {name} | {middle:+.1%} | {errors[worst]:+.1%} | {worst.batch} | {sizes} |")


def _figure(items: Mapping[str, Item]) -> Callable[[Peak], float]:
    return lambda row: items[row.model].peak(row.batch)


def _offset(unit: float) -> Callable[[Peak], float]:
    return lambda row: (row.fake + OFFSET) * unit * 1e6


def _errors(rows: Sequence[Peak], figure: Callable[[Peak], float]) -> list[float]:
    return [figure(row) / row.found - 1 for row in rows]


def _reserve(rows: Sequence[Peak], items: Mapping[str, Item]) -> float:
    """MB: the middle of what the trainings took beside states and activations."""
    over = [row.found - items[row.model].peak(row.batch) + items[row.model].reserved for row in rows if not row.ended]
    return statistics.median(over) / 1e6


def _ended(rows: Sequence[Peak]) -> int:
    return sum(row.ended for row in rows)


def _summary(errors: Sequence[float]) -> str:
    """Of the sizes of the errors: their median, where the worst quarter and the worst tenth begin, and the largest."""
    sizes = sorted(map(abs, errors))
    part = lambda share: sizes[min(len(sizes) - 1, int(share * len(sizes)))]  # noqa: E731
    return f"median {part(0.5):.1%}, worst quarter from {part(0.75):.1%}, 90 % within {part(0.9):.1%}, largest {sizes[-1]:.1%}"


if __name__ == "__main__":
    main()
