"""No command prints a control character that stands in a file, whatever the file and whatever in it."""

from __future__ import annotations

import contextlib
import json
import os
import re
import struct
import subprocess
import sys
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from advisor.cli.delivering import deliver_bytes
from advisor.plain import json_text
from advisor.report.page import Look, Page, Style, harmless
from advisor.wording import CONTROLS
from tests.training.test_kept import LINEAR, saved

from .program import PROGRAM, Finished, advisor, environment

EVIL = "a\x1b[31mRED\x1b]0;title\x07b\x9b2Jc\x90d\u202ee\u2066f\u200bg\u061ch\x7fi\x08j\rk"
"""Colours, the title of the window, C1, directions, nothing, erasing and returning."""
BROKEN = f"{EVIL}\nFORGED: a line"
IN_TEXT = "".join(letter for letter in EVIL if letter not in "\x07\x08\x7f\r")
"""Without those that are in no file of text."""
SHOWN = "RED"
FORBIDDEN = re.compile(f"[{CONTROLS}]")


def check(done: Finished, *, shown: bool = True) -> None:
    assert done.code in (0, 1, 2), done
    assert "Traceback" not in done.err
    found = FORBIDDEN.search(done.out + done.err)
    assert found is None, repr((done.out + done.err)[max(0, found.start() - 60) : found.end() + 20])
    assert not re.search("^FORGED", done.out + done.err, re.MULTILINE)
    assert not shown or SHOWN in done.out + done.err, done


def table(folder: Path) -> Path:
    path = folder / "t.csv"
    rows = "".join(f"{number},{number * 7 % 5},{IN_TEXT if number % 2 else 'x'}\n" for number in range(60))
    path.write_text(f'"{IN_TEXT}\nFORGED: a line",{IN_TEXT}two,kind\n{rows}', encoding="utf-8", newline="")
    return path


def lines(folder: Path) -> Path:
    path = folder / "t.jsonl"
    path.write_text(
        "".join(json.dumps({BROKEN: number, "kind": BROKEN if number % 2 else "x"}) + "\n" for number in range(60))
    )
    return path


def images(folder: Path) -> Path:
    for name in (BROKEN, f"b{EVIL}"):
        for number in range(6):
            path = folder / "images" / name / f"{number}{EVIL}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            Image.fromarray(numpy.random.default_rng(number).integers(0, 256, (8, 8), dtype=numpy.uint8)).save(path)
    return folder / "images"


def masks(folder: Path) -> Path:
    for name in ("images", "masks"):
        for number in range(6):
            path = folder / "seg" / f"{EVIL}all" / name / f"{number}{BROKEN}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            Image.fromarray(numpy.eye(8, dtype=numpy.uint8)).save(path)
    return folder / "seg"


def arrays(folder: Path) -> Path:
    numpy.savez(folder / "a.npz", **{f"x{EVIL}": numpy.eye(20), "y": numpy.arange(20) % 2})
    return folder / "a.npz"


@pytest.mark.some(10)
@pytest.mark.parametrize("made", [table, lines, images, masks, arrays])
@pytest.mark.parametrize(
    "command",
    [("inspect",), ("inspect", "--all"), ("inspect", "--format", "json"), ("recommend",), ("recommend", "--all"),
     ("recommend", "--format", "markdown"), ("explain", "network.type"), ("try", "--budget", "1s")],
    ids=" ".join,
)  # fmt: skip
def test_data(made: Callable[[Path], Path], command: tuple[str, ...], tmp_path: Path) -> None:
    data = made(tmp_path)
    target = ("--target", "kind") if made in (table, lines) else ("--target", "y") if made is arrays else ()
    path = (data,) if command[0] == "inspect" else ("--data", data)
    check(advisor(*command, *path, *target), shown=False)


def test_a_name_of_a_column_is_still_shown(tmp_path: Path) -> None:
    check(advisor("inspect", table(tmp_path), "--all"))
    check(advisor("inspect", images(tmp_path)))


def test_refusals_of_data(tmp_path: Path) -> None:
    check(advisor("inspect", table(tmp_path), "--target", f"no{EVIL}"))
    check(advisor("inspect", tmp_path / f"nothing{BROKEN}"))
    path = tmp_path / f"{EVIL}.csv"
    path.write_bytes(b"\0\1\2")
    check(advisor("inspect", path))


