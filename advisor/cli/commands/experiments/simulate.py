"""`advisor simulate`: workers that nobody has at hand, in virtual time."""

from __future__ import annotations

import time

import typer

from advisor.children.errors import CannotRunError
from advisor.children.stopping import Stop
from advisor.cli.commands.options import Simulate
from advisor.cli.console import FAILED, look, panel, warn
from advisor.cli.delivering import deliver_page, refuse_rewriting, shown_otherwise
from advisor.cli.gathering import inputs_of
from advisor.cli.main import end_interrupted
from advisor.cli.naming import options_named
from advisor.cli.options import facts_repeated
from advisor.cli.signals import told_to
from advisor.cli.simulating_progress import SimulatingProgress
from advisor.files.output import check_output
from advisor.report.html.strategies import planned_html, simulation_html
from advisor.report.page import Look
from advisor.report.strategies.planned import planned_json, planned_page
from advisor.report.strategies.simulation import simulation_json, simulation_page
from advisor.session.measuring import seconds_of
from advisor.session.simulating import Asked, Simulation, simulated
from advisor.session.simulating_plans import PlanSimulation, simulated_for_plan
from advisor.simulation.running import LateError, StoppedError


def simulate(options: Simulate) -> None:
    begun, budget = time.monotonic(), seconds_of(options.budget)
    if options.output is not None:
        refuse_rewriting(options.output, options.answers)
        refuse_rewriting(options.output, options.data, what="this is the file of the data")
        check_output(options.output, force=options.force)
    inputs, stop = inputs_of(options), Stop()
    left = budget - (time.monotonic() - begun)
    try:
        with facts_repeated(options), options_named(), told_to(stop.everything):
            if options.strategy is None:
                with SimulatingProgress() as progress:
                    planned = simulated_for_plan(inputs, _asked(options), left, complain=warn, stop=stop, tell=progress)
                _deliver_for_plan(planned, options)
            else:
                with SimulatingProgress() as progress:
                    found = simulated(inputs, _asked(options), left, stop, progress)
                _deliver(found, options)
    except StoppedError:
        end_interrupted("A simulation is not kept.")
    except CannotRunError as error:
        panel("Nothing was simulated", [str(error), *(_faster(options) if isinstance(error, LateError) else [])])
        raise typer.Exit(FAILED) from error


def _deliver(found: Simulation, options: Simulate) -> None:
    made = (found.scenario, found.result, found.notes)

    def page(shown: Look) -> str:
        return simulation_page(*made, shown, whole=options.whole)

    with shown_otherwise(lambda: page(look())):
        deliver_page(
            options.format_,
            options.output,
            options.force,
            as_json=lambda: simulation_json(*made),
            as_html=lambda date: simulation_html(*made, date),
            as_text=page,
        )


def _deliver_for_plan(found: PlanSimulation, options: Simulate) -> None:
    plans = (found.before, found.after)
    made = (found.scenario, found.names, found.results, found.comparison, found.sweep, plans, found.notes)

    def page(shown: Look) -> str:
        return planned_page(*made, shown)

    with shown_otherwise(lambda: page(look())):
        deliver_page(
            options.format_,
            options.output,
            options.force,
            as_json=lambda: planned_json(*made),
            as_html=lambda date: planned_html(*made, date),
            as_text=page,
        )


def _faster(options: Simulate) -> list[str]:
    """Ways to an answer."""
    timing = [] if options.loss is False else [" --timing-only leaves out the losses, which take most of the time."]
    return ["".join(["Give more time with --budget.", *timing])]


def _asked(options: Simulate) -> Asked:
    return Asked(
        strategy=options.strategy or "synchronous",
        workers=options.workers,
        steps=options.steps,
        batch=options.batch,
        step_time=options.step_time,
        link=options.link,
        latency=options.latency,
        straggler=options.straggler,
        overlap=options.overlap,
        inner_link=options.inner_link,
        servers=options.servers,
        precision=options.precision,
        activations=options.activations,
        failures=options.failures,
        restart=options.restart,
        checkpoint=options.checkpoint,
        checkpoint_cost=options.checkpoint_cost,
        loss=options.loss,
        seed=options.seed,
        cluster=options.cluster,
    )
