from __future__ import annotations

import torch

torch.set_num_threads(1)  # the networks are tiny, and threads that wait for one another on a busy machine take minutes
