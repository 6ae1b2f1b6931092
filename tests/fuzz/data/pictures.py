"""Folders of pictures: every kind, mode and size, with fields changed behind the header and checksums made right again."""

from __future__ import annotations

import io
import struct
import warnings
import zlib
from functools import cache
from random import Random

from hypothesis import strategies as st
from PIL import Image

from ..case import Case, Format
from .made import Entry, Made, cases, valid

_MODES = {
    "PNG": ("L", "RGB", "RGBA", "P", "1", "LA", "I;16", "PA"),
    "JPEG": ("L", "RGB", "CMYK"),
    "GIF": ("P", "L", "RGB"),
    "BMP": ("L", "RGB", "1", "P", "RGBA"),
    "TIFF": ("L", "RGB", "RGBA", "CMYK", "1", "P", "I;16", "I", "F", "LAB", "YCbCr", "LA"),
    "WEBP": ("RGB", "RGBA"),
}
_SUFFIXES = {"PNG": b".png", "JPEG": b".jpg", "GIF": b".gif", "BMP": b".bmp", "TIFF": b".tif", "WEBP": b".webp"}
_SIZES = ((16, 16), (8, 8), (1, 1), (1, 40), (40, 1), (17, 23), (64, 48), (100, 90), (2000, 1), (1, 2000), (2, 2))
_OPTIONS: dict[str, tuple[dict[str, object], ...]] = {
    "PNG": ({}, {"optimize": True}, {"compress_level": 0}, {"transparency": 0}),
    "JPEG": (
        {},
        {"progressive": True},
        {"quality": 1},
        {"subsampling": 0},
        {"restart_marker_blocks": 1},
        {"icc_profile": b"garbage" * 30},
        {"comment": b"c" * 300},
    ),
    "GIF": ({}, {"save_all": True}, {"transparency": 0}, {"interlace": 1, "comment": b"x" * 300}),
    "BMP": ({},),
    "TIFF": (
        {},
        {"compression": "tiff_lzw"},
        {"compression": "tiff_deflate"},
        {"compression": "packbits"},
        {"save_all": True},
    ),
    "WEBP": ({}, {"lossless": True}, {"save_all": True}, {"quality": 1}),
}


@cache
def valid_picture(kind: str, mode: str, size: tuple[int, int], option: int, seed: int, orientation: int = 0) -> bytes:
    """A picture as its library writes it."""
    draw, file = Random(seed), io.BytesIO()
    options = dict(_OPTIONS[kind][option % len(_OPTIONS[kind])])
    picture = _picture(mode, size, draw)
    if kind == "GIF" or mode not in ("RGB", "RGBA"):
        options.pop("transparency", None) if mode not in ("L", "P") else None
    if options.get("save_all"):
        options["append_images"] = [_picture(mode, size, draw) for _ in range(2)]
    if orientation and kind in ("JPEG", "PNG", "TIFF", "WEBP"):
        exif = Image.Exif()
        exif[0x0112] = orientation
        options["exif"] = exif
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            picture.save(file, kind, **options)
        except (OSError, ValueError, KeyError, TypeError, RuntimeError):  # not every option goes with every mode
            file = io.BytesIO()
            picture.convert("RGB" if kind != "GIF" else "L").save(file, kind)
    return file.getvalue()


def _picture(mode: str, size: tuple[int, int], draw: Random) -> Image.Image:
    pixels = Image.frombytes("L", size, draw.randbytes(size[0] * size[1]))
    if mode == "I;16":
        return Image.frombytes("I;16", size, draw.randbytes(2 * size[0] * size[1]))
    if mode in ("PA", "LAB"):
        return pixels.convert("RGB").convert("P").convert("PA") if mode == "PA" else Image.merge("LAB", [pixels] * 3)
    return pixels.convert("RGB").convert(mode) if mode not in ("I", "F") else pixels.convert(mode)


@st.composite
def _plain(draw: st.DrawFn) -> tuple[str, bytes]:
    kind = draw(st.sampled_from(tuple(_MODES)))
    mode, size = draw(st.sampled_from(_MODES[kind])), draw(st.sampled_from(_SIZES))
    option, seed = draw(st.integers(0, 7)), draw(st.integers(0, 3))
    return kind, valid_picture(kind, mode, size, option, seed, draw(st.sampled_from((0, 0, 0, 3, 6, 8))))


