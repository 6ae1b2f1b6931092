"""Machine profiles: kept, read back, handed on without names, and compared by intervals."""

from __future__ import annotations

import json
import multiprocessing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.agent.machines.comparison import (
    Change,
    MachinesCompared,
    compare,
    last_day,
    one_machine_later,
    side_of,
    sides_of,
)
from advisor.agent.machines.peaks import Basis, peak_of
from advisor.agent.machines.quantities import newest_readings, readings
from advisor.agent.remembered.anonymous import anonymous_json
from advisor.agent.remembered.memory import (
    kept_profiles,
    measurements_file,
    newest_of,
    read_profile,
    recall,
    remember,
)
from advisor.agent.remembered.profile import KEEP, MachineProfile, grown, own_outcomes, profile_facts
from advisor.agent.settling.scope import newest_in_scope
from advisor.errors import InputError
from advisor.facts.verdict import Verdict
from advisor.machine.cards import Gpu
from advisor.machine.machine import Machine
from advisor.machine.parts import Disk, DiskKind, MemoryModules
from advisor.machine.profiles.files import find_device
from advisor.probes.catalogue import PROBES
from advisor.probes.conditions import Conditions, Moment, conditions
from advisor.probes.outcome import Outcome, SettingRecord
from advisor.probes.probe import Probe

from .profiles_made import MACHINE, MEMORY, NETWORK, ONE_THREAD, compared, gauged, profile, samples

hostile = st.text(st.characters(codec="utf-8"), max_size=20) | st.sampled_from(
    ["\x1b[31mred\x1b[0m", "[bold]name[/bold]", "a\nb", "\u202egnp.exe", "<script>", "%s{0}", "\x00"]
)
rates = st.floats(1e-3, 1e15)


@st.composite
def outcomes_made(draw: st.DrawFn) -> Outcome:
    """Comparisons of threads with figures, dates and texts of any kind."""
    day = draw(st.integers(1, 28))
    return compared(
        verdict=draw(st.sampled_from(Verdict)),
        rate=draw(rates),
        speed_up=draw(st.floats(1.0, 3.0)),
        date=f"2026-11-{day:02}",
        conditions=Conditions(warnings=tuple(draw(st.lists(hostile, max_size=2)))),
        failure=draw(st.none() | hostile),
    )


@st.composite
def profiles_made(draw: st.DrawFn) -> MachineProfile:
    machine = replace(MACHINE, cpu_model=draw(st.none() | hostile), gpus=(Gpu("cuda", draw(hostile)),))
    return profile(draw(st.lists(outcomes_made(), max_size=6)), machine=machine, host=draw(hostile))


# --- kept and read back ---------------------------------------------------------------------------------------------


@given(profiles_made())
def test_a_profile_survives_being_written_and_read(made: MachineProfile) -> None:
    assert MachineProfile.from_json(json.loads(json.dumps(made.to_json()))) == made


@pytest.mark.parametrize("probe", [probe for probe in PROBES if probe.gauges], ids=lambda probe: probe.name)
def test_what_the_catalogue_gauges_survives_too(probe: Probe) -> None:
    rates_of = {fact: 1e9 * place for place, fact in enumerate(probe.gauges, start=1)}
    outcome = gauged(rates_of, probe=probe.name, topic=probe.topic, fact=probe.fact, work=probe.work.value)
    read = MachineProfile.from_json(json.loads(json.dumps(profile([outcome]).to_json())))
    assert (read.outcomes, read.damaged) == ((outcome,), ())


def test_unknown_keys_are_ignored() -> None:
    made = profile([compared()])
    document: dict[str, Any] = made.to_json() | {"colour": "green"}
    document["outcomes"][0]["mood"] = "good"
    document["machine"]["wheels"] = 4
    assert MachineProfile.from_json(document) == made


@pytest.mark.parametrize(
    "data", [None, 3, [], {}, {"schema": "advisor/plan/1"}, {"schema": "advisor/machine-profile/1"}], ids=str
)
def test_what_is_no_profile_is_refused(data: object) -> None:
    with pytest.raises(ValueError, match=r"profile|measurements"):
        MachineProfile.from_json(data)


