from __future__ import annotations

import math

import pytest
import torch

from advisor.networks.builders import cross_entropy, dice_cross_entropy
from advisor.networks.families.autoencoder.network import Restored, elbo
from advisor.networks.parts.supervised import quantile_loss


def test_tokens_are_judged_one_by_one() -> None:
    logits, tokens = torch.randn(2, 3, 5), torch.randint(5, (2, 3))
    alone = [cross_entropy(logits[i, j][None], tokens[i, j][None]) for i in range(2) for j in range(3)]
    torch.testing.assert_close(cross_entropy(logits, tokens), torch.stack(alone).mean())


def test_dice_vanishes_for_a_perfect_answer() -> None:
    classes = torch.randint(3, (2, 4, 4))
    logits = 50.0 * torch.nn.functional.one_hot(classes, 3).movedim(-1, 1).float()
    assert dice_cross_entropy(logits, classes).item() == pytest.approx(0, abs=1e-4)


def test_too_low_costs_nine_times_as_much_as_too_high() -> None:
    truth = torch.zeros(1)
    assert quantile_loss(truth - 1, truth).item() == pytest.approx(0.9)
    assert quantile_loss(truth + 1, truth).item() == pytest.approx(0.1)


def test_elbo_is_zero_only_when_restored_and_without_information() -> None:
    examples, nothing = torch.rand(4, 6), torch.zeros(4, 2)
    assert elbo(Restored(examples, nothing, nothing), examples).item() == 0
    moved = elbo(Restored(examples, nothing + 1, nothing), examples).item()
    assert moved == pytest.approx(0.5 * 8 / 24)
    assert math.isfinite(moved)
