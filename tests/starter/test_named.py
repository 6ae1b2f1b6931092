"""Networks that somebody named: published ones start from their weights or not at all, and own files are trained as they are."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import polars
import pytest
import torch
from PIL import Image

from advisor.errors import InputError
from advisor.facts.answers import parse_assignments
from advisor.facts.fact_base import FactBase, Source
from advisor.inference.advise import advise
from advisor.inference.plan import Plan
from advisor.models.model import Model
from advisor.models.named import Naming, naming
from advisor.session.models import model_of, with_model
from advisor.starter.named import named_of
from advisor.starter.planning import blueprint_of
from advisor.starter.project import project_files
from advisor.starter.writing import write_project
from tests.models.libraries import _without_operators, library
from tests.starter.projects import WITHOUT_FLIPS, answer_column, commands, complaints, knowledge, run

PICTURES = "task.kind=classify data.modality=image task.outputs=3 data.examples=2000 project.pretrained_allowed=yes"
TEXTS = "task.kind=classify task.outputs=2 data.examples=2000 data.sequence_length=12 project.pretrained_allowed=yes"
OWN = """
from torch import nn

class Small(nn.Module):
    def __init__(self, outputs=3):
        super().__init__()
        self.look = nn.Conv2d(3, 4, 3, padding=1)
        self.head = nn.Linear(4, outputs)

    def forward(self, pictures):
        return self.head(self.look(pictures).relu().mean((2, 3)))

class Four(Small):
    def __init__(self):
        super().__init__(4)
"""
FEW = "--steps 2 --batch-size 4"


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Nothing can be fetched, and nothing was before."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    with _without_operators():
        import timm  # noqa: F401

        yield


@cache
def _model(name: str, shape: tuple[int, ...]) -> Model:
    return model_of(name, [shape] if shape else [])


def plan_for(name: str, facts: str, shape: tuple[int, ...] = ()) -> tuple[Plan, Model | None]:
    """As `--model NAME --input SHAPE --set FACTS` gives it."""
    stated = parse_assignments(knowledge().vocabulary, facts.split(), "--set") | {"network.model": name}
    model = _model(name, shape) if shape or naming(name).builds else None
    known = with_model(knowledge(), FactBase().with_values(stated, Source.ASKED), model)
    return advise(knowledge(), known, detail=WITHOUT_FLIPS), model


def project(folder: Path, name: str, facts: str, shape: tuple[int, ...] = (), weights: Path | None = None) -> Path:
    """The project of such a plan, whose published network lies here."""
    plan, model = plan_for(name, facts, shape)
    write_project(folder, project_files(plan, knowledge(), blueprint_of(plan, model=model)))
    if weights is not None:
        settings = folder / "settings.py"
        text = settings.read_text()
        assert "WEIGHTS = None" in text
        settings.write_text(text.replace("WEIGHTS = None", f"WEIGHTS = {str(weights)!r}"))
    return folder


def described(folder: Path) -> dict[str, object]:
    said = run(folder, "python train.py --describe")
    assert said.count("\n") == 1
    told: dict[str, object] = json.loads(said)
    return told


def saved(folder: Path) -> dict[str, torch.Tensor]:
    weights: dict[str, torch.Tensor] = torch.load(folder / "runs" / "best.pt", weights_only=True)["network"]
    return weights


@pytest.fixture(scope="session")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small network of timm, as it might have been published."""
    with _without_operators():
        import timm
    from safetensors.torch import save_file

    torch.manual_seed(5)
    file = tmp_path_factory.mktemp("timm") / "model.safetensors"
    save_file(timm.create_model("test_vit").state_dict(), file)
    return file


