"""A run that goes on says what it lacks of the models that were tried before the stop, where that matters."""

from __future__ import annotations

from dataclasses import replace

from advisor.training.child.resumed import lacking
from advisor.training.ladder.candidates import TOGETHER, Candidate
from advisor.training.ladder.trial_record import Kind, Stage, Trial

LINEAR = Candidate("linear", Kind.BASELINE, Stage.BASELINES, "linear")
SLOW = replace(LINEAR, name="linear, stronger penalty", variant="stronger_penalty")
FOREST = Candidate("random forest", Kind.BASELINE, Stage.BASELINES, "random_forest")
BOTH = Candidate("linear + random forest", Kind.BASELINE, Stage.TOGETHER, TOGETHER)
NETWORK = Candidate("ffn 8", Kind.NETWORK, Stage.NETWORKS, "ffn")
KNOWN = {one.name: one for one in (LINEAR, SLOW, FOREST, BOTH, NETWORK)}


def told(*finished: Candidate, seen: tuple[str, ...] = (), guessed: bool = False) -> str:
    trials = [Trial(one.name, one.kind, one.stage, 0, scores=(0.5,)) for one in finished]
    return lacking(trials, KNOWN, seen, guessed=guessed)


def test_that_models_are_in_no_average_is_told_unless_there_could_be_none_or_was_one() -> None:
    average = "Of models tried before the stop only scores are kept, so they are in no average of several models."
    assert told(LINEAR, FOREST).startswith(average)
    assert told(LINEAR, seen=(FOREST.name,)).startswith(average)
    assert told(LINEAR, NETWORK, seen=(NETWORK.name,)) == "", "networks are in no average"
    assert told(LINEAR, seen=(SLOW.name, FOREST.name)).startswith(average), "another setting is another model"
    assert told(LINEAR, seen=(LINEAR.name, FOREST.name)) == "", "it was tried again"
    assert told(LINEAR, FOREST, BOTH) == ""
    assert told() == ""


def test_a_threshold_that_was_guessed_is_told() -> None:
    share = "the threshold for the rarer class is its share of the examples. --fresh tries them again."
    assert told(LINEAR, guessed=True).endswith(f"only scores are kept, so {share}")
    assert told(LINEAR, FOREST, guessed=True).endswith(f"average of several models and {share}")
    assert told(guessed=True) == ""
