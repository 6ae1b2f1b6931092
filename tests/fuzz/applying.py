"""A process that applies saved models, one for each line of its input: `python -m tests.fuzz.applying`."""

from __future__ import annotations

import json
import resource
import sys
import traceback
from pathlib import Path

from advisor.children.messages import Messages
from advisor.errors import InputError
from advisor.training.kept.applying import apply
from advisor.training.kept.request import MESSAGES, Applied, Apply, Message

MEMORY_BYTES = 16 * 2**30
"""Of addresses: torch reserves much that it does not use."""


def applied(folder: Path, data: Path) -> dict[str, str]:
    """How it ended: accepted, refused, or failed with a traceback."""
    told: list[Message] = []
    messages: Messages[Message] = MESSAGES
    try:
        apply(Apply(str(folder), str(data), str(folder / "predictions.csv"), 1), told.append)
        lines = [messages.line(one) for one in told]
        assert isinstance(told[-1], Applied), lines
    except InputError as error:
        return {"end": "refused" if error.problems else "failed", "said": str(error)[:500]}
    except BaseException:
        return {"end": "failed", "said": traceback.format_exc()[-3000:]}
    return {"end": "accepted", "said": ""}


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    answers = sys.stdout
    sys.stdout = sys.stderr
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps(applied(Path(asked["folder"]), Path(asked["data"]))), file=answers, flush=True)


if __name__ == "__main__":
    main()
