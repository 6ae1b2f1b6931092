"""Networks that others trained and whose weights lie on this computer; nothing is ever downloaded. No torch here."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

FILES: Mapping[str, tuple[str, ...]] = {
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
ENCODERS: Mapping[str, str] = {
    "minilm_l6": "sentence-transformers/all-MiniLM-L6-v2",
    "minilm_l12": "sentence-transformers/all-MiniLM-L12-v2",
    "bge_small": "BAAI/bge-small-en-v1.5",
    "minilm_multilingual": "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2",
    "mpnet": "sentence-transformers/all-mpnet-base-v2",
}
"""Networks that make a vector of a text, and where Hugging Face has them. The first has six layers of 384 values, the next
three twelve of them (the fourth knows fifty languages, the others English), and the last twelve of 768.
"""
ENCODER_FILE = "model.safetensors"
"""The file of the weights of each of these."""
LIBRARIES: Mapping[str, str] = {"image": "torchvision", "text": "sentence-transformers"}
"""The packages that build networks, by what these look at."""
MOST_BYTES = 500_000_000
"""Of a file of weights; the largest of these has 471 million."""


@dataclass(frozen=True, slots=True)
class Backbone:
    """A network with its weights, by which another computer knows that it has the same."""

    name: str
    file: str
    """The name of the file of its weights."""
    sha256: str
    """Of that file, in hexadecimal digits; of a network for texts of its settings and words as well."""

    def __post_init__(self) -> None:
        if self.file not in files_of(self.name):
            raise ValueError("it is no network that is known here")


def reads_texts(name: str) -> bool:
    return name in ENCODERS


def library_of(name: str) -> str:
    """The package that builds a network."""
    return LIBRARIES["text" if reads_texts(name) else "image"]


def has_library(modality: str) -> bool:
    """True where the package is installed that builds networks for data of this kind."""
    return find_spec(LIBRARIES[modality].replace("-", "_")) is not None


def files_of(name: str) -> tuple[str, ...]:
    """Names that the file of its weights may have, the newest first; none of a network that is not known."""
    return (ENCODER_FILE,) if reads_texts(name) else FILES.get(name, ())


def cache(name: str) -> Path:
    """The folder where the weights of a network are kept, for pictures torch.hub's, for texts that of its repository.

    https://docs.pytorch.org/docs/stable/hub.html and https://huggingface.co/docs/huggingface_hub/guides/manage-cache say where.
    """
    usual = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache")
    if not reads_texts(name):
        return Path(os.environ.get("TORCH_HOME") or usual / "torch").expanduser() / "hub" / "checkpoints"
    home = Path(os.environ.get("HF_HOME") or usual / "huggingface")
    own = os.environ.get("SENTENCE_TRANSFORMERS_HOME") or os.environ.get("HF_HUB_CACHE")
    return Path(own or home / "hub").expanduser() / f"models--{ENCODERS[name].replace('/', '--')}"


def weights_of(name: str) -> Path | None:
    """The file of the weights of a network; None where it is not here."""
    folder = cache(name)
    if reads_texts(name):
        try:
            folder = folder / "snapshots" / (folder / "refs" / "main").read_text("utf-8").strip()
        except (OSError, ValueError):
            return None
        if not (folder / "modules.json").is_file():  # which says how the vectors of words become that of a text
            return None
    return next((path for file in files_of(name) if (path := folder / file).is_file()), None)


def fetching(name: str) -> str:
    """The command that brings the weights of a network, the newest ones of one for pictures."""
    if reads_texts(name):
        said = f'from sentence_transformers import SentenceTransformer; SentenceTransformer("{ENCODERS[name]}")'
    else:
        said = f'from torchvision.models import get_model; get_model("{name}", weights="DEFAULT")'
    return f"`python -c '{said}'`"


def missing(modality: str) -> str:
    """A note for people on how to get a network for pictures or for texts, where there is none."""
    first = "" if has_library(modality) else f"`pip install {LIBRARIES[modality]}` and then "
    name, size = ("minilm_l6", "90 MB") if modality == "text" else ("resnet18", "45 MB")
    return (
        "No network that others trained was tried, since none is here and nothing is downloaded unasked. "
        f"{first}{fetching(name)} brings one ({size})."
    )


def smallest(modality: str) -> str:
    """The name of the network for pictures or texts with the fewest multiply-adds whose weights are here; empty without one."""
    if not has_library(modality):
        return ""
    return next((name for name in (ENCODERS if modality == "text" else FILES) if weights_of(name) is not None), "")