DAMAGES: list[dict[str, object]] = [
    {"before": True}, {"before": 0}, {"rival": "one"}, {"low": -1.0}, {"n": None}, {"applies": {"torch": 2}},
    {"applies": 3}, {"failure": []}, {"settings": [{"setting": 2, "search": [], "duel": ["x"]}]},
    {"date": "garbage"}, {"date": "2026-13-45"}, {"date": 20261120},
    {"settings": [{"setting": 2, "search": [0.0], "duel": []}]}, {"gauges": {"machine.gpu.count": 2}},
    {"conditions": {"warnings": [3]}}, {"conditions": {"warnings": [], "stolen_share": "much"}}, {"work": None},
]  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES, ids=str)
def test_a_damaged_measurement_costs_itself_only(damage: dict[str, object]) -> None:
    good, bad = compared(date="2026-11-19"), compared(date="2026-11-20")
    document = profile([good, bad]).to_json()
    document["outcomes"][1] |= damage
    read = MachineProfile.from_json(document)
    assert read.outcomes == (good,)
    assert len(read.damaged) == 1


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ADVISOR_STATE", str(tmp_path / "state"))
    return tmp_path


@pytest.mark.usefixtures("state")
def test_measurements_of_the_first_version_still_count() -> None:
    outcome = compared()
    document = {"schema": "advisor/measurements/1", "machine": MACHINE.fingerprint, "outcomes": [outcome.to_json()]}
    measurements_file("last").write_text(json.dumps(document))
    assert recall(MACHINE) == ([outcome], [])
    later = compared(date="2026-11-22")
    remember(MACHINE, [later])
    assert recall(MACHINE) == ([outcome, later], [])
    kept = newest_of(kept_profiles()[0])
    assert kept is not None
    assert (kept.machine, kept.outcomes) == (MACHINE, (outcome, later))


@pytest.mark.usefixtures("state")
def test_a_profile_says_what_the_machine_was_when_it_changed() -> None:
    smaller = replace(MACHINE, usable_cores=2)
    remember(MACHINE, [compared()])
    remember(smaller, [compared(machine=smaller, date="2026-11-22")])
    kept = newest_of(kept_profiles()[0])
    assert kept is not None
    assert (kept.machine, dict(kept.earlier)) == (smaller, {MACHINE.fingerprint: MACHINE})
    assert [outcome.date[:10] for outcome in own_outcomes(kept)] == ["2026-11-22"]
    assert len(recall(MACHINE)[0]) == len(recall(smaller)[0]) == 1


@pytest.mark.usefixtures("state")
def test_a_file_that_is_not_json_is_moved_aside_and_what_is_measured_next_is_kept() -> None:
    path = measurements_file("last")
    path.write_text("{")
    assert remember(MACHINE, [compared()]) == path
    assert recall(MACHINE) == ([compared()], [])
    assert path.with_name("last.json.corrupt").read_text() == "{"


@pytest.mark.usefixtures("state")
@pytest.mark.parametrize(
    ("document", "reason"),
    [
        ({**profile([compared()]).to_json(), "schema": "advisor/machine-profile/2"}, "of another version"),
        ({"schema": "something/else", "outcomes": []}, "no machine profile"),
    ],
)
def test_what_another_version_has_saved_is_refused_and_stays(document: object, reason: str) -> None:
    path = measurements_file("last")
    path.write_text(json.dumps(document))
    with pytest.raises(InputError, match=reason) as caught:
        remember(MACHINE, [compared()])
    assert "--save" in str(caught.value)
    assert json.loads(path.read_text()) == document


@pytest.mark.usefixtures("state")
def test_measurements_that_cannot_be_read_stay_in_a_copy() -> None:
    path = measurements_file("last")
    document: dict[str, Any] = profile([compared(), compared(date="2026-11-21")]).to_json()
    document["outcomes"][1]["probe"] = "a probe of next year"
    path.write_text(json.dumps(document))
    for day in ("2026-11-22", "2026-11-23"):
        remember(MACHINE, [compared(date=day)])
    assert len(recall(MACHINE)[0]) == 3
    (copy,) = path.parent.glob("last.json.corrupt*")
    assert json.loads(copy.read_text()) == document


