"""The two phases with trials that cost what they are told, on a clock that only they move."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise

import pytest

from advisor.children.errors import CannotRunError
from advisor.facts.verdict import Verdict
from advisor.probes.judging.contest import SEARCH_ROUNDS, Contest, NothingToCompareError, TimeOverError
from advisor.probes.judging.trial import Equipment
from advisor.probes.probe import Probe, Setting
from advisor.probes.protocol import Duel, Message, Phase, Rehearsed, Sample, Skipped
from advisor.probes.settings.batch import BATCH
from advisor.probes.settings.cores import THREADS
from advisor.probes.settings.precision import PRECISION
from advisor.probes.verdict import FEWEST_PAIRS, SHORTEST_DUEL, compare


@dataclass
class World:
    """A clock in seconds, and the noise of its machine."""

    now: float = 0.0
    noise: random.Random = field(default_factory=lambda: random.Random(1))
    told: list[Message] = field(default_factory=list)
    order: list[Setting] = field(default_factory=list)
    paused_in: int | None = None
    """The number of the step in which the process is stopped from outside, for 20 s."""
    steps: int = 0
    pauses: int = 0


@dataclass
class ToyTrial:
    world: World
    setting: Setting
    step_seconds: float
    work: float = 1
    refuses: str = ""
    slowdown: float = 1.0
    memory: int = 0

    def warm_up(self, seconds: float) -> None:
        if self.refuses:
            raise CannotRunError(self.refuses)
        self.step()

    def step(self) -> None:
        self.world.order.append(self.setting)
        self.world.now += self.step_seconds * self.slowdown * self.world.noise.lognormvariate(0, 0.02)
        self.world.steps += 1
        if self.world.steps == self.world.paused_in:
            self.world.now += 20.0
            self.world.pauses += 1

    def finish(self) -> None:
        self.world.order.append("finish")

    def peak_memory_bytes(self) -> int:
        return self.memory


def hold(
    probe: Probe, before: Setting, trials: Mapping[Setting, ToyTrial], world: World, seconds: float = 10.0
) -> list[Message]:
    contest = Contest(
        probe=probe,
        before=before,
        equipment=Equipment(dict(trials)),
        clock=lambda: world.now,
        until=seconds,
        last=seconds,
        tell=world.told.append,
        memory_bytes=1000,
        pauses=lambda: world.pauses,
    )
    contest.hold()
    return world.told


def by_threads(world: World, **steps: float) -> dict[Setting, ToyTrial]:
    return {int(name[1:]): ToyTrial(world, int(name[1:]), seconds) for name, seconds in steps.items()}


def by_batch(world: World, costs: Mapping[int, float]) -> dict[Setting, ToyTrial]:
    """Costs are seconds per example."""
    return {size: ToyTrial(world, size, size * cost, work=size) for size, cost in costs.items()}


def samples(told: list[Message], phase: Phase) -> list[Sample]:
    return [message for message in told if isinstance(message, Sample) and message.phase is phase]


def test_the_duel_is_between_the_recommended_setting_and_the_fastest_other() -> None:
    world = World()
    told = hold(THREADS, 8, by_threads(world, t1=0.004, t2=0.002, t4=0.001, t8=0.003), world)
    assert Duel(4) in told
    assert {sample.setting for sample in samples(told, Phase.DUEL)} == {8, 4}


def test_pairs_alternate_who_goes_first() -> None:
    world = World()
    told = hold(THREADS, 2, by_threads(world, t1=0.03, t2=0.025), world)
    order = [sample.setting for sample in samples(told, Phase.DUEL)]
    assert order[:8] == [2, 1, 1, 2, 2, 1, 1, 2]


def test_with_two_settings_there_is_nothing_to_search() -> None:
    world = World()
    assert samples(hold(THREADS, 2, by_threads(world, t1=0.03, t2=0.025), world), Phase.SEARCH) == []


def test_the_search_goes_round_all_settings_in_changing_order() -> None:
    world = World()
    told = hold(THREADS, 1, by_threads(world, t1=0.03, t2=0.02, t4=0.03), world)
    rounds = [[s.setting for s in samples(told, Phase.SEARCH) if s.round == number] for number in range(SEARCH_ROUNDS)]
    assert all(set(order) == {1, 2, 4} for order in rounds)
    assert len(set(map(tuple, rounds))) > 1


def test_a_clear_difference_ends_the_duel_at_the_first_look() -> None:
    world = World()
    told = hold(THREADS, 2, by_threads(world, t1=0.5, t2=0.25), world, seconds=60.0)
    assert len(samples(told, Phase.DUEL)) == 2 * 4


def test_a_slow_network_is_decided_within_what_a_probe_usually_has() -> None:
    """Half a second a step, as a convolutional network of colour pictures takes on two cores."""
    world = World()
    told = hold(THREADS, 2, by_threads(world, t1=0.6, t2=0.4), world, seconds=8.0)
    pairs = {setting: [s.seconds for s in samples(told, Phase.DUEL) if s.setting == setting] for setting in (1, 2)}
    assert compare(list(zip(pairs[2], pairs[1], strict=True))).verdict is Verdict.CONFIRMED


def test_fast_steps_are_compared_for_a_while_so_that_a_moment_does_not_decide() -> None:
    world = World()
    told = hold(THREADS, 2, by_threads(world, t1=0.05, t2=0.025), world)
    duel = samples(told, Phase.DUEL)
    assert len(duel) >= 2 * FEWEST_PAIRS
    assert duel[-1].elapsed is not None
    assert SHORTEST_DUEL <= duel[-1].elapsed < 3 * SHORTEST_DUEL


@pytest.mark.parametrize("seconds", [1.0, 3.0, 10.0])
def test_the_deadline_is_kept(seconds: float) -> None:
    world = World()
    hold(THREADS, 2, by_threads(world, t1=0.0307, t2=0.03, t4=0.06, t8=0.2), world, seconds)
    assert world.now < seconds + 0.05


def test_a_machine_that_suddenly_slows_down_does_not_break_the_deadline() -> None:
    world = World()
    trials = by_threads(world, t1=0.001, t2=0.00101)

    def slow_down(message: Message) -> None:
        world.told.append(message)
        if message == Duel(1):
            trials[1].slowdown = trials[2].slowdown = 100.0

    Contest(THREADS, 2, Equipment(dict(trials)), lambda: world.now, 5.0, 5.0, slow_down, 1000).hold()
    assert world.now < 5.0 + 0.3


def test_short_steps_are_repeated_until_a_sample_is_long_enough() -> None:
    world = World()
    told = hold(THREADS, 2, by_threads(world, t1=0.0002, t2=0.0001), world)
    seconds = sorted(sample.seconds for sample in samples(told, Phase.DUEL))
    assert seconds[0] == pytest.approx(0.0001, rel=0.2)
    assert world.now > 16 * 0.02


def test_awfully_different_sides_do_not_wait_for_the_same_number_of_steps() -> None:
    world = World()
    told = hold(THREADS, 2, by_threads(world, t1=0.001, t2=0.2), world, seconds=8.0)
    assert len(samples(told, Phase.DUEL)) >= 2 * FEWEST_PAIRS


def test_a_setting_that_cannot_run_is_left_out_with_its_reason() -> None:
    world = World()
    trials = by_threads(world, t1=0.03, t2=0.02, t4=0.03)
    trials[4].refuses = "a step would take 9 s"
    told = hold(THREADS, 2, trials, world)
    assert Skipped(4, "a step would take 9 s") in told
    assert Duel(1) in told


def test_without_the_recommended_setting_there_is_nothing_to_compare() -> None:
    world = World()
    trials = by_threads(world, t1=0.03, t2=0.02)
    trials[2].refuses = "too large"
    with pytest.raises(NothingToCompareError, match="2, which is recommended, cannot be tried: too large"):
        hold(THREADS, 2, trials, world)


def test_where_the_time_was_over_before_anything_was_begun_that_is_said() -> None:
    world = World()
    said = "^There was too little time for 2: The time was over before it was begun"
    with pytest.raises(TimeOverError, match=said):
        hold(THREADS, 2, by_threads(world, t1=0.03, t2=0.02), world, seconds=0.0)


def test_without_another_setting_there_is_nothing_to_compare() -> None:
    world = World()
    trials: dict[Setting, ToyTrial] = {"fp32": ToyTrial(world, "fp32", 0.03)}
    trials["bf16"] = ToyTrial(world, "bf16", 0.03, refuses="awfully slow")
    with pytest.raises(NothingToCompareError, match="Apart from the recommended"):
        hold(PRECISION, "fp32", trials, world)


def test_batches_are_compared_per_example() -> None:
    world = World()
    told = hold(BATCH, 64, by_batch(world, {16: 4e-4, 32: 3e-4, 64: 2e-4, 128: 1.95e-4}), world)
    assert Duel(32) in told
    costs = {sample.setting: sample.seconds for sample in samples(told, Phase.DUEL)}
    assert costs[64] == pytest.approx(2e-4, rel=0.2)


def test_batches_stop_growing_when_doubling_hardly_adds() -> None:
    world = World()
    told = hold(BATCH, 16, by_batch(world, {8: 4e-4, 16: 3e-4, 32: 2.9e-4, 64: 1e-4}), world)
    assert [message.setting for message in told if isinstance(message, Rehearsed)] == [8, 16, 32]
    assert Skipped(64, "Going from 16 to 32 added less than 10 % a doubling.") in told


def test_batches_stop_growing_when_half_the_memory_is_taken_but_the_recommended_one_is_tried() -> None:
    world = World()
    trials = by_batch(world, {8: 4e-4, 16: 3e-4, 32: 2e-4, 64: 1e-4})
    trials[8].memory = 501
    told = hold(BATCH, 32, trials, world)
    assert [message.setting for message in told if isinstance(message, Rehearsed)] == [8, 32]


def test_slow_settings_leave_time_for_the_duel() -> None:
    world = World()
    costs = {8: 0.018, 16: 0.016, 32: 0.014, 64: 0.012, 128: 0.01, 256: 0.008}
    told = hold(BATCH, 16, by_batch(world, costs), world)
    assert Skipped(256, "There was no time left to try it.") in told
    assert samples(told, Phase.DUEL)


def test_a_short_step_is_run_once_untimed_after_another_setting() -> None:
    world = World()
    told = hold(THREADS, 2, by_threads(world, t1=0.002, t2=0.001), world)
    assert samples(told, Phase.DUEL)
    text = " ".join(map(str, world.order))
    of_the_duel = [steps.split() for steps in text.removesuffix(" finish").split(" finish ")][-20:]
    switches = [steps for last, steps in pairwise(of_the_duel) if steps[0] != last[0]]
    assert len(switches) >= 6
    assert all(len(steps) == 1 for steps in switches)


@pytest.mark.parametrize("paused_in", [1, 2, 3, 8, 20, 31, 50, 80])
def test_what_was_timed_while_the_process_was_stopped_is_timed_again(paused_in: int) -> None:
    world = World(paused_in=paused_in)
    trials = by_threads(world, t1=0.03, t2=0.02, t4=0.01)
    told = hold(THREADS, 2, trials, world, seconds=60.0)
    assert world.pauses == 1
    assert next(message.rival for message in told if isinstance(message, Duel)) == 4
    assert max(message.seconds for message in told if isinstance(message, Rehearsed | Sample)) < 0.1
    pairs = samples(told, Phase.DUEL)
    assert len(pairs) >= 2 * FEWEST_PAIRS


@dataclass
class TakenTrial(ToyTrial):
    """A step on cores of which another program takes a share: a burst in each period, at another moment on each core."""

    cores: int = 1
    taken: float = 0.15
    period: float = 0.1

    def step(self) -> None:
        self.world.order.append(self.setting)
        begun, noise = self.world.now, self.world.noise.lognormvariate(0, 0.03)
        self.world.now = max(self._done(core, begun, self.step_seconds * noise) for core in range(self.cores))

    def _done(self, core: int, now: float, work: float) -> float:
        """The time at which a core has done so much work: it rests while the other program is at it."""
        while work > 1e-12:
            place = (now + core * 0.37 * self.period) % self.period
            free_in = max(0.0, self.taken * self.period - place)
            done = min(work, max(self.period - place - free_in, 1e-9))
            now, work = now + free_in + done, work - done
        return now


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize(
    ("probe", "before", "rival", "cores"),
    [(THREADS, 2, 1, {2: 2, 1: 1}), (PRECISION, "fp32", "bf16", {"fp32": 2, "bf16": 2})],
)
def test_a_clear_difference_is_decided_while_another_program_takes_a_part_of_each_core(
    seed: int, probe: Probe, before: Setting, rival: Setting, cores: Mapping[Setting, int]
) -> None:
    """Half as fast again, which 15 % of a core cannot hide; what starting torch takes is not in the seconds."""
    world = World(noise=random.Random(seed))
    steps = {before: 0.02, rival: 0.03}
    trials = {one: TakenTrial(world, one, seconds, cores=cores[one]) for one, seconds in steps.items()}
    told = hold(probe, before, trials, world, seconds=probe.cost_seconds - 2.0)
    duel = {(sample.setting, sample.round): sample.seconds for sample in samples(told, Phase.DUEL)}
    pairs = [(duel[before, number], duel[rival, number]) for number in range(len(duel) // 2)]
    assert compare(pairs).verdict is Verdict.CONFIRMED
    assert samples(told, Phase.DUEL)[-1].elapsed >= SHORTEST_DUEL  # type: ignore[operator]
