"""Run cases that were kept once more: python -m tests.fuzz build/fuzz/failed/answers/0-17"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from .case import load
from .formats import formats
from .surviving import End, survive


def main(folders: list[str]) -> int:
    failed = 0
    for folder in map(Path, folders):
        format_ = formats().get(folder.resolve().parent.name)
        with tempfile.TemporaryDirectory() as place:
            outcome = survive(load(folder), Path(place) / "case", format_)
        failed += outcome.end is End.FAILED
        print(f"{folder}: {outcome.end}\n{outcome}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
