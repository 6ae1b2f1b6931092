"""The user at the other end of a connection within this computer, as Linux tells."""

from __future__ import annotations

import os
import socket
import sys
from enum import Enum
from pathlib import Path

_TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
_LOCAL, _REMOTE, _UID, _INODE = 1, 2, 7, 9
"""Fields of a line."""
_ROOT = 0


class Peer(Enum):
    """The other end of a connection."""

    ADMITTED = "this user or root, or unknown where the system does not tell"
    STRANGER = "another user"
    CLOSED = "closed by its program already, so that it belongs to nobody"


def peer_of(connection: socket.socket, own: int | None = None) -> Peer:
    """Find out who has made the connection.

    Args:
        own: the number of this user; None for that of the process.
    """
    if sys.platform != "linux":
        return Peer.ADMITTED
    try:
        client, server = connection.getpeername()[:2], connection.getsockname()[:2]
        found = _owner(_written(client), _written(server))
    except (OSError, ValueError):
        return Peer.ADMITTED
    if found is None:
        return Peer.ADMITTED
    uid, inode = found
    if inode == 0:  # its user is reported as root, whoever it was
        return Peer.CLOSED
    return Peer.ADMITTED if uid in (os.geteuid() if own is None else own, _ROOT) else Peer.STRANGER


def _written(address: tuple[str, int]) -> tuple[str, str]:
    """The address as both tables have it: the second one maps it into IPv6."""
    host, port = address
    number = int.from_bytes(socket.inet_aton(host), sys.byteorder)
    plain = f"{number:08X}:{port:04X}"
    mapped = int.from_bytes(b"\0\0\xff\xff", sys.byteorder)
    return plain, f"{'0' * 16}{mapped:08X}{plain}"


def _owner(client: tuple[str, str], server: tuple[str, str]) -> tuple[int, int] | None:
    """User and inode of the client's end; None where it is not in the tables."""
    for table, mine, theirs in zip(_TABLES, client, server, strict=True):
        try:
            lines = table.read_text(encoding="ascii").splitlines()
        except OSError:
            continue
        for line in lines:
            if mine in line and theirs in line:
                fields = line.split()
                if fields[_LOCAL] == mine and fields[_REMOTE] == theirs:
                    return int(fields[_UID]), int(fields[_INODE])
    return None
