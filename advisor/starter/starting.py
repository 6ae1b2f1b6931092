"""The part of a README on several machines: what starts the training there, and the names that its reader fills in."""

from __future__ import annotations

import re
from collections.abc import Mapping

from advisor.report.markup import code_block, table
from advisor.wording import shell_path

PLACEHOLDER = re.compile(r"\byour(?:-[a-z]+)+")
WAYS = {
    "train.sh": ("bash train.sh FIRST NUMBER --data {data} --output FOLDER", "torchrun, typed on each machine"),
    "train.slurm": ("sbatch train.slurm {data}", "Slurm"),
    "train.jobset.yaml": ("kubectl apply --filename train.jobset.yaml", "Kubernetes with JobSet"),
    "train.trainjob.yaml": (
        "kubectl apply --filename train.trainjob.yaml",
        "Kubernetes with version 2 of Kubeflow Trainer",
    ),
    "train_ray.py": ("python train_ray.py --data {data} --output FOLDER", "Ray: pip install 'ray[train]>=2.60'"),
    "train.sky.yaml": (
        "sky jobs launch train.sky.yaml",
        "SkyPilot, which rents the machines: pip install 'skypilot>=0.14'",
    ),
}
"""The command that takes each file, and what it is for."""
PLACEHOLDERS = {
    "your-image": "an image that has this folder as /project, and the packages of requirements.txt",
    "your-volume-claim": "the claim of a volume that all machines may write to (ReadWriteMany)",
    "your-data": "the training data: for Kubernetes their path on that volume, for SkyPilot a URL or a path of this computer",
    "your-resource": "the maker in the cluster's name of its GPUs: nvidia.com or amd.com",
    "your-bucket": "the bucket for checkpoints; SkyPilot makes it if there is none of this name",
    "your-accelerator": "the GPU, by a name of the list that `sky gpus list` prints",
    "your-partition": "the partition, where it is not the usual one; take one # away",
    "your-account": "the account, where you have several; take one # away",
    "your-time": "how long the job may take, such as 24:00:00; take one # away. Without it the partition says",
}
"""The meaning of each name that a plan cannot know."""


def ways(files: Mapping[str, str], data: str | None) -> str:
    """The commands that start the training on a cluster, each with the scheduler that it is for."""
    path = shell_path(data) if data is not None else "PATH"
    lines = [f"{command.format(data=path)}  # {what}" for name, (command, what) in WAYS.items() if name in files]
    return "\n".join(code_block(lines, "sh")) if lines else ""


def to_fill_in(files: Mapping[str, str]) -> str:
    """A table of the names in these files that only their reader knows."""
    found = {name: set(PLACEHOLDER.findall(text)) for name, text in files.items() if name in WAYS}
    places = {word: [name for name, words in found.items() if word in words] for word in PLACEHOLDERS}
    rows = [(word, ", ".join(names), PLACEHOLDERS[word]) for word, names in places.items() if names]
    return "\n".join(table(("Instead of", "In", "Write"), rows)).strip()
