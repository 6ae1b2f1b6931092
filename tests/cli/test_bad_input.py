"""Bad input of every kind: one clear message that names file, key and remedy; exit code 2; no traceback, no code run."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from .program import advisor, refused

MARKUP = "[bold red]x[/] <script>alert(1)</script> a|b `c` ![i](x)"
CONTROLS = "\x1b]0;title\x07\x1b[2J\x9b31m"


def file(folder: Path, content: str | bytes, name: str = "answers.yaml") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    ("stated", "said"),
    [
        ("data.modalty=image", "'data.modalty' is not a known fact. Did you mean data.modality?"),
        ("zzz=1", "`advisor glossary`"),
        ("network.type=cnn", "network.type is a recommendation, not a fact."),
        ("data.modality=imag", "Did you mean image?"),
        ("task.kind=adapt", "It stands for task.kind=classify and project.pretrained_allowed=yes, or "),
        ("data.examples", "Write --set data.modality=image."),
        ("data.examples=many", "'many' For example 2000, 50k or 2M."),
        ("data.examples=5 GB", "the unit 'GB' is not one of examples"),
        ("data.bytes=5 parsecs", "the unit 'parsecs' is not one of bytes"),
        ("machine.memory_bytes=3 h", "the unit 'h' is not one of bytes"),
        ("data.examples=nan", "'nan'"),
        ("data.examples=inf", "'inf'"),
        ("data.examples=1e999", "It must lie between 1 and"),
        ("data.examples=-5", "It must lie between 1 and"),
        ("machine.gpu.count=-1", "It must lie between 0 and"),
        ("data.examples=2.5", "This must be a whole number"),
        ("task.multilabel=perhaps", "Write yes or no."),
        ("machine.cpu.features=[avx2, avx3]", "avx"),
        ("machine.gpu.name=" + "x" * 300, "At most 200."),
    ],
)
@pytest.mark.some(5)
def test_a_wrong_fact_is_named_with_its_remedy(stated: str, said: str) -> None:
    message = refused("recommend", "--set", stated)
    assert said in message
    assert stated.partition("=")[0][:20] in message


@pytest.mark.parametrize(
    "words",
    [
        ["inspect", ""],
        ["recommend", "--data", ""],
        ["try", "--data", " "],
        ["doctor", "--data", ""],
        ["starter", "--output", ""],
    ],
)
def test_nothing_does_not_stand_for_the_folder_that_one_is_in(words: list[str]) -> None:
    assert "this names nothing" in refused(*words)


def test_problems_of_file_and_flags_are_told_together(tmp_path: Path) -> None:
    answers = file(tmp_path, "data.examples: many\ndata.modalty: image\n")
    message = refused("recommend", "--answers", answers, "--set", "task.kind=clasify")
    assert f"{answers}:1" in message
    assert f"{answers}:2" in message
    assert "Did you mean classify?" in message


def test_answers_that_exclude_each_other_are_refused() -> None:
    cores = ["--set", "machine.cpu.physical_cores=8", "--set", "machine.cpu.logical_cores=4"]
    assert "cannot both be true" in refused("recommend", "--machine", "none", *cores)


def test_a_recommendation_in_a_file_of_answers_is_called_one(tmp_path: Path) -> None:
    answers = file(tmp_path, "network:\n  type: cnn\n")
    message = refused("recommend", "--answers", answers)
    assert f"{answers}:2: network.type is a recommendation, not a fact." in message
    assert "`advisor explain network.type`" in message


def test_a_fact_that_is_set_to_two_values_is_refused_with_both() -> None:
    message = refused("recommend", "--set", "data.examples=50k", "--set", "data.examples=60000")
    assert "'data.examples=50k' and 'data.examples=60000' give it two values" in message
    same = ["--set", "data.examples=50k", "--set", "data.examples=50000"]
    assert advisor("recommend", "--machine", "none", *same).code == 0


BILLION_LAUGHS = "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [*c, *c]\n"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\x00\x01\x02\xff" * 10, "It looks like a binary file."),
        ("data.modality: Bühne\n".encode("latin-1"), "Save it as UTF-8."),
        ("- data.modality\n- image\n", "Write one `name: value` a line"),
        ("just a text\n", "Write one `name: value` a line"),
        (BILLION_LAUGHS, "uses an anchor or alias"),
        ("data.modality: " + "[" * 100_000, "is nested deeper than 50 levels"),
        ("data.modality: image\ndata.modality: text\n", "repeats the key data.modality of line 1"),
        ("data.modality: !!python/object/apply:os.system ['touch x']\n", "uses a tag"),
        ("!!map {data.modality: image}\n", "uses a tag"),
        ("data.modality: \x1b[31mimage\n", "holds a control character"),
        ("data.modality: [image\n", "Check indentation, colons and quotes"),
        ("a: 1\n---\nb: 2\n", "holds several documents"),
        ("data:\n  modality: {a: {b: c}}\n", "data.modality needs one value, not a mapping"),
        ("data.modality: image\n\tdata.examples: 5\n", "Check indentation, colons and quotes"),
    ],
)
@pytest.mark.some(4)
def test_a_file_that_holds_no_answers_is_refused(content: str | bytes, said: str, tmp_path: Path) -> None:
    answers = file(tmp_path, content)
    for option in ("--answers", "--machine"):
        message = refused("recommend", option, answers)
        assert said in message
        assert str(answers) in message
    assert not (tmp_path / "x").exists()


def test_a_hundred_megabytes_are_refused_without_reading_them(tmp_path: Path) -> None:
    answers = tmp_path / "large.yaml"
    with answers.open("wb") as sparse:
        sparse.truncate(100_000_000)
    assert f"{answers}: is larger than 1 MB" in refused("recommend", "--answers", answers)


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    assert "No such file" in refused("recommend", "--answers", tmp_path / "none.yaml")
    assert "cannot be read" in refused("recommend", "--answers", "x" * 5000)
    assert "this is not a folder" in refused("recommend", "--rules", tmp_path / "none")
    assert "there is no .yaml file in it" in refused("recommend", "--rules", tmp_path)


def test_a_folder_in_place_of_a_file_is_called_a_folder(tmp_path: Path) -> None:
    message = refused("recommend", "--answers", tmp_path)
    assert f"{tmp_path}: this is a folder" in message


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that fails to be read")
def test_a_file_that_fails_to_be_read_is_named() -> None:
    assert "/proc/self/mem: cannot be read" in refused("recommend", "--answers", "/proc/self/mem")
    assert "/proc/self/mem, cannot be read" in refused("report", "--plan", "/proc/self/mem").replace(": ", ", ")


def test_an_empty_file_is_no_mistake(tmp_path: Path) -> None:
    assert advisor("recommend", "--answers", file(tmp_path, "# nothing yet\n"), "--machine", "none").code == 0


@pytest.mark.parametrize("name", ["recommend", "compare", "explain"])
@pytest.mark.some(1)
def test_unknown_is_an_answer_everywhere(name: str, tmp_path: Path) -> None:
    answers = file(tmp_path, "data.modality: unknown\ntask.kind: ~\n")
    commands: dict[str, list[str | Path]] = {
        "recommend": ["recommend", "--answers", answers],
        "compare": ["compare", answers, answers],
        "explain": ["explain", "network.type", "--answers", answers],
    }
    done = advisor(*commands[name])
    assert (done.code, done.err) == (0, "")


@pytest.mark.parametrize("format_", ["text", "markdown", "json"])
@pytest.mark.some(1)
def test_markup_in_a_value_is_shown_as_text(format_: str, tmp_path: Path) -> None:
    answers = file(tmp_path, f"machine.gpu.count: 1\nmachine.gpu.name: {json.dumps(MARKUP)}\n")
    done = advisor("recommend", "--answers", answers, "--machine", "none", "--format", format_)
    assert (done.code, "Nothing is known of this card" in done.err) == (0, True)
    if format_ == "json":
        assert json.loads(done.out)["facts"]["machine.gpu.name"]["value"] == MARKUP
    if format_ == "markdown":
        assert "<script>" not in done.out
        assert "&lt;script&gt;alert(1)&lt;/script&gt; a\\|b \\`c\\`" in done.out


def test_a_card_without_a_profile_is_noted_with_the_nearest_one() -> None:
    card = ["--set", "machine.gpu.count=1", "--set", "machine.gpu.name=RTX 4099"]
    done = advisor("recommend", "--machine", "none", *card, "--format", "json")
    assert done.code == 0
    assert "no profile is called 'RTX 4099'" in done.said
    assert "Did you mean rtx-4090?" in done.said
    assert json.loads(done.out)["facts"]["machine.gpu.name"]["note"] == "nothing is known of this card"
    known = advisor("recommend", "--machine", "none", *card[:3], "machine.gpu.name=NVIDIA GeForce RTX 4090")
    assert (known.code, known.err) == (0, "")


@pytest.mark.parametrize("budget", ["0.1s", "3 parsecs", "soon", "", "48 h", "-5", "unknown"])
@pytest.mark.some(2)
def test_a_time_budget_is_told_in_seconds(budget: str) -> None:
    message = refused("probe", "--budget", budget)
    assert "--budget" in message
    assert "60s or 2 min; from 1 to 86400 seconds" in message


def test_control_codes_never_reach_the_terminal(tmp_path: Path) -> None:
    for stated in (f"data.modality={CONTROLS}", f"machine.gpu.name={CONTROLS}", f"{CONTROLS}=1", CONTROLS):
        message = refused("recommend", "--set", stated)
        assert not {"\x1b", "\x9b", "\x07"} & set(message)
    answers = file(tmp_path, f"machine.gpu.name: {json.dumps(CONTROLS)}\n{json.dumps(CONTROLS)}: 1\n")
    assert not {"\x1b", "\x9b", "\x07"} & set(refused("recommend", "--answers", answers))
    for command in ("explain", "glossary"):
        message = refused(command, f"{MARKUP}{CONTROLS}")
        assert not {"\x1b", "\x9b", "\x07"} & set(message)
        assert "[bold red]x[/]" in message


def test_bytes_that_are_no_text_do_no_harm() -> None:
    stated = os.fsdecode(b"machine.gpu.name=\xff\xfe")
    assert "machine.gpu.name" in refused("recommend", "--set", stated)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("not json", "is not JSON"),
        ("[" * 100_000, "is nested too deep"),
        ("[]", "must be an object, not a list"),
        ('{"schema": "advisor/plan/9"}', "not advisor/plan/1"),
        ('{"schema": "advisor/plan/1"}', "is missing"),
        (b"\xff\x00", "is not UTF-8 text"),
    ],
)
def test_a_file_that_holds_no_plan_is_refused(content: str | bytes, said: str, tmp_path: Path) -> None:
    saved = file(tmp_path, content, "plan.json")
    message = refused("report", "--plan", saved)
    assert said in message
    assert str(saved) in message
    assert "advisor recommend --format json" in message or "Save the plan anew" in message or "braces" in message


def test_a_damaged_cache_of_rules_is_no_problem(tmp_path: Path) -> None:
    cache = {"ADVISOR_CACHE": str(tmp_path)}
    first = advisor("glossary", "--format", "json", env=cache)
    (kept,) = tmp_path.glob("knowledge-*.json")
    for damage in (b"", b"{", b"[" * 100_000, b"\xff", kept.read_bytes()[:1000]):
        kept.write_bytes(damage)
        assert advisor("glossary", "--format", "json", env=cache) == first


def test_an_empty_file_of_answers_is_told_and_the_plan_is_made(tmp_path: Path) -> None:
    for content in ("", "# nothing yet\n"):
        done = advisor("recommend", file(tmp_path, content), "--machine", "none")
        assert done.code == 0
        assert "This file of answers is empty" in done.err
        assert "answers.yaml" in done.err
    assert advisor("recommend", file(tmp_path, "data.modality: image\n"), "--machine", "none").err == ""


def test_a_size_of_a_few_bytes_is_doubted() -> None:
    done = advisor("recommend", "--machine", "none", "--set", "data.bytes=16")
    assert (done.code, "data.bytes is 16 B" in done.err, "write 16 GB" in done.err) == (0, True, True)
    assert advisor("recommend", "--machine", "none", "--set", "data.bytes=16 kB").err == ""


def test_a_group_of_topics_and_a_published_network_are_answered_with_what_can_be_asked() -> None:
    group = refused("explain", "network")
    assert "a group of" in group
    assert "network.type, network.model" in group
    said = refused("explain", "network.type", "--why-not", "resnet")
    assert "'resnet' is a published network, of the type cnn Write --why-not cnn" in said
    assert "is not a value of network.type" in refused("explain", "network.type", "--why-not", "qqqq")
