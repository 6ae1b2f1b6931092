"""predict.py answers for new examples as train.py answered for those that it held out."""

from __future__ import annotations

import json
import math
import wave
from collections.abc import Callable
from pathlib import Path

import numpy
import polars
import pytest
import torch
from PIL import Image

from advisor.starter.blueprint import Layout, ReadColumn, Reads, Targets
from advisor.starter.requirements import packages_of
from advisor.training.child.forecaster import History
from tests.starter.blueprints import blueprint, module, project
from tests.starter.projects import answer_column, complaints, run


def table(path: Path) -> Path:
    chance = numpy.random.default_rng(5)
    rows = chance.normal(size=(60, 2))
    colour = [["red", "blue", None][number] for number in chance.integers(3, size=60)]
    kind = ["big" if a + b > 0 else "small" for a, b in rows]
    columns = {
        "a": [*rows[:, 0]],
        "b": [*rows[1:, 1], None],
        "colour": colour,
        "size": 100 + 7 * rows[:, 0],
        "kind": kind,
    }
    polars.DataFrame(columns, strict=False).write_csv(path / "data.csv")
    return path / "data.csv"


def pictures(path: Path) -> Path:
    chance = numpy.random.default_rng(5)
    for number in range(20):
        file = path / "pictures" / ("dark" if number % 2 else "light") / f"{number}.png"
        file.parent.mkdir(parents=True, exist_ok=True)
        grey = chance.integers(0, 90, (9, 9)) + (0 if number % 2 else 160)
        Image.fromarray(grey.astype(numpy.uint8)).save(file)
    return path / "pictures"


def sounds(path: Path) -> Path:
    for number in range(10):
        file = path / "sounds" / ("high" if number % 2 else "low") / f"{number}.wav"
        file.parent.mkdir(parents=True, exist_ok=True)
        with wave.open(str(file), "wb") as sound:
            sound.setparams((1, 2, 8000, 0, "NONE", ""))
            sound.writeframes((9000 * numpy.sin(numpy.arange(900) * (1 + number % 2))).astype(numpy.int16).tobytes())
    return path / "sounds"


def texts(path: Path) -> Path:
    words = ["good news and sun" if number % 2 else "bad rain, and storm" for number in range(40)]
    kinds = ["fine" if number % 2 else "poor" for number in range(40)]
    polars.DataFrame({"number": range(40), "text": words, "kind": kinds}).write_csv(path / "texts.csv")
    return path / "texts.csv"


def series(path: Path) -> Path:
    chance = numpy.random.default_rng(5)
    values = {f"t{step}": chance.normal(3, 2, 50) for step in range(6)}
    polars.DataFrame({**values, "kind": ["a", "b"] * 25}).write_csv(path / "series.csv")
    return path / "series.csv"


def moments(path: Path) -> Path:
    time = numpy.arange(200)
    polars.DataFrame({"load": 50 + 9 * numpy.sin(time / 5), "heat": 20 + numpy.cos(time / 5)}).write_csv(
        path / "hours.csv"
    )
    return path / "hours.csv"


MADE = {
    Layout.TABLE: table,
    Layout.PICTURE: pictures,
    Layout.SOUND: sounds,
    Layout.TOKENS: texts,
    Layout.SERIES: series,
}
NETWORKS = [
    (Layout.TABLE, "ffn"),
    (Layout.PICTURE, "cnn"),
    (Layout.SOUND, "lstm"),
    (Layout.TOKENS, "cnn"),
    (Layout.TOKENS, "transformer"),
    (Layout.SERIES, "lstm"),
]
FEW = "--steps 4 --batch-size 8"


