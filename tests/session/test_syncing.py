"""Training under several strategies for a plan: which trainings, and what counts of them. No process is started here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy
import pytest

from advisor.agent.settling.scope import scope_of
from advisor.agent.strategies import STANDS_IN, learned_task
from advisor.children.stopping import STOPPED, Stop
from advisor.distributed.job import LONGEST_RUN, Job, Undone
from advisor.distributed.launching.results import Results
from advisor.distributed.task import DIGITS, Task
from advisor.errors import InputError
from advisor.facts.experiments import CONDITIONS
from advisor.facts.fact_base import Source
from advisor.facts.verdict import Verdict
from advisor.models.code import Argument, Code, Library
from advisor.probes.conditions import Conditions
from advisor.probes.workload import NamedNetwork
from advisor.report.strategies.training import rows
from advisor.session import syncing
from advisor.session.inputs import Inputs, gather, plan_of
from advisor.session.syncing import Asked, Trained, device_of, job_of, link_of, trained
from advisor.simulation.scenario import Link
from tests.report.strategies_made import run_of

TABLE = [
    "task.kind=classify", "task.outputs=10", "data.modality=image", "data.inputs=64", "data.examples=1797",
    "project.pretrained_allowed=no", "machine.gpu.count=0",
]  # fmt: skip
"""A plan whose network is small enough to be trained here as it is."""
SECONDS = {"synchronous": 12.0, "local_sgd": 4.0, "asynchronous": 9.0, "alone": 20.0}
"""In which the made-up loss falls to a third."""


@pytest.fixture
def inputs(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Inputs:
    monkeypatch.setenv("ADVISOR_STATE", str(tmp_path))
    return told()


def told() -> Inputs:
    return gather(sets=TABLE, complain=no_complaint)


def no_complaint(title: str, what: str) -> None:
    raise AssertionError(f"{title}: {what}")


@pytest.fixture
def jobs(monkeypatch: pytest.MonkeyPatch) -> list[Job]:
    """Those that were to be run, by nobody."""
    found: list[Job] = []

    def run(job: Job, **_: object) -> Results:
        found.append(job)
        return Results(runs=tuple(run_of(str(one), seed, SECONDS[one.name]) for one, seed in job.runs))

    monkeypatch.setattr(syncing, "run", run)
    monkeypatch.setattr(syncing, "learned_task", on_data_of_their_own)
    monkeypatch.setattr(syncing, "conditions", lambda *_: Conditions())  # a stalled test is no busy machine
    return found


def on_data_of_their_own(*given: Any, **asked: Any) -> tuple[Task, tuple[str, ...]]:
    """The task as if somebody had named data for the plan's network."""
    task, _ = learned_task(*given, **asked)
    return task, ()


def sync(inputs: Inputs, seconds: float = 60.0, **asked: Any) -> Trained:
    return trained(inputs, Asked(**asked), seconds, complain=no_complaint)


def names(inputs: Inputs, listed: str | None) -> Sequence[str]:
    return job_of(plan_of(inputs), inputs, Asked(listed), 60.0)[0].strategies


def test_the_plans_own_strategy_is_trained_first_beside_its_rivals(inputs: Inputs) -> None:
    assert names(inputs, None) == ("synchronous", "local_sgd", "asynchronous", "delay_compensated")


def test_of_strategies_that_are_named_the_plans_own_comes_first(inputs: Inputs) -> None:
    assert names(inputs, "downpour, ddp, local_sgd:every=16, ddp") == ("synchronous", "downpour", "local_sgd:every=16")
    assert names(inputs, "downpour,local_sgd") == ("downpour", "local_sgd")


