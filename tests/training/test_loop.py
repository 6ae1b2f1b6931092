from __future__ import annotations

import math
import time
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from advisor.training.loop.batches import in_order, shuffled
from advisor.training.loop.loop import train
from advisor.training.loop.objectives import Batch, Objective, Supervised
from advisor.training.recipe import Epoch, Recipe, Stop, Trained
from tests.training.learning import Rivals, classifier, line, right, same_weights, two_moons

torch.set_num_threads(1)


def recipe(**changes: Any) -> Recipe:
    fields = {"optimizer": "adam", "learning_rate": 0.02, "batch_size": 32, "epochs": 3, "schedule": "constant"}
    return Recipe(**(fields | changes))


def after(number: int, act: Any) -> Any:
    """Acts once so many epochs are done."""

    def on_epoch(epoch: Epoch) -> None:
        if epoch.number == number:
            act()

    return on_epoch


def interrupt() -> None:
    raise KeyboardInterrupt


# What is learned


def test_a_small_network_learns_to_tell_two_moons() -> None:
    objective = classifier()
    assert right(objective, two_moons(seed=1)) < 0.9
    trained = train(objective, two_moons(), recipe(epochs=30))
    assert right(objective, two_moons(seed=1)) > 0.95
    assert trained.stopped is Stop.EPOCHS
    assert [epoch.number for epoch in trained.history] == list(range(1, 31))
    assert trained.history[-1].loss < trained.history[0].loss / 3
    assert trained.seconds >= sum(epoch.seconds for epoch in trained.history)


def test_lbfgs_finds_a_line_in_one_epoch() -> None:
    objective, examples = line()
    trained = train(objective, examples, recipe(optimizer="lbfgs", epochs=2, batch_size=10))
    assert trained.history[0].loss > 1
    assert trained.history[1].loss < 1e-8


def test_lbfgs_sees_all_examples_whatever_the_batch_size() -> None:
    weights = []
    for size in (7, 64):
        objective, examples = line()
        train(objective, examples, recipe(optimizer="lbfgs", epochs=1, batch_size=size))
        weights.append(objective.module.weight)  # type: ignore[attr-defined]
    torch.testing.assert_close(*weights)


def test_lbfgs_searches_its_lines_under_the_same_dropout() -> None:
    objective = classifier(dropout=0.3)
    trained = train(objective, two_moons(), recipe(optimizer="lbfgs", epochs=5))
    assert trained.stopped is Stop.EPOCHS
    assert right(objective, two_moons(seed=1)) > 0.85


def test_decay_shrinks_what_lbfgs_finds_as_ridge_regression_does() -> None:
    objective, (inputs, _) = line()
    inputs = inputs - inputs.mean(0)
    targets = inputs @ torch.tensor([[1.0], [-2.0], [0.5]])
    train(objective, (inputs, targets), recipe(optimizer="lbfgs", epochs=3, weight_decay=0.5))
    # mse + 0.25 |w|^2 is least where (X'X / n * 2 + 0.5) w = X'y / n * 2
    gram = 2 * inputs.T @ inputs / 64
    ridge = torch.linalg.solve(gram + 0.5 * torch.eye(3), 2 * inputs.T @ targets / 64)
    torch.testing.assert_close(objective.module.weight.detach(), ridge.T, atol=1e-4, rtol=1e-3)  # type: ignore[attr-defined]


def test_two_players_take_turns_on_every_batch_and_each_moves_only_its_own_weights() -> None:
    rivals = Rivals()
    truth = (3 + torch.randn(128, 1, generator=torch.Generator().manual_seed(0)),)
    train(rivals, truth, recipe(epochs=1, batch_size=64))
    assert rivals.turns == ["judge", "maker"] * 2
    train(rivals, truth, recipe(epochs=150, batch_size=64, learning_rate=0.01))
    with torch.random.fork_rng():
        torch.manual_seed(0)
        assert rivals.made(500).mean().item() == pytest.approx(3, abs=1)


