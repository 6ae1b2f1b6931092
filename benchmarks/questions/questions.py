"""How many questions the interview asks: against the fewest that would do, and against a fixed questionnaire.

Every scenario and 300 people drawn at random are interviewed by the real interview, each question answered with the truth,
until none is left; facts about the machine are detected beforehand.

    asked          questions asked
    smallest       the fewest of this person's truths that leave nothing worth asking (see sufficiency.py); known only with
                   hindsight, so no interview can be expected to ask as few
    questionnaire  all askable facts that apply to the person, the machine's left out

With `--beginners` others are interviewed instead, who know only what beginners can (see beginners.py).
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from beginners import begun
from beginners import table as table_of_beginners
from people import Person, as_text, at_random, from_scenarios
from sufficiency import Smallest, Sufficiency

from advisor.facts.fact_base import FactBase, Source
from advisor.inference.advise import engine_for
from advisor.interview.interview import Interview
from advisor.knowledge import loader
from advisor.knowledge.model import Knowledge
from advisor.resources import rules_folder

MOST_CALLS = 4000


@dataclass(frozen=True, slots=True)
class Result:
    """`wasted`: answers after which every recommendation had the value and status that it had before.

    `done`: whether nothing askable can matter any more (None: the engine cannot tell)."""

    person: Person
    asked: tuple[str, ...]
    smallest: Smallest
    done: bool | None
    wasted: int
    seconds: tuple[float, float]


def interviewed(knowledge: Knowledge, person: Person) -> tuple[tuple[str, ...], int]:
    """The facts asked for, in order, and how many of the answers moved nothing."""
    interview = Interview(knowledge, FactBase.of(person.machine, Source.DETECTED), person.school)
    asked = []
    wasted = 0
    while (question := interview.question()) is not None:
        asked.append(question.fact)
        if question.fact in person.truths:
            wasted += not interview.answer(question.fact, as_text(person.truths[question.fact]))
        else:
            interview.do_not_know(question.fact)  # means nothing to this person
    return tuple(asked), wasted


def measure(knowledge: Knowledge, person: Person, most_calls: int) -> Result:
    engine = engine_for(knowledge, person.school)
    engine.forget()
    started = time.perf_counter()
    asked, wasted = interviewed(knowledge, person)
    between = time.perf_counter()
    oracle = Sufficiency(engine, person, most_calls)
    said = sum(1 << place for place, name in enumerate(oracle.names) if name in asked)
    verdicts = {oracle.is_done(topic, said) for topic in oracle.topics}
    done = False if False in verdicts else None if None in verdicts else True
    smallest = oracle.smallest()
    return Result(person, asked, smallest, done, wasted, (between - started, time.perf_counter() - between))


def line(title: str, numbers: Sequence[float], digits: int = 2) -> str:
    low, middle, high = statistics.quantiles(numbers, n=4, method="inclusive")
    return f"  {title:<22}" + "".join(f"{value:>10.{digits}f}" for value in (low, middle, high, max(numbers)))


def table(title: str, results: Sequence[Result]) -> str:
    exact = sum(r.smallest.lower == r.smallest.upper for r in results)
    done = [r.done for r in results]
    lines = [
        f"{title}: {len(results)} people",
        f"  {'':<22}" + "".join(f"{head:>10}" for head in ("25 %", "median", "75 %", "worst")),
        line("asked", [len(r.asked) for r in results], 0),
        line("smallest", [r.smallest.lower for r in results], 0),
        line("questionnaire", [len(r.person.truths) for r in results], 0),
        line("asked/smallest", [len(r.asked) / max(r.smallest.lower, 1) for r in results]),
        line("asked/questionnaire", [len(r.asked) / len(r.person.truths) for r in results]),
        line("smallest/questionnaire", [r.smallest.lower / len(r.person.truths) for r in results]),
        line("answers moving nothing", [r.wasted for r in results], 0),
        line("interview, seconds", [r.seconds[0] for r in results]),
        f"  smallest known exactly for {exact}, bounded below for {len(results) - exact}",
        f"  at the end nothing askable can matter: {done.count(True)} proven, {done.count(None)} not decided,"
        f" {done.count(False)} something still could",
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scenarios", type=Path, help="a YAML file of scenarios, each with `given` and maybe `school`")
    parser.add_argument("--people", type=int, default=300, help="how many people to draw at random")
    parser.add_argument("--seed", type=int, default=2018, help="of the people that are drawn")
    parser.add_argument("--beginners", action="store_true", help="when a good plan is ready for people who know little")
    parser.add_argument("--rules", type=Path, default=rules_folder())
    parser.add_argument("--calls", type=int, default=MOST_CALLS, help="oracle calls for each person's smallest set")
    parser.add_argument("--each", action="store_true", help="also a line for each person")
    options = parser.parse_args()
    started = time.perf_counter()
    knowledge = loader.load(options.rules)
    drawn = at_random(knowledge, options.people, options.seed)
    if options.beginners:
        print(
            f"{table_of_beginners([begun(knowledge, person) for person in drawn])}\n{time.perf_counter() - started:.0f} s in all"
        )
        return
    groups = {"drawn at random": drawn}
    if options.scenarios:
        groups["scenarios"] = from_scenarios(knowledge, options.scenarios)
    results: dict[str, list[Result]] = {}
    for title, people in groups.items():
        for person in people:
            result = measure(knowledge, person, options.calls)
            results.setdefault(title, []).append(result)
            if options.each:
                spare = [name for name in result.asked if name not in result.smallest.answers]
                print(
                    f"{person.name}: asked {len(result.asked)}, smallest {result.smallest.lower}-"
                    f"{result.smallest.upper}, of {len(person.truths)}, done {result.done}, calls"
                    f" {result.smallest.calls}, {result.seconds[0]:.1f} + {result.seconds[1]:.1f} s, more than"
                    f" needed: {', '.join(spare)}",
                    flush=True,
                )
    print(f"{len(knowledge.rules)} rules")
    for title, group in results.items():
        print(table(title, group))
    everybody = [result for group in results.values() for result in group]
    if len(results) > 1:
        print(table("all", everybody))
    print(f"{time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
