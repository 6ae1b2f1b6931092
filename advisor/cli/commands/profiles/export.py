"""`advisor profiles export`: a measured machine as JSON."""

from __future__ import annotations

import getpass
import socket
from pathlib import Path
from typing import Annotated

import typer

from advisor.agent.remembered.anonymous import anonymous_json
from advisor.cli.commands.profiles.kept import THIS, MachineNamed, profile_of
from advisor.cli.delivering import deliver_json
from advisor.cli.options import Force, Output, PlainFormat


def export(
    name: MachineNamed = THIS,
    anonymous: Annotated[
        bool, typer.Option("--anonymous", help="Without names of host and user, paths and serial numbers.")
    ] = False,
    output: Output = None,
    force: Force = False,
    format_: Annotated[PlainFormat, typer.Option("--format", help="It is always JSON.")] = PlainFormat.JSON,
) -> None:
    profile = profile_of(name)
    deliver_json(anonymous_json(profile, _private_words()) if anonymous else profile.to_json(), output, force)


def _private_words() -> list[str]:
    """Names of this user and this host, as messages may hold them."""
    host = socket.gethostname()
    words = [host, host.partition(".")[0]]
    for ask in (getpass.getuser, lambda: Path.home().name):
        try:
            words.append(ask())
        except (KeyError, OSError, RuntimeError):  # a user whom the system does not know
            continue
    return words
