"""Processes that train together are killed at random moments: nothing hangs, nothing is left, and a sentence says what was lost.

    python benchmarks/strategy_kills.py [--kills 30] [--seed 0]

Every second group trains on a link of 100 Mbit/s in network namespaces, every fourth with a latency of 1 ms. Every third is
struck from its start on, while it meets, reads and times steps; the others while they train. Signals are SIGKILL, SIGTERM and
SIGSTOP; the process is a worker, the server, or on every fifth link the one that holds the network, whose namespaces have no
names and go with it.
"""

from __future__ import annotations

import argparse
import random
import signal
import threading
import time
from dataclasses import replace

import psutil

from advisor.agent.strategies import OF_2017
from advisor.distributed.job import Began, Job, Message, Progress
from advisor.distributed.launching.launch import run
from advisor.distributed.strategies import DECLARED
from advisor.distributed.task import DIGITS
from advisor.distributed.wires.links import links

LONGEST = 15.0
UNHARMED = "all trainings were done"
"""A process that only holds the network may be suspended, where no relay delays messages."""
_TASK = replace(OF_2017, inputs=64, data=DIGITS)
_SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP)


def ours() -> list[psutil.Process]:
    """Processes that this one has started, and theirs."""
    return psutil.Process().children(recursive=True)


def kill(number: int, chance: random.Random) -> tuple[float, str, str, int]:
    """One group, one signal: the seconds until it had ended, who was hit, the sentence, and the processes that are left.

    Where all trainings were done in spite of the signal, the seconds are 0.
    """
    name = chance.choice(list(DECLARED))
    job = Job(_TASK, (name, "synchronous"), workers=chance.choice((2, 2, 3)), seconds=6.0, calibrates=bool(number % 2))
    rate = 12.5e6 if number % 2 else None
    hit: list[tuple[float, str]] = []
    everybody: list[psutil.Process] = []
    training, over = threading.Event(), threading.Event()

    def hear(message: Message) -> None:
        if isinstance(message, Began | Progress):
            training.set()

    def strike() -> None:
        if number % 3:
            training.wait(60)
        time.sleep(chance.uniform(0.0, 4.0))
        while not any("worker" in " ".join(one.cmdline()) for one in ours()) and not over.is_set():
            time.sleep(0.05)
        everybody.extend(ours())
        there = [one for one in everybody if number % 10 == 9 or "worker" in " ".join(one.cmdline())]
        if there:
            victim, how = chance.choice(there), chance.choice(_SIGNALS)
            hit.append((time.monotonic(), f"{how.name} to {victim.cmdline()[-2].rpartition('.')[2]}, {name}"))
            victim.send_signal(how)

    striker = threading.Thread(target=strike)
    striker.start()
    with links(job.ranks, rate, 0.001 if number % 4 == 3 else 0.0) as found:
        results = run(job, links=found, hear=hear)
        ended = time.monotonic()
    over.set()
    striker.join()
    begun, who = hit[0] if hit else (ended, "nobody: it was over")
    time.sleep(0.5)
    said = results.failed
    if hit and not said and len(results.runs) == len(job.runs):
        begun, said = ended, UNHARMED
    return ended - begun, who, said, sum(one.is_running() for one in everybody)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    chance = random.Random(asked.seed)
    longest, left, silent = 0.0, 0, 0
    for number in range(asked.kills):
        seconds, who, said, stayed = kill(number, chance)
        longest, left = max(longest, seconds), left + stayed
        silent += not said and not who.startswith("nobody")
        print(f"{number + 1:>3}  {seconds:5.1f} s  {who}: {said or 'nothing was said'}  left: {stayed}", flush=True)
    end = f"the longest end took {longest:.1f} s (limit {LONGEST:g} s)"
    print(f"{asked.kills} signals; {end}; left: {left}; without a sentence: {silent}")


if __name__ == "__main__":
    main()
