"""Records this machine: python -m tests.machine.record > tests/machine/recordings/NAME.txt

Writes what detection and its closer look read of /proc and /sys, in the form that `recorded.py` unpacks. Look through it before
you give it away: mounts and control groups name people's folders and jobs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from advisor.machine.detection.detection import detect, look_closer
from advisor.machine.host import Tree

_MEMORY_BLOCK = re.compile(r"memory\d+")
"""Links of a NUMA node to its memory, of which nobody asks and there are hundreds."""


@dataclass(frozen=True)
class RecordingTree(Tree):
    """The files of this machine, which remembers what was read of them."""

    seen: dict[str, None] = field(default_factory=dict)

    def at(self, path: str) -> Path:
        self.seen[path] = None
        return super().at(path)


def recording() -> str:
    tree = RecordingTree(Path("/"))
    look_closer(detect(tree), tree, folders=["/"])
    sections = [section for path in tree.seen for section in _sections(Path(path))]
    return "".join(dict.fromkeys(sections))


def _sections(path: Path) -> list[str]:
    """A file with its text, a link with its target; for a folder, the links in it."""
    if path.is_symlink():
        return [f">>> {path} -> {path.readlink()}\n"]
    if path.is_dir():
        links = (
            link for link in sorted(path.iterdir()) if link.is_symlink() and not _MEMORY_BLOCK.fullmatch(link.name)
        )
        return [f">>> {link} -> {link.readlink()}\n" for link in links]
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return []
    own = path.parent if path.is_relative_to("/proc") else path.parent.resolve()  # /proc/self stays itself
    return [f">>> {own / path.name}\n{text}" + ("" if text.endswith("\n") or not text else "\n")]


if __name__ == "__main__":
    print(recording(), end="")
