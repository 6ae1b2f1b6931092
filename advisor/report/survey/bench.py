"""The benchmark of 2016 on this machine, for the terminal: times beside the published ones, and what they judge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from advisor.knowledge.model import Knowledge
from advisor.machine.profiles.published import PublishedFigure, PublishedTable
from advisor.networks.counts import counted
from advisor.probes.settings.batch import BATCH
from advisor.probes.settings.cores import THREADS
from advisor.probes.settings.variants import CPU, DEVICE, GPU
from advisor.report.changes import quantity, sentence
from advisor.report.numbers import number_words
from advisor.report.page import Look, Page, Style
from advisor.report.rates import times
from advisor.report.survey.claims import VERDICTS, cited, figure_words
from advisor.report.words import gathered
from advisor.survey import bench_findings as findings
from advisor.survey.bench import Measured, timed
from advisor.survey.bench_findings import ERRATA, PROCESSORS, Figure, Findings, Scaling
from advisor.wording import join_names, shorten

_SWEPT: Mapping[str, str] = {THREADS.name: "Threads", BATCH.name: "Batches", DEVICE.name: "The card"}
_CARDS: Mapping[str, str] = {"gtx-980": "GTX 980", "gtx-1080": "GTX 1080", "k80": "K80"}
_TOOLS: Mapping[str, str] = {"TensorFlow": "TF"}
_PROCESSORS: Mapping[str, str] = {"i7-3820": "i7-3820", "2x-e5-2630-v3": "2x E5-2630 v3"}


@dataclass(frozen=True, slots=True)
class BenchReport:
    """Everything that the two faces show."""

    results: Sequence[Measured]
    found: Findings
    knowledge: Knowledge
    table: PublishedTable | None
    machine: str
    """Its processor in words"""
    physical_cores: int | None
    date: str
    torch: str

    @property
    def titles(self) -> dict[str, str]:
        """Of the networks, by name."""
        return {result.network.name: result.network.title for result in self.results}

    def scalings(self, result: Measured) -> list[Scaling]:
        return list(findings.scalings(result, self.physical_cores, self.table))


def bench_page(report: BenchReport, look: Look) -> str:
    page = Page(look)
    title = f"The benchmark of Shi et al. 2016 on {shorten(report.machine)}"
    page.add((title, Style.HEADING), f", torch {report.torch}" if report.torch else "")
    page.add(
        "Seconds of a training step, with 95 % intervals. Beside it stand the tools of 2016, in each place the fastest "
        "(TF: TensorFlow): other software, other processors, the same networks as far as the paper tells."
    )
    for result in report.results:
        _network(page, report, result)
    if not any(map(timed, report.results)):
        page.heading("WHAT IT JUDGES")
        page.add("Nothing, since nothing was measured here.")
        return page.text()
    _scaling(page, report)
    _claims(page, report)
    _table_and_errata(page, report)
    return page.text()


def of_bench(words: str) -> str:
    """The words of a probe on a plan, turned to a benchmark, which has none."""
    return words.replace(", which is recommended,", ", which the others are compared with,").replace(
        "The plan's network", "This network"
    )


def _network(page: Page, report: BenchReport, result: Measured) -> None:
    network = result.network
    weights = number_words(float(counted(network).parameters), "weights")
    page.heading(f"{network.title.upper()}: {weights}, batches of {network.batch_size}")
    for line in _rows(report, result):
        page.verbatim(line)
    _verdict(page, result, THREADS.name, "threads")
    cards = [
        f"{name} {short(best.value)} ({best.framework}{', doubtful' if best.doubt else ''})"
        for device, name in _CARDS.items()
        if (best := findings.fastest(findings.published_of(network, report.table), device, None)) is not None
    ]
    if cards:
        page.add(f"Cards of 2016: {'; '.join(cards)}.")
    _device(page, result)
    _batches(page, result)


def _rows(report: BenchReport, result: Measured) -> Iterator[str]:
    """Threads, the time here, the speed-up over one thread, and the published times of both processors."""
    published = findings.published_of(result.network, report.table)
    here = [one for one in findings.settings(result, THREADS.name) if isinstance(one, int)]
    there = sorted({figure.threads for figure in published if figure.threads is not None})
    devices = [device for device in PROCESSORS if any(figure.device == device for figure in published)]
    lines = [("threads", "here", "over 1 thread", *(_PROCESSORS[device] for device in devices))]
    for threads in sorted({*here, *there}):
        own = findings.seconds(result, THREADS.name, threads)
        faster = findings.speed_up(result, THREADS.name, 1, threads) if own is not None and threads != 1 else None
        others = [_cell(findings.fastest(published, device, threads)) for device in devices]
        lines.append((str(threads), _interval(own) if own else "", _times(faster) if faster else "", *others))
    if len(lines) == 1:
        return
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for first, *rest in lines:
        cells = [f"{cell:<{width}}" for cell, width in zip(rest, widths[1:], strict=True)]
        yield "  ".join([f"{first:>{widths[0]}}", *cells]).rstrip()


def _verdict(page: Page, result: Measured, probe: str, unit: str) -> None:
    """The result of the pairs, or why there is none, and doubts about it."""
    outcome = result.outcomes.get(probe)
    if outcome is None:
        if probe in result.skipped:
            page.add(f"{_SWEPT[probe]} not measured: {shorten(result.skipped[probe], 200)}")
        return
    if outcome.failure is not None:
        page.add((f"{_SWEPT[probe]} not finished: {shorten(of_bench(outcome.failure), 300)}", Style.CARE), first="! ")
    elif outcome.measured:
        page.add(sentence(outcome, unit))
    refused = findings.refused(result, probe)
    page.items((f"{quantity(one, unit)}: {shorten(why, 200)}" for one, why in refused.items()), "  ")
    page.items(((warning, Style.FAINT) for warning in outcome.conditions.warnings), "  ")


def _device(page: Page, result: Measured) -> None:
    if DEVICE.name not in result.outcomes:
        return
    card, processor = findings.seconds(result, DEVICE.name, GPU), findings.seconds(result, DEVICE.name, CPU)
    if card is not None:
        against = f", the processor {_interval(processor)}" if processor is not None else ""
        page.add(f"The card here: {_interval(card)}{against}.")
    _verdict(page, result, DEVICE.name, "")


def _batches(page: Page, result: Measured) -> None:
    sizes = findings.settings(result, BATCH.name)
    steps = [(size, step) for size in sizes if (step := findings.seconds(result, BATCH.name, size)) is not None]
    if sizes:
        told = [f"{size}: {number_words(int(size) / step.median, 'examples/s')}" for size, step in steps]
        page.add(f"By batch: {'; '.join(told)}.")
    _verdict(page, result, BATCH.name, "examples")


def _scaling(page: Page, report: BenchReport) -> None:
    found = [scaling for result in report.results for scaling in report.scalings(result)]
    if not found:
        return
    page.heading("MORE THREADS")
    titles = {False: "Twice as many threads, up to the real cores", True: "More threads than real cores"}
    for beyond, title in titles.items():
        group = [scaling for scaling in found if scaling.beyond_cores is beyond]
        if group:
            page.add((title, Style.STRONG), f" (here {report.physical_cores})" if beyond else "")
        for one in group:
            there = ""
            if one.published is not None:
                least, mean, most = one.published
                there = f"; published {mean:.2f}x ({least:.2f} to {most:.2f}, {one.published_cases} cases)"
            doubled = f"{one.network.title}, {one.fewer} to {one.more}: "
            page.add(doubled, (_times(one.here), Style.STRONG), there, first="- ")


def _claims(page: Page, report: BenchReport) -> None:
    titles = report.titles
    page.heading("WHAT IT JUDGES")
    if not report.found.judged:
        page.add("No claim of the documents could be judged by what was measured.")
    for judged in report.found.judged.values():
        one = next(iter(judged.values()))
        page.add((one.claim.text, Style.STRONG), (f" [{cited(one)}]", Style.FAINT), first="- ")
        named = gathered((VERDICTS[other.verdict], titles[name]) for name, other in judged.items())
        page.items((f"{word}: {join_names(named[word])}" for word in VERDICTS.values() if word in named), "  ")
    not_judged = ((shorten(of_bench(why), 200), name) for name, why in report.found.not_judged.items())
    page.items((f"Not judged ({join_names(names)}): {why}", Style.FAINT) for why, names in gathered(not_judged).items())


def _table_and_errata(page: Page, report: BenchReport) -> None:
    concerned = [one for one in report.found.table if set(one.claim.erratum) & set(ERRATA)]
    if concerned:
        page.heading("WHAT THE PUBLISHED TABLE ITSELF SAYS")
    for one in concerned:
        told = "; ".join(map(figure_words, one.figures))
        page.add((one.claim.text, Style.STRONG), f" {VERDICTS[one.verdict]}", f" ({told})" if told else "", first="- ")
    known = [(key, report.knowledge.errata[key].text) for key in ERRATA if key in report.knowledge.errata]
    if known:
        page.heading("WHERE THE DOCUMENTS ARE MISTAKEN ABOUT IT")
    for key, text in known:
        page.add(" ".join(text.split()), first=[(f"{key}  ", Style.STRONG)])


def _cell(figure: PublishedFigure | None) -> str:
    if figure is None:
        return ""
    return f"{short(figure.value)} {_TOOLS.get(figure.framework, figure.framework)}{' ?' if figure.doubt else ''}"


def _interval(figure: Figure) -> str:
    if figure.low is None or figure.high is None:
        return f"{short(figure.median)} s, run once"
    return f"{short(figure.median)} s [{short(figure.low)}, {short(figure.high)}]"


def _times(figure: Figure) -> str:
    if figure.low is None or figure.high is None:
        return f"{figure.median:.2f}x, run once"
    return times(figure.median, figure.low, figure.high)


def short(value: float) -> str:
    """Three digits: seconds of a step lie between a millisecond and a minute."""
    return f"{value:.3g}"
