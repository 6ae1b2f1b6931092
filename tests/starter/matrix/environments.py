"""Environments that hold what a requirements.txt names, and nothing else."""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
import sys
from pathlib import Path

FOLDER = Path(os.environ.get("NIGHTLY_ENVIRONMENTS", Path(__file__).parents[3] / "build" / "nightly"))
"""Where they stay from one night to the next: one for each set of requirements."""
TORCH = "torch==2.13.0"
"""The CPU build; without a version pip would bring gigabytes of CUDA."""


def python_with(requirements: Path) -> Path:
    """The Python of an environment with these requirements, which is made where it is not there yet."""
    text = requirements.read_text()
    name = hashlib.sha256("\n".join(sorted(text.split())).encode()).hexdigest()[:12]
    folder, python = FOLDER / name, FOLDER / name / "bin" / "python"
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "ready").exists():
            subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
            pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
            also = [TORCH] if "torch" in text else []
            subprocess.run([*pip, "-r", str(requirements), *also], check=True)
            (folder / "ready").touch()
    return python
