"""Output on the terminal: data on stdout, titled panels for errors and warnings on stderr."""

from __future__ import annotations

import functools
import os
import shutil
import sys
from typing import TYPE_CHECKING

from advisor.errors import InputError
from advisor.wording import printable

if TYPE_CHECKING:
    from rich.console import Console

    from advisor.report.page import Look

DONE, FAILED, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130


def stderr() -> Console:
    from rich.console import Console  # 40 ms

    return Console(stderr=True, highlight=False, markup=False, emoji=False)


def look() -> Look:
    """The look that stdout can show: its width (or COLUMNS), whether it knows more than ASCII, colour only in a terminal."""
    from advisor.report.page import Look  # 2 ms, which `--help` does not need

    capable = os.environ.get("TERM") not in ("dumb", "unknown") and not os.environ.get("NO_COLOR")
    if sys.platform == "win32":
        capable = capable and "WT_SESSION" in os.environ
    return Look(shutil.get_terminal_size().columns, unicode=_unicode(), colour=capable and sys.stdout.isatty())


def _unicode() -> bool:
    return (sys.stdout.encoding or "").lower().startswith("utf")


def panel(title: str, lines: list[str], *, style: str = "red", console: Console | None = None) -> None:
    """A titled message on stderr, in a frame where somebody looks at it, and unbroken where a program reads it.

    The text is shown as it is: no markup, no control characters.

    Args:
        console: of what is alive on the terminal, so that the message stands above it.
    """
    shown = printable("\n".join(lines)).strip()
    if not sys.stderr.isatty():
        indented = "".join(f"  {line}\n" for line in shown.splitlines())
        sys.stderr.write(f"{printable(title)}\n{indented}")
        return
    from rich import box  # 40 ms, and most runs have nothing to complain of
    from rich.panel import Panel
    from rich.text import Text

    text = Text(shown or title, overflow="fold")
    console = console or stderr()
    ascii_only = not (console.encoding or "").lower().startswith("utf")
    frame = box.ASCII if ascii_only else box.ROUNDED
    console.print(Panel(text, title=Text(printable(title)), title_align="left", border_style=style, box=frame))


def error_panel(error: InputError) -> None:
    """All problems, the first twenty in full."""
    lines: list[str] = []
    for problem in error.problems[:20]:
        where = f"{problem.where}: " if problem.where else ""
        lines.append(f"{where}{problem.what}")
        if problem.remedy:
            lines.append(f"  {problem.remedy}")
    if (more := max(0, len(error.problems) - 20) + error.more) > 0:
        lines.append(f"… and {more:,} more")
    panel(error.title, lines)


def warn(title: str, what: str) -> None:
    panel(title, [what], style="yellow")


@functools.cache
def warn_once(title: str, what: str) -> None:
    """Warn of what may come up several times while a command gathers its inputs."""
    warn(title, what)


def say(text: str) -> None:
    """A message to stdout, without any colour."""
    write(text, painted=False)


def write(text: str, *, painted: bool = True) -> None:
    """Text to stdout; what its encoding does not know becomes a question mark, and control characters are taken out.

    Args:
        painted: the colours of a page are kept where the terminal shows them.
    """
    from advisor.report.page import harmless  # 2 ms, which `--help` does not need

    encoding = sys.stdout.encoding or "utf-8"
    shown = harmless(text, painted=painted and look().colour)
    shown = shown if shown.endswith("\n") else f"{shown}\n"
    sys.stdout.write(shown.encode(encoding, "replace").decode(encoding))


def tell(text: str) -> None:
    """A line to stderr, without control characters."""
    sys.stderr.write(f"{printable(text)}\n")


def write_json(value: object) -> None:
    """JSON to stdout, in ASCII where stdout knows no more."""
    import json  # 1 ms

    from advisor.plain import json_text  # 5 ms

    write(json_text(value) if _unicode() else json.dumps(value, indent=2, allow_nan=False).replace("\x7f", "\\u007f"))


def interactive() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()
