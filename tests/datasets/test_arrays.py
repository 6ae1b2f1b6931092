from __future__ import annotations

import io
import pickle
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import numpy
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_digits

from advisor.datasets.arrays.stored import rows_of, stored_arrays
from advisor.datasets.dataset import Task
from advisor.datasets.formats import recognise
from advisor.datasets.inspect import inspect
from advisor.datasets.preparing.preparation import preparation
from advisor.datasets.preparing.splits import outer_split
from advisor.datasets.readers import arrays
from advisor.errors import InputError
from tests.datasets.made import load_data
from tests.properties import examples

DRAW = numpy.random.default_rng(0)
PICTURES = DRAW.integers(0, 256, (40, 6, 6, 3), dtype=numpy.uint8)
LABELS = numpy.arange(40) % 4


def npz(path: Path, **arrays: Any) -> Path:
    numpy.savez(path, **arrays)
    return path


def remarks_of(path: Path, target: str | None = None) -> str:
    return "\n".join(remark.what for remark in inspect(path, target).remarks)


def refusal(path: Path, target: str | None = None) -> str:
    with pytest.raises(InputError) as caught:
        inspect(path, target)
    return str(caught.value)


def test_digits_as_pictures_go_all_the_way(tmp_path: Path) -> None:
    digits = load_digits()
    found = inspect(npz(tmp_path / "digits.npz", images=digits.images, target=digits.target), None)
    assert (found.format, found.modality, found.task) == ("NPZ", "image", Task.CLASSIFY)
    assert found.target == "target"
    assert found.classes == tuple("0123456789")
    assert found.facts["data.inputs"] == 64
    assert found.facts["data.examples"] == 1797
    assert found.facts["data.imbalance"] == pytest.approx(183 / 174, abs=1e-3)
    data = load_data(found, 10_000, 0)
    assert data.inputs.shape == (1797, 1, 8, 8)
    assert numpy.allclose(data.inputs[:, 0] * 16, digits.images)
    assert data.targets.tolist() == digits.target.tolist()
    split = outer_split(data)
    prepared = preparation(data).fit(split.training)
    assert prepared.structured(split.test).shape == (len(split.test), 1, 8, 8)
    assert (prepared.shape.inputs, prepared.shape.sequence_length, prepared.shape.outputs) == (64, None, 10)


@pytest.mark.parametrize("name", ["x", "X", "x_train", "data", "anything"])
def test_data_and_target_are_known_by_name_or_shape(tmp_path: Path, name: str) -> None:
    found = inspect(npz(tmp_path / "a.npz", **{"y": LABELS, name: DRAW.normal(size=(40, 5))}), None)
    assert (found.modality, found.target, found.facts["data.inputs"]) == ("tabular", "y", 5)
    assert load_data(found, 100, 0).inputs.shape == (40, 5)


def test_the_training_part_is_taken_and_the_test_part_left_alone(tmp_path: Path) -> None:
    path = npz(tmp_path / "m.npz", x_test=PICTURES[:9], y_test=LABELS[:9], x_train=PICTURES, y_train=LABELS)
    found = inspect(path, None)
    assert (found.examples, found.target) == (40, "y_train")
    assert "x_test and y_test were left alone" in remarks_of(path)


def test_a_target_can_be_named(tmp_path: Path) -> None:
    path = npz(tmp_path / "a.npz", data=DRAW.normal(size=(40, 5)), size=DRAW.normal(size=40), kind=LABELS)
    assert inspect(path, None).task is None
    assert inspect(path, "kind").task is Task.CLASSIFY
    assert inspect(path, "size").task is Task.REGRESS
    assert "no array 'knd' that could be the target. Did you mean kind?" in refusal(path, "knd")


def test_a_target_that_was_chosen_and_one_that_was_named_are_the_same_data(tmp_path: Path) -> None:
    path = npz(tmp_path / "a.npz", x=DRAW.normal(size=(40, 5)), y=LABELS, z=LABELS[:3])
    assert inspect(path, None).fingerprint == inspect(path, "y").fingerprint


