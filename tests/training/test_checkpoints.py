from __future__ import annotations

import pickle
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.errors import InputError
from advisor.training.loop.loop import Epoch, Stop, train
from advisor.training.recipe import OPTIMIZERS, SCHEDULES, Recipe
from tests.training.learning import Rivals, classifier, same_weights, two_moons

torch.set_num_threads(1)
RECIPE = Recipe("adam", 0.02, batch_size=32, epochs=4)


def stop_after(number: int) -> object:
    def on_epoch(epoch: Epoch) -> None:
        if epoch.number == number:
            raise KeyboardInterrupt

    return on_epoch


def broken_off(recipe: Recipe, path: Path, epochs: int) -> None:
    with pytest.raises(KeyboardInterrupt):
        train(
            classifier(dropout=0.2, norm=True), two_moons(60), recipe, validation=two_moons(20, seed=1),
            checkpoint=path, on_epoch=stop_after(epochs),  # type: ignore[arg-type]
        )  # fmt: skip


@settings(deadline=None, max_examples=15)
@given(st.sampled_from(OPTIMIZERS), st.sampled_from(SCHEDULES), st.integers(1, 4), st.integers(0, 3))
def test_a_resumed_training_ends_with_the_weights_of_an_unbroken_one(
    optimizer: str, schedule: str, epochs: int, seed: int
) -> None:
    recipe = Recipe(
        optimizer, 0.01, batch_size=32, epochs=5, schedule=schedule, warmup_share=0.1, weight_decay=0.01, seed=seed
    )
    unbroken, resumed = classifier(dropout=0.2, norm=True), classifier(dropout=0.2, norm=True, seed=9)
    expected = train(unbroken, two_moons(60), recipe, validation=two_moons(20, seed=1))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "best.pt")
        broken_off(recipe, path, epochs)
        found = train(resumed, two_moons(60), recipe, validation=two_moons(20, seed=1), checkpoint=path)
    assert same_weights(unbroken.module, resumed.module)
    assert found.best_epoch == expected.best_epoch
    assert [epoch.loss for epoch in found.history] == [epoch.loss for epoch in expected.history]


def test_two_players_resume_each_with_its_own_state(tmp_path: Path) -> None:
    truth = (3 + torch.randn(64, 1, generator=torch.Generator().manual_seed(0)),)
    unbroken, broken, resumed = Rivals(), Rivals(), Rivals()
    train(unbroken, truth, RECIPE)
    with pytest.raises(KeyboardInterrupt):
        train(broken, truth, RECIPE, checkpoint=tmp_path / "gan.pt", on_epoch=stop_after(2))  # type: ignore[arg-type]
    train(resumed, truth, RECIPE, checkpoint=tmp_path / "gan.pt")
    assert same_weights(unbroken.module, resumed.module)


def test_a_finished_training_is_not_trained_again(tmp_path: Path) -> None:
    path = tmp_path / "best.pt"
    first, second = classifier(), classifier(seed=9)
    train(first, two_moons(), RECIPE, score=lambda _: 0.5, checkpoint=path)
    before = path.read_bytes()
    again = train(second, two_moons(), RECIPE, score=lambda _: 1 / 0, checkpoint=path)
    assert (again.stopped, len(again.history)) == (Stop.EPOCHS, 4)
    assert same_weights(first.module, second.module)
    assert path.read_bytes() == before


def test_one_that_had_ended_early_stays_ended(tmp_path: Path) -> None:
    recipe = replace(RECIPE, patience=2)
    train(classifier(), two_moons(), recipe, score=lambda _: 0.5, checkpoint=tmp_path / "best.pt")
    again = train(classifier(), two_moons(), recipe, score=lambda _: 1 / 0, checkpoint=tmp_path / "best.pt")
    assert (again.stopped, again.best_epoch, len(again.history)) == (Stop.EARLY, 1, 3)


def test_the_file_loads_without_running_code_and_stands_alone_in_its_folder(tmp_path: Path) -> None:
    objective = classifier()
    train(objective, two_moons(), RECIPE, checkpoint=tmp_path / "best.pt")
    content = torch.load(tmp_path / "best.pt", weights_only=True)
    assert set(content["best"]) == set(objective.module.state_dict())
    assert content["recipe"]["learning_rate"] == 0.02
    assert [path.name for path in tmp_path.iterdir()] == ["best.pt"]


def test_another_recipe_is_refused_with_what_differs(tmp_path: Path) -> None:
    path = tmp_path / "best.pt"
    broken_off(RECIPE, path, 1)
    with pytest.raises(InputError) as caught:
        train(classifier(norm=True), two_moons(61), replace(RECIPE, learning_rate=0.5, seed=3), checkpoint=path)
    message = str(caught.value)
    assert "learning_rate: was 0.02 and is 0.5." in message
    assert "seed: was 0 and is 3." in message
    assert "training examples: there were 60 and are 61." in message
    assert "optimizer" not in message


def test_another_network_is_refused(tmp_path: Path) -> None:
    broken_off(RECIPE, tmp_path / "best.pt", 1)
    with pytest.raises(InputError, match="its layers had other names or shapes"):
        train(classifier(norm=False), two_moons(60), RECIPE, checkpoint=tmp_path / "best.pt")


@pytest.mark.parametrize("content", [b"", b"not a checkpoint", pickle.dumps({"recipe": 1}, protocol=2)])
def test_a_file_that_is_no_checkpoint_is_named_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "best.pt"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"best\.pt: this is not a checkpoint"):
        train(classifier(), two_moons(), RECIPE, checkpoint=path)
    assert path.read_bytes() == content


def test_half_a_checkpoint_or_one_without_a_part_is_named(tmp_path: Path) -> None:
    path = tmp_path / "best.pt"
    broken_off(RECIPE, path, 1)
    content = torch.load(path, weights_only=True)
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(InputError, match="this is not a checkpoint"):
        train(classifier(norm=True), two_moons(60), RECIPE, checkpoint=path)
    del content["history"]
    torch.save(content, path)
    with pytest.raises(InputError, match="this is not a checkpoint"):
        train(classifier(norm=True), two_moons(60), RECIPE, checkpoint=path)


class Trap:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return (print, ("code of a stranger has run",))


def test_a_file_with_code_in_it_is_refused_and_not_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    torch.save({"recipe": Trap()}, tmp_path / "best.pt")
    with pytest.raises(InputError, match="this is not a checkpoint"):
        train(classifier(), two_moons(), RECIPE, checkpoint=tmp_path / "best.pt")
    assert capsys.readouterr().out == ""


def test_a_folder_that_is_missing_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"No such file or directory\. Check the folder"):
        train(classifier(), two_moons(), RECIPE, checkpoint=tmp_path / "missing" / "best.pt")
