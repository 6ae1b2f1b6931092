"""The result of `advisor try`: what won and by how much beyond noise, what it means for the plan, what to do next."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import replace

from advisor.facts.verdict import Verdict
from advisor.plain import decode
from advisor.report.changes import ENDINGS, STYLES, VERDICTS, untried
from advisor.report.found.insight_page import add_insight, insight_markdown
from advisor.report.markup import plain, table
from advisor.report.page import Look, Page, Style
from advisor.report.words import gathered
from advisor.training.ladder.candidates import MOST_EPOCHS, Member
from advisor.training.ladder.menu import PLAIN, named
from advisor.training.ladder.outcome import Bet, Metric, TrialResults, Winner
from advisor.training.ladder.trial_record import Kind, Stage, Status, Trial
from advisor.training.ladder.verdicts import CUT_MARK, DOUBTS, doubted, gain_shown, in_order, trivial_note
from advisor.wording import join_names, printable, shell_path, shell_word, shorten

SCORES = {
    "accuracy": "Accuracy is the share of examples whose class was told right.",
    "balanced_accuracy": "Balanced accuracy is the mean over the classes of the share told right, however rare a class is.",
    "average_precision": (
        "Average precision is the share of right ones among those that look most like the rarer class, as a mean over all of "
        "its examples; a model that says nothing has the share of that class."
    ),
    "roc_auc": "ROC AUC is how often an example of the rarer class looks more like it than one of the other; 0.5 is chance.",
    "log_loss": "Log loss is the mean of minus the logarithm of the probability of what is true; smaller is better.",
    "mae": "The mean absolute error is the mean distance from the truth, in the units of the target; smaller is better.",
    "r2": "R² is the share of the target's variance that was explained: 1 is all of it, always saying the mean gives 0.",
    "rmse": "RMSE is the root of the mean squared error, in the units of the target; smaller is better.",
}
"""The meaning of a score."""
_DECIDED = (
    "As decisions: of two classes, an example is taken for the rarer one from a probability on (the threshold) that was best "
    "on the folds, or is the share of that class where a run went on that was stopped; of several, the class is taken that "
    "is likeliest beside how rare it is. F1 has a threshold of its own."
)
LEVEL, UNTRIED = "not told apart", "no time"
"""In place of a verdict, where the plan takes over what won."""
MASE = "mase"
_A_SEASON = "the value a season before in the training (the last one, without a season)"
NEW_ONES = "new ones, 95 %"
"""Heads the 95 % prediction interval of the score of as many new examples."""
DECISIONS = ("Candidate", "balanced accuracy", "F1", "threshold", "ROC AUC")
_FEWER_MARK = " (fewer folds)"
_MARKS = {Status.CUT: CUT_MARK, Status.SHORT: _FEWER_MARK}
_NARROWEST_NAME, _WIDEST_NAME, _FIGURES_WIDTH, _MOST_NAMED = 12, 36, 37, 12
_FOR_NETWORKS = 2.5
"""Times what a run has taken that had time for simpler models only."""
TITLES = {
    "network.type": "Network type",
    "network.hidden_units": "Hidden units",
    "network.init": "Initial weights",
    "network.activation": "Activation",
    "training.optimizer": "Optimiser",
}
"""Of the recommendations that trials judge, where no plan names them."""


def trying_page(
    outcome: TrialResults, look: Look, titles: Mapping[str, str] = TITLES, *, with_verdict: bool = True
) -> str:
    """For the terminal, with the titles of the recommendations by topic.

    Args:
        with_verdict: it begins with the verdict, which is not said elsewhere.
    """
    page = Page(look)
    if with_verdict:
        page.heading("what won")
    if outcome.interrupted:
        page.add(("Stopped before the end; this is what is known.", Style.CARE))
    if with_verdict:
        page.add((outcome.says, Style.STRONG))
    title, rows = outcome.metric.title, by_candidate(outcome)
    shown = _shown(rows)
    best = outcome.best.name if outcome.best is not None else ""
    finals, folds = final_rows(outcome), [(name, *figures) for name, _, *figures in fold_rows(outcome, shown)]
    candidate_rows(page, "on examples that selection never saw", {title: 10, NEW_ONES: 16, "seeds": 5}, finals, best)
    widths = dict(zip(DECISIONS[1:], (18, 6, 10, 8), strict=True))
    candidate_rows(page, "as decisions for a class", widths, decision_rows(outcome), best)
    candidate_rows(page, "on the folds", {title: 16, "folds": 5, "seconds": 8}, folds)
    if len(shown) < len(rows):
        page.add((f"and {len(rows) - len(shown)} more variations; --format json has them all", Style.FAINT))
    add_insight(page, outcome)
    if outcome.bets:
        page.heading("before -> measured -> after")
    for bet, (title, before, verdict, after, sentence) in zip(outcome.bets, bet_rows(outcome, titles), strict=True):
        said = (verdict, STYLES[bet.verdict])
        page.add((title, Style.STRONG), f": {before} -> ", said, f" -> {after}", first="  ")
        page.add(sentence, first="    ")
    page.section("what changes of the network showed", changes_shown(outcome, titles))
    _not_tried(page, outcome)
    page.section("how it was tried", how(outcome, shown))
    page.heading("what to do next")
    for words, command in next_steps(outcome):
        page.add(words, first="- ")
        if command:
            page.verbatim(command, first="    ")
    return page.text()


def trying_markdown(outcome: TrialResults, titles: Mapping[str, str] = TITLES) -> str:
    """The same as a report."""
    name = printable(outcome.data.path.rstrip("/").rpartition("/")[2])
    lines = [f"# Tried on {plain(name)}", "", plain(outcome.says), ""]
    if outcome.finals:
        lines += ["## On examples that selection never saw"]
        lines += table(["Candidate", outcome.metric.title, NEW_ONES, "Seeds"], final_rows(outcome))
    if decided := decision_rows(outcome):
        lines += ["## As decisions for a class"]
        lines += table(list(DECISIONS), decided)
    if outcome.trials:
        lines += ["## On the folds"]
        lines += table(["Candidate", "Stage", outcome.metric.title, "Folds", "Seconds"], fold_rows(outcome))
    lines += insight_markdown(outcome)
    if outcome.bets:
        lines += ["## What it means for the plan"]
        lines += table(["What", "Before", "Measured", "After", "How"], bet_rows(outcome, titles))
    if outcome.varied:
        lines += ["## What changes of the network showed", ""]
        lines += [f"- {plain(sentence)}" for sentence in changes_shown(outcome, titles)] + [""]
    if outcome.not_tried:
        lines += ["## Not tried", ""]
        lines += [f"- {plain(one.name)}: {plain(one.reason)}" for one in outcome.not_tried] + [""]
    lines += ["## How it was tried", "", *(f"- {plain(sentence)}" for sentence in how(outcome))]
    return "\n".join([*lines, ""])


def fold_rows(outcome: TrialResults, rows: Sequence[Trial] | None = None) -> list[tuple[str, ...]]:
    """Each of these candidates, or of all, on the folds: name, stage, score, folds, seconds."""
    return [
        (row.name, row.stage.value, amount(outcome.metric, row.scores), str(len(row.scores)), f"{row.seconds:.1f}")
        for row in (by_candidate(outcome) if rows is None else rows)
    ]


def bet_rows(outcome: TrialResults, titles: Mapping[str, str]) -> list[tuple[str, str, str, str, str]]:
    """Each bet on the plan's own network: title, before, verdict, after, the comparison in a sentence."""
    return [
        (
            titles.get(bet.topic, TITLES.get(bet.topic, bet.topic)),
            value(bet.before),
            UNTRIED if bet.n == 0 else LEVEL if taken_over(bet) else VERDICTS[bet.verdict],
            value(bet.before if bet.after is None else bet.after),
            bet_sentence(bet, outcome.metric),
        )
        for bet in outcome.bets
    ]


