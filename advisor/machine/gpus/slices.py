"""Cards of NVIDIA that are divided into instances (MIG), and what of all cards a process of CUDA sees.

The user guide of MIG, "CUDA Device Enumeration": a process sees a single instance, the first that is visible, and no
undivided card beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from advisor.machine.cards import FoundGpus, Gpu
from advisor.machine.host import Host, Tree
from advisor.wording import join_names, shorten

MOST_INSTANCES = 7
"""Of a card, where the driver does not say how many it can have."""
_EMPTY = (
    "{cards} is divided into instances (MIG), but holds none, so no process can use it. "
    "`sudo nvidia-smi -i {first} -mig 0` makes it whole; `sudo nvidia-smi mig -i {first} -cgi PROFILE -C` makes an instance."
)
_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


@dataclass(frozen=True, slots=True)
class _Instance:
    card: int
    gpu: Gpu


def as_seen(found: FoundGpus, nvml: Any, tree: Tree, host: Host) -> FoundGpus:
    """The GPUs as a process sees them: of divided cards one instance with its own memory, or with none that is known."""
    gpus = found.gpus or ()
    if not any(gpu.mig for gpu in gpus):
        return found
    listed = {number: _instances(nvml, number, gpu, tree) for number, gpu in enumerate(gpus) if gpu.mig}
    empty = [number for number, instances in listed.items() if instances == []]
    if empty:
        tree.notes.append(_EMPTY.format(cards=join_names([f"GPU {number}" for number in empty]), first=empty[0]))
    named = host.environment("CUDA_VISIBLE_DEVICES")
    chosen = _chosen(named, gpus, listed)
    first = next((one for one in chosen if isinstance(one, _Instance) or one in listed), None)
    if first is None:
        if named is not None and not chosen:
            tree.notes.append(f"CUDA_VISIBLE_DEVICES is {shorten(named, 60)!r}: no program sees a GPU.")
        return replace(found, gpus=tuple(gpus[one] for one in chosen if isinstance(one, int)), pairs=())
    instances = [one for instances in listed.values() for one in instances or ()]
    number = first.card if isinstance(first, _Instance) else first
    gpu = first.gpu if isinstance(first, _Instance) else _unknown(gpus[number])
    tree.notes.append(_note(gpu, number, len(instances), len(gpus), listed[number]))
    return replace(found, gpus=(gpu,), pairs=())


def limited(gpus: tuple[Gpu, ...], tree: Tree, host: Host) -> tuple[Gpu, ...]:
    """The GPUs with no more memory than the settings of shared cards (MPS, HAMi) leave to this process."""
    return tuple(_limited(gpu, number, tree, host) for number, gpu in enumerate(gpus))


def _limited(gpu: Gpu, number: int, tree: Tree, host: Host) -> Gpu:
    pinned = dict(part.split("=", 1) for part in (host.environment(_MPS) or "").split(",") if "=" in part)
    settings = {
        _MPS: pinned.get(str(number)),
        f"{_HAMI}_{number}": host.environment(f"{_HAMI}_{number}"),
        _HAMI: host.environment(_HAMI),
    }
    known = {name: size for name, text in settings.items() if (size := _bytes(text or "")) is not None}
    if not known:
        return gpu
    name = min(known, key=lambda one: known[one])
    if gpu.memory_bytes is not None and known[name] >= gpu.memory_bytes:
        return gpu
    tree.notes.append(f"{name} leaves {known[name] / 2**30:.3g} GiB of the memory of GPU {number} to this process.")
    return replace(gpu, memory_bytes=known[name])


_MPS, _HAMI = "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT", "CUDA_DEVICE_MEMORY_LIMIT"


def _bytes(text: str) -> int | None:
    """2G, 512M, 8g: a size as those settings write it."""
    number = text.strip().casefold().removesuffix("ib").removesuffix("b")
    unit = number[-1:] if number[-1:].isalpha() else ""
    digits = number.removesuffix(unit)
    return int(digits) * _UNITS[unit] if digits.isdecimal() and int(digits) > 0 and unit in _UNITS else None


def _instances(nvml: Any, number: int, card: Gpu, tree: Tree) -> list[_Instance] | None:
    """The instances of a card; None where the driver does not list them."""
    missing = getattr(nvml, "NVMLError_NotFound", None)
    try:
        handle = nvml.nvmlDeviceGetHandleByIndex(number)
    except nvml.NVMLError:
        return None
    most = _asked(nvml, "nvmlDeviceGetMaxMigDeviceCount", handle) or MOST_INSTANCES
    found = []
    refused = ""
    for place in range(most):  # places of instances that were taken away stay empty
        try:
            instance = nvml.nvmlDeviceGetMigDeviceHandleByIndex(handle, place)
        except AttributeError:
            refused = "the nvidia-ml-py that is installed is older than MIG"
        except nvml.NVMLError as error:
            refused = refused if missing is not None and isinstance(error, missing) else str(error)
        else:
            found.append(_Instance(number, _gpu_of(nvml, instance, card)))
    if found or not refused:
        return found
    tree.notes.append(f"The driver does not list the instances of GPU {number} ({shorten(refused, 80)}).")
    return None


def _gpu_of(nvml: Any, instance: Any, card: Gpu) -> Gpu:
    memory = _asked(nvml, "nvmlDeviceGetMemoryInfo", instance)
    total = None if memory is None else int(memory.total)
    attributes = None if total else _asked(nvml, "nvmlDeviceGetAttributes", instance)
    if attributes is not None:
        total = int(attributes.memorySizeMB) * 2**20
    name, uuid = (_asked(nvml, question, instance) for question in ("nvmlDeviceGetName", "nvmlDeviceGetUUID"))
    told = None if name is None else shorten(name)
    return replace(
        _unknown(card),
        name=told if told not in (None, card.name) else _unknown(card).name,
        memory_bytes=total or None,
        uuid=None if uuid is None else str(uuid),
    )


def _unknown(card: Gpu) -> Gpu:
    """An instance of the card, about which no more is known than that."""
    name = None if card.name is None else f"{card.name} MIG"
    return replace(card, name=name, memory_bytes=None, power_limit_watts=None, nvlinks=None, uuid=None)


def _asked(nvml: Any, question: str, handle: Any) -> Any:
    try:
        return getattr(nvml, question)(handle)
    except (AttributeError, nvml.NVMLError):
        return None


def _chosen(named: str | None, gpus: Sequence[Gpu], listed: dict[int, list[_Instance] | None]) -> list[int | _Instance]:
    """Cards by number and instances, in the order of CUDA_VISIBLE_DEVICES; that ends at the first name that means nothing."""
    every = [_of_card(number, listed) for number in range(len(gpus))]
    default = [one for one in every if one is not None]
    instances = [one for found in listed.values() for one in found or ()]
    if named is None:
        return default
    chosen: list[int | _Instance] = []
    for word in (word.strip() for word in named.split(",")):
        one: int | _Instance | None = None
        if word.isdecimal() and int(word) < len(gpus):
            one = every[int(word)]
        elif word.startswith("MIG"):
            own = (inst for inst in instances if inst.gpu.uuid and _is_named(word, inst.gpu.uuid))
            one = next(own, None) or _parent(word, gpus, listed)
        elif word.startswith("GPU"):
            card = next((number for number, gpu in enumerate(gpus) if gpu.uuid and _is_named(word, gpu.uuid)), None)
            one = None if card is None else every[card]
        if one is None:
            break
        chosen.append(one)
    return chosen


def _of_card(number: int, listed: dict[int, list[_Instance] | None]) -> int | _Instance | None:
    """A card, or the first instance of a divided one; None of one that is divided into nothing yet."""
    if number not in listed:
        return number
    found = listed[number]
    return number if found is None else found[0] if found else None


def _is_named(word: str, uuid: str) -> bool:
    """True of a UUID, and of a beginning of one, as CUDA takes it."""
    return len(word) > len("MIG-") and uuid.casefold().startswith(word.casefold())


def _parent(word: str, gpus: Sequence[Gpu], listed: dict[int, list[_Instance] | None]) -> int | None:
    """The divided card of an instance that is not listed: the one in its old name, MIG-GPU-UUID/1/0, or the first."""
    card = word.removeprefix("MIG-").partition("/")[0]
    named = (number for number in listed if _is_named(card, gpus[number].uuid or ""))
    return next(named, next(iter(listed), None))


def _note(gpu: Gpu, number: int, instances: int, cards: int, listed: list[_Instance] | None) -> str:
    told = f"GPU {number} is divided into instances (MIG), and a process sees one of them"
    if gpu.memory_bytes is None:
        how = "Its memory is not known: state it with machine.gpu.memory_bytes, as `nvidia-smi -L` names the instance"
    else:
        how = f"The plan is for {shorten(gpu.name or 'it', 60)}, {gpu.memory_bytes / 2**30:.3g} GiB"
    if instances > 1:
        how += f"; the other {instances - 1} take processes of their own, by CUDA_VISIBLE_DEVICES"
    elif cards > 1 and listed:
        how += "; undivided cards are not seen beside it"
    return f"{told}. {how}."


def pending(cards: Sequence[tuple[int, bool]]) -> str:
    """A note on cards that will be divided, or whole again, after their next reset; each with what it will be."""
    words = [f"GPU {number} {'divided' if divided else 'whole'}" for number, divided in cards]
    return f"After the next reset of the cards another mode of MIG holds: {join_names(words)}."
