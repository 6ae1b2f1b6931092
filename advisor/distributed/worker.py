"""One process of a group that trains: `python -m advisor.distributed.worker PARENT`, as `launch` starts it, or by torchrun:

    torchrun --nproc-per-node 3 -m advisor.distributed.worker JOB.json

with a Job as JSON, and one process more than there are workers where a strategy has a parameter server. One start serves all
strategies and seeds, one after another. Started by `launch`, the processes meet through a file in its private folder; by
torchrun as that tells them (MASTER_ADDR, MASTER_PORT). torch is imported within functions: a rank is bound to its processors
before torch starts its threads.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.children import guard
from advisor.children.errors import CannotRunError
from advisor.children.messages import LONGEST_LINE, parsed
from advisor.distributed.job import LOOPBACK, MESSAGES, Ended, Failed, Job, Launch, Message, NoNumberError
from advisor.distributed.launching.pulse import Phase, Pulse
from advisor.errors import InputError, input_error
from advisor.plain import decode
from advisor.probes.child.peer import bind

if TYPE_CHECKING:
    import torch
    from torch._C._distributed_c10d import Store

_TITLE = "The processes cannot meet"
Say = Callable[[Message], None]


def main() -> None:
    """Run as a rank, and tell how it ends."""
    if sys.argv[-1].isdigit():
        answers = guard.begin()
        launch = decode(Launch, parsed(sys.stdin.buffer.readline(LONGEST_LINE)), "launch")
        named = launch.job.task.named
        if named is not None and named.runs_foreign_code:
            guard.keep_family(int(sys.argv[-1]))
        guard.die_when_closed(guard.hide_input())
    else:
        answers, launch = os.dup(1), _by_torchrun()
        os.dup2(2, 1)

    def say(message: Message) -> None:
        guard.write(answers, MESSAGES.line(message))

    status = 0
    try:
        _work(launch, say)
        say(Ended())
    except Exception as error:  # whatever it is, the launcher tells people
        status = 1
        say(_failed(error))
        if not launch.store:
            print(f"rank {launch.rank}: {_failed(error).reason}", file=sys.stderr, flush=True)
    os._exit(status)  # at once: an exchange with other processes may hang


def _failed(error: Exception) -> Failed:
    if isinstance(error, CannotRunError | InputError):
        return Failed(str(error), diverged=isinstance(error, NoNumberError))
    said = f"{type(error).__name__}: {error}"
    return Failed(said, lost=isinstance(error, RuntimeError) and any(word in said for word in _LOST))


_LOST = ("gloo", "Timed out", "timed out", "Connection closed", "NCCL", "Broken pipe", "reset by peer")
"""In what torch says when another process does not answer."""


def _by_torchrun() -> Launch:
    """Raises InputError where the file holds no job, or there are not as many processes as it asks for."""
    path = Path(sys.argv[-1])
    try:
        job = decode(Job, json.loads(path.read_text()), "job")
        rank, ranks = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    except (OSError, ValueError) as error:
        raise SystemExit(f"{path} holds no job: {error}") from error
    except KeyError as error:
        raise SystemExit(f"torchrun sets {error}; without it, use advisor.distributed.launching.launch") from error
    if ranks != job.ranks:
        raise SystemExit(
            f"{job.workers} workers with these strategies are {job.ranks} processes, and torchrun starts {ranks}"
        )
    if os.environ.get("MASTER_ADDR") in (
        "localhost",
        "127.0.0.1",
        "::1",
    ):  # so that nothing listens beyond this computer
        os.environ.setdefault("GLOO_SOCKET_IFNAME", LOOPBACK)
    return Launch(job, rank, ranks, "", "")


def _work(launch: Launch, say: Say) -> None:
    job = launch.job
    pulse = Pulse(launch.pulse, launch.ranks)
    pulse.enter(launch.rank, Phase.STARTING)
    bind(launch.processors, None)
    import torch

    from advisor.distributed.running.session import Session

    torch.set_num_threads(job.threads)
    device = torch.device("cpu")
    if job.device == "cuda" and launch.rank < job.workers:
        device = _card(launch.rank)
        torch.cuda.set_device(device)
    with pulse.waiting(launch.rank):
        meet(launch)
    Session(launch, device, say, pulse).hold()


def _card(rank: int) -> torch.device:
    """One for this worker alone. Raises CannotRunError where there are too few."""
    import torch

    place = int(os.environ.get("LOCAL_RANK", rank))
    if place >= torch.cuda.device_count():
        raise CannotRunError(f"torch sees {torch.cuda.device_count()} cards, and each worker needs one of its own.")
    return torch.device("cuda", place)


def meet(launch: Launch) -> None:
    """Return when all ranks are there. Raises CannotRunError where torch has no way to exchange, InputError for a port in use."""
    from torch import distributed

    backend = "cpu:gloo,cuda:nccl" if launch.job.device == "cuda" else "gloo"
    if not distributed.is_available() or not distributed.is_gloo_available():
        raise CannotRunError("this build of torch has no gloo, with which processes exchange gradients.")
    timeout = timedelta(seconds=launch.job.timeout)
    store = _store(launch)
    try:
        distributed.init_process_group(backend, store=store, rank=launch.rank, world_size=launch.ranks, timeout=timeout)
    except distributed.DistNetworkError as error:
        port = os.environ.get("MASTER_PORT", "")
        if "EADDRINUSE" not in str(error) and "in use" not in str(error):
            raise
        what = f"the port {port} is in use by another program"
        raise input_error(_TITLE, what, where="MASTER_PORT", remedy="Name another with --master-port.") from error


def _store(launch: Launch) -> Store | None:
    """A file, or None for what torchrun says."""
    from torch._C._distributed_c10d import FileStore

    return FileStore(launch.store, launch.ranks) if launch.store else None


if __name__ == "__main__":
    main()
