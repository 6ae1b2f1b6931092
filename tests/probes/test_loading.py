"""How the data is read: what is tried, what is read, and real children with loader processes that are well or not."""

from __future__ import annotations

import itertools
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from advisor.children.errors import CannotRunError
from advisor.facts.verdict import Verdict
from advisor.probes.outcome import Outcome
from advisor.probes.probe import Probe, Setting
from advisor.probes.protocol import Message, Ready, Request, Result
from advisor.probes.runner import run
from advisor.probes.settings.loading import (
    INPUT,
    PINNING,
    PREFETCH,
    WORKERS,
    Loader,
    fewest_of_the_best,
    loader,
    planned,
)
from advisor.probes.surroundings import Surroundings
from advisor.probes.verdict import FEWEST_PAIRS, compare
from advisor.probes.workload import Device, Workload
from tests.probes.test_faults import gone_within

torch = pytest.importorskip("torch")
from advisor.networks.examples import example_batch  # noqa: E402
from advisor.probes.benches import feeding  # noqa: E402
from advisor.probes.benches import loading as bench  # noqa: E402
from advisor.probes.benches.examples import Source, dataset_of, source_of  # noqa: E402

PICTURES = Workload("cnn", "image", 64, 10, (8, 16), batch_size=16, threads=1)
TABLE = Workload("ffn", "tabular", 6, 2, (8,), batch_size=16, threads=1)
TEXT = Workload("lstm", "text", 50, 2, (8,), sequence_length=12, batch_size=16, threads=1)
ON_CARD = replace(PICTURES, device=Device.CUDA)
CORES = {"machine.cpu.usable_cores": 6}
FED = CORES | {"data.pipeline": ["workers", "pinned_memory"]}
SECONDS = 18.0
"""Enough on a busy machine; a quiet one decides sooner."""
SHARED_MEMORY = Path("/dev/shm")  # noqa: S108
linux = pytest.mark.skipif(sys.platform != "linux", reason="loader processes are started on Linux only")


# What is tried


def test_a_plan_without_loader_processes_reads_in_the_training_process() -> None:
    assert planned(None, PICTURES, Surroundings(usable_cores=6)) == Loader(workers=0, pinned=False)
    assert planned(["prefetch"], PICTURES, Surroundings(usable_cores=6)).workers == 0


@pytest.mark.parametrize(("workload", "cores", "workers"), [(PICTURES, 6, 4), (TEXT, 6, 2), (PICTURES, 3, 3)])
def test_planned_loader_processes_are_four_for_pictures_and_two_for_texts(
    workload: Workload, cores: int, workers: int
) -> None:
    assert planned(["workers"], workload, Surroundings(usable_cores=cores)).workers == workers


def test_measured_loader_processes_take_the_place_of_the_usual_number() -> None:
    assert planned(["workers"], PICTURES, Surroundings(usable_cores=6, best_workers=3)).workers == 3
    assert planned([], PICTURES, Surroundings(usable_cores=6, best_workers=3)).workers == 3


def test_only_batches_for_a_card_are_pinned() -> None:
    pipeline = ["pinned_memory"]
    assert planned(pipeline, ON_CARD, Surroundings()).pinned
    assert not planned(pipeline, PICTURES, Surroundings()).pinned


@pytest.mark.parametrize(
    ("probe", "setting", "expected"),
    [
        ("input", "loaded", Loader(4, 2, pinned=True)),
        ("input", "cached", Loader(cached=True)),
        ("workers", 1, Loader(1, 2, pinned=True)),
        ("prefetch", 8, Loader(4, 8, pinned=True)),
        ("pinning", "pageable", Loader(4, 2, pinned=False)),
    ],
)
def test_a_setting_changes_the_planned_loader_in_what_is_tried(probe: str, setting: Setting, expected: Loader) -> None:
    assert loader(probe, setting, ON_CARD, Surroundings.of(FED)) == expected


def test_workers_are_tried_at_powers_of_two_up_to_the_usable_cores() -> None:
    assert WORKERS.settings(PICTURES, CORES, 0) == (0, 1, 2, 4, 6)
    assert WORKERS.settings(PICTURES, CORES, 3) == (0, 1, 2, 3, 4, 6)


