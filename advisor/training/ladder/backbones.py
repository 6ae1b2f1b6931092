"""Networks that others trained and whose weights lie on this computer; nothing is ever downloaded. No torch here."""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

LIBRARY = "torchvision"
FILES = {
    "mobilenet_v3_small": ("mobilenet_v3_small-047dcff4.pth",),
    "mobilenet_v3_large": ("mobilenet_v3_large-5c1a4163.pth", "mobilenet_v3_large-8738ca79.pth"),
    "mobilenet_v2": ("mobilenet_v2-7ebf99e0.pth", "mobilenet_v2-b0353104.pth"),
    "efficientnet_b0": ("efficientnet_b0_rwightman-7f5810bc.pth",),
    "resnet18": ("resnet18-f37072fd.pth",),
    "resnet34": ("resnet34-b627a593.pth",),
    "resnet50": ("resnet50-11ad3fa6.pth", "resnet50-0676ba61.pth"),
    "convnext_tiny": ("convnext_tiny-983f1562.pth",),
}
"""Networks for pictures with the files of their weights as torchvision names them, those with the fewest multiply-adds
first (0.06 to 4.5 billion a picture of 224 x 224), and of each the newest weights first.
"""
MOST_BYTES = 500_000_000
"""Of a file of weights; the largest of these has 110 million."""


@dataclass(frozen=True, slots=True)
class Backbone:
    """A network with its weights, by which another computer knows that it has the same."""

    name: str
    file: str
    """The name of the file of its weights."""
    sha256: str
    """Of that file, in hexadecimal digits."""

    def __post_init__(self) -> None:
        if self.file not in FILES.get(self.name, ()):
            raise ValueError("it is no network of torchvision that is known here")


def cache() -> Path:
    """The folder where torch.hub keeps weights: https://docs.pytorch.org/docs/stable/hub.html says where."""
    usual = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "torch"
    return Path(os.environ.get("TORCH_HOME") or usual).expanduser() / "hub" / "checkpoints"


def weights_of(name: str) -> Path | None:
    """The file of the weights of a network of FILES; None where it is not here."""
    return next((path for file in FILES[name] if (path := cache() / file).is_file()), None)


def missing() -> str:
    """A note for people on how to get a network, where there is none."""
    first = "" if find_spec(LIBRARY) is not None else f"`pip install {LIBRARY}` and then "
    return (
        f"No network that others trained was tried, since none is here and nothing is downloaded unasked. {first}"
        "`python -c 'from torchvision.models import resnet18; resnet18(weights=\"DEFAULT\")'` brings one (45 MB)."
    )


def smallest() -> str:
    """The name of the network with the fewest multiply-adds whose weights are here; empty without one."""
    if find_spec(LIBRARY) is None:
        return ""
    return next((name for name in FILES if weights_of(name) is not None), "")
