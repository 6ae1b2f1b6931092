"""The interview on the whole screen: answers move the plan beside it, and nothing that was said is lost."""

from __future__ import annotations

import pytest
from textual.widget import Widget
from textual.widgets import Input, OptionList, SelectionList, Static

from advisor.facts.fact_base import Source
from advisor.tui.screens.interview.interview import InterviewScreen
from advisor.tui.screens.interview.question import Explanation
from advisor.tui.screens.known_facts import FactsScreen
from advisor.tui.screens.topic.topic import TopicScreen
from advisor.tui.widgets.entry import Entry
from advisor.tui.widgets.plan_list import PlanList
from tests.tui.pilots import NARROW, WIDE, Running, piloted, running, screen_text, settled
from tests.tui.waiting import shows


def asked(run: Running) -> str | None:
    return run.screen.asked


def said(run: Running) -> dict[str, object]:
    return run.desk.interview.progress.said()


async def ask_for(run: Running, name: str) -> None:
    await run.app.step(lambda interview: interview.change(name))
    await settled(run.pilot)


@piloted
async def test_a_choice_is_made_by_its_number_and_the_next_question_follows() -> None:
    async with running(InterviewScreen()) as run:
        assert asked(run) == "data.modality"
        await run.press("1")
        assert said(run) == {"data.modality": "tabular"}
        assert asked(run) == "task.kind"


@piloted
async def test_a_choice_is_made_by_arrows_and_enter() -> None:
    async with running(InterviewScreen()) as run:
        await run.press("down", "enter")
        assert said(run) == {"data.modality": "image"}


@piloted
async def test_a_choice_is_made_with_the_mouse() -> None:
    async with running(InterviewScreen()) as run:
        await run.click("#entry_place OptionList", offset=(5, 2))
        assert said(run) == {"data.modality": "audio"}


@piloted
async def test_a_double_click_does_not_answer_the_question_that_comes_next() -> None:
    async with running(InterviewScreen()) as run:
        lines = screen_text(run.app).splitlines()
        await run.double_click(5, next(number for number, line in enumerate(lines) if "image" in line))
        assert said(run) == {"data.modality": "image"}


@piloted
async def test_a_double_click_on_the_plan_goes_no_further_than_its_topic() -> None:
    async with running(InterviewScreen()) as run:
        await run.press("2", "1")
        lines = screen_text(run.app).splitlines()
        row = next(number for number, line in enumerate(lines) if "Hidden units" in line)
        await run.double_click(30, row)
        assert isinstance(run.screen, TopicScreen)
        assert "Hidden units" in screen_text(run.app).splitlines()[0]


@piloted
async def test_every_answer_is_saved_before_the_next_question_stands() -> None:
    async with running(InterviewScreen()) as run:
        await run.press("1")
        await run.press("1")
        assert [len(progress.answers) for progress in run.desk.saves] == [1, 2]


@piloted
async def test_what_the_answer_moved_is_marked_by_symbol_and_word() -> None:
    async with running(InterviewScreen(), size=WIDE) as run:
        await ask_for(run, "data.modality")
        await run.press("2")
        moved = {change.topic for change in run.app.standing.moved}
        assert "network.type" in moved
        line = str(run.screen.query_one(PlanList).get_option("network.type").prompt)
        assert line.startswith("»new ")
        assert "cnn" in line
        untouched = next(
            option for option in run.screen.query_one(PlanList).options if option.id and option.id not in moved
        )
        assert not str(untouched.prompt).startswith("»")


@piloted
async def test_the_first_line_that_moved_is_in_sight_on_a_small_screen() -> None:
    async with running(InterviewScreen()) as run:
        await run.press("2", "1")
        first = run.app.standing.moved[0]
        await settled(run.pilot)
        await shows(run, f"{first.after.title}: ")


@piloted
async def test_the_status_of_every_line_is_a_symbol_and_a_word() -> None:
    async with running(InterviewScreen(), size=WIDE) as run:
        lines = [str(option.prompt) for option in run.screen.query_one(PlanList).options if option.id is not None]
        assert lines
        assert all(any(word in line for word in ("✓ settled", "~ leaning", "? open", "◆ measured")) for line in lines)


@piloted
async def test_a_number_with_a_unit_says_what_was_understood() -> None:
    async with running(InterviewScreen()) as run:
        await ask_for(run, "data.bytes")
        await run.pilot.press(*"300MB")
        await settled(run.pilot)
        assert "= 300,000,000 bytes (300 MB)" in str(run.screen.query_one("#understood", Static).content)
        await run.press("enter")
        assert said(run)["data.bytes"] == 300_000_000


