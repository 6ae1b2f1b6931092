"""The child that asks torch: `python -m advisor.probes.child.torch_view PARENT` prints one JSON line. See `ask_torch`."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable
from typing import Any, TypeVar

from advisor.children import guard
from advisor.machine.torch_view import TorchDevice, TorchView
from advisor.plain import encode
from advisor.wording import shorten

T = TypeVar("T")
_MOST_DEVICES = 64


def look() -> TorchView:
    """In the child: each question by itself, since builds differ in what they know. Imports torch."""
    try:
        import torch
    except Exception as error:  # a broken installation raises anything: OSError, RuntimeError, AttributeError
        return TorchView(error=f"{type(error).__name__}: {shorten(error, 300)}")
    available = _known(torch.cuda.is_available)
    return TorchView(
        version=str(torch.__version__),
        cuda=torch.version.cuda,
        hip=torch.version.hip,
        architectures=tuple(_known(torch.cuda.get_arch_list) or _architectures(torch)),
        gpu_available=available,
        gpu_error=None if available else _gpu_error(torch),
        devices=_devices(torch) if available else (),
        bf16=_known(lambda: bool(torch.cuda.is_bf16_supported(including_emulation=False))) if available else None,
        mps_built=_known(torch.backends.mps.is_built),
        mps_available=_known(torch.backends.mps.is_available),
        architecture=platform.machine() or None,
        cpu_capability=_known(torch.backends.cpu.get_cpu_capability),
        threads=_known(torch.get_num_threads),
        interop_threads=_known(torch.get_num_interop_threads),
        mkl=_known(torch.backends.mkl.is_available),
        mkldnn=_known(torch.backends.mkldnn.is_available),
        openmp=_known(torch.backends.openmp.is_available),
    )


def _known(question: Callable[[], T]) -> T | None:
    """The answer, or None: torch raises many kinds of errors about devices."""
    try:
        return question()
    except Exception:
        return None


def _architectures(torch: Any) -> list[str]:
    """The list in the build itself: the public function is empty while no card can be used."""
    flags: str | None = _known(lambda: torch._C._cuda_getArchFlags())  # noqa: PLW0108  CPU builds do not have it
    return (flags or "").split()


def _gpu_error(torch: Any) -> str | None:
    if torch.version.cuda is None and torch.version.hip is None:
        return None
    try:
        torch.cuda.init()
    except Exception as error:
        return shorten(error, 400)
    return None


def _devices(torch: Any) -> tuple[TorchDevice, ...]:
    found: list[TorchDevice] = []
    for index in range(min(_known(torch.cuda.device_count) or 0, _MOST_DEVICES)):
        properties = _known(lambda: torch.cuda.get_device_properties(index))  # noqa: B023  called at once
        if properties is None:
            found.append(TorchDevice())
            continue
        cuda = torch.version.cuda is not None
        capability = float(f"{properties.major}.{properties.minor}") if cuda else None
        found.append(TorchDevice(shorten(properties.name), capability, int(properties.total_memory)))
    return tuple(found)


def main() -> None:
    answers = guard.begin()
    guard.die_when_closed(guard.hide_input())
    guard.write(answers, (json.dumps(encode(look())) + "\n").encode())
    os._exit(0)  # at once: torch's own end takes a while


if __name__ == "__main__":
    main()
