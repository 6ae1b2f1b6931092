"""Verdicts on trials: the winner, by how much beyond noise, and the plan's bets, judged. Pure, no torch here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from advisor.facts.verdict import Verdict
from advisor.training.ladder.candidates import TOPICS, Candidate, Factor, Planned
from advisor.training.ladder.comparing import Scores
from advisor.training.ladder.intervals import Interval, t_interval
from advisor.training.ladder.ladder import Ladder
from advisor.training.ladder.outcome import Best, Bet, Difference, Final, Metric, Winner
from advisor.training.ladder.trial_record import Kind, Trial

FEWEST_PAIRS = 3
"""Folds that both sides of a bet must share before anything is said of it."""
_ORDER = (Kind.TRIVIAL, Kind.BASELINE, Kind.NETWORK)
DOUBTS = "the held-out examples do not bear it out, a training was too short, or nothing beats looking at no input"
CUT_MARK = " (cut)"
"""After the name of what the clock has cut, so that its scores are worse than they could be."""
_SHOWN = (Verdict.CONFIRMED, Verdict.OVERTURNED)


def best(ladder: Ladder, metric: Metric, trials: Sequence[Trial], finals: Sequence[Final]) -> Best | None:
    """The choice of the folds, with its score on the held-out examples, or on the folds where there is no such score."""
    chosen = ladder.leader(trials)
    if chosen is None:
        return None
    for final in finals:
        if final.name == chosen.name:
            return Best(chosen.name, chosen.kind, final.mean, final.low, final.high, chosen.settings_json)
    scores = [score for trial in trials if trial.name == chosen.name for score in trial.scores]
    found = t_interval(scores, overlap=ladder.held_out_share)
    low, high = (found.low, found.high) if found.n > 1 else (found.mean, found.mean)
    if metric.resolves:  # a share; the same on all folds is no certainty
        low = max(0.0, min(low, found.mean - 2 * metric.resolves))
        high = min(1.0, max(high, found.mean + 2 * metric.resolves))
    return Best(chosen.name, chosen.kind, found.mean, low, high, chosen.settings_json, seen=True)


def verdict(
    ladder: Ladder,
    metric: Metric,
    trials: Sequence[Trial],
    finals: Sequence[Final],
    differences: Sequence[Difference],
) -> tuple[Winner, str]:
    """The winner on the examples that selection never saw, with a sentence for people.

    The sides are chosen by the folds alone: of each kind the candidate that these chose.
    """
    leader = ladder.leader(trials)
    if leader is None:
        return Winner.UNFINISHED, "Nothing could be tried."
    known = {final.name for final in finals}
    sides = {kind: chosen.name for kind in _ORDER if (chosen := ladder.leader(trials, kind)) and chosen.name in known}
    if leader.name not in known or len(sides) < 2:
        words = f"On the folds {leader.name} is ahead so far; the held-out examples were not looked at."
        return Winner.UNFINISHED, words
    trivial, baseline, network = (sides.get(kind) for kind in _ORDER)
    if trivial is not None and leader.name != trivial:
        over = difference(differences, leader.name, trivial)
        if over is not None and over.low <= 0:
            words = f"Nothing was better, beyond noise, than {trivial_words(metric)}: what the folds chose, {leader.name}, is"
            return Winner.NOTHING, f"{words} {gain_words(metric, over)}."
    if leader.kind is Kind.TRIVIAL:
        return Winner.NOTHING, _nothing_words(metric, leader.name, finals, differences)
    if network is None or baseline is None:
        missing = "network" if network is None else "baseline"
        over = difference(differences, leader.name, trivial or "")
        gain = f", {gain_words(metric, over)} against {trivial_words(metric)}" if over is not None else ""
        uncompared = ladder.leader(trials, Kind(missing))
        if uncompared is not None:
            words = f"On the folds {leader.name} is ahead{gain}; there was no time to score {uncompared.name}"
            return Winner.UNFINISHED, f"{words}, the best {missing}, on the held-out examples."
        kind = Winner.BASELINE if network is None else Winner.NETWORK
        return kind, f"The best is {leader.name}{gain}. No {missing} could be tried in the time."
    between = difference(differences, network, baseline)
    if between is None:
        return Winner.UNFINISHED, f"On the folds {leader.name} is ahead; the finalists could not be compared."
    untrained = any(final.cut for final in finals if final.name == network)
    return _between(metric, network, baseline, between, untrained)


def _nothing_words(metric: Metric, trivial: str, finals: Sequence[Final], differences: Sequence[Difference]) -> str:
    """Nothing was better on the folds; what the held-out examples say of the best of the others."""
    words = f"On the folds nothing was better than {trivial_words(metric)}."
    found = [over for final in finals if (over := difference(differences, final.name, trivial)) is not None]
    over = max((one for one in found if one.one != trivial), key=lambda one: one.mean, default=None)
    if over is None or over.mean <= 0:
        return words
    beyond = "beyond noise: the two disagree, so try again with another --seed" if over.low > 0 else "within noise"
    return f"{words} On the held-out examples {over.one} is {gain_words(metric, over)}, which is {beyond}."


def _between(metric: Metric, network: str, baseline: str, between: Difference, untrained: bool) -> tuple[Winner, str]:
    if between.low > 0:
        gain = gain_words(metric, between)
        return (
            Winner.NETWORK,
            f"A network is worth it: {network} is {gain} against {baseline}, the best of the others.",
        )
    if between.high < 0:
        gain = gain_words(metric, between.turned())
        cut = f" There was no time for all of {network}'s training, so more may change that." if untrained else ""
        words = f"A network is not worth it here: {baseline} is {gain} against {network}, the best one.{cut}"
        return Winner.BASELINE, words
    words = f"The best network, {network}, and {baseline} cannot be told apart: it is {gain_words(metric, between)}."
    return Winner.NO_DIFFERENCE, words


def advice(
    ladder: Ladder, judged: Winner, trials: Sequence[Trial], finals: Sequence[Final], found: Sequence[Bet]
) -> str:
    """Advice in a sentence that also says where the plan differs from it, and why; empty where that is clear.

    The verdict is about the held-out examples, a bet about the folds: a plan changes only where the folds show that
    something is better.
    """
    known = {final.name for final in finals}
    sides = {kind: one for kind in _ORDER if (one := ladder.leader(trials, kind)) is not None and one.name in known}
    bet = next((bet for bet in found if bet.topic == "network.type"), None)
    keeps = (bet.before if bet.after is None else bet.after) if bet is not None else None
    match judged:
        case Winner.NO_DIFFERENCE:
            simpler = sides[Kind.BASELINE]
            if bet is not None and keeps == sides[Kind.NETWORK].model and bet.verdict in _SHOWN:
                other = bet.rival if keeps == bet.before else bet.before
                better = f"{keeps} was better than {other} beyond noise"
                return f"On the folds, which are more examples, {better}, so the plan is {keeps}."
            taken, words = simpler.model, f"A network is not shown to be worth it; {simpler.name} is the simpler."
        case Winner.NETWORK | Winner.BASELINE:
            taken, words = sides[Kind(judged.value)].model, ""
        case _:
            return ""
    if bet is None or keeps == taken:
        return words
    if bet.verdict in _SHOWN:
        reason = f"on the folds it was better than {bet.rival if keeps == bet.before else bet.before} beyond noise"
    else:
        told = f"on the folds it and {bet.rival} cannot be told apart"
        if doubted(bet):
            told = f"{bet.rival} has not been shown to be: {DOUBTS}"
        reason = f"a plan changes only for what is shown to be better, and {told}"
    return f"{words} The plan stays {keeps}, since {reason}.".strip()


def doubted(bet: Bet) -> bool:
    """True if the folds alone would have decided it."""
    return bet.verdict is Verdict.UNDECIDED and not bet.low <= 0 <= bet.high


def difference(differences: Sequence[Difference], one: str, other: str) -> Difference | None:
    """One finalist over another, whichever way round it was kept."""
    for found in differences:
        if (found.one, found.other) == (one, other):
            return found
        if (found.other, found.one) == (one, other):
            return found.turned()
    return None


def trivial_words(metric: Metric) -> str:
    """The trivial model, in words."""
    return {"r2": "always saying the mean", "rmse": "repeating an earlier value"}.get(
        metric.name, "always saying the most frequent class"
    )


def trivial_note(metric: Metric) -> str:
    """After its name. Forecasts, which alone are scored by RMSE, have another one."""
    return "repeats the last value, or the one a season before" if metric.name == "rmse" else "looks at no input"


def gain_words(metric: Metric, found: Difference | Bet) -> str:
    """`0.012 better in accuracy (95 % interval 0.004 to 0.020)`; worse where it is below zero, level where nothing shows."""
    mean = found.mean if isinstance(found, Difference) else found.median
    low, high = (found.low, found.high) if mean >= 0 else (-found.high, -found.low)
    word = "better" if mean >= 0 else "worse"
    return f"{gain_shown(metric, abs(mean), word)} (95 % interval {metric.shown(low)} to {metric.shown(high)})"


def gain_shown(metric: Metric, gain: float, word: str) -> str:
    """`0.012 better in accuracy`; `level in accuracy` where the digits that are shown are all zero."""
    shown = metric.shown(gain)
    return f"level in {metric.title}" if float(shown.replace(",", "")) == 0 else f"{shown} {word} in {metric.title}"


def bets(
    ladder: Ladder,
    planned: Planned,
    metric: Metric,
    trials: Sequence[Trial],
    differences: Sequence[Difference],
    judged: Winner | None = None,
) -> tuple[Bet, ...]:
    """The plan's network type, and of the network that was varied its widths, initial weights, activation and optimiser.

    Scores are compared fold by fold. What a plan says of one type of network is not judged by another.

    Args:
        judged: the verdict; where nothing was better than looking at no input, no bet on the type is decided.
    """
    scores, known = ladder.scores(trials), ladder.candidates(trials)
    found = [_type_bet(ladder, planned, metric, trials, scores, known, differences, judged)]
    base = ladder.base(trials)
    if base is not None and base.model == planned.network:
        found += [_factor_bet(factor, base, planned, metric, scores, known) for factor in TOPICS]
    return tuple(bet for bet in found if bet is not None)


def varied(ladder: Ladder, planned: Planned, metric: Metric, trials: Sequence[Trial]) -> tuple[Bet, ...]:
    """The result of each change of the network that was varied, where the plan recommends another one or none.

    As bets on what that network had before; none of them is the plan's.
    """
    scores, known, base = ladder.scores(trials), ladder.candidates(trials), ladder.base(trials)
    if base is None or base.settings is None or base.model == planned.network:
        return ()
    own = base.settings
    as_it_was = Planned(base.model, (), own.hidden_units, own.init, own.activation, own.optimizer)
    found = (_factor_bet(factor, base, as_it_was, metric, scores, known) for factor in TOPICS)
    return tuple(bet for bet in found if bet is not None)


def _type_bet(
    ladder: Ladder,
    planned: Planned,
    metric: Metric,
    trials: Sequence[Trial],
    scores: Scores,
    known: Mapping[str, Candidate],
    differences: Sequence[Difference],
    judged: Winner | None,
) -> Bet | None:
    """The best score of the planned type against the best of any other.

    Undecided is what the held-out examples contradict, and what a network lost that there was no time to train.
    """
    own = [trial for trial in trials if _model(known, trial) == planned.network]
    others = [trial for trial in trials if _model(known, trial) not in (planned.network, "trivial", None)]
    mine, rival = (ladder.leader(side, by_score=True) for side in (own, others))
    if mine is None or rival is None or planned.network is None:
        return None
    interval = _interval(scores, mine.name, rival.name)
    if interval is None:
        return None
    bet = _bet("network.type", "", planned.network, rival.model, metric, interval)
    finalists = [one.name for side in (own, others) if (one := ladder.leader(side)) is not None]
    held_out = difference(differences, mine.name, rival.name) or difference(differences, *finalists)
    contradicted = held_out is not None and (
        (bet.verdict is Verdict.CONFIRMED and held_out.mean < 0)
        or (bet.verdict is Verdict.OVERTURNED and held_out.mean > 0)
    )
    loser = {Verdict.CONFIRMED: rival, Verdict.OVERTURNED: mine}.get(bet.verdict)
    untrained = loser is not None and any(trial.hurried for trial in trials if trial.name == loser.name)
    doubted = contradicted or untrained or judged is Winner.NOTHING
    return _undecided(bet, _no_narrower(interval, metric)) if doubted else bet


def _factor_bet(
    factor: Factor, base: Candidate, planned: Planned, metric: Metric, scores: Scores, known: Mapping[str, Candidate]
) -> Bet | None:
    """The plan's value of a factor against the best other one, all else as in the network that was varied."""
    group = [base, *(c for c in known.values() if c.factor is factor and scores.of(c.name))]
    values: dict[str, tuple[Any, Candidate]] = {}
    for candidate in group:
        assert candidate.settings is not None  # noqa: S101 - networks have them
        value = candidate.settings.value(factor)
        values.setdefault(str(value), (value, candidate))
    before = planned.value(factor)
    mine = values.pop(str(before), None)
    if mine is None or not values:
        return None
    against = {
        name: interval
        for name, (_, candidate) in values.items()
        if (interval := _interval(scores, mine[1].name, candidate.name, len(values))) is not None
    }
    if not against:
        return None
    rival = min(against, key=lambda name: against[name].mean)
    return _bet(TOPICS[factor], base.model, before, values[rival][0], metric, against[rival])


