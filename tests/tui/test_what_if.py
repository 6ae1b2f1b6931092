"""Suppose something: both plans beside each other, and nothing changed unless it is taken over."""

from __future__ import annotations

import pytest
from textual.widgets import Input, OptionList, Static

from advisor.tui.screens.topic.topic import TopicScreen
from advisor.tui.screens.what_if.what_if import WhatIfScreen
from advisor.tui.widgets.entry import Entry
from tests.tui.pilots import NARROW, WIDE, Running, piloted, running, screen_text, settled, snapshot
from tests.tui.test_topic import desk
from tests.tui.waiting import shows


def said(run: Running) -> dict[str, object]:
    return run.desk.interview.progress.said()


def listed(run: Running) -> list[str]:
    """The topics that are listed."""
    return [option.id for option in run.screen.query_one("#both_plans", OptionList).options if option.id is not None]


def supposed(run: Running) -> str:
    return str(run.screen.query_one("#supposed", Static).content)


@piloted
async def test_a_fact_is_found_by_a_part_of_its_name_and_given_a_value() -> None:
    async with running(WhatIfScreen(), desk=desk()) as run:
        assert run.screen.query_one("#fact_search", Input).has_focus
        await run.write("modality")
        assert run.screen.query_one(Entry).fact.name == "data.modality"
        await shows(run, "now: image (stated)")
        await run.press("5")
        assert "What if data.modality = text (now: image (stated))" in supposed(run)
        assert "network.type" in listed(run)


@piloted
async def test_arrows_choose_a_fact_while_one_searches() -> None:
    async with running(WhatIfScreen(), desk=desk()) as run:
        await run.press("down", "down", "up", "enter")
        assert run.screen.query_one(Entry).fact.name == "task.outputs"


@piloted
async def test_both_values_stand_with_their_statuses_and_what_differs_is_marked() -> None:
    async with running(WhatIfScreen("data.modality", "text"), desk=desk()) as run:
        lines = [line.rstrip(" ▁▂▃▄▅▆▇█").lstrip(" ❯") for line in screen_text(run.app).splitlines()]
        at = next(number for number, line in enumerate(lines) if "Network type" in line)
        assert lines[at].strip() == "≠ Network type  changes"
        assert lines[at + 1].split() == ["now", "●", "settled", "CNN"]
        assert lines[at + 2].split() == ["then", "●", "settled", "transformer"]


@pytest.mark.parametrize("size", [NARROW, WIDE])
def test_only_what_differs_is_listed_unless_all_is_asked_for(size: tuple[int, int]) -> None:
    @piloted
    async def look() -> None:
        async with running(WhatIfScreen("data.modality", "text"), size=size, desk=desk()) as run:
            changed = {change.topic for change in run.screen.found.changes}
            assert set(listed(run)) == changed
            await run.press("d")
            assert set(listed(run)) > changed
            await run.press("d")
            assert set(listed(run)) == changed

    look()


@piloted
async def test_side_by_side_where_there_is_room() -> None:
    async with running(WhatIfScreen("data.modality", "text"), size=WIDE, desk=desk()) as run:
        line = next(line for line in screen_text(run.app).splitlines() if "Network type" in line)
        assert line.split() == ["❯", "≠", "Network", "type", "●", "settled", "CNN", "●", "settled", "transformer"]
        await run.pilot.resize_terminal(70, 30)
        await settled(run.pilot)
        await shows(run, "≠ Network type  changes")


@piloted
async def test_nothing_is_changed_by_looking() -> None:
    async with running(WhatIfScreen("data.modality", "text"), desk=desk()) as run:
        before = said(run)
        await run.press("down", "escape")
        assert not isinstance(run.screen, WhatIfScreen)
        assert said(run) == before
        assert run.desk.saves == []


@piloted
async def test_taken_over_it_is_an_answer_and_saved() -> None:
    async with running(WhatIfScreen("data.modality", "text"), desk=desk()) as run:
        await run.press("ctrl+s")
        assert said(run)["data.modality"] == "text"
        assert run.app.standing.plan.value("network.type") == "transformer"
        assert len(run.desk.saves) == 1
        assert not isinstance(run.screen, WhatIfScreen)


@piloted
async def test_several_facts_can_be_supposed_together() -> None:
    async with running(WhatIfScreen("data.modality", "text"), desk=desk()) as run:
        await run.press("ctrl+n")
        await run.write("data.examples")
        await run.press("ctrl+u")
        await run.write("2M")
        assert run.screen.stated == {"data.modality": "text", "data.examples": "2M"}
        assert "data.examples = 2,000,000 examples" in supposed(run)
        await run.press("ctrl+s")
        assert said(run)["data.examples"] == 2_000_000
        assert said(run)["data.modality"] == "text"


@piloted
async def test_another_fact_is_sought_among_all_of_them() -> None:
    async with running(WhatIfScreen("data.modality", "text"), desk=desk()) as run:
        await run.press("ctrl+n")
        await run.write("data.examples")
        await run.press("ctrl+u")
        await run.write("2M")
        await run.press("ctrl+n")
        assert run.screen.query_one("#fact_search", Input).value == ""
        await run.write("data.imbalance")
        await run.press("ctrl+u")
        await run.write("4")
        assert run.screen.stated["data.imbalance"] == "4"


