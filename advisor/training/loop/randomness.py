"""Seeds of random numbers."""

from __future__ import annotations

import torch


def begin_at(seed: int, device: torch.device) -> None:
    """Let torch's generators of the processor and of this device begin anew.

    torch.manual_seed does so for every device there might be, which takes milliseconds, and small networks have as short
    epochs.
    """
    torch.default_generator.manual_seed(seed)
    if device.type != "cpu":
        torch.get_device_module(device).manual_seed(seed)
