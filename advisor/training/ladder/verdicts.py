"""Verdicts on trials: the winner, by how much beyond noise, and the plan's bets, judged. Pure, no torch here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from advisor.facts.verdict import Verdict
from advisor.training.ladder.candidates import TOPICS, Candidate, Planned
from advisor.training.ladder.comparing import Scores
from advisor.training.ladder.intervals import Interval, of_several, t_interval
from advisor.training.ladder.ladder import Ladder
from advisor.training.ladder.outcome import Best, Bet, Difference, Final, Metric, Winner
from advisor.training.ladder.shares import MEDIAN, share_of
from advisor.training.ladder.trial_record import Kind, Trial
from advisor.training.ladder.variants import DEFAULT

FEWEST_PAIRS = 3
"""Folds that both sides of a bet must share before anything is said of it."""
DOUBTS = "the held-out examples do not bear it out, a training was too short, or nothing beats looking at no input"
CUT_MARK = " (cut)"
"""After the name of what the clock has cut, so that its scores are worse than they could be."""
CHANCE = 0.5
"""The ROC AUC of whoever ranks examples by chance."""
_SHOWN = (Verdict.CONFIRMED, Verdict.OVERTURNED)


@dataclass(frozen=True)
class Judging:
    """The judgement of a run: by its trials on the folds, and its finalists on examples that selection never saw."""

    ladder: Ladder
    metric: Metric
    trials: Sequence[Trial]
    finals: Sequence[Final] = ()
    differences: Sequence[Difference] = ()

    @cached_property
    def _leader(self) -> Candidate | None:
        return self.ladder.leader(self.trials)

    @cached_property
    def _sides(self) -> Mapping[Kind, Candidate]:
        """Of each kind the candidate that the folds alone chose, where it was scored on held-out examples."""
        finalists = {final.name for final in self.finals}
        chosen = {kind: self.ladder.leader(self.trials, kind) for kind in Kind}
        return {kind: one for kind, one in chosen.items() if one is not None and one.name in finalists}

    @cached_property
    def _known(self) -> Mapping[str, Candidate]:
        return self.ladder.candidates(self.trials)

    @cached_property
    def _scores(self) -> Scores:
        return self.ladder.scores(self.trials)

    def best(self, judged: Winner | None = None) -> Best | None:
        """The candidate that the plan takes over, with its score on the held-out examples, or on the folds without such scores.

        Args:
            judged: the verdict; without one it is the choice of the folds.
        """
        chosen, resolves = self._taken(judged), self.metric.resolves
        if chosen is None:
            return None
        for final in self.finals:
            if final.name == chosen.name:
                return Best(chosen.name, chosen.kind, final.mean, final.low, final.high, chosen.settings_json)
        scores = [score for trial in self.trials if trial.name == chosen.name for score in trial.scores]
        found = t_interval(scores, overlap=self.ladder.held_out_share)
        low, high = (found.low, found.high) if found.n > 1 else (found.mean, found.mean)
        if resolves:  # a share; the same on all folds is no certainty
            low, high = max(0.0, min(low, found.mean - 2 * resolves)), min(1.0, max(high, found.mean + 2 * resolves))
        return Best(chosen.name, chosen.kind, found.mean, low, high, chosen.settings_json, seen=True)

    def verdict(self) -> tuple[Winner, str]:
        """The winner on the examples that selection never saw, with a sentence for people."""
        leader = self._leader
        if leader is None:
            return Winner.UNFINISHED, "Nothing could be tried."
        if all(final.name != leader.name for final in self.finals) or len(self._sides) < 2:
            words = f"On the folds {leader.name} is ahead so far; the held-out examples were not looked at."
            return Winner.UNFINISHED, words
        trivial, baseline, network = (self._sides[kind].name if kind in self._sides else "" for kind in Kind)
        over = self.difference(leader.name, trivial)
        if leader.kind is Kind.TRIVIAL or not self._beyond_trivial(leader, over):
            other = self._forecaster(trivial)
            if other is not None:
                return self._compared(other, self.difference(other.name, trivial), network, baseline)
            ranked = self._ranked()
            if not ranked or not (network or baseline):
                return Winner.NOTHING, self._nothing_words(leader, over)
            kind, words = self._compared(leader, over, network, baseline)
            return kind, f"{ranked} {words}"
        return self._compared(leader, over, network, baseline)

    def _forecaster(self, trivial: str) -> Candidate | None:
        """Of a series, whose folds are earlier times than the held-out examples, the best that is better than an earlier
        value on these, whatever the folds chose; None where none is beyond the noise of the best of several."""
        if self.metric.task != "forecast":
            return None
        found = [
            (gain, one) for one in self._sides.values() if (gain := self.difference(one.name, trivial)) is not None
        ]
        surely = [(gain.mean, one) for gain, one in found if of_several(gain.mean, gain.low, len(found)) > 0]
        return max(surely, key=lambda two: two[0], default=(0.0, None))[1]

    def _compared(self, leader: Candidate, over: Difference | None, network: str, baseline: str) -> tuple[Winner, str]:
        """The best network against the best of the others."""
        metric = self.metric
        if not network or not baseline:
            missing = "baseline" if network else "network"
            beyond = over is not None and self._beyond_trivial(leader, over)
            gain = f", {gain_words(metric, over)} against {trivial_words(metric)}" if over and beyond else ""
            uncompared = self.ladder.leader(self.trials, Kind(missing))
            if uncompared is not None:
                words = f"On the folds {leader.name} is ahead{gain}; there was no time to score {uncompared.name}"
                return Winner.UNFINISHED, f"{words}, the best {missing}, on the held-out examples."
            kind = Winner.NETWORK if network else Winner.BASELINE
            return kind, f"The best is {leader.name}{gain}. No {missing} could be tried in the time."
        between = self.difference(network, baseline)
        if between is None:
            return Winner.UNFINISHED, f"On the folds {leader.name} is ahead; the finalists could not be compared."
        judged, words = self._between(network, baseline, between)
        return judged, f"{words} {self._disagreement(network if judged is Winner.NETWORK else baseline)}".strip()

    def _disagreement(self, won: str) -> str:
        """A sentence on a finalist that the folds did not choose and that is better on the held-out examples, beyond the noise
        of the best of several; empty without one. It chooses nothing: its score there would look better than it is."""
        chosen = {one.name for one in self._sides.values()}
        others = [final.name for final in self.finals if final.name not in chosen and final.kind is not Kind.TRIVIAL]
        gains = [gain for name in others if (gain := self.difference(name, won)) is not None]
        best = max(gains, key=lambda gain: gain.mean, default=None)
        if best is None or of_several(best.mean, best.low, len(gains)) <= 0:
            return ""
        told = f"On the held-out examples {best.one} is {gain_words(self.metric, best)} against {won}"
        return f"{told}, and on the folds it was behind: the two differ, so neither is sure."

    def _beyond_trivial(self, leader: Candidate, over: Difference | None) -> bool:
        """True if the held-out examples show that it is better than looking at no input.

        By average precision alone whoever guesses looks better than that, the more so the fewer examples the class has, so
        the ranking must show it.
        """
        if over is None:
            return True
        ranking = next((final.ranking for final in self.finals if final.name == leader.name), None)
        guessed = self.metric.name == "average_precision" and ranking is not None and ranking.low <= CHANCE
        return over.low > 0 and not guessed

    def _ranked(self) -> str:
        """A sentence on the finalist that puts examples of a class before others better than chance; empty where none does."""
        found = [(final.ranking, final.name) for final in self.finals if final.ranking is not None]
        ranking, name = max(found, key=lambda one: one[0].surely, default=(None, ""))
        if ranking is None or ranking.surely <= CHANCE:
            return ""
        return (
            f"By {self.metric.title} nothing was better, beyond noise, than {trivial_words(self.metric)}; but {name} puts "
            f"examples of a class before others more often than by chance (ROC AUC {ranking.auc:.2f}, 95 % interval "
            f"{ranking.low:.2f} to {ranking.high:.2f}), so something can be learned."
        )

    def _nothing_words(self, leader: Candidate, over: Difference | None) -> str:
        """Nothing was better: what the folds chose, or where that looks at no input the best of the others."""
        metric, trivial = self.metric, trivial_words(self.metric)
        ranking = next((final.ranking for final in self.finals if final.name == leader.name), None)
        if leader.kind is not Kind.TRIVIAL and over is not None and over.low > 0 and ranking is not None:
            return (
                f"Nothing was better than {trivial} that is more than a guess: what the folds chose, {leader.name}, has more "
                f"{metric.title}, as guesses at a rare class have too, and its ROC AUC is {ranking.auc:.2f} (95 % interval "
                f"{ranking.low:.2f} to {ranking.high:.2f}), where 0.5 is chance."
            )
        if leader.kind is not Kind.TRIVIAL and over is not None:
            words = f"Nothing was better, beyond noise, than {trivial}: what the folds chose, {leader.name}, is"
            return f"{words} {gain_words(metric, over)}."
        words = f"On the folds nothing was better than {trivial}."
        found = [gain for final in self.finals if (gain := self.difference(final.name, leader.name)) is not None]
        found = [gain for gain in found if gain.one != leader.name]
        best = max(found, key=lambda one: one.mean, default=None)
        if best is None or best.mean <= 0:
            return words
        again = "try again with another --seed"
        if metric.task == "forecast":  # there is one way to divide a series
            again = "what comes later may differ from what came before"
        beyond = "is within noise"
        if best.low > 0:
            surely = of_several(best.mean, best.low, len(found)) > 0
            beyond = (
                f"is beyond noise: the two disagree, so {again}" if surely else "the best of several may be by chance"
            )
        return f"{words} On the held-out examples {best.one} is {gain_words(metric, best)}, which {beyond}."

    def _between(self, network: str, baseline: str, between: Difference) -> tuple[Winner, str]:
        if between.low > 0:
            gain = gain_words(self.metric, between)
            words = f"A network is worth it: {network} is {gain} against {baseline}, the best of the others."
            return Winner.NETWORK, f"{words}{self._cut(baseline)}"
        if between.high < 0:
            gain = gain_words(self.metric, between.turned())
            words = (
                f"{self._network(baseline)} is not worth it here: {baseline} is {gain} against {network}, the best one."
            )
            return Winner.BASELINE, f"{words}{self._cut(network)}"
        gain = gain_words(self.metric, between)
        return Winner.NO_DIFFERENCE, f"The best network, {network}, and {baseline} cannot be told apart: it is {gain}."

    def _cut(self, loser: str) -> str:
        """A sentence, after a space, where the clock ended the training of who lost; empty otherwise."""
        if not any(final.cut for final in self.finals if final.name == loser):
            return ""
        return f" There was no time for all of {loser}'s training, so more may change that."

    def _network(self, baseline: str) -> str:
        """Said of a network against this baseline, which may have learned from features of another network."""
        of_features = baseline in self._known and self._known[baseline].backbone
        return "A network of your own" if of_features else "A network"

    def advice(self, judged: Winner, found: Sequence[Bet]) -> str:
        """Advice in a sentence that also says where the plan differs from it, and why; empty where that is clear.

        The verdict is about the held-out examples, a bet about the folds: the plan takes over what won, unless the folds show
        that another type is better, or have not compared the two.
        """
        bet = next((bet for bet in found if bet.topic == "network.type"), None)
        keeps = (bet.before if bet.after is None else bet.after) if bet is not None else None
        match judged:
            case Winner.NO_DIFFERENCE:
                simpler = self._sides[Kind.BASELINE]
                if bet is not None and keeps == self._sides[Kind.NETWORK].model and bet.verdict in _SHOWN:
                    other = bet.rival if keeps == bet.before else bet.before
                    better = f"{keeps} was better than {other} beyond noise"
                    return f"On the folds, which are more examples, {better}, so the plan is {keeps}."
                taken, why = simpler.model, "does without one" if simpler.members else "is the simpler"
                words = f"{self._network(simpler.name)} is not shown to be worth it; {simpler.name} {why}."
            case Winner.NETWORK | Winner.BASELINE:
                taken, words = self._sides[Kind(judged.value)].model, ""
            case _:
                return ""
        if bet is None or keeps == taken:
            return words
        if bet.verdict in _SHOWN:
            reason = f"on the folds it was better than {bet.rival if keeps == bet.before else bet.before} beyond noise"
        else:
            reason = f"too few folds have scored both it and {taken}"
        return f"{words} The plan stays {keeps}, since {reason}.".strip()

    def bets(self, judged: Winner | None = None) -> tuple[Bet, ...]:
        """The plan's network type, and of the network that was varied its widths, initial weights, activation and optimiser.

        Scores are compared fold by fold. What a plan says of one type of network is not judged by another.

        Args:
            judged: the verdict; where nothing was better than looking at no input, no bet on the type is decided.
        """
        of_type, planned = self._type_bet(judged), self.ladder.menu.planned
        taken = self._taken(judged)
        if of_type is not None and taken is not None and taken.kind is Kind.BASELINE and taken.model == of_type.after:
            of_type = replace(of_type, how={"variant": DEFAULT, **taken.settings_json})
        base = self.ladder.base(self.trials)
        own = self._factor_bets(base, planned) if base is not None and base.model == planned.network else ()
        return (of_type, *own) if of_type is not None else tuple(own)

    def varied(self) -> tuple[Bet, ...]:
        """The result of each change of the network that was varied, where the plan recommends another one or none.

        As bets on what that network had before; none of them is the plan's.
        """
        base = self.ladder.base(self.trials)
        if base is None or base.settings is None or base.model == self.ladder.menu.planned.network:
            return ()
        own = base.settings
        as_it_was = Planned(base.model, (), own.hidden_units, own.init, own.activation, own.optimizer)
        return tuple(self._factor_bets(base, as_it_was))

    def _type_bet(self, judged: Winner | None) -> Bet | None:
        """The best score of the planned type against the best of any other, which is the best of many.

        Undecided is what the held-out examples contradict, and what a network lost that there was no time to train. The plan
        then takes over what won, against which the planned type is compared.
        """
        planned, models = self.ladder.menu.planned.network, {name: one.model for name, one in self._known.items()}
        own = [trial for trial in self.trials if models.get(trial.name) == planned]
        others = [trial for trial in self.trials if models.get(trial.name) not in (planned, "trivial", None)]
        mine, rival = (self.ladder.leader(side, by_score=True) for side in (own, others))
        if mine is None or rival is None or planned is None:
            return self._untried(planned, self._won(judged)) if mine is None else None
        rivals = len({trial.name for trial in others if trial.counts})
        won, interval = self._won(judged), self._interval(mine.name, rival.name, rivals)
        if interval is None:
            return self._by_held_out(planned, own, others, won)
        bet = _bet("network.type", "", planned, rival.model, self.metric, interval)
        finalists = [one.name for side in (own, others) if (one := self.ladder.leader(side)) is not None]
        held_out = self.difference(mine.name, rival.name) or self.difference(*finalists)
        contradicted = held_out is not None and (
            (bet.verdict is Verdict.CONFIRMED and held_out.mean < 0)
            or (bet.verdict is Verdict.OVERTURNED and held_out.mean > 0)
        )
        loser = {Verdict.CONFIRMED: rival, Verdict.OVERTURNED: mine}.get(bet.verdict)
        untrained = loser is not None and any(trial.hurried for trial in self.trials if trial.name == loser.name)
        if contradicted or untrained or judged is Winner.NOTHING:
            bet = _undecided(bet, interval, self.metric)
        if won is None or won.model == bet.after or bet.verdict is Verdict.CONFIRMED:
            return bet
        if won.model == planned:
            return bet if bet.verdict is Verdict.OVERTURNED else replace(bet, after=planned)
        interval = self._interval(mine.name, won.name, rivals)
        if interval is None:
            return bet
        against = _bet("network.type", "", planned, won.model, self.metric, interval)
        if against.verdict is Verdict.CONFIRMED or (against.verdict in _SHOWN and bet.verdict not in _SHOWN):
            against = _undecided(against, interval, self.metric)
        return replace(against, after=won.model)

    def _untried(self, planned: str | None, won: Candidate | None) -> Bet | None:
        """The winner is taken over, too, where there was no time to judge the planned type; no score compares the two."""
        if planned is None or won is None or won.model in (planned, "trivial"):
            return None
        of_none = "network.type", "", planned, won.model, won.model, Verdict.UNDECIDED, None, None, None
        return Bet(*of_none, self.metric.name, 0)

    def _by_held_out(
        self, planned: str, own: Sequence[Trial], others: Sequence[Trial], won: Candidate | None
    ) -> Bet | None:
        """The winner is taken over where too few folds have scored both sides; that is no decision between types."""
        mine, rival = self.ladder.leader(own), self.ladder.leader(others)
        if won is None or mine is None or rival is None:
            return None
        rival = rival if won.model == planned else won
        found = self.difference(mine.name, rival.name)
        if found is None:
            return self._untried(planned, won)
        pairs = min(len(final.scores) for final in self.finals if final.name in (mine.name, rival.name))
        return Bet(
            "network.type", "", planned, rival.model, won.model, Verdict.UNDECIDED, found.mean, found.low, found.high,
            self.metric.name, pairs,
        )  # fmt: skip

    def _taken(self, judged: Winner | None) -> Candidate | None:
        """The winner, unless the folds show that the type of the other side is better; the choice of the folds without one."""
        won, of_type = self._won(judged), self._type_bet(judged)
        if won is None or of_type is None or of_type.verdict not in _SHOWN:
            return won or self._leader
        return next((one for one in self._sides.values() if one.model == of_type.after), won)

    def _won(self, judged: Winner | None) -> Candidate | None:
        """The candidate that the verdict names: the simpler where a network and something simpler are level."""
        if judged is Winner.NETWORK:
            return self._sides.get(Kind.NETWORK)
        return self._sides.get(Kind.BASELINE) if judged in (Winner.BASELINE, Winner.NO_DIFFERENCE) else None

    def _factor_bets(self, base: Candidate, planned: Planned) -> Iterator[Bet]:
        """The planned value of each factor against the best other one, all else as in the network that was varied."""
        for factor in TOPICS:
            group = [base, *(c for c in self._known.values() if c.factor is factor and self._scores.of(c.name))]
            values: dict[str, tuple[Any, Candidate]] = {}
            for candidate in group:
                assert candidate.settings is not None  # noqa: S101 - networks have them
                value = candidate.settings.value(factor)
                values.setdefault(str(value), (value, candidate))
            before = planned.value(factor)
            mine = values.pop(str(before), None)
            if mine is None:
                continue
            against = {
                name: interval
                for name, (_, candidate) in values.items()
                if (interval := self._interval(mine[1].name, candidate.name, len(values))) is not None
            }
            if against:
                rival = min(against, key=lambda name: against[name].mean)
                yield _bet(TOPICS[factor], base.model, before, values[rival][0], self.metric, against[rival])

    def _interval(self, one: str, other: str, looks: int = 1) -> Interval | None:
        """`looks`: rivals of which this one is chosen because it looks best."""
        paired = self._scores.paired(one, other)
        return None if paired is None or len(paired.gains) < FEWEST_PAIRS else paired.interval(looks)

    def difference(self, one: str, other: str) -> Difference | None:
        """One finalist over another, whichever way round it was kept."""
        for found in self.differences:
            if (found.one, found.other) == (one, other):
                return found
            if (found.other, found.one) == (one, other):
                return found.turned()
        return None


def doubted(bet: Bet) -> bool:
    """True if the folds alone would have decided it."""
    if bet.low is None or bet.high is None:
        return False
    return bet.verdict is Verdict.UNDECIDED and not bet.low <= 0 <= bet.high


def trivial_words(metric: Metric) -> str:
    """The trivial model, in words."""
    if metric.task == "classify":
        likely = metric.name in ("average_precision", "roc_auc", "log_loss", "brier_score")
        return "giving every example the same probabilities" if likely else "always saying the most frequent class"
    if metric.task == "forecast":
        return "repeating an earlier value"
    share = share_of(metric.name)
    return f"always saying the {'mean' if share is None else 'median' if share == MEDIAN else 'same quantile'}"


def trivial_note(metric: Metric) -> str:
    """After its name."""
    return "repeats the last value, or the one a season before" if metric.task == "forecast" else "looks at no input"


def gain_words(metric: Metric, found: Difference) -> str:
    """`0.012 better in accuracy (95 % interval 0.004 to 0.020)`; worse where it is below zero, level where nothing shows."""
    low, high = (found.low, found.high) if found.mean >= 0 else (-found.high, -found.low)
    word = "better" if found.mean >= 0 else "worse"
    return f"{gain_shown(metric, abs(found.mean), word)} (95 % interval {metric.shown(low)} to {metric.shown(high)})"


def gain_shown(metric: Metric, gain: float, word: str) -> str:
    """`0.012 better in accuracy`; `level in accuracy` where the digits that are shown are all zero."""
    shown = metric.shown(gain)
    return f"level in {metric.title}" if float(shown.replace(",", "")) == 0 else f"{shown} {word} in {metric.title}"


def _no_narrower(found: Interval, metric: Metric) -> Interval:
    low, high = min(found.low, found.mean - metric.resolves), max(found.high, found.mean + metric.resolves)
    return Interval(found.mean, low, high, found.n)


def _bet(topic: str, network: str, before: Any, rival: Any, metric: Metric, found: Interval) -> Bet:
    """`found` is of `before` over the rival; no narrower than so many examples can tell."""
    found = _no_narrower(found, metric)
    mean, low, high = found.mean, found.low, found.high
    if -metric.matters <= low and high <= metric.matters:
        decided, after = Verdict.NO_DIFFERENCE, before
    elif low > 0:
        decided, after = Verdict.CONFIRMED, before
    elif high < 0:
        decided, after = Verdict.OVERTURNED, rival
        mean, low, high = -mean, -high, -low
    else:
        decided, after = Verdict.UNDECIDED, None
    return Bet(topic, network, before, rival, after, decided, mean, low, high, metric.name, found.n)


def _undecided(bet: Bet, found: Interval, metric: Metric) -> Bet:
    """The same figures without a decision; `found` is of `before` over the rival."""
    found = _no_narrower(found, metric)
    return replace(bet, after=None, verdict=Verdict.UNDECIDED, median=found.mean, low=found.low, high=found.high)


def in_order(finals: Sequence[Final], metric: Metric) -> Iterator[Final]:
    """For tables, the best first; names of those whose training was cut are marked."""
    for final in sorted(finals, key=lambda final: -final.mean if metric.greater_is_better else final.mean):
        yield replace(final, name=f"{final.name}{CUT_MARK}") if final.cut else final
