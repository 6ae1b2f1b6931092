"""The plan's own network and training step, as a probe measures it. No torch here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated

from advisor.models.code import Code, Library
from advisor.networks import spec
from advisor.networks.registry import default_hidden_units
from advisor.wording import shorten

OPTIMIZERS = (
    "sgd",
    "sgd_momentum",
    "sgd_nesterov",
    "adagrad",
    "adadelta",
    "rmsprop",
    "adam",
    "adamw",
    "nadam",
)
FUSING = ("sgd", "sgd_momentum", "sgd_nesterov", "adam", "adamw")
"""Optimizers that torch has as one kernel for all weights, on CPUs and on GPUs."""
LARGEST_NUMBER = 10**9
MOST_LAYERS = 1000
FEWEST_NORMALIZED = 2
"""Examples of a batch that is normalised as a batch."""
BYTES_A_WEIGHT = 16
"""Of training in 32 bits with Adam: the weight, its gradient and two moments."""
NAMED = "named"
"""The condition that says in words which network was timed, where somebody named it."""
_LONGEST_NAME = 100


class Precision(StrEnum):
    """The number format of the products; weights stay in 32 bits."""

    FP32 = "fp32"
    TF32 = "tf32"
    BF16 = "bf16"
    FP16 = "fp16"
    FP8 = "fp8"


class Device(StrEnum):
    CPU = "cpu"
    CUDA = "cuda"


class MemoryFormat(StrEnum):
    """In which order the numbers of a batch of pictures are stored."""

    CONTIGUOUS = "contiguous"
    """Colour by colour."""
    CHANNELS_LAST = "channels_last"
    """Pixel by pixel."""


class Execution(StrEnum):
    EAGER = "eager"
    COMPILED = "compiled"
    """By torch.compile."""


class Activations(StrEnum):
    """The activations that the forward pass keeps for the backward pass."""

    KEPT = "kept"
    RECOMPUTED = "recomputed"
    """Checkpointing: the inputs of the layers are kept, the rest is computed again."""


class Update(StrEnum):
    """The kernels by which the optimizer changes the weights."""

    USUAL = "usual"
    """As torch does it by default: tensor by tensor on a CPU, operation by operation for groups of tensors on a GPU."""
    FUSED = "fused"
    """All of the update in one kernel."""


def _count(value: int) -> int:
    if not 1 <= value <= LARGEST_NUMBER:
        raise ValueError(f"{value} is no whole number from 1 to {LARGEST_NUMBER}")
    return value


def _weights(value: int) -> int:
    if not 1 <= value < 2**63:
        raise ValueError(f"{value} is no number of weights")
    return value


def _layers(units: tuple[int, ...]) -> tuple[int, ...]:
    if len(units) > MOST_LAYERS:
        raise ValueError(f"{len(units)} layers are more than {MOST_LAYERS}")
    return units


def _share(value: float) -> float:
    if not 0 <= value < 1:
        raise ValueError(f"{value} is no share from 0 to below 1")
    return value


def _name(value: str) -> str:
    if len(value) > _LONGEST_NAME:
        raise ValueError(f"{shorten(value)} is no name")
    return value


Count = Annotated[int, _count]
Name = Annotated[str, _name]
LOSSES = (
    "cross_entropy",
    "binary_cross_entropy",
    "mse",
    "mae",
    "huber",
    "quantile",
    "dice_cross_entropy",
    "noise_prediction",
)
"""Those that need no more than the answer of a network and a target for it."""


@dataclass(frozen=True, slots=True)
class NamedNetwork:
    """A network that somebody named, in place of one that is built here by its type."""

    name: Annotated[str, shorten]
    parameters: Annotated[int, _weights]
    """As they were counted for the plan."""
    fingerprint: Name
    """Of its code, its layers and its inputs."""
    code: Code | None = None
    """All that is needed to build it; None where only its name is known, so that nothing is run."""

    def describe(self) -> str:
        """`your module net.py:make`"""
        return f"your module {self.name}" if self.runs_foreign_code else self.name

    @property
    def runs_foreign_code(self) -> bool:
        """True where a file of the user builds it: a process that does so keeps together what that code starts."""
        return self.code is not None and self.code.library is Library.FILE


@dataclass(frozen=True, slots=True)
class Workload:
    """One training step of one network. The first ten fields are read as in advisor.networks.spec.NetworkSpec."""

    network: Name
    modality: Name
    inputs: Count
    outputs: Count
    hidden_units: Annotated[tuple[Count, ...], _layers] = ()
    sequence_length: Count | None = None
    loss: Name = "cross_entropy"
    activation: Name = "relu"
    normalization: Name = "none"
    dropout: Annotated[float, _share] = 0.0
    optimizer: Name = "adamw"
    batch_size: Count = 32
    """Examples a step."""
    precision: Precision = Precision.FP32
    threads: Count | None = None
    """Threads inside one operation; None leaves it to torch."""
    device: Device = Device.CPU
    memory_format: MemoryFormat = MemoryFormat.CONTIGUOUS
    execution: Execution = Execution.EAGER
    activations: Activations = Activations.KEPT
    update: Update = Update.USUAL
    named: NamedNetwork | None = None
    """The network that is timed; the first fields are the plan's then, and build nothing."""

    def on(self, device: Device) -> Workload:
        """The same step on another device, in 32 bits where that does not know the number format."""
        precision = self.precision if self.precision in _PRECISIONS[device] else Precision.FP32
        return replace(self, device=device, precision=precision)

    def conditions(self) -> dict[str, str]:
        """The conditions of a measurement of this step, by name; rare settings are left out where they are not used."""
        named = {} if self.named is None else {NAMED: self.named.describe()}
        unusual = {
            "execution": (self.execution, Execution.EAGER),
            "activations": (self.activations, Activations.KEPT),
            "update": (self.update, Update.USUAL),
        }
        return {
            "network": self.describe(),
            "sizes": self.sizes(),
            **named,
            "batch_size": str(self.batch_size),
            "precision": self.precision.value,
            "device": self.device.value,
            "optimizer": self.optimizer,
            **({"memory_format": self.memory_format.value} if self.modality == "image" else {}),
        } | {name: value.value for name, (value, usual) in unusual.items() if value != usual}

    def describe(self) -> str:
        """The network's name as the scope of what is measured: `cnn 64-[32,64]-10 batch_norm dropout 0.2`.

        Batch size, precision and threads are not part of it.
        """
        normalization = "" if self.normalization == "none" else f" {self.normalization}"
        dropout = f" dropout {self.dropout:g}" if self.dropout else ""
        return f"{self.sizes()}{normalization}{dropout}"

    def sizes(self) -> str:
        """Its name without normalisation and dropout, which may follow from the batch: `lstm 52x8-[256,256]-1`.

        Hidden units that are not stated appear as the default.
        """
        if self.named is not None:
            return f"{self.named.name} {self.named.fingerprint}"
        units = self.hidden_units or default_hidden_units(self.network)
        steps = f"{self.sequence_length}x" if self.sequence_length is not None else ""
        name = f"{self.network} {self.modality}" if self._modality_matters() else self.network
        return f"{name} {steps}{self.inputs}-[{','.join(map(str, units))}]-{self.outputs}"

    @property
    def fewest(self) -> int:
        """Examples of the smallest batch that can be trained on; somebody else's network may normalise batches."""
        normalized = self.normalization == "batch_norm" or self.named is not None
        return min(self.batch_size, FEWEST_NORMALIZED) if normalized else 1

    def why_not(self) -> str | None:
        """The reason why no probe can run this step yet, or None."""
        reason = spec.why_not_timed(self) if self.named is None else self._why_not_named()
        if reason is None and self.optimizer not in OPTIMIZERS:
            reason = f"The optimiser {self.optimizer} cannot be timed yet. These can: {', '.join(OPTIMIZERS)}."
        if reason is None and self.normalization == "batch_norm" and self.batch_size < FEWEST_NORMALIZED:
            reason = "Batch normalisation compares the examples of a batch, and the plan's batch is a single one."
        if reason is None and self.precision not in _PRECISIONS[self.device]:
            reason = f"{self.precision} cannot be timed on the device {self.device} yet."
        return reason

    def _why_not_named(self) -> str | None:
        if self.loss in LOSSES:
            return None
        return f"The loss {self.loss} needs more than the answer of a network; these can be timed: {', '.join(LOSSES)}."

    def _modality_matters(self) -> bool:
        """The same figures make another network of texts, and of pictures where the type does not tell."""
        heard = self.modality in ("audio", "video") and self.network == "transformer"
        return self.modality == "text" or heard or (self.modality == "image" and self.network in _ALSO_FOR_PICTURES)


_ALSO_FOR_PICTURES = ("autoencoder", "vae", "transformer")
_PRECISIONS: Mapping[Device, frozenset[Precision]] = {
    Device.CPU: frozenset({Precision.FP32, Precision.BF16}),
    Device.CUDA: frozenset({Precision.FP32, Precision.TF32, Precision.BF16, Precision.FP16}),
}