@piloted
async def test_what_is_no_number_is_refused_beneath_the_line_with_what_to_write_instead() -> None:
    async with running(InterviewScreen()) as run:
        await ask_for(run, "data.bytes")
        await run.write("many")
        assert "data.bytes" not in said(run)
        told = str(run.screen.query_one("#understood", Static).content)
        assert told.startswith("✗ This is not a number")
        assert "300 MB" in told


@piloted
async def test_an_empty_line_means_that_one_does_not_know() -> None:
    async with running(InterviewScreen()) as run:
        await ask_for(run, "data.examples")
        await run.press("enter")
        assert said(run) == {"data.examples": None}


@piloted
async def test_several_choices_are_ticked_and_taken_by_enter() -> None:
    async with running(InterviewScreen()) as run:
        await ask_for(run, "machine.cpu.features")
        boxes = run.screen.query_one(SelectionList)
        names = [name for name, _ in run.screen.query_one(Entry).fact.choices]
        boxes.highlighted = 0
        await run.press("space", "down", "space", "enter")
        assert said(run)["machine.cpu.features"] == frozenset(names[:2])


@piloted
async def test_no_box_ticked_means_none_of_them() -> None:
    async with running(InterviewScreen()) as run:
        await ask_for(run, "machine.cpu.features")
        await run.press("enter")
        assert said(run)["machine.cpu.features"] == frozenset()


@pytest.mark.parametrize(
    ("key", "answers", "later"), [("f3", {"data.modality": None}, ()), ("f4", {}, ("data.modality",))]
)
def test_not_knowing_and_putting_off(key: str, answers: dict[str, object], later: tuple[str, ...]) -> None:
    @piloted
    async def drive() -> None:
        async with running(InterviewScreen()) as run:
            await run.press(key)
            assert said(run) == answers
            assert run.desk.interview.progress.later == later
            assert asked(run) != "data.modality"

    drive()


@piloted
async def test_a_detected_fact_is_left_as_it_is_by_skip() -> None:
    async with running(InterviewScreen()) as run:
        await ask_for(run, "machine.memory_bytes")
        await shows(run, "detected: 34.36 GB")
        await run.press("f5")
        assert "machine.memory_bytes" not in said(run)
        assert asked(run) == "data.modality"


@piloted
async def test_undo_takes_the_last_answer_back_and_asks_again() -> None:
    async with running(InterviewScreen()) as run:
        await run.press("1", "1")
        second = list(said(run))[1]
        await run.press("ctrl+z")
        assert asked(run) == second
        assert list(said(run)) == ["data.modality"]
        assert run.desk.saves[-1] == run.desk.interview.progress


@piloted
async def test_undo_works_while_a_line_is_being_written() -> None:
    async with running(InterviewScreen()) as run:
        await run.press("1")
        await ask_for(run, "data.examples")
        await run.write("50k")
        await ask_for(run, "data.inputs")
        await run.pilot.press("7", "ctrl+z")
        await settled(run.pilot)
        await run.press("ctrl+z")
        assert asked(run) == "data.examples"
        assert run.screen.query_one(Input).value == ""


@piloted
async def test_the_first_question_cannot_be_undone() -> None:
    async with running(InterviewScreen()) as run:
        await run.press("ctrl+z")
        assert asked(run) == "data.modality"


@piloted
async def test_answers_that_exclude_each_other_are_refused_where_they_are_given() -> None:
    async with running(InterviewScreen()) as run:
        await ask_for(run, "machine.gpu.count")
        await run.write("0")
        await ask_for(run, "cluster.gpus")
        await run.write("1")
        told = str(run.screen.query_one("#refused", Static).content)
        assert "exclude each other" in told
        assert "cluster.gpus" not in said(run)


@piloted
async def test_why_names_the_recommendations_that_the_answer_can_change() -> None:
    async with running(InterviewScreen(), size=WIDE) as run:
        await run.press("f2")
        await settled(run.pilot)
        assert "It can change Network type" in str(run.screen.query_one("#explained", Static).content)


