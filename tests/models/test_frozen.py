"""Weights that are never trained: no gradients, no states of the optimizer, no work for them on the way back."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from advisor.agent.settling.known_model import model_facts
from advisor.models.model import Layer, Model, Source
from advisor.models.tracing.asking import built_model
from advisor.models.tracing.chance import Count, count_module
from advisor.report.models.page import model_json, model_page
from advisor.report.page import Look
from tests.cli.program import advisor


def frozen(module: nn.Module) -> nn.Module:
    return module.requires_grad_(False)


def middle() -> nn.Module:
    return nn.Sequential(nn.Linear(64, 64), frozen(nn.Linear(64, 64)), nn.Linear(64, 64))


def biases_alone() -> nn.Module:
    module = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    for name, weights in module.named_parameters():
        weights.requires_grad_(name.endswith("bias"))
    return module


def normalization() -> nn.Module:
    parts = nn.Conv2d(3, 8, 3, padding=1), frozen(nn.BatchNorm2d(8)), nn.Flatten(), nn.Linear(8 * 64, 10)
    return nn.Sequential(*parts)


def embedding() -> nn.Module:
    return nn.Sequential(frozen(nn.Embedding(1000, 64)), nn.Linear(64, 10))


def everything() -> nn.Module:
    return frozen(nn.Sequential(nn.Linear(64, 64), nn.Linear(64, 10)))


def recurrent_trunk() -> nn.Module:
    return nn.Sequential(frozen(nn.LSTM(16, 32, batch_first=True)), First(), nn.Linear(32, 10))


class First(nn.Module):
    def forward(self, given: tuple[torch.Tensor, object]) -> torch.Tensor:
        return given[0][:, -1]


class Tied(nn.Module):
    """A frozen table that gives words their vectors, and scores them."""

    def __init__(self) -> None:
        super().__init__()
        self.table, self.between = nn.Embedding(100, 32), nn.Linear(32, 32)
        self.head = nn.Linear(32, 100, bias=False)
        self.head.weight = self.table.weight
        self.table.weight.requires_grad_(False)

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        scores: torch.Tensor = self.head(self.between(self.table(words)))
        return scores


class Adapted(nn.Module):
    """A frozen layer with an adapter of low rank beside it."""

    def __init__(self) -> None:
        super().__init__()
        self.base = frozen(nn.Linear(64, 64))
        self.down, self.up = nn.Linear(64, 4, bias=False), nn.Linear(4, 64, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = self.base(x) + self.up(self.down(x))
        return result


def of(build: Callable[[], nn.Module], shape: tuple[int, ...], *, words: bool = False) -> Count:
    kind = torch.long if words else torch.float32
    return count_module(build, lambda batch: (torch.zeros(batch, *shape, dtype=kind),))


@pytest.mark.parametrize(
    ("build", "shape", "trained", "backward"),
    [
        # weights of the last and first layer, and the way through the last two
        (middle, (64,), 2 * (64 * 64 + 64), 2 * 64 * 64 + 2 * 64 * 64),
        (biases_alone, (64,), 64 + 64 + 10, 64 * 64 + 64 * 10),  # the way to the first bias, and no weights
        (normalization, (3, 8, 8), 3 * 9 * 8 + 8 + 512 * 10 + 10, 3 * 9 * 8 * 64 + 2 * 512 * 10),
        (everything, (64,), 0, 0),
        (Adapted, (64,), 2 * 64 * 4, 3 * 64 * 4),  # the way ends at the lower of the two
        (recurrent_trunk, (7, 16), 330, 32 * 10),
    ],
)
def test_frozen_weights_cost_nothing_on_the_way_back(
    build: Callable[[], nn.Module], shape: tuple[int, ...], trained: int, backward: int
) -> None:
    count = of(build, shape)

    assert sum(layer.parameters - layer.frozen for layer in count.layers) == trained
    assert count.backward == backward


@pytest.mark.parametrize(
    ("build", "trained", "backward"),
    [(embedding, 650, 5 * 64 * 10), (Tied, 32 * 32 + 32, 5 * (32 * 100 + 32 * 32))],
)
def test_a_frozen_table_is_none_that_is_trained(build: Callable[[], nn.Module], trained: int, backward: int) -> None:
    count = of(build, (5,), words=True)

    assert sum(layer.parameters - layer.frozen for layer in count.layers) == trained
    assert count.backward == backward


def test_nothing_is_run_backwards_where_all_weights_are_trained() -> None:
    assert of(lambda: nn.Linear(8, 4), (8,)).backward is None


class Trunk(nn.Module):
    """A trunk and a head; how the first is left alone, subclasses say."""

    def __init__(self) -> None:
        super().__init__()
        self.trunk, self.head = nn.Linear(64, 64), nn.Linear(64, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = self.head(self.trunk(x))
        return result


class WithoutGradients(Trunk):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            seen = self.trunk(x)
        result: torch.Tensor = self.head(seen)
        return result


class Detached(Trunk):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = self.head(self.trunk(x).detach())
        return result


class Unused(Trunk):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = self.head(x)
        return result


class OnlyNumbers(Trunk):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return super().forward(x).detach()


class FrozenInTraining(Trunk):
    def train(self, mode: bool = True) -> FrozenInTraining:
        super().train(mode)
        self.trunk.requires_grad_(False)
        return self


class Checkpointed(Trunk):
    """Gradients come to the trunk by a way of its own."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        seen = checkpoint(self.trunk, x + 0 * self.head.bias.sum(), use_reentrant=True)
        result: torch.Tensor = self.head(seen)
        return result


