"""Training steps of networks that somebody named: built in the probe's process, and timed as the plan trains."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import pytest
import torch

from advisor.children.errors import CannotRunError
from advisor.children.supervise import Limits
from advisor.models.code import Argument, Code, Library
from advisor.models.published import published_models
from advisor.probes.catalogue import probe_named
from advisor.probes.child.training_step import TrainingStep
from advisor.probes.outcome import Outcome
from advisor.probes.runner import run
from advisor.probes.workload import NamedNetwork, Precision, Workload
from tests.models.libraries import library

PRECISION = probe_named("precision")
PICTURES = (Argument((3, 8, 8)),)
GIVES = """
    def forward(self, pictures):
        return self.head(self.norm(self.look(pictures)).relu().mean((2, 3)))
"""
SMALL = f"""
class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.look, self.norm, self.head = nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.Linear(8, 10)
{GIVES}
"""
WEIGHTS = 3 * 8 * 9 + 8 + 16 + 8 * 10 + 10


Write = Callable[..., Workload]


@pytest.fixture
def named(tmp_path: Path) -> Write:
    """The step of `Small` in a file with this text; `options` are of the workload."""

    def write(
        text: str = SMALL, arguments: tuple[Argument, ...] = PICTURES, weights: int = WEIGHTS, **options: object
    ) -> Workload:
        file = tmp_path / "net.py"
        file.write_text("import os, sys, time\nimport torch\nfrom torch import nn\n" + dedent(text))
        code = Code(Library.FILE, "Small", arguments, file=str(file))
        plan = Workload("cnn", "image", 192, 10, batch_size=8, threads=1, **options)  # type: ignore[arg-type]
        return replace(plan, named=NamedNetwork("net.py:Small", weights, "0123", code))

    return write


def timed(workload: Workload, seconds: float = 30.0, **options: object) -> Outcome:
    """In a child of its own, as `advisor probe` times it."""
    return run(PRECISION, workload, before="fp32", settings=("fp32", "bf16"), budget_seconds=seconds, **options)  # type: ignore[arg-type]


def test_ones_own_module_is_timed_and_counted_whatever_it_prints(named: Write) -> None:
    said = 'print("{\\"type\\": \\"Result\\"}")\nos.write(1, b"{}\\n" * 5)\n'

    outcome = timed(named(f"{said}{dedent(SMALL)}"))

    assert outcome.failure is None
    assert outcome.applies["weights"] == str(WEIGHTS)
    assert outcome.applies["network"] == "net.py:Small 0123"
    assert outcome.applies["named"] == "your module net.py:Small"
    assert all(record.search or record.duel for record in outcome.settings)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "raise RuntimeError('no data here')",
            "net.py:Small cannot be built: RuntimeError: no data here, net.py line 4",
        ),
        ("def Small():\n    return [1]", "it returns a list, and no torch.nn.Module"),
        ("def Other():\n    return nn.Linear(1, 1)", "it has no Small; it has Other"),
        (SMALL.replace("pictures))", "no_such_name))"), "name 'no_such_name' is not defined"),
        (SMALL.replace("nn.Linear(8, 10)", "nn.Linear(9, 10)"), "did not take 2 examples of 3x8x8"),
        (SMALL.replace(".mean((2, 3)))", ".mean())"), "need to be at least 1D"),
        (SMALL.replace("nn.Linear(8, 10)", "nn.Linear(8, 7)"), "shape 7, and the plan has 10 outputs"),
        (SMALL.replace("return self", "return 1, 'one' or self"), "no numbers to compare with a target"),
        (SMALL.replace(".mean((2, 3)))", ".mean((2, 3))).sum(0)"), "the first axis must be that of the examples"),
    ],
    ids=[
        "raises",
        "no module",
        "no function",
        "fails",
        "other sizes",
        "a scalar",
        "other outputs",
        "no tensor",
        "no batch",
    ],
)
def test_a_network_that_cannot_be_trained_says_why(text: str, said: str, named: Write) -> None:
    with pytest.raises(CannotRunError, match=said):
        TrainingStep(named(text), 10**9, 0)


def test_a_module_that_raises_costs_its_own_result_only(named: Write) -> None:
    outcome = timed(named("raise ValueError('broken')"))

    assert outcome.failure is not None
    assert "cannot be built: ValueError: broken, net.py line 4" in outcome.failure


def test_a_module_that_hangs_is_ended_when_its_time_is_over(named: Write) -> None:
    outcome = timed(named("time.sleep(600)"), seconds=5.0, limits=Limits(grace_seconds=0.2))

    assert outcome.failure is not None
    assert "Its time was over before it was ready" in outcome.failure


def test_a_module_that_fails_with_a_larger_batch_says_so(named: Write) -> None:
    picky = SMALL.replace("return self", "assert len(pictures) < 3, 'too many'\n        return self")
    step = TrainingStep(named(picky), 10**9, 0)

    step.run(2, Precision.FP32)
    with pytest.raises(CannotRunError, match=r"a batch of 8 examples failed in your module net\.py:Small: Assert"):
        step.run(8, Precision.FP32)


def test_two_inputs_and_tokens_within_their_table(named: Write) -> None:
    reader = """
    class Small(nn.Module):
        def __init__(self):
            super().__init__()
            self.words, self.head = nn.Embedding(50, 4), nn.Linear(4, 10)

        def forward(self, words, weight):
            return self.head(self.words(words).mean(1)) * weight
    """
    arguments = (Argument((12,), tokens=True), Argument((1,)))
    step = TrainingStep(named(reader, arguments, weights=250), 10**9, 0)

    (words, weight), _ = step._batch(64)
    assert words.shape == (64, 12)
    assert 40 < words.max() < 50
    assert weight.shape == (64, 1)
    assert torch.isfinite(step.run(64, Precision.FP32))


@pytest.mark.parametrize(
    ("gives", "loss", "target"),
    [
        ("self.head(x.mean((2, 3)))", "cross_entropy", (4,)),
        ("self.head(x.mean((2, 3)))", "binary_cross_entropy", (4, 10)),
        ("self.head(x.mean((2, 3)))", "mse", (4, 10)),
        ("self.look(x.repeat(1, 1, 1, 1))", "dice_cross_entropy", (4, 8, 8)),
        ("{'logits': self.head(x.mean((2, 3))), 'other': 1}", "cross_entropy", (4,)),
        ("(self.look(x), x)", "noise_prediction", (4, 10, 8, 8)),
    ],
)
def test_targets_follow_the_answer_and_the_loss_of_the_plan(
    gives: str, loss: str, target: tuple[int, ...], named: Write
) -> None:
    text = f"""
    class Small(nn.Module):
        def __init__(self):
            super().__init__()
            self.look, self.head = nn.Conv2d(3, 10, 3, padding=1), nn.Linear(3, 10)

        def forward(self, x):
            return {gives}
    """
    step = TrainingStep(named(text, loss=loss), 10**9, 0)

    assert step._batch(4)[1].shape == target
    assert torch.isfinite(step.run(4, Precision.FP32))


def test_a_loss_that_needs_more_than_an_answer_is_refused(named: Write) -> None:
    assert "The loss elbo needs more than the answer" in str(named(loss="elbo").why_not())


def test_nothing_is_run_where_only_the_name_is_known(named: Write) -> None:
    step = named("raise SystemExit")
    assert step.named is not None
    with pytest.raises(CannotRunError, match="runs only where somebody names it on the command line"):
        TrainingStep(replace(step, named=replace(step.named, code=None)), 10**9, 0)


def test_a_network_larger_than_the_memory_is_not_built(named: Write) -> None:
    with pytest.raises(CannotRunError, match=r"need 16\.0 GB, more than the 1\.0 GB"):
        TrainingStep(named("raise SystemExit", weights=10**9), 10**9, 0)


def test_another_python_needs_torch_and_nothing_else(named: Write, tmp_path: Path) -> None:
    """Psutil and all others that the advisor needs cannot be imported there, nor the advisor itself."""
    (tmp_path / "sitecustomize.py").write_text(
        dedent("""
        import sys

        class Nothing:
            def find_spec(self, name, path=None, target=None):
                if name in ("advisor", "psutil", "yaml", "pydantic", "platformdirs", "rich", "typer", "polars", "PIL"):
                    raise ImportError(f"{name} is not here")

        sys.meta_path.insert(0, Nothing())
        """)
    )
    other = tmp_path / "python"
    other.write_text(f'#!/bin/sh\nPYTHONPATH="{tmp_path}" exec "{sys.executable}" "$@"\n')
    other.chmod(0o755)

    outcome = timed(named(), python=str(other))

    assert outcome.failure is None
    assert outcome.applies["weights"] == str(WEIGHTS)


def test_a_network_of_timm_is_timed_with_drawn_weights() -> None:
    name = "mobilenetv3_small_050"
    theirs = sum(weights.numel() for weights in library("timm").create_model(name).parameters())
    code = Code(Library.TIMM, name, (Argument((3, 224, 224)),))
    plan = Workload("cnn", "image", 150528, 10, batch_size=2, threads=1)

    step = TrainingStep(replace(plan, named=NamedNetwork(f"timm:{name}", theirs, "0", code)), 10**9, 0)

    assert step.weights == theirs
    assert torch.isfinite(step.run(2, Precision.FP32))


def test_a_published_text_network_is_built_as_its_configuration_says() -> None:
    """In a child, since there nobody has imported the library before."""
    library("transformers")
    published = published_models()["chronos-t5-tiny"]
    parameters = published.model((16,)).parameters
    plan = Workload("transformer", "text", 4096, 4096, sequence_length=16, batch_size=2, threads=1)

    outcome = timed(
        replace(plan, named=NamedNetwork("chronos-t5-tiny", parameters, "0", published.code((16,)))), seconds=40.0
    )

    assert outcome.failure is None
    assert outcome.applies["weights"] == str(parameters)
