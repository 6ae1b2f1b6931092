"""WAV files: their headers, and their sound as frequency bands over time."""

from __future__ import annotations

import wave
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import lru_cache
from mmap import ACCESS_COPY, mmap
from pathlib import Path
from typing import IO, Any, TypeAlias, cast

import numpy
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[numpy.float32]

BANDS = 40
WINDOW_SECONDS = 0.025
HOP_SECONDS = 0.010
SLOWEST, FASTEST = 1_000, 768_000
"""Samples per second of sounds that can be meant."""
SILENCE = 1e-10
"""Added to powers, so that silence has a logarithm."""
BROKEN = (OSError, EOFError, wave.Error, ValueError, RuntimeError)
"""Errors of reading a file that is cut off, is no WAV file, or holds another codec."""

_EXTENSIBLE, _PCM = b"\xfe\xff", b"\x01\x00"


@dataclass(frozen=True, slots=True)
class Header:
    """The header of a WAV file."""

    rate: int
    """Samples per second."""
    channels: int
    width: int
    """Bytes of one sample of one channel."""
    samples: int
    """Per channel."""
    cut_off: bool
    """True where the file ends before its sound does."""

    @property
    def seconds(self) -> float:
        return self.samples / self.rate


def header(path: Path) -> Header:
    """Read the header. Raises one of BROKEN."""
    with _opened(path) as file:
        return _header(file, path.stat().st_size)


def bands(path: Path, *, steps: int, hop_seconds: float, highest: float) -> Floats:
    """The beginning of a sound as float32 (steps, 40): the logarithm of the power in 40 bands of equal width on the mel
    scale (O'Shaughnessy 1987, Speech communication) up to `highest` hertz, in windows of 25 ms every `hop_seconds`.

    A shorter sound is preceded by silence. Raises one of BROKEN.
    """
    with _opened(path) as file:
        found = _header(file, path.stat().st_size)
        window = max(2, round(WINDOW_SECONDS * found.rate))
        hop = max(1, round(hop_seconds * found.rate))
        signal = _samples(file.readframes(window + hop * (steps - 1)), found)
    if len(signal) < window:
        signal = numpy.pad(signal, (0, window - len(signal)))
    pieces = numpy.lib.stride_tricks.sliding_window_view(signal, window)[::hop][:steps]
    size = 2 << int(numpy.ceil(numpy.log2(window)))
    power = numpy.abs(numpy.fft.rfft(pieces * numpy.hanning(window), size)) ** 2 / window
    result = numpy.full((steps, BANDS), numpy.log(SILENCE), numpy.float32)
    result[steps - len(pieces) :] = numpy.log(power @ _triangles(found.rate, size, highest) + SILENCE)
    return result


_CODINGS = {
    2: "compressed by ADPCM", 3: "floating-point numbers", 6: "compressed by A-law", 7: "compressed by mu-law",
    17: "compressed by ADPCM", 49: "compressed by GSM", 80: "compressed as MPEG", 85: "compressed as MP3",
}  # fmt: skip
"""Formats of samples by their number in the header (RFC 2361)."""


def _reason(data: bytes, error: wave.Error) -> str:
    """The reason why a file is not read, in words."""
    if data.startswith((b"RF64", b"RIFX", b"FORM")):
        return f"{data[:4].decode()} instead of RIFF"
    place = data.find(b"fmt ", 0, 4096)
    if place < 0:
        return str(error)
    number = int.from_bytes(data[place + 8 : place + 10], "little")
    if number == 0xFFFE:
        number = int.from_bytes(data[place + 32 : place + 34], "little")
    return f"its samples are {_CODINGS[number]}" if number in _CODINGS else str(error)


@contextmanager
def _opened(path: Path) -> Iterator[wave.Wave_read]:
    """Open the file and read its header. An extensible header, usual with 24 bits, is read as the plain one it extends.

    Python 3.12 does that itself; until then the bytes that say so are changed in a private map of the file.
    """
    with path.open("rb") as file, ExitStack() as stack:
        try:
            sound = stack.enter_context(wave.open(file, "rb"))
        except wave.Error as error:
            if "65534" not in str(error):
                file.seek(0)
                raise wave.Error(_reason(file.read(4096), error)) from None
            data = stack.enter_context(mmap(file.fileno(), 0, access=ACCESS_COPY))
            place = data.find(b"fmt ", 0, 4096)
            if data[place + 8 : place + 10] != _EXTENSIBLE or data[place + 32 : place + 34] != _PCM:
                raise wave.Error(_reason(data[:4096], error)) from None
            data[place + 8 : place + 10] = _PCM
            sound = stack.enter_context(wave.open(cast("IO[bytes]", data), "rb"))
        yield sound


def _header(file: wave.Wave_read, size: int) -> Header:
    rate, channels, width = file.getframerate(), file.getnchannels(), file.getsampwidth()
    if not SLOWEST <= rate <= FASTEST or not 1 <= width <= 4 or file.getcomptype() != "NONE":
        raise wave.Error(f"{rate} samples per second of {width} bytes")
    said, there = file.getnframes(), max(0, size - 44) // (channels * width)
    if there == 0 or said == 0:
        raise wave.Error("it holds no sound")
    return Header(rate, channels, width, min(said, there), cut_off=there < said)


def _samples(data: bytes, found: Header) -> NDArray[numpy.float64]:
    """The sound between -1 and 1, its channels averaged."""
    whole = len(data) // (found.channels * found.width) * found.channels * found.width
    raw = numpy.frombuffer(data[:whole], numpy.uint8).reshape(-1, found.width)
    if found.width == 1:  # the only width without a sign
        numbers: NDArray[Any] = (raw[:, 0].astype(numpy.float64) - 128) / 128
    else:
        wide = numpy.zeros((len(raw), 4), numpy.uint8)
        wide[:, 4 - found.width :] = raw  # the smallest byte comes first; fill up below it
        numbers = wide.view("<i4")[:, 0] / 2.0**31
    mixed: NDArray[numpy.float64] = numbers.reshape(-1, found.channels).mean(axis=1)
    return mixed


@lru_cache(maxsize=8)
def _triangles(rate: int, size: int, highest: float) -> NDArray[numpy.float64]:
    """(frequencies, bands): the weight of each frequency in each band; neighbours overlap by half."""
    mel = numpy.linspace(0.0, 2595 * numpy.log10(1 + highest / 700), BANDS + 2)
    corners = 700 * (10 ** (mel / 2595) - 1)
    frequencies = numpy.fft.rfftfreq(size, 1 / rate)[:, None]
    rising = (frequencies - corners[:-2]) / (corners[1:-1] - corners[:-2])
    falling = (corners[2:] - frequencies) / (corners[2:] - corners[1:-1])
    triangles: NDArray[numpy.float64] = numpy.maximum(0.0, numpy.minimum(rising, falling))
    return triangles
