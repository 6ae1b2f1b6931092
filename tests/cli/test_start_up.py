"""What a start does not import: start-up is a feature."""

from __future__ import annotations

import subprocess
import sys

import pytest

from .program import environment

HEAVY = ("torch", "sklearn", "polars", "numpy", "pandas", "scipy", "textual", "matplotlib", "z3")
SCRIPT = """
import sys
sys.argv = ["advisor", *sys.argv[1:]]
from advisor.cli.main import main
try:
    main()
except SystemExit as exit_:
    assert exit_.code == 0, exit_.code
print(*sorted({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
"""


def imported_by(*arguments: str) -> set[str]:
    """The top-level packages that are loaded when the command has done its work."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *arguments],
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    return set(done.stderr.split())


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["recommend", "--set", "data.modality=image"],
        ["recommend", "--set", "data.modality=image", "--format", "markdown"],
        ["recommend", "--set", "data.modality=image", "--format", "json"],
        ["explain", "network.type"],
        ["glossary"],
        ["profiles", "list"],
        ["rules", "list"],
    ],
)
def test_no_command_that_only_thinks_loads_a_heavy_library(arguments: list[str]) -> None:
    assert not imported_by(*arguments) & set(HEAVY)


def test_help_loads_neither_rich_nor_the_rules() -> None:
    imported = imported_by("--help")
    assert not imported & {"rich", "yaml", "platformdirs", "psutil", "pynvml"}


def test_a_plan_is_printed_without_rich() -> None:
    assert "rich" not in imported_by("recommend", "--machine", "none")
