"""Which requests are refused, and why."""

from __future__ import annotations

import pytest

from advisor.web.guard import Guard

GUARD = Guard(4321, "secret", "once")
HERE = "http://127.0.0.1:4321"


@pytest.mark.parametrize("host", ["127.0.0.1:4321", "localhost:4321"])
@pytest.mark.parametrize("origins", [[], [HERE], ["http://localhost:4321"]])
def test_our_own_page_is_answered(host: str, origins: list[str]) -> None:
    assert GUARD.refusal([host], origins, "/secret/", socket=False) == ""


@pytest.mark.parametrize(
    "hosts",
    [
        *([], ["127.0.0.1"], ["127.0.0.1:4322"], ["advisor.example:4321"], ["127.0.0.1:4321.advisor.example"]),
        ["127.0.0.1:4321", "advisor.example"],
    ],
)
def test_another_host_is_refused(hosts: list[str]) -> None:
    assert "127.0.0.1:4321 only" in GUARD.refusal(hosts, [], "/secret/", socket=False)


@pytest.mark.parametrize(
    "origins",
    [
        *(["null"], ["https://advisor.example"], ["https://127.0.0.1:4321"], ["http://127.0.0.1:4322"], [""]),
        [HERE, "https://advisor.example"],
    ],
)
@pytest.mark.parametrize("socket", [False, True])
def test_another_origin_is_refused(origins: list[str], socket: bool) -> None:
    assert "Another page" in GUARD.refusal(["127.0.0.1:4321"], origins, "/secret/", socket=socket)


def test_a_websocket_has_to_say_its_origin() -> None:
    assert "Another page" in GUARD.refusal(["127.0.0.1:4321"], [], "/secret/window", socket=True)
    assert GUARD.refusal(["127.0.0.1:4321"], [HERE], "/secret/window", socket=True) == ""


@pytest.mark.parametrize("path", ["/", "", "/secre/", "/secrets/", "/SECRET/", "//secret/", "/x/secret/", "/\udcff/"])
def test_without_the_token_a_request_is_refused(path: str) -> None:
    assert "lacks the token" in GUARD.refusal(["127.0.0.1:4321"], [], path, socket=False)


def test_port_80_is_left_out_of_addresses_by_browsers() -> None:
    guard = Guard(80, "secret")
    assert guard.refusal(["localhost"], ["http://localhost"], "/secret/", socket=True) == ""


def test_a_ticket_admits_once() -> None:
    guard = Guard(4321, "secret", "once")
    assert not guard.admits_once("/secret/")
    assert guard.admits_once("/once")
    assert not guard.admits_once("/once")


def test_each_server_has_secrets_of_its_own() -> None:
    one, other = Guard(4321), Guard(4321)
    assert len({one.token, one.ticket, other.token, other.ticket}) == 4
    assert one.token in one.address
    assert one.token not in one.opening, "other users can read the arguments of a browser"
