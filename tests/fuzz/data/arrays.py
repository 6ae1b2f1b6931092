"""NPY and NPZ: arrays of every kind, order, version and shape; headers that promise something else; odd archives."""

from __future__ import annotations

import io
import struct
import warnings
import zipfile
from typing import Any

import numpy
from hypothesis import strategies as st
from numpy.lib import format as npy

from ..case import Case, Format
from .made import Made, cases, valid

KINDS = (
    "<f8", "<f4", "<f8", "<f4", "<i8", "<i4", "|u1", "|u1", "|b1", ">f8", ">i4", ">u2", "<f2", "<i2", "|i1", "<u8",
    "<u4", "<g", "<c8", "<c16",
    "<M8[s]", "<M8[ns]", "<m8[D]", "<M8", "<U5", ">U3", "|S4", "<U0", "|S0", "|V8", "|V0",
)  # fmt: skip
_ANSWERS = ("<i8", "|u1", "|b1", "<f8", "<U5", "|S4", "<i4", ">u2", "<f2")
"""Kinds that can be targets."""
_STRUCTURED = (
    "[('a', '<f8'), ('b', '<i4')]",
    "[('a', '<f8', (2,))]",
    "[('', '|u1')]",
    "[(('t', 'n'), '<f4')]",
    "[('o', '|O')]",
    "('<f8', (3,))",
)
_SHAPES = (
    (), (0,), (1,), (30,), (30, 1), (30, 4), (40, 3), (0, 4), (30, 0), (1, 5), (30, 2, 0), (12, 8, 3), (20, 10, 4),
    (20, 8, 8), (10, 8, 8, 3),
    (10, 3, 8, 8), (10, 8, 8, 1), (10, 1, 5, 9), (10, 5, 5, 4), (10, 2, 2, 2), (3, 2, 2, 2, 2), (11, 6), (60, 2),
    (25, 7, 9), (10, 1, 1), (10, 1, 1, 3),
)  # fmt: skip
_EXAMPLES = tuple(shape for shape in _SHAPES if 2 <= len(shape) <= 4 and 0 not in shape)
_SPECIAL = (numpy.nan, numpy.inf, -numpy.inf, 1e308, -1e308, 5e-324, 0.0, -0.0, 1.5, 2.0**53, 2.0**63, -(2.0**63))