def test_colours_come_first_or_last(tmp_path: Path) -> None:
    last = load_data(inspect(npz(tmp_path / "l.npz", x=PICTURES, y=LABELS), None), 100, 0)
    first = load_data(inspect(npz(tmp_path / "f.npz", x=PICTURES.transpose(0, 3, 1, 2), y=LABELS), None), 100, 0)
    assert last.inputs.shape == (40, 3, 6, 6)
    assert numpy.array_equal(last.inputs, first.inputs)
    assert numpy.allclose(last.inputs[3, 2] * 255, PICTURES[3, :, :, 2])


def test_large_pictures_are_made_small(tmp_path: Path) -> None:
    pictures = numpy.zeros((10, 100, 80), numpy.uint8)
    pictures[:, :50] = 255
    found = inspect(npz(tmp_path / "a.npz", images=pictures, y=LABELS[:10]), None)
    assert found.facts["data.inputs"] == 8000
    data = load_data(found, 100, 0)
    assert data.inputs.shape == (10, 1, 64, 64)
    assert data.inputs[0, 0, 10].min() > 0.99
    assert data.inputs[0, 0, 50].max() < 0.01


def test_three_axes_of_floats_are_series(tmp_path: Path) -> None:
    steps = DRAW.normal(size=(40, 30, 2)).astype(numpy.float32)
    found = inspect(npz(tmp_path / "s.npz", data=steps, labels=numpy.array(list("abcd") * 10)), None)
    assert (found.modality, found.classes) == ("time_series", tuple("abcd"))
    assert (found.facts["data.inputs"], found.facts["data.sequence_length"]) == (2, 30)
    assert numpy.array_equal(load_data(found, 100, 0).inputs, steps)


def test_a_table_of_numbers_takes_the_number_of_a_column_as_its_target(tmp_path: Path) -> None:
    path = tmp_path / "table.npy"
    table = numpy.column_stack([DRAW.normal(size=(40, 3)), LABELS])
    numpy.save(path, table)
    assert inspect(path, None).task is None
    found = inspect(path, "-1")
    assert (found.target, found.task, found.facts["data.inputs"]) == ("3", Task.CLASSIFY, 3)
    data = load_data(found, 100, 0)
    assert isinstance(data.inputs, polars.DataFrame)
    assert numpy.array_equal(data.inputs.to_numpy(), table[:, :3])
    assert data.targets.tolist() == LABELS.tolist()
    assert "Give the number of a column, 0 to 3" in refusal(path, "kind")


def test_one_hot_rows_are_classes_and_several_numbers_are_numbers(tmp_path: Path) -> None:
    inputs = DRAW.normal(size=(40, 5))
    one_hot = inspect(npz(tmp_path / "h.npz", x=inputs, y=numpy.eye(4)[LABELS]), None)
    assert (one_hot.task, one_hot.classes) == (Task.CLASSIFY, tuple("0123"))
    assert load_data(one_hot, 100, 0).targets.tolist() == LABELS.tolist()
    several = inspect(npz(tmp_path / "s.npz", x=inputs, y=DRAW.normal(size=(40, 2))), None)
    assert (several.task, several.facts["task.outputs"]) == (Task.REGRESS, 2)
    assert load_data(several, 100, 0).targets.shape == (40, 2)


def test_missing_values_and_targets_are_counted(tmp_path: Path) -> None:
    inputs, answers = DRAW.normal(size=(40, 5)), DRAW.normal(size=40)
    inputs[3, 2], inputs[4, 1], answers[:10] = numpy.nan, numpy.inf, numpy.nan
    path = npz(tmp_path / "a.npz", x=inputs, y=answers)
    found = inspect(path, None)
    assert "1 of 200 values looked at are missing (NaN), 1 infinite" in remarks_of(path)
    assert found.facts["data.labelled_fraction"] == 0.75
    data = load_data(found, 100, 0)
    assert (len(data), data.left_out) == (30, "10 have no target.")


def test_one_class_alone_is_nothing_to_tell_apart(tmp_path: Path) -> None:
    path = npz(tmp_path / "a.npz", x=DRAW.normal(size=(40, 5)), y=numpy.ones(40, numpy.int64))
    assert inspect(path, None).task is None
    assert "All examples are of one class (1)" in remarks_of(path)