def test_bf16_learns_about_the_same() -> None:
    exact, rounded = classifier(), classifier()
    train(exact, two_moons(), recipe(epochs=30))
    train(rounded, two_moons(), recipe(epochs=30, precision="bf16"))
    assert not same_weights(exact.module, rounded.module)
    assert next(rounded.module.parameters()).dtype is torch.float32
    assert right(rounded, two_moons(seed=1)) > 0.95


# Batches


@given(st.integers(1, 300), st.integers(1, 100), st.integers(0, 10))
def test_every_example_is_in_one_batch_and_no_batch_is_a_small_rest(examples: int, size: int, seed: int) -> None:
    numbers = torch.arange(examples)
    batches = [batch[0] for batch in shuffled((numbers, numbers), size, torch.Generator().manual_seed(seed))]
    assert sorted(torch.cat(batches).tolist()) == numbers.tolist()
    lengths = [len(batch) for batch in batches]
    assert max(lengths) <= size
    assert max(lengths) - min(lengths) <= 1
    assert torch.cat([batch[0] for batch in in_order((numbers,), size)]).tolist() == numbers.tolist()


def test_inputs_and_targets_stay_together_in_an_order_that_is_new_each_epoch() -> None:
    seen: list[list[int]] = []

    class Watching(Objective):
        def loss(self, batch: Batch) -> Tensor:
            inputs, targets = batch
            assert torch.equal(inputs[:, 0], targets)
            seen.append(targets.tolist())
            return self.module(inputs).sum() * 0.0  # type: ignore[no-any-return]

    numbers = torch.arange(20.0)
    train(Watching(nn.Linear(1, 1)), (numbers[:, None], numbers), recipe(epochs=2, batch_size=20))
    assert sorted(seen[0]) == sorted(seen[1]) == numbers.tolist()
    assert seen[0] != seen[1]


def test_normalisation_over_the_batch_survives_one_example_too_many() -> None:
    assert train(classifier(norm=True), two_moons(33), recipe(batch_size=32)).stopped is Stop.EPOCHS


# Repeatability


@settings(deadline=None, max_examples=10)
@given(st.sampled_from(["sgd_momentum", "adamw", "lbfgs", "lamb"]), st.integers(0, 2**62))
def test_the_same_seed_gives_the_same_weights_bit_for_bit(optimizer: str, seed: int) -> None:
    results = []
    for noise in (1, 2):
        torch.manual_seed(noise)  # what was drawn before must not matter
        objective = classifier(dropout=0.2, norm=True)
        train(objective, two_moons(50), recipe(optimizer=optimizer, seed=seed, epochs=2))
        results.append(objective.module)
    assert same_weights(*results)


def test_another_seed_gives_other_weights() -> None:
    results = []
    for seed in (0, 1):
        objective = classifier()
        train(objective, two_moons(), recipe(seed=seed))
        results.append(objective.module)
    assert not same_weights(*results)


def test_random_numbers_and_threads_are_afterwards_as_before() -> None:
    torch.manual_seed(3)
    expected = torch.rand(2)
    torch.manual_seed(3)
    train(classifier(dropout=0.5), two_moons(), recipe(threads=2))
    assert torch.equal(torch.rand(2), expected)
    assert torch.get_num_threads() == 1


def test_threads_are_those_of_the_recipe_meanwhile() -> None:
    seen: list[int] = []
    train(
        classifier(), two_moons(), recipe(epochs=1, threads=2), on_epoch=lambda _: seen.append(torch.get_num_threads())
    )
    assert seen == [2]


def test_judging_draws_the_same_random_numbers_after_every_epoch_and_training_others() -> None:
    plain = train(classifier(dropout=0.3), two_moons(), recipe())
    judged = train(classifier(dropout=0.3), two_moons(), recipe(), score=lambda _: torch.rand(1).item())
    assert len({epoch.validation for epoch in judged.history}) == 1
    assert [epoch.loss for epoch in plain.history] == [epoch.loss for epoch in judged.history]


# The best weights