def test_what_the_plan_recommends_is_compared() -> None:
    values = {"data.pipeline": ["workers", "pinned_memory"]}
    assert WORKERS.before(values, ON_CARD, CORES) == 4
    assert WORKERS.before({}, ON_CARD, CORES) == 0
    assert WORKERS.before({}, ON_CARD, FED) == 4
    assert PINNING.before(values, ON_CARD, CORES) == "pinned"
    assert PINNING.before({}, ON_CARD, CORES) == "pageable"
    assert PREFETCH.before({}, ON_CARD, FED) == 2
    assert INPUT.before({}, PICTURES, {}) == "loaded"


@pytest.mark.parametrize(
    ("probe", "workload", "facts", "reason"),
    [
        (WORKERS, PICTURES, {}, "It is not known how many cores"),
        (WORKERS, PICTURES, {"machine.cpu.usable_cores": 1}, "Only one core can be used"),
        (PREFETCH, PICTURES, CORES, "no loader processes"),
        (PREFETCH, PICTURES, FED | {"probe.workers.best": 0}, "no loader processes"),
        (PINNING, PICTURES, FED, "computes on the processor"),
    ],
)
def test_what_makes_no_difference_is_not_tried(
    probe: Probe, workload: Workload, facts: dict[str, Any], reason: str
) -> None:
    assert reason in str(probe.why_not(workload, facts))


def test_with_loader_processes_prefetching_can_be_tried() -> None:
    assert PREFETCH.why_not(ON_CARD, FED) is None
    assert PREFETCH.settings(ON_CARD, FED, 2) == (2, 4, 8)


@pytest.mark.parametrize(("speed_up", "verdict"), [(1.04, Verdict.NO_DIFFERENCE), (1.06, Verdict.OVERTURNED)])
def test_training_waits_for_its_data_where_a_kept_batch_is_five_percent_faster(
    speed_up: float, verdict: Verdict
) -> None:
    assert compare([(speed_up, 1.0)] * 8, INPUT.margins("loaded", "cached")).verdict is verdict


def test_the_rival_is_the_smallest_number_that_is_as_good_as_the_best() -> None:
    assert fewest_of_the_best({0: 9.0, 1: 5.0, 2: 3.05, 4: 3.0, 8: 3.01}, 0) == 2
    assert fewest_of_the_best({0: 9.0, 1: 5.0, 2: 3.05, 4: 3.0}, 2) == 4


# What is read


@pytest.mark.parametrize(
    ("workload", "facts", "bytes_each"),
    [
        (PICTURES, {}, 64),
        (TABLE, {}, 24),
        (TEXT, {}, 48),
        (PICTURES, {"data.bytes": 10_000, "data.examples": 3}, 3334),
        (PICTURES, {"data.bytes": 10_000}, 64),
    ],
)
def test_an_example_has_as_many_bytes_as_the_data(
    workload: Workload, facts: dict[str, Any], bytes_each: int, tmp_path: Path
) -> None:
    assert source_of(workload, facts, str(tmp_path)).bytes_each == bytes_each


def test_what_does_not_fit_the_memory_is_forgotten_after_reading(tmp_path: Path) -> None:
    facts = {"data.bytes": 8_000_000_000, "data.examples": 100_000, "machine.memory_bytes": 10_000_000_000}
    large = source_of(PICTURES, facts, str(tmp_path))
    small = source_of(PICTURES, facts | {"data.bytes": 6_000_000_000}, str(tmp_path))
    assert (large.forgotten, small.forgotten) == (True, False)
    assert "asked to forget" in large.note()
    assert "keeps in main memory" in small.note()
    assert "without decoding" in small.note()


@pytest.mark.parametrize("facts", [{"data.location": "memory"}, {"data.pipeline": ["cache_in_memory"]}])
@pytest.mark.parametrize("workload", [PICTURES, TEXT])
def test_data_in_memory_is_picked_from_there(workload: Workload, facts: dict[str, Any]) -> None:
    source = source_of(workload, facts | {"data.examples": 40}, "/no/such/folder")
    examples = dataset_of(workload, source, "/no/such/folder", 0)
    assert source.in_memory
    assert len(examples) == 40
    assert "no disk" in source.note()