def test_a_sample_keeps_classes_and_their_order(tmp_path: Path) -> None:
    found = inspect(npz(tmp_path / "a.npz", x=DRAW.normal(size=(40, 5)), y=LABELS), None)
    data = load_data(found, 12, 0)
    assert numpy.bincount(data.targets).tolist() == [3] * 4
    assert "12 of 40 examples were taken" in data.left_out


class Trap:
    def __reduce__(self) -> tuple[Any, ...]:
        return (exec, ("raise AssertionError('a pickle was run')",))


def test_objects_are_refused_and_never_unpickled(tmp_path: Path) -> None:
    path = tmp_path / "trap.npy"
    numpy.save(path, numpy.array([Trap()], dtype=object), allow_pickle=True)
    assert "a pickle can run any program" in refusal(path)
    mixed = npz(tmp_path / "mixed.npz", x=DRAW.normal(size=(40, 5)), y=LABELS, trap=numpy.array([Trap()], dtype=object))
    assert "Arrays of Python objects are not read" in remarks_of(mixed)
    assert "a pickle can run any program" in refusal(mixed, "trap")
    disguised = tmp_path / "disguised.npz"
    with zipfile.ZipFile(disguised, "w") as archive:
        archive.writestr("x.npy", pickle.dumps(Trap()))
    assert "cannot be read" in refusal(disguised)


def test_what_is_sound_but_not_read_is_not_called_cut_off(tmp_path: Path) -> None:
    foreign = tmp_path / "foreign.npz"
    with zipfile.ZipFile(foreign, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("x.npy", bytes(1000))
    encrypted = npz(tmp_path / "encrypted.npz", x=numpy.zeros((40, 5)))
    content = bytearray(encrypted.read_bytes())
    for signature, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(signature) + flags] |= 1
    encrypted.write_bytes(content)
    for path, what in ((foreign, "packed in a way that NumPy does not use"), (encrypted, "it is encrypted")):
        said = refusal(path)
        assert what in said
        assert "numpy.savez" in said
        assert "cut off" not in said


@pytest.mark.parametrize("kept", [20, 200, 900])
def test_a_file_that_is_cut_off_is_refused(tmp_path: Path, kept: int) -> None:
    path = tmp_path / "a.npy"
    numpy.save(path, DRAW.normal(size=(40, 5)))
    path.write_bytes(path.read_bytes()[:kept])
    assert "cannot be read" in refusal(path)
    archive = npz(tmp_path / "a.npz", x=DRAW.normal(size=(40, 5)))
    archive.write_bytes(archive.read_bytes()[:kept])
    assert "cannot be read" in refusal(archive)


def test_an_archive_that_is_cut_off_or_holds_nothing_is_called_so(tmp_path: Path) -> None:
    path = npz(tmp_path / "a.npz", x=DRAW.normal(size=(100, 3)))
    path.write_bytes(path.read_bytes()[:900])
    assert "the NPZ is cut off or damaged" in refusal(path)
    assert recognise(npz(tmp_path / "none.npz")) is arrays.READER
    assert "there is no array in it" in refusal(tmp_path / "none.npz")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("gap", [numpy.nan, numpy.inf])
def test_data_without_a_number_are_refused(tmp_path: Path, gap: float, monkeypatch: pytest.MonkeyPatch) -> None:
    path = npz(tmp_path / "a.npz", x=numpy.full((40, 3), gap), y=LABELS)
    assert "all its values are missing (NaN) or infinite, so that nothing is left to learn from" in refusal(path)
    table = tmp_path / "a.npy"
    numpy.save(table, numpy.column_stack([numpy.full((40, 3), gap), LABELS]))
    assert "nothing is left to learn from" in refusal(table, "-1")
    monkeypatch.setattr("advisor.datasets.readers.arrays.MOST_SAMPLED", 10)
    found = inspect(path, None)
    assert "3 of 3 (column 0, column 1 and column 2)" in remarks_of(path), "others may have numbers"
    with pytest.raises(InputError, match="nothing is left to learn from"):
        load_data(found, 100, 0)


