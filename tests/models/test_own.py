"""Networks of somebody's own: weights at hand, or code that is run in a process of its own."""

from __future__ import annotations

import importlib.util
import json
import math
import struct
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from advisor.errors import InputError
from advisor.models.model import Model, Source
from advisor.models.named import named_model
from advisor.models.published import published_models
from advisor.models.tracing import asking
from advisor.models.tracing.asking import built_model
from advisor.models.types import type_of


def weights(path: Path, **shapes: tuple[int, ...]) -> Path:
    """A file as safetensors writes it: two bytes a number, all of them zero."""
    entries, end = {}, 0
    for name, shape in shapes.items():
        begin, end = end, end + 2 * _count(shape)
        entries[name] = {"dtype": "BF16", "shape": list(shape), "data_offsets": [begin, end]}
    header = json.dumps({"__metadata__": {"format": "pt"}, **entries}).encode()
    path.write_bytes(struct.pack("<Q", len(header)) + header + bytes(end))
    return path


def _count(shape: tuple[int, ...]) -> int:
    return shape[0] * _count(shape[1:]) if shape else 1


def code(folder: Path, text: str) -> Path:
    file = folder / "net.py"
    file.write_text("import torch\nfrom torch import nn\n" + dedent(text))
    return file


SMALL = """
class Small(nn.Module):
    def __init__(self, outputs=10):
        super().__init__()
        self.look = nn.Conv2d(3, 16, 3, padding=1)
        self.head = nn.Linear(16, outputs)

    def forward(self, pictures):
        return self.head(self.look(pictures).relu().mean((2, 3)))

def make():
    print("a line that is no answer")
    return Small()

ready = Small(5)
"""


def test_of_weights_alone_the_parameters_are_known(tmp_path: Path) -> None:
    model = named_model(str(weights(tmp_path / "model.safetensors", embedding=(100, 8), head=(8, 3), scale=())))

    assert (model.parameters, model.multiply_adds, model.source) == (825, 0, Source.YOURS)


def test_an_index_stands_for_all_its_files(tmp_path: Path) -> None:
    weights(tmp_path / "a.safetensors", one=(4, 4))
    weights(tmp_path / "b.safetensors", two=(2, 4))
    index = tmp_path / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {"one": "a.safetensors", "two": "b.safetensors"}}))

    assert named_model(str(index)).parameters == 24


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "no header of this format"),
        (b"PK\x03\x04 a zip file, in truth", "no header of this format"),
        (struct.pack("<Q", 50) + b'{"a": ', "cut off, or no JSON"),
        (struct.pack("<Q", 2) + b"{}", "names no weights"),
        (struct.pack("<Q", 29) + b'{"a": {"shape": [3, "three"]}}'[:29], "cut off, or no JSON"),
        (struct.pack("<Q", 24) + b'{"a": {"shape": [-1, 2]}}'[:24] + b"}", "cut off, or no JSON"),
        (struct.pack("<Q", 25) + b'{"a": {"shape": [-1, 2]}}', "no list of whole numbers"),
        (struct.pack("<Q", 10) + b'{"a": 100}', "no list of whole numbers"),
    ],
)
def test_what_is_no_file_of_weights_is_refused(content: bytes, what: str, tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(content)

    with pytest.raises(InputError, match=what):
        named_model(str(path))


@pytest.mark.parametrize("name", ["make", "Small", "ready"])
def test_a_function_a_class_and_a_network_are_counted_as_they_are(name: str, tmp_path: Path) -> None:
    model = built_model(f"{code(tmp_path, SMALL)}:{name}", [(3, 32, 32)])

    outputs = 5 if name == "ready" else 10
    assert model.parameters == 3 * 16 * 9 + 16 + 16 * outputs + outputs
    assert model.multiply_adds == 3 * 16 * 9 * 32 * 32 + 16 * outputs
    assert model.source is Source.YOURS
    assert type_of(model) == "cnn"


def test_numbers_with_commas_are_one_shape_where_the_network_takes_one(tmp_path: Path) -> None:
    model = built_model(f"{code(tmp_path, SMALL)}:make", [(3,), (32,), (32,)])

    assert model.input == (3, 32, 32)


def test_tokens_are_told_from_numbers_and_recurrent_layers_count(tmp_path: Path) -> None:
    file = code(
        tmp_path,
        """
        class Reader(nn.Module):
            def __init__(self):
                super().__init__()
                self.words = nn.Embedding(100, 32)
                self.read = nn.LSTM(32, 64, batch_first=True)
                self.head = nn.Linear(64, 2)

            def forward(self, words, weight):
                return self.head(self.read(self.words(words))[0][:, -1]) * weight
        """,
    )
    model = built_model(f"{file}:Reader", [(20,), (1,)])

    assert model.multiply_adds == 20 * 4 * (32 * 64 + 64 * 64) + 64 * 2
    assert type_of(model) == "lstm"


def test_a_network_that_looks_at_its_numbers_is_built_in_full(tmp_path: Path) -> None:
    file = code(
        tmp_path,
        """
        class Looks(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(8, int(torch.linspace(0, 8, 3)[1].item()))

            def forward(self, x):
                return self.layer(x) if x.sum().item() == 0 else x
        """,
    )
    assert built_model(f"{file}:Looks", [(8,)]).parameters == 8 * 4 + 4


def test_a_file_may_import_its_neighbours_but_not_in_place_of_what_is_installed(tmp_path: Path) -> None:
    (tmp_path / "blocks.py").write_text("from torch import nn\nlayer = nn.Linear(2, 3)\n")
    (tmp_path / "json.py").write_text("raise SystemExit('the wrong one')\n")
    (tmp_path / "torch.py").write_text("raise SystemExit('the wrong one')\n")
    file = code(tmp_path, "import blocks\n\ndef make():\n    return nn.Sequential(blocks.layer)\n")

    assert built_model(f"{file}:make", [(2,)]).parameters == 9


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("def make():\n    return 3\n", "returns a int, and no torch.nn.Module"),
        ("def other():\n    return nn.Linear(3, 3)\n", "it has no make; it has other"),
        ("def make():\n    raise KeyError('weights')\n", "KeyError: 'weights'"),
        ("import os\nos._exit(7)\n", "status 7"),
        ("def make(:\n", "SyntaxError"),
        ("import no_such_library\n", "No module named 'no_such_library'.*--python"),
        ("def make():\n    return nn.Conv2d(5, 1, 3)\n", "expected input.* to have 5 channels"),
    ],
)
def test_code_that_builds_nothing_is_told_with_the_reason(text: str, what: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=what):
        built_model(f"{code(tmp_path, text)}:make", [(3, 8, 8)])


