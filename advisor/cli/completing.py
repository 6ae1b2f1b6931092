"""Names that the shell completes: facts, topics, rules, devices, machines. They are loaded when somebody presses Tab."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from advisor.resources import device_files

if TYPE_CHECKING:
    from advisor.knowledge.model import Knowledge

THIS = "this"
"""The machine of this host that was measured last."""


def rules() -> Knowledge:
    """The rule base as it is completed from: without packs."""
    from advisor.knowledge.cache import knowledge_for  # 60 ms, and most names need no rules

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


def complete_value(context: typer.Context, incomplete: str) -> list[str]:
    named = context.params.get("topic") or next(iter(context.args), "")  # not yet told apart while completing
    topic = rules().topics.get(named)
    return [value for value in topic.values if value.startswith(incomplete)] if topic else []


def complete_term(incomplete: str) -> list[str]:
    names = [*rules().terms, *rules().vocabulary.facts]
    return [*(name for name in names if name.startswith(incomplete)), *complete_topic(incomplete)]


def complete_help(incomplete: str) -> list[str]:
    from advisor.cli.app import COMMANDS  # it imports this module
    from advisor.cli.topics import TOPICS

    return [name for name in (*TOPICS, *COMMANDS) if name.startswith(incomplete) and " " not in name]


def complete_rule(incomplete: str) -> list[str]:
    return [rule.id for rule in rules().rules if rule.id.startswith(incomplete)]


def complete_device(incomplete: str) -> list[str]:
    return [path.stem for path in device_files() if path.stem.startswith(incomplete)]


def complete_machine(incomplete: str) -> list[str]:
    return [*(name for name in ("auto", "none") if name.startswith(incomplete)), *complete_device(incomplete)]


def complete_model(incomplete: str) -> list[str]:
    from advisor.models.published import published_models  # 50 ms

    return [name for name in published_models() if name.startswith(incomplete)]


def complete_profile(incomplete: str) -> list[str]:
    from advisor.agent.remembered.memory import kept_profiles  # 60 ms: what a measurement consists of

    names = [THIS, *(profile.name for profile in kept_profiles()[0])]
    return [*(name for name in names if name.startswith(incomplete)), *complete_device(incomplete)]


def complete_network(incomplete: str) -> list[str]:
    from advisor.networks.benchmark.six import EIGHT  # 15 ms: the networks of the benchmark

    return [network.name for network in EIGHT if network.name.startswith(incomplete)]
