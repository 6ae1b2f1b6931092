"""The places of the rule base and the profiles: inside the installed wheel, or at the top of a checkout."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent


def rules_folder() -> Path:
    return _shipped("rules")


def profiles_folder() -> Path:
    return _shipped("profiles")


def device_files(folder: Path | None = None) -> list[Path]:
    """The profiles of a folder and its sub-folders, or those that ship with the advisor, by name."""
    root = profiles_folder() / "devices" if folder is None else folder
    return sorted(root.rglob("*.yaml"), key=lambda path: (path.stem, path))


def _shipped(name: str) -> Path:
    in_wheel = _PACKAGE / "data" / name
    return in_wheel if in_wheel.is_dir() else _PACKAGE.parent / name
