from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from advisor.children.command import module_command
from advisor.probes.probe import Probe, Setting
from advisor.probes.runner import variables
from advisor.probes.settings.batch import BATCH
from advisor.probes.settings.cores import THREADS
from advisor.probes.workload import Workload

WORKLOAD = Workload("ffn", "tabular", 4, 2)


def environment(probe: Probe, workload: Workload, settings: Sequence[Setting]) -> Mapping[str, str]:
    """Of the child of a probe."""
    return module_command("child", variables(probe, workload, settings)).environment


def test_the_pool_of_threads_is_as_large_as_the_largest_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setenv("OMP_THREAD_LIMIT", "1")
    found = environment(THREADS, WORKLOAD, [1, 2, 6])
    assert (found["OMP_NUM_THREADS"], found["MKL_NUM_THREADS"], found["MKL_DYNAMIC"]) == ("6", "6", "FALSE")
    assert "OMP_THREAD_LIMIT" not in found


@pytest.mark.parametrize("name", ["OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"])
def test_no_thread_is_kept_on_processors_that_the_user_chose(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "0")
    assert name not in environment(THREADS, WORKLOAD, [1, 2])


def test_batch_sizes_are_no_numbers_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    assert environment(BATCH, WORKLOAD, [8, 512])["OMP_NUM_THREADS"] == "3"
    assert environment(BATCH, replace(WORKLOAD, threads=2), [8, 512])["OMP_NUM_THREADS"] == "2"


def test_how_threads_wait_is_left_to_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_WAIT_POLICY", "PASSIVE")
    assert environment(THREADS, WORKLOAD, [1])["OMP_WAIT_POLICY"] == "PASSIVE"
