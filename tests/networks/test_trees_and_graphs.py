from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from advisor.networks.builders import build
from advisor.networks.examples import example_batch
from advisor.networks.families.gnn.network import Graph, mean_of_neighbours
from advisor.networks.families.recursive.network import Recursive
from advisor.probes.workload import Workload
from tests.networks.trees import Tree, packed

TOKENS, NODES = 7, 15
LEAVES = st.integers(0, TOKENS - 1)
TREES = st.recursive(LEAVES, lambda inner: st.tuples(LEAVES, inner, inner), max_leaves=(NODES + 1) // 2)


def network() -> Recursive:
    torch.manual_seed(0)
    made = build(Workload("recursive", "tree", TOKENS, 3, (6, 5), NODES, activation="tanh"))
    assert isinstance(made, Recursive)
    return made


def state(of: Recursive, tree: Tree) -> Tensor:
    """One node at a time, as the paper writes it."""
    if isinstance(tree, int):
        return torch.tanh(of.embedding.weight[tree])
    token, left, right = tree
    return torch.tanh(of.merge(torch.cat([state(of, left), state(of, right)])) + of.embedding.weight[token])


@settings(max_examples=30, deadline=None)
@given(trees=st.lists(TREES, min_size=1, max_size=4))
def test_trees_in_a_batch_get_what_each_would_get_alone(trees: list[Tree]) -> None:
    made = network()
    with torch.no_grad():
        together = made(packed(trees, NODES))
        alone = torch.stack([made.head(state(made, tree)) for tree in trees])
    torch.testing.assert_close(together, alone)


def test_gradients_reach_every_token_of_the_tree_and_no_other() -> None:
    made = network()
    made(packed([(1, 2, (3, 4, 4))], NODES)).sum().backward()
    moved = made.embedding.weight.grad.abs().sum(1) > 0  # type: ignore[union-attr]
    assert moved.tolist() == [False, True, True, True, True, False, False]


def test_a_tree_is_written_children_first_and_the_root_last() -> None:
    assert packed([(1, 2, 3)], 4).tolist() == [[[0, 0, 0], [2, 0, 0], [3, 0, 0], [1, 2, 3]]]


def test_a_tree_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="has 5 nodes, more than the 4 that fit"):
        packed([(1, 2, (3, 4, 4))], 4)


@pytest.mark.parametrize("nodes", [1, 2, 3, 6, 7, 8, 12])
def test_made_up_trees_use_every_node_once(nodes: int) -> None:
    described = Workload("recursive", "tree", TOKENS, 3, (6, 5), nodes)
    tree = example_batch(described, 1, torch.Generator())[0][0]
    children = tree[:, 1:].flatten()
    used = sorted(children[children > 0].tolist())
    first = 1 + (nodes % 2 == 0)
    assert used == list(range(first, nodes))  # all but the root, which stands last
    places = torch.arange(1, nodes + 1)[:, None]
    assert (tree[:, 1:] < places).all()


def ring_graph() -> Graph:
    """0 - 1 - 2 - 3 - 0 and node 4 alone."""
    there = torch.tensor([[0, 1, 2, 3], [1, 2, 3, 0]])
    return Graph(
        torch.randn(5, 4, generator=torch.Generator().manual_seed(0)), torch.cat([there, there.flip(0)], dim=1)
    )


def test_a_node_hears_the_mean_of_its_neighbours() -> None:
    values, edges = ring_graph()
    heard = mean_of_neighbours(values, edges)
    torch.testing.assert_close(heard[0], (values[1] + values[3]) / 2)
    assert heard[4].tolist() == [0, 0, 0, 0]


def test_numbers_of_nodes_mean_nothing() -> None:
    torch.manual_seed(0)
    made = build(Workload("gnn", "graph", 4, 2, (6, 6)))
    values, edges = ring_graph()
    order = torch.tensor([3, 0, 4, 1, 2])
    place = order.argsort()
    with torch.no_grad():
        torch.testing.assert_close(made(Graph(values[order], place[edges])), made(Graph(values, edges))[order])


@pytest.mark.parametrize(("rounds", "reached"), [(1, {1, 3}), (2, {0, 1, 2, 3})])
def test_a_message_goes_one_edge_a_round(rounds: int, reached: set[int]) -> None:
    """Away from node 0; itself it hears again after two."""
    torch.manual_seed(1)
    made = build(Workload("gnn", "graph", 4, 2, (16,) * rounds, activation="tanh"))
    values, edges = ring_graph()
    values.requires_grad_()
    seen = set()
    for node in range(5):
        (gradient,) = torch.autograd.grad(made(Graph(values, edges))[node].sum(), values)
        if gradient[0].abs().sum() > 0:
            seen.add(node)
    assert seen == reached | {0}