def _interval(scores: Scores, one: str, other: str, looks: int = 1) -> Interval | None:
    """`looks`: rivals of which this one is chosen because it looks best."""
    paired = scores.paired(one, other)
    return None if paired is None or len(paired.gains) < FEWEST_PAIRS else paired.interval(looks)


def _no_narrower(found: Interval, metric: Metric) -> Interval:
    low, high = min(found.low, found.mean - metric.resolves), max(found.high, found.mean + metric.resolves)
    return Interval(found.mean, low, high, found.n)


def _bet(topic: str, network: str, before: Any, rival: Any, metric: Metric, found: Interval) -> Bet:
    """`found` is of `before` over the rival; no narrower than so many examples can tell."""
    unit = metric.name
    found = _no_narrower(found, metric)
    if -metric.matters <= found.low and found.high <= metric.matters:
        decided, after = Verdict.NO_DIFFERENCE, before
    elif found.low > 0:
        decided, after = Verdict.CONFIRMED, before
    elif found.high < 0:
        figures = (-found.mean, -found.high, -found.low)
        return Bet(topic, network, before, rival, rival, Verdict.OVERTURNED, *figures, unit, found.n)
    else:
        decided, after = Verdict.UNDECIDED, None
    return Bet(topic, network, before, rival, after, decided, found.mean, found.low, found.high, unit, found.n)


def _undecided(bet: Bet, found: Interval) -> Bet:
    return replace(bet, after=None, verdict=Verdict.UNDECIDED, median=found.mean, low=found.low, high=found.high)


def _model(known: Mapping[str, Candidate], trial: Trial) -> str | None:
    candidate = known.get(trial.name)
    return candidate.model if candidate is not None else None


def in_order(finals: Sequence[Final], metric: Metric) -> Iterator[Final]:
    """For tables, the best first; names of those whose training was cut are marked."""
    for final in sorted(finals, key=lambda final: -final.mean if metric.greater_is_better else final.mean):
        yield replace(final, name=f"{final.name}{CUT_MARK}") if final.cut else final
