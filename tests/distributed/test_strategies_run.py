"""Strategies train for real, in two processes and a server: they learn, on the same examples, and are equal in their limits.

Only with one worker can a run with a server be equal to another bit by bit: with several, whose gradient comes first is decided
by the computer, and sums of floating-point numbers depend on their order.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from advisor.distributed.job import Job, Message, Progress, Run
from advisor.distributed.launching.launch import Results, run
from advisor.distributed.learning.lesson import Lesson, lesson
from advisor.distributed.running.diary import Limits
from advisor.distributed.strategies import DECLARED, strategy
from advisor.distributed.task import Task
from tests.distributed.digits import digits_task, write_digits
from tests.distributed.reference import apart, left, sequential

torch = pytest.importorskip("torch")

BATCH, GRADIENTS = 16, 40
SAME_AS_SYNCHRONOUS = (
    "local_sgd:every=1",
    "sharded",
    "pipeline",
    "stale_synchronous:bound=0",
    "backup_workers:backups=0",
    "mixed_asynchronous:groups=1",
)
OTHERS = (
    "synchronous",
    "gradient_accumulation:every=2",
    "local_sgd:every=4",
    "diloco:every=5",
    "asynchronous",
    "downpour",
    "delay_compensated",
    "delay_compensated_adaptive",
    "stale_synchronous:bound=2",
    "backup_workers",
    "mixed_asynchronous",
    "fp16_compression",
    "powersgd",
)
ONE_WORKER = (
    "synchronous",
    "asynchronous",
    "asynchronous:every=2",
    "delay_compensated",
    "delay_compensated_adaptive",
    "stale_synchronous",
    "backup_workers:backups=0",
    "mixed_asynchronous:groups=1",
    "local_sgd:every=3",
    "sharded",
)


@dataclass(frozen=True)
class Trained:
    """All runs of a job."""

    task: Task
    lesson: Lesson
    results: Results
    heard: list[Message]
    folder: Path

    def of(self, text: str) -> Run:
        return next(one for one in self.results.runs if one.strategy == str(strategy(text)))

    def weights(self, text: str) -> torch.Tensor:
        return left(self.folder, str(strategy(text)))


def trained(folder: Path, task: Task, strategies: tuple[str, ...], workers: int, device: str = "cpu") -> Trained:
    job = Job(
        task, strategies, workers, seconds=60.0, examples=GRADIENTS * BATCH * workers, precision="float64", weights=str(folder),
        calibrates=workers > 1 or device == "cuda", for_simulation=True, timeout=30.0, device=device,
    )  # fmt: skip
    heard: list[Message] = []
    results = run(job, hear=heard.append)
    assert results.failed == ""
    return Trained(task, lesson(task, torch.float64), results, heard, folder)


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    folder = tmp_path_factory.mktemp("two")
    return trained(folder, digits_task(write_digits(folder), batch=BATCH), (*OTHERS, *SAME_AS_SYNCHRONOUS), 2)


@pytest.fixture(scope="module", params=["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def one(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Trained:
    task = Task("ffn", "tabular", 12, 4, (16,), batch=BATCH, most_examples=1000)
    return trained(tmp_path_factory.mktemp("one"), task, ONE_WORKER, 1, request.param)


@pytest.fixture(scope="module")
def cards(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    """A worker on each card; strategies that need two are left out where there is one."""
    folder, count = tmp_path_factory.mktemp("cards"), torch.cuda.device_count()
    names = [text for text in (*OTHERS, "sharded", "pipeline") if needed(text) <= count]
    return trained(folder, digits_task(write_digits(folder), batch=BATCH), tuple(names), count, "cuda")


def needed(text: str) -> int:
    """Workers."""
    wanted = strategy(text)
    return max(wanted.whole("stages", 0), wanted.whole("groups", 0), wanted.whole("backups", 0) + 1)


def test_every_strategy_is_tried() -> None:
    assert {strategy(text).name for text in (*OTHERS, *SAME_AS_SYNCHRONOUS)} == set(DECLARED)


@pytest.mark.parametrize("text", [*OTHERS, *SAME_AS_SYNCHRONOUS])
def test_the_loss_falls(two: Trained, text: str) -> None:
    done = two.of(text)
    assert done.curve[-1].loss < 0.75 * done.curve[0].loss
    assert done.held_out.low <= done.held_out.value <= done.held_out.high
    assert done.held_out.value > 0.3  # of ten digits


@pytest.mark.parametrize("text", [*OTHERS, *SAME_AS_SYNCHRONOUS])
def test_the_same_examples_are_learned_from(two: Trained, text: str) -> None:
    wanted = GRADIENTS * BATCH * 2
    assert wanted <= two.of(text).examples <= wanted + 2 * BATCH * strategy(text).whole("every")


def test_synchronous_is_one_process_with_twice_the_batch(two: Trained) -> None:
    expected = sequential(two.lesson, two.task, steps=GRADIENTS, batches=2)
    assert apart(two.weights("synchronous"), expected) < 1e-9


@pytest.mark.parametrize("text", SAME_AS_SYNCHRONOUS)
def test_a_limit_is_synchronous(two: Trained, text: str) -> None:
    assert apart(two.weights(text), two.weights("synchronous")) < 1e-9


def test_accumulation_is_a_larger_batch(two: Trained) -> None:
    expected = sequential(two.lesson, two.task, steps=GRADIENTS // 2, batches=4)
    assert apart(two.weights("gradient_accumulation:every=2"), expected) < 1e-9


def test_gradients_in_16_bits_stay_close(two: Trained) -> None:
    distance = apart(two.weights("fp16_compression"), two.weights("synchronous"))
    assert 0 < distance < 1e-2


@pytest.mark.parametrize("text", ONE_WORKER)
def test_one_worker_is_sequential(one: Trained, text: str) -> None:
    expected = sequential(one.lesson, one.task, steps=one.of(text).examples // BATCH)
    assert apart(one.weights(text), expected) < 1e-9


def test_what_waits_for_all_is_never_stale(two: Trained) -> None:
    for text in ("synchronous", "local_sgd:every=4", "backup_workers"):
        assert two.of(text).staleness.p95 == 0


@pytest.mark.parametrize("text", ["asynchronous", "downpour", "delay_compensated", "stale_synchronous:bound=2"])
def test_staleness_counts_every_update(two: Trained, text: str) -> None:
    done = two.of(text)
    assert sum(done.staleness.counts) == done.updates


def test_a_bound_holds(two: Trained) -> None:
    assert (
        len(two.of("stale_synchronous:bound=2").staleness.counts) - 1 <= 2 * 2 + 1
    )  # own and others' steps within the bound


def test_bytes_are_those_of_the_weights(two: Trained) -> None:
    size = 8 * len(two.weights("synchronous"))  # float64
    assert two.of("synchronous").bytes == GRADIENTS * 2 * size  # a ring of two
    assert two.of("fp16_compression").bytes == GRADIENTS * 2 * size / 4
    assert two.of("local_sgd:every=4").bytes == GRADIENTS / 4 * 2 * size
    pushes = two.of("asynchronous").updates
    assert 2 * size * pushes < two.of("asynchronous").bytes < 2.2 * size * (pushes + 2)
    assert two.of("powersgd").bytes < 0.2 * two.of("synchronous").bytes


def test_times_of_every_worker_are_told(two: Trained) -> None:
    for done in two.results.runs:
        assert len(done.waiting) == len(done.steps) == 2
        assert all(0 <= share <= 1 for share in done.waiting)
        assert all(steps and min(steps) >= 0 for steps in done.steps)
        assert {segment.rank for segment in done.timeline} >= {0, 1}
        assert all(segment.begin <= segment.end <= done.seconds + 1 for segment in done.timeline)


def test_the_curve_runs_through_the_whole_run(two: Trained) -> None:
    done = two.of("asynchronous")
    assert done.curve[0].seconds < 0.2 * done.seconds
    assert done.curve[0].examples == 0
    assert done.curve[-1].examples == done.examples
    assert len(done.curve) > 5


def test_steps_and_exchanges_are_calibrated(two: Trained) -> None:
    found = two.results.calibrated
    assert found is not None
    assert all(min(steps) > 0 for steps in (*found.together, *found.alone))
    for timed in (found.all_reduce, found.send):
        assert timed.bytes[0] < timed.bytes[1]
        assert timed.alpha + timed.beta * timed.bytes[1] == pytest.approx(timed.seconds[1], rel=0.01)
    assert found.whole > 0
    assert found.turn > found.apply > 0
    assert found.served > 0
    assert found.busy >= 0
    assert len(found.after_exchange) == 4
    assert min(found.after_exchange) >= 0
    assert found.after_shared >= 0


def test_the_end_is_agreed_on_rarely() -> None:
    """Each copy of the weights is kept about when it is due, with one or two agreements for each."""
    limits = Limits(seconds=1.0, points=16)
    share, steps, agreed, copies = 0.0, 0, 0, set[int]()
    each = 1 / 3000
    while share < 1:
        steps += limits.ahead(share, steps)
        share = steps * each
        agreed += 1
        copies.add(limits.due(share))
    assert len(copies) >= 16
    assert agreed < 80


def test_everything_is_heard_as_it_comes(two: Trained) -> None:
    assert [one.strategy for one in two.heard if isinstance(one, Run)] == [one.strategy for one in two.results.runs]
    assert all(one.loss > 0 for one in two.heard if isinstance(one, Progress))


@pytest.mark.gpu
def test_workers_learn_on_cards(cards: Trained) -> None:
    assert not cards.results.undone
    for done in cards.results.runs:
        assert done.curve[-1].loss < 0.8 * done.curve[0].loss, done.strategy
        assert all(min(steps) > 0 for steps in done.steps), done.strategy
    assert cards.results.calibrated is not None
    assert all(min(steps) > 0 for steps in cards.results.calibrated.together)


@pytest.mark.gpu
def test_cards_and_processors_learn_the_same(cards: Trained) -> None:
    count = torch.cuda.device_count()
    expected = sequential(cards.lesson, cards.task, steps=GRADIENTS, batches=count)
    for text in ("synchronous", "sharded"):
        assert apart(cards.weights(text), expected) < 1e-9, text
