"""Limits of memory other than memory.max: each counts, and what is not a hard one is noted."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.machine.detection.detection import detect, look_closer
from advisor.machine.detection.limits import read_limits
from advisor.machine.host import Tree
from advisor.machine.machine import Machine

from .recorded import RecordedHost

GIB = 2**30
V2 = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n"
V1 = "31 23 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
GROUP = {"proc/self/mountinfo": V2, "proc/self/cgroup": "0::/user.slice/work.slice/u.service\n"}
OLD = {"proc/self/mountinfo": V1, "proc/self/cgroup": "4:memory:/job\n"}
SLICE, WORK = "sys/fs/cgroup/user.slice", "sys/fs/cgroup/user.slice/work.slice"
UNIT, JOB = f"{WORK}/u.service", "sys/fs/cgroup/memory/job"
LIMITS = "Limit                     Soft Limit           Hard Limit           Units     \n"
NODES = {
    "sys/devices/system/node/has_memory": "0-1\n",
    "sys/devices/system/node/node0/meminfo": f"Node 0 MemTotal: {24 * 2**20} kB\n",
    "sys/devices/system/node/node1/meminfo": f"Node 1 MemTotal: {40 * 2**20} kB\n",
}


def made(folder: Path, files: dict[str, str]) -> Path:
    meminfo = f"MemTotal: {64 * 2**20} kB\nMemAvailable: {60 * 2**20} kB\nSwapTotal: {8 * 2**20} kB\nSwapFree: {8 * 2**20} kB\n"
    for place, content in {"proc/meminfo": meminfo, **files}.items():
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return folder


def machine(folder: Path, files: dict[str, str]) -> Machine:
    return detect(made(folder, files), RecordedHost(threads=16))


def address(size: int | str, name: str = "Max address space") -> dict[str, str]:
    return {"proc/self/limits": f"{LIMITS}{name:<25} {size:<20} unlimited            bytes     \n"}


@pytest.mark.parametrize(
    ("files", "gibibytes", "note"),
    [
        ({**GROUP, f"{UNIT}/memory.high": f"{4 * GIB}\n", f"{UNIT}/memory.max": "max\n"}, 4, "Beyond 4 GiB the kernel"),
        ({**GROUP, f"{WORK}/memory.high": f"{6 * GIB}\n"}, 6, "memory.high of /sys/fs/cgroup/user.slice/work.slice."),
        ({**GROUP, f"{SLICE}/memory.high": f"{6 * GIB}", f"{UNIT}/memory.high": f"{9 * GIB}"}, 6, "user.slice."),
        ({**GROUP, f"{UNIT}/memory.high": f"{8 * GIB}\n", f"{UNIT}/memory.max": f"{4 * GIB}\n"}, 4, None),
        ({**GROUP, f"{UNIT}/memory.high": f"{4 * GIB}\n", f"{UNIT}/memory.max": f"{4 * GIB}\n"}, 4, None),
        ({**GROUP, f"{UNIT}/memory.high": f"{3 * GIB}\n", f"{UNIT}/memory.max": f"{4 * GIB}\n"}, 3, "Beyond 3 GiB"),
        ({**GROUP, f"{UNIT}/memory.high": "max\n", f"{UNIT}/memory.max": "max\n"}, 64, None),
        ({**GROUP, f"{UNIT}/memory.high": "0\n"}, 64, "memory.high of /sys/fs/cgroup/user.slice/work.slice/u.service is 0"),
        ({**GROUP, f"{UNIT}/memory.low": f"{GIB}\n", f"{UNIT}/memory.min": f"{GIB}\n"}, 64, None),
        ({**GROUP, f"{UNIT}/memory.high": f"{99 * GIB}\n"}, 64, None),
        ({**GROUP, f"{UNIT}/memory.high": "rubbish\n"}, 64, None),
        ({**OLD, f"{JOB}/memory.soft_limit_in_bytes": f"{4 * GIB}\n"}, 64, "uses beyond 4 GiB (soft limit"),
        ({**OLD, f"{JOB}/memory.soft_limit_in_bytes": f"{2**63 - 4096}\n"}, 64, None),
        ({**OLD, f"{JOB}/memory.limit_in_bytes": f"{2 * GIB}", f"{JOB}/memory.soft_limit_in_bytes": f"{4 * GIB}"}, 2, None),
        (address(8 * GIB), 8, "may reserve 8 GiB of memory at most (ulimit -v)"),
        (address(8 * GIB, "Max data size"), 8, "(ulimit -d)"),
        (address("unlimited"), 64, None),
        ({**NODES, "proc/self/status": "Mems_allowed_list:\t0\n"}, 24, "of NUMA node 0 alone, 24 GiB"),
        ({**NODES, "proc/self/status": "Mems_allowed_list:\t0-1\n"}, 64, None),
        ({**NODES, "proc/self/status": "Mems_allowed_list:\t0-63\n"}, 64, None),
        ({"proc/self/status": "Mems_allowed_list:\t0\n"}, 64, None),
    ],
)  # fmt: skip
def test_the_tightest_limit_holds_and_is_noted(
    files: dict[str, str], gibibytes: int, note: str | None, tmp_path: Path
) -> None:
    found = machine(tmp_path, files)
    assert found.memory_bytes == gibibytes * GIB
    told = [one for one in found.notes if "py-cpuinfo" not in one]
    assert len(told) == (note is not None), told
    assert note is None or note in told[0]


def test_what_is_left_of_memory_high_is_less_than_what_the_machine_has(tmp_path: Path) -> None:
    files = {**GROUP, f"{UNIT}/memory.high": f"{4 * GIB}\n", f"{UNIT}/memory.current": f"{GIB}\n"}
    folder, host = made(tmp_path, files), RecordedHost(threads=16)
    assert look_closer(detect(folder, host), folder, host).memory_available_bytes == 3 * GIB


@pytest.mark.parametrize(
    ("files", "swap"),
    [
        ({**GROUP, f"{UNIT}/memory.swap.max": "0\n"}, 0),
        ({**GROUP, f"{WORK}/memory.swap.max": f"{2 * GIB}\n", f"{UNIT}/memory.swap.max": "max\n"}, 2 * GIB),
        (
            {**OLD, f"{JOB}/memory.limit_in_bytes": f"{2 * GIB}", f"{JOB}/memory.memsw.limit_in_bytes": f"{3 * GIB}"},
            GIB,
        ),
        (GROUP, 8 * GIB),
    ],
)
def test_swap_space_is_that_of_the_group(files: dict[str, str], swap: int, tmp_path: Path) -> None:
    folder, host = made(tmp_path, files), RecordedHost(threads=16)
    assert look_closer(detect(folder, host), folder, host).swap_bytes == swap


SIZES = st.lists(st.tuples(*[st.one_of(st.none(), st.integers(1, 2**40))] * 2), min_size=1, max_size=4)


@settings(deadline=None)
@given(SIZES)
def test_the_tightest_of_all_groups_and_kinds_holds(chain: list[tuple[int | None, int | None]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path, files = "", {}
        for depth, (high, most) in enumerate(chain):
            path += f"/level{depth}"
            files[f"sys/fs/cgroup{path}/memory.high"] = f"{high or 'max'}\n"
            files[f"sys/fs/cgroup{path}/memory.max"] = f"{most or 'max'}\n"
        files |= {"proc/self/mountinfo": V2, "proc/self/cgroup": f"0::{path}\n"}
        tree = Tree(made(Path(folder), files))
        known = [size for pair in chain for size in pair if size is not None]
        assert read_limits(tree).memory_bytes == min(known, default=None)
        high, most = (min((pair[kind] or 2**60 for pair in chain), default=2**60) for kind in (0, 1))
        assert len(tree.notes) == (high < min(most, 64 * GIB))
