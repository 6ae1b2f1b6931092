from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from advisor.networks.builders import build, loss_function
from advisor.networks.description import UnbuildableError
from advisor.networks.examples import example_batch
from advisor.networks.families.autoencoder.network import Restored
from advisor.networks.families.boltzmann.network import Contrasted
from advisor.networks.families.diffusion.network import Denoised
from advisor.networks.families.gan.network import Judged
from advisor.networks.families.transformer.declaration import layers_for
from advisor.networks.families.transformer.network import Transformer
from advisor.networks.registry import UnknownNetworkError, buildable, family
from advisor.probes.workload import Workload
from tests.networks.all_examples import EXAMPLES, SPECS

DIGITS_CNN = SPECS["cnn of pictures"]
WAVERING = [name for examples in EXAMPLES.values() for name in examples.wavering]


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


@pytest.mark.parametrize("network", buildable())
def test_every_type_has_examples(network: str) -> None:
    assert network in EXAMPLES, (
        f"Add tests/networks/families/{network}.py with EXAMPLES, as ffn.py there has them: small {network}s with the shape of "
        "their answers, projects, and a demonstration that it beats a trivial baseline."
    )
    examples = EXAMPLES[network]
    shown = {plan.network for plan, _ in examples.projects.values()}
    assert shown == {network}, f"Add projects of a {network}, and of no other type, to its examples."
    assert examples.networks or family(network).untimed, f"Add a small {network} to its examples."


def test_examples_are_of_types_that_can_be_built() -> None:
    assert {spec.network for spec in SPECS.values()} <= set(EXAMPLES) == set(buildable())


@pytest.mark.parametrize("name", SPECS)
def test_output_has_the_promised_shape(name: str) -> None:
    spec = SPECS[name]
    _, shape = EXAMPLES[spec.network].networks[name]
    inputs, _ = example_batch(spec, 5, torch.Generator().manual_seed(0))
    output = build(spec)(inputs)
    parts = output if isinstance(output, Contrasted | Denoised | Judged) else [output]
    for part in [output.values] if isinstance(output, Restored) else parts:
        assert part.shape == shape


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
    assert [layers_for((width,)) for width in (64, 512, 768, 1024, 4096, 8192)] == [4, 6, 12, 24, 32, 80]
    assert [layers_for((5120, inner)) for inner in (13824, 25600)] == [48, 64]
