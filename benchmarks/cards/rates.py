"""How fast a card multiplies matrices, moves its own memory, and exchanges data with the host: medians of repeated runs.

Products of random matrices (2 n^3 operations), copies within the device (bytes read and bytes written), and transfers
from ordinary and from page-locked memory, and back. On the processor only products and copies, of smaller sizes.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import torch

FORMATS = {"fp32": torch.float32, "tf32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
ON_PROCESSORS = ("fp32", "bf16")
REPEATS = 20
WARM_UP = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cuda", "cpu"), required=True)
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args()
    device = torch.device(options.device)
    card = device.type == "cuda"
    rates: dict[str, object] = {
        "device": torch.cuda.get_device_name() if card else "processor",
        "torch": torch.__version__,
        "cuda": torch.version.cuda,
        "matmul_flops_per_second": products(device, 8192 if card else 256),
        "copy_bytes_per_second": copies(device, 2**32 if card else 2**26),
    }
    if card:
        rates |= transfers(2**28)
    options.output.write_text(json.dumps(rates, indent=2) + "\n")


def products(device: torch.device, size: int) -> dict[str, float]:
    rates = {}
    for name, kind in FORMATS.items():
        if device.type == "cpu" and name not in ON_PROCESSORS:
            continue
        torch.backends.cuda.matmul.allow_tf32 = name == "tf32"
        left, right = (torch.randn(size, size, device=device).to(kind) for _ in range(2))
        out = torch.empty_like(left)
        rates[name] = 2 * size**3 / median_seconds(lambda a=left, b=right, c=out: torch.mm(a, b, out=c), device)
    return rates


def copies(device: torch.device, size: int) -> float:
    source = torch.randint(0, 255, (size,), dtype=torch.uint8, device=device)
    target = torch.empty_like(source)
    return 2 * size / median_seconds(lambda: target.copy_(source), device)


def transfers(size: int) -> dict[str, float]:
    card = torch.device("cuda")
    ordinary = torch.randint(0, 255, (size,), dtype=torch.uint8)
    pinned, there = ordinary.pin_memory(), ordinary.to(card)
    return {
        "pageable_to_card_bytes_per_second": size / median_seconds(lambda: there.copy_(ordinary), card),
        "pinned_to_card_bytes_per_second": size / median_seconds(lambda: there.copy_(pinned, non_blocking=True), card),
        "card_to_pinned_bytes_per_second": size / median_seconds(lambda: pinned.copy_(there, non_blocking=True), card),
    }


def median_seconds(work: Callable[[], object], device: torch.device) -> float:
    for _ in range(WARM_UP):
        work()
    wait(device)
    times = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        work()
        wait(device)
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize()


if __name__ == "__main__":
    main()
