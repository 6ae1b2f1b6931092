"""`advisor rules list` and `advisor rules show`: rules, and one with its sources, errata and what overrules it."""

from __future__ import annotations

from advisor.cli.commands.rules.options import RulesList, RulesShow
from advisor.cli.console import say, write, write_json
from advisor.cli.options import PlainFormat, as_packs
from advisor.errors import did_you_mean, input_error
from advisor.knowledge.cache import knowledge_for
from advisor.knowledge.model import Knowledge, Rule
from advisor.wording import shorten


def list_(options: RulesList) -> None:
    topic, school = options.topic, options.school
    knowledge = knowledge_for(as_packs(options.packs))
    if topic is not None and topic not in knowledge.topics:
        known = knowledge.by_id.get(topic)
        hint = f"It is a rule of topic {known.topic}." if known else did_you_mean(topic, knowledge.topics)
        remedy = hint or f"Topics: {', '.join(knowledge.topics)}."
        raise input_error("There is no such topic", f"{shorten(topic)!r}", where="--topic", remedy=remedy)
    chosen = [
        rule
        for rule in knowledge.rules
        if (topic is None or rule.topic == topic) and (school is None or rule.school.value == school.value)
    ]
    if options.format_ is PlainFormat.JSON:
        write_json([_rule_json(rule) for rule in chosen])
        return
    for rule in chosen:
        say(f"{rule.id}  ({rule.topic}, {rule.school.value}): {rule.effect.value} {rule.value}")
    write(f"{len(chosen)} rules")


def show(options: RulesShow) -> None:
    rule_id = options.rule_id
    knowledge = knowledge_for(as_packs(options.packs))
    rule = knowledge.by_id.get(rule_id)
    if rule is None:
        if rule_id in knowledge.topics:
            remedy = f"It is a topic: `advisor rules list --topic {rule_id}` lists its rules."
        else:
            remedy = did_you_mean(rule_id, knowledge.by_id) or "`advisor rules list` lists all."
        raise input_error("There is no such rule", f"{shorten(rule_id)!r}", where="RULE-ID", remedy=remedy)
    if options.format_ is PlainFormat.JSON:
        write_json(_rule_json(rule))
    else:
        say(_described(knowledge, rule))


def _rule_json(rule: Rule) -> dict[str, object]:
    return {
        "id": rule.id, "topic": rule.topic, "school": rule.school.value, "effect": rule.effect.value,
        "value": rule.value, "when": rule.when, "strength": rule.strength.value if rule.strength else None,
        "argument": rule.argument, "because": rule.because, "sources": list(rule.sources), "verified": rule.verified,
        "settles": {"probe": rule.settles.probe, "expects": rule.settles.expects} if rule.settles else None,
        "erratum": list(rule.erratum), "supersedes": list(rule.supersedes), "actions": list(rule.actions),
        "readiness": rule.readiness, "where": rule.where, "layer": rule.layer,
    }  # fmt: skip


def _described(knowledge: Knowledge, rule: Rule) -> str:
    strength = f", {rule.strength.value}" if rule.strength else ""
    lines = [
        rule.id,
        f"  {rule.topic}, school {rule.school.value}: {rule.effect.value} {rule.value}{strength}",
        f"  when     {rule.when or 'always'}",
        f"  because  {rule.because}",
    ]
    for citation in rule.sources:
        key, _, place = citation.partition(" ")
        lines.append(f"  source   {knowledge.sources[key]}{f', {place}' if place else ''}")
    lines.append(f"  verified {rule.verified or 'no'}")
    if rule.settles:
        from advisor.report.changes import by_whom  # 50 ms: what a measurement consists of

        lines.append(f"  settled by {by_whom(rule.settles.probe)}, which should find {rule.settles.expects}")
    lines += [f"  erratum  {key}: {knowledge.errata[key].text}" for key in rule.erratum]
    lines += [f"  supersedes {other}" for other in rule.supersedes]
    lines += [f"  superseded by {other.id}" for other in knowledge.rules if rule.id in other.supersedes]
    lines += [f"  do       {line}" for line in rule.actions]
    lines.append(f"  at       {rule.where}")
    return "\n".join(lines)
