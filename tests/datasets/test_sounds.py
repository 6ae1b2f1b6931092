from __future__ import annotations

import struct
from pathlib import Path

import numpy
import pytest

from advisor.datasets.dataset import Task
from advisor.datasets.inspect import inspect
from advisor.datasets.media.waves import BANDS, bands, header
from advisor.errors import InputError
from tests.datasets.made import load_data, tone, write_sound


def write_tones(folder: Path, count: int = 8) -> Path:
    for number in range(count):
        write_sound(folder / "high" / f"{number}.wav", tone(2000 + 10 * number))
        write_sound(folder / "low" / f"{number}.wav", tone(200 + 10 * number))
    return folder


def remarks_of(folder: Path) -> str:
    return "\n".join(remark.what for remark in inspect(folder).remarks)


def test_sounds_in_folders_are_classes_of_bands_over_time(tmp_path: Path) -> None:
    found = inspect(write_tones(tmp_path))
    assert found.task is Task.CLASSIFY
    assert found.classes == ("high", "low")
    assert found.facts["data.inputs"] == BANDS
    assert found.facts["data.sequence_length"] == 28, "0.3 seconds hold 28 windows of 25 ms, 10 ms apart"
    data = load_data(found, 100, 0)
    assert data.inputs.shape == (16, 28, BANDS)
    assert data.inputs.dtype == numpy.float32
    loudest = data.inputs.mean(axis=1).argmax(axis=1)
    assert loudest[data.targets == 0].min() > loudest[data.targets == 1].max() + 5


@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_a_tone_sounds_the_same_in_every_width(tmp_path: Path, width: int) -> None:
    best = write_sound(tmp_path / "best.wav", tone(1000), width=4)
    path = write_sound(tmp_path / "other.wav", tone(1000), width=width)
    assert header(path).width == width
    one, other = (bands(each, steps=20, hop_seconds=0.01, highest=4000) for each in (best, path))
    strong = one > one.max() - 3
    assert numpy.abs(one - other)[strong].max() < 0.05


def test_two_channels_are_averaged(tmp_path: Path) -> None:
    opposite = numpy.stack([tone(1000), -tone(1000)], axis=1).ravel()
    path = write_sound(tmp_path / "two.wav", opposite, channels=2)
    assert header(path).seconds == pytest.approx(0.3)
    assert bands(path, steps=20, hop_seconds=0.01, highest=4000).max() < numpy.log(1e-9)


def test_short_sounds_are_preceded_by_silence_and_long_ones_cut(tmp_path: Path) -> None:
    path = write_sound(tmp_path / "short.wav", tone(1000, seconds=0.1))
    made = bands(path, steps=30, hop_seconds=0.01, highest=4000)
    assert made.shape == (30, BANDS)
    assert (made[:22] == made[0, 0]).all()
    assert (made[22:].max(axis=1) > made[0, 0] + 5).all()
    assert bands(path, steps=3, hop_seconds=0.01, highest=4000).shape == (3, BANDS)


def test_the_extensible_header_of_24_bits_is_read(tmp_path: Path) -> None:
    plain = write_sound(tmp_path / "plain.wav", tone(500), width=3).read_bytes()
    data = plain[plain.index(b"data") :]
    guid = b"\x01\x00\x00\x00\x00\x00\x10\x00\x80\x00\x00\xaa\x00\x38\x9b\x71"
    form = b"fmt " + struct.pack("<IHHIIHHHHI", 40, 0xFFFE, 1, 8000, 24000, 3, 24, 22, 24, 4) + guid
    path = tmp_path / "extensible.wav"
    path.write_bytes(b"RIFF" + struct.pack("<I", 4 + len(form) + len(data)) + b"WAVE" + form + data)
    assert header(path).width == 3
    whole = {"steps": 20, "hop_seconds": 0.01, "highest": 4000.0}
    assert numpy.array_equal(bands(path, **whole), bands(tmp_path / "plain.wav", **whole))  # type: ignore[arg-type]


def test_a_sound_that_ends_too_early_is_used_as_far_as_it_goes(tmp_path: Path) -> None:
    write_tones(tmp_path, 3)
    path = tmp_path / "low" / "0.wav"
    path.write_bytes(path.read_bytes()[:2000])
    assert "1 of the 6 opened end before their header says" in remarks_of(tmp_path)
    assert len(load_data(inspect(tmp_path), 10, 0)) == 6


def test_other_codecs_and_broken_files_are_named_with_the_reason(tmp_path: Path) -> None:
    write_tones(tmp_path, 3)
    path = tmp_path / "low" / "0.wav"
    data = bytearray(path.read_bytes())
    data[20:22] = struct.pack("<H", 3)  # floats
    path.write_bytes(data)
    (tmp_path / "low" / "1.wav").write_bytes(b"RIFF")
    (tmp_path / "low" / "2.wav").write_bytes(b"")
    write_sound(tmp_path / "low" / "4.wav", tone(300))
    said = remarks_of(tmp_path)
    assert "3 of the 7 opened cannot be read: low/0.wav (its samples are floating-point numbers)" in said
    data_set = load_data(inspect(tmp_path), 10, 0)
    assert len(data_set) == 4
    assert data_set.left_out == "3 that cannot be read were left out."


def test_an_absurd_rate_is_broken_and_takes_no_memory(tmp_path: Path) -> None:
    path = write_sound(tmp_path / "a" / "0.wav", tone(300))
    data = bytearray(path.read_bytes())
    data[24:28] = struct.pack("<I", 4_000_000_000)
    path.write_bytes(data)
    with pytest.raises(InputError, match="none of its sounds can be read"):
        inspect(tmp_path)


def test_mixed_rates_are_said_and_use_what_all_have(tmp_path: Path) -> None:
    write_tones(tmp_path, 3)
    write_sound(tmp_path / "low" / "fast.wav", tone(200, rate=16_000), rate=16_000)
    assert "different rates: 8,000 (6 of 7) and 16,000 (1 of 7) samples per second" in remarks_of(tmp_path)
    data = load_data(inspect(tmp_path), 10, 0)
    slow, fast = data.inputs[3].mean(axis=0), data.inputs[-1].mean(axis=0)
    assert slow.argmax() == fast.argmax(), "the same tone is in the same band"


def test_long_sounds_have_at_most_200_steps(tmp_path: Path) -> None:
    for label in "ab":
        write_sound(tmp_path / label / "0.wav", tone(300, seconds=5))
    found = inspect(tmp_path)
    assert found.facts["data.sequence_length"] == 166
    assert "every 30 ms, 166 steps" in remarks_of(tmp_path)
