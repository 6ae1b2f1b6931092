"""Everything that only a machine with a graphics card can tell, in one command of at most ten minutes.

    python benchmarks/gpu.py                 writes gpu-run/
    python benchmarks/gpu.py --cpu           a rehearsal of what can be done without a card

Runs the doctor, measures the card's rates, takes a profile of the machine, trains two starter projects, tries and
applies a model, trains under several strategies, probes the plans of four tasks, measures published networks for which
a plan was made before, and runs every test marked `gpu`. Each part has a time limit of its own within the total. The
same command goes on where a run ended or was killed: what is finished is not run again. gpu-run/summary.md tells what
was found; logs, results and the profile lie beside it.

The machine needs Python >= 3.11, a CUDA build of torch and the usual scientific packages, but no network: `make
gpu-kit` brings what else is needed into .gpu-kit, and this program installs it there.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import tarfile
import time
from pathlib import Path

from cards import summary
from cards.kit import PACKED
from cards.parts import Folder, Needs, Outcome, Part, Status, run, write_json
from cards.plans import MODELS, PLANS, STARTERS, answers, of_model

ROOT = Path(__file__).resolve().parents[1]
CARDS = ROOT / "benchmarks" / "cards"
KIT = ROOT / ".gpu-kit"
PROFILE = "card"
TOTAL_SECONDS = 600.0
STEPS = {"cuda": 100, "cpu": 2}
"""For which a starter project is trained."""
CHECKS_SECONDS = 400.0
"""For the tests, which come last; they go on in the next call."""
TRIAL_SECONDS = 60.0
START_SECONDS = {"cuda": 25.0, "cpu": 60.0}
"""What a part may take beside measuring: starting Python and torch, and more on a busy processor."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=ROOT / "gpu-run", help="the folder to write, or to go on with")
    parser.add_argument("--seconds", type=float, default=TOTAL_SECONDS, help="for this call in all")
    parser.add_argument("--measure", type=float, default=30.0, help="seconds of measuring for each plan")
    parser.add_argument("--only", action="append", default=[], metavar="PART", help="repeatable; see --list")
    parser.add_argument("--list", action="store_true", help="name the parts and end")
    parser.add_argument("--cpu", action="store_true", help="use the processor where there is no card")
    parser.add_argument("--again", action="store_true", help="run what failed once more")
    parser.add_argument("--fresh", action="store_true", help="begin anew")
    options = parser.parse_args()
    deadline = time.monotonic() + options.seconds
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))

    if options.fresh and (options.output / "summary.json").exists():
        shutil.rmtree(options.output)
    folder = Folder(options.output.resolve())
    environment = {
        "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), site(folder.root), os.environ.get("PYTHONPATH", "")])),
        "PYTHONUNBUFFERED": "1",
        "ADVISOR_STATE": str(folder.root / "state"),
        "ADVISOR_CACHE": str(folder.root / "state" / "cache"),
    }
    card = name_of_card(environment)
    device = "cuda" if card else "cpu"
    parts = parts_of(folder, device, options.measure)
    if options.list:
        print(*(part.name for part in parts), sep="\n")
        return 0
    unknown = set(options.only) - {part.name for part in parts}
    if unknown:
        parser.error(f"there is no part {', '.join(sorted(unknown))}: --list names them")
    about = machine(card)
    if not same_machine(folder, about):
        parser.error(f"{options.output} holds results of another machine: name another --output, or --fresh")

    there = {Needs.NOTHING, *([Needs.DEVICE] if card or options.cpu else []), *([Needs.CARD] if card else [])}
    outcomes: list[Outcome] = []
    for part in parts:
        if options.only and part.name not in options.only:
            continue
        outcome = folder.finished(part)
        if outcome is None or (options.again and outcome.status is Status.FAILED):
            if part.needs in there:
                outcome = run(part, folder, deadline - time.monotonic(), environment)
            else:
                outcome = Outcome(part.name, part.title, Status.NO_CARD)
        outcomes.append(outcome)
        print(
            f"{part.name:18} {outcomes[-1].status:12} {outcomes[-1].seconds:5.0f} s  {outcomes[-1].found}", flush=True
        )
        write_json(folder.root / "summary.json", summary.as_json(about, outcomes))
        (folder.root / "summary.md").write_text(summary.as_markdown(about, outcomes))
    failed = any(outcome.status is Status.FAILED for outcome in outcomes)
    return 1 if failed or not summary.complete(outcomes) else 0


