"""How long a plan takes: median and worst over random fact bases, each the best of three, at the real rule base and at
synthetic ones.

The engine is warm (a rule base is compiled once per run) but remembers nothing of the facts drawn. "plan" is every value
with its status and flips, plus the next question; "answer" is the same after one more answer in a conversation. "step" is
the wait of somebody in the wizard who has said little yet: the answer, every value with its status, the next question.
"""

from __future__ import annotations

import gc
import random
import statistics
import subprocess
import sys
import time
from dataclasses import replace

from advisor.errors import InputError
from advisor.facts.fact_base import FactBase
from advisor.facts.vocabulary import FactType, Value
from advisor.inference import advise as advising
from advisor.inference.explaining.questions import Inquiry
from advisor.inference.program.boxes import landmarks
from advisor.interview.interview import Interview
from advisor.knowledge import loader
from advisor.knowledge.model import Knowledge, School
from advisor.resources import rules_folder

REPEATS = 3
LAPTOP = {
    "machine.cpu.physical_cores": 8,
    "machine.cpu.logical_cores": 16,
    "machine.cpu.usable_cores": 16,
    "machine.memory_bytes": 16 * 2**30,
    "machine.gpu.count": 0,
}
DETAIL = advising.Detail(reasons=False, flips=True, questions=False)


def draw(knowledge: Knowledge, dice: random.Random) -> dict[str, Value | None]:
    facts: dict[str, Value | None] = {}
    for name, fact in knowledge.vocabulary.facts.items():
        if fact.ask and fact.type is not FactType.TEXT and dice.random() < 0.5:
            facts[name] = dice.choice(landmarks(fact, (10, 1_000, 100_000)))
    return facts


def plan_and_next_question(knowledge: Knowledge, facts: FactBase) -> None:
    advising.advise(knowledge, facts, School.TODAY, DETAIL)
    engine = advising.engine_for(knowledge, School.TODAY)
    base, _ = advising.consistent(engine.program, facts)
    Inquiry(engine, advising.situation_of(engine.program, base), base).next()


def synthetic(knowledge: Knowledge, count: int) -> Knowledge:
    """The real rules, repeated under other ids and arguments or cut short, until there are this many."""
    rules = list(knowledge.rules)
    copy = 0
    while len(rules) < count:
        copy += 1
        rules += [
            replace(rule, id=f"{rule.id}.{copy}", argument=f"{rule.argument}.{copy}", supersedes=(), before="")
            for rule in knowledge.rules
        ]
    if count < len(knowledge.rules):
        dice = random.Random(count)
        kept = set(dice.sample(range(len(rules)), count))
        rules = [rule for position, rule in enumerate(rules) if position in kept]
        names = {rule.id for rule in rules}
        rules = [replace(rule, supersedes=tuple(s for s in rule.supersedes if s in names)) for rule in rules]
    return replace(knowledge, rules=tuple(rules[:count]))


def measure(knowledge: Knowledge, cases: int) -> tuple[list[float], list[float]]:
    """Seconds for so many fact bases, each the best of `REPEATS`: the plan from scratch, and after one more answer."""
    dice = random.Random(2018)
    fresh: list[float] = []
    answers: list[float] = []
    engine = advising.engine_for(knowledge, School.TODAY)
    plan_and_next_question(knowledge, FactBase())  # compiles the rule base
    while len(fresh) < cases:
        stated = draw(knowledge, dice)
        facts = FactBase.of(stated)
        try:
            base, _ = advising.consistent(engine.program, facts)
            question = Inquiry(engine, advising.situation_of(engine.program, base), base).next()
            more = facts
            if question is not None:
                value = dice.choice(landmarks(knowledge.vocabulary.facts[question.fact], (10, 1_000, 100_000)))
                more = FactBase.of({**stated, question.fact: value})
                advising.consistent(engine.program, more)
        except InputError:
            continue  # the facts drawn exclude each other
        times: list[tuple[float, float]] = []
        for _ in range(REPEATS):
            engine.forget()
            gc.collect()
            times.append((seconds(knowledge, facts), seconds(knowledge, more)))
        fresh.append(min(first for first, _ in times))
        if question is not None:
            answers.append(min(second for _, second in times))
    return fresh, answers


def steps(knowledge: Knowledge, cases: int) -> list[float]:
    """Processor seconds for so many steps of conversations: the machine and one to five facts of the opening are known."""
    dice = random.Random(2018)
    engine = advising.engine_for(knowledge, School.TODAY)
    facts = knowledge.vocabulary.facts
    found: list[float] = []
    while len(found) < cases:
        names = knowledge.vocabulary.opening[: dice.randint(1, 5)]
        stated = {name: dice.choice(landmarks(facts[name], (10, 1_000, 100_000))) for name in names}
        engine.forget()
        gc.collect()
        try:
            interview = Interview(knowledge, FactBase.of({**LAPTOP, **stated}))
            question = interview.question()
            if question is None:
                continue
            value = dice.choice(landmarks(facts[question.fact], (10, 1_000, 100_000)))
            started = time.process_time()
            interview.answer(question.fact, "yes" if value is True else "no" if value is False else str(value))
            interview.plan(advising.VALUES_ONLY)
            interview.question()
            found.append(time.process_time() - started)
        except InputError:
            continue  # the facts drawn exclude each other
    return found


def seconds(knowledge: Knowledge, facts: FactBase) -> float:
    started = time.perf_counter()
    plan_and_next_question(knowledge, facts)
    return time.perf_counter() - started


def bare_interpreter() -> float:
    """Seconds that an interpreter takes to start and end, best of five: the yardstick of this run."""
    times = []
    for _ in range(5):
        started = time.perf_counter()
        subprocess.run([sys.executable, "-c", "pass"], check=True)
        times.append(time.perf_counter() - started)
    return min(times)


def told(title: str, times: list[float]) -> None:
    times.sort()
    median = statistics.median(times)
    print(
        f"{title}: median {median * 1e3:.1f} ms ({median / bare_interpreter():.1f} times a bare interpreter), "
        f"90 % {times[int(len(times) * 0.9)] * 1e3:.1f} ms, worst {times[-1] * 1e3:.1f} ms (n={len(times)})"
    )


def main() -> None:
    cases = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    real = loader.load(rules_folder())
    told("real rule base, few facts: step of a conversation, processor time", steps(real, cases))
    for title, knowledge in [
        (f"real rule base, {len(real.rules)} rules", real),
        ("synthetic, 300 rules", synthetic(real, 300)),
        ("synthetic, 1000 rules", synthetic(real, 1000)),
    ]:
        fresh, answers = measure(knowledge, cases)
        for what, times in (("plan from scratch", fresh), ("answer to plan", answers)):
            told(f"{title}: {what}, flips and next question", times)


if __name__ == "__main__":
    main()
