"""The plan's own training step, all settings in this one process."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping
from dataclasses import replace

import torch

from advisor.probes.child.break_even import SIZES, break_even
from advisor.probes.child.compiled_step import CompiledTrial, steps_of_plan
from advisor.probes.child.peer import recheck
from advisor.probes.child.training_step import StepTrial, TrainingStep, step_key, usable
from advisor.probes.judging.trial import Equipment, Tell, Trial
from advisor.probes.probe import Probe, Setting, Varies
from advisor.probes.protocol import Message, Note, Request
from advisor.probes.workload import Device, Execution, Workload

Steps = dict[object, TrainingStep]


def prepare(probe: Probe, request: Request, tell: Tell) -> Equipment:
    """One network for all settings that only feed it differently, another where the network itself differs."""
    workload = request.step
    if workload.threads is not None:
        torch.set_num_threads(workload.threads)
    variants = {setting: probe.variant(workload, setting) for setting in request.settings}
    on_card = workload.device is Device.CUDA
    card_bytes = int(torch.cuda.mem_get_info(usable(Device.CUDA))[0]) if on_card else None  # before ours is there
    steps = _networks(variants, request)
    weights = next(iter(steps.values())).weights
    if workload.named is not None and weights != workload.named.parameters:
        counted = f"it was counted with {workload.named.parameters:,}, so figures of the plan are of another"
        tell(Note(f"{workload.named.describe()} has {weights:,} weights here; {counted}."))
    trials: dict[Setting, Trial] = {}
    meter: Callable[[], float] | None = None
    for setting, variant in variants.items():
        step = steps[step_key(variant)]
        if probe.varies is Varies.EXECUTION and variant.execution is Execution.COMPILED:
            examples = request.surroundings.examples
            compiled = CompiledTrial(step, variant, setting, steps_of_plan(examples, variant.batch_size), tell)
            trials[setting], meter = compiled, compiled.clock
        else:
            trials[setting] = StepTrial(step, variant, setting, probe.work, tell)

    def last_word(setting: Setting, seconds: float) -> Message:
        """Once the duel is decided: at which batch sizes a card wins, or the winner once more in a fresh process.

        That gets the memory that networks and batches have taken here, where nothing is timed any more.
        """
        if probe.varies is Varies.DEVICE:
            return Note(break_even(_on_both(variants, steps), seconds))
        begun = time.monotonic()
        trials.clear()
        steps.clear()
        gc.collect()
        if on_card:
            torch.cuda.empty_cache()
        return recheck(variants[setting], setting, request, seconds - (time.monotonic() - begun))

    return Equipment(
        trials,
        torch=torch.__version__,
        threads=torch.get_num_threads(),
        weights=weights,
        memory_bytes=card_bytes,
        meter=meter,
        recheck=last_word if probe.starts_again else None,
    )


def _networks(variants: Mapping[Setting, Workload], request: Request) -> Steps:
    """Those that share the main memory get equal parts of it."""
    different = {step_key(variant): variant for variant in variants.values()}
    beside = sum(variant.device is Device.CPU for variant in different.values())
    memory = request.memory_bytes // max(1, beside)
    return {key: TrainingStep(variant, memory, request.seed) for key, variant in different.items()}


def _on_both(variants: Mapping[Setting, Workload], steps: Steps) -> dict[int, tuple[Trial, Trial]]:
    """The step on the processor and on the card, by batch size."""

    def on(device: Device, size: int) -> StepTrial:
        variant = next(variant for variant in variants.values() if variant.device is device)
        return StepTrial(steps[step_key(variant)], replace(variant, batch_size=size), size)

    sizes = {*SIZES, *(variant.batch_size for variant in variants.values())}
    return {size: (on(Device.CPU, size), on(Device.CUDA, size)) for size in sizes}