@piloted
async def test_what_is_no_value_is_refused_in_place() -> None:
    async with running(WhatIfScreen("data.examples"), desk=desk()) as run:
        await run.press("ctrl+u")
        await run.write("plenty")
        assert run.screen.step == "value"
        await shows(run, "✗")
        assert run.screen.stated == {}


@piloted
async def test_facts_that_exclude_each_other_are_refused_and_not_kept() -> None:
    standing = desk({"task.kind": "classify", "data.modality": "image", "machine.cpu.physical_cores": "4"})
    async with running(WhatIfScreen("machine.cpu.logical_cores"), desk=standing) as run:
        await run.press("ctrl+u")
        await run.write("2")
        assert run.screen.stated == {}
        assert run.screen.step == "value"
        assert [notice.severity for notice in run.app._notifications] == ["error"]


@piloted
async def test_a_value_that_is_refused_leaves_the_one_that_was_supposed_before() -> None:
    standing = desk({"task.kind": "classify", "data.modality": "image", "machine.cpu.physical_cores": "4"})
    async with running(WhatIfScreen("machine.cpu.logical_cores", "8"), desk=standing) as run:
        run.screen._compare({"machine.cpu.logical_cores": "8", "data.examples": "2M"})
        await settled(run.pilot)
        await run.press("ctrl+n")
        await run.write("logical_cores")
        await run.press("ctrl+u")
        await run.write("2")
        assert run.screen.stated == {"machine.cpu.logical_cores": "8", "data.examples": "2M"}


@piloted
async def test_what_cannot_be_taken_over_leaves_answers_and_question_as_they_are() -> None:
    standing = desk({"machine.cpu.physical_cores": "4", "machine.cpu.logical_cores": "8"})
    async with running(WhatIfScreen("data.examples", "500"), desk=standing) as run:
        before, asked = said(run), run.desk.interview.question()
        both = {"machine.cpu.physical_cores": "16", "machine.cpu.logical_cores": "32"}
        run.screen._compare({"data.examples": "500", **both})  # together they can be; one after the other they cannot
        await settled(run.pilot)
        assert len(run.screen.stated) == 3
        await run.press("ctrl+s")
        assert isinstance(run.screen, WhatIfScreen)
        assert [notice.severity for notice in run.app._notifications] == ["error"]
        assert said(run) == before
        assert run.desk.interview.question() == asked


@piloted
async def test_escape_goes_back_step_by_step() -> None:
    async with running(WhatIfScreen(), desk=desk()) as run:
        await run.write("modality")
        await run.press("5")
        assert run.screen.step == "result"
        await run.press("escape")
        assert run.screen.step == "value"
        await run.press("escape")
        assert run.screen.step == "fact"
        await run.press("escape")
        assert not isinstance(run.screen, WhatIfScreen)


@piloted
async def test_i_do_not_know_can_be_supposed() -> None:
    async with running(WhatIfScreen("data.modality", ""), desk=desk()) as run:
        assert "data.modality = unknown" in supposed(run)
        assert "network.type" in listed(run)


@piloted
async def test_a_topic_opens_with_its_reasons_under_the_supposition() -> None:
    async with running(WhatIfScreen("data.modality", "text"), desk=desk()) as run:
        await run.press("enter")
        assert isinstance(run.screen, TopicScreen)
        await shows(run, "transformer")
        await shows(run, "(supposed)")


@piloted
async def test_where_nothing_changes_that_is_said() -> None:
    async with running(WhatIfScreen("data.modality", "image"), desk=desk()) as run:
        await shows(run, "The advice stays as it is")


@piloted
async def test_it_is_done_with_the_mouse_alone() -> None:
    async with running(WhatIfScreen("data.modality"), desk=desk()) as run:
        await run.click("Entry OptionList", offset=(6, 4))
        assert run.screen.stated == {"data.modality": "text"}
        row = run.app.size.height - 1
        footer = screen_text(run.app).splitlines()[row]
        await run.pilot.click(offset=(footer.index("Take it over") + 2, row))
        await settled(run.pilot)
        assert said(run)["data.modality"] == "text"


@piloted
async def test_picture_of_a_supposition() -> None:
    async with running(WhatIfScreen("data.modality", "text"), size=WIDE, desk=desk()) as run:
        snapshot(run.app, "what_if-120x40")


@piloted
async def test_topics_that_stay_are_counted_and_listed_on_demand() -> None:
    async with running(WhatIfScreen("data.modality", "text")) as run:
        listed = [str(option.prompt) for option in run.screen.query_one("#both_plans", OptionList).options]
        assert not any("the same" in line for line in listed)
        [counted] = [line for line in listed if "more stay as they are" in line]
        await run.press("d")
        every = [str(option.prompt) for option in run.screen.query_one("#both_plans", OptionList).options]
        assert sum("the same" in line for line in every) == int(counted.split()[0])
