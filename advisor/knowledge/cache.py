"""Cache of checked rule bases as JSON, so that a start need not parse and check the YAML again.

The key is a digest of every file's content and of the program's version; a cache that is missing, foreign or damaged is
made anew, and nothing depends on it.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from advisor.facts.vocabulary import Constraint, Fact, FactType, Vocabulary
from advisor.files import atomic_write
from advisor.knowledge import loader
from advisor.knowledge.claims import Basis, Claim, ClaimFigure, Claims, Need, Reading
from advisor.knowledge.figures import Case, Figure, Figures, Given
from advisor.knowledge.model import (
    Effect,
    Erratum,
    Knowledge,
    Policy,
    Rule,
    School,
    Settles,
    SourceText,
    Strength,
    Topic,
)
from advisor.knowledge.terms import Term

FORMAT = "advisor/knowledge-cache/4"
KEEP = 8


def cache_folder() -> Path:
    """The folder where checked rule bases are remembered; ADVISOR_CACHE overrides it."""
    override = os.environ.get("ADVISOR_CACHE")
    if override:
        return Path(override)
    from platformdirs import user_cache_dir  # 5 ms

    return Path(user_cache_dir("advisor"))


def load_cached(base: Path, packs: Sequence[Path] = ()) -> Knowledge:
    """The rule base, from the cache where its files are unchanged. Raises InputError as `loader.load` does."""
    files = loader.read_files(base, packs)
    digest = loader.digest(files)
    path = cache_folder() / f"knowledge-{digest}.json"
    places = [str(path) for _, path, _ in files]
    try:
        checksum, _, payload = path.read_bytes().partition(b"\n")
        if checksum.decode("ascii") != hashlib.sha256(payload).hexdigest():
            raise ValueError("damaged")
        document = json.loads(payload)
        if document["format"] == FORMAT and document["digest"] == digest and document["files"] == places:
            return from_document(document)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        pass  # no usable cache: it is made anew below
    knowledge = loader.build(files)
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        payload = json.dumps(to_document(knowledge, places)).encode()
        atomic_write(path, hashlib.sha256(payload).hexdigest().encode("ascii") + b"\n" + payload)
        _forget_old(path.parent)
    except OSError:
        pass  # a read-only home costs time only
    return knowledge


def _forget_old(folder: Path) -> None:
    found = sorted(folder.glob("knowledge-*.json"), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in found[KEEP:]:
        path.unlink(missing_ok=True)


def to_document(knowledge: Knowledge, files: Sequence[str]) -> dict[str, Any]:
    vocabulary = knowledge.vocabulary
    return {
        "format": FORMAT,
        "digest": knowledge.digest,
        "files": list(files),
        "groups": vocabulary.groups,
        "facts": [_fields(fact) for fact in vocabulary.facts.values()],
        "constraints": [_fields(constraint) for constraint in vocabulary.constraints],
        "topics": [_fields(topic) for topic in knowledge.topics.values()],
        "rules": [_fields(rule) for rule in knowledge.rules],
        "sources": [_fields(source) for source in knowledge.sources.values()],
        "errata": [_fields(erratum) for erratum in knowledge.errata.values()],
        "terms": [_fields(term) for term in knowledge.terms.values()],
        "names": knowledge.names,
        "given": [_fields(given) for given in knowledge.figures.given.values()],
        "figures": [_fields(figure) for figure in knowledge.figures.figures.values()],
        "claim_given": [_fields(given) for given in knowledge.survey.given.values()],
        "claims": [_fields(claim) for claim in knowledge.claims],
    }


def _fields(item: Any) -> dict[str, Any]:
    return {field.name: _plain(getattr(item, field.name)) for field in dataclasses.fields(item)}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return _fields(value) if dataclasses.is_dataclass(value) else value


def from_document(document: dict[str, Any]) -> Knowledge:
    facts = [_fact(entry) for entry in document["facts"]]
    constraints = tuple(Constraint(**entry) for entry in document["constraints"])
    vocabulary = Vocabulary(document["groups"], {fact.name: fact for fact in facts}, constraints)
    topics = [_topic(entry) for entry in document["topics"]]
    rules = tuple(_rule(entry) for entry in document["rules"])
    sources = {entry["key"]: SourceText(**entry) for entry in document["sources"]}
    errata = {entry["key"]: Erratum(**entry) for entry in document["errata"]}
    terms = {entry["term"]: _term(entry) for entry in document["terms"]}
    by_name, names = {topic.name: topic for topic in topics}, tuple(document["names"])
    figures, claims = _figures(document), _claims(document)
    return Knowledge(vocabulary, by_name, rules, sources, errata, document["digest"], terms, names, figures, claims)


def _fact(entry: dict[str, Any]) -> Fact:
    choices = tuple((name, text) for name, text in entry.pop("choices"))
    return Fact(**{**entry, "type": FactType(entry["type"])}, choices=choices)


def _topic(entry: dict[str, Any]) -> Topic:
    actions = {value: tuple(lines) for value, lines in entry["actions"].items()}
    return Topic(**{**entry, "policy": Policy(entry["policy"]), "actions": actions})


def _term(entry: dict[str, Any]) -> Term:
    return Term(**{**entry, "aliases": tuple(entry["aliases"]), "see": tuple(entry["see"])})


def _figures(document: dict[str, Any]) -> Figures:
    given = {entry["name"]: Given(**entry) for entry in document["given"]}
    figures = {}
    for entry in document["figures"]:
        cases = tuple(Case(**{**case, "sources": tuple(case["sources"])}) for case in entry["cases"])
        figures[entry["name"]] = Figure(**{**entry, "cases": cases})
    return Figures(given, figures)


def _claims(document: dict[str, Any]) -> Claims:
    given = {entry["name"]: Given(**entry) for entry in document["claim_given"]}
    claims = {}
    for entry in document["claims"]:
        figures = tuple(ClaimFigure(**{**one, "reading": Reading(one["reading"])}) for one in entry["figures"])
        texts = {key: tuple(entry[key]) for key in ("sources", "erratum", "rules")}
        needs = Need(entry["needs"]) if entry["needs"] else None
        claims[entry["id"]] = Claim(
            **{**entry, **texts, "basis": Basis(entry["basis"]), "needs": needs, "figures": figures}
        )
    return Claims(given, claims)


def _rule(entry: dict[str, Any]) -> Rule:
    for key in ("sources", "erratum", "supersedes", "actions"):
        entry[key] = tuple(entry[key])
    entry["school"] = School(entry["school"])
    entry["effect"] = Effect(entry["effect"])
    entry["strength"] = Strength(entry["strength"]) if entry["strength"] else None
    entry["settles"] = Settles(**entry["settles"]) if entry["settles"] else None
    return Rule(**entry)
