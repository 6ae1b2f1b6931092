"""The governor of the processor's clock (kernel: Documentation/admin-guide/pm/cpufreq.rst, intel_pstate.rst)."""

from __future__ import annotations

from collections.abc import Callable

from advisor.machine.host import Tree
from advisor.machine.parts import Clocks

_CPUS = "/sys/devices/system/cpu"
_POLICIES = f"{_CPUS}/cpufreq"


def detect_clocks(tree: Tree) -> Clocks | None:
    """Over all cores; None where the system tells nothing of them."""
    policies = [f"{_POLICIES}/{name}" for name in tree.names(_POLICIES) if name.startswith("policy")]

    def words(name: str) -> tuple[str, ...]:
        found = {tree.read_word(f"{policy}/{name}") for policy in policies}
        return tuple(sorted(word for word in found if word is not None))

    def hertz(name: str, choose: Callable[[list[int]], int]) -> int | None:
        found = [tree.read_integer(f"{policy}/{name}") for policy in policies]
        known = [kilohertz * 1000 for kilohertz in found if kilohertz is not None and kilohertz > 0]
        return choose(known) if known else None

    drivers = words("scaling_driver")
    clocks = Clocks(
        governors=words("scaling_governor"),
        preferences=words("energy_performance_preference"),
        driver=drivers[0] if drivers else None,
        now_hertz=hertz("scaling_cur_freq", max) or _now(tree),
        min_hertz=hertz("cpuinfo_min_freq", min),
        max_hertz=hertz("cpuinfo_max_freq", max),
        turbo=_turbo(tree),
    )
    return None if clocks == Clocks() else clocks


def _now(tree: Tree) -> int | None:
    """The fastest `cpu MHz` of /proc/cpuinfo."""
    fastest = 0.0
    for line in (tree.read("/proc/cpuinfo") or "").splitlines():
        key, _, value = line.partition(":")
        if key.strip() == "cpu MHz":
            try:
                megahertz = float(value)
            except ValueError:
                continue
            if megahertz < 100_000:  # no clock is faster than 100 GHz, so that is damage
                fastest = max(fastest, megahertz)
    return round(fastest * 1e6) or None


def _turbo(tree: Tree) -> bool | None:
    never = tree.read_integer(f"{_CPUS}/intel_pstate/no_turbo")
    if never is not None:
        return never == 0
    boost = tree.read_integer(f"{_POLICIES}/boost")
    return None if boost is None else boost == 1
