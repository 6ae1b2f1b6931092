"""Check one room within a minute: ruff, mypy, and its tests without those that take long.

    python tests/quick.py probes

A room is a folder or a file of advisor/; its tests lie in tests/ROOM or in files named test_ROOM.py. `rules` and
`profiles` are rooms too. The words of the whole house are tested with every room.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROGRAMS = Path(sys.executable).parent
DATA = {"rules": "knowledge", "profiles": "machine"}
"""Rooms beside advisor/, and the tests of each."""
EVERYWHERE = ("tests/docs/test_words.py",)
"""Tests of every room."""


def rooms(root: Path = ROOT) -> list[str]:
    """Folders with modules, modules beside them, and the data."""
    package = root / "advisor"
    folders = [path.name for path in package.iterdir() if path.is_dir() and any(path.glob("*.py"))]
    modules = [path.stem for path in package.glob("*.py") if not path.stem.startswith("__")]
    return sorted([*folders, *modules, *(name for name in DATA if (root / name).is_dir())])


def paths_of_tests(room: str, root: Path = ROOT) -> list[Path]:
    folder = root / "tests" / DATA.get(room, room)
    files = [path for path in sorted((root / "tests").rglob(f"test_{room}.py")) if folder not in path.parents]
    return [*([folder] if folder.is_dir() else []), *files]


def steps(room: str, root: Path = ROOT) -> list[list[str]]:
    """The commands in their order."""
    program = str(PROGRAMS)
    found = [
        [f"{program}/ruff", "format", "--check", "."],
        [f"{program}/ruff", "check", "."],
        [f"{program}/mypy"],
    ]
    if room == "rules":
        found += [[f"{program}/advisor", "rules", "check"], [f"{program}/advisor", "rules", "test"]]
    words = [path for path in EVERYWHERE if (root / path).is_file()]
    tests = list(dict.fromkeys([*words, *(str(path.relative_to(root)) for path in paths_of_tests(room, root))]))
    return [*found, [f"{program}/pytest", "-n", "2", "--dist", "worksteal", *tests]] if tests else found


def main(arguments: Sequence[str]) -> int:
    known = rooms()
    if len(arguments) != 1 or arguments[0] not in known:
        told = f"There is no room {' '.join(arguments)}. " if arguments else ""
        print(f"{told}Write `make quick ROOM=probes` with one of: {', '.join(known)}.", file=sys.stderr)
        return 2
    room = arguments[0]
    codes = [subprocess.run(command, cwd=ROOT, check=False).returncode for command in steps(room)]
    if not paths_of_tests(room):
        print(f"There are no tests in tests/{room}, and none named test_{room}.py.", file=sys.stderr)
    return max(codes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
