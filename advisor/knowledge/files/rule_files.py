"""Reader of one NAME.yaml of rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from advisor.errors import did_you_mean
from advisor.knowledge.model import EFFECTS, Effect, Rule, Settles, Strength, Topic
from advisor.reading import Reader
from advisor.safe_yaml import Mapping as YamlMapping
from advisor.safe_yaml import Node, Sequence
from advisor.wording import shorten

_RULE_KEYS = (
    "id", "topic", "school", "when", "for", "against", "veto", "value", "add", "strength", "argument", "because",
    "sources", "verified", "settles", "erratum", "supersedes", "before", "actions", "readiness",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Disabled:
    """A pack's wish to take a rule out."""

    id: str
    because: str
    where: str
    layer: int


def read_rules(
    node: Node | None, reader: Reader, topics: Mapping[str, Topic], layer: int
) -> tuple[list[Rule], list[Disabled]]:
    rules: list[Rule] = []
    disabled: list[Disabled] = []
    if node is not None and not isinstance(node, Sequence):
        reader.note(node.line, "this must be a list of rules.", "Start each rule with `- id: ...`.")
    for item in node.items if isinstance(node, Sequence) else ():
        if isinstance(item, YamlMapping) and "disable" in item.items:
            entry = reader.mapping(item, "a disabled rule", ("disable", "because"))
            if entry is not None:
                identifier = reader.text(entry, "disable", "a disabled rule", required=True)
                disabled.append(
                    reader.record(Disabled, entry, "a disabled rule", ("because",), id=identifier, layer=layer)
                )
            continue
        mapping = reader.mapping(item, "a rule", _RULE_KEYS)
        rule = _read_rule(mapping, reader, topics, layer) if mapping is not None else None
        if rule is not None:
            rules.append(rule)
    return rules, disabled


def _read_rule(entry: YamlMapping, reader: Reader, topics: Mapping[str, Topic], layer: int) -> Rule | None:
    identifier = reader.text(entry, "id", "a rule", required=True)
    what = f"rule {shorten(identifier) or '?'}"
    topic_name = reader.text(entry, "topic", what, required=True)
    topic = topics.get(topic_name)
    if topic is None:
        if topic_name:
            hint = did_you_mean(topic_name, topics)
            reader.note(entry.items["topic"].line, f"{what}: {shorten(topic_name)!r} is not a topic.", hint)
        return None
    effect = _effect(entry, reader, what, topic)
    if effect is None:
        return None
    if isinstance(entry.items[effect.value], Sequence):  # [256, 128], written without quotes
        value = f"[{', '.join(reader.texts(entry, effect.value, what))}]"
    else:
        value = reader.text(entry, effect.value, what, required=True)
    if effect is not Effect.VALUE and value not in topic.values:
        line = entry.items[effect.value].line
        reader.note(line, f"{what}: {topic_name} cannot be {shorten(value)!r}.", did_you_mean(value, topic.values))
        return None
    strength = None
    if effect in (Effect.FOR, Effect.AGAINST):
        strength = Strength(reader.choice(entry, "strength", what, [strength.value for strength in Strength]))
    elif "strength" in entry.items:
        reader.note(entry.items["strength"].line, f"{what}: only `for` and `against` have a strength.")
    readiness = int(reader.number(entry, "readiness", what, 0))
    if readiness and not 1 <= readiness <= 9:
        reader.note(entry.items["readiness"].line, f"{what}: readiness runs from 1 to 9.")
    if "when" in entry.items and not reader.text(entry, "when", what).strip():
        reader.note(entry.items["when"].line, f"{what}: when is empty.", "Leave it out for a rule that always holds.")
    if not reader.texts(entry, "sources", what):
        reader.note(entry.line, f"{what} cites nothing.", "Add `sources: [KEY PLACE]`.")
    return reader.record(
        Rule,
        entry,
        what,
        ("because",),
        id=identifier,
        topic=topic_name,
        effect=effect,
        value=value,
        strength=strength,
        argument=reader.text(entry, "argument", what) or identifier,
        settles=_settles(entry, reader, what),
        readiness=readiness or None,
        layer=layer,
    )


def _effect(entry: YamlMapping, reader: Reader, what: str, topic: Topic) -> Effect | None:
    possible = EFFECTS[topic.policy]
    given = [effect for effect in Effect if effect.value in entry.items]
    if len(given) == 1 and given[0] in possible:
        return given[0]
    wanted = " or ".join(effect.value for effect in possible)
    reader.note(entry.line, f"{what}: a rule of {topic.name} needs exactly one of the keys {wanted}.")
    return None


def _settles(entry: YamlMapping, reader: Reader, what: str) -> Settles | None:
    node = entry.items.get("settles")
    if node is None:
        return None
    settles = reader.mapping(node, f"{what}: settles", ("probe", "expects"))
    if settles is None:
        return None
    found = reader.record(Settles, settles, what, ("probe", "expects"))
    return found if found.expects.strip() else None
