"""The process that simulates, `python -m advisor.simulation.child PARENT`: numpy, and torch where something is learned.

See `request` for the lines, `timing` and `learning` for the work.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator

from advisor.children import guard
from advisor.errors import InputError
from advisor.simulation.request import (
    LONGEST_REQUEST,
    MESSAGES,
    Failing,
    Found,
    Message,
    Progress,
    Refused,
    Request,
    Saved,
    read_request,
)
from advisor.simulation.result import Result

_TELL_EVERY = 0.2
"""Seconds between two words on the way."""


class _Teller:
    """Writes how far it is, now and then."""

    def __init__(self, answers: int) -> None:
        self._answers = answers
        self._told = time.monotonic()

    def say(self, message: Message) -> None:
        guard.write(self._answers, MESSAGES.line(message))

    def share(self, share: float) -> None:
        if time.monotonic() - self._told >= _TELL_EVERY:
            self._told = time.monotonic()
            self.say(Progress(share))


def _simulated(request: Request, teller: _Teller) -> Iterator[Result]:
    """One after the other. Raises InputError."""
    if request.task is None:
        from advisor.simulation.timing import timing  # numpy, which a child that is told nonsense need not wait for

        for scenario in request.scenarios:
            yield timing(scenario, teller.share)
        return
    import torch  # seconds, as are the modules below

    torch.set_num_threads(1)
    from advisor.distributed.learning.lesson import lesson
    from advisor.simulation.learning import taught

    given = lesson(request.task, torch.float64)
    for scenario in request.scenarios:
        yield taught(scenario, request.task, given, teller.share)


def _saved(failing: Failing) -> Saved:
    """Raises InputError."""
    from advisor.simulation.faults import best_checkpoints, useful_share, young

    known = (failing.checkpoint_cost, failing.between_failures, failing.restart)
    best = best_checkpoints(*known, seed=failing.seed)
    return Saved(best.every, best.useful_share, useful_share(young(*known[:2]), *known, seed=failing.seed))


def main() -> None:
    teller = _Teller(guard.begin())
    line = sys.stdin.buffer.readline(LONGEST_REQUEST)
    guard.die_when_closed(guard.hide_input())
    try:
        request = read_request(line)
        if request.failing is not None:
            teller.say(_saved(request.failing))
        for result in _simulated(request, teller):
            teller.say(Found(result))
    except InputError as error:
        teller.say(Refused(error.title, error.problems))
    os._exit(0)  # at once: torch's own end takes a while


if __name__ == "__main__":
    main()
