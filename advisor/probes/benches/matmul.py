"""Products of two square matrices into a third, as large as it takes for the full rate."""

from __future__ import annotations

import time
from collections.abc import Iterator

import torch

from advisor.children.errors import CannotRunError
from advisor.probes.judging.trial import Equipment, OnProcessor, Tell
from advisor.probes.probe import Probe, Setting
from advisor.probes.protocol import Note, Request
from advisor.probes.settings.precision import no_bf16
from advisor.probes.surroundings import Surroundings

SMALLEST, LARGEST = 64, 16384
"""Rows and columns."""
LONG_STEP = 0.06
"""Seconds, after which no larger matrix is tried."""
LONGEST_STEP = 0.25
"""Seconds; with longer ones there would be too few samples."""
NEARLY = 0.9
"""Of the best rate, from which the larger matrix is taken: what else the machine does disturbs a small one more."""
WORST_GROWTH = 2 * 2**3
"""Times the seconds that a matrix of twice the rows may take: eight times the work, at half the rate."""
LOOK_SECONDS = 0.004
LOOKING_SECONDS = 0.15
"""At each size: longer than other programs usually hold a core."""

_FORMATS = {
    "fp64": torch.float64,
    "fp32": torch.float32,
    "tf32": torch.float32,
    "bf16": torch.bfloat16,
    "fp16": torch.float16,
}


class MatmulTrial(OnProcessor):
    """c = a b with n rows and columns each: 2 n^3 FLOP (n multiplications and additions for each of n^2 sums).

    Nothing is allocated in a step. `tf32` takes numbers of 32 bits and lets the card round them on the way in.
    """

    def __init__(self, setting: str, device: torch.device, memory_bytes: int, tell: Tell, refusal: str | None) -> None:
        self.setting: Setting = setting
        self.size = 0
        """Rows and columns; 0 until it is warmed up."""
        self._device = device
        self._memory_bytes = memory_bytes
        self._tell = tell
        self._refusal = refusal
        self._tf32 = setting == "tf32"
        self._left = self._right = self._product = torch.empty(0)

    @property
    def work(self) -> float:
        return 2.0 * self.size**3

    def warm_up(self, seconds: float) -> None:
        """Double the matrices until a step is long, then keep the largest with about the best rate.

        Raises CannotRunError where the machine has no units for the format.
        """
        if self._refusal:
            raise CannotRunError(self._refusal)
        until = time.monotonic() + seconds
        rates: dict[int, float] = {}
        for size in self._sizes():
            self._take(size)
            step_seconds = self._look(until)
            rates[size] = self.work / step_seconds
            if step_seconds > LONG_STEP or time.monotonic() + 3 * WORST_GROWTH * step_seconds > until:
                break
        enough = max(rates.values()) * NEARLY
        likely = [size for size, rate in rates.items() if rate >= enough and 2 * size**3 / rate <= LONGEST_STEP]
        self._take(max(likely, default=min(rates)))
        self._timed()
        self._tell(Note(f"{self.setting} was measured with matrices of {self.size:,} rows and columns."))

    def step(self) -> None:
        torch.backends.cuda.matmul.allow_tf32 = self._tf32
        torch.mm(self._left, self._right, out=self._product)

    def finish(self) -> None:
        if self._device.type == "cuda":
            torch.cuda.synchronize(self._device)

    def _sizes(self) -> Iterator[int]:
        """Powers of two whose three matrices fit the memory; the smallest in any case."""
        size = SMALLEST
        while size <= LARGEST:
            yield size
            size *= 2
            if 3 * size**2 * _FORMATS[str(self.setting)].itemsize > self._memory_bytes:
                return

    def _take(self, size: int) -> None:
        self._left = self._right = self._product = torch.empty(0)  # gives the smaller ones back first
        self.size = size
        matrices = torch.empty((3, size, size), dtype=_FORMATS[str(self.setting)], device=self._device)
        self._left, self._right, self._product = matrices
        self._left.normal_()
        self._right.normal_()

    def _look(self, until: float) -> float:
        """Seconds per step: the fastest of the short looks that there is time for.

        Other programs only ever make it slower, and a small matrix many times so.
        """
        self._timed()  # loads a library and chooses an algorithm, which can take a second
        until = min(until, time.monotonic() + LOOKING_SECONDS)
        fastest = self._timed()
        while time.monotonic() < until:
            steps = max(1, round(LOOK_SECONDS / fastest))
            fastest = min(fastest, self._timed(steps))
        return fastest

    def _timed(self, steps: int = 1) -> float:
        """Seconds per step."""
        begun = time.perf_counter()
        for _ in range(steps):
            self.step()
        self.finish()
        return (time.perf_counter() - begun) / steps


def prepare(probe: Probe, request: Request, tell: Tell) -> Equipment:
    """On the graphics card where torch can use one, otherwise on the processor."""
    here = request.surroundings
    threads = here.compute_threads
    torch.set_num_threads(threads)
    torch.manual_seed(request.seed)
    device, memory_bytes = torch.device("cpu"), request.memory_bytes // 2
    if here.cuda and torch.cuda.is_available():
        device = torch.device("cuda")
        free, _ = torch.cuda.mem_get_info(device)
        memory_bytes = free // 4
        tell(Note(f"The matrices were multiplied on the graphics card, {torch.cuda.get_device_name(device)}."))
    elif here.cuda:
        tell(Note("torch cannot use the graphics card here, so the matrices were multiplied on the processor."))
    else:
        tell(Note(f"The matrices were multiplied on the processor, with {_threads(threads)}."))
    trials = {
        setting: MatmulTrial(str(setting), device, memory_bytes, tell, refusal(str(setting), device, here))
        for setting in request.settings
    }
    return Equipment(dict(trials), torch=torch.__version__, threads=threads, device=device.type)


def refusal(setting: str, device: torch.device, here: Surroundings) -> str | None:
    """The reason why a number format is not multiplied here, None where it is. bf16 is tried unless something rules it out."""
    if setting not in _FORMATS:
        return f"{setting} is none of {', '.join(_FORMATS)}."
    if device.type == "cuda":
        return None
    if setting in ("tf32", "fp16"):
        return f"A processor has no units for {setting}."
    return no_bf16(here) if setting == "bf16" else None


def _threads(number: int) -> str:
    return "one thread" if number == 1 else f"{number} threads"
