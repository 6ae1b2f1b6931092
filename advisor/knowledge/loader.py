"""Loader of a rule base from its folder and the layers on top of it, reporting every problem of every file at once."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

from advisor import safe_yaml
from advisor.errors import InputError, Problem, did_you_mean, input_error
from advisor.knowledge.checks import check
from advisor.knowledge.claims import NO_CLAIMS, check_claims, read_claims
from advisor.knowledge.figures import NO_FIGURES, check_figures, read_figures
from advisor.knowledge.files.declarations import read_sources, read_topics, read_vocabulary
from advisor.knowledge.files.rule_files import Disabled, read_rules
from advisor.knowledge.model import Erratum, Knowledge, Policy, Rule, SourceText, Topic
from advisor.knowledge.terms import GlossaryTexts, check_terms
from advisor.reading import Reader
from advisor.version import __version__
from advisor.wording import shorten

T = TypeVar("T")

TITLE = "These rules cannot be used"
MAX_FILES = 200
"""Of one folder."""
MAX_BYTES = 8_000_000
"""Of all packs together: some 25,000 rules, which take ten seconds to check."""


def yaml_files(folder: Path, layer: int) -> list[Path]:
    """The YAML files of a rule folder, by their names.

    The base (layer 0) has sub-folders, which do not matter to the order; a pack has none, and may keep other YAML in some.
    """
    nested = folder.glob("[!.]*/*.yaml") if layer == 0 else ()
    return sorted([*folder.glob("*.yaml"), *nested], key=lambda path: (path.name, path))


def rule_files(folder: Path, layer: int) -> list[Path]:
    """The files that hold rules and declarations, in the order in which they count. Raises InputError."""
    try:
        is_folder = folder.is_dir()
        found = [path for path in yaml_files(folder, layer) if not path.name.endswith(".test.yaml")]
    except OSError as error:
        raise input_error(TITLE, error.strerror or "unreadable", where=shorten(folder, 200)) from None
    if not is_folder:
        remedy = "Name a folder with rule files."
        raise input_error(TITLE, "this is not a folder", where=str(folder), remedy=remedy)
    if not found:
        raise input_error(TITLE, "there is no .yaml file in it", where=str(folder), remedy="Name another folder.")
    if len(found) > MAX_FILES:
        raise input_error(TITLE, f"more than {MAX_FILES} files", where=str(folder), remedy="Split the pack.")
    twice = [
        Problem(str(path), f"{before} has this name already.", "Give each file a name of its own.")
        for before, path in pairwise(found)
        if before.name == path.name
    ]
    if twice:
        raise InputError(TITLE, twice)
    return found


def read_files(base: Path, packs: Sequence[Path] = ()) -> list[tuple[int, Path, str]]:
    """Every file of the base (layer 0) and of the packs (1, 2, ...), with its text. Raises InputError."""
    problems: list[Problem] = []
    files: list[tuple[int, Path, str]] = []
    for layer, folder in enumerate([base, *packs]):
        try:
            paths = rule_files(folder, layer)
        except InputError as error:
            problems.extend(error.problems)
            continue
        for path in paths:
            try:
                files.append((layer, path, safe_yaml.read(path)))
            except InputError as error:
                problems.extend(error.problems)
            if sum(len(text) for of, _, text in files if of > 0) > MAX_BYTES:
                what = f"the packs up to here hold more than {MAX_BYTES // 1_000_000} MB"
                raise input_error(TITLE, what, where=str(path), remedy="Leave out rules that you do not need.")
    if problems:
        raise InputError(TITLE, problems)
    return files


def digest(files: Iterable[tuple[int, Path, str]]) -> str:
    """A key to the content of these files, whatever folder they lie in."""
    sha = hashlib.sha256(__version__.encode())
    for layer, path, text in files:
        sha.update(f"\0{layer}\0{path.name}\0{len(text)}\0".encode())
        sha.update(text.encode())
    return sha.hexdigest()[:32]


def load(base: Path, packs: Sequence[Path] = ()) -> Knowledge:
    """The checked rule base.

    Raises:
        InputError: with every problem of every file.
    """
    return build(read_files(base, packs))


def build(files: Sequence[tuple[int, Path, str]]) -> Knowledge:
    problems: list[Problem] = []
    trees: list[tuple[int, Path, safe_yaml.Node | None]] = []
    for layer, path, text in files:
        try:
            trees.append((layer, path, safe_yaml.load(text, where=str(path))))
        except InputError as error:
            problems.extend(error.problems)
    declared = {path.name: (path, tree) for layer, path, tree in trees if layer == 0}
    if problems:
        raise InputError(TITLE, problems)
    missing = [name for name in ("facts.yaml", "topics.yaml", "sources.yaml") if name not in declared]
    if missing:
        where = str(files[0][1].parent) if files else ""
        raise input_error(TITLE, f"{missing[0]} is missing", where=where, remedy="A rule base declares it.")

    def read(reading: Callable[..., T], path: Path, tree: safe_yaml.Node | None, *given: object) -> T:
        return reading(tree, Reader(str(path), problems), *given)

    vocabulary = read(read_vocabulary, *declared["facts.yaml"])
    topics = read(read_topics, *declared["topics.yaml"])
    sources: dict[str, SourceText] = {}
    errata: dict[str, Erratum] = {}
    glossary = GlossaryTexts()
    figures = NO_FIGURES
    claims = NO_CLAIMS
    layered: list[tuple[list[Rule], list[Disabled]]] = []
    for layer, path, tree in trees:
        match path.name:
            case "sources.yaml":
                more_sources, more_errata = read(read_sources, path, tree)
                sources |= more_sources
                errata |= more_errata
            case "glossary.yaml":
                read(glossary.read, path, tree)
            case "figures.yaml":
                figures = read(read_figures, path, tree, layer, figures)
            case "claims.yaml":
                claims = read(read_claims, path, tree, layer, claims)
            case "facts.yaml" | "topics.yaml":
                if layer > 0:
                    what = f"a pack cannot bring its own {path.name}"
                    problems.append(Problem(str(path), what, "Facts and topics are shared by all rules."))
            case _:
                layered.append(read(read_rules, path, tree, topics, layer))
    rules = _merge(layered, topics, problems)
    names = tuple(glossary.names)
    knowledge = Knowledge(
        vocabulary, topics, rules, sources, errata, digest(files), glossary.terms, names, figures, claims
    )
    problems.extend(check(knowledge))
    problems.extend(check_figures(figures, knowledge.symbols, sources))
    problems.extend(check_terms(knowledge.terms))
    every_rule = [rule.id for rules, _ in layered for rule in rules]
    problems.extend(check_claims(claims, figures.symbols(knowledge.symbols), sources, errata, every_rule))
    if problems:
        raise InputError(TITLE, sorted(dict.fromkeys(problems), key=lambda problem: _place(problem.where)))
    return knowledge


def _place(where: str) -> tuple[str, int]:
    path, _, line = where.rpartition(":")
    return (path, int(line)) if line.isdigit() else (where, 0)


def _merge(
    layered: list[tuple[list[Rule], list[Disabled]]], topics: dict[str, Topic], problems: list[Problem]
) -> tuple[Rule, ...]:
    """All layers as one list: later layers first, a rule of a known id replaced in the later layer, `before` obeyed."""
    chosen: dict[str, Rule] = {}
    disabled: list[Disabled] = []
    for rules, out in layered:
        disabled.extend(out)
        for rule in rules:
            earlier = chosen.get(rule.id)
            if earlier is not None and earlier.layer == rule.layer:
                what = f"rule {shorten(rule.id)} stands at {earlier.where} already."
                problems.append(Problem(rule.where, what, "Ids are unique."))
            chosen.pop(rule.id, None)
            chosen[rule.id] = rule
    known, out_ids = list(chosen), set()
    for entry in disabled:
        if entry.id not in known:
            hint = did_you_mean(entry.id, known)
            problems.append(Problem(entry.where, f"there is no rule {shorten(entry.id)} to disable.", hint))
        elif entry.id in chosen and chosen[entry.id].layer <= entry.layer:  # a later layer may bring it again
            del chosen[entry.id]
            out_ids.add(entry.id)
    if out_ids:  # what a disabled rule was compared with stands on its own now
        for rule in list(chosen.values()):
            left = tuple(other for other in rule.supersedes if other not in out_ids)
            before = "" if rule.before in out_ids else rule.before
            chosen[rule.id] = replace(rule, supersedes=left, before=before)
    ordered = sorted(chosen.values(), key=lambda rule: -rule.layer)  # stable: file and position are kept
    return tuple(_obey_before(ordered, topics, problems))


def _obey_before(rules: list[Rule], topics: dict[str, Topic], problems: list[Problem]) -> list[Rule]:
    by_id = {rule.id: rule for rule in rules}
    result = list(rules)
    moved = [rule for rule in rules if rule.before]
    for rule in sorted(moved, key=lambda rule: _hops(rule, by_id)):  # where a rule moves to stands before it moves
        target = by_id.get(rule.before)
        if topics[rule.topic].policy not in (Policy.FIRST, Policy.VALUE):  # the order of its rules does not matter
            what = f"rule {rule.id}: `before` means nothing in a topic of policy {topics[rule.topic].policy}."
            problems.append(Problem(rule.where, what))
        elif target is not None and target.topic != rule.topic and target.layer > rule.layer:  # a pack has put it there
            what = f"rule {rule.id} of {rule.where} comes `before` {target.id}, a rule of another topic."
            problems.append(Problem(target.where, what, "Keep the topic, or give the rule an id of its own."))
        elif target is None or target.topic != rule.topic or target is rule:
            what = f"rule {rule.id}: `before` must name another rule of {rule.topic}."
            problems.append(Problem(rule.where, what, did_you_mean(rule.before, by_id)))
        elif _hops(rule, by_id) > len(by_id):
            problems.append(Problem(rule.where, f"rule {rule.id}: `before` leads in a circle."))
        else:
            result.remove(rule)
            result.insert(result.index(target), rule)
    return result


def _hops(rule: Rule, by_id: dict[str, Rule]) -> int:
    """Count the rules that follow in a row of `before`; more than there are rules when they lead in a circle."""
    hops = 0
    while rule.before in by_id and hops <= len(by_id):
        rule = by_id[rule.before]
        hops += 1
    return hops