@pytest.mark.filterwarnings("error")
def test_columns_without_a_number_are_named(tmp_path: Path) -> None:
    rows = DRAW.normal(size=(40, 4))
    rows[:, 1], rows[0, 2], rows[:, 3] = numpy.nan, numpy.nan, 7.0
    said = remarks_of(npz(tmp_path / "a.npz", x=rows, y=LABELS))
    assert "Columns without a single number in the examples looked at: 1 of 4 (column 1)." in said
    assert "1 of 120 other values looked at are missing (NaN), 0 infinite." in said
    assert "Columns with the same value in every example: 1." in said
    steps = DRAW.normal(size=(40, 30, 2))
    steps[:, :, 0] = numpy.nan
    said = remarks_of(npz(tmp_path / "s.npz", data=steps, y=LABELS))
    assert "Values of a step without a single number in the examples looked at: 1 of 2 (value 0)." in said


def test_lengths_that_differ_are_refused(tmp_path: Path) -> None:
    path = npz(tmp_path / "a.npz", x=DRAW.normal(size=(40, 5)), y=LABELS[:39])
    assert "the array x has 40 examples, but the array y has 39 targets" in refusal(path, "y")


@pytest.mark.parametrize("shape", [(5,), (2, 3, 4, 5, 6), (4, 9, 9, 9), (0, 3)])
def test_shapes_that_are_no_examples_are_refused_with_words(tmp_path: Path, shape: tuple[int, ...]) -> None:
    path = tmp_path / "a.npy"
    numpy.save(path, numpy.zeros(shape))
    assert str(list(shape))[1:-1] in refusal(path)


@given(
    st.tuples(st.integers(1, 30), st.integers(1, 4), st.integers(1, 3)),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.data(),
)
@examples(60)
def test_some_rows_are_read_as_numpy_would_read_them(
    shape: tuple[int, ...], by_columns: bool, archived: bool, compressed: bool, data: st.DataObject
) -> None:
    array = numpy.arange(numpy.prod(shape), dtype=data.draw(st.sampled_from(["<f8", ">f4", "<i2", "|u1"]))).reshape(
        shape
    )
    array = numpy.asfortranarray(array) if by_columns else array
    positions = numpy.array(sorted(data.draw(st.sets(st.integers(0, shape[0] - 1)))), numpy.int64)
    held = io.BytesIO()
    if archived:
        (numpy.savez_compressed if compressed else numpy.savez)(held, some=array)
    else:
        numpy.save(held, array)
    path = _FOLDER / "array"
    path.write_bytes(held.getvalue())
    (stored,) = stored_arrays(path)
    assert stored.shape == shape
    assert numpy.array_equal(rows_of(path, stored, positions), array[positions])


@pytest.fixture(autouse=True, scope="module")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> None:
    global _FOLDER  # noqa: PLW0603  hypothesis runs a test many times in one place
    _FOLDER = tmp_path_factory.mktemp("arrays")


_FOLDER = Path()


def test_far_off_targets_keep_what_they_differ_by(tmp_path: Path) -> None:
    path = tmp_path / "measured.npy"
    far = 1.7e9 + numpy.arange(60) / 8
    numpy.save(path, numpy.column_stack([numpy.random.default_rng(0).normal(size=(60, 3)), far]))
    data = load_data(inspect(path, "-1"), 100, 0)
    assert len(numpy.unique(data.targets)) == 60


