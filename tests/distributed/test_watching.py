"""The watch over a group of processes: who is to blame, and who only takes long, in every phase."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from advisor.distributed.launching.pulse import Beat, Phase, Pulse
from advisor.distributed.launching.watching import LONGEST_WORK, LOOK_EVERY, Look, Stuck, Watch, look_at

TIMEOUT = 10.0
SOON = 15.0
"""Seconds in which every fault is to end."""
WORKS = Beat(process=42, phase=Phase.JUDGING, at=7.0, longest=0.01)
WAITS = replace(WORKS, waits=True)


def ends(
    looks: Mapping[int, Look], *, computing: float = 0.0, reading: int = 0, longest: float = 1000.0
) -> tuple[float, Stuck | None]:
    """The seconds until somebody is to blame, where nobody says a word any more and the first rank has so much of a processor's
    time, and reads so many bytes, in every second."""
    watch, seconds = Watch(TIMEOUT), 0.0
    while seconds < longest:
        first = replace(looks[0], processor=computing * seconds, moved=(int(reading * seconds), 0))
        if (stuck := watch.look({**looks, 0: first}, LOOK_EVERY)) is not None:
            return seconds, stuck
        seconds += LOOK_EVERY
    return seconds, None


@pytest.mark.parametrize("phase", [one for one in Phase if one is not Phase.TRAINING])
def test_one_that_does_nothing_while_all_others_wait_is_named_soon_in_every_phase(phase: Phase) -> None:
    hung, others = replace(WORKS, phase=phase), replace(WAITS, phase=phase)
    seconds, stuck = ends({0: Look(hung), 1: Look(others), 2: Look(others)})
    assert stuck == Stuck(0, "did nothing for 12 s")
    assert seconds < SOON


def test_while_training_it_is_named_whatever_the_others_do() -> None:
    trains = replace(WORKS, phase=Phase.TRAINING)
    seconds, stuck = ends({0: Look(trains), 1: Look(replace(trains, process=43))})
    assert stuck == Stuck(0, "did nothing for 12 s")
    assert seconds < SOON


def test_two_that_exchange_something_over_a_slow_link_are_left_to_find_out_themselves() -> None:
    assert ends({0: Look(WORKS), 1: Look(WORKS), 2: Look(WAITS)}, longest=LONGEST_WORK)[1] is None
    assert ends({0: Look(WORKS), 1: Look(WORKS), 2: Look(WAITS)})[1] is not None


def test_an_endless_loop_is_named_soon_where_the_work_before_was_short() -> None:
    seconds, stuck = ends({0: Look(WORKS), 1: Look(WAITS)}, computing=1.0)
    assert stuck == Stuck(0, "worked for 13 s without getting any further")
    assert seconds < SOON


def test_a_step_may_take_a_hundred_times_as_long_as_any_before() -> None:
    seconds, stuck = ends({0: Look(replace(WORKS, longest=1.0)), 1: Look(WAITS)}, computing=1.0)
    assert stuck is not None
    assert seconds >= 100


@pytest.mark.parametrize("phase", [Phase.READING, Phase.PREPARING, Phase.CALIBRATING])
def test_the_first_piece_of_its_kind_has_minutes_while_the_process_computes(phase: Phase) -> None:
    first = replace(WORKS, phase=phase, longest=0.0)
    seconds, stuck = ends({0: Look(first), 1: Look(WAITS)}, computing=0.5)
    assert stuck is not None
    assert seconds >= LONGEST_WORK


def test_one_that_reads_slowly_is_alive() -> None:
    reads = replace(WORKS, phase=Phase.READING)
    assert ends({0: Look(reads), 1: Look(WAITS)}, reading=100, longest=100.0)[1] is None


def test_who_waits_is_not_to_blame_unless_all_do() -> None:
    at_work = Look(replace(WORKS, longest=1.0))
    assert ends({0: at_work, 1: Look(WAITS)}, computing=1.0, longest=60.0)[1] is None
    _, stuck = ends({0: Look(WAITS), 1: Look(WAITS)})
    assert stuck == Stuck(0, "and all others waited for each other in vain")


def test_every_word_begins_anew() -> None:
    watch, now = Watch(TIMEOUT), 0.0
    while now < 60:
        beats = Look(replace(WORKS, at=10 * (now // 10)))
        assert watch.look({0: beats, 1: Look(WAITS)}, LOOK_EVERY) is None
        now += LOOK_EVERY


def test_seconds_in_which_nobody_looked_do_not_count() -> None:
    """The launcher was suspended itself, and its processes with it."""
    watch, looks = Watch(TIMEOUT), {0: Look(WORKS), 1: Look(WAITS)}
    assert watch.look(looks, LOOK_EVERY) is None
    assert watch.look(looks, 3600.0) is None


def test_a_suspended_process_is_named_after_two_looks_even_while_it_waits() -> None:
    seconds, stuck = ends({0: Look(WORKS), 1: Look(WAITS, stopped=True)})
    assert stuck == Stuck(1, "was suspended")
    assert seconds <= 2 * LOOK_EVERY


def test_a_look_tells_what_a_process_does(tmp_path: Path) -> None:
    """Of a process that computes, and then of the same one stopped."""
    pulse = Pulse.make(tmp_path / "pulse", 2)
    code = "import sys; from advisor.distributed.launching.pulse import Phase, Pulse\n"
    code += "Pulse(sys.argv[1], 2).enter(1, Phase.READING)\nwhile True: pass"
    with subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "pulse")]) as process:
        until = time.monotonic() + 20
        while not pulse.of(1).process and time.monotonic() < until:
            time.sleep(0.01)
        looks = [look_at(pulse, 1)]
        while looks[-1].processor - looks[0].processor < 0.1 and time.monotonic() < until:
            looks.append(look_at(pulse, 1))
        process.send_signal(signal.SIGSTOP)
        while not looks[-1].stopped and time.monotonic() < until:
            looks.append(look_at(pulse, 1))
        process.kill()
    assert (looks[-1].beat.process, looks[-1].beat.phase) == (process.pid, Phase.READING)
    assert looks[-1].processor > looks[0].processor
    assert (looks[0].stopped, looks[-1].stopped) == (False, True)
    assert look_at(pulse, 0) == Look(Beat())  # it has not said a word


def test_the_longest_piece_of_work_is_told_but_for_the_first_and_for_waiting(tmp_path: Path) -> None:
    seen, pulse = Pulse.make(tmp_path / "pulse", 1), Pulse(str(tmp_path / "pulse"), 1)
    time.sleep(0.05)
    pulse.beat(0, 1)  # the first takes memory
    assert seen.of(0).longest == 0
    with pulse.waiting(0):
        assert seen.of(0).waits
        time.sleep(0.05)
    pulse.beat(0, 2)
    assert not seen.of(0).waits
    assert 0 < seen.of(0).longest < 0.05
    time.sleep(0.02)
    pulse.beat(0, 3)
    assert seen.of(0).longest >= 0.02
    assert seen.of(0).process == os.getpid()