def parts_of(folder: Folder, device: str, measure: float) -> list[Part]:
    advisor = (sys.executable, "-m", "advisor")
    start, results = START_SECONDS[device], folder.results
    for plan in PLANS:
        (folder.root / f"{plan}.yaml").write_text(answers(plan, small=device == "cpu"))

    def script(name: str, *words: object) -> tuple[str, ...]:
        return (sys.executable, str(CARDS / f"{name}.py"), *map(str, words))

    def to(result: str) -> tuple[str, ...]:
        return ("--format", "json", "--output", str(results / result), "--force")

    def probe(plan: str, name: str, *words: str) -> tuple[str, ...]:
        answered = ("--for", str(folder.root / f"{plan}.yaml"))
        return (*advisor, "probe", *answered, "--budget", f"{measure:.0f}s", "--save", name, *words)

    doctor = (*advisor, "doctor", "--format", "json")
    rates = script("rates", "--device", device, "--output", results / "rates.json")
    of_machine = [word for name in ("matmul", "memory", "storage", "transfer") for word in ("--only", name)]
    calibration = (*probe("pictures", PROFILE, *of_machine), *to("calibration.json"))
    profile = (*advisor, "profiles", "export", PROFILE, "--output", str(folder.root / "profile.json"), "--force")
    parts = [
        Part("doctor", "Doctor", [doctor], start, "doctor.json", summary.of_doctor, Needs.NOTHING, True),
        Part("rates", "Rates", [rates], start + 30, "rates.json", summary.of_rates),
        Part("profile", "Profile", [calibration, profile], start + measure, "calibration.json", summary.of_probes),
    ]
    for plan in STARTERS:
        project = folder.root / f"starter-{plan}"
        answered = ("--answers", str(folder.root / f"{plan}.yaml"))
        written = (*advisor, "starter", *answered, "--output", str(project), "--force")
        steps = ("--steps", str(STEPS[device]), "--output", str(project / "runs"))
        trained = (sys.executable, str(project / "train.py"), *steps)
        parts.append(Part(f"starter-{plan}", f"Starter: {plan}", [written, trained], start + measure))

    digits, kept = folder.root / "digits", str(folder.root / "model")
    told = ("--budget", f"{TRIAL_SECONDS:.0f}s", "--save", kept)
    tried = (*advisor, "try", str(digits), *told, *to("trial.json"))
    new, said = str(folder.root / "new-digits"), str(folder.root / "said.csv")
    applied = (*advisor, "apply", kept, "--data", new, "--output", said, "--force")
    trial = [script("digits", folder.root), tried, applied]
    parts.append(Part("trial", "Trial: digits", trial, 2 * start + TRIAL_SECONDS, "trial.json"))

    alone = ("--workers", "1", "--seeds", "1", "--strategies", "synchronous,local_sgd,asynchronous,powersgd")
    answered = ("--answers", str(folder.root / "pictures.yaml"))
    synced = (*advisor, "sync", *answered, *alone, "--budget", f"{2 * measure:.0f}s", *to("sync.json"))
    parts.append(Part("sync", "Strategies, one worker", [synced], start + 2 * measure, "sync.json"))

    for plan in PLANS:
        result = f"probe-{plan}.json"
        command = (*probe(plan, plan), *to(result))
        parts.append(Part(f"probe-{plan}", f"Probes: {plan}", [command], start + measure, result, summary.of_probes))
    for model in MODELS:
        (folder.root / f"{model}.yaml").write_text(of_model(model))
        result, named = f"model-{model}.json", ("--model", model)
        planned = (
            *advisor,
            "recommend",
            "--for",
            str(folder.root / f"{model}.yaml"),
            *named,
            *to(f"plan-{model}.json"),
        )
        measured = (*probe(model, model), *named, *to(result))
        commands = [planned, measured]
        parts.append(Part(f"model-{model}", f"Model: {model}", commands, start + measure, result, summary.of_probes))
    checks = script("checks", "--journal", folder.root / "checks.jsonl", "--result", results / "checks.json")
    tests = Part("checks", "Tests marked gpu", [checks], CHECKS_SECONDS, "checks.json", summary.of_checks, Needs.CARD)
    return [*parts, tests]


def site(root: Path) -> str:
    """The folder in which the kit is unpacked; empty where there is no kit."""
    packed, folder = KIT / PACKED, root / "site"
    if not packed.exists():
        return ""
    if not folder.exists():
        beside = root / "site.part"
        shutil.rmtree(beside, ignore_errors=True)
        with tarfile.open(packed) as archive:
            archive.extractall(beside, filter="data")
        beside.rename(folder)
    return str(folder)


def name_of_card(environment: dict[str, str]) -> str | None:
    """In a process of its own: this one needs no torch."""
    source = "import torch; print(torch.cuda.get_device_name() if torch.cuda.is_available() else '')"
    asked = subprocess.run(
        [sys.executable, "-c", source], env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    if asked.returncode != 0:
        sys.exit(f"torch cannot be imported by {sys.executable}:\n{asked.stderr}")
    return asked.stdout.strip() or None


def machine(card: str | None) -> dict[str, object]:
    asked = subprocess.run(
        ["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    )
    return {"card": card or "none", "python": platform.python_version(), "version": asked.stdout.strip() or "unknown"}


def same_machine(folder: Folder, about: dict[str, object]) -> bool:
    """Results of several cards are not put together."""
    kept = folder.root / "summary.json"
    return not kept.exists() or json.loads(kept.read_text())["card"] == about["card"]


if __name__ == "__main__":
    sys.exit(main())
