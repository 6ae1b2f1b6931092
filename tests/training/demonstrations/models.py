"""Models that are no networks, on tables that scikit-learn ships."""

from __future__ import annotations

from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.metrics import accuracy_score, mean_squared_error
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from advisor.training.child.classical import model
from tests.training.demonstrations.common import MAJORITY
from tests.training.demonstrations.demonstration import Demonstrated, Metric, Size

_TABLES = {"wines of three growers": load_wine, "tumours": load_breast_cancer, "progress of diabetes": load_diabetes}


def linear(size: Size, seed: int) -> Demonstrated:
    return _fitted("linear", "wines of three growers", "classify", seed)


def random_forest(size: Size, seed: int) -> Demonstrated:
    return _fitted("random_forest", "progress of diabetes", "regress", seed)


def gradient_boosting(size: Size, seed: int) -> Demonstrated:
    return _fitted("gradient_boosting", "tumours", "classify", seed)


def _fitted(name: str, data: str, task: str, seed: int) -> Demonstrated:
    """The same for every size: each takes a second at most."""
    table = _TABLES[data]()
    seen, held_out, answers, truth = train_test_split(table.data, table.target, test_size=0.25, random_state=seed)
    own, trivial = (
        make_pipeline(StandardScaler(), model(each, task, seed)).fit(seen, answers).predict(held_out)
        for each in (name, "trivial")
    )
    if task == "classify":
        scores = [float(accuracy_score(truth, guesses)) for guesses in (own, trivial)]
        return Demonstrated(name, data, Metric.ACCURACY, scores[0], MAJORITY, scores[1])
    scores = [float(mean_squared_error(truth, guesses)) for guesses in (own, trivial)]
    return Demonstrated(name, data, Metric.SQUARED_ERROR, scores[0], "the mean", scores[1])