@pytest.mark.usefixtures("state")
def test_what_cannot_be_read_is_never_overwritten(monkeypatch: pytest.MonkeyPatch) -> None:
    remember(MACHINE, [compared()])
    path = measurements_file("last")
    with monkeypatch.context() as closed:
        closed.setattr("advisor.machine.state.read_private", _refused)
        with pytest.raises(InputError, match="Permission denied"):
            remember(MACHINE, [compared(date="2026-11-22")])
    assert recall(MACHINE) == ([compared()], [])
    assert path.exists()


def _refused(*_: object) -> None:
    raise PermissionError(13, "Permission denied")


def test_the_newest_of_each_probe_and_network_are_kept() -> None:
    many = [compared(date=f"2026-{month:02}-{day:02}") for month in (9, 10) for day in range(1, 21)]
    other = compared(date="2026-01-01", applies={"machine": MACHINE.fingerprint, "network": "lstm 4-[6]-1"})
    kept = grown(profile([other]), "lab", MACHINE, "host", many).outcomes
    assert kept == (other, *many[-KEEP:])


@pytest.mark.usefixtures("state")
@pytest.mark.parametrize("name", ["this", "auto", "none"])
def test_words_that_stand_for_other_machines_are_no_names(name: str) -> None:
    with pytest.raises(InputError, match="cannot be used"):
        measurements_file(name)


def _remember_some(number: int) -> None:
    for day in range(1, 6):
        applies = {"machine": MACHINE.fingerprint, "network": f"ffn {number}-[1]-1"}
        remember(MACHINE, [compared(date=f"2026-11-{day:02}", applies=applies)])


@pytest.mark.usefixtures("state")
def test_two_advisors_at_once_lose_nothing() -> None:
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=_remember_some, args=(number,)) for number in (1, 2)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert len(recall(MACHINE)[0]) == 10


def test_a_file_of_somebody_is_read_and_never_moved(tmp_path: Path) -> None:
    path = tmp_path / "theirs.json"
    path.write_text(json.dumps(profile([compared()], name="theirs").to_json()))
    assert read_profile(path).name == "theirs"
    path.write_text("nonsense")
    with pytest.raises(InputError, match=r"theirs\.json"):
        read_profile(path)
    assert path.read_text() == "nonsense"
    with pytest.raises(InputError, match="No such file"):
        read_profile(tmp_path / "missing.json")


@given(
    st.recursive(st.none() | st.integers() | st.text(max_size=5), lambda x: st.lists(x) | st.dictionaries(st.text(), x))
)
def test_any_json_is_a_profile_or_refused_by_name(data: object) -> None:
    document = {"schema": "advisor/machine-profile/1", "outcomes": [data], "machine": None, "versions": {}}
    assert len(MachineProfile.from_json(document).damaged) == 1
    with pytest.raises(ValueError, match=r"it is no|missing"):
        MachineProfile.from_json(data)


# --- handed on ------------------------------------------------------------------------------------------------------


def test_an_exported_machine_gives_facts_and_measurements_that_count_for_it() -> None:
    outcome = compared()
    facts, outcomes = profile_facts(profile([outcome]).to_json())
    assert facts["machine.cpu.physical_cores"] == 4
    assert [replace(found, bound_by=outcome.bound_by) for found in outcomes] == [outcome]
    anonymous_facts, anonymous = profile_facts(anonymous_json(profile([outcome])))
    assert anonymous_facts == facts
    assert anonymous[0].applies["machine"] == MACHINE.fingerprint


def test_a_plan_for_another_machine_counts_what_was_measured_with_the_torch_that_it_has() -> None:
    older = compared(verdict=Verdict.OVERTURNED, date="2026-11-18")
    older = replace(older, applies={**older.applies, "torch": "1.0"})
    newer = compared(verdict=Verdict.OVERTURNED, before=8, rival=4, date="2026-11-19")
    made = profile([older, newer])
    disk = gauged(
        {"probe.storage.sequential_bytes_per_second": 1e9}, probe="storage", date="2026-11-20", bound_by=("machine",)
    )
    made = grown(made, "lab", MACHINE, "host-one", [replace(disk, applies={"machine": MACHINE.fingerprint})])
    assert "torch" not in made.versions, "reading a disk takes none"
    _, outcomes = profile_facts(made.to_json())
    for torch in ("of this host", "2.0", "1.0"):
        scope = {**NETWORK, "machine": MACHINE.fingerprint, "torch": torch}
        assert {outcome.probe: outcome.after for outcome in newest_in_scope(outcomes, scope)} == {
            "threads": 4,
            "storage": None,
        }


