"""The verdicts of `advisor sync` while another program takes one core: undecided, or the same in every run.

    python benchmarks/sync_beside_load.py --runs 10 --budget 40s

Prints a line a run, and at the end how many were undecided and which verdicts there were. Ends with 1 where two verdicts differ.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

_SPIN = "while True: pass"
_PLAN = """project.pretrained_allowed: no
data.examples: 20000000
machine.gpu.count: 0
machine.cpu.usable_cores: 1
cluster.nodes: 2
cluster.network_bytes_per_second: 1 Gbit/s
training.batch_size: 16
"""


@contextlib.contextmanager
def busy(cores: int) -> Iterator[None]:
    """So many processes that compute all the time."""
    spinning = [subprocess.Popen([sys.executable, "-c", _SPIN]) for _ in range(cores)]
    try:
        yield
    finally:
        for one in spinning:
            one.kill()
            one.wait()


def digits(folder: Path) -> Path:
    """Scikit-learn's digits as an NPZ file."""
    import numpy
    from sklearn.datasets import load_digits

    read = load_digits()
    path = folder / "digits.npz"
    numpy.savez(path, x=read.images.astype("uint8"), y=read.target)
    return path


def verdict(folder: Path, data: Path, budget: str, strategies: str) -> str:
    """What one run decides: `undecided`, or the strategy that it takes."""
    plan = folder / "two.yaml"
    plan.write_text(_PLAN)
    words = ["sync", str(plan), str(data), "--budget", budget, "--strategies", strategies, "--format", "json"]
    command = [str(Path(sys.executable).with_name("advisor")), *words]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={"ADVISOR_STATE": str(folder), "PATH": ""}
    )
    if done.returncode:
        return f"ended with {done.returncode}: {done.stderr.strip().splitlines()[-1:]}"
    told = json.loads(done.stdout)
    print(f"  {told['says']}", flush=True)
    open_ = not told["decided"] or all(
        one["verdict"] == "undecided" for one in told["strategies"] if one["times_as_fast"]
    )
    return "undecided" if open_ else str(told["best"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--budget", default="40s")
    parser.add_argument("--cores", type=int, default=1, help="that another program takes")
    parser.add_argument("--strategies", default="synchronous,local_sgd")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as made, busy(asked.cores):
        folder = Path(made)
        data = digits(folder)
        found = Counter(verdict(folder, data, asked.budget, asked.strategies) for _ in range(asked.runs))
    print(", ".join(f"{count} of {asked.runs}: {name}" for name, count in found.most_common()))
    return 1 if len(set(found) - {"undecided"}) > 1 else 0


if __name__ == "__main__":
    sys.exit(main())
