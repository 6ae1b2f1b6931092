"""U-Nets for pictures and volumes are counted from their sizes as torch builds them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from advisor.models.families.segmentation import UNet
from advisor.models.model import Layer
from advisor.models.published import load_models, published_models
from advisor.models.tape import Tape
from advisor.models.tracing.trace import traced

FLAT = {"kernels": ((1, 3, 3), (1, 3, 3), (3, 3, 3)), "strides": ((1, 1, 1), (1, 2, 2), (2, 2, 2))}


@pytest.mark.parametrize(
    "network",
    [
        UNet(widths=(8, 16, 24), blocks=(2, 2, 2), pooled=True, channels=3, classes=4, sides=(32, 48)),
        UNet(widths=(8, 16, 24), blocks=(2, 1, 3), normalisation="none", up_blocks=1, sides=(32, 48)),
        UNet(
            widths=(8, 16, 24), blocks=(1, 2, 3), residual=True, up_blocks=1, normalisation="instance",
            activation="leaky_relu", supervised=True, sides=(8, 24, 32),
        ),
        UNet(
            widths=(8, 16, 16), blocks=(1, 1, 2), residual=True, normalisation="instance", activation="leaky_relu",
            bias=False, kernels=FLAT["kernels"], strides=FLAT["strides"], sides=(8, 24, 32),
        ),
        UNet(widths=(8, 8), blocks=(1, 1), pooled=True, sides=(8, 24, 32)),
    ],
    ids=["pooled", "strided", "residual", "thick slices", "volumes, pooled"],
)  # fmt: skip
def test_it_is_counted_as_torch_computes_it(network: UNet) -> None:
    found = traced(lambda: Network(network), lambda batch: (torch.zeros(batch, *network.input),))

    layers = counted(network)

    assert total(layers, "parameters") == total(found, "parameters")
    assert total(layers, "multiply_adds") == total(found, "multiply_adds")
    ours, autograds = (4 * total(one, "kept") + total(one, "kept_bytes") for one in (layers, found))
    assert ours == pytest.approx(autograds, rel=1e-3)


@pytest.mark.parametrize(
    ("name", "parameters", "multiply_adds"),
    [("nnunet-plain-3d", 31_195_594, 477_275_947_008), ("nnunet-resenc-3d", 102_349_770, 717_447_561_216)],
)
def test_presets_of_nnunet_are_as_its_library_builds_them(name: str, parameters: int, multiply_adds: int) -> None:
    """PlainConvUNet and ResidualEncoderUNet of dynamic-network-architectures 0.4.4, traced once."""
    model = published_models()[name].model()

    assert (model.parameters, model.multiply_adds) == (parameters, multiply_adds)


def test_a_larger_patch_keeps_more_of_the_same_network() -> None:
    preset = published_models()["nnunet-resenc-3d"]

    small, large = preset.model((1, 64, 64, 64)), preset.model((1, 128, 128, 128))

    assert large.parameters == small.parameters
    assert large.multiply_adds == 8 * small.multiply_adds
    assert large.kept == pytest.approx(8 * small.kept, rel=1e-4)


def test_kernels_of_each_stage_along_each_axis_are_read(tmp_path: Path) -> None:
    (tmp_path / "scenes.yaml").write_text(
        """\
sources: {here: a test}
models:
  slices:
    {title: Slices, tasks: none, kind: unet, licence: mit, source: here, date: 2026-11-23,
     sizes: {widths: [8, 16], blocks: [1, 1], kernels: [[1, 3, 3], [3, 3, 3]], strides: [[1, 1, 1], [1, 2, 2]]}}
