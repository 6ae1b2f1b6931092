"""The tape of shapes against autograd: what is counted for a layer is what PyTorch computes and keeps."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from advisor.models.families.parts import Attention, FeedForward
from advisor.models.model import Model, Source
from advisor.models.tape import Tape, Value
from advisor.models.tracing.trace import traced


class Computed(nn.Module):
    """Parts in a row, and what is computed with them."""

    def __init__(self, compute: Callable[..., Tensor], *parts: nn.Module) -> None:
        super().__init__()
        self.parts = nn.ModuleList(parts)
        self.compute = compute

    def forward(self, x: Tensor) -> Tensor:
        return self.compute(x, *self.parts)


def gated(x: Tensor, gate: nn.Module, up: nn.Module, down: nn.Module) -> Tensor:
    result: Tensor = down(functional.silu(gate(x)) * up(x))
    return result


def attended(x: Tensor, q: nn.Module, k: nn.Module, v: nn.Module, out: nn.Module) -> Tensor:
    def heads(values: Tensor) -> Tensor:
        return values.unflatten(-1, (4, 16)).transpose(1, 2)

    result = functional.scaled_dot_product_attention(heads(q(x)), heads(k(x)), heads(v(x)), is_causal=True)
    projected: Tensor = out(result.transpose(1, 2).flatten(2))
    return projected


def in_a_row(x: Tensor, *parts: nn.Module) -> Tensor:
    for part in parts:
        x = part(x)
    return x


def tape_gated(tape: Tape, x: Value) -> Value:
    return FeedForward(inner=96, gated=True, activation="silu").over(tape, x)


def tape_attended(tape: Tape, x: Value) -> Value:
    return Attention(heads=4, head=16).over(tape, x)


def tape_convolved(tape: Tape, x: Value) -> Value:
    x = tape.norm("norm", tape.convolution("one", x, 16, 3, stride=2, bias=False), "batch")
    x = tape.pooled(tape.activation("relu", x), 3, 2, padding=1)
    return tape.convolution("two", x, 32, 3, groups=4)


def tape_plain(tape: Tape, x: Value) -> Value:
    x = tape.activation("gelu", tape.linear("one", tape.norm("norm", x, "layer"), 80))
    return tape.linear("two", tape.activation("tanh", x), 5, bias=False)


def tape_in_three_dimensions(tape: Tape, x: Value) -> Value:
    x = tape.activation("relu", tape.norm("norm", tape.convolution("one", x, 8, (1, 3, 3)), "group", groups=4))
    return tape.enlarging("two", x, 4, 2, 2)


def read(x: Tensor, memory: nn.Module, head: nn.Module) -> Tensor:
    answer: Tensor = head(memory(x)[0][:, -1])
    return answer


def tape_read(tape: Tape, x: Value) -> Value:
    return tape.linear("head", tape.view(tape.rnn("memory", x, 48), 48), 5)


def through_frozen(x: Tensor, one: nn.Module, frozen: nn.Module, kernel: nn.Module) -> Tensor:
    for weights in (*frozen.parameters(), *kernel.parameters()):
        weights.requires_grad_(False)
    y = frozen(functional.gelu(one(x)))
    convolved: Tensor = kernel(y).exp()
    return convolved


def tape_through_frozen(tape: Tape, x: Value) -> Value:
    y = tape.activation("gelu", tape.linear("one", x, 40))
    with tape.frozen():
        return tape.activation("exp", tape.convolution("kernel", tape.linear("frozen", y, 60), 6, 3))


def twice(x: Tensor, one: nn.Module) -> Tensor:
    once = one(x).sigmoid()
    with torch.no_grad():
        told = one(once).sigmoid()
    again: Tensor = functional.softplus(one(told))
    return again


def tape_twice(tape: Tape, x: Value) -> Value:
    once = tape.activation("sigmoid", tape.linear("one", x, 40))
    with tape.tied():
        with tape.forgetting():
            told = tape.activation("sigmoid", tape.linear("one", once, 40))
        return tape.activation("softplus", tape.linear("one", told, 40))


@pytest.mark.parametrize(
    ("parts", "compute", "shape", "over"),
    [
        ([nn.Linear(64, 96), nn.Linear(64, 96), nn.Linear(96, 64)], gated, (10, 64), tape_gated),
        ([nn.Linear(64, 64) for _ in range(4)], attended, (128, 64), tape_attended),
        (
            [
                nn.Conv2d(3, 16, 3, 2, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU(inplace=True),
                nn.MaxPool2d(3, 2, 1), nn.Conv2d(16, 32, 3, 1, 1, groups=4),
            ],
            in_a_row, (3, 21, 30), tape_convolved,
        ),
        (
            [nn.LayerNorm(40), nn.Linear(40, 80), nn.GELU(), nn.Tanh(), nn.Linear(80, 5, bias=False)],
            in_a_row, (7, 40), tape_plain,
        ),
        (
            [nn.Conv3d(2, 8, (1, 3, 3), padding=(0, 1, 1)), nn.GroupNorm(4, 8), nn.ReLU(), nn.ConvTranspose3d(8, 4, 2, 2)],
            in_a_row, (2, 4, 10, 12), tape_in_three_dimensions,
        ),
        ([nn.RNN(12, 48, batch_first=True), nn.Linear(48, 5)], read, (20, 12), tape_read),
        ([nn.Linear(20, 40), nn.Linear(40, 60), nn.Conv1d(9, 6, 3, padding=1)], through_frozen, (9, 20), tape_through_frozen),
        ([nn.Linear(40, 40)], twice, (40,), tape_twice),
    ],
    ids=["gated", "attention", "convolutions", "dense", "three dimensions", "recurrent", "frozen", "without a way back"],
)  # fmt: skip
def test_what_is_counted_is_what_is_computed_and_kept(
    parts: list[nn.Module], compute: Callable[..., Tensor], shape: tuple[int, ...], over: Callable[[Tape, Value], Value]
) -> None:
    tape = Tape()
    result = over(tape, tape.given(*shape))
    found = traced(lambda: Computed(compute, *(part.to("meta") for part in parts)), lambda b: (torch.zeros(b, *shape),))
    assert result.shape == found[0].shape
    for what in ("parameters", "multiply_adds"):
        assert sum(getattr(layer, what) for layer in tape.layers) == sum(getattr(layer, what) for layer in found)
    ours, autograds = (sum(4 * layer.kept + layer.kept_bytes for layer in layers) for layers in (tape.layers, found))
    assert ours == pytest.approx(autograds, rel=0.001)


def test_a_value_that_two_layers_read_is_kept_once() -> None:
    tape = Tape()
    x = tape.given(100)
    tape.linear("one", x, 10)
    tape.linear("two", x, 10)
    assert [layer.kept for layer in tape.layers] == [100, 0]


def test_among_experts_a_token_meets_those_that_it_is_sent_to() -> None:
    tape = Tape()
    FeedForward(inner=30, bias=False, experts=8, used=2).over(tape, tape.given(5, 10))
    experts = [layer for layer in tape.layers if layer.kind == "linear" and "experts" in layer.name]
    assert sum(layer.parameters for layer in experts) == 8 * 2 * 10 * 30
    assert sum(layer.active for layer in experts) == 2 * 2 * 10 * 30
    assert sum(layer.multiply_adds for layer in experts) == 5 * 2 * 2 * 10 * 30


def test_dropout_keeps_a_byte_for_each_value_as_it_does_on_a_gpu() -> None:
    tape = Tape()
    tape.dropout(tape.given(100), 0.3)
    assert [layer.kept_bytes for layer in tape.layers] == [100]
    assert Tape().dropout(given := tape.given(100), 0.0) is given


def test_a_convolution_spreads_its_input_out_as_torch_unfolds_it() -> None:
    tape = Tape()
    x = tape.convolution("one", tape.given(3, 32, 32), 16, 3, stride=2)
    x = tape.convolution("two", tape.activation("relu", x), 32, 5, groups=1)
    tape.convolution("depthwise", x, 32, 7, groups=32)
    model = Model("three", "convolutions", Source.BUILT, (3, 32, 32), tuple(tape.layers))

    assert model.unfolded == functional.unfold(torch.zeros(1, 16, 16, 16), 5, padding=2).numel()
    rows = nn.Sequential(nn.Conv2d(3, 16, 3, 2, 1), nn.ReLU(), nn.Conv2d(16, 32, 5, padding=2))
    same = traced(lambda: rows, lambda batch: (torch.zeros(batch, 3, 32, 32),))
    assert Model("two", "convolutions", Source.YOURS, (3, 32, 32), tuple(same)).unfolded == model.unfolded
