"""The sizes that a network is given where the plan does not state them. No torch here."""

from __future__ import annotations

import math

EMBEDDING_WIDTH = 128
"""Numbers that stand for one token in a convolutional network."""
LARGE_SIDE = 64
"""Pixels, from which a convolutional network halves both sides of a picture twice before its stages, which are residual."""
FILM_STEM = (3, 7, 7)
"""Frames, rows and columns that the first convolution over a film sees at once (R3D, Tran et al. 2018)."""
PICTURE_CODE_WIDTH = 128
"""Numbers in the code of a variational autoencoder of pictures."""
NOISE_WIDTH = 64
"""Random numbers from which a generator produces an example."""
TIME_WIDTH = 64
"""Numbers that tell a diffusion network how noisy its input is."""
DIFFUSION_STEPS = 200
"""From an example to noise and back; fewer than the 1000 of Ho et al. 2020, each with more noise."""
GIBBS_STEPS = 1
"""Between the two layers of a Boltzmann machine and back, for each step of contrastive divergence."""


def groups(width: int) -> int:
    """Groups of channels that are normalised together: at most eight, with at least two channels each where there are two."""
    return math.gcd(8, width, width // 2)


def halvings(side: int, stages: int) -> tuple[bool, ...]:
    """For each stage of a network of pictures, whether it halves them: as long as the side is an even number of pixels."""
    found = []
    for _ in range(stages):
        found.append(side % 2 == 0)
        side //= 2 if found[-1] else 1
    return tuple(found)
