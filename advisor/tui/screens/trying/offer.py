"""What would be tried on somebody's data, or how to name some that can be."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from textual.content import Content

from advisor.tui.text import lines, plain
from advisor.wording import join_names, shorten

if TYPE_CHECKING:
    from advisor.datasets.dataset import Inspection


def no_data(found: Inspection | None) -> str:
    """How to name what is to be tried on."""
    if found is None:
        return (
            "Nothing can be tried without data. Point at a file (a table, a JSON or NumPy file) or a folder of pictures, "
            "texts or sounds, and say which column is to be foretold. Nothing leaves this machine."
        )
    path = shorten(found.path, 60)
    if found.target is None:
        return f"It is not known what is to be foretold from {path}. Look at the data again and choose the column."
    return f"Only classes, numbers and forecasts can be tried; {path} is for something else. Point at other data."


def about_data(found: Inspection, networks: Iterable[str], untried: str | None = None) -> Content:
    """The data, and the ladder that is climbed on them.

    Args:
        untried: the type of network that the plan bets on, where that is not on the ladder.
    """
    name = shorten(found.path.rstrip("/").rpartition("/")[2], 60)
    target = f"; {shorten(found.target, 40)} is to be foretold" if found.target else ""
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
        "1. Something that learns nothing, then what is simple: linear, random forest, gradient boosting.",
        f"2. Networks: {join_names(names)}." if names else "2. Networks: the plan's, and others.",
        "3. The best network with one thing changed at a time, as the plan bets and otherwise.",
        "4. The best of each, trained anew, on examples that selection never saw.",
    ]
    parts += [Content("What is tried, as far as there is time:"), *map(plain, ladder)]
    if untried is not None:
        parts.append(plain(f"The plan bets on {untried}, which cannot be tried on such data."))
    return lines(parts)
