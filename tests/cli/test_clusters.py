"""Clusters that were measured from this host, as `advisor profiles` and `advisor doctor` tell of them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from advisor.cli.commands.looking import doctor as looking
from advisor.cli.commands.options import Doctor
from advisor.cli.commands.profiles.options import ProfilesList, ProfilesShow
from advisor.cli.commands.profiles.showing import list_, show
from advisor.cli.options import PageFormat, PlainFormat
from advisor.cluster.profile import Finding, Kind, save
from advisor.errors import InputError
from advisor.machine.doctor.finding import Environment
from advisor.machine.machine import Machine
from advisor.machine.torch_view import TorchView
from tests.cluster.made import profile

SLOW = Finding(Kind.SLOW_LINK, (2, 3), 2.0, "The link of node b takes 2.00 times as long.")


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A host that has measured a cluster with a slow link, and keeps it under this name."""
    monkeypatch.setenv("ADVISOR_STATE", str(tmp_path))
    return save(replace(profile(), findings=(SLOW,)), "lab")


def test_it_stands_in_the_list_of_profiles(lab: Path, capsys: pytest.CaptureFixture[str]) -> None:
    list_(ProfilesList())
    page = " ".join(capsys.readouterr().out.split())
    assert "lab 2 nodes, 4 ranks on cpu, by gloo, torch 2.13; measured on 2030-01-02; slow parts: 1" in page
    list_(ProfilesList(PlainFormat.JSON))
    (entry,) = (one for one in json.loads(capsys.readouterr().out) if one["kind"] == "cluster")
    assert (entry["name"], entry["nodes"], entry["ranks"], entry["findings"]) == ("lab", 2, 4, [SLOW.says])


@pytest.mark.parametrize("by_name", [True, False], ids=["name", "file"])
def test_its_page_is_shown(lab: Path, capsys: pytest.CaptureFixture[str], by_name: bool) -> None:
    named = "lab" if by_name else str(lab)
    show(ProfilesShow(named))
    assert capsys.readouterr().out.startswith("Cluster: 2 nodes, 4 ranks on cpu, by gloo, torch 2.13, 2030-01-02")
    show(ProfilesShow(named, PageFormat.JSON))
    assert json.loads(capsys.readouterr().out) == json.loads(lab.read_text())
    with pytest.raises(InputError, match="There is no such page"):
        show(ProfilesShow(named, PageFormat.HTML))


def test_the_doctor_warns_of_what_is_slow_in_it(
    lab: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(looking, "detect", Machine)
    monkeypatch.setattr(looking, "ask_torch", lambda: TorchView(version="2.13.0"))
    monkeypatch.setattr(looking, "_examine", lambda machine, data: (machine, Environment()))
    looking.doctor(Doctor(format_=PlainFormat.JSON))
    found = [one for one in json.loads(capsys.readouterr().out)["findings"] if one["name"].startswith("cluster.")]
    assert [(one["name"], one["severity"]) for one in found] == [("cluster.slow-link", "warning")]
    assert found[0]["what"] == f"{SLOW.says} It was measured on 2 nodes on 2030-01-02."