def test_a_profile_without_its_machine_plans_for_nothing() -> None:
    document = {"schema": "advisor/measurements/1", "machine": "0" * 16, "outcomes": []}
    with pytest.raises(ValueError, match="measure again"):
        profile_facts(document)


SECRETS = [
    "/home/alice/data", "~/data/train", "C:\\Users\\alice\\data", "nas.example:/export", "https://host.example/x",
    "GPU-5c1f0a51-93c8-4fd1-a1b2-c3d4e5f60718", "10.1.2.3", "alice", "host-one", "aa:bb:cc:dd:ee:ff",
]  # fmt: skip


@pytest.mark.parametrize("secret", SECRETS)
def test_an_anonymous_profile_holds_nothing_that_names_somebody(secret: str) -> None:
    machine = replace(
        MACHINE, host_name=secret, notes=(f"{secret} cannot be read.",), gpus=(Gpu("cuda", "A card", uuid=secret),)
    )
    outcome = compared(
        machine=machine,
        failure=f"Writing to {secret} failed.",
        conditions=Conditions(warnings=(f"{secret}: busy",)),
        settings=(SettingRecord(2, skipped=f"no room in '{secret}'"),),
    )
    other = replace(machine, usable_cores=2)
    made = grown(profile([outcome], secret, machine, secret), secret, other, "host-one", [compared(machine=other)])
    document = anonymous_json(made, ["alice"])
    assert secret not in json.dumps(document, ensure_ascii=False).replace("\\\\", "\\")
    assert machine.fingerprint not in json.dumps(document)
    read = MachineProfile.from_json(document)
    assert [outcome.applies["machine"] for outcome in read.outcomes] == ["machine-2", "machine-1"]
    assert read.machine == other.anonymous()


word = st.text("qxzjv", min_size=8, max_size=12)


@given(word, word, st.sampled_from(["/mnt/{}, Inc/{} 2024/x", "/home/{}/My {} (Secret)", "{}/{}", "{}-node.{}.example",
                                    "fe80::{1}%{0}", "//{}/{}", "C:\\{} {}", "{} {}", "file://{}/{}"]))  # fmt: skip
def test_no_folder_and_no_host_however_it_is_called_is_handed_on(one: str, other: str, form: str) -> None:
    place = form.format(one, other)
    machine = replace(
        MACHINE,
        host_name=place,
        kernel=f"6.8.0-{place}",
        notes=(f"{place} cannot be read.",),
        disks=(Disk(DiskKind.SSD, f"fuse.{place}", folder=place, mount_point=place, device=place),),
    )
    outcome = compared(
        machine=machine,
        failure=f"Writing to {place} failed.",
        conditions=Conditions(warnings=(f"Read from {place} (ext4).", f"Other programs took 20% of {place}")),
        settings=(SettingRecord(2, skipped=place, search=(1.0, 2.0)),),
        applies={**NETWORK, "machine": machine.fingerprint, "disk": f"{place} (ssd)", "torch": f"2.0+{place}"},
    )
    unclear = compared(
        machine=machine, date="2026-11-21", applies={"machine": machine.fingerprint, "disk": f"({place})"}
    )
    document = anonymous_json(profile([outcome, unclear], place, machine, place))
    text = json.dumps(document)
    assert one not in text
    assert other not in text
    read = MachineProfile.from_json(document)
    assert read.machine is not None
    assert (read.machine.kernel, read.machine.disks) == ("6.8.0", (Disk(DiskKind.SSD, "fuse"),))
    assert (read.outcomes[0].applies["disk"], read.outcomes[0].applies["torch"]) == ("(ssd)", "2.0")
    assert read.outcomes[0].settings[0].search == (1.0, 2.0)