_NUMBERS = (0, 1, 2, 3, 4, 7, 8, 16, 17, 32, 127, 128, 255, 2**15, 2**16 - 1, 2**24, 2**31 - 1, 2**31, 2**32 - 1)


@st.composite
def _changed(draw: st.DrawFn) -> tuple[str, bytes]:
    kind, data = draw(_plain())
    for _ in range(draw(st.integers(1, 2))):
        how = draw(st.integers(0, 7))
        if how == 0:
            data = data[: draw(st.integers(0, len(data)))]
        elif how == 1:
            data += draw(st.sampled_from((b"\0", b"more" * 100, data)))
        elif kind == "PNG":
            data = _changed_png(draw, data)
        elif kind == "JPEG":
            data = _changed_jpeg(draw, data)
        else:
            data = _changed_field(draw, data, _FIELDS[kind])
    return kind, data


def _put(data: bytes, place: int, piece: bytes) -> bytes:
    return data[:place] + piece + data[place + len(piece) :]


_HEADERS_OF_PNG = ((8, 1), (9, 1), (10, 1), (11, 1), (12, 1), (0, 4), (4, 4))
"""Offset and bytes: depth, kind of colour, packing, filter, interlacing, width, height."""


def _changed_png(draw: st.DrawFn, data: bytes) -> bytes:
    """One chunk changed, doubled, moved, left out or added, each with its right checksum."""
    chunks = _chunks(data)
    if not chunks:
        return data
    place = draw(st.integers(0, len(chunks) - 1))
    name, content = chunks[place]
    match draw(st.integers(0, 6)):
        case 0:
            offset, size = draw(st.sampled_from(_HEADERS_OF_PNG))
            number = draw(st.sampled_from(_NUMBERS)) % 256**size
            chunks[0] = (chunks[0][0], _put(chunks[0][1], offset, number.to_bytes(size, "big")))
        case 1 | 2 if content:
            cut = draw(st.integers(0, len(content) - 1))
            chunks[place] = (name, _put(content, cut, draw(st.binary(min_size=1, max_size=min(4, len(content) - cut)))))
        case 3:
            chunks.insert(draw(st.integers(0, len(chunks))), (name, content))
        case 4:
            del chunks[place]
        case 5:
            number = draw(st.sampled_from((0, 1, 3, 6, 255, 256, 257, 768, 771)))
            added = draw(
                st.sampled_from(
                    (
                        b"tRNS",
                        b"PLTE",
                        b"gAMA",
                        b"iCCP",
                        b"tEXt",
                        b"zTXt",
                        b"iTXt",
                        b"eXIf",
                        b"acTL",
                        b"fcTL",
                        b"fdAT",
                        b"pHYs",
                        b"sBIT",
                        b"bKGD",
                        b"cHRM",
                        b"zzZZ",
                        b"ABCD",
                    )
                )
            )
            chunks.insert(
                draw(st.integers(1, len(chunks))),
                (added, draw(st.binary(max_size=40)) if draw(st.booleans()) else bytes(number)),
            )
        case _:
            inside = _unpacked(chunks)
            if inside:
                cut = draw(st.integers(0, len(inside) - 1))
                inside = draw(
                    st.sampled_from((inside[:cut], _put(inside, cut, b"\xff"), inside * 3, b"\x05" * len(inside)))
                )
                rest = [chunk for chunk in chunks if chunk[0] != b"IDAT"]
                chunks = [*rest[:-1], (b"IDAT", zlib.compress(inside)), *rest[-1:]]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
        for name, content in chunks
    )


def _chunks(data: bytes) -> list[tuple[bytes, bytes]]:
    chunks, place = [], 8
    while place + 12 <= len(data):
        size = int.from_bytes(data[place : place + 4], "big")
        chunks.append((data[place + 4 : place + 8], data[place + 8 : place + 8 + size]))
        place += 12 + size
    return chunks


def _unpacked(chunks: list[tuple[bytes, bytes]]) -> bytes:
    try:
        return zlib.decompress(b"".join(content for name, content in chunks if name == b"IDAT"))
    except zlib.error:
        return b""