@pytest.mark.parametrize(("layout", "network"), NETWORKS)
@pytest.mark.parametrize("targets", [Targets.CLASS, Targets.FLAGS])
def test_held_out_examples_are_answered_as_in_the_training(
    layout: Layout, network: str, targets: Targets, tmp_path: Path
) -> None:
    data = MADE[layout](tmp_path)
    folder = project(tmp_path / "project", blueprint(network, layout, targets))
    closing = run(folder, f"python train.py --data '{data}' {FEW}").splitlines()[-1]
    said = run(folder, f"python predict.py --data '{data}' --output found.csv")
    found = polars.read_csv(folder / "found.csv")
    assert said.startswith(f"{len(found)} predictions are in found.csv: ")
    reader = module(folder, "data")
    held_out = torch.stack([answer for _, answer in reader.load(data, 0).validation])
    kept = torch.load(folder / "runs" / "best.pt", weights_only=True)["preparation"]["answers"]
    names = kept[0] if targets is Targets.FLAGS else kept
    _, new = reader.divided(reader.answers_of(classes_of(data))[0], 0)
    right = [names[int(answer)] for answer in held_out.flatten().tolist()]
    accuracy = (answer_column(found)[new.tolist()] == polars.Series(right)).mean()
    assert accuracy == pytest.approx(float(closing.rpartition(" ")[2]), abs=1e-4)
    chances = found.select(f"p_{name}" for name in names)
    assert chances.sum_horizontal().to_numpy() == pytest.approx(1)
    best = [names[row.index(max(row))] for row in chances.rows()]
    assert best == answer_column(found).to_list()
    assert complaints(folder) == ""


def classes_of(data: Path) -> list[str]:
    """The class of each example, in the order of the data."""
    if data.is_dir():
        return [file.parent.name for file in sorted(file for file in data.rglob("*") if file.is_file())]
    return polars.read_csv(data)["kind"].to_list()


@pytest.mark.parametrize(("layout", "network"), [(Layout.TABLE, "random_forest"), (Layout.TABLE, "linear"),
                                                 (Layout.PICTURE, "linear"), (Layout.SOUND, "random_forest"),
                                                 (Layout.TOKENS, "linear"), (Layout.SERIES, "gradient_boosting")])  # fmt: skip
def test_models_that_are_no_networks_answer_too(layout: Layout, network: str, tmp_path: Path) -> None:
    data = MADE[layout](tmp_path)
    folder = project(tmp_path / "project", blueprint(network, layout, Targets.CLASS))
    closing = run(folder, f"python train.py --data '{data}'").splitlines()[-1]
    run(folder, f"python predict.py --data '{data}' --model runs/scored.skops")
    found = polars.read_csv(folder / "predictions.csv")
    reader = module(folder, "data")
    loaded, everything = reader.load(data, 0), numpy.array(classes_of(data))
    _, rows = reader.divided(everything, 0)
    right = everything[rows]
    assert [loaded.kept["answers"][number] for number in loaded.targets[loaded.held_out]] == right.tolist()
    accuracy = (answer_column(found).to_numpy()[rows] == right).mean()
    assert f"accuracy {accuracy:.4f} on {len(rows)} examples that it had not seen" in closing
    assert found.select(polars.selectors.starts_with("p_")).sum_horizontal().to_numpy() == pytest.approx(1)
    assert complaints(folder) == ""


@pytest.mark.parametrize("network", ["ffn", "linear"])
def test_numbers_are_in_the_units_of_the_data(network: str, tmp_path: Path) -> None:
    data = table(tmp_path)
    polars.read_csv(data).drop("kind").write_csv(data)
    folder = project(tmp_path / "project", blueprint(network, Layout.TABLE, Targets.NUMBERS))
    run(folder, f"python train.py --data {data}{' --steps 300 --batch-size 16' if network == 'ffn' else ''}")
    run(folder, f"python predict.py --data {data}")
    found = answer_column(polars.read_csv(folder / "predictions.csv"))
    assert found.mean() == pytest.approx(polars.read_csv(data)["size"].mean(), abs=4)


