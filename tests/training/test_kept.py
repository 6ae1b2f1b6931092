"""A saved model: applied in another process it says what it said when it had learned, and nothing foreign is ever run."""

from __future__ import annotations

import csv
import json
import os
import random
import time
import wave
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

import numpy
import polars
import pytest
from PIL import Image
from sklearn.metrics import average_precision_score, balanced_accuracy_score
from sklearn.preprocessing import FunctionTransformer
from skops import io as skops

from advisor.datasets.again import intake_of
from advisor.datasets.dataset import Examples, Task
from advisor.datasets.inspect import inspect
from advisor.datasets.intake import Source
from advisor.datasets.loading import load
from advisor.errors import InputError
from advisor.session.applying import apply_model
from advisor.training.child.fitted import Allowance, Fitted
from advisor.training.child.fitting import Fitting
from advisor.training.child.request import Request
from advisor.training.kept.applying import apply
from advisor.training.kept.card import CARD, ESTIMATOR, PREPARATION, README, WEIGHTS, read_card
from advisor.training.kept.keeping import keep, quantiles
from advisor.training.kept.request import Applied, Apply, Keep, Message, Said, WorkFailedError
from advisor.training.ladder.candidates import Candidate, Member, NetworkSettings, Planned, together
from advisor.training.ladder.menu import menu
from advisor.training.ladder.outcome import Best, Final, Metric
from advisor.training.ladder.trial_record import Kind, Stage
from advisor.training.ladder.variants import is_there

ACCURACY, R2 = Metric("accuracy", "accuracy", 0.01), Metric("r2", "R²", 0.01)
PRECISION = Metric("average_precision", "average precision", 0.01)
USUAL = Planned("ffn", (), (8,))
SMALL = NetworkSettings("ffn", (8,), epochs=5)
LINEAR = Candidate("linear", Kind.BASELINE, Stage.BASELINES, "linear")
FOREST = Candidate("random forest", Kind.BASELINE, Stage.BASELINES, "random_forest")
BOOSTING = Candidate("gradient boosting", Kind.BASELINE, Stage.BASELINES, "gradient_boosting")
NETWORK = Candidate("ffn 8", Kind.NETWORK, Stage.NETWORKS, "ffn", SMALL)
READING = Candidate("recurrent 8", Kind.NETWORK, Stage.NETWORKS, "rnn", replace(SMALL, network="rnn"))
Row = dict[str, object]


def flats(count: int, seed: int = 0) -> list[Row]:
    """Flats with a rent, some without a known size; the city and the size decide on the class."""
    draw = random.Random(seed)
    rows: list[Row] = []
    for _ in range(count):
        size, city = draw.randint(20, 120), draw.choice(["Ulm", "Bonn", "Kiel"])
        rent = size * {"Ulm": 10, "Bonn": 14, "Kiel": 8}[city] + draw.gauss(0, 30)
        known = "" if draw.random() < 0.05 else size
        dear = "dear" if rent > 700 else "cheap"
        built = f"{draw.randint(1950, 2020)}-{draw.randint(1, 12):02}-03"
        lift = draw.choice(["yes", "no"])
        rows.append({"size": known, "city": city, "lift": lift, "built": built, "rent": f"{rent:.2f}", "class": dear})
    return rows


def written(path: Path, rows: Sequence[Row], columns: Sequence[str] | None = None) -> Path:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, columns or list(rows[0]), extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    return path


def without(rows: Sequence[Row], *names: str) -> list[Row]:
    return [{name: value for name, value in row.items() if name not in names} for row in rows]


SHUFFLED = ("class", "built", "city", "note", "size", "lift")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return written(tmp_path / "flats.csv", without(flats(300), "rent"))


def saved(
    data: Path,
    target: str | None,
    winner: Candidate,
    folder: Path,
    seconds: float = 60.0,
    metric: Metric | None = None,
    final: Final | None = None,
    usual: float = 20.0,
    planned: Planned = USUAL,
) -> Path:
    """The winner, as the child of `advisor try --save` keeps it; a training takes so many seconds, as trees grow by it."""
    found = inspect(data, target)
    asked = Request(str(data), target, found.fingerprint, planned, 60, 60, 0, 1, 10_000)
    metric = metric or (ACCURACY if found.task is Task.CLASSIFY else R2)
    best = Best(winner.name, winner.kind, 0.9, 0.8, 0.95, winner.settings_json)
    folder.mkdir()
    request = Keep(asked, best, metric, "baseline", "It won.", usual, seconds, str(folder), "2026-05-01", final)
    keep(request, time.monotonic())
    return folder


