"""Facts on the command line: `--set NAME=VALUE`."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from advisor.wording import printable

from ..case import Case, Format
from ..values import texts
from .stated import assignments

_COMMANDS = (
    ("recommend", "--machine", "none"),
    ("recommend", "--machine", "none", "--format", "json"),
    ("recommend", "--machine", "h100-sxm-80gb", "--school", "survey"),
    ("explain", "network.type", "--machine", "none"),
    ("explain", "training.batch_size", "--machine", "none", "--format", "json"),
)


def _case(command: tuple[str, ...], told: list[tuple[str, str]]) -> Case:
    sets = [word for name, value in told for word in ("--set", f"{name}={value}")]
    return Case((*command, *sets), names=tuple(printable(name.strip())[:20] for name, _ in told))


def valid() -> Sequence[Case]:
    told = [("data.modality", "image"), ("machine.memory_bytes", "16 GiB"), ("machine.cpu.features", "[avx2]")]
    return [_case(command, told) for command in _COMMANDS]


@st.composite
def mutated(draw: DrawFn) -> Case:
    told = draw(assignments())
    if draw(st.integers(0, 19)) == 0:  # a name
        told[0] = (draw(texts(told[0][0])).partition("=")[0], told[0][1])
    # no program can be handed a null character, or what is no Unicode, in a word
    clean = [tuple(word.replace("\0", "").encode("utf-8", "ignore").decode() for word in one) for one in told]
    return _case(draw(st.sampled_from(_COMMANDS)), [(name, value) for name, value in clean])


FORMATS = [Format("set", valid, mutated)]
