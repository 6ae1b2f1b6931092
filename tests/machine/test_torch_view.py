"""Asking torch in a child: whatever the child does, there is an answer and no child is left."""

from __future__ import annotations

import sys

import psutil
import pytest

from advisor.machine.torch_view import TorchDevice, TorchView
from advisor.plain import decode, encode
from advisor.probes.ask_torch import ask_torch

VIEW = TorchView(version="2.9", cuda="12.8", architectures=("sm_80",), devices=(TorchDevice("Card", 8.0, 10**9),))


def python(program: str) -> list[str]:
    return [sys.executable, "-c", program]


def test_the_view_comes_back_from_json() -> None:
    assert decode(TorchView, encode(VIEW)) == VIEW


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("import os; os.abort()", "It was ended by SIGABRT"),
        (
            "import sys; print('no such library', file=sys.stderr); sys.exit(3)",
            "status 3 before there was a result. Its last words: no such",
        ),
        ("print('hello')", "makes no sense: hello"),
        ("print('{\"version\": 3}')", "makes no sense"),
        ("print('x' * 10_000_000)", "ended the process"),
    ],
)
def test_a_child_that_fails_is_told_of(program: str, said: str) -> None:
    error = ask_torch(60, python(program)).error
    assert error is not None
    assert said in error


def test_a_child_that_hangs_is_ended_with_its_children() -> None:
    program = "import subprocess, time; subprocess.Popen(['sleep', '600']); time.sleep(600)"
    assert ask_torch(1.5, python(program)).error == "torch did not answer within 1.5 seconds."
    left = [process for process in psutil.Process().children(recursive=True) if "sleep" in process.name()]
    assert left == []


def test_a_missing_torch_is_told_of() -> None:
    program = "import sys; sys.modules['torch'] = None; sys.argv[1:] = ['%d']; from advisor.probes.child.torch_view import main; "
    import os

    error = ask_torch(60, python(program % os.getpid() + "main()")).error
    assert error is not None
    assert error.startswith("ModuleNotFoundError")


def test_what_libraries_print_does_not_disturb_the_answer() -> None:
    program = "print('a banner', file=__import__('sys').stderr); print('%s')"
    import json

    assert ask_torch(60, python(program % json.dumps(encode(VIEW)))) == VIEW


@pytest.mark.slow
def test_the_torch_that_is_installed_answers() -> None:
    view = ask_torch()
    assert view.error is None
    assert view.version
    assert view.threads is not None
    assert view.threads >= 1
