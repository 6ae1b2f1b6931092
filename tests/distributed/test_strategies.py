"""Strategies are named with their settings, and mistakes are told with a way out."""

from __future__ import annotations

import pytest

from advisor.distributed.strategies import ALIASES, DECLARED, strategies, strategy
from advisor.errors import InputError


@pytest.mark.parametrize("name", DECLARED)
def test_a_strategy_has_its_usual_settings(name: str) -> None:
    found = strategy(name)
    assert found.settings == DECLARED[name].settings
    assert str(found) == name


@pytest.mark.parametrize("alias", ALIASES)
def test_other_words_for_a_strategy(alias: str) -> None:
    assert strategy(alias).name == ALIASES[alias]


def test_hyphens_and_capitals_do_not_matter() -> None:
    assert strategy(" Local-SGD ").name == "local_sgd"


def test_what_is_written_comes_back() -> None:
    found = strategy("downpour:every=5:server=sgd")
    assert found.whole("every") == 5
    assert strategy(str(found)) == found
    assert str(strategy("local_sgd:every=8")) == "local_sgd", "the usual value is not told"


def test_a_list_holds_each_once() -> None:
    assert [str(one) for one in strategies("ddp, synchronous, local_sgd:every=2,")] == [
        "synchronous",
        "local_sgd:every=2",
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("synchronos", "synchronous"),
        ("local_sgd:evry=3", "every"),
        ("local_sgd:every=0", "0"),
        ("local_sgd:every=1.5", "1.5"),
        ("diloco:momentum=2", "2"),
        ("diloco:rate=nan", "nan"),
        ("downpour:server=adam", "adagrad"),
        ("synchronous:every=2", "no settings"),
        ("", "synchronous"),
    ],
)
def test_a_mistake_names_the_place_and_a_way_out(text: str, told: str) -> None:
    with pytest.raises(InputError) as error:
        strategy(text)
    assert told in str(error.value)


def test_all_wrong_settings_are_told_at_once() -> None:
    with pytest.raises(InputError) as error:
        strategy("downpour:every=x:server=y")
    assert len(error.value.problems) == 2


def test_an_empty_list_is_refused() -> None:
    with pytest.raises(InputError, match="No strategy is named"):
        strategies(" , ")


@pytest.mark.parametrize("name", DECLARED)
def test_every_strategy_is_a_form_of_what_the_rules_recommend(name: str) -> None:
    from advisor.knowledge.cache import knowledge_for

    topic = knowledge_for().topics["sync.strategy"]
    assert DECLARED[name].topic in topic.values
