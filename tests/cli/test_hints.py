"""Every command that a command proposes is run in the situation in which it was proposed: it works, and plans for the same."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy
import pytest

from advisor.cli.app import COMMANDS
from tests.cli.program import Finished, keep_standards
from tests.cli.program import advisor as program
from tests.cli.test_try import written

PICTURES = "--set task.kind=classify --set data.modality=image"
SITUATIONS = {
    "no facts": "recommend",
    "two facts": f"recommend {PICTURES}",
    "two facts, and all of the plan": f"recommend {PICTURES} --all",
    "a machine elsewhere": f"recommend {PICTURES} --set data.examples=50000 --machine l4",
    "a file of answers": "recommend my.yaml",
    "a file of answers, and all of the plan": "recommend my.yaml --all",
    "a report on the plan": "recommend my.yaml --format markdown",
    "slow": "recommend my.yaml --set project.hours_available=0.1 --machine epyc-9654",
    "an empty file": "recommend empty.yaml",
    "a table": "recommend wine.csv --target kind",
    "a table, and all of the plan": "recommend wine.csv --target kind --all",
    "a language model to adapt": (
        "recommend --set task.kind=generate --set data.modality=text --set data.examples=5000 --model llama-3.1-8b "
        "--machine rtx-4090"
    ),
    "a language model that fits nowhere": (
        "recommend --set task.kind=generate --set data.modality=text --set network.parameters=70000000000 --machine rtx-4090"
    ),
    "a cluster": f"recommend {PICTURES} --set cluster.nodes=4 --set machine.gpu.count=8 --machine h100-sxm-80gb",
    "a series": "recommend --set task.kind=forecast --set data.modality=time_series --machine none",
    "a machine that is not named, and all of the plan": f"recommend {PICTURES} --machine none --all",
    "a question": "explain network.type my.yaml",
    "a number": "explain time.epoch my.yaml",
    "data without a target": "inspect wine.csv",
    "data with a target": "inspect wine.csv --target kind",
    "a plan that was saved": "report plan.json",
    "a plan for a machine elsewhere that was saved": "report elsewhere.json",
    "two plans": "compare my.yaml --what-if data.examples=100",
    "a project": "starter my.yaml --output made",
    "a project that fits nowhere": (
        "starter --set task.kind=generate --set data.modality=text --set network.parameters=70G --set machine.memory_bytes=256G "
        "--set project.pretrained_allowed=no --machine rtx-4090 --output no"
    ),
    "a project that plans anew": (
        "starter --set task.kind=detect_anomalies --set data.modality=audio --set data.inputs=160000 "
        "--set data.sequence_length=160000 --set data.examples=2000 --set project.pretrained_allowed=yes "
        "--machine none --output anew"
    ),
    "a trial of several labels": "try labels.npz --set task.kind=classify --set project.priority=time",
    "claims": "rules trial",
    "claims of two facts": f"rules trial {PICTURES}",
    "claims of a machine elsewhere": f"rules trial {PICTURES} --machine l4",
    "claims of data": "rules trial wine.csv --target kind --set project.priority=time",
    "this machine": "doctor",
    "machines": "profiles list",
    "networks": "models list",
    "a network that there is not": "models show resnet",
    "a machine that there is not": "recommend --machine x",
    "a word that there is not": "glossary qqq",
    "words": "glossary",
    "a fact that there is not": "recommend --set a=1",
    "help": "help answers",
    "no terminal": "wizard",
}
TOLD = {"--answers", "--for", "--set", "--data", "--target", "--model", "--input", "--machine", "--school", "--rules"}
"""Options that tell facts."""
MEASURING = ("probe", "try", "bench", "sync", "simulate")
PLANNING = ("wizard", "recommend", "starter", "explain", *MEASURING)
TEMPLATE = re.compile(r"\b[A-Z]{3,}\b|[a-z]+/( |$)|table\.csv")
"""A word to be replaced, and the folders and files of examples in the help."""


@cache
def asked(folder: Path, *words: str) -> Finished:
    """What a command says in that folder: it is run once, however many tests look at it."""
    return advisor(*words, cwd=folder)


def advisor(*arguments: str | Path, cwd: Path) -> Finished:
    """Runs with a memory of its own: what these conversations leave there is no other test's."""
    keep_standards(cwd / "state")
    return program(*arguments, cwd=cwd, env={"ADVISOR_STATE": str(cwd / "state")})


def proposed(said: Finished) -> list[list[str]]:
    """The commands in a text, each as its words: lines of their own and those between backticks."""
    text = f"{said.out}\n{said.err}"
    alone = [line.split("  #")[0].strip() for line in text.splitlines() if re.match(r"\s+advisor [a-z]", line)]
    within = re.findall(r"`(advisor [^`]+)`", " ".join(text.split()))
    found = [re.split(r"\s{2,}", command)[0] for command in (*alone, *within)]
    return [shlex.split(command)[1:] for command in dict.fromkeys(found) if not TEMPLATE.search(command)]


