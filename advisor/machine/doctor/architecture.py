"""Findings about the code in torch's build: whether it runs on the cards that are here."""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.facts.values import number_text
from advisor.machine.doctor.finding import BUILDS, Examination, Finding, note, problem
from advisor.machine.machine import Machine
from advisor.machine.torch_view import TorchView
from advisor.wording import join_names


def architecture(seen: Examination) -> Iterator[Finding]:
    """Every kind of card against the code in the build, each kind once."""
    built = seen.torch.architectures
    capabilities = {device.compute_capability: device.name for device in seen.torch.devices}
    if not capabilities:
        capabilities = {gpu.compute_capability: gpu.name for gpu in seen.machine.gpus or ()}
    if seen.torch.cuda is None or not built:
        return
    for capability, name in capabilities.items():
        if capability is None or runs_on(capability, built):
            continue
        card = f"{name or 'The card'} has compute capability {number_text(capability)}"
        contains = f"PyTorch {seen.torch.version or ''} contains code for {join_names(built)}"
        if _translated(capability, built):
            yield note(
                "torch.translated",
                "PyTorch has no code of its own for this GPU",
                f"{card}; {contains}. The driver translates it when a program starts.",
                f"A newer PyTorch starts faster and may compute faster: {BUILDS}.",
            )
        else:
            newer = capability > max(number for number, _ in map(_parsed, built))
            yield problem(
                "torch.architecture",
                "PyTorch is older than this GPU" if newer else "This PyTorch has no code for this GPU",
                f"{card}; {contains}.",
                f"Install {'a newer' if newer else 'another'} PyTorch that has sm_{round(capability * 10)}: {BUILDS}."
                + ("" if newer else " Builds for an older CUDA support older cards."),
            )


def runs_on(capability: float, built: tuple[str, ...]) -> bool:
    """True if the build has machine code for a card.

    Code for sm_XY runs on X.Z with Z >= Y; with a suffix (sm_90a) on exactly that one, with f on its family.
    (NVIDIA, CUDA C++ Programming Guide, Binary Compatibility.)
    """
    major, minor = divmod(round(capability * 10), 10)
    for name in built:
        number, suffix = _parsed(name)
        code_major, code_minor = divmod(round(number * 10), 10)
        if name.startswith("sm_") and code_major == major:
            if suffix == "a" and code_minor == minor:
                return True
            if suffix != "a" and code_minor <= minor:
                return True
    return False


def _translated(capability: float, built: tuple[str, ...]) -> bool:
    """Code for compute_XY is translated by the driver for that capability and every later one."""
    codes = [_parsed(name) for name in built if name.startswith("compute_")]
    return any(number <= capability and not suffix for number, suffix in codes)


def _parsed(name: str) -> tuple[float, str]:
    """sm_90a is 9.0 with the suffix a, sm_120 is 12.0."""
    match = re.fullmatch(r"(?:sm|compute)_(\d{2,4})([af]?)", name)
    return (int(match[1]) / 10, match[2]) if match else (0.0, "")


def gpu_usable_by_torch(machine: Machine, view: TorchView) -> bool | None:
    """The fact machine.gpu.usable_by_torch: whether torch finds a GPU here and has code for all that it finds."""
    if view.error is not None or not machine.gpus:
        return None
    if machine.gpus[0].backend == "mps":
        return view.mps_available
    if not view.gpu_available or view.cuda is None or not view.architectures:
        return view.gpu_available
    built, capabilities = view.architectures, [device.compute_capability for device in view.devices]
    known = [capability for capability in capabilities if capability is not None]
    return all(runs_on(capability, built) or _translated(capability, built) for capability in known)


def amd_architecture(seen: Examination) -> Iterator[Finding]:
    built = {name.partition(":")[0] for name in seen.torch.architectures}
    targets = {(gpu.name or "").removeprefix("AMD ") for gpu in seen.machine.gpus or () if gpu.backend == "rocm"}
    for target in sorted(targets):
        if seen.torch.hip is not None and built and target.startswith("gfx") and target not in built:
            yield problem(
                "torch.architecture",
                "This PyTorch has no code for this GPU",
                f"The card is {target}; PyTorch {seen.torch.version or ''} contains code for {join_names(sorted(built))}.",
                f"Install a PyTorch whose ROCm supports {target}: {BUILDS}.",
            )


CHECKS = (architecture, amd_architecture)
