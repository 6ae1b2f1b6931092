"""A small rule base, written as its author would, and plans made from it: enough for every part of a report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from advisor.facts.fact_base import FactBase, Source
from advisor.facts.verdict import Verdict
from advisor.inference.advise import advise
from advisor.inference.plan import Measurement, Plan, Status
from advisor.knowledge import loader
from advisor.knowledge.model import Knowledge, School

FACTS = """
groups: {task: What it is for, data: What it learns from, machine: The computer, cluster: More than one, probe: Measured}
facts:
  task.kind:
    {group: task, type: choice, choices: {classify: classes, generate: new examples}, question: What should it do?, help: Say it.}
  data.modality:
    {group: data, type: choice, choices: {image: a picture, tabular: a row}, question: What is one example?, help: Say it.}
  data.examples: {group: data, type: integer, unit: examples, question: How many examples are there?, help: Count them.}
  data.bytes: {group: data, type: integer, unit: bytes, question: How large is it?, help: Look.}
  data.location: {group: data, type: choice, choices: {ssd: near, network: far}, question: Where is it?, help: Look.}
  data.labels: {group: data, type: boolean, question: Are there labels?, help: Look.}
  data.order: {group: data, type: boolean, question: Does the order matter?, help: Think.}
  data.noise: {group: data, type: boolean, question: Is it noisy?, help: Look.}
  machine.cpu.physical_cores: {group: machine, type: integer, unit: cores, min: 1, question: How many cores?, help: Count them.}
  machine.cpu.logical_cores: {group: machine, type: integer, unit: threads, min: 1, question: How many threads?, help: Count.}
  machine.gpu.count: {group: machine, type: integer, unit: cards, question: How many GPUs?, help: Count them.}
  machine.gpu.name:
    {group: machine, type: text, question: Which GPU?, help: Its name., ask: false, only_when: machine.gpu.count > 0}
  cluster.nodes: {group: cluster, type: integer, unit: machines, min: 1, assume: "1", question: How many machines?, help: Count.}
  probe.threads.best: {group: probe, type: integer, unit: threads, min: 1, ask: false, question: Which was fastest?, help: Timed.}
constraints:
  - {holds: machine.cpu.physical_cores <= machine.cpu.logical_cores, because: every core has a thread}
"""

TOPICS = """
topics:
  network.type:
    title: Network type
    policy: score
    values: {cnn: convolutional network, ffn: feed-forward network, linear: linear model (no network), relu: ReLU}
  network.depth:
    {title: Depth, policy: first, values: {deep: many layers, shallow: one layer}, applies: network.type != "linear"}
  network.hidden_units: {title: Hidden units, policy: value, type: integers, unit: units per layer}
  training.regularization: {title: Regularisation, policy: all, values: {dropout: dropout, augmentation: augmentation}}
  compute.threads:
    title: Processor threads
    policy: value
    type: integer
    unit: threads
    measured_by: {probe: threads, fact: probe.threads.best}
    actions: ["torch.set_num_threads({value})    # keeps its blanks"]
  storage: {title: Storage, policy: first, values: {in_memory: main memory, local_ssd: local SSD, network: network storage}}
  cost: {title: Cost, policy: value, type: number, unit: money}
  oddity.here: {title: Oddity, policy: first, values: {odd: "an odd one"}}
"""

SOURCES = """
sources:
  seed: {title: A seed document, author: Wünsche, year: 2018}
  book: {title: A book, author: Someone, year: 2020}
errata:
  E1: {about: a figure, text: It should read 3 instead of 30.}
"""

RULES = """
- {id: network.type.picture, topic: network.type, school: survey, when: data.modality == "image", for: cnn, strength: strong,
   because: Pictures repeat their parts., sources: [seed III.D], verified: 2026-01-02, erratum: E1, readiness: 9}
- {id: network.type.rows, topic: network.type, school: any, when: data.modality == "tabular", for: linear, strength: strong,
   because: Rows do not., sources: [book 7], verified: no}
- {id: network.type.plain, topic: network.type, school: any, for: ffn, strength: weak, because: It always works., sources: [book],
   verified: no}
- {id: network.depth.old, topic: network.depth, school: survey, value: shallow, because: One layer is enough.,
   sources: [seed II], verified: 2026-01-02, erratum: E1}
- {id: network.depth.new, topic: network.depth, school: today, when: data.modality == "image", value: deep,
   because: Depth won., sources: [book 2], verified: no, supersedes: network.depth.old}
- {id: network.hidden_units.fixed, topic: network.hidden_units, school: any, value: "[64, 10]", because: House habit.,
   sources: [book], verified: 2026-01-02}
