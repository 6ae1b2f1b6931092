"""Fit a candidate on training rows and predict held-out rows.

torch is imported with the first network only, so that simpler models have been tried by then.
"""

from __future__ import annotations

import contextlib
import math
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy
from numpy.typing import NDArray
from scipy.special import softmax
from threadpoolctl import threadpool_limits

from advisor.datasets.dataset import Examples, Task
from advisor.datasets.preparing.preparation import Preparation, Shape
from advisor.datasets.preparing.splits import inner_folds
from advisor.networks.description import UnbuildableError
from advisor.networks.registry import family
from advisor.networks.spec import Description
from advisor.training.child.arrays import Arrays
from advisor.training.child.classical import asked, for_outputs, inputs_for, model, said
from advisor.training.child.fitted import HURRIED, Allowance, Fitted, FittingError, Learned, Numbers
from advisor.training.child.forecasting import forecasts
from advisor.training.child.lagged import lagged, missed, repeated, to_learn_from, usual_back
from advisor.training.child.moved import Moved
from advisor.training.child.stopping import BLOCKS, EARLY_STOPPING_NEEDS, KEPT_BACK, best_rounds, divisions, kept_back
from advisor.training.child.threads import faster, products
from advisor.training.ladder.backbones import Backbone, weights_of
from advisor.training.ladder.candidates import TOGETHER, Candidate, NetworkSettings
from advisor.training.ladder.shares import MEDIAN, fitted_to, is_moved
from advisor.training.ladder.trial_record import Kind
from advisor.training.ladder.variants import BOOSTERS, EARLY_STOPPED_ROUNDS, variants
from advisor.training.recipe import Epoch

if TYPE_CHECKING:
    from advisor.training.child.backbone import Features
    from advisor.training.child.network_fitting import NetworkFitting, Part

Rows: TypeAlias = NDArray[numpy.int64]

PATIENCE = 2
"""Times what a trial is allowed for each fold that forecasts of a statistical model may take; finals have their time."""
WORTH_THREADS, PRODUCTS_WORTH_THREADS = 2_000_000, 100_000_000
"""Values times outputs from which several threads may be faster than one in boosting and in products of matrices, whose
threads are the slower the busier the machine is: 28 times slower was seen.
"""
THREADS_TIMED_ON, THREADS_TIMED_ROUNDS = 20_000, 3
"""Examples, and rounds of boosting, on which one thread is timed beside all."""
REHEARSED_ON = 1000
"""Examples on which a model is timed first, where there are several times as many."""
USUAL_ROUNDS = 100
REHEARSED_ROUNDS = 4
ROUNDS_OF_VARIANTS = 600
"""Rounds of boosting that is stopped early, until it stops and once more on all examples; roughly."""
STOPS_AFTER = 50
"""Rounds without a gain."""
TIMED_ROUNDS, FEWEST_ROUNDS = 5, 30
"""Rounds by which others are timed, and those that are done in any case."""
MORE_TO_MOVE = 1.5
"""Times what boosting takes with a last fit on all examples, it takes where its predictions are moved."""
NO_END = Allowance(math.inf, math.inf)
MAX_ITER = "max_iter"
_ROUNDS: Mapping[str, str] = {"gradient_boosting": MAX_ITER, "random_forest": "n_estimators"}
"""The setting that says how many trees are grown; of boosting for each class."""
WORTH_REHEARSING = 500_000
MANY_CLASSES = 20
"""Values times classes from which fitting may take long, and classes from which it does on little."""
_AS_USUAL: Mapping[str, Any] = {}