@piloted
async def test_the_last_line_of_why_is_reached_by_keys_on_a_low_screen() -> None:
    async with running(InterviewScreen(), size=NARROW) as run:
        await run.press("f2")
        last = str(run.screen.query_one("#explained", Static).content).split()[-1]
        explanation = run.screen.query_one(Explanation)
        assert explanation.has_focus
        assert explanation.max_scroll_y > 0
        for _ in range(20):
            await run.press("pagedown")
            explanation.scroll_to(y=explanation.scroll_target_y, animate=False)  # where the key is going, at once
        await run.press()
        assert explanation.scroll_offset.y == explanation.max_scroll_y
        assert last in shown_in(run, explanation)
        for key in ("f2", "escape"):
            await run.press(key)
            assert isinstance(run.app.focused, OptionList)
            await run.press("f2")
        await run.press("escape", "1")
        assert said(run) == {"data.modality": "tabular"}


def shown_in(run: Running, widget: Widget) -> str:
    """The lines of the screen on which a widget stands."""
    place = widget.region
    return "\n".join(screen_text(run.app).splitlines()[place.y : place.bottom])


@piloted
async def test_terms_of_the_question_are_explained_beside_it() -> None:
    async with running(InterviewScreen(), size=WIDE) as run:
        assert "network: A function with very many adjustable numbers" in str(
            run.screen.query_one("#explained", Static).content
        )


@piloted
async def test_a_line_of_the_plan_opens_its_topic() -> None:
    async with running(InterviewScreen(), size=WIDE) as run:
        plan = run.screen.query_one(PlanList)
        await run.press("f6")
        assert plan.has_focus
        plan.highlighted = plan.get_option_index("training.optimizer")
        await run.press("enter")
        assert isinstance(run.screen, TopicScreen)
        assert run.screen.topic == "training.optimizer"
        await run.press("escape")
        assert isinstance(run.screen, InterviewScreen)


@piloted
async def test_f6_goes_to_the_plan_and_back_to_the_question() -> None:
    async with running(InterviewScreen()) as run:
        await run.press("f6", "f6")
        assert isinstance(run.app.focused, OptionList)
        assert not isinstance(run.app.focused, PlanList)


@piloted
async def test_a_detected_fact_is_corrected_from_the_list_of_facts() -> None:
    async with running(InterviewScreen()) as run:
        await run.press("f7")
        assert isinstance(run.screen, FactsScreen)
        facts = run.screen.query_one(OptionList)
        facts.highlighted = facts.get_option_index("machine.cpu.usable_cores")
        await run.press("enter")
        assert asked(run) == "machine.cpu.usable_cores"
        assert run.screen.query_one(Input).value == "8"
        await run.press("2", "enter")
        assert said(run)["machine.cpu.usable_cores"] == 2


@pytest.mark.parametrize(("key", "words"), [("f3", "you don't know"), ("f4", "put off")])
def test_what_was_left_out_stands_once_among_the_facts_with_what_is_assumed(key: str, words: str) -> None:
    @piloted
    async def drive() -> None:
        async with running(InterviewScreen()) as run:
            await run.press("1", "1")
            assumed = (name for name, known in run.app.standing.plan.facts.items() if known.source is Source.ASSUMED)
            name = next(name for name in assumed if not name.startswith("probe."))
            await ask_for(run, name)
            await run.press(key, "f7")
            assert isinstance(run.screen, FactsScreen)
            line = str(run.screen.query_one(OptionList).get_option(name).prompt)
            assert f"{name}: {words}  assumed: " in line

    drive()


@piloted
@pytest.mark.slow
async def test_when_nothing_is_left_to_ask_it_says_what_can_be_done() -> None:
    async with running(InterviewScreen()) as run:
        for _ in range(40):
            if asked(run) is None:
                break
            await run.press("f3")
        assert asked(run) is None
        left = len(said(run))
        told = " ".join(str(run.screen.query_one("#words", Static).content).split())
        assert f"You left out {left} questions, whose answers may still change the plan: F7 lists what" in told
        await run.press("1")
        assert isinstance(run.app.focused, PlanList)


@piloted
async def test_the_screen_can_be_made_smaller_and_larger_at_any_time() -> None:
    async with running(InterviewScreen(), size=WIDE) as run:
        question, plan = run.screen.query_one("#question"), run.screen.query_one(PlanList)
        assert question.region.right <= plan.region.x
        await run.pilot.resize_terminal(*NARROW)
        await settled(run.pilot)
        assert question.region.bottom <= plan.region.y
        await run.press("1")
        assert said(run) == {"data.modality": "tabular"}
        await run.pilot.resize_terminal(*WIDE)
        await settled(run.pilot)
        assert question.region.right <= plan.region.x