def told(words: list[str]) -> list[str]:
    """Of a command the words that tell facts, with files that stand alone among them."""
    alone = [word for word in words[1:] if Path(word).suffix in (".yaml", ".csv", ".npz")]
    pairs = [pair for pair in pairwise(words) if pair[0] in TOLD]
    named = {value for _, value in pairs}
    return [*(word for word in alone if word not in named), *(word for pair in pairs for word in pair)]


def facts(folder: Path, words: list[str]) -> dict[str, object]:
    """What a plan of these words would rest on, but for what is assumed."""
    done = asked(folder, "recommend", *words, "--format", "json")
    assert done.code == 0, (words, done.err)
    found = json.loads(done.out)["facts"]
    return {name: fact["value"] for name, fact in found.items() if fact["source"] != "assumed"}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hints")
    written(folder)
    (folder / "my.yaml").write_text("task.kind: classify\ndata.modality: image\ndata.examples: 50k\ntask.outputs: 10\n")
    (folder / "empty.yaml").write_text("")
    numbers = numpy.random.default_rng(0).normal(size=(60, 5))
    numpy.savez(folder / "labels.npz", x=numbers, y=(numbers[:, :4] > 0).astype(int))
    assert advisor("recommend", "my.yaml", "--output", "plan.json", cwd=folder).code == 0
    assert advisor("recommend", "my.yaml", "--machine", "l4", "--output", "elsewhere.json", cwd=folder).code == 0
    return folder


def commands(folder: Path, name: str) -> Iterator[list[str]]:
    said = asked(folder, *shlex.split(SITUATIONS[name]))
    assert "Traceback" not in said.err
    yield from proposed(said)


@pytest.mark.parametrize("name", SITUATIONS)
@pytest.mark.some(10)
def test_what_is_proposed_works(name: str, place: Path, tmp_path: Path) -> None:
    for words in commands(place, name):
        if words[0] in MEASURING and words[1:2] != ["list"]:
            words = [*words, "--help"]
        if words[0] == "wizard":
            words = [*words, *([] if "--plain" in words else ["--plain"])]
        if "--output" in words:
            words[words.index("--output") + 1] = str(tmp_path / "project")
        done = advisor(*words, cwd=place)
        assert done.code == 0, (words, done.err)
        assert words[0] in {command.split()[0] for command in COMMANDS}


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, command in SITUATIONS.items()
        if command.startswith(("recommend ", "starter ", "try ", "rules trial "))
    ],
)
@pytest.mark.some(5)
def test_what_is_proposed_plans_for_the_same_facts(name: str, place: Path) -> None:
    situation = told(shlex.split(SITUATIONS[name]))
    if "empty.yaml" in situation or "x" in situation or "a=1" in situation:
        return
    known = facts(place, situation)
    for words in commands(place, name):
        if words[0] not in PLANNING or (words[0] == "starter" and "--plan" in words):
            continue
        again = facts(place, told(words))
        if words[0] == "recommend":  # which proposes to change one of them, or the machine
            other = {fact for fact in known if known[fact] != again.get(fact)}
            if "network.parameters" not in SITUATIONS[name]:
                other = {fact for fact in other if not fact.startswith("network.")}  # counts of another network
            assert len(other) <= 1 or all(fact.startswith(("machine.", "cluster.")) for fact in other), (words, other)
        elif (
            words[0] == "probe" and "--machine" in situation and "--machine" not in words
        ):  # it is typed on the machine that the plan is for
            assert of_no_machine(again) == of_no_machine(known), words
        else:
            assert again == known, words


def of_no_machine(facts: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in facts.items() if not name.startswith(("machine.", "cluster."))}


@pytest.mark.parametrize(
    "made",
    [
        "my.yaml",
        "my.yaml --machine l4",
        "my.yaml --school survey",
        "wine.csv --target kind",
    ],
)
def test_of_a_saved_plan_commands_plan_for_the_same_facts(made: str, place: Path, tmp_path: Path) -> None:
    saved = tmp_path / "made.json"
    assert advisor("recommend", *made.split(), "--output", saved, cwd=place).code == 0
    said = advisor("report", saved, "--format", "text", cwd=place)
    found = [words for words in proposed(said) if words[0] in PLANNING]
    assert found
    for words in found:
        again, known = facts(place, told(words)), facts(place, made.split())
        if words[0] == "probe" and "--machine" in made:  # that is typed on the other machine
            known = of_no_machine(known)
        assert {name: again.get(name) for name in known} == known, words
        assert ("--school" in words) == ("--school" in made)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["two facts", pytest.param("a table", marks=pytest.mark.thorough)])
def test_what_is_proposed_measures(name: str, place: Path) -> None:
    found = [words for words in commands(place, name) if words[0] in MEASURING]
    assert found
    for words in found:
        for budget in (
            "20s",
            "2min",
        ):  # the second where other programs leave too little of the first to settle anything
            done = advisor(*words, "--budget", "12s" if words[0] == "try" else budget, cwd=place)
            if done.code == 0:
                break
        assert done.code == 0, (words, done.err)
