"""Texts that show by themselves when they have been believed: run, drawn, or taken for markup."""

from __future__ import annotations

MARKED = "Kuckuck"
MARKUP = f"[bold red]{MARKED}[/]"
SHOWN = f"bold red]{MARKED}"
"""How it stands in messages, shortened or not; without its brackets it has been drawn."""
ANCHOR = f"bold-red-{MARKED}"
"""The same in the name of a place in a page."""
ELEMENT = "<img src=kuckuck"
"""Stands in no page of ours: escaped it begins with `&lt;`."""
HOSTILE = (
    MARKUP,
    f"{ELEMENT} onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "\x1b]0;title\x07\x1b[2J",
    "\x9b31m",
    "a\u202eb",
    "\ud800",
    "a\nb",
    "a\rb",
    "a\x00b",
    "\ufeff",
    "$(touch MARK)",
    "`touch MARK`; touch MARK",
    "__import__('os').system('touch MARK')",
    "{{ 7 * 7 }}{% for x in y %}",
    "%s%n{0.__class__}",
    "../../../../etc/passwd",
    "-h",
    "--output=MARK",
    "x" * 5_000,
    "𝒙" * 300,
    "e\u0301" * 100,
    "nan",
    "null",
    "yes",
    "~",
    "''",
    "",
    " ",
)
