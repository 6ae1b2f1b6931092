"""A rule as JSON."""

from __future__ import annotations

from advisor.knowledge.model import Rule


def rule_json(rule: Rule) -> dict[str, object]:
    return {
        "id": rule.id, "topic": rule.topic, "school": rule.school.value, "effect": rule.effect.value,
        "value": rule.value, "when": rule.when, "strength": rule.strength.value if rule.strength else None,
        "argument": rule.argument, "because": rule.because, "sources": list(rule.sources), "verified": rule.verified,
        "settles": {"probe": rule.settles.probe, "expects": rule.settles.expects} if rule.settles else None,
        "erratum": list(rule.erratum), "supersedes": list(rule.supersedes), "actions": list(rule.actions),
        "readiness": rule.readiness, "where": rule.where, "layer": rule.layer,
    }  # fmt: skip