- {id: training.regularization.drop, topic: training.regularization, school: any, add: dropout, because: It rarely hurts.,
   sources: [book], verified: 2026-01-02, actions: ["torch.nn.Dropout(0.1)"]}
- {id: training.regularization.turn, topic: training.regularization, school: any, when: data.modality == "image",
   add: augmentation, because: A turned cat is a cat., sources: [book], verified: 2026-01-02}
- {id: compute.threads.measured, topic: compute.threads, school: any, when: probe.threads.best >= 1,
   value: probe.threads.best, because: It was timed., sources: [book], verified: 2026-01-02}
- {id: compute.threads.cores, topic: compute.threads, school: any, when: cluster.nodes < 100, value: machine.cpu.physical_cores,
   because: A thread for each core., sources: [seed III.F], verified: 2026-01-02}
- {id: storage.small, topic: storage, school: today, when: data.examples < 1000 and data.bytes < 1000000, value: in_memory,
   because: It fits., sources: [book], verified: no}
- {id: storage.near, topic: storage, school: today, when: data.location == "ssd" and not data.noise, value: local_ssd,
   because: It is near., sources: [book], verified: no}
- {id: storage.far, topic: storage, school: today, when: data.location == "network" and data.labels and data.order,
   value: network, because: It is far., sources: [book], verified: no}
- {id: cost.none, topic: cost, school: today, when: data.bytes < 10, value: "12.5", because: Little is cheap.,
   sources: [book], verified: no}
- {id: oddity.here.always, topic: oddity.here, school: any, value: odd, because: It is odd., sources: [book], verified: no}
"""

HOSTILE = (
    "[bold]x[/bold] \x1b[31mred\x9b0m <script>alert(1)</script> a|b `c` **d** [e](http://f) \u202egnp.exe & # _g_\nnext"
)
"""Markup of every kind that reports are written in, control characters, a direction mark and a line break."""


def build(rules: str = RULES, sources: str = SOURCES, facts: str = FACTS, topics: str = TOPICS) -> Knowledge:
    texts = {"facts.yaml": facts, "rules.yaml": rules, "sources.yaml": sources, "topics.yaml": topics}
    return loader.build([(0, Path(name), text) for name, text in texts.items()])


@cache
def knowledge() -> Knowledge:
    return build()


def facts(answers: Mapping[str, Any] | None = None, detected: Mapping[str, Any] | None = None) -> FactBase:
    given = {"data.modality": "image"} if answers is None else answers
    found = {"machine.cpu.physical_cores": 4} if detected is None else detected
    return FactBase.of(found, Source.DETECTED).with_values(given, Source.ASKED)


def plan(school: School = School.TODAY, known: Knowledge | None = None, **given: Mapping[str, Any]) -> Plan:
    return advise(known or knowledge(), facts(**given), school)


MEASURED = Measurement(
    probe="threads",
    before=4,
    after=2,
    verdict=Verdict.OVERTURNED,
    median=1.31,
    low=1.22,
    high=1.4,
    n=24,
    date="2026-11-21",
    applies={"machine": "abc123", "network": "ffn 64-10"},
    rival=2,
    judged={"compute.threads.cores": "overturned"},
)


def measured_plan(measured: Measurement = MEASURED) -> Plan:
    """The plan with its thread count measured, as the agent leaves it."""
    before = plan()
    entry = replace(before.recommendations["compute.threads"], measured=measured)
    return replace(before, recommendations={**before.recommendations, "compute.threads": entry})


SIMULATED = replace(
    MEASURED,
    probe="simulate",
    n=5,
    applies={"nodes": "64", "worker": "a card"},
    judged={"compute.threads.cores": "confirmed"},
)
"""As a simulation would have found the same; nothing of it is measured."""


def simulated_plan(measured: Measurement = SIMULATED, topic: str = "compute.threads", value: object = 2) -> Plan:
    """The plan with what a simulation decided of one topic."""
    before = plan()
    entry = replace(before.recommendations[topic], value=value, status=Status.SIMULATED, measured=measured)
    return replace(before, recommendations={**before.recommendations, topic: entry})


def hostile_knowledge() -> Knowledge:
    """The same rule base with hostile text wherever an author of a rule pack can write."""
    from json import dumps

    quoted = dumps(HOSTILE)
    rules = RULES.replace("Pictures repeat their parts.", quoted).replace("Depth won.", quoted)
    rules = rules.replace("A thread for each core.", quoted).replace('"torch.nn.Dropout(0.1)"', quoted)
    sources = SOURCES.replace("A seed document", quoted).replace("A book", quoted).replace("Wünsche", quoted)
    return build(rules, sources.replace("It should read 3 instead of 30.", quoted))
