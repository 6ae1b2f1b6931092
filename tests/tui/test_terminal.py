"""The whole wizard on a real pseudo-terminal: by the keyboard alone, with the mouse, and when the terminal goes away."""

from __future__ import annotations

import signal
import termios
from pathlib import Path

import pytest

from tests.tui.terminal import CTRL_Q, CTRL_S, CTRL_Z, DOWN, ENTER, ESCAPE, Terminal

KIND = "What is one example?"


def start(folder: Path, *arguments: str, **environment: str) -> Terminal:
    return Terminal(folder, "wizard", "--machine", "none", *arguments, **environment)


def test_the_keyboard_alone_goes_from_the_start_to_a_report_in_html(tmp_path: Path) -> None:
    wizard = start(tmp_path)
    wizard.sees("1 Begin")
    wizard.press(ENTER)
    wizard.sees(KIND, "About")
    wizard.press("5")
    wizard.sees("◂", "What should come out?")
    wizard.press(CTRL_Z)
    wizard.sees(KIND, "2 Image", "About")
    wizard.press(DOWN, ENTER)
    wizard.sees("What should come out?")
    wizard.press(CTRL_S)
    wizard.sees("Save what", "report.md")
    wizard.press(DOWN)
    wizard.sees("report.html")
    wizard.press(ENTER, CTRL_S)
    wizard.sees("✓ Saved")
    wizard.press(ESCAPE)
    wizard.sees("Question")
    wizard.press(CTRL_Q)
    assert wizard.ends() == 0
    assert b"`advisor wizard --resume --machine none` goes" in wizard.said
    assert (tmp_path / "report.html").read_text(encoding="utf-8").lstrip().lower().startswith("<!doctype html>")


def test_the_mouse_alone_answers_and_opens_a_topic(tmp_path: Path) -> None:
    wizard = start(tmp_path)
    wizard.sees("1 Begin")
    wizard.click("Begin")
    wizard.sees(KIND)
    wizard.click("Text")
    wizard.sees("◂")
    wizard.click("Plan")
    wizard.sees("Training")
    wizard.click("Network type ")
    wizard.sees("network.type")
    wizard.press(CTRL_Q)
    assert wizard.ends() == 0


def test_a_terminal_that_goes_away_loses_nothing(tmp_path: Path) -> None:
    wizard = start(tmp_path)
    wizard.sees("1 Begin")
    wizard.press(ENTER)
    wizard.sees(KIND)
    wizard.press("5")
    wizard.sees("◂")
    wizard.process.kill(signal.SIGHUP)
    wizard.ends()
    again = start(tmp_path, "--resume")
    again.sees("What should come out?")
    again.press(CTRL_Q)
    assert again.ends() == 0


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 129)])
def test_a_signal_saves_gives_the_terminal_back_and_says_how_to_go_on(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    wizard = start(tmp_path)
    wizard.sees("1 Begin")
    wizard.press(ENTER)
    wizard.sees(KIND)
    wizard.press("5")
    wizard.sees("◂")
    wizard.process.kill(number)
    assert wizard.ends() == code
    last_words = wizard.said.rpartition(b"\x1b[?1049l")[2]
    assert b"`advisor wizard --resume --machine none`" in last_words
    assert last_words.count(b"Interrupted") + last_words.count(b"Ended by SIG") == 1
    assert b"Traceback" not in wizard.said


def test_a_wizard_that_was_stopped_from_outside_goes_on_and_gives_the_terminal_back_as_it_was(tmp_path: Path) -> None:
    wizard = start(tmp_path)
    before = termios.tcgetattr(wizard.process.child_fd)
    wizard.sees("1 Begin")
    wizard.process.kill(signal.SIGSTOP)
    wizard.process.kill(signal.SIGCONT)
    wizard.press(ENTER)
    wizard.sees(KIND)
    wizard.press("5")
    wizard.sees("◂")
    wizard.press(CTRL_Q)
    wizard.sees("What you said is saved")
    assert termios.tcgetattr(wizard.process.child_fd)[3] & termios.ECHO == before[3] & termios.ECHO
    assert wizard.ends() == 0


def test_without_colour_everything_is_said_all_the_same(tmp_path: Path) -> None:
    wizard = start(tmp_path, NO_COLOR="1")
    wizard.sees("1 Begin")
    wizard.press(ENTER)
    wizard.sees(KIND)
    wizard.press("5")
    wizard.sees("◂")
    shown = [cell for line in wizard.screen.buffer.values() for cell in line.values() if cell.data.strip()]
    assert all(is_grey(cell.fg) and is_grey(cell.bg) for cell in shown)
    wizard.press(CTRL_Q)
    assert wizard.ends() == 0


def is_grey(colour: str) -> bool:
    """As pyte names colours: a word, or red, green and blue in hexadecimal digits."""
    return colour in ("default", "black", "white") or colour[:2] == colour[2:4] == colour[4:]


def test_a_terminal_that_can_do_nothing_is_talked_to_line_by_line(tmp_path: Path) -> None:
    wizard = start(tmp_path, TERM="dumb")
    wizard.sees("[data.modality]")
    wizard.press("!", ENTER)
    assert wizard.ends() == 0
    assert b"PLAN  " in wizard.said
