"""The real server: whom it refuses, what it says of itself, and what is left when a window or the server ends."""

from __future__ import annotations

import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest

from advisor.web.server import FILES
from tests.cli.program import advisor, refused
from tests.web.served import UPGRADE, Served, gone, without

FOREIGN = "https://advisor.example"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with Served(tmp_path_factory.mktemp("served")) as started:
        yield started


@pytest.mark.parametrize("name", [*FILES, "window", "download/key"])
@pytest.mark.parametrize(
    ("what", "headers"),
    [
        ("no token", {}),
        ("a wrong token", {}),
        ("another host", {"Host": "advisor.example"}),
        ("another origin", {"Origin": FOREIGN}),
        ("an origin without an address", {"Origin": "null"}),
    ],
)
def test_what_does_not_come_from_our_page_is_refused(
    served: Served, name: str, what: str, headers: dict[str, str | None]
) -> None:
    folder = {"no token": "/", "a wrong token": f"/{'x' * 43}/"}.get(what, served.path)
    upgrade = {**UPGRADE, "Origin": f"http://{served.own}"} if name == "window" else {}
    answer = served.asked(f"{folder}{name}", **{**upgrade, **headers})
    assert (answer.status, answer.headers["Content-Type"]) == (403, "text/plain; charset=utf-8")
    assert served.wizards() == []


def test_a_request_without_a_host_is_refused(served: Served) -> None:
    assert served.asked(served.path, Host=None).status == 400


def test_a_websocket_that_does_not_say_its_origin_is_refused(served: Served) -> None:
    assert served.asked(f"{served.path}window", **UPGRADE).status == 403
    assert served.wizards() == []


def test_every_answer_says_what_a_browser_may_do_with_it(served: Served) -> None:
    for path, status in ((served.path, 200), ("/", 403), (f"{served.path}no-such-file", 404)):
        answer = served.asked(path)
        assert answer.status == status
        policy = answer.headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; script-src 'self';")
        assert "frame-ancestors 'none'" in policy
        assert {word for word in policy.split() if ":" in word} == {
            "data:;",
            f"ws://127.0.0.1:{served.port}",
            f"ws://localhost:{served.port};",
        }
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert answer.headers["X-Frame-Options"] == "DENY"
        assert answer.headers["Cache-Control"] == "no-store"


def test_nothing_else_is_served(served: Served) -> None:
    for name in ("static/", "../server.py", "%2e%2e/server.py", "page.html", "download/", "download/unknown"):
        assert served.asked(f"{served.path}{name}").status in (403, 404)


def test_it_listens_on_the_loopback_interface_alone(served: Served) -> None:
    heard = psutil.Process(served.process.pid).net_connections(kind="inet")
    assert {(one.laddr.ip, one.laddr.port) for one in heard if one.status == psutil.CONN_LISTEN} == {
        ("127.0.0.1", served.port)
    }


def test_a_wizard_ends_with_its_window_and_no_other(served: Served) -> None:
    first, second = served.window(), served.window()
    one, other = sorted(served.wizards(), key=lambda process: process.create_time())
    first.close()
    assert gone([one])
    assert other.is_running()
    second.close()
    assert gone([other])


def test_what_the_server_is_told_reaches_the_wizard_of_each_window(tmp_path: Path) -> None:
    (tmp_path / "my answers.yaml").write_text("data.examples: 20k\n", encoding="utf-8")
    (tmp_path / "--table.csv").write_text("a,b\n" + "1,0\n2,1\n" * 20, encoding="utf-8")
    told = (
        "my answers.yaml",
        "--set",
        "task.kind=classify",
        "--data=--table.csv",
        "--target",
        "b",
        "--machine",
        "none",
    )
    with Served(tmp_path, "--no-browser", *told) as started:
        window = started.window()
        [wizard] = started.wizards()
        words = wizard.cmdline()
        assert words[words.index("wizard") :] == [
            "wizard", "--window", "--answers=my answers.yaml", "--set=task.kind=classify", "--data=--table.csv", "--target=b",
            "--machine=none",
        ]  # fmt: skip
        drawn = b""
        while b"Begun with 2 answers." not in drawn:
            more = window.fp.read(64)
            assert more, drawn
            drawn += more
        window.close()
        assert gone([wizard])


@pytest.mark.parametrize(
    ("told", "what"),
    [
        (("--set", "no.fact=1"), "is not a known fact"),
        (("--data", "no-such.csv"), "no-such.csv"),
        (("no-such.yaml",), "no-such.yaml"),
    ],
)
def test_what_no_wizard_could_begin_with_is_refused_before_anything_is_served(told: tuple[str, ...], what: str) -> None:
    assert what in refused("serve", "--no-browser", *told)


def test_ctrl_c_ends_every_conversation_and_says_so(tmp_path: Path) -> None:
    with Served(tmp_path) as served:
        kept = served.window()
        wizards = served.wizards()
        code, out, err = served.ended(signal.SIGINT)
    assert (code, out, len(wizards)) == (130, "", 1)
    assert "every conversation" in err.splitlines()[-1]
    assert "Traceback" not in err
    assert gone(wizards)
    kept.close()


def test_a_server_that_is_killed_leaves_no_wizard(tmp_path: Path) -> None:
    with Served(tmp_path) as served:
        kept = served.window()
        wizards = served.wizards()
        served.process.kill()
        assert len(wizards) == 1
        assert gone(wizards)
        kept.close()


def test_a_browser_is_started_with_a_private_file_that_leads_to_the_page_once(tmp_path: Path) -> None:
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {tmp_path}/given.part && mv {tmp_path}/given.part {tmp_path}/given\n')
    browser.chmod(0o700)
    with Served(tmp_path, "--open", BROWSER=str(browser), DISPLAY=":0") as served:
        given = tmp_path / "given"
        while not given.exists():  # pytest ends what never ends
            time.sleep(0.05)
        page = Path(urlsplit(given.read_text().strip()).path)
        assert page.stat().st_mode & 0o777 == 0o600
        ticket = urlsplit(page.read_text().partition("url=")[2].partition('"')[0])
        assert ticket.netloc == served.own
        assert served.path.strip("/") not in page.read_text()
        answer = served.asked(ticket.path)
        assert (answer.status, answer.headers["Location"]) == (303, served.path)
        assert not page.exists()
        assert served.asked(ticket.path).status == 403


def test_a_port_that_is_taken_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        said = refused("serve", "--no-browser", "--port", port)
    assert f"--port {port}: another program uses it" in said
    assert "Name another port" in said


@pytest.mark.parametrize("module", ["textual_serve", "aiohttp"])
def test_without_its_package_it_says_how_to_install_it(module: str) -> None:
    done = without(module, "serve", "--no-browser")
    assert (done.returncode, done.stdout) == (2, "")
    assert "pip install" in done.stderr
    assert "Traceback" not in done.stderr
    assert without(module, "serve", "--help").returncode == 0


def test_the_behind_of_a_window_is_no_option_for_people() -> None:
    assert "--window" not in advisor("wizard", "--help").out
