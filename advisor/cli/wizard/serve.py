"""`advisor serve`: the wizard in a browser of this computer."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import threading
import webbrowser
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import TYPE_CHECKING

from advisor.cli.commands.options import Serve
from advisor.cli.console import panel, warn, write
from advisor.cli.gathering import inputs_of
from advisor.cli.main import end_interrupted
from advisor.cli.options import TOLD as TOLD_FACTS
from advisor.cli.options import handed_on, once_more
from advisor.cli.signals import told_to
from advisor.cli.wizard.wizard import stated_in
from advisor.errors import input_error
from advisor.facts.vocabulary import Value
from advisor.knowledge.model import School

if TYPE_CHECKING:
    from advisor.web.guard import Guard

TOLD = [
    "It is for this computer only, and whoever has the address is let in: keep it to yourself.",
    "If no browser opens, open the address yourself.",
    "A conversation ends with its window. What you export goes into this folder.",
    "Ctrl-C ends the server and every conversation.",
]
ENDED = "The server has ended, and every conversation in a browser with it. What was exported is kept."


def serve(options: Serve) -> None:
    try:
        from advisor.web.server import listening
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("textual_serve", "aiohttp", "aiohttp_jinja2"):
            raise
        raise input_error(
            "The browser needs one more package",
            "textual-serve is not installed",
            where="advisor serve",
            remedy='Install the extra: python -m pip install "nn-advisor[serve]" (in a checkout: python -m pip install '
            '-c constraints.txt -e ".[serve]"). `advisor wizard` works without.',
        ) from error
    again = once_more(options, _checked(options))
    asyncio.run(_until_told(options, partial(listening, arguments=handed_on(again, TOLD_FACTS))))
    end_interrupted(ENDED)


def _checked(options: Serve) -> Mapping[str, Value | None]:
    """The facts that are stated; what each wizard would refuse in its window is refused here."""
    stated = stated_in(options)
    inputs_of(
        options._replace(answers=None, sets=None),
        school=School(options.school) if options.school else School.TODAY,
        complain=warn,
    )
    return stated


async def _until_told(options: Serve, listening: Callable[[int], AbstractAsyncContextManager[Guard]]) -> None:
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    with told_to(lambda: loop.call_soon_threadsafe(ended.set)):
        async with listening(options.port) as guard:
            panel("The wizard waits in your browser, at this address", TOLD, style="green")
            write(guard.address)
            sys.stdout.flush()
            with (
                contextlib.redirect_stdout(sys.stderr),  # textual-serve prints there what a process has complained of
                contextlib.ExitStack() as closing,
            ):
                if options.browser and _has_screen():
                    _start_browser(guard, closing)
                await ended.wait()


def _start_browser(guard: Guard, closing: contextlib.ExitStack) -> None:
    """With a file that leads to the address: other users can read the arguments of a browser."""
    from advisor.web.entrance import entrance

    try:
        page = closing.enter_context(entrance(guard)).as_uri()
    except OSError as error:
        warn("No browser is started", f"No private file can be written ({error.strerror}). Open the address yourself.")
        return
    threading.Thread(target=webbrowser.open, args=(page,), daemon=True).start()


def _has_screen() -> bool:
    """False where only a browser of the terminal could be opened, which would take it over."""
    return sys.platform in ("darwin", "win32") or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))
