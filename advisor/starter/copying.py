"""Modules of ours that a project takes as they stand: its network is the one that is advised, counted and timed."""

from __future__ import annotations

import re
from pathlib import Path

from advisor.networks.registry import folder_of
from advisor.starter.blueprint import Blueprint

_ADVISOR = Path(__file__).parents[1]
INITIALISATION = _ADVISOR / "training" / "loop" / "initialisation.py"
SCHEDULES = _ADVISOR / "training" / "loop" / "schedules.py"
LAYERWISE = _ADVISOR / "training" / "loop" / "layerwise.py"
RECOMPUTE = _ADVISOR / "networks" / "recompute.py"
PARTS = _ADVISOR / "networks" / "parts"
SUPERVISED = PARTS / "supervised.py"
_PART = re.compile(r"^from advisor\.networks\.parts\.(\w+) import", re.MULTILINE)


def copied_files(blueprint: Blueprint) -> dict[str, str]:
    """The text of each by the name that it has in the project; none for a model that is no network."""
    if not blueprint.is_network:
        return {}
    sources = [INITIALISATION, SCHEDULES]
    if blueprint.recipe.optimizer in ("lars", "lamb"):
        sources.append(LAYERWISE)
    if blueprint.recipe.recompute:
        sources.append(RECOMPUTE)
    if blueprint.recipe.loss in ("dice_cross_entropy", "quantile"):
        sources.append(SUPERVISED)
    return {**network_files(blueprint.network), **{source.name: source.read_text("utf-8") for source in sources}}


def network_files(network: str) -> dict[str, str]:
    """network.py of the family, and the parts that it imports."""
    files: dict[str, str] = {}
    waiting = [folder_of(network) / "network.py"]
    while waiting:
        source = waiting.pop()
        text = source.read_text("utf-8")
        files[source.name] = _PART.sub(r"from \1 import", text)
        waiting += [PARTS / f"{name}.py" for name in _PART.findall(text) if f"{name}.py" not in files]
    return files
