"""The app as its screens see it: the conversation and where it stands, a thread that thinks so that keys never wait, messages."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from textual import work
from textual.app import App, ScreenStackError
from textual.css.query import NoMatches
from textual.driver import Driver
from textual.screen import Screen
from textual.signal import Signal
from textual.widget import MountError
from textual.worker import WorkerFailed

from advisor.errors import InputError
from advisor.facts.fact_base import FactBase
from advisor.inference.advise import VALUES_ONLY, Detail, advise
from advisor.inference.leading import leading, led_by
from advisor.interview.changes import Change, changes
from advisor.tui.ratchet import Ratchet
from advisor.tui.requests import Answer, Request
from advisor.tui.text import problem_text
from advisor.wording import printable

if TYPE_CHECKING:
    from advisor.facts.fact_base import Known
    from advisor.facts.vocabulary import Fact
    from advisor.inference.plan import Plan
    from advisor.interview.interview import Interview
    from advisor.interview.progress import Progress
    from advisor.session.desk import Desk


@dataclass(frozen=True, slots=True)
class Glimpse:
    """The plan as an answer seems to make it, within milliseconds: its values lead, and nothing of what `moved` is proven."""

    plan: Plan
    moved: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Standing:
    """The question after one step (None: nothing could change the plan any more), and the plan with what the step moved.

    The plan has reasons and figures; `Host.full_plan` has flips too. `present` is the value of the fact if nobody answers,
    `decides` are the topics that the answer can change, and `certain` is the share of what the plan depends on that is known.
    """

    fact: Fact | None
    present: Known | None
    plan: Plan
    moved: tuple[Change, ...]
    progress: Progress
    facts: FactBase
    decides: tuple[str, ...] = ()
    certain: float = 0.0


@dataclass(frozen=True, slots=True)
class Outlook:
    """The slow part of a standing: about how many questions are left (with every answer one less at least), which answers are
    not used, and whether a good plan is ready, so that the questions are about details only."""

    questions_left: int
    unused: tuple[str, ...]
    ready: bool = False


def glimpse(interview: Interview, now: Standing, stated: Mapping[str, str]) -> Glimpse:
    """The plan that leads if this is answered (an empty text: not known). Raises InputError where it cannot be."""
    before, after = (
        leading(interview.knowledge, facts, interview.school) for facts in (now.facts, interview.supposed(stated))
    )
    shown = now.plan.recommendations
    led = {name: led_by(shown[name], outcome) for name, outcome in after.items() if outcome != before[name]}
    plan = replace(now.plan, recommendations={**shown, **led})
    return Glimpse(plan, changes(now.plan, plan))


def standing(interview: Interview, before: Standing | None, certain: Callable[[Plan], float]) -> Standing:
    """The interview as it stands now, and what moved since `before`."""
    plan, facts = interview.plan(SHOWN), interview.facts()
    question = interview.question()
    name = "" if question is None else question.fact
    return Standing(
        fact=interview.fact(name) if name else None,
        present=facts.known(name) or plan.facts.get(name),
        plan=plan,
        moved=() if before is None else changes(before.plan, plan),
        progress=interview.progress,
        facts=facts,
        decides=() if question is None else tuple(question.topics),
        certain=certain(plan),
    )


def depended_on(plan: Plan) -> int:
    """The number of facts that recommendations depend on, together."""
    return sum(len(entry.depends_on) for entry in plan.recommendations.values())


def outlook(interview: Interview) -> Outlook:
    return Outlook(interview.questions_expected(), interview.unused(), interview.ready)


Result = TypeVar("Result")
SHOWN = Detail(reasons=True, flips=False, questions=False)
"""The part of a plan that is shown after every step."""
PAINTING_SECONDS = 0.2
"""Delay of what nobody waits for, so that the screen is painted first: both need the interpreter."""


class Host(App[None]):
    """`standing` is where the conversation stands; `standing_changed` announces another one, `glimpsed` its plan before it is
    proven, `outlook_changed` what took longer to find out about it."""

    def __init__(self, desk: Desk, driver: type[Driver] | None = None) -> None:
        super().__init__(driver_class=driver)
        self.desk = desk
        self.standing: Standing | None = None
        self.outlook: Outlook | None = None
        self.standing_changed: Signal[Standing] = Signal(self, "standing")
        self.glimpsed: Signal[Glimpse] = Signal(self, "glimpse")
        self.outlook_changed: Signal[Outlook] = Signal(self, "outlook")
        self._certain, self._left = Ratchet(), Ratchet()
        self._full: Plan | None = None
        self._whole: tuple[Interview, int] | None = None
        """The number of facts on which the plan of this interview depends before anything is known."""
        self._order = asyncio.Lock()
        self._steps = 0
        """Steps under way, not saved yet."""
        self._thinker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="thinking")
        self._is_left = False

    # --- thinking --------------------------------------------------------------------------------------------------

    async def think(self, work: Callable[[], Result]) -> Result:
        """Do the work in the one thread that touches the interview, in the order asked for.

        Where the worker that waits for it is cancelled, work that has not begun is never done. Raises what `work` raises.
        """
        try:
            result = asyncio.get_running_loop().run_in_executor(self._thinker, work)
        except RuntimeError as error:  # the wizard has been left meanwhile
            raise asyncio.CancelledError from error
        return await result

    async def answer(self, name: str, text: str) -> Standing:
        """Answer (an empty text: not known), and show first what that moves: proving it takes longer than it is painted.

        Raises InputError; nothing has moved then.
        """
        return await asyncio.shield(self._answer(name, text))

    async def _answer(self, name: str, text: str) -> Standing:
        async with self._one_by_one():
            if self.standing is not None:
                # Here and now, in milliseconds: the other thread may be busy looking ahead, and nothing is changed.
                self.glimpsed.publish(glimpse(self.desk.interview, self.standing, {name: text}))
                await self._painted()
            return await self._moved(lambda interview: interview.answer(name, text))

    async def step(self, move: Callable[[Interview], object]) -> Standing:
        """Move the conversation, save it, and announce where it stands. The step is finished even if the caller is gone.

        Raises what `move` raises (InputError); nothing has moved then.
        """
        return await asyncio.shield(self._step(move))

    async def _step(self, move: Callable[[Interview], object]) -> Standing:
        async with self._one_by_one():
            return await self._moved(move)

    @asynccontextmanager
    async def _one_by_one(self) -> AsyncIterator[None]:
        """Let steps begin in the order of the keys, each when the one before has ended."""
        self._steps += 1
        try:
            async with self._order:
                yield
        finally:
            self._steps -= 1

    async def _moved(self, move: Callable[[Interview], object]) -> Standing:
        def stepped() -> Standing:
            move(self.desk.interview)
            self.desk.save()
            return self._standing()

        return self._stands(await self.think(stepped))

    async def _painted(self) -> None:
        """Wait until what was changed on the screen is painted, if it is painted soon."""
        done = asyncio.Event()
        if self.screen_stack and self.screen.call_after_refresh(done.set):
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(done.wait(), PAINTING_SECONDS)

    async def steps_done(self) -> None:
        """Wait until every step under way is saved."""
        while self._steps:
            await self.think(lambda: None)
            await asyncio.sleep(0)

    async def take_stock(self, *, ahead: bool = True) -> Standing:
        """Find out where things stand after anything but a step: another conversation, data, a measurement.

        Args:
            ahead: look ahead, too; that takes a processor from whatever is being measured.
        """
        return self._stands(await self.think(self._standing), ahead=ahead)

    def _standing(self) -> Standing:
        return standing(self.desk.interview, self.standing, self._certainty)

    def _certainty(self, plan: Plan) -> float:
        """The share of what recommendations depend on that is known by now, of all that they do before anything is known."""
        interview = self.desk.interview
        if self._whole is None or self._whole[0] is not interview:
            nothing_known = advise(interview.knowledge, FactBase(), interview.school, VALUES_ONLY)
            self._whole = interview, depended_on(nothing_known)
        whole = self._whole[1]
        return max(0.0, 1 - depended_on(plan) / whole) if whole else 1.0

    async def full_plan(self) -> Plan:
        """The plan with reasons, alternatives and flips, as things stand."""
        if self._full is None:
            self._full = await self.think(self.desk.interview.plan)
        return self._full

    def _stands(self, now: Standing, *, ahead: bool = True) -> Standing:
        now = replace(now, certain=self._certain.held(self.desk.interview, now.certain))
        self.standing, self.outlook, self._full = now, None, None
        self.standing_changed.publish(now)
        self.tell_notes()
        if ahead:
            self._look_ahead()
        return now

    @work(group="outlook", exclusive=True)
    async def _look_ahead(self) -> None:
        await asyncio.sleep(PAINTING_SECONDS)
        found = await self.think(lambda: outlook(self.desk.interview))
        left = -int(self._left.held(self.desk.interview, -found.questions_left, gain=1.0))
        self.outlook = replace(found, questions_left=max(left, min(found.questions_left, 1)))
        self.outlook_changed.publish(self.outlook)

    # --- leaving ---------------------------------------------------------------------------------------------------

    def exit(self, *given: Any, **named: Any) -> None:
        self._is_left = True
        super().exit(*given, **named)

    def _handle_exception(self, error: Exception) -> None:
        """Take no notice of what is still drawn on widgets that are taken down: all was saved before. Textual shows a
        traceback of everything else, and of this, too, as long as the wizard stays open."""
        cause = error.error if isinstance(error, WorkerFailed) else error
        if not (self._is_left and isinstance(cause, MountError | NoMatches | ScreenStackError)):
            super()._handle_exception(error)

    def on_unmount(self) -> None:
        self._thinker.shutdown(wait=False, cancel_futures=True)

    # --- messages --------------------------------------------------------------------------------------------------

    def tell(self, text: str, *, title: str = "", severity: str = "information") -> None:
        """Show a message that goes away by itself, the text as it is."""
        self.notify(printable(text), title=printable(title), severity=severity, markup=False)  # type: ignore[arg-type]

    def complain(self, error: InputError) -> None:
        self.tell(problem_text(error), title=error.title, severity="error")

    def tell_notes(self) -> None:
        for title, what in self.desk.notes():
            self.tell(what, title=title, severity="warning")

    # --- other screens ---------------------------------------------------------------------------------------------

    def open(self, request: Request[None]) -> None:
        """Put the screen that answers the request on top, at once: the next key is for it."""
        self.push_screen(self.screen_for(request))

    async def ask(self, request: Request[Answer]) -> Answer:
        """Open a screen and wait for what it closes with. Called in a worker."""
        return await self.push_screen_wait(self.screen_for(request))

    def screen_for(self, request: Request[Answer]) -> Screen[Answer]:
        raise NotImplementedError
