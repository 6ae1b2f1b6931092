"""Disks that are not what their names say, and file systems over several of them. The files are made up."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.machine.detection.disks import disk_behind
from advisor.machine.host import Tree
from advisor.machine.parts import Disk, DiskKind

from .recorded import RecordedHost


def drive(root: Path, name: str, rotational: int = 0, model: str = "A drive") -> Path:
    """A drive as the kernel shows it, listed among the block devices."""
    folder = root / "sys/devices/pci" / name
    (folder / "queue").mkdir(parents=True)
    (folder / "device").mkdir()
    (folder / "uevent").write_text(f"DEVNAME={name}\n")
    (folder / "queue/rotational").write_text(f"{rotational}\n")
    (folder / "device/model").write_text(f"{model}\n")
    listed = root / "sys/class/block"
    listed.mkdir(parents=True, exist_ok=True)
    (listed / name).symlink_to(folder)
    return folder


def mounted(root: Path, device: str, file_system: str, source: str) -> Disk:
    (root / "proc/self").mkdir(parents=True)
    (root / "proc/self/mountinfo").write_text(f"29 1 {device} / / rw - {file_system} {source} rw\n")
    return disk_behind("/data", Tree(root), RecordedHost())


def several(root: Path, *drives: Path) -> None:
    """A btrfs file system over these drives."""
    devices = root / "sys/fs/btrfs/some-uuid/devices"
    devices.mkdir(parents=True)
    for folder in drives:
        (devices / folder.name).symlink_to(folder)


@pytest.mark.parametrize(
    ("other", "kind"),
    [("nvme1n1", DiskKind.NVME), ("sdb", DiskKind.HDD), ("nbd0", None)],
)
def test_btrfs_over_several_devices_is_as_slow_as_the_slowest(
    tmp_path: Path, other: str, kind: DiskKind | None
) -> None:
    several(tmp_path, drive(tmp_path, "nvme0n1"), drive(tmp_path, other, rotational=1))
    assert mounted(tmp_path, "0:26", "btrfs", "/dev/nvme0n1").kind is kind


def test_btrfs_whose_devices_are_not_listed_is_of_unknown_kind(tmp_path: Path) -> None:
    drive(tmp_path, "nvme0n1")
    several(tmp_path, drive(tmp_path, "sdb"))
    assert mounted(tmp_path, "0:26", "btrfs", "/dev/nvme0n1").kind is None


def test_a_volume_is_found_by_the_name_that_it_is_mounted_with(tmp_path: Path) -> None:
    volume = tmp_path / "sys/devices/virtual/block/dm-3"
    (volume / "slaves").mkdir(parents=True)
    (volume / "slaves/sda").symlink_to(drive(tmp_path, "sda"))
    (volume / "dm").mkdir()
    (volume / "dm/name").write_text("home\n")
    (tmp_path / "sys/class/block/dm-3").symlink_to(volume)
    several(tmp_path, volume)
    assert mounted(tmp_path, "0:26", "btrfs", "/dev/mapper/home").kind is DiskKind.SSD


@pytest.mark.parametrize("model", ["nvme_card-pd", "Amazon Elastic Block Store", "MSFT NVMe Accelerator v1.0"])
def test_a_disk_of_a_data_centre_is_no_local_nvme_disk(tmp_path: Path, model: str) -> None:
    (tmp_path / "sys/dev/block").mkdir(parents=True)
    (tmp_path / "sys/dev/block/259:0").symlink_to(drive(tmp_path, "nvme0n1", model=model))
    found = mounted(tmp_path, "259:0", "ext4", "/dev/nvme0n1")
    assert (found.kind, found.virtual) == (None, True)


def test_the_local_disk_of_a_virtual_machine_stays_one(tmp_path: Path) -> None:
    several(tmp_path, drive(tmp_path, "nvme0n1", model="nvme_card0"))
    assert mounted(tmp_path, "0:26", "btrfs", "/dev/nvme0n1").kind is DiskKind.NVME
