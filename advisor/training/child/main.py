"""The child of `advisor try`, `python -m advisor.training.child.main PARENT`: reads a request, climbs the ladder, tells.

See `request` for the lines, `climb` for the work, and `advisor.children.guard` for how it ends with its parent.
"""

from __future__ import annotations

import os
import sys
import time

from advisor.children import guard
from advisor.training.child.request import LONGEST_REQUEST, Ended, read_request


def main() -> None:
    begun = time.monotonic()
    answers = guard.begin()
    request = read_request(sys.stdin.buffer.readline(LONGEST_REQUEST))
    guard.die_when_closed(guard.hide_input())
    from advisor.training.child.climb import (  # takes seconds, which count, and during which a lost parent ends us
        Telling,
        climb,
    )

    tell = Telling(answers, request.budget)
    climb(request, begun, tell)
    tell(Ended())
    os._exit(0)  # at once: torch's own end takes a while


if __name__ == "__main__":
    main()
