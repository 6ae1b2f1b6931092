"""Files that are valid and hold what hardly any file holds: each is read, or refused with a message, and nothing else is said."""

from __future__ import annotations

import json
import signal
import struct
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import numpy
import polars
import pytest

from advisor.datasets.dataset import Kind, Task
from advisor.datasets.inspect import inspect
from advisor.datasets.loading import load
from advisor.datasets.parquet_pages import has_impossible_pages
from advisor.datasets.preparing.preparation import preparation
from advisor.errors import InputError

from .made import write_picture

ROWS = 40


def refusal(path: Path, target: str | None = None) -> str:
    with pytest.raises(InputError) as caught:
        inspect(path, target)
    return str(caught.value)


def test_half_a_character_in_a_name_of_json_is_replaced_as_in_a_value(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text("".join(json.dumps({"\ud800": row, "y": row % 2}) + "\n" for row in range(ROWS)))
    found = inspect(path, "y")
    assert found.inputs == ("?",)
    assert len(load(found, most_examples=ROWS)) == ROWS


def test_a_typed_column_without_a_value_is_empty(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    nothing = [
        polars.Series(f"{kind}", [None] * ROWS, dtype=kind) for kind in (polars.Boolean, polars.Date, polars.Time)
    ]
    polars.DataFrame([polars.Series("a", range(ROWS)), *nothing]).write_parquet(path)
    assert [column.kind for column in inspect(path).columns][1:] == [Kind.EMPTY] * 3
    assert "has no value in any row" in refusal(path, "Boolean")


def test_durations_that_never_change_are_loaded(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    frame = {"same": [timedelta(hours=1)] * ROWS, "a": range(ROWS), "y": [row % 2 for row in range(ROWS)]}
    polars.DataFrame(frame).write_parquet(path)
    assert len(load(inspect(path, "y"), most_examples=ROWS)) == ROWS


def test_words_in_several_columns_are_no_targets(tmp_path: Path) -> None:
    path = tmp_path / "t.npz"
    numpy.savez(path, x=numpy.zeros((ROWS, 3)) + numpy.arange(3), names=numpy.full((ROWS, 2), "a"))
    assert inspect(path).target is None
    assert "the array names holds words in 2 columns" in refusal(path, "names")


def test_targets_without_columns_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.npz"
    numpy.savez(path, x=numpy.zeros((ROWS, 3)) + numpy.arange(3), y=numpy.zeros((ROWS, 0)))
    assert "holds numbers in 0 columns" in refusal(path, "y")


def written_npy(path: Path, header: str) -> Path:
    data = numpy.arange(ROWS * 4, dtype="<f8").tobytes()
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)
    return path


def test_an_array_of_python_2_is_read_without_a_warning(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    path = written_npy(tmp_path / "t.npy", f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({ROWS}L, 4L), }}\n")
    assert inspect(path, "-1").examples == ROWS
    assert not recwarn.list


@pytest.mark.parametrize("shape", ["[40, 4]", "1 + 2j", "(40, 4)" + " " * 60_000, "((40,), 4)", "(40, 4"])
def test_a_header_that_tells_no_shape_is_refused_without_advice_to_trust_it(tmp_path: Path, shape: str) -> None:
    path = written_npy(tmp_path / "t.npy", f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}\n")
    assert "its header is cut off or does not tell a shape" in refusal(path)


def test_an_archive_that_names_places_outside_of_it_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "t.npz"
    numpy.savez(path, x=numpy.zeros((ROWS, 3)))
    content = bytearray(path.read_bytes())
    end = content.rfind(b"PK\x05\x06")
    place = int.from_bytes(content[end + 16 : end + 20], "little")
    content[end + 16 : end + 20] = struct.pack("<I", place + 10)  # so much before the file begins its first member
    path.write_bytes(content)
    assert "it names places outside of it" in refusal(path)


def test_a_parquet_file_whose_reading_breaks_off_is_told_once(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.parquet"
    polars.DataFrame({"a": range(ROWS), "y": [row % 2 for row in range(ROWS)]}).write_parquet(path)
    content = path.read_bytes()
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    fewer = content[footer:-8].replace(bytes([2 * ROWS]), bytes([2 * ROWS - 2]))  # zigzag: 39 rows instead of 40
    path.write_bytes(content[:footer] + fewer + content[-8:])
    assert "this Parquet file is damaged" in refusal(path)
    assert capfd.readouterr().err == ""


def test_the_decoder_of_tiff_says_nothing_itself(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    dots = numpy.random.default_rng(0).integers(0, 255, (16, 16))
    for number in range(6):
        write_picture(tmp_path / "d" / "ab"[number % 2] / f"{number}.tif", dots + number)
    from PIL import Image

    broken = tmp_path / "d" / "a" / "broken.tif"
    Image.fromarray(dots.astype("uint8")).save(broken, compression="tiff_lzw")
    content = broken.read_bytes()
    broken.write_bytes(content[:8] + b"\xff" * 40 + content[48:])
    assert inspect(tmp_path / "d").examples == 6
    assert capfd.readouterr().err == ""


def test_a_date_that_never_changes_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("day,a,y\n" + "".join(f"2020-01-31,{row},{row % 2}\n" for row in range(ROWS)))
    found = inspect(path, "y")
    assert found.columns[0].kind is Kind.CONSTANT
    assert len(load(found, most_examples=ROWS)) == ROWS


def test_codes_can_be_said_to_be_quantities(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("zip,a\n" + "".join(f"{10_000 + row % 5},{row % 7}\n" for row in range(ROWS)))
    found = inspect(path, "zip", Task.REGRESS)
    assert load(found, most_examples=ROWS).targets[1] == 10_001


def test_targets_too_large_for_networks_count_as_missing_in_every_format(tmp_path: Path) -> None:
    y = numpy.linspace(0, 1, ROWS)
    y[3] = 1e308
    x = numpy.random.default_rng(0).normal(size=(ROWS, 3))
    numpy.savez(tmp_path / "t.npz", x=x, y=y)
    polars.DataFrame(x, schema=["a", "b", "c"]).with_columns(y=polars.Series(y)).write_parquet(tmp_path / "t.parquet")
    for path in (tmp_path / "t.npz", tmp_path / "t.parquet"):
        examples = load(inspect(path, "y"), most_examples=ROWS)
        assert examples.targets[:, 0] == pytest.approx(numpy.delete(y, 3))


def test_targets_that_are_all_missing_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.npy"
    table = numpy.random.default_rng(0).normal(size=(ROWS, 3))
    table[:, 2] = numpy.nan
    numpy.save(path, table)
    with pytest.raises(InputError, match="no example has a target"):
        load(inspect(path, "2"), most_examples=ROWS)


def test_steps_too_large_for_networks_count_as_missing(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    names = [f"2020-01-{day:02}" for day in range(1, 13)]
    rows = numpy.random.default_rng(0).normal(size=(ROWS, len(names))).cumsum(axis=1)
    rows[5, -1] = 1e308
    path.write_text("\n".join(",".join(map(str, row)) for row in [names, *rows.tolist()]) + "\n")
    examples = load(inspect(path), most_examples=1000)
    assert examples.modality == "time_series"
    assert numpy.isfinite(examples.targets).all()


def test_a_huge_target_of_the_test_is_a_number_on_the_scale_of_the_training(tmp_path: Path) -> None:
    y = numpy.linspace(0, 1, ROWS)
    y[-1] = 3e38
    numpy.savez(tmp_path / "t.npz", x=numpy.random.default_rng(0).normal(size=(ROWS, 3)), y=y)
    fitted = preparation(load(inspect(tmp_path / "t.npz", "y"), most_examples=ROWS)).fit(numpy.arange(ROWS - 1))
    assert numpy.isfinite(fitted.targets(numpy.arange(ROWS))).all()


def test_a_page_of_fewer_values_than_none_is_refused(tmp_path: Path) -> None:
    """To polars it is a page of as many as fit into 64 bits, and to ask for their memory ends the process."""
    path = tmp_path / "t.parquet"
    column = polars.Series("a", [None, *map(float, range(ROWS))])
    polars.DataFrame([column]).write_parquet(path, compression="uncompressed")
    assert not has_impossible_pages(path)
    content = path.read_bytes()
    place = content.index(struct.pack("B", 2 * (ROWS + 1)), 8)  # zigzag, in the header of the first page
    path.write_bytes(content[:place] + b"\x01" + content[place + 1 :])
    assert "a page in it promises what it cannot hold" in refusal(path)


def test_the_end_of_a_process_within_a_library_is_told() -> None:
    program = "import os\nfrom advisor.datasets.quiet import native_silence\nwith native_silence(): os.abort()"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ended.returncode == -signal.SIGABRT
    assert "Aborted" in ended.stderr