def taken_over(bet: Bet) -> bool:
    """True if the plan takes over what won, which is not shown to be better."""
    return bet.verdict not in (Verdict.CONFIRMED, Verdict.OVERTURNED) and bet.after not in (None, bet.before)


def changes_shown(outcome: TrialResults, titles: Mapping[str, str] = TITLES) -> list[str]:
    """`Activation: gelu against relu with ffn: 0.007 better in accuracy (...).`, of a network that is not the plan's."""
    named = {**TITLES, **titles}
    return [f"{named.get(bet.topic, bet.topic)}: {bet_sentence(bet, outcome.metric)}" for bet in outcome.varied]


def bet_sentence(bet: Bet, metric: Metric) -> str:
    """`he against glorot: 0.004 better in accuracy (95 % interval 0.001 to 0.007, 15 pairs of scores).`"""
    if bet.median is None or bet.low is None or bet.high is None:
        return untried(value(bet.before), value(bet.rival))
    one, other = (bet.rival, bet.before) if bet.verdict is Verdict.OVERTURNED else (bet.before, bet.rival)
    median, low, high = bet.median, bet.low, bet.high
    if median < 0:
        one, other, median, low, high = other, one, -median, -high, -low
    pairs = "1 pair" if bet.n == 1 else f"{bet.n} pairs"
    figures = f"(95 % interval {metric.shown(low)} to {metric.shown(high)}, {pairs} of scores)"
    ending = f", which is not decided: {DOUBTS}" if doubted(bet) else ENDINGS.get(bet.verdict, "")
    with_ = f" with {bet.network}" if bet.network else ""
    return f"{value(one)} against {value(other)}{with_}: {gain_shown(metric, median, 'better')} {figures}{ending}."


