"""A fitted model in files, none of which is unpickled: skops for scikit-learn, weights alone for torch.

skops builds objects of named types only. Its own list has estimators of scikit-learn, types of numpy and plain values;
what is named here is all that ours need besides.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sklearn.base import BaseEstimator
from skops import io as skops

from advisor.datasets.dataset import Examples
from advisor.datasets.preparing.kept import Parts, parts_of, prepared_by
from advisor.datasets.preparing.preparation import Preparation
from advisor.errors import input_error
from advisor.training.child.after_linear import AfterLinear
from advisor.training.child.boosters import BoosterClassifier, BoosterRegressor
from advisor.training.child.fitted import Learned
from advisor.training.kept.card import ESTIMATOR, PREPARATION, TITLE, WEIGHTS, Card, damaged, raise_if_out_of_memory
from advisor.training.kept.checking import check_estimator
from advisor.training.kept.opening import opened
from advisor.wording import join_first, shorten

_TREES = (
    "sklearn.tree._tree.Tree",
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
    "advisor.training.child.moved.Moved",
    *("functools.partial", "sklearn.utils.validation.check_array"),  # boosting checks categories by them
    *("sklearn.calibration._CalibratedClassifier", "sklearn.calibration._SigmoidCalibration"),
    *("sklearn.metrics._dist_metrics.EuclideanDistance64", "sklearn.metrics._dist_metrics.EuclideanDistance32"),
    *("sklearn.neighbors._kd_tree.KDTree", "sklearn.neighbors._kd_tree.newObj"),
    *("sklearn.neighbors._ball_tree.BallTree", "sklearn.neighbors._ball_tree.newObj"),
    "numpy.dtype",  # of categories
    *(f"{one.__module__}.{one.__name__}" for one in (BoosterClassifier, BoosterRegressor, AfterLinear)),
)
"""Types besides those that skops trusts. The function of a partial has to be named as well, so it opens no other way."""
_WORDS = ("advisor.datasets.values.words.tokens_of", "advisor.datasets.values.words.terms", "numpy.dtype")
"""Ways to divide a text, and the type of an array."""
_BROKEN = (Exception,)
"""Errors of reading what was cut off or changed: the libraries have them of every kind, numpy's header alone TokenError."""


def store(learned: Learned, folder: Path) -> None:
    """Write a model and its preparation into a folder. Raises OSError, and UnopenableError where they could not be read again."""
    skops.dump(parts_of(learned.prepared), folder / PREPARATION)
    if learned.model is None:  # a statistical one, which is fitted to each series anew
        pass
    elif learned.network is None:
        skops.dump(learned.model, folder / ESTIMATOR)
    else:
        import torch  # seconds, only for networks

        torch.save(learned.model.state_dict(), folder / WEIGHTS)
    for path in folder.iterdir():
        with opened(path):
            pass


def stored_parts(folder: Path) -> Parts:
    """The preparation of a saved model. Raises InputError where it is damaged or holds a type that none of ours has."""
    parts = _loaded(folder / PREPARATION, _WORDS)
    if not isinstance(parts, dict):
        raise damaged(folder / PREPARATION, "it holds no preparation")
    return parts


def stored_model(folder: Path, card: Card) -> Any:
    """The estimator or the network of a saved model. Raises InputError as `stored_parts` does."""
    if card.network is not None:
        return _network(folder / WEIGHTS, card)
    estimator = _loaded(folder / ESTIMATOR, _TREES)
    several = estimator if isinstance(estimator, list) else [("", 1.0, estimator)]
    for part in several:
        is_part = isinstance(part, tuple) and len(part) == 3
        if not is_part or not isinstance(part[2], BaseEstimator) or not hasattr(part[2], "predict"):
            raise damaged(folder / ESTIMATOR, "it holds no model")
    return estimator


def fitted(parts: Parts, examples: Examples, folder: Path) -> Preparation:
    """The preparation for these examples. Raises InputError where parts of it are missing."""
    try:
        return prepared_by(parts, examples)
    except (LookupError, TypeError, AttributeError) as error:
        raise damaged(folder / PREPARATION, str(error)) from None


def _loaded(path: Path, trusted: tuple[str, ...]) -> Any:
    try:
        with opened(path) as file:
            foreign = sorted(set(skops.get_untrusted_types(file=file)) - set(trusted))
            if not foreign:
                found = skops.load(file, trusted=list(trusted))
                check_estimator(found)
                return found
    except _BROKEN as error:
        raise_if_out_of_memory(error)
        raise damaged(path, str(error) or type(error).__name__) from None
    what = f"it holds what no saved model has: {join_first([shorten(name, 60) for name in foreign])}"
    remedy = (
        "Somebody has changed the file, or it was made by another version. Nothing of it was run; save the model anew."
    )
    raise input_error(TITLE, what, where=shorten(path, 200), remedy=remedy)


def _network(path: Path, card: Card) -> Any:
    import torch  # seconds, only for networks

    from advisor.networks.builders import build

    assert card.network is not None  # noqa: S101 - the caller has looked
    try:
        with opened(path) as file:
            weights = torch.load(file, map_location="cpu", weights_only=True)
        with torch.device("meta"):  # without memory: the card may say anything
            expected = {name: tuple(one.shape) for name, one in build(card.network).state_dict().items()}
        if {name: tuple(one.shape) for name, one in weights.items()} != expected:
            raise ValueError("its weights are not those of the network on its card")
        network = build(card.network)
        network.load_state_dict(weights)
    except _BROKEN as error:
        raise_if_out_of_memory(error)
        raise damaged(path, str(error).partition("\n")[0] or type(error).__name__) from None
    return network.eval()
