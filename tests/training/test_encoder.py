"""A linear model on what a frozen network makes of texts, whose weights lie on this computer; nothing is ever downloaded.

The weights here are random ones, in the files and the folders that Hugging Face has. Such a network reads letters here: it
makes something of words that no text of the training had, and counts of words do not.
"""

from __future__ import annotations

import json
import math
import shutil
import socket
import string
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast

import numpy
import polars
import pytest
import torch

from advisor.agent.trials.trying import planned
from advisor.datasets.dataset import Examples, Task
from advisor.datasets.inspect import inspect
from advisor.datasets.loading import load
from advisor.errors import InputError
from advisor.models.tracing.building import without_operators
from advisor.training.child.backbone import Features, Frozen, frozen
from advisor.training.child.fitted import Allowance, FittingError
from advisor.training.child.fitting import Fitting
from advisor.training.kept.card import read_card
from advisor.training.ladder.backbones import ENCODERS, cache, missing, smallest, weights_of
from advisor.training.ladder.candidates import Planned
from advisor.training.ladder.menu import menu
from tests.starter.projects import plan_of
from tests.training.test_kept import applied_here, saved

NAME = "bge_small"
WITH_ENCODER = Planned("transformer", backbone=NAME)
(ON_FEATURES,) = (one for one in menu(WITH_ENCODER, "text").openers if one.backbone)
LINEAR = next(one for one in menu(WITH_ENCODER, "text").openers if one.name == "linear")
ALLOWED = Allowance(60.0, math.inf)
WIDTH = 32


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for HF_HOME with a network of letters under the name of one that is known."""
    home = tmp_path_factory.mktemp("huggingface")
    build(home / "hub" / f"models--{ENCODERS[NAME].replace('/', '--')}")
    return home


def build(folder: Path) -> None:
    with without_operators():
        from sentence_transformers import SentenceTransformer
        from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
        from transformers import BertConfig, BertModel, BertTokenizerFast
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *string.ascii_lowercase]
    words += [f"##{letter}" for letter in string.ascii_lowercase]
    plain, snapshot = folder / "plain", folder / "snapshots" / "0123456789abcdef"
    plain.mkdir(parents=True)
    (plain / "vocab.txt").write_text("\n".join(words))
    sizes = {"hidden_size": WIDTH, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    with torch.random.fork_rng():
        torch.manual_seed(0)
        BertModel(BertConfig(vocab_size=len(words), max_position_embeddings=128, **sizes)).save_pretrained(plain)
    BertTokenizerFast(vocab=str(plain / "vocab.txt")).save_pretrained(plain)
    parts = [Transformer(str(plain), max_seq_length=128), Pooling(WIDTH)]
    SentenceTransformer(modules=parts, device="cpu").save(str(snapshot))
    (folder / "refs").mkdir()
    (folder / "refs" / "main").write_text(snapshot.name)


@pytest.fixture(autouse=True)
def at_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("HF_HUB_CACHE", "SENTENCE_TRANSFORMERS_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HOME", str(home))
    return home


def sayings(count: int, seed: int = 0) -> tuple[list[str], Any]:
    """Texts of words that occur once, of letters from the front or from the back of the alphabet, and which they are."""
    draw = numpy.random.default_rng(seed)
    back = numpy.arange(count) % 2
    letters = {0: list("abcdefghijklmnop"), 1: list("klmnopqrstuvwxyz")}
    return [" ".join("".join(draw.choice(letters[one], 6)) for _ in range(6)) for one in back], back


def examples(count: int = 120) -> Examples:
    texts, back = sayings(count)
    return Examples("text", Task.CLASSIFY, texts, back, ("back", "front"))


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """The same as a file."""
    texts, back = sayings(120)
    rows = {"said": [f"{text} {text[:3]}" for text in texts], "part": ["back" if one else "front" for one in back]}
    polars.DataFrame(rows).write_csv(tmp_path / "sayings.csv")
    return tmp_path / "sayings.csv"


TEXTS = "task.kind=classify data.modality=text data.inputs=40 task.outputs=2 data.examples=120"


@pytest.mark.parametrize(
    ("stated", "taken"), [(TEXTS, NAME), (f"{TEXTS} project.pretrained_allowed=no", None)], ids=["", "forbidden"]
)
def test_it_is_tried_of_texts_unless_somebody_forbids_weights_of_others(stated: str, taken: str | None) -> None:
    assert planned(plan_of(stated)).backbone == taken
    names = [one.name for one in menu(replace(WITH_ENCODER, backbone=taken), "text").openers]
    assert (f"linear on features of {NAME}" in names) == (taken is not None)


@pytest.mark.parametrize(
    ("variable", "inside"),
    [
        ("SENTENCE_TRANSFORMERS_HOME", ""),
        ("HF_HUB_CACHE", ""),
        ("HF_HOME", "hub"),
        ("XDG_CACHE_HOME", "huggingface/hub"),
    ],
)
def test_weights_are_looked_for_where_the_library_keeps_them(
    variable: str, inside: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HF_HOME")
    monkeypatch.setenv(variable, str(tmp_path))
    assert (smallest("text"), weights_of(NAME)) == ("", None)
    folder = tmp_path / inside / "models--sentence-transformers--all-MiniLM-L6-v2"
    for name in ("refs/main", "snapshots/abc/modules.json", "snapshots/abc/model.safetensors"):
        assert smallest("text") == "", "a network of which parts are missing is none"
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("abc")
    assert (smallest("text"), cache("minilm_l6")) == ("minilm_l6", folder)
    assert weights_of("minilm_l6") == folder / "snapshots" / "abc" / "model.safetensors"


def test_how_to_get_one_is_told_by_a_command_of_the_library() -> None:
    assert 'SentenceTransformer("sentence-transformers/all-MiniLM-L6-v2")' in missing("text")


def test_it_tells_texts_apart_of_which_no_word_is_known() -> None:
    tried, rows = Fitting(examples(), 1), numpy.arange(120)
    truth = tried.examples.targets[80:]
    right = {
        one.name: float((tried.fit(one, rows[:80], rows[80:], 0, ALLOWED).predicted == truth).mean())
        for one in (LINEAR, ON_FEATURES)
    }
    assert right[ON_FEATURES.name] >= 0.85
    assert right["linear"] <= 0.7


def test_numbers_are_predicted_from_features_too() -> None:
    texts, back = sayings(120)
    rows = numpy.arange(120)
    numbers = Examples("text", Task.REGRESS, texts, 10.0 * back[:, None])
    found = Fitting(numbers, 1).fit(ON_FEATURES, rows[:80], rows[80:], 0, ALLOWED)
    assert numpy.abs(found.predicted - numbers.targets[80:]).mean() < 4


def encoder() -> Frozen:
    return frozen(NAME, weights_of(NAME))


def test_features_are_those_of_the_library_and_depend_on_no_other_text(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: Any) -> None:
        raise AssertionError("it asks a server")

    monkeypatch.setattr(socket.socket, "connect", refused)
    with without_operators():
        from sentence_transformers import SentenceTransformer
    weights = weights_of(NAME)
    assert weights is not None
    texts, _ = sayings(5)
    texts[3] += " " + "word " * 500  # the end is left out
    found = encoder().features(texts)
    assert (found.shape, found.dtype) == ((5, WIDTH), numpy.float32)
    assert found == pytest.approx(SentenceTransformer(str(weights.parent)).encode(texts), abs=1e-5)
    assert encoder().features(texts[2:3])[0] == pytest.approx(found[2], abs=1e-5)


def copied(home: Path, into: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a network that can be changed."""
    shutil.copytree(home, into)
    monkeypatch.setenv("HF_HOME", str(into))
    weights = weights_of(NAME)
    assert weights is not None
    return weights.parent


