"""Code of the user that is run to be counted: nothing that it starts outlives the command, and it has nothing to wait for."""

from __future__ import annotations

import os
import re
import signal
import sys
from pathlib import Path
from textwrap import dedent

import psutil
import pytest

from advisor.errors import InputError
from advisor.models.tracing.asking import built_model

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the kernel of Linux keeps track of them")

ALONE = """
import os, signal, time
from torch import nn

def leave(note):
    reading, writing = os.pipe()
    if os.fork():
        os.close(writing)
        os.read(reading, 1)  # until the other has written its number
        return
    os.setsid()
    if os.fork():
        os._exit(0)
    for signal_ in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(signal_, signal.SIG_IGN)
    with open(note, "w") as file:
        file.write(str(os.getpid()))
    os.close(reading)
    os.write(writing, b"x")
    os.close(writing)
    for descriptor in range(64):
        try:
            os.close(descriptor)
        except OSError:
            pass
    os.environ.clear()
    while True:
        time.sleep(60)

def counted():
    leave("NOTE")
    return nn.Linear(3, 3)

def crashed():
    leave("NOTE")
    os._exit(7)

def killed():
    leave("NOTE")
    os.kill(os.getpid(), signal.SIGSEGV)

def unguarded():
    leave("NOTE")
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(60)
"""

GONE_SECONDS = 60.0
"""For the kernel to end what was killed, while the machine is busy."""


def left(note: Path) -> bool:
    """True where the process that left for a session of its own lives on; then it is ended."""
    number = int(note.read_text())
    try:
        process = psutil.Process(number)
        psutil.wait_procs([process], timeout=GONE_SECONDS)
        lives = process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
    if lives:
        os.kill(number, signal.SIGKILL)
    return lives


def test_what_code_starts_in_another_session_is_ended_when_the_network_is_counted(tmp_path: Path) -> None:
    file = tmp_path / "net.py"
    file.write_text(ALONE.replace("NOTE", str(tmp_path / "note")))

    assert built_model(f"{file}:counted", [(3,)]).parameters == 12
    assert not left(tmp_path / "note")


@pytest.mark.parametrize(("factory", "how"), [("crashed", "status 7"), ("killed", "SIGSEGV"), ("unguarded", "SIGKILL")])
def test_it_is_ended_where_the_code_crashes_too(factory: str, how: str, tmp_path: Path) -> None:
    file = tmp_path / "net.py"
    file.write_text(ALONE.replace("NOTE", str(tmp_path / "note")))

    with pytest.raises(InputError, match=how):
        built_model(f"{file}:{factory}", [(3,)])
    assert not left(tmp_path / "note")


@pytest.mark.parametrize("reads", ["sys.stdin.read()", "os.read(0, 1).decode()", "''.join(open('/dev/stdin'))"])
def test_code_that_reads_the_standard_input_finds_its_end(reads: str, tmp_path: Path) -> None:
    file = tmp_path / "net.py"
    file.write_text(
        dedent(f"""
        import os, sys
        from torch import nn

        def make():
            return nn.Linear(3, 3 + len({reads}))
        """)
    )
    assert built_model(f"{file}:make", [(3,)]).parameters == 12


@pytest.mark.parametrize(
    ("raises", "told"),
    [
        ("sys.exit('enough')", r"SystemExit: enough, net\.py line 6"),
        ("sys.exit()", r"SystemExit, net\.py line 6"),
        ("raise KeyboardInterrupt", r"KeyboardInterrupt, net\.py line 6"),
        ("raise BaseException('no')", r"BaseException: no, net\.py line 6"),
        ("raise GeneratorExit", r"GeneratorExit, net\.py line 6"),
        ("raise type('Odd', (Exception,), {'__str__': lambda self: 1 / 0})", r"Odd, net\.py line 6"),
        ("raise type('Odd', (BaseException,), {'__str__': lambda self: 5})", r"Odd, net\.py line 6"),
    ],
)
@pytest.mark.parametrize("place", ["import", "building"])
def test_whatever_code_raises_is_told_in_a_sentence(raises: str, told: str, place: str, tmp_path: Path) -> None:
    file = tmp_path / "net.py"
    head = "import sys\nfrom torch import nn\n\n"
    if place == "import":
        file.write_text(f"{head}make = nn.Identity\n\n{raises}\n")
    else:
        file.write_text(f"{head}def make():\n    # no network\n    {raises}\n")

    with pytest.raises(InputError) as refused:
        built_model(f"{file}:make", [(3,)])
    assert re.search(told, str(refused.value))
    assert "Traceback" not in str(refused.value)
    assert 'File "' not in str(refused.value)
