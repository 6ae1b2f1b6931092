"""Texts as tokens that are learned from them: nothing is lost, nothing is padding, and they need not fit into memory."""

from __future__ import annotations

import os
import random
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from advisor.starter.blueprint import Layout, Shape, Targets
from tests.starter.blueprints import blueprint, module, project
from tests.starter.projects import complaints, plan_of, run
from tests.starter.projects import generated as made_from

LINES = ["Don't  panic, it's a naïve Test.", "\tindented = x + 1  ", "Ünïcödé, 你好 and 🙂!", "WORDS words Words"]
STEPS = 10


def folder_of(place: Path, vocabulary: int = 600) -> Path:
    shape = Shape(vocabulary, STEPS)
    return project(place, blueprint("transformer", Layout.TOKENS, Targets.NEXT_TOKEN, kind="generate", shape=shape))


@pytest.fixture
def corpus(tmp_path: Path) -> ModuleType:
    return module(folder_of(tmp_path / "project"), "corpus")


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    file = tmp_path / "texts.txt"
    generator = random.Random(3)
    file.write_text("\n".join(generator.choice(LINES) for _ in range(400)) + "\n\n", encoding="utf-8")
    return file


def test_texts_come_back_as_they_were(corpus: ModuleType) -> None:
    tokenizer = corpus.learned(LINES * 20, 600)
    for text in [*LINES, "never seen: Ωμέγα \x00 ~", ""]:
        found = tokenizer.encode(text, add_special_tokens=False).ids
        assert tokenizer.decode(found) == text
        assert min([*found, 9]) > corpus.END
    assert tokenizer.get_vocab_size() <= 600


@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
@settings(max_examples=50, deadline=None)
def test_any_text_comes_back(text: str, learned: Any) -> None:
    assert learned.decode(learned.encode(text, add_special_tokens=False).ids) == text


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return module(folder_of(tmp_path_factory.mktemp("learned") / "project"), "corpus").learned(LINES * 20, 600)


def test_windows_are_the_texts_one_after_the_other(tmp_path: Path, texts: Path) -> None:
    folder = folder_of(tmp_path / "project")
    found, corpus = module(folder, "data").load(texts, 0), module(folder, "corpus")
    tokenizer = Tokenizer.from_str(found.kept["tokenizer"])
    written = []
    for part in (found.train, found.validation):
        ids = [int(part[0][0][0])]
        for number in range(len(part)):
            inputs, targets = part[number]
            assert inputs.shape == targets.shape == (STEPS,)
            assert torch.equal(inputs[1:], targets[:-1])
            assert int(inputs[0]) == ids[-1]
            ids += targets.tolist()
        assert ids[0] == corpus.END
        assert 0 not in ids
        places = [place for place, token in enumerate(ids) if token == corpus.END]
        written += [tokenizer.decode(ids[begin + 1 : end]) for begin, end in pairwise(places)]
    lines = [line for line in texts.read_text(encoding="utf-8").splitlines() if line.strip()]
    assert set(written) == set(lines)
    assert len(lines) - 6 <= len(written) <= len(lines)  # the last ones may not fill a window
    assert 0.1 < len(found.validation) / (len(found.train) + len(found.validation)) < 0.3


def test_texts_become_tokens_once_and_again_when_they_change(
    tmp_path: Path, texts: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = module(folder_of(tmp_path / "project"), "data")
    first = data.load(texts, 0)
    assert "into tokens, once" in capsys.readouterr().err
    again = data.load(texts, 0)
    assert capsys.readouterr().err == ""
    assert all(torch.equal(first.train[n][0], again.train[n][0]) for n in range(len(first.train)))
    texts.write_text("Other lines\n" * 300)
    os.utime(texts, ns=(1, 1))
    assert len(data.load(texts, 0).train) != len(first.train)
    assert "into tokens, once" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == ["project"], "nothing lies beside the texts"


def test_a_file_that_was_left_half_way_is_made_anew(tmp_path: Path, texts: Path) -> None:
    data = module(folder_of(tmp_path / "project"), "data")
    first = data.load(texts, 0)
    (store,) = (tmp_path / "project" / "tokens").iterdir()
    (store / "tokenizer.json").unlink()
    (store / "train.bin").write_bytes(b"1234")
    assert len(data.load(texts, 0).train) == len(first.train)


@pytest.mark.parametrize("content", ["one", "one short text", "a\n" * 3, "word " * 400])
def test_few_texts_are_enough(tmp_path: Path, content: str) -> None:
    file = tmp_path / "few.txt"
    file.write_text(content)
    found = module(folder_of(tmp_path / "project"), "data").load(file, 0)
    for part in (found.train, found.validation):
        assert len(part) >= 2
        assert part[len(part) - 1][0].shape == (STEPS,)


def test_what_is_no_text_is_refused(tmp_path: Path) -> None:
    data = module(folder_of(tmp_path / "project"), "data")
    (tmp_path / "latin.txt").write_bytes("Müller\n".encode("latin-1") * 20)
    with pytest.raises(SystemExit, match=r"latin.txt is no text in UTF-8"):
        data.load(tmp_path / "latin.txt", 0)
    (tmp_path / "empty.txt").write_text("\n \n")
    with pytest.raises(SystemExit, match=r"There are no texts in .*empty.txt"):
        data.load(tmp_path / "empty.txt", 0)
    (tmp_path / "folder").mkdir()
    with pytest.raises(SystemExit, match=r"There are no texts \(.txt\)"):
        data.load(tmp_path / "folder", 0)


@pytest.mark.parametrize("vocabulary", [5, 30, 300, 600])
def test_the_network_has_the_vocabulary_of_the_plan(tmp_path: Path, texts: Path, vocabulary: int) -> None:
    found = module(folder_of(tmp_path / "project", vocabulary), "data").load(texts, 0)
    assert found.vocabulary == vocabulary
    assert max(int(found.train[n][0].max()) for n in range(len(found.train))) < vocabulary


def test_a_trained_network_writes_without_its_texts(tmp_path: Path) -> None:
    facts = "task.kind=generate task.generation=sequence data.modality=text data.inputs=600 data.sequence_length=16"
    plan = plan_of(f"{facts} project.pretrained_allowed=no", network_type="transformer", network_hidden_units=[32, 64])
    folder = made_from(tmp_path / "project", plan)
    assert complaints(folder) == ""
    assert "tokenizers>=" in (folder / "requirements.txt").read_text()
    file = tmp_path / "songs.txt"
    file.write_text("The Quick brown Fox, jumps.\n" * 300)
    run(folder, f"python train.py --data {file} --steps 120 --batch-size 16 --learning-rate 0.01")
    file.unlink()
    written = run(folder, 'python generate.py --number 2 --text "The Quick" --temperature 0.1 --top 1')
    assert written == "The Quick brown Fox, jumps.\n" * 2
