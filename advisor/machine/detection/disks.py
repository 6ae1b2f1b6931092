"""The storage behind a folder: the file system, and the kind of disk that it lies on.

/proc/self/mountinfo (proc(5)) tells the file system and the numbers of its device; /sys/dev/block leads from these to
the disk, through partitions, encryption, volumes and arrays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from advisor.machine.host import Host, Tree, pairs
from advisor.machine.parts import Disk, DiskKind

_NETWORK = frozenset(
    (
        *("nfs", "nfs4", "cifs", "smb3", "smbfs", "lustre", "ceph", "glusterfs", "gpfs", "beegfs", "afs", "orangefs"),
        *("pvfs2", "wekafs", "ocfs2", "davfs", "9p", "fuse.sshfs", "fuse.s3fs", "fuse.gcsfuse", "fuse.rclone"),
        *("fuse.goofys", "fuse.glusterfs", "fuse.ceph-fuse", "fuse.mount-s3"),
    )
)
_MEMORY = frozenset(("tmpfs", "ramfs", "devtmpfs"))
_VIRTUAL = ("vd", "xvd")
"""Disks of virtio and Xen"""
_VIRTUAL_MODELS = ("virtual", "qemu", "vbox", "persistentdisk", "nvme_card-pd", "elastic block stor", "msft")
"""Parts of the names that hypervisors and data centres give to disks, in their network for the most part. Some are
driven like local NVMe disks: `nvme_card-pd` of Google Compute Engine, `Amazon Elastic Block Store`."""
_DEEPEST = 8
"""Layers of encryption, volumes and arrays over each other"""


@dataclass(frozen=True, slots=True)
class _Mount:
    device: str
    point: str
    file_system: str
    source: str


def disk_behind(path: str, tree: Tree, host: Host) -> Disk:
    """The storage behind a file or folder, or behind the nearest folder above that exists. Costs a millisecond."""
    place = host.real_path(path)
    if place is None:
        return Disk(folder=path)
    total, free = host.space(place) or (None, None)
    disk = Disk()
    if (mount := _mount_of(place, tree)) is not None:
        disk = replace(_drive(mount, tree), file_system=mount.file_system, mount_point=mount.point, device=mount.source)
    return replace(disk, total_bytes=total, free_bytes=free, folder=path)


def _mount_of(place: str, tree: Tree) -> _Mount | None:
    """The mount with the longest name above the place; the last of equal ones, since it hides the others."""
    mounts = list(_mounts(tree.read("/proc/self/mountinfo") or ""))
    above = (mount for mount in reversed(mounts) if PurePosixPath(place).is_relative_to(mount.point))
    return max(above, key=lambda mount: len(mount.point), default=None)


def _mounts(mountinfo: str) -> Iterator[_Mount]:
    for line in mountinfo.splitlines():
        before, _, after = line.partition(" - ")
        fields, kind = before.split(), after.split()
        if len(fields) >= 5 and len(kind) >= 2:
            yield _Mount(fields[2], _unescaped(fields[4]), kind[0], _unescaped(kind[1]))


def _unescaped(text: str) -> str:
    r"""Blanks in names stand there as \040."""
    return re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), text)


def _drive(mount: _Mount, tree: Tree) -> Disk:
    if mount.file_system in _NETWORK:
        return Disk(DiskKind.NETWORK)
    if mount.file_system in _MEMORY:
        return Disk(DiskKind.MEMORY)
    if mount.file_system == "virtiofs":
        return Disk(virtual=True)
    folder = f"/sys/dev/block/{mount.device}"
    if not mount.device.startswith("0:") and tree.exists(folder):
        return _drive_below(folder, tree, _DEEPEST)
    # btrfs and others have numbers of their own; the source names the device.
    name = _kernel_name(mount.source, tree)
    if name is None:
        return Disk()
    if mount.file_system == "btrfs":
        return _slowest([_drive_below(folder, tree, _DEEPEST) for folder in _devices_of_btrfs(name, tree)])
    return _drive_below(f"/sys/class/block/{name}", tree, _DEEPEST)


def _kernel_name(source: str, tree: Tree) -> str | None:
    """sda3 of /dev/sda3, dm-0 of /dev/mapper/volume; None where the source is no device."""
    name = source.rpartition("/")[2]
    if not source.startswith("/dev/") or name in ("", ".", ".."):
        return None
    if source.startswith("/dev/mapper/"):
        mapped = (one for one in tree.names("/sys/class/block") if one.startswith("dm-"))
        return next((one for one in mapped if tree.read_word(f"/sys/class/block/{one}/dm/name") == name), None)
    return name


def _devices_of_btrfs(name: str, tree: Tree) -> list[str]:
    """Folders of all devices of the file system that has this one; none where the kernel does not list them."""
    for system in tree.names("/sys/fs/btrfs"):
        folder = f"/sys/fs/btrfs/{system}/devices"
        devices = tree.names(folder)
        if name in devices:
            return [f"{folder}/{device}" for device in devices]
    return []


def _slowest(drives: Sequence[Disk]) -> Disk:
    """Several drives as one: an array waits for the slowest, and one unknown drive may be that."""
    kinds = [drive.kind for drive in drives]
    slowest = next((kind for kind in (DiskKind.HDD, DiskKind.SSD, DiskKind.NVME) if kind in kinds), None)
    return Disk(None if None in kinds else slowest, virtual=any(drive.virtual for drive in drives))


def _drive_below(folder: str, tree: Tree, depth: int) -> Disk:
    """The drive of a block device; of several below it the slowest."""
    if tree.exists(f"{folder}/partition"):
        folder = f"{folder}/.."
    below = tree.names(f"{folder}/slaves")
    if below and depth:
        return _slowest([_drive_below(f"{folder}/slaves/{name}", tree, depth - 1) for name in below])
    name = dict(pairs(tree.read(f"{folder}/uevent"), "=")).get("DEVNAME", "")
    model = (
        f"{tree.read_word(f'{folder}/device/vendor') or ''} {tree.read_word(f'{folder}/device/model') or ''}".lower()
    )
    if name.startswith(_VIRTUAL) or any(part in model for part in _VIRTUAL_MODELS):
        return Disk(virtual=True)  # virtio says `rotational` without knowing
    if name.startswith("nvme"):
        return Disk(DiskKind.NVME)
    if name.startswith(("sd", "hd", "mmcblk")):
        rotational = tree.read_integer(f"{folder}/queue/rotational")
        kinds_by_flag = {0: DiskKind.SSD, 1: DiskKind.HDD}
        return Disk(None if rotational is None else kinds_by_flag.get(rotational))
    return Disk(DiskKind.MEMORY if name.startswith(("zram", "ram", "pmem")) else None)
