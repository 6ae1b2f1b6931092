"""The network that somebody names: what the plan and its figures say of it."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from advisor import AdvisorWarning, Session
from advisor.errors import InputError
from advisor.inference.plan import Plan, Status
from advisor.models.published import published_models
from advisor.models.tracing import asking
from advisor.models.tracing.asking import built_model
from advisor.starter.planning import blueprint_of
from tests.models.test_own import SMALL, code, weights

LANGUAGE = {
    "task.kind": "generate",
    "task.generation": "sequence",
    "data.modality": "text",
    "data.examples": "50k",
    "data.sequence_length": 2048,
    "project.pretrained_allowed": True,
}
PICTURES = {"task.kind": "classify", "data.modality": "image", "task.outputs": 10, "data.examples": 20_000}


def planned(answers: dict[str, Any] | None = None, **named: Any) -> Plan:
    return Session(answers or {}, machine="none", **named).plan()


def figure(plan: Plan, name: str) -> float | None:
    return next(one.value for one in plan.figures if one.name == name)


def test_figures_are_those_of_the_network_that_is_named() -> None:
    model = published_models()["llama-3.1-8b"].model((2048,))
    plan = planned(LANGUAGE, model="llama-3.1-8b")

    assert figure(plan, "network.size") == model.parameters == 8_030_261_248
    assert figure(plan, "compute.macs") == model.multiply_adds
    assert plan.value("network.type") == "transformer"
    assert plan.value("network.hidden_units") == [4096, 14336]
    assert plan.facts["network.parameters"].source == "published"


def test_the_length_of_the_examples_counts() -> None:
    short, long = (planned(LANGUAGE | {"data.sequence_length": steps}, model="qwen3-0.6b") for steps in (1024, 4096))

    assert figure(long, "compute.macs") > 4 * figure(short, "compute.macs")  # type: ignore[operator]


@pytest.mark.parametrize(("values", "side"), [(150_528, 224), (3 * 96 * 96, 96), (28 * 28, 28), (1000, 224)])
def test_so_does_the_size_of_pictures(values: int, side: int) -> None:
    """Of grey ones too, which are given in three equal colours; what is no square picture says nothing."""
    plan = planned(PICTURES | {"data.inputs": values}, model="resnet50")

    published = published_models()["resnet50"].model((3, side, side), outputs=10)
    assert figure(plan, "compute.macs") == published.multiply_adds


def test_a_picture_that_is_no_square_is_counted_as_the_square_that_it_is_made_before_training() -> None:
    wide, square = (planned(PICTURES | {"data.inputs": values}) for values in (3 * 300 * 200, 3 * 244 * 244))

    assert figure(wide, "compute.macs") == figure(square, "compute.macs") is not None


@pytest.mark.parametrize(
    ("name", "channels", "side"), [("stable-diffusion-1.5", 4, 96), ("flux.1-dev", 16, 96), ("ddpm-cifar10-32", 3, 768)]
)
def test_latents_have_an_eighth_of_the_sides_of_pictures(name: str, channels: int, side: int) -> None:
    pictures = {
        "task.kind": "generate",
        "task.generation": "conditioned",
        "data.modality": "image",
        "data.examples": 30,
    }

    plan = planned(pictures | {"data.inputs": 3 * 768 * 768}, model=name)

    assert plan.value("network.type") == "diffusion"
    macs = published_models()[name].model((channels, side, side)).multiply_adds
    assert figure(plan, "compute.macs") == macs


def test_a_network_for_grey_pictures_takes_their_size_too() -> None:
    plan = planned({"task.kind": "segment", "data.modality": "image", "data.inputs": 256 * 256}, model="unet")

    assert figure(plan, "compute.macs") == published_models()["unet"].model((1, 256, 256)).multiply_adds


def test_pictures_of_a_size_that_nobody_stated_have_that_of_the_network() -> None:
    assert figure(planned(PICTURES, model="resnet50"), "compute.macs") == pytest.approx(4.09e9, rel=0.01)


def test_a_name_stated_among_the_answers_counts_alike() -> None:
    by_flag, by_answer = (
        planned(PICTURES, model="convnext_tiny"),
        planned(PICTURES | {"network.model": "convnext_tiny"}),
    )

    assert by_flag.to_json() == by_answer.to_json()
    assert by_flag.value("network.hidden_units") == [96, 192, 384, 768]


def test_it_is_told_as_the_list_spells_it() -> None:
    plan = planned({"network.model": "ResNet50"})
    assert plan.value("network.model") == "resnet50"
    assert plan.facts["network.model"].value == "resnet50"


@pytest.mark.parametrize("weights", [11_689_512, 11_179_077], ids=["published", "five classes"])
def test_its_size_may_be_stated_with_either_last_layer(weights: int) -> None:
    answers = {**PICTURES, "task.kind": "classify", "task.outputs": 5, "network.parameters": weights}
    assert planned(answers, model="resnet18").facts["network.parameters"].value == 11_179_077


def test_none_is_no_network() -> None:
    assert figure(planned(PICTURES | {"network.model": "none"}), "network.size") == figure(
        planned(PICTURES), "network.size"
    )


def test_a_configuration_is_a_network_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4}
    path.write_text(json.dumps({"model_type": "llama", "vocab_size": 100, **sizes}))
    plan = planned(LANGUAGE, model=str(path))

    assert plan.facts["network.parameters"].source == "inspected"
    assert plan.value("network.hidden_units") == [64, 128]


def test_of_weights_alone_the_size_is_known(tmp_path: Path) -> None:
    plan = planned(LANGUAGE, model=str(weights(tmp_path / "model.safetensors", table=(1000, 64))))

    assert figure(plan, "network.size") == 64_000


def test_code_is_run_where_a_flag_names_it(tmp_path: Path) -> None:
    plan = planned(PICTURES, model=f"{code(tmp_path, SMALL)}:make", input="3x32x32")

    assert figure(plan, "compute.macs") == 3 * 16 * 9 * 32 * 32 + 160
    assert plan.value("network.type") == "cnn"
    assert plan.recommendations["network.hidden_units"].status is Status.NOT_APPLICABLE


@pytest.mark.parametrize("name", ["{}:make", "timm:resnet18"])
def test_and_nowhere_else(name: str, tmp_path: Path) -> None:
    file = code(tmp_path, f"open({str(tmp_path / 'was-here')!r}, 'w')")

    with pytest.raises(InputError, match="Name it with --model"):
        planned({"network.model": name.format(file)})

    assert not (tmp_path / "was-here").exists()


@pytest.mark.parametrize(
    ("named", "what"),
    [
        ({"model": "resnet5"}, "Did you mean resnet50?"),
        ({"model": "net.py"}, "no function in it"),
        ({"model": "net.py:make"}, "Add --input"),
        ({"model": "net.py:make", "input": "3x3"}, "there is no such file"),
        ({"model": "resnet50", "input": "3x?x8"}, "'3x\\?x8' is no shape"),
        ({"model": "resnet50", "input": ""}, "is no shape"),
        ({"model": "resnet50", "input": "224"}, "takes such as 3x224x224, not 224"),
        ({"model": "parakeet-ctc-1.1b", "input": "1x80x3000"}, "takes such as 3000x80"),
        ({"model": "resnet50", "python": "/usr/bin/python3"}, "no code is run for this model"),
        ({"input": "3x8x8"}, "Add --model"),
        ({"python": "python3"}, "Add --model"),
        ({"model": "resnet50", "answers": {"network.model": "resnet18"}}, "Keep one of them"),
        ({"model": "resnet50", "answers": {"network.parameters": 1000}}, "has 25,557,032 weights, not 1,000"),
    ],
    ids=str,
)
def test_what_cannot_be_meant_is_refused(named: dict[str, Any], what: str) -> None:
    with pytest.raises(InputError, match=what):
        Session(**{"machine": "none", **named})


def test_what_it_is_made_for_is_known_of_a_published_network() -> None:
    assert planned(model="resnet50").facts["data.modality"].value == "image"
    assert planned(model="qwen3-0.6b").facts["data.modality"].value == "text"
    assert planned(PICTURES | {"data.modality": "audio"}, model="resnet50").facts["data.modality"].value == "audio"


def test_a_function_of_ones_own_starts_from_its_own_weights(tmp_path: Path) -> None:
    answers = PICTURES | {"data.examples": 300, "project.pretrained_allowed": True}
    plan = planned(answers, model=f"{code(tmp_path, SMALL)}:make", input="3x32x32")

    assert (plan.value("network.init"), plan.value("training.adaptation")) == ("lecun", "none")


def test_weights_that_must_not_be_used_are_not_adapted() -> None:
    with pytest.raises(InputError, match="lora adapts published weights"):
        Session({"training.adaptation": "lora", "project.pretrained_allowed": False}, machine="none")


@pytest.mark.parametrize("steps", [1024, 4096, 12_000, 65_536])
@pytest.mark.parametrize("card", ["rtx-4090", "a100-sxm-80gb"])
@pytest.mark.parametrize("name", ["llama-3.2-1b", "llama-3.1-8b", "qwen2.5-14b", "llama-3.1-70b"])
def test_where_a_plan_fits_without_recomputing_its_own_figure_does(name: str, card: str, steps: int) -> None:
    plan = Session(LANGUAGE | {"data.sequence_length": steps}, machine=card, model=name).plan()

    if plan.value("memory.strategy") == "fits":
        assert figure(plan, "memory.training") <= figure(plan, "memory.usable")  # type: ignore[operator]


@pytest.mark.parametrize(
    ("values", "area"), [(3 * 512 * 512, (512 / 224) ** 2), (512 * 512, (512 / 224) ** 2), (150_528, 1)]
)
def test_what_was_counted_for_a_usual_picture_alone_grows_with_the_area_of_others(values: int, area: float) -> None:
    usual = published_models()["swin_tiny_patch4_window7_224"].model()
    plan = planned(PICTURES | {"data.inputs": values}, model="swin_tiny_patch4_window7_224")

    assert figure(plan, "compute.macs") == pytest.approx(usual.multiply_adds * area, rel=1e-3)
    assert figure(plan, "network.size") == pytest.approx(usual.parameters, rel=0.05)
    assert figure(plan, "memory.training") is not None


def test_a_published_network_that_is_named_is_meant_with_its_weights() -> None:
    meant = planned(PICTURES, model="resnet50")
    assert meant.value("network.init") == "pretrained"
    assert meant.facts["project.pretrained_allowed"].source == "published"
    assert planned(PICTURES | {"project.pretrained_allowed": False}, model="resnet50").value("network.init") == "he"


def test_a_published_network_is_found_by_its_title() -> None:
    assert figure(planned(PICTURES, model="ResNet-50"), "network.size") == figure(
        planned(PICTURES, model="resnet50"), "network.size"
    )


def test_a_network_of_ones_own_is_not_called_published(tmp_path: Path) -> None:
    own = Session(PICTURES, machine="none", model=f"{code(tmp_path, SMALL)}:make", input="3x8x8")
    text = own.report("markdown")
    assert "Your network" in text
    assert "Published network" not in text
    assert "Published network: resnet50" in Session(PICTURES, machine="none", model="resnet50").report("markdown")
    entry = own.plan().to_json()["recommendations"]["network.model"]
    assert entry["value"] == f"{tmp_path / 'net.py'}:make"


def test_that_nothing_published_is_adapted_is_told_by_what_is_trained(tmp_path: Path) -> None:
    answers = PICTURES | {"project.pretrained_allowed": False}
    text = " ".join(Session(answers, machine="none").report("markdown").split())
    assert "none (train all weights from the start)" in text
    assert "none (it is built here)" in text
    assert "there are none" not in text


def test_texts_too_long_for_a_named_network_would_fit_at_a_length_for_which_it_is_counted_again() -> None:
    answers = LANGUAGE | {"machine.memory_bytes": "32 GB", "training.adaptation": "lora"}

    def of(steps: int) -> Plan:
        long = answers | {"data.sequence_length": steps}
        return Session(long, machine="rtx-4090", model="llama-3.1-8b").plan()

    notes = of(65_536).recommendations["memory.strategy"].notes
    (told,) = [int(note.partition("data.sequence_length=")[2].rstrip(").")) for note in notes if "sequences of" in note]
    assert of(told).value("memory.strategy") != "does_not_fit"
    assert of(2 * told).value("memory.strategy") == "does_not_fit"


# --- more or fewer outputs than the task has ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("outputs", "said"),
    [
        (12, "has 10 outputs, and task.outputs says 12. Training needs one for each"),
        (7, "has 10 outputs, and task.outputs says 7. The others learn to be never right"),
    ],
)
def test_a_network_of_ones_own_with_other_outputs_than_the_task_is_told(
    outputs: int, said: str, tmp_path: Path
) -> None:
    with pytest.warns(AdvisorWarning, match=said):
        planned(PICTURES | {"task.outputs": outputs}, model=f"{code(tmp_path, SMALL)}:make", input="3x8x8")


def test_nothing_is_said_where_they_agree_or_are_not_known(
    tmp_path: Path, recwarn: pytest.WarningsRecorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "QUIET_SECONDS", math.inf)  # a busy machine makes it slow
    model = f"{code(tmp_path, SMALL)}:make"
    unknown = {name: value for name, value in PICTURES.items() if name != "task.outputs"}
    for answers in (PICTURES, unknown):
        planned(answers, model=model, input="3x8x8")
    assert [str(one.message) for one in recwarn if one.category is AdvisorWarning] == []


def test_the_answer_is_that_of_the_whole_network_and_not_of_the_layer_that_comes_last(tmp_path: Path) -> None:
    text = """
    class Twice(nn.Module):
        def __init__(self):
            super().__init__()
            self.look = nn.Linear(4, 6)
            self.head = nn.Linear(6, 6)

        def forward(self, rows):
            return torch.cat([self.head(self.look(rows)), rows], dim=1)
    """
    assert built_model(f"{code(tmp_path, text)}:Twice", [(4,)]).answer == (10,)


@pytest.mark.parametrize("shape", [(3, 8, 8), [3, 8, 8], [(3, 8, 8)], "3x8x8", "3×8×8"])
def test_the_shape_of_an_example_is_a_text_or_numbers(shape: Any, tmp_path: Path) -> None:
    session = Session(PICTURES, machine="none", model=f"{code(tmp_path, SMALL)}:make", input=shape)
    assert session.inputs.network is not None
    assert session.inputs.network.input == (3, 8, 8)


def test_several_inputs_are_several_shapes(tmp_path: Path) -> None:
    text = """
    class Both(nn.Module):
        def __init__(self):
            super().__init__()
            self.head = nn.Linear(5, 10)

        def forward(self, a, b):
            return self.head(torch.cat([a, b], dim=1))
    """
    session = Session(PICTURES, machine="none", model=f"{code(tmp_path, text)}:Both", input=[(3,), (2,)])
    assert session.inputs.network is not None
    assert session.inputs.network.code is not None
    assert session.inputs.network.code.shapes == "3,2"


@pytest.mark.parametrize("shape", [(), (3, 0), (3, 8.5), (True, 2), "3x", [(3, 8), "x"]])
def test_what_is_no_shape_is_refused(shape: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is no shape"):
        Session(PICTURES, machine="none", model=f"{code(tmp_path, SMALL)}:make", input=shape)


@pytest.mark.parametrize(("model", "inputs"), [("timm:test_efficientnet", 3 * 160 * 160), ("efficientnet_b0", 150_528)])
def test_the_last_layer_is_that_of_the_task_as_its_library_makes_it(model: str, inputs: int) -> None:
    """Of a network of timm that is built to be counted, and of one that was counted part by part."""
    few, many = (
        planned(PICTURES | {"task.outputs": outputs, "data.inputs": inputs}, model=model) for outputs in (10, 1000)
    )

    width = {"timm:test_efficientnet": 256, "efficientnet_b0": 1280}[model]
    sizes = [int(plan.facts["network.parameters"].value) for plan in (few, many)]  # type: ignore[call-overload]
    assert sizes[1] - sizes[0] == 990 * (width + 1)


def test_what_stays_in_thirty_two_bits_is_known_of_a_network_that_is_built_to_be_counted() -> None:
    plan = planned(PICTURES | {"data.inputs": 150_528}, model="timm:vit_tiny_patch16_224")

    published = published_models()["vit_tiny_patch16_224"].model()
    assert plan.facts["network.more_in_half"].value == pytest.approx(published.more_in_half, rel=0.02)


def test_layers_of_a_network_that_is_named_are_what_is_advised() -> None:
    plan = planned(LANGUAGE, model="llama-3.1-8b")

    assert (plan.value("network.activation"), plan.value("network.normalization")) == ("swish", "rms_norm")
    none = planned(PICTURES, model="mobilenetv3_large_100")  # hard swish, for which plans have no name
    assert none.recommendations["network.activation"].status is Status.NOT_APPLICABLE


@pytest.mark.parametrize(
    ("stated", "weights"), [("124e6", 124_439_808), ("355e6", 354_823_168), ("1.2e9", 1_235_814_400)]
)
def test_a_size_that_is_stated_is_that_of_the_network_that_is_built(stated: str, weights: int) -> None:
    """GPT-2 small and medium (Radford et al. 2019), and Llama 3.2 1B."""
    steps = 2048 if weights > 1e9 else 1024
    plan = planned(
        LANGUAGE
        | {"project.pretrained_allowed": False, "network.parameters": float(stated), "data.sequence_length": steps}
    )
    blueprint = blueprint_of(plan)

    assert blueprint.model is not None
    assert blueprint.model.parameters == weights
    assert figure(plan, "compute.macs") == blueprint.model.multiply_adds
    assert not [one for one in blueprint.differences if "figures of the plan" in one]


def test_on_a_processor_a_published_network_keeps_what_it_keeps_there() -> None:
    """Torch's kernels for processors keep the scores of attention with dropout, and which values were left out as numbers."""
    answers = {"task.kind": "classify", "data.modality": "text", "task.outputs": 4, "data.sequence_length": 256}
    answers |= {"data.examples": 20_000, "project.pretrained_allowed": True}
    there, on_card = (Session(answers, machine=one, model="bert-base").plan() for one in ("epyc-9654", "rtx-4090"))

    model = published_models()["bert-base"]
    kept, fewer = model.model((256,), processor=True).kept, model.model((256,)).kept
    assert kept > 1.2 * fewer
    assert given(there, "plan.kept_values") == kept
    assert given(on_card, "plan.kept_values") == fewer
    assert given(planned(answers | {"network.kept_values": 7}, model="bert-base"), "plan.kept_values") == 7


def given(plan: Plan, name: str) -> float | None:
    return next(one.value for figure in plan.figures for one in figure.inputs if one.name == name)


@pytest.mark.parametrize(("model", "modality"), [("bert-base", "image"), ("resnet50", "text")])
def test_a_network_for_other_data_is_told(model: str, modality: str) -> None:
    with pytest.warns(AdvisorWarning, match=f"{model} is made for .*, and data.modality says {modality}"):
        planned({"task.kind": "classify", "data.modality": modality}, model=model)


@pytest.mark.parametrize(
    ("model", "modality"), [("bert-base", "text"), ("resnet18", "audio"), ("chronos-t5-small", "time_series")]
)
def test_a_network_for_such_data_is_not(model: str, modality: str, recwarn: pytest.WarningsRecorder) -> None:
    planned({"task.kind": "classify", "data.modality": modality}, model=model)
    assert not [one for one in recwarn if "made for" in str(one.message)]
