"""Programs of a project, run in processes of their own that have their libraries already."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import torch

ZYGOTE = Path(__file__).with_name("zygote.py")
VARYING = {"seconds", "seconds_left", "examples_per_second", "time"}
"""Figures of a line of metrics that depend on the clock."""


class Runs:
    """Runs programs with a Python that imports their libraries once."""

    def __init__(self, python: Path | str = sys.executable) -> None:
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        alone = {
            "OMP_NUM_THREADS": "1",
            "HF_HUB_OFFLINE": "1",
            "TORCH_HOME": "/nowhere",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        self.process = subprocess.Popen(
            [str(python), str(ZYGOTE)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=kept | alone, text=True
        )
        self.said = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(600)
        assert self.process.stdout is not None
        self.process.stdout.close()

    def run(self, folder: Path, line: str, **more: Any) -> int:
        """The exit status of `FILE ARGUMENTS`; `at` and `signal` stop it, and `self.said` is what it said."""
        words = folder / "said.txt"
        words.unlink(missing_ok=True)
        request = {"folder": str(folder), "arguments": line.split(), "said": str(words), **more}
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        self.said = words.read_text(errors="replace") if words.exists() else ""
        assert answer, f"it ended: {self.said}"
        status: int = json.loads(answer)
        return status

    def instants(self, folder: Path, line: str) -> list[str]:
        """The places of all lines of code that change files or count steps, in the order in which they are executed."""
        places = folder / "places.json"
        assert self.run(folder, line, at=-1, places=str(places)) == 0, self.said
        found: list[str] = json.loads(places.read_text())
        return found


def results(folder: Path) -> dict[str, Any]:
    """All that a training leaves in this folder, by its name, but for what depends on the clock."""
    found: dict[str, Any] = {}
    for path in sorted(file for file in folder.rglob("*") if file.is_file() and file.suffix != ".unfinished"):
        name = path.relative_to(folder).as_posix()
        if path.suffix == ".pt":
            found[name] = torch.load(path, weights_only=True)
        elif path.name == "metrics.jsonl":
            lines = [json.loads(line) for line in path.read_text().splitlines()]
            found[name] = [{key: value for key, value in line.items() if key not in VARYING} for line in lines]
        elif path.suffix == ".skops":
            found[name] = "there"  # it holds addresses of objects; what it predicts is compared instead
        else:
            found[name] = path.read_bytes()
    return found


def differences(one: Any, other: Any, where: str = "") -> list[str]:
    """The places at which two results differ by even one bit."""
    if isinstance(one, dict) and isinstance(other, dict):
        missing = [f"{where}/{key}: only in one" for key in one.keys() ^ other.keys()]
        return missing + [
            said for key in one.keys() & other.keys() for said in differences(one[key], other[key], f"{where}/{key}")
        ]
    if isinstance(one, list | tuple) and isinstance(other, list | tuple) and len(one) == len(other):
        return [
            said for n, pair in enumerate(zip(one, other, strict=True)) for said in differences(*pair, f"{where}/{n}")
        ]
    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        return [] if torch.equal(one, other) else [where]
    if isinstance(one, bytes) and isinstance(other, bytes) and one.startswith(b"PK"):
        return []  # an archive of skops, which holds the time and addresses of objects
    return [] if one == other or (one != one and other != other) else [f"{where}: {one!r:.60} and {other!r:.60}"]
