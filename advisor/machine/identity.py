"""Fields that identify a person's machine, marked once, where they are declared."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Mapping
from typing import Any

IDENTITY: Mapping[str, bool] = types.MappingProxyType({"identity": True})
"""Metadata of a field that tells one machine from another of its kind: a name, a serial number, a path."""


def without_identity(value: Any) -> Any:
    """The same with every field marked IDENTITY back at its default, at any depth."""
    if isinstance(value, tuple):
        return tuple(without_identity(part) for part in value)
    if not dataclasses.is_dataclass(value) or isinstance(value, type):
        return value
    changed = {
        field.name: field.default if field.metadata.get("identity") else without_identity(getattr(value, field.name))
        for field in dataclasses.fields(value)
    }
    return dataclasses.replace(value, **changed)
