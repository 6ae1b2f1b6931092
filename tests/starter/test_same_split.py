"""The rows that a project holds out are those that `advisor try` tests on, whatever the data and whatever the model."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy
import polars
import pytest
from PIL import Image

from advisor.datasets.dataset import Inspection, Task
from advisor.datasets.dividing import asked, divided
from advisor.datasets.given import AS_THE_DATA_ARE, GivenSplit
from advisor.datasets.inspect import inspect
from advisor.starter.planning import blueprint_of
from advisor.starter.rendering import files_of
from advisor.starter.writing import write_project
from tests.datasets.made import tone, write_sound
from tests.starter.blueprints import module
from tests.starter.projects import plan_of, run

ROWS = 200


def columns(**others: Any) -> dict[str, Any]:
    chance = numpy.random.default_rng(1)
    size = chance.normal(size=ROWS)
    kinds = ["2", "10", "1"]  # in another order by size than by the alphabet
    named = [kinds[number] for number in numpy.digitize(size + 0.3 * chance.normal(size=ROWS), (-0.5, 1))]
    return {"size": size, "depth": chance.normal(size=ROWS), **others, "kind": named}


def table(folder: Path, **others: Any) -> Path:
    polars.DataFrame(columns(**others)).write_csv(folder / "table.csv")
    return folder / "table.csv"


def numbers(folder: Path) -> Path:
    """Of which some lack the target."""
    frame = polars.DataFrame(columns()).drop("kind")
    price = polars.Series("price", [None if row % 17 == 0 else 3 * row + 0.25 for row in range(ROWS)])
    frame.with_columns(price).write_csv(folder / "numbers.csv")
    return folder / "numbers.csv"


def copies(folder: Path) -> Path:
    """Each row three times, as of things that were seen more than once."""
    frame = polars.DataFrame(columns())
    polars.concat([frame, frame, frame]).sample(fraction=1, shuffle=True, seed=1).write_csv(folder / "copies.csv")
    return folder / "copies.csv"


def people(folder: Path) -> Path:
    chance = numpy.random.default_rng(2)
    return table(folder, patient_id=[f"p{number}" for number in chance.integers(30, size=ROWS)])


def days(folder: Path) -> Path:
    return table(folder, day=[f"{datetime(2024, 1, 1) + timedelta(days=row * 7 % 50):%d.%m.%Y}" for row in range(ROWS)])


def alike(folder: Path) -> Path:
    """The last rows are of one class."""
    days(folder)
    frame = polars.read_csv(folder / "table.csv", schema_overrides={"kind": polars.String})
    late = polars.col("day").str.to_date("%d.%m.%Y") > datetime(2024, 2, 1).date()
    frame.with_columns(kind=polars.when(late).then(polars.lit("2")).otherwise("kind")).write_csv(folder / "table.csv")
    return folder / "table.csv"


def pictures(folder: Path) -> Path:
    for number in range(45):
        file = folder / "pictures" / ("12", "3", "7")[number % 7 % 3] / f"{number}.png"
        file.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(numpy.full((8, 8), 5 * number, numpy.uint8)).save(file)
    return folder / "pictures"


def arrays(folder: Path) -> Path:
    chance = numpy.random.default_rng(3)
    numpy.savez(
        folder / "pictures.npz",
        images=chance.integers(0, 255, (60, 8, 8), numpy.uint8),
        labels=numpy.arange(60) % 7 % 3 + 9,
    )
    return folder / "pictures.npz"


def sounds(folder: Path) -> Path:
    for number in range(24):
        file = folder / "sounds" / ("low" if number % 3 else "high") / f"{number}.wav"
        file.parent.mkdir(parents=True, exist_ok=True)
        write_sound(file, tone(300 if number % 3 else 900))
    return folder / "sounds"


def texts(folder: Path, **others: Any) -> Path:
    chance = numpy.random.default_rng(4)
    words = numpy.array([f"word{number}" for number in range(40)])
    said = [" ".join(chance.choice(words, 9)) for _ in range(ROWS)]
    mood = [("sad", "glad", "none at all")[number] for number in chance.integers(3, size=ROWS)]
    polars.DataFrame({"said": said, **others, "mood": mood}).write_csv(folder / "texts.csv")
    return folder / "texts.csv"


def authors(folder: Path) -> Path:
    when = [f"{datetime(2024, 1, 1) + timedelta(days=row * 7 % 50):%Y-%m-%d}" for row in range(ROWS)]
    return texts(folder, author=[f"author {row * 13 % 31}" for row in range(ROWS)], written=when)


def letters(folder: Path) -> Path:
    for number in range(50):
        file = folder / "letters" / ("b", "a")[number % 5 % 2] / f"{number}.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"these are {number} words")
    return folder / "letters"


def hours(folder: Path) -> Path:
    time = numpy.arange(300)
    load = 50 + 9 * numpy.sin(time / 5) + numpy.random.default_rng(5).normal(size=300)
    at = [f"{datetime(2024, 1, 1) + timedelta(hours=int(hour)):%Y-%m-%d %H:%M}" for hour in time]
    polars.DataFrame({"at": at, "load": load}).write_csv(folder / "hours.csv")
    return folder / "hours.csv"


def curves(folder: Path) -> Path:
    chance = numpy.random.default_rng(6)
    numpy.savez(folder / "curves.npz", x=chance.normal(size=(90, 12, 2)), y=chance.choice(["up", "down", "a"], size=90))
    return folder / "curves.npz"


BY_PATIENT, BY_DAY = GivenSplit(group="patient_id"), GivenSplit(time_column="day")
BY_AUTHOR, BY_BOTH = GivenSplit(group="author"), GivenSplit(group="author", time_column="written")
KINDS: list[tuple[Callable[[Path], Path], str | None, str, GivenSplit, int]] = [
    (table, "kind", "linear", AS_THE_DATA_ARE, 0),
    (table, "kind", "ffn", AS_THE_DATA_ARE, 3),
    (numbers, "price", "gradient_boosting", AS_THE_DATA_ARE, 0),
    (numbers, "price", "ffn", AS_THE_DATA_ARE, 1),
    (copies, "kind", "random_forest", AS_THE_DATA_ARE, 0),
    (copies, "kind", "ffn", AS_THE_DATA_ARE, 2),
    (people, "kind", "linear", AS_THE_DATA_ARE, 0),
    (people, "kind", "ffn", BY_PATIENT, 1),
    (days, "kind", "linear", AS_THE_DATA_ARE, 0),
    (days, "size", "ffn", BY_DAY, 0),
    (alike, "kind", "linear", AS_THE_DATA_ARE, 0),
    (alike, "kind", "gradient_boosting", BY_DAY, 1),
    (days, "kind", "gradient_boosting", GivenSplit(group="day"), 4),
    (pictures, None, "cnn", AS_THE_DATA_ARE, 0),
    (pictures, None, "linear", AS_THE_DATA_ARE, 5),
    (arrays, "labels", "cnn", AS_THE_DATA_ARE, 0),
    (arrays, "labels", "random_forest", AS_THE_DATA_ARE, 1),
    (sounds, None, "cnn", AS_THE_DATA_ARE, 0),
    (sounds, None, "linear", AS_THE_DATA_ARE, 1),
    (texts, "mood", "naive_bayes", AS_THE_DATA_ARE, 0),
    (texts, "mood", "transformer", AS_THE_DATA_ARE, 1),
    (authors, "mood", "linear", BY_AUTHOR, 0),
    (authors, "mood", "cnn", BY_AUTHOR, 2),
    (authors, "mood", "linear", BY_BOTH, 0),
    (letters, None, "linear", AS_THE_DATA_ARE, 0),
    (letters, None, "transformer", AS_THE_DATA_ARE, 0),
    (curves, "y", "lstm", AS_THE_DATA_ARE, 0),
    (curves, "y", "linear", AS_THE_DATA_ARE, 2),
]


def project_of(folder: Path, found: Inspection, network: str, given: GivenSplit, seed: int, **facts: Any) -> Path:
    """A project of the plan as it is after trials of these data with this split and seed."""
    told = {name: value for name in ("time_column", "group") if (value := getattr(given, name)) is not None}
    known = {f"trial.split.{name}": value for name, value in told.items()} | (
        {"trial.split.seed": seed} if seed else {}
    )
    known |= {"data.fingerprint": found.fingerprint, "task.kind": found.task, "data.modality": found.modality}
    known |= {name: found.facts[name] for name in ("data.inputs", "data.sequence_length") if name in found.facts}
    known |= {"task.outputs": max(1, len(found.classes)), **facts}
    plan = plan_of(" ".join(f"{name}={value}" for name, value in known.items()), network_type=network)
    made = blueprint_of(plan, Path(found.path), found.target, inspection=found)
    write_project(folder, files_of(made))
    return folder


def in_words(folder: Path, found: Any) -> tuple[list[int], list[str]]:
    """The rows that a project holds out when it loads its data, and their targets as words or rounded numbers."""
    data, rows = module(folder, "data"), []
    hold_out = data.hold_out

    def noted(*arguments: Any, **by: Any) -> Any:
        rows.append(hold_out(*arguments, **by)[1].tolist())
        return hold_out(*arguments, **by)

    data.hold_out = noted
    loaded = data.load(Path(found.path), data.settings.SEED)
    ((held_out),) = rows
    kept = loaded.kept["answers"]
    if hasattr(loaded, "held_out"):
        answers, names = loaded.targets[loaded.held_out], kept
    else:
        answers = numpy.array([example[-1].numpy().reshape(-1)[0] for example in loaded.validation])
        names = kept if isinstance(kept[0], str) else None
        answers = answers if names else answers * kept[0][1] + kept[0][0]
    return held_out, [names[int(one)] if names else f"{one:.2f}" for one in answers]


@pytest.mark.parametrize(("made", "target", "network", "given", "seed"), KINDS)
def test_the_project_holds_out_what_the_trials_are_tested_on(
    made: Callable[[Path], Path], target: str | None, network: str, given: GivenSplit, seed: int, tmp_path: Path
) -> None:
    found = inspect(made(tmp_path), target)
    folder = project_of(tmp_path / "project", found, network, given, seed)
    tried = divided(asked(found, given), given, most_examples=10_000, seed=seed)
    targets = tried.examples.targets[tried.split.test]
    wanted = [tried.examples.classes[one] if tried.examples.classes else f"{one[0]:.2f}" for one in targets.tolist()]
    assert in_words(folder, found) == (tried.split.test.tolist(), wanted)


@pytest.mark.parametrize("network", ["lstm", "linear", "statistical"])
@pytest.mark.parametrize(("horizon", "newest_first"), [(1, False), (6, False), (1, True)])
def test_a_forecast_is_scored_on_the_windows_of_the_trials(
    network: str, horizon: int, newest_first: bool, tmp_path: Path
) -> None:
    measured = polars.read_csv(hours(tmp_path))
    if newest_first:
        measured.reverse().write_csv(tmp_path / "newest_first.csv")
    found = inspect(tmp_path / "newest_first.csv" if newest_first else hours(tmp_path), "load")
    assert found.task is Task.FORECAST
    folder = project_of(tmp_path / "project", found, network, AS_THE_DATA_ARE, 0, **{"task.outputs": horizon})
    tried = divided(found, AS_THE_DATA_ARE, most_examples=10_000, seed=0, horizon=horizon)
    wanted = tried.examples.targets[tried.split.test]
    if network == "statistical":
        told = run(folder, f"python train.py --data {found.path}")
        values, steps = measured["load"].to_numpy(), int(found.facts["data.sequence_length"])  # type: ignore[arg-type]
        begins = steps + tried.split.test
        assert values[begins] == pytest.approx(wanted[:, 0])
        assert f"on {len(begins)} held-out forecasts" in told
        return
    loaded = module(folder, "data").load(Path(found.path), 0)
    if network == "lstm":
        (mean, spread), *_ = loaded.kept["answers"]
        targets = numpy.stack([following.numpy() for _, following in loaded.validation]) * spread + mean
        learned = len(loaded.train)
    else:
        targets, learned = loaded.targets[loaded.held_out].reshape(-1, horizon), len(loaded.known)
    assert targets == pytest.approx(wanted, abs=1e-3)
    assert learned == len(tried.split.training)


def test_what_classes_are_called_does_not_change_the_split(tmp_path: Path) -> None:
    first = polars.read_csv(table(tmp_path))
    told = []
    for names in (["1", "2", "10"], ["z", "a", "m"]):
        renamed = first.with_columns(polars.col("kind").cast(polars.String).replace(["1", "2", "10"], names))
        renamed.write_csv(tmp_path / "renamed.csv")
        found = inspect(tmp_path / "renamed.csv", "kind")
        told.append(divided(found, AS_THE_DATA_ARE, most_examples=10_000, seed=0).split.test.tolist())
    assert told[0] == told[1]