"""
    )

    network = load_models(tmp_path)["slices"].network

    assert isinstance(network, UNet)
    assert network.kernels == ((1, 3, 3), (3, 3, 3))
    assert [layer.shape for layer in counted(network) if layer.name == "down.1.0.look"] == [(16, 128, 64, 64)]


class Convolved(nn.Sequential):
    """Convolution, normalisation, activation."""

    def __init__(
        self,
        sizes: UNet,
        before: int,
        after: int,
        kernel: Sequence[int],
        stride: Sequence[int] | int = 1,
        *,
        bias: bool | None = None,
        active: bool = True,
    ) -> None:
        axes = len(sizes.sides)
        convolution = (nn.Conv2d, nn.Conv3d)[axes - 2]
        norm = {
            "batch": (nn.BatchNorm2d, nn.BatchNorm3d)[axes - 2],
            "instance": (nn.InstanceNorm2d, nn.InstanceNorm3d)[axes - 2],
        }.get(sizes.normalisation)
        padding = tuple(size // 2 for size in kernel)
        parts = [convolution(before, after, kernel, stride, padding, bias=sizes.bias if bias is None else bias)]
        if norm is not None:
            parts.append(norm(after, affine=True))
        if active:
            parts.append(activation(sizes))
        super().__init__(*parts)


class Residual(nn.Module):
    """Two convolutions beside what they read."""

    def __init__(self, sizes: UNet, before: int, after: int, kernel: Sequence[int], stride: Sequence[int]) -> None:
        super().__init__()
        self.look = Convolved(sizes, before, after, kernel, stride)
        self.again = Convolved(sizes, after, after, kernel, active=False)
        self.pool = (nn.AvgPool2d, nn.AvgPool3d)[len(kernel) - 2](stride, stride) if max(stride) > 1 else nn.Identity()
        one = (1,) * len(kernel)
        self.project = (
            Convolved(sizes, before, after, one, bias=False, active=False) if before != after else nn.Identity()
        )
        self.last = activation(sizes)

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.last(self.again(self.look(x)) + self.project(self.pool(x)))
        return result


class Network(nn.Module):
    """A U-Net of these sizes, written in torch."""

    def __init__(self, sizes: UNet) -> None:
        super().__init__()
        axes = len(sizes.sides)
        enlarging = (nn.ConvTranspose2d, nn.ConvTranspose3d)[axes - 2]
        pool = (nn.MaxPool2d, nn.MaxPool3d)[axes - 2]
        stages = len(sizes.widths)
        kernels = sizes.kernels or ((3,) * axes,) * stages
        strides = sizes.strides or ((1,) * axes,) + ((2,) * axes,) * (stages - 1)
        one = (1,) * axes
        self.stem = Convolved(sizes, sizes.channels, sizes.widths[0], kernels[0]) if sizes.residual else nn.Identity()
        before = sizes.widths[0] if sizes.residual else sizes.channels
        self.down, self.up, self.enlarge, self.heads = (nn.ModuleList() for _ in range(4))
        for stage, width in enumerate(sizes.widths):
            parts: list[nn.Module] = []
            stride = strides[stage]
            if sizes.pooled and stage:
                parts.append(pool(stride, stride))
                stride = one
            for number in range(sizes.blocks[stage]):
                block = Residual if sizes.residual else Convolved
                parts.append(block(sizes, before, width, kernels[stage], one if number else stride))
                before = width
            self.down.append(nn.Sequential(*parts))
        for stage in reversed(range(stages - 1)):
            width, stride = sizes.widths[stage], strides[stage + 1]
            self.enlarge.append(enlarging(sizes.widths[stage + 1], width, stride, stride, bias=sizes.bias))
            widths = [2 * width] + [width] * sizes.up_blocks
            self.up.append(
                nn.Sequential(*(Convolved(sizes, a, width, kernels[stage]) for a in widths[: sizes.up_blocks]))
            )
            told = sizes.supervised or not stage
            head = (nn.Conv2d, nn.Conv3d)[axes - 2]
            self.heads.append(head(width, sizes.classes, 1) if told else nn.Identity())

    def forward(self, x: Tensor) -> list[Tensor]:
        x = self.stem(x)
        skipped = []
        for stage in self.down:
            x = stage(x)
            skipped.append(x)
        skipped.pop()
        told = []
        for enlarge, stage, head in zip(self.enlarge, self.up, self.heads, strict=True):
            x = stage(torch.cat((enlarge(x), skipped.pop()), 1))
            told.append(head(x))
        return told


def activation(sizes: UNet) -> nn.Module:
    return nn.ReLU(inplace=True) if sizes.activation == "relu" else nn.LeakyReLU(inplace=True)


def total(layers: list[Layer], what: str) -> int:
    return sum(getattr(layer, what) for layer in layers)


def counted(network: UNet) -> list[Layer]:
    tape = Tape()
    network.count(tape, network.input)
    return tape.layers
