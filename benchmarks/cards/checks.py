"""Run the tests marked `gpu` one after the other; those that have ended in an earlier run are not run again."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MARK = "pytest.mark.gpu"


class Journal:
    """Each test as it begins and as it ends, in a file that outlives a kill."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.ended: dict[str, dict[str, object]] = {}
        self.begun: set[str] = set()
        if path.exists():
            for line in path.read_text().splitlines():
                self._take(json.loads(line))

    def _take(self, entry: dict[str, object]) -> None:
        name = str(entry["test"])
        self.begun.add(name)
        if "outcome" in entry:
            self.ended[name] = entry

    def _write(self, **entry: object) -> None:
        with self.path.open("a") as file:
            file.write(json.dumps(entry) + "\n")
        self._take(entry)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """What hung last time comes last."""
        gone = [item for item in items if item.nodeid in self.ended]
        items[:] = sorted((item for item in items if item not in gone), key=lambda item: item.nodeid in self.begun)
        config.hook.pytest_deselected(items=gone)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._write(test=nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or report.outcome != "passed":
            said = report.longreprtext[-2000:] if report.failed else ""
            self._write(test=report.nodeid, outcome=report.outcome, seconds=round(report.duration, 2), said=said)

    def summary(self) -> dict[str, object]:
        return {"tests": list(self.ended.values()), "not_ended": sorted(self.begun - self.ended.keys())}


def marked(folder: Path) -> list[str]:
    """Files in which a test is marked `gpu`; only these are imported."""
    return [str(path) for path in sorted(folder.rglob("test_*.py")) if MARK in path.read_text(encoding="utf-8")]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--journal", type=Path, required=True)
    parser.add_argument("--result", type=Path, required=True)
    parser.add_argument("--tests", type=Path, default=ROOT / "tests")
    options = parser.parse_args(arguments)
    journal = Journal(options.journal)
    words = ["-v", "-o", "addopts=", "-p", "no:cacheprovider", "-m", "gpu", *marked(options.tests)]
    code = pytest.main(words, plugins=[journal])
    options.result.write_text(json.dumps(journal.summary(), indent=2) + "\n")
    return 0 if code in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED, pytest.ExitCode.TESTS_FAILED) else 1


if __name__ == "__main__":
    sys.exit(main())
