"""claims.yaml: what a claim must say, what packs may change, and that the shipped claims cover the survey."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.errors import InputError
from advisor.knowledge import loader
from advisor.knowledge.claims import Basis, Reading
from advisor.knowledge.model import Knowledge, School
from advisor.plain import decode, encode
from advisor.resources import rules_folder
from tests.knowledge.texts import problems

FACTS = """\
groups: {machine: The computer, probe: What was measured}
facts:
  machine.cores: {group: machine, type: integer, unit: cores, question: How many?, help: Count.}
  probe.best: {group: probe, type: integer, unit: threads, question: Which?, help: Timed.}
"""
TOPICS = "topics:\n  compute.threads: {title: Threads, policy: value, type: integer}\n"
RULES = """\
- {id: threads.cores, topic: compute.threads, school: survey, value: machine.cores, because: So., sources: [book],
   settles: {probe: threads, expects: probe.best <= machine.cores}}
"""
GIVEN = "given:\n  table.most: {title: The most, help: In the table.}\n"


def claim(identifier: str = "c", **keys: str) -> str:
    """A sound claim that a probe decides, with some keys changed; an empty text leaves a key out."""
    given = {"claim": "It is so.", "sources": "[book]", "probe": "threads", "expects": "probe.best > 1", **keys}
    return f"  - id: {identifier}\n" + "".join(f"    {key}: {text}\n" for key, text in given.items() if text)


def computed(*figures: str, **keys: str) -> str:
    return claim(probe="", **{"expects": "", "computed": f"[{', '.join(figures)}]", **keys})


def found(tmp_path: Path, *claims: str, given: str = GIVEN) -> list[str]:
    text = given + "claims:\n" + "".join(claims)
    return problems(tmp_path, facts=FACTS, topics=TOPICS, rules=RULES, claims=text)


@pytest.mark.parametrize(
    "text",
    [
        claim(),
        claim(when="machine.cores > 1", otherwise="There is one core."),
        claim(expects="", rules="[threads.cores]"),
        claim(disks="nvme, ssd"),
        claim(noted="past the cache", otherwise="Memory has answered."),
        claim(probe="", expects="machine.cores < 1000"),
        computed("{title: one third, value: 1 / 3, says: 0.333, within: 0.01}"),
        computed("{title: cores, value: machine.cores, reading: here}", expects="1 + 1 == 2"),
        claim(probe="", published="a-table", expects="table.most > 3", figures="[{title: most, value: table.most}]"),
        claim(probe="", expects="", needs="trials"),
    ],
)
def test_a_claim_is_decided_in_one_of_these_ways(tmp_path: Path, text: str) -> None:
    assert found(tmp_path, text) == []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (claim(expects="probe.bets > 1"), "claim c: expects uses 'probe.bets', which is not declared"),
        (claim(expects="probe.best + 1"), "where a yes or no is needed"),
        (claim(expects='probe.best == "many"'), "claim c: expects"),
        (claim(expects="open(1)"), "claim c: expects"),
        (claim(when="machine.core > 1", otherwise="No."), "claim c: when uses 'machine.core', which is not declared"),
        (claim(when="machine.cores > 1"), "when and otherwise belong together"),
        (claim(disks="nvme, sdd"), "claim c: sdd is no kind of disk. Did you mean ssd?"),
        (claim(noted="past the cache"), "claim c: noted and otherwise belong together"),
        (claim(probe="", expects="machine.cores < 1000", disks="ssd"), "disks and noted speak of a measurement"),
        (claim(otherwise="No."), "when and otherwise belong together"),
        (claim(expects=""), "claim c lacks the key 'expects'"),
        (claim(probe="", expects=""), "claim c lacks the key 'expects'"),
        (claim(sources=""), "claim c cites nothing"),
        (claim(sources="[bok III]"), "claim c cites 'bok', which sources.yaml does not have. Did you mean book?"),
        (claim(erratum="E2"), "claim c names the erratum 'E2', which sources.yaml does not have"),
        (claim(expects="", rules="[threads.core]"), "claim c names the rule 'threads.core'"),
        (claim(rules="[threads.cores]"), "what a rule expects stands in the rule"),
        (claim(needs="trials"), "only one of probe and needs can decide it"),
        (claim(probe="", expects="", needs="luck"), "needs cannot be 'luck'"),
        (claim(probe="", needs="trials"), "expects and when mean nothing"),
        (claim(text="It is."), "a claim has no key 'text'"),
        (claim(claim=""), "claim c lacks the key 'claim'"),
        (computed(), "no figure has `says`, so nothing is compared"),
        (computed("{title: a third, value: 1 / 3}"), "no figure has `says`, so nothing is compared"),
        (computed("{title: a third, value: 1 / 3, says: 0.3, reading: here}"), "no figure has `says`"),
        (computed("{title: a third, says: 0.3}"), "lacks the key 'value'"),
        (computed("{title: a third, value: 1 / thirds, says: 0.3}"), "the figure a third uses 'thirds'"),
        (computed("{title: a third, value: 1 < 3, says: 0.3}"), "where a number is needed"),
        (computed("{title: a third, value: 1 / 3, says: about 0.3}"), "says must be a number"),
        (computed("{title: a third, value: 1 / 3, says: 0.3, within: 2}"), "within is a share from 0 to 1"),
        (computed("{title: a third, value: 1 / 3, says: 0.3, reading: wrong}"), "reading cannot be 'wrong'"),
        (computed("{title: t, value: 1, says: 1}", figures="[]"), "its figures belong under `computed`"),
        (claim(probe="", expects="", computed="5"), "computed must be a list"),
        (claim(probe="", published="t", expects="table.most > 3"), "shows no figure of the table"),
        (claim() + claim(), "claim c stands at"),
        ("  5\n", "claims must be a list"),
    ],
)
def test_what_is_wrong_with_a_claim_is_said_with_file_and_line(tmp_path: Path, text: str, says: str) -> None:
    said = found(tmp_path, text)
    assert any(says in one and one.startswith("claims.yaml:") for one in said), said


def test_the_line_named_is_that_of_the_claim(tmp_path: Path) -> None:
    (said,) = found(tmp_path, claim("first"), claim("second", expects="probe.best"))
    assert said.startswith("claims.yaml:9: claim second: expects")


def test_a_given_number_cannot_have_the_name_of_a_fact(tmp_path: Path) -> None:
    (said,) = found(tmp_path, claim(), given="given:\n  machine.cores: {title: T, help: H.}\n")
    assert "given machine.cores is declared elsewhere already" in said


@pytest.fixture
def pack(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    assert found(tmp_path, claim("ours"), claim("theirs", expects="", rules="[threads.cores]")) == []
    return tmp_path_factory.mktemp("pack")


def test_a_pack_adds_claims_and_replaces_them_where_they_stand(tmp_path: Path, pack: Path) -> None:
    (pack / "claims.yaml").write_text("claims:\n" + claim("ours", claim="Ours now.") + claim("new"), encoding="utf-8")
    claims = loader.load(tmp_path, [pack]).claims
    assert [one.id for one in claims] == ["ours", "theirs", "new"]
    assert claims[0].text == "Ours now."


def test_a_pack_cannot_declare_numbers_that_the_program_supplies(tmp_path: Path, pack: Path) -> None:
    (pack / "claims.yaml").write_text(GIVEN, encoding="utf-8")
    with pytest.raises(InputError) as refused:
        loader.load(tmp_path, [pack])
    assert "a pack cannot declare given numbers" in str(refused.value.problems[0])


def test_a_pack_may_disable_a_rule_that_stands_for_a_claim(tmp_path: Path, pack: Path) -> None:
    (pack / "house.yaml").write_text("- {disable: threads.cores, because: Not ours.}\n", encoding="utf-8")
    assert loader.load(tmp_path, [pack]).claims[1].rules == ("threads.cores",)


def test_claims_survive_the_cache(shipped: Knowledge) -> None:
    assert decode(Knowledge, encode(shipped, brief=True)).survey == shipped.survey


@pytest.fixture(scope="module")
def shipped() -> Knowledge:
    return loader.load(rules_folder())


def test_every_rule_of_the_survey_that_a_probe_settles_stands_for_a_claim(shipped: Knowledge) -> None:
    claimed = {name for one in shipped.claims for name in one.rules}
    settled = {rule.id for rule in shipped.rules if rule.school is School.SURVEY and rule.settles is not None}
    assert settled
    assert settled - claimed == set()


def test_every_claim_cites_a_seed_document_with_the_place(shipped: Knowledge) -> None:
    for one in shipped.claims:
        seeds = [cited for cited in one.sources if shipped.sources[cited.split(" ")[0]].kind == "seed"]
        assert seeds, one.id
        assert all(" " in cited for cited in seeds), one.id


def test_a_claim_with_an_erratum_in_figures_shows_the_corrected_ones(shipped: Knowledge) -> None:
    for one in shipped.claims:
        if one.basis is Basis.ARITHMETIC and set(one.erratum) & {"E3", "E8", "E10"}:
            assert any(figure.reading is Reading.CORRECTED for figure in one.figures), one.id


def test_every_erratum_about_a_figure_belongs_to_a_claim(shipped: Knowledge) -> None:
    named = {key for one in shipped.claims for key in one.erratum}
    assert {f"E{number}" for number in range(1, 11)} - named == set()


def test_every_given_number_is_read(shipped: Knowledge) -> None:
    texts = " ".join(
        " ".join([one.when, one.expects, *(figure.value for figure in one.figures)]) for one in shipped.claims
    )
    assert [name for name in shipped.survey.given if name not in texts] == []
