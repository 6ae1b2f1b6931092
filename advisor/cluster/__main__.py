"""`torchrun ... -m advisor.cluster`, or `srun python -m advisor.cluster`: started by every rank; rank 0 reports.

    --output FILE     what was measured, as JSON (see profile.py); --force replaces a file that exists
    --save NAME       keep it on this host under this name, for plans: `advisor recommend --machine NAME` (cluster)
    --seconds 60      of measuring
    --wait 120        seconds for all ranks to come
    --workload FILE   a training step to time as well: a Workload of advisor.probes.workload as JSON

The exit status is 0 where everything was measured, whatever was found; 1 where it failed; 2 for wrong usage or bad input.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from advisor.cluster.launch import launch_of
from advisor.cluster.profile import LAST, is_name
from advisor.cluster.running import WRONG, Asked, run
from advisor.errors import InputError
from advisor.wording import printable

_SHORTEST, _LONGEST = 2.0, 86_400.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status."""
    asked = _asked(arguments)
    try:
        run(launch_of(os.environ), asked)
    except InputError as error:
        if {os.environ.get(name) for name in ("RANK", "SLURM_PROCID")} & {"0"} or "WORLD_SIZE" not in os.environ:
            print(printable(str(error)), file=sys.stderr)
        return WRONG


def _asked(arguments: Sequence[str] | None) -> Asked:
    parser = argparse.ArgumentParser(
        prog="python -m advisor.cluster",
        description="Measure a cluster; started on all nodes by torchrun or srun.",
        epilog="For example, on the first of two nodes with four cards: torchrun --nnodes 2 --node-rank 0 --nproc-per-node 4 "
        "--master-addr HOST -m advisor.cluster --output cluster.json",
    )
    parser.add_argument("--output", type=Path, metavar="FILE", help="write what was measured, as JSON")
    parser.add_argument("--force", action="store_true", help="replace the file where it exists")
    parser.add_argument("--save", type=_name, default=LAST, metavar="NAME", help=f"keep it under this name ({LAST})")
    parser.add_argument("--seconds", type=_seconds, default=60.0, help="of measuring (60)")
    parser.add_argument("--wait", type=_seconds, default=120.0, metavar="SECONDS", help="for all ranks to come (120)")
    parser.add_argument("--workload", type=Path, metavar="FILE", help="time this training step as well (JSON)")
    told = parser.parse_args(arguments)
    return Asked(told.output, told.force, told.seconds, told.wait, told.workload, told.save)


def _name(text: str) -> str:
    if not is_name(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no name: use letters, digits, dots and hyphens")
    return text


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not _SHORTEST <= value <= _LONGEST:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds from {_SHORTEST:g} to {_LONGEST:g}")
    return value


if __name__ == "__main__":
    sys.exit(main())
