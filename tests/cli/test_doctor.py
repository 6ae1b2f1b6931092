"""`advisor doctor`: the page, the JSON, and what it does with bad input and a torch that is not there."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from advisor.machine.doctor.doctor import Environment, findings
from advisor.machine.torch_view import TorchDevice, TorchView
from advisor.report.machine.doctor import doctor_page
from advisor.report.page import Look

from ..machine.cards import DESKTOP, DESKTOP_DRIVER, H100, NVSWITCH
from ..machine.recorded import examined_machine
from ..machine.recorded_nvml import recorded_nvml
from .program import advisor, refused

NARROW = examined_machine(
    "desktop-narrow-link", ["/home"], threads_by_affinity=12, driver=recorded_nvml(DESKTOP, driver=DESKTOP_DRIVER)
)
NODE = examined_machine("eight-gpu-node", threads_by_affinity=8, driver=recorded_nvml(*[H100] * 8, driver=NVSWITCH))
CPU_BUILD = TorchView(version="2.9.0+cpu", architecture="x86_64", threads=6, interop_threads=6, mkl=True, openmp=True)
CUDA_BUILD = TorchView(
    version="2.9.0+cu128",
    cuda="12.8",
    architectures=("sm_80", "sm_90"),
    gpu_available=True,
    devices=(TorchDevice("NVIDIA H100 80GB HBM3", 9.0, 85 * 10**9),) * 8,
    threads=4,
)


def page(machine: object, view: TorchView, look: Look = Look()) -> str:  # noqa: B008  a constant
    assert machine in (NARROW, NODE)
    chosen = NARROW if machine is NARROW else NODE
    return doctor_page(chosen, view, findings(chosen, view, Environment()), look)


def test_the_page_tells_the_machine_then_torch_then_findings_with_remedies() -> None:
    text = page(NARROW, CPU_BUILD)
    places = [
        text.index(part)
        for part in (
            "THIS MACHINE",
            "NVIDIA GeForce RTX 4060 Ti, 16 GiB",
            "WHAT PYTORCH SEES",
            "built for processors only",
            "PROBLEMS",
            "PyTorch cannot use the GPU: it is the wrong build",
            "python -m pip install torch",
            "WARNINGS",
            "is used by other programs",
            "NOTES",
        )
    ]
    assert places == sorted(places)


def test_a_machine_in_order_is_told_so() -> None:
    text = page(NODE, CUDA_BUILD)
    assert text.endswith("Nothing disagrees.\n")
    assert "by NVLink" in text
    assert "GPU 0 to 7" in text
    assert "WARNINGS" not in text


@pytest.mark.parametrize("width", [24, 80, 200])
def test_lines_fit_and_are_plain_without_colour(width: int) -> None:
    text = page(NARROW, CPU_BUILD, Look(width=width, unicode=False))
    commands = [line for line in text.splitlines() if line.startswith("    ")]
    lines = [line for line in text.splitlines() if line not in commands]
    assert max(map(len, lines)) <= min(width, 100)
    assert "\x1b" not in text
    assert text.isascii()


def test_colour_adds_nothing_but_colour() -> None:
    coloured = page(NARROW, CPU_BUILD, Look(colour=True))
    assert "\x1b[31m" in coloured
    import re

    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == page(NARROW, CPU_BUILD)


def test_names_from_drivers_cannot_take_over_the_terminal() -> None:
    assert NARROW.gpus is not None
    strange = replace(NARROW, gpus=(replace(NARROW.gpus[0], name="Card\x1b[2J\u202e"),))
    text = doctor_page(strange, CPU_BUILD, findings(strange, CPU_BUILD, Environment()), Look())
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_the_command_examines_this_machine() -> None:
    done = advisor("doctor", "--format", "json", "--data", Path(__file__).parent)
    assert done.code == 0, done.err
    answer = json.loads(done.out)
    assert answer["schema"] == "advisor/doctor/1"
    assert answer["machine"]["logical_cores"] >= 1
    assert answer["torch"]["version"]
    assert [disk["folder"] for disk in answer["machine"]["disks"]][-1] == str(Path(__file__).parent)
    for finding in answer["findings"]:
        assert set(finding) == {"name", "severity", "title", "what", "remedy", "commands"}


def test_a_torch_that_cannot_be_imported_is_a_finding_and_a_failure(tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text("raise RuntimeError('damaged on purpose')\n")
    done = advisor("doctor", env={"PYTHONPATH": str(tmp_path)})
    assert done.code == 1
    assert "THIS MACHINE" in done.out
    assert "PyTorch cannot be asked" in done.out
    assert "damaged on purpose" in done.out


def test_a_state_folder_that_cannot_be_made_is_a_finding(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "torch.py").write_text("raise ImportError('not needed here')\n")
    done = advisor("doctor", env={"ADVISOR_STATE": str(tmp_path / "file/state"), "PYTHONPATH": str(tmp_path)})
    assert "The advisor cannot remember what it measures" in done.out


@pytest.mark.parametrize("path", ["/no/such/data", "a" * 5000])
def test_data_that_are_not_there_are_refused(path: str) -> None:
    assert "There are no such data" in refused("doctor", "--data", path)


def test_what_to_do_about_a_state_folder_that_cannot_be_written_is_said_once(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    said = " ".join(advisor("doctor", env={"ADVISOR_STATE": str(blocked)}).out.split())
    assert "The advisor cannot remember what it measures" in said
    assert f"{blocked}/" in said.replace(" /", "/")
    assert said.count("Name a folder that can be written") == 1