def test_code_that_never_ends_is_ended(tmp_path: Path) -> None:
    file = code(tmp_path, "while True:\n    pass\n")

    with pytest.raises(InputError, match="not built and counted within 5 seconds"):
        built_model(f"{file}:make", [(3,)], seconds=5)


def test_code_that_takes_long_is_told_once_and_before_it_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "QUIET_SECONDS", 0.0)
    file = code(tmp_path, "import time\n\ndef make():\n    time.sleep(400)\n")
    told: list[tuple[str, str]] = []

    with pytest.raises(InputError, match="not built and counted within 5 seconds"):
        built_model(f"{file}:make", [(3,)], seconds=5, complain=lambda title, what: told.append((title, what)))
    assert [title for title, _ in told] == ["This takes a while"]
    assert "make" in told[0][1]
    assert "It is ended after 5 seconds." in told[0][1]


def test_nothing_is_told_of_code_that_is_quick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "QUIET_SECONDS", math.inf)  # a busy machine makes it slow
    told: list[str] = []
    built_model(f"{code(tmp_path, SMALL)}:make", [(3, 8, 8)], complain=lambda title, _: told.append(title))
    assert told == []


def test_another_python_is_used_where_it_is_named(tmp_path: Path) -> None:
    """It has torch by a path of its own, and nothing of ours."""
    other = tmp_path / "python"
    other.write_text(f'#!/bin/sh\nTHROUGH=other exec "{sys.executable}" "$@"\n')
    other.chmod(0o755)
    text = "import os\n\ndef make():\n    return nn.Linear(2, 4 if os.environ.get('THROUGH') else 1)\n"

    assert built_model(f"{code(tmp_path, text)}:make", [(2,)], other).parameters == 12


@pytest.mark.parametrize(("python", "what"), [("/no/such/python", "cannot be started"), ("/bin/false", "status 1")])
def test_what_is_no_python_is_refused(python: str, what: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=what):
        built_model(f"{code(tmp_path, SMALL)}:make", [(3, 8, 8)], Path(python))


def test_a_library_builds_its_networks_by_name() -> None:
    if importlib.util.find_spec("timm") is None:
        pytest.skip("timm is not installed, which is for development")
    ours = published_models()["resnet18"].model()

    theirs = built_model("timm:resnet18")

    assert theirs.parameters == ours.parameters
    assert theirs.multiply_adds == pytest.approx(ours.multiply_adds, rel=0.001)
    assert type_of(theirs) == "cnn"


@pytest.mark.parametrize("model", [one.model() for one in published_models().values()], ids=lambda model: model.name)
def test_every_published_network_has_a_type(model: Model) -> None:
    assert type_of(model) in {"cnn", "transformer", "diffusion", "unet", "ffn"}


def test_a_relative_python_is_that_of_the_folder_one_is_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / "python"
    other.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    other.chmod(0o755)
    monkeypatch.chdir(tmp_path)

    assert built_model(f"{code(tmp_path, SMALL)}:make", [(3, 8, 8)], Path("python")).parameters == 618


def test_an_older_python_says_what_it_lacks(tmp_path: Path) -> None:
    other = tmp_path / "python"
    other.write_text(
        f'#!/bin/sh\nexec "{sys.executable}" -c "import sys; sys.version_info = (3, 9); sys.argv = sys.argv[1:]; '
        'exec(open(sys.argv[0]).read())" "$@"\n'
    )
    other.chmod(0o755)

    with pytest.raises(InputError, match=r"Python 3.11 or newer is needed"):
        built_model(f"{code(tmp_path, SMALL)}:make", [(3, 8, 8)], other)


