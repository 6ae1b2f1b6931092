"""Where detection gets its answers: files below a root, and questions that only a call to the system answers.

Both can be replaced, so that the machines of other people can be replayed from recordings.
"""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol


@dataclass(frozen=True)
class Tree:
    """The files below a root, and notes for people on those that exist but cannot be read."""

    root: Path
    notes: list[str] = field(default_factory=list)

    def read(self, path: str) -> str | None:
        """The text of an absolute path, or None where there is none."""
        try:
            return self.at(path).read_text(encoding="utf-8", errors="replace")
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            self.notes.append(f"{path} cannot be read ({error.strerror or type(error).__name__}).")
            return None

    def read_integer(self, path: str) -> int | None:
        text = self.read(path)
        return None if text is None else whole_number(text)

    def names(self, folder: str) -> tuple[str, ...]:
        """The sorted names in a folder; none where the folder is missing or closed to us."""
        try:
            return tuple(sorted(entry.name for entry in self.at(folder).iterdir()))
        except OSError:
            return ()

    def exists(self, path: str) -> bool:
        try:
            self.at(path).stat()
        except OSError:
            return False
        return True

    def at(self, path: str) -> Path:
        return self.root / path.lstrip("/")


def whole_number(text: str) -> int | None:
    """`0x1f` and `31` alike, or None for anything else (`max`, an empty file)."""
    try:
        return int(text.strip(), 0)
    except ValueError:
        return None


class Host(Protocol):
    """What the operating system answers to calls. None always means that it does not say."""

    @property
    def system(self) -> str:
        """Linux, Darwin or Windows."""

    @property
    def architecture(self) -> str:
        """x86_64, arm64, ..."""

    def affinity(self) -> int | None:
        """The number of hardware threads that this process may run on."""

    def logical_cores(self) -> int | None: ...

    def physical_cores(self) -> int | None: ...

    def memory_bytes(self) -> int | None: ...

    def sysctl(self, name: str) -> str | None:
        """A value of the kernel of macOS."""

    def cpuid(self) -> tuple[str, Set[str]] | None:
        """The processor's name and flags, asked of itself: slow, for systems without /proc."""

    def nvml(self) -> Any | None:
        """The module pynvml, not yet initialised."""

    def environment(self, name: str) -> str | None: ...


class ThisHost:
    """The computer that this program runs on."""

    @property
    def system(self) -> str:
        return platform.system()

    @property
    def architecture(self) -> str:
        return platform.machine()

    def affinity(self) -> int | None:
        if hasattr(os, "sched_getaffinity"):
            return len(os.sched_getaffinity(0))
        import psutil  # 20 ms, only where /proc does not answer

        process = psutil.Process()
        return len(process.cpu_affinity()) if hasattr(process, "cpu_affinity") else None

    def logical_cores(self) -> int | None:
        return os.cpu_count()

    def physical_cores(self) -> int | None:
        import psutil

        return psutil.cpu_count(logical=False)

    def memory_bytes(self) -> int | None:
        import psutil

        return psutil.virtual_memory().total

    def sysctl(self, name: str) -> str | None:
        try:
            command = ["sysctl", "-n", name]
            answer = subprocess.run(command, capture_output=True, text=True, timeout=5, check=True)
        except (OSError, subprocess.SubprocessError):
            return None
        return answer.stdout.strip() or None

    def cpuid(self) -> tuple[str, Set[str]] | None:
        try:
            import cpuinfo  # over a second
        except ImportError:
            return None
        answer: dict[str, Any] = cpuinfo.get_cpu_info()
        return str(answer.get("brand_raw", "")), frozenset(answer.get("flags", ()))

    def nvml(self) -> Any | None:
        try:
            import pynvml  # 25 ms, only where there are traces of a driver
        except ImportError:
            return None
        return pynvml

    def environment(self, name: str) -> str | None:
        return os.environ.get(name)
