"""The keys of a configuration that others wrote: sizes within bounds, or a refusal that names the key."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from advisor.errors import InputError, did_you_mean, input_error
from advisor.models.families.parts import Activation
from advisor.models.families.reading import LARGEST
from advisor.wording import shorten

TITLE = "This configuration cannot be used"
MOST_LAYERS = 2_000
_MOST_STAGES = 20
_ACTIVATIONS: Mapping[str, Activation] = {
    "silu": "silu",
    "swish": "silu",
    "gelu": "gelu",
    "gelu_new": "gelu_new",
    "gelu_fast": "gelu_new",
    "gelu_pytorch_tanh": "gelu",
    "relu": "relu",
}
"""`gelu_new` is written out in several operations, whose values are kept."""


@dataclass(frozen=True, slots=True)
class Config:
    """The keys of a configuration."""

    where: str
    keys: Mapping[str, Any]

    def size(self, *names: str, usual: int | None = None, least: int = 0, most: int = LARGEST) -> int:
        """A whole number under the first of these names that is there."""
        for name in names:
            value = self.keys.get(name)
            if value is None:
                continue
            if type(value) is not int or not 0 <= value <= most:
                said = shorten(json.dumps(value), 40)
                raise self.wrong(f"{name} must be a whole number of at most {most:,}, not {said}")
            if value < least:
                raise self.wrong(f"{name} must be {least} or more")
            return value
        if usual is None:
            raise self.wrong(f"it has no {' or '.join(names)}", "Take the config.json that stands beside the weights.")
        return usual

    def sizes(self, name: str, usual: tuple[int, ...], *, least: int = 0, most: int = LARGEST) -> tuple[int, ...]:
        """Several of them under this name, or one for all that are usual."""
        said = self.keys.get(name)
        if said is None:
            return usual
        if type(said) is int:
            return (self.size(name, least=least, most=most),) * len(usual)
        if not isinstance(said, list) or not 1 <= len(said) <= _MOST_STAGES:
            raise self.wrong(
                f"{name} must be a list of up to {_MOST_STAGES} numbers, not {shorten(json.dumps(said), 40)}"
            )
        return tuple(Config(self.where, {name: one}).size(name, least=least, most=most) for one in said)

    def flag(self, name: str, usual: bool) -> bool:
        value = self.keys.get(name)
        if value is None:
            return usual
        if value not in (True, False):
            raise self.wrong(f"{name} must be true or false, not {shorten(json.dumps(value), 40)}")
        return bool(value)

    def activation(self, *names: str, usual: str) -> Activation:
        said = next((self.keys[name] for name in names if self.keys.get(name) is not None), usual)
        if not isinstance(said, str) or said not in _ACTIVATIONS:
            near = did_you_mean(said, _ACTIVATIONS) if isinstance(said, str) else ""
            raise self.wrong(f"the activation {shorten(json.dumps(said), 40)} is not known", near)
        return _ACTIVATIONS[said]

    def expect(self, **usual: Any) -> None:
        """Refuse other values of these keys: networks with them have parts that are not counted here."""
        for name, value in usual.items():
            if (said := self.keys.get(name)) not in (None, value):
                raise self.wrong(
                    f"{name} is {shorten(json.dumps(said), 40)}, and only {json.dumps(value)} can be counted"
                )

    def wrong(self, what: str, remedy: str = "") -> InputError:
        return input_error(TITLE, what, where=self.where, remedy=remedy)
