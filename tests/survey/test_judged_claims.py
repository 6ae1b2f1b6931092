"""The survey on trial: how each kind of claim comes to its verdict."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from advisor.agent.settling.judging import judge
from advisor.agent.trials.outcomes import is_trial
from advisor.facts.experiments import is_of_strategies
from advisor.facts.fact_base import FactBase, Source
from advisor.facts.verdict import Verdict
from advisor.facts.verdict import Verdict as RuleVerdict
from advisor.inference.advise import VALUES_ONLY, advise
from advisor.knowledge import loader
from advisor.knowledge.claims import Reading
from advisor.knowledge.model import Knowledge
from advisor.machine.profiles.published import PublishedFigure, PublishedTable, load_tables
from advisor.probes.catalogue import PROBES
from advisor.probes.conditions import Conditions
from advisor.probes.outcome import Outcome, SettingRecord
from advisor.resources import profiles_folder, rules_folder
from advisor.survey.claim_values import TABLE_4, measured_estimates, table_estimates
from advisor.survey.judged_claims import Judgement, judge_claims
from tests.small_rules import RuleBase, choice, integer, number, rule, topic

BASE = RuleBase(
    facts={
        "machine.cores": integer(1, 1000, group="machine", unit="cores"),
        "machine.nodes": integer(1, 1000, group="machine", assume="1"),
        "probe.threads.best": integer(1, 1000, group="probe", unit="threads", ask="false"),
        "probe.device.best": choice("cpu", "gpu", group="probe", ask="false"),
        "probe.disk": number(0, 1e12, group="probe", unit="bytes/s", ask="false"),
    },
    topics={"compute.threads": topic("value", type="integer", unit="threads")},
    rules=[
        rule(
            "threads.cores", "compute.threads", school="survey", value="machine.cores",
            settles={"probe": "threads", "expects": "probe.threads.best >= machine.cores"},
        ),
        rule(
            "threads.many", "compute.threads", school="survey", value="8", when="machine.cores >= 8",
            settles={"probe": "threads", "expects": "probe.threads.best == 8"},
        ),
    ],
)  # fmt: skip
GIVEN = "given:\n  table.gpu_over_sixteen_cores.most: {title: Most of the table, help: Counted.}\n"
BY_THREADS = "probe: threads, expects: probe.threads.best > 2"
BY_DISK = "probe: storage, expects: probe.disk < 1000, figures: [{title: read, value: probe.disk, reading: here}]"


def knowledge(claim: str, base: RuleBase = BASE) -> Knowledge:
    """The small rule base with one claim; `claim` are its further keys."""
    texts = {
        **base.texts(),
        "claims.yaml": f"{GIVEN}claims:\n  - {{id: c, claim: It is so., sources: [book], {claim}}}\n",
    }
    return loader.build([(0, Path(name), text) for name, text in texts.items()])


def judged(
    claim: str,
    *outcomes: Outcome,
    detected: Mapping[str, Any] | None = None,
    tables: tuple[PublishedTable, ...] = (),
    base: RuleBase = BASE,
) -> Judgement:
    known = knowledge(claim, base)
    facts = FactBase.of({"machine.cores": 4} if detected is None else detected, Source.DETECTED)
    (judgement,) = judge_claims(known, advise(known, facts), outcomes, tables)
    return judgement


def threads(verdict: Verdict, after: object, **keys: Any) -> Outcome:
    """A comparison of 4 threads, which were advised, with 2."""
    found: dict[str, Any] = {
        "probe": "threads", "topic": "compute.threads", "fact": "probe.threads.best", "before": 4, "rival": 2,
        "verdict": verdict, "after": after, "median": 1.2, "low": 1.1, "high": 1.3, "n": 12,
        "date": "2026-01-02T10:00:00+00:00", "applies": {"machine": "here", "network": "small"}, **keys,
    }  # fmt: skip
    return Outcome(**found)


def storage(*seconds_per_byte: float, **keys: Any) -> Outcome:
    """A rate that was gauged from these samples."""
    record = SettingRecord("sequential", search=seconds_per_byte)
    return threads(
        Verdict.UNDECIDED, None, probe="storage", topic="", fact="", before="sequential", rival="random",
        settings=(record,), gauges={"probe.disk": "sequential"}, work="byte", **keys,
    )  # fmt: skip


FASTER, SLOWER = threads(Verdict.CONFIRMED, 4), threads(Verdict.OVERTURNED, 2)


# By a probe


def test_a_claim_is_confirmed_by_what_was_measured_and_says_where() -> None:
    found = judged(BY_THREADS, FASTER)
    assert found.verdict is Verdict.CONFIRMED
    assert found.measured is not None
    assert (found.measured.before, found.measured.rival, found.measured.low) == (4, 2, 1.1)
    assert (found.date, found.applies) == (FASTER.date, {"machine": "here", "network": "small"})
    assert found.unit == "threads"


def test_a_claim_is_overturned_by_what_was_measured() -> None:
    assert judged(BY_THREADS, SLOWER).verdict is Verdict.OVERTURNED


def test_no_difference_between_two_settings_is_none_for_a_claim_that_tells_them_apart() -> None:
    even = threads(Verdict.NO_DIFFERENCE, 4)
    assert judged(BY_THREADS, even).verdict is Verdict.NO_DIFFERENCE
    either = BY_THREADS.replace("> 2", "> 1")
    assert judged(either, even).verdict is Verdict.CONFIRMED
    neither = BY_THREADS.replace("> 2", "> 5")
    assert judged(neither, even).verdict is Verdict.OVERTURNED


def test_an_undecided_probe_leaves_the_claim_undecided() -> None:
    found = judged(BY_THREADS, threads(Verdict.UNDECIDED, None))
    assert found.verdict is Verdict.UNDECIDED
    assert "could not be told apart" in found.why


def test_what_was_not_measured_is_not_judged_and_names_the_probe() -> None:
    found = judged(BY_THREADS)
    assert (found.verdict, found.date) == (None, "")
    assert "`advisor probe --only threads`" in found.why


def test_what_was_measured_under_other_conditions_only_is_the_reason() -> None:
    known = knowledge(BY_THREADS)
    (found,) = judge_claims(known, advise(known, FactBase()), elsewhere={"threads": "The network was another."})
    assert (found.verdict, found.why) == (None, "The network was another.")


def test_a_probe_that_failed_is_the_reason() -> None:
    found = judged(BY_THREADS, threads(Verdict.UNDECIDED, None, n=0, median=None, failure="It crashed."))
    assert found.verdict is None
    assert "It crashed." in found.why


def test_the_newest_outcome_counts_unless_it_failed() -> None:
    assert judged(BY_THREADS, FASTER, SLOWER).verdict is Verdict.OVERTURNED
    failed = threads(Verdict.UNDECIDED, None, n=0, failure="It crashed.")
    assert judged(BY_THREADS, FASTER, failed).verdict is Verdict.CONFIRMED


def test_where_a_claim_means_nothing_it_is_not_judged_and_says_why() -> None:
    found = judged(f"{BY_THREADS}, when: machine.cores >= 8, otherwise: Too few cores.", FASTER)
    assert (found.verdict, found.why) == (None, "Too few cores.")


@pytest.mark.parametrize("fact", ["machine.cores", "machine.nodes"])
def test_an_unknown_or_assumed_fact_leaves_a_claim_undecided(fact: str) -> None:
    claim = f"{BY_THREADS}, when: {fact} < 8, otherwise: Too many."
    found = judged(claim, FASTER, detected={})
    assert (found.verdict, found.why) == (Verdict.UNDECIDED, f"Not known here: {fact}.")


def test_what_one_said_was_measured_does_not_judge_only_outcomes_do() -> None:
    found = judged(BY_THREADS, threads(Verdict.UNDECIDED, None), detected={"probe.threads.best": 4})
    assert found.verdict is Verdict.UNDECIDED


def test_a_rate_judges_a_claim_with_its_whole_interval() -> None:
    slow, wide = (1 / 500,) * 9, (1 / 500,) * 5 + (1 / 2000,) * 4
    found = judged(BY_DISK, storage(*slow))
    assert found.verdict is Verdict.CONFIRMED
    (figure,) = found.figures
    assert figure.value.low <= figure.value.median <= figure.value.high
    assert figure.value.median == pytest.approx(500)
    assert judged(BY_DISK, storage(*(1 / 5000,) * 9)).verdict is Verdict.OVERTURNED
    spread = judged(BY_DISK, storage(*wide))
    assert spread.verdict is Verdict.UNDECIDED
    assert "spread" in spread.why


def test_a_rate_that_was_measured_on_a_busy_machine_decides_nothing_but_pairs_do() -> None:
    busy = Conditions(others_share=0.6, warnings=("Other programs took much.",))
    found = judged(BY_DISK, storage(*(1 / 500,) * 9, conditions=busy))
    assert found.verdict is Verdict.UNDECIDED
    assert "Other programs took 60%" in found.why
    assert len(found.figures) == 1
    paired = judged(BY_THREADS, threads(Verdict.CONFIRMED, 4, conditions=busy))
    assert (paired.verdict, paired.warnings) == (Verdict.CONFIRMED, busy.warnings)


def test_a_rate_counts_although_no_pair_was_timed() -> None:
    found = judged(BY_DISK, storage(*(1 / 500,) * 9, n=0, median=None, low=None, high=None))
    assert (found.verdict, found.measured) == (Verdict.CONFIRMED, None)


def test_a_rate_that_the_probe_did_not_give_leaves_the_claim_undecided() -> None:
    found = judged(BY_DISK, storage())
    assert (found.verdict, found.why) == (Verdict.UNDECIDED, "Not known here: probe.disk.")
    assert found.figures == ()


@pytest.mark.parametrize("after", ["x", [1], None, True, math.nan, {"a": 1}])
def test_a_setting_that_is_no_value_of_the_fact_judges_nothing(after: object) -> None:
    assert judged(BY_THREADS, threads(Verdict.CONFIRMED, after)).verdict is None
    assert judged(BY_THREADS, FASTER, threads(Verdict.CONFIRMED, after)).verdict is Verdict.CONFIRMED
    device = threads(Verdict.CONFIRMED, after, probe="device", fact="probe.device.best")
    claim = 'probe: device, expects: probe.device.best == "gpu"'
    assert judged(claim, device).verdict is None


def test_only_a_disk_of_the_right_kind_judges_a_claim_about_disks() -> None:
    def judged_on(*disk: str) -> Judgement:
        applies = {"machine": "here", **({"disk": disk[0]} if disk else {})}
        return judged(f"{BY_DISK}, disks: 'nvme, ssd'", storage(*(1 / 500,) * 9, applies=applies))

    assert judged_on("/ (ssd)").verdict is Verdict.CONFIRMED
    assert judged_on("/my (old) disk (nvme)").verdict is Verdict.CONFIRMED
    memory = judged_on("/fast (memory)")
    assert (memory.verdict, memory.date) == (None, "")
    assert memory.why == "It speaks of a local NVMe disk or a local solid-state disk; what was measured is memory."
    for unknown in (judged_on(), judged_on("/ssd"), judged_on("(ssd) elsewhere")):
        assert unknown.verdict is None
        assert "not known" in unknown.why


def test_a_claim_about_a_run_that_never_was_is_not_measured_yet() -> None:
    claim = f"{BY_THREADS}, when: machine.cores >= 8, noted: past the cache, otherwise: Memory has answered."
    never, once = judged(claim), judged(claim, FASTER)
    assert never.why == "Not measured yet: `advisor probe --only threads --data PATH`, with data on a disk."
    assert once.why == "Memory has answered."


def test_a_claim_can_ask_for_what_the_probe_must_have_noted() -> None:
    claim = f"{BY_THREADS}, noted: past the cache, otherwise: Memory has answered."
    found = judged(claim, FASTER)
    assert (found.verdict, found.why) == (None, "Memory has answered.")
    noted = replace(FASTER, conditions=Conditions(warnings=("All reads went past the cache.",)))
    assert judged(claim, noted).verdict is Verdict.CONFIRMED


# By the rules that stand for it


@pytest.mark.parametrize("after", ["x", [1], None, True, math.nan, {"a": 1}])
def test_a_rule_is_not_judged_by_a_setting_of_another_type(after: object) -> None:
    known = knowledge("expects: machine.cores == 4")
    plan = advise(known, FactBase.of({"machine.cores": 4}, Source.DETECTED))
    for keys in ({}, {"n": 0, "median": None, "low": None, "high": None}):
        found = judge(known, plan, known.by_id["threads.cores"], threads(Verdict.CONFIRMED, after, **keys))
        assert found in (None, RuleVerdict.UNDECIDED)


def test_a_gauge_that_the_rule_base_does_not_know_is_left_out() -> None:
    known = knowledge("expects: machine.cores == 4")
    plan = advise(known, FactBase.of({"machine.cores": 4}, Source.DETECTED))
    gauge = threads(
        Verdict.CONFIRMED, 4, gauges={"probe.unheard.of": 4}, settings=(SettingRecord(4, search=(1.0, 2.0)),)
    )
    assert judge(known, plan, known.by_id["threads.cores"], gauge) is RuleVerdict.CONFIRMED


def test_a_claim_of_rules_is_judged_as_they_are() -> None:
    found = judged("probe: threads, rules: [threads.cores]", FASTER)
    assert found.verdict is Verdict.CONFIRMED
    assert found.rules == {"threads.cores": Verdict.CONFIRMED}
    assert judged("probe: threads, rules: [threads.cores]", SLOWER).verdict is Verdict.OVERTURNED


def test_where_rules_disagree_the_worst_counts() -> None:
    eight = {"machine.cores": 8}
    found = judged(
        "probe: threads, rules: [threads.cores, threads.many]", threads(Verdict.CONFIRMED, 9), detected=eight
    )
    assert found.rules == {"threads.cores": Verdict.CONFIRMED, "threads.many": Verdict.OVERTURNED}
    assert found.verdict is Verdict.OVERTURNED


def test_a_rule_whose_condition_does_not_hold_judges_nothing() -> None:
    found = judged("probe: threads, rules: [threads.many]", FASTER)
    assert found.verdict is None
    assert "another plan" in found.why


# By arithmetic


def test_a_figure_that_follows_is_confirmed_within_its_rounding() -> None:
    found = judged("computed: [{title: one third, value: 1 / 3, says: 0.333, within: 0.01}]")
    assert found.verdict is Verdict.CONFIRMED
    assert (found.figures[0].value.median, found.figures[0].says) == (pytest.approx(1 / 3), 0.333)


def test_a_figure_that_does_not_follow_from_its_own_numbers_is_overturned() -> None:
    found = judged("computed: [{title: one third, value: 1 / 3, says: 0.3, within: 0.01}]")
    assert found.verdict is Verdict.OVERTURNED
    assert "its own numbers" in found.why


def test_a_figure_that_follows_from_wrong_numbers_only_is_overturned() -> None:
    printed, corrected = "{title: p, value: 8 / 4, says: 2}", "{title: c, value: 8 / 2, says: 2, reading: corrected}"
    found = judged(f"computed: [{printed}, {corrected}]")
    assert found.verdict is Verdict.OVERTURNED
    assert "right numbers" in found.why
    assert [figure.value.median for figure in found.figures] == [2, 4]


def test_what_was_measured_here_is_shown_beside_arithmetic_but_does_not_decide_it() -> None:
    claim = "computed: [{title: p, value: 8 / 4, says: 2}, {title: h, value: 8 / probe.disk, says: 2, reading: here}]"
    assert [figure.title for figure in judged(claim).figures] == ["p"]
    found = judged(claim, storage(*(1 / 100,) * 9))
    assert found.verdict is Verdict.CONFIRMED
    assert found.figures[1].value.median == pytest.approx(0.08)


def test_arithmetic_with_what_is_not_known_is_undecided() -> None:
    found = judged("computed: [{title: p, value: 8 / machine.cores, says: 2}]", detected={})
    assert (found.verdict, found.why) == (Verdict.UNDECIDED, "Not known here: machine.cores.")


def test_a_claim_can_expect_more_than_its_figures() -> None:
    assert judged("computed: [{title: p, value: 2, says: 2}], expects: 2 > 3").verdict is Verdict.OVERTURNED


# By what the machine is, by a table, by nothing yet


def test_what_is_known_of_the_machine_can_decide() -> None:
    assert judged("expects: machine.cores == 4").verdict is Verdict.CONFIRMED
    assert judged("expects: machine.cores == 5").verdict is Verdict.OVERTURNED


def table(*rows: tuple[str, str, str, int | None, float]) -> PublishedTable:
    """Seconds per mini-batch by network, tool, device and threads, made up."""
    figures = tuple(PublishedFigure(n, t, d, h, 64, "fp32", 1, seconds, "s/batch", "") for n, t, d, h, seconds in rows)
    return PublishedTable(TABLE_4, "A table", "made up", False, (), figures)


SMALL_TABLE = table(
    ("fcn5", "Caffe", "2x-e5-2630-v3", 16, 8.0),
    ("fcn5", "Caffe", "gtx-1080", None, 2.0),
    ("fcn5", "Torch", "2x-e5-2630-v3", 16, 16.0),
    ("fcn5", "Torch", "gtx-1080", None, 1.0),
)
BY_TABLE = (
    "published: dlbench-table-4, expects: table.gpu_over_sixteen_cores.most <= 3, "
    "figures: [{title: most, value: table.gpu_over_sixteen_cores.most}]"
)


def test_a_published_table_decides_a_claim_about_itself() -> None:
    found = judged(BY_TABLE, tables=(SMALL_TABLE,))
    assert found.verdict is Verdict.OVERTURNED
    assert found.figures[0].value.median == 16
    assert judged(BY_TABLE.replace("<= 3", "<= 16"), tables=(SMALL_TABLE,)).verdict is Verdict.CONFIRMED


def test_without_the_table_the_claim_is_not_judged() -> None:
    found = judged(BY_TABLE)
    assert (found.verdict, found.why) == (None, "The table dlbench-table-4 is not at hand.")


def test_a_table_without_the_cells_leaves_the_claim_undecided() -> None:
    found = judged(BY_TABLE, tables=(table(("fcn5", "Caffe", "k80", None, 2.0)),))
    assert (found.verdict, found.why) == (Verdict.UNDECIDED, "Not known here: most of the table.")


def test_what_waits_for_trials_says_so() -> None:
    found = judged("needs: trials")
    assert found.verdict is None
    assert found.why == "It needs trainings that trials on data do not make."


# The numbers that claims read


def test_the_table_is_counted_by_hand() -> None:
    numbers = {name: estimate.median for name, estimate in table_estimates([SMALL_TABLE]).items()}
    assert numbers["table.gpu_over_sixteen_cores.mean"] == pytest.approx(8)  # the root of 4 times 16
    assert numbers["table.processor_beats_gpu.cases"] == 0
    assert (numbers["table.caffe_fully_connected.first"], numbers["table.caffe_fully_connected.compared"]) == (0, 1)
    assert "table.tensorflow_recurrent_efficiency.least" not in numbers


def test_a_ratio_of_two_rates_holds_every_quotient_of_their_intervals() -> None:
    settings = (SettingRecord("gpu", search=(1.0, 2.0, 3.0)), SettingRecord("cpu", search=(10.0, 20.0, 30.0)))
    outcome = threads(Verdict.CONFIRMED, "gpu", probe="device", fact="probe.device.best", settings=settings)
    ratio = measured_estimates([outcome])["timed.gpu_over_cpu"]
    gpu, cpu = outcome.rate("gpu"), outcome.rate("cpu")
    assert gpu is not None
    assert cpu is not None
    assert (ratio.low, ratio.median, ratio.high) == (gpu.low / cpu.high, gpu.median / cpu.median, gpu.high / cpu.low)
    assert ratio.low < 10 < ratio.high


# The shipped claims


@pytest.fixture(scope="module")
def shipped() -> Knowledge:
    return loader.load(rules_folder())


@pytest.fixture(scope="module")
def judgements(shipped: Knowledge) -> dict[str, Judgement]:
    """Judged where nothing is known of the machine and nothing was measured."""
    plan = advise(shipped, FactBase(), detail=VALUES_ONLY)
    found = judge_claims(shipped, plan, (), load_tables(profiles_folder() / "published"))
    return {judgement.claim.id: judgement for judgement in found}


def test_the_shipped_tables_supply_every_number_of_the_table(shipped: Knowledge) -> None:
    supplied = table_estimates(load_tables(profiles_folder() / "published"))
    assert {name for name in shipped.survey.given if name.startswith("table.")} == set(supplied)


def test_the_program_supplies_every_number_that_was_timed(shipped: Knowledge) -> None:
    rates = {"threads": (16, 4), "device": ("gpu", "cpu"), "ranks": ("several", "one")}
    outcomes = [
        threads(
            Verdict.CONFIRMED, None, probe=probe, settings=tuple(SettingRecord(s, search=(1.0, 2.0)) for s in settings)
        )
        for probe, settings in rates.items()
    ]
    wanted = {name for name in shipped.survey.given if name.startswith("timed.")}
    assert wanted == set(measured_estimates(outcomes))


def test_every_probe_named_exists_and_measures_what_the_claim_reads(shipped: Knowledge) -> None:
    probes = {probe.name: probe for probe in PROBES}
    for claim in shipped.claims:
        if claim.probe and not is_trial(claim.probe) and not is_of_strategies(claim.probe):
            probe = probes[claim.probe]
            timed = {name for name in shipped.survey.given if name.startswith("timed.")}
            read = set(re.findall(r"[a-z_]+(?:\.[a-z_0-9]+)+", claim.expects))
            assert claim.rules or read & {probe.fact, *probe.gauges, *timed}, claim.id


SYNC_CLAIM = "probe: simulate, rules: [sync.x]"
OF_SYNC = RuleBase(
    facts={"nodes": integer(1, 1000), "sim.sync.best": choice("x", "y", group="probe", ask="false", closed="true")},
    topics={"sync": topic("first", "x", "y", simulated_by={"probe": "simulate", "fact": "sim.sync.best"})},
    rules=[
        rule(
            "sync.x", "sync", school="survey", value="x",
            settles={"probe": "simulate", "expects": 'sim.sync.best == "x"'},
        )
    ],
)  # fmt: skip


def simulated(after: str, verdict: Verdict, **keys: Any) -> Outcome:
    told = {"probe": "simulate", "topic": "sync", "fact": "sim.sync.best", "before": "x", "rival": "y", **keys}
    return threads(verdict, after, **told)


def test_a_simulation_judges_a_claim_through_its_rule_whatever_else_it_found() -> None:
    workers = simulated("8", Verdict.OVERTURNED, topic="parallelism", fact="sim.workers.best", before="4", rival="8")
    found = judged(SYNC_CLAIM, simulated("y", Verdict.OVERTURNED), workers, base=OF_SYNC, detected={"nodes": 4})
    assert found.verdict is Verdict.OVERTURNED
    assert found.measured is not None
    assert found.measured.to_json()["basis"] == "simulated"


def test_a_claim_that_only_a_simulation_can_judge_says_what_simulates() -> None:
    found = judged(SYNC_CLAIM, base=OF_SYNC, detected={"nodes": 4})
    assert found.verdict is None
    assert "`advisor simulate`" in found.why


def test_on_an_unknown_machine_only_arithmetic_and_tables_decide(judgements: dict[str, Judgement]) -> None:
    decided = {Verdict.CONFIRMED, Verdict.OVERTURNED, Verdict.NO_DIFFERENCE}
    by_here = [one for one in judgements.values() if one.claim.probe or not (one.claim.published or one.claim.figures)]
    assert by_here
    assert all(one.verdict not in decided for one in by_here)


@pytest.mark.parametrize(
    ("claim", "reading", "values"),
    [
        ("transfer.refill", Reading.PRINTED, [0.254]),
        ("transfer.refill", Reading.CORRECTED, [0.508]),
        ("transfer.serial", Reading.PRINTED, [1.016, 0.762]),
        ("transfer.serial", Reading.CORRECTED, [0.508]),
        ("transfer.idle", Reading.PRINTED, [0.262, 0.656]),
        ("transfer.idle", Reading.CORRECTED, [0.008, 0.984]),
        ("several.doubling", Reading.PRINTED, [1.538, 1.389, 1.111]),
        ("several.small-network", Reading.PRINTED, [55_050, 220_200, 243_860_896]),
        ("transfer.picture", Reading.PRINTED, [262_144]),
        ("size.resnet-50", Reading.CORRECTED, [25_557_032]),
        ("size.alexnet", Reading.PRINTED, [60_965_224]),
        ("size.fcn-5", Reading.PRINTED, [55_533_752]),
        ("size.fcn-8", Reading.PRINTED, [58_536_752]),
        ("gpu.three-times-table", Reading.PRINTED, [13.576, 43.0]),
    ],
)
def test_figures_are_those_worked_out_by_hand(
    judgements: dict[str, Judgement], claim: str, reading: Reading, values: list[float]
) -> None:
    found = [figure.value.median for figure in judgements[claim].figures if figure.reading is reading]
    assert found == pytest.approx(values, abs=0.0006)


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("transfer.refill", Verdict.OVERTURNED),
        ("transfer.pcie-4", Verdict.CONFIRMED),
        ("storage.raid", Verdict.CONFIRMED),
        ("gpu.hundred-times", Verdict.OVERTURNED),
        ("gpu.112-times", Verdict.CONFIRMED),
        ("threads.beyond-cores-table", Verdict.OVERTURNED),
        ("gpu.always-wins-table", Verdict.OVERTURNED),
        ("size.resnet-50", Verdict.OVERTURNED),
        ("several.mixed-asynchronous", Verdict.OVERTURNED),
        ("several.more-nodes-cost-little", Verdict.CONFIRMED),
        ("training.initial-weights", None),
    ],
)
def test_the_errata_are_found_and_what_is_right_is_confirmed(
    judgements: dict[str, Judgement], claim: str, verdict: Verdict | None
) -> None:
    assert judgements[claim].verdict is verdict


def shipped_verdict(shipped: Knowledge, claim: str, outcome: Outcome, facts: Mapping[str, Any]) -> Verdict | None:
    plan = advise(shipped, FactBase.of(facts), detail=VALUES_ONLY)
    return next(one.verdict for one in judge_claims(shipped, plan, [outcome]) if one.claim.id == claim)


def fed(**keys: Any) -> Outcome:
    """Training that did not wait for its data."""
    return threads(
        Verdict.CONFIRMED, "loaded", probe="input", topic="data.pipeline", fact="probe.input.best", before="loaded",
        rival="cached", **keys,
    )  # fmt: skip


def test_examples_from_memory_do_not_overturn_what_is_said_of_bringing_data(shipped: Knowledge) -> None:
    from advisor.probes.benches.examples import Source as Examples  # torch, 2 s

    def verdict(in_memory: bool, forgotten: bool, location: str) -> Verdict | None:
        note = Examples(in_memory, 100, 100, forgotten).note()
        outcome = fed(conditions=Conditions(warnings=(note,)))
        return shipped_verdict(shipped, "transfer.input-bound", outcome, {"data.location": location})

    assert verdict(in_memory=False, forgotten=True, location="ssd") is Verdict.OVERTURNED
    assert verdict(in_memory=False, forgotten=False, location="ssd") is None
    assert verdict(in_memory=True, forgotten=False, location="memory") is None


@pytest.mark.parametrize(
    ("seconds", "verdict"),
    [(0.5, Verdict.CONFIRMED), (0.1, Verdict.OVERTURNED), (2.0, Verdict.OVERTURNED)],
)
def test_a_card_that_is_slower_than_the_processor_is_not_up_to_three_times_as_fast(
    shipped: Knowledge, seconds: float, verdict: Verdict | None
) -> None:
    settings = (SettingRecord("gpu", search=(seconds,) * 9), SettingRecord("cpu", search=(1.0,) * 9))
    outcome = threads(
        Verdict.UNDECIDED, None, probe="device", fact="probe.device.best", before="cpu", rival="gpu", settings=settings
    )
    assert shipped_verdict(shipped, "gpu.three-times", outcome, {"machine.gpu.count": 1}) is verdict


def test_processes_on_the_processor_do_not_judge_what_is_said_of_cards(shipped: Knowledge) -> None:
    settings = (SettingRecord("several", search=(0.9,) * 9), SettingRecord("one", search=(1.0,) * 9))
    outcome = threads(
        Verdict.UNDECIDED,
        None,
        probe="ranks",
        fact="probe.ranks.best",
        before="one",
        rival="several",
        settings=settings,
    )
    plan = advise(shipped, FactBase.of({"machine.gpu.count": 2}), detail=VALUES_ONLY)
    for device, verdict in (("cpu", None), ("multi_gpu", Verdict.CONFIRMED)):
        entry = replace(plan.recommendations["compute.device"], value=device)
        chosen = replace(plan, recommendations={**plan.recommendations, "compute.device": entry})
        found = {one.claim.id: one for one in judge_claims(shipped, chosen, [outcome])}
        assert found["several.doubling"].verdict is verdict


def test_a_measured_link_stands_beside_the_published_one(shipped: Knowledge) -> None:
    plan = advise(shipped, FactBase.of({"machine.gpu.count": 1}, Source.DETECTED), detail=VALUES_ONLY)
    link = replace(
        storage(*(1 / 16e9,) * 9), probe="transfer", gauges={"probe.link.host_to_device_bytes_per_second": "sequential"}
    )
    found = {one.claim.id: one for one in judge_claims(shipped, plan, [link])}
    here = [figure for figure in found["transfer.refill"].figures if figure.reading is Reading.HERE]
    assert [figure.value.median for figure in here] == [pytest.approx(0.5)]
    assert found["transfer.link-at-most"].verdict is Verdict.CONFIRMED
    faster = replace(link, settings=(SettingRecord("sequential", search=(1 / 50e9,) * 9),))
    found = {one.claim.id: one for one in judge_claims(shipped, plan, [faster])}
    assert found["transfer.link-at-most"].verdict is Verdict.OVERTURNED
