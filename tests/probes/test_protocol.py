from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from advisor.probes.protocol import (
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
    decode,
    decode_request,
    encode,
    encode_request,
)

MESSAGES: list[Message] = [
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


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: type(message).__name__)
def test_what_is_said_is_understood(message: Message) -> None:
    line = encode(message)
    assert line.endswith(b"\n")
    assert decode(line) == message
    assert json.loads(line)["type"] in ("progress", "sample", "result", "failed")


def test_a_request_is_understood() -> None:
    request = Request("threads", {"network": "ffn"}, 2, (1, 2), 5.0, 10**9, 0, {"data.examples": 100}, "/data")
    assert decode_request(encode_request(request)) == request


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"hello",
        b"[1, 2]",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"type": "sample"}',
        b'{"type": ["sample"]}',
        b'{"type": "unheard of"}',
        b'{"type": "sample", "phase": "duel", "setting": 1, "round": 0, "seconds": NaN}',
        b'{"type": "sample", "phase": "duel", "setting": 1, "round": 0, "seconds": 1e999}',
        b'{"type": "sample", "phase": "duel", "setting": 1, "round": 0, "seconds": -1}',
        b'{"type": "sample", "phase": "duel", "setting": 1, "round": 0.5, "seconds": 1}',
        b'{"type": "sample", "phase": "duel", "setting": [1], "round": 0, "seconds": 1}',
        b'{"type": "sample", "phase": "nap", "setting": 1, "round": 0, "seconds": 1}',
        b'{"type": "progress", "stage": "rehearsed", "setting": 1, "seconds": 1, "peak_memory_bytes": true}',
        b'{"type": "failed", "reason": 7}',
        b'{"type": "sample", "stage": []}',
        b'{"type": "progress", "stage": {}}',
        b'{"type": "sample", "phase": "duel", "setting": 1, "round": 0, "seconds": 1' + b"0" * 400 + b"}",
        b'{"type": "sample", "phase": "duel", "setting": 1, "round": 0, "seconds": 1e300}',
        b'{"type": "sample", "phase": "duel", "setting": 1, "round": 0, "seconds": 1e-300}',
        b'{"type": "sample", "phase": "duel", "setting": 1, "round": 0, "seconds": 1, "elapsed": -1}',
    ],
)
def test_nonsense_is_a_value_error(line: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  what it says is for nobody
        decode(line)


@given(st.binary(max_size=200) | st.recursive(st.none() | st.text() | st.floats(), st.lists).map(repr).map(str.encode))
def test_any_bytes_are_a_message_or_a_value_error(line: bytes) -> None:
    with contextlib.suppress(ValueError):
        decode(line)


PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9)
ANYTHING = st.recursive(
    PLAIN, lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=9), inner), max_leaves=9
)
NAMES = ("stage", "phase", "setting", "rival", "round", "seconds", "elapsed", "peak_memory_bytes", "reason", "text")
USUAL = st.sampled_from(["progress", "sample", "result", "failed", "ready", "rehearsed", "duel", "note", "search"])


@given(st.fixed_dictionaries({"type": USUAL | ANYTHING}, optional=dict.fromkeys(NAMES, USUAL | ANYTHING)) | ANYTHING)
@example({"type": "sample", "phase": "duel", "setting": 1, "round": 0, "seconds": 10**400})
def test_any_json_is_a_message_or_a_value_error(said: object) -> None:
    with contextlib.suppress(ValueError):
        decode(json.dumps(said).encode())


def test_text_from_a_child_cannot_take_over_the_terminal() -> None:
    message = decode(b'{"type": "failed", "reason": "a\\u001b[2Jb"}')
    assert message == Failed("a[2Jb")


def test_unknown_fields_are_ignored() -> None:
    assert decode(b'{"type": "result", "note": "more"}') == Result()
