"""Fit a candidate on training rows and predict held-out rows.

torch is imported with the first network only, so that simpler models have been tried by then.
"""

from __future__ import annotations

import contextlib
import math
import time
import warnings
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy
from numpy.typing import NDArray
from scipy.special import softmax
from threadpoolctl import threadpool_limits

from advisor.datasets.dataset import Examples, Task
from advisor.datasets.preparing.preparation import Preparation, Shape, preparation
from advisor.datasets.preparing.splits import inner_folds
from advisor.networks.description import UnbuildableError
from advisor.networks.registry import family
from advisor.networks.spec import Description
from advisor.training.child.classical import asked, for_outputs, model
from advisor.training.child.fitted import Allowance, Fitted, FittingError, Learned, Numbers
from advisor.training.child.forecasting import forecasts
from advisor.training.child.lagged import lagged, repeated, usual_back
from advisor.training.ladder.candidates import SIMPLEST, Candidate, NetworkSettings
from advisor.training.ladder.trial_record import Kind
from advisor.training.recipe import Epoch

if TYPE_CHECKING:
    from advisor.training.child.network_fitting import NetworkFitting, Part

Rows: TypeAlias = NDArray[numpy.int64]

EARLY_STOPPING_NEEDS = 100
"""Examples to learn from, below which none are kept back: so few would say little about when to stop."""
KEPT_BACK = 6
"""One in so many of the examples to learn from is kept back for early stopping."""
WORTH_THREADS = 2_000_000
"""Values times outputs from which several threads are faster than one; on little they mostly wait for each other."""
REHEARSED_ON = 1000
"""Examples on which a model is timed first, where there are several times as many."""
USUAL_ROUNDS = 100
REHEARSED_ROUNDS = 4
_ROUNDS: Mapping[str, str] = {"gradient_boosting": "max_iter", "random_forest": "n_estimators"}
"""The setting that says how many trees are grown; of boosting for each class."""
WORTH_REHEARSING = 500_000
MANY_CLASSES = 20
"""Values times classes from which fitting may take long, and classes from which it does on little."""
_AS_USUAL: Mapping[str, Any] = {}
CACHED_BYTES = 400_000_000
CACHED_PREPARATIONS = 64


