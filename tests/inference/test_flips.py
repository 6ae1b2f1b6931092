"""Flips, held to their word: each listed flip gives its `then`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.inference.advise import Detail
from advisor.inference.proof import search as proof
from tests.properties import examples

from .checking import hashable, knowing, oracle_of, plan_of
from .random_bases import Case, cases


@examples(150)
@given(cases(), st.sampled_from([1, 3, proof.NODE_CAP]))
def test_setting_a_listed_flip_gives_its_then(case: Case, node_cap: int) -> None:
    oracle_of(case)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(proof, "NODE_CAP", node_cap)
        plan = plan_of(case, detail=Detail(reasons=False, flips=True, questions=False))
        for name, entry in plan.recommendations.items():
            for flip in entry.flips:
                changed = plan_of(knowing(case, {flip.fact: flip.to})).recommendations[name]
                assert hashable(changed.value) == flip.then
                assert changed.value != entry.value
