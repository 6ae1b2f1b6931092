from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor, nn

from advisor.networks.parts.layers import after_layers, dense
from advisor.training.loop.initialisation import initialise
from advisor.training.recipe import INITIALISATIONS

torch.set_num_threads(1)
FAN_IN = ("he", "glorot", "lecun", "orthogonal")


def started(module: nn.Module, name: str, activation: str = "relu", **options: float) -> nn.Module:
    initialise(module, name, activation, **options)  # type: ignore[arg-type]
    return module


def deviation(weights: Tensor) -> float:
    return weights.std().item()


@pytest.mark.parametrize(
    ("name", "activation", "variance"),
    [
        ("he", "relu", 2 / 300),
        ("he", "leaky_relu", 2 / 300),
        ("he", "tanh", 1 / 300),
        ("glorot", "relu", 2 / 500),
        ("lecun", "relu", 1 / 300),
        ("small_normal", "relu", 0.1**2),
    ],
)
def test_a_linear_layer_of_300_inputs_and_200_units_has_the_variance_of_the_paper(
    name: str, activation: str, variance: float
) -> None:
    layer = nn.Linear(300, 200)
    started(layer, name, activation)
    assert deviation(layer.weight) == pytest.approx(math.sqrt(variance), rel=0.02)
    assert layer.weight.mean().item() == pytest.approx(0, abs=3 * math.sqrt(variance / 60_000))
    assert layer.bias.abs().max() == 0


def test_the_survey_s_deviation_can_be_another() -> None:
    layer = nn.Linear(300, 200)
    initialise(layer, "small_normal", deviation=0.01)
    assert deviation(layer.weight) == pytest.approx(0.01, rel=0.02)


def test_the_inputs_of_a_filter_are_its_channels_times_its_places() -> None:
    layer = nn.Conv2d(16, 64, 3)
    started(layer, "he")
    assert deviation(layer.weight) == pytest.approx(math.sqrt(2 / (16 * 9)), rel=0.03)


@pytest.mark.parametrize(("groups", "stride"), [(1, 2), (1, 1), (4, 2)])
def test_transposed_convolutions_keep_the_size_of_a_signal(groups: int, stride: int) -> None:
    layer = nn.ConvTranspose2d(32, 32, 4, stride=stride, groups=groups)
    started(layer, "lecun")
    inside = layer(torch.randn(8, 32, 12, 12))[:, :, 6:-6, 6:-6]
    assert inside.std().item() == pytest.approx(1, abs=0.1)


def test_orthogonal_weights_keep_the_length_of_what_they_are_given() -> None:
    layer = nn.Linear(50, 50)
    started(layer, "orthogonal", "tanh")
    torch.testing.assert_close(layer.weight @ layer.weight.T, torch.eye(50), atol=1e-4, rtol=0)
    started(layer, "orthogonal", "relu")
    torch.testing.assert_close(layer.weight @ layer.weight.T, 2 * torch.eye(50), atol=1e-4, rtol=0)


def test_each_gate_of_an_lstm_is_a_layer_and_the_forget_gate_starts_open() -> None:
    layer = nn.LSTM(30, 40)
    started(layer, "orthogonal")
    for gate in layer.weight_hh_l0.chunk(4):
        torch.testing.assert_close(gate @ gate.T, torch.eye(40), atol=1e-4, rtol=0)
    assert [part.mean().item() for part in layer.bias_ih_l0.chunk(4)] == [0, 1, 0, 0]
    assert layer.bias_hh_l0.abs().max() == 0


def test_a_recurrent_layer_of_rectifiers_gets_their_gain() -> None:
    widths = {
        kind: deviation(started(nn.RNN(200, 200, nonlinearity=kind), "he").weight_hh_l0) for kind in ("relu", "tanh")
    }
    assert widths["relu"] == pytest.approx(widths["tanh"] * math.sqrt(2), rel=0.01)


