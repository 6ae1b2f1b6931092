"""Do repeated measurements of an unchanged machine agree? Ten runs of `advisor probe --budget 60s`, each from the start.

python benchmarks/machine/repeats.py [RUNS] [BUDGET]

A contradiction is a probe that decided for one setting in one run and for another setting in another. Exit code 1 when there
is one, or when a run took 5 s more than its budget. Beside it stands how often a probe decided in some runs and found no
difference that matters in others.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from typing import Any

LATE = 5.0
"""Seconds over the budget that a run may take."""
DECIDED = ("confirmed", "overturned")


def run(budget: str, folder: str) -> tuple[list[dict[str, Any]], float]:
    """The outcomes of one run, and the seconds that it took."""
    command = [sys.executable, "-m", "advisor", "probe", "--budget", budget, "--format", "json", "--fresh"]
    begun = time.monotonic()
    done = subprocess.run(
        command,
        env={"ADVISOR_STATE": folder, "PATH": "/usr/bin:/bin"} | environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in (0, 1):
        sys.exit(done.stderr)
    return json.loads(done.stdout)["outcomes"], time.monotonic() - begun


def environment() -> dict[str, str]:
    import os

    return {name: value for name, value in os.environ.items() if name.startswith(("PYTHON", "LANG", "HOME"))}


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    budget = sys.argv[2] if len(sys.argv) > 2 else "60s"
    found: dict[str, list[dict[str, Any]]] = {}
    seconds = []
    for number in range(runs):
        with tempfile.TemporaryDirectory() as folder:
            outcomes, took = run(budget, folder)
        seconds.append(took)
        for outcome in outcomes:
            found.setdefault(outcome["probe"], []).append(outcome)
        print(f"run {number + 1}: {took:.1f} s, {len(outcomes)} probes", file=sys.stderr)
    contradictions = 0
    median, longest = statistics.median(seconds), max(seconds)
    print(f"{runs} runs of `advisor probe --budget {budget}`: median {median:.1f} s, longest {longest:.1f} s")
    for probe, outcomes in found.items():
        verdicts = Counter(outcome["verdict"] for outcome in outcomes)
        winners = {outcome["after"] for outcome in outcomes if outcome["verdict"] in DECIDED}
        contradictory = len(winners) > 1
        contradictions += contradictory
        speed_ups = [outcome["median"] for outcome in outcomes if outcome["median"]]
        spread = f"{min(speed_ups):.2f} to {max(speed_ups):.2f}" if speed_ups else "-"
        said = ", ".join(f"{verdict.replace('_', ' ')} {count}" for verdict, count in verdicts.most_common())
        mark = f"   CONTRADICTION: {winners}" if contradictory else ""
        print(f"  {probe:<14} {said}; decided for {winners or 'none'}; speed-ups {spread}{mark}")
    print(f"{contradictions} contradictions between decided verdicts")
    sys.exit(1 if contradictions or longest > float(budget.removesuffix("s")) + LATE else 0)


if __name__ == "__main__":
    main()
