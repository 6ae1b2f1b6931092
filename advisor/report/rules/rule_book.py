"""The rule base as a book in Markdown: every topic with its values and rules, every fact, source and erratum. Written by
`advisor rules docs`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from advisor.agent.trials.outcomes import is_trial
from advisor.facts.experiments import is_of_strategies
from advisor.facts.values import number_text
from advisor.facts.vocabulary import Fact
from advisor.knowledge.model import Effect, Knowledge, Policy, Rule, School, Topic
from advisor.report import words
from advisor.report.markup import code, plain
from advisor.wording import join_names

_TRIED = "They are tried in the order of the numbers."
POLICY_WORDS = {
    Policy.SCORE: (
        "The value with the better net reasons wins: strong ones are compared first, then moderate, then weak. "
        "Rules that make the same argument count once, and a veto excludes its value. A rule that gives a value comes "
        "before all of them."
    ),
    Policy.FIRST: f"The first rule that holds decides. {_TRIED}",
    Policy.VALUE: f"The first rule that holds and whose value can be computed decides. {_TRIED}",
    Policy.ALL: "Every rule that holds adds its item.",
}
SCHOOL_TITLES = {
    School.TODAY: "Today's practice",
    School.ANY: "Measurement and arithmetic, in every school",
    School.SURVEY: "The survey as written",
}
KINDS = {
    "seed": "Seed documents, on which the survey rests",
    "own": "What needs no author",
    "guide": "Guides",
    "book": "Books",
    "documentation": "Documentation",
    "paper": "Papers",
}
FACTS, FIGURES, SOURCES, ERRATA = "facts", "figures", "sources", "errata"


def rule_book(knowledge: Knowledge) -> str:
    """The whole book. It depends on nothing but what the rules say: no date, no path."""
    lines = ["# The rule base", ""]
    lines += ["<!-- Written by `advisor rules docs`: change rules/*.yaml and run `make docs`. -->", ""]
    lines += [_counts(knowledge), "", HOW_TO_READ, ""]
    lines += ["## Contents", "", *_contents(knowledge), ""]
    for title, topics in words.by_group(knowledge.topics):
        lines += [f"## {title}", ""]
        for topic in topics:
            lines += _topic(knowledge, topic)
    lines += _facts(knowledge)
    lines += _figures(knowledge)
    lines += _sources(knowledge)
    lines += _errata(knowledge)
    return "\n".join(lines).rstrip("\n") + "\n"


def _counts(knowledge: Knowledge) -> str:
    rules = knowledge.rules
    verified = sum(rule.is_verified for rule in rules)
    schools = [f"{sum(rule.school is school for rule in rules)} of school {school.value}" for school in School]
    return (
        f"**{len(rules)} rules** on {len(knowledge.topics)} topics ({', '.join(schools)}); "
        f"**{verified} looked up in their sources**, {len(rules) - verified} cited from memory.\n"
        f"{len(knowledge.sources)} sources, {len(knowledge.errata)} errata, "
        f"{len(knowledge.vocabulary.facts)} facts that can be known."
    )


HOW_TO_READ = """\
A rule shows its value, when it holds (the names are facts and topics of this book), why, and what it rests on. School survey uses
the rules of the survey and those of every school. School today uses all, and a rule of today that holds silences those that it
supersedes. `advisor rules show RULE` shows one rule, `advisor glossary TERM` explains a word."""


def _contents(knowledge: Knowledge) -> Iterator[str]:
    for title, topics in words.by_group(knowledge.topics):
        yield f"- {title}: " + ", ".join(f"[{plain(topic.title)}](#{_anchor(topic.name)})" for topic in topics)
    figures = f"[figures](#{FIGURES}), " if knowledge.figures.figures else ""
    yield f"- [Facts](#{FACTS}), {figures}[sources](#{SOURCES}), [errata](#{ERRATA})"


def _anchor(name: str) -> str:
    """A place in this file; what is no letter or digit becomes a hyphen."""
    return "-".join("".join(c if c.isascii() and c.isalnum() else " " for c in name).split())


def _target(name: str) -> str:
    return f'<a id="{_anchor(name)}"></a>'


def _heading(name: str, about: str = "") -> list[str]:
    return [_target(name), "", f"## {name.capitalize()}", "", *([about, ""] if about else [])]


def _part(title: str, lines: list[str]) -> list[str]:
    """Lines under a title of their own; nothing where there are none."""
    return [title, "", *lines, ""] if lines else []


# --- topics and rules --------------------------------------------------------------------------------------------


def _topic(knowledge: Knowledge, topic: Topic) -> Iterator[str]:
    yield from (_target(topic.name), "", f"### {plain(topic.title)}", "", code(topic.name), "")
    yield POLICY_WORDS[topic.policy]
    if topic.applies:
        yield f"It means something only when {code(topic.applies)}."
    if topic.name in knowledge.vocabulary.facts:
        yield "What somebody states of it is so, whatever the rules say."
    if is_trial(topic.probe):
        yield f"Trainings on your own data can settle it: {code('advisor try')}."
    elif topic.probe:
        yield f"{_capital(_who(topic.probe))} can settle it by measuring."
    if topic.simulation:
        yield f"{_capital(_who(topic.simulation))} can settle it by simulating."
    if topic.gaps:
        yield f"Where no rule holds, silence is intended: {plain(topic.gaps)}"
    yield ""
    yield from _values(topic)
    rules = [rule for rule in knowledge.rules if rule.topic == topic.name]
    for school, title in SCHOOL_TITLES.items():
        chosen = [(number, rule) for number, rule in enumerate(rules, start=1) if rule.school is school]
        lines = [line for number, rule in chosen for line in _rule(knowledge, topic, rule, number)]
        yield from _part(f"#### {title}", lines)


def _values(topic: Topic) -> Iterator[str]:
    if topic.policy is Policy.VALUE:
        of = {"integer": "A whole number", "integers": "A list of whole numbers"}.get(topic.type, "A number")
        low, high = (None if end is None else number_text(end) for end in (topic.minimum, topic.maximum))
        bounds = "".join([f", at least {low}" if low else "", f", at most {high}" if high else ""])
        yield f"{of}{f' ({plain(topic.unit)})' if topic.unit else ''}{bounds}."
    for value, meaning in topic.values.items():
        yield f"- {code(value)}: {plain(meaning)}"
        yield from (f"  - {code(line)}" for line in topic.actions.get(value, ()))
    always = topic.actions.get("", ())
    if always:
        yield from ("", "What to do:", "", *(f"- {code(line)}" for line in always))
    yield ""


def _rule(knowledge: Knowledge, topic: Topic, rule: Rule, number: int) -> Iterator[str]:
    position = f"{number}. " if topic.policy in (Policy.FIRST, Policy.VALUE) else ""
    pack = f" (from the pack {plain(_pack(rule))})" if rule.layer else ""
    yield f"- {position}{_target(rule.id)}**{code(rule.id)}** {_effect(rule)}{pack}"
    yield f"  - when {code(' '.join(rule.when.split()))}" if rule.when else "  - always"
    yield f"  - {plain(rule.because)}"
    cited = "; ".join(plain(words.citation(knowledge, source)) for source in rule.sources)
    yield f"  - {cited} ({f'looked up {rule.verified}' if rule.is_verified else 'not looked up'})"
    if rule.erratum:
        yield f"  - the source is mistaken here: {', '.join(f'[{plain(key)}](#{_anchor(key)})' for key in rule.erratum)}"
    if rule.supersedes:
        yield f"  - supersedes {_linked(rule.supersedes)}"
    overruled = [other.id for other in knowledge.rules if rule.id in other.supersedes]
    if overruled:
        yield f"  - superseded, where it holds, by {_linked(overruled)}"
    if rule.settles:
        yield f"  - {_who(rule.settles.probe)} can judge it: it should find {code(rule.settles.expects)}"
    if rule.readiness:
        yield f"  - readiness {rule.readiness} of 9"
    if rule.actions:
        yield f"  - do: {', '.join(code(line) for line in rule.actions)}"


def _who(experiment: str) -> str:
    """The probe, or the command that answers such questions, as code."""
    if is_of_strategies(experiment):
        return code(f"advisor {experiment}")
    return code("advisor try") if is_trial(experiment) else f"the probe {code(experiment)}"


def _capital(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"


def _effect(rule: Rule) -> str:
    """`strongly for`, `against`, `vetoes` or the value itself."""
    value = code(rule.value)
    if rule.effect is Effect.VETO:
        return f"excludes {value}"
    if rule.strength is not None:
        return f"is a {rule.strength.value} reason {rule.effect.value} {value}"
    return f"adds {value}" if rule.effect is Effect.ADD else f"gives {value}"


def _linked(ids: Iterable[str]) -> str:
    return ", ".join(f"[{code(other)}](#{_anchor(other)})" for other in ids)


def _pack(rule: Rule) -> str:
    """The folder of the pack that a rule comes from."""
    parts = rule.where.replace("\\", "/").split("/")
    return parts[-2] if len(parts) > 1 else rule.where


# --- facts, sources, errata --------------------------------------------------------------------------------------


def _facts(knowledge: Knowledge) -> Iterator[str]:
    vocabulary = knowledge.vocabulary
    yield from _heading(FACTS, "What can be known. An assumed default counts as unknown.")
    for group, title in vocabulary.groups.items():
        facts = [fact for fact in vocabulary.facts.values() if fact.group == group]
        targets = ["" if fact.name in knowledge.topics else _target(fact.name) for fact in facts]
        lines = [line for fact, target in zip(facts, targets, strict=True) for line in _fact(fact, target)]
        yield from _part(f"### {plain(title)}", lines)
    always = [f"- {code(one.holds)}: {plain(one.because)}" for one in vocabulary.constraints]
    yield from _part("### What always holds", always)


def _fact(fact: Fact, target: str) -> Iterator[str]:
    yield f"- {target}**{code(fact.name)}** {plain(fact.question)} {plain(fact.help)}"
    kind = fact.type.value + (f" in {plain(fact.unit)}" if fact.unit else "")
    if fact.numeric:
        kind += f", {number_text(fact.minimum)} to {number_text(fact.maximum)}"
    yield f"  - {kind}{'' if fact.ask else '; never asked'}"
    if fact.only_when:
        yield f"  - means something only when {code(' '.join(fact.only_when.split()))}"
    if fact.derive:
        yield f"  - computed as {code(' '.join(fact.derive.split()))}"
    if fact.assume:
        yield f"  - default {code(' '.join(fact.assume.split()))}"
    if fact.usual:
        yield f"  - default for those who were asked and do not know {code(' '.join(fact.usual.split()))}"
    if fact.prior:
        yield f"  - it holds in about {fact.prior.holds:.0%} of projects: {plain(fact.prior.because)}"
    for choice, meaning in fact.choices:
        yield f"  - {code(choice)}: {plain(meaning)}"


def _figures(knowledge: Knowledge) -> Iterator[str]:
    if not knowledge.figures.figures:
        return
    yield from _heading(FIGURES, "Numbers that follow from the plan; the first formula that applies gives each.")
    for figure in knowledge.figures.figures.values():
        unit = f", in {plain(figure.unit)}" if figure.unit else ""
        yield f"- {_target(figure.name)}**{code(figure.name)}** {plain(figure.title)}{unit}"
        for case in figure.cases:
            when = f" when {code(' '.join(case.only_when.split()))}" if case.only_when else ""
            cited = "; ".join(plain(words.citation(knowledge, source)) for source in case.sources)
            yield f"  - {code(' '.join(case.value.split()))}{when}: {plain(case.help)}{f' {cited}' if cited else ''}"
    yield from ("", "Formulas also read what the program counts or looks up:", "")
    for given in knowledge.figures.given.values():
        yield f"- {code(given.name)} {plain(given.title)}, in {plain(given.unit)}. {plain(given.help)}"
    yield ""


def _sources(knowledge: Knowledge) -> Iterator[str]:
    yield from _heading(SOURCES)
    citing = [rule.sources for rule in knowledge.rules]
    citing += [case.sources for figure in knowledge.figures.figures.values() for case in figure.cases]
    cited = Counter(key for citations in citing for key in {source.partition(" ")[0] for source in citations})
    kinds = dict.fromkeys([*KINDS, *(source.kind for source in knowledge.sources.values())])
    for kind in kinds:
        chosen = sorted((one for one in knowledge.sources.values() if one.kind == kind), key=lambda one: one.key)
        counted = [(source, cited[source.key]) for source in chosen]
        lines = [f"- {code(s.key)} {plain(s)} (cited {n} time{'' if n == 1 else 's'})" for s, n in counted]
        yield from _part(f"### {plain(KINDS.get(kind, kind) or 'Others')}", lines)


def _errata(knowledge: Knowledge) -> Iterator[str]:
    yield from _heading(ERRATA, "Where a seed document is mistaken.")
    for erratum in knowledge.errata.values():
        used = [rule.id for rule in knowledge.rules if erratum.key in rule.erratum]
        about = f" ({plain(words.citation(knowledge, erratum.about))})" if erratum.about else ""
        yield f"- {_target(erratum.key)}**{plain(erratum.key)}**{about}: {plain(erratum.text)}"
        if used:
            yield f"  - goes with {join_names([code(rule) for rule in used])}"
