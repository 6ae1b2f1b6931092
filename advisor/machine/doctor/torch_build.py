"""Findings about torch: its build against the cards and their driver, and its threads against the processor."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from advisor.machine.cards import Gpu
from advisor.machine.doctor.finding import BUILDS, Examination, Finding, note, problem, warning
from advisor.wording import join_names, shorten

# The least driver for any CUDA of that major version on Linux: NVIDIA, CUDA Compatibility, "Minor Version
# Compatibility", Table 1 (docs.nvidia.com/deploy/cuda-compatibility), patch numbers from the CUDA release notes.
LEAST_DRIVERS = {11: (450, 80, 2), 12: (525, 60, 13), 13: (580,)}
_HIDING = ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES")


def torch_missing(seen: Examination) -> Iterator[Finding]:
    if seen.torch.error is not None:
        yield problem(
            "torch.silent",
            "PyTorch cannot be asked",
            shorten(seen.torch.error, 400),
            "Install PyTorch into the environment of this program, or repair it by installing it again.",
            (_pip(seen, "install", "--force-reinstall", "torch"),),
        )


def cpu_build(seen: Examination) -> Iterator[Finding]:
    """The cards are there and the build cannot use their kind."""
    torch, cards = seen.torch, seen.machine.gpus or ()
    if torch.error is not None or not cards:
        return
    backend = cards[0].backend
    if backend == "mps":
        yield from _apple(seen)
        return
    built_for = {"cuda": torch.cuda, "rocm": torch.hip}.get(backend)
    if built_for is not None:
        return
    wanted = {"cuda": "CUDA", "rocm": "ROCm"}.get(backend, backend)
    build = "a build for processors only" if torch.is_cpu_build else f"built for {'CUDA' if torch.cuda else 'ROCm'}"
    plain = backend == "cuda" and seen.machine.system == "Linux" and seen.machine.architecture == "x86_64"
    yield problem(
        "torch.cpu-build",
        "PyTorch cannot use the GPU: it is the wrong build",
        f"The machine has {_cards_text(cards)}, but PyTorch {torch.version or ''} is {build}.",
        f"Install a build with {wanted}: {BUILDS}."
        + (" On this system the plain package is one with CUDA:" if plain else ""),
        (_pip(seen, "uninstall", "--yes", "torch"), _pip(seen, "install", "torch")) if plain else (),
    )


def _apple(seen: Examination) -> Iterator[Finding]:
    torch = seen.torch
    if torch.architecture == "x86_64":
        yield problem(
            "torch.rosetta",
            "Python runs translated, so PyTorch cannot use the Apple GPU",
            "This Python was built for Intel processors (x86_64) and runs through Rosetta.",
            "Install a Python for arm64 (from python.org, or Homebrew under /opt/homebrew), and PyTorch into that one.",
        )
    elif torch.mps_built is False:
        yield problem(
            "torch.cpu-build",
            "PyTorch cannot use the GPU: it is the wrong build",
            f"PyTorch {torch.version or ''} was built without Metal (MPS).",
            f"Install the build for Macs: {BUILDS}.",
            (_pip(seen, "install", "--force-reinstall", "torch"),),
        )
    elif torch.mps_available is False:
        yield problem(
            "torch.no-gpu",
            "PyTorch has Metal (MPS) but cannot use the GPU",
            "MPS is part of this build and not available.",
            "MPS needs macOS 12.3 or later; PyTorch's newer versions need a newer one. Update macOS.",
        )


def unusable(seen: Examination) -> Iterator[Finding]:
    """The build is right and still torch sees no card: hidden, an old driver, or what torch says."""
    torch, cards = seen.torch, seen.machine.gpus or ()
    kinds = {gpu.backend for gpu in cards}
    right = ("cuda" in kinds and torch.cuda is not None) or ("rocm" in kinds and torch.hip is not None)
    if not right or torch.gpu_available is not False:
        return
    hiding = _hiding(seen)
    if hiding is not None and hiding[1].strip() in ("", "-1", "NoDevFiles"):
        yield _hidden(seen, 0)
        return
    yield _driver_too_old(seen) or problem(
        "torch.no-gpu",
        "PyTorch does not find a GPU that it can use",
        f"The driver shows {_cards_text(cards)}. PyTorch says: {shorten(torch.gpu_error or 'nothing', 300)}",
        "If the driver was updated since the last start, restart the computer; in a container, pass the cards in "
        "(docker run --gpus all).",
    )


def _driver_too_old(seen: Examination) -> Finding | None:
    torch, driver = seen.torch, seen.machine.gpu_driver
    if torch.cuda is None or driver is None:
        return None
    needed = _numbers(torch.cuda)[0]
    least = LEAST_DRIVERS.get(needed)
    if seen.machine.system == "Linux" and driver.version and least:
        old = _numbers(driver.version) < least
        wants = f"needs driver {'.'.join(f'{part:02}' for part in least)} or later"
    elif driver.cuda:
        old = _numbers(driver.cuda)[0] < needed
        wants = f"needs a driver for CUDA {needed}"
    else:
        return None
    if not old:
        return None
    supports = f", which supports CUDA {driver.cuda}" if driver.cuda else ""
    return problem(
        "driver.too-old",
        "The NVIDIA driver is too old for this PyTorch",
        f"PyTorch {torch.version or ''} is built for CUDA {torch.cuda} and {wants}; "
        f"the driver is {driver.version or 'unknown'}{supports}.",
        f"Update the driver, or install a PyTorch for an older CUDA: {BUILDS}.",
    )


def fewer_cards(seen: Examination) -> Iterator[Finding]:
    cards, visible = seen.machine.gpus or (), len(seen.torch.devices)
    if not seen.torch.gpu_available or not 0 < visible < len(cards) or cards[0].backend not in ("cuda", "rocm"):
        return
    yield _hidden(seen, visible)


def _hidden(seen: Examination, visible: int) -> Finding:
    cards, hiding = seen.machine.gpus or (), _hiding(seen)
    commands: tuple[str, ...] = ()
    divided = [number for number, gpu in enumerate(cards) if gpu.mig]
    if hiding is not None:
        why = f"{hiding[0]} is set to {shorten(hiding[1])!r}."
        remedy, commands = "If that is not meant, remove the variable:", (f"unset {hiding[0]}",)
    elif divided:
        why = f"Cards are divided into instances (MIG): {join_names([str(number) for number in divided])}."
        remedy, commands = (
            "A program uses one instance at a time. To have whole cards again, as administrator:",
            (f"sudo nvidia-smi -i {','.join(map(str, divided))} -mig 0",),
        )
    else:
        why = "No variable hides the others."
        remedy = "In a container or job, check how many cards it was given."
    return warning(
        "torch.fewer-cards",
        "PyTorch sees fewer GPUs than the driver",
        f"The driver counts {len(cards)}, PyTorch {visible}. {why}",
        remedy,
        commands,
    )


def threads(seen: Examination) -> Iterator[Finding]:
    count, usable = seen.torch.threads, seen.machine.usable_cores
    if count is None or usable is None:
        return
    stated = seen.environment.variables.get("OMP_NUM_THREADS")
    if stated is not None and not re.fullmatch(r"\s*[1-9]\d{0,5}\s*(,\s*[1-9]\d{0,5}\s*)*", stated):
        yield warning(
            "threads.variable",
            "OMP_NUM_THREADS is no number of threads",
            f"It is set to {shorten(stated)!r}; PyTorch starts {count} threads.",
            "Set a number, or remove the variable:",
            ("unset OMP_NUM_THREADS",),
        )
    if count > usable:
        yield warning(
            "threads.many",
            "PyTorch starts more threads than it may use",
            f"{count} threads for {usable} hardware {'thread' if usable == 1 else 'threads'} that affinity and quota "
            "allow: they wait for each other.",
            "Set the number of threads before the program starts:",
            (f"export OMP_NUM_THREADS={usable}",),
        )
    elif count == 1 and usable > 2 and not seen.machine.gpus:
        because = f"OMP_NUM_THREADS is {shorten(stated)}" if stated else "no variable asks for that"
        yield note(
            "threads.few",
            "PyTorch uses one thread",
            f"{usable} hardware threads may be used; {because}.",
            "`advisor probe --only threads` finds the best number for your network.",
            ("unset OMP_NUM_THREADS",) if stated else (),
        )


CHECKS = (torch_missing, cpu_build, unusable, fewer_cards, threads)


def _hiding(seen: Examination) -> tuple[str, str] | None:
    variables = seen.environment.variables
    return next(((name, variables[name]) for name in _HIDING if name in variables), None)


def _pip(seen: Examination, *arguments: str) -> str:
    return shlex.join([seen.environment.python, "-m", "pip", *arguments])


def _cards_text(cards: tuple[Gpu, ...]) -> str:
    names = sorted({gpu.name or gpu.backend for gpu in cards})
    return f"{len(cards)} {'GPU' if len(cards) == 1 else 'GPUs'} ({join_names(names)})"


def _numbers(version: str) -> tuple[int, ...]:
    """535.104.05 as numbers; 0 where there are none."""
    return tuple(int(part[:9]) for part in re.findall(r"\d+", version)) or (0,)
