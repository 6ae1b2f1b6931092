"""What reaches the terminal: data on stdout, titled panels for errors and warnings on stderr."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from advisor.errors import InputError, printable

if TYPE_CHECKING:
    from rich.console import Console

DONE, FAILED, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130


def stdout() -> Console:
    from rich.console import Console  # 40 ms

    return Console(highlight=False, markup=False, emoji=False)


def stderr() -> Console:
    from rich.console import Console

    return Console(stderr=True, highlight=False, markup=False, emoji=False)


def panel(title: str, lines: list[str], *, style: str = "red") -> None:
    """A titled panel on stderr. The text is shown as it is: no markup, no control characters."""
    from rich import box
    from rich.panel import Panel
    from rich.text import Text

    text = Text(printable("\n".join(lines)).strip() or title, overflow="fold")
    console = stderr()
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
    if len(error.problems) > 20:
        lines.append(f"… and {len(error.problems) - 20} more")
    panel(error.title, lines)


def warn(title: str, what: str) -> None:
    panel(title, [what], style="yellow")


def write(text: str) -> None:
    """Data to stdout, as it is."""
    sys.stdout.write(text if text.endswith("\n") else f"{text}\n")


def interactive() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()
