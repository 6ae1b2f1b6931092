"""Networks of timm whose peaks others measured on a graphics card, and what the plan's figures say of them.

The table is that of Yousefzadeh-Asl-Miandoab et al. 2026 (arXiv:2602.17817): peaks by nvidia-smi on a card of 40 GB. It does
not say with which optimiser or number format; the authors' own programs train with Adam in 32 bits.
"""

from __future__ import annotations

import csv
import json
import random
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from advisor.errors import InputError
from advisor.facts.fact_base import FactBase
from advisor.knowledge.model import Knowledge
from advisor.models.model import Model
from advisor.plain import decode, encode
from advisor.session.models import MODEL, model_of, with_model
from memory.plans import figures_of, value

MIB = 2**20
FULL_MIB = 39_000
"""A card of 40 GB is full from here on, so that peaks are cut off."""
SEED = 18
FITTED = 160
"""Networks that are looked at; of the rest nothing is asked."""
HELD_OUT = (
    "efficientnetv2_rw_s", "davit_small", "spnasnet_100", "nfnet_f6", "hiera_small_abswin_256", "gc_efficientnetv2_rw_t",
    "ese_vovnet19b_slim_dw", "regnetz_c16_evos", "seresnext26t_32x4d", "repghostnet_080", "xception65", "regnety_080",
    "gmlp_ti16_224", "poolformer_s36", "gcvit_tiny", "tresnet_m", "gcresnext50ts", "wide_resnet101_2", "hgnet_tiny",
    "resnest50d_1s4x24d",
)  # fmt: skip
"""One of each of twenty families, drawn before anything was compared; nothing of their families was looked at either."""
_FACTS: Mapping[str, object] = {
    "data.modality": "image",
    "task.kind": "classify",
    "task.outputs": 1000,
    "machine.gpu.count": 1,
    "machine.gpu.backend": "cuda",
    "machine.gpu.memory_bytes": 40 * 10**9,
}
_CHOSEN: Mapping[str, object] = {
    "training.precision": "fp32",
    "training.adaptation": "full",
    "memory.strategy": "fits",
    "parallelism.strategy": "none",
    "compute.device": "gpu",
}


@dataclass(frozen=True, slots=True)
class Peak:
    """One training of the table, in bytes."""

    model: str
    batch: int
    found: float
    fake: float
    """What the authors counted on fake tensors."""
    ended: bool = False
    """It took less than a smaller batch of the same network: it did not get as far."""


@dataclass(frozen=True, slots=True)
class Item:
    """What the plan says of a network, in bytes."""

    states: float
    each: float
    reserved: float

    def peak(self, batch: int) -> float:
        return self.states + batch * self.each + self.reserved


def peaks(table: Path) -> list[Peak]:
    """Its rows that are not cut off."""
    with table.open(newline="") as file:
        rows = [
            Peak(
                row["model"],
                int(row["batch"]),
                float(row["peak_MiB"]) * MIB,
                float(row["fake_tensor_MB_after_backward"]),
            )
            for row in csv.DictReader(file, delimiter="|")
        ]
    found = []
    largest: dict[str, float] = {}
    for row in sorted(rows, key=lambda row: (row.model, row.batch)):
        found.append(replace(row, ended=row.found < largest.get(row.model, 0)))
        largest[row.model] = max(row.found, largest.get(row.model, 0))
    return [row for row in found if row.found < FULL_MIB * MIB]


def drawn(rows: Sequence[Peak]) -> list[str]:
    """Names of the networks to look at. Raises AssertionError where those held out are not those that the seed draws."""
    families: dict[str, list[str]] = {}
    for name in sorted({row.model for row in rows}):
        families.setdefault(_family(name), []).append(name)
    draw = random.Random(SEED)
    order = draw.sample(sorted(families), len(families))
    assert tuple(draw.choice(families[family]) for family in order)[: len(HELD_OUT)] == HELD_OUT
    apart = {_family(name) for name in HELD_OUT}
    others = [name for family in sorted(families) if family not in apart for name in families[family]]
    return draw.sample(sorted(others), FITTED)


def _family(name: str) -> str:
    """`resnet` of resnet50d: its first letters."""
    return (re.match("[a-z]+", name) or [name])[0]


def counted(names: Sequence[str], folder: Path) -> Iterator[tuple[str, Model]]:
    """Those of the networks that can be built and counted, four seconds each; kept in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, name in enumerate(names):
        kept = folder / f"{name}.json"
        if not kept.exists():
            print(f"{number + 1} of {len(names)}: {name}", file=sys.stderr)
            try:
                kept.write_text(json.dumps(encode(model_of(f"timm:{name}"))))
            except InputError as error:
                print(f"{name} is left out: {error}", file=sys.stderr)
                continue
        yield name, decode(Model, json.loads(kept.read_text()), name)


def predicted(knowledge: Knowledge, name: str, model: Model, optimizer: str) -> Item:
    """The figures of a plan that trains the network on one card, by this optimiser."""
    facts = with_model(knowledge, FactBase.of({**_FACTS, MODEL: f"timm:{name}"}), model)
    figures = figures_of(knowledge, facts, {**_CHOSEN, "training.optimizer": optimizer})
    return Item(
        *(value(figures, f"memory.{one}") for one in ("states_on_device", "activations_per_example", "reserved"))
    )