@pytest.mark.parametrize("bytes_each", [5, 64, 100, 1000])
def test_pictures_are_numbers_from_zero_to_one(bytes_each: int, tmp_path: Path) -> None:
    examples = dataset_of(PICTURES, Source(False, bytes_each, 7, False), str(tmp_path), 0)
    assert len(examples) == 7
    first, last = examples[0], examples[6]
    assert first[0].shape == (1, 8, 8)
    assert 0 <= first[0].min() < first[0].max() <= 1
    assert not torch.equal(first[0], last[0])
    assert first[1].shape == ()


@pytest.mark.parametrize("bytes_each", [3, 6, 12, 24, 50])
def test_tables_are_numbers_from_zero_to_one(bytes_each: int, tmp_path: Path) -> None:
    values, _ = dataset_of(TABLE, Source(False, bytes_each, 7, True), str(tmp_path), 0)[6]
    assert values.shape == (6,)
    assert 0 <= values.min() < values.max() <= 1


def test_texts_are_tokens_of_the_vocabulary(tmp_path: Path) -> None:
    tokens, _ = dataset_of(TEXT, Source(False, 48, 7, False), str(tmp_path), 0)[0]
    assert tokens.shape == (12,)
    assert tokens.dtype == torch.int64
    assert 0 <= tokens.min() < tokens.max() < 50


def test_what_is_its_own_target_is_read_once(tmp_path: Path) -> None:
    itself = replace(TABLE, network="autoencoder", loss="mse")
    assert len(dataset_of(itself, Source(False, 24, 7, False), str(tmp_path), 0)[0]) == 1


def test_the_file_has_no_name(tmp_path: Path) -> None:
    examples = dataset_of(PICTURES, Source(False, 64, 7, False), str(tmp_path), 0)
    assert list(tmp_path.iterdir()) == []
    assert examples[3][0].shape == (1, 8, 8)


@pytest.mark.parametrize("folder", ["/no/such/folder", __file__])
def test_a_folder_that_cannot_be_written_in_is_named(folder: str) -> None:
    with pytest.raises(CannotRunError, match=r"No file could be written in the folder .*where you may write"):
        dataset_of(PICTURES, Source(False, 64, 7, False), folder, 0)


def test_an_example_that_is_too_large_for_the_disk_is_not_written(tmp_path: Path) -> None:
    facts = {"data.bytes": 10**15, "data.examples": 10}
    with pytest.raises(CannotRunError, match="An example of 100,000,000 MB is too large to be written"):
        source_of(PICTURES, facts, str(tmp_path))


# How it is timed


def test_an_epoch_gives_as_many_batches_as_asked_and_every_example_before_one_comes_again() -> None:
    epoch = feeding.Epoch(examples=6, batch_size=2, seed=0)
    epoch.batches = 2
    first = list(epoch)
    epoch.batches = 1
    assert [len(batch) for batch in first] == [2, 2]
    assert sorted(itertools.chain(*first, *epoch)) == [0, 1, 2, 3, 4, 5]
    epoch.batches = 0
    assert list(epoch) == []


@pytest.mark.parametrize(("epoch_steps", "expected"), [(None, 1.0), (10, 1.5), (4, 2.25), (1000, 1.005)])
def test_the_slow_beginning_of_an_epoch_counts_once_in_its_steps(epoch_steps: int | None, expected: float) -> None:
    assert bench.seconds_per_step(9.0, 4, 1.0, epoch_steps) == pytest.approx(expected)


class CountingStep(bench.FedStep):  # type: ignore[misc, name-defined]
    """A training step that counts what it is given."""

    fed = 0

    def feed(self, batch: Any, pinned: bool = False) -> None:
        self.fed += 1
        super().feed(batch, pinned)


class CountingEpochs:
    """A recording of the epochs that were asked for, and of the batches that were taken out of them."""

    def __init__(self, workload: Workload) -> None:
        self._batch = example_batch(workload, workload.batch_size, torch.Generator())
        self.asked: list[int] = []
        self.taken = 0

    def epoch(self, batches: int) -> Iterator[Any]:
        self.asked.append(batches)
        for _ in range(batches):
            self.taken += 1
            yield self._batch


