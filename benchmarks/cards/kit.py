"""Pack what a machine with Python 3.12, torch and CUDA but without network lacks to run the advisor and its tests.

Takes the versions that are installed here, for x86-64 Linux. `gpu.py` unpacks them beside the machine's own packages.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOTS = ("nn-advisor", "pexpect")
"""Those that are brought with their needs: the program, and what tests marked `gpu` import beside pytest."""
THERE = {"torch", "numpy", "scipy", "scikit-learn", "matplotlib", "pillow", "psutil", "pyyaml", "jinja2"} | {
    *("nvidia-ml-py", "pytest", "pytest-xdist", "hypothesis", "typing-extensions")
}
"""A machine for training has these and what they need."""
PYTHON = "3.12"
GLIBC = (39, 35, 34, 31, 28, 27, 24, 17)
PACKED = "site.tar.xz"
LIMIT_BYTES = 48_000_000
"""Small enough to be carried with a copy of the project."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=Path(".gpu-kit"))
    folder: Path = parser.parse_args().output
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    tags = [*(f"manylinux_2_{number}_x86_64" for number in GLIBC), "manylinux2014_x86_64", "manylinux1_x86_64"]
    words = ["--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:", "--implementation", "cp"]
    words += ["--python-version", PYTHON, *(word for tag in tags for word in ("--platform", tag)), "--no-compile"]
    packed = folder / PACKED
    with tempfile.TemporaryDirectory() as site, tarfile.open(packed, "w:xz") as archive:
        command = [sys.executable, "-m", "pip", "install", *words, "--target", site, *sorted(lacking())]
        subprocess.run(command, check=True)
        archive.add(site, arcname=".")
    size = packed.stat().st_size
    print(f"{packed}: {size / 1e6:.1f} MB")
    if size > LIMIT_BYTES:
        sys.exit(f"{packed}: more than {LIMIT_BYTES / 1e6:.0f} MB. Name what the machine has anyway in THERE.")


def lacking() -> set[str]:
    """NAME==VERSION of all that must be brought, the program itself apart."""
    seen: dict[str, str] = {}
    for root in ROOTS:
        _take(root, seen)
    return {f"{name}=={version}" for name, version in seen.items() if name != ROOTS[0]}


def _take(name: str, seen: dict[str, str]) -> None:
    if name in seen or name in THERE:
        return
    found = distribution(name)
    seen[name] = found.version
    for needed in _needs(found.requires or []):
        _take(needed, seen)


def _needs(lines: list[str]) -> Iterator[str]:
    for requirement in map(Requirement, lines):
        if requirement.marker is None or requirement.marker.evaluate({"extra": "", "python_version": PYTHON}):
            yield canonicalize_name(requirement.name)


if __name__ == "__main__":
    main()
