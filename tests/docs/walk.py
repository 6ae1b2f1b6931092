"""What somebody types who follows a page of the documentation: its blocks of code, in their order."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PROGRAMS = Path(sys.executable).parent
PATIENCE = 300.0
"""Seconds that a command may take before a test gives up: machines of tests are busy."""
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"[Ss]ave this as `([\w.]+)`|in `house/([\w.]+)`")


def part(page: str, begin: str = "", end: str = "") -> str:
    """The text of a page of docs/ from one heading up to another."""
    text = (DOCS / page).read_text(encoding="utf-8")
    begun = text.index(begin)
    return text[begun : text.index(end, begun + 1) if end else None]


def blocks(text: str, *languages: str) -> Iterator[tuple[str, str]]:
    """Blocks of these languages, with the file that the words before each name last."""
    for found in _BLOCK.finditer(text):
        if found[1] in languages:
            named = _FILE.findall(text[: found.start()])
            yield "".join(named[-1]) if named else "", found[2]


def commands(text: str) -> list[str]:
    return [line for _, block in blocks(text, "sh") for line in block.splitlines() if line]


class Shell:
    """Types commands in a folder, and `cd` as well; nothing is remembered elsewhere."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {
            **os.environ,
            "ADVISOR_STATE": str(folder / "state"),
            "PATH": f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}",
        }

    def type(self, command: str, *allowed: int) -> str:
        """What the command prints; it must end with 0, or with one of the codes that are allowed."""
        words = shlex.split(command)
        if words[0] == "cd":
            self.folder /= words[1]
            return ""
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode in (0, *allowed), f"{command}\n{done.stdout}\n{done.stderr}"
        return done.stdout