@pytest.mark.parametrize(("layout", "make"), [(Layout.TABLE, table), (Layout.SERIES, series)])
def test_numbers_are_scaled_by_those_that_are_learned_from(
    layout: Layout, make: Callable[[Path], Path], tmp_path: Path
) -> None:
    """A held-out number that is far from all others shows in no scale."""
    data = make(tmp_path)
    frame = polars.read_csv(data).drop("kind")
    folder = project(tmp_path / "project", blueprint("ffn", layout, Targets.NUMBERS))
    reader = module(folder, "data")
    held_out = reader.divided(torch.arange(len(frame)), 0)[1][0].item()
    numbers = [1e6 if row == held_out else float(row) for row in range(len(frame))]
    frame.with_columns(polars.Series("target", numbers)).write_csv(data)
    found = reader.load(data, 0)
    learned = torch.stack([answer for _, answer in found.train])
    ((mean, spread),) = found.kept["answers"]
    assert mean < len(frame)
    assert learned.mean().item() == pytest.approx(0, abs=1e-5)
    assert learned.std().item() == pytest.approx(1, abs=1e-5)
    answers = torch.stack([answer for _, answer in found.validation]) * spread + mean
    assert answers.max().item() == pytest.approx(1e6)


@pytest.mark.parametrize("network", ["ffn", "linear"])
def test_words_that_look_like_numbers_stay_words(network: str, tmp_path: Path) -> None:
    data = tmp_path / "places.csv"
    data.write_text(
        "place,kind\n" + "".join(f"{place},{kind}\n" for place, kind in [("007", "near"), ("A1", "far")] * 30)
    )
    folder = project(tmp_path / "project", blueprint(network, Layout.TABLE, Targets.CLASS))
    run(folder, f"python train.py --data {data}{' --steps 60 --batch-size 16' if network == 'ffn' else ''}")
    (tmp_path / "new.csv").write_text("other,place\n1,007\n2,007\n")
    run(folder, f"python predict.py --data {tmp_path / 'new.csv'}")
    assert answer_column(polars.read_csv(folder / "predictions.csv")).to_list() == ["near", "near"]
    (tmp_path / "new.csv").write_text("other\n1\n")
    with pytest.raises(SystemExit, match="There is no column 'place'"):
        run(folder, f"python predict.py --data {tmp_path / 'new.csv'} --force")


@pytest.mark.parametrize("network", ["lstm", "linear"])
def test_a_forecast_goes_on_after_the_last_row(network: str, tmp_path: Path) -> None:
    data = moments(tmp_path)
    folder = project(tmp_path / "project", blueprint(network, Layout.SERIES, Targets.NUMBERS, kind="forecast"))
    run(folder, f"python train.py --data {data}{' --steps 4 --batch-size 8' if network == 'lstm' else ''}")
    polars.read_csv(data).select("heat", "load").tail(30).write_csv(tmp_path / "recent.csv")  # in another order
    said = run(folder, f"python predict.py --data {tmp_path / 'recent.csv'}")
    found = polars.read_csv(folder / "predictions.csv")
    run(folder, f"python predict.py --data {data} --output all.csv")
    assert polars.read_csv(folder / "all.csv").equals(found)
    assert found["step"].to_list() == list(range(1, len(found) + 1))
    assert all(math.isfinite(value) and 10 < value < 30 for value in answer_column(found)), said
    polars.read_csv(data).with_columns(load=polars.lit(None)).write_csv(tmp_path / "empty.csv")
    run(folder, f"python predict.py --data {tmp_path / 'empty.csv'} --output empty.csv")
    assert answer_column(polars.read_csv(folder / "empty.csv")).is_finite().all()


