from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from advisor.networks.builders import build
from advisor.networks.description import UnbuildableError
from advisor.networks.examples import example_batch
from advisor.networks.families.autoencoder.network import Restored
from advisor.networks.families.boltzmann.network import Contrasted
from advisor.networks.families.diffusion.network import Denoised
from advisor.networks.families.gan.network import Judged
from advisor.networks.families.transformer.declaration import layers_for
from advisor.networks.families.transformer.network import Transformer
from advisor.networks.losses import loss_function
from advisor.networks.registry import UnknownNetworkError, buildable
from advisor.probes.workload import Workload

DIGITS_CNN = Workload("cnn", "image", 64, 10, (8, 16))
SPECS = {
    "ffn": Workload("ffn", "tabular", 12, 3, (16,)),
    "ffn of a series": Workload("ffn", "time_series", 2, 1, (16,), 10, loss="mse"),
    "autoencoder": Workload("autoencoder", "tabular", 12, 12, (8, 4, 8), loss="mse"),
    "autoencoder of pictures": Workload("autoencoder", "image", 3072, 3072, (4, 8), loss="mse"),
    "cnn of pictures": DIGITS_CNN,
    "cnn of a series": Workload("cnn", "time_series", 3, 1, (8, 8), 20, loss="huber"),
    "cnn of texts": Workload("cnn", "text", 50, 2, (8,), 12),
    "rnn": Workload("rnn", "time_series", 3, 1, (8, 4), 9, loss="mae", activation="tanh"),
    "lstm": Workload("lstm", "audio", 3, 4, (8,), 9, loss="binary_cross_entropy"),
    "lstm foretelling tokens": Workload("lstm", "text", 20, 20, (16,), 7),
    "transformer of texts": Workload("transformer", "text", 30, 2, (16, 32), 11),
    "transformer foretelling tokens": Workload("transformer", "text", 20, 20, (16, 32), 7),
    "transformer of pictures": Workload("transformer", "image", 784, 10, (16, 32)),
    "transformer of a series": Workload("transformer", "time_series", 2, 1, (16, 32), 8, loss="quantile"),
    "vae": Workload("vae", "tabular", 12, 12, (8, 4, 8), loss="elbo"),
    "vae of pictures": Workload("vae", "image", 3072, 3072, (4, 8), loss="elbo"),
    "unet": Workload("unet", "image", 256, 3, (4, 8, 16), loss="dice_cross_entropy"),
    "rbm": Workload("rbm", "image", 64, 64, (12,), loss="contrastive_divergence"),
    "rbm of numbers": Workload("rbm", "tabular", 9, 9, (12,), loss="contrastive_divergence"),
    "rbm with a head": Workload("rbm", "tabular", 9, 3, (12,)),
    "dbn": Workload("dbn", "image", 64, 10, (12, 8)),
    "dbn before its labels": Workload("dbn", "image", 64, 64, (12, 8, 6), loss="contrastive_divergence"),
    "gan": Workload("gan", "tabular", 12, 12, (8, 16), loss="adversarial", activation="leaky_relu"),
    "gan of pictures": Workload("gan", "image", 2352, 2352, (4, 8, 8), loss="adversarial", activation="leaky_relu"),
    "deconvolutional": Workload("deconvolutional", "tabular", 10, 64, (8, 4), loss="mse"),
    "deconvolutional restoring": Workload("deconvolutional", "image", 784, 784, (8, 4, 4), loss="mse"),
    "recursive": Workload("recursive", "tree", 20, 3, (16, 24), 13, activation="tanh"),
    "recursive with an odd place": Workload("recursive", "tree", 20, 3, (16,), 8),
    "diffusion": Workload("diffusion", "tabular", 12, 12, (16, 8), loss="noise_prediction"),
    "diffusion of pictures": Workload("diffusion", "image", 256, 256, (4, 8, 16), loss="noise_prediction"),
}
OUTPUT_SHAPES = {
    "ffn": (5, 3),
    "ffn of a series": (5, 1),
    "autoencoder": (5, 12),
    "autoencoder of pictures": (5, 3, 32, 32),
    "cnn of pictures": (5, 10),
    "cnn of a series": (5, 1),
    "cnn of texts": (5, 2),
    "rnn": (5, 1),
    "lstm": (5, 4),
    "lstm foretelling tokens": (5, 7, 20),
    "transformer of texts": (5, 2),
    "transformer foretelling tokens": (5, 7, 20),
    "transformer of pictures": (5, 10),
    "transformer of a series": (5, 1),
    "vae": (5, 12),
    "vae of pictures": (5, 3, 32, 32),
    "unet": (5, 3, 16, 16),
    "rbm": (5,),
    "rbm of numbers": (5,),
    "rbm with a head": (5, 3),
    "dbn": (5, 10),
    "dbn before its labels": (5,),
    "gan": (5, 1),
    "gan of pictures": (5, 1),
    "deconvolutional": (5, 1, 8, 8),
    "deconvolutional restoring": (5, 1, 28, 28),
    "recursive": (5, 3),
    "recursive with an odd place": (5, 3),
    "diffusion": (5, 12),
    "diffusion of pictures": (5, 1, 16, 16),
}
WAVERING = ("rbm", "rbm of numbers", "dbn before its labels", "gan", "gan of pictures")
"""Their loss is a contest: that it falls means nothing."""