@pytest.fixture(scope="session")
def texts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Small networks of transformers with their words, as they might have been published."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    folder = tmp_path_factory.mktemp("transformers")
    with _without_operators():
        made = _networks_of_text()
    words = Tokenizer(models.WordLevel({w: i for i, w in enumerate(["[PAD]", "[UNK]", "good", "bad"])}, "[UNK]"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    from transformers import PreTrainedTokenizerFast

    for name, network in made.items():
        network.save_pretrained(folder / name)
        known = PreTrainedTokenizerFast(tokenizer_object=words, pad_token="[PAD]", unk_token="[UNK]")  # noqa: S106
        known.save_pretrained(folder / name)
    return {name: folder / name for name in made}


def _networks_of_text() -> dict[str, Any]:
    import transformers

    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    torch.manual_seed(5)
    return {
        "bert": transformers.BertModel(transformers.BertConfig(vocab_size=60, max_position_embeddings=32, **sizes)),
        "llama": transformers.LlamaForCausalLM(transformers.LlamaConfig(vocab_size=60, **sizes)),
        "t5": transformers.T5ForConditionalGeneration(
            transformers.T5Config(vocab_size=60, d_model=16, d_kv=8, d_ff=32, num_layers=2, num_heads=2)
        ),
    }


# --- own files -----------------------------------------------------------------------------------------------


def test_an_own_file_is_trained_where_it_lies_and_described_as_the_plan_counts_it(tmp_path: Path) -> None:
    file = tmp_path / "net.py"
    file.write_text(OWN)
    name = f"{file}:Small"
    plan, _ = plan_for(name, PICTURES, (3, 8, 8))
    folder = project(tmp_path / "project", name, PICTURES, (3, 8, 8))
    assert complaints(folder) == ""
    told = described(folder)
    assert told["parameters"] == plan.facts["network.parameters"].value == 3 * 4 * 9 + 4 + 4 * 3 + 3
    assert told["multiply_adds_per_example"] == plan.facts["network.multiply_adds"].value == 8 * 8 * 4 * 27 + 12
    run(folder, f"python train.py {FEW}")
    assert {name for name in saved(folder) if "look" in name} == {"body.look.weight", "body.look.bias"}

    file.write_text(OWN.replace("Conv2d(3, 4", "Conv2d(3, 4, bias=False, kernel_size=3, padding=1) # ("))
    assert described(folder)["parameters"] == 3 * 4 * 9 + 4 * 3 + 3, "what is changed there counts from then on"


def test_an_own_file_that_does_not_fit_or_is_gone_is_told_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(OWN.replace("super().__init__(4)", "super().__init__(2)"))
    folder = project(tmp_path / "project", f"{tmp_path / 'net.py'}:Four", PICTURES, (3, 8, 8))
    with pytest.raises(SystemExit, match=r"it has 2 outputs, and there are 3 classes.\n.*last layer of Four in .* 3"):
        run(folder, f"python train.py {FEW}")
    (tmp_path / "net.py").unlink()
    with pytest.raises(SystemExit, match=r"no file .*say in settings.py where it is"):
        run(folder, f"python train.py {FEW}")


def test_an_own_network_with_more_outputs_than_classes_is_trained_and_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "net.py").write_text(OWN)
    folder = project(tmp_path / "project", f"{tmp_path / 'net.py'}:Four", PICTURES, (3, 8, 8))
    data = tmp_path / "pictures"
    for number in range(12):
        file = data / "abc"[number % 3] / f"{number}.png"
        file.parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (8, 8), (80 * (number % 3),) * 3).save(file)

    run(folder, f"python train.py --data {data} {FEW}")
    said = capsys.readouterr().err
    assert "The network has 4 outputs, and there are 3 classes: the others learn to be never right." in said
    assert "last layer of Four" in said
    run(folder, f"python predict.py --data {data}")
    answers = polars.read_csv(folder / "predictions.csv")
    assert answers.columns == ["file", "class", "p_a", "p_b", "p_c"]
    sums = answers["p_a"] + answers["p_b"] + answers["p_c"]
    assert sums.to_list() == pytest.approx([1.0] * 12)

    fitting = project(tmp_path / "fitting", f"{tmp_path / 'net.py'}:Small", PICTURES, (3, 8, 8))
    run(fitting, f"python train.py {FEW}")
    assert capsys.readouterr().err == ""