@pytest.mark.parametrize("variant", ["", "theta", "seasonal_naive"])
def test_a_statistical_model_is_fitted_to_the_series_that_it_is_given(variant: str, tmp_path: Path) -> None:
    values = [10 + step / 20 + 3 * math.sin(2 * math.pi * step / 12) for step in range(130)]
    polars.DataFrame({"month": range(120), "load": values[:120]}).write_csv(tmp_path / "known.csv")
    polars.DataFrame({"month": range(130), "load": values}).write_csv(tmp_path / "newer.csv")
    made = blueprint("statistical", Layout.SERIES, Targets.NUMBERS, kind="forecast", outputs=3, variant=variant)
    folder = project(tmp_path / "project", made)
    assert "statsforecast" in (folder / "requirements.txt").read_text()
    said = run(folder, f"python train.py --data {tmp_path / 'known.csv'}")
    kept = json.loads((folder / "runs" / "model.json").read_text())
    assert (kept["variant"], kept["seasons"]) == (variant or "ets", [12])
    simple, model = (float(line.rpartition(" ")[2]) for line in said.splitlines()[:2])
    assert model == simple if variant == "seasonal_naive" else model < simple, said
    run(folder, f"python predict.py --data {tmp_path / 'newer.csv'}")
    found = polars.read_csv(folder / "predictions.csv")
    own = History(variant or "ets", numpy.array(values), (12,)).forecast(130, 3)
    assert answer_column(found).to_numpy() == pytest.approx(own)
    assert (found["low"] <= found["high"]).all()
    polars.DataFrame({"other": values}).write_csv(tmp_path / "other.csv")
    with pytest.raises(SystemExit, match="no column 'load'"):
        run(folder, f"python predict.py --data {tmp_path / 'other.csv'} --force")


def test_trees_of_more_nodes_and_unknown_tokens_are_answered(tmp_path: Path) -> None:
    trees = [["+", number % 3, ["*", 2, number % 2]] for number in range(20)]
    lines = [json.dumps({"tree": tree, "target": "odd" if number % 2 else "even"}) for number, tree in enumerate(trees)]
    (tmp_path / "trees.jsonl").write_text("\n".join(lines))
    folder = project(tmp_path / "project", blueprint("recursive", Layout.TREE, Targets.CLASS))
    run(folder, f"python train.py --data {tmp_path / 'trees.jsonl'} {FEW}")
    (tmp_path / "new.jsonl").write_text('{"tree": ["-", ["+", 1, 2], ["*", ["+", 1, 1], ["+", 2, 9]]]}\n{"tree": 7}')
    run(folder, f"python predict.py --data {tmp_path / 'new.jsonl'}")
    assert set(answer_column(polars.read_csv(folder / "predictions.csv"))) <= {"odd", "even"}
    for wrong, told in (("", "it holds no examples"), ("[1, 2]", "cannot be read as train.py reads its data")):
        (tmp_path / "wrong.jsonl").write_text(wrong)
        with pytest.raises(SystemExit, match=told):
            run(folder, f"python predict.py --data {tmp_path / 'wrong.jsonl'} --output wrong.csv")


