"""Memory modules as the firmware lists them: SMBIOS tables, structures of type 17 (DMTF DSP0134, section 7.18)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.machine.host import Tree
from advisor.machine.parts import MemoryModules
from advisor.wording import printable

_TABLE = "/sys/firmware/dmi/tables/DMI"
_MEMORY_DEVICE = 17
_END = 127
_KINDS = {
    0x18: "DDR3",
    0x1A: "DDR4",
    0x1E: "LPDDR4",
    0x20: "HBM",
    0x21: "HBM2",
    0x22: "DDR5",
    0x23: "LPDDR5",
    0x24: "HBM3",
}
_UNKNOWN = (0, 0xFFFF)
_CHANNEL = re.compile(r"(?:^|.*\W)(P\d+\W+)?CHANNEL\W?([A-Z0-9])", re.IGNORECASE)


def memory_modules(tree: Tree) -> MemoryModules | None:
    """None where there is no table, where only root may read it (a note says so), and on most virtual machines."""
    data = tree.read_bytes(_TABLE)
    if data is None:
        return None
    filled = [part for part in _structures(data) if _word(part[0], 0x0C) not in (None, *_UNKNOWN)]
    if not filled:
        return None
    kinds = {_KINDS.get(body[0x12]) for body, _ in filled if len(body) > 0x12}
    speeds = [_speed(body) for body, _ in filled]
    known = [speed for speed in speeds if speed is not None]
    return MemoryModules(
        count=len(filled),
        kind=kinds.pop() if len(kinds) == 1 else None,
        transfers_per_second=min(known) if len(known) == len(filled) else None,
        channels=_channels([texts for _, texts in filled]),
    )


def _structures(data: bytes) -> Iterator[tuple[bytes, list[str]]]:
    """The formatted part and the strings of each memory device, as far as the table is whole."""
    start = 0
    while start + 4 <= len(data):
        kind, length = data[start], data[start + 1]
        end = data.find(b"\0\0", start + length)
        if length < 4 or end < 0 or kind == _END:
            return
        if kind == _MEMORY_DEVICE:
            texts = data[start + length : end].split(b"\0")
            yield data[start : start + length], [printable(text.decode("latin-1")) for text in texts]
        start = end + 2


def _speed(body: bytes) -> int | None:
    """Transfers per second: as configured where that is known (offset 0x20), else what the module can do (0x15)."""
    for offset in (0x20, 0x15):
        megatransfers = _word(body, offset)
        if megatransfers is not None and megatransfers not in _UNKNOWN:
            return megatransfers * 1_000_000
    return None


def _word(body: bytes, offset: int) -> int | None:
    return int.from_bytes(body[offset : offset + 2], "little") if len(body) >= offset + 2 else None


def _channels(texts: list[list[str]]) -> int | None:
    """Channels have no field: only where every module's name or bank says `CHANNEL A` are they counted."""
    channels: set[str] = set()
    for names in texts:
        found = [match for match in map(_CHANNEL.match, names) if match]
        if not found:
            return None
        channels.add(f"{found[0][1] or ''}{found[0][2]}".upper())
    return len(channels)