def value(found: object) -> str:
    if isinstance(found, list | tuple):
        return "-".join(map(str, found)) or "none"
    return printable(str(found))


def how(outcome: TrialResults, shown: Sequence[Trial] | None = None) -> list[str]:
    """The split, the folds, the seconds, in sentences; `shown` are the rows whose marks are explained, None for all."""
    data = outcome.data
    folds = f"{data.folds} {'fold' if data.folds == 1 else 'folds'}"
    sentences = [
        f"{data.examples:,} examples; {data.held_out:,} of them were held out first and chose nothing. {data.how}",
        f"Everything was chosen by scores on the others, {folds} at a time, the same for every candidate.",
        SCORES.get(outcome.metric.name, ""),
        _DECIDED if decision_rows(outcome) else "",
        _scaled(outcome),
        _averaged(outcome),
        _why_not_the_best_score(outcome),
        f"It took {outcome.seconds:.0f} s; about a fifth of the time was held in reserve for the held-out examples. "
        f"Networks had at most {MOST_EPOCHS} epochs a training.",
    ]
    if outcome.insight is not None:
        sentences.append(
            f"What is said about {outcome.insight.of} is of one model on the held-out examples. A column is shuffled among them "
            "before it is prepared; columns that say the same stand in for each other. Intervals of columns and of parts of the "
            "data hold for all that were looked at together."
        )
    rows = by_candidate(outcome) if shown is None else shown
    if any(row.kind is Kind.TRIVIAL for row in rows):
        sentences.append(f"trivial ({trivial_note(outcome.metric)}) is what everything else has to beat.")
    if any(PLAIN in row.name for row in rows):
        sentences.append("plain: trained as scikit-learn's network is, unless it is told otherwise.")
    if any(len(row.scores) > 1 for row in rows):
        sentences.append("± is how far the scores of the folds lie apart (a standard deviation).")
    if any(row.status is Status.CUT or row.hurried for row in rows) or any(final.cut for final in outcome.finals):
        sentences.append("(cut): there was no time for all of its training; with more it may be better.")
    if any(row.status is Status.SHORT for row in rows):
        sentences.append(
            "(fewer folds): there was no time for it on every fold. It is chosen only where it is better on those by more "
            "than noise, or on one than the others are on any."
        )
    if outcome.resumed:
        sentences.append(f"{outcome.resumed} trials are from a run that was stopped before.")
    return [sentence for sentence in (*sentences, data.left_out, *outcome.notes) if sentence]


def _averaged(outcome: TrialResults) -> str:
    """The models of an average that won, and how much each counts."""
    told = outcome.best.settings.get("members", ()) if outcome.best is not None else ()
    if outcome.best is None or not told:
        return ""
    parts = [named(one) for one in (decode(Member, each) for each in told)]
    return (
        f"{outcome.best.name} is the average of what its models say: {join_names(parts)}. It was chosen since no model alone was "
        "better on the folds by more than noise."
    )


