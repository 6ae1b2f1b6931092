"""What keeps a measurement from counting for a plan."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from advisor.facts.fact_base import FactBase, Known, Source
from advisor.facts.out_of_scope import differing

conditions = st.dictionaries(st.sampled_from(["machine", "network", "batch_size", "torch"]), st.sampled_from("abc"))


def test_a_condition_is_told_then_and_now() -> None:
    found = differing({"batch_size": "32", "torch": "2.0"}, {"batch_size": "64", "torch": "2.0"})
    assert [str(one) for one in found] == ["batch size 32 then, 64 now"]


def test_without_a_network_what_only_a_network_has_is_not_told() -> None:
    found = differing({"network": "ffn 4-[8]-2", "batch_size": "32", "torch": "2.0"}, {"torch": "2.1"})
    assert [str(one) for one in found] == ["network ffn 4-[8]-2 then, none known now", "torch 2.0 then, 2.1 now"]


@given(conditions, conditions)
def test_something_differs_exactly_where_the_measurement_does_not_count(
    applies: dict[str, str], scope: dict[str, str]
) -> None:
    counts = FactBase().in_scope(scope).covers(Known(1, Source.MEASURED, applies))
    assert (differing(applies, scope) == ()) == counts
