"""The child that keeps or applies a model, `python -m advisor.training.kept.main PARENT`: does what its request says.

See `request` for the lines, `keeping` and `applying` for the work.
"""

from __future__ import annotations

import os
import sys
import time

from advisor.children import guard
from advisor.errors import InputError
from advisor.training.child.request import LONGEST_REQUEST, Ended
from advisor.training.kept.request import MESSAGES, Keep, Message, read_request, refusal


def main() -> None:
    begun = time.monotonic()
    answers = guard.begin()
    request = read_request(sys.stdin.buffer.readline(LONGEST_REQUEST))
    guard.die_when_closed(guard.hide_input())

    def tell(message: Message) -> None:
        guard.write(answers, MESSAGES.line(message))

    try:
        if isinstance(request, Keep):
            from advisor.training.kept.keeping import keep  # seconds, during which a lost parent ends us

            keep(request, begun)
        else:
            from advisor.training.kept.applying import apply

            apply(request, tell)
    except InputError as error:
        tell(refusal(error))
    tell(Ended())
    os._exit(0)  # at once: torch's own end takes a while


if __name__ == "__main__":
    main()
