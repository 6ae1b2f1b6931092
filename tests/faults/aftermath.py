"""What must hold after a fault, and after the same command was given again: nothing lost, nothing left."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from tests.faults.programs import Program
from tests.faults.scenes import CODES, KILLS, Aftermath, Fault, Scene
from tests.faults.terminals import state_files, unlocked

ENDED = (0, 1)
"""Exit statuses of a program that came to its end; 1 where other programs left no time to measure anything."""
_MESSAGE = re.compile(r"Interrupted|Ended by SIG[A-Z]+")
_OURS = re.compile(r"wine\.csv|tmp|tmp/advisor-child-[a-z0-9_]{8}|state|state/[^/]+|state/[^/]+/(journal|measurements)")
"""A folder for temporary files is named without `.held` for a moment, empty, until it is locked: nobody takes it for an
abandoned one within a minute."""
_REMEMBERED = re.compile(
    r"interview(\.previous)?\.json|[a-z0-9-]+\.json|[0-9a-f]{16}(\.trial)?\.jsonl|\.[a-z0-9-]+\.json\.lock"
)


def assert_nothing_lost(program: Program, first: Aftermath, second: Aftermath) -> None:
    """What the first run had finished is a part of what the second has, as it was."""
    assert first.told <= len(first.finished), f"told, and not kept:\n{first.last_words}"
    if first.code in ENDED and not program.again:
        return  # it has delivered everything, and the second run began anew
    missing = {name: value for name, value in first.finished.items() if second.finished.get(name) != value}
    assert not missing, f"lost: {', '.join(missing)}\n{first.last_words}\n{second.last_words}"


def assert_nothing_left(
    scene: Scene, after: Aftermath, fault: Fault | None = None, ended: Sequence[int] = ENDED
) -> None:
    """
    Args:
        fault: what happened to the run; None where it was left in peace, and has cleared up after others too.
        ended: exit statuses of the program where nothing has ended it.
    """
    assert after.processes == []
    if _had_not_begun(after, fault):
        return
    assert after.code in {*ended, CODES.get(fault, 0)}, f"exit status {after.code}:\n{after.last_words}"  # type: ignore[arg-type]
    assert "Traceback" not in after.said, after.last_words
    assert "Exception ignored" not in after.said, after.last_words
    messages = _MESSAGE.findall(after.said)
    assert len(messages) <= (after.code not in ended), f"{messages}:\n{after.last_words}"
    if fault in KILLS:
        return  # a killed program clears nothing up, the next one does
    assert after.terminal == []
    allowed = {*scene.program.results}
    left = {name for name in after.files if not _OURS.fullmatch(name) and name not in allowed and not _remembered(name)}
    assert not left, left
    assert_state_is_whole(scene)
    if after.code == 0 and not scene.program.leaving:
        assert not [name for name in after.files if name.endswith(".jsonl")], "a run that has ended leaves no journal"


def _had_not_begun(after: Aftermath, fault: Fault | None) -> bool:
    """True if Python itself was still starting: it knows no signal but SIGINT by then, of which it shows where it was.

    Its status is the signal's, or 1 where not even its own modules were loaded.
    """
    if fault not in CODES or ", in main" in after.said:
        return False
    said = re.sub(r"(?s)(Fatal Python error|Traceback).*KeyboardInterrupt", "", after.said).strip()
    status = 128 - CODES[fault]
    return said == "" and after.code in ((status, 1) if "KeyboardInterrupt" in after.said else (status,))


def _remembered(name: str) -> bool:
    return name.startswith("state/") and _REMEMBERED.fullmatch(name.rpartition("/")[2]) is not None


def assert_state_is_whole(scene: Scene) -> None:
    for path in state_files(scene.folder / "state"):
        assert unlocked(path), path
        if path.suffix == ".json":
            json.loads(path.read_text())
        elif path.suffix == ".jsonl":
            *lines, rest = path.read_text().split("\n")
            assert rest == ""
            assert all(map(json.loads, lines))