@st.composite
def _array(draw: st.DrawFn, shape: tuple[int, ...] | None = None, kinds: tuple[str, ...] = KINDS) -> Any:
    shape = draw(st.sampled_from(_SHAPES)) if shape is None else shape
    kind = numpy.dtype(draw(st.sampled_from(kinds)))
    draws = numpy.random.default_rng(draw(st.integers(0, 2**32)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        values = numpy.array(_filled(draws, shape, kind), kind)
        if kind.kind in "fc" and draw(st.booleans()):
            _put_special(draw, draws, values)
        elif kind.kind in "iu" and draw(st.integers(0, 3)) == 0 and values.size:
            limits = numpy.iinfo(kind)
            values.flat[0], values.flat[-1] = limits.min, limits.max
    return numpy.asfortranarray(values) if draw(st.integers(0, 4)) == 0 else values


def _filled(draws: Any, shape: tuple[int, ...], kind: Any) -> Any:
    match kind.kind:
        case "f" | "c":
            return (draws.normal(size=shape) * draws.choice([1, 1e-3, 1e6])).astype(kind)
        case "b":
            return draws.integers(0, 2, shape).astype(kind)
        case "i" | "u":
            return draws.integers(0, draws.choice([2, 3, 100]), shape).astype(kind)
        case "M" | "m":
            return (
                draws.integers(0, 1000, shape)
                .astype("<i8")
                .view("<M8[s]" if kind.kind == "M" else "<m8[s]")
                .astype(kind)
            )
        case "U" | "S":
            return draws.choice(["a", "b", "ä" if kind.kind == "U" else "c", ""], shape).astype(kind)
        case _:
            return numpy.zeros(shape, kind)


def _put_special(draw: st.DrawFn, draws: Any, values: Any) -> None:
    special = draw(st.lists(st.sampled_from(_SPECIAL), min_size=1, max_size=3))
    share = draw(st.sampled_from((0.05, 0.5, 1.0)))
    chosen = draws.random(values.shape) < share
    values[chosen] = draws.choice(special, int(chosen.sum())).astype(values.dtype)


def packed(array: Any, version: tuple[int, int] = (1, 0)) -> bytes:
    file = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        npy.write_array(file, array, version, allow_pickle=False)
    return file.getvalue()


def with_header(text: str, data: bytes, version: int = 1) -> bytes:
    """An NPY whose header is this text."""
    header = text.encode("utf-8" if version == 3 else "latin-1", "replace")
    length = struct.pack("<H" if version == 1 else "<I", len(header) & (0xFFFF if version == 1 else 0xFFFFFFFF))
    return b"\x93NUMPY" + bytes([version, 0]) + length + header + data


@st.composite
def _odd_header(draw: st.DrawFn, array: Any) -> bytes:
    """The bytes of an array under a header that is spelled in another way, or says something else."""
    data, shape = array.tobytes(), array.shape
    kind = draw(
        st.one_of(st.just(repr(array.dtype.str)), st.sampled_from(_STRUCTURED), st.sampled_from(KINDS).map(repr))
    )
    if draw(st.booleans()):
        size = draw(st.sampled_from((0, 1, 2**31, 2**32, 2**62, 2**63, 2**64, 10**40, -1, True)))
        place = draw(st.integers(0, max(len(shape) - 1, 0)))
        shape = (*shape[:place], size, *shape[place + 1 :])
    described = draw(
        st.sampled_from(
            (repr(shape), repr(shape), f"[{', '.join(map(str, shape))}]", f"({', '.join(f'{n}L' for n in shape)},)")
        )
    )
    order = draw(st.sampled_from(("False", "False", "True", "0", "None")))
    text = draw(
        st.sampled_from(
            (
                f"{{'descr': {kind}, 'fortran_order': {order}, 'shape': {described}, }}",
                f"{{ 'shape':{described},'descr' :{kind},'fortran_order':{order}}}",
                f'{{"descr": {kind}, "fortran_order": {order}, "shape": {described}, \'more\': 1}}',
                f"{{'descr': {kind}, 'fortran_order': {order}, 'shape': {described}",
                f"dict(descr={kind}, fortran_order={order}, shape={described})",
            )
        )
    )
    version = draw(st.sampled_from((1, 1, 2, 3, 0, 4, 255)))
    padding = draw(st.sampled_from(("\n", " " * 20 + "\n", "", " " * 70_000, "\0", "(" * 3000, "#\n")))
    return with_header(text + padding, data, version)


@st.composite
def arrays(draw: st.DrawFn, *, plain: bool = False) -> Made:
    """One NPY: a tenth unchanged, most valid ones of any kind, the others with odd headers or cut off."""
    kind = 0 if plain else draw(st.integers(0, 9))
    if kind == 0:
        array = draw(_array(draw(st.sampled_from(((30, 4), (40, 2), (12, 8, 3)))), ("<f8", "<f4")))
        array[...] = numpy.nan_to_num(array, posinf=1, neginf=1)
        return Made("unchanged.npy", packed(array), ("0", "-1"), array.shape[0])
    array = draw(_array()) if kind > 6 else draw(_array(draw(st.sampled_from(_EXAMPLES)), KINDS[:17]))
    data = packed(array, draw(st.sampled_from(((1, 0), (1, 0), (2, 0), (3, 0)))))
    if kind == 8:
        data = draw(_odd_header(array))
    elif kind == 9:
        cut = draw(st.integers(0, len(data)))
        data = draw(st.sampled_from((data[:cut], data + b"more", data[:cut] + bytes([cut % 256]) + data[cut + 1 :])))
    return Made(
        draw(st.sampled_from((*["a.npy"] * 8, "a", "a.npz"))),
        data,
        draw(st.sampled_from((("0",), ("-1",), ("1",), ("٣",), ("²",)))) if array.ndim == 2 else (),
    )


_NAMES = (
    "x", "y", "X_train", "y_train", "data", "target", "images", "labels", "a", "arr_0", "arr_1", "", "../up", "a/b",
    "a\\b", "ä", "👩‍👩‍👧‍👦", "\x1b[31m", "a\nb",
    "n" * 300, ".", "-1", "x.npy",
)  # fmt: skip


@st.composite
def archives(draw: st.DrawFn, *, plain: bool = False) -> Made:
    """One NPZ: data and targets of any kind, more arrays, odd members, odd archives."""
    kind = 0 if plain else draw(st.integers(0, 9))
    if kind == 0:
        rows = draw(st.integers(10, 40))
        draws = numpy.random.default_rng(draw(st.integers(0, 2**32)))
        members = [("x.npy", packed(draws.normal(size=(rows, 3)))), ("y.npy", packed(draws.integers(0, 2, rows)))]
        return Made("unchanged.npz", zipped(members), ("y",), rows, 3)
    shape = draw(st.sampled_from(_SHAPES[4:] if kind == 7 else _EXAMPLES))
    data = draw(_array(shape, KINDS[:17]))
    same = draw(st.integers(0, 9)) > 0
    answers = (shape[0] if same else draw(st.sampled_from((0, 1, 7))),)
    answers += draw(st.sampled_from(((), (), (), (), (1,), (3,), (0,) if kind == 7 else (2,))))
    target = draw(_array(answers, draw(st.sampled_from((_ANSWERS, _ANSWERS, _ANSWERS, KINDS)))))
    arrays = [(draw(st.sampled_from(_NAMES[:12])), data), (draw(st.sampled_from(_NAMES)), target)]
    if draw(st.integers(0, 2)) == 0:
        arrays.append((draw(st.sampled_from(_NAMES)), draw(_array())))
    members = [
        (f"{name}.npy", packed(array, draw(st.sampled_from(((1, 0), (1, 0), (2, 0), (3, 0))))))
        for name, array in arrays
    ]
    if kind == 6 and draw(st.booleans()):
        place = draw(st.integers(0, len(members) - 1))
        members[place] = (members[place][0], draw(_odd_header(arrays[place][1])))
    if kind == 7:
        members.insert(draw(st.integers(0, len(members))), draw(st.sampled_from(_ODD_MEMBERS)))
    packing = draw(
        st.sampled_from(
            (
                zipfile.ZIP_STORED,
                zipfile.ZIP_DEFLATED,
                zipfile.ZIP_DEFLATED,
                zipfile.ZIP_BZIP2 if kind == 7 else zipfile.ZIP_DEFLATED,
            )
        )
    )
    content = zipped(members, packing)
    if kind == 8 and draw(st.booleans()):
        content = draw(_odd_archive(content))
    elif kind == 9:
        cut = draw(st.integers(0, len(content)))
        content = draw(
            st.sampled_from(
                (
                    content[:cut],
                    content[:cut] + bytes([cut % 256]) + content[cut + 1 :],
                    b"more" + content,
                    content + b"more",
                )
            )
        )
    targets = (*[arrays[1][0]] * 5, draw(st.sampled_from(_NAMES)))
    return Made(draw(st.sampled_from((*["a.npz"] * 8, "a", "a.npy"))), content, targets)


_ODD_MEMBERS = (
    ("x.npy", b""), ("y.npy", b"\x93NUMPY"), ("folder/", b""), ("x.npy", packed(numpy.zeros((30, 4)))),
    ("readme.txt", b"text"), ("x", b"no array"),
    ("z.npy", packed(numpy.zeros((3, 300_000), "u1"))), ("../../x.npy", packed(numpy.zeros(5))),
    ("o.npy", with_header("{'descr': '|O', 'fortran_order': False, 'shape': (30,), }\n", b"\x80\x04N.")),
)  # fmt: skip


def zipped(members: list[tuple[str, bytes]], packing: int = zipfile.ZIP_STORED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", packing) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of two members with one name
        for name, data in members:
            with archive.open(zipfile.ZipInfo(name[:60_000]), "w", force_zip64=len(data) % 3 == 0) as member:
                member.write(data)
    return file.getvalue()


@st.composite
def _odd_archive(draw: st.DrawFn, content: bytes) -> bytes:
    """Another number in one field of the directory at the end, or of the header of the first member."""
    central, local = content.rfind(b"PK\x01\x02"), content.find(b"PK\x03\x04")
    start, fields = draw(st.sampled_from(((central, _CENTRAL), (local, _LOCAL), (content.rfind(b"PK\x05\x06"), _END))))
    if start < 0:
        return content
    offset, size = draw(st.sampled_from(fields))
    number = draw(
        st.one_of(st.sampled_from((0, 1, 2, 8, 14, 99, 2**16 - 1, 2**32 - 1, 2**31)), st.integers(0, 2**32 - 1))
    )
    place = start + offset
    return content[:place] + (number % 256**size).to_bytes(size, "little") + content[place + size :]


_CENTRAL = ((8, 2), (10, 2), (16, 4), (20, 4), (24, 4), (28, 2), (30, 2), (32, 2), (42, 4))
"""Offset and bytes of flags, packing, checksum, sizes, lengths of names, place of the member."""
_LOCAL = ((6, 2), (8, 2), (14, 4), (18, 4), (22, 4), (26, 2), (28, 2))
_END = ((4, 2), (8, 2), (10, 2), (12, 4), (16, 4), (20, 2))


def _valid() -> list[Case]:
    return valid([Made("a.npy", packed(numpy.eye(30)), rows=30)])


DATA = {"npy": arrays, "npz": archives}
FORMATS = [
    Format("npy", _valid, lambda: cases(arrays())),
    Format("npz", list, lambda: cases(archives()), accepted_share=0.4),
]
