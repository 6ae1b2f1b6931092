"""The verdicts on strategies in words: who was faster, who was level with it, and one worker beside them."""

from __future__ import annotations

from advisor.distributed.comparing import Comparison, Interval, Standing
from advisor.facts.verdict import Verdict
from advisor.wording import join_names


def between(ratio: Interval) -> str:
    """`1.15 (1.06 to 1.26)`; the value alone where there is no interval."""
    value, interval = _parts(ratio)
    return f"{value}{interval}"


def times(ratio: Interval, than: str) -> str:
    """`1.15 times as fast as synchronous (1.06 to 1.26)`"""
    value, interval = _parts(ratio)
    return f"{value} times as fast as {than}{interval}"


def _parts(ratio: Interval) -> tuple[str, str]:
    """The value and its interval in brackets: near 1 with two places, since 1.15 is no 1.2."""
    near = 0.1 <= ratio.value < 2
    value, low, high = (f"{round(one, 2):g}" if near else f"{one:.2g}" for one in (ratio.value, ratio.low, ratio.high))
    return value, "" if ratio.low == 0 else f" ({low} to {high})"


def level_with(found: Comparison) -> str:
    """`, level with asynchronous and diloco`: others faster than the plan's own, and as fast as the best for all we know."""
    others = [one.strategy for one in found.level if one is not found.best]
    return f", level with {join_names(others)}" if others else ""


def unclear(found: Comparison, maybe: Standing) -> str:
    """A sentence on those that are shown to be faster where another one may be faster still."""
    shown = join_names([f"{one.strategy} ({between(one.ratio)})" for one in found.level if one.ratio is not None])
    still = (
        f"{maybe.strategy} may be faster still ({between(maybe.ratio) if maybe.ratio is not None else '?'}): undecided."
    )
    return f"{shown} came to the loss sooner than {found.reference}, but {still}"


def beside_one(found: Comparison, workers: str) -> str:
    """A sentence on whether several workers are worth it; empty where one alone was not trained."""
    one = found.alone
    if one is None:
        return ""
    if one.ratio is None:
        never = "One worker alone did not come to that loss in every training."
        return never if one.reached < len(one.seconds) else ""
    match one.verdict:
        case Verdict.OVERTURNED:
            return f"One worker alone was faster: {times(one.ratio, f'{found.reference} with {workers}')}."
        case Verdict.CONFIRMED:
            return f"One worker alone was slower: {times(one.ratio, f'{found.reference} with {workers}')}."
        case Verdict.NO_DIFFERENCE:
            return f"One worker alone was level with {found.reference} with {workers}."
        case _:
            return f"One worker alone may be as fast as {found.reference} with {workers} ({between(one.ratio)})."
