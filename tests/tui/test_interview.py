"""The interview on the whole screen: answers move the plan beside it, and nothing that was said is lost."""

from __future__ import annotations

import itertools
import re

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
from advisor.tui.widgets.reasons import Reasons
from tests.tui.pilots import NARROW, WIDE, Running, piloted, running, screen_text, settled
from tests.tui.waiting import shows

VAST = (200, 60)


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
        await run.double_click(
            5, next(number for number, line in enumerate(lines) if "2 Image" in line or "2 Picture" in line)
        )
        assert said(run) == {"data.modality": "image"}


@piloted
async def test_a_double_click_on_the_plan_goes_no_further_than_its_topic() -> None:
    async with running(InterviewScreen(), size=WIDE) as run:
        await run.press("2", "1")
        lines = screen_text(run.app).splitlines()
        row = next(number for number, line in enumerate(lines) if "Hidden units" in line)
        await run.double_click(90, row)
        assert isinstance(run.screen, TopicScreen)
        assert "Hidden units" in screen_text(run.app).splitlines()[0]


@piloted
async def test_every_answer_is_saved_before_the_next_question_stands() -> None:
    async with running(InterviewScreen()) as run:
        await run.press("1")
        await run.press("1")
        assert [len(progress.answers) for progress in run.desk.saves] == [1, 2]


@piloted
async def test_what_the_answer_moved_is_marked_with_what_it_was() -> None:
    async with running(InterviewScreen(), size=WIDE) as run:
        await ask_for(run, "data.modality")
        await run.press("2")
        moved = {change.topic for change in run.app.standing.moved}
        assert "network.type" in moved
        plan = run.screen.query_one(PlanList)
        assert str(plan.get_option("network.type").prompt) == "◐ Network type CNN  was nothing to go on yet ◂"
        untouched = [option for option in plan.options if option.id in run.app.standing.plan.recommendations]
        untouched = [option for option in untouched if option.id not in moved]
        assert untouched
        assert not any("◂" in str(option.prompt) or "was " in str(option.prompt) for option in untouched)


@piloted
async def test_a_recommendation_that_is_only_surer_now_says_so() -> None:
    async with running(InterviewScreen(), size=WIDE) as run:
        await run.press("2", "1")
        await ask_for(run, "task.multilabel")
        await run.press("enter")  # no, as is assumed
        line = str(run.screen.query_one(PlanList).get_option("training.loss").prompt)
        assert line == "● Loss cross-entropy  was leaning ◂"


@piloted
async def test_what_moved_is_told_on_one_line_on_a_small_screen() -> None:
    async with running(InterviewScreen()) as run:
        await run.press("2", "1")
        await shows(run, "◂ ")


@piloted
async def test_the_status_of_every_line_is_a_glyph_that_the_title_explains() -> None:
    async with running(InterviewScreen(), size=WIDE) as run:
        await run.press("1", "2")
        plan = run.screen.query_one(PlanList)
        lines = [str(option.prompt) for option in plan.options if option.id in run.app.standing.plan.recommendations]
        assert lines
        words = dict(zip("●◐○◆", ("settled", "leaning", "open", "measured"), strict=True))
        for line in lines:
            assert re.search(rf"{line[0]} \d+ {words[line[0]]}", str(plan.border_title))


@piloted
async def test_groups_that_nothing_moved_in_are_folded_and_unfold_by_enter() -> None:
    async with running(InterviewScreen(), size=WIDE) as run:
        await run.press("1", "p")
        plan = run.screen.query_one(PlanList)
        named = [option.id for option in plan.options]
        assert "group:Computing" in named
        assert "compute.threads" not in named
        plan.highlighted = plan.get_option_index("group:Computing")
        await run.press("enter")
        assert str(plan.get_option("compute.threads").prompt) == "◐ Processor threads 8 threads"
        await run.press("enter")
        assert "compute.threads" not in [option.id for option in plan.options]