def test_nodes_of_another_graph_are_answered(tmp_path: Path) -> None:
    for name, nodes in (("known", 30), ("new", 7)):
        (tmp_path / name).mkdir()
        columns = {"a": range(nodes), "b": [node % 4 for node in range(nodes)]}
        kinds = {"kind": ["left" if node % 2 else "right" for node in range(nodes)]} if name == "known" else {}
        polars.DataFrame({**columns, **kinds}).write_csv(tmp_path / name / "nodes.csv")
        edges = {"from": range(nodes - 1), "to": range(1, nodes)}
        polars.DataFrame(edges).write_csv(tmp_path / name / "edges.csv")
    folder = project(tmp_path / "project", blueprint("gnn", Layout.GRAPH, Targets.CLASS))
    run(folder, f"python train.py --data {tmp_path / 'known'} {FEW}")
    run(folder, f"python predict.py --data {tmp_path / 'new'}")
    answers = polars.read_csv(folder / "predictions.csv")
    assert answers["node"].to_list() == list(range(7))
    assert set(answer_column(answers)) <= {"left", "right"}


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A project that learned from a table, and the table."""
    path = tmp_path_factory.mktemp("trained")
    data = table(path)
    folder = project(path / "project", blueprint("ffn", Layout.TABLE, Targets.CLASS))
    run(folder, f"python train.py --data {data} {FEW}")
    return folder, data


def test_columns_in_another_order_and_unknown_words_change_nothing_else(
    trained: tuple[Path, Path], tmp_path: Path
) -> None:
    folder, data = trained
    rows = polars.read_csv(data)
    run(folder, f"python predict.py --data {data} --output {tmp_path / 'as_they_were.csv'}")
    rows.select("size", "colour", "b", "a").head(5).write_csv(tmp_path / "turned.csv")  # nor are there answers
    run(folder, f"python predict.py --data {tmp_path / 'turned.csv'} --output {tmp_path / 'turned_found.csv'}")
    first = polars.read_csv(tmp_path / "as_they_were.csv").head(5)
    turned = polars.read_csv(tmp_path / "turned_found.csv")
    assert answer_column(turned).to_list() == answer_column(first).to_list()
    assert turned["p_big"].to_numpy() == pytest.approx(first["p_big"].to_numpy(), abs=1e-6)
    rows.with_columns(colour=polars.lit("mauve")).write_csv(tmp_path / "mauve.csv")
    run(folder, f"python predict.py --data {tmp_path / 'mauve.csv'} --output {tmp_path / 'mauve_found.csv'}")
    rows.with_columns(colour=polars.lit("teal")).write_csv(tmp_path / "teal.csv")
    run(folder, f"python predict.py --data {tmp_path / 'teal.csv'} --output {tmp_path / 'teal_found.csv'}")
    mauve, teal = (polars.read_csv(tmp_path / f"{name}_found.csv") for name in ("mauve", "teal"))
    assert mauve.equals(teal)
    assert not mauve["p_big"].equals(polars.read_csv(tmp_path / "as_they_were.csv")["p_big"])


def test_what_is_wrong_is_told_and_nothing_is_replaced(trained: tuple[Path, Path], tmp_path: Path) -> None:
    folder, data = trained
    rows, output = polars.read_csv(data), tmp_path / "found.csv"
    predict = f"python predict.py --output {output} --data"
    with pytest.raises(SystemExit, match="There is nothing at"):
        run(folder, f"{predict} nowhere.csv")
    rows.drop("b").write_csv(tmp_path / "lacking.csv")
    with pytest.raises(SystemExit, match="There is no column 'b'"):
        run(folder, f"{predict} {tmp_path / 'lacking.csv'}")
    rows.with_columns(a=polars.lit("tall")).write_csv(tmp_path / "words.csv")
    with pytest.raises(SystemExit, match="'a' holds 'tall', where the training data have numbers"):
        run(folder, f"{predict} {tmp_path / 'words.csv'}")
    rows.head(0).write_csv(tmp_path / "empty.csv")
    with pytest.raises(SystemExit, match="it holds no examples"):
        run(folder, f"{predict} {tmp_path / 'empty.csv'}")
    with pytest.raises(SystemExit, match=r"run train\.py first"):
        run(folder, f"{predict} {data} --weights none.pt")
    (tmp_path / "far.csv").write_text("a,b,colour,size\ninf,1,red,100\n")
    run(folder, f"python predict.py --data {tmp_path / 'far.csv'} --output {tmp_path / 'far_found.csv'}")
    assert polars.read_csv(tmp_path / "far_found.csv")["p_big"].is_finite().all(), "what is infinite counts as missing"
    torch.save({"network": {}}, tmp_path / "other.pt")
    with pytest.raises(SystemExit, match="does not tell how examples are prepared"):
        run(folder, f"{predict} {data} --weights {tmp_path / 'other.pt'}")
    mine = data.read_bytes()
    with pytest.raises(SystemExit, match="is read, and not written over"):
        run(folder, f"python predict.py --data {data} --output {data} --force")
    assert data.read_bytes() == mine
    assert not output.exists()
    run(folder, f"{predict} {data}")
    before = output.read_bytes()
    with pytest.raises(SystemExit, match="replace it with --force"):
        run(folder, f"{predict} {data}")
    assert output.read_bytes() == before
    run(folder, f"{predict} {data} --force")
    with pytest.raises(SystemExit, match="cannot be written"):
        run(folder, f"python predict.py --data {data} --output {output / 'below_a_file.csv'}")


@pytest.mark.parametrize("network", ["ffn", "linear"])
def test_weights_of_made_up_examples_answer_nothing(network: str, tmp_path: Path) -> None:
    data = table(tmp_path)
    folder = project(tmp_path / "project", blueprint(network, Layout.TABLE, Targets.CLASS))
    run(folder, f"python train.py{' ' + FEW if network == 'ffn' else ''}")
    with pytest.raises(SystemExit, match=r"made-up examples: run train\.py with --data"):
        run(folder, f"python predict.py --data {data}")


@pytest.mark.parametrize("network", ["cnn", "linear"])
def test_files_that_are_no_pictures_are_left_out_and_told(
    network: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = pictures(tmp_path)
    (data / "dark" / "broken.png").write_text("no picture")
    folder = project(tmp_path / "project", blueprint(network, Layout.PICTURE, Targets.CLASS))
    run(folder, f"python train.py --data '{data}'{f' {FEW}' if network == 'cnn' else ''}")
    run(folder, f"python predict.py --data '{data}' --output found.csv")
    assert len(polars.read_csv(folder / "found.csv")) == 20
    assert capsys.readouterr().err.count("1 of 21 files cannot be read as pictures and are left out, such as ") == 2
    with pytest.raises(SystemExit, match=r"can(not)? be read as a picture"):
        run(folder, f"python predict.py --data '{data / 'dark' / 'broken.png'}' --output other.csv")
    assert complaints(folder) == ""


@pytest.mark.parametrize("network", ["ffn", "linear"])
def test_predictions_of_numbers_have_an_interval_and_the_columns_that_name_the_rows(
    network: str, tmp_path: Path
) -> None:
    chance = numpy.random.default_rng(5)
    sizes = chance.normal(size=300)
    columns = {
        "code": [f"00{n:03}" for n in range(300)],
        "size": sizes,
        "price": 50 + 9 * sizes + chance.normal(size=300),
    }
    polars.DataFrame(columns).write_csv(tmp_path / "flats.csv")
    reads = Reads((ReadColumn("size", "number"),), None, "date", None, keys=("code",))
    made = blueprint(network, Layout.TABLE, Targets.NUMBERS, reads=reads, target="price")
    folder = project(tmp_path / "project", made)
    run(folder, f"python train.py --data {tmp_path / 'flats.csv'}{' --steps 60' if network == 'ffn' else ''}")
    run(folder, f"python predict.py --data {tmp_path / 'flats.csv'}")
    found = polars.read_csv(folder / "predictions.csv", schema_overrides={"code": polars.String})
    assert found.columns == ["code", "price", "low", "high"]
    assert found["code"].to_list() == columns["code"], "in the order of the rows, zeros and all"
    low, high, truth = found["low"].to_numpy(), found["high"].to_numpy(), numpy.array(columns["price"])
    assert 0.75 < ((low <= truth) & (truth <= high)).mean() <= 1.0


@pytest.mark.parametrize("network", ["cnn", "linear"])
@pytest.mark.parametrize(("layout", "make"), [(Layout.PICTURE, pictures), (Layout.SOUND, sounds)])
def test_requirements_name_all_packages_that_are_imported(
    layout: Layout, network: str, make: Callable[[Path], Path], tmp_path: Path
) -> None:
    folder = project(tmp_path / "project", blueprint(network, layout, Targets.CLASS))
    needed = (folder / "requirements.txt").read_text()
    assert "polars" not in needed
    assert ("pillow" in needed) is (layout is Layout.PICTURE)
    texts = {path.name: path.read_text() for path in folder.iterdir()}
    assert set(packages_of(texts)) <= set(needed.splitlines())


def test_a_package_that_nothing_is_known_of_is_refused() -> None:
    assert packages_of({"a.py": "import numpy\nimport b", "b.py": "from PIL import Image\nimport os"}) == (
        "numpy>=2.0",
        "pillow>=13.0",
    )
    with pytest.raises(LookupError, match="xarray"):
        packages_of({"a.py": "def read():\n    import xarray.io"})
