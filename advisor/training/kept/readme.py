"""The page beside a saved model: what it predicts, from what, how well, and how to apply it."""

from __future__ import annotations

from advisor.datasets.dataset import Task
from advisor.datasets.intake import Source
from advisor.training.kept.card import Card
from advisor.training.ladder.backbones import ENCODERS, library_of, reads_texts
from advisor.training.ladder.shares import is_moved, share_of
from advisor.training.ladder.trial_record import Kind
from advisor.training.ladder.variants import BOOSTERS
from advisor.wording import join_first, printable, shorten

MOST_COLUMNS = 200


def readme(card: Card) -> str:
    """As Markdown."""
    title = card.intake.target.name if card.intake.target is not None else "classes"
    parts = [
        f"# A model that predicts {_code(title)}",
        f"{card.name}, {'which the folds chose' if card.warning else 'the winner'} among the models that were tried; made on "
        f"{card.made} from {_code(card.data)} by `advisor try --save`. {card.warning}".rstrip(),
        "## What it predicts",
        _predicts(card),
        "## From what",
        _from(card),
        "## How good it is",
        _good(card),
        "## How to apply it",
        f"    advisor apply FOLDER --data {_example(card)} --output PREDICTIONS.csv",
        _applying(card),
        *(f"It needs {name}: `pip install '{BOOSTERS[name]}'`." for name in BOOSTERS if name in card.versions),
        "## Files",
        "`card.json` says all of this to programs. The `.skops` files are read by skops (never unpickled), `weights.pt`, "
        "if there is one, by torch as weights only.",
    ]
    return printable("\n\n".join(parts)) + "\n"


def _predicts(card: Card) -> str:
    if card.intake.task is Task.CLASSIFY:
        names = join_first([_code(name) for name in card.intake.classes], 20)
        told = f"One of {len(card.intake.classes):,} classes, with the probability of each: {names}."
        if card.deciding is None:
            return told
        rule = card.deciding.words([_code(name) for name in card.intake.classes])
        return f"{told} {rule}, as it served balanced accuracy best in the trials: {card.deciding.score:.2f}."
    if card.intake.source is Source.SERIES:
        steps = int(card.intake.reading["horizon"])
        many = "The next step" if steps == 1 else f"The next {steps:,} steps"
        return (
            f"{many} of a series, with a low and a high value between which nine in ten are expected, as they were of the "
            f"steps that were held out, separately for each step ahead.{_quantile(card)}"
        )
    return (
        "A number, with a low and a high value between which nine in ten are expected, as they were of the examples that "
        f"were held out.{_quantile(card)}"
    )


def _quantile(card: Card) -> str:
    """A sentence with a space before it where the prediction is no mean; empty elsewhere."""
    share = share_of(card.metric.name)
    if share is None or not is_moved(share):  # several models take the mean for the median
        return ""
    return (
        f" The number itself is the quantile that the metric asks for: about {100 * share:g} % are expected below it."
    )


def _from(card: Card) -> str:
    if card.intake.source is Source.SERIES:
        return _from_series(card)
    if card.intake.source is not Source.TABLE:
        return f"A {card.intake.source}. {_through(card)}".rstrip()
    rows = "".join(f"| {_code(one.name)} | {one.kind} |\n" for one in card.intake.columns[:MOST_COLUMNS])
    more = len(card.intake.columns) - MOST_COLUMNS
    rest = f"\nAnd {more:,} more columns, which `card.json` lists.\n" if more > 0 else ""
    through = _through(card)
    return f"| column | holds |\n| --- | --- |\n{rows}{rest}".rstrip() + (f"\n\n{through}" if through else "")


def _through(card: Card) -> str:
    if (backbone := card.backbone) is None:
        return ""
    texts = reads_texts(backbone.name)
    place = f"Hugging Face's own cache, as {_code(ENCODERS[backbone.name])}" if texts else "torch's own cache"
    return (
        f"The model learned from what {_code(backbone.name)} of {library_of(backbone.name)} makes of a "
        f"{'text' if texts else 'picture'}, a network that others trained. Its weights are not in this folder: applying needs "
        f"them in {place}, in the file {_code(backbone.file)} with the SHA-256 {backbone.sha256}"
        f"{' (that of settings and words, too)' if texts else ''}."
    )


def _from_series(card: Card) -> str:
    intake = card.intake
    values = join_first([_code(one.name) for one in intake.columns], 20)
    apart = f" of a series for each {_code(intake.group.name)}" if intake.group is not None else ""
    time = "" if intake.time is None else _code(intake.time.name)
    told = (
        f"A table with a row for each time{apart}: {time}, {values}. The last {card.needs:,} steps are needed at least."
    )
    if card.kind is Kind.TRIVIAL:
        told += f" The model repeats the value of {'the step' if card.back == 1 else f'{card.back:,} steps'} before."
    elif card.variant:
        told += (
            " The model is a statistical one, so nothing of it is stored but its name: it is fitted anew to the series that it "
            "is applied to, the more exactly the longer that is."
        )
    return told


def _good(card: Card) -> str:
    shown = card.metric.shown
    better = "more" if card.metric.greater_is_better else "less"
    if card.variant or card.kind is Kind.TRIVIAL:
        return (
            f"On steps that it had not seen: {card.metric.title} {shown(card.score)} (95 % prediction interval "
            f"{shown(card.low)} to {shown(card.high)}; {better} is better).\n\n{card.says}"
        )
    score = (
        f"{card.metric.title} {shown(card.score)} (95 % prediction interval {shown(card.low)} to {shown(card.high)}; "
        f"{better} is better)"
    )
    learnt = (
        f"The saved weights learned from all {card.examples:,} examples after that."
        if card.of_all
        else f"The saved weights learned from the {card.learnt_from:,} of {card.examples:,} examples that were not held "
        "out: there was no time to learn from all."
    )
    return f"On examples that it had not seen: {score}. {card.divided} {learnt}\n\n{card.says}"


def _applying(card: Card) -> str:
    if card.intake.source is Source.SERIES:
        return (
            "Give it the series with its newest values: the forecast begins after the last row. Columns are found by their "
            "names, in any order; others are passed over."
        )
    if card.intake.source is Source.TABLE:
        return (
            "Columns are found by their names, in any order. Others are passed over, a missing one is an error. An empty "
            "field is a missing value. If the answers are there, too, the predictions are compared with them. "
            f"{_beside(card)}"
        )
    return "Folders may name the classes, and need not; if they do, the predictions are compared with them."


def _beside(card: Card) -> str:
    """The columns that the predictions have beside them."""
    keys = card.intake.keys
    if not keys:
        return "The predictions come in the order of the rows; `--keep all` writes the columns of the data beside them."
    return f"Beside each prediction stands {join_first([_code(name) for name in keys], 20)}; `--keep` changes that."


def _example(card: Card) -> str:
    return "NEW.csv" if card.intake.source in (Source.TABLE, Source.SERIES) else "FOLDER_OF_NEW_ONES"


def _code(text: str) -> str:
    plain = shorten(text, 60).replace("`", "'").replace("|", "¦")
    return f"`{plain}`"
