"""Runs `advisor`, and holds it right before or after a call of its own, until somebody has done what he wants to do there.

    python aimed.py FOLDER MODULE:FUNCTION before|after NUMBER ARGUMENT...

The program makes the file FOLDER/reached at the call of that number, and goes on when there is FOLDER/go.
"""

from __future__ import annotations

import functools
import importlib
import itertools
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

LONGEST = 60.0
"""Seconds that it waits at most."""


def held(function: Callable[..., Any], folder: Path, when: str, number: int) -> Callable[..., Any]:
    calls = itertools.count(1)

    @functools.wraps(function)
    def holding(*args: Any, **keys: Any) -> Any:
        here = next(calls) == number
        if here and when == "before":
            hold(folder)
        result = function(*args, **keys)
        if here and when == "after":
            hold(folder)
        return result

    return holding


def hold(folder: Path) -> None:
    (folder / "reached").touch()
    until = time.monotonic() + LONGEST
    while not (folder / "go").exists() and time.monotonic() < until:
        time.sleep(0.005)


def main() -> None:
    _, folder, named, when, number, *arguments = sys.argv
    module, _, function = named.partition(":")
    owner = importlib.import_module(module)
    setattr(owner, function, held(getattr(owner, function), Path(folder), when, int(number)))
    sys.argv = ["advisor", *arguments]
    from advisor.cli.main import main as advisor

    advisor()


if __name__ == "__main__":
    del sys.path[0]
    main()
