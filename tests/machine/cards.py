"""Cards and drivers of the recorded machines, written by hand after nvidia-smi."""

from __future__ import annotations

from itertools import combinations

from .recorded_nvml import RecordedCard, RecordedDriver

H100 = RecordedCard(
    "NVIDIA H100 80GB HBM3",
    85520809984,
    (9, 0),
    generation=5,
    lanes=16,
    used=600_000_000,
    generation_now=5,
    lanes_now=16,
    limit_milliwatts=700_000,
    draw_milliwatts=70_000,
    temperature=31,
    utilisation=0,
    throttle_bits=0x1,
    uncorrected=0,
    ecc=1,
    mig=0,
    links=(1,) * 18,
    processes=(),
)
ALL_PAIRS = frozenset(combinations(range(8), 2))
NVSWITCH = RecordedDriver("550.54.15", 12040, dict.fromkeys(ALL_PAIRS, 50), ALL_PAIRS, ALL_PAIRS)

DESKTOP = RecordedCard(
    "NVIDIA GeForce RTX 4060 Ti",
    17175674880,
    (8, 9),
    generation=4,
    lanes=8,
    used=9_000_000_000,
    generation_now=1,
    lanes_now=4,
    limit_milliwatts=165_000,
    draw_milliwatts=12_500,
    temperature=52,
    utilisation=3,
    throttle_bits=0x1 | 0x4,
    processes=((4711, 8_500_000_000), (4712, None)),
    uuid="GPU-00000000-0000-0000-0000-000000000001",
)
DESKTOP_DRIVER = RecordedDriver("535.183.01", 12020)
