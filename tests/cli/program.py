"""Runs the real program in a child process, as a shell would."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from advisor.facts.verdict import Verdict
from advisor.plain import encode
from advisor.survey.judged_claims import Simulated
from advisor.survey.standard import STANDARDS, VERSION

PROGRAM = [sys.executable, "-m", "advisor"]


@dataclass(frozen=True)
class Finished:
    code: int
    out: str
    err: str

    @property
    def said(self) -> str:
        """What stands on stderr, on one line."""
        return " ".join(self.err.split())


@cache
def _cache_folder() -> str:
    """One cache of the rule base for all tests, so that it is checked once."""
    folder = tempfile.mkdtemp(prefix="advisor-tests-")
    keep_standards(Path(folder, "state"))
    return folder


def keep_standards(state: Path) -> None:
    """Made-up findings of the standard simulations, which take `rules trial` a minute: tests/survey has the real ones."""
    found = {
        claim: encode(Simulated(Verdict.UNDECIDED, "Made up.", "none", "2026-11-20T00:00:00+00:00"))
        for claim in STANDARDS
    }
    state.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = state / "standard-simulations.json"
    file.write_text(json.dumps({"schema": "advisor/standard-simulations/1", "version": VERSION, "found": found}))
    file.chmod(0o600)


def environment(**changed: str) -> dict[str, str]:
    """A plain one: no terminal, no user's settings, nothing kept between runs but the cache of rules."""
    kept = {
        name: os.environ[name] for name in ("PATH", "PYTHONPATH", "LANG", "LC_ALL", "SYSTEMROOT") if name in os.environ
    }
    private = {"ADVISOR_CACHE": _cache_folder(), "ADVISOR_STATE": f"{_cache_folder()}/state", "HOME": _cache_folder()}
    return {**kept, "PYTHONUTF8": "1", **private, **changed}


def advisor(*arguments: str | Path, env: Mapping[str, str] | None = None, cwd: Path | None = None) -> Finished:
    """Runs it to its end without a terminal."""
    done = subprocess.run(
        [*PROGRAM, *map(str, arguments)],
        env=environment(**(env or {})),
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    return Finished(done.returncode, done.stdout, done.stderr)


def refused(*arguments: str | Path, env: Mapping[str, str] | None = None) -> str:
    """What it says of bad input: one message on stderr, nothing on stdout, exit code 2, no traceback."""
    done = advisor(*arguments, env=env)
    assert (done.code, done.out) == (2, ""), done
    assert "Traceback" not in done.err
    return done.said
