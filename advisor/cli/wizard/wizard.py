"""`advisor wizard`: the conversation on a whole screen, or line by line on a terminal or through a pipe."""

from __future__ import annotations

import os
import shlex
import sys
from typing import Annotated

import typer

from advisor.cli.console import BAD_INPUT, interactive, panel, write
from advisor.cli.ending import end_interrupted
from advisor.cli.options import DataPath, MachineName, Packs, SchoolName, TargetColumn
from advisor.cli.wizard.ending import Ending
from advisor.cli.wizard.lines import say
from advisor.cli.wizard.plain import PlainFace, warn_of_notes
from advisor.facts.fact_base import Source
from advisor.facts.values import describe
from advisor.knowledge.model import School
from advisor.session.desk import Desk
from advisor.session.inputs import gather

EARLIER = (
    "There is an earlier conversation: `{command}` goes on with it. It stays until you answer something here; then it is kept "
    "as interview.previous.json, beside the new one."
)


def wizard(
    plain: Annotated[bool, typer.Option("--plain", help="Line by line, for pipes and screen readers.")] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the conversation saved last.")] = False,
    data: DataPath = None,
    target: TargetColumn = None,
    machine: MachineName = "auto",
    school: Annotated[
        SchoolName | None,
        typer.Option("--school", help="today's practice (the default), or the survey of 2018 as written."),
    ] = None,
    packs: Packs = None,
) -> None:
    if not plain and not interactive():
        panel("There is no terminal for the wizard", ["`advisor wizard --plain` works through a pipe."])
        raise typer.Exit(BAD_INPUT)

    plain = plain or os.environ.get("TERM", "dumb") in ("dumb", "unknown")
    notes: list[tuple[str, str]] = []
    inputs = gather(
        machine=machine, school=school or SchoolName.TODAY, packs=packs, data=data, target=target,
        complain=lambda title, what: notes.append((title, what)),
    )  # fmt: skip
    desk = Desk(inputs, _resume_command(plain, machine, packs), School(school) if school else None, notes)
    told = desk.resume() if resume else None
    if plain:
        earlier = [EARLIER.format(command=desk.resume_command)] if desk.saved else []
        _line_by_line(desk, earlier if told is None else told)
    else:
        _on_the_whole_screen(desk, told)


def _resume_command(plain: bool, machine: str, packs: Packs) -> str:
    """The command that takes the same conversation up again; the school is saved with it, and the desk knows the data."""
    named = ["--plain", "--resume"] if plain else ["--resume"]
    named += [] if machine == "auto" else ["--machine", machine]
    for pack in packs or ():
        named += ["--rules", str(pack)]
    return shlex.join(["advisor", "wizard", *named])


def _on_the_whole_screen(desk: Desk, resumed: list[str] | None) -> None:
    from advisor.tui.app import Wizard  # 150 ms

    app = Wizard(desk, resumed)
    app.run()
    say(desk.how_to_go_on())
    if app.return_code:  # it ended by a fault of its own
        raise typer.Exit(app.return_code)


# --- line by line ----------------------------------------------------------------------------------------------------


def _line_by_line(desk: Desk, told: list[str]) -> None:
    sys.stdin.reconfigure(errors="replace")  # type: ignore[union-attr]
    for number, line in enumerate(told):
        say(f"  {line}" if number else line)
    try:
        _introduce(desk)
        ending = Ending(desk)
        finished = PlainFace(desk, ending).run()
        warn_of_notes(desk)
        if finished:
            ending.offer()
        else:
            say(desk.how_to_go_on())
    except KeyboardInterrupt:
        write("")  # the prompt stands without a line end
        end_interrupted(desk.how_to_go_on())


def _introduce(desk: Desk) -> None:
    facts = desk.knowledge.vocabulary.facts
    found = [(name, known) for name in facts if (known := desk.inputs.facts.known(name)) is not None]
    in_data, here = (
        [
            f"  {name}: {describe(facts[name], known.value)}"
            for name, known in found
            if (known.source is Source.INSPECTED) is inspected
        ]
        for inspected in (True, False)
    )
    here += [f"  not known: {note}" for note in (desk.machine.notes if desk.machine else ())]
    for where, lines in (("in the data", in_data), ("on this machine", here)):
        if lines:
            say(f"Found {where} (`change NAME` corrects it):")
            for line in lines:
                say(line)
            say("")
