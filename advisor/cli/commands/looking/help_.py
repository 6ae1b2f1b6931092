"""`advisor help TOPIC`: a short text on one thing that many commands share; `advisor help COMMAND` is its `--help`."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.cli import topics
from advisor.cli.app import COMMANDS, program
from advisor.cli.commands.options import Help
from advisor.cli.console import write
from advisor.errors import did_you_mean, input_error
from advisor.wording import join_names, shorten


def help_(options: Help) -> None:
    words = options.words or []
    text = topics.text_of(" ".join(words))
    if text is not None:
        write(text)
    elif not words or " ".join(words) in COMMANDS:
        program().main([*words, "--help"], standalone_mode=False, prog_name="advisor")
    else:
        raise _nothing(words)


def _nothing(words: Sequence[str]) -> Exception:
    said = " ".join(words)
    known = [*topics.TOPICS, *COMMANDS]
    remedy = did_you_mean(said, known) or f"Topics: {join_names(list(topics.TOPICS))}. `advisor --help` lists commands."
    what = f"{shorten(said)!r} is neither a topic nor a command"
    return input_error("There is no such help", what, where="help", remedy=remedy)
