"""What one rank times, with a stand-in for the others."""

from types import SimpleNamespace
from typing import Any

import pytest
import torch

from advisor.cluster.measuring import Products, timed
from advisor.cluster.meeting import Member, nodes_of
from advisor.cluster.profile import Node

DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]


def alone(device: str) -> Any:
    """A meeting of one rank."""
    return SimpleNamespace(on_cards=device == "cuda", device=torch.device(device), all_say=lambda value: [value])


@pytest.mark.parametrize("device", DEVICES)
def test_products_take_long_enough_to_be_timed(device: str) -> None:
    products = Products(alone(device))
    assert products.round() > 0.005
    assert f"matrices of {products.size:,} rows and columns" in products.describe()


@pytest.mark.parametrize("device", DEVICES)
def test_more_work_takes_longer(device: str) -> None:
    meeting, numbers = alone(device), torch.rand(2000, 2000, device=device)

    def seconds(times: int) -> float:
        return min(timed(meeting, lambda: [numbers @ numbers for _ in range(times)]) for _ in range(3))

    seconds(1)
    assert seconds(8) > 2 * seconds(1)


def member(rank: int, host: str, node: int | None = None) -> Member:
    return Member(rank, host, node, cuda=False, device="cpu")


def test_nodes_are_told_apart_by_number_or_else_by_host() -> None:
    by_host = nodes_of([member(0, "a"), member(1, "b"), member(2, "a")])
    assert by_host == [Node("a", (0, 2)), Node("b", (1,))]
    by_number = nodes_of([member(0, "a", 0), member(1, "a", 0), member(2, "b", 1)])
    assert by_number == [Node("a", (0, 1)), Node("b", (2,))]


def test_nodes_of_one_name_are_numbered() -> None:
    """As in namespaces of one machine, or containers that all are called so."""
    assert nodes_of([member(0, "x", 0), member(1, "x", 1)]) == [Node("x/0", (0,)), Node("x/1", (1,))]
