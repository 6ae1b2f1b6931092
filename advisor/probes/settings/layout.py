"""In which order the numbers of a picture stand in memory: the whole training step of a convolutional network in both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from advisor.networks.description import Layout
from advisor.networks.spec import layout
from advisor.probes.probe import Probe, Setting, Varies, among
from advisor.probes.surroundings import Surroundings
from advisor.probes.workload import Device, MemoryFormat, Workload

_ADVISED_FOR = ("cnn", "unet")
_TENSOR_CORES = 7
"""The first compute capability with them."""


def _not_here(workload: Workload | None, surroundings: Surroundings) -> str | None:
    if workload is not None and (workload.network == "transformer" or layout(workload) is not Layout.PICTURE):
        return "Only networks that treat pictures by convolution have two orders to choose between."
    return None


def _recommended(
    values: Mapping[str, Any], topic: str, workload: Workload | None, surroundings: Surroundings
) -> Setting:
    """Channels last where the list of good practice has it, as it has for cards with tensor cores."""
    if (
        workload is not None
        and workload.device is Device.CUDA
        and workload.network in _ADVISED_FOR
        and (surroundings.compute_capability or 0) >= _TENSOR_CORES
        and "fill_the_card" in (values.get(topic) or ())
    ):
        return MemoryFormat.CHANNELS_LAST.value
    return MemoryFormat.CONTIGUOUS.value


LAYOUT = Probe(
    name="layout",
    place=40,
    question="Is a training step of the plan's own network faster when the channels of a pixel stand side by side?",
    topic="practice",
    fact="probe.layout.best",
    cost_seconds=6.0,
    varies=Varies.MEMORY_FORMAT,
    not_here=_not_here,
    choose=among(MemoryFormat.CONTIGUOUS.value, MemoryFormat.CHANNELS_LAST.value),
    recommended=_recommended,
)
