"""Networks that read an image and a text, and write a text: a tower for images, a projector and a decoder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from advisor.models.families.pictures import VisionTransformer
from advisor.models.families.transformers import Decoder
from advisor.models.tape import Tape, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class VisionLanguage:
    """An image becomes tokens among those of a text (Liu et al. 2023)."""

    vision: VisionTransformer
    text: Decoder
    projector: Literal["linear", "two_layers", "normed"]
    """The way from the width of the tower to that of the decoder: one layer, two, or RMS normalization and a matrix."""
    projector_bias: bool = True
    views: int = 1
    """Layers of the tower that the projector reads side by side."""
    image_tokens: int = 0
    """Tokens that an image becomes; 0 for one for each patch."""

    @property
    def input(self) -> tuple[int, ...]:
        return self.text.input

    @property
    def hidden_units(self) -> tuple[int, ...]:
        return self.text.hidden_units

    def count(self, tape: Tape, input: tuple[int, ...]) -> None:
        """Run a text of so many tokens, those of one image included."""
        with tape.within("vision"):
            seen = self.vision.features(tape, tape.given(*self.vision.input))
        with tape.within("projector"):
            self._project(tape, seen)
        with tape.within("text"):
            self.text.count(tape, input)

    def _project(self, tape: Tape, seen: Value) -> None:
        patches = seen.shape[0] - self.vision.tokens
        width = self.text.width
        x = tape.view(seen, patches, self.vision.width)
        if self.image_tokens and self.image_tokens != patches:
            x = tape.moved(x, self.image_tokens, self.vision.width, name="pool")
        if self.projector == "normed":
            tape.linear("project", tape.norm("norm", x, "rms", copies=1), width, bias=False)
            return
        x = tape.view(x, x.shape[0], self.vision.width * self.views)
        x = tape.linear("project", x, width, bias=self.projector_bias)
        if self.projector == "two_layers":
            tape.linear("project_again", tape.activation("gelu", x), width, bias=self.projector_bias)
