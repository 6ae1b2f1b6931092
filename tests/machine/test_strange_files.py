"""Whatever stands in the files below /proc and /sys, detection ends with a machine."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

from advisor.machine.detection.detection import Machine, detect, look_closer
from tests.properties import examples

from .recorded import RecordedHost

CPU, NODE, GROUP = "/sys/devices/system/cpu", "/sys/devices/system/node", "/sys/fs/cgroup"
KFD, CARD = "/sys/class/kfd/kfd/topology/nodes/1", "/sys/class/drm/renderD128/device"
BLOCK = "/sys/dev/block/8:1"
ORDINARY = {
    "/proc/cpuinfo": "processor\t: 0\nphysical id\t: 0\ncore id\t: 0\nflags\t: avx2\ncpu MHz\t: 1000.0\n",
    "/proc/meminfo": "MemTotal: 1000 kB\nSwapTotal: 10 kB\nSwapFree: 5 kB\n",
    "/proc/self/cgroup": "0::/\n",
    "/proc/self/mountinfo": "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n2 1 0:23 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
    "/proc/self/status": "Mems_allowed_list:\t0\n",
    f"{CPU}/smt/active": "1",
    f"{CPU}/cpu0/topology/core_cpus_list": "0",
    f"{CPU}/cpu0/topology/physical_package_id": "0",
    f"{CPU}/cpu0/cache/index0/shared_cpu_list": "0",
    f"{CPU}/cpu0/cache/index0/level": "1",
    f"{CPU}/cpu0/cache/index0/type": "Data",
    f"{CPU}/cpu0/cache/index0/size": "32K",
    f"{CPU}/cpufreq/policy0/scaling_governor": "powersave",
    f"{CPU}/cpufreq/policy0/scaling_cur_freq": "1000",
    f"{CPU}/intel_pstate/no_turbo": "0",
    f"{NODE}/online": "0",
    f"{NODE}/node0/cpulist": "0",
    f"{NODE}/node0/distance": "10",
    f"{NODE}/node0/meminfo": "Node 0 MemTotal: 5 kB",
    f"{GROUP}/cpu.max": "100000 100000",
    f"{GROUP}/memory.max": "1000000",
    f"{GROUP}/memory.current": "1000",
    f"{GROUP}/memory.stat": "inactive_file 1",
    f"{BLOCK}/uevent": "DEVNAME=sda",
    f"{BLOCK}/queue/rotational": "1",
    f"{BLOCK}/device/model": "Some Disk",
    f"{KFD}/properties": "simd_count 4\ndrm_render_minor 128\ngfx_target_version 90010\n",
    f"{KFD}/mem_banks/0/properties": "heap_type 1\nsize_in_bytes 100\n",
    f"{CARD}/mem_info_vram_used": "1",
    f"{CARD}/current_link_speed": "16.0 GT/s PCIe",
    f"{CARD}/hwmon/hwmon0/power1_cap": "1000000",
    "/dev/kfd": "",
    "/sys/firmware/dmi/tables/DMI": "",
    "/sys/class/dmi/id/sys_vendor": "QEMU",
}
numbers = st.integers(-(2**70), 2**70).map(str)
lists = st.lists(st.sampled_from(["0", "1", "7", "-", ",", "99999999999", ":"]), max_size=6).map("".join)
garbage = st.one_of(
    st.binary(max_size=120), numbers.map(str.encode), lists.map(str.encode), st.just(b"9" * 5000), st.just(b"\0/..\0")
)


@examples(150)
@given(st.dictionaries(st.sampled_from(sorted(ORDINARY)), garbage, min_size=1, max_size=4))
@example({"/proc/self/mountinfo": b"1 0 \0:1 / / rw - ext4 /dev/\0 rw\n"})
@example({"/proc/meminfo": b"MemTotal: " + b"9" * 5000 + b" kB\n"})
@example({f"{GROUP}/cpu.max": b"9" * 400 + b" 100000\n"})
@example({"/proc/cpuinfo": b"processor : -1\nprocessor : x\n"})
def test_garbage_in_any_file_never_stops_detection(strange: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for path, text in ORDINARY.items():
            file = root / path.lstrip("/")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(strange.get(path, text.encode()))
        host = RecordedHost(threads=2)
        found = look_closer(detect(root, host), root, host, ["/data"])
        assert Machine.from_json(found.to_json()) == found
