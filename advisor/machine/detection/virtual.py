"""Signs of a virtual machine, and of a container around this process."""

from __future__ import annotations

from advisor.machine.host import Host, Tree, pairs

_DMI = "/sys/class/dmi/id"
# What makers of hypervisors write into the firmware of the machines they make: a part of maker or product.
_BY_FIRMWARE = {
    "vmware": "VMware",
    "virtualbox": "VirtualBox",
    "innotek": "VirtualBox",
    "google compute engine": "Google Compute Engine",
    "amazon ec2": "Amazon EC2",
    "microsoft corporation virtual": "Hyper-V",
    "parallels": "Parallels",
    "bhyve": "bhyve",
    "openstack": "OpenStack",
    "kvm": "KVM",
    "qemu": "QEMU",
    "xen": "Xen",
}


def hypervisor(tree: Tree, host: Host) -> tuple[bool | None, str | None]:
    """True under a hypervisor (None: no sign either way), and its name where it is known."""
    name = _name(tree, host)
    if name is not None:
        return True, name
    flags = next((value.split() for key, value in pairs(tree.read("/proc/cpuinfo")) if key == "flags"), None)  # of x86
    return (None if flags is None else "hypervisor" in flags), None


def _name(tree: Tree, host: Host) -> str | None:
    if "microsoft" in (host.kernel() or "").lower():
        return "WSL 2"
    if tree.read_word("/sys/hypervisor/type") == "xen" and tree.read_word("/sys/hypervisor/uuid") is not None:
        return "Xen"
    firmware = f"{tree.read_word(f'{_DMI}/sys_vendor') or ''} {tree.read_word(f'{_DMI}/product_name') or ''}".lower()
    if "metal" in firmware:
        return None  # `m7i.metal-24xl` of Amazon EC2 is a whole computer
    return next((name for part, name in _BY_FIRMWARE.items() if part in firmware), None)


def container(tree: Tree) -> str | None:
    """Its kind, or None where nothing speaks of one."""
    groups = tree.read("/proc/self/cgroup") or ""
    if "kubepods" in groups or tree.exists("/run/secrets/kubernetes.io"):
        return "kubernetes"
    if tree.exists("/run/.containerenv"):
        return "podman"
    if tree.exists("/.dockerenv") or "/docker" in groups:
        return "docker"
    if "/lxc" in groups:
        return "lxc"
    return "apptainer" if tree.exists("/.singularity.d") else None
