"""Sources of detection: files below a root, and questions that only a call to the system answers.

Both can be replaced, so that the machines of other people can be replayed from recordings.
"""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from advisor.wording import shorten

_SECONDS = 30.0
"""For a program to answer."""

_BITS = 64
"""Of the largest number that a kernel writes."""


@dataclass(frozen=True)
class Tree:
    """The files below a root, and notes for people on those that exist but cannot be read."""

    root: Path
    notes: list[str] = field(default_factory=list)

    def read(self, path: str) -> str | None:
        """The text of an absolute path, or None where there is none."""
        content = self.read_bytes(path)
        return None if content is None else content.decode("utf-8", errors="replace")

    def read_bytes(self, path: str) -> bytes | None:
        """The content of an absolute path, or None where there is none."""
        try:
            return self.at(path).read_bytes()
        except (FileNotFoundError, NotADirectoryError, ValueError):  # ValueError: a null character in the name
            return None
        except OSError as error:
            self.notes.append(f"{path} cannot be read ({error.strerror or type(error).__name__}).")
            return None

    def read_word(self, path: str) -> str | None:
        """The first line of a file without blanks around it, None where it is empty or missing."""
        lines = (self.read(path) or "").strip().splitlines()
        return shorten(lines[0].strip(), 200) if lines else None

    def read_integer(self, path: str) -> int | None:
        text = self.read(path)
        return None if text is None else whole_number(text)

    def names(self, folder: str) -> tuple[str, ...]:
        """The sorted names in a folder; none where the folder is missing or closed to us."""
        try:
            return tuple(sorted(entry.name for entry in self.at(folder).iterdir()))
        except (OSError, ValueError):
            return ()

    def exists(self, path: str) -> bool:
        try:
            self.at(path).stat()
        except (OSError, ValueError):
            return False
        return True

    def at(self, path: str) -> Path:
        return self.root / path.lstrip("/")


MOST_NUMBERS = 65536
"""More hardware threads than any kernel counts; a damaged list must not fill the memory."""


def number_list(text: str | None) -> tuple[int, ...] | None:
    """The kernel's way to write sets of processors: `0-3,8` is 0, 1, 2, 3 and 8. None for anything else."""
    numbers: set[int] = set()
    for part in (text or "").strip().split(","):
        first, dash, last = part.partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()) or len(part) > 20:
            return None
        low, high = int(first), int(last or first)
        if high < low or high >= MOST_NUMBERS:
            return None
        numbers.update(range(low, high + 1))
    return tuple(sorted(numbers))


def pairs(text: str | None, separator: str = ":") -> Iterator[tuple[str, str]]:
    """Both sides of each line that is divided, without blanks around them: `MemTotal:   16 kB`."""
    for line in (text or "").splitlines():
        key, mark, value = line.strip().partition(separator)
        if mark:
            yield key.strip(), value.strip()


def whole_number(text: str) -> int | None:
    """`0x1f` and `31` alike, or None for anything else: `max`, an empty file, more bits than a kernel writes."""
    try:
        number = int(text.strip(), 0)
    except ValueError:
        return None
    return number if number.bit_length() <= _BITS else None


def memory_lines(tree: Tree, path: str = "/proc/meminfo") -> dict[str, int]:
    """The lines of a file like /proc/meminfo (proc(5)), in bytes."""
    found: dict[str, int] = {}
    for key, value in pairs(tree.read(path)):
        kibibytes = whole_number(value.removesuffix("kB"))
        if key and kibibytes is not None and kibibytes >= 0:
            found[key.split()[-1]] = kibibytes * 1024  # `Node 0 MemTotal` below /sys, `MemTotal` below /proc
    return found


class Host:
    """The answers of this computer's operating system to calls. None always means that it does not say."""

    @property
    def system(self) -> str:
        """Linux, Darwin or Windows."""
        return platform.system()

    @property
    def architecture(self) -> str:
        """x86_64, arm64, ..."""
        return platform.machine()

    def affinity(self) -> frozenset[int] | None:
        """The numbers of the hardware threads that this process may run on."""
        if hasattr(os, "sched_getaffinity"):
            return frozenset(os.sched_getaffinity(0))
        import psutil  # 9 ms, only where /proc does not answer

        process = psutil.Process()
        return frozenset(process.cpu_affinity()) if hasattr(process, "cpu_affinity") else None

    def logical_cores(self) -> int | None:
        return os.cpu_count()

    def physical_cores(self) -> int | None:
        import psutil  # 9 ms

        return psutil.cpu_count(logical=False)

    def memory_bytes(self) -> int | None:
        import psutil  # 9 ms

        return psutil.virtual_memory().total

    def sysctl(self, name: str) -> str | None:
        """A value of the kernel of macOS."""
        from advisor.children.command import answer, program_command  # only on a Mac

        return answer(program_command("/usr/sbin/sysctl", "-n", name), _SECONDS)

    def cpuid(self) -> tuple[str, Set[str]] | None:
        """The processor's name and flags, asked of itself: slow, for systems without /proc.

        In a process of its own, since it starts others, by names that are looked for along the search path.
        """
        # Over a second: only where there is no /proc/cpuinfo.
        from advisor.children.command import answer, module_command

        try:
            said: dict[str, Any] = json.loads(answer(module_command("cpuinfo", arguments=["--json"]), _SECONDS) or "")
        except ValueError:
            return None
        return str(said.get("brand_raw", "")), frozenset(said.get("flags", ()))

    def nvml(self) -> Any | None:
        """The module pynvml, not yet initialised."""
        try:
            import pynvml  # 12 ms, only where there are traces of a driver
        except ImportError:
            return None
        return pynvml

    def environment(self, name: str) -> str | None:
        return os.environ.get(name)

    def name(self) -> str | None:
        return platform.node() or None

    def kernel(self) -> str | None:
        """The release of the operating system's kernel."""
        return platform.release() or None

    def real_path(self, path: str) -> str | None:
        """The absolute path without links; of the nearest folder above, where there is nothing yet."""
        try:
            place = Path(path).resolve()
            while not place.exists() and place != place.parent:
                place = place.parent
        except (OSError, ValueError, RuntimeError):
            return None
        return str(place)

    def space(self, path: str) -> tuple[int, int] | None:
        """Bytes in all and free for this user, on what holds the path."""
        import shutil  # 2 ms

        try:
            usage = shutil.disk_usage(path)
        except (OSError, ValueError):
            return None
        return usage.total, usage.free
