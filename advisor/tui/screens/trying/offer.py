"""The trials that would run on a dataset, or how to choose one that can be used."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from textual.content import Content

from advisor.tui.text import lines, plain
from advisor.wording import join_names, shorten

if TYPE_CHECKING:
    from advisor.datasets.dataset import Inspection


def no_data(found: Inspection | None) -> str:
    """Advice on choosing a dataset for trials."""
    if found is None:
        return (
            "Nothing can be tried without data. Point at a file (a table, a JSON or NumPy file) or a folder of pictures, "
            "texts or sounds, and choose the column to predict. Nothing leaves this machine."
        )
    path = shorten(found.path, 60)
    if found.target is None:
        return f"No column to predict is chosen in {path}. Look at the data again and choose one."
    return f"Trials can predict classes, numbers and forecasts; {path} is for something else. Point at other data."


def about_data(found: Inspection, networks: Iterable[str], untried: str | None = None) -> Content:
    """The dataset, and the stages of trials on it.

    Args:
        untried: the type of network that the plan bets on, if it cannot be tried.
    """
    name = shorten(found.path.rstrip("/").rpartition("/")[2], 60)
    target = f"; the target is {shorten(found.target, 40)}" if found.target else ""
    parts = [
        Content.styled(plain(name).plain, "bold"),
        plain(f"{found.modality}, {found.examples:,} examples{target}."),
        Content(""),
    ]
    parts += [
        plain(f"! {remark.what} {remark.remedy}".rstrip())
        for remark in found.remarks
        if remark.weight.value == "warning"
    ]
    names = list(networks)
    ladder = [
        "1. A trivial baseline, then simple models: linear, random forest, gradient boosting.",
        f"2. Networks: {join_names(names)}." if names else "2. Networks: the plan's, and others.",
        "3. The best network with one thing changed at a time, as the plan bets and otherwise.",
        "4. The best of each, trained again, on held-out examples that selection never saw.",
    ]
    parts += [Content("Stages, as far as there is time:"), *map(plain, ladder)]
    if untried is not None:
        parts.append(plain(f"The plan bets on {untried}, which cannot be tried on such data."))
    return lines(parts)
