"""What is on the menu, and what a variation changes."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.networks.description import ACTIVATIONS, NORMALIZATIONS
from advisor.plain import decode, encode
from advisor.training.ladder.candidates import MOST_EPOCHS, SCIKIT_LEARN_LIKE, TOPICS, Factor, NetworkSettings, Planned
from advisor.training.ladder.menu import EARLY_STOPPING_FROM, menu
from advisor.training.ladder.trial_record import Kind
from advisor.training.recipe import AS_BUILT, INITIALISATIONS, OPTIMIZERS, Recipe

PLANNED = Planned(
    network="ffn",
    runners_up=("gradient_boosting", "lstm", "gan"),
    hidden_units=(64, 64),
    init="he",
    activation="relu",
    optimizer="adamw",
    learning_rate=0.001,
    batch_size=32,
)
plans = st.builds(
    Planned,
    network=st.sampled_from(["ffn", "cnn", "lstm", "gan", "linear", None]),
    runners_up=st.lists(st.sampled_from(["ffn", "cnn", "rnn", "transformer", "vae", "random_forest"])).map(tuple),
    hidden_units=st.lists(st.integers(1, 600), max_size=4).map(tuple),
    init=st.sampled_from([*INITIALISATIONS, "pretrained", "layerwise_pretraining", None]),
    activation=st.sampled_from([*ACTIVATIONS, None]),
    optimizer=st.sampled_from([*OPTIMIZERS, None]),
    learning_rate=st.sampled_from([0.001, 0.3, None]),
    batch_size=st.sampled_from([1, 32, None]),
    normalization=st.sampled_from(NORMALIZATIONS),
    dropout=st.sampled_from([0.0, 0.2]),
)
modalities = st.sampled_from(["tabular", "image", "text", "time_series", "audio"])


def test_the_simple_comes_before_the_deep() -> None:
    names = [candidate.name for candidate in menu(PLANNED, "tabular").openers if not candidate.instead_of]
    simple = ["trivial", "linear", "nearest neighbours", "support vectors", "random forest", "gradient boosting"]
    assert names == [*simple, "ffn 100 plain", "ffn 64", "ffn 64-64 as planned"]


@pytest.mark.parametrize(
    ("modality", "classes", "there"), [("text", True, True), ("text", False, False), ("tabular", True, False)]
)
def test_naive_bayes_is_for_classes_of_texts(modality: str, classes: bool, there: bool) -> None:
    made = menu(PLANNED, modality, classes=classes)
    assert ("naive_bayes" in {one.model for one in made.openers}) is there


def test_scikit_learns_default_network_is_always_there() -> None:
    for modality in ("tabular", "image", "text", "time_series"):
        settings = [candidate.settings for candidate in menu(Planned(), modality).openers]
        assert SCIKIT_LEARN_LIKE in settings
    plain = SCIKIT_LEARN_LIKE
    assert (plain.hidden_units, plain.optimizer, plain.learning_rate) == ((100,), "adam", 1e-3)


def test_only_the_planned_network_has_the_plans_normalisation_and_dropout() -> None:
    planned = replace(PLANNED, normalization="batch_norm", dropout=0.2)
    openers = (one for one in menu(planned, "time_series").openers if not one.instead_of)
    tried = {c.name: c.settings for c in openers if c.settings is not None}
    with_them = [
        name for name, settings in tried.items() if (settings.normalization, settings.dropout) == ("batch_norm", 0.2)
    ]
    assert with_them == ["ffn 64", "ffn 64-64 as planned"]
    assert {(s.normalization, s.dropout) for name, s in tried.items() if name not in with_them} == {("none", 0.0)}


def test_single_examples_are_not_normalised_as_a_batch() -> None:
    (settings,) = [
        candidate.settings
        for candidate in menu(replace(PLANNED, normalization="batch_norm", batch_size=1), "tabular").openers
        if candidate.name == "ffn 64-64 as planned"
    ]
    assert settings is not None
    assert settings.normalization == "none"


def test_data_that_no_type_names_are_taken_as_rows() -> None:
    assert menu(PLANNED, "molecules") == menu(PLANNED, "tabular")


def test_what_generates_or_restores_is_no_candidate() -> None:
    assert not any(candidate.model == "gan" for candidate in menu(PLANNED, "tabular").openers)


def test_weights_trained_by_others_are_replaced_by_usual_ones() -> None:
    planned = Planned(network="cnn", hidden_units=(64, 128), init="pretrained")
    chosen = next(c for c in menu(planned, "image").openers if c.name == "cnn 64-128 as planned")
    assert chosen.settings is not None
    assert chosen.settings.init == "he"


@given(plans, modalities)
def test_every_name_is_unique_and_every_recipe_can_be_made(planned: Planned, modality: str) -> None:
    made = menu(planned, modality)
    base = next(candidate for candidate in made.openers if candidate.kind is Kind.NETWORK)
    everything = [*made.openers, *made.variations(base)]
    assert len({candidate.name for candidate in everything}) == len(everything)
    for candidate in everything:
        if candidate.settings is not None:
            s = candidate.settings
            Recipe(s.optimizer, s.learning_rate, s.batch_size, s.epochs_for(100), s.init, s.schedule)


@given(plans, modalities, st.data())
def test_a_variation_changes_its_factor_and_nothing_else(planned: Planned, modality: str, data: st.DataObject) -> None:
    made = menu(planned, modality)
    base = data.draw(st.sampled_from([candidate for candidate in made.openers if candidate.kind is Kind.NETWORK]))
    belongs = {
        Factor.WIDTH: {"hidden_units"},
        Factor.INIT: {"init"},
        Factor.ACTIVATION: {"activation"},
        Factor.OPTIMIZER: {"optimizer", "learning_rate", "weight_decay"},
        Factor.REGULARISATION: {"weight_decay", "early_stopping"},
    }
    for candidate in made.variations(base):
        assert candidate.settings is not None
        assert base.settings is not None
        assert candidate.factor is not None
        different = {
            f.name
            for f in fields(NetworkSettings)
            if getattr(base.settings, f.name) != getattr(candidate.settings, f.name)
        }
        assert different <= belongs[candidate.factor]
        assert base.settings.value(candidate.factor) != candidate.settings.value(candidate.factor)


@pytest.mark.parametrize("factor", list(TOPICS))
def test_what_the_plan_says_of_a_factor_is_varied_first(factor: Factor) -> None:
    planned = Planned("ffn", (), (40, 30), "orthogonal", "tanh", "sgd_nesterov", 0.05, 16)
    made = menu(planned, "tabular")
    base = next(candidate for candidate in made.openers if candidate.settings == SCIKIT_LEARN_LIKE)
    first = next(candidate for candidate in made.variations(base) if candidate.factor is factor)
    assert first.settings is not None
    assert first.settings.value(factor) == planned.value(factor)


def test_factors_take_turns_so_that_little_time_tries_a_bit_of_each() -> None:
    made = menu(PLANNED, "tabular")
    base = next(candidate for candidate in made.openers if candidate.kind is Kind.NETWORK)
    assert {candidate.factor for candidate in made.variations(base)[: len(Factor)]} == set(Factor)


@given(st.integers(1, 1_000_000), st.integers(1, 4096))
def test_epochs_stay_within_bounds(examples: int, batch: int) -> None:
    epochs = NetworkSettings("ffn", (8,), batch_size=batch).epochs_for(examples)
    assert 15 <= epochs <= MOST_EPOCHS


@given(plans)
def test_a_plan_survives_the_way_to_the_child(planned: Planned) -> None:
    assert decode(Planned, encode(planned)) == planned


def test_the_builders_own_weights_are_no_way_to_initialise() -> None:
    made = menu(Planned("ffn", init=AS_BUILT), "tabular")
    inits = {c.settings.init for c in made.openers if c.settings is not None}
    assert AS_BUILT not in inits


def test_of_few_rows_none_are_kept_back_to_see_when_to_stop() -> None:
    def stopping(modality: str, examples: int | None) -> set[bool]:
        made = menu(PLANNED, modality, examples)
        return {c.settings.early_stopping for c in made.openers if c.settings is not None and "plain" not in c.name}

    assert stopping("tabular", EARLY_STOPPING_FROM - 1) == {False}
    assert stopping("tabular", EARLY_STOPPING_FROM) == stopping("image", 100) == stopping("tabular", None) == {True}
    few = menu(PLANNED, "tabular", 500)
    names = [candidate.name for candidate in few.variations(few.openers[-1])]
    assert any(name.endswith(", early stopping") for name in names), "that is tried as a variation"