def test_attention_embeddings_and_normalisation_are_told_apart() -> None:
    torch.manual_seed(0)
    network = nn.ModuleDict(
        {"words": nn.Embedding(20, 64), "layer": nn.TransformerEncoderLayer(64, 4, 128), "norm": nn.BatchNorm1d(64)}
    )
    before = {name: weights.clone() for name, weights in network.state_dict().items()}
    started(network, "lecun")
    changed = {name for name, weights in network.state_dict().items() if not torch.equal(weights, before[name])}
    assert "layer.self_attn.in_proj_weight" in changed
    assert "layer.linear1.weight" in changed
    assert not any("norm" in name or "words" in name for name in changed)
    assert deviation(network["layer"].self_attn.in_proj_weight) == pytest.approx(1 / 8, rel=0.03)


@pytest.mark.parametrize("name", INITIALISATIONS)
def test_the_same_seed_gives_the_same_weights_and_another_gives_others(name: str) -> None:
    torch.manual_seed(0)
    source = dense((8, 8, 8), after_layers(nn.ReLU))
    copies = [dense((8, 8, 8), after_layers(nn.ReLU)) for _ in range(3)]
    for copy, seed in zip(copies, (5, 5, 6), strict=True):
        copy.load_state_dict(source.state_dict())
        initialise(copy, name, seed=seed)
    same, again, other = (copy[2].weight for copy in copies)
    assert torch.equal(same, again)
    assert torch.equal(same, other) == (name == "as_built")
    assert torch.equal(same, source[2].weight) == (name == "as_built")


def test_torch_s_own_random_numbers_are_not_drawn_from() -> None:
    torch.manual_seed(1)
    expected = torch.rand(1)
    torch.manual_seed(1)
    started(nn.LSTM(3, 3), "orthogonal", seed=4)
    layer = nn.Linear(3, 3)
    torch.manual_seed(1)
    initialise(layer, "he")
    assert torch.equal(torch.rand(1), expected)


def growth(name: str, width: int, *, spread: float = 0.1, layers: int = 10, seeds: int = 5) -> float:
    """By how much each layer of ReLU multiplies a signal, the geometric mean over the layers and seeds."""
    logarithms = []
    for seed in range(seeds):
        network = dense((width,) * (layers + 2), after_layers(nn.ReLU))
        initialise(network, name, "relu", deviation=spread, seed=seed)
        signal = torch.randn(64, width, generator=torch.Generator().manual_seed(seed)).relu()
        with torch.no_grad():
            out = network[: 2 * layers](signal)
        logarithms.append(math.log(out.square().mean().item() / signal.square().mean().item()) / 2 / layers)
    return math.exp(sum(logarithms) / seeds)


@pytest.mark.parametrize("width", [64, 200, 1024])
def test_he_weights_keep_a_signal_s_size_through_ten_layers_of_any_width(width: int) -> None:
    assert growth("he", width) ** 10 == pytest.approx(1, rel=0.5)


@pytest.mark.parametrize("width", [64, 200, 1024])
@pytest.mark.parametrize("spread", [0.1, 0.01])
def test_a_fixed_deviation_multiplies_the_signal_by_itself_times_the_root_of_half_the_width(
    width: int, spread: float
) -> None:
    assert growth("small_normal", width, spread=spread) == pytest.approx(spread * math.sqrt(width / 2), rel=0.05)


def test_the_survey_s_weights_suit_200_inputs_and_drown_or_blow_up_the_signal_elsewhere() -> None:
    after = {width: growth("small_normal", width) ** 10 for width in (64, 200, 1024)}
    assert after[64] < 0.01
    assert 0.5 < after[200] < 2
    assert after[1024] > 1000


@pytest.mark.parametrize("name", FAN_IN)
def test_glorot_and_lecun_lose_half_of_the_square_in_each_relu_and_he_and_orthogonal_do_not(name: str) -> None:
    lost = name in ("glorot", "lecun")
    assert growth(name, 200) == pytest.approx(math.sqrt(0.5) if lost else 1, rel=0.05)
