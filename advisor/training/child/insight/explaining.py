"""The order in which things about the winner are found out: what serves most and costs least first, as far as there is time."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

from advisor.plain import encode
from advisor.training.child.insight.calibration import calibration
from advisor.training.child.insight.importance import dependence, importance
from advisor.training.child.insight.learning_curve import learning_curve
from advisor.training.child.insight.mistakes import confusion, residuals
from advisor.training.child.insight.slices import slices
from advisor.training.child.insight.subject import Subject, TooLongError
from advisor.training.child.insight.words import text_columns, words
from advisor.training.ladder.insight import Importance, Insight, Piece
from advisor.wording import shorten

NO_TIME = "There was no time for it."
FEWEST_TO_LEARN, FEWEST_HELD_OUT = 40, 10
"""Examples below which halving them, or looking at parts of them, says nothing."""
SHARES = {"importance": 0.5, "words": 0.3, "learning_curve": 0.8}
"""Of the time that is left when its turn comes, what a piece may take that could take all."""

Find = Callable[[float], Piece]


def explain(subject: Subject, until: float, tell: Callable[[Insight], None]) -> Insight:
    """Tell, after each piece, everything that is known so far; whatever is not has its reason.

    So a process that is ended in the middle has told the rest. A piece that fails is one that is not known.

    Args:
        until: a time of time.monotonic at which the last piece should be done.
    """
    known = Insight(subject.candidate.name)
    pieces = _pieces(subject, lambda: known.importance)
    for piece in pieces:
        known = known.lacking(piece, NO_TIME)
    tell(known)
    for piece, find in pieces.items():
        left = until - time.monotonic()
        if left <= 0:
            break
        try:
            found = find(time.monotonic() + SHARES.get(piece, 1.0) * left)
            json.dumps(encode(found), allow_nan=False)  # what cannot be told is not known
        except TooLongError:
            continue
        except Exception as error:  # other people's models and data raise anything, and the verdict is told already
            said = (str(error) or type(error).__name__).splitlines()[0]
            known = known.lacking(piece, f"It could not be found out: {shorten(said, 200)}")
        else:
            known = known.having(piece, found)
        tell(known)
    return known


def _pieces(subject: Subject, known_importance: Callable[[], Importance | None]) -> dict[str, Find]:
    """The pieces that apply to these data and this model, by the fields of `Insight`, in order."""
    classes = subject.truth.ndim == 1
    pieces: dict[str, Find] = {}
    if classes:
        pieces["confusion"] = lambda _: confusion(subject)
    else:
        pieces["residuals"] = lambda _: residuals(subject)
    if subject.fitted.probabilities is not None and len(subject.truth) >= FEWEST_HELD_OUT:
        pieces["calibration"] = lambda _: calibration(subject)
    if subject.columns and len(subject.truth) >= FEWEST_HELD_OUT:
        pieces["slices"] = lambda _: slices(subject)
        pieces["importance"] = lambda until: importance(subject, until)
    if text_columns(subject) and len(subject.truth) >= FEWEST_HELD_OUT:
        pieces["words"] = lambda until: words(subject, known_importance(), until)
    if len(subject.split.training) >= FEWEST_TO_LEARN:
        pieces["learning_curve"] = lambda until: learning_curve(subject, until)
    if "importance" in pieces:

        def depending(until: float) -> Piece:
            found = known_importance()
            if found is None:
                raise TooLongError
            return dependence(subject, found, until)

        pieces["dependence"] = depending
    return pieces