def safetensors(folder: Path) -> Path:
    header = {
        f"{BROKEN}.weight": {"dtype": "F32", "shape": [4, 4], "data_offsets": [0, 64]},
        "__metadata__": {EVIL: EVIL},
    }
    text = json.dumps(header).encode()
    (folder / "w.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + bytes(64))
    return folder / "w.safetensors"


def configuration(folder: Path) -> Path:
    said = {"model_type": "bert", "_name_or_path": BROKEN, "architectures": [BROKEN], "hidden_size": 64, EVIL: EVIL}
    said |= {"num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 128, "vocab_size": 1000}
    (folder / "config.json").write_text(json.dumps(said))
    return folder / "config.json"


def unknown_configuration(folder: Path) -> Path:
    (folder / "config.json").write_text(json.dumps({"model_type": BROKEN, "hidden_size": EVIL}))
    return folder / "config.json"


@pytest.mark.parametrize("made", [safetensors, configuration, unknown_configuration])
@pytest.mark.parametrize(
    "command", [("models", "show"), ("models", "show", "--all"), ("recommend", "--model")], ids=" ".join
)
def test_networks(made: Callable[[Path], Path], command: tuple[str, ...], tmp_path: Path) -> None:
    check(advisor(*command, made(tmp_path)), shown=False)


def test_a_network_of_a_module_with_such_names(tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    path.write_text(
        "import torch\n"
        f"NAME = {BROKEN!r}\n"
        "class Net(torch.nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.add_module(NAME.replace('.', ''), torch.nn.Linear(4, 2))\n"
        "    def forward(self, x):\n"
        "        return next(iter(self.children()))(x)\n"
        "def make():\n"
        "    print(NAME)\n"
        "    return Net()\n"
        "def fails():\n"
        "    raise ValueError(NAME)\n"
    )
    check(advisor("models", "show", f"{path}:make", "--input", "4", "--all"), shown=False)
    check(advisor("models", "show", f"{path}:fails", "--input", "4"), shown=False)


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A saved plan in which every free text is hostile."""
    made = advisor("recommend", "--set", "task.kind=classify", "--set", "data.modality=image", "--format", "json")
    document = json.loads(made.out)
    for entry in document["recommendations"].values():
        entry["title"] = BROKEN
        entry["actions"] = [BROKEN for _ in entry["actions"]]
        for reason in entry["because"]:
            reason |= {"text": BROKEN, "origin": BROKEN, "errata": [BROKEN], "when": EVIL, "sources": [EVIL]}
    document["recommendations"][EVIL] = {}
    path = tmp_path_factory.mktemp("plan") / "plan.json"
    path.write_text(json.dumps(document))
    return path


@pytest.mark.parametrize("form", ["text", "markdown", "json", "html"])
def test_plans(form: str, plan: Path, tmp_path: Path) -> None:
    done = advisor("report", plan, "--format", form)
    check(done if form == "text" else Finished(done.code, done.out.replace("FORGED", ""), done.err), shown=False)
    output = tmp_path / f"report.{form}"
    advisor("report", plan, "--format", form, "--output", output)
    if output.exists():
        assert FORBIDDEN.search(output.read_text()) is None


def test_two_plans(plan: Path) -> None:
    check(advisor("compare", plan, plan), shown=False)


def test_packs_of_rules(tmp_path: Path) -> None:
    pack = tmp_path / "pack"
    pack.mkdir()
    text = json.dumps(BROKEN)
    (pack / "rules.yaml").write_text(
        f"- {{id: network.type.evil, topic: network.type, school: any, for: cnn, strength: strong, because: {text},"
        f" sources: [{json.dumps(EVIL)}], verified: no, actions: [{text}]}}\n- {{{text}: {text}}}\n"
    )
    for command in (("check",), ("list",), ("show", "network.type.evil"), ("test",)):
        check(advisor("rules", *command, "--rules", pack), shown=False)
    check(advisor("recommend", "--set", "data.modality=image", "--rules", pack, "--all"), shown=False)


def test_answers_and_machines(tmp_path: Path) -> None:
    answers = tmp_path / "answers.yaml"
    answers.write_text(f"machine.gpu.name: {json.dumps(BROKEN)}\nmachine.gpu.count: 1\n{json.dumps(EVIL)}: 1\n")
    check(advisor("recommend", "--answers", answers), shown=False)
    check(
        advisor("recommend", "--set", f"machine.gpu.name={BROKEN}", "--set", "machine.gpu.count=1", "--all"),
        shown=False,
    )
    check(advisor("recommend", "--set", f"{EVIL}=1"), shown=False)
    check(advisor("recommend", "--machine", EVIL), shown=False)
    machine = tmp_path / "machine.json"
    machine.write_text(
        json.dumps({"schema": "advisor/machine/1", "cpu_model": BROKEN, "gpus": [{"backend": "cuda", "name": BROKEN}]})
    )
    check(advisor("recommend", "--machine", machine, "--all"), shown=False)
    for command in (
        ("glossary", EVIL),
        ("explain", EVIL),
        ("profiles", "show", EVIL),
        (EVIL,),
        ("recommend", f"--{EVIL}"),
    ):
        check(advisor(*command), shown=False)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such terminals")
def test_predictions_on_a_terminal(tmp_path: Path) -> None:
    import pty  # not on Windows

    folder = saved(table(tmp_path), "kind", LINEAR, tmp_path / "model")
    command = ["apply", folder, "--data", tmp_path / "t.csv", "--keep", "all", "--output", "/dev/stdout"]
    terminal, end = pty.openpty()
    process = subprocess.Popen(
        [*PROGRAM, *map(str, command)], env=environment(), stdin=subprocess.DEVNULL, stdout=end, stderr=subprocess.PIPE
    )
    os.close(end)
    shown = b""
    with contextlib.suppress(OSError):  # the program has closed its end
        while part := os.read(terminal, 65_536):
            shown += part
    os.close(terminal)
    said = process.communicate(timeout=300)[1].decode()
    check(Finished(process.returncode, shown.decode().replace("\r\n", "\n").replace("FORGED", ""), said))
    assert process.returncode == 0, said


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such terminals")
def test_what_is_written_into_a_terminal_by_any_name_is_harmless_and_a_pipe_gets_it_as_it_is() -> None:
    import pty  # not on Windows

    terminal, end = pty.openpty()
    for name in (f"/dev/fd/{end}", os.ttyname(end)):
        deliver_bytes(EVIL.encode(), Path(name), force=True)
        assert os.read(terminal, 1_000).decode() == harmless(EVIL)
    reading, writing = os.pipe()
    deliver_bytes(EVIL.encode(), Path(f"/dev/fd/{writing}"), force=True)
    assert os.read(reading, 1_000) == EVIL.encode()
    for one in (terminal, end, reading, writing):
        os.close(one)


# --- the door itself ---------------------------------------------------------------------------------------------


def controls() -> Iterator[str]:
    for number in range(0x110000):
        character = chr(number)
        if unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp") and character not in "\n\t":
            yield character


def test_every_control_character_is_taken_out_and_nothing_else() -> None:
    every = set(controls())
    taken_out = {chr(number) for number in range(0x110000) if FORBIDDEN.match(chr(number))}
    assert every <= taken_out
    assert all(unicodedata.category(character) == "Cn" for character in taken_out - every)


@given(st.text())
def test_json_says_the_same_without_a_control_character(text: str) -> None:
    shown = json_text({"name": text})
    assert FORBIDDEN.search(shown) is None
    assert json.loads(shown) == {"name": text}


PARTS = ["a", "\n", "\x1b[31m", "\x1b[1;36m", "\x1b", "[0m", "\x9b", "é", "\x1b[5m", "\x1b[2J"]


@given(st.lists(st.sampled_from(PARTS)).map("".join))
def test_only_colours_of_pages_pass_and_only_where_they_are_shown(text: str) -> None:
    assert harmless(text) == re.sub(FORBIDDEN, "", text)
    left = re.sub("\x1b\\[(?:0|1|2|1;36|3[123])m", "", harmless(text, painted=True))
    assert FORBIDDEN.search(left) is None


def test_the_colours_of_a_page_pass() -> None:
    page = Page(Look(colour=True))
    page.add(*((style.name, style) for style in Style))
    assert harmless(page.text(), painted=True) == page.text()
    assert "\x1b" not in harmless(page.text())