def request(workload: Workload, settings: tuple[Setting, ...], **changes: Any) -> Request:
    whole = Request("workers", workload, 0, settings, 10.0, 10**9, 0, {"data.location": "memory"}, "/")
    return replace(whole, **changes)


@pytest.mark.parametrize("how", [Loader(0), Loader(2), Loader(2, prefetch=4)])
def test_what_is_read_ahead_is_trained_before_the_window_and_taken_out_after_it(how: Loader) -> None:
    step, epochs = CountingStep(TABLE, 10**9, 0), CountingEpochs(TABLE)
    trial = bench.LoaderTrial(epochs, how, step, 0, None, bench.Stopwatch())
    trial.warm_up(60)
    step.fed, epochs.taken = 0, 0
    trial.step()
    window = trial.work / TABLE.batch_size
    assert step.fed == max(1, how.read_ahead) + window
    assert epochs.taken == epochs.asked[-1] == step.fed + how.read_ahead
    assert window % max(1, how.workers) == 0


def test_a_kept_batch_is_not_read() -> None:
    step, epochs = CountingStep(TABLE, 10**9, 0), CountingEpochs(TABLE)
    trial = bench.LoaderTrial(epochs, Loader(cached=True), step, "cached", 100, bench.Stopwatch())
    trial.warm_up(60)
    step.fed = 0
    trial.step()
    assert epochs.asked == []
    assert step.fed == 1 + trial.work / TABLE.batch_size, "one goes before, as with every loader"


class PretendedSeconds:
    """A clock on which a step takes one second, and starting an epoch ten."""

    def __init__(self, step: CountingStep, epochs: CountingEpochs) -> None:
        self._step = step
        self._epochs = epochs

    def perf_counter(self) -> float:
        return float(self._step.fed + 10 * len(self._epochs.asked))


@pytest.mark.parametrize(
    ("workers", "epoch_steps", "expected"), [(2, None, 1.0), (2, 100, 1.1), (0, None, 1.0), (0, 100, 1.0)]
)
def test_only_the_window_is_on_the_stopwatch_and_its_share_of_the_beginning_where_batches_are_read_ahead(
    workers: int, epoch_steps: int | None, expected: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    step, epochs, stopwatch = CountingStep(TABLE, 10**9, 0), CountingEpochs(TABLE), bench.Stopwatch()
    monkeypatch.setattr(bench, "time", PretendedSeconds(step, epochs))
    trial = bench.LoaderTrial(epochs, Loader(workers), step, workers, epoch_steps, stopwatch)
    trial.warm_up(1000)
    assert stopwatch() == 0
    trial.step()
    assert stopwatch() / trial.work * TABLE.batch_size == pytest.approx(expected)


def test_a_batch_that_takes_too_long_for_the_time_left_is_said() -> None:
    step, epochs = CountingStep(TABLE, 10**9, 0), CountingEpochs(TABLE)
    trial = bench.LoaderTrial(epochs, Loader(4, prefetch=8), step, 4, None, bench.Stopwatch())
    with pytest.raises(CannotRunError, match=r"too long for the time left|would take about"):
        trial.warm_up(1e-9)


@linux
def test_a_setting_whose_batches_do_not_fit_the_shared_memory_says_how_to_mend_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(feeding, "_free_shared_memory", lambda: 1000.0)
    equipment = bench.prepare(WORKERS, request(PICTURES, (0, 1)), lambda message: None)
    equipment.trials[0].warm_up(60)
    with pytest.raises(CannotRunError, match=r"has 0 MB free\. A container gets more by: docker run --shm-size"):
        equipment.trials[1].warm_up(60)


@pytest.mark.parametrize(
    ("numbers", "before", "cores", "refused"),
    [
        ((0, 1, 2, 4, 8), 4, 8, ()),
        ((0, 1, 2, 4, 8, 16), 16, 16, ()),
        ((0, 1, 2, 4, 8, 16, 32, 64), 4, 64, (16, 32, 64)),
        ((0, 1, 2, 4, 8), 0, 2, (4, 8)),
        ((32, 0, 1), 2, 64, (1,)),
    ],
)
def test_no_more_loader_processes_are_started_than_there_is_use_for(
    numbers: tuple[int, ...], before: int, cores: int, refused: tuple[int, ...]
) -> None:
    found = bench.too_many({number: Loader(number) for number in numbers}, before, cores)
    assert tuple(found) == refused
    assert all("would be more than the" in reason for reason in found.values())


def test_a_batch_that_does_not_fit_the_memory_is_not_made() -> None:
    huge = replace(PICTURES, batch_size=10**9)
    with pytest.raises(CannotRunError, match="A batch of 1000000000 examples takes 256,000 MB, more than the 1,000 MB"):
        bench.prepare(WORKERS, request(huge, (0, 1)), lambda message: None)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (RuntimeError("DataLoader worker (pid 7) is killed by signal: Bus error."), "docker run --shm-size"),
        (RuntimeError("DataLoader worker (pid 7) is killed by signal: Killed."), "a loader process ended"),
        (RuntimeError("DataLoader timed out after 3 seconds"), "its 2 loader processes gave no batch"),
        (ConnectionResetError("reset"), "a loader process ended"),
        (EOFError(), "a loader process ended"),
        (OSError(5, "Input/output error"), "the data could not be read: Input/output error."),
    ],
)
def test_what_torch_says_of_a_loader_is_said_in_plain_words(error: Exception, words: str) -> None:
    with pytest.raises(CannotRunError, match=words), feeding.in_plain_words(Loader(2)):
        raise error


