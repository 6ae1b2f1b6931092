"""Operations that torch has no formula for are counted, or named: never taken for nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from advisor.agent.settling.known_model import model_facts
from advisor.models.model import Layer, Model, Source
from advisor.models.tracing.chance import Count, count_module
from advisor.report.models.page import model_json, model_page
from advisor.report.page import Look


class Computed(nn.Module):
    """Any function of an input and weights."""

    def __init__(self, compute: Callable[..., Tensor], *shapes: tuple[int, ...]) -> None:
        super().__init__()
        self.compute = compute
        self.weights = nn.ParameterList([nn.Parameter(torch.randn(*shape)) for shape in shapes])

    def forward(self, x: Tensor) -> Tensor:
        return self.compute(x, *self.weights)


class Own(torch.autograd.Function):
    @staticmethod
    def forward(context: Any, x: Tensor, weights: Tensor) -> Tensor:
        return x @ weights


def of(
    compute: Callable[..., Tensor], shape: tuple[int, ...], *weights: tuple[int, ...], contents: bool = False
) -> Count:
    return count_module(
        lambda: Computed(compute, *weights), lambda batch: (torch.zeros(batch, *shape),), contents=contents
    )


def heads(x: Tensor, w: Tensor) -> Tensor:
    return functional.scaled_dot_product_attention(x * w, x[:, :2], x[:, :2], enable_gqa=True)


def sampled(x: Tensor, w: Tensor) -> Tensor:
    return functional.grid_sample(x, torch.zeros(x.shape[0], 8, 8, 2) + w, align_corners=False)


COUNTED: dict[str, tuple[Callable[..., Tensor], tuple[int, ...], list[tuple[int, ...]], int]] = {
    "bilinear": (lambda x, w: functional.bilinear(x, x, w), (64,), [(8, 64, 64)], 64 * 64 * 8),
    "mv": (lambda x, w: torch.mv(x.reshape(-1, 64), w), (10, 64), [(64,)], 640),
    "addmv": (lambda x, w: torch.addmv(torch.zeros(x.shape[0]), x, w), (64,), [(64,)], 64),
    "dot": (lambda x, w: torch.dot(x.reshape(-1), w.repeat(x.shape[0])), (64,), [(64,)], 64),
    "vector": (lambda x, w: x @ w, (10, 64), [(64,)], 640),
    "einsum": (lambda x, w: torch.einsum("bi,ijk,bj->bk", x, w, x), (8,), [(8, 8, 4)], 8 * 8 * 4 + 8 * 4),
    "addbmm": (lambda x, w: torch.addbmm(w, x, x.transpose(1, 2)), (10, 64), [(10, 10)], 6400),
    "baddbmm": (lambda x, w: torch.baddbmm(w, x, x.transpose(1, 2)), (10, 64), [(1, 10, 10)], 6400),
    "addr": (lambda x, w: torch.addr(torch.zeros(x.shape[0], 64), x[:, 0], w), (8,), [(64,)], 64),
    "cdist": (torch.cdist, (64,), [(32, 64)], 32 * 64),
    "conv_tbc": (
        lambda x, w, b: torch.conv_tbc(x.transpose(0, 1).contiguous(), w, b, 1), (10, 16), [(3, 16, 32), (32,)],
        10 * 3 * 16 * 32,
    ),
    "grid_sample": (sampled, (3, 8, 8), [(1,)], 3 * 64 * 4),
    "unfold": (lambda x, w: w @ functional.unfold(x, 3), (3, 8, 8), [(4, 27)], 4 * 27 * 36),
    "heads that share keys": (heads, (8, 10, 16), [(1,)], 2 * 8 * 10 * 10 * 16),
    "custom function": (Own.apply, (64,), [(64, 32)], 64 * 32),
    "vmap": (lambda x, w: torch.vmap(lambda one: one @ w)(x), (64,), [(64, 8)], 64 * 8),
}  # fmt: skip


@pytest.mark.parametrize("name", COUNTED)
def test_an_operation_is_counted_by_its_shapes(name: str) -> None:
    compute, shape, weights, expected = COUNTED[name]
    count = of(compute, shape, *weights)

    assert sum(layer.multiply_adds for layer in count.layers) == expected
    assert count.uncounted == ()


def test_of_a_sparse_matrix_only_its_numbers_are_counted() -> None:
    def passed_on(x: Tensor, w: Tensor) -> Tensor:
        return torch.sparse.mm(torch.eye(64).to_sparse(), (x * w).T)

    with pytest.raises(RuntimeError, match="sparse"):
        of(passed_on, (64,), (64,))
    assert sum(layer.multiply_adds for layer in of(passed_on, (64,), (64,), contents=True).layers) == 64


@pytest.mark.parametrize(
    ("compute", "names"),
    [
        (lambda x, w: torch.fft.irfft(torch.fft.rfft(x) * w, n=8), ("fft_c2r", "fft_r2c")),
        (lambda x, w: torch.linalg.inv(x + w), ("linalg_inv",)),
        (lambda x, w: torch.linalg.solve(x + w, x), ("linalg_solve",)),
        (lambda x, w: torch.linalg.svd(x * w).S, ("linalg_svd",)),
        (lambda x, w: torch.matrix_exp(x * w), ("linalg_matrix_exp",)),
        (lambda x, w: torch.ops.advisor_test.unheard_of(x * w), ("advisor_test.unheard_of",)),
    ],
)
def test_an_operation_without_a_formula_is_named(compute: Callable[..., Tensor], names: tuple[str, ...]) -> None:
    assert of(compute, (8, 8), (1,)).uncounted == names


@torch.library.custom_op("advisor_test::unheard_of", mutates_args=())
def unheard_of(x: Tensor) -> Tensor:
    return x.clone()


@unheard_of.register_fake
def _(x: Tensor) -> Tensor:
    return torch.empty_like(x)


@pytest.mark.parametrize(
    "build",
    [
        lambda: nn.utils.parametrizations.spectral_norm(nn.Linear(8, 8)),
        lambda: Computed(lambda x, w: x @ torch.linalg.inv(w), (8, 8)),
    ],
)
def test_work_on_weights_alone_is_none_of_an_example(build: Callable[[], nn.Module]) -> None:
    count = count_module(build, lambda batch: (torch.zeros(batch, 8),))

    assert count.uncounted == ()
    assert sum(layer.multiply_adds for layer in count.layers) == 64


@pytest.mark.parametrize(
    "compute",
    [
        lambda x, w: (x * w).softmax(-1).sort().values.cumsum(-1),
        lambda x, w: torch.zeros(x.shape[0], 8).index_add(1, torch.arange(8) % 3, x * w),
        lambda x, w: functional.interpolate((x * w)[:, None, None], scale_factor=2, mode="bilinear"),
        lambda x, w: functional.layer_norm(x * w, (8,)),
        lambda x, w: functional.pad(functional.avg_pool1d(x[:, None] * w, 2), (1, 1), mode="reflect"),
        lambda x, w: torch.nn.functional.one_hot((x * w).argmax(-1), 8).float() + x * w,
    ],
)
def test_what_only_moves_and_scales_numbers_has_no_name(compute: Callable[..., Tensor]) -> None:
    assert of(compute, (8,), (1,)).uncounted == ()


def model(multiply_adds: int, *uncounted: str) -> Model:
    layer = Layer("a", "Linear", (64,), 4160, 4160, multiply_adds=multiply_adds, kept=64)
    return Model("net.py:make", "written", Source.YOURS, (64,), (layer,), uncounted=uncounted)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (
            model(4096, "fft_r2c"),
            "not known, since there is no formula for the operation fft_r2c; all others take 4,096",
        ),
        (model(0, "fft_r2c", "fft_c2r"), "not known, since there is no formula for the operations fft_r2c and fft_c2r"),
        (model(0), "not known, since it has no products of matrices"),
    ],
)
def test_what_is_not_known_is_said_and_nothing_follows_from_it(found: Model, said: str) -> None:
    page = " ".join(model_page(found, Look()).split())
    assert said in page
    assert "Multiply-adds: none" not in page
    assert model_json(found)["multiply_adds_per_example"] is None
    facts = model_facts(found)
    assert "network.multiply_adds" not in facts
    assert facts["network.uncounted_operations"] != 0
    assert facts["network.kept_values"] == 64