def in_process(data: Path, target: str | None, winner: Candidate) -> tuple[Examples, Fitted]:
    """What the same winner says of the examples that it learned from, before anything is saved."""
    examples = load(inspect(data, target), most_examples=10_000)
    every = numpy.arange(len(examples))
    allowance = Allowance(60.0, float("inf"))
    return examples, Fitting(examples, 1).fit(winner, every, every, 500, allowance)


Found: TypeAlias = tuple[Applied, list[dict[str, str]], str]
"""What came of it, the lines of the predictions, and what was remarked."""


def applied(folder: Path, data: Path) -> Found:
    """In another process, as `advisor apply` does."""
    remarks: list[str] = []
    found = apply_model(folder, data, complain=lambda title, what: remarks.append(f"{title}: {what}"), threads=1)
    return found.applied, list(csv.DictReader(found.content.decode().splitlines())), " ".join(remarks)


def applied_here(folder: Path, data: Path) -> Found:
    """The work of that process, in this one: seconds sooner."""
    told: list[Message] = []
    with TemporaryDirectory() as made:
        output = Path(made) / "predictions.csv"
        apply(Apply(str(folder), str(data), str(output), 1), told.append)
        lines = list(csv.DictReader(output.read_text().splitlines()))
    remarks = [f"{one.title}: {one.what}" for one in told if isinstance(one, Said)]
    return next(one for one in told if isinstance(one, Applied)), lines, " ".join(remarks)


def probabilities(lines: Sequence[dict[str, str]], classes: Sequence[str]) -> Any:
    return numpy.array([[float(line[f"p_{name}"]) for name in classes] for line in lines])


def refusal(folder: Path, data: Path) -> InputError:
    with pytest.raises(InputError) as error:
        applied_here(folder, data)
    return error.value


@pytest.mark.parametrize("winner", [LINEAR, FOREST, BOOSTING, NETWORK], ids=lambda one: one.model)
def test_a_classifier_says_the_same_of_a_table_with_other_columns_in_another_order(
    table: Path, tmp_path: Path, winner: Candidate
) -> None:
    model = saved(table, "class", winner, tmp_path / "model")
    examples, before = in_process(table, "class", winner)
    rows = [{**row, "note": "seen"} for row in flats(300)]
    found, lines, remarks = applied(model, written(tmp_path / "again.csv", rows, SHUFFLED))
    assert probabilities(lines, examples.classes) == pytest.approx(before.probabilities, abs=1e-5)
    assert [line["class"] for line in lines] == [examples.classes[number] for number in before.predicted]
    assert found.score == pytest.approx((before.predicted == examples.targets).mean())
    assert (found.rows, found.scored, found.new) == (300, 300, 0)
    assert remarks == "Columns that the model does not take: They are passed over: 'note'."


needs_catboost = pytest.mark.skipif(not is_there("catboost"), reason="it is not installed")
MEMBERS = (
    ("gradient_boosting", "lightgbm", False, 0.5),
    ("knn", "weighted", False, 0.3),
    ("svm", "less_penalty", False, 0.2),
)
SEVERAL = together([Member(*one) for one in MEMBERS], "several")
"""Each reads the table in its own way."""


@pytest.mark.parametrize(
    "name",
    [
        "support vectors",
        "nearest neighbours",
        "random forest, extra",
        "gradient boosting, small steps",
        "gradient boosting, lightgbm",
        "gradient boosting, after linear",
        pytest.param("gradient boosting, catboost", marks=needs_catboost),
        SEVERAL.name,
    ],
)
@pytest.mark.parametrize("target", ["class", "rent"])
def test_every_model_of_the_menu_and_several_together_are_saved_and_applied(
    tmp_path: Path, name: str, target: str
) -> None:
    rows = without(flats(150), *{"class", "rent"} - {target})
    data = written(tmp_path / "flats.csv", rows)
    made = menu(Planned(), "tabular", classes=target == "class")
    winner = next((one for one in (*made.openers, *made.settings) if one.name == name), None)
    if winner is None and name != SEVERAL.name:
        pytest.skip("it is for numbers")
    winner = winner or SEVERAL
    _, before = in_process(data, target, winner)
    found, lines, _ = applied_here(saved(data, target, winner, tmp_path / "model"), data)
    if before.probabilities is not None:
        assert probabilities(lines, ["cheap", "dear"]) == pytest.approx(before.probabilities, abs=1e-5)
    else:
        assert [float(line["rent"]) for line in lines] == pytest.approx(before.predicted[:, 0], rel=1e-5)
    assert found.scored == 150