def test_an_anonymous_profile_keeps_its_figures_terms_and_what_was_noted_of_the_processors() -> None:
    moment = Moment(1.0, 0.0, 0.0, 0.0, 0.0, "powersave", None)
    noted = conditions(moment, replace(moment, total=100.0, stolen=20.0, busy=50.0), {})
    in_words = replace(noted, warnings=("All went to and fro.", *noted.warnings))
    made = profile([compared(conditions=in_words, applies={"machine": MACHINE.fingerprint, "torch": "2.1.0+cu121"})])
    (read,) = MachineProfile.from_json(anonymous_json(made, ["threads", "cpu"])).outcomes
    assert (read.median, read.probe, read.applies["torch"]) == (1.3, "threads", "2.1.0+cu121")
    assert read.conditions == noted
    assert len(read.conditions.warnings) == 3


# --- quantities and peaks -------------------------------------------------------------------------------------------


def test_a_run_says_what_was_gauged_and_how_fast_both_settings_were() -> None:
    assert [reading.quantity.name for reading in readings(gauged({MEMORY: 2e10, ONE_THREAD: 1e10}))] == [
        MEMORY,
        ONE_THREAD,
    ]
    two, one = readings(compared(rate=100.0, speed_up=2.0))
    assert (two.quantity.name, one.quantity.name) == ("2", "1")
    assert two.rate.unit == "steps/s"
    assert two.rate.median / one.rate.median == pytest.approx(2.0)
    assert readings(compared(failure="It was killed.")) == ()


def peak(fact: str, machine: Machine, *outcomes: Outcome) -> tuple[float, Basis] | None:
    measured = {q.name: reading for q, reading in newest_readings(outcomes).items()}
    found = peak_of(measured[fact], machine, find_device, measured)
    return None if found is None else (found.value, found.basis)


CARD = Gpu("cuda", "NVIDIA A100-SXM4-80GB", pcie_generation=4, pcie_lanes=8)


def test_the_peak_of_a_card_comes_from_its_profile_and_its_slot() -> None:
    machine = replace(MACHINE, gpus=(CARD,))
    applies = {"machine": machine.fingerprint, "device": "cuda"}
    assert peak("probe.matmul.tf32", machine, gauged({"probe.matmul.tf32": 1e14}, work="FLOP", applies=applies)) == (
        156e12,
        Basis.PUBLISHED,
    )
    fact = "probe.link.host_to_device_bytes_per_second"
    value, basis = peak(fact, machine, gauged({fact: 1e10})) or (0.0, None)
    assert value == pytest.approx(16e9 * 8 * 128 / 130 / 8)
    assert basis is Basis.DETECTED


def test_on_a_machine_with_cards_nothing_is_said_of_a_product_that_ran_who_knows_where() -> None:
    outcome = gauged({"probe.matmul.fp32": 1e12}, work="FLOP")
    machine = replace(MACHINE, gpus=(CARD,))
    assert peak("probe.matmul.fp32", machine, outcome) is None
    card_only = replace(outcome, settings=(*outcome.settings, SettingRecord("fp16", duel=samples(2e14))))
    assert peak("probe.matmul.fp32", machine, card_only) == (19.5e12, Basis.PUBLISHED)


def test_the_peak_of_a_processor_is_that_of_the_cores_that_may_be_used() -> None:
    outcome = gauged({"probe.matmul.fp32": 1e12, MEMORY: 1e11}, work="FLOP")
    processor = find_device("epyc-9654")
    assert processor is not None
    machine = replace(MACHINE, cpu_model=processor.aliases[0], physical_cores=96, usable_cores=24)
    assert peak("probe.matmul.fp32", machine, outcome) == (7.4e12 / 4, Basis.PUBLISHED)
    assert peak("probe.matmul.fp32", replace(machine, cpu_model="Another processor"), outcome) is None


WHOLE = replace(MACHINE, virtual=False)
MODULES = MemoryModules(count=2, kind="DDR4", transfers_per_second=3_200_000_000, channels=2)