def losses_of_training(spec: Workload, steps: int, seed: int = 0) -> list[float]:
    torch.manual_seed(seed)
    network = build(spec)
    inputs, targets = example_batch(spec, 5, torch.Generator().manual_seed(seed))
    optimizer = torch.optim.Adam(network.parameters(), lr=5e-3)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = loss_function(spec)(network(inputs), targets)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def test_every_buildable_type_is_tried_here() -> None:
    assert {spec.network for spec in SPECS.values()} | {"gnn"} == set(buildable())


@pytest.mark.parametrize("name", SPECS)
def test_output_has_the_promised_shape(name: str) -> None:
    spec = SPECS[name]
    inputs, _ = example_batch(spec, 5, torch.Generator().manual_seed(0))
    output = build(spec)(inputs)
    parts = output if isinstance(output, Contrasted | Denoised | Judged) else [output]
    for part in [output.values] if isinstance(output, Restored) else parts:
        assert part.shape == OUTPUT_SHAPES[name]


@pytest.mark.parametrize("name", [name for name in SPECS if name not in WAVERING])
def test_a_few_steps_on_one_batch_lower_the_loss(name: str) -> None:
    losses = losses_of_training(SPECS[name], steps=25)
    assert sum(losses[-5:]) < 0.99 * sum(losses[:5])


@pytest.mark.parametrize("name", SPECS)
def test_the_same_seed_gives_the_same_training(name: str) -> None:
    assert losses_of_training(SPECS[name], 3) == losses_of_training(SPECS[name], 3)
    assert losses_of_training(SPECS[name], 3) != losses_of_training(SPECS[name], 3, seed=1)


def test_without_hidden_units_a_network_gets_the_stated_default() -> None:
    network = build(Workload("ffn", "tabular", 4, 2))
    widths = [layer.out_features for layer in network.modules() if isinstance(layer, torch.nn.Linear)]
    assert widths == [256, 256, 256, 2]


def test_an_autoencoder_mirrors_its_encoder_unless_it_is_written_out_whole() -> None:
    def widths(units: tuple[int, ...]) -> list[int]:
        network = build(Workload("autoencoder", "tabular", 20, 20, units, loss="mse"))
        return [layer.out_features for layer in network.modules() if isinstance(layer, torch.nn.Linear)]

    assert widths((16, 4, 16)) == [16, 4, 16, 20]
    assert widths((16, 4)) == [16, 4, 16, 20]
    assert widths((4,)) == [4, 20]


def test_a_step_that_foretells_a_token_does_not_see_it() -> None:
    spec = SPECS["transformer foretelling tokens"]
    torch.manual_seed(0)
    network = build(spec).eval()
    tokens, _ = example_batch(spec, 1, torch.Generator().manual_seed(0))
    changed = tokens.clone()
    changed[0, -1] = (changed[0, -1] + 1) % spec.inputs
    first, second = network(tokens), network(changed)
    torch.testing.assert_close(first[:, :-1], second[:, :-1])
    assert not torch.allclose(first[:, -1], second[:, -1])


def test_a_type_without_builder_is_named_beside_those_that_can_be_built() -> None:
    with pytest.raises(
        UnknownNetworkError, match=r"hopfield cannot be built yet\. These can: autoencoder, cnn, .*unet"
    ):
        build(Workload("hopfield", "tabular", 4, 2))


def test_a_picture_that_is_no_square_is_refused() -> None:
    with pytest.raises(UnbuildableError, match="1000 values are no square picture"):
        build(replace(DIGITS_CNN, inputs=1000))


def test_small_pictures_are_halved_no_further_than_one_dot() -> None:
    inputs, _ = example_batch(DIGITS_CNN, 2, torch.Generator())
    assert build(replace(DIGITS_CNN, hidden_units=(4,) * 6))(inputs).shape == (2, 10)


@pytest.mark.parametrize(("side", "patches"), [(8, 64), (28, 196), (32, 256), (224, 256), (17, 1)])
def test_pictures_are_cut_into_at_most_sixteen_patches_a_side(side: int, patches: int) -> None:
    network = build(Workload("transformer", "image", side * side, 2, (4,)))
    assert isinstance(network, Transformer)
    assert len(network.positions) == patches


def test_wider_transformers_have_more_layers() -> None:
    assert [layers_for(width) for width in (64, 512, 768, 1024, 4096)] == [4, 6, 12, 24, 32]
