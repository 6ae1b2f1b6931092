"""Names that the shell completes: facts, topics, rules, devices, machines. The rules are loaded when somebody presses Tab."""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.resources import device_files

if TYPE_CHECKING:
    from advisor.knowledge.model import Knowledge


def rules() -> Knowledge:
    """The rule base as it is completed from: without packs."""
    from advisor.session.inputs import knowledge_for  # 150 ms, and most names need no rules

    return knowledge_for(())


def complete_assignment(incomplete: str) -> list[str]:
    name, equals, value = incomplete.partition("=")
    vocabulary = rules().vocabulary
    if not equals:
        return [f"{fact}=" for fact in vocabulary.facts if fact.startswith(name)]
    fact = vocabulary.facts.get(name)
    choices = fact.choice_names if fact else ()
    return [f"{name}={choice}" for choice in choices if choice.startswith(value)]


def complete_topic(incomplete: str) -> list[str]:
    return [name for name in rules().topics if name.startswith(incomplete)]


def complete_rule(incomplete: str) -> list[str]:
    return [rule.id for rule in rules().rules if rule.id.startswith(incomplete)]


def complete_device(incomplete: str) -> list[str]:
    return [path.stem for path in device_files() if path.stem.startswith(incomplete)]


def complete_machine(incomplete: str) -> list[str]:
    return [*(name for name in ("auto", "none") if name.startswith(incomplete)), *complete_device(incomplete)]
