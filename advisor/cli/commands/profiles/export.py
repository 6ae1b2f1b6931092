"""`advisor profiles export`: a measured machine as JSON."""

from __future__ import annotations

import getpass
import socket
from pathlib import Path

from advisor.agent.remembered.anonymous import anonymous_json
from advisor.cli.commands.options import ProfilesExport
from advisor.cli.commands.profiles.kept import profile_of
from advisor.cli.delivering import deliver_json


def export(options: ProfilesExport) -> None:
    profile = profile_of(options.name)
    shown = anonymous_json(profile, _private_words()) if options.anonymous else profile.to_json()
    deliver_json(shown, options.output, options.force)


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
