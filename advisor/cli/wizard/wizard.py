"""`advisor wizard`: the conversation on a whole screen, or line by line on a terminal or through a pipe."""

from __future__ import annotations

import os
import sys

import typer

from advisor.cli.commands.options import Serve, Wizard
from advisor.cli.console import BAD_INPUT, interactive, panel, write
from advisor.cli.gathering import inputs_of
from advisor.cli.main import end_interrupted
from advisor.cli.options import as_packs, typed_again
from advisor.cli.signals import ended_by, told_to
from advisor.cli.wizard.ending import Ending
from advisor.cli.wizard.lines import say
from advisor.cli.wizard.plain import PlainFace, warn_of_notes
from advisor.errors import input_error
from advisor.facts.fact_base import Source
from advisor.facts.values import describe
from advisor.facts.vocabulary import Value
from advisor.knowledge.cache import knowledge_for
from advisor.knowledge.model import School
from advisor.session.desk import Desk
from advisor.session.inputs import refuse_two_models, stated_by
from advisor.session.models import is_of_model

EARLIER = (
    "There is an earlier conversation: `{command}` goes on with it. It stays until you answer something here; then it is kept "
    "as interview.previous.json, beside the new one."
)

KEPT_BESIDE = "Your earlier conversation is kept as interview.previous.json."

_REPEATED = {
    "machine": "--machine", "packs": "--rules", "model": "--model", "input": "--input", "python": "--python",
}  # fmt: skip
"""Options of a command that goes on with a conversation; the school is saved with it, and the desk knows the data."""


def wizard(options: Wizard) -> None:
    if not (options.plain or options.window or interactive()):
        panel("There is no terminal for the wizard", ["`advisor wizard --plain` works through a pipe."])
        raise typer.Exit(BAD_INPUT)

    plain = not options.window and (options.plain or os.environ.get("TERM", "dumb") in ("dumb", "unknown"))
    notes: list[tuple[str, str]] = []
    school = School(options.school) if options.school else None
    stated = _stated(options)
    inputs = inputs_of(
        options._replace(answers=None, sets=None),
        school=school or School.TODAY,
        complain=lambda title, what: notes.append((title, what)),
    )
    desk = Desk(inputs, _resume_command(plain, options), school, notes, typed_again(options, _REPEATED))
    told = desk.resume() if options.resume else _begun(desk, stated)
    if plain:
        earlier = [EARLIER.format(command=desk.resume_command)] if desk.saved else []
        _line_by_line(desk, earlier if told is None else told)
    else:
        _on_the_whole_screen(desk, told, window=options.window)


def _stated(options: Wizard) -> dict[str, Value | None]:
    """The answers that the conversation begins with. Raises InputError."""
    if options.resume and (options.answers is not None or options.sets):
        what = "a saved conversation has answers of its own"
        flag = "--set" if options.answers is None else "--answers"
        raise input_error("There are two sets of answers", what, where=flag, remedy=f"Leave {flag} or --resume out.")
    return stated_in(options)


def stated_in(options: Wizard | Serve) -> dict[str, Value | None]:
    """The answers that options state. Raises InputError."""
    stated = stated_by(knowledge_for(as_packs(options.packs)), options.answers, options.sets or ())
    if options.model is not None:
        refuse_two_models(stated, options.model)
    return stated


def _begun(desk: Desk, stated: dict[str, Value | None]) -> list[str] | None:
    """Begin with what is stated, and say so; None where nothing is."""
    if not stated:
        return None
    earlier = [KEPT_BESIDE] if desk.saved else []
    refused = desk.begin_with(stated)
    count = len(stated) - len(refused)
    return [f"Begun with {count} answer{'s' if count != 1 else ''}.", *refused, *earlier]


def _resume_command(plain: bool, options: Wizard) -> str:
    """The command that takes the same conversation up again."""
    named = typed_again(options, _REPEATED)
    return f"advisor wizard {'--plain ' if plain else ''}--resume {named}".strip()


def _on_the_whole_screen(desk: Desk, resumed: list[str] | None, *, window: bool = False) -> None:
    from advisor.tui import app as tui  # 150 ms

    if window:
        from advisor.tui.window import WindowDriver

    app = tui.Wizard(desk, resumed, WindowDriver if window else None)
    with told_to(app.end_soon):
        app.run()
    if ended_by() is not None:
        end_interrupted(desk.how_to_go_on())
    if not window:  # its output is no text, and its conversation ends with it
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
    every = [(name, known) for name in facts if (known := desk.inputs.facts.known(name)) is not None]
    found = [(name, known) for name, known in every if not is_of_model(known)]
    network = [name for name, known in every if is_of_model(known) and name in ("network.parameters", "network.family")]
    in_data, here = (
        [
            f"  {name}: {describe(facts[name], known.value)}"
            for name, known in found
            if (known.source is Source.INSPECTED) is inspected
        ]
        for inspected in (True, False)
    )
    here += [f"  not known: {note}" for note in (desk.machine.notes if desk.machine else ())]
    of_network = [f"  {name}: {describe(facts[name], desk.inputs.facts.known(name).value)}" for name in network]  # type: ignore[union-attr]
    for where, lines in (("of the network", of_network), ("in the data", in_data), ("on this machine", here)):
        if lines:
            say(f"Found {where} (`change NAME` corrects it):")
            for line in lines:
                say(line)
            say("")
