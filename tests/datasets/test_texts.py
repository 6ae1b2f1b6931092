from __future__ import annotations

from pathlib import Path

import numpy
import pytest

from advisor.datasets.dataset import Column, Kind, Task
from advisor.datasets.inspect import inspect
from advisor.datasets.loading import load
from advisor.datasets.preparing.preparation import preparation
from advisor.datasets.tables.inspection import is_text_task
from advisor.datasets.values.text_sizes import measure
from advisor.datasets.values.words import tokens_of
from advisor.errors import InputError
from tests.datasets.made import load_data, write_csv


def write_reviews(folder: Path, count: int = 12) -> Path:
    for number in range(count):
        for label, word in (("good", "lovely"), ("bad", "awful")):
            path = folder / label / f"{number}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"This is {word} film number {number}.", encoding="utf-8")
    return folder


def remarks_of(path: Path) -> str:
    return "\n".join(remark.what for remark in inspect(path).remarks)


def test_words_and_marks_and_signs_without_blanks() -> None:
    assert tokens_of("It's 3.5 Über!") == ["it", "'", "s", "3", ".", "5", "über", "!"]
    assert tokens_of("日本 go") == ["日", "本", "go"]
    assert tokens_of(" \n\t") == []


def test_texts_in_folders_are_classes(tmp_path: Path) -> None:
    found = inspect(write_reviews(tmp_path))
    assert found.task is Task.CLASSIFY
    assert found.classes == ("bad", "good")
    assert found.facts["data.modality"] == "text"
    assert found.facts["data.sequence_length"] == 7
    assert found.facts["data.inputs"] == 7 + 12
    data = load_data(found, 100, 0)
    assert len(data) == 24
    assert {
        ("lovely" in text) == (data.classes[number] == "good")
        for text, number in zip(data.inputs, data.targets, strict=True)
    } == {True}


def test_of_many_texts_every_class_keeps_its_share(tmp_path: Path) -> None:
    data = load_data(inspect(write_reviews(tmp_path)), 8, 0)
    assert sorted(data.targets) == [0] * 4 + [1] * 4
    assert data.left_out == "8 of 24 texts were taken."


def test_texts_without_words_and_no_texts_are_left_out(tmp_path: Path) -> None:
    write_reviews(tmp_path, 3)
    (tmp_path / "good" / "blank.txt").write_text(" \n")
    (tmp_path / "good" / "bytes.txt").write_bytes(bytes(range(256)) * 4)
    assert "2 of the 8 looked into have no words or are no text" in remarks_of(tmp_path)
    assert len(load_data(inspect(tmp_path), 100, 0)) == 6


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_texts_in_other_encodings_are_read(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "poem.txt"
    path.write_bytes("schöne Grüße\nan alle\n".encode(encoding) * 5)
    found = inspect(path)
    assert load_data(found, 100, 0).inputs[0] == "schöne Grüße"


def test_lines_are_examples_to_learn_to_write_from(tmp_path: Path) -> None:
    path = tmp_path / "lines.txt"
    path.write_text("".join(f"line number {number}\n" for number in range(50)))
    found = inspect(path)
    assert found.task is Task.GENERATE
    assert found.facts["task.generation"] == "sequence"
    assert found.facts["data.examples"] == 50
    assert "each line is one example" in remarks_of(path)
    data = load_data(found, 20, 0)
    assert data.inputs[0] == "line number 0"
    assert data.inputs[-1] == "line number 49"
    assert data.targets.shape == (20, 0)
    shape = preparation(data).fit(numpy.arange(20)).shape
    assert shape.outputs == shape.inputs, "every word can be the next one"


def test_empty_lines_divide_a_text_into_paragraphs(tmp_path: Path) -> None:
    path = tmp_path / "prose.txt"
    path.write_text("one\ntwo\n\nthree\n\n\nfour\nfive\n")
    assert load_data(inspect(path), 20, 0).inputs == ["one\ntwo", "three", "four\nfive"]


def test_repeated_texts_are_said(tmp_path: Path) -> None:
    path = tmp_path / "lines.txt"
    path.write_text("same\nsame\nother\n")
    assert "Texts that are copies of others, such as “same”: 1 of 3." in remarks_of(path)


def test_blanks_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "blank.txt"
    path.write_text(" \n \n")
    with pytest.raises(InputError, match="nothing but blanks"):
        inspect(path)


def test_the_length_is_that_of_all_but_the_longest_texts() -> None:
    size = measure(["a b c"] * 96 + ["a " * 1000] * 4)
    assert (size.tokens, size.steps) == (3, 3)


def test_a_table_is_texts_where_nothing_else_is_given() -> None:
    columns = [
        Column("title", Kind.TEXT),
        Column("body", Kind.TEXT),
        Column("price", Kind.NUMBER),
        Column("stars", Kind.WHOLE),
    ]
    assert is_text_task(columns, ["title", "body"])
    assert not is_text_task(columns, ["title", "body", "price"])
    assert not is_text_task(columns, [])


def test_a_table_of_texts_is_loaded_as_texts(tmp_path: Path) -> None:
    rows = [
        (f"This film number {number} was {'lovely to watch' if number % 2 else 'awful to see'}", number % 2)
        for number in range(60)
    ]
    found = inspect(write_csv(tmp_path / "films.csv", ["review", "stars"], rows), "stars")
    assert found.modality == "text"
    data = load(found, most_examples=1000)
    assert data.inputs == [text for text, _ in rows]
    assert data.targets.tolist() == [label for _, label in rows]
