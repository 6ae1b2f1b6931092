"""Projects of networks that somebody named: their weights are drawn here, since nothing is fetched."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import torch

from tests.models.libraries import _without_operators
from tests.starter.test_named import OWN, PICTURES, TEXTS, _networks_of_text, project
from tests.starter.test_torchvision import USES_TORCHVISION


def _own(folder: Path) -> Path:
    (folder / "net.py").write_text(OWN.replace("outputs=3", "outputs=2"))
    facts = PICTURES.replace("outputs=3", "outputs=2")
    return project(folder / "project", f"{folder / 'net.py'}:Small", facts, (3, 8, 8))


def _with_torchvision(folder: Path) -> Path:
    """The torchvision of PyPI beside a torch of another index, whose compiled operators it does not find."""
    where = _own(folder)
    (folder / "net.py").write_text(USES_TORCHVISION.replace("outputs=3", "outputs=2"))
    with (where / "requirements.txt").open("a") as requirements:
        requirements.write("torchvision>=0.25\n")
    return where


def _timm(facts: str) -> Callable[[Path], Path]:
    def made(folder: Path) -> Path:
        with _without_operators():
            import timm
        from safetensors.torch import save_file

        torch.manual_seed(5)
        save_file(timm.create_model("test_vit").state_dict(), folder / "model.safetensors")
        return project(folder / "project", "timm:test_vit", facts, weights=folder / "model.safetensors")

    return made


def _adapted(folder: Path) -> Path:
    """A network of transformers that classifies, whose matrices get small ones beside them."""
    with _without_operators():
        from tokenizers import Tokenizer, models, pre_tokenizers
        from transformers import PreTrainedTokenizerFast

        network = _networks_of_text()["bert"]
    words = Tokenizer(models.WordLevel({w: i for i, w in enumerate(["[PAD]", "[UNK]", "good", "bad"])}, "[UNK]"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    network.save_pretrained(folder / "bert")
    known = PreTrainedTokenizerFast(tokenizer_object=words, pad_token="[PAD]", unk_token="[UNK]")  # noqa: S106
    known.save_pretrained(folder / "bert")
    return project(folder / "project", str(folder / "bert" / "config.json"), f"{TEXTS} training.adaptation=lora")


PUBLISHED: dict[str, Callable[[Path], Path]] = {
    "own file": _own,
    "own file with torchvision": _with_torchvision,
    "timm": _timm(PICTURES),
    "timm, last layer": _timm(f"{PICTURES} training.adaptation=last_layer"),
    "texts by LoRA": _adapted,
}
"""By a name: makes the project in a folder, and returns where it is."""
