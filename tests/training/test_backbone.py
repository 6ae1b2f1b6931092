"""A linear model on features of a frozen network whose weights lie on this computer, and nothing that is ever downloaded.

The weights here are random ones in a file that is named as torchvision's own: what such a network makes of pictures tells
more of stripes than their pixels do, so a linear model on it can be seen to learn.
"""

from __future__ import annotations

import itertools
import json
import math
import os
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy
import pytest
import torch
from PIL import Image

from advisor.agent.trials.trying import planned
from advisor.datasets.dataset import Examples, Task
from advisor.datasets.inspect import inspect
from advisor.datasets.loading import load
from advisor.errors import InputError
from advisor.models.tracing.building import without_operators
from advisor.training.child import backbone, climb
from advisor.training.child.backbone import Features, Frozen, OfPictures, frozen
from advisor.training.child.climb import Climb, Telling
from advisor.training.child.fitted import Allowance, FittingError, TooSlowError
from advisor.training.child.fitting import Fitting
from advisor.training.child.folds import on_folds
from advisor.training.child.request import Message, Note, Request
from advisor.training.kept.card import CARD, read_card
from advisor.training.ladder import backbones
from advisor.training.ladder.backbones import FILES, cache, missing, smallest, weights_of
from advisor.training.ladder.candidates import Candidate, Planned
from advisor.training.ladder.ladder import Clock, Ladder, Step
from advisor.training.ladder.menu import menu
from advisor.training.ladder.outcome import Difference, Final, Metric, Winner
from advisor.training.ladder.trial_record import Kind, Stage, Status, Trial
from advisor.training.ladder.verdicts import Judging
from tests.starter.projects import plan_of
from tests.training.test_kept import applied_here, saved

RESNET = "resnet18"
WITH_RESNET = Planned("cnn", backbone=RESNET)
(ON_FEATURES,) = (one for one in menu(WITH_RESNET, "image").openers if one.backbone)
LINEAR = next(one for one in menu(WITH_RESNET, "image").openers if one.name == "linear")
ALLOWED = Allowance(60.0, math.inf)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for TORCH_HOME with the weights of one network."""
    home = tmp_path_factory.mktemp("torch")
    checkpoints = home / "hub" / "checkpoints"
    checkpoints.mkdir(parents=True)
    with without_operators():
        from torchvision import models
    with torch.random.fork_rng():
        torch.manual_seed(0)
        torch.save(models.resnet18(weights=None).state_dict(), checkpoints / FILES[RESNET][0])
    return home


@pytest.fixture
def at_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TORCH_HOME", str(home))
    return home


@pytest.fixture
def empty_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TORCH_HOME", str(tmp_path / "torch"))
    cache(RESNET).mkdir(parents=True)
    return cache(RESNET)


def stripes(count: int, seed: int = 0) -> tuple[Any, Any]:
    """Grey pictures (count, 1, 16, 16) of lying and standing stripes that begin anywhere, and which they are."""
    draw = numpy.random.default_rng(seed)
    standing = numpy.arange(count) % 2
    waves = 0.5 + 0.4 * numpy.sin(numpy.arange(16) * 1.3 + draw.uniform(0, 2 * numpy.pi, (count, 1)))
    lying = numpy.repeat(waves[:, :, None], 16, axis=2)
    pictures = numpy.where(standing[:, None, None] == 1, lying.transpose(0, 2, 1), lying)
    return (pictures + draw.normal(0, 0.05, pictures.shape)).clip(0, 1).astype(numpy.float32)[:, None], standing


def examples(count: int = 60) -> Examples:
    pictures, standing = stripes(count)
    return Examples("image", Task.CLASSIFY, pictures, standing, ("lying", "standing"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The same as files."""
    path = tmp_path / "stripes"
    for number, (picture, standing) in enumerate(zip(*stripes(40), strict=True)):
        place = path / ("standing" if standing else "lying")
        place.mkdir(parents=True, exist_ok=True)
        Image.fromarray((picture[0] * 255).astype(numpy.uint8)).save(place / f"{number:03}.png")
    return path