@pytest.mark.parametrize("library", ["lightgbm", pytest.param("catboost", marks=needs_catboost)])
def test_boosting_of_another_library_is_applied_by_it_in_another_process(
    table: Path, tmp_path: Path, library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    winner = replace(BOOSTING, name=f"gradient boosting, {library}", variant=library)
    model = saved(table, "class", winner, tmp_path / "model")
    examples, before = in_process(table, "class", winner)
    _, lines, remarks = applied(model, table)
    assert probabilities(lines, examples.classes) == pytest.approx(before.probabilities, abs=1e-5)
    assert remarks == ""
    assert f"It needs {library}: `pip install '{library}>=" in (model / README).read_text()

    card = json.loads((model / CARD).read_text())
    made_by = card["versions"][library]
    (model / CARD).write_text(json.dumps({**card, "versions": {**card["versions"], library: "0.7.1"}}))
    assert (
        f"Another version: The model was saved with {library} 0.7.1, and {made_by} is" in applied_here(model, table)[2]
    )
    monkeypatch.setattr("advisor.training.ladder.variants.find_spec", lambda _: None)
    (told,) = refusal(model, table).problems
    assert told.what == f"it was made by {library} 0.7.1, which is not installed"
    assert told.remedy.startswith(f"Install it: pip install '{library}>=")


def test_of_several_together_the_library_of_one_is_named(table: Path, tmp_path: Path) -> None:
    versions = read_card(saved(table, "class", SEVERAL, tmp_path / "model")).versions
    assert "lightgbm" in versions
    assert "catboost" not in versions
    assert "lightgbm" not in read_card(saved(table, "class", BOOSTING, tmp_path / "plain")).versions


@pytest.mark.parametrize("name", ["naive Bayes", "naive Bayes, less smoothing", "support vectors"])
def test_models_of_texts_are_saved_and_applied(tmp_path: Path, name: str) -> None:
    data = written(tmp_path / "reviews.csv", reviews(120))
    made = menu(Planned(), "text")
    winner = next(one for one in (*made.openers, *made.settings) if one.name == name)
    examples, before = in_process(data, "mood", winner)
    found, lines, _ = applied_here(saved(data, "mood", winner, tmp_path / "model"), data)
    assert probabilities(lines, examples.classes) == pytest.approx(before.probabilities, abs=1e-5)
    assert found.score is not None and found.score > 0.9  # noqa: PT018


@pytest.mark.parametrize("winner", [LINEAR, BOOSTING, NETWORK], ids=lambda one: one.model)
def test_a_number_comes_with_what_nine_in_ten_lie_between(tmp_path: Path, winner: Candidate) -> None:
    data = written(tmp_path / "rents.csv", without(flats(300), "class"))
    model = saved(data, "rent", winner, tmp_path / "model")
    _, before = in_process(data, "rent", winner)
    new = written(tmp_path / "new.csv", flats(300), ["rent", *SHUFFLED[1:3], "size", "lift"])
    _, lines, _ = applied(model, new)
    assert [float(line["rent"]) for line in lines] == pytest.approx(before.predicted[:, 0], rel=1e-5)
    low, high = ([float(line[name]) for line in lines] for name in ("low", "high"))
    inside = [a <= float(str(row["rent"])) <= b for a, row, b in zip(low, flats(300), high, strict=True)]
    assert numpy.mean(inside) > 0.8
    card = read_card(model)
    assert card.of_all
    assert card.versions["scikit-learn"]


def test_without_time_the_weights_that_saw_no_held_out_example_are_kept_and_the_card_says_so(tmp_path: Path) -> None:
    data = written(tmp_path / "rents.csv", without(flats(200), "class"))
    model = saved(data, "rent", LINEAR, tmp_path / "model", seconds=-1e9)
    assert read_card(model).learnt_from == 160
    assert "160 of 200 examples that were not held out" in (model / README).read_text()


def test_one_in_twenty_is_left_out_at_either_end() -> None:
    assert quantiles(numpy.arange(1.0, 100.0)) == (5.0, 95.0)
    assert quantiles(numpy.array([3.0, 1.0, 2.0])) == (1.0, 3.0)


def test_where_a_class_is_rare_the_same_score_is_told_of_new_examples_too(tmp_path: Path) -> None:
    rows = [{**row, "class": "rare" if number % 12 == 0 else "usual"} for number, row in enumerate(flats(240))]
    rows = [{**row, "size": 150 - number % 7} if number % 15 == 0 else row for number, row in enumerate(rows)]
    data = written(tmp_path / "flats.csv", without(rows, "rent"))
    winner = replace(LINEAR, name="linear with class weights", weighted=True)
    model = saved(data, "class", winner, tmp_path / "model", metric=PRECISION)
    examples, before = in_process(data, "class", winner)
    found, lines, _ = applied_here(model, data)
    assert before.probabilities is not None
    assert probabilities(lines, examples.classes) == pytest.approx(before.probabilities, abs=1e-5)
    rare = examples.classes.index("rare")
    assert found.score == pytest.approx(
        average_precision_score(examples.targets == rare, before.probabilities[:, rare])
    )
    usual = written(tmp_path / "usual.csv", [row for row in rows if row["class"] == "usual"])
    assert applied_here(model, usual)[0].score is None, "there is none to be found"


def worth(winner: Candidate, balanced: float, **thresholds: float) -> Final:
    """A finalist whose decisions the trials told."""
    also = {"balanced_accuracy": balanced}
    return Final(winner.name, winner.kind, (0.9,), 0.9, 0.8, 0.95, also=also, thresholds=thresholds)


def test_a_rare_class_is_decided_for_from_the_threshold_that_the_trials_told(tmp_path: Path) -> None:
    rows = changed(flats(240), lambda number, row: {"class": "rare" if number % 12 == 0 else "usual"})
    data = written(tmp_path / "flats.csv", without(rows, "rent"))
    model = saved(
        data, "class", LINEAR, tmp_path / "model", metric=PRECISION, final=worth(LINEAR, 0.85, balanced_accuracy=0.08)
    )
    found, lines, _ = applied_here(model, data)
    likely, truth = [float(line["p_rare"]) for line in lines], [row["class"] for row in rows]
    said = [line["class"] for line in lines]
    assert said == ["rare" if one >= 0.08 else "usual" for one in likely]
    assert 0 < said.count("rare") < 240
    assert found.decided == pytest.approx(balanced_accuracy_score(truth, said))
    assert found.score == pytest.approx(average_precision_score([one == "rare" for one in truth], likely))
    assert "It is decided for `rare` from a probability of 0.08 on" in (model / README).read_text()
    usual = written(tmp_path / "usual.csv", [row for row in rows if row["class"] == "usual"])
    assert applied_here(model, usual)[0].decided is None


def test_of_several_classes_each_counts_the_same_as_in_the_trials(tmp_path: Path) -> None:
    names = ("often", "often", "often", "often", "often", "seldom", "often", "rarely")
    rows = changed(flats(160), lambda number, row: {"class": names[number % 8]})
    data = written(tmp_path / "flats.csv", without(rows, "rent"))
    loss = Metric("log_loss", "log loss", 0.01, False)
    model = saved(data, "class", LINEAR, tmp_path / "model", metric=loss, final=worth(LINEAR, 0.6))
    found, lines, _ = applied_here(model, data)
    shares = numpy.array([0.75, 0.125, 0.125])
    classes = numpy.array(["often", "rarely", "seldom"])
    expected = classes[(probabilities(lines, list(classes)) / shares).argmax(axis=1)].tolist()
    assert [line["class"] for line in lines] == expected
    assert len(set(expected)) == 3, "and not the most frequent class alone"
    assert found.decided == pytest.approx(balanced_accuracy_score([row["class"] for row in rows], expected))


def reviews(count: int) -> list[Row]:
    draw = random.Random(1)
    words = ["the", "room", "was", "food", "people", "night", "place", "very", "and", "we"]
    kinds = {"good": "lovely", "bad": "awful"}
    told = [draw.choice(["good", "bad"]) for _ in range(count)]
    return [
        {"review": " ".join([*draw.sample(words, 7), kinds[mood], draw.choice(words)]), "mood": mood} for mood in told
    ]


def test_texts_of_a_table_and_of_a_folder_are_read_as_they_were(tmp_path: Path) -> None:
    rows = reviews(160)
    data = written(tmp_path / "reviews.csv", rows)
    examples, before = in_process(data, "mood", LINEAR)
    _, lines, _ = applied(
        saved(data, "mood", LINEAR, tmp_path / "model"), written(tmp_path / "n.csv", rows, ["review"])
    )
    assert probabilities(lines, examples.classes) == pytest.approx(before.probabilities, abs=1e-5)

    folder = tmp_path / "texts"
    for number, row in enumerate(rows):
        (folder / str(row["mood"])).mkdir(parents=True, exist_ok=True)
        (folder / str(row["mood"]) / f"{number}.txt").write_text(str(row["review"]))
    examples, before = in_process(folder, None, READING)
    found, lines, _ = applied(saved(folder, None, READING, tmp_path / "reading"), folder)
    assert probabilities(lines, examples.classes) == pytest.approx(before.probabilities, abs=1e-5)
    assert lines[0]["file"].startswith("bad/")
    assert found.scored == 160


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    draw = numpy.random.default_rng(0)
    folder = tmp_path / "pictures"
    for name, light in (("dark", 0), ("light", 100)):
        (folder / name).mkdir(parents=True)
        for number in range(20):
            pixels = (draw.integers(0, 150, (8, 8)) + light).astype(numpy.uint8)
            Image.fromarray(pixels).save(folder / name / f"{number:02}.png")
    return folder


@pytest.mark.parametrize("winner", [FOREST, replace(NETWORK, model="cnn", settings=replace(SMALL, network="cnn"))])
def test_pictures_are_brought_to_the_size_that_the_model_knows(
    pictures: Path, tmp_path: Path, winner: Candidate
) -> None:
    model = saved(pictures, None, winner, tmp_path / "model")
    examples, before = in_process(pictures, None, winner)
    _, lines, _ = applied(model, pictures)
    assert probabilities(lines, examples.classes) == pytest.approx(before.probabilities, abs=1e-5)
    new = tmp_path / "new"
    new.mkdir()
    Image.open(pictures / "light" / "03.png").resize((16, 16)).save(new / "large.png")
    (new / "broken.png").write_bytes(b"no picture")
    found, lines, remarks = applied_here(model, new)
    assert [line["file"] for line in lines] == ["large.png"]
    assert found.score is None, "no folder says what it is"
    assert "1 of 2 pictures cannot be read, such as broken.png" in remarks
    assert "this is a file, and the model was learned from a folder of pictures" in str(
        refusal(model, new / "large.png")
    )


def test_sounds_are_cut_into_the_steps_that_the_model_knows(tmp_path: Path) -> None:
    folder = tmp_path / "sounds"
    for number in range(24):
        pitch, name = (300, "low") if number % 2 else (1500, "high")
        samples = numpy.sin(numpy.arange(4000) * 2 * numpy.pi * (pitch + number) / 8000) * 20_000
        (folder / name).mkdir(parents=True, exist_ok=True)
        with wave.open(str(folder / name / f"{number:02}.wav"), "wb") as file:
            file.setparams((1, 2, 8000, 0, "NONE", ""))
            file.writeframes(samples.astype("<i2").tobytes())
    winner = replace(READING, model="lstm", settings=replace(SMALL, network="lstm"))
    examples, before = in_process(folder, None, winner)
    _, lines, _ = applied_here(saved(folder, None, winner, tmp_path / "model"), folder)
    assert probabilities(lines, examples.classes) == pytest.approx(before.probabilities, abs=1e-5)


def changed(rows: Sequence[Row], change: Callable[[int, Row], Row]) -> list[Row]:
    return [{**row, **change(number, row)} for number, row in enumerate(rows)]


def test_what_does_not_fit_is_told_by_name(table: Path, tmp_path: Path) -> None:
    model = saved(table, "class", LINEAR, tmp_path / "model")
    new = tmp_path / "new.csv"

    rows = changed(flats(60), lambda number, row: {"city": "Rome"} if number in (3, 7) else {})
    _, lines, remarks = applied_here(model, written(new, rows))
    assert "In the column 'city' 2 rows have 'Rome'" in remarks
    assert len(lines) == 60

    said = str(refusal(model, written(new, [{"Size": 3, "lift": "no", "built": "2001-01-01"}] * 2)))
    assert "the column 'size' is missing. Did you mean Size? Columns are found by their names." in said
    assert "the column 'city' is missing" in said

    rows = changed(flats(40), lambda number, row: {"size": "large" if number == 5 else row["size"], "built": "soon"})
    said = str(refusal(model, written(new, rows)))
    assert "the column 'size' should hold numbers, and row 6 has 'large'" in said
    assert "the column 'built' should hold dates, and row 1 has 'soon' (and 39 more rows like it)" in said

    rows = changed(flats(200), lambda number, row: {"size": "unclear" if number == 5 else row["size"]})
    assert "In the column 'size' 1 row has 'unclear'." in applied_here(model, written(new, rows))[2]

    rows = changed(flats(30), lambda number, row: {"class": "free"} if number < 2 else {})
    found = applied_here(model, written(new, rows))[0]
    assert (found.scored, found.new) == (28, 2)

    note = tmp_path / "note.txt"
    note.write_text("So it was.\nAnd more.\n")
    assert "this is no table (text), and the model takes one" in str(refusal(model, note))


def test_other_spellings_and_few_rows_are_read_all_the_same(table: Path, tmp_path: Path) -> None:
    model = saved(table, "class", LINEAR, tmp_path / "model")
    plain = flats(12, seed=3)
    _, expected, _ = applied_here(model, written(tmp_path / "plain.csv", plain))
    written_otherwise = changed(
        plain, lambda number, row: {"size": f"{row['size']},0" if row["size"] else "", "lift": str(row["lift"]).upper()}
    )
    german = tmp_path / "german.csv"
    lines = [";".join(SHUFFLED[1:3] + SHUFFLED[4:])]
    lines += [";".join(str(row[name]) for name in SHUFFLED[1:3] + SHUFFLED[4:]) for row in written_otherwise]
    german.write_text("\n".join(lines) + "\n")
    assert applied_here(model, german)[1] == expected
    objects = tmp_path / "rows.jsonl"
    objects.write_text("".join(json.dumps({k: v for k, v in row.items() if v != ""}) + "\n" for row in plain))
    assert applied_here(model, objects)[1] == expected
    typed = polars.DataFrame([{**row, "size": row["size"] or None} for row in plain])
    typed = typed.with_columns(polars.col("built").str.to_date(), polars.col("lift") == "yes")
    typed.write_parquet(tmp_path / "rows.parquet")
    assert applied_here(model, tmp_path / "rows.parquet")[1] == expected
    typed.with_columns(size="built", built="size").write_parquet(tmp_path / "swapped.parquet")
    said = str(refusal(model, tmp_path / "swapped.parquet"))
    assert "the column 'size' should hold numbers, and row 1 has '" in said
    assert "the column 'built' should hold dates" in said
    assert applied_here(model, written(tmp_path / "one.csv", plain[:1]))[1][0]["class"] == expected[0]["class"]
    words = saved(written(tmp_path / "reviews.csv", reviews(60)), "mood", LINEAR, tmp_path / "of_words")
    alone = tmp_path / "alone.csv"
    alone.write_text('review\n"the room was lovely"\n')
    assert applied_here(words, alone)[1][0]["mood"] == "good"


def test_a_card_says_what_the_model_is_and_one_of_another_version_that_it_is(table: Path, tmp_path: Path) -> None:
    model = saved(table, "class", NETWORK, tmp_path / "model")
    assert {path.name for path in model.iterdir()} == {CARD, README, PREPARATION, WEIGHTS}
    told = json.loads((model / CARD).read_text())
    assert (told["schema"], told["score"], told["low"], told["high"]) == ("advisor/model/2", 0.9, 0.8, 0.95)
    assert told["fingerprint"] == inspect(table, "class").fingerprint
    assert [column["name"] for column in told["intake"]["columns"]] == ["size", "city", "lift", "built"]
    assert told["plan"]["network"] == "ffn"
    page = (model / README).read_text()
    assert "| `city` | category |" in page
    assert "accuracy 0.900 (95 % prediction interval 0.800 to 0.950" in page

    (model / CARD).write_text(json.dumps({**told, "versions": {**told["versions"], "scikit-learn": "0.1.0"}}))
    assert "was saved with scikit-learn 0.1.0, and" in applied_here(model, table)[2]
    (model / CARD).write_text(json.dumps({**told, "schema": "advisor/model/7"}))
    assert "in format 7, and this version reads format 2" in str(refusal(model, table))
    (model / CARD).write_text(json.dumps({**told, "intake": 3}))
    assert "card.json: the saved model is damaged (card.intake: a mapping is expected" in str(refusal(model, table))
    (model / CARD).write_text(json.dumps({"schema": "something/1"}))
    assert "its card is none of a saved model" in str(refusal(model, table))
    assert "this is no folder of a saved model" in str(refusal(table, table))


class Trap:
    """Of a type that no saved model has; whoever builds it from a file would run code of ours."""

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str]]:
        return Path.touch, (str(Path(__file__).with_name("sprung")),)


