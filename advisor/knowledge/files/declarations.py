"""Readers of facts.yaml, topics.yaml and sources.yaml: the vocabulary, the topics and what may be cited."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from advisor.errors import did_you_mean
from advisor.facts.vocabulary import Constraint, Fact, FactType, Prior, Shortcut, Vocabulary, Wording, spelling
from advisor.knowledge.model import Erratum, Policy, SourceText, Topic
from advisor.reading import Reader
from advisor.safe_yaml import Mapping, Node
from advisor.wording import shorten

T = TypeVar("T", SourceText, Erratum)

_FACT_KEYS = (
    "group", "type", "unit", "min", "max", "choices", "synonyms", "question", "help", "ask", "closed", "only_when", "assume",
    "usual", "derive", "familiar", "weighs", "prior", "named_by", "wordings",
)  # fmt: skip
_TOPIC_KEYS = (
    "title", "policy", "values", "type", "unit", "min", "max", "tolerance", "applies", "measured_by", "simulated_by", "actions",
    "gaps", "flips", "headline",
)  # fmt: skip


def read_vocabulary(node: Node | None, reader: Reader) -> Vocabulary:
    root = reader.mapping(node, "facts.yaml", ("groups", "opening", "facts", "constraints"))
    if root is None:
        return Vocabulary({}, {})
    groups = dict(reader.named_texts(root, "groups", "facts.yaml"))
    facts = {}
    for name, value, line in reader.pairs(root.items.get("facts"), "facts"):
        entry = reader.mapping(value, f"fact {name}", _FACT_KEYS)
        if entry is None:
            continue
        what = f"fact {name}"
        kind = FactType(reader.choice(entry, "type", what, [kind.value for kind in FactType]))
        choices = reader.named_texts(entry, "choices", what)
        minimum, maximum = reader.number(entry, "min", what, 0.0), reader.number(entry, "max", what, 1e18)
        if minimum > maximum:
            reader.note(line, f"{what}: min is larger than max.")
        if kind in (FactType.CHOICE, FactType.SET) and not choices:
            reader.note(line, f"{what} has no choices.", "List each with one line of explanation.")
        facts[name] = reader.record(
            Fact,
            entry,
            what,
            ("question", "help"),
            name=name,
            group=reader.choice(entry, "group", what, groups),
            type=kind,
            choices=choices,
            synonyms=_synonyms(entry, what, [name for name, _ in choices], reader),
            minimum=minimum,
            maximum=maximum,
            prior=_read_prior(entry, what, reader),
            wordings=_read_wordings(entry, what, dict(choices), reader),
            where=f"{reader.where}:{line}",
        )
    opening = reader.texts(root, "opening", "facts.yaml")
    for name in opening:
        if name not in facts:
            what = f"the opening names {shorten(name)!r}, which is no fact."
            reader.note(root.items["opening"].line, what, did_you_mean(name, facts))
    return Vocabulary(groups, facts, _read_constraints(root.items.get("constraints"), reader), opening)


def _read_prior(fact: Mapping, what: str, reader: Reader) -> Prior | None:
    if "prior" not in fact.items:
        return None
    what = f"{what}: prior"
    entry = reader.mapping(fact.items["prior"], what, ("holds", "because", "low", "high"))
    if entry is None:
        return None
    prior = reader.record(Prior, entry, what, ("because",), holds=reader.number(entry, "holds", what, 0.0))
    if not 0 < prior.holds < 1:
        reader.note(entry.line, f"{what}: holds must be a share between 0 and 1.")
    if not prior.low < prior.high:
        reader.note(entry.line, f"{what}: low must be below high.")
    return prior


def _read_wordings(fact: Mapping, what: str, choices: Iterable[str], reader: Reader) -> tuple[Wording, ...]:
    found = []
    for item in reader.listed(fact.items.get("wordings"), f"{what}: wordings", "when: ..."):
        entry = reader.mapping(
            item, f"{what}: a wording", ("when", "question", "help", "choices", "pixels", "shortcuts")
        )
        if entry is None:
            continue
        offered = reader.named_texts(entry, "choices", f"{what}: a wording")
        for name, _ in offered:
            if name not in choices:
                reader.note(entry.line, f"{what}: a wording offers {shorten(name)!r}.", did_you_mean(name, choices))
        shortcuts = tuple(_read_shortcuts(entry, f"{what}: shortcut", reader))
        told = {"choices": offered, "shortcuts": shortcuts}
        found.append(reader.record(Wording, entry, f"{what}: a wording", ("when",), **told))
    return tuple(found)


def _read_shortcuts(wording: Mapping, what: str, reader: Reader) -> Iterator[Shortcut]:
    for name, value, _ in reader.pairs(wording.items["shortcuts"], what) if "shortcuts" in wording.items else ():
        entry = reader.mapping(value, f"{what} {name}", ("meaning", "stands_for"))
        if entry is not None:
            meaning = reader.text(entry, "meaning", f"{what} {name}", required=True)
            yield Shortcut(name, meaning, reader.named_texts(entry, "stands_for", f"{what} {name}"))


def _synonyms(entry: Mapping, what: str, choices: list[str], reader: Reader) -> tuple[tuple[str, str], ...]:
    """Everyday words for choices; each stands for one, and for none that is called so itself."""
    table = reader.mapping(entry.items["synonyms"], f"{what}: synonyms", choices) if "synonyms" in entry.items else None
    if table is None:
        return ()
    meant = {spelling(name): name for name in choices}
    found: list[tuple[str, str]] = []
    for choice in table.items:
        for word in reader.texts(table, choice, f"{what}: synonyms"):
            spelled = spelling(word)
            if spelled in meant:
                problem = f"{what}: the synonym {shorten(word)!r} of {choice} means {meant[spelled]} already."
                reader.note(table.key_lines[choice], problem, "Leave one of them out.")
                continue
            meant[spelled] = choice
            found.append((spelled, choice))
    return tuple(found)


def _read_constraints(node: Node | None, reader: Reader) -> tuple[Constraint, ...]:
    keys = ("holds", "because")
    entries = (reader.mapping(item, "a constraint", keys) for item in reader.listed(node, "constraints", "holds: ..."))
    return tuple(reader.record(Constraint, entry, "a constraint", keys) for entry in entries if entry is not None)


def read_topics(node: Node | None, reader: Reader) -> dict[str, Topic]:
    root = reader.mapping(node, "topics.yaml", ("topics",))
    topics = {}
    for name, value, line in reader.pairs(root.items.get("topics") if root else None, "topics"):
        what = f"topic {name}"
        entry = reader.mapping(value, what, _TOPIC_KEYS)
        if entry is None:
            continue
        policy = Policy(reader.choice(entry, "policy", what, [policy.value for policy in Policy]))
        values = dict(reader.named_texts(entry, "values", what))
        kind = reader.choice(entry, "type", what, ("integer", "number", "integers"), default="number")
        if (policy is Policy.VALUE) == bool(values):
            reader.note(line, f"{what}: topics of policy value have a type, all others have values.")
        bounds = [reader.number(entry, key, what, 0.0) if key in entry.items else None for key in ("min", "max")]
        if policy is not Policy.VALUE and bounds != [None, None]:
            reader.note(line, f"{what}: only topics of policy value have min and max.")
        elif None not in bounds and bounds[0] > bounds[1]:  # type: ignore[operator]
            reader.note(line, f"{what}: min is larger than max.")
        (probe, measured_fact), (simulation, simulated_fact) = (
            _experiment(entry, key, what, reader) for key in ("measured_by", "simulated_by")
        )
        topics[name] = reader.record(
            Topic,
            entry,
            what,
            required=("title",),
            name=name,
            policy=policy,
            values=values,
            type=kind if policy is Policy.VALUE else "",
            probe=probe,
            measured_fact=measured_fact,
            simulation=simulation,
            simulated_fact=simulated_fact,
            actions=_actions(entry, what, values, reader),
            where=f"{reader.where}:{line}",
            minimum=bounds[0],
            maximum=bounds[1],
            gaps=reader.text(entry, "gaps", what, required="gaps" in entry.items).strip(),  # declared, it must be given
        )
    return topics


def _experiment(entry: Mapping, key: str, what: str, reader: Reader) -> tuple[str, str]:
    """The name of an experiment and the fact that takes what it finds; two empty texts where none is named."""
    node = entry.items.get(key)
    found = reader.mapping(node, f"{what}: {key}", ("probe", "fact")) if node else None
    if found is None:
        return "", ""
    return reader.text(found, "probe", what, required=True), reader.text(found, "fact", what, required=True)


def _actions(entry: Mapping, what: str, values: Iterable[str], reader: Reader) -> dict[str, tuple[str, ...]]:
    """A list goes with every value, a mapping says what to do by value."""
    if not isinstance(entry.items.get("actions"), Mapping):
        lines = reader.texts(entry, "actions", what)
        return {"": lines} if lines else {}
    table = reader.mapping(entry.items["actions"], f"{what}: actions", tuple(values))
    return {value: reader.texts(table, value, f"{what}: actions") for value in table.items} if table else {}


def read_sources(node: Node | None, reader: Reader) -> tuple[dict[str, SourceText], dict[str, Erratum]]:
    root = reader.mapping(node, "sources.yaml", ("sources", "errata"))
    if root is None:
        return {}, {}
    keys = ("title", "author", "year", "kind", "document")
    sources = dict(_named(SourceText, root, "sources", "source", keys, "title", reader))
    return sources, dict(_named(Erratum, root, "errata", "erratum", ("about", "text"), "text", reader))


def _named(
    kind: type[T], root: Mapping, key: str, word: str, keys: tuple[str, ...], required: str, reader: Reader
) -> Iterator[tuple[str, T]]:
    for name, value, _ in reader.pairs(root.items[key], key) if key in root.items else ():
        entry = reader.mapping(value, f"{word} {name}", keys)
        if entry is not None:
            yield name, reader.record(kind, entry, f"{word} {name}", (required,), key=name)
