"""Memory modules from SMBIOS tables that are built here field by field, after DMTF DSP0134."""

from __future__ import annotations

import struct
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from advisor.machine.detection.smbios import memory_modules
from advisor.machine.host import Tree
from advisor.machine.parts import MemoryModules

from .recorded import ClosedTree

DDR5, NOTHING_PLUGGED = 0x22, 0


def structure(kind: int, body: bytes, *texts: str) -> bytes:
    strings = b"\0".join(text.encode() for text in texts) + b"\0\0" if texts else b"\0\0"
    return struct.pack("<BBH", kind, len(body) + 4, 1) + body + strings


def module(locator: str, size: int = 16384, able: int = 5600, configured: int = 4800, kind: int = DDR5) -> bytes:
    body = struct.pack(
        "<HHHHHBBBBBHHBBBBBIH", 0, 0, 64, 64, size, 9, 0, 1, 0, kind, 0, able, 0, 0, 0, 0, 0, 0, configured
    )
    return structure(17, body, locator)


BIOS, END = structure(0, b"\1\2", "Some Maker", "1.0"), structure(127, b"")


def written(root: Path, *structures: bytes) -> Tree:
    table = root / "sys/firmware/dmi/tables/DMI"
    table.parent.mkdir(parents=True)
    table.write_bytes(b"".join([BIOS, *structures, END]))
    return Tree(root)


def test_modules_are_counted_with_their_configured_speed_and_channels(tmp_path: Path) -> None:
    tree = written(tmp_path, module("P0 CHANNEL A"), module("P0 CHANNEL B"), module("P0 CHANNEL C", NOTHING_PLUGGED))
    assert memory_modules(tree) == MemoryModules(2, "DDR5", 4_800_000_000, channels=2)


def test_the_slowest_module_counts_and_what_it_can_do_stands_in_for_what_is_configured(tmp_path: Path) -> None:
    found = memory_modules(written(tmp_path, module("DIMM 1"), module("DIMM 2", able=4000, configured=0)))
    assert found == MemoryModules(2, "DDR5", 4_000_000_000, channels=None)


def test_a_module_without_a_speed_leaves_the_speed_unknown(tmp_path: Path) -> None:
    found = memory_modules(written(tmp_path, module("DIMM 0", able=0, configured=0, kind=7)))
    assert found == MemoryModules(1, None, None, None)


def test_no_table_and_no_modules_are_unknown(tmp_path: Path) -> None:
    assert memory_modules(Tree(tmp_path)) is None
    assert memory_modules(written(tmp_path)) is None


def test_a_table_for_the_administrator_only_is_noted(tmp_path: Path) -> None:
    written(tmp_path, module("DIMM 0"))
    tree = ClosedTree(tmp_path, closed=("/sys/firmware",))
    assert memory_modules(tree) is None
    assert tree.notes == ["/sys/firmware/dmi/tables/DMI cannot be read (Permission denied)."]


class Table(Tree):
    """A tree that holds one table and nothing else."""

    content = b""

    def read_bytes(self, path: str) -> bytes:
        return self.content


@given(st.binary(max_size=300) | st.integers(0, 60).map(lambda end: (BIOS + module("CHANNEL A") + END)[:end]))
def test_a_damaged_table_never_stops_detection(content: bytes) -> None:
    tree = Table(Path("/"))
    object.__setattr__(tree, "content", content)
    found = memory_modules(tree)
    assert found is None or found.count > 0