def test_the_weights_of_the_best_epoch_are_kept() -> None:
    scores = iter([0.1, 0.9, 0.5])
    snapshots: list[Tensor] = []
    objective = classifier()

    def score(network: nn.Module) -> float:
        assert not network.training
        snapshots.append(network[0].weight.detach().clone())  # type: ignore[index]
        return next(scores)

    trained = train(objective, two_moons(), recipe(), score=score)
    assert (trained.best_epoch, trained.best_validation) == (2, 0.9)
    assert torch.equal(objective.module[0].weight, snapshots[1])  # type: ignore[index]
    assert [epoch.validation for epoch in trained.history] == [0.1, 0.9, 0.5]
    assert not objective.module.training


def test_without_a_score_the_loss_of_the_validation_examples_decides_and_less_is_better() -> None:
    objective, held_out = classifier(), two_moons(100, seed=5)
    trained = train(objective, two_moons(), recipe(epochs=15), validation=held_out)
    losses = [epoch.validation for epoch in trained.history]
    assert trained.best_validation == min(loss for loss in losses if loss is not None)
    assert objective.loss(held_out).item() == pytest.approx(trained.best_validation, rel=1e-5)


def test_training_ends_early_after_so_many_epochs_without_improvement() -> None:
    scores = iter([0.5, 0.7, 0.7, 0.6, 0.1, 0.9])
    trained = train(classifier(), two_moons(), recipe(epochs=6, patience=3), score=lambda _: next(scores))
    assert trained.stopped is Stop.EARLY
    assert (trained.best_epoch, len(trained.history)) == (2, 5)


def test_without_patience_all_epochs_are_trained() -> None:
    trained = train(classifier(), two_moons(), recipe(epochs=15, patience=None), score=lambda _: 0.0)
    assert (trained.stopped, trained.best_epoch, len(trained.history)) == (Stop.EPOCHS, 1, 15)


def test_a_score_that_is_no_number_is_no_improvement() -> None:
    scores = iter([math.nan, 0.2, math.nan])
    trained = train(classifier(), two_moons(), recipe(), score=lambda _: next(scores))
    assert (trained.best_epoch, trained.best_validation) == (2, 0.2)


# What ends a training


def test_a_deadline_that_has_passed_lets_no_batch_begin() -> None:
    objective, untouched = classifier(), classifier()
    trained = train(objective, two_moons(), recipe(), until=time.monotonic())
    assert (trained.stopped, trained.history, trained.best_epoch) == (Stop.TIME, (), 0)
    assert same_weights(objective.module, untouched.module)


class Ticking(Supervised):
    """The deadline comes while its n-th batch is computed."""

    def __init__(self, supervised: Supervised, monkeypatch: pytest.MonkeyPatch, batches: int) -> None:
        super().__init__(supervised.module, nn.functional.cross_entropy)
        self.taken = 0
        clock = SimpleNamespace(monotonic=lambda: float(self.taken >= batches))
        monkeypatch.setattr("advisor.training.loop.loop.time", clock)

    def loss(self, batch: Batch) -> Tensor:
        self.taken += self.module.training
        return super().loss(batch)


@pytest.mark.parametrize("optimizer", ["adam", "lbfgs"])
def test_the_deadline_ends_the_training_within_one_batch(monkeypatch: pytest.MonkeyPatch, optimizer: str) -> None:
    objective = Ticking(classifier(), monkeypatch, batches=10)
    trained = train(objective, two_moons(), recipe(optimizer=optimizer, epochs=100), until=1.0)
    assert trained.stopped is Stop.TIME
    assert objective.taken == 10


def test_without_judgement_the_deadline_leaves_the_weights_of_the_last_step(monkeypatch: pytest.MonkeyPatch) -> None:
    started = classifier()
    objective = Ticking(classifier(), monkeypatch, batches=3)  # an epoch has 7
    trained = train(objective, two_moons(), recipe(), until=1.0)
    assert trained.best_epoch == 0
    assert not same_weights(objective.module, started.module)