def _why_not_the_best_score(outcome: TrialResults) -> str:
    """A candidate that scored higher on the folds than the chosen one, although both predict probabilities."""
    done = [trial for trial in by_candidate(outcome) if trial.status is Status.DONE and not trial.hurried]
    names = [trial.name for trial in done if trial.stage is not Stage.VARIATIONS]
    sure = all(trial.losses for trial in outcome.trials if trial.counts)
    if not sure or outcome.best is None or outcome.best.name not in names[1:]:
        return ""
    losses = {
        name: statistics.fmean(loss for trial in outcome.trials if trial.name == name for loss in trial.losses)
        for name in (names[0], outcome.best.name)
    }
    if losses[outcome.best.name] >= losses[names[0]]:  # it was taken since it is the simpler
        return ""
    return (
        f"{names[0]} scored higher on the folds by no more than noise; {outcome.best.name} was chosen, whose probabilities "
        "tell the classes apart better."
    )


def _scaled(outcome: TrialResults) -> str:
    """The MASE of each finalist of a forecast; empty of others."""
    told = [f"{final.name} {final.also[MASE]:.2f}" for final in outcome.finals if MASE in final.also]
    return f"MASE: {join_names(told)}. The mean error, where 1 is that of {_A_SEASON}." if told else ""


def next_steps(outcome: TrialResults) -> list[tuple[str, str]]:
    """The next steps, each with its command."""
    data = outcome.data
    inspected = shell_path(data.path) + (f" --target {shell_word(data.target)}" if data.target else "")
    stated = outcome.stated or (f"--set task.kind={data.task}" if data.task_told else "")
    inputs = f"--data {inspected} {stated}".rstrip()
    again = f"advisor try {inputs} {outcome.told}".rstrip()
    steps = []
    if outcome.interrupted:
        steps.append(("Give the very same command again: it takes what is finished, and goes on.", ""))
    elif not any(trial.kind is Kind.NETWORK and trial.counts for trial in outcome.trials):
        enough = max(60, math.ceil(outcome.seconds * _FOR_NETWORKS / 30) * 30)
        words = f"No network was reached in the time. About {enough} s would do, as far as the simpler models tell."
        steps.append((words, f"{again} --budget {enough}s"))
    elif outcome.verdict is Winner.UNFINISHED:
        steps.append(("Give it more time.", f"{again} --budget 10min"))
    if outcome.verdict is Winner.NOTHING:
        words = "Look at the data first: the target may not follow from these columns."
        if data.task == "forecast":
            words = "Look at the data first: what comes next may follow from other values, or from none."
        steps.append((words, f"advisor inspect {inspected}"))
    elif outcome.verdict is Winner.NO_DIFFERENCE:
        steps.append(("More examples, or more time, would tell more.", f"{again} --budget 10min"))
    if outcome.keeping is not None:
        saving = " ".join(filter(None, (again, outcome.keeping, "--save model")))
        steps.append(("Keep the winner in a folder.", saving))
        steps.append(("Then predict for new data.", "advisor apply model --data NEW --output PREDICTIONS.csv"))
    return [*steps, ("See the plan with what was measured here.", f"advisor recommend {inputs}")]


def amount(metric: Metric, scores: Sequence[float]) -> str:
    """`0.973 ± 0.010`: the mean over the folds and how far they lie apart (a standard deviation)."""
    if not scores:
        return "-"
    spread = f" ± {metric.shown(statistics.stdev(scores))}" if len(scores) > 1 else ""
    return f"{metric.shown(statistics.fmean(scores))}{spread}"


def by_candidate(outcome: TrialResults) -> list[Trial]:
    """For tables: the trials of each candidate as one, the best first; what failed is left out.

    What had no time for all folds of its first rung, or for a whole training, is marked in its name.
    """
    joined: dict[str, Trial] = {}
    for trial in outcome.trials:
        known = joined.get(trial.name)
        if trial.counts and known is not None:
            scores, seconds = (*known.scores, *trial.scores), known.seconds + trial.seconds
            joined[trial.name] = replace(known, scores=scores, seconds=seconds, hurried=known.hurried or trial.hurried)
        elif trial.counts:
            joined[trial.name] = trial
    sign = -1 if outcome.metric.greater_is_better else 1
    ordered = sorted(joined.values(), key=lambda trial: sign * statistics.fmean(trial.scores))
    marks = (_MARKS.get(trial.status, CUT_MARK if trial.hurried else "") for trial in ordered)
    return [replace(trial, name=f"{trial.name}{mark}") for trial, mark in zip(ordered, marks, strict=True)]


