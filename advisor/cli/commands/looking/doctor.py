"""`advisor doctor`: what this machine, its driver and its torch disagree on, and what is slow in a cluster measured from here."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import typer

from advisor.cli.commands.options import Doctor
from advisor.cli.console import FAILED, look, write, write_json
from advisor.cli.options import PlainFormat
from advisor.errors import input_error
from advisor.machine.detection.detection import detect, look_closer
from advisor.machine.doctor.doctor import VARIABLES, findings, worst_first
from advisor.machine.doctor.finding import Environment, Finding
from advisor.machine.machine import Machine
from advisor.machine.state import StateError, check_writable, state_folder
from advisor.probes.ask_torch import ask_torch
from advisor.report.machine.doctor import doctor_json, doctor_page

_SHARED_MEMORY = "/dev/shm"  # noqa: S108  it is only measured


def doctor(options: Doctor) -> None:
    data = options.data
    _check(data)
    machine, environment = _examine(detect(), data)
    view = ask_torch()
    found = worst_first([*findings(machine, view, environment), *_of_clusters()])
    if options.format_ is PlainFormat.JSON:
        write_json(doctor_json(machine, view, found))
    else:
        write(doctor_page(machine, view, found, look()))
    if view.error is not None:
        raise typer.Exit(FAILED)


def _of_clusters() -> Iterator[Finding]:
    """Everything that is slow in the clusters that this host keeps."""
    from advisor.agent.clusters import complaints  # 25 ms
    from advisor.cluster.profile import kept

    for profile in kept()[0].values():
        yield from complaints(profile)


def _check(data: Path | None) -> None:
    try:
        there = data is None or data.exists()
    except (OSError, ValueError):  # too long for a file name, or a null character in it
        there = False
    if not there:
        raise input_error("There are no such data", "nothing is there", where=str(data), remedy="Check the path.")


def _examine(machine: Machine, data: Path | None) -> tuple[Machine, Environment]:
    """A closer look at the machine, with the disks behind the folders that matter here."""
    state, problem = None, None
    try:
        state = str(state_folder())
        check_writable(Path(state))
    except StateError as error:
        problem = " ".join(f"{one.where}: {one.what}" for one in error.problems)
    shared = _SHARED_MEMORY if Path(_SHARED_MEMORY).is_dir() else None
    named = {"state": state, "shared_memory": shared, "data": None if data is None else str(data)}
    folders = {name: folder for name, folder in named.items() if folder is not None}
    machine = look_closer(machine, folders=list(folders.values()))
    disks = dict(zip(folders, machine.disks, strict=True))
    environment = Environment(
        variables={name: os.environ[name] for name in VARIABLES if name in os.environ},
        python=sys.executable,
        state=disks.get("state"),
        state_problem=problem,
        data=disks.get("data"),
        shared_memory=disks.get("shared_memory"),
    )
    return machine, environment