def _changed_jpeg(draw: st.DrawFn, data: bytes) -> bytes:
    """One segment's field changed, a segment doubled or left out, or bytes of the entropy-coded part."""
    places = [place for place in range(2, len(data) - 4) if data[place] == 0xFF and data[place + 1] not in (0, 0xFF)]
    if not places:
        return data
    place = draw(st.sampled_from(places))
    size = int.from_bytes(data[place + 2 : place + 4], "big") + 2
    match draw(st.integers(0, 4)):
        case 0:
            return _put(data, place + 1, bytes([draw(st.integers(0, 255))]))
        case 1:
            return _put(data, place + 2, draw(st.integers(0, 2**16 - 1)).to_bytes(2, "big"))
        case 2:
            offset = place + 4 + draw(st.integers(0, min(max(size - 5, 0), 40)))
            return _put(data, offset, bytes([draw(st.integers(0, 255))])) if offset < len(data) else data
        case 3:
            return data[:place] + data[place : place + size] * draw(st.sampled_from((0, 2, 3))) + data[place + size :]
        case _:
            offset = draw(st.integers(len(data) // 2, len(data) - 1))
            return _put(data, offset, draw(st.binary(min_size=1, max_size=3)))


_FIELDS = {
    "GIF": ((6, 2), (8, 2), (10, 1), (11, 1)),
    "BMP": ((2, 4), (10, 4), (14, 4), (18, 4), (22, 4), (26, 2), (28, 2), (30, 4), (34, 4), (46, 4), (50, 4)),
    "TIFF": ((2, 2), (4, 4), (8, 2)),
    "WEBP": ((4, 4), (12, 4), (16, 4), (20, 4), (24, 4), (28, 4)),
}
"""Offset and bytes of fields of the header."""


def _changed_field(draw: st.DrawFn, data: bytes, fields: tuple[tuple[int, int], ...]) -> bytes:
    """A field of the header, of a directory of TIFF, or any byte behind them."""
    how = draw(st.integers(0, 3))
    if how == 0:
        place, size = draw(st.sampled_from(fields))
    elif (
        how < 3 and data[:2] in (b"II", b"MM") and len(data) > 30
    ):  # an entry of the directory: tag, type, count, value
        start = int.from_bytes(data[4:8], "little" if data[:2] == b"II" else "big") + 2
        inside, size = draw(st.sampled_from(((0, 2), (2, 2), (4, 4), (8, 4))))
        place = start + 12 * draw(st.integers(0, 14)) + inside
    else:
        place, size = draw(st.integers(0, max(len(data) - 1, 0))), 1
    if place + size > len(data):
        return data
    number = draw(st.one_of(st.sampled_from(_NUMBERS), st.integers(0, 2**32 - 1))) % 256**size
    return _put(data, place, number.to_bytes(size, "little"))


@st.composite
def pictures(draw: st.DrawFn, *, plain: bool = False) -> Made:
    """A folder of two classes: in a tenth all files are valid, in half two are odd, in the others all."""
    kind = 0 if plain else draw(st.integers(0, 9))
    count = draw(st.sampled_from((3, 4, 6)))
    files: list[tuple[bytes, Entry]] = []
    of_all = draw(_changed())
    for label in (b"cat", b"dog"):
        for number in range(count):
            if kind == 0 or number > 1 > kind - 5:
                suffix, content = draw(_plain())
            else:
                suffix, content = draw(_changed()) if number < 2 else of_all
            ending = _SUFFIXES[suffix] if kind < 9 else draw(st.sampled_from(tuple(_SUFFIXES.values())))
            files.append((label + b"/%d" % number + ending, content))
    return Made("pictures", tuple(files), rows=2 * count if kind == 0 else None)


def _valid() -> list[Case]:
    return valid(
        [
            Made(
                "pictures",
                tuple(
                    (b"%s/%d.png" % (label, number), valid_picture("PNG", "L", (8, 8), 0, number))
                    for label in (b"a", b"b")
                    for number in range(3)
                ),
            )
        ]
    )


DATA = {"pictures": pictures}
FORMATS = [Format("pictures", _valid, lambda: cases(pictures()))]
