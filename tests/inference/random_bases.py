"""Random rule bases, small enough that every completion can be tried: all policies, definitions, masks, constraints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from tests.small_rules import RuleBase, a_set, boolean, choice, fact, integer, number, topic

from .oracle import domain

MOST_COMPLETIONS = 150
OFTEN_ANY = ("any", "any", "any", "today", "survey")


@dataclass(frozen=True)
class Case:
    """A rule base, what is known of a project, and a school."""

    base: RuleBase
    known: dict[str, Any]
    school: str


@dataclass
class Names:
    """What an expression may read so far, by what can be done with it."""

    truths: list[str]
    numbers: list[str]
    cells: list[str]
    choices: dict[str, tuple[str, ...]]
    sets: dict[str, tuple[str, ...]]

    def add(self, name: str, declared: dict[str, Any]) -> None:
        kind = declared.get("policy") or declared["type"]
        if kind == "boolean":
            self.truths.append(name)
        elif kind in ("integer", "value"):
            if declared.get("type") != "integers":
                self.numbers.append(name)
        elif kind == "number":
            self.cells.append(name)
        elif kind in ("set", "all"):
            self.sets[name] = tuple(declared.get("choices") or declared["values"])
        else:
            self.choices[name] = tuple(declared.get("choices") or declared["values"])

    def atoms(self) -> list[str]:
        """Simple conditions on single names."""
        found = [*self.truths, *(f"{name} == false" for name in self.truths)]
        for name in self.numbers:
            found += [
                f"{name} >= 1",
                f"{name} == 2",
                f"{name} != 0",
                f"1 <= {name} < 3",
                f"{name} in (0, 2)",
                f"2 > {name}",
            ]
        for name in self.cells:
            found += [f"{name} < 0.25", f"{name} >= 0.5", f"0.25 <= {name} <= 0.5", f"{name} == 0.5"]
        for name, options in self.choices.items():
            found += [f'{name} == "{options[0]}"', f'{name} != "{options[-1]}"']
            found += [f'{name} in ("{options[0]}", "{options[-1]}")', f'{name} not in ("{options[0]}",)']
        for name, options in self.sets.items():
            found += [f'"{options[0]}" in {name}', f'"{options[-1]}" not in {name}']
        return found or ["true", "1 > 2"]


@st.composite
def number_text(draw: st.DrawFn, names: Names, depth: int = 2) -> str:
    leaves = [*names.numbers, *names.numbers, "1", "2", "3", "0.5"]
    if depth == 0 or draw(st.integers(0, 2)) == 0:
        return draw(st.sampled_from(leaves))
    one, other = draw(number_text(names, depth - 1)), draw(number_text(names, depth - 1))
    forms = [
        f"({one} + {other})", f"({one} - {other})", f"({one} * {other})", f"({one} / {other})", f"({one} // {other})",
        f"min({one}, {other})", f"max({one}, {other})", f"ceil({one} / 2)", f"round({one})", f"(-{one})",
        f"log2({one})", f"sqrt({one})", f"({one} if {draw(st.sampled_from(names.atoms()))} else {other})",
    ]  # fmt: skip
    return draw(st.sampled_from(forms))


@st.composite
def condition_text(draw: st.DrawFn, names: Names, depth: int = 2) -> str:
    kind = draw(st.integers(0, 7)) if depth else 0
    if kind <= 2:
        return draw(st.sampled_from(names.atoms()))
    if kind == 3 and names.numbers:
        sides = draw(number_text(names)), draw(number_text(names))
        return f"{sides[0]} {draw(st.sampled_from(['<', '<=', '==', '!=', '>', '>=']))} {sides[1]}"
    one, other = draw(condition_text(names, depth - 1)), draw(condition_text(names, depth - 1))
    if kind == 4:
        return f"not ({one})"
    if kind == 5:
        return f"(({one}) if {draw(st.sampled_from(names.atoms()))} else ({other}))"
    return f"({one}) {draw(st.sampled_from(['and', 'or']))} ({other})"


def _base_facts() -> dict[str, dict[str, Any]]:
    return {
        "p": boolean(group="task"),
        "q": boolean(group="machine"),
        "c": choice("red", "green", "blue", group="data"),
        "k": choice("on", "off", group="project"),
        "n": integer(0, 3, group="task"),
        "m": integer(1, 3, group="data"),
        "s": a_set("x", "y", group="machine"),
        "r": number(0, 1, group="cluster"),
    }


@st.composite
def fact_declarations(draw: st.DrawFn, names: Names, *, tried: bool = False) -> dict[str, dict[str, Any]]:
    """With `tried` also a closed fact z, which only a trial can tell; rules of score topics may then give values."""
    facts: dict[str, dict[str, Any]] = {}
    completions = 1
    pool = _base_facts()
    for name in draw(st.lists(st.sampled_from(sorted(pool)), min_size=2, max_size=5, unique=True)):
        declared = pool[name]
        completions *= len(domain(declared))
        if completions > MOST_COMPLETIONS:
            break
        if facts and draw(st.integers(0, 3)) == 0:
            declared["only_when"] = draw(condition_text(names, 1))
        if name != "s" and draw(st.integers(0, 2)) == 0:
            declared["assume"] = draw(_assumption(name, names))
        facts[name] = declared
        names.add(name, declared)
    if draw(st.integers(0, 2)) == 0:
        facts["d"] = fact("integer", min=-1000, max=1000, derive=draw(number_text(names)), ask="false", group="network")
        names.add("d", facts["d"])
    if draw(st.integers(0, 4)) == 0:
        facts["e"] = boolean(derive=draw(condition_text(names)), only_when=draw(condition_text(names, 1)), ask="false")
        names.add("e", facts["e"])
    if tried:
        facts["z"] = choice("va", "vb", closed="true", ask="false", group="probe")
        names.add("z", facts["z"])
    return facts


@st.composite
def _assumption(draw: st.DrawFn, name: str, names: Names) -> str:
    if name in ("p", "q"):
        return draw(st.sampled_from(["true", "false", *names.truths]))
    if name in ("c", "k"):
        options = {"c": ("red", "blue"), "k": ("on", "off")}[name]
        plain = [f'"{option}"' for option in options]
        return draw(st.sampled_from([*plain, f"{plain[0]} if {names.atoms()[0]} else {plain[1]}"]))
    if name in ("n", "m"):
        return draw(st.sampled_from(["1", "2", *names.numbers]))
    return "0.5"


@st.composite
def rules_of(draw: st.DrawFn, name: str, declared: dict[str, Any], names: Names) -> list[dict[str, Any]]:
    rules: list[dict[str, Any]] = []
    for position in range(draw(st.integers(1, 5))):
        rule: dict[str, Any] = {
            "id": f"{name}.{position}", "topic": name, "because": "so", "sources": ["book"],
            "school": draw(st.sampled_from(OFTEN_ANY)),
        }  # fmt: skip
        if draw(st.integers(0, 4)):
            rule["when"] = draw(condition_text(names))
        rule |= draw(_advice(declared, names))
        older = [other["id"] for other in rules]
        if older and rule["school"] != "survey" and draw(st.integers(0, 3)) == 0:
            rule["supersedes"] = draw(st.lists(st.sampled_from(older), min_size=1, max_size=2, unique=True))
        rules.append(rule)
    return rules


@st.composite
def _advice(draw: st.DrawFn, declared: dict[str, Any], names: Names) -> dict[str, Any]:
    policy = declared["policy"]
    values = list(declared.get("values", ()))
    if policy == "all":
        return {"add": draw(st.sampled_from(values))}
    if policy == "score" and "z" in names.choices and draw(st.integers(0, 3)) == 0:
        either = f'"{values[0]}" if {draw(st.sampled_from(names.atoms()))} else "{values[-1]}"'
        return {"value": draw(st.sampled_from(["z", "z", values[0], either]))}
    if policy == "score":
        side = draw(st.sampled_from(["for", "for", "for", "against", "veto"]))
        said: dict[str, Any] = {side: draw(st.sampled_from(values))}
        if side != "veto":
            said["strength"] = draw(st.sampled_from(["strong", "moderate", "weak", "historical"]))
            if draw(st.integers(0, 2)) == 0:
                said["argument"] = draw(st.sampled_from(["one", "two"]))
        return said
    if policy == "first":
        either = f'"{values[0]}" if {draw(st.sampled_from(names.atoms()))} else "{values[-1]}"'
        return {"value": draw(st.sampled_from([*values, *values, either]))}
    if declared["type"] == "integers":
        return {"value": f"[{draw(number_text(names, 1))}, 8]"}
    return {"value": draw(number_text(names))}


def _topic(kind: str) -> dict[str, Any]:
    if kind in ("score", "first", "all"):
        return topic(kind, "va", "vb", "vc")
    return topic("value", type=kind, tolerance=0.4 if kind == "number" else 0)


@st.composite
def bases(
    draw: st.DrawFn,
    *,
    kinds: tuple[str, ...] = ("score", "first", "all", "integer", "number", "integers"),
    tried: bool = False,
) -> RuleBase:
    names = Names([], [], [], {}, {})
    facts = draw(fact_declarations(names, tried=tried))
    constraints = draw(st.lists(condition_text(names, 1), max_size=2)) if draw(st.integers(0, 3)) == 0 else []
    topics: dict[str, Any] = {}
    rules: list[dict[str, Any]] = []
    for position in range(draw(st.integers(1, 3))):
        name = f"t{position}"
        declared = _topic(draw(st.sampled_from(kinds)))
        if draw(st.integers(0, 4)) == 0:
            declared["applies"] = draw(condition_text(names, 1))
        topics[name] = declared
        rules += draw(rules_of(name, declared, names))
        names.add(name, declared)
    return RuleBase(facts, topics, rules, constraints)


@st.composite
def known_facts(draw: st.DrawFn, base: RuleBase) -> dict[str, Any]:
    known = {}
    for name, declared in base.facts.items():
        if "derive" not in declared and draw(st.booleans()):
            known[name] = draw(st.sampled_from(domain(declared)))
    return known


@st.composite
def cases(draw: st.DrawFn, **keys: Any) -> Case:
    base = draw(bases(**keys))
    return Case(base, draw(known_facts(base)), draw(st.sampled_from(["today", "today", "survey"])))