def test_a_network_that_names_other_code_or_is_damaged_is_refused(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = copied(home, tmp_path / "other", monkeypatch)
    parts = json.loads((folder / "modules.json").read_text())
    odd = "sentence_transformers.base.modules.router.Router"
    for changed, told in (
        ([{**parts[0], "type": "custom.Transformer"}, parts[1]], "names custom.Transformer"),
        ([{**parts[0], "type": odd}, parts[1]], f"names {odd}"),
        ([{**parts[0], "path": "elsewhere"}, parts[1]], "in 'elsewhere'"),
        ({}, "lists no parts"),
        ([3], "lists no parts"),
    ):
        (folder / "modules.json").write_text(json.dumps(changed))
        with pytest.raises(
            FittingError, match=rf"The weights of {NAME} in .*model.safetensors cannot be used: .*{told}"
        ):
            encoder()
    (folder / "modules.json").write_text(json.dumps(parts))
    (folder / "model.safetensors").write_bytes((folder / "model.safetensors").read_bytes()[:500])
    with pytest.raises(FittingError, match="cannot be used"):
        encoder()


def test_a_kept_one_says_the_same_of_the_same_texts_and_is_applied_with_these_weights_alone(
    table: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = saved(table, "part", ON_FEATURES, tmp_path / "model", planned=WITH_ENCODER)
    card = read_card(model)
    assert card.backbone is not None
    assert card.versions["sentence-transformers"] == version("sentence-transformers")
    assert (card.backbone.name, card.backbone.file) == (NAME, "model.safetensors")
    told = (model / "README.md").read_text()
    assert ENCODERS[NAME] in told
    assert card.backbone.sha256 in told

    stored = load(inspect(table, "part"), most_examples=1000)
    every = numpy.arange(len(stored))
    before = Fitting(stored, 1).fit(ON_FEATURES, every, every, 0, ALLOWED)
    _, lines, _ = applied_here(model, table)
    assert [float(line["p_front"]) for line in lines] == pytest.approx(before.probabilities[:, 1], abs=1e-3)
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("HF_HOME", str(tmp_path / "elsewhere"))
        with pytest.raises(InputError, match=f"texts go through {NAME} first, and the weights of that are not here"):
            applied_here(model, table)
    network = copied(home, tmp_path / "other", monkeypatch)
    for name, before_it, after_it in (("model.safetensors", b"", b"1"), ("1_Pooling/config.json", b"mean", b"max")):
        whole = (network / name).read_bytes()
        changed = whole.replace(before_it, after_it) if before_it else whole[:-1] + bytes([whole[-1] ^ 1])
        (network / name).write_bytes(changed)
        with pytest.raises(InputError, match="are others than those that it learned with"):
            applied_here(model, table)
        (network / name).write_bytes(whole)


def test_a_word_that_the_network_does_not_have_fails_one_trial() -> None:
    class Odd:
        name = NAME

        def features(self, texts: Any) -> Any:
            raise IndexError("index out of range in self")

    with pytest.raises(FittingError, match=f"{NAME} cannot take these examples: index out of range"):
        Features(cast(Frozen, Odd()), ["a"] * 5, 1).of_all()
