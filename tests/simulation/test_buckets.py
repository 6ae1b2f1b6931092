"""Gradients in buckets during the backward pass, weights divided among servers, a link inside groups."""

from __future__ import annotations

from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.errors import InputError
from advisor.simulation.exchange import BACKWARD, BUCKET, FIRST_BUCKET, bucket_shares
from advisor.simulation.scenario import Link
from tests.simulation.made import found, scenario

MB = 2**20


@given(st.integers(1, 10**9), st.integers(1, 10**8))
def test_buckets_hold_the_whole_gradient(size: int, limit: int) -> None:
    shares = bucket_shares(scenario("synchronous", 2, 1, message_bytes=size, bucket_bytes=limit))
    assert sum(shares) == pytest.approx(1)
    assert min(shares) > 0


def test_the_first_bucket_is_small_and_the_last_has_the_rest() -> None:
    shares = bucket_shares(scenario("synchronous", 2, 1, message_bytes=60 * MB, bucket_bytes=BUCKET))
    assert [round(60 * one) for one in shares] == [1, 25, 25, 9]
    assert bucket_shares(scenario("synchronous", 2, 1, message_bytes=FIRST_BUCKET, bucket_bytes=BUCKET)) == [1.0]


@pytest.mark.parametrize("rate", [1e6, 2e7, 5e7, 1e8, 1e12])
@pytest.mark.parametrize("name", ["synchronous", "sharded", "fp16_compression"])
def test_buckets_are_exchanged_one_after_the_other_as_they_are_filled(name: str, rate: float) -> None:
    """A little simulation of one step: each bucket waits for the backward pass and for the one before."""
    asked = {"link": Link(rate), "message_bytes": 60 * MB}
    exchange = found(name, 4, 1, "constant:0s", **asked).seconds
    shares = bucket_shares(scenario(name, 4, 1, bucket_bytes=BUCKET, message_bytes=60 * MB))
    done = 0.0
    for share, filled in zip(shares, accumulate(shares), strict=True):
        done = max(done, 1 - BACKWARD + BACKWARD * filled) + share * exchange
    assert found(name, 4, 1, bucket_bytes=BUCKET, **asked).seconds == pytest.approx(done)


def test_an_exchange_in_buckets_takes_no_longer_than_one_afterwards_and_no_less_than_the_last_bucket() -> None:
    asked = {"link": Link(1e8), "message_bytes": 60 * MB}
    after, within = found("synchronous", 4, 10, **asked), found("synchronous", 4, 10, bucket_bytes=BUCKET, **asked)
    last = 9 / 60 * (after.seconds - 10)
    assert 10 + last <= within.seconds < after.seconds
    assert within.bytes == after.bytes


@pytest.mark.parametrize(
    "name", ["local_sgd:every=1", "diloco:every=1", "asynchronous", "backup_workers", "mixed_asynchronous"]
)
def test_weights_and_whole_gradients_are_not_exchanged_in_buckets(name: str) -> None:
    asked = {"link": Link(1e8), "message_bytes": 60 * MB}
    assert found(name, 4, 10, bucket_bytes=BUCKET, **asked) == found(name, 4, 10, **asked)


def test_small_gradients_wait_for_the_whole_backward_pass() -> None:
    asked = {"link": Link(1e5), "message_bytes": 10**5}
    assert (
        found("synchronous", 4, 10, bucket_bytes=BUCKET, **asked).seconds
        == found("synchronous", 4, 10, **asked).seconds
    )


def test_of_accumulated_steps_only_the_last_is_overlapped() -> None:
    asked = {"link": Link(1e8), "message_bytes": 60 * MB, "bucket_bytes": BUCKET}
    each, four = found("synchronous", 4, 8, **asked), found("gradient_accumulation:every=4", 4, 8, **asked)
    assert (each.seconds - 8) / 8 == pytest.approx((four.seconds - 8) / 2)


def test_servers_share_the_weights_and_a_single_worker_gains_nothing() -> None:
    asked = {"link": Link(1e6), "message_bytes": 10**6}
    one, four = (found("asynchronous", 16, 20, servers=servers, **asked) for servers in (1, 4))
    assert one.seconds / 4 < four.seconds < one.seconds / 3
    assert four.bytes == one.bytes
    alone = [found("asynchronous", 1, 20, servers=servers, **asked).seconds for servers in (1, 2, 4)]
    assert alone == pytest.approx([alone[0]] * 3)


@pytest.mark.parametrize("servers", [0, -1, 10**6])
def test_servers_that_cannot_be_are_refused(servers: int) -> None:
    with pytest.raises(InputError, match="servers"):
        scenario("asynchronous", 4, 1, servers=servers)


def test_a_faster_link_inside_groups_helps_the_mixed_strategy_alone() -> None:
    asked = {"link": Link(1e6), "message_bytes": 10**6}
    fast = {**asked, "group_link": Link(1e9)}
    assert found("mixed_asynchronous", 8, 5, **fast).seconds < found("mixed_asynchronous", 8, 5, **asked).seconds
    assert found("synchronous", 8, 5, **fast).seconds == found("synchronous", 8, 5, **asked).seconds
