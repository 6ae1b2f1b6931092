"""The document that a measurement leaves, and what others take from it."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from advisor.cluster.profile import SCHEMA, Finding, Group, Kind, Node, Timed, is_name, kept, read, remembered, save
from advisor.errors import InputError
from advisor.machine.state import NothingSavedError
from advisor.plain import json_text
from advisor.simulation.exchange import ring
from advisor.simulation.scenario import Link
from tests.cluster.made import all_reduce, profile


def written(folder: Path, document: object) -> Path:
    path = folder / "cluster.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    return path


def test_what_is_written_is_read(tmp_path: Path) -> None:
    made = replace(profile(), findings=(Finding(Kind.SLOW_RANK, (3,), 1.4, "Rank 3 (node b) takes longer."),))
    path = written(tmp_path, json_text(made.to_json()))
    assert json.loads(path.read_text())["schema"] == SCHEMA == "advisor/cluster/1"
    assert read(path) == made


def test_what_was_measured_last_is_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADVISOR_STATE", str(tmp_path))
    with pytest.raises(NothingSavedError):
        remembered()
    save(profile())
    assert remembered() == profile()


@pytest.mark.parametrize("ranks", [2, 5])
def test_a_ring_over_its_link_takes_as_long_as_was_measured(ranks: int) -> None:
    measured = all_reduce(Group.ALL, ranks, 6e-3, 5e6)
    latency, rate = measured.ring_link()
    assert ring(ranks, 10_000_000, Link(rate, latency)).seconds == pytest.approx(6e-3 + 10_000_000 / 5e6)


def test_a_group_that_was_not_measured_has_the_link_of_all() -> None:
    made = profile()
    assert made.link(Group.INSIDE) == (0.5e-4, 1e9)
    only_all = replace(made, collectives=made.collectives[2:])
    assert only_all.link(Group.ACROSS) == only_all.link(Group.ALL) == (1e-3, 7.5e6)
    with pytest.raises(InputError, match="it has no all-reduce"):
        replace(made, collectives=()).link()


def test_training_steps_count_before_matrix_products() -> None:
    made = profile()
    assert made.step_samples()[3] == (0.1, 0.2, 0.3)
    stepped = replace(made, ranks=tuple(replace(rank, steps=Timed((1.0,))) for rank in made.ranks))
    assert stepped.step_samples()[3] == (1.0,)


@pytest.mark.parametrize(
    ("document", "told"),
    [
        ("no json", "is damaged"),
        ("[]", "its schema is not advisor/cluster/1"),
        ({"schema": "advisor/cluster/2"}, "advisor/cluster/2 is of a newer version of this program"),
        ({"schema": SCHEMA}, "is missing"),
        ({**profile().to_json(), "ranks": 7}, "it.ranks: a list is expected"),
        ({**profile().to_json(), "pairs": [{**profile().to_json()["pairs"][0], "there": 0}]}, "0.0 is not above 0"),
        (
            {**profile().to_json(), "collectives": [{**profile().to_json()["collectives"][0], "ranks": 1}]},
            "1 ranks exch",
        ),
        ({**profile().to_json(), "pairs": [{**profile().to_json()["pairs"][0], "group": "around"}]}, "one of inside"),
        (json.dumps(profile().to_json()).replace("0.002", "NaN"), "is damaged"),
        ({**profile().to_json(), "date": "yesterday"}, "'yesterday' is no date"),
        ({**profile().to_json(), "nodes": []}, "there is a node without ranks, or none at all"),
        ({**profile().to_json(), "nodes": [{"name": "a", "ranks": [0, 1]}]}, "do not have each of its ranks once"),
        (json.dumps(profile().to_json()).replace("0.3", "0"), "0.0 is not above 0"),
    ],
)
def test_what_is_no_profile_is_refused_with_the_place(tmp_path: Path, document: object, told: str) -> None:
    path = written(tmp_path, document)
    with pytest.raises(InputError) as error:
        read(path)
    assert error.value.title == "The cluster's profile cannot be read"
    assert told in str(error.value)
    assert "cluster.json" in str(error.value)


def test_clusters_are_kept_by_name_and_one_that_is_damaged_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ADVISOR_STATE", str(tmp_path))
    assert kept() == ({}, [])
    save(profile(), "lab")
    (save(profile()).parent / "old.json").write_text('{"schema": "advisor/cluster/0"}')
    found, problems = kept()
    assert found == {"cluster": profile(), "lab": profile()}
    assert "old.json" in str(problems[0])


@pytest.mark.parametrize(("name", "good"), [("lab", True), ("a100-8x.2", True), ("auto", False), ("../x", False)])
def test_a_name_is_a_plain_word_that_stands_for_nothing_else(name: str, good: bool) -> None:
    assert is_name(name) is good


def test_the_network_is_what_lies_between_nodes() -> None:
    made = profile()
    assert made.network() == 1e7
    assert replace(made, collectives=made.collectives[2:]).network() == 7.5e6
    assert replace(made, collectives=made.collectives[:1]).network() is None
    assert replace(made, nodes=(Node("a", (0, 1, 2, 3)),)).network() is None


def test_a_file_that_is_not_there_is_told() -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read(Path("/nowhere/cluster.json"))
