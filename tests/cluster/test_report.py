"""What people read of a cluster."""

from dataclasses import replace

from advisor.cluster.profile import Finding, Kind, Node, Rank, Timed
from advisor.cluster.report import text
from tests.cluster.made import profile


def test_a_report_tells_ranks_exchanges_and_pairs() -> None:
    assert text(profile()) == (
        "Cluster: 2 nodes, 4 ranks on cpu, by gloo, torch 2.13, 2030-01-02\n"
        "\n"
        "No rank and no link is slow.\n"
        "\n"
        "Ranks, all at once (2 products of matrices of 1,024 rows and columns, in 32 bits):\n"
        "  rank  node  products  to the others\n"
        "  0     a     200 ms    1.00x\n"
        "  1     a     200 ms    1.00x\n"
        "  2     b     200 ms    1.00x\n"
        "  3     b     200 ms    1.00x\n"
        "\n"
        "Exchanges (seconds = latency + bytes / rate):\n"
        "  exchange    group          ranks  latency  rate     rate of a ring's link\n"
        "  all-reduce  inside a node  2      100 us   1 GB/s   1 GB/s\n"
        "  all-reduce  across nodes   2      2 ms     10 MB/s  10 MB/s\n"
        "  all-reduce  all ranks      4      6 ms     5 MB/s   7.5 MB/s\n"
        "\n"
        "Point to point inside a node, 1 pair: 2 GB/s in the median (2 GB/s to 2 GB/s), latency 50 us (50 us to 50 us)\n"
        "  ranks  latency  there   back\n"
        "  0 - 1  50 us    2 GB/s  2 GB/s\n"
        "Point to point across nodes, 1 pair: 11.5 MB/s in the median (11 MB/s to 12 MB/s), latency 1 ms (1 ms to 1 ms)\n"
        "  ranks  latency  there    back\n"
        "  0 - 2  1 ms     12 MB/s  11 MB/s\n"
    )


def test_what_is_slow_comes_first() -> None:
    told = text(replace(profile(), findings=(Finding(Kind.SLOW_RANK, (3,), 1.4, "Rank 3 is slow."),)))
    assert told.index("Slow:\n- Rank 3 is slow.") < told.index("Ranks, all at once")
    assert "No rank" not in told


def test_a_measurement_that_ended_early_says_so_and_judges_nothing() -> None:
    told = text(replace(profile(), ended="Rank 2 (node b) no longer answers."))
    assert "It ended before its time: Rank 2 (node b) no longer answers. What had been measured" in told
    assert "Nothing is said of slow ranks and links." in told


def test_of_many_ranks_the_slowest_are_shown() -> None:
    ranks = tuple(Rank(rank, "a", "cpu", Timed((0.1,)), 1 + rank / 100) for rank in range(40))
    told = text(replace(profile(), nodes=(Node("a", tuple(range(40))),), ranks=ranks))
    assert "  39    a" in told
    assert "  7     a" not in told
    assert "and 8 more, which are faster" in told