class Fitting:
    """Fits candidates to examples; remembers what the rows of a fold look like in numbers."""

    def __init__(self, examples: Examples, threads: int, patience: float = math.inf) -> None:
        """
        Args:
            patience: seconds that forecasts of a statistical model should take for each part.
        """
        self.examples = examples
        self._unfitted = preparation(examples)
        self._threads = threads
        self.patience = patience
        self._networks: NetworkFitting | None = None
        self._prepared: OrderedDict[bytes, Preparation] = OrderedDict()
        self._arrays: OrderedDict[tuple[bytes, bytes, bool], Numbers] = OrderedDict()

    def fit(
        self,
        candidate: Candidate,
        training: Rows,
        test: Rows,
        seed: int,
        allowance: Allowance,
        on_epoch: Callable[[Epoch], None] | None = None,
    ) -> Fitted:
        """Learn from the training rows and predict the test rows. Raises FittingError."""
        begun = time.monotonic()
        try:
            if candidate.settings is None:
                fitted = self._classical(candidate, training, test, seed)
            else:
                fitted = self._network(candidate.settings, training, test, seed, allowance, on_epoch)
        except UnbuildableError as error:
            raise FittingError(str(error)) from error
        except (ValueError, RuntimeError, ArithmeticError, LookupError, MemoryError) as error:
            said = str(error) or type(error).__name__
            raise FittingError(f"It could not be fitted: {said.splitlines()[0][:200]}") from error
        _finite(fitted.predicted if fitted.probabilities is None else fitted.probabilities)
        return replace(fitted, seconds=time.monotonic() - begun)

    def with_torch(self) -> NetworkFitting:
        """The trainer of networks. Loading it takes seconds the first time, which count for no training."""
        from advisor.training.child.network_fitting import NetworkFitting

        self._networks = self._networks or NetworkFitting(self._threads)
        return self._networks

    def rehearsed(self, candidate: Candidate, training: Rows) -> float:
        """Seconds that fitting a model that is no network will take: a part of the examples or of the rounds, times the rest.

        0 where there are few values and classes, which takes no time worth knowing.
        """
        parts = max(1, len(training) // REHEARSED_ON)
        if candidate.kind is Kind.TRIVIAL or (candidate.model in SIMPLEST and parts < 3):
            return 0.0
        if candidate.model == "statistical":  # which sees by itself whether it would take too long
            return 0.0
        part = training[::parts]
        values = self._inputs(part, part, flat=True).shape[1] * len(training)
        classes = max(1, len(self.examples.classes))
        if values * classes < WORTH_REHEARSING and classes <= MANY_CLASSES:
            return 0.0

        def seconds(**changed: int) -> float:
            begun = time.monotonic()
            with contextlib.suppress(ValueError):  # what fails on a part says so on all of it
                self._classical(candidate, part, part[:10], 0, changed)
            return time.monotonic() - begun

        rounds = _ROUNDS.get(candidate.model)
        if rounds is None:
            return seconds() * parts
        one, more = seconds(**{rounds: 1}), seconds(**{rounds: 1 + REHEARSED_ROUNDS})
        return parts * (one + max(0.0, more - one) / REHEARSED_ROUNDS * USUAL_ROUNDS)

    def _classical(
        self, candidate: Candidate, training: Rows, test: Rows, seed: int, changed: Mapping[str, Any] = _AS_USUAL
    ) -> Fitted:
        if candidate.kind is Kind.TRIVIAL and self.examples.task is Task.FORECAST:
            return Fitted(repeated(self.examples, test, usual_back(self.examples, training)))
        if candidate.model == "statistical" or candidate.lagged:
            return self._forecaster(candidate, training, test, seed, changed)
        prepared = self._preparation(training)
        outputs, classes = prepared.shape.outputs, self.examples.task is Task.CLASSIFY
        inputs, tested, of_categories = self._for_classical(candidate.model, prepared, training, test)
        threads = self._threads if inputs.size * outputs >= WORTH_THREADS else 1
        settings = {**changed, "n_jobs": threads} if candidate.model == "random_forest" else changed
        if candidate.weighted:
            settings = {**settings, "class_weight": "balanced"}
        if of_categories is not None:
            settings = {**settings, "categorical_features": of_categories}
        plain = model(candidate.model, self.examples.task.value, seed, settings)
        estimator: Any = plain if classes else for_outputs(plain, candidate.model, outputs)
        targets = prepared.targets(training)
        if not classes and outputs == 1:
            targets = targets[:, 0]
        with warnings.catch_warnings(), threadpool_limits(threads):
            warnings.simplefilter("ignore")  # that a solver has not converged shows in its score
            estimator.fit(inputs, targets)
            predicted = asked(estimator, tested, outputs, classes=classes)
        return replace(answer(predicted, prepared), learned=Learned(estimator, prepared))

    def _for_classical(
        self, name: str, prepared: Preparation, training: Rows, test: Rows
    ) -> tuple[Numbers, Numbers, list[bool] | None]:
        """Inputs to learn from and to be tested by, and which are categories that the model splits itself.

        In columns of their own, categories with fewer rows than a leaf must have would be lost on boosted trees.
        """
        learned = prepared.coded(training) if name == "gradient_boosting" else None
        tested = prepared.coded(test) if learned is not None else None
        if learned is None or tested is None:
            return self._inputs(training, training, flat=True), self._inputs(training, test, flat=True), None
        return learned[0], tested[0], learned[1]

    def _forecaster(
        self, candidate: Candidate, training: Rows, test: Rows, seed: int, changed: Mapping[str, Any]
    ) -> Fitted:
        """A statistical model of the series, or a model of how far off an earlier value will be."""
        examples, prepared = self.examples, self._preparation(training)
        if examples.series is None:
            raise FittingError("It is for series of which all steps are there.")
        if not candidate.lagged:
            horizon = examples.targets.shape[1]
            found = forecasts(candidate.variant, examples.series, test, horizon, self.patience)
            return Fitted(found, learned=Learned(None, prepared))
        back = usual_back(examples, training)
        (inputs, base), (tested, of_test) = (lagged(examples, rows, back) for rows in (training, test))
        plain = model(candidate.model, examples.task.value, seed, changed)
        estimator: Any = for_outputs(plain, candidate.model, base.shape[1])
        off = examples.targets[training] - base
        known = numpy.isfinite(off).all(axis=1)
        with threadpool_limits(self._threads if inputs.size >= WORTH_THREADS else 1):
            estimator.fit(inputs[known], off[known] if base.shape[1] > 1 else off[known, 0])
            predicted = of_test + asked(estimator, tested, base.shape[1], classes=False)
        return Fitted(predicted, learned=Learned(estimator, prepared, back=back))

    def _network(
        self,
        settings: NetworkSettings,
        training: Rows,
        test: Rows,
        seed: int,
        allowance: Allowance,
        on_epoch: Callable[[Epoch], None] | None,
    ) -> Fitted:
        prepared = self._preparation(training)
        flat = family(settings.network).takes_rows
        learning, stopping = self._kept_back(settings, training, seed)

        def part(rows: Rows) -> Part:
            return self._inputs(training, rows, flat=flat), prepared.targets(rows)

        described_as = described(settings, prepared.shape, self.examples.modality, self.examples.task)
        found, network = self.with_torch().fit(
            described_as,
            settings,
            part(learning),
            part(stopping) if stopping is not None else None,
            self._inputs(training, test, flat=flat),
            seed,
            allowance,
            on_epoch,
        )
        said = answer(_finite(found.predicted), prepared, of_network=True)
        learned = Learned(network, prepared, described_as)
        return replace(found, predicted=said.predicted, probabilities=said.probabilities, learned=learned)

    def _kept_back(self, settings: NetworkSettings, training: Rows, seed: int) -> tuple[Rows, Rows | None]:
        """Rows to learn from, and rows that say when to stop; by time, group or class as all splits are."""
        if not settings.early_stopping or len(training) < EARLY_STOPPING_NEEDS:
            return training, None
        split = inner_folds(self.examples, training, KEPT_BACK, seed)[-1]
        return split.training, split.test

    def _preparation(self, training: Rows) -> Preparation:
        key = training.tobytes()
        if key not in self._prepared:
            self._prepared[key] = self._unfitted.fit(training)
            while len(self._prepared) > CACHED_PREPARATIONS:
                self._prepared.popitem(last=False)
        return self._prepared[key]

    def _inputs(self, training: Rows, rows: Rows, *, flat: bool) -> Numbers:
        """Rows in numbers as the training rows have taught, kept for the next candidate as long as there is room."""
        key = (training.tobytes(), rows.tobytes(), flat)
        if key not in self._arrays:
            prepared = self._preparation(training)
            self._arrays[key] = prepared.flat(rows) if flat else prepared.structured(rows)
            while len(self._arrays) > 3 and sum(array.nbytes for array in self._arrays.values()) > CACHED_BYTES:
                self._arrays.popitem(last=False)
        return self._arrays[key]


def answer(outputs: Numbers, prepared: Preparation, *, of_network: bool = False) -> Fitted:
    """The predictions that a model's outputs (n, outputs) stand for: probabilities of classes, or scaled numbers.

    Args:
        of_network: classes come as logits.
    """
    if prepared.scale is not None:
        return Fitted(prepared.restore(outputs))
    probabilities = softmax(outputs, axis=1) if of_network else outputs
    return Fitted(probabilities.argmax(axis=1), probabilities=probabilities)


def _finite(predicted: Numbers) -> Numbers:
    if not numpy.isfinite(predicted).all():
        raise FittingError("It predicted values that are no numbers.")
    return predicted


def described(settings: NetworkSettings, shape: Shape, modality: str, task: Task) -> Description:
    """The network with these settings for examples of this shape."""
    flat = family(settings.network).takes_rows
    return Description(
        network=settings.network,
        modality="tabular" if flat else modality,
        inputs=shape.flat_values if flat else shape.inputs,
        outputs=shape.outputs,
        hidden_units=settings.hidden_units,
        sequence_length=None if flat else shape.sequence_length,
        loss="cross_entropy" if task is Task.CLASSIFY else "mse",
        activation=settings.activation,
        normalization=settings.normalization,
        dropout=settings.dropout,
    )
