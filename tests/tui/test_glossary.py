"""Technical terms, facts and topics, found as one types."""

from __future__ import annotations

from textual.widgets import Input, OptionList, Static

from advisor.tui.screens.glossary import GlossaryScreen
from advisor.tui.screens.topic.topic import TopicScreen
from advisor.tui.screens.what_if.what_if import WhatIfScreen
from tests.tui.pilots import WIDE, Running, piloted, running, settled, snapshot
from tests.tui.test_topic import desk
from tests.tui.waiting import shows


def listed(run: Running) -> list[str]:
    return list(run.screen.listed)


def explained(run: Running) -> str:
    return str(run.screen.query_one("#explained_word", Static).content)


async def seek(run: Running, text: str) -> None:
    run.screen.query_one("#word", Input).value = text
    await settled(run.pilot)


@piloted
async def test_everything_is_listed_until_something_is_written() -> None:
    async with running(GlossaryScreen(), desk=desk()) as run:
        everything = listed(run)
        assert {"term cnn", "fact data.modality", "topic network.type"} & set(everything) >= {"fact data.modality"}
        assert len(everything) > 200
        await run.pilot.press(*"dropout")
        await settled(run.pilot)
        assert listed(run)[0] == "term dropout"
        assert len(listed(run)) < len(everything)


@piloted
async def test_the_first_is_explained_at_once() -> None:
    async with running(GlossaryScreen("dropout"), desk=desk()) as run:
        assert run.desk.knowledge.terms["dropout"].text in explained(run)


@piloted
async def test_names_come_before_mentions_and_their_spelling_is_free() -> None:
    async with running(GlossaryScreen(), desk=desk()) as run:
        for spelled in ("batch size", "Batch-Size", "batch_size"):
            await seek(run, spelled)
            assert listed(run)[:2] == ["term batch size", "topic training.batch_size"]


@piloted
async def test_a_value_finds_the_facts_and_topics_that_have_it() -> None:
    async with running(GlossaryScreen("sgd_nesterov"), desk=desk()) as run:
        assert "topic training.optimizer" in listed(run)


@piloted
async def test_arrows_move_in_the_list_while_one_writes() -> None:
    async with running(GlossaryScreen("batch"), desk=desk()) as run:
        await run.press("down", "down")
        words = run.screen.query_one("#words", OptionList)
        assert words.highlighted == 2
        assert listed(run)[2].partition(" ")[2] in explained(run).partition("\n")[0]
        assert run.screen.query_one("#word", Input).has_focus
        await run.press("up", "pageup")
        assert words.highlighted == 0


@piloted
async def test_what_is_not_found_names_what_may_have_been_meant() -> None:
    async with running(GlossaryScreen("dropuot"), desk=desk()) as run:
        assert listed(run) == []
        await shows(run, "Did you mean dropout?")
        await seek(run, "[/red] [b]x")
        await shows(run, "Nothing is called that.")


@piloted
async def test_enter_on_a_topic_shows_its_reasons_in_the_plan() -> None:
    async with running(GlossaryScreen("training.optimizer"), desk=desk()) as run:
        await run.press("enter")
        assert isinstance(run.screen, TopicScreen)
        assert run.screen.topic == "training.optimizer"


@piloted
async def test_enter_on_a_fact_supposes_another_answer() -> None:
    async with running(GlossaryScreen("data.modality"), desk=desk()) as run:
        await run.press("enter")
        assert isinstance(run.screen, WhatIfScreen)
        assert run.screen.fact == "data.modality"


@piloted
async def test_enter_on_a_term_goes_to_a_related_one() -> None:
    async with running(GlossaryScreen("batch normalisation"), desk=desk()) as run:
        related = run.desk.knowledge.terms["batch normalisation"].see[0]
        await run.press("enter")
        assert run.screen.query_one("#word", Input).value == related
        assert explained(run).startswith(related)


@piloted
async def test_the_terms_of_a_line_come_first() -> None:
    async with running(GlossaryScreen(within="Dropout after a convolution"), desk=desk()) as run:
        assert listed(run)[0] == "term dropout"
        assert len(listed(run)) > 200


@piloted
async def test_a_click_explains_an_entry() -> None:
    async with running(GlossaryScreen("norm"), desk=desk(), size=WIDE) as run:
        await run.click("#words", offset=(8, 3))
        assert run.screen.query_one("#words", OptionList).highlighted == 3
        assert listed(run)[3].partition(" ")[2] in explained(run).partition("\n")[0]


@piloted
async def test_picture_of_the_glossary() -> None:
    async with running(GlossaryScreen("dropout"), desk=desk(), size=WIDE) as run:
        snapshot(run.app, "glossary-120x40")
