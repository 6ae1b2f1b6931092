"""Device profiles as files: one YAML for each device, in profiles/devices or a sub-folder of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from advisor import safe_yaml
from advisor.errors import InputError, Problem, did_you_mean
from advisor.machine.detection.processor import CPU_FEATURES
from advisor.machine.profiles.devices import (
    PEAK_UNIT,
    UNITS,
    DeviceProfile,
    Figure,
    Precision,
)
from advisor.reading import Reader
from advisor.resources import device_files
from advisor.wording import shorten

_BACKENDS = ("none", "cuda", "rocm", "mps", "xpu")
_KEYS = (
    "name",
    "title",
    "kind",
    "backend",
    "aliases",
    "features",
    "note",
    "sources",
    "figures",
    "peak_flops",
)
_FIGURE_KEYS = ("value", "unit", "verified", "source", "note", "bound")


def find_device(name: str, devices: Mapping[str, DeviceProfile] | None = None) -> DeviceProfile | None:
    """The profile that has this name or alias (`NVIDIA A100-SXM4-80GB`), or None: similar is not the same.

    Looks among `devices`, by default those that ship with the advisor.
    """
    wanted = normalised(name)
    known = _shipped_devices() if devices is None else devices
    return next((device for device in known.values() if wanted in _names(device)), None)


@cache  # 20 ms
def _shipped_devices() -> Mapping[str, DeviceProfile]:
    return load_devices()


def normalised(name: str) -> str:
    """Writers disagree on case, on blanks, hyphens and underscores, and on whether NVIDIA comes first."""
    return re.sub(r"[\s_-]+", "-", name.strip().casefold()).removeprefix("nvidia-")


def _names(device: DeviceProfile) -> set[str]:
    return {normalised(name) for name in (device.name, *device.aliases)}


def load_devices(folder: Path | None = None) -> dict[str, DeviceProfile]:
    """All profiles of a folder and its sub-folders, or those that ship with the advisor, by name.

    Raises:
        InputError: with every problem of every file, each with file and line.
    """
    problems: list[Problem] = []
    devices: dict[str, DeviceProfile] = {}
    owners: dict[str, str] = {}
    for path in device_files(folder):
        try:
            device = load_device(path)
        except InputError as error:
            problems += error.problems
            continue
        for name in sorted(_names(device)):
            if name in owners:
                what = f"the name {name} belongs to {owners[name]} already."
                problems.append(Problem(str(path), what, "A name stands for one device."))
            owners[name] = device.name
        devices[device.name] = device
    if problems:
        raise InputError("The device profiles cannot be used", problems)
    return devices


def load_device(path: Path) -> DeviceProfile:
    """One profile. Raises InputError with every problem of the file, each with its line."""
    root = safe_yaml.load_file(path)
    reader = Reader(str(path))
    profile = _device(reader, root, path.stem)
    if profile is None or reader.problems:
        raise InputError("This device profile cannot be used", reader.problems)
    return profile


def _device(reader: Reader, root: safe_yaml.Node | None, stem: str) -> DeviceProfile | None:
    node = reader.mapping(root, "a device profile", _KEYS)
    if node is None:
        return None
    name = reader.text(node, "name", "a device profile", required=True)
    if name and name != stem:
        reader.note(node.items["name"].line, f"the name {name} and the file {stem}.yaml differ.", "Make them one.")
    sources = dict(reader.named_texts(node, "sources", name))
    figures = _figures(reader, node, "figures", UNITS, sources)
    peaks = _figures(reader, node, "peak_flops", dict.fromkeys(Precision, PEAK_UNIT), sources)
    return reader.record(
        DeviceProfile,
        node,
        name,
        required=("title",),
        name=name,
        backend=reader.choice(node, "backend", name, _BACKENDS, default="none"),
        features=_features(reader, node, name),
        peak_flops=MappingProxyType({Precision(key): figure for key, figure in peaks.items()}),
        **{key: figures.get(key) for key in UNITS},
    )


def _features(reader: Reader, node: safe_yaml.Mapping, name: str) -> frozenset[str]:
    features = reader.texts(node, "features", name)
    for feature in features:
        if feature not in CPU_FEATURES:
            line = node.key_lines["features"]
            reader.note(line, f"{shorten(feature)} is no feature.", did_you_mean(feature, CPU_FEATURES))
    return frozenset(features)


def _figures(
    reader: Reader, node: safe_yaml.Mapping, key: str, units: Mapping[str, str], sources: Mapping[str, str]
) -> dict[str, Figure]:
    inner = reader.mapping(node.items[key], key, units) if key in node.items else None
    if inner is None:
        return {}
    read = {name: _figure(reader, inner, name, units[name], sources) for name in units if name in inner.items}
    return {name: figure for name, figure in read.items() if figure is not None}


def _figure(
    reader: Reader, parent: safe_yaml.Mapping, name: str, unit: str, sources: Mapping[str, str]
) -> Figure | None:
    node = reader.mapping(parent.items[name], name, _FIGURE_KEYS)
    if node is None:
        return None
    reader.choice(node, "unit", name, [unit])
    value = reader.number(node, "value", name, default=0.0)
    if value <= 0:
        reader.note(node.line, f"{name} needs a value above zero.", "Leave out what is not known.")
    source = reader.text(node, "source", name, required=True)
    if source and source not in sources:
        reader.note(node.items["source"].line, f"{name}: no source is called {shorten(source)}.", "List it.")
    return reader.record(Figure, node, name, value=value, unit=unit, source=sources.get(source, ""))
