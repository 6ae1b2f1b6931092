"""The batch size: examples per second at doubling batch sizes, up to the knee.

Larger batches cost memory, and steps in every pass over the data. So a larger batch must earn its place: it beats a
smaller one only by 10 % more examples per second for every doubling between them. A smaller one changes how the network
learns just as well: it overturns a larger one only where it is 10 % faster, and where it is what is recommended, it holds
by the usual 3 %. The same margins, used twice:

- The knee is the smallest size beyond which doubling adds less than 10 %, as the first, short sweep finds it.
- The size recommended is then compared with the knee, by fresh pairs. Where it is the knee, it is compared with the
  next smaller size: `confirmed` then says that the last doubling still paid, and the sweep that the next would not.

Between the margins is no difference that matters: a batch of 256 that is 5 % faster than one of 128 overturns nothing.
Only a size that has run once more in a fresh process is returned.
"""

from __future__ import annotations

import math
from itertools import pairwise

from advisor.probes.probe import STEADY, Costs, Probe, Setting, Varies, Work
from advisor.probes.surroundings import Surroundings
from advisor.probes.verdict import MATTERS, Margins

WORTH_DOUBLING = 1.10
"""Examples per second with twice the batch, below which doubling is not worth while."""
SMALLEST = 8
DOUBLINGS_ABOVE = 3
"""Sizes up to eight times the recommended one are tried: further away is another way of training."""
FEWEST_STEPS = 10
"""In a pass over the data; a larger batch would learn too little from each pass, however fast."""


def _choose(here: Surroundings, recommended: Setting) -> tuple[Setting, ...]:
    """The recommended size, and powers of two from 8 to eight times as much that are not almost the same.

    None above the recommended one with which a pass over the data would have fewer than ten steps.
    """
    size = int(recommended)
    least, most = min(SMALLEST, max(1, size // 2)), size * 2**DOUBLINGS_ABOVE
    if here.examples is not None:
        most = min(most, max(size, here.examples // FEWEST_STEPS))
    powers = [2**exponent for exponent in range(most.bit_length()) if least <= 2**exponent <= most]
    apart = [power for power in powers if abs(math.log2(power / size)) > 0.5]
    return tuple(sorted({size, *apart}))


def worth(smaller: int, larger: int) -> float:
    """The factor by which the larger size must give more examples per second."""
    return float(WORTH_DOUBLING ** math.log2(larger / smaller))


def knee(costs: Costs) -> int:
    """The smallest size from which the next larger one is not worth while; the largest tried where all are.

    Args:
        costs: seconds per example by batch size.
    """
    sizes = sorted(map(int, costs))
    for size, larger in pairwise(sizes):
        if costs[size] / costs[larger] < worth(size, larger):
            return size
    return sizes[-1]


def _rival(costs: Costs, before: Setting) -> Setting:
    """The knee; where that is what was recommended, the next smaller size, or the next larger where there is none."""
    best = knee(costs)
    if best != before:
        return best
    others = sorted(int(size) for size in costs if size != best)
    return max((size for size in others if size < best), default=others[0])


def _margins(before: Setting, rival: Setting) -> Margins:
    size, other = int(before), int(rival)
    if size > other:
        return Margins(before=worth(other, size), rival=WORTH_DOUBLING)
    return Margins(before=MATTERS, rival=worth(size, other))


def _enough(costs: Costs, before: Setting) -> str | None:
    """From twice the recommended size on, stop when the last doubling was not worth while."""
    if len(costs) < 2:
        return None
    size, larger = map(int, list(costs)[-2:])
    if larger < 2 * int(before) or costs[size] / costs[larger] >= worth(size, larger):
        return None
    return f"Going from {size} to {larger} added less than 10 % a doubling."


BATCH = Probe(
    name="batch",
    place=20,
    question="Beyond which batch size do the examples per second of the plan's own network hardly grow?",
    topic="training.micro_batch",
    cost_seconds=11.0,
    varies=Varies.BATCH_SIZE,
    work=Work.EXAMPLE,
    shortest_sample=STEADY,
    recheck=True,
    bound_by=("machine", "sizes", "torch", "device"),  # normalisation follows from it
    choose=_choose,
    rival=_rival,
    margins=_margins,
    enough=_enough,
)
