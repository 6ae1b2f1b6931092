"""The first screen of a plan: one screen of a terminal, whatever is known, with commands that can be typed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from advisor import AdvisorWarning, Session
from advisor.inference.plan import Plan
from advisor.interview.agenda import first_questions
from advisor.report.contents import Outlook
from advisor.report.numbers import known_values
from advisor.report.page import SCREEN, Look, cells
from advisor.report.plan.brief import Brief, brief_of, brief_page, name_of, needs_of, title_of, warnings_of
from advisor.session.outlook import outlook_of

from .small import knowledge as small_knowledge
from .small import measured_plan

PICTURES = {"task.kind": "classify", "data.modality": "image", "data.examples": 20_000, "task.outputs": 12}
SIZED = {"data.inputs": 150_528, "project.pretrained_allowed": True}
TEXTS = {"task.kind": "generate", "data.modality": "text", "data.sequence_length": 2048, "data.examples": 50_000}
SITUATIONS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "no facts": ({}, {}),
    "two facts": ({"task.kind": "classify", "data.modality": "image"}, {"machine": "none"}),
    "pictures on a processor": (PICTURES | SIZED, {"machine": "epyc-9654"}),
    "a language model to adapt": (TEXTS, {"machine": "rtx-4090", "model": "llama-3.1-8b"}),
    "one that fits nowhere": (
        TEXTS | {"network.parameters": 70_000_000_000, "project.pretrained_allowed": False},
        {"machine": "rtx-4090"},
    ),
    "a cluster": (
        PICTURES | SIZED | {"cluster.nodes": 4, "machine.gpu.count": 8},
        {"machine": "h100-sxm-80gb"},
    ),
    "a table": ({"task.kind": "regress", "data.modality": "tabular", "data.examples": 900}, {"machine": "none"}),
    "a series": ({"task.kind": "forecast", "data.modality": "time_series"}, {"machine": "none"}),
}


def planned(facts: dict[str, Any], **named: Any) -> tuple[Session, Plan]:
    session = Session(facts, **{"machine": "none", **named})
    return session, session.plan()


def brief(plan: Plan, arguments: str = "") -> Brief:
    assert plan.knowledge is not None
    return brief_of(plan, plan.knowledge, arguments)


@pytest.mark.parametrize("name", SITUATIONS)
@pytest.mark.parametrize("arguments", ["--answers my.yaml", "--set data.modality=image " * 8])
def test_it_fits_on_one_screen(name: str, arguments: str) -> None:
    facts, named = SITUATIONS[name]
    session, plan = planned(facts, **named)
    told = brief_of(plan, session.inputs.knowledge, arguments.strip(), outlook=outlook_of(session.inputs, plan))
    page = brief_page(told, Look(80, colour=False))
    assert sum(max(1, -(-cells(line) // 80)) for line in page.splitlines()) <= SCREEN
    assert page.startswith("PLAN  ")
    assert "NEXT" in page


@pytest.mark.parametrize("width", [24, 40, 80, 200])
def test_nothing_but_commands_is_wider_than_the_screen(width: int) -> None:
    _, plan = planned(PICTURES)
    lines = brief_page(brief(plan), Look(width)).splitlines()
    assert max(cells(line) for line in lines if "advisor " not in line) <= min(width, 100)


def test_it_names_what_people_say_and_not_identifiers() -> None:
    _, plan = planned(PICTURES | SIZED)
    page = brief_page(brief(plan), Look())
    assert "cross-entropy" in page
    assert "cross_entropy" not in page
    assert "published weights" in page
    assert "network.type" not in page


def test_how_sure_a_line_is_follows_the_least_sure_in_it() -> None:
    _, plan = planned(PICTURES | SIZED)
    (line,) = (line for line in brief(plan).lines if line.label == "Train with")
    parts = ("training.optimizer", "training.learning_rate", "training.batch_size")
    statuses = {plan.recommendations[name].status.value for name in parts}
    assert line.status.value == ("leaning" if "leaning" in statuses else "settled")


@pytest.mark.parametrize(
    ("facts", "title"),
    [
        (PICTURES, "sort 20,000 pictures into 12 classes"),
        ({"task.kind": "regress", "data.modality": "tabular", "task.outputs": 1}, "predict one number from rows of a table"),
        ({"task.kind": "forecast", "data.modality": "time_series"}, "predict how series go on"),
        ({}, "no task is stated yet"),
    ],
)  # fmt: skip
def test_its_title_is_the_task_in_words(facts: dict[str, Any], title: str) -> None:
    _, plan = planned(facts)
    assert title_of(plan) == title


def test_a_series_that_was_cut_is_counted_in_pieces() -> None:
    _, plan = planned({"task.kind": "forecast", "data.modality": "time_series", "data.examples": 886})
    assert title_of(plan) == "predict how 886 pieces of series go on"


def test_without_a_machine_it_runs_on_none() -> None:
    labels = {line.label for line in brief(planned(PICTURES)[1]).lines}
    assert "Run on" not in labels
    assert labels < {line.label for line in brief(planned(PICTURES, machine="epyc-9654")[1]).lines}


def test_what_data_and_answers_say_otherwise_is_told_with_where_it_is_from(tmp_path: Path) -> None:
    table = tmp_path / "prices.csv"
    table.write_text("rooms,price\n" + "".join(f"{n % 7},{n * 37 % 1000}.5\n" for n in range(300)))
    with pytest.warns(AdvisorWarning, match="do not fit together"):
        _, plan = planned({"task.kind": "classify"}, data=table, target="price")
    assert title_of(plan) == "sort 300 rows of a table into classes"
    told = next(warnings_of(plan, Outlook(plan)))
    assert told.startswith("task.kind is classify (stated) and regress (found in the data) at once")


def test_what_is_taken_from_stated_facts_stands_on_the_first_screen(tmp_path: Path) -> None:
    table = tmp_path / "prices.csv"
    table.write_text("rooms,price\n" + "".join(f"{n % 7},{n * 37 % 1000}.5\n" for n in range(300)))
    size = table.stat().st_size
    _, plan = planned({"data.examples": 3000, "machine.gpu.memory_bytes": "24 GB"}, data=table, target="price")
    told = list(warnings_of(plan, Outlook(plan)))
    because = "since machine.gpu.memory_bytes is stated, the least that this means"
    assert f"The plan takes machine.gpu.count as 1 ({because})." in told
    assert f"The plan takes data.bytes as {10 * size:,} ({size:,} bytes of 300 examples, scaled)." in told
    _, plain = planned({"machine.gpu.count": 1}, data=table, target="price")
    assert not any("The plan takes" in one for one in warnings_of(plain, Outlook(plain)))


def test_the_machine_stands_in_the_title() -> None:
    _, plan = planned(PICTURES | {"cluster.nodes": 4, "machine.gpu.count": 8}, machine="h100-sxm-80gb")
    assert title_of(plan).endswith(", on 4 machines with 8 x NVIDIA H100 SXM5 80 GB each")


def outlook(facts: dict[str, Any], **named: Any) -> Outlook:
    session, plan = planned(facts, **named)
    return outlook_of(session.inputs, plan)


def test_memory_and_times_are_the_figures_of_the_plan() -> None:
    _, plan = planned(PICTURES | SIZED | {"project.price_per_hour": 2}, machine="rtx-4090")
    memory, whole, a_pass, price = needs_of(Outlook(plan))
    known = {figure.name: figure.value for figure in plan.figures}
    assert memory.startswith(f"{known['memory.training'] / 1e9:.3g} GB")  # type: ignore[operator]
    assert whole.endswith(" for 3 to 20 epochs")
    assert a_pass.startswith("one epoch about ")
    assert a_pass.endswith(" (computed from published speed)")
    assert price.startswith("price ")


def test_all_passes_take_as_long_as_half_the_doubt_has_it() -> None:
    _, plan = planned(PICTURES | SIZED, machine="rtx-4090")
    known: dict[str, float] = {figure.name: figure.value for figure in plan.figures if figure.value is not None}
    each, doubt = known["time.epoch"], known["time.doubt"]
    assert known["time.shortest"] == pytest.approx(3 * each / doubt**0.5)
    assert known["time.longest"] == pytest.approx(20 * each * doubt**0.5)


def test_needs_are_told_for_usual_sizes_where_nobody_has_stated_them() -> None:
    first, *_ = needs_of(outlook({"task.kind": "classify", "data.modality": "audio"}, machine="epyc-9654"))
    assert first.startswith("supposing 10,000 examples, 300 steps each and 80 values each: ")
    first, *_ = needs_of(outlook(TEXTS | {"data.sequence_length": None}, machine="rtx-4090"))
    assert first.startswith("supposing 300 tokens each: ")


def test_nothing_is_supposed_where_it_is_known() -> None:
    assert outlook(PICTURES | SIZED, machine="epyc-9654").supposed == ()


def test_of_trees_no_time_is_computed() -> None:
    table = {
        "task.kind": "classify",
        "data.modality": "tabular",
        "data.examples": 900,
        "data.inputs": 8,
        "task.outputs": 2,
    }
    (told,) = needs_of(outlook(table, machine="epyc-9654"))
    assert told.startswith("little time and memory beside a network")


def test_a_fact_without_which_its_time_is_not_known_is_asked_for() -> None:
    cluster = PICTURES | SIZED | {"cluster.nodes": 4, "machine.gpu.count": 8}
    *_, told = needs_of(outlook(cluster, machine="h100-sxm-80gb"))
    assert told.endswith("without cluster.network_bytes_per_second (How fast is the network of one machine?)")


def test_without_a_machine_its_time_needs_one() -> None:
    assert "its time is not known without a machine (--machine)" in needs_of(outlook(PICTURES | SIZED))


def there_is_room(plan: Plan) -> bool:
    return plan.recommendations["memory.strategy"].value not in ("does_not_fit", "shard_states", "offload")


SLOW: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "many pictures on a processor": (PICTURES | SIZED | {"data.examples": 20_000_000}, {"machine": "epyc-9654"}),
    "little time": (PICTURES | SIZED | {"project.hours_available": 0.01}, {"machine": "epyc-9654"}),
    "from scratch": (
        PICTURES | {"data.inputs": 150_528, "data.examples": 2_000_000},
        {"machine": "epyc-9654"},
    ),
    "a language model": (TEXTS | {"data.examples": 5_000_000}, {"machine": "rtx-4090"}),
}


@pytest.mark.parametrize("name", SLOW)
def test_what_would_help_takes_as_long_as_its_own_plan_says(name: str) -> None:
    facts, named = SLOW[name]
    here = outlook(facts, **named)
    now = known_values(here.plan)
    assert here.remedies
    for remedy in here.remedies:
        words = remedy.arguments.split()
        machine = words[1] if words[0] == "--machine" else named["machine"]
        changed = dict(word.split("=") for word in words if "=" in word)
        assert there_is_room(planned(facts | changed, machine=machine)[1])
        there = known_values(planned(facts | changed, machine=machine)[1])
        assert (remedy.shortest, remedy.longest) == pytest.approx((there["time.shortest"], there["time.longest"]))
        assert remedy.longest < now["time.longest"]
    (told,) = (one for one in warnings_of(here.plan, here) if one.startswith("Slow here"))
    assert all(one.says in told for one in here.remedies)


def test_a_rented_card_is_no_help_to_those_who_have_stated_a_machine() -> None:
    facts = PICTURES | SIZED | {"data.examples": 20_000_000}
    stated = {"machine.gpu.count": 0, "machine.cpu.usable_cores": 4, "machine.memory_bytes": 16_000_000_000}
    assert not any("--machine" in one.arguments for one in outlook(facts | stated).remedies)
    assert any("--machine" in one.arguments for one in outlook(facts, machine="epyc-9654").remedies)


def test_a_card_on_which_nothing_fits_is_no_help() -> None:
    large = TEXTS | {
        "network.parameters": 70_000_000_000,
        "project.pretrained_allowed": False,
        "data.examples": 1_000_000,
    }
    assert not any("--machine l4" in one.arguments for one in outlook(large, machine="epyc-9654").remedies)


def test_a_network_that_main_memory_cannot_hold_is_told_of() -> None:
    large = {"network.parameters": 70_000_000_000, "machine.memory_bytes": 32_000_000_000, "machine.gpu.count": 0}
    writing = {
        "task.kind": "generate",
        "data.modality": "text",
        "data.examples": 1_000_000,
        "machine.cpu.usable_cores": 8,
    }
    for texts, said in ((TEXTS, "Nothing fits: "), (writing, "Not even main memory holds the states of training.")):
        session, plan = planned(writing | texts | large)
        (told,) = warnings_of(plan, outlook_of(session.inputs, plan))
        assert told.startswith(said)


def test_sizes_of_data_that_are_there_are_not_to_be_changed(tmp_path: Path) -> None:
    table = tmp_path / "texts.csv"
    said = ["good and long enough to be a text of words", "bad and just as long as the one before it"]
    table.write_text("text,label\n" + "".join(f"{said[n % 2]} {n},{n % 2}\n" for n in range(60_000)))
    here = outlook({"project.hours_available": 0.02}, data=table, target="label", machine="epyc-9654")
    assert not any("data." in one.arguments for one in here.remedies)


def test_a_remedy_takes_the_place_of_what_was_said() -> None:
    facts, named = SLOW["many pictures on a processor"]
    session, plan = planned(facts, **named)
    said = " ".join(f"--set {name}={value}" for name, value in facts.items())
    told = brief_of(
        plan, session.inputs.knowledge, f"{said} --machine epyc-9654", outlook=outlook_of(session.inputs, plan)
    )
    words = told.next[0][0].split()
    assert words[:2] == ["advisor", "recommend"]
    named_facts = [word.partition("=")[0] for word in words if "=" in word]
    assert len(named_facts) == len(set(named_facts))
    assert words.count("--machine") == 1


def test_a_published_network_has_the_weights_of_its_figures() -> None:
    _, plan = planned(PICTURES | SIZED, machine="epyc-9654")
    (line,) = (line for line in brief(plan).lines if line.label == "Network")
    size = known_values(plan)["network.size"]
    assert line.says.endswith(f" with {size / 1e6:.3g} million weights")


def test_one_of_a_thing_is_no_plural() -> None:
    assert title_of(planned(PICTURES | {"data.examples": 1})[1]).startswith("sort 1 picture into")
    assert "1 value each" in outlook({"task.kind": "forecast", "data.modality": "time_series"}).supposed


def test_what_is_quick_needs_no_help() -> None:
    assert outlook(PICTURES | SIZED, machine="h100-sxm-80gb").remedies == ()


def test_machines_that_wait_for_each_other_are_told() -> None:
    large = TEXTS | {"network.parameters": 70_000_000_000, "project.pretrained_allowed": False, "cluster.nodes": 4}
    slow = {"machine.gpu.count": 8, "cluster.network_bytes_per_second": 125_000_000}
    _, plan = planned(large | slow, machine="h100-sxm-80gb")
    assert any("slower than one alone would be" in told for told in warnings_of(plan, Outlook(plan)))


def test_what_was_measured_stands_first() -> None:
    plan = measured_plan()
    page = brief_page(brief_of(plan, small_knowledge()), Look())
    first = next(line for line in page.splitlines()[1:] if line.strip())
    assert first.startswith("  measured  Processor threads: ")


def test_commands_repeat_the_facts() -> None:
    _, plan = planned(PICTURES)
    commands = [command for command, _ in brief(plan, "--answers my.yaml").next]
    assert commands == ["advisor starter --answers my.yaml --output project"]
    assert [command for command, _ in brief(planned({})[1]).next] == ["advisor wizard"]


def test_the_questions_are_those_of_the_interview() -> None:
    _, plan = planned({"task.kind": "classify", "data.modality": "image"})
    assert plan.knowledge is not None
    asked = list(first_questions(plan))
    assert brief_of(plan, plan.knowledge, questions=first_questions(plan)).questions == tuple(asked[:3])
    assert asked[1] == ("task.outputs", "How many classes are there?"), "in the words of the conversation"
    names = [name for name, _ in asked]
    assert "project.pretrained_allowed" in names[:3]
    assert len(set(names)) == len(names)
    assert set(names) >= set(plan.questions)


def test_a_topic_without_a_value_has_none() -> None:
    _, plan = planned({"task.kind": "classify", "data.modality": "image"})
    assert plan.knowledge is not None
    entry = replace(plan.recommendations["network.init"], value=None, tied=("he", "lecun"))
    assert name_of(plan.knowledge, entry) == "He (Kaiming) or LeCun"


WRITING = {
    "task.kind": "generate",
    "data.modality": "text",
    "data.examples": 10_000,
    "project.pretrained_allowed": True,
}


def test_the_length_of_texts_that_nobody_stated_is_told_beside_the_time() -> None:
    assert outlook(WRITING, machine="rtx-4090").supposed == ("2,048 tokens each",)
    assert outlook(WRITING | {"data.sequence_length": 400}, machine="rtx-4090").supposed == ()


def test_a_published_language_model_is_asked_for_by_its_size_though_the_plan_names_one() -> None:
    _, plan = planned(WRITING, machine="rtx-4090")
    assert plan.value("network.model") == "smollm2-135m"
    assert next(first_questions(plan)) == ("network.parameters", "How large is the language model to be, in weights?")
    _, plan = planned(WRITING, machine="rtx-4090", model="llama-3.1-8b")
    assert "network.parameters" not in [name for name, _ in first_questions(plan)]
