"""The pieces of which runs are made, each by itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch import nn

from advisor.distributed.job import Job
from advisor.distributed.launching.pulse import Phase, Pulse
from advisor.distributed.learning.lesson import Prepared, lesson, lesson_of, prepared
from advisor.distributed.running.diary import Diary, Doing, Limits
from advisor.distributed.running.judging import interval, points_for
from advisor.distributed.running.learner import Flat
from advisor.distributed.running.pipeline import divided, parts_of
from advisor.distributed.running.serving import groups_of
from advisor.distributed.running.sharded import units
from advisor.distributed.strategies import strategy
from advisor.distributed.task import Task
from advisor.errors import InputError
from advisor.networks.builders import build
from advisor.networks.spec import Description

FFN = Description("ffn", "tabular", 20, 5, (32, 32, 32))
CNN = Description("cnn", "image", 64, 4, (8, 16), normalization="batch_norm")
LSTM = Description("lstm", "time_series", 3, 4, (8, 8), 12)
TRANSFORMER = Description("transformer", "text", 30, 30, (16, 32), 8)


def weights_in(modules: list[nn.Module]) -> int:
    return sum(one.numel() for part in modules for one in part.parameters())


def test_launching_needs_no_torch() -> None:
    heavy = "[one for one in ('torch', 'numpy', 'polars') if one in sys.modules]"
    code = f"import sys, advisor.distributed.launching.launch; print({heavy})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_weights_and_gradients_are_one_vector() -> None:
    network = build(FFN)
    flat = Flat(network)
    network(torch.rand(3, 20)).sum().backward()
    assert flat.gradient.abs().sum() > 0
    flat.weights.zero_()
    assert all(not one.any() for one in network.parameters())


@pytest.mark.parametrize(("spec", "inputs"), [(FFN, torch.rand(2, 20)), (CNN, torch.rand(2, 1, 8, 8))])
@pytest.mark.parametrize("stages", [1, 2, 3, 4])
def test_stages_do_together_what_the_network_does(spec: Description, inputs: torch.Tensor, stages: int) -> None:
    network = build(spec).eval()
    parts = divided(network, inputs[:1], stages)
    assert len(parts) == stages
    assert all(weights_in(part) for part in parts)
    values = inputs
    for part in parts:
        values = nn.Sequential(*part)(values)
    assert torch.equal(values, network(inputs))


def test_stages_share_the_work() -> None:
    even = Description("ffn", "tabular", 64, 64, (64, 64, 64))
    parts = divided(build(even), torch.rand(1, 64), 2)
    assert weights_in(parts[0]) == weights_in(parts[1])


def test_more_stages_than_layers_are_refused() -> None:
    with pytest.raises(InputError, match="5 stages, 4 layers"):
        divided(build(FFN), torch.rand(1, 20), 5)


def test_a_network_whose_layers_do_not_follow_each_other_has_no_stages() -> None:
    with pytest.raises(InputError, match="Recurrent"):
        divided(build(LSTM), torch.rand(1, 12, 3), 2)


@pytest.mark.parametrize(("examples", "wanted", "parts"), [(32, 4, 4), (30, 4, 3), (7, 4, 1), (2, 4, 2)])
def test_parts_of_a_batch_are_equal(examples: int, wanted: int, parts: int) -> None:
    assert parts_of(examples, wanted) == parts


@pytest.mark.parametrize("spec", [FFN, CNN, LSTM])
def test_every_weight_is_gathered_with_its_layer(spec: Description) -> None:
    network = build(spec)
    assert weights_in(list(units(network))) == weights_in([network])


def test_shared_weights_and_those_within_attention_are_not_gathered_twice() -> None:
    network = build(TRANSFORMER)
    found = list(units(network))
    assert any(isinstance(one, nn.MultiheadAttention) for one in found)
    inside = {part for one in found for part in one.modules() if part is not one}
    assert not inside & set(found)
    assert not any(isinstance(one, nn.Embedding) for one in found)  # its weights are those of the last layer too


def test_groups_are_of_neighbours_and_nearly_equal() -> None:
    assert groups_of(strategy("mixed:groups=2"), 5) == [[0, 1, 2], [3, 4]]
    assert groups_of(strategy("mixed:groups=3"), 3) == [[0], [1], [2]]


def test_a_server_is_a_process_only_where_a_strategy_has_one() -> None:
    task = Task("ffn", "tabular", 4, 2)
    assert Job(task, ("synchronous", "sharded"), 3).ranks == 3
    assert Job(task, ("synchronous", "mixed"), 3).ranks == 4


def test_a_pulse_is_seen_by_others(tmp_path: Path) -> None:
    seen = Pulse.make(tmp_path / "pulse", 2)
    written = Pulse(str(tmp_path / "pulse"), 2)
    assert seen.of(1).process == 0
    written.enter(1, Phase.TRAINING, 3)
    written.beat(1, 41)
    beat = seen.of(1)
    assert (beat.phase, beat.run, beat.steps) == (Phase.TRAINING, 3, 41)
    assert beat.process > 0
    assert seen.of(0).process == 0


def diary(points: int = 4) -> Diary:
    found = Diary(0, Pulse("", 1), 0, Limits(100.0, points=points))
    found.begin()
    return found


def test_copies_are_kept_from_the_beginning_to_the_end() -> None:
    kept, weights = diary(), torch.zeros(3)
    for step in range(101):
        weights.add_(1)
        kept.look(step / 100, lambda: weights)
    firsts = [float(one.weights[0]) for one in kept.snapshots]
    assert firsts[0] == 1
    assert firsts[-1] == 101
    assert len(firsts) == 5
    assert firsts[1] - firsts[0] < firsts[-1] - firsts[-2]  # closer together at the beginning


def test_times_add_up() -> None:
    kept = diary()
    kept.did(Doing.COMPUTING)
    kept.did(Doing.EXCHANGING)
    kept.did_both(1e-9)
    assert sum(kept.spent.values()) <= kept.elapsed
    ends = [end for _, end, _ in kept.segments]
    begins = [begin for begin, _, _ in kept.segments]
    assert ends[:-1] == begins[1:]


def test_few_copies_are_kept_of_large_networks() -> None:
    assert points_for(1000, 4, 16) == 16
    assert points_for(50_000_000, 4, 16) == 3


def test_an_interval_holds_the_mean() -> None:
    right = (torch.rand(400, generator=torch.Generator().manual_seed(0)) < 0.8).double()
    found = interval(right, seed=1)
    assert found.low < found.value < found.high
    half = 1.96 * (0.8 * 0.2 / 400) ** 0.5
    assert found.high - found.low == pytest.approx(2 * half, rel=0.15)
    assert interval(right, seed=1) == found


def test_prepared_examples_are_the_same_for_other_processes(tmp_path: Path) -> None:
    task = Task("ffn", "tabular", 12, 4, (16,), most_examples=300)
    first = prepared(task)
    first.save(tmp_path / "examples")
    own, others = lesson_of(task, first), lesson_of(task, Prepared.load(tmp_path / "examples"))
    assert own.description == others.description
    assert torch.equal(own.inputs, others.inputs)
    assert torch.equal(own.held_targets, others.held_targets)
    assert torch.equal(own.inputs, lesson(task).inputs)