def test_two_inputs_are_two(tmp_path: Path) -> None:
    file = code(
        tmp_path,
        """
        class Masked(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(16, 24)

            def forward(self, x, mask=None):
                return self.layer(x if mask is None else x * mask)
        """,
    )
    assert built_model(f"{file}:Masked", [(16,), (16,)]).multiply_adds == 16 * 24


@pytest.mark.parametrize("line", ['{"failed": 1}', '{"input": "none"}', '{"kind": "x", "name": "y", "shape": [-1]}'])
def test_code_that_speaks_for_the_child_is_not_believed(line: str, tmp_path: Path) -> None:
    writes = f"try:\n        os.write(pipe, {line!r}.encode() + b'\\n')\n    except OSError:\n        pass\n"
    text = f"import os\nfor pipe in range(3, 64):\n    {writes}"
    file = code(tmp_path, f"{text}\ndef make():\n    return nn.Linear(3, 3)\n")

    assert built_model(f"{file}:make", [(3,)]).parameters == 12


def test_an_error_names_the_line_of_ones_own_code(tmp_path: Path) -> None:
    file = code(tmp_path, "\n\ndef make():\n    return nn.Linear(no_such_name, 3)\n")

    with pytest.raises(InputError, match=r"NameError: name 'no_such_name' is not defined, net.py line 6"):
        built_model(f"{file}:make", [(3,)])


@pytest.mark.parametrize("named", ["", "/", "x/a.safetensors", "../a.safetensors"])
def test_an_index_names_files_beside_it(named: str, tmp_path: Path) -> None:
    weights(tmp_path / "a.safetensors", one=(4, 4))
    index = tmp_path / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {"one": named}}))

    with pytest.raises(InputError, match="no files beside it"):
        named_model(str(index))


def test_one_of_several_files_is_not_taken_for_the_whole(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="one of several files"):
        named_model(str(weights(tmp_path / "model-00001-of-00004.safetensors", one=(4, 4))))


def test_what_is_kept_beside_weights_is_none_and_packed_ones_are_not_guessed(tmp_path: Path) -> None:
    kept = {"norm.weight": (8,), "norm.running_mean": (8,), "norm.num_batches_tracked": ()}
    assert named_model(str(weights(tmp_path / "a.safetensors", **kept))).parameters == 8
    with pytest.raises(InputError, match="packed in 4 bits"):
        named_model(str(weights(tmp_path / "b.safetensors", **{"layer.qweight": (512, 4096)})))


def test_a_folder_of_hugging_face_is_its_configuration(tmp_path: Path) -> None:
    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4}
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "llama", "vocab_size": 100, **sizes}))

    assert named_model(str(tmp_path)).hidden_units == (64, 128)


@pytest.mark.parametrize("name", ["weights.pt", "pytorch_model.bin", "model.gguf"])
def test_formats_that_can_run_code_are_refused_with_what_is_read(name: str) -> None:
    with pytest.raises(InputError, match=r"Name a \.safetensors file"):
        named_model(name)


@pytest.mark.parametrize(
    ("name", "kind"),
    [("llama-3.1-8b", "transformer"), ("resnet50", "cnn"), ("convnext_tiny", "cnn"), ("whisper-small", "transformer"),
     ("ddpm-cifar10-32", "diffusion"), ("flux.1-dev", "diffusion"), ("unet", "unet"), ("dlrm-criteo", "ffn")],
)  # fmt: skip
def test_published_networks_are_of_their_type(name: str, kind: str) -> None:
    assert type_of(published_models()[name].model()) == kind


def test_a_word_within_a_word_tells_no_type(tmp_path: Path) -> None:
    file = code(
        tmp_path,
        """
        class GateAggregation(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(16, 24)

            def forward(self, x):
                return self.layer(x)
        """,
    )
    assert type_of(built_model(f"{file}:GateAggregation", [(16,)])) == "ffn"


def test_texts_longer_than_the_table_of_positions_are_refused() -> None:
    with pytest.raises(InputError, match="reads 512 tokens at most, not 131,072"):
        named_model("bert-base", (131_072,))


def test_another_size_of_a_network_that_is_known_by_its_counts_is_refused() -> None:
    with pytest.raises(InputError, match="counted for its usual example, 3x224x224, alone"):
        named_model("efficientnet_b0", (3, 64, 64))


@pytest.mark.parametrize("model", [one.model() for one in published_models().values()], ids=lambda model: model.name)
def test_recomputing_keeps_no_more(model: Model) -> None:
    if model.whole:
        assert 0 < model.recomputed <= model.kept


@pytest.mark.parametrize("name", ["torch.py", "json.py", "random.py"])
def test_a_file_that_has_the_name_of_a_library_hides_none(name: str, tmp_path: Path) -> None:
    file = code(tmp_path, SMALL).rename(tmp_path / name)

    assert built_model(f"{file}:make", [(3, 8, 8)]).parameters == 618