def test_with_judgement_the_deadline_leaves_those_of_the_best_epoch(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = classifier()
    train(whole, two_moons(), recipe(epochs=1))
    objective = Ticking(classifier(), monkeypatch, batches=10)
    trained = train(objective, two_moons(), recipe(), score=lambda _: 0.5, until=1.0)
    assert (trained.stopped, trained.best_epoch) == (Stop.TIME, 1)
    assert same_weights(objective.module, whole.module)


@pytest.mark.parametrize("optimizer", ["sgd", "lbfgs"])
def test_a_loss_that_is_no_number_ends_the_training_with_weights_that_are(optimizer: str) -> None:
    inputs, classes = two_moons()
    inputs[0, 0] = math.nan
    objective = classifier()
    trained = train(objective, (inputs, classes), recipe(optimizer=optimizer))
    assert trained.stopped is Stop.DIVERGED
    assert all(torch.isfinite(weights).all() for weights in objective.module.parameters())


def test_a_rate_that_is_far_too_high_diverges_and_leaves_the_last_whole_epoch() -> None:
    objective, examples = line()
    trained = train(objective, examples, recipe(optimizer="sgd", learning_rate=10.0, epochs=100))
    assert trained.stopped is Stop.DIVERGED
    assert 0 < trained.best_epoch == len(trained.history) < 100
    assert all(torch.isfinite(weights).all() for weights in objective.module.parameters())


def test_clipping_keeps_the_same_rate_from_diverging() -> None:
    objective, examples = line()
    trained = train(objective, examples, recipe(optimizer="sgd", learning_rate=10.0, epochs=100, clip_norm=1e-3))
    assert trained.stopped is Stop.EPOCHS


def test_clipping_bounds_the_norm_of_the_whole_step() -> None:
    objective, examples = line()
    train(objective, examples, recipe(optimizer="sgd", learning_rate=1.0, epochs=1, batch_size=64, clip_norm=0.01))
    squares = [weights.detach().square().sum() for weights in objective.module.parameters()]  # they were zero
    assert math.sqrt(sum(squares)) == pytest.approx(0.01, rel=1e-3)


def test_an_interruption_leaves_the_best_weights_and_goes_on_up() -> None:
    scores = iter([0.9, 0.1])
    objective, best = classifier(), classifier()
    train(best, two_moons(), recipe(epochs=1))
    with pytest.raises(KeyboardInterrupt):
        train(objective, two_moons(), recipe(), score=lambda _: next(scores), on_epoch=after(2, interrupt))
    assert same_weights(objective.module, best.module)
    assert not objective.module.training


# The schedule


def test_the_schedule_moves_step_by_step_over_the_whole_training() -> None:
    """With plain SGD and a gradient of one, the weights move by the sum of the rates."""

    class Slope(Objective):
        def loss(self, batch: Batch) -> Tensor:
            return self.module.bias.sum()  # type: ignore[no-any-return,operator]

    def moved(**changes: Any) -> float:
        network = nn.Linear(1, 1)
        nn.init.zeros_(network.bias)
        steps = recipe(optimizer="sgd", learning_rate=1.0, batch_size=1, epochs=5, **changes)
        trained: Trained = train(Slope(network), (torch.zeros(4, 1),), steps)
        assert trained.stopped is Stop.EPOCHS
        return -network.bias.item()

    assert moved(schedule="constant") == pytest.approx(20)
    assert moved(schedule="linear") == pytest.approx(sum(1 - step / 20 for step in range(20)))
    assert moved(schedule="constant", warmup_share=0.2) == pytest.approx(16 + sum((step + 1) / 5 for step in range(4)))


@pytest.mark.gpu
def test_a_network_on_a_card_learns_from_examples_in_main_memory_the_same_way_twice() -> None:
    torch.cuda.manual_seed(3)
    before = torch.cuda.get_rng_state()
    first, second = classifier(dropout=0.2), classifier(dropout=0.2)
    for objective in (first, second):
        objective.module.cuda()
        train(objective, two_moons(), recipe(epochs=60, precision="bf16"), validation=two_moons(50, seed=2))
        objective.module.cpu()
    assert right(first, two_moons(seed=1)) > 0.95
    torch.testing.assert_close(first.module.state_dict(), second.module.state_dict(), atol=1e-3, rtol=1e-3)
    assert torch.equal(torch.cuda.get_rng_state(), before)
