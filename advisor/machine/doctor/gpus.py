"""Findings about the cards themselves: their link, who else uses them, their memory and their temperature."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from advisor.facts.values import with_unit
from advisor.machine.cards import Gpu, GpuProcess, GpuState, Throttle
from advisor.machine.doctor.finding import Examination, Finding, Severity, problem, warning
from advisor.wording import join_names

_BUSY = 0.5
"""From this utilisation on a card has left its resting state, in which the link may be slow."""
_TAKEN = 2**30
"""Bytes; more than a driver keeps for itself"""
_FULL = 0.9
_HEAT = (Throttle.SOFTWARE_THERMAL, Throttle.HARDWARE_THERMAL)
_POWER = (Throttle.POWER_BRAKE, Throttle.HARDWARE_SLOWDOWN)
_THROTTLE_WORDS = {
    Throttle.SOFTWARE_THERMAL: "its driver slows it down to stay cool",
    Throttle.HARDWARE_THERMAL: "its hardware slows it down because it is too hot",
    Throttle.POWER_BRAKE: "the power supply asks it to slow down",
    Throttle.HARDWARE_SLOWDOWN: "its hardware slows it down (heat or power)",
    Throttle.POWER_CAP: "it runs at its power limit",
    Throttle.SET_BY_USER: "somebody set its clock",
}


def silent_driver(seen: Examination) -> Iterator[Finding]:
    """Detection could not say whether there are cards."""
    if seen.machine.gpus is not None:
        return
    notes = [note for note in seen.machine.notes if "GPU" in note or "NVIDIA" in note]
    torch_sees = len(seen.torch.devices)
    if notes or torch_sees:
        sees = f"PyTorch sees {torch_sees}." if torch_sees else ""
        yield problem(
            "gpu.unknown",
            "Whether there are GPUs cannot be told",
            " ".join([*notes, sees]).strip(),
            "Ask the driver itself what is wrong:",
            ("nvidia-smi",) if any("NVIDIA" in note for note in notes) else (),
        )


def lanes(number: int, gpu: Gpu, state: GpuState) -> Iterator[Finding]:
    now, most = state.pcie_lanes, gpu.pcie_lanes
    if now is not None and most is not None and 0 < now < most:
        yield warning(
            "gpu.narrow-link",
            "runs on fewer PCIe lanes than it could",
            f"{now} of {most} lanes are in use, so data reach it at {with_unit(round(now / most, 3), 'fraction')} "
            "of the speed.",
            "Put the card into a slot with all lanes, seat it anew, and check in the firmware's settings that the slot is "
            "not shared with another device.",
        )


def generation(number: int, gpu: Gpu, state: GpuState) -> Iterator[Finding]:
    """Only under load: at rest a card lowers its generation to save power."""
    now, most = state.pcie_generation, gpu.pcie_generation
    busy = state.utilisation is not None and state.utilisation >= _BUSY
    if busy and now is not None and most is not None and now < most:
        yield warning(
            "gpu.slow-link",
            "computes while its PCIe link is slow",
            f"The link runs as generation {now}, card and slot can do {most}.",
            "Check the firmware's PCIe setting of this slot, and riser cables, which often force a lower generation.",
        )


def others(number: int, gpu: Gpu, state: GpuState) -> Iterator[Finding]:
    used, processes = state.memory_used_bytes, state.processes or ()
    share = None if used is None or not gpu.memory_bytes else used / gpu.memory_bytes
    if processes:
        shown = [*map(_process, processes[:6]), *(["others"] if len(processes) > 6 else [])]
        taken = "" if used is None else f"; {with_unit(used, 'bytes')} of its memory are taken"
        yield warning(
            "gpu.shared",
            "is used by other programs",
            f"{_sentence(join_names(shown))}{taken}.",
            "Measurements and memory limits count for what is left. See who it is:",
            ("nvidia-smi",) if gpu.backend == "cuda" else (),
        )
    elif used is not None and used > _TAKEN:
        yield warning(
            "gpu.shared",
            "has memory taken by programs that are not visible from here",
            f"{with_unit(used, 'bytes')} of {with_unit(gpu.memory_bytes or 0, 'bytes')} are in use.",
            "It may be a program of another user, in another container, or the screen. Outside of the container ask:",
            ("nvidia-smi",) if gpu.backend == "cuda" else (),
        )
    if used is not None and share is not None and share > _FULL:
        yield warning(
            "gpu.full",
            "has almost no memory left",
            f"{with_unit(used, 'bytes')} of {with_unit(gpu.memory_bytes or 0, 'bytes')} are in use.",
            "End what else uses it, or choose another card with CUDA_VISIBLE_DEVICES.",
        )


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _process(one: GpuProcess) -> str:
    name = "a program" if one.pid is None else f"process {one.pid}"
    return name if one.memory_bytes is None else f"{name} ({with_unit(one.memory_bytes, 'bytes')})"


def errors(number: int, gpu: Gpu, state: GpuState) -> Iterator[Finding]:
    if state.uncorrected_errors:
        yield problem(
            "gpu.memory-errors",
            "has memory errors that cannot be corrected",
            f"{state.uncorrected_errors} since the driver started.",
            "Results may be wrong and programs may end. Move work to another card and have this one checked:",
            (f"nvidia-smi -q -d ECC,ROW_REMAPPER -i {number}",),
        )


def throttling(number: int, gpu: Gpu, state: GpuState) -> Iterator[Finding]:
    reasons = state.throttling or ()
    hot = "" if state.temperature_celsius is None else f" at {state.temperature_celsius} degrees Celsius"
    for kinds, severity, remedy in (
        (_HEAT, Severity.WARNING, "Check fans, dust and the air around it; a lower power limit keeps it cooler."),
        (_POWER, Severity.WARNING, "Check its power cables, the power supply, and its cooling."),
        ((Throttle.SET_BY_USER,), Severity.NOTE, "To let it choose its clock again, as administrator:"),
        ((Throttle.POWER_CAP,), Severity.NOTE, "That is common at full load. The limit can be seen and set with:"),
    ):
        found = [reason for reason in reasons if reason in kinds]
        if found:
            limit = gpu.power_limit_watts
            watts = (
                f" (limit {with_unit(round(limit), 'W')})" if limit is not None and Throttle.POWER_CAP in found else ""
            )
            commands = {
                Throttle.SET_BY_USER: (f"sudo nvidia-smi -i {number} -rgc", f"sudo nvidia-smi -i {number} -rac"),
                Throttle.POWER_CAP: (f"nvidia-smi -q -d POWER -i {number}",),
            }.get(found[0], ())
            yield Finding(
                "gpu.throttled",
                severity,
                "is slowed down at this moment",
                f"{_sentence(join_names([_THROTTLE_WORDS[reason] for reason in found]))}{watts or hot}.",
                remedy,
                commands,
            )


def every_card(seen: Examination) -> Iterator[Finding]:
    """The findings of each card, with the card's number and name before them."""
    for number, gpu in enumerate(seen.machine.gpus or ()):
        for check in (lanes, generation, others, errors, throttling):
            for finding in check(number, gpu, gpu.state or GpuState()):
                card = f"GPU {number}" + (f" ({gpu.name})" if gpu.name else "")
                yield replace(finding, title=f"{card} {finding.title}")


CHECKS = (silent_driver, every_card)
