"""Boosted trees of what a linear model leaves go on with a trend, and are else what scikit-learn's own are."""

from __future__ import annotations

from typing import Any

import numpy
import pytest
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import Ridge
from skops import io as skops

from advisor.training.child.after_linear import AfterLinear
from advisor.training.kept.storing import _TREES

COLOURS = 3


def rising(rows: int = 600) -> tuple[Any, Any]:
    """Inputs of a time, a colour and a number with gaps; the targets rise with time, and bend with the number."""
    draw = numpy.random.default_rng(0)
    time, colour, number = numpy.arange(rows), draw.integers(0, COLOURS, rows), draw.normal(size=rows)
    targets = 0.05 * time + 4.0 * (colour == 1) + 3.0 * numpy.abs(number) + 0.1 * draw.normal(size=rows)
    inputs = numpy.stack([time, colour, number], axis=1).astype(float)
    inputs[::7, 2] = numpy.nan
    return inputs, targets


CATEGORIES = [False, True, False]


def test_it_goes_on_with_a_trend_where_trees_stop() -> None:
    inputs, targets = rising()
    later = inputs[400:], targets[400:]
    trees, both = (
        kind(categorical_features=CATEGORIES, random_state=0).fit(inputs[:400], targets[:400]).score(*later)
        for kind in (HistGradientBoostingRegressor, AfterLinear)
    )
    assert trees < 0 < 0.8 < both


def test_it_bends_where_a_line_does_not() -> None:
    inputs, targets = rising()
    mixed = numpy.random.default_rng(1).permutation(len(inputs))
    known, new = mixed[:400], mixed[400:]
    filled = numpy.nan_to_num(inputs)
    line = Ridge().fit(filled[known], targets[known]).score(filled[new], targets[new])
    both = AfterLinear(categorical_features=CATEGORIES, random_state=0).fit(inputs[known], targets[known])
    assert both.score(inputs[new], targets[new]) > line + 0.02


def test_of_a_straight_line_nothing_is_left_to_trees() -> None:
    draw = numpy.random.default_rng(0)
    inputs = draw.normal(size=(500, 2))
    both = AfterLinear(random_state=0).fit(inputs, 2 * inputs[:, 0] - inputs[:, 1])
    far = numpy.array([[30.0, 0.0], [0.0, 30.0]])
    assert both.predict(far) == pytest.approx([60, -30], rel=0.1)


def test_it_stops_where_kept_back_examples_no_longer_gain() -> None:
    inputs, targets = rising()
    noise = targets + 3 * numpy.random.default_rng(2).normal(size=len(targets))
    both = AfterLinear(max_iter=1000, early_stopping=True, n_iter_no_change=20, categorical_features=CATEGORIES)
    both.fit(inputs[::2], noise[::2], X_val=inputs[1::2], y_val=noise[1::2])
    best = int(numpy.argmax(both.validation_score_))
    assert 1 < best < 300
    assert len(both.validation_score_) == best + 1 + 20


def test_categories_and_gaps_that_were_not_there_before_are_no_error() -> None:
    inputs, targets = rising()
    both = AfterLinear(categorical_features=CATEGORIES).fit(inputs, targets)
    new = inputs[:3].copy()
    new[0, 1], new[1, 1], new[2] = 99, numpy.nan, numpy.nan
    assert numpy.isfinite(both.predict(new)).all()


def test_a_quantile_of_what_is_left_is_that_of_the_target() -> None:
    inputs, targets = rising(3000)
    noise = targets + 3 * numpy.random.default_rng(2).normal(size=len(targets))
    high = AfterLinear(loss="quantile", quantile=0.9, max_iter=30, categorical_features=CATEGORIES).fit(inputs, noise)
    assert (noise < high.predict(inputs)).mean() == pytest.approx(0.9, abs=0.03)


def test_more_trees_are_added_to_those_that_are_there() -> None:
    """So that a project's model goes on with its training."""
    inputs, targets = rising()
    grown = AfterLinear(max_iter=10, warm_start=True, random_state=0).fit(inputs, targets)
    grown.set_params(max_iter=30).fit(inputs, targets)
    whole = AfterLinear(max_iter=30, random_state=0).fit(inputs, targets)
    assert grown.predict(inputs) == pytest.approx(whole.predict(inputs))


def test_it_is_kept_without_types_that_saved_models_do_not_have() -> None:
    inputs, targets = rising()
    fitted = AfterLinear(categorical_features=CATEGORIES).fit(inputs, targets)
    stored = skops.dumps(fitted)
    ours = skops.get_untrusted_types(data=stored)
    assert set(ours) <= set(_TREES)
    assert (skops.loads(stored, trusted=ours).predict(inputs) == fitted.predict(inputs)).all()


def test_one_odd_number_does_not_carry_the_line_away() -> None:
    inputs, targets = rising()
    both = AfterLinear(categorical_features=CATEGORIES).fit(inputs, targets)
    odd = numpy.repeat(inputs[:1], 4, axis=0)
    odd[:, 0] = 999_999, 1e90, -1e90, numpy.inf
    assert numpy.abs(both.predict(odd)).max() < 30 * numpy.abs(targets).max()


def test_examples_that_are_drawn_for_early_stopping_are_new_to_the_line_too() -> None:
    """Of 300 numbers that tell nothing a line learns 400 examples by heart, and leaves nothing there to judge trees by."""
    draw = numpy.random.default_rng(0)
    inputs = draw.normal(size=(400, 300))
    targets = numpy.abs(inputs[:, 0]) + 0.1 * draw.normal(size=400)
    both = AfterLinear(max_iter=400, early_stopping=True, n_iter_no_change=50, random_state=0).fit(inputs, targets)
    assert numpy.argmax(both.validation_score_) > 50
    assert both.linear_.score(both._columns(inputs), targets) < 0.9, "it has not seen all of them"
