"""A computed value outside of its topic's bounds is passed over, and never proven."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from advisor.inference.plan import Status
from tests.small_rules import RuleBase, advised, integer, number, rule, topic

THREADS = topic("value", type="integer", min=1, max=64)
FACTS = {"n": integer(0, 100), "m": number(-10, 10)}
NEXT = rule("otherwise", "t", value="7")


def test_a_value_out_of_bounds_gives_way_to_the_next_rule() -> None:
    knowledge = RuleBase(FACTS, {"t": THREADS}, [rule("r", "t", value="n"), NEXT]).load()
    found = {n: advised(knowledge, n=n).value("t") for n in (0, 1, 64, 65)}
    assert found == {0: 7, 1: 1, 64: 64, 65: 7}


def test_every_width_of_a_list_must_lie_within() -> None:
    widths = topic("value", type="integers", min=2, max=50)
    knowledge = RuleBase(
        FACTS, {"t": widths}, [rule("r", "t", value="[n, n // 2]"), rule("s", "t", value="[9]")]
    ).load()
    assert [advised(knowledge, n=n).value("t") for n in (4, 3, 51)] == [[4, 2], [9], [9]]


def test_what_may_be_out_of_bounds_is_not_settled() -> None:
    """Unknown n can be 0, where the rule says nothing; a rule that is always within is settled all the same."""
    base = RuleBase(FACTS, {"t": THREADS}, [rule("r", "t", value="min(7, n)"), NEXT])
    assert advised(base.load()).recommendations["t"].status is Status.LEANING
    base = RuleBase(FACTS, {"t": THREADS}, [rule("r", "t", value="7 if n < 500 else 0"), NEXT])
    assert advised(base.load()).recommendations["t"].status is Status.SETTLED


@given(st.sampled_from(["n", "n - 50", "m * 10", "n * m", "100 - n", "n / m"]), st.integers(0, 100), st.floats(-10, 10))
def test_a_settled_value_holds_for_every_completion(value: str, n: int, m: float) -> None:
    knowledge = RuleBase(FACTS, {"t": THREADS}, [rule("r", "t", value=value), NEXT]).load()
    told = [{}, {"n": n}, {"m": m}]
    everything = advised(knowledge, n=n, m=m)
    assert everything.value("t") in range(1, 65)
    for known in told:
        entry = advised(knowledge, **known).recommendations["t"]
        if entry.status is Status.SETTLED:
            assert entry.value == everything.value("t")
