from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from advisor.probes.protocol import (
    MESSAGES,
    Duel,
    Failed,
    Message,
    Note,
    Phase,
    Ready,
    Rechecked,
    Rehearsed,
    Request,
    Result,
    Sample,
    Skipped,
    Told,
    read_request,
    request_line,
)
from advisor.probes.workload import Workload

SAID: list[Message] = [
    Ready("2.13.0", "3.11.7", 2),
    Rehearsed(8, 0.25, 1_000_000),
    Skipped("bf16", "too slow"),
    Duel(2),
    Sample(Phase.DUEL, "fp32", 3, 0.5),
    Sample(Phase.DUEL, "matmul on a fast card", 3, 1e-15, elapsed=1.5),
    Rechecked(2, 5_000_000, ""),
    Told(2, "probe.workers.threads", 1),
    Note("The page cache answered."),
    Result(),
    Failed("out of memory"),
]


@pytest.mark.parametrize("message", SAID, ids=lambda message: type(message).__name__)
def test_what_is_said_is_understood(message: Message) -> None:
    line = MESSAGES.line(message)
    assert line.endswith(b"\n")
    assert MESSAGES.read(line) == message
    assert json.loads(line)["type"] == type(message).__name__


def test_a_request_is_understood() -> None:
    request = Request(
        "threads", Workload("ffn", "tabular", 64, 10), 2, (1, 2), 5.0, 10**9, 0, {"data.examples": 100}, "/data"
    )
    assert read_request(request_line(request)) == request


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"hello",
        b"[1, 2]",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"type": "Sample"}',
        b'{"type": ["Sample"]}',
        b'{"type": "unheard of"}',
        b'{"type": "Sample", "phase": "duel", "setting": 1, "round": 0, "seconds": NaN}',
        b'{"type": "Sample", "phase": "duel", "setting": 1, "round": 0, "seconds": 1e999}',
        b'{"type": "Sample", "phase": "duel", "setting": 1, "round": 0, "seconds": -1}',
        b'{"type": "Sample", "phase": "duel", "setting": 1, "round": 0.5, "seconds": 1}',
        b'{"type": "Sample", "phase": "duel", "setting": [1], "round": 0, "seconds": 1}',
        b'{"type": "Sample", "phase": "nap", "setting": 1, "round": 0, "seconds": 1}',
        b'{"type": "Rehearsed", "setting": 1, "seconds": 1, "peak_memory_bytes": true}',
        b'{"type": "Failed", "reason": 7}',
        b'{"type": "Sample", "stage": []}',
        b'{"type": {}}',
        b'{"type": "Sample", "phase": "duel", "setting": 1, "round": 0, "seconds": 1' + b"0" * 400 + b"}",
        b'{"type": "Sample", "phase": "duel", "setting": 1, "round": 0, "seconds": 1e300}',
        b'{"type": "Sample", "phase": "duel", "setting": 1, "round": 0, "seconds": 1e-300}',
        b'{"type": "Sample", "phase": "duel", "setting": 1, "round": 0, "seconds": 1, "elapsed": -1}',
    ],
)
def test_nonsense_is_a_value_error(line: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  what it says is for nobody
        MESSAGES.read(line)


@given(st.binary(max_size=200) | st.recursive(st.none() | st.text() | st.floats(), st.lists).map(repr).map(str.encode))
def test_any_bytes_are_a_message_or_a_value_error(line: bytes) -> None:
    with contextlib.suppress(ValueError):
        MESSAGES.read(line)


PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9)
ANYTHING = st.recursive(
    PLAIN, lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=9), inner), max_leaves=9
)
NAMES = ("stage", "phase", "setting", "rival", "round", "seconds", "elapsed", "peak_memory_bytes", "reason", "text")
USUAL = st.sampled_from(["Sample", "Result", "Failed", "Ready", "Rehearsed", "Duel", "Note", "search"])


@given(st.fixed_dictionaries({"type": USUAL | ANYTHING}, optional=dict.fromkeys(NAMES, USUAL | ANYTHING)) | ANYTHING)
@example({"type": "Sample", "phase": "duel", "setting": 1, "round": 0, "seconds": 10**400})
def test_any_json_is_a_message_or_a_value_error(said: object) -> None:
    with contextlib.suppress(ValueError):
        MESSAGES.read(json.dumps(said).encode())


def test_text_from_a_child_cannot_take_over_the_terminal() -> None:
    message = MESSAGES.read(b'{"type": "Failed", "reason": "a\\u001b[2Jb"}')
    assert message == Failed("a[2Jb")


def test_unknown_fields_are_ignored() -> None:
    assert MESSAGES.read(b'{"type": "Result", "note": "more"}') == Result()
