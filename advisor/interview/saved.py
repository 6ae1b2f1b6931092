"""A conversation on disk: saved after every answer, so that a closed terminal loses nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from advisor.errors import InputError, Problem, input_error
from advisor.facts.values import from_json
from advisor.facts.vocabulary import Value, Vocabulary
from advisor.files.whole import remove_abandoned_files
from advisor.interview.progress import Progress
from advisor.machine.state import (
    NEWER,
    NothingSavedError,
    StateError,
    load_json,
    newer,
    rename,
    save_json,
    state_folder,
)
from advisor.plain import encode

SCHEMA = "advisor/interview/1"
TITLE = "The saved conversation cannot be used"
AFRESH = "Start afresh with `advisor wizard`, without --resume."
KEPT = "The file is kept beside the new one as interview.previous.json."


@dataclass(frozen=True, slots=True)
class Data:
    """The data that the conversation was about, by an absolute path."""

    path: str
    target: str | None


@dataclass(frozen=True)
class Saved:
    answers: Mapping[str, Value | None]
    later: tuple[str, ...]
    school: str
    data: Data | None = None


def session_file() -> Path:
    return state_folder() / "interview.json"


def save(progress: Progress, school: str, data: Data | None = None) -> None:
    """Save the conversation. Raises InputError (StateError) if the state cannot be written."""
    document = {"schema": SCHEMA, "school": school, "answers": encode(progress.said()), "later": list(progress.later)}
    save_json(session_file(), {**document, "data": encode(data)})


def put_aside() -> None:
    """Keep an earlier conversation as interview.previous.json. Raises InputError (StateError)."""
    path = session_file()
    if path.exists():
        rename(path, path.with_name("interview.previous.json"))


def load(vocabulary: Vocabulary) -> Saved:
    """Read the saved conversation.

    Raises:
        InputError: nothing is saved, or it is damaged; what to do is said.
    """
    path = session_file()
    try:
        document = load_json(path)
    except NothingSavedError:
        remove_abandoned_files(path)  # of a program that was killed while it saved the first answer
        remedy = "Start one with `advisor wizard`."
        raise input_error("There is no conversation to resume", "nothing is saved", remedy=remedy) from None
    except StateError as error:
        if path.exists():  # not damaged, but cannot be read
            raise
        (problem,) = error.problems
        raise InputError(TITLE, [Problem(problem.where, problem.what, AFRESH)]) from None
    if newer(document, SCHEMA):
        raise input_error(TITLE, f"{NEWER}.", where=str(path), remedy=f"{AFRESH} {KEPT}")
    told = document if isinstance(document, dict) and document.get("schema") == SCHEMA else {}
    if not isinstance(told.get("answers"), dict):
        raise input_error(TITLE, "it has another format.", where=str(path), remedy=f"{AFRESH} {KEPT}")
    answers: dict[str, Value | None] = {}
    problems: list[Problem] = []
    for name, value in told["answers"].items():
        fact = vocabulary.facts.get(name)
        if fact is None:
            continue  # declared no longer
        try:
            answers[name] = None if value is None else from_json(fact, value)
        except InputError as error:
            problems += [Problem(f"{path}: {name}", f"{problem.what} is no value of it.") for problem in error.problems]
    if problems:
        *others, last = problems
        raise InputError(TITLE, [*others, replace(last, remedy=f"{AFRESH} {KEPT}")])
    later = told.get("later")
    put_off = later if isinstance(later, list) else []
    names = tuple(name for name in put_off if isinstance(name, str) and name in vocabulary.facts)
    school = told.get("school")
    return Saved(answers, names, school if school in ("today", "survey") else "today", _data(told.get("data")))


def _data(stated: object) -> Data | None:
    """The dataset; None also if an earlier version saved none."""
    match stated:
        case {"path": str(path), "target": str() | None as target}:
            return Data(path, target)
        case _:
            return None