@piloted
async def test_where_there_is_room_nothing_is_folded_and_the_reasons_stand_beside_it() -> None:
    async with running(InterviewScreen(), size=VAST) as run:
        await run.press("2", "1")
        plan, reasons = run.screen.query_one(PlanList), run.screen.query_one(Reasons)
        assert "framework" in [option.id for option in plan.options]
        assert plan.region.right <= reasons.region.x
        await run.press("p")
        plan.highlighted = plan.get_option_index("training.loss")
        await settled(run.pilot)
        await shows(run, "cross-entropy after a softmax compares")
        await run.pilot.resize_terminal(*WIDE)
        await settled(run.pilot)
        assert not reasons.region.area


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
async def test_a_number_alone_is_the_width_where_the_question_is_how_wide_a_picture_is() -> None:
    async with running(InterviewScreen()) as run:
        await run.app.step(lambda interview: interview.answer("data.modality", "image"))
        await ask_for(run, "data.inputs")
        await run.pilot.press(*"500")
        await settled(run.pilot)
        told = str(run.screen.query_one("#understood", Static).content)
        assert told == "= 750,000 values: 500 x 500 pixels in colours"
        await run.press("enter")
        assert said(run)["data.inputs"] == 3 * 500**2


@pytest.mark.parametrize(("values", "typed"), [("784", "28 wide grey"), ("3072", "32 wide"), ("500", "500 values")])
@piloted
async def test_a_small_picture_that_was_said_before_stays_what_it_is(values: str, typed: str) -> None:
    async with running(InterviewScreen()) as run:
        await run.app.step(lambda interview: interview.answer("data.modality", "image"))
        await run.app.step(lambda interview: interview.answer("data.inputs", values))
        await ask_for(run, "data.inputs")
        assert run.screen.query_one(Input).value == typed
        await run.press("enter")
        assert said(run)["data.inputs"] == int(values)


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
async def test_why_tells_what_each_of_a_few_answers_would_give() -> None:
    async with running(InterviewScreen(), size=WIDE) as run:
        await run.press("2", "1")
        await ask_for(run, "task.multilabel")
        await run.press("w")
        explained = str(run.screen.query_one("#explained", Static).content)
        assert explained.startswith("Yes: Loss binary cross-entropy.\nNo: Loss cross-entropy.\nIt can change Loss")
        assert run.screen.asked == "task.multilabel"
        assert "task.multilabel" not in said(run)


@piloted
async def test_why_names_a_few_of_many_topics_on_which_answers_differ() -> None:
    async with running(InterviewScreen(), size=WIDE) as run:
        await run.press("2", "1")
        await ask_for(run, "project.pretrained_allowed")
        await run.press("w")
        yes, no, *_ = str(run.screen.query_one("#explained", Static).content).splitlines()
        assert yes.startswith("Yes: Published network ResNet")
        assert no.startswith("No: Published network none; ")
        assert yes.partition("and ")[2] == no.partition("and ")[2] != ""


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


@pytest.mark.parametrize("key", ["f6", "p"])
@pytest.mark.parametrize("size", [NARROW, WIDE], ids=["80x24", "120x40"])
def test_a_key_goes_to_the_plan_and_back_to_the_question(size: tuple[int, int], key: str) -> None:
    @piloted
    async def drive() -> None:
        async with running(InterviewScreen(), size=size) as run:
            question, plan = run.screen.query_one("#question"), run.screen.query_one(PlanList)
            await run.press(key)
            assert plan.has_focus
            assert bool(question.region.area) == (size == WIDE)
            assert plan.region.area
            await run.press(key)
            assert question.region.area
            assert isinstance(run.app.focused, OptionList)
            assert not plan.has_focus

    drive()


@piloted
async def test_escape_leaves_the_plan_before_the_interview_where_it_took_the_place_of_the_question() -> None:
    async with running(InterviewScreen()) as run:
        await run.press("p", "escape")
        assert isinstance(run.screen, InterviewScreen)
        assert run.screen.query_one("#question").region.area
        await run.press("escape")
        assert not isinstance(run.screen, InterviewScreen)