def test_of_seeds_that_were_not_finished_the_others_are_compared_and_nothing_counts(
    inputs: Inputs, jobs: list[Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    def ended_early(job: Job, **_: object) -> Results:
        runs = [run_of(str(one), seed, SECONDS[one.name]) for one, seed in job.runs[:8]]
        return Results(runs=tuple(runs), failed="Worker 1 was ended by SIGKILL.")

    monkeypatch.setattr(syncing, "run", ended_early)
    done = sync(inputs, strategies="synchronous,local_sgd,asynchronous", seeds=2)
    assert done.comparison is not None
    assert done.outcomes == (), "two pairs decide nothing"
    assert any("3 seeds are the fewest" in note for note in done.notes)
    three = sync(inputs, strategies="synchronous,local_sgd,asynchronous", seeds=3)
    assert three.comparison is not None
    assert {len(one.seconds) for one in three.comparison.standings} == {2}
    assert three.outcomes == ()
    assert any("not all seeds were finished" in note for note in three.notes)


def test_the_answer_says_that_another_network_has_learned(
    inputs: Inputs, jobs: list[Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    def standing_in(*given: Any, **asked: Any) -> tuple[Task, tuple[str, ...]]:
        return learned_task(*given, **asked)[0], (STANDS_IN,)

    assert "in place of the plan's" not in sync(inputs, strategies="synchronous,local_sgd").says
    monkeypatch.setattr(syncing, "learned_task", standing_in)
    assert "in place of the plan's" in sync(inputs, strategies="synchronous,local_sgd").says


def test_all_of_the_time_is_shared_after_what_starting_takes(inputs: Inputs) -> None:
    job, _ = job_of(plan_of(inputs), inputs, Asked("synchronous,local_sgd", seeds=2, seed=5), 50.0)
    assert job.seeds == (5, 6)
    assert 0.65 * (50 - 10 - 6 * 0.7) / 6 <= job.seconds <= (50 - 10 - 6 * 0.7) / 6, (
        "the rest is for looking at held-out ones"
    )


def test_the_plans_network_is_trained_with_its_batch_and_the_rate_that_is_asked_for(inputs: Inputs) -> None:
    plan = plan_of(inputs)
    usual, notes = job_of(plan, inputs, Asked(), 60.0)
    asked, _ = job_of(plan, inputs, Asked(batch=7, rate=0.3, workers=3), 60.0)
    assert usual.task.network == plan.value("network.type")
    assert usual.task.batch == plan.value("training.micro_batch")
    assert STANDS_IN not in notes
    assert (asked.task.batch, asked.task.rate, asked.workers) == (7, 0.3, 3)


def test_a_large_network_learns_itself_where_the_time_suffices(inputs: Inputs) -> None:
    large = gather(sets=[*TABLE, "network.model=resnet18"], complain=no_complaint)
    plan = plan_of(large)
    few, notes = job_of(plan, large, Asked(), 60.0)
    assert (few.task.data, notes[0]) == (DIGITS, STANDS_IN)
    assert notes[1].startswith("Resnet18 takes about")
    enough = float(notes[1].partition("`--budget ")[2].partition("min")[0]) * 60
    job, notes = job_of(plan, large, Asked(), enough)
    assert job.task.named is not None
    assert job.task.named.describe() == "resnet18"
    assert STANDS_IN not in notes
    assert (job.task.most_held_out or 10_000) < 2_000, "looking at all held-out examples would take most of the time"


def test_code_that_nobody_named_on_the_command_line_is_not_run(inputs: Inputs) -> None:
    known = [f"network.{name}=5000" for name in ("parameters", "multiply_adds", "kept_values")]
    known += ["network.fingerprint=0123", "network.widths=1"]
    told = gather(sets=[*TABLE, "network.model=mine.py:make", *known], complain=no_complaint)
    job, notes = job_of(plan_of(told), told, Asked(), 600.0)
    assert job.task.data == DIGITS
    assert any("runs only where somebody names it with --model" in note for note in notes)


def test_a_network_that_restores_its_inputs_gives_its_place_and_the_reason_is_told(inputs: Inputs) -> None:
    restoring = gather(sets=["task.kind=reconstruct", *TABLE[2:]], complain=no_complaint)
    job, notes = job_of(plan_of(restoring), restoring, Asked(), 600.0)
    assert (job.task.data, notes[0]) == (DIGITS, STANDS_IN)
    assert "gives no class and no number" in notes[1]


def test_data_are_found_by_workers_that_have_other_folders(
    inputs: Inputs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    numpy.savez("digits.npz", x=numpy.arange(60 * 64, dtype="uint8").reshape(60, 8, 8), y=numpy.arange(60) % 3)
    pictures = gather(data=Path("digits.npz"), target="y", sets=TABLE[-2:], complain=no_complaint)
    job, notes = job_of(plan_of(pictures), pictures, Asked(), 60.0)
    assert job.task.data == str(tmp_path / "digits.npz")
    assert notes == ()


def test_workers_run_in_the_python_in_which_the_network_works() -> None:
    code = Code(Library.FILE, "make", (Argument((4,)),), file="/net.py", python="/opt/env/bin/python")
    task = Task("ffn", "tabular", 4, 2, named=NamedNetwork("net.py:make", 10, "0123", code))
    command = syncing._command(Job(task, ("synchronous",)))
    assert command is not None
    assert (command[0], command[-1]) == ("/opt/env/bin/python", "advisor.distributed.worker")
    assert syncing._command(Job(replace(task, named=None), ("synchronous",))) is None


CARDS = [
    "machine.gpu.count=2",
    "machine.gpu.usable_by_torch=yes",
    "machine.gpu.backend=cuda",
    "machine.gpu.memory_bytes=24GB",
]


@pytest.mark.parametrize(
    ("cards", "asked", "device"),
    [
        (CARDS, Asked(), "cuda"),
        (["machine.gpu.count=1", *CARDS[1:]], Asked(), "cpu"),
        (CARDS, Asked(workers=3), "cpu"),
        (CARDS, Asked(link="1Gbit/s"), "cpu"),
        (CARDS, Asked(latency="1ms"), "cpu"),
        ([*CARDS[:1], "machine.gpu.usable_by_torch=no", *CARDS[2:]], Asked(), "cpu"),
        ([*CARDS[:2], "machine.gpu.backend=rocm", *CARDS[3:]], Asked(), "cpu"),
    ],
    ids=[
        "a card each",
        "one card",
        "more workers than cards",
        "a link",
        "a latency",
        "unusable",
        "of AMD",
    ],
)
def test_workers_take_cards_where_each_has_one_and_no_link_is_asked_for(
    cards: list[str], asked: Asked, device: str
) -> None:
    planned = [one for one in TABLE if not one.startswith("machine.gpu")]
    plan = plan_of(gather(sets=[*planned, *cards], complain=lambda *_: None))
    assert device_of(plan, asked) == device


CLUSTER = ["cluster.nodes=2", "cluster.network_bytes_per_second=100 Mbit/s"]


@pytest.mark.parametrize(
    ("sets", "asked", "rate"),
    [
        (CLUSTER, Asked(), 12.5e6),
        (CLUSTER, Asked(latency="1ms"), 12.5e6),
        (CLUSTER, Asked(link="1Gbit/s"), 125e6),
        (CLUSTER, Asked(link="inf"), None),
        (CLUSTER[:1], Asked(), None),
        (["cluster.nodes=1", *CLUSTER[1:]], Asked(), None),
        ([*CLUSTER, *CARDS], Asked(), None),
        ([], Asked(), None),
    ],
    ids=[
        "as planned",
        "and as late as asked",
        "another",
        "none",
        "unknown",
        "one node",
        "cards of one node",
        "no cluster",
    ],
)
def test_links_are_as_fast_as_between_the_nodes_of_the_plan_unless_another_is_asked_for(
    sets: list[str], asked: Asked, rate: float | None
) -> None:
    planned = [one for one in TABLE if not one.startswith("machine.gpu")]
    plan = plan_of(gather(sets=[*planned, *sets], complain=lambda *_: None))
    assert link_of(plan, asked) == Link(rate, 0.001 if asked.latency == "1ms" else 0.0)


@pytest.mark.parametrize("straggler", [0.5, float("nan"), float("inf")])
def test_a_straggler_that_is_none_is_refused(inputs: Inputs, straggler: float) -> None:
    with pytest.raises(InputError, match="straggler"):
        job_of(plan_of(inputs), inputs, Asked(straggler=straggler), 60.0)


@pytest.mark.parametrize("latency", ["10.5s", "1h", "1000000h"])
def test_a_latency_that_no_link_can_have_is_refused_before_anything_starts(inputs: Inputs, latency: str) -> None:
    with pytest.raises(InputError, match=r"compared so.*\n?.*--latency: .* is not between 0 and 10 s") as refused:
        sync(inputs, latency=latency)
    assert "simulated" not in str(refused.value)


def test_too_little_time_is_refused_with_what_would_do(inputs: Inputs) -> None:
    with pytest.raises(InputError, match=r"12 trainings of 1 s or more do not fit into 12 s"):
        job_of(plan_of(inputs), inputs, Asked(), 12.0)


def test_what_was_trained_counts_for_such_workers_on_this_machine_alone(inputs: Inputs, jobs: list[Job]) -> None:
    done = sync(inputs, strategies="local_sgd,synchronous,asynchronous")
    assert done.comparison is not None
    assert (done.comparison.reference, done.comparison.best.strategy) == ("synchronous", "local_sgd")
    (outcome,) = done.outcomes
    assert (outcome.verdict, outcome.before, outcome.after) == (Verdict.OVERTURNED, "synchronous", "local_sgd")
    assert outcome.bound_by == CONDITIONS
    assert inputs.machine is not None
    assert {name: outcome.applies[name] for name in ("nodes", "stragglers", "link_bytes_per_second", "machine")} == {
        "nodes": "2",
        "stragglers": "false",
        "link_bytes_per_second": "unlimited",
        "machine": inputs.machine.fingerprint,
    }
    assert done.plans is not None
    before, after = done.plans
    assert after.value("sync.strategy") == before.value("sync.strategy"), "one worker is planned, and two were tried"
    assert "local_sgd came to the same loss 3 times as fast as synchronous" in done.says


MANY = [*(one for one in TABLE if not one.startswith("data.examples")), "data.examples=20000000"]


def of_two_nodes(examples: int) -> Inputs:
    table = [one for one in TABLE if not one.startswith("data.examples")]
    planned = [*table, *CLUSTER, f"data.examples={examples}", "machine.cpu.usable_cores=1"]
    return gather(sets=planned, complain=no_complaint)


def test_a_plan_that_leaves_the_work_to_one_says_that_it_needs_no_strategy(inputs: Inputs, jobs: list[Job]) -> None:
    notes = sync(of_two_nodes(1_797), strategies="synchronous,local_sgd").notes
    assert notes[-1].startswith("The plan trains with one worker, which needs no strategy")


@pytest.mark.parametrize("rival", [4.0, 12.0])
def test_for_a_plan_of_as_many_nodes_it_counts_without_any_option_whatever_came_of_it(
    inputs: Inputs, jobs: list[Job], monkeypatch: pytest.MonkeyPatch, rival: float
) -> None:
    monkeypatch.setitem(SECONDS, "local_sgd", rival)
    done = sync(of_two_nodes(20_000_000), strategies="synchronous,local_sgd")
    assert done.plans is not None
    measured = done.plans[1].recommendations["sync.strategy"].measured
    assert measured is not None
    assert measured.verdict is (Verdict.OVERTURNED if rival < 12 else Verdict.NO_DIFFERENCE)
    assert done.notes[0] == "The plan's link carries 12.5 MB/s."
    assert not any("decides nothing" in note for note in done.notes)


def test_what_counts_for_other_plans_only_says_so(inputs: Inputs, jobs: list[Job]) -> None:
    alone = sync(inputs, strategies="synchronous,local_sgd")
    assert alone.notes[-1] == "The plan is for a single worker. It is kept as evidence, and decides nothing."
    assert not alone.own, "so nothing is called the plan's own"
    wide = gather(sets=[*MANY, *CLUSTER, "machine.cpu.usable_cores=2"], complain=no_complaint)
    of_two = sync(wide, strategies="synchronous,local_sgd")
    assert of_two.notes[-1].startswith("The plan has worker 2 cores")
    assert " rather than 1 core" in of_two.notes[-1]
    assert of_two.own


@pytest.mark.parametrize("asked", [{"straggler": 2.0}, {"latency": "5ms"}, {"rate": 0.001}], ids=str)
def test_with_settings_that_no_plan_has_nothing_counts(inputs: Inputs, jobs: list[Job], asked: dict[str, Any]) -> None:
    done = sync(inputs, strategies="synchronous,local_sgd", **asked)
    assert done.comparison is not None
    assert done.outcomes == ()
    assert any("This does not change your plan" in note for note in done.notes)


def test_later_plans_recall_it(inputs: Inputs, jobs: list[Job]) -> None:
    (outcome,) = sync(inputs, strategies="synchronous,local_sgd").outcomes
    assert outcome in told().outcomes
    assert sync(told(), strategies="synchronous,local_sgd").outcomes[0].before == "synchronous"


def test_examples_that_were_made_up_decide_nothing(
    inputs: Inputs, jobs: list[Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(syncing, "learned_task", learned_task)
    done = sync(inputs, strategies="synchronous,local_sgd")
    assert done.comparison is not None
    assert done.outcomes == ()
    assert any("made up" in note for note in done.notes)


def test_when_the_time_is_over_what_was_finished_is_shown(inputs: Inputs, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(job: Job, *, stop: Stop, **_: object) -> Results:
        stop.this()
        return Results(runs=(run_of("synchronous", 0),), failed=STOPPED)

    monkeypatch.setattr(syncing, "run", run)
    done = sync(inputs, strategies="synchronous,local_sgd", seeds=2)
    assert done.results.failed == ""
    assert any("time was over" in note for note in done.notes)


def test_a_strategy_that_is_worse_again_at_the_end_is_told(inputs: Inputs, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(job: Job, **_: object) -> Results:
        found = [run_of(str(one), seed, SECONDS[one.name]) for one, seed in job.runs]
        last = [replace(one.curve[-1], seconds=one.seconds, loss=7.25) for one in found]
        return Results(
            runs=tuple(
                replace(one, curve=(*one.curve, point)) if one.strategy == "local_sgd" else one
                for one, point in zip(found, last, strict=True)
            )
        )

    monkeypatch.setattr(syncing, "run", run)
    notes = sync(inputs, strategies="synchronous,local_sgd").notes
    (note,) = (one for one in notes if "did not stay there" in one)
    assert note.startswith("local_sgd came to the loss of ")
    assert note.endswith("it ended with 7.25.")


@pytest.mark.parametrize(
    ("slow", "said"),
    [
        ("synchronous", "synchronous came to the loss in 2 of 3 trainings. So no other can be compared with it."),
        ("local_sgd", "local_sgd came to the loss in 2 of 3 trainings. So it cannot be compared with synchronous."),
    ],
)
def test_why_a_strategy_has_no_ratio_is_said(
    slow: str, said: str, inputs: Inputs, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(job: Job, **_: object) -> Results:
        late = {(slow, 2): 600.0}
        return Results(
            runs=tuple(run_of(str(one), seed, late.get((str(one), seed), SECONDS[one.name])) for one, seed in job.runs)
        )

    monkeypatch.setattr(syncing, "run", run)
    found = sync(inputs, strategies="synchronous,local_sgd", workers=2)
    assert found.comparison is not None
    assert all(one.ratio is None for one in found.comparison.standings)
    assert [note for note in found.notes if "came to the loss in" in note] == [said]


def test_trainings_that_had_to_be_shorter_are_told(inputs: Inputs, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(job: Job, **_: object) -> Results:
        return Results(runs=tuple(replace(run_of(str(one), seed), seconds=job.seconds / 2) for one, seed in job.runs))

    monkeypatch.setattr(syncing, "run", run)
    assert any("Starting took longer" in note for note in sync(inputs, strategies="synchronous,local_sgd").notes)


def test_without_the_plans_own_strategy_nothing_counts(inputs: Inputs, jobs: list[Job]) -> None:
    done = sync(inputs, strategies="asynchronous,local_sgd")
    assert done.comparison is not None
    assert (done.own, done.outcomes) == (False, ())
    assert any("its own strategy, synchronous, is not among these" in note for note in done.notes)
    assert told().outcomes == ()


def test_one_training_each_is_told_and_decides_nothing(inputs: Inputs, jobs: list[Job]) -> None:
    done = sync(inputs, strategies="synchronous,local_sgd", seeds=1)
    assert done.comparison is not None
    assert done.outcomes == ()
    assert "nothing was shown to be faster than synchronous. local_sgd came closest" in done.says


def test_strategies_without_a_run_for_each_seed_are_not_compared(
    inputs: Inputs, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(job: Job, **_: object) -> Results:
        runs = [run_of(str(one), seed, SECONDS[one.name]) for one, seed in job.runs]
        runs = [one for one in runs if (one.strategy, one.seed) != ("asynchronous", 1)]
        return Results(runs=tuple(runs), undone=(Undone("asynchronous", 1, "The loss is no number."),))

    monkeypatch.setattr(syncing, "run", run)
    done = sync(inputs, strategies="synchronous,local_sgd,asynchronous", seeds=2)
    assert done.comparison is not None
    assert {one.strategy for one in done.comparison.standings} == {"synchronous", "local_sgd"}
    assert {run.strategy for run in done.compared_runs} == {"synchronous", "local_sgd", "alone"}
    assert "asynchronous, seed 1: The loss is no number." in done.notes


def test_too_few_trainings_are_said_and_nothing_is_kept(inputs: Inputs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        syncing, "run", lambda job, **_: Results(runs=(run_of("synchronous", 0),), failed="It was stopped.")
    )
    done = sync(inputs, strategies="synchronous,local_sgd", seeds=2)
    assert (done.comparison, done.outcomes, done.compared_runs) == (None, (), ())
    assert done.says == "1 of 6 trainings were finished: too few to compare strategies."
    assert told().outcomes == ()


def test_a_plan_for_another_machine_trains_nothing() -> None:
    with pytest.raises(InputError, match="another machine"):
        sync(gather(sets=TABLE, machine="none", complain=no_complaint))


def test_conditions_of_a_run_are_what_ran(inputs: Inputs, jobs: list[Job]) -> None:
    (outcome,) = sync(inputs, strategies="synchronous,local_sgd", workers=3, batch=16).outcomes
    assert (outcome.applies["nodes"], outcome.applies["worker_batch"]) == ("3", "16")
    assert set(CONDITIONS) <= set(outcome.applies)
    assert replace(outcome, applies={}) != outcome
    assert {**scope_of(plan_of(inputs), inputs.machine), **outcome.applies} == dict(outcome.applies)


def test_one_worker_alone_is_trained_too_and_is_the_first_row(inputs: Inputs, jobs: list[Job]) -> None:
    done = sync(inputs, strategies="synchronous,local_sgd")
    assert [str(one) for one, _ in jobs[0].runs][:3] == ["synchronous", "local_sgd", "alone"]
    assert done.comparison is not None
    assert done.comparison.alone is not None
    assert rows(done.comparison, done.compared_runs)[0][0] == "alone"
    assert "One worker alone was slower: 0.6 times as fast as synchronous with 2 workers" in done.says
    single = sync(inputs, strategies="synchronous,local_sgd", workers=1)
    assert not jobs[1].alone, "one worker is alone in any case"
    assert "alone" not in single.says


def test_where_time_is_short_one_worker_alone_is_left_out_and_that_is_said(inputs: Inputs, jobs: list[Job]) -> None:
    done = sync(inputs, seconds=16.0, strategies="synchronous,local_sgd", seeds=1)
    assert not jobs[0].alone
    assert any("One worker alone was not trained" in note for note in done.notes)


@pytest.mark.parametrize(("others", "decides"), [(0.05, True), (0.3, False), (0.9, False)])
def test_where_other_programs_keep_the_processors_busy_nothing_is_decided_or_kept(
    inputs: Inputs, jobs: list[Job], monkeypatch: pytest.MonkeyPatch, others: float, decides: bool
) -> None:
    monkeypatch.setattr(
        syncing, "conditions", lambda *_: Conditions(others_share=others, warnings=("They were busy.",))
    )
    monkeypatch.setattr(syncing, "_SHORTEST", 0.0)
    done = sync(inputs, strategies="synchronous,local_sgd")
    assert done.comparison is not None
    assert (done.comparison.best.strategy == "local_sgd") is decides
    assert bool(done.outcomes) is decides
    assert "They were busy." in done.notes
    assert done.says.startswith("With 2 workers") is decides
    if not decides:
        assert done.says.startswith("Undecided. Other programs kept the CPU busy, so this result is not reliable")
        assert told().outcomes == ()


@pytest.mark.parametrize(
    ("asked", "what"),
    [
        ({"straggler": 1e18}, r"--straggler: 1e\+18 is no number from 1 to 1,000,000"),
        ({"straggler": float("nan")}, "--straggler"),
        ({"batch": 10**12}, "--batch: 1,000,000,000,000 is not from 1 to 1,000,000,000"),
        ({"workers": 10**6}, "--workers: 1,000,000 is not from 1 to 64"),
        ({"rate": 1e18}, "rate"),
        ({"latency": "1e300s"}, "--latency|latency"),
    ],
    ids=str,
)
def test_numbers_that_simulate_refuses_are_refused_in_words(inputs: Inputs, asked: dict[str, Any], what: str) -> None:
    with pytest.raises(InputError, match=what):
        sync(inputs, **asked)


def test_a_straggler_at_its_limit_waits_no_longer_than_a_day(inputs: Inputs) -> None:
    job, _ = job_of(plan_of(inputs), inputs, Asked(straggler=1e6, latency="10s"), 600.0)
    assert job.timeout == LONGEST_RUN


def test_many_workers_that_cannot_start_in_the_time_are_refused(inputs: Inputs) -> None:
    few = replace(inputs, facts=inputs.facts.with_values({"machine.cpu.logical_cores": 2}, Source.ASKED))
    with pytest.raises(InputError, match="of which starting 64 workers takes about 48 s"):
        job_of(plan_of(few), few, Asked(workers=64), 30.0)
