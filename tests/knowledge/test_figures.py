"""figures.yaml: what is refused, and that a pack can replace a formula."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.knowledge import loader
from advisor.knowledge.model import Knowledge
from advisor.plain import decode, encode
from tests.knowledge.texts import problems

GIVEN = "given:\n  plan.parameters: {title: Weights, unit: parameters, help: Counted.}\n"


def figure(name: str = "size", value: str = "4 * plan.parameters", **keys: str) -> str:
    given = {"title": "T", "unit": "bytes", "value": value, "help": "H.", "sources": "[book]", **keys}
    lines = "".join(f"    {key}: {text}\n" for key, text in given.items() if text)
    return f"  {name}:\n{lines}"


def found(tmp_path: Path, *figures: str) -> list[str]:
    return problems(tmp_path, figures=GIVEN + "figures:\n" + "".join(figures))


def test_a_sound_formula_is_taken(tmp_path: Path) -> None:
    assert found(tmp_path, figure(), figure("twice", "2 * size")) == []


@pytest.mark.parametrize(
    ("figures", "says"),
    [
        ([figure(value="4 * plan.weights")], "'plan.weights', which is not declared"),
        ([figure(value='"four"')], "figure size"),
        ([figure(value="open(1)")], "open"),
        ([figure(value="later"), figure("later")], "reads later, which is computed after it"),
        ([figure(value="size")], "reads size, which is computed after it"),
        ([figure(only_when="data.examples")], "where a yes or no is needed"),
        ([figure(sources="")], "names no sources"),
        ([figure(sources="[bok]")], "cites 'bok'"),
        ([figure(help="")], "lacks the key 'help'"),
        ([figure("data.examples")], "declared elsewhere already"),
        ([figure(cases="5")], "cases must be a list"),
        ([figure(cases="[]", value="", help="", sources="")], "has no case at all"),
        ([figure("two words")], "has a name that no formula could read"),
        ([figure('"\\e[31m"')], "has a name that no formula could read"),
        ([figure(formula="1")], "has no key 'formula'"),
    ],
)
def test_what_is_wrong_with_a_formula_is_said(tmp_path: Path, figures: list[str], says: str) -> None:
    said = found(tmp_path, *figures)
    assert len(said) >= 1
    assert any(says in text for text in said), said


def test_a_name_that_is_taken_is_said_once_where_it_stands(tmp_path: Path) -> None:
    reader = figure("reads", "data.examples", only_when='data.modality == "image"')
    (said,) = found(tmp_path, reader, figure("data.modality"))
    assert "figures.yaml:11" in said
    assert "data.modality is declared elsewhere already" in said


@pytest.fixture
def pack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pack")


def test_a_pack_replaces_a_formula_where_it_stands(tmp_path: Path, pack: Path) -> None:
    assert found(tmp_path, figure(), figure("twice", "2 * size")) == []
    (pack / "figures.yaml").write_text("figures:\n" + figure(value="2 * plan.parameters"), encoding="utf-8")
    knowledge = loader.load(tmp_path, [pack])
    assert list(knowledge.figures.figures) == ["size", "twice"]
    assert knowledge.figures.figures["size"].cases[0].value == "2 * plan.parameters"


def test_a_pack_cannot_declare_numbers_that_the_program_must_supply(tmp_path: Path, pack: Path) -> None:
    found(tmp_path, figure())
    (pack / "figures.yaml").write_text(GIVEN, encoding="utf-8")
    with pytest.raises(Exception, match="cannot be used") as refused:
        loader.load(tmp_path, [pack])
    assert "a pack cannot declare given numbers" in str(refused.value.problems[0])  # type: ignore[attr-defined]


def test_figures_survive_the_cache(tmp_path: Path) -> None:
    found(tmp_path, figure(), figure("twice", "2 * size"))
    knowledge = loader.load(tmp_path)
    assert decode(Knowledge, encode(knowledge, brief=True)).figures == knowledge.figures
