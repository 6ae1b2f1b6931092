"""From which batch size on a graphics card is faster than the processor."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping

from advisor.children.errors import CannotRunError
from advisor.probes.judging.trial import Trial

SIZES = (1, 8, 64)
"""Examples a step, tried beside those of the plan."""
_SAMPLES = 5
_STEPS = 3
_WARM_UP_SHARE = 0.25
"""Of the time left, for the first run on one device."""


def break_even(
    trials: Mapping[int, tuple[Trial, Trial]], seconds: float, clock: Callable[[], float] = time.monotonic
) -> str:
    """A sentence about it, within so many seconds.

    Args:
        trials: by batch size the training step on the processor and on the card.
    """
    until = clock() + seconds
    card_wins: dict[int, bool] = {}
    for size, (processor, card) in sorted(trials.items()):
        try:
            for trial in (processor, card):
                trial.warm_up((until - clock()) * _WARM_UP_SHARE)
        except CannotRunError:
            break
        samples: list[tuple[float, float]] = []
        while len(samples) < _SAMPLES and clock() <= until:
            samples.append((_seconds(processor, clock), _seconds(card, clock)))
        if len(samples) < _SAMPLES:
            break
        on_processor, on_card = map(statistics.median, zip(*samples, strict=True))
        card_wins[size] = on_card < on_processor
    return sentence(card_wins)


def sentence(card_wins: Mapping[int, bool]) -> str:
    """The conclusion from the batch sizes at which the card was faster."""
    if not card_wins:
        return "There was no time to look from which batch size on the graphics card is faster."
    tried = f"(tried: {', '.join(map(str, sorted(card_wins)))})"
    slower = [size for size, wins in card_wins.items() if not wins]
    if not slower:
        return f"The graphics card was faster than the processor at every batch size {tried}."
    larger = [size for size in card_wins if size > max(slower)]
    if larger:
        return f"The graphics card was faster than the processor from a batch of {min(larger)} on {tried}."
    if not any(card_wins.values()):
        return f"The graphics card was slower than the processor at every batch size {tried}."
    return f"The graphics card was slower than the processor at the largest batch {tried}."


def _seconds(trial: Trial, clock: Callable[[], float]) -> float:
    begun = clock()
    for _ in range(_STEPS):
        trial.step()
    trial.finish()
    return (clock() - begun) / _STEPS
