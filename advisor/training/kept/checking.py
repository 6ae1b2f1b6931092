"""Checks of what a loaded estimator holds: indices that compiled code follows without looking.

scikit-learn, LightGBM and libsvm trust that their arrays are those that they wrote. One with a node that is its own child
never ends; one with an index beyond its array reads foreign memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy
from scipy import sparse
from sklearn.base import BaseEstimator, is_classifier
from sklearn.ensemble._hist_gradient_boosting.predictor import TreePredictor
from sklearn.neighbors import BallTree, KDTree
from sklearn.svm._base import BaseLibSVM
from sklearn.tree._tree import Tree

from advisor.training.child.boosters import Booster
from advisor.training.kept.lightgbm_text import check_lightgbm

MOST_OBJECTS = 5_000_000


class UnsoundError(ValueError):
    """A model holds what no fitting leaves behind."""


def check_estimator(model: Any) -> None:
    """Look at everything that a loaded model consists of. Raises UnsoundError."""
    seen: set[int] = set()
    left: list[tuple[Any, int | None]] = [(model, None)]
    while left:
        one, width = left.pop()
        if id(one) in seen:  # of an object that two share, the first width counts, which is checked of each tree
            continue
        seen.add(id(one))
        if len(seen) > MOST_OBJECTS:
            raise UnsoundError(f"it consists of more than {MOST_OBJECTS:,} objects")
        if isinstance(one, BaseEstimator):
            width = _width(one, width)
        _check(one, width)
        left += ((part, width) for part in _parts(one))


def _parts(one: Any) -> list[Any]:
    if isinstance(one, Mapping):
        return [*one.keys(), *one.values()]
    if isinstance(one, list | tuple | set | frozenset):
        return list(one)
    if isinstance(one, numpy.ndarray):
        return list(one.ravel()) if one.dtype == object else []
    return list(vars(one).values()) if hasattr(one, "__dict__") and not isinstance(one, type) else []


def _width(estimator: BaseEstimator, around: int | None) -> int | None:
    """The fewest inputs that estimators around it and it itself check for; 0 where it checks for none."""
    if not type(estimator).__module__.startswith("sklearn."):
        return around
    own = getattr(estimator, "n_features_in_", None)
    own = int(own) if isinstance(own, int | numpy.integer) else 0
    return own if around is None else min(own, around)


def _check(one: Any, width: int | None) -> None:
    if isinstance(one, Tree):
        _check_tree(one, width or 0)
    elif isinstance(one, KDTree | BallTree):
        _check_neighbours(one)
    elif isinstance(one, BaseLibSVM):
        _check_support(one)
    elif isinstance(one, Booster):
        if one.library == "lightgbm" and (text := vars(one).get("model_")):
            check_lightgbm(text)
    elif sparse.issparse(one):
        one.check_format(full_check=True)
    if hasattr(one, "_predictors"):
        _check_boosting(one)


def check_children(left: Any, right: Any, what: str = "a tree") -> None:
    """Refuse nodes (n,) whose children are not both behind them and inside; a leaf has -1 and -1."""
    count = len(left)
    places = numpy.arange(count)
    leaf = (left == -1) & (right == -1)
    for child in (left, right):
        if not (leaf | ((child > places) & (child < count))).all():
            raise UnsoundError(f"{what} has a node whose child is not behind it")


def _check_tree(tree: Tree, width: int) -> None:
    left, right = tree.children_left.astype(numpy.int64), tree.children_right.astype(numpy.int64)
    if not len(left):
        raise UnsoundError("a tree has no nodes")
    check_children(left, right)
    features = tree.feature[left != -1]
    if len(features) and not (features.min() >= 0 and features.max() < min(width, tree.n_features)):
        raise UnsoundError("a tree looks at an input that is not there")
    if len(tree.value) != len(left):
        raise UnsoundError("a tree has not one value for each node")


def _check_boosting(estimator: Any) -> None:
    mapper, count = estimator._bin_mapper, int(estimator.n_features_in_)
    columns = int(numpy.asarray(estimator._preprocess_X(numpy.zeros((1, count)), reset=False)).shape[1])
    categorical = numpy.asarray(mapper.is_categorical_)
    if len(categorical) != columns or len(mapper.bin_thresholds_) != columns:
        raise UnsoundError("boosted trees take other inputs than their bins")
    for place in numpy.flatnonzero(categorical):
        bins = numpy.asarray(mapper.bin_thresholds_[place])
        if len(bins) and not (bins.min() >= 0 and bins.max() < 256):
            raise UnsoundError("boosted trees have a category beyond 255")
    for iteration in estimator._predictors:
        for predictor in iteration:
            if not isinstance(predictor, TreePredictor):
                raise UnsoundError("boosted trees hold something else")
            _check_predictor(predictor, categorical)


def _check_predictor(predictor: TreePredictor, categorical: Any) -> None:
    nodes, sets = predictor.nodes, numpy.asarray(predictor.raw_left_cat_bitsets)
    if not len(nodes):
        raise UnsoundError("a boosted tree has no nodes")
    leaf = nodes["is_leaf"] != 0
    left, right = (numpy.where(leaf, -1, nodes[side].astype(numpy.int64)) for side in ("left", "right"))
    check_children(left, right, "a boosted tree")
    inner = nodes[~leaf]
    features = inner["feature_idx"]
    if len(features) and not (features.min() >= 0 and features.max() < len(categorical)):
        raise UnsoundError("a boosted tree looks at an input that is not there")
    splits = inner["is_categorical"] != 0
    if not (categorical[features[splits]] != 0).all():
        raise UnsoundError("a boosted tree takes a number for a category")
    if splits.any() and not (sets.shape[1:] == (8,) and inner["bitset_idx"][splits].max() < len(sets)):
        raise UnsoundError("a boosted tree looks for categories that are not there")


def _check_neighbours(tree: Any) -> None:
    data, order, nodes, bounds, _, levels, count, *_ = tree.__getstate__()
    rows, columns = numpy.shape(data)
    first, last = nodes["idx_start"], nodes["idx_end"]
    sound = (
        0 < levels < 48
        and count == len(nodes) == 2**levels - 1
        and numpy.shape(bounds)[1:] == (count, columns)
        and len(order) == rows
        and order.min() >= 0
        and order.max() < rows
        and (first >= 0).all()
        and (first <= last).all()
        and (last <= rows).all()
        and (nodes["is_leaf"][count // 2 :] != 0).all()  # those without children
    )
    if not sound:
        raise UnsoundError("a tree of neighbours leads out of its rows")


def _check_support(machine: Any) -> None:
    if "support_vectors_" not in vars(machine):  # it was not fitted, and is asked for nothing
        return
    vectors, each = machine.support_vectors_, numpy.asarray(machine._n_support)
    count, dual = vectors.shape[0], machine._dual_coef_
    classes = len(each)
    sound = (
        vectors.shape[1] == machine.n_features_in_ == machine.shape_fit_[1]
        and (each >= 0).all()
        and count == len(machine.support_)
        and (
            each.sum() == count or not (is_classifier(machine) or "_impl" in vars(machine))
        )  # else it counts for nothing
        and dual.shape == (max(1, classes - 1), count)
        and len(numpy.ravel(machine._intercept_)) == classes * (classes - 1) // 2
    )
    if not sound:
        raise UnsoundError("the arrays of a support vector machine do not fit together")
