"""Every case that failed once is survived now."""

from __future__ import annotations

from pathlib import Path

import pytest

from .corpus import corpus
from .formats import formats
from .surviving import End, survive


@pytest.mark.parametrize("name", corpus())
def test_a_case_that_failed_once_is_survived(name: str, tmp_path: Path) -> None:
    outcome = survive(corpus()[name](), tmp_path / "case", formats().get(name.partition("/")[0]))
    assert outcome.end is not End.FAILED, str(outcome)
