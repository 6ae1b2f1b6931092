"""One recommendation on a screen of its own: reasons down to the facts, what would flip it, what to copy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from textual.widgets import Input, Static

from advisor.facts.verdict import Verdict
from advisor.inference.plan import Measurement, Plan, Reason, Status
from advisor.knowledge.model import Knowledge, School
from advisor.tui.requests import ToTopic, ToWhatIf
from advisor.tui.screens.glossary import GlossaryScreen
from advisor.tui.screens.topic.topic import TopicScreen, WhyNotScreen, topics_of
from advisor.tui.screens.what_if.what_if import WhatIfScreen
from advisor.tui.widgets.outline import Outline, ToClipboard, Twig
from tests.tui.pilots import WIDE, Running, piloted, running, screen_text, settled, snapshot
from tests.tui.stand_in import StandIn
from tests.tui.waiting import shows

ANSWERS = {"task.kind": "classify", "data.modality": "image", "task.outputs": "10", "data.examples": "50k"}


@cache
def rules() -> Knowledge:
    """Loaded once for all tests of these screens, with what its engine remembers."""
    return StandIn().knowledge


def desk(answers: dict[str, str] | None = None) -> StandIn:
    standing = StandIn(knowledge=rules())
    given = ANSWERS if answers is None else answers
    standing.interview.restore({name: standing.interview.read(name, text) for name, text in given.items()}, ())
    return standing


def outline(run: Running) -> Outline:
    found: Outline = run.screen.query_one(Outline)
    return found


def told(twigs: tuple[Twig, ...]) -> Iterator[Twig]:
    """All lines, folded or not."""
    for twig in twigs:
        yield twig
        yield from told(twig.twigs)


def section(run: Running, title: str) -> tuple[Twig, ...]:
    return next((twig.twigs for twig in outline(run).twigs if twig.text.plain == title), ())


async def go_to(run: Running, wanted: Twig) -> None:
    """Moves the highlight to this line by the keyboard; it must be in sight."""
    shown = outline(run)
    shown.focus()
    await run.pilot.press("home")
    for _ in range(shown.option_count):
        if shown.here is wanted:
            return
        await run.pilot.press("down")
    raise AssertionError(f"not in sight: {wanted.text.plain}")


@piloted
async def test_value_and_status_stand_above_the_reasons_by_word_and_symbol() -> None:
    async with running(TopicScreen("network.type"), desk=desk()) as run:
        shown = screen_text(run.app)
        assert "Network type, 1 of 32" in shown
        assert "CNN, convolutional network  network.type = cnn" in shown, (
            "the name in rules stands beside the words for people"
        )
        assert "CNN, convolutional network" in shown
        assert "● settled: stays the same" in shown


@piloted
async def test_a_reason_unfolds_to_what_its_rule_reads_and_cites() -> None:
    async with running(TopicScreen("network.type"), desk=desk()) as run:
        reason = section(run, "Why")[0]
        await go_to(run, reason)
        before = outline(run).option_count
        await run.press("right")
        assert outline(run).option_count > before
        lines = [twig.text.plain for twig in told(reason.twigs)]
        assert any(line.startswith("when: ") for line in lines)
        assert "What is one example? image (stated)  data.modality" in lines
        assert any(line.startswith("source: ") for line in lines)
        await run.press("left")
        assert outline(run).option_count == before


@piloted
async def test_reasons_go_on_through_other_topics_down_to_facts() -> None:
    async with running(TopicScreen("network.activation"), desk=desk()) as run:
        through = [twig for twig in told(section(run, "Why")) if isinstance(twig.lead, ToTopic)]
        kind = next(twig for twig in through if twig.lead == ToTopic("network.type") and twig.twigs)
        assert "What is one example? image (stated)  data.modality" in [twig.text.plain for twig in told(kind.twigs)]


@piloted
async def test_enter_on_another_topic_goes_there() -> None:
    async with running(TopicScreen("network.activation"), desk=desk()) as run:
        await run.press("e")
        await go_to(run, next(twig for twig in told(outline(run).twigs) if twig.lead == ToTopic("network.type")))
        await run.press("enter")
        assert run.screen.topic == "network.type"


@piloted
async def test_many_pieces_of_advice_are_counted_and_each_has_its_reason() -> None:
    async with running(TopicScreen("practice"), desk=desk()) as run:
        items = run.screen.shown.value("practice")
        await shows(run, f"{len(items)} pieces of advice")
        assert {twig.text.plain.partition(":")[0] for twig in section(run, "Why")} == set(items)


@piloted
async def test_an_erratum_is_in_sight_wherever_its_rule_is() -> None:
    async with running(TopicScreen("network.type"), desk=desk()) as run:
        with_errata = [
            ground for ground in section(run, "Why") if "Erratum" in "".join(t.text.plain for t in ground.twigs)
        ]
        assert with_errata
        assert all(ground.unfolded for ground in with_errata)


@piloted
async def test_what_the_survey_said_and_why_that_lost() -> None:
    async with running(TopicScreen("network.type"), desk=desk()) as run:
        lost = section(run, "What the survey advised, and why that lost")
        assert lost
        assert any("lost to " in twig.text.plain for twig in lost[0].twigs)


@piloted
async def test_enter_on_a_flip_shows_the_plan_that_it_would_give() -> None:
    async with running(TopicScreen("training.loss"), desk=desk()) as run:
        flip = section(run, "What would flip it")[0]
        assert isinstance(flip.lead, ToWhatIf)
        await go_to(run, flip)
        await run.press("enter")
        assert isinstance(run.screen, WhatIfScreen)
        assert run.screen.stated == {flip.lead.fact: flip.lead.value}
        assert run.desk.saves == []
        await run.press("escape")
        assert isinstance(run.screen, TopicScreen)


@piloted
async def test_an_action_is_copied_and_said_to_be() -> None:
    async with running(TopicScreen("training.loss"), desk=desk()) as run:
        action = section(run, "What to do")[0]
        await go_to(run, action)
        await run.press("c")
        assert action.lead == ToClipboard(run.app.clipboard)
        (notice,) = run.app._notifications
        assert notice.title == "Copied"
        assert notice.message.startswith("torch.nn.CrossEntropyLoss()")


@piloted
async def test_on_other_lines_all_there_is_to_do_is_copied() -> None:
    async with running(TopicScreen("training.loss"), desk=desk()) as run:
        await run.press("home", "c")
        assert run.app.clipboard.splitlines() == [twig.text.plain for twig in section(run, "What to do")]


@piloted
async def test_next_and_previous_follow_the_plan_all_around() -> None:
    async with running(TopicScreen("network.type"), desk=desk()) as run:
        order = topics_of(run.screen.shown)
        await run.press("n")
        assert run.screen.topic == order[1]
        await run.press("p", "p")
        assert run.screen.topic == order[-1]


@piloted
async def test_why_not_another_value_is_answered_at_the_top() -> None:
    async with running(TopicScreen("network.type"), desk=desk()) as run:
        await run.press("w")
        assert isinstance(run.screen, WhyNotScreen)
        assert "cnn" not in [option.id for option in run.screen.query_one("OptionList").options]
        await run.press("down", "enter")
        assert run.screen.asked == ["autoencoder"]
        (answer,) = section(run, "Why not, as you asked")
        assert answer.text.plain.startswith("autoencoder: ")


@piloted
async def test_why_not_a_number_that_is_none_says_how_to_write_it() -> None:
    async with running(TopicScreen("training.batch_size"), desk=desk()) as run:
        await run.press("w")
        assert run.screen.query_one(Input).has_focus
        await run.write("many")
        (notice,) = run.app._notifications
        assert "Write it as 128" in notice.message
        assert run.screen.asked == []
        await run.press("w")
        await run.write("999")
        assert section(run, "Why not, as you asked")[0].text.plain.startswith("999 examples: ")


@piloted
async def test_an_answer_given_meanwhile_moves_the_screen() -> None:
    async with running(TopicScreen("network.type"), desk=desk()) as run:
        await run.app.step(lambda interview: interview.answer("data.modality", "text"))
        await settled(run.pilot)
        assert "transformer" in str(run.screen.query_one("#topic_headline", Static).content)


@piloted
async def test_the_words_of_the_line_are_explained() -> None:
    async with running(TopicScreen("network.type"), desk=desk()) as run:
        await run.press("down", "question_mark")
        assert isinstance(run.screen, GlossaryScreen)
        assert any("convolutional network" in entry for entry in list(run.screen.listed)[:2])


def measured(plan: Plan, topic: str, verdict: Verdict) -> Plan:
    """The plan as it would be had a probe looked at this topic."""
    entry = plan.recommendations[topic]
    found = Measurement(
        "threads", 8, 4, verdict, 1.31, 1.22, 1.4, 24, date="2026-11-02", applies={"torch": "2"}, rival=4
    )
    entry = replace(entry, value=4, status=Status.MEASURED, measured=found)
    return replace(plan, recommendations={**plan.recommendations, topic: entry})


@piloted
async def test_what_was_measured_stands_first_with_its_interval() -> None:
    plan = measured(desk().interview.plan(), "compute.threads", Verdict.OVERTURNED)
    async with running(TopicScreen("compute.threads", plan), desk=desk()) as run:
        assert outline(run).twigs[0].text.plain == "Measured"
        change, how = section(run, "Measured")
        assert change.text.plain == "8 threads → overturned → 4 threads"
        assert "1.31 times as fast (95 % interval 1.22 to 1.40, 24 interleaved pairs)" in how.text.plain
        await shows(run, "◆ measured")


@piloted
async def test_what_was_only_simulated_is_never_called_measured() -> None:
    plan = desk().interview.plan()
    found = Measurement("simulate", "none", "synchronous", Verdict.OVERTURNED, 1.3, 1.2, 1.4, 5, rival="synchronous")
    entry = replace(plan.recommendations["sync.strategy"], value="synchronous", status=Status.SIMULATED, measured=found)
    plan = replace(plan, recommendations={**plan.recommendations, "sync.strategy": entry})
    async with running(TopicScreen("sync.strategy", plan), desk=desk()) as run:
        assert outline(run).twigs[0].text.plain == "Simulated"
        change, how = section(run, "Simulated")
        assert change.text.plain == "none → overturned → synchronous"
        assert "5 pairs of simulations" in how.text.plain
        assert "measured" not in " ".join(twig.text.plain for twig in how.twigs)
        await shows(run, "◇ simulated")


@piloted
async def test_a_plan_that_is_only_read_cannot_be_supposed_otherwise() -> None:
    async with running(TopicScreen("training.loss", desk().interview.plan(), whose="saved"), desk=desk()) as run:
        await go_to(run, section(run, "What would flip it")[0])
        await run.press("enter")
        assert isinstance(run.screen, TopicScreen)
        await shows(run, "(saved)")
        assert [notice.message[:23] for notice in run.app._notifications] == ["This plan is read-only."]


@piloted
async def test_text_from_a_pack_is_text_and_keeps_to_its_line() -> None:
    plan = desk().interview.plan()
    entry = plan.recommendations["training.loss"]
    hostile = Reason("pack.rule", "[b]bold[/b] \x1b[2Jgone", ("[/red] 1",), School.TODAY, origin="[red]pack[/]")
    entry = replace(entry, because=(hostile,), actions=("echo [/x]\nrm -rf /",), title="[b]Loss")
    plan = replace(plan, recommendations={**plan.recommendations, "training.loss": entry})
    async with running(TopicScreen("training.loss", plan), desk=desk()) as run:
        shown = screen_text(run.app)
        assert "[b]bold[/b] [2Jgone [[/red] 1]" in shown
        assert "from the rule pack [red]pack[/]" in shown
        assert "[b]Loss" in shown
        await run.press("c")
        assert run.app.clipboard == "echo [/x] rm -rf /"


@piloted
async def test_a_click_on_a_flip_follows_it() -> None:
    async with running(TopicScreen("training.loss"), size=WIDE, desk=desk()) as run:
        lines = screen_text(run.app).splitlines()
        row = next(number for number, line in enumerate(lines) if "no → yes gives" in line)
        await run.pilot.click(offset=(20, row))
        await settled(run.pilot)
        assert isinstance(run.screen, WhatIfScreen)


@piloted
async def test_picture_of_a_topic() -> None:
    async with running(TopicScreen("training.loss"), desk=desk()) as run:
        snapshot(run.app, "topic-80x24")


@piloted
async def test_nothing_is_cut_off_on_a_wide_screen_or_after_it_has_become_narrow() -> None:
    async with running(TopicScreen("training.loss"), size=WIDE, desk=desk()) as run:
        await run.pilot.resize_terminal(60, 24)
        await settled(run.pilot)
        reason = section(run, "Why")[0].text.plain
        words = " ".join(screen_text(run.app).split())
        assert " ".join(reason.split()[:12]) in words


@piloted
async def test_what_is_taken_over_moves_the_topic_beneath() -> None:
    async with running(TopicScreen("network.type"), desk=desk()) as run:
        await run.app.push_screen(WhatIfScreen("data.modality", "text"))
        await settled(run.pilot)
        await run.press("ctrl+s")
        assert isinstance(run.screen, TopicScreen)
        assert "transformer" in str(run.screen.query_one("#topic_headline", Static).content)
