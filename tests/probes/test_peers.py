"""Settings that are processes of their own: how they are started, what they say, and what happens where they misbehave."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from advisor.children import helper
from advisor.children.command import module_command
from advisor.children.errors import CannotRunError
from advisor.facts.verdict import Verdict
from advisor.machine.host import Tree
from advisor.probes.benches.peers import Places, launch_for, places
from advisor.probes.catalogue import probe_named
from advisor.probes.child import peer
from advisor.probes.child.peer import Launch, PeerTrial
from advisor.probes.probe import Probe, Setting
from advisor.probes.protocol import Message, Ready, Rehearsed, Request, Result, Skipped
from advisor.probes.runner import run
from advisor.probes.settings.cores import INTEROP, NUMA, SMT
from advisor.probes.settings.variants import CHECKPOINTING
from advisor.probes.surroundings import Surroundings
from advisor.probes.workload import Activations, Device, Workload
from tests.probes.first_pair import SECONDS, first_pair

DIGITS = Workload("cnn", "image", 64, 10, (8, 16), batch_size=16, threads=1)
SERVER = {
    "machine.cpu.physical_cores": 4,
    "machine.cpu.logical_cores": 8,
    "machine.cpu.usable_cores": 8,
    "machine.cpu.numa_nodes": 2,
}
HERE = Places(tuple(range(8)), ((0, 4), (1, 5), (2, 6), (3, 7)), {0: (0, 1, 4, 5), 1: (2, 3, 6, 7)})
PLAIN = Launch(DIGITS, 10**9, 0)
linux = pytest.mark.skipif(sys.platform != "linux", reason="binds processes and asks the kernel of Linux")


# What is tried, and where.


@pytest.mark.parametrize(
    ("probe", "settings", "before"),
    [
        (INTEROP, (1, 8), 8),
        (SMT, ("cores", "hardware_threads"), "cores"),
        (NUMA, ("anywhere", "one_node"), "anywhere"),
        (CHECKPOINTING, ("kept", "recomputed"), "kept"),
    ],
)
def test_every_setting_is_named_and_the_usual_one_is_recommended(
    probe: Probe, settings: tuple[Setting, ...], before: Setting
) -> None:
    assert probe.why_not(DIGITS, SERVER) is None
    assert probe.before({}, DIGITS, SERVER) == before
    assert probe.settings(DIGITS, SERVER, before) == settings
    assert probe_named(probe.name) is probe


@pytest.mark.parametrize(
    ("probe", "known", "reason"),
    [
        (INTEROP, {"machine.cpu.usable_cores": 1}, "Only one core can be used"),
        (INTEROP, {"machine.cpu.usable_cores": None}, "It is not known how many cores"),
        (SMT, {"machine.cpu.logical_cores": 4}, "Every core has one hardware thread"),
        (SMT, {"machine.cpu.usable_cores": 4}, "Only 4 hardware threads can be used, not more than the 4 cores"),
        (SMT, {"machine.cpu.physical_cores": None}, "not known which hardware threads share a core"),
        (NUMA, {"machine.cpu.numa_nodes": 1}, "All memory is equally near"),
        (NUMA, {"machine.cpu.numa_nodes": None}, "It is not known whether all memory is equally near"),
    ],
)
def test_a_probe_says_why_it_does_not_apply(probe: Probe, known: dict[str, int | None], reason: str) -> None:
    assert reason in str(probe.why_not(DIGITS, SERVER | known))


@pytest.mark.parametrize("probe", [INTEROP, SMT, NUMA], ids=lambda probe: probe.name)
def test_where_a_graphics_card_computes_the_processor_is_not_probed(probe: Probe) -> None:
    assert "graphics card" in str(probe.why_not(replace(DIGITS, device=Device.CUDA), SERVER))


def test_a_plan_with_more_threads_than_cores_recommends_hardware_threads() -> None:
    assert SMT.before({"compute.threads": 8}, DIGITS, SERVER) == "hardware_threads"
    assert SMT.before({"compute.threads": 4}, DIGITS, SERVER) == "cores"


def test_a_plan_that_checkpoints_recommends_recomputing() -> None:
    assert CHECKPOINTING.before({"memory.strategy": "checkpointing"}, DIGITS, SERVER) == "recomputed"
    assert CHECKPOINTING.before({"memory.strategy": "fits"}, DIGITS, SERVER) == "kept"


def test_recurrent_networks_have_nothing_to_recompute() -> None:
    lstm = Workload("lstm", "time_series", 8, 1, sequence_length=52, loss="mse")
    assert "no chain of layers" in str(CHECKPOINTING.why_not(lstm, SERVER))


# How a process is started.


def recorded_folder(root: Path, files: dict[str, str]) -> Tree:
    for path, text in files.items():
        place = root / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return Tree(root)


def test_places_are_read_from_the_system_and_cut_to_what_may_be_used(tmp_path: Path) -> None:
    """Made up: two nodes of two cores with two hardware threads each; the third node may not be used."""
    files = {"/proc/cpuinfo": "\n\n".join(f"processor\t: {number}\nmodel name\t: made up" for number in range(8))}
    for number in range(8):
        topology = f"/sys/devices/system/cpu/cpu{number}/topology/core_cpus_list"
        files[topology] = f"{number % 4},{number % 4 + 4}\n"
    node = "/sys/devices/system/node"
    files |= {f"{node}/online": "0-2\n", f"{node}/node0/cpulist": "0-1,4-5\n", f"{node}/node1/cpulist": "2-3,6-7\n"}
    files |= {f"{node}/node2/cpulist": "\n", "/proc/self/status": "Mems_allowed_list:\t0-1\n"}
    here = places(recorded_folder(tmp_path, files), [1, 2, 3, 4, 5, 6])
    assert here.nodes == {0: (1, 4, 5), 1: (2, 3, 6)}
    assert here.cores_among(here.threads) == (1, 2, 3, 4)
    assert here.cores_among(here.nodes[1]) == (2, 3)


def test_a_system_that_tells_nothing_has_a_core_for_every_thread(tmp_path: Path) -> None:
    here = places(Tree(tmp_path), [0, 1])
    assert here.cores_among(here.threads) == (0, 1)
    assert here.nodes == {}
    with pytest.raises(CannotRunError, match="does not tell which processors and memory belong together"):
        launch_for(NUMA, "one_node", PLAIN, here)


def test_inter_op_threads_are_set_at_the_start() -> None:
    assert launch_for(INTEROP, 1, PLAIN, None) == replace(PLAIN, interop_threads=1)


def test_one_hardware_thread_of_each_core_or_all_of_them() -> None:
    cores = launch_for(SMT, "cores", PLAIN, HERE)
    assert (cores.processors, cores.workload.threads, cores.memory_node) == ((0, 1, 2, 3), 4, None)
    both = launch_for(SMT, "hardware_threads", PLAIN, HERE)
    assert (both.processors, both.workload.threads) == (tuple(range(8)), 8)


def test_one_node_is_bound_with_its_memory_and_anywhere_is_not() -> None:
    bound = launch_for(NUMA, "one_node", PLAIN, HERE)
    assert (bound.processors, bound.memory_node, bound.workload.threads) == ((0, 1, 4, 5), 0, 2)
    assert launch_for(NUMA, "anywhere", PLAIN, HERE) == PLAIN


def test_a_network_that_recomputes_is_another_workload() -> None:
    launch = launch_for(CHECKPOINTING, "recomputed", PLAIN, None)
    assert launch.workload == replace(DIGITS, activations=Activations.RECOMPUTED)


BINDS = """
import os, sys
from advisor.children import guard
guard.bind([min(os.sched_getaffinity(0))], int(sys.argv[1]))
block = bytearray(b"x") * 10_000_000
import ctypes, platform
policy = ctypes.c_int()
number = {"x86_64": 239, "aarch64": 236}[platform.machine()]  # get_mempolicy(2)
ctypes.CDLL(None).syscall(number, ctypes.byref(policy), None, ctypes.c_ulong(0), None, ctypes.c_ulong(0))
print(len(os.sched_getaffinity(0)), policy.value)
"""


@linux
def test_binding_holds_processor_and_memory() -> None:
    done = subprocess.run([sys.executable, "-c", BINDS, "0"], capture_output=True, text=True, check=False)
    if "Operation not permitted" in done.stderr:
        pytest.skip("this container does not let processes choose their memory")
    assert done.stdout.split() == ["1", "2"]  # 2 is MPOL_BIND


@linux
def test_a_node_that_does_not_exist_is_refused() -> None:
    done = subprocess.run([sys.executable, "-c", BINDS, "60"], capture_output=True, text=True, check=False)
    assert "OSError" in done.stderr


@linux
@pytest.mark.parametrize(("processors", "node"), [([4000], None), (None, 60)])
def test_a_place_that_the_system_refuses_is_a_reason(processors: list[int] | None, node: int | None) -> None:
    trial = PeerTrial(replace(PLAIN, processors=processors, memory_node=node), "one_node")
    try:
        with pytest.raises(CannotRunError, match="does not let a process choose its processors and memory"):
            trial.warm_up(60.0)
    finally:
        trial.close()


# Real processes, until the first pair of a small network is timed.


@pytest.mark.slow
@linux
@pytest.mark.parametrize(
    ("probe", "before", "settings"),
    [
        (INTEROP, 2, [1, 2]),
        (SMT, "cores", ["cores", "hardware_threads"]),
        (NUMA, "anywhere", ["anywhere", "one_node"]),
        (CHECKPOINTING, "kept", ["kept", "recomputed"]),
    ],
    ids=["interop", "smt", "numa", "checkpointing"],
)
def test_every_setting_runs_in_a_process_of_its_own(probe: Probe, before: Setting, settings: list[Setting]) -> None:
    told = first_pair(probe, DIGITS, before, settings)
    ready = next(message for message in told if isinstance(message, Ready))
    assert ready.torch
    rehearsed = [message for message in told if isinstance(message, Rehearsed)]
    assert {message.setting for message in rehearsed} == set(settings)
    assert all(message.peak_memory_bytes > 50_000_000 for message in rehearsed)
    assert not any(isinstance(message, Skipped) for message in told)


@pytest.mark.gpu
def test_on_a_card_each_setting_tells_the_memory_of_the_card() -> None:
    deep = Workload("ffn", "tabular", 256, 10, (256,) * 64, batch_size=8192, device=Device.CUDA)
    told = first_pair(CHECKPOINTING, deep, "kept", ["kept", "recomputed"])
    peak = {message.setting: message.peak_memory_bytes for message in told if isinstance(message, Rehearsed)}
    assert peak["recomputed"] < 0.6 * peak["kept"]


def family_of(parent: int) -> list[psutil.Process]:
    return psutil.Process(parent).children(recursive=True)


@pytest.fixture
def strike() -> Iterator[Callable[[Message], None]]:
    """Kills one of the two processes as soon as the first setting has run."""
    killed: list[int] = []

    def listen(message: Message) -> None:
        if isinstance(message, Rehearsed) and not killed:
            child = next(
                process for process in family_of(os.getpid()) if "advisor.probes.child.main" in process.cmdline()
            )
            victim = next(process for process in child.children() if "advisor.probes.child.peer" in process.cmdline())
            killed.append(victim.pid)
            victim.send_signal(signal.SIGKILL)

    yield listen
    assert killed


@linux
@pytest.mark.slow
def test_a_process_that_is_killed_in_the_middle_costs_this_result(
    strike: Callable[[Message], None],
) -> None:
    outcome = run(INTEROP, DIGITS, before=2, settings=[1, 2], budget_seconds=SECONDS, on_event=strike)
    assert outcome.verdict is Verdict.UNDECIDED
    assert "was ended by SIGKILL" in str(outcome.failure)
    assert outcome.facts() == {}


PARENT = """
import sys
from advisor.probes.catalogue import probe_named
from advisor.probes.runner import run
from advisor.probes.workload import Workload
def show(message): print(type(message).__name__, flush=True)
network = Workload("ffn", "tabular", 64, 10, (64,), batch_size=8)
name, *settings = sys.argv[1:]
settings = [int(setting) if setting.isdecimal() else setting for setting in settings]
run(probe_named(name), network, before=settings[0], settings=settings, budget_seconds=60, on_event=show)
"""


def gone(processes: list[psutil.Process], seconds: float) -> bool:
    until = time.monotonic() + seconds
    while any(process.is_running() and process.status() != psutil.STATUS_ZOMBIE for process in processes):
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


@pytest.mark.slow
@linux
@pytest.mark.parametrize("name", ["interop", "ranks"])
@pytest.mark.parametrize("killed", ["parent", "child"])
def test_no_process_survives_a_parent_or_a_child_that_is_killed(name: str, killed: str) -> None:
    settings = {"interop": ["2", "1"], "ranks": ["one", "several"]}[name]
    command = [sys.executable, "-c", PARENT, name, *settings]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        try:
            assert parent.stdout is not None
            while (line := parent.stdout.readline().strip()) != Ready.__name__:
                assert line
            family = family_of(parent.pid)
            child = next(process for process in family if "advisor.probes.child.main" in process.cmdline())
            assert len(family) >= {"interop": 3, "ranks": 4}[name]
            if killed == "parent":
                parent.kill()
            else:
                child.kill()
            assert gone(family, 10)
        finally:
            parent.kill()


# Made-up processes that misbehave.


PRELUDE = """
import json, os, signal, sys, time
def say(**message): print(json.dumps(message), flush=True)
def hear(): return json.loads(sys.stdin.readline())
launch = hear()
"""
STARTS = 'say(torch="2", threads=1); hear(); '
WARMS_UP = STARTS + "say(peak=1, work=1); hear(); "


@pytest.fixture
def made_up() -> Iterator[Callable[[str], PeerTrial]]:
    trials: list[PeerTrial] = []

    def make(script: str) -> PeerTrial:
        trials.append(PeerTrial(PLAIN, "tried", [sys.executable, "-c", PRELUDE + script]))
        return trials[-1]

    yield make
    for trial in trials:
        trial.close()


def test_a_process_that_does_what_it_is_told_is_believed(made_up: Callable[[str], PeerTrial]) -> None:
    trial = made_up(STARTS + "say(peak=5, work=2); steps = hear()['steps']; say(peak=steps, work=2); time.sleep(60)")
    trial.warm_up(20.0)
    assert (trial.peak_memory_bytes(), trial.work) == (5, 2)
    trial.step()
    trial.step()
    trial.finish()
    assert trial.peak_memory_bytes() == 2


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("sys.exit(3)", "The process for tried ended with status 3."),
        ("os.kill(os.getpid(), signal.SIGKILL)", "The process for tried was ended by SIGKILL."),
        ("os.close(1); time.sleep(60)", "The process for tried closed its output."),
        ("print('hello', flush=True); time.sleep(60)", "The process for tried wrote what is no answer: hello."),
        ("say(torch='2'); time.sleep(60)", "threads: None, which is no number"),
        ("print('[' * 100000, flush=True); time.sleep(60)", "wrote what is no answer: \\["),
        ("print('[]', flush=True); time.sleep(60)", "wrote what is no answer: \\[\\]"),
        ("while True: sys.stdout.write('x' * 65536)", "The process for tried wrote without end."),
        ("sys.stdout.buffer.write(b'\\xff\\x1b[2J\\n'); sys.stdout.flush(); time.sleep(60)", "no answer: .?\\[2J"),
        ("say(failed='a gan cannot be built yet.'); time.sleep(60)", "^a gan cannot be built yet.$"),
        (STARTS + "say(peak=-1, work=1); time.sleep(60)", "peak: -1, which is no number"),
        (STARTS + 'print(\'{"peak": 1, "work": NaN}\', flush=True); time.sleep(60)', "work: nan, which is no number"),
        (STARTS + "sys.exit(0)", "The process for tried ended with status 0."),
    ],
)
def test_a_process_that_fails_or_talks_nonsense_is_a_reason(
    made_up: Callable[[str], PeerTrial], script: str, reason: str
) -> None:
    with pytest.raises(CannotRunError) as raised:
        made_up(script).warm_up(30.0)
    assert re.search(reason, str(raised.value))


@pytest.mark.parametrize("script", ["time.sleep(60)", "sys.stdout.write('{'); sys.stdout.flush(); time.sleep(60)"])
def test_a_process_that_hangs_at_its_start_is_a_reason(made_up: Callable[[str], PeerTrial], script: str) -> None:
    with pytest.raises(CannotRunError, match=r"The process for tried gave no answer in the time it had\."):
        made_up(script).warm_up(0.5)


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("say(peak=1, work=1); time.sleep(60)", "gave no answer in the time it had"),
        ("say(peak=1, work=1); hear(); os.abort()", "was ended by SIGABRT"),
        ("say(peak=1, work=1); hear(); print('{}', flush=True); time.sleep(60)", "peak: None, which is no number"),
    ],
)
def test_a_process_that_fails_between_steps_is_a_reason(
    made_up: Callable[[str], PeerTrial], script: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peer, "LONGEST_SILENCE", 0.5)
    monkeypatch.setattr(peer, "SLOWEST", 0)
    trial = made_up(WARMS_UP + script)
    trial.warm_up(30.0)
    trial.step()
    trial.finish()
    trial.step()
    with pytest.raises(CannotRunError, match=reason):
        trial.finish()


def test_a_recheck_waits_no_longer_than_it_was_told() -> None:
    request = Request("batch", DIGITS, 16, (16, 32), 60.0, 10**9, 0, {}, "/")
    command = [sys.executable, "-c", PRELUDE + WARMS_UP + "time.sleep(60)"]
    begun = time.monotonic()
    found = peer.recheck(DIGITS, 32, request, 4.0, command)
    assert time.monotonic() - begun < 30  # it would have waited for 60
    assert found.reason == "The process for 32 gave no answer in the time it had."


@pytest.mark.slow
@linux
def test_processes_are_waited_for_before_the_result_is_told_so_that_their_work_is_ours() -> None:
    seen: set[int] = set()
    alive: list[int] = []

    def look(message: Message) -> None:
        if isinstance(message, Ready):
            child = next(
                process for process in family_of(os.getpid()) if "advisor.probes.child.main" in process.cmdline()
            )
            seen.update(process.pid for process in child.children(recursive=True))
        if isinstance(message, Result):
            alive.extend(filter(psutil.pid_exists, seen))

    outcome = run(INTEROP, DIGITS, before=2, settings=[1, 2], budget_seconds=25.0, on_event=look)
    assert outcome.failure is None
    assert len(seen) == 2
    assert alive == []


def test_a_process_is_gone_when_its_trial_is_closed(made_up: Callable[[str], PeerTrial]) -> None:
    trial = made_up("time.sleep(60)")
    trial.start()
    (process,) = (child for child in family_of(os.getpid()) if PRELUDE in " ".join(child.cmdline()))
    trial.close()
    assert gone([process], 5)


def test_an_error_inside_a_process_is_told() -> None:
    script = "from advisor.children.helper import serve\ndef work(*_): raise RuntimeError('no such step')\nserve(work)"
    process = helper.HelperProcess("It", module_command("", instead=[sys.executable, "-c", script]))
    try:
        process.say()
        with pytest.raises(CannotRunError, match="its process met an error: RuntimeError: no such step"):
            process.answer(time.monotonic() + 20)
    finally:
        process.close()


def test_the_surroundings_know_the_nodes() -> None:
    assert Surroundings.of(SERVER).numa_nodes == 2
