"""`advisor profiles`: devices and measured machines, listed, shown, compared, exported and refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from advisor.agent.remembered.memory import remember

from ..agent.profiles_made import MACHINE, compared
from .program import advisor, refused


@pytest.fixture
def env(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """A host on which nothing was measured yet."""
    monkeypatch.setenv("ADVISOR_STATE", str(tmp_path / "state"))
    return {"ADVISOR_STATE": str(tmp_path / "state")}


@pytest.fixture
def measured(env: dict[str, str]) -> dict[str, str]:
    """A host that was measured on two days under one name, and slower on the second."""
    remember(MACHINE, [compared(date="2026-11-20", rate=100.0), compared(date="2026-11-21", rate=50.0)], "lab")
    return env


def test_measured_machines_stand_below_the_devices(measured: dict[str, str]) -> None:
    out = advisor("profiles", "list", env=measured).out
    assert "rtx-4090" in out
    assert "2 measurements, the last on 2026-11-21" in " ".join(out.split())
    entries = json.loads(advisor("profiles", "list", "--format", "json", env=measured).out)
    assert [entry["name"] for entry in entries if entry["kind"] == "machine"] == ["lab"]


def test_without_a_name_the_machine_that_was_measured_last_is_shown(measured: dict[str, str]) -> None:
    for arguments in ([], ["this"], ["lab"]):
        assert advisor("profiles", "show", *arguments, env=measured).out.startswith("MACHINE lab")
    document = json.loads(advisor("profiles", "show", "--format", "json", env=measured).out)
    assert document["machine"]["cpu_model"] == "Made-up processor"
    assert [entry["probe"] for entry in document["compared"]] == ["threads"]


def test_the_path_and_nothing_else_is_on_stdout(measured: dict[str, str]) -> None:
    folder = Path(advisor("profiles", "path", env=measured).out.strip())
    kept = Path(advisor("profiles", "path", "lab", env=measured).out.strip())
    assert kept.parent == folder
    assert json.loads(kept.read_text())["name"] == "lab"
    assert Path(advisor("profiles", "path", "t4", env=measured).out.strip()).name == "t4.yaml"


@pytest.mark.parametrize("arguments", [[], ["lab"], ["lab", "--since", "2026-11-21"]])
def test_whether_this_machine_is_slower_than_it_was(measured: dict[str, str], arguments: list[str]) -> None:
    out = advisor("profiles", "compare", *arguments, env=measured).out
    assert out.startswith("Yes, it is slower than it was in 2 of 2 figures")


def test_an_exported_machine_is_compared_and_shown_from_its_file(measured: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "theirs.json"
    done = advisor("profiles", "export", "lab", "--anonymous", "--output", file, env=measured)
    assert (done.code, done.out) == (0, "")
    assert "exists" in refused("profiles", "export", "lab", "--output", file, env=measured)
    assert advisor("profiles", "show", file, env=measured).out.startswith("MACHINE anonymous")
    compared_ = json.loads(advisor("profiles", "compare", "lab", file, "--format", "json", env=measured).out)
    assert (compared_["counts"]["slower"], compared_["counts"]["faster"]) == (0, 0)
    assert compared_["same_machine"] is False


def test_an_export_without_a_file_is_json_on_stdout(measured: dict[str, str]) -> None:
    document = json.loads(advisor("profiles", "export", env=measured).out)
    assert document["schema"] == "advisor/machine-profile/1"
    assert len(document["outcomes"]) == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["show", "lav"], ["There is no such device or machine", "'lav'", "Did you mean lab?"]),
        (["show", "../etc"], ["There is no such device or machine", "'../etc'"]),
        (["show", "x" * 5000], ["There is no such device or machine"]),
        (["path", "lav"], ["There is no such machine", "Did you mean lab?"]),
        (["export", "t4"], ["'t4' is a device, of which nothing was measured here"]),
        (["compare", "lab", "t4"], ["'t4' is a device"]),
        (["compare", "lab", "--since", "soon"], ["This is no date", "--since", "2026-11-21"]),
        (["compare", "lab", "--since", "2030-01-01"], ["no two times", "2026-11-20 and 2026-11-21"]),
        (["compare", "lab", "lab", "--since", "2026-11-21"], ["do not go together", "--since"]),
    ],
    ids=lambda value: " ".join(value)[:40],
)
@pytest.mark.some(3)
def test_what_cannot_be_found_is_said_with_its_remedy(
    measured: dict[str, str], arguments: list[str], said: list[str]
) -> None:
    message = refused("profiles", *arguments, env=measured)
    for words in said:
        assert words in message


def test_before_anything_was_measured_every_command_says_so(env: dict[str, str]) -> None:
    for command in ("show", "compare", "export"):
        assert "Measure it with `advisor probe`" in refused("profiles", command, env=env)
    assert "No machine has been measured on this host" in advisor("profiles", "list", env=env).out


@pytest.mark.parametrize("command", ["show", "compare", "export"])
def test_a_damaged_profile_is_named_by_every_command_that_wants_the_newest(env: dict[str, str], command: str) -> None:
    file = Path(advisor("profiles", "path", env=env).out.strip()) / "last.json"
    file.write_text("{half a")
    first = refused("profiles", command, env=env)
    assert "What was measured on this host cannot be read" in first
    assert f"{file}: is damaged" in first
    assert "kept as last.json.corrupt. Measure again, or repair it." in first
    second = refused("profiles", command, env=env)
    assert "Nothing was measured on this host" in second
    assert f"{file}.corrupt: no machine profile is kept but this one, which is damaged" in second


@pytest.mark.parametrize("command", ["show", "compare", "export"])
def test_a_folder_that_cannot_be_made_is_named(env: dict[str, str], command: str) -> None:
    Path(env["ADVISOR_STATE"]).write_text("a file where the folder should be", encoding="utf-8")
    message = refused("profiles", command, env=env)
    assert f"{env['ADVISOR_STATE']}/" in message
    assert "the folder cannot be created" in message
    assert "ADVISOR_STATE" in message
    assert "Nothing was measured" not in message


def test_with_one_day_only_measuring_again_is_offered(env: dict[str, str]) -> None:
    remember(MACHINE, [compared(date="2026-11-20")], "lab")
    message = refused("profiles", "compare", "lab", env=env)
    assert message.endswith("Measure again on another day with `advisor probe --save lab`.")


def test_the_day_that_the_remedy_names_can_be_compared(measured: dict[str, str]) -> None:
    message = refused("profiles", "compare", "lab", "--since", "2026-11-20", env=measured)
    assert "or name with --since a day after 2026-11-20 and not after 2026-11-21." in message
    assert advisor("profiles", "compare", "lab", "--since", "2026-11-21", env=measured).code == 0


def test_a_compute_capability_has_both_digits(env: dict[str, str]) -> None:
    for name, capability in (("b200-sxm", "10.0"), ("h100-pcie-80gb", "9.0"), ("a100-pcie-40gb", "8.0")):
        assert f"Compute capability: {capability}" in advisor("profiles", "show", name, env=env).out


def test_a_file_that_is_no_profile_is_refused_by_its_name(env: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "answers.json"
    file.write_text('{"task.kind": "classify"}')
    assert "answers.json: it is no machine profile of this program." in refused("profiles", "show", file, env=env)


def test_a_damaged_profile_is_a_warning_and_the_others_are_listed(measured: dict[str, str]) -> None:
    folder = Path(advisor("profiles", "path", env=measured).out.strip())
    (folder / "broken.json").write_text('{"schema": "advisor/machine-profile/1"}')
    done = advisor("profiles", "list", env=measured)
    assert done.code == 0
    assert "broken.json: its measurements are missing." in done.said
    assert "lab" in done.out
