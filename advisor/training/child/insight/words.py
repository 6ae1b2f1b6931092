"""The words of texts that the winner rests on: by their weights in a linear model, by what any other loses without them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence

import numpy

from advisor.datasets.preparing.raw_columns import names_of_texts, some_of, texts_of, with_texts
from advisor.datasets.preparing.tokens import EncodedTexts
from advisor.datasets.values.words import tokens_of
from advisor.training.child.insight.importance import MOST_ROWS, as_before, metric_of_losses
from advisor.training.child.insight.subject import LONGEST_NAME, Subject, reach, scores_of
from advisor.training.child.moved import not_moved
from advisor.training.child.scoring import Numbers
from advisor.training.ladder.insight import ColumnImportance, Importance, Words, WordsOf
from advisor.wording import shorten

MOST_WORDS = 50
"""The most frequent ones, which are taken away one after the other."""
MOST_TOLD, MOST_CLASSES = 10, 20
"""Words on each side of a class, and classes."""


def text_columns(subject: Subject) -> tuple[str, ...]:
    """Columns of texts that the winner can be asked about; an empty name stands for examples that are texts themselves."""
    return names_of_texts(subject.examples) if subject.fitted.learned is not None else ()


def words(subject: Subject, known: Importance | None, until: float) -> Words:
    """The words that matter, of a table those of its most important column of texts.

    Args:
        known: the importance of the columns of a table, where it was found out.
        until: a time of time.monotonic; some words may not be reached by then.
    """
    weights = _weights(subject)
    if weights is not None:
        return Words(by_class=tuple(_told(subject, weights)))
    columns = {shorten(column, LONGEST_NAME): column for column in text_columns(subject)}
    ranked = [one.column for one in known.columns if one.column in columns] if known is not None else []
    name = next(iter([*ranked, *columns]))
    return Words(name, without=_without(subject, columns[name], until))


def _weights(subject: Subject) -> Numbers | None:
    """Of each class, or of each number to predict, those of all terms (outputs, terms); None of a model that has none."""
    learned = subject.fitted.learned
    attribute = {"linear": "coef_", "naive_bayes": "feature_log_prob_"}.get(subject.candidate.model)
    if learned is None or attribute is None or not isinstance(learned.prepared.encoded, EncodedTexts):
        return None
    found = numpy.atleast_2d(getattr(not_moved(learned.model), attribute))
    if subject.truth.ndim > 1:
        return found
    if len(found) == 1:  # of the second of two classes
        found = numpy.concatenate([-found, found])
    weights = numpy.zeros((len(subject.examples.classes), found.shape[1]))
    weights[learned.model.classes_] = found - found.mean(axis=0)
    return weights


def _told(subject: Subject, weights: Numbers) -> list[WordsOf]:
    """Of two classes the one that is looked for, which the other one mirrors."""
    encoded = subject.fitted.learned.prepared.encoded if subject.fitted.learned is not None else None
    assert isinstance(encoded, EncodedTexts)  # noqa: S101 - it has weights
    names = encoded.counter.get_feature_names_out()
    classes = subject.truth.ndim == 1
    looked_at: Sequence[int] = range(min(len(weights), MOST_CLASSES))
    if classes and len(weights) == 2:
        looked_at = (1 if subject.metric.positive is None else subject.metric.positive,)
    found = []
    for one in looked_at:
        order = numpy.argsort(-weights[one], kind="stable")
        raising = [place for place in order[:MOST_TOLD] if weights[one, place] > 0]
        lowering = [place for place in order[::-1][:MOST_TOLD] if weights[one, place] < 0]
        said = (tuple(shorten(names[place], LONGEST_NAME) for place in side) for side in (raising, lowering))
        found.append(WordsOf(subject.named(one) if classes else "", *said))
    return found


def _without(subject: Subject, column: str, until: float) -> Importance:
    """The loss with all of a word taken out of the held-out texts, of the most frequent ones; see `importance`."""
    places = subject.some(MOST_ROWS)
    examples, truth = some_of(subject.examples, subject.split.test[places]), subject.truth[places]
    counts, metric = subject.draws(places), metric_of_losses(subject)
    sign = 1 if metric.greater_is_better else -1
    texts = [tokens_of(text or "") for text in texts_of(examples, column)]
    standing = Counter(word for text in texts for word in set(text) if word[0].isalnum())
    frequent = [word for word, _ in sorted(standing.items(), key=lambda one: (-one[1], one[0]))[:MOST_WORDS]]
    before = as_before(subject, examples, places).read_by(metric.reads)
    whole = scores_of(metric, truth, before, counts)
    far, found = reach(len(numpy.unique(subject.unit_of[places])), max(1, len(frequent))), []
    for word in frequent:
        begun = time.monotonic()
        rows = numpy.array([place for place, text in enumerate(texts) if word in text])
        shorter = [" ".join(other for other in texts[row] if other != word) for row in rows]
        said = before.copy()
        said[rows] = subject.asked(with_texts(some_of(examples, rows), column, shorter)).read_by(metric.reads)
        losses = sign * (whole - scores_of(metric, truth, said, counts))
        wide, loss = far * float(numpy.nanstd(losses[1:])), float(losses[0])
        found.append(ColumnImportance(shorten(word, LONGEST_NAME), loss, loss - wide, loss + wide))
        if 2 * time.monotonic() - begun > until:
            break
    most_first = tuple(sorted(found, key=lambda one: -one.loss))
    return Importance(metric.title, most_first, len(places), 1, len(frequent) - len(found))
