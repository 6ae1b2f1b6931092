"""The check of each request: it comes from a browser of this computer, from our own page, and knows the token."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

HOST = "127.0.0.1"
NAMES = (HOST, "localhost")
"""Names of this computer in an address; any other one may be a stranger's that leads here (DNS rebinding)."""


def _secret() -> str:
    return secrets.token_urlsafe(32)


@dataclass
class Guard:
    """The secrets of one server, and the reason for which a request is refused.

    `token` begins the path of every address. `ticket` stands for it once, in the file that a browser is started with, so that
    a file that is left behind opens nothing.
    """

    port: int
    token: str = field(default_factory=_secret)
    ticket: str | None = field(default_factory=_secret)
    when_used: Callable[[], None] = lambda: None
    """Called once the ticket is void."""

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self.port}/{self.token}/"

    @property
    def opening(self) -> str:
        """The address in the file that a browser is started with; it leads to `address` once."""
        return f"http://{HOST}:{self.port}/{self.ticket}"

    def refusal(self, hosts: Sequence[str], origins: Sequence[str], path: str, *, socket: bool) -> str:
        """Say why a request is refused; empty if it is not.

        Args:
            hosts: of its headers of this name, of which there is one.
            origins: likewise; a browser sends one with every websocket, and with requests of other pages.
        """
        known = {f"{name}:{self.port}" for name in NAMES} | (set(NAMES) if self.port == 80 else set())
        if len(hosts) != 1 or hosts[0] not in known:
            return f"This server answers at {HOST}:{self.port} only."
        if (origins or socket) and (len(origins) != 1 or origins[0] not in {f"http://{name}" for name in known}):
            return "Another page asked for this. Open the address in a window of its own."
        if not _same(_first(path), self.token):
            return "This address lacks the token. Open the whole address that `advisor serve` has printed."
        return ""

    def admits_once(self, path: str) -> bool:
        """True for the ticket, which is void from then on."""
        if self.ticket is None or not _same(path.removeprefix("/"), self.ticket):
            return False
        self.ticket = None
        self.when_used()
        return True


def _first(path: str) -> str:
    return path.removeprefix("/").partition("/")[0]


def _same(said: str, secret: str) -> bool:
    return secrets.compare_digest(said.encode(errors="replace"), secret.encode())
