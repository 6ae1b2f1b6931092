"""Keeping the winner of the trials in a folder: one choreography for every face."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

from advisor.agent.trials.trying import thread_variables
from advisor.children.command import module_command
from advisor.children.stopping import Stop
from advisor.children.supervise import End, Limits, supervise
from advisor.datasets.dataset import Task
from advisor.errors import Complain, InputError, Problem, input_error
from advisor.files.aside import folder_aside, remove_abandoned
from advisor.files.exchange import exchange
from advisor.files.whole import sync_folder
from advisor.machine.detection.limits import read_limits
from advisor.machine.host import Tree
from advisor.session.data import refuse_unkept
from advisor.session.inputs import Inputs
from advisor.session.trying import Tried, trying
from advisor.training.child.request import Ended
from advisor.training.kept.card import CARD, FILES, REPLACED, Card, is_card, read_card
from advisor.training.kept.request import (
    MESSAGES,
    Apply,
    Keep,
    Message,
    Refused,
    WorkFailedError,
    request_line,
)
from advisor.training.ladder.outcome import TrialResults, Winner
from advisor.wording import shorten

TITLE = "The model cannot be saved"
NOT_BETTER = "The saved model is not shown to be better"
SHARE, LEAST, MOST = 0.15, 6.0, 0.4
"""Of the budget for saving: this share, or so many seconds, but never more than that share."""
PATIENCE, TIMES = 60.0, 6
"""Seconds beyond the budget, and times what the final training took, after which saving has failed."""
NO_RESULT = "The process that does it ended without a result."


class StoppedError(InputError):
    """Somebody ended it."""


def kept_back(seconds: float) -> float:
    """Of a budget in seconds, what the trials leave for saving the winner."""
    return min(MOST * seconds, max(SHARE * seconds, LEAST))


def check_folder(folder: Path, *, force: bool) -> None:
    """Say before the work that a model could not be saved there. Raises InputError.

    Args:
        force: a saved model that is there is replaced; other files never are.
    """
    where = shorten(folder, 200)
    try:
        place = folder.resolve()
        if place.is_dir():
            _check_content(place, where, force)
        elif place.exists():
            raise input_error(TITLE, "this is a file", where=where, remedy="Name a folder.")
        elif not place.parent.is_dir():
            what = "there is no such folder to put it into"
            raise input_error(TITLE, what, where=shorten(folder.parent, 200), remedy="Create it first.")
        if not os.access(place.parent, os.W_OK):
            what, remedy = "this folder cannot be written", "Name another one, or change its rights."
            raise input_error(TITLE, what, where=shorten(place.parent, 200), remedy=remedy)
    except OSError as error:
        raise _refusal(error, where) from None
    except InputError:
        raise
    except ValueError:  # a null character in the name
        raise input_error(TITLE, "is not a name of a folder", where=where, remedy="Check the name.") from None


def _check_content(folder: Path, where: str, force: bool) -> None:
    inside = {entry.name for entry in folder.iterdir()}
    if not inside:
        return
    if not (CARD in inside and inside <= FILES and is_card(folder / CARD)):
        what = "the folder holds other files, which are never replaced"
        raise input_error(TITLE, what, where=where, remedy="Name another folder.")
    if not force:
        what = "there is a saved model already"
        raise input_error(TITLE, what, where=where, remedy="Name another folder, or add --force to replace it.")


def not_worth_it(found: TrialResults) -> str | None:
    """The reason why there is nothing to save, a sentence; None where there is.

    A forecast is wanted even if it is no better than an earlier value: what the folds chose is saved, and its card says so.
    """
    if found.best is None:
        return "Nothing was saved: nothing could be tried."
    if found.verdict is Winner.NOTHING and found.data.task != Task.FORECAST:
        return "Nothing was saved: no model was better than looking at no input at all."
    if found.best.seen:
        what = "it is not known how good the best one is on examples that it has not seen"
        return f"Nothing was saved: {what}. Give it more time with --budget."
    return None


def tried_and_kept(
    inputs: Inputs,
    seconds: float,
    folder: Path | None,
    *,
    complain: Complain,
    stop: Stop | None = None,
    **asked: Any,
) -> tuple[Tried, Card | None]:
    """Try, and save the winner in this folder, if one is named. What cannot be saved is a complaint: the trials come back.

    Args:
        seconds: for both.
        folder: a new one, or an empty one.
        asked: as `trying` takes it.

    Raises InputError, before anything is tried where the folder or the data do not allow saving; else as `trying` does.
    """
    begun = time.monotonic()
    if folder is not None:
        check_folder(folder, force=False)
        if inputs.inspection is not None:
            refuse_unkept(inputs.inspection)
    card = None
    left = 0.0 if folder is None else kept_back(seconds)
    with trying(inputs, seconds - left, complain=complain, stop=stop, **asked) as tried:
        if folder is not None and not tried.outcome.interrupted:
            why = not_worth_it(tried.outcome)
            try:
                if why is None:
                    card = keep_model(tried, folder, seconds - (time.monotonic() - begun), stop=stop)
                    if card.warning:
                        complain(NOT_BETTER, card.warning)
                else:
                    complain("No model is saved", why)
            except InputError as error:
                complain(error.title, str(error.problems[0]))
    return tried, card


def keep_model(tried: Tried, folder: Path, seconds: float, *, force: bool = False, stop: Stop | None = None) -> Card:
    """Let the winner learn from all examples, and save it in a folder that appears whole or not at all.

    Args:
        tried: with a winner, see `not_worth_it`.
        seconds: that are left of the budget.
        force: replace a saved model that is there.
        stop: another thread sets it.

    Raises StoppedError, WorkFailedError, and InputError where the folder or the data do not allow it.
    """
    found, where = tried.outcome, shorten(folder, 200)
    best = found.best
    assert best is not None  # noqa: S101 - the caller has looked
    check_folder(folder, force=force)
    place = folder.resolve()
    final = next((one for one in found.finals if one.name == best.name), None)
    usual = final.seconds / max(1, len(final.scores)) if final is not None else 1.0
    try:
        remove_abandoned(place, place.parent)
        with folder_aside(place, place.parent) as aside:
            request = Keep(
                tried.request, best, found.metric, found.verdict.value, found.says, usual, max(0.0, seconds),
                str(aside), date.today().isoformat(), final,
            )  # fmt: skip
            deadline = time.monotonic() + max(0.0, seconds) + max(PATIENCE, TIMES * usual)
            late = "It took much longer than expected. Give it more time with --budget."
            run_child(request, tried.request.threads, deadline, TITLE, late, stop, lambda message: None)
            if not (aside / CARD).exists():
                raise WorkFailedError(TITLE, [Problem("", NO_RESULT)])
            card = read_card(aside)
            check_folder(folder, force=force)  # minutes may have passed
            _put(aside, place)
    except OSError as error:
        raise _refusal(error, where) from None
    return card


def _put(aside: Path, place: Path) -> None:
    """Let the new folder take its place, for good; a model that was there goes only when that is done.

    Where the system can let both change places, one of them is there at every moment. Elsewhere, killed between two steps,
    the old one stands beside it as `NAME.replaced-...`, and `read_card` says so.
    """
    for path in aside.iterdir():
        with path.open("rb") as file:
            os.fsync(file.fileno())
    sync_folder(aside)
    old: Path | None = None
    if place.is_dir() and any(place.iterdir()):
        if exchange(aside, place):
            sync_folder(place.parent)  # what is aside now goes with the end of the work
            return
        # Under a name that is seen: should the program be killed now, both models are there.
        old = place.with_name(f"{place.name}{REPLACED}{secrets.token_hex(4)}")
        place.rename(old)
    try:
        aside.replace(place)
    except BaseException:
        if old is not None:
            old.rename(place)
        raise
    sync_folder(place.parent)
    if old is not None:
        shutil.rmtree(old, ignore_errors=True)


def _refusal(error: OSError, where: str) -> InputError:
    reason = error.strerror or type(error).__name__
    if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
        reason = "another program has written into it meanwhile"
    return input_error(TITLE, reason, where=where, remedy="Check its parent, permissions and free space.")


def run_child(
    request: Keep | Apply,
    threads: int,
    deadline: float | Callable[[], float],
    title: str,
    late: str,
    stop: Stop | None,
    take: Callable[[Message], None],
) -> None:
    """Run the child to its end.

    Args:
        late: a sentence on what took too long, with its remedy.

    Raises StoppedError, WorkFailedError, and InputError with what it refuses.
    """
    refused: list[Refused] = []

    def hear(line: bytes) -> bool:
        message = MESSAGES.read(line)
        if isinstance(message, Refused):
            refused.append(message)
        else:
            take(message)
        return isinstance(message, Ended)

    limits = Limits()
    ending = supervise(
        module_command("advisor.training.kept.main", thread_variables(threads)),
        hear,
        deadline=deadline,
        request=request_line(request),
        memory_bytes=limits.memory(read_limits(Tree(Path("/"))).memory_left_bytes),
        limits=limits,
        stopped=lambda: stop is not None and stop.all,
    )
    if refused:
        kind = WorkFailedError if refused[0].failed else InputError
        raise kind(refused[0].title, refused[0].problems, refused[0].more)
    if ending.end is End.STOPPED:
        raise StoppedError(title, [Problem("", "It was stopped by hand.")])
    if ending.end is End.LATE:
        raise WorkFailedError(title, [Problem("", late)])
    if ending.end is End.FAILED:
        raise WorkFailedError(title, [Problem("", ending.explain(ending.reason))])
    if ending.rubbish:  # what was lost may have been a refusal
        what = f"It ended, and {ending.rubbish:,} of its messages were too long or not readable."
        raise WorkFailedError(title, [Problem("", ending.explain(what))])