@pytest.mark.parametrize(
    ("build", "idle"), [(WithoutGradients, 4160), (Detached, 4160), (Unused, 4160), (OnlyNumbers, 4420)]
)
def test_weights_without_a_gradient_are_said(build: Callable[[], nn.Module], idle: int) -> None:
    count = of(build, (64,))

    (said,) = count.remarks
    assert said.startswith(f"No gradient reaches {idle:,} parameters, such as trunk.weight, from its output")
    assert sum(layer.frozen for layer in count.layers) == 0


@pytest.mark.parametrize(
    "build", [Trunk, middle, biases_alone, everything, Adapted, FrozenInTraining, Checkpointed, recurrent_trunk]
)
def test_nothing_is_said_where_all_that_is_not_frozen_learns(build: Callable[[], nn.Module]) -> None:
    assert of(build, (7, 16) if build is recurrent_trunk else (64,)).remarks == ()


def test_weights_that_training_freezes_are_frozen() -> None:
    assert sum(layer.frozen for layer in of(FrozenInTraining, (64,)).layers) == 4160


def test_values_for_gradients_of_frozen_weights_are_not_kept() -> None:
    trunk = [nn.Linear(64, 64) for _ in range(4)]
    count = of(lambda: nn.Sequential(*map(frozen, trunk), nn.Linear(64, 10)), (64,))

    assert sum(layer.kept for layer in count.layers) == 64


def model(*layers: Layer, **more: int) -> Model:
    return Model("net.py:make", "written", Source.YOURS, (64,), layers, **more)  # type: ignore[arg-type]


def test_all_faces_say_how_many_are_trained() -> None:
    part = model(Layer("a", "Linear", (64,), 4160, 4160, frozen=4000, multiply_adds=4096), backward=160)

    facts = model_facts(part)
    assert (facts["network.trained_parameters"], facts["network.backward_multiply_adds"]) == (160, 160)
    assert "Trained: 160" in model_page(part, Look())
    told = model_json(part)
    assert (told["trained_parameters"], told["backward_multiply_adds_per_example"]) == (160, 160)
    assert told["layers"][0]["frozen_parameters"] == 4000


def test_nothing_is_said_of_training_where_all_weights_are_trained() -> None:
    whole = model(Layer("a", "Linear", (64,), 4160, 4160, multiply_adds=4096))

    assert "network.trained_parameters" not in model_facts(whole)
    assert "Trained" not in model_page(whole, Look())


NET = """
from torch import nn

def frozen():
    net = nn.Sequential(nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 10))
    for name, weights in net.named_parameters():
        weights.requires_grad = name.startswith("4.")
    return net
"""
TRAINED = 256 * 10 + 10


def test_a_plan_has_gradients_and_states_of_the_trained_weights_alone(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(NET)
    assert built_model(f"{tmp_path / 'net.py'}:frozen", [(256,)]).trained == TRAINED

    figures = _figures(advisor(
        "recommend", "--model", f"{tmp_path / 'net.py'}:frozen", "--input", "256", "--set", "task.kind=classify",
        "--set", "task.outputs=10", "--set", "data.examples=10k", "--machine", "rtx-4090", "--format", "json",
    ).out)  # fmt: skip

    assert figures["network.size"] == 2 * (256 * 256 + 256) + TRAINED
    assert figures["memory.gradients"] == pytest.approx(4 * TRAINED)
    assert figures["memory.optimizer_states"] == pytest.approx(8 * TRAINED)
    assert figures["memory.half_copies"] == pytest.approx(2 * TRAINED)
    assert figures["compute.training_flops"] == 2 * (2 * 256 * 256 + 2560) + 2 * 2560


def _figures(text: str) -> Mapping[str, float]:
    return {name: one["value"] for name, one in json.loads(text)["figures"].items()}