class Fitting:
    """Fits candidates to examples; remembers what the rows of a fold look like in numbers."""

    def __init__(self, examples: Examples, threads: int, share: float | None = None) -> None:
        """
        Args:
            share: the quantile that models are fitted to, 0 to 1, see `shares`; None for the mean.
        """
        self.examples = examples
        self._share = share
        self._arrays = Arrays(examples)
        self._threads = threads
        self._faster: dict[tuple[bool, int], int] = {}
        """Threads that are faster, of boosting or of matrix products, by the examples that are learned from."""
        self._networks: NetworkFitting | None = None
        self._features: Features | None = None
        self._on_features: Fitting | None = None

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
        looked = self.looked(candidate, allowance.until)
        if candidate.backbone and self._on_features is not None:
            plain = replace(candidate, backbone="")
            fitted = self._on_features.fit(plain, training, test, seed, allowance)
            return replace(fitted, seconds=fitted.seconds + looked)
        try:
            if candidate.settings is None:
                fitted = self._classical(candidate, training, test, seed, allowance=allowance)
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

        self._networks = self._networks or NetworkFitting(self._threads, self._share)
        return self._networks

    def looked(self, candidate: Candidate, until: float) -> float:
        """Let a candidate's frozen network look at all examples, once; the seconds that this took, 0 without such a network.

        Raises FittingError, and TooSlowError where the time is over before.
        """
        if not candidate.backbone:
            return 0.0
        features = self._features_of(candidate)
        if self._on_features is None:
            self._on_features = Fitting(
                replace(self.examples, inputs=features.of_all(until)), self._threads, self._share
            )
        return features.seconds

    @property
    def backbone(self) -> Backbone | None:
        """The frozen network that has looked, if one has."""
        return self._features.backbone if self._features is not None else None

    def _features_of(self, candidate: Candidate) -> Features:
        from advisor.training.child.backbone import Features, frozen  # torch takes seconds

        if self._features is None:
            network = frozen(candidate.backbone, weights_of(candidate.backbone))
            self._features = Features(network, self.examples.inputs, self._threads)
        return self._features

    def rehearsed(self, candidate: Candidate, training: Rows) -> float:
        """Seconds that fitting a model that is no network will take: a part of the examples or of the rounds, times the rest.

        0 where there are few values and classes, which takes no time worth knowing.
        """
        if candidate.backbone:
            with contextlib.suppress(FittingError):  # of which the trial tells
                return self._features_of(candidate).rest()
            return 0.0
        parts = max(1, len(training) // REHEARSED_ON)
        if candidate.kind is Kind.TRIVIAL or (candidate.simplest and parts < 3):
            return 0.0
        if candidate.model == "statistical":  # which sees by itself whether it would take too long
            return 0.0
        part = training[::parts]
        inputs = self._arrays.inputs(part, part, flat=True)
        values = inputs.shape[1] * len(training)
        classes = max(1, len(self.examples.classes))
        if values * classes < WORTH_REHEARSING and classes <= MANY_CLASSES:
            return 0.0

        self._threads_for(candidate, self._arrays.preparation(part), part, inputs)  # known from here on
        with contextlib.suppress(ValueError):
            self._estimator(candidate, self._arrays.preparation(part), part, 0, {})  # so is its library

        def seconds(**changed: int) -> float:
            begun = time.monotonic()
            with contextlib.suppress(ValueError):  # what fails on a part says so on all of it
                self._classical(candidate, part, part if candidate.model == "knn" else part[:10], 0, changed)
            return time.monotonic() - begun

        rounds = _ROUNDS.get(candidate.model)
        if rounds is None:  # each example is compared with each other one, or looked at by itself
            return seconds() * (parts**2 if candidate.model in ("knn", "svm") else parts)
        one, more = seconds(**{rounds: 1}), seconds(**{rounds: 1 + REHEARSED_ROUNDS})
        usual = ROUNDS_OF_VARIANTS if candidate.variant and rounds == MAX_ITER else USUAL_ROUNDS
        return parts * (one + max(0.0, more - one) / REHEARSED_ROUNDS * usual)

    def _classical(
        self,
        candidate: Candidate,
        training: Rows,
        test: Rows,
        seed: int,
        changed: Mapping[str, Any] = _AS_USUAL,
        allowance: Allowance = NO_END,
        *,
        moves: bool = True,
    ) -> Fitted:
        """
        Args:
            moves: its predictions are moved to the quantile that is wanted, see `_missed`.
        """
        moves = moves and is_moved(self._share)
        if candidate.kind is Kind.TRIVIAL and self.examples.task is Task.FORECAST:
            back = usual_back(self.examples, training)
            by = missed(self.examples, training, back, self._share) if moves and self._share is not None else ()
            learned = Learned(None, self._arrays.preparation(training), back=back, by=by)
            return Fitted(repeated(self.examples, test, back) + numpy.array(by or 0.0), learned=learned)
        if candidate.model == "statistical" or candidate.lagged:
            return self._forecaster(candidate, training, test, seed, changed, allowance, moves=moves)
        prepared = self._arrays.preparation(training)
        if candidate.model == TOGETHER:
            each = replace(allowance, seconds=allowance.seconds / len(candidate.members))
            alone = ((one, one.alone) for one in candidate.members)
            parts = [(one, self._classical(of, training, test, seed, allowance=each)) for one, of in alone]
            fitted = [(one.model, one.share, found.learned.model) for one, found in parts if found.learned is not None]
            outputs = said(fitted, TOGETHER, prepared, test, classes=self.examples.task is Task.CLASSIFY)
            hurried = any(found.hurried for _, found in parts)
            return replace(answer(outputs, prepared), learned=Learned(fitted, prepared), hurried=hurried)
        classes = self.examples.task is Task.CLASSIFY
        usual = {**variants(candidate.model, classes=classes).get(candidate.variant, {}), **changed}
        settings = {**usual, **fitted_to(candidate.model, self._share)}
        hurried = False
        if candidate.model == "gradient_boosting" and candidate.variant and MAX_ITER not in changed:
            seconds = allowance.seconds / (MORE_TO_MOVE if moves else 1)
            settings[MAX_ITER], hurried = self._rounds(
                candidate, training, seed, settings, seconds, kept=allowance.kept
            )
            changed = {**changed, MAX_ITER: settings[MAX_ITER]}
        estimator, inputs = self._estimator(candidate, prepared, training, seed, settings)
        with warnings.catch_warnings(), threadpool_limits(self._threads_for(candidate, prepared, training, inputs)):
            warnings.simplefilter("ignore")  # that a solver has not converged shows in its score
            estimator.fit(inputs, self._plain_targets(prepared, training))
            if moves and candidate.kind is not Kind.TRIVIAL and prepared.scale is not None:
                off = self._missed(candidate, training, seed, changed)
                estimator = Moved(estimator, off / prepared.scale.deviation)
            tested = self._for_classical(candidate.model, prepared, training, test)[0]
            predicted = asked(estimator, tested, prepared.outputs, classes=classes)
        return replace(answer(predicted, prepared), learned=Learned(estimator, prepared), hurried=hurried)

    def _missed(self, candidate: Candidate, training: Rows, seed: int, changed: Mapping[str, Any]) -> Numbers:
        """The wanted quantile of by how much a model is too low on rows that it did not learn from; (outputs,).

        It makes a quantile of a mean, and puts right a quantile that trees have learned by heart (Romano, Patterson and Candes
        2019, Conformalized quantile regression). Of few rows each is looked at so, of more those that early stopping would
        keep back.
        """
        folds = inner_folds(self.examples, training, KEPT_BACK, seed)
        off = []
        for fold in folds if len(training) < EARLY_STOPPING_NEEDS else folds[-1:]:
            found = self._classical(candidate, fold.training, fold.test, seed, changed, moves=False)
            off.append(self.examples.targets[fold.test] - found.predicted)
        assert self._share is not None  # noqa: S101 - the caller has looked
        by: Numbers = numpy.nanquantile(numpy.concatenate(off), self._share, axis=0)
        return by

    def _estimator(
        self, candidate: Candidate, prepared: Preparation, training: Rows, seed: int, settings: Mapping[str, Any]
    ) -> tuple[Any, Numbers]:
        """The model with these settings, not fitted, and the inputs that it learns from."""
        inputs, of_categories = self._for_classical(candidate.model, prepared, training, training)
        settings = dict(settings)
        if candidate.model == "random_forest":
            settings["n_jobs"] = self._threads if inputs.size * prepared.outputs >= WORTH_THREADS else 1
        if candidate.weighted:
            settings["class_weight"] = "balanced"
        if of_categories is not None:
            settings["categorical_features"] = of_categories
        if candidate.variant in BOOSTERS:
            settings["n_jobs"] = self._threads_for(candidate, prepared, training, inputs)
        words, task = self.examples.modality == "text", self.examples.task
        plain = model(candidate.model, task.value, seed, settings, variant=candidate.variant, words=words)
        several = task is not Task.CLASSIFY
        return for_outputs(plain, candidate.model, prepared.outputs) if several else plain, inputs

    def _threads_for(self, candidate: Candidate, prepared: Preparation, training: Rows, inputs: Numbers) -> int:
        """One on little; on much as many as are faster, which a part of the work shows once. Forests have their own."""
        boosting = candidate.model == "gradient_boosting"
        worth = WORTH_THREADS if boosting else PRODUCTS_WORTH_THREADS
        if self._threads == 1 or inputs.size * prepared.outputs < worth or candidate.model == "random_forest":
            return 1
        key = boosting, len(training)
        if key not in self._faster:
            work = products(inputs, prepared.outputs)
            if boosting:
                some = training[:THREADS_TIMED_ON]
                plain = replace(candidate, variant="", weighted=False)
                estimator, inputs = self._estimator(plain, prepared, some, 0, {MAX_ITER: THREADS_TIMED_ROUNDS})
                work = partial(estimator.fit, inputs, self._plain_targets(prepared, some))
            self._faster[key] = faster(self._threads, work)
        return self._faster[key]

    def _plain_targets(self, prepared: Preparation, rows: Rows) -> Numbers:
        targets = prepared.targets(rows)
        return targets[:, 0] if targets.ndim > 1 and targets.shape[1] == 1 else targets

    def _rounds(
        self,
        candidate: Candidate,
        training: Rows,
        seed: int,
        settings: Mapping[str, Any],
        seconds: float,
        *,
        kept: bool,
    ) -> tuple[int, bool]:
        """Rounds of boosting after which examples that were kept back no longer gain; as usual where there are too few.

        No more than there is time for in these seconds, since the model is fitted once more on all examples: true beside
        the number where that ended it, much earlier than usual, and not examples that no longer gained.

        Args:
            kept: in the order of time several stretches say when, and not the last alone.
        """
        parts = divisions(self.examples, training, seed, BLOCKS if kept else 1)
        if not parts or (self.examples.targets.ndim > 1 and self.examples.targets.shape[1] > 1):
            return USUAL_ROUNDS, False
        work = 1 + sum(len(learning) for learning, _ in parts) / len(parts[-1][0])
        most, losses = EARLY_STOPPED_ROUNDS, list[NDArray[numpy.float64]]()
        for learning, stopping in reversed(parts):
            prepared = self._arrays.preparation(learning)
            estimator, inputs = self._estimator(candidate, prepared, learning, seed, settings)
            judging = self._for_classical(candidate.model, prepared, learning, stopping)[0]
            held, answers = self._plain_targets(prepared, stopping), self._plain_targets(prepared, learning)
            with warnings.catch_warnings(), threadpool_limits(self._threads_for(candidate, prepared, learning, inputs)):
                warnings.simplefilter("ignore")
                if not losses and seconds < math.inf:
                    took = []
                    for rounds in (1, 1 + TIMED_ROUNDS):
                        begun = time.monotonic()
                        estimator.set_params(max_iter=rounds).fit(inputs, answers)
                        took.append(time.monotonic() - begun)
                    one = max((took[1] - took[0]) / TIMED_ROUNDS, 1e-6)
                    most = min(most, max(FEWEST_ROUNDS, int((seconds / work - took[0]) / one)))
                estimator.set_params(max_iter=most, early_stopping=True, n_iter_no_change=STOPS_AFTER)
                estimator.fit(inputs, answers, X_val=judging, y_val=held)
            losses.append(-numpy.asarray(estimator.validation_score_))
        hurried = len(losses[0]) - 1 == most < HURRIED * EARLY_STOPPED_ROUNDS
        return max(1, best_rounds(losses)), hurried

    def _for_classical(
        self, name: str, prepared: Preparation, training: Rows, rows: Rows
    ) -> tuple[Numbers, list[bool] | None]:
        """Inputs of a model, see `inputs_for`; those that several models take are kept."""
        if name == "gradient_boosting" and prepared.coded(rows[:1]) is not None:
            return inputs_for(name, prepared, rows)
        return self._arrays.inputs(training, rows, flat=True), None

    def _forecaster(
        self,
        candidate: Candidate,
        training: Rows,
        test: Rows,
        seed: int,
        changed: Mapping[str, Any],
        allowance: Allowance,
        *,
        moves: bool,
    ) -> Fitted:
        """A statistical model of the series, or a model of how far off an earlier value will be."""
        examples, prepared = self.examples, self._arrays.preparation(training)
        if examples.series is None:
            raise FittingError("It is for series of which all steps are there.")
        if not candidate.lagged:
            horizon = examples.targets.shape[1]
            left = min(PATIENCE * allowance.seconds, allowance.until - time.monotonic())
            most = left if allowance.judged else math.inf
            found = forecasts(candidate.variant, examples.series, test, horizon, most, self._share)
            return Fitted(found, learned=Learned(None, prepared))
        back = usual_back(examples, training)
        (inputs, base), (tested, of_test) = (lagged(examples, rows, back) for rows in (training, test))
        settings = {**fitted_to(candidate.model, self._share), **changed}
        plain = model(candidate.model, examples.task.value, seed, settings)
        estimator: Any = for_outputs(plain, candidate.model, base.shape[1])
        off = examples.targets[training] - base
        known = numpy.isfinite(off).all(axis=1)
        with threadpool_limits(self._threads_for(candidate, prepared, training, inputs)):
            estimator.fit(to_learn_from(inputs[known]), off[known] if base.shape[1] > 1 else off[known, 0])
            if moves:
                estimator = Moved(estimator, self._missed(candidate, training, seed, changed))
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
        flat = family(settings.network).takes_rows
        learning, stopping = kept_back(self.examples, training, seed) if settings.early_stopping else (training, None)
        prepared = self._arrays.preparation(learning)  # whose codes of categories know no answer that says when to stop

        def part(rows: Rows) -> Part:
            return self._arrays.inputs(learning, rows, flat=flat), prepared.targets(rows)

        described_as = described(settings, prepared.shape, self.examples.modality, self.examples.task, self._share)
        found, network = self.with_torch().fit(
            described_as,
            settings,
            part(learning),
            part(stopping) if stopping is not None else None,
            self._arrays.inputs(learning, test, flat=flat),
            seed,
            allowance,
            on_epoch,
        )
        said = answer(_finite(found.predicted), prepared, of_network=True)
        learned = Learned(network, prepared, described_as)
        return replace(found, predicted=said.predicted, probabilities=said.probabilities, learned=learned)


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


def described(
    settings: NetworkSettings, shape: Shape, modality: str, task: Task, share: float | None = None
) -> Description:
    """The network with these settings for examples of this shape.

    Args:
        share: the quantile that it is fitted to; None for the mean.
    """
    flat = family(settings.network).takes_rows
    of_numbers = "mse" if share is None else "mae" if share == MEDIAN else "quantile"
    return Description(
        network=settings.network,
        modality="tabular" if flat else modality,
        inputs=shape.flat_values if flat else shape.inputs,
        outputs=shape.outputs,
        hidden_units=settings.hidden_units,
        sequence_length=None if flat else shape.sequence_length,
        loss="cross_entropy" if task is Task.CLASSIFY else of_numbers,
        activation=settings.activation,
        normalization=settings.normalization,
        dropout=settings.dropout,
    )
