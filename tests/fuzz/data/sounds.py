"""Folders of sounds: WAV files of every width and header, their fields changed one by one, chunks added, data cut off."""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from random import Random

from hypothesis import strategies as st

from ..case import Case, Format
from .made import Entry, Made, cases, valid

_PCM, _FLOAT, _EXTENSIBLE = 1, 3, 0xFFFE


@dataclass(frozen=True, slots=True)
class Wave:
    """The fields of a WAV file; None for those that follow from others."""

    data: bytes
    codec: int = _PCM
    channels: int = 1
    rate: int = 8000
    bits: int = 16
    byte_rate: int | None = None
    block: int | None = None
    riff_size: int | None = None
    format_size: int | None = None
    data_size: int | None = None
    extension: bytes = b""
    before: bytes = b""
    """Chunks between the format and the data."""
    after: bytes = b""
    order: str = "<"
    magic: bytes = b"RIFF"
    form: bytes = b"WAVE"

    def packed(self) -> bytes:
        block = self.channels * ((self.bits + 7) // 8) if self.block is None else self.block
        byte_rate = self.rate * block if self.byte_rate is None else self.byte_rate
        numbers = (self.codec, self.channels, self.rate, byte_rate % 2**32, block % 2**16, self.bits)
        format_ = struct.pack(f"{self.order}HHIIHH", *numbers) + self.extension
        body = self.form + self._chunk(b"fmt ", format_, self.format_size) + self.before
        body += self._chunk(b"data", self.data, self.data_size) + self.after
        size = len(body) if self.riff_size is None else self.riff_size
        return self.magic + struct.pack(f"{self.order}I", size % 2**32) + body

    def _chunk(self, name: bytes, content: bytes, size: int | None) -> bytes:
        told = len(content) if size is None else size
        return name + struct.pack(f"{self.order}I", told % 2**32) + content + b"\0" * (len(content) % 2)


_HUGE = (0, 1, 2, 3, 17, 44, 999, 2**15, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1)
_ENDINGS = (
    b"\x01\x00" + bytes.fromhex("000000001000800000aa00389b71"),
    b"\x03\x00" + bytes.fromhex("000000001000800000aa00389b71"),
    b"\0" * 16,
    b"\xff" * 16,
)
"""Of the extension: the codec itself."""


@st.composite
def _wave(draw: st.DrawFn, *, plain: bool) -> Wave:
    seed = Random(draw(st.integers(0, 2**32)))
    rate = draw(st.sampled_from((8000, 8000, 16000, 44100, 1000, 768_000)))
    channels, bits = draw(st.sampled_from((1, 1, 2, 3, 8))), draw(st.sampled_from((8, 16, 16, 24, 32)))
    block = channels * bits // 8
    frames = draw(st.one_of(st.integers(1, 3), st.integers(100, 1200)))
    content = draw(st.sampled_from((seed.randbytes(frames * block), bytes(frames * block), b"\xff" * (frames * block))))
    wave = Wave(content, channels=channels, rate=rate, bits=bits)
    return wave if plain else draw(_changed(wave))


@st.composite
def _changed(draw: st.DrawFn, wave: Wave) -> Wave:
    for _ in range(draw(st.integers(1, 2))):
        number = draw(st.one_of(st.sampled_from(_HUGE), st.integers(0, 2**32 - 1)))
        short = number % 2**16
        wave = draw(
            st.sampled_from(
                (
                    replace(wave, codec=draw(st.sampled_from((_FLOAT, 0, 2, 6, 7, 85, 0xFFFF)))),
                    replace(wave, channels=short),
                    replace(wave, rate=number),
                    replace(wave, bits=draw(st.one_of(st.sampled_from((0, 1, 7, 9, 12, 20, 33, 64)), st.just(short)))),
                    replace(wave, byte_rate=number),
                    replace(wave, block=short),
                    replace(wave, riff_size=number),
                    replace(wave, format_size=draw(st.sampled_from((0, 14, 15, 18, 40, 2**31, 2**32 - 1)))),
                    replace(wave, data_size=number),
                    replace(wave, data_size=len(wave.data) + draw(st.integers(-3, 3))),
                    replace(
                        wave,
                        codec=_EXTENSIBLE,
                        extension=struct.pack("<HHI", 22, wave.bits, 0) + draw(st.sampled_from(_ENDINGS)),
                    ),
                    replace(wave, codec=_EXTENSIBLE, extension=struct.pack("<HHI", 22, wave.bits, 0) + _ENDINGS[0]),
                    replace(wave, codec=_EXTENSIBLE, extension=draw(st.binary(max_size=30))),
                    replace(wave, before=_listed(draw)),
                    replace(wave, after=_listed(draw)),
                    replace(wave, data=wave.data[: draw(st.integers(0, len(wave.data)))]),
                    replace(wave, data=b""),
                    replace(wave, order=">", magic=b"RIFX"),
                    replace(wave, magic=draw(st.sampled_from((b"RF64", b"FORM", b"riff", b"OggS")))),
                    replace(wave, form=draw(st.sampled_from((b"AVI ", b"wave")))),
                )
            )
        )
    return wave


def _listed(draw: st.DrawFn) -> bytes:
    """Chunks of other names, of even and odd sizes, some of which promise more than there is."""
    parts = []
    for _ in range(draw(st.integers(1, 3))):
        name = draw(st.sampled_from((b"LIST", b"fact", b"cue ", b"fmt ", b"data", b"JUNK", b"\0\0\0\0")))
        content = draw(st.binary(max_size=20))
        size = draw(st.sampled_from((len(content), len(content), 2**31, 2**32 - 1, 0)))
        parts.append(name + struct.pack("<I", size) + content + b"\0" * (len(content) % 2))
    return b"".join(parts)


@st.composite
def sounds(draw: st.DrawFn, *, plain: bool = False) -> Made:
    """A folder of two classes: in a tenth all files are valid, in half all are odd, in the others a few."""
    kind = 0 if plain else draw(st.integers(0, 9))
    files: list[tuple[bytes, Entry]] = []
    count = draw(st.sampled_from((3, 4, 5, 8)))
    changed = draw(_wave(plain=False)).packed()
    for label in (b"cat", b"dog"):
        for number in range(count):
            valid_one = kind == 0 or (kind < 5 and number > 0)
            content = (
                draw(_wave(plain=valid_one)).packed()
                if number < 2
                else changed
                if kind >= 5
                else draw(_wave(plain=True)).packed()
            )
            if kind == 9 and number == 0:
                content = content[: draw(st.integers(0, 60))]
            files.append((label + b"/%d" % number + draw(st.sampled_from((b".wav", b".WAV", b".wave"))), content))
    return Made("sounds", tuple(files), rows=2 * count if kind == 0 else None)


def _valid() -> list[Case]:
    return valid(
        [
            Made(
                "sounds",
                tuple(
                    (b"%s/%d.wav" % (label, number), Wave(bytes(range(200)) * 20).packed())
                    for label in (b"a", b"b")
                    for number in range(3)
                ),
            )
        ]
    )


DATA = {"sounds": sounds}
FORMATS = [Format("sounds", _valid, lambda: cases(sounds()))]
