"""The built wheel in an environment of its own gives the same plan as the checkout, from another folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NEEDED = ("typer", "rich", "pyyaml", "psutil", "platformdirs")
"""What `recommend` needs; torch is not part of it."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    return next(folder.glob("nn_advisor-*.whl"))


def test_rules_and_profiles_ship_in_the_wheel(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    for folder in ("rules", "profiles"):
        shipped = {
            f"advisor/data/{path.relative_to(ROOT).as_posix()}"
            for path in (ROOT / folder).rglob("*.*")
            if path.is_file()
        }
        assert {name for name in names if name.startswith(f"advisor/data/{folder}/")} == shipped
    assert not [name for name in names if name.startswith(("tests/", "benchmarks/"))]


@pytest.mark.slow
def test_the_installed_wheel_gives_the_same_plan_from_another_folder(wheel: Path, tmp_path: Path) -> None:
    environment = tmp_path / "env"
    venv.create(environment, with_pip=True)
    python = environment / "bin" / "python"
    pins = ROOT / "constraints.txt"
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "-c", str(pins), *NEEDED], check=True, timeout=300)
    subprocess.run([*pip, "--no-deps", str(wheel)], check=True, timeout=300)
    arguments = [
        "recommend",
        "--answers",
        str(ROOT / "examples" / "digits.yaml"),
        "--machine",
        "none",
        "--format",
        "json",
    ]
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    environ = {**os.environ, "ADVISOR_CACHE": str(tmp_path / "cache"), "ADVISOR_STATE": str(tmp_path / "state")}

    def plan(program: Path) -> object:
        run = subprocess.run(
            [str(program), *arguments],
            cwd=elsewhere,
            env=environ,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        return json.loads(run.stdout)

    assert plan(environment / "bin" / "advisor") == plan(Path(sys.executable).parent / "advisor")
