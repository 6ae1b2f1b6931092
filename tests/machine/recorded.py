"""Stand-ins for machines that are not here: recorded files, and answers of the system."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from advisor.machine.detection.detection import Machine, detect, look_closer
from advisor.machine.host import Tree, number_list

RECORDINGS = Path(__file__).parent / "recordings"


@dataclass(frozen=True)
class RecordedHost:
    """Answers as they were recorded; everything not recorded is unknown, as on a host that does not say."""

    system: str = "Linux"
    architecture: str = "x86_64"
    threads_by_affinity: int | Set[int] | None = None
    """How many threads, counted from 0, or which"""
    threads: int | None = None
    cores: int | None = None
    memory: int | None = None
    sysctls: Mapping[str, str] = field(default_factory=dict)
    processor: tuple[str, Set[str]] | None = None
    driver: Any = None
    variables: Mapping[str, str] = field(default_factory=dict)
    host_name: str | None = None
    release: str | None = None
    spaces: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    def affinity(self) -> frozenset[int] | None:
        allowed = self.threads_by_affinity
        return None if allowed is None else frozenset(range(allowed) if isinstance(allowed, int) else allowed)

    def logical_cores(self) -> int | None:
        return self.threads

    def physical_cores(self) -> int | None:
        return self.cores

    def memory_bytes(self) -> int | None:
        return self.memory

    def sysctl(self, name: str) -> str | None:
        return self.sysctls.get(name)

    def cpuid(self) -> tuple[str, Set[str]] | None:
        return self.processor

    def nvml(self) -> Any | None:
        return self.driver

    def environment(self, name: str) -> str | None:
        return self.variables.get(name)

    def name(self) -> str | None:
        return self.host_name

    def kernel(self) -> str | None:
        return self.release

    def real_path(self, path: str) -> str | None:
        return path

    def space(self, path: str) -> tuple[int, int] | None:
        return self.spaces.get(path)


def recorded_machine(name: str, **answers: Any) -> Machine:
    """Detection run on a recording."""
    return detect(unpacked(name), RecordedHost(**answers))


def examined_machine(name: str, folders: Sequence[str] = (), **answers: Any) -> Machine:
    """Detection and the closer look run on a recording."""
    place, host = unpacked(name), RecordedHost(**answers)
    return look_closer(detect(place, host), place, host, folders)


_UNPACKED = TemporaryDirectory(prefix="advisor-recordings-")


@cache
def unpacked(name: str) -> Path:
    """A folder that holds the files of a recording; an empty one for a machine without files."""
    root = Path(_UNPACKED.name) / name
    root.mkdir()
    file = RECORDINGS / f"{name}.txt"
    if file.exists():
        unpack(file.read_text(encoding="utf-8"), root)
    return root


def unpack(text: str, root: Path) -> None:
    """Puts the files of a recording below a folder."""
    for section in text.split(">>> ")[1:]:
        header, _, content = section.partition("\n")
        source, _, target = header.partition(" -> ")
        for path in (root / one.lstrip("/") for word in source.split() for one in _expanded(word)):
            path.parent.mkdir(parents=True, exist_ok=True)
            if target:
                path.symlink_to(target)
            else:
                path.write_text(content, encoding="utf-8")


def _expanded(path: str) -> Iterator[str]:
    """`cpu{0-3,8}` is cpu0, cpu1, cpu2, cpu3 and cpu8."""
    before, braces, after = re.fullmatch(r"([^{]*)(?:\{([^}]*)\})?(.*)", path).groups()  # type: ignore[union-attr]
    if braces is None:
        yield path
        return
    for number in number_list(braces) or ():
        yield f"{before}{number}{after}"


class _ClosedPath(type(Path())):  # type: ignore[misc]
    """A file that exists and may not be read; tests may run as an administrator, to whom modes mean nothing."""

    def read_text(self, *_: Any, **__: Any) -> str:
        raise PermissionError(13, "Permission denied")

    def read_bytes(self) -> bytes:
        raise PermissionError(13, "Permission denied")

    def iterdir(self) -> Iterator[Path]:
        raise PermissionError(13, "Permission denied")


@dataclass(frozen=True)
class ClosedTree(Tree):
    """A tree in which everything below some folders is closed to us."""

    closed: tuple[str, ...] = ()

    def at(self, path: str) -> Path:
        real = super().at(path)
        return _ClosedPath(real) if path.startswith(self.closed) and real.exists() else real
