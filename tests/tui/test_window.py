"""What a window's wizard writes to the server, from whichever of its threads."""

from __future__ import annotations

import subprocess
import sys
import time

FILE, SCREEN = 70_000, 900
"""Bytes of a piece of a file, which a pipe does not hold, and of what is drawn."""
WRITES = f"""
import asyncio, threading
from textual.app import App
from advisor.tui.window import WindowDriver

async def driver():
    return WindowDriver(App())

driver = asyncio.run(driver())
sends = threading.Thread(target=lambda: [driver.write_binary_encoded(("chunk", b"p" * {FILE})) for _ in range(10)])
sends.start()
for _ in range(100):
    driver.write("d" * {SCREEN})
sends.join()
"""


def test_files_and_the_screen_do_not_mix_on_their_way() -> None:
    packets = []
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", WRITES], stdin=pipe, stdout=pipe) as writing:
        assert writing.stdout is not None
        try:
            while kind := writing.stdout.read(1):
                assert kind in {b"D", b"P"}, "the middle of something else"
                packets.append((kind, writing.stdout.read(int.from_bytes(writing.stdout.read(4), "big"))))
                time.sleep(0.001)  # slower than it is written
        finally:
            writing.kill()
    assert packets.count((b"D", b"d" * SCREEN)) == 100
    assert sum(kind == b"P" and b"p" * FILE in payload for kind, payload in packets) == 10
