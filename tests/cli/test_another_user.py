"""As another user than the one who installed it, with umask 077 and a checkout that nobody may write to."""

from __future__ import annotations

import os
import shlex
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FACTS = "--set task.kind=classify --set data.modality=tabular --set data.inputs=2 --set task.outputs=2 --set data.examples=200"
LINES = (
    f"recommend {FACTS} --format json --output plan.json",
    "inspect data.csv --target kind",
    "doctor",
    "probe --only memory --budget 6s",
    "try --data data.csv --target kind --budget 6s --output tried.md",
    "report --plan plan.json --format html --output report.html",
    "starter --plan plan.json --output project",
)
STARTS = (
    "import subprocess, sys; subprocess.run([sys.executable, '-P', '-c', 'import advisor, torch, polars'], check=True)"
)
MEASURES = ("probe", "try")
"""On a busy machine there may be no time for them, which they say."""


@dataclass(frozen=True)
class Stranger:
    """A user who has nothing but a folder to work in, and a home."""

    name: str
    checkout: Path
    home: Path
    work: Path
    capability: tuple[str, ...]

    def run(self, *command: str, home: str | None = None) -> subprocess.CompletedProcess[str]:
        """With umask 077, in the folder to work in. `home` is what HOME says; empty for nothing."""
        said = str(self.home) if home is None else home
        variables = {"PATH": os.environ["PATH"], "PYTHONPATH": str(self.checkout), "TMPDIR": str(self.home / "tmp")}
        line = ["setpriv", f"--reuid={self.name}", "--regid=nogroup", "--clear-groups", *self.capability, *command]
        return subprocess.run(
            ["sh", "-c", 'umask 077; exec "$@"', "sh", *line], cwd=self.work, stdin=subprocess.DEVNULL, check=False,
            env={**variables, **({"HOME": said} if said else {})}, capture_output=True, text=True, timeout=500,
        )  # fmt: skip

    def advisor(self, line: str, home: str | None = None) -> subprocess.CompletedProcess[str]:
        return self.run(sys.executable, "-P", "-m", "advisor", *shlex.split(line), home=home)


@pytest.fixture(scope="module")
def checkout() -> Iterator[Path]:
    """A copy of the program that nobody may write to, in a folder that everybody may enter."""
    if sys.platform != "linux" or os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("needs Linux, root and setpriv, to become another user")
    with tempfile.TemporaryDirectory(prefix="advisor-stranger-") as folder:
        base = Path(folder)
        base.chmod(0o755)
        for name in ("advisor", "rules", "profiles"):
            shutil.copytree(ROOT / name, base / "checkout" / name)  # with what is compiled, which is not kept there
        for path in [base / "checkout", *(base / "checkout").rglob("*")]:
            path.chmod(0o555 if path.is_dir() else 0o444)
        yield base / "checkout"


@pytest.fixture(scope="module")
def capability(checkout: Path) -> tuple[str, ...]:
    """What another user needs to run this interpreter."""
    for tried in ((), _MAY_READ):
        with settled(checkout, tried) as user:
            if user.run(sys.executable, "-P", "-c", STARTS).returncode == 0:
                return tried
    pytest.skip("another user cannot run this interpreter, even where it may read everything")


@pytest.fixture
def stranger(checkout: Path, capability: tuple[str, ...]) -> Iterator[Stranger]:
    with settled(checkout, capability) as user:
        yield user


@contextmanager
def settled(checkout: Path, capability: tuple[str, ...]) -> Iterator[Stranger]:
    """Somebody with a home and a folder of data, which are removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="place-", dir=checkout.parent) as folder:
        base = Path(folder)
        base.chmod(0o755)
        for name in ("home", "home/tmp", "work"):
            (base / name).mkdir(mode=0o700)
            shutil.chown(base / name, "nobody", "nogroup")
        rows = "".join(f"{i * 7 % 11},{i * 5 % 13},{'yes' if i * 7 % 11 > i * 5 % 13 else 'no'}\n" for i in range(200))
        (base / "work" / "data.csv").write_text("a,b,kind\n" + rows)
        (base / "work" / "data.csv").chmod(0o444)
        yield Stranger("nobody", checkout, base / "home", base / "work", capability)


_MAY_READ = tuple(f"--{kind}=-all,+dac_read_search" for kind in ("inh-caps", "ambient-caps", "bounding-set"))
"""Reads what the interpreter has in a home of root's, and writes no more than any other user."""


def snapshot(folder: Path) -> dict[str, tuple[int, int]]:
    return {str(path): (path.lstat().st_mtime_ns, path.lstat().st_mode) for path in [folder, *folder.rglob("*")]}


def not_private(user: Stranger) -> list[str]:
    """What was written and can be read by others, or belongs to somebody else."""
    number = user.home.stat().st_uid
    found = []
    for path in (path for folder in (user.home, user.work) for path in folder.rglob("*")):
        seen = path.lstat()
        open_to_others = not stat.S_ISLNK(seen.st_mode) and seen.st_mode & 0o077
        if path.name != "data.csv" and (open_to_others or seen.st_uid != number):
            found.append(f"{path} {stat.filemode(seen.st_mode)} of {seen.st_uid}")
    return found


@pytest.mark.slow
def test_everything_works_and_what_is_written_is_private(stranger: Stranger) -> None:
    before = snapshot(stranger.checkout)
    found = stranger.run(sys.executable, "-P", "-c", "import advisor; print(advisor.__file__)")
    assert found.stdout.startswith(str(stranger.checkout))
    for line in LINES:
        done = stranger.advisor(line)
        assert done.returncode in ((0, 1) if line.startswith(MEASURES) else (0,)), done.stderr
        assert "Traceback" not in done.stderr
    project = stranger.run(sys.executable, "project/test_project.py")
    assert project.returncode == 0, project.stderr
    written = {path.name for path in stranger.work.rglob("*")}
    assert {"plan.json", "report.html", "project", "train.py"} <= written
    assert not_private(stranger) == []
    assert snapshot(stranger.checkout) == before


@pytest.mark.slow
@pytest.mark.parametrize("home", ["/root", ""])
def test_without_a_home_of_its_own_it_says_where_nothing_can_be_kept(stranger: Stranger, home: str) -> None:
    before = snapshot(stranger.checkout)
    for line in (LINES[0], "doctor", LINES[3]):
        done = stranger.advisor(line, home)
        assert done.returncode in (0, 1), done.stderr
        assert "Traceback" not in done.stderr
        assert done.returncode == 0 or "ADVISOR_STATE" in done.stdout + done.stderr or line.startswith(MEASURES), (
            done.stderr
        )
    assert not_private(stranger) == []
    assert snapshot(stranger.checkout) == before
