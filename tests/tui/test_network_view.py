"""The drawing of the network fits into whatever width there is."""

from __future__ import annotations

import pytest

from advisor.tui.sketch import Layer
from advisor.tui.widgets.network_view import _fitting, _length

DEEP = [
    Layer("1000×1000×1", 1_000_000),
    *(Layer(str(2**power), 2**power) for power in range(6, 10)),
    Layer("1,000", 1000),
]


@pytest.mark.parametrize("width", range(1, 60))
def test_layers_give_way_from_the_middle_as_far_as_the_first_and_the_last(width: int) -> None:
    shown = [layer.label for layer in _fitting(DEEP, width)]
    assert (shown[0], shown[-1]) == ("1000×1000×1", "1,000")
    assert shown.count("…") <= 1
    assert len(shown) == 3 or _length(_fitting(DEEP, width)) <= width


def test_nothing_gives_way_where_there_is_room() -> None:
    assert _fitting(DEEP, 60) == DEEP