def packed(path: Path, **members: tuple[tuple[int, ...], str, bytes]) -> Path:
    """An NPZ whose headers say whatever they like: a shape, a type, and the bytes that follow."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, (shape, kind, content) in members.items():
            header = io.BytesIO()
            numpy.lib.format.write_array_header_1_0(header, {"shape": shape, "fortran_order": False, "descr": kind})
            archive.writestr(f"{name}.npy", header.getvalue() + content)
    return path


@pytest.mark.parametrize("shape", [(10**12, 10), (10, 10**12), (10**30, 2)])
def test_a_header_that_promises_more_than_the_file_holds_is_refused(tmp_path: Path, shape: tuple[int, ...]) -> None:
    said = refusal(packed(tmp_path / "d.npz", x=(shape, "<f8", bytes(800)), y=((10,), "<i8", bytes(80))))
    assert "its header promises" in said
    assert "there are 800" in said
    plain = tmp_path / "d.npy"
    with zipfile.ZipFile(tmp_path / "d.npz") as archive:
        plain.write_bytes(archive.read("x.npy"))
    assert "its header promises" in refusal(plain)


def test_an_archive_that_claims_what_no_packing_can_do_is_refused(tmp_path: Path) -> None:
    path = packed(tmp_path / "d.npz", x=((50, 2), "<f8", bytes(800)))
    with zipfile.ZipFile(path) as archive:
        true = archive.getinfo("x.npy").file_size
    content = path.read_bytes()
    path.write_bytes(content.replace(true.to_bytes(4, "little"), (2**31).to_bytes(4, "little")))
    assert "cannot unpack to 2,147,483,648" in refusal(path)


def test_one_example_that_is_too_large_is_refused_before_it_is_read(tmp_path: Path) -> None:
    width = 17 * 2**20
    path = packed(tmp_path / "d.npz", x=((2, width), "<f4", bytes(8 * width)), y=((2,), "<i8", bytes(16)))
    assert path.stat().st_size < 10**6, "a small file"
    said = refusal(path)
    assert f"an example of the array x takes 71 MB: its shape is (2, {width})" in said
    assert "cut them smaller" in said


def test_of_very_many_targets_a_sample_is_read_and_said_so(tmp_path: Path) -> None:
    path, rows = tmp_path / "d.npy", 20_000_001
    with path.open("wb") as file:
        numpy.lib.format.write_array_header_1_0(
            file, {"shape": (rows, 2), "fortran_order": False, "descr": numpy.dtype("u1").str}
        )
        file.truncate(file.tell() + 2 * rows)  # a hole, which takes no space on disk
    found = inspect(path, "1")
    assert found.examples == rows
    assert found.sampled == "Looked at the values of 5,000 of 20,000,001 examples, and at the targets of 10,000,000."
    assert inspect(path, None).examples == rows, "without a target a few rows are looked at"


@pytest.mark.parametrize("order", ["C", "F"])
def test_of_a_very_large_array_places_are_looked_up(
    tmp_path: Path, order: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An array of 2,000 rows stands for one of many gigabytes."""
    monkeypatch.setattr("advisor.datasets.arrays.stored.LARGEST_WHOLE", 10_000, raising=False)
    monkeypatch.setattr("advisor.datasets.arrays.stored.MOST_LOOKED_UP", 600, raising=False)
    table = numpy.arange(10_000, dtype=numpy.float32).reshape(2000, 5)
    numpy.save(path := tmp_path / "d.npy", numpy.asarray(table, order=order))
    values = {"C": 600, "F": 120}[order]
    said = f"Looked at the values of {values} of 2,000 examples, and at the targets of 600."
    assert inspect(path, "4").sampled == said
    (stored,) = stored_arrays(path)
    every_third = numpy.arange(0, 2000, 3)
    assert numpy.array_equal(rows_of(path, stored, every_third), table[every_third])
    assert numpy.array_equal(rows_of(path, stored, every_third, column=4), table[every_third, 4])


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_small_archive_that_unpacks_to_much_takes_little_memory(
    tmp_path: Path, order: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("advisor.datasets.arrays.targets.MOST_TARGETS", 1_000_000, raising=False)
    rows = 6_000_000
    path = tmp_path / "d.npz"
    targets = numpy.zeros(rows, "u1")
    targets[::2] = 1
    numpy.savez_compressed(path, x=numpy.zeros((rows, 6), "u1", order=order), y=targets)
    tracemalloc.start()
    try:
        found = inspect(path)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (found.examples, found.classes) == (rows, ("0", "1"))
    assert found.facts["data.imbalance"] == pytest.approx(1, abs=0.05)
    assert "at the targets of 1,000,000" in found.sampled
    assert most < 150 * 2**20


def test_trials_of_sampled_targets_get_the_rows_that_belong_to_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("advisor.datasets.arrays.targets.MOST_TARGETS", 50)
    numbers = numpy.arange(1000.0)
    path = npz(tmp_path / "d.npz", x=numpy.stack([numbers, -numbers], axis=1), y=numbers % 7 + 0.5)
    taken = load_data(inspect(path, "y"), most_examples=30, seed=0)
    assert isinstance(taken.inputs, polars.DataFrame)
    first, second = (column.to_numpy() for column in taken.inputs)
    assert len(first) == 30
    assert numpy.array_equal(taken.targets[:, 0], first % 7 + 0.5)
    assert numpy.array_equal(first, -second)


@pytest.mark.parametrize("order", ["C", "F"])
def test_rows_are_the_same_in_either_order_packed_or_not(tmp_path: Path, order: Any) -> None:
    cube = numpy.arange(60_000, dtype=numpy.float32).reshape(2000, 5, 6)
    stored_as = numpy.asarray(cube, order=order)
    numpy.save(tmp_path / "d.npy", stored_as)
    for path in (tmp_path / "d.npy", npz(tmp_path / "d.npz", data=stored_as)):
        (stored,) = stored_arrays(path)
        for wanted in (numpy.arange(2000), numpy.array([3, 700, 1999]), numpy.arange(0, 2000, 7)):
            assert numpy.array_equal(rows_of(path, stored, wanted), cube[wanted])


@pytest.mark.parametrize("order", ["C", "F"])
def test_one_column_of_an_archive_is_read_without_holding_the_others(tmp_path: Path, order: Any) -> None:
    table = numpy.arange(3_000_000, dtype=numpy.float64).reshape(-1, 3)
    path = npz(tmp_path / "d.npz", data=numpy.asarray(table, order=order))
    (stored,) = stored_arrays(path)
    assert numpy.array_equal(rows_of(path, stored, numpy.arange(stored.rows), column=1), table[:, 1])


def test_targets_are_read_for_the_task_that_somebody_says(tmp_path: Path) -> None:
    stars = LABELS + 1
    path = npz(tmp_path / "d.npz", x=DRAW.normal(size=(40, 3)), y=stars, names=numpy.array(["a", "b"] * 20))
    found = inspect(path, "y", Task.REGRESS)
    assert (found.task, found.classes, found.facts["task.kind"]) == (Task.REGRESS, (), "regress")
    assert load_data(found, 1000, 0).targets[:, 0].tolist() == stars.tolist()
    with pytest.raises(InputError, match="its targets are words"):
        inspect(path, "names", Task.REGRESS)
    values = DRAW.normal(size=(100, 3))
    many = npz(tmp_path / "many.npz", x=values, y=numpy.arange(100) % 30, z=values[:, 0])
    assert inspect(many, "y", None).task is Task.REGRESS
    assert inspect(many, "y", Task.CLASSIFY).classes == tuple(map(str, range(30)))
    with pytest.raises(InputError, match="are no classes"):
        inspect(many, "z", Task.CLASSIFY)


@pytest.mark.parametrize("shape", ["(-1, 2)", "(True, 50)", "(4, -2)"])
def test_a_shape_that_no_array_has_is_refused(shape: str, tmp_path: Path) -> None:
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}}}".ljust(117).encode() + b"\n"
    path = tmp_path / "table.npy"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(200))
    assert "it tells a shape that no array has" in refusal(path)


def test_bytes_that_are_no_utf_8_are_refused_before_classes_become_one(tmp_path: Path) -> None:
    data, turn = numpy.random.default_rng(0).normal(size=(60, 4)), numpy.arange(60) % 3
    for encoding, known in (("utf-8", True), ("latin-1", False), ("utf-16", False)):
        words = numpy.array([word.encode(encoding) for word in ("grün", "grän", "rot")])[turn]
        numpy.savez(tmp_path / "data.npz", data=data, target=words)
        if known:
            assert inspect(tmp_path / "data.npz", "target").classes == ("grän", "grün", "rot")
            continue
        with pytest.raises(InputError) as refusal:
            inspect(tmp_path / "data.npz", "target")
        assert "its targets are bytes that are no UTF-8, such as b'" in refusal.value.problems[0].what
        assert "numpy.char.decode(targets" in refusal.value.problems[0].remedy