def test_the_peak_of_memory_is_that_of_every_socket_of_a_whole_computer() -> None:
    processor = find_device("epyc-9654")
    assert processor is not None
    outcome = gauged({MEMORY: 1e11})
    machine = replace(WHOLE, cpu_model=processor.aliases[0], physical_cores=96, logical_cores=192, usable_cores=192)
    assert peak(MEMORY, machine, outcome) == (461e9, Basis.PUBLISHED)
    two = replace(machine, physical_cores=192, logical_cores=384, usable_cores=384)
    assert peak(MEMORY, two, outcome) == (2 * 461e9, Basis.PUBLISHED)
    assert peak(MEMORY, replace(machine, cpu_model="Another processor"), outcome) is None
    assert peak(MEMORY, replace(machine, physical_cores=2, logical_cores=2, usable_cores=2), outcome) is None


@pytest.mark.parametrize(
    "part", [{"virtual": True}, {"virtual": None}, {"quota_cores": 2.0}, {"usable_cores": 2}, {"usable_cores": None}], ids=str
)  # fmt: skip
def test_part_of_a_computer_has_no_known_peak_of_memory(part: dict[str, Any]) -> None:
    machine = replace(WHOLE, memory_modules=MODULES)
    assert peak(MEMORY, machine, gauged({MEMORY: 1e10})) is not None
    assert peak(MEMORY, replace(machine, **part), gauged({MEMORY: 1e10})) is None


def test_the_modules_that_are_plugged_in_go_before_the_data_sheet() -> None:
    assert peak(MEMORY, replace(WHOLE, memory_modules=MODULES), gauged({MEMORY: 1e10})) == (51.2e9, Basis.DETECTED)


def test_without_a_peak_another_quantity_gives_the_proportion() -> None:
    assert peak(ONE_THREAD, MACHINE, gauged({MEMORY: 3e10, ONE_THREAD: 1e10})) == (
        pytest.approx(3e10, rel=0.01),
        Basis.MEASURED,
    )
    assert peak(ONE_THREAD, MACHINE, gauged({ONE_THREAD: 1e10})) is None


# --- compared -------------------------------------------------------------------------------------------------------


def both(first: MachineProfile, second: MachineProfile) -> MachinesCompared:
    return compare(side_of(first), side_of(second))


def runs(*memory: float, spread: float = 0.002, machine: Machine = MACHINE) -> MachineProfile:
    """A profile with one run for each of these memory speeds, on days one after the other."""
    return profile(
        [gauged({MEMORY: rate}, spread=spread, machine=machine, date=f"2026-11-{day:02}")
         for day, rate in enumerate(memory, start=1)], machine=machine)  # fmt: skip


@pytest.mark.parametrize(
    ("second", "change"),
    [(1.2e10, Change.FASTER), (0.8e10, Change.SLOWER), (1.01e10, Change.NO_DIFFERENCE), (1.03e10, Change.UNDECIDED)],
)
def test_three_per_cent_decide(second: float, change: Change) -> None:
    (difference,) = both(runs(1e10), runs(second)).differences
    assert difference.change is change
    assert difference.low < second / 1e10 < difference.high
    assert difference.ratio == pytest.approx(second / 1e10, rel=1e-3)


def test_a_wide_interval_decides_nothing() -> None:
    (difference,) = both(runs(1e10, spread=0.9), runs(1.1e10, spread=0.9)).differences
    assert difference.change is Change.UNDECIDED


def test_a_few_samples_decide_nothing() -> None:
    few = gauged({MEMORY: 2e10}, settings=(SettingRecord("setting 0", duel=samples(2e10, number=3)),))
    (difference,) = both(runs(1e10), profile([few])).differences
    assert difference.change is Change.UNDECIDED


def test_what_changes_from_run_to_run_widens_the_interval() -> None:
    (steady,) = both(runs(1e10), runs(1.1e10)).differences
    (unsteady,) = both(runs(0.9e10, 1e10, 1.15e10), runs(1.1e10)).differences
    assert (steady.change, unsteady.change) == (Change.FASTER, Change.UNDECIDED)
    assert unsteady.first_runs == 3


