"""The wizard's first paint, answers until the plan is redrawn, and leaving it while it measures: on a pseudo-terminal, beside a
bare interpreter and the same answer without a screen, all in one run.

`python -m benchmarks.wizard RUNS OTHER` also times the answers of the working tree OTHER, in turns with those of this one.
"""

from __future__ import annotations

import os
import re
import statistics
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

FIRST, LEFT, TICKED = "Begin", "questions left", "ticked: about"
MEASURE, CTRL_S, CTRL_Q = "5", "\x13", "\x11"
DO_NOT_KNOW = "\x1bOR"
ANSWERS = ("2", "1", DO_NOT_KNOW, DO_NOT_KNOW, DO_NOT_KNOW)
"""Keys: pictures, classify, and questions that somebody cannot answer."""
PLAN = re.compile("changed +by +the +last|working +out")
"""Beneath the plan, once it has been redrawn after an answer."""
WHOLE = re.compile("% certain")
"""Above the next question."""
QUIET_SECONDS, MOST_SECONDS = 1.5, 20.0


HERE = Path(__file__).resolve().parents[1]
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


def started(state: str, tree: Path) -> pexpect.spawn[str]:
    environment = {**os.environ, "ADVISOR_STATE": state, "TERM": "xterm-256color", "PYTHONPATH": str(tree)}
    wizard = pexpect.spawn(
        sys.executable,
        ["-m", "advisor"],
        env=environment,  # type: ignore[arg-type]
        cwd=str(tree),
        dimensions=(40, 120),
        encoding="utf-8",
        timeout=60,
    )
    wizard.delaybeforesend = None
    return wizard


def on_screen(state: str, tree: Path) -> tuple[float, list[tuple[float, float]]]:
    """Seconds to the first paint; for each answer those from its key to the plan redrawn, and to the next question."""
    begun = time.perf_counter()
    wizard = started(state, tree)
    wizard.expect_exact(FIRST)
    painted = time.perf_counter() - begun
    wizard.expect(r"\d cores?,")
    wizard.send("\r")
    wizard.expect_exact(LEFT)
    answered = [seen for key in ANSWERS if (seen := answer(wizard, key)) is not None]
    wizard.send(CTRL_Q)
    wizard.expect(pexpect.EOF)
    wizard.close()
    return painted, answered


def answer(wizard: pexpect.spawn[str], key: str) -> tuple[float, float] | None:
    """None where the plan had nothing to redraw."""
    written(wizard, QUIET_SECONDS)
    begun = time.perf_counter()
    wizard.send(key)
    said, plan, whole = "", None, None
    while whole is None and time.perf_counter() - begun < MOST_SECONDS:
        said += written(wizard, 0.001)
        now = time.perf_counter() - begun
        plan = now if plan is None and PLAN.search(said) else plan
        whole = now if WHOLE.search(said) else None
    return None if plan is None or whole is None else (plan, whole)


def written(wizard: pexpect.spawn[str], seconds: float) -> str:
    """Everything that comes within so long."""
    said, end = "", time.perf_counter() + seconds
    while (left := end - time.perf_counter()) > 0:
        try:
            said += wizard.read_nonblocking(65536, timeout=left)
        except pexpect.TIMEOUT:
            break
    return said


def leaving(state: str) -> float:
    """Seconds from Ctrl+Q, while a probe times, to the end of the process."""
    wizard = started(state, HERE)
    wizard.expect(r"\d cores?,")
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
    trees = [HERE, *map(Path, sys.argv[2:3])]
    bares, plains, left, paints = [], [], [], []
    answers: dict[Path, list[tuple[float, float]]] = {tree: [] for tree in trees}
    for _ in range(runs):
        for tree in trees:
            with tempfile.TemporaryDirectory() as state:  # nothing is known of a conversation or a stopped measurement
                painted, answered = on_screen(state, tree)
            answers[tree] += answered
            paints += [painted] if tree == HERE else []
        with tempfile.TemporaryDirectory() as state:
            os.environ["ADVISOR_STATE"] = state
            bares.append(bare())
            plains.append(plain_answer())
        with tempfile.TemporaryDirectory() as state:
            left.append(leaving(state))
    interpreter, plain, painted = min(bares), min(plains), min(paints)
    print(f"bare interpreter: {interpreter:.3f} s")
    print(f"first paint: {painted:.3f} s, {painted / interpreter:.1f} times a bare interpreter")
    print(f"an answer without a screen: {plain * 1000:.0f} ms")
    for tree, seen in answers.items():
        redrawn, whole = (sorted(1000 * one[number] for one in seen) for number in (0, 1))
        print(
            f"{'this tree' if tree == HERE else tree.name}, {len(seen)} answers: key to redrawn plan {_spread(redrawn)}; "
            f"to what is certain and the next question {_spread(whole)}"
        )
    print(f"Ctrl+Q in a probe until the process has ended: {min(left):.2f} s, {max(left):.2f} s at most")


def _spread(milliseconds: list[float]) -> str:
    return f"{statistics.median(milliseconds):.0f} ms in the median, {max(milliseconds):.0f} ms at most"


if __name__ == "__main__":
    main()
