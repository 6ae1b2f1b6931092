"""The register of those that are there: a store in which ranks meet, and in which they say that one is missing."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from datetime import timedelta

from torch._C._distributed_c10d import PrefixStore, TCPStore

from advisor.children.errors import CannotRunError
from advisor.cluster.launch import Launch
from advisor.cluster.watch import Watch
from advisor.wording import join_first, shorten

_LAST_WORDS_SECONDS = 3.0
"""For all others to say that they are alive."""
_ASKED_SECONDS = 0.5
"""Between two looks whether they are asked."""
_LOOK_SECONDS = 0.05
_FOUND_SECONDS = 5.0
"""More than torch's own limit, which it does not keep to the second."""
_HEARD_SECONDS = 1.0
"""For the others to hear that rank 0 gives up."""
_LONGEST_REASON = 200


class Register:
    """Of all ranks, kept where rank 0 or torchrun listens."""

    def __init__(self, launch: Launch, patience: float, watch: Watch) -> None:
        """Return when all ranks are there.

        Raises CannotRunError with those that are not after so many seconds; without a word where rank 0 says it.
        """
        self._launch = launch
        self._watch = watch
        self.store = PrefixStore(f"advisor-{launch.attempt}", _store(launch, patience))
        with watch.within(2 * patience + _FOUND_SECONDS):
            self._await_all(patience)

    def answer_when_asked(self) -> None:
        """Let this rank say that it is alive even while it waits in an exchange, for whom another may be missing."""
        threading.Thread(target=self._answer, daemon=True).start()

    def _answer(self) -> None:
        with contextlib.suppress(RuntimeError):  # rank 0 is gone, which the exchange will show
            while not self.store.check(["asked"]):
                time.sleep(_ASKED_SECONDS)
            self._miss((False, "it waits for another"))

    def _miss(self, told: tuple[bool, str]) -> None:
        """Say whether a reason is known why an exchange does not end, and the reason."""
        self.store.set(f"missed/{self._launch.rank}", json.dumps(told))

    def last_words(self, error: Exception, name: Callable[[int], str]) -> str:
        """Tell the others that an exchange has failed here. Returns a sentence, on rank 0 with the reason.

        The reason are ranks that say nothing when they are asked: they are dead, or hang. Where all do, it is what one of
        them knows.

        Args:
            name: a rank as people know it.
        """
        with self._watch.within(2 * _LAST_WORDS_SECONDS):
            return self._last_words((isinstance(error, CannotRunError), shorten(error, _LONGEST_REASON)), name)

    def _last_words(self, told: tuple[bool, str], name: Callable[[int], str]) -> str:
        rank = self._launch.rank
        try:
            self._miss(told)
            self.store.check(["here/0"])  # fails where nobody listens; the line before does not
            if rank != 0:
                return f"Rank {rank} ended, since an exchange failed."
            self.store.set("asked", "")
            silent = self._without("missed", _LAST_WORDS_SECONDS)
            reasons = [json.loads(self.store.get(f"missed/{one}")) for one in self._all() if one not in silent]
        except RuntimeError:
            return self._no_first()
        if not silent:
            reason = next((reason for knows, reason in reasons if knows), told[1])
            return f"An exchange failed, though all ranks answer: {reason.removesuffix('.')}."
        ranks = join_first(list(map(name, silent)))
        return f"Rank {ranks} no longer answers." if len(silent) == 1 else f"Ranks {ranks} no longer answer."

    def _await_all(self, patience: float) -> None:
        """A rank may come late: torch alone takes a while to start. Rank 0 says when all are there, or that it gives up."""
        try:
            self.store.set(f"here/{self._launch.rank}", "")
            if self._launch.rank != 0:
                self.store.wait(["begin"], timedelta(seconds=2 * patience))
                if self.store.get("begin") != b"yes":
                    raise CannotRunError("")  # rank 0 says why
                return
            missing = self._without("here", patience)
            self.store.set("begin", "no" if missing else "yes")
        except RuntimeError as error:
            raise CannotRunError(self._no_first()) from error
        if missing:
            time.sleep(_HEARD_SECONDS)
            ranks = join_first(list(map(str, missing)))
            told = f"{len(missing)} of {self._launch.ranks} ranks did not come in {patience:g} seconds: {ranks}."
            raise CannotRunError(told)

    def _without(self, key: str, seconds: float) -> list[int]:
        """The ranks that have not set it after so many seconds."""
        until, without = time.monotonic() + seconds, list(self._all())
        while without := [rank for rank in without if not self.store.check([f"{key}/{rank}"])]:
            if time.monotonic() > until:
                break
            time.sleep(_LOOK_SECONDS)
        return without

    def _all(self) -> range:
        return range(self._launch.ranks)

    def _no_first(self) -> str:
        return f"Rank 0 no longer answers, so rank {self._launch.rank} ended."


def _store(launch: Launch, patience: float) -> TCPStore:
    """The place where all ranks meet. Raises CannotRunError where rank 0 is not found, or its port is in use.

    It is made in a thread, since torch waits without end for an answer of a program that is none of ours.
    """
    where = f"{launch.address}:{launch.port}"
    listens = launch.rank == 0 and not launch.meets_at_agent
    made: Future[TCPStore] = Future()

    def make() -> None:
        wait = timedelta(seconds=patience)
        try:
            made.set_result(TCPStore(launch.address, launch.port, launch.ranks, listens, wait, wait_for_workers=False))
        except RuntimeError as error:
            made.set_exception(error)

    threading.Thread(target=make, daemon=True).start()
    try:
        return made.result(patience + _FOUND_SECONDS)
    except TimeoutError:
        raise CannotRunError(f"Rank {launch.rank}: what listens at {where} is not rank 0.") from None
    except RuntimeError as error:
        what = f"port {launch.port} is in use" if "EADDRINUSE" in str(error) else f"rank 0 is not found at {where}"
        raise CannotRunError(f"Rank {launch.rank}: {what} ({shorten(error, _LONGEST_REASON)}).") from error
