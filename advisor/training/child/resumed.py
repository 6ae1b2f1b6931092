"""The answers on folds that a run lacks which goes on after a stop: scores are kept, answers are not."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from advisor.training.ladder.candidates import TOGETHER, Candidate
from advisor.training.ladder.menu import MODELS
from advisor.training.ladder.trial_record import Trial


def lacking(finished: Sequence[Trial], known: Mapping[str, Candidate], seen: Collection[str], *, guessed: bool) -> str:
    """A sentence for people on what the lost answers leave undone; empty where that is nothing.

    Args:
        finished: the trials of before the stop.
        known: candidates by their names.
        seen: names of those whose answers are known.
        guessed: a finalist's threshold for a rare class had to be chosen without its answers.
    """
    tried = [known[trial.name] for trial in finished if trial.counts and trial.name in known]
    simple = {one.name for one in tried if one.model in MODELS and not (one.lagged or one.backbone)}
    lost, there = simple - set(seen), {name for name in seen if name in known and known[name].model in MODELS}
    averaged = any(one.model == TOGETHER for one in tried)
    missing = ["they are in no average of several models"] if lost and len(lost | there) > 1 and not averaged else []
    if guessed and finished:
        missing.append("the threshold for the rarer class is its share of the examples")
    if not missing:
        return ""
    return (
        f"Of models tried before the stop only scores are kept, so {' and '.join(missing)}. --fresh tries them again."
    )