@piloted
async def test_letters_are_keys_unless_a_line_is_written() -> None:
    async with running(InterviewScreen()) as run:
        await run.press("u")
        assert said(run) == {"data.modality": None}
        await run.press("w")
        assert run.screen.query_one(Explanation).has_focus
        await ask_for(run, "data.examples")
        await run.press("u")
        assert run.screen.query_one(Input).value == "u"
        assert "data.examples" not in said(run)
        footer = screen_text(run.app).splitlines()[-1]
        assert "f3 Don't know" in footer
        assert "u Don't know" not in footer


@pytest.mark.parametrize("question", ["task.multilabel", "data.splittable"])
def test_enter_confirms_what_is_assumed(question: str) -> None:
    @piloted
    async def drive() -> None:
        async with running(InterviewScreen()) as run:
            await run.press("1")
            await ask_for(run, question)
            assumed = run.app.standing.present
            assert assumed is not None
            assert assumed.source is Source.ASSUMED
            word = "Yes" if assumed.value else "No"
            await shows(run, f"{word}  assumed")
            await run.press("enter")
            assert said(run)[question] == assumed.value

    drive()


@piloted
async def test_a_glyph_points_at_the_choice_that_enter_takes() -> None:
    async with running(InterviewScreen()) as run:
        assert next(line for line in screen_text(run.app).splitlines() if "❯" in line).split()[2:4] == ["1", "Tabular"]
        await run.press("down")
        assert next(line for line in screen_text(run.app).splitlines() if "❯" in line).split()[2:4] == ["2", "Image"]


@piloted
async def test_the_certainty_never_falls_as_one_goes_on_and_an_undo_gives_it_back() -> None:
    async with running(InterviewScreen(), size=WIDE) as run:
        seen = [run.app.standing.certain]
        for name, text in (("task.kind", "classify"), ("data.modality", "image"), ("task.kind", "forecast")):
            await run.app.step(lambda interview, name=name, text=text: interview.answer(name, text))
            seen.append(run.app.standing.certain)
        assert seen == sorted(seen)
        assert seen[0] < seen[2] <= 1
        await run.press("ctrl+z", "ctrl+z")
        assert run.app.standing.certain == seen[1]
        await shows(run, f"{int(100 * seen[1])} % certain")


@piloted
async def test_the_number_of_questions_left_never_grows_as_one_goes_on() -> None:
    async with running(InterviewScreen(), size=WIDE) as run:
        left = []
        for name, text in (("data.modality", "tabular"), ("cluster.nodes", "4"), ("cluster.stragglers", "yes")):
            await run.app.step(lambda interview, name=name, text=text: interview.answer(name, text))
            await settled(run.pilot, outlook=True)
            left.append(run.app.outlook.questions_left)
        assert left == sorted(left, reverse=True)


PICTURES = {"data.modality": "image", "task.kind": "classify", "data.examples": "20000", "task.outputs": "10"}


@pytest.mark.parametrize("said", [{}, PICTURES, {"data.modality": "tabular", "task.kind": "regress"}])
def test_every_answer_takes_a_question_from_those_that_are_left(said: dict[str, str]) -> None:
    """Nothing is known of what is not said."""

    @piloted
    async def drive() -> None:
        async with running(InterviewScreen(), size=WIDE) as run:
            await settled(run.pilot, outlook=True)
            left = [run.app.outlook.questions_left]
            while (name := asked(run)) is not None:
                await run.app.answer(name, said.get(name, ""))
                await settled(run.pilot, outlook=True)
                left.append(run.app.outlook.questions_left)
            assert all(after < before for before, after in itertools.pairwise(left)), left
            assert left[-1] == 0
            assert left[-2] > 0

    drive()


