"""What other programs rely on: exit codes, the shape of the JSON, data on stdout only."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from advisor.resources import device_files

from .program import advisor, refused

PICTURES = ["--set", "task.kind=classify", "--set", "data.modality=image", "--set", "data.examples=50k"]
NOWHERE = ["--machine", "none"]


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    path = tmp_path / "pictures.yaml"
    path.write_text("task.kind: classify\ndata.modality: image\ndata.examples: 50k\n")
    return path


def plan(*arguments: str | Path) -> dict[str, Any]:
    done = advisor("recommend", *arguments, "--format", "json")
    assert (done.code, done.err) == (0, "")
    document: dict[str, Any] = json.loads(done.out)
    return document


def test_a_plan_as_json_has_the_shape_that_others_rely_on() -> None:
    document = plan(*PICTURES, *NOWHERE)
    assert (document["schema"], document["school"]) == ("advisor/plan/1", "today")
    assert document["facts"]["data.modality"] == {"value": "image", "source": "asked"}
    assert document["facts"]["data.examples"]["value"] == 50_000
    entry = document["recommendations"]["network.type"]
    assert entry["value"] == "cnn"
    assert entry["status"] in ("settled", "leaning", "open", "measured")
    assert {"confidence_notes", "because", "alternatives", "flips", "actions", "measured"} <= set(entry)
    assert {"rule", "text", "sources", "school"} <= set(entry["because"][0])
    assert {"value", "why_not"} <= set(entry["alternatives"][0])
    assert {"fact", "to", "then"} <= set(entry["flips"][0])
    assert all(isinstance(name, str) for name in [*document["questions"], *document["probes"]])


def test_answers_flags_and_detection_come_together(answers: Path) -> None:
    facts = plan("--answers", answers, "--set", "data.examples=7k")["facts"]
    assert facts["data.examples"]["value"] == 7_000
    assert facts["machine.cpu.usable_cores"]["source"] == "detected"


def test_without_a_machine_nothing_is_detected(answers: Path) -> None:
    facts = plan("--answers", answers, *NOWHERE)["facts"]
    assert "detected" not in {fact["source"] for fact in facts.values()}
    assert "machine.cpu.usable_cores" not in facts


def test_a_device_stands_for_a_machine_that_has_it(answers: Path) -> None:
    facts = plan("--answers", answers, "--machine", "rtx-4090")["facts"]
    assert facts["machine.gpu.count"] == {"value": 1, "source": "published", "note": "profile rtx-4090"}
    assert facts["machine.gpu.backend"]["value"] == "cuda"
    assert "machine.gpu.memory_bytes" in facts


def test_a_file_of_facts_stands_for_a_machine_and_a_flag_overrules_it(answers: Path, tmp_path: Path) -> None:
    machine = tmp_path / "machine.yaml"
    machine.write_text("machine.gpu.count: 8\nmachine.memory_bytes: 64 GiB\n")
    facts = plan("--answers", answers, "--machine", machine, "--set", "machine.gpu.count=2")["facts"]
    assert facts["machine.gpu.count"]["value"] == 2
    assert facts["machine.memory_bytes"]["value"] == 64 * 2**30


def test_the_survey_is_a_school_of_its_own(answers: Path) -> None:
    document = plan("--answers", answers, *NOWHERE, "--school", "survey")
    assert document["school"] == "survey"
    assert {reason["school"] for reason in document["recommendations"]["network.type"]["because"]} <= {"survey", "any"}


def test_setting_a_listed_flip_gives_what_it_promises() -> None:
    flips = plan(*PICTURES, *NOWHERE)["recommendations"]["network.type"]["flips"]
    for flip in flips[:2]:
        kept = [text for text in PICTURES[1::2] if not text.startswith(f"{flip['fact']}=")]
        sets = [part for text in [*kept, f"{flip['fact']}={flip['to']}"] for part in ("--set", text)]
        changed = plan(*sets, *NOWHERE)
        assert changed["recommendations"]["network.type"]["value"] == flip["then"]


def test_a_pack_of_rules_lies_on_top_and_is_named(tmp_path: Path) -> None:
    pack = tmp_path / "house"
    pack.mkdir()
    (pack / "house.yaml").write_text(
        "- {id: storage.house, topic: storage, school: any, value: network, because: House rule., sources: [judgement],\n"
        "   verified: no, actions: ['mount /house']}\n"
    )
    entry = plan(*PICTURES, *NOWHERE, "--rules", pack)["recommendations"]["storage"]
    assert entry["value"] == "network"
    assert (entry["because"][0]["rule"], entry["because"][0]["origin"]) == ("storage.house", str(pack))
    assert entry["actions"][-1].startswith("mount /house")
    assert str(pack) in entry["actions"][-1]
    assert "from the rule pack" in advisor("recommend", *PICTURES, *NOWHERE, "--all", "--rules", pack).out


def test_text_and_markdown_hold_the_same_advice(answers: Path) -> None:
    text = advisor("recommend", "--answers", answers, *NOWHERE, "--all")
    markdown = advisor("recommend", "--answers", answers, *NOWHERE, "--format", "markdown")
    assert (text.code, markdown.code, text.err, markdown.err) == (0, 0, "", "")
    assert "Network type: cnn (convolutional network)" in text.out
    assert "| Network type | cnn (convolutional network) |" in markdown.out


def without_commands(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith("  advisor ")]


def test_a_saved_plan_gives_the_same_report(answers: Path, tmp_path: Path) -> None:
    saved = tmp_path / "plan.json"
    assert advisor("recommend", "--answers", answers, "--format", "json", "--output", saved).out == ""
    direct = advisor("recommend", "--answers", answers, "--all")
    again = advisor("report", "--plan", saved, "--format", "text")
    assert (again.code, without_commands(again.out)) == (0, without_commands(direct.out))
    assert (
        "advisor explain network.type --set task.kind=classify " in again.out
    )  # of a saved plan the file is not known
    report = advisor("report", "--plan", saved)
    assert report.out.startswith("# Advice: classify, image\n")
    rewritten = advisor("report", "--plan", saved, "--format", "json")
    assert json.loads(rewritten.out) == json.loads(saved.read_text(encoding="utf-8"))


def test_explaining_tells_why_and_why_not(answers: Path) -> None:
    tree = advisor("explain", "network.type", "--answers", answers, "--why-not", "ffn")
    assert tree.code == 0
    assert "Network type (network.type): cnn" in tree.out
    assert "data.modality = image (stated)" in tree.out
    document = json.loads(advisor("explain", "network.type", "--answers", answers, "--format", "json").out)
    assert (document["schema"], document["topic"], document["value"]) == (
        "advisor/explanation/1",
        "network.type",
        "cnn",
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["explain", "network.typ"], "Did you mean network.type?"),
        (["explain", "data.modality"], "is a fact that you can state, not a topic"),
        (["explain", "network.type", "--why-not", "cn"], "Did you mean cnn?"),
        (["explain"], "Missing argument 'TOPIC'"),
        (["glossary", "modalty"], "Did you mean modality?"),
        (["profiles", "show", "rtx-409"], "Did you mean rtx-4090?"),
        (["report"], "Missing option '--plan'"),
        (["recommend", "--format", "html2"], "is not one of 'text', 'json', 'markdown'"),
        (["recommend", "--school", "old"], "is not one of 'today', 'survey'"),
        (["recommend", "--machine", "rtx-409"], "Did you mean rtx-4090?"),
        (["recommend", "--machine", "a100"], "a100-pcie-40gb, a100-pcie-80gb, a100-sxm-40gb or a100-sxm-80gb?"),
        (["recommend", "--machine", "x" * 5000], "neither a device nor a file"),
        (["recommend", "--answer", "x"], "No such option: --answer"),
        (["recomend"], "No such command 'recomend'"),
    ],
)
@pytest.mark.some(4)
def test_wrong_usage_is_one_message_with_a_remedy(arguments: list[str], said: str) -> None:
    assert said in refused(*arguments)


def test_two_sets_of_answers_are_compared(answers: Path, tmp_path: Path) -> None:
    other = tmp_path / "texts.yaml"
    other.write_text("task.kind: classify\ndata.modality: text\ndata.examples: 50k\n")
    done = advisor("compare", answers, other, *NOWHERE, "--format", "json")
    document = json.loads(done.out)
    assert [entry["fact"] for entry in document["facts"]][:1] == ["data.modality"]
    assert "network.type" in [entry["topic"] for entry in document["topics"]]
    text = advisor("compare", answers, other, *NOWHERE)
    assert (text.code, "ADVICE THAT DIFFERS" in text.out) == (0, True)
    assert "all facts are the same" in advisor("compare", answers, answers, *NOWHERE).out.casefold()


def test_problems_of_both_files_to_compare_are_told_at_once(answers: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text("data.modalty: image\n")
    said = refused("compare", wrong, tmp_path / "none.yaml")
    assert "Did you mean data.modality?" in said
    assert "none.yaml" in said


def test_devices_and_glossary_can_be_listed() -> None:
    devices = json.loads(advisor("profiles", "list", "--format", "json").out)
    assert {"rtx-4090", "xeon-8480"} <= {device["name"] for device in devices}
    device = json.loads(advisor("profiles", "show", "rtx-4090", "--format", "json").out)
    assert device["figures"]["memory_bytes"]["unit"] == "bytes"
    assert "memory" in advisor("profiles", "show", "rtx-4090").out.casefold()
    glossary = json.loads(advisor("glossary", "--format", "json").out)
    assert {"name", "question", "help", "unit", "choices"} <= set(glossary["facts"][0])
    assert "lstm is a value of network.type." in advisor("glossary", "lstm").out


def test_without_a_terminal_the_bare_command_names_the_others_and_exits_2() -> None:
    said = refused()
    assert "advisor recommend --answers FILE" in said
    assert "advisor wizard --plain" in said


def test_the_version_is_printed() -> None:
    from advisor import __version__

    assert advisor("--version").out == f"advisor {__version__}\n"


@pytest.mark.parametrize(
    "command", ["", "wizard", "recommend", "explain", "compare", "glossary", "report", "probe", "rules", "profiles"]
)
def test_every_command_has_help(command: str) -> None:
    done = advisor(*command.split(), "--help")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"Usage: advisor {command}".rstrip())


def devices(beginning: str) -> list[str]:
    """The devices of the profiles whose names begin so; there is one at least."""
    found = sorted(path.stem for path in device_files() if path.stem.startswith(beginning))
    assert found
    return found


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("explain network.ty", ["network.type"]),
        ("explain network.type --why-not cn", ["cnn"]),
        ("recommend --set data.modalit", ["data.modality="]),
        ("recommend --set data.modality=im", ["data.modality=image"]),
        ("recommend --machine rtx-40", devices("rtx-40")),
        ("compare a b --machine no", ["none"]),
        ("profiles show h200", devices("h200")),
        ("glossary task.ki", ["task.kind"]),
        ("rules show network.type.visual-c", ["network.type.visual-cnn"]),
    ],
)
def test_the_shell_completes_names(words: str, offered: list[str]) -> None:
    line = f"advisor {words}"
    wanted = {"_ADVISOR_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(line.split()) - 1)}
    assert advisor(env=wanted).out.split() == offered


def test_all_cards_are_those_of_all_machines() -> None:
    sets = ["cluster.nodes=1", "machine.gpu.count=1", "cluster.gpus=64"]
    done = advisor("recommend", "--machine", "none", *(part for one in sets for part in ("--set", one)))
    assert done.code == 2
    assert "cannot all be true" in done.err


def test_a_plan_is_the_same_in_every_process() -> None:
    """Sets of names come in another order in each, which must not show."""
    facts = ["--set", "task.kind=classify", "--set", "data.modality=tree", "--set", "data.examples=10k"]
    found = {
        advisor("recommend", *facts, *NOWHERE, "--format", "json", env={"PYTHONHASHSEED": seed}).out
        for seed in ("0", "1", "2")
    }
    assert len(found) == 1