def test_errors_of_the_training_step_are_not_taken_for_those_of_a_loader() -> None:
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"), feeding.in_plain_words(Loader(2)):
        raise RuntimeError("mat1 and mat2 shapes cannot be multiplied")


# Real children


def measure(
    probe: Probe,
    before: Setting,
    settings: list[Setting],
    folder: Path,
    workload: Workload = PICTURES,
    on_event: Callable[[Message], None] | None = None,
    **facts: Any,
) -> Outcome:
    return run(
        probe,
        workload,
        before=before,
        settings=settings,
        budget_seconds=SECONDS,
        facts=FED | {"data.examples": 1000} | facts,
        folder=str(folder),
        on_event=on_event,
    )


def loaders() -> list[psutil.Process]:
    """The processes that the children of this one have started."""
    return [process for child in psutil.Process().children() for process in child.children(recursive=True)]


def nothing_is_left(folder: Path, pids: list[int]) -> bool:
    return gone_within(pids, 5) and list(folder.iterdir()) == []


@pytest.mark.slow
@linux
@pytest.mark.parametrize(
    ("probe", "before", "settings", "processes"),
    [(INPUT, "loaded", ["loaded", "cached"], 2), (WORKERS, 0, [0, 1], 1), (PREFETCH, 2, [2, 4], 2)],
    ids=["input", "workers", "prefetch"],
)
def test_ways_of_reading_are_timed_and_nothing_is_left_behind(
    probe: Probe, before: Setting, settings: list[Setting], processes: int, tmp_path: Path
) -> None:
    pids: list[int] = []
    left: list[int] = []
    shared = set(SHARED_MEMORY.iterdir())

    def look(message: Message) -> None:
        if isinstance(message, Ready):
            pids.extend(process.pid for process in loaders())
        if isinstance(message, Result):
            left.extend(process.pid for process in loaders())

    usual = {"probe.workers.best": 1} if probe is not INPUT else {"probe.workers.best": 2}
    outcome = measure(probe, before, settings, tmp_path, on_event=look, **usual)
    assert outcome.failure is None
    assert outcome.measured or any("The time was enough for" in note for note in outcome.conditions.warnings)
    assert outcome.work == "example"
    assert any("without decoding" in note for note in outcome.conditions.warnings)
    assert any("was written for it in" in note for note in outcome.conditions.warnings)
    assert len(pids) == processes
    assert left == []
    assert nothing_is_left(tmp_path, pids)
    assert {path for path in SHARED_MEMORY.iterdir() if path.name.startswith("torch_")} <= shared


