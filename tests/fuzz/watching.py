"""Whatever the interpreter is asked to do to the world while a case runs, as its audit hook tells."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CHANGING = {
    "os.mkdir": 1, "os.rmdir": 1, "os.remove": 1, "os.truncate": 1, "os.chmod": 1, "os.chown": 1, "os.utime": 1,
    "os.setxattr": 1, "os.rename": 2, "shutil.rmtree": 1,
}  # fmt: skip
"""Events that change files, and how many of their first arguments are their paths."""
_NAMING = ("os.link", "os.symlink")
"""Events that give a file another name, their second argument."""
_STARTING = ("subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.exec", "os.spawn", "os.system")
_STRANGE = ("pickle.find_class", "socket.connect", "socket.bind", "webbrowser.open")
_DEVICES = frozenset({os.devnull, "/dev/tty"})


@dataclass
class Watched:
    """What was done that no command may do."""

    allowed: tuple[str, ...]
    starts_processes: bool = False
    deeds: list[str] = field(default_factory=list)

    def hear(self, event: str, arguments: tuple[object, ...]) -> None:
        if event == "open":
            path, mode, flags = arguments
            if (isinstance(mode, str) and set(mode) & set("wax+")) or (isinstance(flags, int) and flags & _WRITING):
                self._changed(event, path)
        elif event in _CHANGING:
            for path in arguments[: _CHANGING[event]]:
                self._changed(event, path)
        elif event in _NAMING:
            self._changed(event, arguments[1])
        elif event.startswith(_STARTING):
            if not self.starts_processes:
                self.deeds.append(f"started a process: {event} {arguments[:2]}")
        elif event in _STRANGE:
            self.deeds.append(f"{event} {arguments[:2]}")

    def _changed(self, event: str, path: object) -> None:
        if not isinstance(path, str | bytes | os.PathLike):  # an open file
            return
        whole = os.path.normpath(Path.cwd() / os.fsdecode(path))
        if whole not in _DEVICES and not any(Path(whole).is_relative_to(folder) for folder in self.allowed):
            self.deeds.append(f"changed what lies elsewhere: {event} {whole}")


_watching: list[Watched] = []
_hooked: list[bool] = []


@contextmanager
def watched(*allowed: Path, starts_processes: bool = False) -> Iterator[Watched]:
    """Watch this process. Files may be changed in these folders only."""
    if not _hooked:
        sys.addaudithook(_hear)  # nobody can take it off again
        _hooked.append(True)
    now = Watched(tuple(str(folder) for folder in allowed), starts_processes)
    _watching.append(now)
    try:
        yield now
    finally:
        _watching.remove(now)


def _hear(event: str, arguments: tuple[object, ...]) -> None:
    if _watching:
        _watching[-1].hear(event, arguments)