def test_a_foreign_type_in_a_saved_model_is_refused_by_name_and_never_built(table: Path, tmp_path: Path) -> None:
    import torch

    model = saved(table, "class", LINEAR, tmp_path / "model")
    kept = (model / ESTIMATOR).read_bytes()
    skops.dump(FunctionTransformer(os.system), model / ESTIMATOR)  # one of scikit-learn's own that calls anything
    said = str(refusal(model, table))
    assert "estimator.skops: it holds what no saved model has: posix.system" in said
    assert "Nothing of it was run" in said
    (model / ESTIMATOR).write_bytes(kept[: len(kept) // 2])
    assert "estimator.skops: the saved model is damaged" in str(refusal(model, table))
    skops.dump([1, 2], model / ESTIMATOR)
    assert "it holds no model" in str(refusal(model, table))

    network = saved(table, "class", NETWORK, tmp_path / "network")
    other = saved(
        written(tmp_path / "more.csv", [{**row, "floor": n % 5} for n, row in enumerate(flats(100))]),
        "class",
        NETWORK,
        tmp_path / "other",
    )
    kept_weights = (network / WEIGHTS).read_bytes()
    (network / WEIGHTS).write_bytes((other / WEIGHTS).read_bytes())
    assert "weights.pt: the saved model is damaged" in str(refusal(network, table))
    (network / WEIGHTS).write_bytes(kept_weights)
    (network / PREPARATION).write_bytes((other / PREPARATION).read_bytes())
    assert "its files do not fit together" in str(refusal(network, table))
    torch.save({"weight": Trap()}, network / WEIGHTS)
    assert "weights.pt: the saved model is damaged" in str(refusal(network, table))
    assert not Path(__file__).with_name("sprung").exists()


def test_what_cannot_be_read_again_is_refused_before_it_is_tried(tmp_path: Path, table: Path) -> None:
    months = [{f"2024-{month:02}": 100 + number % 7 + month for month in range(1, 13)} for number in range(40)]
    with pytest.raises(InputError, match="forecasts of series with a column for each time cannot be saved yet"):
        intake_of(inspect(written(tmp_path / "sold.csv", months)))
    numpy.savez(tmp_path / "arrays.npz", x=numpy.random.default_rng(0).normal(size=(40, 3)), y=numpy.arange(40) % 2)
    with pytest.raises(InputError, match="cannot be saved yet"):
        intake_of(inspect(tmp_path / "arrays.npz", "y"))
    assert intake_of(inspect(table, "class")).source is Source.TABLE


@pytest.mark.parametrize(
    "error", [MemoryError(), RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory")]
)
@pytest.mark.parametrize(
    "where", ["advisor.training.kept.applying.predictions", "advisor.training.kept.storing.skops.load"]
)
def test_memory_that_runs_out_is_not_called_damage(
    where: str, error: Exception, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    folder = saved(table, "class", LINEAR, tmp_path / "model")
    monkeypatch.setattr(where, fail)
    refused = refusal(folder, table)
    assert isinstance(refused, WorkFailedError)
    assert "Memory ran out." in str(refused)
    assert "damaged" not in str(refused)
