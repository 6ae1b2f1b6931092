"""Stops generated projects at random instants, resumes them, and compares what they leave with a training without a stop.

python -m benchmarks.stops [--stops 60] [--seed 0]

An instant is a line of code that saves something or counts steps, drawn with the seed; each project has as many stops as
the others, by SIGINT and SIGTERM in turn. The processor is deterministic with one thread, so results must be equal in
every bit; what depends on the clock is left out.
"""

from __future__ import annotations

import argparse
import random
import shutil
import signal
import sys
import tempfile
from pathlib import Path

from tests.starter.matrix.catalogue import made
from tests.starter.matrix.runs import Runs, differences, results

PROJECTS = (
    "ffn of a table", "cnn with changed pictures", "lstm of a series", "cnn of sounds", "transformer of texts", "unet",
    "vae of pictures", "gan of pictures", "ffn in parts", "ffn by L-BFGS", "gradient_boosting of table", "forecast by statistics",
)  # fmt: skip
SIGNALS = (signal.SIGINT, signal.SIGTERM)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--stops", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    refused = unequal = 0
    with tempfile.TemporaryDirectory() as folder, Runs() as runs:
        print(f"{'project':28} {'instants':>8} {'stops':>5} {'ended before':>12} {'refused':>7} {'not equal':>9}")
        for number, name in enumerate(PROJECTS):
            case = made(name, Path(folder) / str(number))
            if runs.run(case.folder, f"{case.train} --output whole"):
                sys.exit(f"{name} does not train: {runs.said}")
            whole = results(case.folder / "whole")
            places = runs.instants(case.folder, f"{case.train} --output traced")
            count = options.stops // len(PROJECTS) + (number < options.stops % len(PROJECTS))
            ended = here_refused = here_unequal = 0
            for turn in range(count):
                at, output = chance.randrange(len(places)), case.folder / "stopped"
                shutil.rmtree(output, ignore_errors=True)
                line = f"{case.train} --output stopped"
                status = runs.run(case.folder, line, at=at, signal=int(SIGNALS[turn % 2]))
                ended += status == 0
                again = runs.run(case.folder, f"{line} --resume")
                differ = differences(whole, results(output))
                here_refused += again != 0
                here_unequal += bool(differ)
                if again or differ or status not in (0, 130, 143):
                    print(
                        f"{SIGNALS[turn % 2].name} at {places[at]}: {status}, then {again}; {differ[:3]}\n{runs.said}"
                    )
            print(f"{name:28} {len(places):8} {count:5} {ended:12} {here_refused:7} {here_unequal:9}", flush=True)
            refused, unequal = refused + here_refused, unequal + here_unequal
    print(f"{options.stops} stops: {refused} refused to resume, {unequal} with other results")
    sys.exit(bool(refused or unequal))


if __name__ == "__main__":
    main()