@piloted
async def test_an_undo_gives_back_the_number_of_questions_and_putting_off_takes_none() -> None:
    async with running(InterviewScreen(), size=WIDE) as run:
        await settled(run.pilot, outlook=True)
        first = run.app.outlook.questions_left
        await run.press("2")
        await settled(run.pilot, outlook=True)
        assert run.app.outlook.questions_left < first
        await run.press("ctrl+z")
        await settled(run.pilot, outlook=True)
        assert run.app.outlook.questions_left == first
        await run.press("l")
        await settled(run.pilot, outlook=True)
        assert run.app.outlook.questions_left == first


@piloted
async def test_the_network_is_drawn_and_drawn_again_after_every_answer() -> None:
    async with running(InterviewScreen(), size=WIDE) as run:
        for name, text in (("task.kind", "classify"), ("data.modality", "image"), ("task.outputs", "3")):
            await run.app.step(lambda interview, name=name, text=text: interview.answer(name, text))
        await shows(run, "? ▸ 64 ▸ 128 ▸ 256 ▸ 512 ▸ 3")
        await run.app.step(lambda interview: interview.answer("data.inputs", "6912"))
        await shows(run, "48×48×3 ▸ 64 ▸ 128 ▸ 256")
        await run.pilot.resize_terminal(*NARROW)
        await settled(run.pilot)
        assert screen_text(run.app).splitlines()[-3].startswith(" 48×48×3 ▸ 64 ▸ 128 ▸ 256")


@pytest.mark.parametrize("size", [NARROW, WIDE], ids=["80x24", "120x40"])
def test_the_keys_below_are_shown_as_a_whole(size: tuple[int, int]) -> None:
    @piloted
    async def drive() -> None:
        async with running(InterviewScreen(), size=size) as run:
            for shown in ("^z Undo", "^s Export"):
                assert shown in screen_text(run.app).splitlines()[-1]
            keys = list(run.screen.query("FooterKey"))
            assert keys
            assert max(key.region.right for key in keys) <= size[0]

    drive()


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
            assert run.desk.knowledge.vocabulary.facts[name].question in line
            assert f"{words} assumed: " in line
            assert line.endswith(name)

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
        footer = screen_text(run.app).splitlines()[-1]
        assert "Don't know" not in footer
        assert "Why" not in footer
        assert "Plan" in footer
        await run.press("1")
        assert isinstance(run.app.focused, PlanList)


@piloted
async def test_the_screen_can_be_made_smaller_and_larger_at_any_time() -> None:
    async with running(InterviewScreen(), size=WIDE) as run:
        question, plan = run.screen.query_one("#question"), run.screen.query_one(PlanList)
        assert question.region.right <= plan.region.x
        await run.pilot.resize_terminal(*NARROW)
        await settled(run.pilot)
        assert not plan.region.area
        assert question.region.width == NARROW[0]
        await run.press("1")
        assert said(run) == {"data.modality": "tabular"}
        await run.pilot.resize_terminal(*WIDE)
        await settled(run.pilot)
        assert question.region.right <= plan.region.x


@pytest.mark.parametrize("size", [(20, 6), (60, 15), (100, 30)])
def test_the_choice_that_enter_takes_is_in_sight_at_every_size(size: tuple[int, int]) -> None:
    @piloted
    async def drive() -> None:
        async with running(InterviewScreen(), size=size) as run:
            await run.press("end")
            await shows(run, "❯ 8 Tree")
            await run.press("enter")
            assert said(run) == {"data.modality": "tree"}
            await ask_for(run, "task.kind")
            await run.press("1")
            await ask_for(run, "task.multilabel")
            await shows(run, "❯ 2 No")

    drive()


@piloted
async def test_no_line_of_the_plan_loses_its_end() -> None:
    async with running(InterviewScreen(), size=(100, 30)) as run:
        await run.press("1", "2", "2", "p")
        plan = run.screen.query_one(PlanList)
        shown = ""
        for line in range(0, plan.virtual_size.height, plan.size.height):
            plan.scroll_to(y=line, animate=False)
            await settled(run.pilot)
            shown += shown_in(run, plan)
        words = {word for option in plan.options for word in re.findall(r"\w+", str(option.prompt))}
        assert {word for word in words if word not in shown} == set()