def _cell(name: str, width: int) -> str:
    """A candidate's name, cut where it is too long, but never its mark."""
    mark = next((mark for mark in _MARKS.values() if name.endswith(mark)), "")
    return f"{shorten(name.removesuffix(mark), width - len(mark))}{mark}"


def candidate_rows(
    page: Page, heading: str, figures: Mapping[str, int], rows: Sequence[Sequence[str]], best: str = ""
) -> None:
    """Candidates, as far as the figures leave room for their names, with figures of these widths."""
    if not rows:
        return
    page.heading(heading)
    room = max(_NARROWEST_NAME, min(_WIDEST_NAME, page.look.columns - _FIGURES_WIDTH))
    widths = (room, *figures.values())
    page.columns([(word,) for word in ("candidate", *figures)], widths)
    for name, *cells in rows:
        style = Style.STRONG if name.removesuffix(CUT_MARK) == best else Style.PLAIN
        page.columns([((_cell(name, room), style),), *((cell,) for cell in cells)], widths)


def final_rows(outcome: TrialResults) -> list[list[str]]:
    shown = outcome.metric.shown
    return [
        [f.name, shown(f.mean), f"{shown(f.low)} to {shown(f.high)}", str(len(f.scores))]
        for f in in_order(outcome.finals, outcome.metric)
    ]


def decision_rows(outcome: TrialResults) -> list[list[str]]:
    """The worth of each finalist when it has to decide, where a class is rare; columns as `DECISIONS` names them."""
    rows = []
    for final in in_order(outcome.finals, outcome.metric):
        if final.also and final.ranking is not None:
            threshold = final.thresholds.get("balanced_accuracy")
            cells = [f"{final.also[name]:.3f}" if name in final.also else "-" for name in ("balanced_accuracy", "f1")]
            rows.append([final.name, *cells, "-" if threshold is None else f"{threshold:.3g}"])
            rows[-1].append(f"{final.ranking.auc:.3f}")
    return rows


def decided(outcome: TrialResults) -> str:
    """The same of the best in a sentence, or its MASE; empty where neither applies."""
    best = outcome.best.name if outcome.best is not None else ""
    final = next((one for one in outcome.finals if one.name == best and one.also), None)
    if final is not None and MASE in final.also:
        return f"Its MASE is {final.also[MASE]:.2f}: its mean error, where 1 is that of {_A_SEASON}."
    if final is None or final.ranking is None:
        return ""
    threshold = final.thresholds.get("balanced_accuracy")
    taken = (
        "As decisions"
        if threshold is None
        else f"Deciding for the rarer class from a probability of {threshold:.2f} on"
    )
    return f"{taken}: balanced accuracy {final.also['balanced_accuracy']:.2f}, ROC AUC {final.ranking.auc:.2f}."


def _shown(rows: Sequence[Trial]) -> list[Trial]:
    """The rows that a page has room for, in their order: of many variations only the best."""
    most = max(0, _MOST_NAMED - sum(row.stage is not Stage.VARIATIONS for row in rows))
    hidden = [row.name for row in rows if row.stage is Stage.VARIATIONS][most:]
    return [row for row in rows if row.name not in hidden]


def _not_tried(page: Page, outcome: TrialResults) -> None:
    reasons = gathered((one.reason, one.name) for one in outcome.not_tried)
    for reason, names in reasons.items():
        variations = [name for name in names if ", " in name]
        if len(variations) > 2:
            of = variations[0].partition(", ")[0]
            reasons[reason] = [*(n for n in names if n not in variations), f"{len(variations)} variations of {of}"]
    page.reasons("not tried", reasons)


def trial_line(trial: Trial, metric: Metric) -> str:
    """One line for a finished trial, where there is no live table."""
    if trial.status in (Status.FAILED, Status.SLOW):
        word = "failed" if trial.status is Status.FAILED else "not begun"
        return f"{trial.name}: {word}. {trial.failure or ''}".rstrip()
    short = f", {trial.status.value}" if trial.status in _MARKS else ""
    more = "more " if trial.rung else ""
    folds = f"{len(trial.scores)} {more}{'fold' if len(trial.scores) == 1 else 'folds'}"
    said = f"{trial.name}: {metric.title} {amount(metric, trial.scores)} on {folds}, {trial.seconds:.1f} s{short}"
    return said if trial.kind is not Kind.TRIVIAL else f"{said} ({trivial_note(metric)})"