def test_numbers_without_an_axis_of_their_own_are_not_compared_with_those_of_other_examples(tmp_path: Path) -> None:
    text = OWN.replace("outputs=3", "outputs=1").replace(".mean((2, 3)))", ".mean((2, 3))).squeeze(1)")
    (tmp_path / "net.py").write_text(text)
    facts = PICTURES.replace("classify", "regress").replace("outputs=3", "outputs=1")
    folder = project(tmp_path / "project", f"{tmp_path / 'net.py'}:Small", facts, (3, 8, 8))
    assert complaints(folder) == ""
    with pytest.raises(SystemExit, match="outputs one without an axis of its own, and the answers are 1"):
        run(folder, f"python train.py {FEW}")


def test_what_an_own_network_prints_is_no_part_of_its_description(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = OWN.replace("        return self.head", "        print('looking')\n        return self.head")
    (tmp_path / "net.py").write_text(f"print('imported')\n{text}")
    folder = project(tmp_path / "project", f"{tmp_path / 'net.py'}:Small", PICTURES, (3, 8, 8))
    capsys.readouterr()
    assert complaints(folder) == ""
    assert described(folder)["parameters"]
    said = capsys.readouterr().err
    assert "imported" in said
    assert "looking" in said


def test_a_saved_plan_needs_the_shape_of_an_own_network(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(OWN)
    plan, _ = plan_for(f"{tmp_path / 'net.py'}:Small", PICTURES, (3, 8, 8))
    with pytest.raises(InputError, match="--input"):
        blueprint_of(plan)
    assert blueprint_of(plan, shapes=[(3, 8, 8)]).shape.height == 8


# --- pictures ------------------------------------------------------------------------------------------------


def test_published_weights_of_pictures_are_where_training_starts(tmp_path: Path, pictures: Path) -> None:
    from safetensors.torch import load_file

    assert complaints(project(tmp_path / "fetching", "timm:test_vit", PICTURES)) == ""
    folder = project(tmp_path / "project", "timm:test_vit", PICTURES, weights=pictures)
    run(folder, f"python train.py --learning-rate 0 {FEW}")
    known, found = load_file(pictures), saved(folder)
    same = [name for name, value in known.items() if torch.equal(value, found.get(f"body.{name}", torch.empty(0)))]
    assert set(known) - set(same) == {"head.weight", "head.bias"}, "there are three classes now"
    assert len(found["body.head.bias"]) == 3


def test_only_the_last_layer_of_a_published_network_learns(tmp_path: Path, pictures: Path) -> None:
    folder = project(
        tmp_path / "project", "timm:test_vit", f"{PICTURES} training.adaptation=last_layer", weights=pictures
    )
    told = described(folder)
    run(folder, f"python train.py {FEW}")
    assert set(saved(folder)) == {"body.head.weight", "body.head.bias"}
    assert told["trained_parameters"] == sum(value.numel() for value in saved(folder).values())
    assert "goes on from step 2" in run(folder, "python train.py --steps 4 --batch-size 4 --resume")
    data = tmp_path / "pictures"
    for number in range(10):
        file = data / ("dark", "light")[number % 2] / f"{number}.png"
        file.parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (8, 8), (200 * (number % 2),) * 3).save(file)
    run(folder, f"python train.py --data {data} --output seen --epochs 3 --batch-size 4")
    run(folder, f"python predict.py --data {data} --weights seen/best.pt")
    answers = polars.read_csv(folder / "predictions.csv")
    assert answers["file"][0] == "dark/0.png"
    assert set(answer_column(answers)) <= {"dark", "light"}


def test_averages_of_frozen_normalisation_stay_as_they_were_published(tmp_path: Path) -> None:
    import timm
    from safetensors.torch import save_file

    network = timm.create_model("test_resnet")
    file = tmp_path / "model.safetensors"
    save_file(network.state_dict(), file)
    folder = project(
        tmp_path / "project", "timm:test_resnet", f"{PICTURES} training.adaptation=last_layer", weights=file
    )
    run(folder, f"python train.py {FEW}")
    averages = {name: value for name, value in saved(folder).items() if "running" in name}
    assert averages
    for name, value in averages.items():
        assert torch.equal(value, network.state_dict()[name.removeprefix("body.")]), name


PIXELS = "task.kind=segment data.modality=image task.outputs=3 data.examples=200 project.pretrained_allowed=yes"


@pytest.mark.parametrize("side", [64, 40])
def test_pixels_get_classes_from_a_published_way_down(tmp_path: Path, side: int) -> None:
    from safetensors.torch import load_file, save_file

    smp = library("segmentation_models_pytorch")
    file = tmp_path / "model.safetensors"
    save_file(smp.Unet("resnet34", encoder_weights=None).encoder.state_dict(), file)
    facts = f"{PIXELS} data.inputs={3 * side**2}"
    assert complaints(project(tmp_path / "fetching", "unet-resnet34", facts)) == ""
    folder = project(tmp_path / "project", "unet-resnet34", facts, weights=file)
    plan, _ = plan_for("unet-resnet34", facts)
    told, figures = described(folder), {figure.name: figure for figure in plan.figures}
    assert told["parameters"] == 24_436_369 + 2 * (16 * 9 + 1), "three classes, where one is usual"
    assert told["multiply_adds_per_example"] == plan.facts["network.multiply_adds"].value
    assert not figures or figures["network.size"].value == told["parameters"]
    run(folder, f"python train.py --learning-rate 0 {FEW}")
    found = saved(folder)
    changed = [
        n for n, w in load_file(file).items() if "running" not in n and not torch.equal(w, found[f"body.encoder.{n}"])
    ]
    assert not [name for name in changed if "num_batches" not in name]


def test_the_way_down_of_a_u_net_is_not_drawn_by_chance(tmp_path: Path) -> None:
    library("segmentation_models_pytorch")
    folder = project(tmp_path / "project", "unet-resnet34", f"{PIXELS} data.inputs=12288")
    with pytest.raises(SystemExit, match=r"hf download smp-hub/resnet34.imagenet"):
        run(folder, f"python train.py {FEW}")
    assert described(folder)["parameters"], "the sizes need no weights"


def test_without_a_connection_training_does_not_start_and_says_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = project(tmp_path / "project", "timm:test_vit", PICTURES)
    with pytest.raises(SystemExit) as raised:
        run(folder, f"python train.py {FEW}")
    said = str(raised.value)
    assert "test_vit cannot be had" in said
    assert "hf download timm/test_vit" in said
    assert not (folder / "runs").exists()
    assert described(folder)["parameters"], "the sizes need no weights"


def test_weights_that_are_no_such_network_are_refused(tmp_path: Path) -> None:
    from safetensors.torch import save_file

    save_file({"a": torch.zeros(3)}, tmp_path / "other.safetensors")
    folder = project(tmp_path / "project", "timm:test_vit", PICTURES, weights=tmp_path / "other.safetensors")
    with pytest.raises(SystemExit, match="cannot be had"):
        run(folder, f"python train.py {FEW}")


def test_libraries_are_installed_beside_the_torch_that_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("advisor.starter.readme.torch_version", lambda: "2.13.0+cpu")
    folder = project(tmp_path / "project", "timm:test_vit", PICTURES)
    assert commands(folder)[0] == "pip install -r requirements.txt torch==2.13.0"
    assert "keeps torch 2.13.0" in (folder / "README.md").read_text()
    (tmp_path / "net.py").write_text(OWN)
    own = project(tmp_path / "own", f"{tmp_path / 'net.py'}:Small", PICTURES, (3, 8, 8))
    assert commands(own)[0] == "pip install -r requirements.txt"
    assert "keeps torch" not in (own / "README.md").read_text()
    monkeypatch.setattr("advisor.starter.readme.torch_version", lambda: "")
    assert commands(project(tmp_path / "none", "timm:test_vit", PICTURES))[0] == "pip install -r requirements.txt"


def test_a_library_that_is_missing_is_told_with_a_line_that_keeps_torch(tmp_path: Path) -> None:
    folder = project(tmp_path / "project", "timm:test_vit", PICTURES)
    (folder / "timm.py").write_text("raise ImportError('no timm here')\n")
    with pytest.raises(SystemExit) as raised:
        run(folder, f"python train.py {FEW}")
    version = torch.__version__.partition("+")[0]
    assert str(raised.value).endswith(f"no timm here\npip install -r requirements.txt torch=={version}")


# --- texts ---------------------------------------------------------------------------------------------------


def test_a_published_encoder_learns_to_classify_texts(tmp_path: Path, texts: dict[str, Path]) -> None:
    from safetensors.torch import load_file

    folder = project(tmp_path / "project", str(texts["bert"] / "config.json"), TEXTS)
    assert complaints(folder) == ""
    plan, _ = plan_for(str(texts["bert"] / "config.json"), TEXTS)
    head = 16 * 2 + 2
    told = described(folder)
    assert told["parameters"] == int(str(plan.facts["network.parameters"].value)) + head
    assert told["multiply_adds_per_example"] == int(str(plan.facts["network.multiply_adds"].value)) + 16 * 2

    table = tmp_path / "texts.csv"
    table.write_text("text,kind\n" + "good film,yes\nbad film,no\n" * 20)
    run(folder, f"python train.py --data {table} --learning-rate 0 {FEW}")
    known, found = load_file(texts["bert"] / "model.safetensors"), saved(folder)
    assert all(torch.equal(value, found[f"body.bert.{name}"]) for name, value in known.items())
    run(folder, f"python predict.py --data {table}")
    answers = polars.read_csv(folder / "predictions.csv")
    assert (len(answers), set(answers.columns)) == (40, {"row", "kind", "p_no", "p_yes"})


def test_weights_of_another_network_are_not_replaced_by_chance(tmp_path: Path, texts: dict[str, Path]) -> None:
    from safetensors.torch import load_file, save_file

    folder = tmp_path / "bert"
    shutil.copytree(texts["bert"], folder)
    weights = load_file(folder / "model.safetensors")
    del weights["encoder.layer.0.attention.self.query.weight"]
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    made = project(tmp_path / "project", str(folder / "config.json"), TEXTS)
    with pytest.raises(SystemExit, match=r"1 of its weights are missing there, such as bert.encoder.layer.0"):
        run(made, f"python train.py {FEW}")


def test_a_published_decoder_goes_on_writing(tmp_path: Path, texts: dict[str, Path]) -> None:
    facts = "task.kind=generate data.sequence_length=12 project.pretrained_allowed=yes"
    folder = project(tmp_path / "project", str(texts["llama"] / "config.json"), facts)
    assert complaints(folder) == ""
    plan, _ = plan_for(str(texts["llama"] / "config.json"), facts)
    told = described(folder)
    assert told["parameters"] == plan.facts["network.parameters"].value
    assert told["multiply_adds_per_example"] == plan.facts["network.multiply_adds"].value
    lines = tmp_path / "lines.txt"
    lines.write_text("good bad good\nbad bad\n" * 20)
    assert "validation loss" in run(folder, f"python train.py --data {lines} {FEW}")


def test_a_published_translator_learns_pairs(tmp_path: Path, texts: dict[str, Path]) -> None:
    facts = "task.kind=translate project.pretrained_allowed=yes"
    folder = project(tmp_path / "project", "t5-small", facts, weights=texts["t5"])
    settings = (folder / "settings.py").read_text()
    (folder / "settings.py").write_text(f"{settings}STEPS = 6\nANSWER_STEPS = 5\n")
    lines = tmp_path / "lines.txt"
    lines.write_text("good bad good\tbad\nbad bad\tgood\n" * 20)
    assert "validation loss" in run(folder, f"python train.py --data {lines} {FEW}")


def test_a_network_of_the_hub_is_described_as_the_plan_counts_it_without_a_connection(tmp_path: Path) -> None:
    plan, _ = plan_for("bert-base", TEXTS)
    told = described(project(tmp_path / "project", "bert-base", TEXTS))
    assert told["parameters"] == told["trained_parameters"] == plan.facts["network.parameters"].value
    assert told["multiply_adds_per_example"] == plan.facts["network.multiply_adds"].value


@pytest.mark.parametrize("kind", ["bert", "llama"])
def test_small_matrices_alone_are_trained_beside_published_weights(
    kind: str, tmp_path: Path, texts: dict[str, Path]
) -> None:
    pytest.importorskip("peft")
    task = TEXTS if kind == "bert" else "task.kind=generate data.sequence_length=12 project.pretrained_allowed=yes"
    folder = project(tmp_path / "project", str(texts[kind] / "config.json"), f"{task} training.adaptation=lora")
    assert complaints(folder) == ""
    told = described(folder)
    run(folder, f"python train.py {FEW}")
    found = saved(folder)
    assert {name.partition(".lora_")[1] or "head" for name in found} == (
        {".lora_", "head"} if kind == "bert" else {".lora_"}
    )
    assert told["trained_parameters"] == sum(value.numel() for value in found.values())
    rank = 16
    attention, forward = 4 * rank * (16 + 16), (2 if kind == "bert" else 3) * rank * (16 + 32)
    pooler, head = (rank * (16 + 16), 16 * 2 + 2) if kind == "bert" else (0, 0)
    assert told["trained_parameters"] == 2 * (attention + forward) + pooler + head
    assert "goes on from step 2" in run(folder, "python train.py --steps 4 --batch-size 4 --resume")


def test_an_adapter_is_one_that_peft_loads_and_a_prompt_is_gone_on_with(tmp_path: Path, texts: dict[str, Path]) -> None:
    peft = pytest.importorskip("peft")
    import transformers

    task = "task.kind=generate data.sequence_length=12 project.pretrained_allowed=yes training.adaptation=lora"
    folder = project(tmp_path / "project", str(texts["llama"] / "config.json"), task)
    run(folder, f"python train.py --learning-rate 0.5 {FEW}")
    assert "The adapter is in exported" in run(folder, "python export.py")
    base = transformers.LlamaForCausalLM.from_pretrained(texts["llama"])
    tokens = torch.tensor([[2, 3, 2]])
    before = base(input_ids=tokens).logits
    loaded = peft.PeftModel.from_pretrained(base, folder / "exported")
    after = loaded(input_ids=tokens).logits
    assert not torch.allclose(before, after), "it has learned something"
    kept = {name: value for name, value in loaded.state_dict().items() if "lora_B" in name}
    own = {name: value for name, value in saved(folder).items() if "lora_B" in name}
    assert len(kept) == len(own)
    assert all(
        torch.equal(kept[f"base_model.model.{name.removeprefix('body.')}"], value) for name, value in own.items()
    )
    lines = run(folder, "python generate.py --text 'good bad' --number 2 --tokens 3").splitlines()
    assert len(lines) == 2
    assert all(line.startswith("good bad") for line in lines)
    likeliest = "python generate.py --text good --temperature 0 --tokens 2"
    assert run(folder, likeliest) == run(folder, likeliest)
    assert complaints(folder) == ""


# --- what no project is made of --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "facts", "said"),
    [
        ("whisper-tiny", "task.kind=classify", "no training of whisper-tiny"),
        ("resnet18", "task.kind=segment data.modality=image", r"no training of resnet18 .* to segment"),
        ("patchtst", "task.kind=forecast", "published without weights"),
        ("gpt2", "task.kind=generate training.adaptation=last_layer", "the table of its words"),
        ("timm:test_vit", f"{PICTURES} training.adaptation=qlora", "no weights in 4 bits"),
        ("resnet18", f"{PICTURES} training.adaptation=lora", "has none but its last"),
    ],
)
def test_what_cannot_be_trained_is_refused_before_a_project_is_written(name: str, facts: str, said: str) -> None:
    assert naming(name) in (Naming.PUBLISHED, Naming.LIBRARY)
    plan, model = plan_for(name, facts)
    with pytest.raises(InputError, match=said):
        named_of(plan, model)


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ("data.modality=image task.outputs=3", "nobody has said what .* is to learn"),
        (f"{PICTURES} training.adaptation=lora", "draws its own"),
    ],
)
def test_an_own_network_needs_a_task_and_has_nothing_published_to_adapt(facts: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN)
    plan, model = plan_for(f"{tmp_path / 'own.py'}:Small", facts, (3, 8, 8))
    with pytest.raises(InputError, match=said):
        named_of(plan, model)
