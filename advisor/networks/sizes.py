"""The sizes that networks are given where the plan says nothing of them, known without importing torch."""

from __future__ import annotations

import math

EMBEDDING_WIDTH = 128
"""Numbers that stand for one token, in a convolutional network."""
PICTURE_CODE_WIDTH = 128
"""Numbers in the code of a variational autoencoder of pictures."""
NOISE_WIDTH = 64
"""Random numbers from which a gan produces an example."""
TIME_WIDTH = 64
"""Numbers that tell a diffusion network how noisy its input is."""
DIFFUSION_STEPS = 200
"""From an example to noise and back; fewer than the 1000 of Ho et al. 2020, each with more noise."""
GIBBS_STEPS = 1
"""There and back between the two layers of an rbm, for each step of contrastive divergence."""
PATCHES_A_SIDE = 16
"""Transformers cut pictures into at most 16 x 16 patches."""
_WIDTH_OF_A_HEAD = 64
_LAYERS = ((4096, 32), (1024, 24), (768, 12), (512, 6), (0, 4))


def layers_for(width: int) -> int:
    """How many layers of a transformer go with a width: as in the models that are known by it.

    512 and 6: Vaswani et al. 2017; 768 and 12, 1024 and 24: Devlin et al. 2019 (arXiv:1810.04805), table in section 3;
    4096 and 32: Brown et al. 2020 (arXiv:2005.14165), table 2.1. Four below that is this house's.
    """
    return next(layers for least, layers in _LAYERS if width >= least)


def heads(width: int) -> int:
    """One attention head for every 64 units, or the largest number that divides an odd width."""
    return math.gcd(width, max(1, width // _WIDTH_OF_A_HEAD))


def patch_size(side: int) -> int:
    """Dots along a patch of a picture so many dots wide."""
    least = math.ceil(side / PATCHES_A_SIDE)
    return next(size for size in range(least, side + 1) if side % size == 0)


def halvings(side: int, stages: int) -> tuple[bool, ...]:
    """For each stage of a network of pictures so many dots wide, whether it halves them: as long as they can be."""
    found = []
    for _ in range(stages):
        found.append(side % 2 == 0)
        side //= 2 if found[-1] else 1
    return tuple(found)
