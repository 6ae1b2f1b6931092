"""The agent: measures what could still change the plan, within a budget, and advises again."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from advisor.agent.choosing import next_of, seconds_for, within_reach
from advisor.agent.events import (
    JournalFailed,
    MeasuringEvent,
    MeasuringListener,
    MeasuringResumed,
    NetworkUntimed,
    ProbeFinished,
    ProbeSkipped,
    ProbeStarted,
)
from advisor.agent.pace import (
    STARTING,
    at_pace,
    can_shrink,
    examples_that_fit,
    slow_starts,
    start_seconds,
    step_seconds,
    want_of_time,
)
from advisor.agent.remembered.journal import Journal
from advisor.agent.second_look import NO_TIME, after_second_look, wants_second_look
from advisor.agent.settling.advising import advise_here
from advisor.agent.settling.known_model import code_for, counted_at_all
from advisor.agent.settling.scope import newest_in_scope, plans_this_machine, scope_of
from advisor.agent.settling.workloads import MODEL, model_name, step_of, too_large, with_code
from advisor.agent.worth import Candidate, before_of, candidates, plan_facts, why_not, worthwhile
from advisor.children.stopping import STOPPED, Stop
from advisor.children.supervise import Limits
from advisor.errors import InputError
from advisor.facts.fact_base import FactBase
from advisor.facts.verdict import Verdict
from advisor.inference.advise import VALUES_ONLY, Detail
from advisor.inference.plan import Plan
from advisor.knowledge.model import Knowledge, School
from advisor.machine.detection.detection import Machine
from advisor.models.code import Code
from advisor.probes.catalogue import PROBES
from advisor.probes.outcome import Outcome
from advisor.probes.probe import Probe, Setting
from advisor.probes.runner import run
from advisor.probes.verdict import FEW_PAIRS

FEWEST_SECONDS = 4.0
"""Starting torch in a child takes two to three; with less left nothing can be measured."""
AFTERWARDS = 1.0
"""Seconds of the budget that are kept for ending a child that hangs, and for advising again."""
MOST_TRIES = 2
"""Of one probe in a run: again where it decided nothing, or where a later one took away what it was measured with."""


@dataclass(frozen=True)
class Revision:
    """The plan before and after measuring."""

    before: Plan
    after: Plan
    outcomes: tuple[Outcome, ...] = ()
    skipped: tuple[ProbeSkipped, ...] = ()
    resumed: int = 0
    """Of the outcomes, those that an earlier run had finished before it was stopped."""

    @property
    def measured(self) -> tuple[Outcome, ...]:
        """The probes that gave any result."""
        return tuple(outcome for outcome in self.outcomes if outcome.measured)

    @property
    def open(self) -> tuple[ProbeSkipped, ...]:
        """Probes that could still change the plan and were not run."""
        return tuple(skipped for skipped in self.skipped if skipped.open)


def settle(
    knowledge: Knowledge,
    facts: FactBase,
    machine: Machine,
    budget_seconds: float,
    *,
    school: School = School.TODAY,
    only: Sequence[str] | None = None,
    on_event: MeasuringListener | None = None,
    detail: Detail = Detail(),  # noqa: B008 - immutable
    folder: str | None = None,
    journal: Journal | None = None,
    trials: Sequence[Outcome] = (),
    stop: Stop | None = None,
    journal_stays: bool = False,
    code: Code | str | None = None,
) -> Revision:
    """Advise, run the probes that could change most per second, and advise again with what they measured.

    The budget in seconds covers everything between, and what an earlier run has spent according to the journal. A probe
    ends as soon as its question is answered. One that fails costs its own result only.

    Args:
        only: these probes and no others; also those that are not run unless named.
        folder: on the disk that holds the data.
        journal: where finished probes are written at once, and where those of a stopped run are found.
        journal_stays: the caller closes it, once what was found is delivered.
        trials: what was tried on the data; the probes time the network that it has left.
        stop: ends the probe under way, or the run; what is known by then is what comes back.
        code: what it takes to build the network that somebody named, or why it cannot be built.
    """
    stop = stop or Stop()
    deadline = time.monotonic() + budget_seconds - (journal.spent if journal is not None else 0.0)
    session = _Session(
        knowledge,
        facts,
        machine,
        school,
        deadline,
        budget_seconds,
        on_event,
        folder,
        journal,
        tuple(trials),
        stop,
        code,
    )
    before = session.advise(detail)
    resumed = session.resume()
    if plans_this_machine(facts):
        session.measure(before, only)
    else:
        for probe in worthwhile(before, only):
            session.skip(probe, "The plan is for another machine than this one.")
    after = session.advise(detail)
    if journal is not None and not journal_stays:
        journal.close(finished=not stop.all)
    told = [outcome for outcome in session.outcomes if not outcome.too_slow]
    resumed -= sum(outcome.too_slow for outcome in session.outcomes[:resumed])
    return Revision(before, after, tuple(told), tuple(session.skipped), resumed)


@dataclass
class _Session:
    """One run of the agent; `deadline` is a time of the monotonic clock, in seconds."""

    knowledge: Knowledge
    facts: FactBase
    machine: Machine
    school: School
    deadline: float
    budget: float
    listener: MeasuringListener | None
    folder: str | None
    journal: Journal | None
    trials: tuple[Outcome, ...]
    stop: Stop
    code: Code | str | None = None
    outcomes: list[Outcome] = field(default_factory=list)
    skipped: list[ProbeSkipped] = field(default_factory=list)
    tries: dict[str, int] = field(default_factory=dict)
    fewer: dict[str, int] = field(default_factory=dict)
    """Probes that compare their settings with fewer examples than the plan's batch, whose steps are too slow, and how many."""

    def seconds_left(self) -> float:
        return self.deadline - time.monotonic()

    def skip(self, probe: Probe, reason: str, *, still_open: bool = False, seconds: float = 0.0) -> None:
        self.skipped.append(ProbeSkipped(probe.name, reason, still_open, seconds))
        self._tell(self.skipped[-1])

    def resume(self) -> int:
        """Take over what an earlier run has finished; how many that are."""
        if self.journal is None or not self.journal.entries:
            return 0
        self.outcomes += self.journal.outcomes
        self.tries.update(self.journal.tries)
        self._tell(MeasuringResumed(tuple(self.outcomes), self.journal.spent))
        return len(self.outcomes)

    def measure(self, before: Plan, only: Sequence[str] | None) -> None:
        """Run one probe after the other, each with the plan as the ones before have left it."""
        probes = [probe for probe in PROBES if (not probe.opt_in if only is None else probe.name in only)]
        plan = self.advise() if self.outcomes else before
        barred = next((reason for probe in probes if (reason := self._barred(plan, probe)) is not None), None)
        if barred is not None:
            self._tell(NetworkUntimed(barred))
        known: list[Candidate] = []
        stale = True
        while not self.stop.all:
            if stale:
                known = self._candidates(plan, probes, named=only is not None)
            known = [self._at_pace(plan, one) for one in known]
            unanswered = self._unanswered(plan, known)
            chosen = self._next(unanswered)
            if chosen is None or not chosen.settles:
                chosen = self._with_fewer_examples(plan, unanswered) or chosen
            if chosen is None or self.stop.all:
                break
            fewer = chosen.probe.name in self.fewer
            self._run(chosen.probe, plan, chosen.seconds if fewer else self._seconds_for(chosen, unanswered))
            now = self.advise()
            stale = any(now.value(name) != plan.value(name) for name in now.recommendations)
            plan = now
        needed = {candidate.probe.name: candidate.seconds for candidate in known}
        answered = {outcome.probe for outcome in self.outcomes if not outcome.too_slow}
        for probe in probes:
            if probe.name in answered:
                continue
            late = any(outcome.probe == probe.name and outcome.too_slow for outcome in self.outcomes)
            if self.tries.get(probe.name, 0) >= MOST_TRIES and not late:
                self.skip(probe, "The run ended in the middle of it each time, so it is left out.", still_open=True)
            elif self.stop.all:
                self.skip(probe, STOPPED, still_open=probe.name in needed)
            elif probe.name in needed:
                seconds = needed[probe.name]
                self.skip(
                    probe, want_of_time(self.outcomes, step_of(plan), probe, seconds), still_open=True, seconds=seconds
                )
            else:
                self.skip(
                    probe, self._barred(plan, probe) or why_not(plan, probe) or "It could change nothing in this plan."
                )

    def advise(self, detail: Detail = VALUES_ONLY) -> Plan:
        """The plan with everything that is known by now."""
        known = [*self.trials, *self.outcomes]
        return advise_here(self.knowledge, self.facts, self.machine, known, self.school, detail)

    def _candidates(self, plan: Plan, probes: Sequence[Probe], *, named: bool) -> list[Candidate]:
        """Probes worth weighing: one that is decided is worth nothing more, and finding that out would take time."""
        counted = newest_in_scope(self.outcomes, scope_of(plan, self.machine))
        decided = {outcome.probe for outcome in counted if outcome.verdict is not Verdict.UNDECIDED}
        left = [probe for probe in probes if probe.name not in decided and self._barred(plan, probe) is None]
        return candidates(self.knowledge, plan, left, named=named)

    def _barred(self, plan: Plan, probe: Probe) -> str | None:
        """The reason why a network that somebody named cannot be built for this probe, or None."""
        workload = step_of(plan)
        if not probe.needs_network or workload is None or workload.named is None:
            return None
        code = self._code(plan)
        if not isinstance(code, Code):
            return code or f"{workload.named.name} is code, which runs only where it is named with --model."
        return too_large(workload, Limits().memory(plan_facts(plan).get("machine.memory_bytes")))

    def _code(self, plan: Plan) -> Code | str | None:
        """The code that builds the network which somebody named, or which the rules have chosen, or why none does."""
        name = None if MODEL in plan.facts else model_name(plan)
        return self.code if name is None else code_for(counted_at_all(name, self.facts))

    def _unanswered(self, plan: Plan, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Those without a result that counts for the plan as it is now; what decided nothing before comes last.

        A probe that failed is not tried again: what made it fail is still there. Nor is one that somebody stopped.
        """
        counted = {o.probe: o for o in newest_in_scope(self.outcomes, scope_of(plan, self.machine))}
        failed = {o.probe for o in self.outcomes if (o.failure and not o.too_slow) or o.stopped} | self.fewer.keys()
        left = [c for c in candidates if c.probe.name not in failed and self.tries.get(c.probe.name, 0) < MOST_TRIES]
        fresh = [c for c in left if c.probe.name not in counted]
        again = [c for c in left if c.probe.name in counted and counted[c.probe.name].verdict is Verdict.UNDECIDED]
        return [*sorted(fresh, key=lambda c: not self._measured(c)), *again]

    def _measured(self, candidate: Candidate) -> bool:
        """True if it is new (or was stopped), or has a result that only counts no longer; not where no pair was timed.

        One that was too slow for the time that it had is as good as new: now it is known how much it needs.
        """
        results = [outcome for outcome in self.outcomes if outcome.probe == candidate.probe.name]
        return not results or any(outcome.measured or outcome.too_slow for outcome in results)

    def _at_pace(self, plan: Plan, candidate: Candidate) -> Candidate:
        workload = step_of(plan)
        pace, start = step_seconds(self.outcomes, workload), start_seconds(self.outcomes, workload)
        return at_pace(candidate, _settings(plan, candidate), pace, start)

    def _with_fewer_examples(self, plan: Plan, unanswered: Sequence[Candidate]) -> Candidate | None:
        """A bet for which there would be time but for the network, to be settled with as many examples as fit, if any do."""
        workload, left = step_of(plan), self.seconds_left() - AFTERWARDS
        pace, start = step_seconds(self.outcomes, workload), start_seconds(self.outcomes, workload)
        least = {one.probe.name: one.probe.cost_seconds + slow_starts(one.probe, start) for one in unanswered}
        slow = [
            one for one in unanswered if one.settles and can_shrink(one) and least[one.probe.name] <= left < one.seconds
        ]
        if workload is None or pace is None or not slow:
            return None
        share = left / len(within_reach([replace(one, seconds=least[one.probe.name]) for one in slow], left))
        examples = examples_that_fit(workload, _settings(plan, slow[0]), pace, share, start)
        if examples is None:
            return None
        self.fewer[slow[0].probe.name] = examples
        return replace(slow[0], seconds=share)

    def _next(self, candidates: Sequence[Candidate]) -> Candidate | None:
        left = self.seconds_left() - AFTERWARDS
        stopped = self.journal.stopped_in if self.journal is not None else None
        slow = {outcome.probe for outcome in self.outcomes if outcome.too_slow}
        fresh = {
            name for c in candidates if (name := c.probe.name) not in self.tries or name == stopped or name in slow
        }
        chosen = next_of(candidates, left, fresh)
        if chosen is None and candidates and not self.tries and left >= FEWEST_SECONDS:
            return candidates[0]  # a short budget is better spent on one probe than on none
        return chosen

    def _seconds_for(self, chosen: Candidate, unanswered: Sequence[Candidate]) -> float:
        waiting = [c for c in unanswered if c is not chosen and c.settles and c.probe.name not in self.tries]
        before = [outcome for outcome in self.outcomes if outcome.probe == chosen.probe.name]
        slow = any(outcome.verdict is Verdict.UNDECIDED and outcome.n < FEW_PAIRS for outcome in before)
        return seconds_for(chosen, waiting, self.seconds_left() - AFTERWARDS, slow=slow)

    def _run(self, probe: Probe, plan: Plan, seconds: float) -> None:
        self.tries[probe.name] = self.tries.get(probe.name, 0) + 1
        self._note(lambda journal: journal.begin(probe.name, self._spent()))
        self.stop.next()
        before = before_of(plan, probe)
        assert before is not None  # noqa: S101 - candidates have one
        try:
            outcome = self._timed(probe, plan, seconds, before)
            if wants_second_look(outcome):
                outcome = self._seen_again(probe, plan, outcome)
        except KeyboardInterrupt:
            self._note(lambda journal: journal.stopped(probe.name))
            raise
        self.outcomes.append(outcome)
        if self.stop.all and outcome.stopped:  # the same command measures it when it goes on
            self._note(lambda journal: journal.stopped(probe.name))
        else:
            self._note(lambda journal: journal.add(outcome, self._spent()))
        self._tell(ProbeFinished(outcome))

    def _seen_again(self, probe: Probe, plan: Plan, first: Outcome) -> Outcome:
        """The outcome after a second start with the two settings alone, as long as there is time for one."""
        late = slow_starts(probe, first.start_seconds or STARTING)
        seconds = min(probe.cost_seconds + late, self.seconds_left() - AFTERWARDS)
        if seconds < FEWEST_SECONDS or first.after is None:
            return replace(first, second_start=NO_TIME)
        return after_second_look(first, self._timed(probe, plan, seconds, first.after, against=first.before))

    def _timed(
        self, probe: Probe, plan: Plan, seconds: float, before: Setting, against: Setting | None = None
    ) -> Outcome:
        """Time all settings of a probe, or once more `before` against one other."""
        self._tell(ProbeStarted(probe, seconds, self.seconds_left(), before, again=against is not None))
        code, workload = self._code(plan), step_of(plan)
        if workload is not None and probe.name in self.fewer:
            workload = replace(workload, batch_size=self.fewer[probe.name])
        return run(
            probe,
            with_code(workload, code),
            before=before,
            settings=None if against is None else (before, against),
            facts=plan_facts(plan),
            budget_seconds=seconds,
            folder=self.folder,
            python=code.python if isinstance(code, Code) else "",
            date=datetime.now(UTC).isoformat(timespec="seconds"),
            machine=self.machine.fingerprint,
            on_event=self.listener,
            stop=self.stop,
        )

    def _spent(self) -> float:
        return self.budget - self.seconds_left()

    def _note(self, write: Callable[[Journal], None]) -> None:
        """Write to the journal; where that cannot be done, measuring goes on."""
        if self.journal is not None:
            try:
                write(self.journal)
            except InputError as error:
                self._tell(JournalFailed(error))

    def _tell(self, event: MeasuringEvent) -> None:
        if self.listener is not None:
            self.listener(event)


def _settings(plan: Plan, candidate: Candidate) -> int:
    """The number of settings that it compares."""
    return len(candidate.probe.settings(step_of(plan), plan_facts(plan), candidate.before))
