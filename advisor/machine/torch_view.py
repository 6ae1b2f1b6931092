"""The installed PyTorch and its view of this machine, asked in a process of its own."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TorchDevice:
    """A GPU as torch sees it."""

    name: str | None = None
    compute_capability: float | None = None
    memory_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class TorchView:
    """None is unknown."""

    error: str | None = None
    """The reason why torch could not be asked at all: missing, crashed, did not answer"""
    version: str | None = None
    cuda: str | None = None
    """The CUDA that this build is for; None for a build without"""
    hip: str | None = None
    architectures: tuple[str, ...] = ()
    """GPU code in the build: sm_80 is for capability 8.0, compute_80 for it and everything later"""
    gpu_available: bool | None = None
    gpu_error: str | None = None
    """Torch's message when it tries to use a GPU"""
    devices: tuple[TorchDevice, ...] = ()
    bf16: bool | None = None
    """True if the GPU computes bfloat16 itself"""
    mps_built: bool | None = None
    mps_available: bool | None = None
    architecture: str | None = None
    """Of the processor that this Python was built for"""
    cpu_capability: str | None = None
    """The vector instructions that torch's kernels use: DEFAULT, AVX2, AVX512, ..."""
    threads: int | None = None
    """Within one operation"""
    interop_threads: int | None = None
    mkl: bool | None = None
    mkldnn: bool | None = None
    openmp: bool | None = None

    @property
    def is_cpu_build(self) -> bool:
        return self.error is None and self.cuda is None and self.hip is None