def test_other_networks_and_settings_are_other_quantities() -> None:
    here = profile([compared()])
    other = profile([compared(applies={"machine": MACHINE.fingerprint, "network": "lstm 4-[6]-1"})])
    found = both(here, other)
    assert found.differences == ()
    assert len(found.first_only) == len(found.second_only) == 2


def test_versions_quota_and_machine_are_told_where_they_differ() -> None:
    other = replace(MACHINE, usable_cores=2, quota_cores=2.0)
    newer = compared(machine=other, applies={"machine": other.fingerprint, "torch": "2.1"})
    context = both(profile([compared()]), profile([newer], machine=other)).context
    assert context == (
        "PyTorch: 2.0 against 2.1.",
        "Usable hardware threads (affinity and quota): 8 against 2.",
        "Quota of the container, in cores: unknown against 2.0.",
    )
    assert both(profile([compared()]), profile([compared()])).context == ()


def test_one_profile_is_compared_with_itself_before_a_day() -> None:
    kept = runs(1e10, 1e10, 0.7e10)
    assert last_day(kept) == "2026-11-03"
    before, after = sides_of(kept, "2026-11-03")
    (difference,) = compare(before, after).differences
    assert (difference.change, difference.first_runs, difference.second_runs) == (Change.SLOWER, 2, 1)
    assert last_day(runs(1e10)) == ""


def test_a_machine_that_changed_says_so_when_it_is_compared_with_itself() -> None:
    smaller = replace(MACHINE, usable_cores=2)
    later = gauged({MEMORY: 1e10}, machine=smaller, date="2026-11-22")
    kept = grown(runs(1e10), "lab", smaller, "host-one", [later])
    assert compare(*sides_of(kept, "2026-11-22")).context == (
        "Usable hardware threads (affinity and quota): 8 against 2.",
    )


def test_only_the_same_host_later_can_be_slower_than_it_was() -> None:
    monday, tuesday = profile([compared(date="2026-11-16")]), profile([compared(date="2026-11-17")])
    assert one_machine_later(monday, tuesday)
    assert not one_machine_later(tuesday, monday)
    assert not one_machine_later(monday, replace(tuesday, host="host-two"))
    assert not one_machine_later(replace(monday, host=""), replace(tuesday, host=""))


@given(profiles_made())
def test_a_machine_is_never_faster_or_slower_than_itself(made: MachineProfile) -> None:
    changes = {difference.change for difference in both(made, made).differences}
    assert changes <= {Change.NO_DIFFERENCE, Change.UNDECIDED}


OPPOSITE = {
    Change.FASTER: Change.SLOWER, Change.SLOWER: Change.FASTER,
    Change.NO_DIFFERENCE: Change.NO_DIFFERENCE, Change.UNDECIDED: Change.UNDECIDED,
}  # fmt: skip


@given(profiles_made(), profiles_made())
def test_exchanging_the_sides_exchanges_the_verdicts(one: MachineProfile, other: MachineProfile) -> None:
    there, back = both(one, other), both(other, one)
    assert (there.first_only, there.second_only) == (back.second_only, back.first_only)
    for way, return_ in zip(there.differences, back.differences, strict=True):
        assert way.quantity == return_.quantity
        assert way.change is OPPOSITE[return_.change]
        assert (way.ratio, way.low, way.high) == pytest.approx((1 / return_.ratio, 1 / return_.high, 1 / return_.low))


@pytest.mark.usefixtures("state")
def test_without_any_measurement_there_is_no_newest_profile() -> None:
    assert newest_of(kept_profiles()[0]) is None
    assert kept_profiles() == ([], [])


def test_in_64_bits_matrices_have_a_rate_although_no_fact_takes_it() -> None:
    outcome = gauged({"probe.matmul.fp32": 2e11}, probe="matmul", work="FLOP", before="fp32")
    double = SettingRecord("fp64", duel=samples(1e11))
    (fp32, fp64) = readings(replace(outcome, rival="fp64", settings=(*outcome.settings, double)))
    assert (fp32.quantity.label, fp64.quantity.label) == ("Matrix product, fp32", "Matrix product, fp64")
    assert fp64.rate.median == pytest.approx(1e11)
    assert "probe.matmul.fp64" not in outcome.facts()
