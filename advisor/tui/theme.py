"""The wizard's own colours, dark and light, and which of them was chosen last.

Every colour that text has is stated here, and none is left to be mixed with what lies beneath: a test computes the contrast of
all text on every screen.
"""

from __future__ import annotations

from textual.theme import Theme

from advisor.machine.state import StateError, load_json, save_json, state_folder

DARK, LIGHT = "advisor-dark", "advisor-light"
_FILE = "appearance.json"


def _theme(name: str, *, dark: bool, ink: dict[str, str], variables: dict[str, str]) -> Theme:
    """A theme whose texts have the colours `ink`, by their names without `text-`."""
    texts = {f"text-{what}": colour for what, colour in ink.items() if what not in ("text", "cursor")}
    return Theme(
        name=name,
        dark=dark,
        primary=ink["primary"],
        secondary=ink["secondary"],
        accent=ink["accent"],
        success=ink["success"],
        warning=ink["warning"],
        error=ink["error"],
        foreground=ink["text"],
        background=variables["background"],
        surface=variables["surface"],
        panel=variables["panel"],
        boost=variables["boost"],
        variables={
            **texts,
            "text": ink["text"],
            "foreground-muted": ink["muted"],
            "foreground-disabled": ink["disabled"],
            "primary-muted": variables["chosen"],
            "footer-background": variables["panel"],
            "footer-foreground": ink["text"],
            "footer-item-background": variables["panel"],
            "footer-key-foreground": ink["accent"],
            "footer-key-background": variables["panel"],
            "footer-description-foreground": ink["text"],
            "footer-description-background": variables["panel"],
            "block-cursor-foreground": ink["text"],
            "block-cursor-background": variables["chosen"],
            "block-cursor-blurred-foreground": ink["text"],
            "block-cursor-blurred-background": variables["panel"],
            "block-hover-background": variables["panel"],
            "border": ink["primary"],
            "border-blurred": variables["line"],
            "line": variables["line"],
            "scrollbar": variables["thumb"],
            "scrollbar-hover": ink["primary"],
            "scrollbar-active": ink["primary"],
            "scrollbar-background": variables["track"],
            "scrollbar-background-hover": variables["track"],
            "scrollbar-background-active": variables["track"],
            "scrollbar-corner-color": variables["track"],
            "input-cursor-background": ink["text"],
            "input-cursor-foreground": variables["background"],
            "input-selection-background": variables["chosen"],
        },
    )


THEMES = (
    _theme(
        DARK,
        dark=True,
        ink={
            "text": "#e6e9f0", "muted": "#a3acbf", "disabled": "#8f99ad", "primary": "#7cc4ff", "secondary": "#c3a6ff",
            "accent": "#ffc66d", "success": "#7fdca4", "warning": "#f2c55c", "error": "#ff9b9b",
        },
        variables={
            "background": "#11151d", "surface": "#171c27", "panel": "#202736", "boost": "#1b2130", "chosen": "#2b3f5c",
            "line": "#46536b", "thumb": "#7f90ad", "track": "#1b2130",
        },
    ),
    _theme(
        LIGHT,
        dark=False,
        ink={
            "text": "#1b2230", "muted": "#4d576a", "disabled": "#596377", "primary": "#004f9e", "secondary": "#5d35a8",
            "accent": "#8a3b00", "success": "#0a5c33", "warning": "#6e4800", "error": "#a3161f",
        },
        variables={
            "background": "#fbfbfd", "surface": "#f1f3f8", "panel": "#e4e8f1", "boost": "#eef1f7", "chosen": "#cfe1f7",
            "line": "#8b97ad", "thumb": "#66748e", "track": "#e4e8f1",
        },
    ),
)  # fmt: skip


def other(name: str) -> str:
    """Light for dark and dark for light."""
    return LIGHT if name == DARK else DARK


def remembered() -> str:
    """The theme that was chosen last; dark if none was, or nothing can be read."""
    try:
        found = load_json(state_folder() / _FILE)
    except StateError:
        return DARK
    name = found.get("theme") if isinstance(found, dict) else None
    return LIGHT if name == LIGHT else DARK


def remember(name: str) -> None:
    """Keep the choice for the next run, if it can be written: without that, the wizard is as good."""
    try:
        save_json(state_folder() / _FILE, {"theme": name})
    except StateError:
        return