def test_files_are_named_as_torchvision_names_them_and_the_network_with_the_fewest_multiply_adds_comes_first() -> None:
    with without_operators():
        from torchvision import models
    operations = []
    for name, files in FILES.items():
        declared = {one.url.rpartition("/")[2]: one for one in models.get_model_weights(name)}
        assert set(files) == set(declared), name
        assert files[0] == models.get_model_weights(name).DEFAULT.url.rpartition("/")[2], "the newest first"
        operations.append(min(one.meta["_ops"] for one in declared.values()))
    assert operations[0] == min(operations)
    assert operations[4:] == sorted(operations[4:])
    assert max(operations[:4]) < operations[4]


@pytest.mark.parametrize("variables", [{"TORCH_HOME": "/weights"}, {"XDG_CACHE_HOME": "/cache"}, {}], ids="".join)
def test_weights_are_looked_for_where_torch_keeps_them(
    variables: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("TORCH_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert str(cache(RESNET)) == os.path.join(torch.hub.get_dir(), "checkpoints")  # noqa: PTH118


def test_the_smallest_network_of_those_that_are_here_is_taken(
    empty_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (empty_home / "resnet18-00000000.pth").touch()
    assert smallest("image") == "", "no file of torchvision has this name"
    for name in ("resnet50", "resnet18"):
        (empty_home / FILES[name][-1]).touch()
    assert smallest("image") == "resnet18"
    (empty_home / FILES["mobilenet_v3_small"][0]).touch()
    assert smallest("image") == "mobilenet_v3_small"
    monkeypatch.setattr(backbones, "find_spec", lambda name: None)
    assert smallest("image") == "", "without torchvision none can be built"


PICTURES = "task.kind=classify data.modality=image data.inputs=256 task.outputs=2 data.examples=60"


@pytest.mark.usefixtures("at_home")
@pytest.mark.parametrize(
    ("stated", "taken"),
    [
        (PICTURES, RESNET),
        (f"{PICTURES} project.pretrained_allowed=yes", RESNET),
        (f"{PICTURES} project.pretrained_allowed=no", None),
        ("task.kind=classify data.modality=tabular data.inputs=256 task.outputs=2 data.examples=60", None),
    ],
)
def test_it_is_tried_of_pictures_unless_somebody_forbids_weights_of_others(stated: str, taken: str | None) -> None:
    assert planned(plan_of(stated)).backbone == taken
    names = [one.name for one in menu(replace(WITH_RESNET, backbone=taken), "image").openers]
    assert (f"linear on features of {RESNET}" in names) == (taken is not None)


@pytest.mark.usefixtures("at_home")
def test_it_tells_stripes_apart_that_pixels_do_not() -> None:
    tried, rows = Fitting(examples(), 1), numpy.arange(60)
    truth = tried.examples.targets[40:]
    right = {
        one.name: float((tried.fit(one, rows[:40], rows[40:], 0, ALLOWED).predicted == truth).mean())
        for one in (LINEAR, ON_FEATURES)
    }
    assert right[ON_FEATURES.name] >= 0.9
    assert right["linear"] <= 0.75


@pytest.mark.usefixtures("at_home")
def test_numbers_are_predicted_from_features_too() -> None:
    pictures, standing = stripes(40)
    numbers = Examples("image", Task.REGRESS, pictures, 10.0 * standing[:, None])
    rows = numpy.arange(40)
    found = Fitting(numbers, 1).fit(ON_FEATURES, rows[:30], rows[30:], 0, ALLOWED)
    assert numpy.abs(found.predicted - numbers.targets[30:]).mean() < 3


@pytest.mark.usefixtures("at_home")
def test_each_picture_goes_through_the_network_once_whatever_is_learned_from_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked: list[int] = []
    plain = OfPictures.features

    def counted(self: OfPictures, pictures: Any) -> Any:
        looked.append(len(pictures))
        return plain(self, pictures)

    monkeypatch.setattr(OfPictures, "features", counted)
    tried, rows = Fitting(examples(30), 1), numpy.arange(30)
    assert tried.rehearsed(ON_FEATURES, rows) > 0
    assert 0 < sum(looked) < 30, "a few tell how long all will take"
    for start in (0, 10):
        tried.fit(ON_FEATURES, numpy.delete(rows, slice(start, start + 10)), rows[start : start + 10], 0, ALLOWED)
    assert sum(looked) == 30
    assert tried.rehearsed(ON_FEATURES, rows) == 0


def resnet() -> Frozen:
    return frozen(RESNET, weights_of(RESNET))


@pytest.mark.usefixtures("at_home")
def test_features_of_a_picture_depend_on_no_other_and_grey_ones_are_taken_as_coloured() -> None:
    pictures, _ = stripes(20)
    network = resnet()
    together = Features(network, pictures, 1).of_all()
    alone = network.features(numpy.repeat(pictures[17:18], 3, axis=1))
    assert together.shape == (20, 512)
    assert together[17] == pytest.approx(alone[0], rel=1e-3, abs=1e-4)
    with pytest.raises(FittingError, match="one or three colours, and these have 2"):
        network.features(numpy.repeat(pictures[:1], 2, axis=1))


@pytest.mark.usefixtures("at_home")
def test_it_ends_when_its_time_is_over() -> None:
    features = Features(resnet(), stripes(40)[0], 1)
    with pytest.raises(TooSlowError, match=f"no time to let all examples go through {RESNET}"):
        features.of_all(time.monotonic() - 1)
    assert features.of_all().shape == (40, 512)


class Harmful:
    """Reading this by pickle makes a folder."""

    def __init__(self, place: Path) -> None:
        self._place = place

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str]]:
        return os.mkdir, (str(self._place),)


def test_weights_that_are_anything_else_are_refused_and_nothing_of_them_is_run(
    empty_home: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = empty_home / FILES[RESNET][0]
    torch.save({"fc.weight": Harmful(empty_home / "made")}, place)
    whole = (home / "hub" / "checkpoints" / place.name).read_bytes()
    for content in (place.read_bytes(), whole[:5000], b""):
        place.write_bytes(content)
        with pytest.raises(FittingError, match=rf"The weights of {RESNET} in .*{place.name} cannot be used"):
            resnet()
    assert not (empty_home / "made").exists()
    place.write_bytes(whole)
    monkeypatch.setattr(backbone, "MOST_BYTES", 1_000_000)
    with pytest.raises(FittingError, match="larger"):
        resnet()
    place.unlink()
    with pytest.raises(FittingError, match="no longer"):
        resnet()


# --- in a run of trials ------------------------------------------------------------------------------------------


def run_on(path: Path, wanted: Planned) -> tuple[Climb, list[Message]]:
    asked = Request(str(path), None, inspect(path, None).fingerprint, wanted, 600.0, 600.0, 0, 1, 1000)
    said: list[Message] = []

    class Listed(Telling):
        def __call__(self, message: Message) -> None:
            said.append(message)

    return Climb(asked, time.monotonic(), Listed(0, 600.0)), said


@pytest.mark.usefixtures("at_home")
def test_its_trial_has_a_score_for_each_fold_and_counts_the_time_of_its_features(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, said = run_on(folder, WITH_RESNET)
    now, plain = [0.0], OfPictures.features

    def slow(self: OfPictures, pictures: Any) -> Any:
        now[0] += 10.0 * len(pictures)
        return plain(self, pictures)

    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(climb, "on_folds", partial(on_folds, clock=time.monotonic))
    monkeypatch.setattr(OfPictures, "features", slow)
    assert run._expected(ON_FEATURES) == pytest.approx(320.0), "8 of 40 pictures went through to see how long it takes"
    trial = run._trial(Step(ON_FEATURES, 0), math.inf)
    assert (trial.status, len(trial.scores), trial.seconds) == (Status.DONE, 5, pytest.approx(320.0))
    assert (trial.kind, trial.settings) == (Kind.BASELINE, {"backbone": RESNET})
    assert run._expected(ON_FEATURES) == 0, "its other folds cost next to nothing"
    again = run._trial(Step(ON_FEATURES, 1), math.inf)
    assert (len(again.scores), again.seconds) == (5, 0)
    assert not [one for one in said if isinstance(one, Note)]


@pytest.mark.usefixtures("at_home")
def test_it_is_not_begun_where_its_time_is_over_before(folder: Path) -> None:
    run, _ = run_on(folder, WITH_RESNET)
    trial = run._trial(Step(ON_FEATURES, 0), time.monotonic() - 1)
    assert (trial.status, trial.scores) == (Status.SLOW, ())


def test_weights_that_cannot_be_read_cost_one_trial(folder: Path, empty_home: Path) -> None:
    (empty_home / FILES[RESNET][0]).write_bytes(b"no weights")
    run, _ = run_on(folder, WITH_RESNET)
    assert run._expected(ON_FEATURES) == 0
    trial = run._trial(Step(ON_FEATURES, 0), math.inf)
    assert (trial.status, trial.scores) == (Status.FAILED, ())
    assert "cannot be used" in str(trial.failure)


@pytest.mark.parametrize(("name", "told"), [("", [missing("image")]), (None, [])])
def test_how_to_get_a_network_is_told_once_where_none_is_here(folder: Path, name: str | None, told: list[str]) -> None:
    _, said = run_on(folder, replace(WITH_RESNET, backbone=name))
    assert [str(one.text) for one in said if isinstance(one, Note)] == told


def order(seconds: float) -> list[str]:
    """The first trials of pictures, where that on features takes so long of 600 seconds."""
    ladder, trials, asked = Ladder(menu(WITH_RESNET, "image"), 5, 0.25), [], []

    def expected(candidate: Candidate) -> float:
        if candidate.backbone:
            asked.append(len([trial for trial in trials if trial.kind is Kind.NETWORK]))
        return seconds if candidate.backbone else 0.0

    while (step := ladder.next(trials, Clock(600.0, 500.0), expected)) is not None:
        one = step.candidate
        trials.append(Trial(one.name, one.kind, one.stage, step.rung, one.settings_json, (0.5, 0.5, 0.5), 1.0))
        if one.stage is Stage.VARIATIONS:
            break
    assert min(asked) > 0, "to time it loads torch, which the first network does"
    return [trial.name for trial in trials]


def test_it_comes_after_the_plans_network_and_after_all_networks_where_it_takes_long() -> None:
    quick, slow = order(5.0), order(100.0)
    networks = [
        one.name for one in menu(WITH_RESNET, "image").openers if one.kind is Kind.NETWORK and not one.instead_of
    ]
    (foremost,) = (name for name in networks if name.endswith("as planned"))
    others = [name for name in networks if name != foremost]
    assert quick.index(foremost) < quick.index(ON_FEATURES.name) < min(map(quick.index, others))
    assert max(map(slow.index, others)) < slow.index(ON_FEATURES.name)
    assert ON_FEATURES.name not in order(450.0), "more than what is left allows"


def test_its_further_folds_are_not_thought_to_cost_its_features_again() -> None:
    ladder, trials = Ladder(menu(WITH_RESNET, "image"), 5, 0.25), []
    while len(trials) < 80 and (step := ladder.next(trials, Clock(600.0, 100.0), lambda candidate: 0.0)) is not None:
        one, score = step.candidate, 0.9 if step.candidate.backbone else 0.5
        seconds = 300.0 if one.backbone and not step.rung else 1.0
        trials.append(Trial(one.name, one.kind, one.stage, step.rung, one.settings_json, (score,) * 3, seconds))
    assert [trial.rung for trial in trials if trial.name == ON_FEATURES.name] == [0, 1, 2, 3, 4]


def test_a_verdict_for_it_is_on_a_network_of_ones_own_and_the_plan_takes_it_over_with_its_name() -> None:
    ladder = Ladder(menu(WITH_RESNET, "image"), 5, 0.25)
    foremost = next(one for one in ladder.menu.openers if one.kind is Kind.NETWORK and one.model == "cnn")
    scored = [(ladder.menu.openers[0], 0.5), (ON_FEATURES, 0.9), (foremost, 0.7)]
    folds = (-0.004, 0.0, 0.004, -0.002, 0.002)
    trials = [
        Trial(one.name, one.kind, one.stage, 0, one.settings_json, tuple(score + more for more in folds), 1.0)
        for one, score in scored
    ]
    finals = [Final(one.name, one.kind, (score,), score, score - 0.01, score + 0.01) for one, score in scored]
    differences = [
        Difference(one.name, other.name, gain, gain - 0.05, gain + 0.05)
        for (one, score), (other, less) in itertools.permutations(scored, 2)
        if (gain := score - less) > 0
    ]
    told = Judging(ladder, Metric("accuracy", "accuracy", 0.01), trials, finals, differences)
    judged, says = told.verdict()
    assert judged is Winner.BASELINE
    assert says.startswith(f"A network of your own is not worth it here: {ON_FEATURES.name} is 0.20")
    (bet,) = (one for one in told.bets(judged) if one.topic == "network.type")
    assert (bet.before, bet.after, bet.how) == ("cnn", "linear", {"variant": "default", "backbone": RESNET})


# --- kept and applied --------------------------------------------------------------------------------------------


def kept(folder: Path, into: Path) -> Path:
    return saved(folder, None, ON_FEATURES, into, planned=WITH_RESNET)


def test_a_kept_one_says_the_same_of_the_same_pictures_and_names_the_weights(
    folder: Path, at_home: Path, tmp_path: Path
) -> None:
    model = kept(folder, tmp_path / "model")
    card = read_card(model)
    assert card.backbone is not None
    assert (card.backbone.name, card.backbone.file) == (RESNET, FILES[RESNET][0])
    told = (model / "README.md").read_text()
    assert card.backbone.sha256 in told
    assert RESNET in told
    assert not (model / "weights.pt").exists()
    stored = load(inspect(folder, None), most_examples=1000)
    every = numpy.arange(len(stored))
    before = Fitting(stored, 1).fit(ON_FEATURES, every, every, 0, ALLOWED)
    found, lines, _ = applied_here(model, folder)
    assert [float(line["p_standing"]) for line in lines] == pytest.approx(before.probabilities[:, 1], abs=1e-3)
    assert found.score == pytest.approx((before.predicted == stored.targets).mean())


@pytest.mark.usefixtures("at_home")
def test_without_the_very_weights_it_is_not_applied(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = kept(folder, tmp_path / "model")
    own = weights_of(RESNET)
    assert own is not None
    monkeypatch.setenv("TORCH_HOME", str(tmp_path / "elsewhere"))
    with pytest.raises(InputError, match="resnet18 first, and the weights of that are not here"):
        applied_here(model, folder)
    other = {name: value + 1 if value.is_floating_point() else value for name, value in torch.load(own).items()}
    cache(RESNET).mkdir(parents=True)
    torch.save(other, cache(RESNET) / own.name)
    with pytest.raises(InputError, match="are others than those that it learned with"):
        applied_here(model, folder)
    card = json.loads((model / CARD).read_text())
    card["backbone"]["file"] = "../../weights.pth"
    (model / CARD).write_text(json.dumps(card))
    with pytest.raises(InputError, match="damaged"):
        applied_here(model, folder)
