"""Remedies of a plan that is slow here: what helps is what the data and the project allow."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy
import pytest

from advisor.facts.fact_base import Source
from advisor.session.inputs import Inputs, gather, plan_of
from advisor.session.outlook import outlook_of
from tests.datasets.made import write_picture


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("photos")
    for number in range(40):
        write_picture(folder / "ab"[number % 2] / f"{number}.jpg", numpy.full((1200, 1600, 3), number))
    return folder


def inputs_for(data: Path, *sets: str) -> Inputs:
    return gather(None, sets, data=data, complain=lambda *_: None)


def test_large_photos_of_a_folder_may_be_made_smaller(photos: Path) -> None:
    """Its project resizes them, so that is offered; fewer of its examples are not."""
    inputs = inputs_for(photos, "project.hours_available=0.5")
    says = [remedy.says for remedy in outlook_of(inputs, plan_of(inputs)).remedies]
    assert "pictures of 224 x 224 pixels" in says
    assert "a tenth of the examples" not in says


def test_sizes_of_other_data_are_as_they_are(photos: Path) -> None:
    inputs = inputs_for(photos, "project.hours_available=0.5")
    assert inputs.inspection is not None
    fixed = replace(inputs, inspection=replace(inputs.inspection, resizable=False))
    assert not [remedy for remedy in outlook_of(fixed, plan_of(fixed)).remedies if "pixels" in remedy.says]


def test_a_smaller_size_is_stated_without_a_clash_and_a_larger_one_with_it(photos: Path) -> None:
    smaller = inputs_for(photos, "data.inputs=224x224").facts
    assert "data.inputs" not in smaller.by_source(Source.INSPECTED)
    assert "data.inputs" in inputs_for(photos, "data.inputs=3000x2000").facts.by_source(Source.INSPECTED)
