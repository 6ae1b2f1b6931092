"""A folder of modules and settings that leave a mark when anything runs or reads them."""

from __future__ import annotations

from pathlib import Path

MODULES = (
    *(
        "advisor",
        "torch",
        "yaml",
        "json",
        "numpy",
        "polars",
        "sitecustomize",
        "usercustomize",
        "typer",
        "rich",
        "click",
    ),
    *("textual", "jinja2", "matplotlib", "psutil", "platformdirs", "pynvml", "cpuinfo", "scipy", "joblib", "PIL"),
    *("pickle", "random", "secrets", "tempfile", "subprocess", "socket", "select", "shutil", "platform", "ctypes"),
    *("logging", "hashlib", "queue", "signal", "string", "statistics", "datetime", "decimal", "csv", "zipfile"),
    *("_distutils_hack", "distutils", "setuptools", "triton", "sympy", "networkx", "filelock", "threadpoolctl"),
)
"""None that `python -m` itself imports before it comes to a module of ours."""
PACKAGES = ("sklearn", "mpl_toolkits")
_TRAP = """
import pathlib
with open({marks!r}, "a") as marks:
    marks.write({name!r} + "\\n")
raise SystemExit(99)
"""


def trapped(folder: Path) -> Path:
    """The folder, made, with traps in it."""
    folder.mkdir(parents=True)
    for name in (*(f"{module}.py" for module in MODULES), *(f"{package}/__init__.py" for package in PACKAGES)):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(_TRAP.format(marks=str(_marks(folder)), name=name))
    (folder / "matplotlibrc").write_bytes(b"text.usetex: True\nbackend: module://torch\n\xff\xfe no text\n")
    return folder


def sprung(folder: Path) -> list[str]:
    """The traps in it that were sprung, each once."""
    marks = _marks(folder)
    return sorted(set(marks.read_text().splitlines())) if marks.exists() else []


def _marks(folder: Path) -> Path:
    return folder / "MARKS"