@linux
@pytest.mark.parametrize(
    ("with_signal", "reason"),
    [(signal.SIGKILL, "loader process ended|DataLoader worker"), (signal.SIGSTOP, "gave no batch")],
    ids=["killed", "hanging"],
)
@pytest.mark.slow
def test_a_loader_process_that_fails_costs_this_result_only(
    with_signal: signal.Signals, reason: str, tmp_path: Path
) -> None:
    pids: list[int] = []

    def disturb(message: Message) -> None:
        if isinstance(message, Ready):
            for process in loaders():
                pids.append(process.pid)
                process.send_signal(with_signal)

    outcome = measure(WORKERS, 1, [0, 1], tmp_path, on_event=disturb)
    assert pids
    assert outcome.verdict is Verdict.UNDECIDED
    assert outcome.failure is not None
    assert re.search(reason, outcome.failure)
    assert nothing_is_left(tmp_path, pids)


ORPHANS = """
import os, signal, sys
from advisor.probes.benches.examples import dataset_of, source_of
from advisor.probes.benches.feeding import Epoch, Feed
from advisor.probes.settings.loading import Loader
from advisor.probes.workload import Workload
import psutil
workload = Workload("ffn", "tabular", 6, 2, (8,))
data = dataset_of(workload, source_of(workload, {"data.location": "memory"}, "."), ".", 0)
feed = Feed(data, Loader(2), Epoch(len(data), 4, 0), 10.0)
feed.start()
assert len(list(feed.epoch(3))) == 3
print(*[process.pid for process in psutil.Process().children()], flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@linux
def test_loader_processes_end_with_the_child_that_started_them() -> None:
    done = subprocess.run(
        [sys.executable, "-c", ORPHANS], capture_output=True, text=True, cwd=Path(__file__).parents[2], check=False
    )
    pids = [int(pid) for pid in done.stdout.split()]
    assert len(pids) == 2
    assert gone_within(pids, 3)  # torch itself looks every five seconds


def test_a_folder_that_is_not_there_fails_with_its_reason(tmp_path: Path) -> None:
    outcome = measure(WORKERS, 0, [0, 1], tmp_path / "missing")
    assert "No file could be written in the folder" in str(outcome.failure)


def test_a_network_that_cannot_be_built_fails_with_its_reason(tmp_path: Path) -> None:
    outcome = measure(WORKERS, 0, [0, 1], tmp_path, replace(PICTURES, network="hopfield"))
    assert "hopfield cannot be built yet" in str(outcome.failure)


@pytest.mark.gpu
@pytest.mark.parametrize(
    ("probe", "before", "settings"),
    [(INPUT, "loaded", ["loaded", "cached"]), (PINNING, "pageable", ["pageable", "pinned"]), (WORKERS, 0, [0, 2, 4])],
    ids=["input", "pinning", "workers"],
)
def test_a_card_is_fed(probe: Probe, before: Setting, settings: list[Setting], tmp_path: Path) -> None:
    pictures = Workload("cnn", "image", 3 * 64 * 64, 10, (32, 64), batch_size=256, device=Device.CUDA)
    outcome = run(probe, pictures, before=before, settings=settings, budget_seconds=60, facts=FED, folder=str(tmp_path))
    assert outcome.failure is None
    assert all(record.skipped is None for record in outcome.settings)
    assert outcome.n >= FEWEST_PAIRS
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("workers", "threads", "cores", "kept"),
    [(0, 8, 8, None), (2, 8, 8, 6), (8, 8, 8, 1), (2, 4, 8, None), (1, None, 8, None), (1, 2, 2, 1), (1, 1, 2, None)],
)
def test_loader_processes_are_tried_with_cores_of_their_own(
    workers: int, threads: int | None, cores: int, kept: int | None
) -> None:
    workload = Workload("ffn", "tabular", 4, 2, (4,), threads=threads)
    assert bench.fewer_threads(workload, Loader(workers), cores) == kept
    assert bench.fewer_threads(replace(workload, device=Device.CUDA), Loader(workers), cores) is None
