"""The wizard's first paint, an answer until the plan is redrawn, and leaving it while it measures: best of N on a
pseudo-terminal, beside a bare interpreter and the same answer without a screen, all in one run.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pexpect
import psutil

from advisor.cli.console import warn
from advisor.inference.advise import VALUES_ONLY
from advisor.interview.interview import Interview
from advisor.session.inputs import gather

ADVISOR = str(Path(sys.executable).parent / "advisor")
FIRST, MOVED, LEFT, TICKED = "Begin", "»new", "questions left", "ticked: about"
MEASURE, CTRL_S, CTRL_Q = "5", "\x13", "\x11"


IN_TORCH = 3.0
"""Seconds of a processor that the child has taken when torch is there and trials run."""


def bare() -> float:
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    return time.perf_counter() - begun


def plain_answer() -> float:
    """Taking the answer, the plan after it and the next question: what the screen waits for. The rules are compiled."""
    inputs = gather(complain=warn)
    interview = Interview(inputs.knowledge, inputs.facts)
    interview.plan(VALUES_ONLY)
    interview.question()
    begun = time.perf_counter()
    interview.answer("task.kind", "classify")
    interview.plan(VALUES_ONLY)
    interview.question()
    return time.perf_counter() - begun


def started(state: str) -> pexpect.spawn[str]:
    environment = {**os.environ, "ADVISOR_STATE": state, "TERM": "xterm-256color"}
    wizard = pexpect.spawn(ADVISOR, env=environment, dimensions=(40, 120), encoding="utf-8", timeout=60)  # type: ignore[arg-type]
    wizard.delaybeforesend = None
    return wizard


def on_screen(state: str) -> tuple[float, float]:
    """Seconds to the first paint, and from a key to the plan that it moved."""
    begun = time.perf_counter()
    wizard = started(state)
    wizard.expect_exact(FIRST)
    painted = time.perf_counter() - begun
    wizard.expect_exact("Found on this machine")
    wizard.send("\r")
    wizard.expect_exact(LEFT)
    time.sleep(0.5)
    begun = time.perf_counter()
    wizard.send("1")
    wizard.expect_exact(MOVED)
    answered = time.perf_counter() - begun
    wizard.send(CTRL_Q)
    wizard.expect(pexpect.EOF)
    wizard.close()
    return painted, answered


def leaving(state: str) -> float:
    """Seconds from Ctrl+Q, while a probe times, to the end of the process."""
    wizard = started(state)
    wizard.expect_exact("Found on this machine")
    wizard.send(MEASURE)
    wizard.expect_exact(TICKED)
    wizard.send(CTRL_S)
    watched = psutil.Process(wizard.pid)
    while not any(child.cpu_times().user > IN_TORCH for child in watched.children()):
        wizard.expect([pexpect.TIMEOUT, pexpect.EOF], timeout=0.05)
    begun = time.perf_counter()
    wizard.send(CTRL_Q)
    wizard.expect(pexpect.EOF)
    wizard.close()
    return time.perf_counter() - begun


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    bares, plains, screens, left = [], [], [], []
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as state:  # nothing is known of a conversation or a stopped measurement
            os.environ["ADVISOR_STATE"] = state
            bares.append(bare())
            plains.append(plain_answer())
            screens.append(on_screen(state))
        with tempfile.TemporaryDirectory() as state:
            left.append(leaving(state))
    interpreter, plain = min(bares), min(plains)
    painted, answered = min(first for first, _ in screens), min(second for _, second in screens)
    print(f"bare interpreter: {interpreter:.3f} s")
    print(f"first paint: {painted:.3f} s, {painted / interpreter:.1f} times a bare interpreter")
    print(f"an answer without a screen: {plain * 1000:.0f} ms")
    print(f"an answer until the plan is redrawn: {answered * 1000:.0f} ms, {answered / plain:.1f} times as much")
    print(f"Ctrl+Q in a probe until the process has ended: {min(left):.2f} s, {max(left):.2f} s at most")


if __name__ == "__main__":
    main()
