"""Other users of this computer: what they can see and reach of processes of ours, and what they would send."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import psutil

PATIENCE = 300.0


ATTACK = """
import base64, os, pickle, sys, threading
from datetime import timedelta
from torch.distributed import TCPStore

port, mark = int(sys.argv[1]), sys.argv[2]

class Mark:
    def __reduce__(self):
        return open, (mark, "w")

giving_up = threading.Timer(8, os._exit, [1])  # what is no store may never answer
giving_up.start()
store = TCPStore("127.0.0.1", port, timeout=timedelta(seconds=5), wait_for_workers=False)
for key in store.list_keys():
    if "rendezvous" in key:
        store.set(key, base64.b64encode(pickle.dumps(Mark())))
os._exit(0)
"""


def attack(ports: Iterable[int], mark: Path) -> list[int]:
    """Write to the stores behind ports, at once, what leaves a mark where it is unpickled; the ports that had a store."""
    lines = {port: [sys.executable, "-c", ATTACK, str(port), str(mark)] for port in ports}
    quiet = subprocess.DEVNULL
    attackers = {port: subprocess.Popen(line, stdout=quiet, stderr=quiet) for port, line in lines.items()}
    return [port for port, attacker in attackers.items() if attacker.wait(PATIENCE) == 0]


def family(process: int) -> list[psutil.Process]:
    """The process and all that it has started; none once it has ended."""
    with contextlib.suppress(psutil.NoSuchProcess):
        first = psutil.Process(process)
        return [first, *first.children(recursive=True)]
    return []


def listening(process: int) -> dict[int, str]:
    """The addresses where it and its processes wait for others, by their ports."""
    found = {}
    for each in family(process):
        with contextlib.suppress(psutil.Error):
            for connection in each.net_connections("inet"):
                if connection.status == psutil.CONN_LISTEN:
                    found[connection.laddr.port] = connection.laddr.ip
    return found
